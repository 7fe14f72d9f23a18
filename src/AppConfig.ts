/** Every setting, read once and checked at start. The names are those of the environment variables in the README. */
import { Config, ConfigProvider, Context, Effect, Layer, Option, Redacted, Result, Schema } from "effect"
import {
  bareOrigin,
  type Environment,
  hostInUrl,
  isHostName,
  isHttpUrl,
  isNetwork,
  isPostgresUrl,
  makeReader,
  type Reader,
  readBaseUrl,
  readList
} from "./AppConfigRules.ts"
import { type Provider, readProvider, readSandboxPort, readWebhookSecrets, sandboxSecrets } from "./PaymentSettings.ts"

export type Database =
  | { readonly kind: "embedded"; readonly dataDir: string }
  | { readonly kind: "server"; readonly url: Redacted.Redacted }

export interface Settings {
  readonly port: number
  readonly host: string
  /** The public address, without a slash at the end. */
  readonly baseUrl: string
  readonly production: boolean
  readonly database: Database
  readonly dataDir: string
  /** The key from `API_KEY`, with all scopes. */
  readonly apiKey: Redacted.Redacted | undefined
  readonly provider: Provider
  /** Webhook secrets, at least one each; the sandbox signs with the first. */
  readonly platformSecrets: ReadonlyArray<Redacted.Redacted>
  readonly connectedSecrets: ReadonlyArray<Redacted.Redacted>
  /** Host names (with or without port) and origins that requests may name. */
  readonly allowedHosts: ReadonlyArray<string>
  readonly allowedOrigins: ReadonlyArray<string>
  readonly returnUrlOrigins: ReadonlyArray<string>
  /** Addresses of proxies whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: ReadonlyArray<string>
  readonly holdMinutes: number
  readonly maxHoldsPerKey: number
  readonly maxHoldsPerEmail: number
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

/** The settings can't be used; `faults` names everything that is wrong with them. */
export class SettingsInvalid extends Schema.TaggedError<SettingsInvalid>()("SettingsInvalid", {
  faults: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `The settings can't be used:\n${this.faults.map((fault) => `  - ${fault}`).join("\n")}`
  }
}

/** Every variable that is read; the README explains each. */
export const variables = [
  "PORT",
  "HOST",
  "BASE_URL",
  "NODE_ENV",
  "DATABASE_URL",
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
  "HOLD_MINUTES",
  "MAX_HOLDS_PER_KEY",
  "MAX_HOLDS_PER_EMAIL",
  "RATE_LIMIT_PER_MINUTE",
  "RATE_LIMIT_KEY_PER_MINUTE",
  "RATE_LIMIT_DISABLED",
  "OTEL_EXPORTER_OTLP_ENDPOINT",
  "LOG_LEVEL",
  "LOG_FORMAT",
  "MANAGEMENT_PORT"
] as const

const readDatabase = (read: Reader, production: boolean): Database => {
  // An empty address means the embedded database, but in production more likely a variable that was not filled in.
  const url = production || read.text("DATABASE_URL") !== undefined ? read.secret("DATABASE_URL") : undefined
  if (url === undefined) return { kind: "embedded", dataDir: read.text("DATA_DIR") ?? ".data" }
  if (!isPostgresUrl(Redacted.value(url))) {
    read.fault("DATABASE_URL must be a PostgreSQL address, like postgres://user:password@host:5432/database.")
  }
  return { kind: "server", url }
}

const port = { min: 1, max: 65_535 }
const perMinute = { min: 1, max: 1_000_000 }

/**
 * The settings that these environment variables ask for. Empty variables count as absent, secrets excepted: a blank secret is
 * a fault. Fails with all faults at once.
 */
export const fromEnv = (environment: Environment): Result.Result<Settings, SettingsInvalid> => {
  const read = makeReader(environment)
  const listener = read.int("PORT", port) ?? 3000
  const host = read.text("HOST") ?? "127.0.0.1"
  if (!isHostName(hostInUrl(host)))
    read.fault(`HOST must be an address or a host name to listen on, and is ${JSON.stringify(host)}.`)
  const baseUrl = readBaseUrl(read, listener)
  const production = read.text("NODE_ENV") === "production"
  const provider = readProvider(read, production, host)
  const own = [`localhost:${listener}`, `127.0.0.1:${listener}`, `[::1]:${listener}`]
  const wildcard = host === "0.0.0.0" || host === "::"
  const hosts = [
    "localhost",
    "127.0.0.1",
    "[::1]",
    ...(wildcard ? [] : [hostInUrl(host)]),
    ...(baseUrl === "" ? [] : [new URL(baseUrl).hostname])
  ]
  const origins = [...(baseUrl === "" ? [] : [baseUrl]), ...own.map((name) => `http://${name}`)]
  const otlpEndpoint = read.text("OTEL_EXPORTER_OTLP_ENDPOINT")
  if (otlpEndpoint !== undefined && !isHttpUrl(otlpEndpoint)) {
    read.fault("OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https address, like http://localhost:4318.")
  }
  const settings: Settings = {
    port: listener,
    host,
    baseUrl,
    production,
    database: readDatabase(read, production),
    dataDir: read.text("DATA_DIR") ?? ".data",
    apiKey: read.secret("API_KEY"),
    provider,
    platformSecrets: readWebhookSecrets(read, "PAYMENT_WEBHOOK_SECRETS", provider, sandboxSecrets.platform),
    connectedSecrets: readWebhookSecrets(read, "PAYMENT_CONNECT_WEBHOOK_SECRETS", provider, sandboxSecrets.connected),
    allowedHosts: readList(
      read,
      "ALLOWED_HOSTS",
      hosts,
      (entry) => (isHostName(entry) ? entry.toLowerCase() : undefined),
      "host names"
    ),
    allowedOrigins: readList(read, "ALLOWED_ORIGINS", origins, bareOrigin, "origins, like https://app.example.com"),
    returnUrlOrigins: readList(
      read,
      "RETURN_URL_ORIGINS",
      origins,
      bareOrigin,
      "origins, like https://app.example.com"
    ),
    trustedProxies: readList(
      read,
      "TRUSTED_PROXIES",
      [],
      (entry) => (isNetwork(entry) ? entry : undefined),
      "IP addresses or networks, like 10.0.0.0/8"
    ),
    holdMinutes: read.int("HOLD_MINUTES", { min: 1, max: 1440 }) ?? 15,
    maxHoldsPerKey: read.int("MAX_HOLDS_PER_KEY", { min: 1, max: 1_000_000 }) ?? 50,
    maxHoldsPerEmail: read.int("MAX_HOLDS_PER_EMAIL", { min: 1, max: 1_000_000 }) ?? 5,
    rateLimits: readRateLimits(read),
    otlpEndpoint,
    logLevel: read.choice("LOG_LEVEL", ["Trace", "Debug", "Info", "Warn", "Error"]) ?? "Info",
    logFormat: read.choice("LOG_FORMAT", ["pretty", "json", "logfmt"]) ?? (production ? "json" : "pretty"),
    managementPort: read.int("MANAGEMENT_PORT", port),
    sandboxPort: readSandboxPort(read, listener)
  }
  if (settings.managementPort === listener)
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

/** The settings from the process's environment; fails with all faults at once. */
const read = Effect.gen(function* () {
  // Empty values are kept, because a blank secret is a fault and not an absent one.
  const provider = ConfigProvider.fromEnv({ preserveEmptyStrings: true })
  const values = yield* Effect.forEach(variables, (name) =>
    Config.option(Config.String(name))
      .parse(provider)
      .pipe(
        Effect.orDie,
        Effect.map((value): readonly [string, string | undefined] => [name, Option.getOrUndefined(value)])
      )
  )
  return yield* Effect.fromResult(fromEnv(Object.fromEntries(values)))
})

export class AppConfig extends Context.Service<AppConfig, Settings>()("playroom/AppConfig") {
  static readonly layer: Layer.Layer<AppConfig, SettingsInvalid> = Layer.effect(AppConfig, read)
}
