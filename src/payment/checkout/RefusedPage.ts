/** What a caller is told if the provider refuses to make a payment page. */
import { Effect } from "effect"
import type { BookingRow } from "../../booking/Booking.ts"
import { OperatorUnavailable } from "../../catalogue/Playroom.ts"
import { InvalidArguments } from "../../kernel/InvalidArguments.ts"
import {
  type AccountUnavailable,
  type ProviderRefused,
  ProviderUnavailable,
  refusedInput
} from "../provider/PaymentGateway.ts"
import type { PaymentSessionRow } from "../sessions/PaymentSession.ts"
import type { SessionRequest } from "./SessionRequest.ts"

/**
 * Fails with an error that tells the caller what to do: change an argument, or go elsewhere; nothing if our
 * settings are wrong.
 */
export const failRefused = Effect.fnUntraced(function* (
  { payment_session_id, operator_id }: PaymentSessionRow,
  { status }: Pick<BookingRow, "status">,
  refused: AccountUnavailable | ProviderRefused,
  request: Pick<SessionRequest, "success_url" | "cancel_url">
) {
  const what = refused._tag === "ProviderRefused" ? refusedInput(refused) : undefined
  if (what === "success_url" || what === "cancel_url") {
    if (request[what] !== undefined) {
      const message = `The payment provider does not take this address; leave ${what} out for our own page`
      return yield* new InvalidArguments({ issues: [{ path: what, message }] })
    }
    yield* Effect.logError("The payment provider does not take the address that payers return to: see BASE_URL", {
      refused
    })
    return yield* new ProviderUnavailable({
      operation: "createSession",
      kind: "settings_refused",
      reason: "the provider does not take our own return address"
    })
  }
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
