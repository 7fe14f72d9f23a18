import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Predicate, Redacted, Result, Schema } from "effect"
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { inspect } from "node:util"
import { AppConfig, fromEnv, type Settings } from "../../../src/platform/config/AppConfig.ts"
import {
  addressesOf,
  driverAddress,
  misspeltNames,
  secretVariables,
  settings as described
} from "../../../src/platform/config/Variables.ts"

const variables = described.map(({ variable }) => variable)
const fileVariables = secretVariables.map((name) => `${name}_FILE`)

type Env = Readonly<Record<string, string>>

const settings = (env: Env): Settings => Result.getOrThrow(fromEnv(env))
const faults = (env: Env): ReadonlyArray<string> => {
  const read = fromEnv(env)
  return Result.isFailure(read) ? read.failure.faults : []
}
const live = {
  BASE_URL: "https://book.example.com",
  STRIPE_SECRET_KEY: "sk_live_51Hsecret",
  PAYMENT_WEBHOOK_SECRETS: "whsec_a",
  PAYMENT_CONNECT_WEBHOOK_SECRETS: "whsec_b"
}

/** The sandbox where others can reach it. */
const sandboxForAll = {
  PAYMENT_PROVIDER: "sandbox",
  PAYMENT_WEBHOOK_SECRETS: "whsec_0aF3lV9qT2mN8sK5",
  PAYMENT_CONNECT_WEBHOOK_SECRETS: "whsec_7bG4wX1zR6pJ3dH8"
}
const strongKey = "playroom_key_5cH8yU2nM4vB7xZ1qW9eR3tY6uI0oP"

/** The one fault of `env`, which must name the variable and must not repeat `secret`. */
const refused = (env: Env, named: string, secret?: string) => {
  const found = faults(env)
  assert.strictEqual(found.length, 1, JSON.stringify(found))
  assert.include(found[0], named)
  if (secret !== undefined) assert.notInclude(found.join(), secret)
  return found.join()
}

