/**
 * All settings, read once and checked at start. `Variables.ts` reads each by itself; here stands what some of them mean
 * for others.
 */
import { Context, Effect, Layer, Redacted, Result, Schema, Struct } from "effect"
import { isLoopback } from "../text/Text.ts"
import {
  addressesOf,
  hostInUrl,
  type Environment,
  type Given,
  readVariables,
  type MailServer,
  type Sender
} from "./Variables.ts"

type Database =
  | { readonly kind: "embedded"; readonly dataDir: string }
  /** `replica`: a streaming replica for public reads. */
  | { readonly kind: "server"; readonly url: Redacted.Redacted; readonly replica?: Redacted.Redacted | undefined }

type Provider =
  | { readonly kind: "stripe"; readonly secretKey: Redacted.Redacted; readonly livemode: boolean }
  | { readonly kind: "sandbox" }

/**
 * What becomes of letters. `off`: none are written. `sandbox`: the sandbox provider shows them on its own page, and
 * nobody gets them.
 */
export type Letters =
  | { readonly kind: "off" }
  | { readonly kind: "sandbox"; readonly from: Sender }
  | { readonly kind: "smtp"; readonly server: Redacted.Redacted<MailServer>; readonly from: Sender }

/** Web addresses of the privacy policy, the terms and support; support may also be a `mailto:` address. */
export type Publisher = Pick<Given, "privacyUrl" | "termsUrl" | "supportUrl">

/** The settings that follow from several variables. */
interface Derived {
  readonly production: boolean
  /** The public address, without a slash at the end. */
  readonly baseUrl: string
  readonly database: Database
  readonly provider: Provider
  /**
   * Webhook secrets; the sandbox signs with the first. Empty: it makes its own
   * (`domain/payment/provider/Receivers.ts`).
   */
  readonly platformSecrets: ReadonlyArray<Redacted.Redacted>
  readonly connectedSecrets: ReadonlyArray<Redacted.Redacted>
  /** What becomes of letters to families. */
  readonly letters: Letters
  /** Host names (with or without port) and origins that requests may use. */
  readonly allowedHosts: ReadonlyArray<string>
  readonly allowedOrigins: ReadonlyArray<string>
  /** Origins that payers may be sent back to. */
  readonly returnUrlOrigins: ReadonlyArray<string>
  /** Addresses of the privacy policy, the terms and support. */
  readonly publisher: Publisher
  /** Calls per minute; undefined: no limit (`RATE_LIMIT_DISABLED`). */
  readonly rateLimits: { readonly perAddress: number; readonly perKey: number } | undefined
  /**
   * How long the service keeps serving while `/readyz` reports the stop, so that balancers notice before the listener
   * closes.
   */
  readonly drainSeconds: number
  readonly logFormat: "pretty" | "json" | "logfmt"
  /** Port of the sandbox provider on 127.0.0.1; 0: any free one. */
  readonly sandboxPort: number
}

/** What the code reads in `Derived` only. */
const consumed = [
  "environment",
  "databaseUrl",
  "databaseReplicaUrl",
  "paymentProvider",
  "stripeSecretKey",
  "paymentWebhookSecrets",
  "paymentConnectWebhookSecrets",
  "mailUrl",
  "mailFrom",
  "privacyUrl",
  "termsUrl",
  "supportUrl",
  "rateLimitPerMinute",
  "rateLimitKeyPerMinute",
  "rateLimitDisabled"
] as const

/** All settings. What each means, and what is so without it, stands in `Variables.ts`. */
export interface Settings extends Omit<Given, keyof Derived | (typeof consumed)[number]>, Derived {}

/** The settings are invalid; `faults` lists every fault. */
export class SettingsInvalid extends Schema.TaggedError<SettingsInvalid>()("SettingsInvalid", {
  faults: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `The settings can't be used:\n${this.faults.map((fault) => `  - ${fault}`).join("\n")}`
  }
}

/** What the rules below look at. */
interface Read extends ReturnType<typeof readVariables> {
  readonly fault: (text: string) => void
  readonly production: boolean
  /** The settings that make the service reachable from other machines; empty if it is local. */
  readonly reachableBy: ReadonlyArray<"HOST" | "BASE_URL" | "ALLOWED_HOSTS">
}

