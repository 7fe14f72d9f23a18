/**
 * Switches that make the sandbox misbehave as providers and networks do, for tests. Set through this service, or by
 * `POST /sandbox/faults` with form fields of the same names; `POST /sandbox/faults` with no fields puts all of them back. They are in
 * memory: if workers share the sandbox's port, in that of the one that took the request.
 */
import { Context, Effect, Layer, Ref, Schema } from "effect"

/**
 * What the next API calls meet. Before acting: `error_500`, `rate_limit` (429), `html_502`, `hang` (no answer), `cut`, `account_closed`
 * (403). After acting, so that the caller does not know: `cut_after`, `hang_after`. `error_500_saved`, `error_500_saved_after`: a server
 * error before or after acting that stays under the call's idempotency key; a call without one never acts. `refund_fails`,
 * `refund_pends`: acts, and the refund ends so. `balance_insufficient`: a refund is refused, for the account has too little money; other
 * calls do not meet it.
 */
export const ApiFault = Schema.Literals([
  "error_500",
  "rate_limit",
  "html_502",
  "hang",
  "cut",
  "cut_after",
  "hang_after",
  "account_closed",
  "error_500_saved",
  "error_500_saved_after",
  "refund_fails",
  "refund_pends",
  "balance_insufficient"
])
export type ApiFault = typeof ApiFault.Type

/** How many of the next calls or deliveries meet each fault. */
const Switches = Schema.Struct({
  api: Schema.Struct({ fault: ApiFault, times: Schema.Int }).pipe(Schema.NullOr),
  /** Delivered twice. */
  duplicate: Schema.Int,
  /** Held back until the next event overtook it. */
  reorder: Schema.Int,
  /** Delivered `delay_seconds` later. */
  delay: Schema.Int,
  delay_seconds: Schema.Int,
  /** Never delivered. */
  drop: Schema.Int,
  /** Changed after signing; the retry is right. */
  corrupt: Schema.Int,
  /** Written at another release of the API, with the object in another shape. */
  other_release: Schema.Int
})
type Switches = typeof Switches.Type

const none: Switches = {
  api: null,
  duplicate: 0,
  reorder: 0,
  delay: 0,
  delay_seconds: 60,
  drop: 0,
  corrupt: 0,
  other_release: 0
}

const order = ["drop", "delay", "reorder", "corrupt", "duplicate", "other_release"] as const
export type DeliveryFault = (typeof order)[number]

/** A call of the API, before anything is done about it. */
export interface ApiRequest {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly body: string
  /** The connected account; empty: the platform's own. */
  readonly account: string
}

export class Faults extends Context.Service<
  Faults,
  {
    /** Sets some; the others stay. */
    readonly set: (faults: Partial<Switches>) => Effect.Effect<void>
    readonly reset: Effect.Effect<void>
    /** The fault that this API call meets, if any; counted down. */
    readonly nextApiFault: (call: ApiRequest) => Effect.Effect<ApiFault | undefined>
    /** The fault that the delivery of this event meets, if any; counted down. `delay_seconds` goes with `delay`. */
    readonly nextDeliveryFault: (
      event: string
    ) => Effect.Effect<{ readonly fault: DeliveryFault; readonly delay_seconds: number } | undefined>
  }
>()("playroom/sandbox/Faults") {
  static readonly layer = Layer.effect(
    Faults,
    Effect.map(Ref.make(none), (state) =>
      Faults.of({
        set: (faults) => Ref.update(state, (old) => ({ ...old, ...faults })),
        reset: Ref.set(state, none),
        nextApiFault: ({ method, path }) =>
          Ref.modify(state, (old) => {
            if (old.api === null || old.api.times < 1) return [undefined, old]
            const refunding = method === "POST" && path === "/v1/refunds"
            if (old.api.fault === "balance_insufficient" && !refunding) return [undefined, old]
            return [old.api.fault, { ...old, api: { ...old.api, times: old.api.times - 1 } }]
          }),
        nextDeliveryFault: () =>
          Ref.modify(state, (old) => {
            const fault = order.find((name) => old[name] > 0)
            return fault === undefined
              ? [undefined, old]
              : [
                  { fault, delay_seconds: old.delay_seconds },
                  { ...old, [fault]: old[fault] - 1 }
                ]
          })
      })
    )
  )
}