describe("settings", () => {
  it("need nothing: an empty environment is the sandbox on the embedded database, on loopback", () => {
    const read = settings({})
    assert.strictEqual(read.port, 3000)
    assert.strictEqual(read.host, "127.0.0.1")
    assert.strictEqual(read.baseUrl, "http://localhost:3000")
    assert.deepStrictEqual(read.database, { kind: "embedded", dataDir: ".data" })
    assert.deepStrictEqual(read.provider, { kind: "sandbox" })
    assert.deepStrictEqual([read.platformSecrets, read.connectedSecrets], [[], []])
    assert.strictEqual(read.holdMinutes, 15)
    assert.deepStrictEqual(read.rateLimits, { perAddress: 120, perKey: 600 })
    assert.strictEqual(read.managementPort, undefined)
  })

  it("that may hold no password are refused without the one that they hold", () => {
    for (const name of ["BASE_URL", "OTEL_EXPORTER_OTLP_ENDPOINT", "ALLOWED_ORIGINS", "RETURN_URL_ORIGINS"])
      refused({ [name]: "ftp://user:hunter2@example.com" }, name, "hunter2")
  })

  it("that are gone are refused, and say what does the same now", () => {
    assert.include(refused({ WORKERS: "2" }, "WORKERS is no setting any more"), "units of systemd")
    assert.deepStrictEqual(faults({ WORKERS: "" }), [])
  })

  it("give people the provider's page to pay at, or our own where PAYMENT_LINK says so", () => {
    assert.strictEqual(settings({}).paymentLink, "provider")
    assert.strictEqual(settings({ PAYMENT_LINK: "provider" }).paymentLink, "provider")
    assert.strictEqual(settings({ PAYMENT_LINK: "Own" }).paymentLink, "own")
    refused({ PAYMENT_LINK: "stripe" }, "PAYMENT_LINK")
  })

  it("let people sign in where CONNECT says how, at an https address or on one machine", () => {
    assert.deepStrictEqual(settings({}).connect, [])
    assert.deepStrictEqual(settings({ CONNECT: "" }).connect, [])
    assert.deepStrictEqual(settings({ CONNECT: "key" }).connect, ["key"])
    assert.deepStrictEqual(settings({ CONNECT: " Guest , key,guest" }).connect, ["guest", "key"])
    const elsewhere = { ...sandboxForAll, CONNECT: "guest" }
    assert.deepStrictEqual(settings({ ...elsewhere, BASE_URL: "https://book.example.com" }).connect, ["guest"])
    refused({ ...elsewhere, BASE_URL: "http://book.example.com" }, "CONNECT needs an https BASE_URL")
    refused({ CONNECT: "everyone" }, "CONNECT must list key, guest, or both")
    assert.strictEqual(settings({}).connectSignIn, "needed")
    assert.strictEqual(settings({ CONNECT_SIGN_IN: "first" }).connectSignIn, "first")
    refused({ CONNECT_SIGN_IN: "never" }, "CONNECT_SIGN_IN")
  })

  it("take an empty variable for an absent one", () => {
    assert.strictEqual(settings({ PORT: "", BASE_URL: " ", DATA_DIR: "", HOLD_MINUTES: "" }).port, 3000)
  })

  it("keep personal data until it is erased, or for 120 days and longer, as payers may dispute a payment for so long", () => {
    assert.isUndefined(settings({}).personalDataDays)
    assert.strictEqual(settings({ PERSONAL_DATA_DAYS: "120" }).personalDataDays, 120)
    refused({ PERSONAL_DATA_DAYS: "119" }, "PERSONAL_DATA_DAYS must be a whole number from 120")
  })

  it("audit the stored data only as often as AUDIT_HOURS says", () => {
    assert.isUndefined(settings({}).auditHours)
    assert.strictEqual(settings({ AUDIT_HOURS: "24" }).auditHours, 24)
    refused({ AUDIT_HOURS: "0" }, "AUDIT_HOURS must be a whole number from 1")
  })

  it("serve on for five seconds of a stop in production, for none elsewhere, and for as long as asked", () => {
    const production = { ...live, NODE_ENV: "production" }
    assert.strictEqual(settings({}).drainSeconds, 0)
    assert.strictEqual(settings(production).drainSeconds, 5)
    assert.strictEqual(settings({ ...production, DRAIN_SECONDS: "0" }).drainSeconds, 0)
    assert.strictEqual(settings({ DRAIN_SECONDS: "20" }).drainSeconds, 20)
    refused({ DRAIN_SECONDS: "301" }, "DRAIN_SECONDS")
  })

  it("follow PORT in the default addresses", () => {
    const read = settings({ PORT: "8080" })
    assert.strictEqual(read.baseUrl, "http://localhost:8080")
    assert.include(read.allowedOrigins, "http://localhost:8080")
    assert.include(read.allowedHosts, "localhost")
    assert.notStrictEqual(read.sandboxPort, 8081)
  })

  it("give the sandbox a port of its own, which a real provider does not need", () => {
    refused({ PORT: "8080", SANDBOX_PORT: "8080" }, "SANDBOX_PORT and PORT are the same")
    assert.strictEqual(settings({ ...live, PORT: "8080", SANDBOX_PORT: "8080" }).port, 8080)
  })

  it("add lists to what the service's own address already allows", () => {
    const read = settings({
      BASE_URL: "https://Book.example.com/",
      ALLOWED_HOSTS: "Internal.example.com:8443",
      ...sandboxForAll,
      ALLOWED_ORIGINS: "https://app.example.com, http://localhost:6274",
      RETURN_URL_ORIGINS: "https://shop.example.com"
    })
    assert.strictEqual(read.baseUrl, "https://book.example.com")
    assert.includeMembers([...read.allowedHosts], ["localhost", "book.example.com", "internal.example.com:8443"])
    assert.includeMembers(
      [...read.allowedOrigins],
      ["https://book.example.com", "https://app.example.com", "http://localhost:6274"]
    )
    assert.includeMembers([...read.returnUrlOrigins], ["https://book.example.com", "https://shop.example.com"])
  })

  it("name all faults in one message", () => {
    const read = fromEnv({
      PORT: "99999",
      HOLD_MINUTES: "ten",
      LOG_FORMAT: "xml",
      API_KEY: "",
      BASE_URL: "book.example.com"
    })
    assert.isTrue(Result.isFailure(read))
    const text = Result.isFailure(read) ? read.failure.message : ""
    for (const name of ["PORT", "HOLD_MINUTES", "LOG_FORMAT", "API_KEY", "BASE_URL"]) assert.include(text, name)
  })

  it("refuse a blank secret wherever one is set", () => {
    for (const name of ["API_KEY", "STRIPE_SECRET_KEY", "PAYMENT_WEBHOOK_SECRETS", "PAYMENT_CONNECT_WEBHOOK_SECRETS"]) {
      for (const blank of ["", "   "]) refused({ [name]: blank }, `${name} is blank`)
    }
    refused({ PAYMENT_WEBHOOK_SECRETS: "whsec_old,," }, "PAYMENT_WEBHOOK_SECRETS is blank", "whsec_old")
  })

  it("take an empty DATABASE_URL for the embedded database, but not in production", () => {
    assert.strictEqual(settings({ DATABASE_URL: "" }).database.kind, "embedded")
    refused({ ...live, DATABASE_URL: "", NODE_ENV: "production" }, "DATABASE_URL is blank")
  })

  it("take a replica beside the primary that it copies, and no other", () => {
    const [DATABASE_URL, DATABASE_REPLICA_URL] = ["postgres://u:p@a/playroom", "postgres://u:hunter2@b/playroom"]
    const { database } = settings({ DATABASE_URL, DATABASE_REPLICA_URL })
    const replica = database.kind === "server" ? database.replica : undefined
    assert.strictEqual(replica && Redacted.value(replica), DATABASE_REPLICA_URL)
    refused({ DATABASE_REPLICA_URL }, "DATABASE_REPLICA_URL needs DATABASE_URL", "hunter2")
    refused({ DATABASE_URL, DATABASE_REPLICA_URL: DATABASE_URL }, "is the same as DATABASE_URL")
    refused({ DATABASE_URL, DATABASE_REPLICA_URL: "mysql://hunter2@b" }, "DATABASE_REPLICA_URL must be", "hunter2")
    refused({ DATABASE_URL, DATABASE_REPLICA_URL: " " }, "DATABASE_REPLICA_URL is blank")
  })

  it("take several webhook secrets while they are rotated, and keep the receivers' apart", () => {
    const read = settings({ ...live, PAYMENT_WEBHOOK_SECRETS: "whsec_new, whsec_old" })
    assert.deepStrictEqual(read.platformSecrets.map(Redacted.value), ["whsec_new", "whsec_old"])
    assert.deepStrictEqual(read.connectedSecrets.map(Redacted.value), ["whsec_b"])
    assert.strictEqual(read.provider.kind === "stripe" && read.provider.livemode, true)
  })

  it("need both receivers' secrets with Stripe", () => {
    const found = faults({ STRIPE_SECRET_KEY: "sk_test_1" })
    assert.strictEqual(found.length, 2)
    assert.include(found[0], "PAYMENT_WEBHOOK_SECRETS")
    assert.include(found[1], "PAYMENT_CONNECT_WEBHOOK_SECRETS")
  })

  it("refuse a live key with the sandbox, and keep the key out of the message", () => {
    for (const key of ["sk_live_51Hsecret", "rk_live_51Hsecret"]) {
      refused({ PAYMENT_PROVIDER: "sandbox", STRIPE_SECRET_KEY: key }, "live key", "51Hsecret")
    }
    refused({ ...live, STRIPE_SECRET_KEY: "pk_live_51Hsecret" }, "STRIPE_SECRET_KEY", "51Hsecret")
    assert.strictEqual(
      settings({ PAYMENT_PROVIDER: "sandbox", STRIPE_SECRET_KEY: "sk_test_1" }).provider.kind,
      "sandbox"
    )
  })

  it("refuse the sandbox on a host that others can reach", () => {
    for (const HOST of ["0.0.0.0", "::", "192.168.1.4", "book.example.com"])
      refused({ HOST, ...sandboxForAll }, "loopback")
    for (const HOST of ["127.0.0.1", "127.1.2.3", "::1", "localhost"]) assert.strictEqual(settings({ HOST }).host, HOST)
    assert.strictEqual(settings({ HOST: "0.0.0.0", ...live }).host, "0.0.0.0")
  })

  it("give the sandbox beyond this machine only when it is asked for by name and given secrets", () => {
    const { PAYMENT_PROVIDER, ...secrets } = sandboxForAll
    const beyond: ReadonlyArray<Env> = [
      { BASE_URL: "https://book.example.com" },
      { BASE_URL: "http://192.168.1.4:3000" },
      { BASE_URL: "http://localhost.example.com" },
      { ALLOWED_HOSTS: "localhost:8080, playroom.internal:8443" },
      { BASE_URL: "https://book.example.com", ALLOWED_HOSTS: "www.example.com" }
    ]
    for (const env of beyond) {
      assert.strictEqual(settings({ ...env, ...sandboxForAll }).provider.kind, "sandbox")
      refused({ ...env, ...secrets }, "PAYMENT_PROVIDER=sandbox")
      const found = faults({ ...env, PAYMENT_PROVIDER })
      assert.strictEqual(found.length, 2)
      assert.include(found[0], "PAYMENT_WEBHOOK_SECRETS")
      assert.include(found[1], "PAYMENT_CONNECT_WEBHOOK_SECRETS")
      assert.strictEqual(faults(env).length, 3)
    }
    for (const env of [
      { BASE_URL: "http://127.0.0.1:3000" },
      { BASE_URL: "http://[::1]" },
      { ALLOWED_HOSTS: "a.localhost" }
    ])
      assert.strictEqual(settings(env).provider.kind, "sandbox")
  })

  it("refuse secrets that were published, wherever the service runs", () => {
    for (const secret of ["whsec_sandbox_platform", "whsec_sandbox_connected"]) {
      refused({ PAYMENT_WEBHOOK_SECRETS: secret }, "PAYMENT_WEBHOOK_SECRETS")
      refused({ ...live, PAYMENT_CONNECT_WEBHOOK_SECRETS: `whsec_a,${secret}` }, "PAYMENT_CONNECT_WEBHOOK_SECRETS")
    }
  })

  it("give the sandbox in production only when it is asked for by name", () => {
    const NODE_ENV = "production"
    const BASE_URL = "http://localhost:3000"
    refused({ NODE_ENV, BASE_URL }, "PAYMENT_PROVIDER=sandbox")
    assert.strictEqual(settings({ NODE_ENV, BASE_URL, PAYMENT_PROVIDER: "sandbox" }).provider.kind, "sandbox")
    refused({ PAYMENT_PROVIDER: "stripe" }, "STRIPE_SECRET_KEY")
  })

  it("know three environments, and refuse any other name", () => {
    for (const NODE_ENV of ["production", "development", "test", "", " "])
      assert.strictEqual(settings({ ...live, NODE_ENV }).production, NODE_ENV === "production")
    for (const NODE_ENV of ["prod", "Production", "PRODUCTION", "staging", "dev", "production,test"])
      refused({ ...live, NODE_ENV }, "NODE_ENV must be production, development or test")
  })

  it("need BASE_URL in production", () => {
    const { BASE_URL: _, ...rest } = live
    refused({ ...rest, NODE_ENV: "production" }, "BASE_URL is needed")
    refused({ ...rest, NODE_ENV: "production", BASE_URL: "" }, "BASE_URL is needed")
  })

  it("refuse an API_KEY that can be guessed in production and wherever others can reach the service", () => {
    const exposed: ReadonlyArray<Env> = [
      { ...live, NODE_ENV: "production" },
      { BASE_URL: "http://localhost:3000", PAYMENT_PROVIDER: "sandbox", NODE_ENV: "production" },
      { BASE_URL: "https://book.example.com", ...sandboxForAll },
      { ...live, HOST: "0.0.0.0" }
    ]
    for (const env of exposed) {
      for (const API_KEY of ["short", "a".repeat(64), "0123456789abcdef0123456789abcde", "ab".repeat(20)])
        refused({ ...env, API_KEY }, "API_KEY must have at least 32 characters, 10 of them different", API_KEY)
      for (const API_KEY of [strongKey, "0123456789abcdef0123456789abcdef"])
        assert.strictEqual(Redacted.value(settings({ ...env, API_KEY }).apiKey ?? Redacted.make("")), API_KEY)
    }
    assert.isDefined(settings({ API_KEY: "short" }).apiKey)
  })

  it("F9: name all that production lacks in one message", () => {
    const found = faults({ NODE_ENV: "production", API_KEY: "short", PORT: "0" }).join()
    const secrets = ["PAYMENT_WEBHOOK_SECRETS", "PAYMENT_CONNECT_WEBHOOK_SECRETS"]
    for (const name of ["BASE_URL", "API_KEY", "PORT", "PAYMENT_PROVIDER=sandbox", ...secrets])
      assert.include(found, name)
  })

  it("F1: refuse a database's address without a user where the environment names none either", () => {
    const nobody = "postgres://localhost/playroom"
    refused({ DATABASE_URL: nobody }, "DATABASE_URL names no user")
    refused(
      { DATABASE_URL: "postgres://ana@one/p", DATABASE_REPLICA_URL: nobody },
      "DATABASE_REPLICA_URL names no user"
    )
    for (const url of ["postgres://ana@localhost/p", "postgres:///p?host=/run/postgresql&user=ana"])
      assert.deepStrictEqual(faults({ DATABASE_URL: url }), [])
    assert.deepStrictEqual(faults({ DATABASE_URL: nobody, USER: "ana" }), [])
  })

  it("X20: take a database's address as hosts hand it out, and give the driver what it asks for", () => {
    const authority = fileURLToPath(new URL("../../support/tls/authority.pem", import.meta.url))
    const ca = readFileSync(authority, "utf8").trim()
    const verified = { rejectUnauthorized: true }
    const forms: Readonly<Record<string, ReturnType<typeof driverAddress>>> = {
      // Neon, Supabase, DigitalOcean, Google Cloud SQL (Cloud Run), Amazon RDS, Heroku.
      "postgresql://ana:pw@ep-a-1.eu-central-1.aws.neon.tech/db?sslmode=require&channel_binding=require": {
        url: "postgresql://ana:pw@ep-a-1.eu-central-1.aws.neon.tech/db",
        ssl: verified
      },
      "postgresql://postgres.ref:pw@aws-0-eu-central-1.pooler.supabase.com:5432/postgres": {
        url: "postgresql://postgres.ref:pw@aws-0-eu-central-1.pooler.supabase.com:5432/postgres"
      },
      [`postgresql://doadmin:pw@db-1.b.db.ondigitalocean.com:25060/defaultdb?sslmode=require&sslrootcert=${authority}`]:
        {
          url: "postgresql://doadmin:pw@db-1.b.db.ondigitalocean.com:25060/defaultdb",
          ssl: { ...verified, ca }
        },
      "postgres://ana:pw@/db?host=/cloudsql/project:region:instance&sslmode=disable": {
        url: "postgres://ana:pw@localhost/db?host=%2Fcloudsql%2Fproject%3Aregion%3Ainstance"
      },
      [`postgres://ana:pw@a.eu-west-1.rds.amazonaws.com:5432/db?sslmode=verify-full&sslrootcert=${authority}`]: {
        url: "postgres://ana:pw@a.eu-west-1.rds.amazonaws.com:5432/db",
        ssl: { ...verified, ca }
      },
      "postgres://ana:pw@ec2-1.compute-1.amazonaws.com:5432/db?sslmode=no-verify": {
        url: "postgres://ana:pw@ec2-1.compute-1.amazonaws.com:5432/db",
        ssl: { rejectUnauthorized: false }
      },
      "postgres://ana:pw@db/p?ssl=true": { url: "postgres://ana:pw@db/p", ssl: verified },
      "postgres://ana:pw@db/p?sslmode=prefer": { url: "postgres://ana:pw@db/p?sslmode=prefer" },
      "postgres://ana:pw@db/p?sslrootcert=system&target_session_attrs=read-write": {
        url: "postgres://ana:pw@db/p",
        ssl: verified
      }
    }
    for (const [DATABASE_URL, expected] of Object.entries(forms)) {
      assert.deepStrictEqual(faults({ DATABASE_URL }), [])
      assert.deepStrictEqual(driverAddress(addressesOf(DATABASE_URL)[0] ?? ""), expected)
    }
  })

  it("X20: refuse what an address asks for in vain, and show nothing of its password", () => {
    const wrong: Readonly<Record<string, string>> = {
      "?sslmod=require": "has the parameter sslmod: known are host, port, ",
      "?application_name=a": "has the parameter application_name",
      "?hunter2@host/db": "has a ? or & that begins no parameter",
      "?sslmode=require&sslmode=disable": "has the parameter sslmode twice",
      "?sslmode=hunter2":
        "has a sslmode that is none of disable, allow, prefer, no-verify, require, verify-ca, verify-full",
      "?ssl=1": "has a ssl that is none of true",
      "?ssl=true&sslmode=prefer": "has ssl=true, and an sslmode that lets everything pass in clear text",
      "?connect_timeout=soon": "has a connect_timeout that is no whole number",
      "?channel_binding=require": "has channel_binding, and no sslmode that verifies a certificate",
      "?channel_binding=require&sslmode=no-verify": "has channel_binding, and no sslmode",
      "?sslmode=prefer&sslrootcert=system": "has sslrootcert, and no sslmode that verifies",
      "?sslrootcert=/nowhere/ca.pem": 'names "/nowhere/ca.pem" as sslrootcert, which does not exist',
      [`?sslrootcert=${fileURLToPath(import.meta.url)}`]: `names "${fileURLToPath(import.meta.url)}" as sslrootcert, which holds no certificate`,
      "?target_session_attrs=standby": "has a target_session_attrs that is none of any, read-write, primary"
    }
    for (const [query, why] of Object.entries(wrong))
      refused({ DATABASE_URL: `postgres://ana:pw@db:5432/p${query}` }, `DATABASE_URL ${why}`, "hunter2")
    const DATABASE_URL = "postgres://ana:pw@one/p"
    const replica = { DATABASE_URL, DATABASE_REPLICA_URL: "postgres://ana:pw@two/p?target_session_attrs=standby" }
    assert.deepStrictEqual(faults(replica), [])
  })

  it("F10: never ask for the sandbox by name where it is refused", () => {
    const found = faults({ HOST: "0.0.0.0" }).join()
    assert.include(found, "loopback")
    assert.notInclude(found, "by name")
  })

  it("refuse a live key without https, in BASE_URL and wherever payers may be sent back to", () => {
    for (const key of ["sk_live_51Hsecret", "rk_live_51Hsecret"]) {
      const env = { ...live, STRIPE_SECRET_KEY: key }
      for (const BASE_URL of ["http://book.example.com", "http://localhost:3000", ""])
        refused({ ...env, BASE_URL }, "BASE_URL must be an https address", "51Hsecret")
      refused(
        { ...env, RETURN_URL_ORIGINS: "http://shop.example.com" },
        "RETURN_URL_ORIGINS holds http://shop.example.com"
      )
      assert.deepStrictEqual(settings({ ...env, RETURN_URL_ORIGINS: "https://shop.example.com" }).returnUrlOrigins, [
        "https://book.example.com",
        "https://shop.example.com"
      ])
    }
    const test = { ...live, STRIPE_SECRET_KEY: "sk_test_1", BASE_URL: "http://book.example.com" }
    assert.strictEqual(settings(test).baseUrl, "http://book.example.com")
  })

  it("send payers back to this machine only where the service is tried out on it", () => {
    const local = ["http://localhost:3000", "http://127.0.0.1:3000", "http://[::1]:3000"]
    assert.sameMembers([...settings({}).returnUrlOrigins], local)
    assert.include(settings({ RETURN_URL_ORIGINS: "http://localhost:5173" }).returnUrlOrigins, "http://localhost:5173")
    const elsewhere: ReadonlyArray<Env> = [
      { BASE_URL: "https://book.example.com", ...sandboxForAll },
      { ALLOWED_HOSTS: "playroom.internal", ...sandboxForAll },
      { ...live, HOST: "0.0.0.0" },
      { NODE_ENV: "production", BASE_URL: "http://localhost:3000", PAYMENT_PROVIDER: "sandbox" }
    ]
    for (const env of elsewhere) {
      assert.deepStrictEqual(settings(env).returnUrlOrigins, [env["BASE_URL"] ?? "http://localhost:3000"])
      for (const origin of ["http://localhost:5173", "https://127.0.0.1", "http://[::1]:8080", "http://app.localhost"])
        refused({ ...env, RETURN_URL_ORIGINS: origin }, `RETURN_URL_ORIGINS holds ${origin}`)
    }
  })

  it("check addresses", () => {
    const crooked = [
      "https:x",
      "https:///x",
      "https://x\\@y",
      "https://x\\",
      "https://@x",
      "ht\ttps://x",
      "https://x\u200b",
      "https://ex%41mple.com"
    ]
    for (const BASE_URL of ["ftp://x", "https://x/path", "https://x?y", "https://u:p@x", "x", ...crooked])
      refused({ BASE_URL }, "BASE_URL")
    for (const DATABASE_URL of ["mysql://db:hunter2@x/y", "hunter2"])
      refused({ DATABASE_URL }, "DATABASE_URL", "hunter2")
    assert.strictEqual(settings({ DATABASE_URL: "postgresql://u:p@db:5432/playroom" }).database.kind, "server")
    refused({ OTEL_EXPORTER_OTLP_ENDPOINT: "localhost:4318" }, "OTEL_EXPORTER_OTLP_ENDPOINT")
    refused({ ALLOWED_ORIGINS: "*" }, "ALLOWED_ORIGINS")
    refused({ ALLOWED_HOSTS: "https://x" }, "ALLOWED_HOSTS")
    for (const wrong of ["10.0.0.0/33", "0.0.0.0/0", "::/0", "10.0.0.0/8, ::/00"])
      refused({ TRUSTED_PROXIES: wrong }, "TRUSTED_PROXIES")
    assert.deepStrictEqual(settings({ TRUSTED_PROXIES: "10.0.0.0/8,::1" }).trustedProxies, ["10.0.0.0/8", "::1"])
  })

  it("check numbers, switches and choices", () => {
    for (const PORT of ["0", "-1", "65536", "3e3", "80.5", "0x50"]) refused({ PORT }, "PORT must be a whole number")
    refused({ MAX_HOLDS_PER_KEY: "0" }, "MAX_HOLDS_PER_KEY")
    refused({ RATE_LIMIT_DISABLED: "maybe" }, "RATE_LIMIT_DISABLED")
    refused({ PAYMENT_PROVIDER: "paypal" }, "PAYMENT_PROVIDER")
    refused({ LOG_LEVEL: "loud" }, "LOG_LEVEL")
    refused({ MANAGEMENT_PORT: "3000" }, "MANAGEMENT_PORT")
    assert.strictEqual(settings({ LOG_LEVEL: "warn" }).logLevel, "Warn")
    assert.strictEqual(settings({ RATE_LIMIT_DISABLED: "true" }).rateLimits, undefined)
    assert.strictEqual(settings({ ...live, NODE_ENV: "production" }).logFormat, "json")
  })

  it("never show a secret when printed", () => {
    const read = settings({ ...live, API_KEY: `topsecret${strongKey}`, DATABASE_URL: "postgres://u:topsecret@db/x" })
    for (const shown of [JSON.stringify(read), inspect(read, { depth: 9 }), `${String(read.apiKey)}`]) {
      assert.notInclude(shown, "topsecret")
      assert.notInclude(shown, "51Hsecret")
      assert.notInclude(shown, "whsec_")
    }
  })

  it("take addresses for people, help by mail too, and refuse what a browser could not open", () => {
    assert.deepStrictEqual(settings({}).publisher, {})
    const { openaiAppsChallenge, publisher } = settings({
      PRIVACY_URL: "https://example.com/privacy",
      TERMS_URL: " https://example.com/terms ",
      SUPPORT_URL: "mailto:help@example.com",
      OPENAI_APPS_CHALLENGE: "b2tlbg_-3f9"
    })
    assert.deepStrictEqual(publisher, {
      privacyUrl: "https://example.com/privacy",
      termsUrl: "https://example.com/terms",
      supportUrl: "mailto:help@example.com"
    })
    assert.strictEqual(openaiAppsChallenge, "b2tlbg_-3f9")
    refused({ PRIVACY_URL: "javascript:alert(1)" }, "PRIVACY_URL")
    refused({ PRIVACY_URL: "mailto:help@example.com" }, "PRIVACY_URL")
    refused({ TERMS_URL: "example.com/terms" }, "TERMS_URL")
    refused({ SUPPORT_URL: "help@example.com" }, "SUPPORT_URL")
    refused({ SUPPORT_URL: "mailto:" }, "SUPPORT_URL")
    refused({ OPENAI_APPS_CHALLENGE: "two words" }, "OPENAI_APPS_CHALLENGE")
    refused({ OPENAI_APPS_CHALLENGE: "x".repeat(501) }, "OPENAI_APPS_CHALLENGE")
  })
})

