/**
 * Every environment variable that is a setting: how it is read, its default and what it means. The table of
 * `docs/settings.md` and the types of `nix/settings.nix` are written from this list. No fault repeats a secret.
 */

import { Effect, Redacted, Result, Schema, SchemaGetter, SchemaIssue } from "effect"
import { X509Certificate } from "node:crypto"
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs"
import { isIP } from "node:net"
import { isAbsolute } from "node:path"
import type { ConnectionOptions } from "node:tls"
import { domainToASCII } from "node:url"
import { codeOf } from "../errors/InvalidArguments.ts"
import { editDistance, itemsIn, webAddress, isLoopback, textOfBytes } from "../text/Text.ts"

// Secrets in files, as service managers and container runtimes provide them: `NAME_FILE` is the path of a file that
// holds `NAME`.

export type Environment = Readonly<Record<string, string | undefined>>

/** The largest file that is read, in bytes: room for several webhook secrets or the longest database address. */
const maxBytes = 16_384

const whyNot = (cause: unknown): string => {
  const code = codeOf(cause)
  if (code === "ENOENT" || code === "ENOTDIR") return "does not exist"
  if (code === "EACCES" || code === "EPERM")
    return `can't be read by this user (uid ${process.getuid?.() ?? "unknown"})`
  return `can't be read (${String(code)})`
}

