/** What the tools say of several options that one call books. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { responseBudgets } from "../../../../src/platform/text/ResponseBudget.ts"
import { addDays } from "../../../../src/platform/time/LocalTime.ts"
import { SqlClient } from "effect/sql"
import { actAndDeliver } from "../../../support/PaymentWorld.ts"
import { ask, at, inside, optionFor, payFor, payingPackage, playroom_id, type Run } from "../../../support/Assistant.ts"
import { setClock } from "../../../support/BookingWorld.ts"
import { deleteBookings, now } from "../../../support/PaymentWorld.ts"
import { callTool, freePackage, holdsPerEmail, newKey, toolWorld } from "../../../support/ToolWorld.ts"
import type { Package } from "../../../../src/domain/catalogue/Package.ts"

let runs = 0
const person = Effect.gen(function* () {
  yield* setClock(now)
  yield* deleteBookings
  runs++
  const known = {
    playroom_id,
    date: "2026-12-05",
    children: 8,
    contact: { name: "Ana", email: `order${runs}@example.com` }
  }
  const run: Run = { who: { key: yield* newKey(), address: `192.0.2.${50 + runs}` }, known, bound: false }
  return run
})
const optionOn = (run: Run, date: string, pkg: Package = payingPackage) =>
  optionFor({ ...run, known: { ...run.known, date } }, pkg)

layer(toolWorld)("several options by create_booking", (it) => {
  it.effect("are told first, with their sum; each answer names the others, and what each call pays", () =>
    Effect.gen(function* () {
      const run = yield* person
      const { known, who } = run
      const option_id = yield* optionOn(run, "2026-12-05")
      const more_option_ids = [yield* optionOn(run, "2026-12-06")]
      const made = yield* ask("create_booking", { option_id, more_option_ids, contact: known.contact }, who)
      assert.match(
        inside(made, "next_step"),
        /^2 bookings, each with its own reference: this one, and booked_together\. £\d+\.\d\d is due now in all: call create_payment_session with purpose "order" for one page that pays them all, or for each booking_id by itself\. The places are held until /
      )
      assert.strictEqual(made.already_existed, false)
      assert.notProperty(made, "not_booked")
      assert.notProperty(made, "other_bookings")
      assert.strictEqual(at(made, "booking", "booked_together", 0, "status"), "held")
      assert.match(inside(made, "booking", "booked_together", 0, "when"), /6 Dec 2026/)
      const [booking_id, other_id] = [
        inside(made, "booking", "booking_id"),
        inside(made, "booking", "booked_together", 0, "booking_id")
      ]
      const paying = yield* ask("create_payment_session", { booking_id }, who)
      assert.match(
        inside(paying, "next_step"),
        /This pays this booking alone\. Of those booked together with it, £.* is still to be paid: with purpose "order", one page pays all\.$/
      )
      yield* payFor(run, booking_id)
      const shown = yield* ask("get_booking", { booking_id }, who)
      assert.strictEqual(at(shown, "booking", "status"), "confirmed")
      assert.match(
        inside(shown, "next_step"),
        /It was booked together with 1 other \(booked_together\), of which £.* is still to be paid now for 1 \(purpose "order" pays all at once\): each is changed and cancelled by itself\.$/
      )
      const other = yield* ask("get_booking", { booking_id: other_id }, who)
      assert.strictEqual(at(other, "booking", "booked_together", 0, "status"), "confirmed")
      assert.notProperty(at(other, "booking", "booked_together", 0), "due_now")
      // Asked again, it is the same set.
      const again = yield* ask("create_booking", { option_id, more_option_ids, contact: known.contact }, who)
      assert.strictEqual(again.already_existed, true)
      assert.strictEqual(inside(again, "booking", "booking_id"), booking_id)
    })
  )

  it.effect("are paid by one page, which names them all, and all are confirmed then", () =>
    Effect.gen(function* () {
      const run = yield* person
      const { known, who } = run
      const option_id = yield* optionOn(run, "2026-12-12")
      const more_option_ids = [yield* optionOn(run, "2026-12-13")]
      const made = yield* ask("create_booking", { option_id, more_option_ids, contact: known.contact }, who)
      const booking_id = inside(made, "booking", "booking_id")
      const due = Number(at(made, "booking", "due_now", "amount"))
      const paying = yield* ask("create_payment_session", { booking_id, purpose: "order" }, who)
      assert.strictEqual(at(paying, "payment_session", "amount", "amount"), 2 * due)
      assert.strictEqual(inside(paying, "payment_session", "purpose"), "due_now")
      const step = inside(paying, "next_step")
      assert.match(step, /12 Dec 2026.*; and .*13 Dec 2026/)
      assert.match(step, /This one page pays all that were booked together and are unpaid\./)
      const again = yield* ask("create_payment_session", { booking_id, purpose: "order" }, who)
      assert.strictEqual(inside(again, "payment_session", "url"), inside(paying, "payment_session", "url"))
      const sql = yield* SqlClient.SqlClient
      const [page] = yield* sql<{ payment_session_id: string; provider_session_id: string }>`
        select payment_session_id, provider_session_id from voucher_sale order by created_at desc limit 1`
      yield* actAndDeliver(page ?? assert.fail("no page"), "pay")
      for (const id of [booking_id, inside(made, "booking", "booked_together", 0, "booking_id")]) {
        const shown = yield* ask("get_booking", { booking_id: id }, who)
        assert.strictEqual(at(shown, "booking", "status"), "confirmed")
        assert.notProperty(at(shown, "booking"), "refund_by_venue")
      }
    })
  )

  it.effect("are refused whole with what is gone; book_rest true books what is free, and says what is not", () =>
    Effect.gen(function* () {
      const run = yield* person
      const { known, who } = run
      const option_id = yield* optionOn(run, "2026-12-05")
      const gone = yield* optionOn(run, "2026-12-06")
      const others = { name: "Bo", email: "bo@example.com" }
      yield* ask(
        "create_booking",
        { option_id: gone, contact: others },
        { key: yield* newKey(), address: "192.0.2.99" }
      )
      const call = { option_id, more_option_ids: [gone], contact: known.contact }
      const refused = yield* callTool("create_booking", call, who)
      if (!("fault" in refused)) return assert.fail("it was booked")
      assert.strictEqual(refused.fault.code, "slot_unavailable")
      assert.match(refused.fault.fix, /repeat this call with book_rest true and a new idempotency_key/)
      assert.strictEqual(at(refused.fault.details, "not_booked", 0, "option_id"), gone)
      assert.strictEqual(at(refused.fault.details, "not_booked", 0, "why"), "fully_booked")
      const made = yield* ask("create_booking", { ...call, book_rest: true }, who)
      assert.match(
        inside(made, "next_step"),
        /^Not booked: Sun 6 Dec 2026, .* \(fully_booked\): tell the person\. The places/
      )
      assert.deepStrictEqual(made.not_booked, [gone])
      assert.strictEqual(at(made, "booking", "status"), "held")
      const many = []
      for (const day of ["2026-12-12", "2026-12-13", "2026-12-19"]) many.push(yield* optionOn(run, day))
      const [one, ...rest] = many
      const over = yield* callTool(
        "create_booking",
        { option_id: one, more_option_ids: rest, contact: { name: "Cleo", email: "cleo@example.com" } },
        who
      )
      if (!("fault" in over)) return assert.fail("it was booked")
      assert.strictEqual(over.fault.code, "too_many_holds")
      assert.include(over.fault.message, "3 bookings by one call")
      assert.include(over.fault.message, `(${holdsPerEmail})`)
      assert.match(over.fault.fix, /book fewer of them by this call with a new idempotency_key/)
      const wrong = yield* callTool("create_booking", { ...call, more_option_ids: [option_id] }, who)
      assert.include(JSON.stringify(wrong), "more_option_ids[0]: Expected each option once")
    })
  )

  it.effect("of twelve dates fit a usual answer nearly, and hosts' limits well", () =>
    Effect.gen(function* () {
      const run = yield* person
      const { known, who } = run
      const options = []
      for (let day = 0; day < 12; day++)
        options.push(
          yield* optionOn(
            { ...run, who: { ...who, address: `198.51.100.${day}` } },
            addDays("2026-12-05", day),
            freePackage
          )
        )
      const [option_id, ...more_option_ids] = options
      const made = yield* ask("create_booking", { option_id, more_option_ids, contact: known.contact }, who)
      assert.match(inside(made, "booking", "booked_together", 10, "when"), /16 Dec 2026/)
      assert.isUndefined(at(made, "booking", "booked_together", 11))
      assert.isBelow(JSON.stringify(made).length, responseBudgets.usual * 1.2)
      const many = yield* callTool(
        "create_booking",
        { option_id, more_option_ids: [...more_option_ids, "option_x"], contact: known.contact },
        who
      )
      assert.include(JSON.stringify(many), "Expected a list of at most 11, not of 12")
    })
  )
})