describe("secrets in files", () => {
  const folder = mkdtempSync(join(tmpdir(), "playroom-secrets-"))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const file = (name: string, content: string): string => {
    writeFileSync(join(folder, name), content)
    return join(folder, name)
  }
  const inFiles = (env: Env): Env =>
    Object.fromEntries(
      Object.entries(env).map(([name, value]) =>
        secretVariables.some((secret) => secret === name)
          ? [`${name}_FILE`, file(name, `\uFEFF${value}\r\n`)]
          : [name, value]
      )
    )

  it("are what the variables would be, without the line's end", () => {
    const env = { ...live, API_KEY: strongKey, DATABASE_URL: "postgres://u:p@db/playroom", NODE_ENV: "production" }
    const revealed = (read: Settings) => ({
      ...read,
      database: read.database.kind === "server" ? Redacted.value(read.database.url) : read.database,
      apiKey: read.apiKey && Redacted.value(read.apiKey),
      provider: read.provider.kind === "stripe" ? Redacted.value(read.provider.secretKey) : read.provider,
      platformSecrets: read.platformSecrets.map(Redacted.value),
      connectedSecrets: read.connectedSecrets.map(Redacted.value)
    })
    assert.deepStrictEqual(revealed(settings(inFiles(env))), revealed(settings(env)))
    assert.notProperty(inFiles(env), "API_KEY")
  })

  it("are found by what the process's environment names", () => {
    // Vitest has a BASE_URL of its own.
    const before = process.env["BASE_URL"]
    Object.assign(process.env, { API_KEY_FILE: file("process", strongKey), BASE_URL: "http://localhost:3000" })
    try {
      const { apiKey } = Effect.runSync(Effect.scoped(Effect.provide(AppConfig, AppConfig.layer)))
      assert.strictEqual(apiKey && Redacted.value(apiKey), strongKey)
    } finally {
      delete process.env["API_KEY_FILE"]
      delete process.env["BASE_URL"]
      if (before !== undefined) process.env["BASE_URL"] = before
    }
  })

  it("and the variables beside them are one too many", () => {
    for (const name of secretVariables)
      refused({ [name]: "", [`${name}_FILE`]: file("beside", "whsec_beside") }, `${name} and ${name}_FILE are both set`)
  })

  it("are given to commands as to the service; names that are none are passed over, with what they hold", () => {
    const etc = mkdtempSync(join(folder, "etc-"))
    mkdirSync(join(etc, "secrets"))
    writeFileSync(join(etc, "settings"), '# Ours\nBASE_URL="https://book.example.com"\nA B=sk_a\nA-B=sk_b\nPORT=3000')
    writeFileSync(join(etc, "secrets", "STRIPE_SECRET_KEY"), "sk_test_now\n")
    writeFileSync(join(etc, "secrets", "STRIPE_SECRET_KEY.old"), "sk_test_before\n")
    // The script asks who it is, and goes on as another user.
    writeFileSync(join(etc, "id"), "#!/bin/sh\necho 0\n", { mode: 0o755 })
    writeFileSync(join(etc, "setpriv"), "#!/bin/sh\nenv\n", { mode: 0o755 })
    const script = fileURLToPath(new URL("../../../docs/systemd/playroom", import.meta.url))
    const given = execFileSync("sh", [script], {
      encoding: "utf8",
      env: { PATH: `${etc}:${process.env["PATH"]}`, PLAYROOM_ETC: etc }
    }).split("\n")
    assert.includeMembers(given, ["BASE_URL=https://book.example.com", "PORT=3000", "STRIPE_SECRET_KEY=sk_test_now"])
    assert.notMatch(given.join("\n"), /sk_a|sk_b|sk_test_before/)
  })

  it("are refused, by the variable's name, where the file is missing, empty, too long, or no file", () => {
    const secret = "whsec_hidden"
    execFileSync("mkfifo", [join(folder, "pipe")])
    for (const variable of fileVariables) {
      refused({ [variable]: " " }, `${variable} is blank`)
      refused({ [variable]: secret }, `${variable} must be the absolute path`, secret)
      for (const [path, why] of [
        [join(folder, "missing"), "does not exist"],
        [join(file("plain", "x"), "below"), "does not exist"],
        [file("empty", " \n"), "is empty"],
        [file("long", secret + "a".repeat(16_384)), "is longer than 16384 bytes"],
        [folder, "is no regular file"],
        [join(folder, "pipe"), "is no regular file"],
        ["/dev/zero", "is no regular file"],
        ["/a\0b", "can't be read"]
      ] as const)
        refused({ [variable]: path }, `${variable} names ${JSON.stringify(path)}, which ${why}`, secret)
    }
  })

  it("are checked as the variables are, and stay out of the message", () => {
    const key = file("key", "pk_live_51Hsecret")
    refused({ ...inFiles(live), STRIPE_SECRET_KEY_FILE: key }, "STRIPE_SECRET_KEY must start with", "51Hsecret")
    const lines = file("lines", "whsec_hidden\nwhsec_other")
    refused({ PAYMENT_WEBHOOK_SECRETS_FILE: lines }, "PAYMENT_WEBHOOK_SECRETS holds spaces", "whsec_hidden")
  })
})

