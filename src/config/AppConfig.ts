/** All settings, read once and checked at start. `docs/settings.md` lists the environment variables. */
import { Config, ConfigProvider, Context, Effect, Layer, Option, Redacted, Result, Schema } from "effect"
import {
  type Addresses,
  port,
  readAddresses,
  readConnect,
  readReturnOrigins,
  type SignIn,
  type SignInAsked,
  signInAsked
} from "./AddressSettings.ts"
import { type Publisher, readChallenge, readPublisher } from "./PublisherSettings.ts"
import {
  addressesOf,
  type Environment,
  isHttpUrl,
  isPostgresUrl,
  makeReader,
  type Reader,
  variables
} from "./AppConfigRules.ts"
import { type Letters, readLetters } from "./MailSettings.ts"
import { fileVariables } from "./SecretFiles.ts"
import {
  type PaymentLink,
  type Provider,
  readPaymentLink,
  readProvider,
  readSandboxPort,
  readWebhookSecrets
} from "./PaymentSettings.ts"

type Database =
  | { readonly kind: "embedded"; readonly dataDir: string }
  /** `replica`: a streaming replica for public reads. */
  | { readonly kind: "server"; readonly url: Redacted.Redacted; readonly replica?: Redacted.Redacted | undefined }

export interface Settings extends Omit<Addresses, "reachableBy"> {
  readonly production: boolean
  readonly database: Database
  readonly dataDir: string
  /** The key from `API_KEY`, with all scopes. */
  readonly apiKey: Redacted.Redacted | undefined
  readonly provider: Provider
  /** Webhook secrets; the sandbox signs with the first. Empty: it makes its own (`payment/provider/Receivers.ts`). */
  readonly platformSecrets: ReadonlyArray<Redacted.Redacted>
  readonly connectedSecrets: ReadonlyArray<Redacted.Redacted>
  /** What a person gets to pay with. */
  readonly paymentLink: PaymentLink
  /** What becomes of letters to families. */
  readonly letters: Letters
  /** Origins that payers may be sent back to. */
  readonly returnUrlOrigins: ReadonlyArray<string>
  /** The ways to sign in at `/mcp/connect`; if empty, there is no such address. */
  readonly connect: ReadonlyArray<SignIn>
  /** When hosts are asked to sign in there. */
  readonly connectSignIn: SignInAsked
  /** Addresses of the privacy policy, the terms and support. */
  readonly publisher: Publisher
  /** The content of `/.well-known/openai-apps-challenge`; if undefined, there is no such address. */
  readonly openaiAppsChallenge: string | undefined
  /** Processes that share the port. */
  readonly workers: number
  /**
   * How long the service keeps serving while `/readyz` reports the stop, so that balancers notice before the listener
   * closes.
   */
  readonly drainSeconds: number
  readonly holdMinutes: number
  readonly maxHoldsPerKey: number
  readonly maxHoldsPerEmail: number
  /** How many days after its end a booking keeps personal data; undefined: until the person is erased by command. */
  readonly personalDataDays: number | undefined
  /** The service audits its data so often, in hours; undefined: only a command does. */
  readonly auditHours: number | undefined
  /** Calls per minute; undefined: no limit (`RATE_LIMIT_DISABLED`). */
  readonly rateLimits: { readonly perAddress: number; readonly perKey: number } | undefined
  readonly otlpEndpoint: string | undefined
  readonly logLevel: "Trace" | "Debug" | "Info" | "Warn" | "Error"
  readonly logFormat: "pretty" | "json" | "logfmt"
  /** Loopback port for metrics; undefined: not served. */
  readonly managementPort: number | undefined
  /** Port of the sandbox provider on 127.0.0.1; 0: any free one. */
  readonly sandboxPort: number
}

/** The settings are invalid; `faults` lists every fault. */
class SettingsInvalid extends Schema.TaggedError<SettingsInvalid>()("SettingsInvalid", {
  faults: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `The settings can't be used:\n${this.faults.map((fault) => `  - ${fault}`).join("\n")}`
  }
}

