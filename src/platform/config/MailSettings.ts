/** The mail server that sends letters, and whom they are from, as settings name them. Pure. */
import { domainToASCII } from "node:url"
import { Result, Schema } from "effect"
import { isLoopback } from "../text/WebAddress.ts"
import { hostInUrl, isHostName } from "./Addresses.ts"

/** An SMTP server. `tls`: from the first byte on, by STARTTLS before anything else is said, or not at all. */
export const MailServer = Schema.Struct({
  host: Schema.String,
  port: Schema.Int,
  tls: Schema.Literals(["implicit", "starttls", "none"]),
  user: Schema.String,
  password: Schema.String
})
export type MailServer = typeof MailServer.Type

/** Whom letters are from. `name` may be empty. `address` has an ASCII domain. */
export const Sender = Schema.Struct({ name: Schema.String, address: Schema.String })
export type Sender = typeof Sender.Type

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
export const mailServerOf = (text: string): Result.Result<MailServer, string> => {
  const url = URL.parse(text)
  if (url === null || !isProtocol(url.protocol))
    return Result.fail(`must be an smtp or smtps address, like ${example}.`)
  const { hash, hostname, password, pathname, protocol, search, username } = url
  // The parser leaves hosts of protocols that it does not know as they are.
  const host = hostname.startsWith("[") ? hostname.slice(1, -1) : domainToASCII(hostname)
  if (host === "" || !isHostName(hostInUrl(host))) return Result.fail("names no host.")
  const user = decoded(username)
  const secret = decoded(password)
  if (user === undefined || secret === undefined)
    return Result.fail(
      "holds a % that stands for no character: write it as %25 in the user's name and in the password."
    )
  if ((user === "") !== (secret === "")) return Result.fail("needs both a user and a password, or neither.")
  if ((pathname !== "" && pathname !== "/") || hash !== "" || (search !== "" && search !== "?tls=none"))
    return Result.fail("may have only ?tls=none after the host and port.")
  const local = isLoopback(hostname)
  if (search !== "" && protocol === "smtps:") return Result.fail("is an smtps address, which can't have ?tls=none.")
  if (search !== "" && user !== "" && !local)
    return Result.fail("would send the password unencrypted: remove ?tls=none, or the user and password.")
  // What stays on this machine needs no encryption.
  const tls = protocol === "smtps:" ? "implicit" : search !== "" || local ? "none" : "starttls"
  const port = url.port === "" ? defaultPorts[protocol] : Number(url.port)
  return Result.succeed({ host, port, tls, user, password: secret })
}

const maxAddress = 254

/** `Playrooms <bookings@example.com>` or the address alone; undefined if it is neither. */
export const senderOf = (text: string): Sender | undefined => {
  // oxlint-disable-next-line no-control-regex -- looks for them
  if (/[\u0000-\u001f\u007f]/.test(text)) return undefined
  const [, quoted, name = quoted ?? "", bracketed] = /^(?:"([^"\\]*)"|([^<>"]*?))\s*<([^<>\s]+)>$/.exec(text) ?? []
  const [, local, domain] = /^([^\s<>"(),:;@\\[\]]+)@([^\s@]+)$/.exec(bracketed ?? text) ?? []
  if (local === undefined || domain === undefined) return undefined
  const ascii = domainToASCII(domain)
  const address = `${local}@${ascii}`
  return ascii === "" || !isHostName(ascii) || address.length > maxAddress ? undefined : { name: name.trim(), address }
}
