/**
 * The platform's webhook endpoints at the provider: one for each receiver, with exactly the `usedEvents`: as snapshot
 * events at the API release that the client pins, or as thin events. Endpoints at other addresses are never changed. No
 * endpoint is ever deleted.
 */
import { Effect, Redacted, Schema } from "effect"
import { createHash } from "node:crypto"
import { Stripe } from "stripe"
import { AppConfig, type Settings } from "../../../platform/config/AppConfig.ts"
import { attempt, doneOf, type Outcome } from "../../../platform/concurrency/Outcomes.ts"
import { usedEvents } from "../events/Events.ts"
import { Receiver, receiverPaths } from "../provider/Receivers.ts"
import type { GatewayError } from "../provider/PaymentGateway.ts"
import { type EventPayload, PlatformGateway, type WebhookEndpoint } from "../provider/PlatformGateway.ts"

/** The settings that hold each receiver's secrets. */
export const secretSettings = {
  platform: "PAYMENT_WEBHOOK_SECRETS",
  connected: "PAYMENT_CONNECT_WEBHOOK_SECRETS"
} as const satisfies Record<Receiver, string>

/** The provider can't reach the service at its `BASE_URL`. */
class AddressUnreachable extends Schema.TaggedError<AddressUnreachable>()("AddressUnreachable", {
  base_url: Schema.String
}) {
  override get message(): string {
    return `The provider delivers events to public https addresses only, and BASE_URL is ${this.base_url}: set it to the service's own. To try out on this machine use stripe listen instead (docs/operating.md).`
  }
}

/**
 * A problem with a receiver's endpoints. `missing`: there is no suitable endpoint. `events`: it listens to other
 * events. `disabled`: it is switched off. `secret`: the settings lack its secret. `pending`: a newer endpoint, whose
 * secret is not in the settings yet. `replaced`: an older endpoint of this service that is no longer needed.
 * `duplicate`: somebody else's endpoint at the same address.
 */
export type Problem = "missing" | "events" | "disabled" | "secret" | "pending" | "replaced" | "duplicate"

export interface EndpointFinding {
  readonly receiver: Receiver
  readonly problem: Problem
  /** Absent if the endpoint is missing. */
  readonly endpoint?: WebhookEndpoint
}

/** A receiver's endpoint and the problems found. */
export interface ReceiverStatus {
  readonly receiver: Receiver
  readonly url: string
  /** The current endpoint. */
  readonly endpoint: WebhookEndpoint | undefined
  /** The kinds of events that suitable endpoints get which are on, the current one's or those of newer ones. */
  readonly payloads: ReadonlyArray<EventPayload>
  /** The settings have its secret; undefined if this service did not create the endpoint and can't know. */
  readonly secret_set: boolean | undefined
  readonly findings: ReadonlyArray<EndpointFinding>
}

/**
 * A step of a set-up. `make` an endpoint; `note` the fingerprint of a new endpoint's secret at the provider; `repair`
 * an endpoint's events, or switch it on; `switch_off` a replaced one; `check` the state afterwards.
 */
export interface SetupStep {
  readonly step: "make" | "note" | "repair" | "switch_off" | "check"
  /** Absent: both. */
  readonly receiver?: Receiver
  /** The endpoint; absent if there is none yet. */
  readonly id?: string
}

/** What came of each step of a set-up, the secrets of new endpoints, and the state after it. */
export interface SetupResult {
  readonly outcomes: ReadonlyArray<Outcome<SetupStep, unknown, GatewayError | AddressUnreachable>>
  readonly made: ReadonlyArray<{ readonly receiver: Receiver; readonly id: string; readonly secret: Redacted.Redacted }>
  /** Empty if they could not be checked. */
  readonly receivers: ReadonlyArray<ReceiverStatus>
}

/** A digest that identifies a secret. It does not reveal it: secrets are long and random. */
const fingerprint = (secret: Redacted.Redacted): string =>
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
 * The status of a receiver, given all of the platform's endpoints. The current endpoint is the newest suitable one
 * whose secret is in the settings. During a rotation, the old one stays current until the settings have the new secret.
 */
const receiverStatus = (
  receiver: Receiver,
  url: string,
  all: ReadonlyArray<WebhookEndpoint>,
  secrets: ReadonlySet<string>
): ReceiverStatus => {
  const atAddress = all
    .filter((endpoint) => addressOf(endpoint.url) === addressOf(url))
    .toSorted((a, b) => b.created - a.created)
  const suitable = atAddress.filter(
    (endpoint) =>
      (endpoint.payload === "thin" || endpoint.api_version === Stripe.API_VERSION) &&
      (endpoint.receiver === undefined || endpoint.receiver === receiver)
  )
  const hasSecret = (endpoint: WebhookEndpoint): boolean | undefined =>
    endpoint.secret_fingerprint === undefined ? undefined : secrets.has(endpoint.secret_fingerprint)
  const current =
    suitable.find((endpoint) => hasSecret(endpoint) === true) ?? suitable.find(({ enabled }) => enabled) ?? suitable[0]
  const problems = (endpoint: WebhookEndpoint): ReadonlyArray<Problem> => [
    ...(sameEvents(endpoint, receiver) ? [] : ["events" as const]),
    ...(endpoint.enabled ? [] : ["disabled" as const]),
    ...(hasSecret(endpoint) === false ? ["secret" as const] : [])
  ]
  const problemOfOther = (endpoint: WebhookEndpoint): Problem => {
    if (endpoint.receiver === undefined || current === undefined) return "duplicate"
    if (suitable.includes(endpoint) && endpoint.created >= current.created && hasSecret(endpoint) !== true)
      return "pending"
    return "replaced"
  }
  const findings: ReadonlyArray<EndpointFinding> = [
    ...(current === undefined ? [{ receiver, problem: "missing" as const }] : []),
    ...(current === undefined ? [] : problems(current).map((problem) => ({ receiver, problem, endpoint: current }))),
    ...atAddress
      .filter((endpoint) => endpoint.enabled && endpoint !== current)
      .map((endpoint) => ({ receiver, problem: problemOfOther(endpoint), endpoint }))
  ]
  return {
    receiver,
    url,
    endpoint: current,
    payloads: suitable
      .filter(({ created, enabled }) => enabled && (current === undefined || created >= current.created))
      .map(({ payload }) => payload),
    secret_set: current === undefined ? undefined : hasSecret(current),
    findings
  }
}