/** The file's trimmed text, or what is wrong with the file, as the end of a sentence. */
const contentOf = (path: string, most = maxBytes): Result.Result<string, string> => {
  let file: number | undefined
  try {
    // Non-blocking: a pipe without a writer would block the start.
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    const about = fstatSync(file)
    if (!about.isFile()) return Result.fail("is no regular file")
    if (about.size > most) return Result.fail(`is longer than ${most} bytes`)
    return Result.flatMap(textOfBytes(readFileSync(file)), (text) =>
      text.trim() === "" ? Result.fail("is empty") : Result.succeed(text.trim())
    )
  } catch (cause) {
    return Result.fail(whyNot(cause))
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

/** The secret that `path` of the variable `file` names. Fails with the fault, which never holds the secret. */
const secretIn = (path: string, file: string, name: string): Result.Result<string, string> => {
  if (path.trim() === "") return Result.fail(`${file} is blank: remove it, or name the file that holds ${name}.`)
  // The value is left out: it may be the secret itself.
  if (!isAbsolute(path)) return Result.fail(`${file} must be the absolute path of the file that holds ${name}.`)
  return Result.mapError(contentOf(path), (why) => `${file} names ${JSON.stringify(path)}, which ${why}.`)
}

/** The environment with the secrets of these names that are in files, and the faults of those files by secret. */
const readSecretFiles = (
  environment: Environment,
  names: ReadonlyArray<string>
): { readonly texts: Environment; readonly faults: Map<string, string> } => {
  const texts: Record<string, string | undefined> = { ...environment }
  const faults = new Map<string, string>()
  for (const name of names) {
    const file = `${name}_FILE`
    const path = environment[file]
    if (path === undefined) continue
    const secret =
      environment[name] === undefined
        ? secretIn(path, file, name)
        : Result.fail(`${name} and ${file} are both set: remove one of them.`)
    if (Result.isFailure(secret)) faults.set(name, secret.failure)
    texts[name] = Result.getOrUndefined(secret)
  }
  return { texts, faults }
}

// The mail server that sends letters, and whom they are from, as settings name them. Pure.

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
const mailServerOf = (text: string): Result.Result<MailServer, string> => {
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

// Addresses and host names in settings. Pure.

/** The address without a slash at the end; undefined unless `value` is `http(s)://host[:port]` and nothing more. */
const bareOrigin = (value: string): string | undefined => {
  const url = webAddress(value)
  return url !== undefined && url.pathname === "/" && url.search === "" && url.hash === "" ? url.origin : undefined
}

const isHttpUrl = (value: string): boolean => /^https?:$/.test(URL.parse(value)?.protocol ?? "")

// Addresses of PostgreSQL servers, in libpq's form and with its parameters
// (https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING-URIS). The driver passes over parameters
// that it does not know: one that is not kept here is refused.

/**
 * The address of each server of a PostgreSQL URL, which may name several as `host:port,host:port`. A user without a host
 * (`postgres://user:password@/db?host=/cloudsql/…`, whose host is a parameter) is given one, which URL demands.
 */
export const addressesOf = (url: string): ReadonlyArray<string> => {
  const [, before = "", hosts = "", after = ""] = /^([^/]*\/\/(?:[^/?#]*@)?)([^/?#]*,[^/?#]*)(.*)$/s.exec(url) ?? []
  if (hosts === "") return [url.replace(/^(\w+:\/\/[^/?#]*@)(?=[:/?#]|$)/, "$1localhost")]
  return hosts.split(",").map((host) => `${before}${host}${after}`)
}

const postgres = "must be a PostgreSQL address, like postgres://user:password@host:5432/database."

/** Of a server, the certificate is verified; `no-verify`, by which some hosts' have none that could be, is node-postgres'. */
const verifying = ["require", "verify-ca", "verify-full"]
/** Which sessions the service has by itself: its own on the primary, those of `DATABASE_REPLICA_URL` on a replica. */
const sessions = {
  primary: ["any", "read-write", "primary"],
  replica: ["any", "read-only", "standby", "prefer-standby"]
}
const driverParameters = ["host", "port", "user", "password", "dbname", "options", "connect_timeout"]
const tlsParameters = ["sslmode", "ssl", "sslrootcert", "channel_binding"]
const parameters = [...driverParameters, ...tlsParameters, "target_session_attrs"]

/** Room for every authority of a provider with many regions. */
const maxAuthorityBytes = 2 ** 20

/** The mode of TLS that an address asks for; undefined: none. A socket of this machine has none. */
const sslModeOf = ({ hostname, searchParams }: URL): string | undefined => {
  if (/^(?:\/|%2f)/i.test(searchParams.get("host") ?? hostname)) return undefined
  const asked = searchParams.has("ssl") || searchParams.has("sslrootcert")
  return searchParams.get("sslmode") ?? (asked ? "verify-full" : undefined)
}

/** What is wrong with a server's address, as the end of a sentence; undefined: nothing. It never holds the password. */
export const databaseFault = (text: string, of: keyof typeof sessions = "primary"): string | undefined => {
  const [url, ...others] = addressesOf(text).map((address) => URL.parse(address))
  if (url == null || others.includes(null) || !/^postgres(ql)?:$/.test(url.protocol)) return postgres
  const given = url.searchParams
  for (const name of given.keys()) {
    // It may be the rest of a password.
    const shown = /^\w{1,40}$/.test(name) ? `the parameter ${name}` : "a ? or & that begins no parameter"
    if (!parameters.includes(name)) return `has ${shown}: known are ${parameters.join(", ")}.`
    if (given.getAll(name).length > 1) return `has ${shown} twice.`
  }
  for (const [name, values] of Object.entries({
    sslmode: ["disable", "allow", "prefer", "no-verify", ...verifying],
    ssl: ["true"],
    channel_binding: ["disable", "prefer", "require"],
    target_session_attrs: sessions[of]
  }))
    if (!values.includes(given.get(name) ?? values[0] ?? ""))
      return `has a ${name} that is none of ${values.join(", ")}.`
  for (const name of ["port", "connect_timeout"])
    if (!/^\d{1,5}$/.test(given.get(name) ?? "0")) return `has a ${name} that is no whole number.`
  const mode = given.get("sslmode") ?? "verify-full"
  if (given.has("ssl") && !verifying.includes(mode) && mode !== "no-verify")
    return `has ssl=true, and an sslmode that lets everything pass in clear text: remove one of them.`
  for (const name of ["sslrootcert", ...(given.get("channel_binding") === "require" ? ["channel_binding"] : [])])
    if (given.has(name) && !verifying.includes(sslModeOf(url) ?? ""))
      return `has ${name}, and no sslmode that verifies a certificate: write sslmode=verify-full.`
  const authority = given.get("sslrootcert")
  const why = authority === null ? Result.succeed("") : authorityOf(authority)
  return Result.isFailure(why) ? `names ${JSON.stringify(authority)} as sslrootcert, which ${why.failure}.` : undefined
}

/** The certificates of a file (PEM), or what is wrong with it; none for the system's own (`system`). */
const authorityOf = (path: string): Result.Result<string | undefined, string> =>
  path === "system"
    ? Result.succeed(undefined)
    : Result.flatMap(contentOf(path, maxAuthorityBytes), (pem) =>
        Result.try({
          try: () => new X509Certificate(pem).raw && pem,
          catch: () => "holds no certificate (PEM)"
        })
      )

/**
 * A server's address as the driver takes it: the parameters that it does not know are kept by `ssl`, which is undefined
 * where the driver decides by the address. What can't be read of the authority's file (it was, at start) leaves the
 * system's authorities.
 */
export const driverAddress = (
  address: string
): { readonly url: string; readonly ssl?: boolean | ConnectionOptions } => {
  const url = new URL(address)
  const mode = sslModeOf(url)
  const authority = url.searchParams.get("sslrootcert")
  for (const name of [...tlsParameters, "target_session_attrs"]) url.searchParams.delete(name)
  if (mode === "allow" || mode === "prefer") url.searchParams.set("sslmode", mode)
  if (mode === undefined || !(verifying.includes(mode) || mode === "no-verify")) return { url: url.href }
  const ca = authority === null ? undefined : Result.getOrUndefined(authorityOf(authority))
  return {
    url: url.href,
    ssl: {
      rejectUnauthorized: mode !== "no-verify",
      ...(ca === undefined ? {} : { ca }),
      // The authority alone vouches for the server.
      ...(mode === "verify-ca" ? { checkServerIdentity: () => undefined } : {})
    }
  }
}

/** `localhost`, `example.com:8080`, `[::1]:3000`. */
const isHostName = (value: string): boolean =>
  !/[/?#@\s*]/.test(value) && (URL.parse(`http://${value}/`)?.hostname ?? "") !== ""

/** An IP address or a network, `10.0.0.0/8`. */
const isNetwork = (value: string): boolean => {
  const [address = "", bits, ...rest] = value.split("/")
  const family = isIP(address)
  if (family === 0 || rest.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))
}

/** The name as written in a URL and a `Host` header: IPv6 in brackets. */
export const hostInUrl = (host: string): string => (isIP(host) === 6 ? `[${host}]` : host)

interface About {
  /** The variable's name. */
  readonly variable: string
  /** For the table of `docs/settings.md`. */
  readonly meaning: string
  /** What is so without it, in the words of that table. */
  readonly otherwise?: string
  /** A secret may be in a file, and blank is a fault: whoever set it expects a secret there. */
  readonly secret?: boolean
}

/** Text that `read` understands. It fails with what follows the variable's name: `must be a port, and is "x".` */
const readAs = <A>(type: Schema.Codec<A>, read: (text: string) => Result.Result<A, string>) =>
  Schema.String.pipe(
    Schema.decodeTo(type, {
      decode: SchemaGetter.transformEffect((text: string) =>
        Effect.mapError(Effect.fromResult(read(text)), (message) => new SchemaIssue.InvalidValue({ message }))
      ),
      encode: SchemaGetter.forbidden(() => "Settings are only read")
    })
  )

const optional = <S extends Schema.Codec<unknown, string>>(schema: S, about: About) =>
  Schema.optional(schema).annotate({ ...about })

/** With a default, which is written as the variable would be. */
const withDefault = <S extends Schema.Codec<unknown, string>>(text: S["Encoded"], schema: S, about: About) =>
  schema
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(text)))
    .annotate({ otherwise: text === "" ? "" : `\`${text}\``, ...about })

/** The beginning of a value, without the user and password of an address. */
const quoted = (value: string): string => {
  const shown = value.replaceAll(/\/\/[^/\s,]*@/g, "//…@")
  return JSON.stringify(shown.length > 60 ? `${shown.slice(0, 60)}…` : shown)
}

const found = <A>(value: A | undefined, expected: string, text: string): Result.Result<A, string> =>
  value === undefined ? Result.fail(`must be ${expected}, and is ${quoted(text)}.`) : Result.succeed(value)

const textAs = (expected: string, valid: (text: string) => string | undefined) =>
  readAs(Schema.String, (text) => found(valid(text), expected, text))

const wholeNumber = (minimum: number, maximum: number) =>
  readAs(Schema.Int.check(Schema.isBetween({ minimum, maximum })), (text) => {
    const number = /^\d{1,9}$/.test(text) ? Number(text) : NaN
    const inside = number >= minimum && number <= maximum
    return found(inside ? number : undefined, `a whole number from ${minimum} to ${maximum}`, text)
  })

const flag = readAs(Schema.Boolean, (text) => {
  const isTrue = /^(true|1|yes|on)$/i.test(text)
  return found(isTrue || (/^(false|0|no|off)$/i.test(text) ? false : undefined), "true or false", text)
})

/** One of `values`, in upper or lower case. */
const choice = <const A extends string>(...values: ReadonlyArray<A>) =>
  readAs(Schema.Literals(values), (text) => {
    const chosen = values.find((value) => value.toLowerCase() === text.toLowerCase())
    return found(chosen, `one of ${values.join(", ")}`, text)
  })

/** Items separated by commas, each once. */
const list = <A>(item: Schema.Codec<A>, expected: string, valid: (entry: string) => A | undefined) =>
  readAs(Schema.Array(item), (text) => {
    const entries = itemsIn(text, ",")
    const wrong = entries.filter((entry) => valid(entry) === undefined).map(quoted)
    return wrong.length > 0
      ? Result.fail(`must list ${expected}, and holds ${wrong.join(" and ")}.`)
      : Result.succeed([...new Set(entries.flatMap((entry) => valid(entry) ?? []))])
  })

const origins = list(Schema.String, "origins, like https://app.example.com", bareOrigin)

/** What programs on the desktop name as their origin: `null`, `file://`, or a scheme of their own with its host. */
const isDesktopOrigin = (text: string): boolean => /^(?:null|(?!https?:)[a-z][a-z\d+.-]*:\/\/[\w.-]*)$/.test(text)

const callingOrigins = list(
  Schema.String,
  "origins, like https://app.example.com, app://name or null",
  (entry) => bareOrigin(entry) ?? (isDesktopOrigin(entry) ? entry : undefined)
)

/** A secret travels in a header or is typed by people: visible ASCII only. */
const visible = (text: string): Result.Result<string, string> => {
  if (text === "") return Result.fail("is blank: remove it, or give it a value.")
  return /^[\x21-\x7e]+$/.test(text)
    ? Result.succeed(text)
    : Result.fail("holds spaces or characters that a secret can't have.")
}

/** A secret, which `read` understands. */
const secretAs = <A>(type: Schema.Codec<A>, about: About, read: (text: string) => Result.Result<A, string>) =>
  optional(
    readAs(Schema.Redacted(type), (text) =>
      visible(text).pipe(
        Result.flatMap(read),
        Result.map((value) => Redacted.make(value, { label: about.variable }))
      )
    ),
    { ...about, secret: true }
  )

/** A secret whose text fits `form`. */
const secret = (about: About, fits: (text: string) => boolean = () => true, expected = "") =>
  secretAs(Schema.String, about, (text) => (fits(text) ? Result.succeed(text) : Result.fail(`must ${expected}.`)))

/** The sandbox signed with these until version 0.1. They are published in its source, so they prove nothing. */
const published = new Set(["whsec_sandbox_platform", "whsec_sandbox_connected"])

/** Secrets of events, separated by commas: several while they are rotated. */
const webhookSecrets = (about: About) =>
  optional(
    readAs(Schema.Array(Schema.Redacted(Schema.String)), (text) => {
      const entries = text.split(",").map((entry) => entry.trim())
      return entries.some((entry) => published.has(entry))
        ? Result.fail("holds a secret that is published in this program's source: make one of your own.")
        : Result.map(Result.all(entries.map(visible)), (all) =>
            all.map((entry) => Redacted.make(entry, { label: about.variable }))
          )
    }),
    { ...about, otherwise: "random, of the sandbox", secret: true }
  )

/** The address of a database: of the primary, or of a replica. */
const databaseAddress = (about: About, of: keyof typeof sessions) =>
  secretAs(Schema.String, about, (text) => {
    const fault = databaseFault(text, of)
    return fault === undefined ? Result.succeed(text) : Result.fail(fault)
  })

const webPage = textAs("an address like https://example.com/help", (text) =>
  webAddress(text) === undefined ? undefined : text
)
const webPageOrMail = textAs("an address like https://example.com/help or mailto:help@example.com", (text) =>
  webAddress(text) !== undefined || /^mailto:[^\s@<>"']+@[^\s@<>"']+$/i.test(text) ? text : undefined
)

/** Ways to sign in at `/mcp/connect`: with an API key, or as a guest without one. */
export type SignIn = "key" | "guest"
const isSignIn = (text: string): text is SignIn => text === "key" || text === "guest"

const port = wholeNumber(1, 65_535)
const million = wholeNumber(1, 1_000_000)

/** All settings, by the names that they have in the code. */
const Variables = Schema.Struct({
  port: withDefault("3000", port, { variable: "PORT", meaning: "the port where it listens" }),
  host: withDefault(
    "127.0.0.1",
    textAs("an address or a host name to listen on", (text) => (isHostName(hostInUrl(text)) ? text : undefined)),
    { variable: "HOST", meaning: "the address where it listens" }
  ),
  baseUrl: optional(textAs("an http or https address without a path, like https://book.example.com", bareOrigin), {
    variable: "BASE_URL",
    otherwise: "`http://localhost:PORT`",
    meaning: "its public address, without a path; needed in production, https with a live key"
  }),
  environment: optional(
    // In upper case it would be no production for other programs. A misspelling would silently mean development.
    readAs(Schema.Literals(["production", "development", "test"]), (text) =>
      text === "production" || text === "development" || text === "test"
        ? Result.succeed(text)
        : Result.fail(`must be production, development or test, or not set, and is ${quoted(text)}.`)
    ),
    {
      variable: "NODE_ENV",
      meaning:
        "`production`, `development` or `test`. In production the sandbox must be asked for by name, no development " +
        "key is made, logs are JSON"
    }
  ),
  databaseUrl: databaseAddress(
    {
      variable: "DATABASE_URL",
      meaning:
        "PostgreSQL 14 or newer; absent: the embedded one. With several servers (`one:5432,two:5432`) the one that is " +
        "the primary is used ([failover](replica.md#failover))"
    },
    "primary"
  ),
  databaseReplicaUrl: databaseAddress(
    {
      variable: "DATABASE_REPLICA_URL",
      meaning: "a streaming replica of it, from which the public tools read ([replica](replica.md))"
    },
    "replica"
  ),
  dataDir: withDefault(".data", Schema.String, {
    variable: "DATA_DIR",
    meaning: "the embedded database and the development key: a folder of the service's own user, closed to all others"
  }),
  timeZoneData: withDefault("/usr/share/zoneinfo", Schema.String, {
    variable: "TIME_ZONE_DATA",
    meaning:
      "a folder with the rules of time zones as systems have them (with `tzdata.zi`); clocks go by these where they " +
      "are newer than Node's"
  }),
  apiKey: secret({
    variable: "API_KEY",
    meaning:
      "one accepted key with all scopes, beside those of `playroom key create`; in production, and where others can " +
      "reach the service, at least 32 characters, 10 of them different"
  }),
  paymentProvider: optional(choice("stripe", "sandbox"), {
    variable: "PAYMENT_PROVIDER",
    otherwise: "`stripe` with a key, else `sandbox`",
    meaning: "who takes the payments"
  }),
  stripeSecretKey: secret(
    { variable: "STRIPE_SECRET_KEY", meaning: "the platform's key, `sk_…` or `rk_…`" },
    // Stripe's own prefixes: secret and restricted keys, each for test and live mode (https://docs.stripe.com/keys).
    (text) => /^[sr]k_(test|live)_\w+$/.test(text),
    "start with sk_test_, sk_live_, rk_test_ or rk_live_"
  ),
  paymentWebhookSecrets: webhookSecrets({
    variable: "PAYMENT_WEBHOOK_SECRETS",
    meaning: "`whsec_…` of the platform's endpoint; several, separated by commas"
  }),
  paymentConnectWebhookSecrets: webhookSecrets({
    variable: "PAYMENT_CONNECT_WEBHOOK_SECRETS",
    meaning: "the same for the connected accounts' endpoint"
  }),
  sandboxPort: optional(wholeNumber(0, 65_535), {
    variable: "SANDBOX_PORT",
    otherwise: "`PORT` + 10000",
    meaning: "the sandbox's port, on 127.0.0.1; 0: any free one"
  }),
  allowedHosts: withDefault(
    "",
    list(Schema.String, "host names", (entry) => (isHostName(entry) ? entry.toLowerCase() : undefined)),
    {
      variable: "ALLOWED_HOSTS",
      meaning: "further host names that requests to `/mcp` may name; people sign in under each"
    }
  ),
  allowedOrigins: withDefault("", callingOrigins, {
    variable: "ALLOWED_ORIGINS",
    meaning:
      "further origins of web pages that may call `/mcp`; programs' own (`null`, `file://`, `app://…`) may where `BASE_URL` is https"
  }),
  returnUrlOrigins: withDefault("", origins, {
    variable: "RETURN_URL_ORIGINS",
    meaning: "further origins for `success_url` and `cancel_url`"
  }),
  trustedProxies: withDefault(
    "",
    list(Schema.String, "IP addresses or networks, like 10.0.0.0/8, and not the whole internet", (entry) =>
      isNetwork(entry) && !/\/0+$/.test(entry) ? entry : undefined
    ),
    {
      variable: "TRUSTED_PROXIES",
      meaning: "addresses or networks whose `X-Forwarded-For` is believed, with or without ports in it"
    }
  ),
  paymentLink: withDefault("provider", choice("provider", "own"), {
    variable: "PAYMENT_LINK",
    meaning:
      "what `create_payment_session` gives people: the `provider`'s page, or our `own` with seller, purchase, price " +
      "and one button that leads on, safe to forward to whoever pays; some directories of assistants want that"
  }),
  mailUrl: secretAs(
    MailServer,
    {
      variable: "MAIL_URL",
      meaning:
        "the mail server for letters to families: `smtps://user:password@host`, or `smtp://…`, which has to offer " +
        "STARTTLS unless it is on this machine or has `?tls=none`. Absent: no letters; the sandbox shows on its own " +
        "page what would be sent"
    },
    mailServerOf
  ),
  mailFrom: optional(
    readAs(Sender, (text) =>
      found(senderOf(text), "an e-mail address, with or without a name, like Playrooms <bookings@example.com>", text)
    ),
    {
      variable: "MAIL_FROM",
      meaning: "whom letters are from, `Playrooms <bookings@example.com>`; needed with `MAIL_URL`"
    }
  ),
  connect: withDefault(
    "",
    list(Schema.Literals(["key", "guest"]), "key, guest, or both", (entry) => {
      const way = entry.toLowerCase()
      return isSignIn(way) ? way : undefined
    }),
    {
      variable: "CONNECT",
      meaning:
        "`key`, `guest` or `key,guest`: who may sign in at `/mcp/connect`; needs an https `BASE_URL`, or localhost"
    }
  ),
  connectSignIn: withDefault("needed", choice("needed", "first"), {
    variable: "CONNECT_SIGN_IN",
    meaning:
      "when hosts are asked to sign in there: at the first call that needs it, or at their `first` request, for hosts " +
      "that sign in only then"
  }),
  privacyUrl: optional(webPage, {
    variable: "PRIVACY_URL",
    meaning: "where people read about privacy: a link at the foot of every page, and told to the registry"
  }),
  termsUrl: optional(webPage, { variable: "TERMS_URL", meaning: "the same for the terms" }),
  supportUrl: optional(webPageOrMail, {
    variable: "SUPPORT_URL",
    meaning: "the same for where they get help, which may also be a `mailto:` address"
  }),
  openaiAppsChallenge: optional(
    // The portal's tokens are shorter than 500 characters: a longer text was pasted by mistake.
    textAs("the token as OpenAI's portal shows it: visible characters without spaces", (text) =>
      /^[\x21-\x7e]{1,500}$/.test(text) ? text : undefined
    ),
    {
      variable: "OPENAI_APPS_CHALLENGE",
      meaning:
        "the token that `/.well-known/openai-apps-challenge` answers, by which OpenAI's directory checks the domain " +
        "(https://developers.openai.com/apps-sdk/deploy/submission)"
    }
  ),
  drainSeconds: optional(wholeNumber(0, 300), {
    variable: "DRAIN_SECONDS",
    otherwise: "`5` in production, else `0`",
    meaning: "how long a node that is told to stop serves on, with `/readyz` 503, before it closes its listener"
  }),
  holdMinutes: withDefault("15", wholeNumber(1, 1440), {
    variable: "HOLD_MINUTES",
    meaning: "how long places are held before payment"
  }),
  maxHoldsPerKey: withDefault("50", million, {
    variable: "MAX_HOLDS_PER_KEY",
    meaning: "live holds of a key at a time"
  }),
  maxHoldsPerEmail: withDefault("5", million, {
    variable: "MAX_HOLDS_PER_EMAIL",
    meaning: "live holds of an e-mail address under a key at a time"
  }),
  // Payers may dispute a payment for 120 days after a visit, and the answer needs the person's data. The family's page
  // stays open for 90 days.
  personalDataDays: optional(wholeNumber(120, 36_500), {
    variable: "PERSONAL_DATA_DAYS",
    meaning:
      "so many days after it was over, a booking loses its person (120 or more); absent: when a command erases them"
  }),
  auditHours: optional(wholeNumber(1, 720), {
    variable: "AUDIT_HOURS",
    meaning:
      "every so many hours (1 to 720) one node audits all stored data, as `playroom doctor --audit` does; what it " +
      "finds is in the log and in `audit_faults`; absent: only the command does"
  }),
  rateLimitPerMinute: withDefault("120", million, {
    variable: "RATE_LIMIT_PER_MINUTE",
    meaning: "calls a minute per address without a valid key; ten times as many pages"
  }),
  rateLimitKeyPerMinute: withDefault("600", million, {
    variable: "RATE_LIMIT_KEY_PER_MINUTE",
    meaning: "calls a minute of the booking and payment tools per key; also token requests per address"
  }),
  rateLimitDisabled: withDefault("false", flag, { variable: "RATE_LIMIT_DISABLED", meaning: "no rate limits" }),
  logLevel: withDefault("Info", choice("Trace", "Debug", "Info", "Warn", "Error"), {
    variable: "LOG_LEVEL",
    otherwise: "`info`",
    meaning: "`trace`, `debug`, `info`, `warn` or `error`"
  }),
  logFormat: optional(choice("pretty", "json", "logfmt"), {
    variable: "LOG_FORMAT",
    otherwise: "`json` in production, else `pretty`",
    meaning: "`pretty`, `json` or `logfmt`"
  }),
  otlpEndpoint: optional(
    textAs("an http or https address, like http://localhost:4318", (text) => (isHttpUrl(text) ? text : undefined)),
    { variable: "OTEL_EXPORTER_OTLP_ENDPOINT", meaning: "where traces, logs and metrics go (OTLP over HTTP)" }
  ),
  managementPort: optional(port, {
    variable: "MANAGEMENT_PORT",
    meaning: "serves `/metrics` for Prometheus, and `/healthz` and `/readyz` for probes, on 127.0.0.1"
  })
})
export type Given = typeof Variables.Type

const isAbout = Schema.is(
  Schema.Struct({
    variable: Schema.String,
    meaning: Schema.String,
    otherwise: Schema.optional(Schema.String),
    secret: Schema.optional(Schema.Boolean)
  })
)

/** What is written of each setting, with its key and its type. */
export const settings = Object.entries(Variables.fields).flatMap(([key, type]) => {
  const about: unknown = Schema.resolveAnnotations(type)
  return isAbout(about) ? [{ ...about, key, type: Schema.toType(type) }] : []
})

/** The variables of secrets. Each may be in a file, which `…_FILE` names. */
export const secretVariables = settings.filter(({ secret }) => secret === true).map(({ variable }) => variable)

/** The files that hold secrets, by the setting of each. */
export const secretFiles = (environment: Environment): ReadonlyArray<readonly [variable: string, path: string]> =>
  secretVariables.flatMap((variable) => {
    const path = environment[`${variable}_FILE`]
    return path === undefined ? [] : [[variable, path] as const]
  })

const decode = Schema.decodeUnknownResult(Variables, { errors: "all" })
const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

/**
 * The settings in the environment, without those that are faulty, and their faults by variable. An empty variable
 * counts as absent, unless it is a secret. `isSet`: whether a variable has a value, right or wrong.
 */
export const readVariables = (environment: Environment) => {
  const { faults, texts } = readSecretFiles(environment, secretVariables)
  // An empty address means the embedded database. In production it is more likely a variable that was not filled in.
  const mayBeBlank = (variable: string): boolean =>
    variable === "DATABASE_URL" ? environment["NODE_ENV"]?.trim() !== "production" : !secretVariables.includes(variable)
  const values = new Map<string, string>()
  for (const { key, variable } of settings) {
    const text = texts[variable]?.trim()
    if (text !== undefined && (text !== "" || !mayBeBlank(variable))) values.set(key, text)
  }
  const first = decode(Object.fromEntries(values))
  for (const { message, path = [] } of Result.isFailure(first) ? issuesOf(first.failure.issue).issues : []) {
    const faulty = settings.find(({ key }) => key === path[0])
    if (faulty === undefined) continue
    faults.set(faulty.variable, `${faulty.variable} ${message}`)
    values.delete(faulty.key)
  }
  return {
    given: Result.getOrThrow(decode(Object.fromEntries(values))),
    faults,
    isSet: (variable: string): boolean => (texts[variable]?.trim() ?? "") !== ""
  }
}

/** What is said of names in the environment that are no settings, but nearly: `HOLD_MINUTE` of `HOLD_MINUTES`. */
export const misspeltNames = (names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const known = [...settings.map(({ variable }) => variable), ...secretVariables.map((name) => `${name}_FILE`)]
  return names
    .filter((name) => !known.includes(name) && name.length >= 4 && name.length <= 60)
    .flatMap((name) => {
      // Longer names have room for two slips. A short one that differs in two letters is another word.
      const near = known.find(
        (setting) =>
          !names.includes(setting) && editDistance(name.toUpperCase(), setting) <= (setting.length < 9 ? 1 : 2)
      )
      return near === undefined ? [] : [`${name} is set, and is no setting of this service. Did you mean ${near}?`]
    })
}