describe("names in the environment", () => {
  it.each([
    ["API_KEYS", "API_KEY"],
    ["DATABSE_URL", "DATABASE_URL"],
    ["PAYMENT_WEBHOOK_SECRET", "PAYMENT_WEBHOOK_SECRETS"],
    ["base_url ", "BASE_URL"],
    ["STRIPE_SECRET_KEY_FIEL", "STRIPE_SECRET_KEY_FILE"],
    ["HOLD_MINUTE", "HOLD_MINUTES"]
  ])("%s is named as nearly %s", (name, setting) => {
    assert.deepStrictEqual(misspeltNames(["PATH", name]), [
      `${name} is set, and is no setting of this service. Did you mean ${setting}?`
    ])
  })

  it("that are settings, or mean something else, are not", () => {
    assert.deepStrictEqual(misspeltNames([...variables, ...fileVariables]), [])
    const others = "HOME PATH HOSTNAME SHELL MAIL PGHOST LANG TERM USER NODE_OPTIONS LOGNAME npm_config_cache"
    assert.deepStrictEqual(misspeltNames(others.split(" ")), [])
    assert.lengthOf(misspeltNames(["PORTS"]), 1)
    // Whoever has set the setting itself means the other name.
    assert.deepStrictEqual(misspeltNames(["PORT", "PORTS"]), [])
  })
})