const isLocalHost = (entry: string): boolean => isLoopback(new URL(`http://${entry}/`).hostname)

const reachableBy = ({ allowedHosts, baseUrl, host }: Given): Read["reachableBy"] => [
  ...(isLoopback(host) ? [] : ["HOST" as const]),
  ...(baseUrl === undefined || isLoopback(new URL(baseUrl).hostname) ? [] : ["BASE_URL" as const]),
  ...(allowedHosts.every(isLocalHost) ? [] : ["ALLOWED_HOSTS" as const])
]

/** Whether an address leaves the user to the environment. */
const namesNobody = (address: string): boolean => {
  const { searchParams, username } = new URL(address)
  return username === "" && !searchParams.has("user")
}

const databaseOf = ({ fault, given, isSet }: Read): Database => {
  const { databaseReplicaUrl: replica, databaseUrl: url, dataDir } = given
  // The driver takes the user of these, which containers and timers often lack.
  if (!isSet("USER") && !isSet("USERNAME"))
    for (const [variable, address] of Object.entries({ DATABASE_URL: url, DATABASE_REPLICA_URL: replica }))
      if (address !== undefined && addressesOf(Redacted.value(address)).some(namesNobody))
        fault(`${variable} names no user, and USER is not set: write postgres://user:password@host:5432/database.`)
  if (url === undefined) {
    if (replica !== undefined)
      fault("DATABASE_REPLICA_URL needs DATABASE_URL, the primary of the replica: set it, or remove both.")
    return { kind: "embedded", dataDir }
  }
  if (replica !== undefined && addressesOf(Redacted.value(replica)).length > 1)
    fault("DATABASE_REPLICA_URL must name one server: what one shows says nothing of the others.")
  if (replica !== undefined && Redacted.value(replica) === Redacted.value(url))
    fault("DATABASE_REPLICA_URL is the same as DATABASE_URL: give it the replica's address, or remove it.")
  return { kind: "server", url, replica }
}

const minKeyLength = 32
const minDistinctCharacters = 10

/** If others can reach the service, `API_KEY` must be as hard to guess as an issued key. */
const checkApiKey = ({ fault, given, production, reachableBy }: Read): void => {
  if (given.apiKey === undefined || (!production && reachableBy.length === 0)) return
  const text = Redacted.value(given.apiKey)
  if (text.length < minKeyLength || new Set(text).size < minDistinctCharacters)
    fault(
      `API_KEY must have at least ${minKeyLength} characters, ${minDistinctCharacters} of them different, where ` +
        "others can reach the service or NODE_ENV is production: remove it and use playroom key create, or take the " +
        "output of openssl rand -hex 32."
    )
}

/**
 * Stripe if there is a key or it is named, otherwise the sandbox. The sandbox confirms bookings that nobody paid for,
 * so it must be named if other machines can reach the service.
 */
const providerOf = ({ fault, given, isSet, production, reachableBy }: Read): Provider => {
  const { host, paymentProvider: named, stripeSecretKey: key } = given
  const livemode = key !== undefined && /^.k_live/.test(Redacted.value(key))
  if (named === "stripe" && !isSet("STRIPE_SECRET_KEY"))
    fault("PAYMENT_PROVIDER is stripe, so STRIPE_SECRET_KEY is needed.")
  if (named !== "sandbox" && isSet("STRIPE_SECRET_KEY"))
    return { kind: "stripe", secretKey: key ?? Redacted.make(""), livemode }
  if (livemode) fault("STRIPE_SECRET_KEY is a live key, and PAYMENT_PROVIDER is sandbox: remove one of them.")
  const where = production ? "NODE_ENV=production" : reachableBy.length > 0 ? `${reachableBy.join(" and ")} as set` : ""
  if (reachableBy.includes("HOST"))
    fault(
      `The sandbox provider runs on loopback only, and HOST is ${host}: give STRIPE_SECRET_KEY, or set HOST to 127.0.0.1.`
    )
  else if (where !== "" && named === undefined)
    fault(`With ${where} give STRIPE_SECRET_KEY, or ask for the sandbox by name: PAYMENT_PROVIDER=sandbox.`)
  return { kind: "sandbox" }
}