const readDatabase = (read: Reader, production: boolean): Database => {
  // An empty address means the embedded database. In production it is more likely a variable that was not filled in.
  const url = production || read.text("DATABASE_URL") !== undefined ? read.secret("DATABASE_URL") : undefined
  const replica = read.secret("DATABASE_REPLICA_URL")
  for (const [name, address] of [["DATABASE_URL", url] as const, ["DATABASE_REPLICA_URL", replica] as const]) {
    if (address !== undefined && !isPostgresUrl(Redacted.value(address))) {
      read.fault(`${name} must be a PostgreSQL address, like postgres://user:password@host:5432/database.`)
    }
  }
  if (url === undefined) {
    if (replica !== undefined)
      read.fault("DATABASE_REPLICA_URL needs DATABASE_URL, the primary of the replica: set it, or remove both.")
    return { kind: "embedded", dataDir: read.text("DATA_DIR") ?? ".data" }
  }
  if (replica !== undefined && addressesOf(Redacted.value(replica)).length > 1)
    read.fault("DATABASE_REPLICA_URL must name one server: what one shows says nothing of the others.")
  if (replica !== undefined && Redacted.value(replica) === Redacted.value(url))
    read.fault("DATABASE_REPLICA_URL is the same as DATABASE_URL: give it the replica's address, or remove it.")
  return { kind: "server", url, replica }
}

const environments = new Set(["production", "development", "test"])

const readProduction = (read: Reader): boolean => {
  const name = read.text("NODE_ENV")
  // A misspelling would silently mean development settings.
  if (name !== undefined && !environments.has(name)) {
    read.fault(`NODE_ENV must be production, development or test, or not set, and is ${JSON.stringify(name)}.`)
  }
  return name === "production"
}

const minKeyLength = 32
const minDistinctCharacters = 10

/** If others can reach the service, `API_KEY` must be as hard to guess as an issued key. */
const readApiKey = (read: Reader, exposed: boolean): Settings["apiKey"] => {
  const key = read.secret("API_KEY")
  if (key === undefined || !exposed) return key
  const text = Redacted.value(key)
  if (text.length < minKeyLength || new Set(text).size < minDistinctCharacters) {
    read.fault(
      `API_KEY must have at least ${minKeyLength} characters, ${minDistinctCharacters} of them different, where others can reach the service or NODE_ENV is production: remove it and use playroom key create, or take the output of openssl rand -hex 32.`
    )
  }
  return key
}

// More processors are better spread over machines. The bound also catches a digit too many.
const maxWorkers = 64

// Balancers check every second or two, and container runtimes kill ten seconds after the stop signal.
const productionDrainSeconds = 5

// Payers may dispute a payment for 120 days after a visit, and the answer needs the person's data. The family's page
// stays open for 90 days.
const personalDataDays = { min: 120, max: 36_500 }

const auditHours = { min: 1, max: 720 }

const perMinute = { min: 1, max: 1_000_000 }

/**
 * The settings in these environment variables. Empty variables count as absent, but a blank secret is a fault. Fails
 * with all faults together. `secretsNeeded` (true): a provider without webhook secrets is a fault.
 */
