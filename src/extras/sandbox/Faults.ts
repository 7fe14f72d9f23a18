/**
 * Switches that make the sandbox fail like providers and networks do, for tests. Set them through this service, or by
 * `POST /sandbox/faults` with form fields of the same names; without fields it resets them all. They are in memory: if
 * workers share the sandbox's port, only in the worker that got the request.
 */
import { Context, Effect, Layer, Ref, Schema } from "effect"

/**
 * What the next API calls meet. Before acting: `error_500`, `rate_limit` (429), `html_502`, `hang` (no answer), `cut`,
 * `account_closed` (403). After acting, so that the caller does not know: `cut_after`, `hang_after`. `error_500_saved`,
 * `error_500_saved_after`: a server error before or after acting that stays under the call's idempotency key; a call
 * without one never acts. `refund_fails`, `refund_pends`: acts, and the refund ends so. `balance_insufficient`: a
 * refund is refused, for the account has too little money; other calls do not meet it.
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

/** The number of next calls or deliveries with each fault. */
const Switches = Schema.Struct({
  api: Schema.Struct({ fault: ApiFault, times: Schema.Int }).pipe(Schema.NullOr),
  /** Delivered twice. */
  duplicate: Schema.Int,
  /** Held back until the next event has overtaken it. */
  reorder: Schema.Int,
  /** Delivered `delay_seconds` later. */
  delay: Schema.Int,
  delay_seconds: Schema.Int,
  /** Never delivered. */
  drop: Schema.Int,
  /** Changed after signing; the retry is correct. */
  corrupt: Schema.Int,
  /** Written for another API release, with an object of another shape. */
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

/** A call of the API. */
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
    /** Sets some switches and keeps the others. */
    readonly set: (faults: Partial<Switches>) => Effect.Effect<void>
    readonly reset: Effect.Effect<void>
    /** Takes the next fault of an API call, if any. */
    readonly nextApiFault: (call: ApiRequest) => Effect.Effect<ApiFault | undefined>
    /** Takes the next fault of a delivery, if any. `delay_seconds` is for `delay`. */
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
