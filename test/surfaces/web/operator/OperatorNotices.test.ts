import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { actionItems, noticesOf } from "../../../../src/ops/attention/ActionItems.ts"
import { LinkTokens } from "../../../../src/platform/access/LinkTokens.ts"
import { Operators } from "../../../../src/domain/catalogue/Operators.ts"
import { languages, messages } from "../../../../src/words/Languages.ts"
import { importVenue } from "../../../support/BookingWorld.ts"
import { bookAt, hall, loft, payAt, sydney } from "../../../support/operatorVenues.ts"
import { PageAddress, pageWorld } from "../../../support/FamilyPages.ts"

const { operator } = hall
const { operator_id } = operator

const pageOf = Effect.fnUntraced(function* (operator_id: typeof operator.operator_id, language = "en") {
  const { link_counter } = yield* Operators.use((operators) => operators.page(operator_id))
  const links = yield* LinkTokens
  const link = yield* links.address({ page: "operator", operator_id, counter: link_counter })
  const address = `${yield* PageAddress}${new URL(link).pathname}`
  return yield* Effect.promise(() =>
    fetch(address, { headers: { "accept-language": language } }).then((response) => response.text())
  )
})

layer(pageWorld())("what an operator is told on its page", (it) => {
  it.effect("is what it can act on, of its own bookings, on whichever day, in each language; and nothing else", () =>
    Effect.gen(function* () {
      yield* importVenue(hall, loft, sydney)
      const heading = messages.en.operator.toDo
      const booking = yield* bookAt(hall, "2026-12-05", "10:00", "deposit", { name: "Ben Ode" })
      yield* payAt(booking)
      assert.notInclude(yield* pageOf(operator_id), heading)
      const sql = yield* SqlClient.SqlClient
      const [session] = yield* sql<{ payment_session_id: string; account: string }>`
        select payment_session_id, account from payment_session where booking_id = ${booking.booking_id}`
      const { payment_session_id } = session ?? assert.fail("not paid")
      yield* sql`insert into dispute (dispute_id, operator_id, booking_id, payment_session_id, status, amount, currency, reason, created_at, updated_at)
        values ('dp_1', ${operator_id}, ${booking.booking_id}, ${payment_session_id}, 'needs_response', 5000, 'GBP', 'fraudulent', now(), now())`
      yield* sql`update booking set flagged = 'for the platform' where booking_id = ${booking.booking_id}`
      for (const language of languages) {
        const text = yield* pageOf(operator_id, language)
        assert.include(text, messages[language].operator.toDo)
        assert.include(text, booking.reference)
        assert.notInclude(text, "for the platform")
      }
      const english = yield* pageOf(operator_id)
      assert.include(english, messages.en.operator.notices.disputed("£50.00", booking.reference))
      assert.deepStrictEqual(yield* noticesOf("operator_of_others"), [])
      yield* sql`update dispute set status = 'lost', lost_at = now()`
      assert.include(yield* pageOf(operator_id), messages.en.operator.notices.dispute_lost("£50.00", booking.reference))
      yield* sql`update dispute set seen_status = status`
      yield* sql`update booking set flagged = null, payment_status = 'refunded', paid = total, refunded = total
        where booking_id = ${booking.booking_id}`
      const back = yield* noticesOf(operator_id)
      assert.deepStrictEqual(
        back.map(({ kind }) => kind),
        ["paid_back"]
      )
      assert.include(yield* pageOf(operator_id), messages.en.operator.notices.paid_back("£200.00", booking.reference))
    })
  )

  it("is said by the list of what needs a person: its entries for operators have a notice, the platform's none", () => {
    const told = actionItems.flatMap((entry) => ("notices" in entry ? entry.codes : []))
    assert.includeMembers(
      [...told],
      ["refund failed", "refund waits for money", "payment disputed", "dispute lost", "paid back while confirmed"]
    )
    const kept = actionItems.flatMap((entry): ReadonlyArray<string> => ("notices" in entry ? [] : entry.codes))
    assert.includeMembers(kept, ["database", "payment provider", "event rejected", "subscription lapsed"])
  })
})
