/** Asks the provider what of a payment has gone back, by whoever's hand, or is under dispute; and takes note of it. */
import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql"
import type { BookingId } from "../../kernel/Ids.ts"
import { Disputes } from "./Disputes.ts"
import { type GatewayError, PaymentGateway, type ProviderRefund } from "../provider/PaymentGateway.ts"
import type { PaymentSessionRow } from "../sessions/PaymentSession.ts"
import { PaymentSessions } from "../sessions/PaymentSessions.ts"
import { Refunds } from "./Refunds.ts"

export interface Looked {
  readonly refunds: ReadonlyArray<ProviderRefund>
  /** How much was refunded by the operator's hand that we did not know of, in minor units. */
  readonly news: number
}

type Failure = GatewayError | SqlError.SqlError

export class GivenBack extends Context.Service<
  GivenBack,
  {
    /** Looks at one payment. Never inside a transaction. */
    readonly look: (session: PaymentSessionRow) => Effect.Effect<Looked, Failure>
    /** Looks at every payment of a booking; answers all their refunds. */
    readonly ofBooking: (booking_id: BookingId) => Effect.Effect<ReadonlyArray<ProviderRefund>, Failure>
  }
>()("playroom/payment/GivenBack") {
  static readonly layer = Layer.effect(
    GivenBack,
    Effect.gen(function* () {
      const gateway = yield* PaymentGateway
      const sessions = yield* PaymentSessions
      const refunds = yield* Refunds
      const disputes = yield* Disputes

      const look = Effect.fn("GivenBack.look")(function* (session: PaymentSessionRow) {
        if (session.payment_intent_id === null) return { refunds: [], news: 0 }
        const made = yield* gateway.listRefunds(session.account, session.payment_intent_id)
        const disputed = yield* gateway.listDisputes(session.account, session.payment_intent_id)
        const news = yield* refunds.reconcile(session, made)
        yield* disputes.notice(session, disputed)
        return { refunds: made, news }
      })

      const ofBooking = Effect.fn("GivenBack.ofBooking")(function* (booking_id: BookingId) {
        const paid = (yield* sessions.ofBooking(booking_id)).filter(({ status }) => status === "paid")
        return (yield* Effect.forEach(paid, look)).flatMap((looked) => looked.refunds)
      })

      return GivenBack.of({ look, ofBooking })
    })
  )
}
