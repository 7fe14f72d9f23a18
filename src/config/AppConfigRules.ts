/**
 * Reads settings one by one from a record of environment variables and collects all faults, so that they are reported
 * together. A fault never repeats the value of a secret.
 */
import { isIP } from "node:net"
import { Redacted, Result } from "effect"
import { webAddress } from "../kernel/WebAddress.ts"
import { isSecretVariable, secretValue } from "./SecretFiles.ts"
import { itemsIn } from "../kernel/Text.ts"

/**
 * Every environment variable that is a setting, besides those of `SecretFiles.ts`. `docs/settings.md` lists them too.
 */
export const variables = [
  "PORT",
  "HOST",
  "BASE_URL",
  "NODE_ENV",
  "DATABASE_URL",
  "DATABASE_REPLICA_URL",
  "DATA_DIR",
  "API_KEY",
  "PAYMENT_PROVIDER",
  "STRIPE_SECRET_KEY",
  "PAYMENT_WEBHOOK_SECRETS",
  "PAYMENT_CONNECT_WEBHOOK_SECRETS",
  "SANDBOX_PORT",
  "ALLOWED_HOSTS",
  "ALLOWED_ORIGINS",
  "RETURN_URL_ORIGINS",
  "TRUSTED_PROXIES",
  "PAYMENT_LINK",
  "MAIL_URL",
  "MAIL_FROM",
  "CONNECT",
  "CONNECT_SIGN_IN",
  "PRIVACY_URL",
  "TERMS_URL",
  "SUPPORT_URL",
  "OPENAI_APPS_CHALLENGE",
  "WORKERS",
  "DRAIN_SECONDS",
  "HOLD_MINUTES",
  "MAX_HOLDS_PER_KEY",
  "MAX_HOLDS_PER_EMAIL",
  "PERSONAL_DATA_DAYS",
  "AUDIT_HOURS",
  "RATE_LIMIT_PER_MINUTE",
  "RATE_LIMIT_KEY_PER_MINUTE",
  "RATE_LIMIT_DISABLED",
  "OTEL_EXPORTER_OTLP_ENDPOINT",
  "LOG_LEVEL",
  "LOG_FORMAT",
  "MANAGEMENT_PORT"
] as const
export type Variable = (typeof variables)[number]

export type Environment = Readonly<Record<string, string | undefined>>

/** Reads variables and collects their faults. Use what it returns only if `faults` is empty. */
export interface Reader {
  readonly faults: ReadonlyArray<string>
  readonly fault: (text: string) => void
  /** The trimmed value; undefined if it is absent or empty. */
  readonly text: (name: Variable) => string | undefined
  readonly int: (name: Variable, range: { readonly min: number; readonly max: number }) => number | undefined
  readonly flag: (name: Variable) => boolean | undefined
  /** One of `values`, in upper or lower case. */
  readonly choice: <const A extends string>(name: Variable, values: ReadonlyArray<A>) => A | undefined
  /** Comma-separated, without empty entries. */
  readonly list: (name: Variable) => ReadonlyArray<string>
  /** Undefined if absent. Blank is a fault: whoever set it expects a secret there. */
  readonly secret: (name: Variable) => Redacted.Redacted | undefined
  readonly secrets: (name: Variable) => ReadonlyArray<Redacted.Redacted>
}

const quoted = (value: string): string => JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)
// A secret travels in a header or is typed by people: visible ASCII only.
const visible = /^[\x21-\x7e]+$/

