/**
 * The platform's webhook endpoints at the provider: one for each receiver, at the release of the API that the client pins, with the
 * events that are used (`usedEvents`) and no others. What is at another address is somebody else's and never touched; nothing is
 * ever deleted.
 */
import { Context, Effect, Layer, Redacted, Schema } from "effect"
import { createHash } from "node:crypto"
import { Stripe } from "stripe"
import { AppConfig, type Settings } from "../AppConfig.ts"
import { usedEvents } from "./events/Events.ts"
import { type Receiver, receiverPaths } from "./provider/Receivers.ts"
import type { GatewayError } from "./provider/PaymentGateway.ts"
import { PlatformGateway, type WebhookEndpoint } from "./provider/PlatformGateway.ts"

/** The settings that hold each receiver's secrets. */
export const secretSettings = {
  platform: "PAYMENT_WEBHOOK_SECRETS",
  connected: "PAYMENT_CONNECT_WEBHOOK_SECRETS"
} as const satisfies Record<Receiver, string>

export const receivers: ReadonlyArray<Receiver> = ["platform", "connected"]

/** The provider can't reach the service at its `BASE_URL`. */
export class AddressUnreachable extends Schema.TaggedError<AddressUnreachable>()("AddressUnreachable", {
  base_url: Schema.String
}) {
  override get message(): string {
    return `The provider delivers events to public https addresses only, and BASE_URL is ${this.base_url}: set it to the service's own. To try out on this machine use stripe listen instead (see the README).`
  }
}

/**
 * What is wrong with a receiver's endpoints.
 * `missing`: there is none that will do. `events`, `disabled`: it listens to other events, or to none now. `secret`: the settings do
 * not hold its secret. `pending`: one that was made later waits for its secret to be put into the settings. `replaced`: one that this
 * service made before, and that is not needed any more. `duplicate`: one that somebody else made at the same address.
 */
export type Problem = "missing" | "events" | "disabled" | "secret" | "pending" | "replaced" | "duplicate"

export interface Finding {
  readonly receiver: Receiver
  readonly problem: Problem
  /** The endpoint; absent where there is none. */
  readonly endpoint?: WebhookEndpoint
}

/** How a receiver's endpoints stand. */
export interface Standing {
  readonly receiver: Receiver
  readonly url: string
  /** The endpoint that counts. */
  readonly endpoint: WebhookEndpoint | undefined
  /** Whether the settings hold its secret; undefined where it was not made here, so that nobody can tell. */
  readonly secret_set: boolean | undefined
  readonly findings: ReadonlyArray<Finding>
}

/** What a set-up did, and how things stand now. */
export interface Done {
  readonly made: ReadonlyArray<{ readonly receiver: Receiver; readonly id: string; readonly secret: Redacted.Redacted }>
  readonly repaired: ReadonlyArray<{ readonly receiver: Receiver; readonly id: string }>
  readonly disabled: ReadonlyArray<{ readonly receiver: Receiver; readonly id: string }>
  readonly standing: ReadonlyArray<Standing>
}

/** Tells secrets apart without giving them away: they are long and random. */
export const fingerprint = (secret: Redacted.Redacted): string =>
  createHash("sha256").update(Redacted.value(secret)).digest("hex").slice(0, 16)

const addressOf = (url: string): string => {
  const parsed = URL.parse(url)
  return parsed === null ? url : `${parsed.origin}${parsed.pathname.replace(/\/+$/, "")}`
}

const sameEvents = (endpoint: WebhookEndpoint, receiver: Receiver): boolean => {
  const wanted = new Set<string>(usedEvents[receiver])
  return endpoint.enabled_events.length === wanted.size && endpoint.enabled_events.every((name) => wanted.has(name))
}

/**
 * How a receiver stands, given all of the platform's endpoints. Of several that would do, the newest whose secret the settings hold
 * counts: while secrets are rotated that is the old one until the new secret has been put into the settings.
 */