const secretsOf = (settings: Settings, receiver: Receiver): ReadonlySet<string> =>
  new Set((receiver === "platform" ? settings.platformSecrets : settings.connectedSecrets).map(fingerprint))

const reachableBaseUrl = Effect.gen(function* () {
  const settings = yield* AppConfig
  const { hostname, protocol } = new URL(settings.baseUrl)
  const local = hostname === "localhost" || hostname.endsWith(".localhost") || /^(127\.|\[::1\]$)/.test(hostname)
  if (settings.provider.kind === "stripe" && (protocol !== "https:" || local))
    return yield* new AddressUnreachable({ base_url: settings.baseUrl })
  return settings.baseUrl
})

/** The status of each receiver; changes nothing. */
export const checkEndpoints = Effect.gen(function* () {
  const settings = yield* AppConfig
  const base = yield* reachableBaseUrl
  const all = yield* PlatformGateway.use((gateway) => gateway.endpoints)
  return Receiver.literals.map((receiver) =>
    receiverStatus(receiver, `${base}${receiverPaths[receiver]}`, all, secretsOf(settings, receiver))
  )
}).pipe(Effect.withSpan("checkEndpoints"))

/** Steps that put the present endpoints of a receiver right. */
const repairs = ({ endpoint, findings, receiver, secret_set }: ReceiverStatus) => [
  ...(endpoint !== undefined && findings.some(({ problem }) => problem === "events" || problem === "disabled")
    ? [{ step: "repair" as const, receiver, endpoint }]
    : []),
  ...findings.flatMap((finding) =>
    finding.problem === "replaced" && finding.endpoint !== undefined && secret_set === true
      ? [{ step: "switch_off" as const, receiver, endpoint: finding.endpoint }]
      : []
  )
]

/**
 * Creates missing endpoints, and a new one for each receiver in `rotate`, or whose endpoint gets the other kind of
 * events than `payload` (default: the present kind, and snapshot events for the first endpoint). Repairs events and
 * switches endpoints on. Switches replaced endpoints off once the settings have the current one's secret. Idempotent,
 * except for `rotate`. A step that fails stops no other. Fails only if nothing could be tried.
 */
export const setUpEndpoints = Effect.fn("setUpEndpoints")(function* (
  rotate: ReadonlyArray<Receiver>,
  payload?: EventPayload
) {
  const gateway = yield* PlatformGateway
  const before = yield* checkEndpoints
  const repaired = yield* Effect.forEach(before.flatMap(repairs), ({ endpoint, receiver, step }) =>
    attempt(
      { step, receiver, id: endpoint.id } satisfies SetupStep,
      gateway.changeEndpoint(
        endpoint,
        step === "repair" ? { enabled_events: usedEvents[receiver], enabled: true } : { enabled: false }
      )
    )
  )
  const needed = before.filter(
    ({ endpoint, payloads, receiver }) =>
      endpoint === undefined ||
      rotate.includes(receiver) ||
      (payload !== undefined && endpoint.payload !== payload && !payloads.includes(payload))
  )
  const making = yield* Effect.forEach(needed, ({ endpoint, receiver, url }) =>
    attempt(
      { step: "make", receiver } satisfies SetupStep,
      gateway.createEndpoint({
        receiver,
        url,
        payload: payload ?? endpoint?.payload ?? "snapshot",
        enabled_events: usedEvents[receiver]
      })
    )
  )
  const made = doneOf(making).map(({ item: { receiver }, value: { id, payload, secret } }) => ({
    receiver,
    id,
    payload,
    secret
  }))
  // The provider returns a secret only once. Later runs can't match an endpoint without the note to its secret.
  const noted = yield* Effect.forEach(made, ({ id, payload, receiver, secret }) =>
    attempt(
      { step: "note", receiver, id } satisfies SetupStep,
      gateway.changeEndpoint({ id, payload }, { secret_fingerprint: fingerprint(secret) })
    )
  )
  const after = yield* attempt({ step: "check" } satisfies SetupStep, checkEndpoints)
  const result: SetupResult = {
    outcomes: [...repaired, ...making, ...noted, ...(after.outcome === "done" ? [] : [after])],
    made: made.map(({ id, receiver, secret }) => ({ id, receiver, secret })),
    receivers: after.outcome === "done" ? after.value : []
  }
  return result
})