export const fromEnv = (
  environment: Environment,
  { secretsNeeded = true }: { readonly secretsNeeded?: boolean } = {}
): Result.Result<Settings, SettingsInvalid> => {
  const read = makeReader(environment)
  const production = readProduction(read)
  const { reachableBy, ...addresses } = readAddresses(read, production)
  const provider = readProvider(read, production, { host: addresses.host, reachableBy })
  const secrets = { provider, reachableBy, needed: secretsNeeded }
  const otlpEndpoint = read.text("OTEL_EXPORTER_OTLP_ENDPOINT")
  if (otlpEndpoint !== undefined && !isHttpUrl(otlpEndpoint)) {
    read.fault("OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https address, like http://localhost:4318.")
  }
  const settings: Settings = {
    ...addresses,
    production,
    database: readDatabase(read, production),
    dataDir: read.text("DATA_DIR") ?? ".data",
    apiKey: readApiKey(read, production || reachableBy.length > 0),
    provider,
    platformSecrets: readWebhookSecrets(read, "PAYMENT_WEBHOOK_SECRETS", secrets),
    connectedSecrets: readWebhookSecrets(read, "PAYMENT_CONNECT_WEBHOOK_SECRETS", secrets),
    paymentLink: readPaymentLink(read),
    letters: readLetters(read, provider),
    returnUrlOrigins: readReturnOrigins(
      read,
      { ...addresses, reachableBy },
      { production, livemode: provider.kind === "stripe" && provider.livemode }
    ),
    connect: readConnect(read, addresses.baseUrl),
    connectSignIn: read.choice("CONNECT_SIGN_IN", signInAsked) ?? "needed",
    publisher: readPublisher(read),
    openaiAppsChallenge: readChallenge(read),
    workers: read.int("WORKERS", { min: 1, max: maxWorkers }) ?? 1,
    drainSeconds: read.int("DRAIN_SECONDS", { min: 0, max: 300 }) ?? (production ? productionDrainSeconds : 0),
    holdMinutes: read.int("HOLD_MINUTES", { min: 1, max: 1440 }) ?? 15,
    maxHoldsPerKey: read.int("MAX_HOLDS_PER_KEY", { min: 1, max: 1_000_000 }) ?? 50,
    maxHoldsPerEmail: read.int("MAX_HOLDS_PER_EMAIL", { min: 1, max: 1_000_000 }) ?? 5,
    personalDataDays: read.int("PERSONAL_DATA_DAYS", personalDataDays),
    auditHours: read.int("AUDIT_HOURS", auditHours),
    rateLimits: readRateLimits(read),
    otlpEndpoint,
    logLevel: read.choice("LOG_LEVEL", ["Trace", "Debug", "Info", "Warn", "Error"]) ?? "Info",
    logFormat: read.choice("LOG_FORMAT", ["pretty", "json", "logfmt"]) ?? (production ? "json" : "pretty"),
    managementPort: read.int("MANAGEMENT_PORT", port),
    sandboxPort: readSandboxPort(read, addresses.port)
  }
  if (settings.workers > 1 && settings.database.kind === "embedded")
    read.fault(
      "WORKERS needs DATABASE_URL: the embedded database serves one process. Give a PostgreSQL server, or remove WORKERS."
    )
  if (settings.managementPort === addresses.port)
    read.fault("MANAGEMENT_PORT and PORT are the same: give metrics a port of their own.")
  return read.faults.length === 0
    ? Result.succeed(settings)
    : Result.fail(new SettingsInvalid({ faults: [...new Set(read.faults)] }))
}

const readRateLimits = (read: Reader): Settings["rateLimits"] => {
  const perAddress = read.int("RATE_LIMIT_PER_MINUTE", perMinute) ?? 120
  const perKey = read.int("RATE_LIMIT_KEY_PER_MINUTE", perMinute) ?? 600
  return read.flag("RATE_LIMIT_DISABLED") === true ? undefined : { perAddress, perKey }
}

/** The settings from the process's environment. Fails with all faults together. */
const read = Effect.fnUntraced(function* (secretsNeeded: boolean) {
  // Empty values are kept: a blank secret is a fault, not an absent one.
  const provider = ConfigProvider.fromEnv({ preserveEmptyStrings: true })
  const values = yield* Effect.forEach([...variables, ...fileVariables], (name) =>
    Config.option(Config.String(name))
      .parse(provider)
      .pipe(
        Effect.orDie,
        Effect.map((value): readonly [string, string | undefined] => [name, Option.getOrUndefined(value)])
      )
  )
  return yield* Effect.fromResult(fromEnv(Object.fromEntries(values), { secretsNeeded }))
})

export class AppConfig extends Context.Service<AppConfig, Settings>()("playroom/config/AppConfig") {
  static readonly layer: Layer.Layer<AppConfig, SettingsInvalid> = Layer.effect(AppConfig, read(true))
  /** For the command that creates the webhook secrets: they may be absent. */
  static readonly layerBeforeSecrets: Layer.Layer<AppConfig, SettingsInvalid> = Layer.effect(AppConfig, read(false))
}
