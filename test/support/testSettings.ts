/** Settings for tests: the sandbox provider, no limits on rates, and whatever a test changes. */
import { Redacted } from "effect"
import type { Settings } from "../../src/platform/config/AppConfig.ts"

export const testSettings = (changes: Partial<Settings> = {}): Settings => ({
  port: 0,
  host: "127.0.0.1",
  baseUrl: "http://localhost:3000",
  production: false,
  database: { kind: "embedded", dataDir: ".data" },
  dataDir: ".data",
  apiKey: Redacted.make("test-key-with-all-scopes"),
  provider: { kind: "sandbox" },
  platformSecrets: [Redacted.make("whsec_test_platform")],
  connectedSecrets: [Redacted.make("whsec_test_connected")],
  allowedHosts: ["localhost", "127.0.0.1"],
  allowedOrigins: ["http://localhost"],
  paymentLink: "provider",
  letters: { kind: "off" },
  returnUrlOrigins: ["http://localhost:3000"],
  trustedProxies: [],
  connect: [],
  connectSignIn: "needed",
  publisher: {},
  openaiAppsChallenge: undefined,
  drainSeconds: 0,
  holdMinutes: 15,
  maxHoldsPerKey: 50,
  maxHoldsPerEmail: 5,
  personalDataDays: undefined,
  auditHours: undefined,
  rateLimits: undefined,
  otlpEndpoint: undefined,
  logLevel: "Warn",
  logFormat: "logfmt",
  managementPort: undefined,
  sandboxPort: 0,
  ...changes
})
