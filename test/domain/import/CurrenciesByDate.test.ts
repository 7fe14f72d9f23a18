import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { parseCatalogue } from "../../../src/domain/import/ParseCatalogue.ts"
import { toProviderAmount } from "../../../src/platform/money/Charge.ts"
import { Currency, display } from "../../../src/platform/money/Money.ts"
import { endsAhead } from "../../../src/platform/money/Tender.ts"
import { endingText } from "../../../src/surfaces/cli/catalogue.ts"
import { setClock } from "../../support/BookingWorld.ts"
import { catalogueJson, packageJson, playroomJson } from "../../support/catalogues.ts"
import { commandWorld, parsed, playroom } from "../../support/CommandLine.ts"
import { bookingState, cancelBooking, now, paidBooking } from "../../support/PaymentWorld.ts"
import { venue } from "../../support/paymentVenues.ts"

/** What an import says of a playroom in a currency on a day, its prices 100 times the smallest unit. */
const told = Effect.fnUntraced(function* (currency: string, day: string) {
  yield* TestClock.setTime(Date.parse(day))
  return yield* parseCatalogue(catalogueJson([playroomJson(1, { currency, packages: [packageJson(1)] })])).pipe(
    Effect.as<ReadonlyArray<string>>([]),
    Effect.catch(({ issues }) => Effect.succeed(issues.map(({ message, path }) => `${path}: ${message}`)))
  )
})

const findingsIn = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ what: Schema.String, id: Schema.String, detail: Schema.String, fix: Schema.String }))
)

const refused = (text: string) => [`playrooms[0].currency: ${text}, and all amounts of this playroom in it`]

describe("D6: the currency of a catalogue file", () => {
  it.effect("is refused once it is no longer tender, with since when and what to write instead", () =>
    Effect.gen(function* () {
      const bgn = "BGN was tender until 2026-01-31. Write EUR (since 2026-01-01)"
      assert.deepStrictEqual(yield* told("BGN", "2026-01-31T12:00:00Z"), [])
      assert.deepStrictEqual(yield* told("BGN", "2026-02-01T00:00:00Z"), refused(bgn))
      const today = "2026-11-29T12:00:00Z"
      const ends: ReadonlyArray<readonly [currency: string, text: string]> = [
        ["BGN", bgn],
        ["ANG", "ANG was tender until 2025-06-30. Write XCG (since 2025-03-31)"],
        ["HRK", "HRK was tender until 2023-01-14. Write EUR (since 2023-01-01)"],
        ["SLL", "SLL was tender until 2023-12-31. Write SLE (since 2022-07-01)"],
        // The provider takes no ZWG.
        ["ZWL", "ZWL was tender until 2024-08-31. Write USD (since 2009-04-12)"],
        [
          "MRO",
          "MRO was tender until 2018-06-30. Write MRU (since 2018-01-01, but the payment provider takes no payments in it)"
        ],
        ["DEM", "DEM was tender until 2002-05-15. Write EUR (since 2002-01-01)"]
      ]
      for (const [currency, text] of ends) assert.deepStrictEqual(yield* told(currency, today), refused(text), currency)
      for (const currency of ["EUR", "XCG", "SLE", "USD"]) assert.deepStrictEqual(yield* told(currency, today), [])
      for (const currency of ["VES", "ZWG", "MRU"])
        assert.deepStrictEqual(yield* told(currency, today), [
          `playrooms[0].packages[0].pricing: The payment provider takes no payments in ${currency}`
        ])
    })
  )

  it("that ends on a day to come is named with that day, and with what to write instead", () => {
    assert.strictEqual(
      endingText(endsAhead(["GBP", "BGN", "EUR", "BGN", "ANG"], "2025-12-10")),
      "\nBGN (2 playrooms) is tender until 2026-01-31; from then on it is refused. Change to EUR (since 2026-01-01) in time, with all amounts."
    )
    assert.deepStrictEqual(endsAhead(["BGN", "ANG"], "2026-11-29"), [])
  })

  it("X10: may be any code that ISO 4217 has, which the runtime need not list", () => {
    for (const code of ["VED", "CLF", "UYW"]) assert.isTrue(Schema.is(Currency)(code), code)
    assert.match(display(1250, "CLF"), /0\.1250$/)
    assert.isFalse(Schema.is(Currency)("QQQ"))
  })

  it("may be Caribbean guilders, which can be charged and shown", () => {
    assert.strictEqual(toProviderAmount(1250, "XCG"), 1250)
    assert.match(display(1250, "XCG"), /12\.50$/)
  })
})

layer(commandWorld)("D6: a currency that ended", (it) => {
  it.effect(
    "leaves what was booked in it readable and refundable, and the doctor names whose rooms are sold in it",
    () =>
      Effect.gen(function* () {
        yield* setClock(now)
        const sql = yield* SqlClient.SqlClient
        yield* sql`update playroom set currency = 'BGN' where playroom_id = ${venue.playroom.playroom_id}`
        const { booking } = yield* paidBooking()
        assert.strictEqual(booking.currency, "BGN")
        const found = findingsIn(parsed((yield* playroom("doctor", "--json")).out))
        const named = found.find(({ what }) => what.startsWith("currency"))
        assert.deepInclude(named, { what: "currency ended", id: venue.operator.operator_id })
        assert.match(named?.detail ?? "", /^1 playroom of .* sell in BGN, which was tender until 2026-01-31$/)
        assert.include(named?.fix, "write EUR (since 2026-01-01) in the catalogue file")
        yield* sql`update playroom set currency = 'EUR' where playroom_id = ${venue.playroom.playroom_id}`
        assert.notInclude((yield* playroom("doctor")).out, "currency")
        assert.include((yield* playroom("booking", "show", booking.booking_id)).out, "BGN")
        yield* cancelBooking(booking)
        const refunds = yield* sql`select amount, currency from refund where booking_id = ${booking.booking_id}`
        assert.deepStrictEqual([...refunds], [{ amount: 12_000, currency: "BGN" }])
        assert.include((yield* bookingState(booking)).status, "cancelled")
      })
  )
})
