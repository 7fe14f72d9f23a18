/** Settings of letters: the mail server that sends them, and whom they are from. */
import { domainToASCII } from "node:url"
import { Redacted } from "effect"
import { isLoopback } from "../kernel/WebAddress.ts"
import { hostInUrl, isHostName, type Reader } from "./AppConfigRules.ts"
import type { Provider } from "./PaymentSettings.ts"

/** An SMTP server. `tls`: from the first byte on, by STARTTLS before anything else is said, or not at all. */
export interface MailServer {
  readonly host: string
  readonly port: number
  readonly tls: "implicit" | "starttls" | "none"
  readonly user: string
  readonly password: string
}

/** Whom letters are from. `name` may be empty. `address` has an ASCII domain. */
export interface Sender {
  readonly name: string
  readonly address: string
}

/**
 * What becomes of letters. `off`: none are written. `sandbox`: the sandbox provider shows them on its own page, and
 * nobody gets them.
 */
export type Letters =
  | { readonly kind: "off" }
  | { readonly kind: "sandbox"; readonly from: Sender }
  | { readonly kind: "smtp"; readonly server: Redacted.Redacted<MailServer>; readonly from: Sender }

const example = "smtps://user:password@mail.example.com"
const defaultPorts = { "smtp:": 587, "smtps:": 465 } as const
const isProtocol = (protocol: string): protocol is keyof typeof defaultPorts => protocol in defaultPorts

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** The server, or what is wrong with the address, as the end of a sentence. It never holds the password. */
const serverOf = (text: string): MailServer | string => {
  const url = URL.parse(text)
  if (url === null || !isProtocol(url.protocol)) return `must be an smtp or smtps address, like ${example}.`
  const { hash, hostname, password, pathname, protocol, search, username } = url
  // The parser leaves hosts of protocols that it does not know as they are.
  const host = hostname.startsWith("[") ? hostname.slice(1, -1) : domainToASCII(hostname)
  if (host === "" || !isHostName(hostInUrl(host))) return "names no host."
  const user = decoded(username)
  const secret = decoded(password)
  if (user === undefined || secret === undefined)
    return "holds a % that stands for no character: write it as %25 in the user's name and in the password."
  if ((user === "") !== (secret === "")) return "needs both a user and a password, or neither."
  if ((pathname !== "" && pathname !== "/") || hash !== "" || (search !== "" && search !== "?tls=none"))
    return "may have only ?tls=none after the host and port."
  const local = isLoopback(hostname)
  if (search !== "" && protocol === "smtps:") return "is an smtps address, which can't have ?tls=none."
  if (search !== "" && user !== "" && !local)
    return "would send the password unencrypted: remove ?tls=none, or the user and password."
  // What stays on this machine needs no encryption.
  const tls = protocol === "smtps:" ? "implicit" : search !== "" || local ? "none" : "starttls"
  const port = url.port === "" ? defaultPorts[protocol] : Number(url.port)
  return { host, port, tls, user, password: secret }
}

const maxAddress = 254

/** `Playrooms <bookings@example.com>` or the address alone; undefined if it is neither. */
const senderOf = (text: string): Sender | undefined => {
  // oxlint-disable-next-line no-control-regex -- looks for them
  if (/[\u0000-\u001f\u007f]/.test(text)) return undefined
  const [, quoted, name = quoted ?? "", bracketed] = /^(?:"([^"\\]*)"|([^<>"]*?))\s*<([^<>\s]+)>$/.exec(text) ?? []
  const [, local, domain] = /^([^\s<>"(),:;@\\[\]]+)@([^\s@]+)$/.exec(bracketed ?? text) ?? []
  if (local === undefined || domain === undefined) return undefined
  const ascii = domainToASCII(domain)
  const address = `${local}@${ascii}`
  return ascii === "" || !isHostName(ascii) || address.length > maxAddress ? undefined : { name: name.trim(), address }
}

/** Letters go by `MAIL_URL`. Without it, the sandbox shows them; with a real payment provider there are none. */
export const readLetters = (read: Reader, provider: Provider): Letters => {
  const url = read.secret("MAIL_URL")
  const given = read.text("MAIL_FROM")
  const from = given === undefined ? undefined : senderOf(given)
  if (given !== undefined && from === undefined)
    read.fault("MAIL_FROM must be an e-mail address, with or without a name: Playrooms <bookings@example.com>.")
  if (url === undefined)
    return provider.kind === "sandbox"
      ? { kind: "sandbox", from: from ?? { name: "Playroom booking", address: "bookings@playrooms.example" } }
      : { kind: "off" }
  if (given === undefined)
    read.fault("MAIL_URL needs MAIL_FROM, whom letters are from: Playrooms <bookings@example.com>.")
  const server = serverOf(Redacted.value(url))
  if (typeof server === "string") read.fault(`MAIL_URL ${server}`)
  return typeof server === "string" || from === undefined
    ? { kind: "off" }
    : { kind: "smtp", server: Redacted.make(server, { label: "MAIL_URL" }), from }
}
