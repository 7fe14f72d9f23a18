/** A booking that was paid by link and at the venue: who gives back what, wherever a family or an assistant is told. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Bookings } from "../../../../src/domain/booking/Bookings.ts"
import { languages, messages } from "../../../../src/words/Languages.ts"
import { moneyIn } from "../../../../src/words/Localized.ts"
import { bookingWithNextStep } from "../../../../src/surfaces/mcp/tools/NextSteps.ts"
import { recordPayment } from "../../../support/Acts.ts"
import { closedAccountOf } from "../../../../src/domain/catalogue/Operator.ts"
import { Operators } from "../../../../src/domain/catalogue/Operators.ts"
import { PaymentSummaries } from "../../../../src/domain/payment/PaymentSummaries.ts"
import { PaymentSessions } from "../../../../src/domain/payment/sessions/PaymentSessions.ts"
import { importVenue } from "../../../support/BookingWorld.ts"
import { escape, ask, backFrom, familyWorld, pageOf, press } from "../../../support/FamilyPages.ts"
import { bySmtp, Mailbox, sendLetters, toMailbox } from "../../../support/LetterWorld.ts"
import { confirmedOn, hall, moveBooking, optionOn, rowOf } from "../../../support/moveWorld.ts"
import {
  cancelBooking,
  deleteBookings,
  paidBooking,
  reconcileAfter,
  runProviderTasks,
  setClockBefore
} from "../../../support/PaymentWorld.ts"
import { ScriptedGateway } from "../../../support/ScriptedGateway.ts"

const world = toMailbox.pipe(Layer.provideMerge(Mailbox.layer), Layer.provideMerge(familyWorld({ letters: bySmtp() })))

/** £200 on a Tuesday by link, moved to a Saturday, and the £40 more paid in cash. */
const paidInTwoWays = Effect.gen(function* () {
  yield* Effect.andThen(importVenue(hall), deleteBookings)
  const booking = yield* confirmedOn("2026-12-15")
  yield* moveBooking(booking, yield* optionOn("2026-12-19"))
  yield* recordPayment(booking.booking_id, { amount: 4000, way: "cash", done_by: "Ann" }, { preview: false })
  yield* sendLetters
  return yield* rowOf(booking)
})

const words = (text: string) => text.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ")

const afterDispute =
  "is sent only once your bank has decided about the disputed payment, less what your bank gives back itself."

const twoWays = (bank: string, venue: string) =>
  `${bank} goes back to the card or account you paid with, usually within 5 to 10 working days. The other ${venue} goes back the way that was paid: the venue gives it back itself, or it is on your voucher again.`