export const standingOf = (
  receiver: Receiver,
  url: string,
  all: ReadonlyArray<WebhookEndpoint>,
  secrets: ReadonlySet<string>
): Standing => {
  const here = all
    .filter((endpoint) => addressOf(endpoint.url) === addressOf(url))
    .toSorted((a, b) => b.created - a.created)
  const fitting = here.filter(
    (endpoint) =>
      endpoint.api_version === Stripe.API_VERSION && (endpoint.receiver === undefined || endpoint.receiver === receiver)
  )
  const known = (endpoint: WebhookEndpoint): boolean | undefined =>
    endpoint.secret_fingerprint === undefined ? undefined : secrets.has(endpoint.secret_fingerprint)
  const kept =
    fitting.find((endpoint) => known(endpoint) === true) ?? fitting.find(({ enabled }) => enabled) ?? fitting[0]
  const problems = (endpoint: WebhookEndpoint): ReadonlyArray<Problem> => [
    ...(sameEvents(endpoint, receiver) ? [] : ["events" as const]),
    ...(endpoint.enabled ? [] : ["disabled" as const]),
    ...(known(endpoint) === false ? ["secret" as const] : [])
  ]
  const besides = (endpoint: WebhookEndpoint): Problem => {
    if (endpoint.receiver === undefined || kept === undefined) return "duplicate"
    if (fitting.includes(endpoint) && endpoint.created >= kept.created && known(endpoint) !== true) return "pending"
    return "replaced"
  }
  const findings: ReadonlyArray<Finding> = [
    ...(kept === undefined ? [{ receiver, problem: "missing" as const }] : []),
    ...(kept === undefined ? [] : problems(kept).map((problem) => ({ receiver, problem, endpoint: kept }))),
    ...here
      .filter((endpoint) => endpoint.enabled && endpoint !== kept)
      .map((endpoint) => ({ receiver, problem: besides(endpoint), endpoint }))
  ]
  return { receiver, url, endpoint: kept, secret_set: kept === undefined ? undefined : known(kept), findings }
}

const secretsOf = (settings: Settings, receiver: Receiver): ReadonlySet<string> =>
  new Set((receiver === "platform" ? settings.platformSecrets : settings.connectedSecrets).map(fingerprint))

type Failure = AddressUnreachable | GatewayError

export class ProviderSetup extends Context.Service<
  ProviderSetup,
  {
    /** How each receiver stands; changes nothing. */
    readonly check: Effect.Effect<ReadonlyArray<Standing>, Failure>
    /**
     * Makes the endpoints that are missing, and another one for each receiver in `rotate`; repairs events and switches on what is off;
     * switches off what this service made before, once the settings hold the secret of what counts now. Doing so twice changes
     * nothing more.
     */
    readonly setup: (rotate: ReadonlyArray<Receiver>) => Effect.Effect<Done, Failure>
  }
>()("playroom/payment/ProviderSetup") {
  static readonly layer = Layer.effect(
    ProviderSetup,
    Effect.gen(function* () {
      const settings = yield* AppConfig
      const gateway = yield* PlatformGateway

      const reachable = Effect.gen(function* () {
        const { hostname, protocol } = new URL(settings.baseUrl)
        const local = hostname === "localhost" || hostname.endsWith(".localhost") || /^(127\.|\[::1\]$)/.test(hostname)
        if (settings.provider.kind === "stripe" && (protocol !== "https:" || local))
          return yield* new AddressUnreachable({ base_url: settings.baseUrl })
        return settings.baseUrl
      })

      const check = Effect.gen(function* () {
        const base = yield* reachable
        const all = yield* gateway.endpoints
        return receivers.map((receiver) =>
          standingOf(receiver, `${base}${receiverPaths[receiver]}`, all, secretsOf(settings, receiver))
        )
      })

      const make = Effect.fnUntraced(function* ({ receiver, url }: Standing) {
        const { id, secret } = yield* gateway.createEndpoint({ receiver, url, enabled_events: usedEvents[receiver] })
        // The secret is told this once: should this call fail, the endpoint stays one whose secret nobody can tell.
        yield* Effect.ignore(gateway.changeEndpoint(id, { secret_fingerprint: fingerprint(secret) }))
        return { receiver, id, secret }
      })

      const setup = Effect.fn("ProviderSetup.setup")(function* (rotate: ReadonlyArray<Receiver>) {
        const before = yield* check
        const repaired: Array<Done["repaired"][number]> = []
        const disabled: Array<Done["disabled"][number]> = []
        for (const { endpoint, findings, receiver, secret_set } of before) {
          if (
            endpoint !== undefined &&
            findings.some(({ problem }) => problem === "events" || problem === "disabled")
          ) {
            yield* gateway.changeEndpoint(endpoint.id, { enabled_events: usedEvents[receiver], enabled: true })
            repaired.push({ receiver, id: endpoint.id })
          }
          for (const finding of findings) {
            if (finding.problem !== "replaced" || finding.endpoint === undefined || secret_set !== true) continue
            yield* gateway.changeEndpoint(finding.endpoint.id, { enabled: false })
            disabled.push({ receiver, id: finding.endpoint.id })
          }
        }
        // Last, so that nothing can fail after a secret that is told once.
        const needed = before.filter(({ endpoint, receiver }) => endpoint === undefined || rotate.includes(receiver))
        const made: Array<Done["made"][number]> = []
        for (const one of needed) {
          const result = yield* Effect.result(make(one))
          if (result._tag === "Success") made.push(result.success)
          else if (made.length === 0) return yield* Effect.fail(result.failure)
        }
        const standing = yield* Effect.catch(check, () => Effect.succeed(before))
        return { made, repaired, disabled, standing }
      })

      return ProviderSetup.of({ check: Effect.withSpan(check, "ProviderSetup.check"), setup })
    })
  )
}
