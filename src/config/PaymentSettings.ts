/** Settings of the payment provider and of the secrets that verify its events. */
import { Redacted } from "effect"
import type { Addresses } from "./AddressSettings.ts"
import type { Reader } from "./AppConfigRules.ts"

export type Provider =
  | { readonly kind: "stripe"; readonly secretKey: Redacted.Redacted; readonly livemode: boolean }
  | { readonly kind: "sandbox" }

/** What `create_payment_session` gives a person: the provider's page, or our own page that leads on to it. */
export type PaymentLink = "provider" | "own"

/** `PAYMENT_LINK`: some directories of assistants refuse direct links to a checkout. */
export const readPaymentLink = (read: Reader): PaymentLink =>
  read.choice("PAYMENT_LINK", ["provider", "own"]) ?? "provider"

/** The sandbox signed with these until version 0.1. They are published in its source, so they prove nothing. */
const published = new Set(["whsec_sandbox_platform", "whsec_sandbox_connected"])

/**
 * Stripe if there is a key or it is named, otherwise the sandbox. The sandbox confirms bookings that nobody paid for,
 * so it must be named if other machines can reach the service.
 */
export const readProvider = (
  read: Reader,
  production: boolean,
  { host, reachableBy }: Pick<Addresses, "host" | "reachableBy">
): Provider => {
  const named = read.choice("PAYMENT_PROVIDER", ["stripe", "sandbox"])
  const key = read.secret("STRIPE_SECRET_KEY")
  // Stripe's own prefixes: secret and restricted keys, each for test and live mode (https://docs.stripe.com/keys).
  const mode = key === undefined ? undefined : /^[sr]k_(test|live)_\w+$/.exec(Redacted.value(key))?.[1]
  if (key !== undefined && mode === undefined) {
    read.fault("STRIPE_SECRET_KEY must start with sk_test_, sk_live_, rk_test_ or rk_live_.")
  }
  if (named === "stripe" && key === undefined) read.fault("PAYMENT_PROVIDER is stripe, so STRIPE_SECRET_KEY is needed.")
  if ((named ?? "stripe") === "stripe" && key !== undefined)
    return { kind: "stripe", secretKey: key, livemode: mode === "live" }
  if (mode === "live") {
    read.fault("STRIPE_SECRET_KEY is a live key, and PAYMENT_PROVIDER is sandbox: remove one of them.")
  }
  const where = production ? "NODE_ENV=production" : reachableBy.length > 0 ? `${reachableBy.join(" and ")} as set` : ""
  if (where !== "" && named === undefined) {
    read.fault(`With ${where} give STRIPE_SECRET_KEY, or ask for the sandbox by name: PAYMENT_PROVIDER=sandbox.`)
  }
  if (reachableBy.includes("HOST")) {
    read.fault(
      `The sandbox provider runs on loopback only, and HOST is ${host}: give STRIPE_SECRET_KEY, or set HOST to 127.0.0.1.`
    )
  }
  return { kind: "sandbox" }
}

/** A receiver's secrets. Empty for a local sandbox, which makes its own (`payment/provider/Receivers.ts`). */
export const readWebhookSecrets = (
  read: Reader,
  name: "PAYMENT_WEBHOOK_SECRETS" | "PAYMENT_CONNECT_WEBHOOK_SECRETS",
  {
    provider,
    reachableBy,
    needed
  }: {
    readonly provider: Provider
    readonly reachableBy: Addresses["reachableBy"]
    /** Whether this process receives events and so needs the secrets. */
    readonly needed: boolean
  }
): ReadonlyArray<Redacted.Redacted> => {
  const before = read.faults.length
  const secrets = read.secrets(name)
  if (secrets.some((secret) => published.has(Redacted.value(secret)))) {
    read.fault(`${name} holds a secret that is published in this program's source: make one of your own.`)
  }
  if (!needed || secrets.length > 0 || read.faults.length > before) return secrets
  if (provider.kind === "stripe") {
    read.fault(
      `${name} is needed with Stripe: the signing secret (whsec_…) of that receiver's webhook endpoint. playroom provider setup makes it.`
    )
  } else if (reachableBy.length > 0) {
    read.fault(
      `${name} is needed, as ${reachableBy.join(" and ")} let others in: long random text that the sandbox signs with.`
    )
  }
  return []
}

// Payment pages stay open in browsers across restarts, so the port is fixed. It is far from PORT, because nodes on one
// machine often get neighbouring ports.
const sandboxPortFor = (listener: number): number => (listener <= 55_535 ? listener + 10_000 : listener - 10_000)

/** The sandbox's port on 127.0.0.1; 0: any free one. */
export const readSandboxPort = (read: Reader, listener: number): number =>
  read.int("SANDBOX_PORT", { min: 0, max: 65_535 }) ?? sandboxPortFor(listener)