/**
 * A receiver needs its secrets, unless it is a local sandbox's, which makes its own
 * (`domain/payment/provider/Receivers.ts`).
 */
const checkWebhookSecrets = (
  { fault, faults, given, isSet, production, reachableBy }: Read,
  provider: Provider,
  variable: "PAYMENT_WEBHOOK_SECRETS" | "PAYMENT_CONNECT_WEBHOOK_SECRETS"
): void => {
  const { paymentConnectWebhookSecrets: connected, paymentWebhookSecrets: platform } = given
  if ((variable === "PAYMENT_WEBHOOK_SECRETS" ? platform : connected) !== undefined || faults.has(variable)) return
  if (provider.kind === "stripe")
    fault(
      `${variable} is needed with Stripe: the signing secret (whsec_…) of that receiver's webhook endpoint. ` +
        "playroom provider setup makes it."
    )
  // An address that production still needs lets others in.
  else if (reachableBy.length > 0 || (production && !isSet("BASE_URL"))) {
    const why = reachableBy.length === 0 ? "with NODE_ENV=production" : `with ${reachableBy.join(" and ")} as set`
    fault(`${variable} is needed ${why}: long random text that the sandbox signs with.`)
  }
}

/** Letters go by `MAIL_URL`. Without it, the sandbox shows them; with a real payment provider there are none. */
const lettersOf = ({ fault, given: { mailFrom, mailUrl }, isSet }: Read, provider: Provider): Letters => {
  if (isSet("MAIL_URL") && !isSet("MAIL_FROM"))
    fault("MAIL_URL needs MAIL_FROM, whom letters are from: Playrooms <bookings@example.com>.")
  if (mailUrl !== undefined && mailFrom !== undefined) return { kind: "smtp", server: mailUrl, from: mailFrom }
  return provider.kind === "sandbox" && !isSet("MAIL_URL")
    ? { kind: "sandbox", from: mailFrom ?? { name: "Playroom booking", address: "bookings@playrooms.example" } }
    : { kind: "off" }
}

const ownOrigins = (port: number): ReadonlyArray<string> =>
  ["localhost", "127.0.0.1", "[::1]"].map((name) => `http://${name}:${port}`)

/**
 * Where the service is, and where payers may be sent back to: `BASE_URL` and `RETURN_URL_ORIGINS`. Loopback addresses
 * are included only while the service is local: elsewhere a payer would land on whatever listens on their own machine.
 * Live payments return to https addresses only, as the provider demands
 * (https://docs.stripe.com/api/checkout/sessions/create).
 */
const placesOf = ({ fault, faults, given, isSet, production, reachableBy }: Read, livemode: boolean) => {
  const { host, port } = given
  const baseUrl = given.baseUrl ?? `http://localhost:${port}`
  const { hostname, protocol } = new URL(baseUrl)
  const local = !production && !livemode && reachableBy.length === 0
  for (const origin of given.returnUrlOrigins.filter((one) => one !== baseUrl)) {
    const to = new URL(origin)
    if (!local && isLoopback(to.hostname))
      fault(`RETURN_URL_ORIGINS holds ${origin}: payers are elsewhere, so list addresses that they can reach.`)
    else if (livemode && to.protocol !== "https:")
      fault(`RETURN_URL_ORIGINS holds ${origin}: with a live key payers return to https addresses only.`)
  }
  if (!faults.has("BASE_URL")) {
    if (livemode && protocol === "http:" && (isSet("BASE_URL") || !production))
      fault(`STRIPE_SECRET_KEY is a live key, so BASE_URL must be an https address, and is ${baseUrl}.`)
    // Authorization servers need TLS (RFC 8414, 3), except on this machine.
    if (given.connect.length > 0 && protocol !== "https:" && !isLoopback(hostname))
      fault(`CONNECT needs an https BASE_URL, or one of this machine, and it is ${baseUrl}.`)
  }
  const unique = (...entries: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(entries)]
  const listens = host === "0.0.0.0" || host === "::" ? [] : [hostInUrl(host)]
  return {
    baseUrl,
    allowedHosts: unique("localhost", "127.0.0.1", "[::1]", ...listens, hostname, ...given.allowedHosts),
    allowedOrigins: unique(baseUrl, ...ownOrigins(port), ...given.allowedOrigins),
    returnUrlOrigins: unique(baseUrl, ...(local ? ownOrigins(port) : []), ...given.returnUrlOrigins)
  }
}