export const makeReader = (environment: Environment): Reader => {
  const faults: Array<string> = []
  const fault = (text: string): void => {
    faults.push(text)
  }
  // A file is read once, and its fault reported once.
  const values = new Map<Variable, string | undefined>()
  const valueOf = (name: Variable): string | undefined => {
    if (!isSecretVariable(name)) return environment[name]
    if (!values.has(name)) {
      const value = secretValue(environment, name)
      if (Result.isFailure(value)) fault(value.failure)
      values.set(name, Result.getOrUndefined(value))
    }
    return values.get(name)
  }
  const text = (name: Variable): string | undefined => {
    const value = valueOf(name)?.trim()
    return value === "" ? undefined : value
  }
  const list = (name: Variable): ReadonlyArray<string> => itemsIn(text(name) ?? "", ",")
  const checkSecret = (name: Variable, value: string): ReadonlyArray<Redacted.Redacted> => {
    if (value === "") fault(`${name} is blank: remove it, or give it a value.`)
    else if (!visible.test(value)) fault(`${name} holds spaces or characters that a secret can't have.`)
    else return [Redacted.make(value, { label: name })]
    return []
  }
  return {
    faults,
    fault,
    text,
    list,
    int: (name, { min, max }) => {
      const value = text(name)
      if (value === undefined) return undefined
      const number = Number(value)
      if (/^\d{1,9}$/.test(value) && number >= min && number <= max) return number
      fault(`${name} must be a whole number from ${min} to ${max}, and is ${quoted(value)}.`)
      return undefined
    },
    flag: (name) => {
      const value = text(name)
      if (value === undefined) return undefined
      if (/^(true|1|yes|on)$/i.test(value)) return true
      if (/^(false|0|no|off)$/i.test(value)) return false
      fault(`${name} must be true or false, and is ${quoted(value)}.`)
      return undefined
    },
    choice: (name, values) => {
      const value = text(name)
      if (value === undefined) return undefined
      const chosen = values.find((candidate) => candidate.toLowerCase() === value.toLowerCase())
      if (chosen === undefined) fault(`${name} must be one of ${values.join(", ")}, and is ${quoted(value)}.`)
      return chosen
    },
    secret: (name) => {
      const value = valueOf(name)
      return value === undefined ? undefined : checkSecret(name, value.trim())[0]
    },
    secrets: (name) => {
      const value = valueOf(name)
      return value === undefined ? [] : value.split(",").flatMap((entry) => checkSecret(name, entry.trim()))
    }
  }
}

const parse = (value: string): URL | undefined => (URL.canParse(value) ? new URL(value) : undefined)

/** The address without a slash at the end; undefined unless `value` is `http(s)://host[:port]` and nothing more. */
export const bareOrigin = (value: string): string | undefined => {
  const url = webAddress(value)
  if (url === undefined) return undefined
  return url.pathname === "/" && url.search === "" && url.hash === "" ? url.origin : undefined
}

export const isHttpUrl = (value: string): boolean => {
  const url = parse(value)
  return url !== undefined && (url.protocol === "http:" || url.protocol === "https:")
}

export const isPostgresUrl = (value: string): boolean =>
  addressesOf(value).every((address) => {
    const url = parse(address)
    return url !== undefined && (url.protocol === "postgres:" || url.protocol === "postgresql:")
  })

/**
 * The address of each server of a PostgreSQL URL, which may name several as `host:port,host:port`
 * (https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING-URIS).
 */
export const addressesOf = (url: string): ReadonlyArray<string> => {
  const [, before = "", hosts = "", after = ""] = /^([^/]*\/\/(?:[^/?#]*@)?)([^/?#]*,[^/?#]*)(.*)$/s.exec(url) ?? []
  return hosts === "" ? [url] : hosts.split(",").map((host) => `${before}${host}${after}`)
}

/** `localhost`, `example.com:8080`, `[::1]:3000`. */
export const isHostName = (value: string): boolean => {
  const url = parse(`http://${value}/`)
  return url !== undefined && !/[/?#@\s*]/.test(value) && url.hostname !== ""
}

/** An IP address or a network, `10.0.0.0/8`. */
export const isNetwork = (value: string): boolean => {
  const [address = "", bits, ...rest] = value.split("/")
  const family = isIP(address)
  if (family === 0 || rest.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))
}

/** The name as written in a URL and a `Host` header: IPv6 in brackets. */
export const hostInUrl = (host: string): string => (isIP(host) === 6 ? `[${host}]` : host)

/** `BASE_URL`; the listener's own address by default, empty if it is invalid. */
export const readBaseUrl = (read: Reader, port: number): string => {
  const given = read.text("BASE_URL")
  const url = given === undefined ? `http://localhost:${port}` : bareOrigin(given)
  if (url === undefined)
    read.fault("BASE_URL must be an http or https address without a path, like https://book.example.com.")
  return url ?? ""
}

/** `always`, then the entries that pass `valid`, without duplicates. */
export const readList = (
  read: Reader,
  name: Variable,
  always: ReadonlyArray<string>,
  valid: (entry: string) => string | undefined,
  expected: string
): ReadonlyArray<string> => {
  const given = read.list(name).flatMap((entry) => {
    const value = valid(entry)
    if (value === undefined) read.fault(`${name} must list ${expected}; ${JSON.stringify(entry)} is not one.`)
    return value === undefined ? [] : [value]
  })
  return [...new Set([...always, ...given])]
}
