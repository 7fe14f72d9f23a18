/**
 * The platform's webhook endpoints at the provider: one for each receiver, at the release of the API that the client pins, with the
 * events that are used (`usedEvents`) and no others. An endpoint at another address is somebody else's and never touched. No endpoint is
 * ever deleted.
 */
import { Context, Effect, Layer, Redacted, Schema } from "effect"
import { createHash } from "node:crypto"
import { Stripe } from "stripe"
import { AppConfig, type Settings } from "../../config/AppConfig.ts"
import { usedEvents } from "../events/Events.ts"
import { Receiver, receiverPaths } from "../provider/Receivers.ts"
import type { GatewayError } from "../provider/PaymentGateway.ts"
import { PlatformGateway, type WebhookEndpoint } from "../provider/PlatformGateway.ts"

/** The settings that hold each receiver's secrets. */
export const secretSettings = {
  platform: "PAYMENT_WEBHOOK_SECRETS",
  connected: "PAYMENT_CONNECT_WEBHOOK_SECRETS"
} as const satisfies Record<Receiver, string>

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

export interface EndpointFinding {
  readonly receiver: Receiver
  readonly problem: Problem
  /** The endpoint; absent where there is none. */
  readonly endpoint?: WebhookEndpoint
}

/** The endpoints of a receiver, and what is wrong with them. */
export interface ReceiverStatus {
  readonly receiver: Receiver
  readonly url: string
  /** The endpoint that counts. */
  readonly endpoint: WebhookEndpoint | undefined
  /** Whether the settings hold its secret; undefined where it was not made here, so that nobody can tell. */
  readonly secret_set: boolean | undefined
  readonly findings: ReadonlyArray<EndpointFinding>
}

/** What a set-up did, and the state after it. */
export interface SetupResult {
  readonly made: ReadonlyArray<{ readonly receiver: Receiver; readonly id: string; readonly secret: Redacted.Redacted }>
  readonly repaired: ReadonlyArray<{ readonly receiver: Receiver; readonly id: string }>
  readonly disabled: ReadonlyArray<{ readonly receiver: Receiver; readonly id: string }>
  readonly receivers: ReadonlyArray<ReceiverStatus>
}

/** A digest that tells secrets apart. It does not give them away, as they are long and random. */
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
 * The status of a receiver, given all of the platform's endpoints. Of several endpoints that would do, the newest whose secret the
 * settings hold counts. While secrets are rotated that is the old one, until the new secret has been put into the settings.
 */
const receiverStatus = (
  receiver: Receiver,
  url: string,
  all: ReadonlyArray<WebhookEndpoint>,
  secrets: ReadonlySet<string>
): ReceiverStatus => {
  const here = all
    .filter((endpoint) => addressOf(endpoint.url) === addressOf(url))
    .toSorted((a, b) => b.created - a.created)
  const fitting = here.filter(
    (endpoint) =>
      endpoint.api_version === Stripe.API_VERSION && (endpoint.receiver === undefined || endpoint.receiver === receiver)
  )
  const hasSecret = (endpoint: WebhookEndpoint): boolean | undefined =>
    endpoint.secret_fingerprint === undefined ? undefined : secrets.has(endpoint.secret_fingerprint)
  const current =
    fitting.find((endpoint) => hasSecret(endpoint) === true) ?? fitting.find(({ enabled }) => enabled) ?? fitting[0]
  const problems = (endpoint: WebhookEndpoint): ReadonlyArray<Problem> => [
    ...(sameEvents(endpoint, receiver) ? [] : ["events" as const]),
    ...(endpoint.enabled ? [] : ["disabled" as const]),
    ...(hasSecret(endpoint) === false ? ["secret" as const] : [])
  ]
  const problemOfSpare = (endpoint: WebhookEndpoint): Problem => {
    if (endpoint.receiver === undefined || current === undefined) return "duplicate"
    if (fitting.includes(endpoint) && endpoint.created >= current.created && hasSecret(endpoint) !== true)
      return "pending"
    return "replaced"
  }
  const findings: ReadonlyArray<EndpointFinding> = [
    ...(current === undefined ? [{ receiver, problem: "missing" as const }] : []),
    ...(current === undefined ? [] : problems(current).map((problem) => ({ receiver, problem, endpoint: current }))),
    ...here
      .filter((endpoint) => endpoint.enabled && endpoint !== current)
      .map((endpoint) => ({ receiver, problem: problemOfSpare(endpoint), endpoint }))
  ]
  return {
    receiver,
    url,
    endpoint: current,
    secret_set: current === undefined ? undefined : hasSecret(current),
    findings
  }
}

const secretsOf = (settings: Settings, receiver: Receiver): ReadonlySet<string> =>
  new Set((receiver === "platform" ? settings.platformSecrets : settings.connectedSecrets).map(fingerprint))

type Failure = AddressUnreachable | GatewayError

export class ProviderSetup extends Context.Service<
  ProviderSetup,
  {
    /** The status of each receiver; changes nothing. */
    readonly check: Effect.Effect<ReadonlyArray<ReceiverStatus>, Failure>
    /**
     * Makes the endpoints that are missing, and another one for each receiver in `rotate`; repairs events and switches on what is off;
     * switches off what this service made before, once the settings hold the secret of what counts now. Doing so twice changes
     * nothing more.
     */
    readonly setup: (rotate: ReadonlyArray<Receiver>) => Effect.Effect<SetupResult, Failure>
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
        return Receiver.literals.map((receiver) =>
          receiverStatus(receiver, `${base}${receiverPaths[receiver]}`, all, secretsOf(settings, receiver))
        )
      })

      const createEndpoint = Effect.fnUntraced(function* ({ receiver, url }: ReceiverStatus) {
        const { id, secret } = yield* gateway.createEndpoint({ receiver, url, enabled_events: usedEvents[receiver] })
        // The provider tells the secret only once. Should this call fail, nobody can tell later whose secret it is.
        yield* Effect.ignore(gateway.changeEndpoint(id, { secret_fingerprint: fingerprint(secret) }))
        return { receiver, id, secret }
      })

      const setup = Effect.fn("ProviderSetup.setup")(function* (rotate: ReadonlyArray<Receiver>) {
        const before = yield* check
        const repaired: Array<SetupResult["repaired"][number]> = []
        const disabled: Array<SetupResult["disabled"][number]> = []
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
        // Last: after a secret was told, nothing else may fail.
        const needed = before.filter(({ endpoint, receiver }) => endpoint === undefined || rotate.includes(receiver))
        const made: Array<SetupResult["made"][number]> = []
        for (const status of needed) {
          const result = yield* Effect.result(createEndpoint(status))
          if (result._tag === "Success") made.push(result.success)
          else if (made.length === 0) return yield* Effect.fail(result.failure)
        }
        const after = yield* Effect.catch(check, () => Effect.succeed(before))
        return { made, repaired, disabled, receivers: after }
      })

      return ProviderSetup.of({ check: Effect.withSpan(check, "ProviderSetup.check"), setup })
    })
  )
}
