/** The event that confirms a booking, for tests that bend it. */
import { Effect } from "effect"
import { createBooking, openSession } from "./PaymentWorld.ts"
import { sessionEvent } from "./providerEvents.ts"
import { ScriptedGateway } from "./ScriptedGateway.ts"

/** A booking with an open page, and the event that would confirm it. */
export const paidEvent = Effect.gen(function* () {
  const provider = yield* ScriptedGateway
  const booking = yield* createBooking()
  const session = yield* openSession(booking)
  const event = sessionEvent("checkout.session.completed", provider.act(session, "pay"))
  return { booking, session, event }
})

/** An event with other words about its object. */
export const withObject = <E extends { readonly data: { readonly object: object } }>(
  event: E,
  object: Record<string, unknown>
) => ({
  ...event,
  data: { object: { ...event.data.object, ...object } }
})
