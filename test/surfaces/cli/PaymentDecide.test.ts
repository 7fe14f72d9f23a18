import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { commandWorld, playroom } from "../../support/CommandLine.ts"
import {
  actAtProvider,
  bookingState,
  bookingWithSession,
  confirmed,
  deleteBookings,
  deliverAndApply,
  openSession,
  paidBooking,
  runProviderTasks
} from "../../support/PaymentWorld.ts"
import { sessionEvent } from "../../support/providerEvents.ts"
import { packages } from "../../support/paymentVenues.ts"
import { ScriptedGateway } from "../../support/ScriptedGateway.ts"
import type { PaymentSessionRow } from "../../../src/domain/payment/sessions/PaymentSession.ts"

/** The payer pays, and the provider says that it was this. */
const paidAs = Effect.fnUntraced(function* (session: PaymentSessionRow, said: object) {
  const provider = yield* ScriptedGateway
  yield* actAtProvider(session, "pay")
  Object.assign(provider.sessionOf(session), said)
  yield* deliverAndApply(sessionEvent("checkout.session.completed", provider.sessionOf(session)))
})

/** What the audit finds of the stored data. */
const audit = Effect.map(playroom("doctor", "--audit"), ({ complaints, failure, out }) => ({
  failure,
  out: `${out}${complaints}`
}))

layer(commandWorld)("playroom payment decide", (it) => {
  it.effect("is led to by the doctor, decides once, and says who did", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const { booking, session } = yield* bookingWithSession()
      yield* paidAs(session, { amount_total: 11_999 })
      const { out } = yield* playroom("doctor")
      const id = session.payment_session_id
      assert.include(out, `payment is not what was asked for  ${id}`)
      assert.include(out, "£119.99 was paid")
      assert.include(out, "£120.00 was asked for")
      assert.include(out, `playroom payment decide ${id} --take`)
      assert.include((yield* playroom("payment", "decide", id)).failure ?? "", "either --take or --send-back")
      assert.include((yield* playroom("doctor", "--settle", id)).failure ?? "", id)
      const done = yield* playroom("payment", "decide", id, "--take", "--by", "Ann")
      assert.include(done.out, "£119.99 where £120.00 was asked for")
      assert.include(done.out, "The booking is confirmed.")
      assert.deepStrictEqual(yield* bookingState(booking), { ...confirmed, paid: 11_999 })
      const again = yield* playroom("payment", "decide", id, "--send-back")
      assert.include(again.failure ?? "", "somebody has decided about it")
      const none = yield* playroom("payment", "decide", "payment_01kbbsdph8e3xrn5vp9eqs3rdy", "--take")
      assert.include(none.failure ?? "", "there is no such payment")
      assert.notInclude((yield* playroom("doctor")).out, id)
      assert.match((yield* playroom("booking", "show", booking.reference)).out, /Ann.*£119.99 is this booking's/)
    })
  )

  it.effect("leaves books in which the audit finds no fault: waiting, taken or sent back, too little or too much", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const sound = (step: string) =>
        Effect.map(audit, ({ out }) =>
          assert.notMatch(
            out,
            /differs|though paid|not paid|paid twice|processing without|refund(ed)? /,
            `${step}\n${out}`
          )
        )
      const decided: Array<readonly [PaymentSessionRow, "--send-back" | "--take"]> = []
      const paid = Effect.fnUntraced(function* (
        session: PaymentSessionRow,
        decision: "--send-back" | "--take",
        said: object
      ) {
        yield* paidAs(session, said)
        decided.push([session, decision])
      })
      for (const amount_total of [11_999, 10_000, 15_000])
        for (const decision of ["--take", "--send-back"] as const)
          yield* paid((yield* bookingWithSession()).session, decision, { amount_total })
      yield* paid((yield* bookingWithSession()).session, "--send-back", { currency: "EUR" })
      const { booking } = yield* paidBooking(packages.depositParty)
      const balance = yield* openSession(booking, "balance")
      yield* paid(balance, "--take", { amount_total: balance.amount - 1000 })
      yield* sound("waiting")
      for (const [{ payment_session_id }, decision] of decided)
        yield* playroom("payment", "decide", payment_session_id, decision)
      yield* sound("decided")
      yield* runProviderTasks
      yield* sound("sent")
    })
  )
})
