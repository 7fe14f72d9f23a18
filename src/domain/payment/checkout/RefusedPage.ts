/** What a caller is told if the provider refuses to make a payment page. */
import { Effect } from "effect"
import type { BookingRow } from "../../booking/Booking.ts"
import { OperatorUnavailable } from "../../catalogue/Playroom.ts"
import { InvalidArguments } from "../../../platform/errors/InvalidArguments.ts"
import {
  type AccountUnavailable,
  faultOf,
  type ownFaultKinds,
  type ProviderKeyReused,
  type ProviderRefused,
  ProviderUnavailable,
  refusedInput
} from "../provider/PaymentGateway.ts"
import { ProviderHealth } from "../provider/ProviderHealth.ts"
import type { PaymentSessionRow } from "../sessions/PaymentSession.ts"
import type { SessionRequest } from "./SessionRequest.ts"

type OwnFault = (typeof ownFaultKinds)[number]

const operation = "createSession"

/** What the provider does not take, in words of ours: its own may repeat what was sent. */
const reasons: Readonly<Record<OwnFault, string>> = {
  settings_refused: "the provider does not take our own return address",
  clock_refused: "the provider does not take the time at which the page is to end, which is counted from our clock",
  request_refused: "the provider does not take what this service sends"
}

/**
 * Fails with an error that tells the caller what to do, by whose fault it is (`faultOf`): change an argument, or go
 * elsewhere if it is the operator's. One that is ours is stored for a person, and may be retried.
 */
export const makeFailRefused = Effect.map(ProviderHealth, (health) =>
  Effect.fnUntraced(function* (
    { payment_session_id, operator_id }: PaymentSessionRow,
    { status }: Pick<BookingRow, "status">,
    refused: AccountUnavailable | ProviderRefused | ProviderKeyReused,
    request: Pick<SessionRequest, "success_url" | "cancel_url">
  ) {
    const ours = Effect.fnUntraced(function* (kind: OwnFault, detail = "") {
      yield* Effect.logError("The payment provider refuses what this service sends", { payment_session_id, refused })
      const failure = new ProviderUnavailable({ operation, kind, reason: `${reasons[kind]}${detail}` })
      yield* health.recordFailure(failure)
      return yield* failure
    })
    if (refused._tag === "ProviderKeyReused") return yield* ours("request_refused", " (the key of an earlier request)")
    const what = refused._tag === "ProviderRefused" ? refusedInput(refused) : undefined
    if (what === "success_url" || what === "cancel_url") {
      if (request[what] === undefined) return yield* ours("settings_refused")
      const message = `The payment provider does not take this address; leave ${what} out for our own page`
      return yield* new InvalidArguments({ issues: [{ path: what, message }] })
    }
    if (what === "expires_at") return yield* ours("clock_refused")
    if (refused._tag === "ProviderRefused" && what !== undefined && faultOf[what] !== "operator")
      return yield* ours(
        "request_refused",
        ` (${refused.code}${refused.parameter === undefined ? "" : `, ${refused.parameter}`})`
      )
    yield* Effect.logWarning("The operator's account does not take the payment", {
      payment_session_id,
      operator_id,
      refused
    })
    return yield* new OperatorUnavailable({
      operator_id,
      ...(what === undefined ? {} : { payment_refused: what === "amount" ? "amount" : "other" }),
      ...(status === "confirmed" ? { booked: true } : {})
    })
  })
)