layer(world)("money that was paid by link and at the venue", (it) => {
  it.effect("goes back in two ways, say the preview of a change, its page, its letter and the assistant", () =>
    Effect.gen(function* () {
      const booking = yield* paidInTwoWays
      const page = yield* pageOf(booking)
      // To the one day on which it costs £10.
      const preview = yield* ask(`${page}?step=move&option=${yield* optionOn("2026-12-08")}`)
      assert.include(words(preview.text), `What comes back £230.00 ${twoWays("£190.00", "£40.00")}`)
      assert.notInclude(preview.text, "went back before")
      assert.strictEqual((yield* press(page, preview, "move")).status, 303)
      assert.include(words((yield* ask(page)).text), `On its way back £230.00 ${twoWays("£190.00", "£40.00")}`)
      const [letter] = yield* sendLetters
      assert.include(words(letter?.html ?? ""), twoWays("£190.00", "£40.00"))
      assert.include(words(letter?.text ?? ""), twoWays("£190.00", "£40.00"))
      const row = yield* Bookings.use((bookings) => bookings.get(booking.booking_id))
      const told = bookingWithNextStep(row, yield* PaymentSummaries.use((summaries) => summaries.read(row)))
      assert.strictEqual(told.booking.refund_by_venue?.display, "£40.00")
      assert.include(
        told.next_step,
        "£190.00 is on its way back to the card or account it was paid with: banks take 5 to 10 working days. £40.00 was paid at the venue, and the operator gives it back: the person asks there."
      )
    })
  )

  it.effect(
    "goes back in two ways, say the page that cancels, the letter, and the page after paying in every language",
    () =>
      Effect.gen(function* () {
        const booking = yield* paidInTwoWays
        const page = yield* pageOf(booking)
        const preview = yield* ask(`${page}?step=cancel`)
        assert.include(words(preview.text), `All that you paid: £240.00. ${twoWays("£200.00", "£40.00")}`)
        yield* press(page, preview, "cancel")
        assert.include(words((yield* ask(page)).text), `£240.00 comes back to you. ${twoWays("£200.00", "£40.00")}`)
        const [letter] = yield* sendLetters
        assert.include(words(letter?.text ?? ""), `£240.00 comes back to you. ${twoWays("£200.00", "£40.00")}`)
        const [session] = yield* PaymentSessions.use((sessions) => sessions.ofBooking(booking.booking_id))
        for (const language of languages) {
          const { text } = yield* backFrom(session ?? assert.fail(), "success", { "accept-language": language })
          for (const amount of ["200", "40"]) assert.match(words(text), new RegExp(`(?<!\\d)${amount}[.,]00`), language)
        }
      })
  )

  it.effect("is told apart by what went back and what is on its way, and the venue's part by itself", () =>
    Effect.gen(function* () {
      const booking = yield* paidInTwoWays
      const page = yield* pageOf(booking)
      yield* press(page, yield* ask(`${page}?step=move&option=${yield* optionOn("2026-12-08")}`), "move")
      yield* runProviderTasks
      const seen = words((yield* ask(page)).text)
      assert.include(
        seen,
        "On its way back £40.00 It goes back the way it was paid: the venue gives it back itself, or it is on your voucher again."
      )
      assert.include(seen, "£190.00 went back before.")
      const cancel = words((yield* ask(`${page}?step=cancel`)).text)
      assert.include(cancel, "£190.00 of what you paid went back before. £40.00 is already on its way back to you.")
    })
  )

  it.effect("is not said to be on its way while it waits for the bank's decision about a dispute", () =>
    Effect.gen(function* () {
      const provider = yield* ScriptedGateway
      const booking = yield* paidInTwoWays
      const [session] = yield* PaymentSessions.use((sessions) => sessions.ofBooking(booking.booking_id))
      const dispute = provider.openDispute(session ?? assert.fail("no session"))
      const page = yield* pageOf(booking)
      const cancelling = yield* ask(`${page}?step=cancel`)
      const told = Effect.gen(function* () {
        const seen = words((yield* ask(page)).text)
        const row = yield* Bookings.use((bookings) => bookings.get(booking.booking_id))
        const summary = yield* PaymentSummaries.use((summaries) => summaries.read(row))
        return { seen, ...bookingWithNextStep(row, summary) }
      })
      const untilDecided = "until the bank has decided, nothing else is refunded"
      assert.include((yield* told).next_step, untilDecided)
      const [cash, disputed] = [
        "It goes back the way it was paid: the venue gives it back itself, or it is on your voucher again.",
        `£200.00 ${afterDispute}`
      ]
      assert.include(words(cancelling.text), `All that you paid: £240.00. ${cash} ${disputed}`)
      const moving = yield* ask(`${page}?step=move&option=${yield* optionOn("2026-12-08")}`)
      assert.include(words(moving.text), `What comes back £230.00 ${cash} £190.00 ${afterDispute}`)
      yield* press(page, cancelling, "cancel")
      // Before the refund is tried, and after the provider has refused it.
      for (const tried of [false, true]) {
        if (tried) yield* runProviderTasks
        const { booking: view, next_step, seen } = yield* told
        assert.include(seen, `£240.00 comes back to you. ${cash} ${disputed}`)
        assert.include(seen, "What comes back £240.00")
        assert.notInclude(seen, "n its way")
        assert.include(next_step, "£200.00 goes back only once the payer's bank has decided about the disputed payment")
        assert.notInclude(next_step, "on its way")
        assert.notInclude(next_step, untilDecided)
        assert.strictEqual(view.refund_on_its_way?.display, "£40.00")
      }
      const [letter] = yield* sendLetters
      assert.include(words(letter?.text ?? ""), `£240.00 comes back to you. ${cash} ${disputed}`)
      assert.notInclude(letter?.text ?? "", "n its way")
      for (const language of languages) {
        const { text } = yield* backFrom(session ?? assert.fail(), "success", { "accept-language": language })
        assert.include(
          text,
          escape(messages[language].words.backAfterDispute(moneyIn(language, 20_000, "GBP"))),
          language
        )
      }
      provider.setDisputeStatus(dispute.id, "won")
      yield* reconcileAfter("8 days")
      yield* runProviderTasks
      assert.include(words((yield* ask(page)).text), `£40.00 comes back to you. ${cash}`)
      assert.notInclude((yield* told).next_step, "disputed")
    })
  )

  it.effect("that did not arrive is told by the letter without what the operator gave back by hand since", () =>
    Effect.gen(function* () {
      const provider = yield* ScriptedGateway
      const { booking, session } = yield* paidBooking()
      yield* cancelBooking(booking)
      yield* runProviderTasks
      yield* sendLetters
      for (const { id } of provider.refunds.values()) provider.setRefundStatus(id, "failed", "lost_or_stolen_card")
      provider.refundInDashboard(session, 5000)
      yield* reconcileAfter("8 days")
      const { refundFailed } = messages.en.letters
      const letter = (yield* sendLetters).find(({ subject }) => subject.startsWith(refundFailed.heading))
      assert.include(letter?.text ?? "", refundFailed.lead("£70.00"))
    })
  )

  it.effect("that did not arrive is no more than the terms owe, beside what the operator gave back by hand", () =>
    Effect.gen(function* () {
      const provider = yield* ScriptedGateway
      const { booking, session } = yield* paidBooking()
      yield* setClockBefore(booking, 30)
      yield* cancelBooking(booking)
      provider.injectFault("createRefund", "refused")
      yield* runProviderTasks
      yield* sendLetters
      provider.refundInDashboard(session, 5000)
      yield* reconcileAfter("8 hours")
      const row = yield* Bookings.use((bookings) => bookings.get(booking.booking_id))
      const summary = yield* PaymentSummaries.use((summaries) => summaries.read(row))
      assert.deepStrictEqual([row.refunded, summary.refund_failed], [5000, 1000])
    })
  )

  it.effect("is neither kept nor on its way if it did not arrive", () =>
    Effect.gen(function* () {
      const provider = yield* ScriptedGateway
      const { booking } = yield* paidBooking()
      yield* cancelBooking(booking)
      yield* runProviderTasks
      for (const { id } of provider.refunds.values()) provider.setRefundStatus(id, "failed", "lost_or_stolen_card")
      yield* reconcileAfter("8 days")
      const page = words((yield* ask(yield* pageOf(booking))).text)
      assert.include(page, "£120.00 comes back to you. £120.00 could not be paid back to you:")
      assert.include(page, "What comes back £120.00")
      assert.notInclude(page, messages.en.page.kept)
      const row = yield* Bookings.use((bookings) => bookings.get(booking.booking_id))
      const told = bookingWithNextStep(row, yield* PaymentSummaries.use((summaries) => summaries.read(row)))
      assert.include(told.next_step, "£120.00 could not be paid back and is still owed")
      assert.notInclude(told.next_step, "on its way")
      assert.include(told.booking.terms.text, "Of the £120.00 paid, £120.00 went back or is still to go back.")
    })
  )

  it.effect(
    "is not said to be on its way while the venue's account is closed (M7), and goes back once it is open",
    () =>
      Effect.gen(function* () {
        const provider = yield* ScriptedGateway
        const booking = yield* paidInTwoWays
        const [session] = yield* PaymentSessions.use((sessions) => sessions.ofBooking(booking.booking_id))
        const { account = "" } = session ?? {}
        const page = yield* pageOf(booking)
        const told = Effect.gen(function* () {
          const seen = words((yield* ask(page)).text)
          const row = yield* Bookings.use((bookings) => bookings.get(booking.booking_id))
          const summary = yield* PaymentSummaries.use((summaries) => summaries.read(row))
          return { seen, ...bookingWithNextStep(row, summary) }
        })
        const cash = "It goes back the way it was paid: the venue gives it back itself, or it is on your voucher again."
        const blocked = messages.en.words.backOnceOpen("£200.00")
        // Nobody knows it before the refund is refused; what is known then is told, and off sale, too.
        const before = yield* ask(`${page}?step=cancel`)
        assert.include(words(before.text), twoWays("£200.00", "£40.00"))
        provider.outage = "account_closed"
        yield* press(page, before, "cancel")
        yield* Effect.exit(runProviderTasks)
        const operator = yield* Operators.use((operators) => operators.get(booking.operator_id))
        assert.strictEqual(closedAccountOf(operator), account)
        const check = Effect.gen(function* () {
          const { booking: view, next_step, seen } = yield* told
          assert.include(seen, `£240.00 comes back to you. ${cash} ${blocked}`)
          assert.include(seen, "What comes back £240.00")
          assert.include(
            next_step,
            "£200.00 goes back once the operator's account at the payment provider takes payments"
          )
          for (const text of [seen, next_step]) assert.notMatch(text, /5 to 10 working days/)
          assert.strictEqual(view.refund_on_its_way?.display, "£40.00")
        })
        yield* check
        const [letter] = yield* sendLetters
        assert.include(words(letter?.text ?? ""), `£240.00 comes back to you. ${cash} ${blocked}`)
        assert.notInclude(letter?.text ?? "", "n its way")
        for (const language of languages) {
          const { text } = yield* backFrom(session ?? assert.fail(), "success", { "accept-language": language })
          assert.include(
            text,
            escape(messages[language].words.backOnceOpen(moneyIn(language, 20_000, "GBP"))),
            language
          )
        }
        const receipt = words((yield* ask(`${page}?step=receipt`)).text)
        assert.include(receipt, messages.en.receipt.refundWaits)
        yield* reconcileAfter("1 day")
        yield* check
        provider.outage = undefined
        yield* reconcileAfter("1 day")
        yield* reconcileAfter("1 day")
        const after = yield* told
        assert.notInclude(after.seen, "account at the payment provider")
        assert.include(after.seen, "£200.00")
        assert.deepStrictEqual(after.booking.refunded?.display, "£200.00")
      })
  )

  it.effect("is told so before it is decided, once the account is known to be closed (M7)", () =>
    Effect.gen(function* () {
      const booking = yield* paidInTwoWays
      const operators = yield* Operators
      const { connected_account_id = "" } = yield* operators.get(booking.operator_id)
      yield* operators.closeAccount(connected_account_id, "closed by the test")
      const page = yield* pageOf(booking)
      const cash = "It goes back the way it was paid: the venue gives it back itself, or it is on your voucher again."
      const cancelling = words((yield* ask(`${page}?step=cancel`)).text)
      assert.include(cancelling, `All that you paid: £240.00. ${cash} ${messages.en.words.backOnceOpen("£200.00")}`)
      // Open again, it goes back as usual.
      yield* operators.openAccount(connected_account_id)
      const open = words((yield* ask(`${page}?step=cancel`)).text)
      assert.include(open, twoWays("£200.00", "£40.00"))
    })
  )
})