describe("what is written of the settings", () => {
  const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ")
  const written = (name: string, expected: (before: string) => string) => {
    const file = new URL(`../../../${name}`, import.meta.url)
    const before = readFileSync(file, "utf8")
    const now = expected(before)
    if (process.env["UPDATE_DOCS"] === "1") writeFileSync(file, now)
    // `nix fmt` breaks lines otherwise.
    else
      assert.strictEqual(
        oneLine(before),
        oneLine(now),
        `UPDATE_DOCS=1 npx vitest run test/platform/config/AppConfig.test.ts writes ${name}`
      )
  }

  it("docs/settings.md has every setting as it is read", () => {
    const inFiles = fileVariables.map((name) => `\`${name}\``).join(", ")
    const rows = [
      ...described.map(({ meaning, otherwise = "", variable }) => `| \`${variable}\` | ${otherwise} | ${meaning} |`),
      `| ${inFiles} | | a file that holds the secret, instead of the variable: of the service's user, not empty, at most 16 KB |`
    ]
    const head = "| Variable | Default | Meaning |\n|---|---|---|\n"
    const table = `${head}${rows.join("\n").replaceAll("|  |", "| |")}\n\n`
    written("docs/settings.md", (page) => {
      const from = page.indexOf(head)
      return page.slice(0, from) + table + page.slice(page.indexOf("\n\n", from) + 2)
    })
  })

  it("nix/settings.nix has the types of those that are no secrets", () => {
    const at = (node: unknown, key: string): unknown => (Predicate.hasProperty(node, key) ? node[key] : undefined)
    const nixType = (json: unknown): string => {
      const [either, values] = [at(json, "anyOf"), at(json, "enum")]
      if (Array.isArray(either)) return nixType(either[0])
      if (Array.isArray(values)) return `types.enum [ ${values.map((value) => `"${value}"`.toLowerCase()).join(" ")} ]`
      const kind = at(json, "type")
      if (kind === "integer") return `types.ints.between ${at(json, "minimum")} ${at(json, "maximum")}`
      if (kind === "array") return `types.listOf (${nixType(at(json, "items"))})`.replace("(types.str)", "types.str")
      return kind === "boolean" ? "types.bool" : "types.str"
    }
    const lines = described
      .filter(({ secret, variable }) => secret !== true && variable !== "DATA_DIR")
      .map(({ type, variable }) => `  ${variable} = ${nixType(Schema.toJsonSchemaDocument(type).schema)};\n`)
    written("nix/settings.nix", (before) => `${before.split("\n")[0]}\ntypes: {\n${lines.join("")}}\n`)
  })
})