// Payment pages stay open in browsers across restarts, so the port is fixed. It is far from PORT, because nodes on one
// machine often get neighbouring ports.
const sandboxPortFor = (listener: number): number => (listener <= 55_535 ? listener + 10_000 : listener - 10_000)

// Balancers check every second or two, and container runtimes kill ten seconds after the stop signal.
const productionDrainSeconds = 5

/** Settings of earlier releases that are refused, with what to do instead. */
const removed = {
  WORKERS:
    "the system runs several processes, by units of systemd or replicas of a container (docs/operating.md#several-processes)"
}

/**
 * The settings in these environment variables. Fails with all faults together. `secretsNeeded` (true): a provider
 * without webhook secrets is a fault.
 */
export const fromEnv = (
  environment: Environment,
  { secretsNeeded = true }: { readonly secretsNeeded?: boolean } = {}
): Result.Result<Settings, SettingsInvalid> => {
  const variables = readVariables(environment)
  const { given, isSet } = variables
  const faults = [...variables.faults.values()]
  const fault = (text: string): void => {
    faults.push(text)
  }
  const production = given.environment === "production"
  const read: Read = { ...variables, fault, production, reachableBy: reachableBy(given) }
  if (production && !isSet("BASE_URL"))
    fault("With NODE_ENV=production BASE_URL is needed, like https://book.example.com: payers are sent back there.")
  const provider = providerOf(read)
  checkApiKey(read)
  if (secretsNeeded) {
    checkWebhookSecrets(read, provider, "PAYMENT_WEBHOOK_SECRETS")
    checkWebhookSecrets(read, provider, "PAYMENT_CONNECT_WEBHOOK_SECRETS")
  }
  const database = databaseOf(read)
  for (const [name, instead] of Object.entries(removed))
    if (environment[name]) fault(`${name} is no setting any more. Remove it: ${instead}.`)
  if (given.managementPort === given.port)
    fault("MANAGEMENT_PORT and PORT are the same: give metrics a port of their own.")
  if (provider.kind === "sandbox" && given.sandboxPort === given.port)
    fault("SANDBOX_PORT and PORT are the same: give the sandbox a port of its own, or leave it out.")
  const settings: Settings = {
    ...Struct.omit(given, consumed),
    ...placesOf(read, provider.kind === "stripe" && provider.livemode),
    production,
    database,
    provider,
    platformSecrets: given.paymentWebhookSecrets ?? [],
    connectedSecrets: given.paymentConnectWebhookSecrets ?? [],
    letters: lettersOf(read, provider),
    publisher: Struct.pick(given, ["privacyUrl", "termsUrl", "supportUrl"]),
    rateLimits: given.rateLimitDisabled
      ? undefined
      : { perAddress: given.rateLimitPerMinute, perKey: given.rateLimitKeyPerMinute },
    drainSeconds: given.drainSeconds ?? (production ? productionDrainSeconds : 0),
    logFormat: given.logFormat ?? (production ? "json" : "pretty"),
    sandboxPort: given.sandboxPort ?? sandboxPortFor(given.port)
  }
  return faults.length === 0 ? Result.succeed(settings) : Result.fail(new SettingsInvalid({ faults }))
}

const read = (options: { readonly secretsNeeded: boolean }): Effect.Effect<Settings, SettingsInvalid> =>
  Effect.suspend(() => Effect.fromResult(fromEnv(process.env, options)))

export class AppConfig extends Context.Service<AppConfig, Settings>()("playroom/config/AppConfig") {
  static readonly layer: Layer.Layer<AppConfig, SettingsInvalid> = Layer.effect(
    AppConfig,
    read({ secretsNeeded: true })
  )
  /** For the command that creates the webhook secrets: they may be absent. */
  static readonly layerBeforeSecrets: Layer.Layer<AppConfig, SettingsInvalid> = Layer.effect(
    AppConfig,
    read({ secretsNeeded: false })
  )
}
