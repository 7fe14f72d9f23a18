/** The tax of what was paid: kept when it is counted, whatever is imported, moved or given back later. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as fc from "fast-check"
import type { AccountLine } from "../../../src/domain/payment/accounts/AccountLine.ts"
import { makeMonthAccounts } from "../../../src/domain/payment/accounts/MonthAccounts.ts"
import type { AddOn } from "../../../src/domain/catalogue/Package.ts"
import type { TaxRates } from "../../../src/domain/catalogue/Tax.ts"
import { BookingOptions } from "../../../src/domain/availability/BookingOptions.ts"
import { chargeStep, downToStep, providerCurrencies, shareOut, taxInside } from "../../../src/platform/money/Charge.ts"
import { maxMinorUnits } from "../../../src/platform/money/Money.ts"
import { bubbleMachine, packageWith, testId, venueWith } from "../../support/venues.ts"
import { changeVisit } from "../../support/Acts.ts"
import { importVenue, setClock } from "../../support/BookingWorld.ts"
import { bookOption, moveBooking, rowOf } from "../../support/moveWorld.ts"
import { cancelBooking, emptyPaymentWorld, now, payBooking, runProviderTasks } from "../../support/PaymentWorld.ts"

/** €50 for four children, €15 for each more. */
const party = packageWith({
  package_id: testId.package(971),
  name: "Fiesta",
  mode: "exclusive",
  duration_minutes: 120,
  min_children: 2,
  max_children: 20,
  pricing: { base: 5000, included_children: 4, extra_child: 1500, adult: 0, rules: [] },
  schedule: { times: ["10:00"] }
})
const playroom_id = testId.playroom(97)
const hallAt = (rate_percent: number) =>
  venueWith(
    {
      playroom_id,
      name: "Sala",
      capacity: 20,
      currency: "EUR",
      time_zone: "Europe/Madrid",
      tax: { rate_percent, included: true }
    },
    [party],
    [bubbleMachine]
  )

const world = Layer.effectDiscard(Effect.andThen(setClock(now), importVenue(hallAt(21)))).pipe(
  Layer.provideMerge(emptyPaymentWorld())
)

const paidOn = Effect.fnUntraced(function* (date: string, children: number) {
  const { options } = yield* BookingOptions.use((service) => service.list({ playroom_id, date, children }))
  const booking = yield* bookOption(options[0]?.option_id ?? assert.fail(`no option on ${date}`))
  yield* payBooking(booking)
  return yield* rowOf(booking)
})

type Line = Pick<AccountLine, "amount" | "kind" | "taxes">

/** The lines of a month that are of a booking. */
const linesOf = Effect.fnUntraced(function* (month: string, { booking_id }: { readonly booking_id: string }) {
  const lines: Array<Line> = []
  yield* (yield* makeMonthAccounts).own({ period: month }, ({ amount, kind, taxes, ...line }) =>
    Effect.sync(() => void (line.booking_id === booking_id && lines.push({ kind, amount, taxes })))
  )
  return lines
})

const Rounded = Schema.Array(
  Schema.Struct({ step: Schema.Int, tax: Schema.Int, shares: Schema.Array(Schema.NumberFromString) })
)

/** €6 for each child, at 10 %. */
const food: AddOn = {
  add_on_id: testId.addOn(97),
  name: "Merienda",
  unit: "per_child",
  unit_amount: 600,
  max_quantity: 1,
  tax: { rate_percent: 10 }
}
const fiesta = packageWith({
  ...party,
  package_id: testId.package(981),
  payment: { kind: "deposit", deposit: { percent: 50 }, balance_due_hours_before: 48, refundable: true }
})
const withFood = (changes: TaxRates["changes"] = []) =>
  venueWith(
    {
      playroom_id: testId.playroom(98),
      name: "Otra sala",
      capacity: 20,
      currency: "EUR",
      time_zone: "Europe/Madrid",
      tax: { rate_percent: 21, included: true, changes }
    },
    [fiesta],
    [food]
  )

layer(world)("tax", (it) => {
  it.effect("is rounded, and shared out by rates, by the database as by the service, in every currency", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const amount = fc.integer({ min: 0, max: maxMinorUnits })
      const weights = fc.array(fc.oneof(amount, fc.constantFrom(0, 1000, 2000)), { minLength: 1, maxLength: 4 })
      const thousandths = fc.integer({ min: 0, max: 100_000 })
      const cases = [...providerCurrencies].flatMap((currency) =>
        fc.sample(fc.tuple(amount, thousandths, weights), { numRuns: 30, seed: 14 }).map(([any, rate, weights]) => ({
          currency,
          gross: downToStep(any, currency),
          rate: rate / 1000,
          weights: weights.map((weight) => downToStep(weight, currency))
        }))
      )
      const found = yield* sql`
        select step, tax_inside((c ->> 'gross')::numeric, (c ->> 'rate')::numeric, c ->> 'currency')::int as tax,
          shared_out((c ->> 'gross')::numeric,
            (select array_agg(w::numeric order by i) from jsonb_array_elements_text(c -> 'weights') with ordinality as w (w, i)),
            step)::text[] as shares
        from jsonb_array_elements(${JSON.stringify(cases)}::jsonb) with ordinality as cases (c, nth)
        cross join lateral charge_step(c ->> 'currency') as step order by nth`
      assert.deepStrictEqual(
        yield* Schema.decodeUnknownEffect(Rounded)(found),
        cases.map(({ currency, gross, rate, weights }) => ({
          step: chargeStep(currency),
          tax: taxInside(gross, rate, currency),
          shares: shareOut(gross, weights, currency)
        }))
      )
    })
  )

  it.effect(
    "D4: of a birthday at 21 % and food at 10 % is kept by rates with all that comes and goes, to the cent",
    () =>
      Effect.gen(function* () {
        yield* importVenue(withFood())
        const { options } = yield* BookingOptions.use((service) =>
          service.list({
            playroom_id: testId.playroom(98),
            date: "2026-12-12",
            children: 4,
            add_ons: [{ add_on_id: food.add_on_id, quantity: 1 }]
          })
        )
        const { booking_id } = yield* bookOption(options[0]?.option_id ?? assert.fail("no option"))
        yield* payBooking({ booking_id })
        const booking = yield* rowOf({ booking_id })
        const parts = (amount: number, tax: number, foods: number, taxOfFood: number) => [
          { rate_percent: 21, amount, tax },
          { rate_percent: 10, amount: foods, tax: taxOfFood }
        ]
        assert.deepStrictEqual(booking.terms.price.tax.rates, [
          { rate_percent: 21, gross: 5000, tax: 868 },
          { rate_percent: 10, gross: 2400, tax: 218 }
        ])
        const deposit: Line = { kind: "payment", amount: 3700, taxes: parts(2500, 434, 1200, 109) }
        assert.deepStrictEqual(yield* linesOf("2026-11", booking), [deposit])
        // From New Year on everything is at 10 %: of this visit nothing changes.
        yield* importVenue(withFood([{ from: "2027-01-01", rate_percent: 10 }]))
        yield* changeVisit(booking_id, { by: "operator", reason: "One more", preview: false, party: { children: 5 } })
        yield* payBooking({ booking_id }, "balance")
        assert.deepStrictEqual(yield* linesOf("2026-11", booking), [
          deposit,
          { kind: "payment", amount: 5800, taxes: parts(4000, 694, 1800, 164) }
        ])
        yield* cancelBooking(booking)
        yield* runProviderTasks
        const lines = yield* linesOf("2026-11", booking)
        const all = lines.flatMap(({ taxes }) => taxes)
        for (const rate of [21, 10]) {
          const its = all.filter(({ rate_percent }) => rate_percent === rate)
          assert.strictEqual(
            its.reduce((sum, { amount }) => sum + amount, 0),
            0
          )
          assert.strictEqual(
            its.reduce((sum, { tax }) => sum + tax, 0),
            0
          )
        }
        assert.isAbove(lines.length, 2)
      })
  )

  it.effect("D4: of visits from a day on is that day's, and a move over it is corrected on the day of the move", () =>
    Effect.gen(function* () {
      yield* importVenue(withFood([{ from: "2027-01-01", rate_percent: 10 }]))
      const onDay = Effect.fnUntraced(function* (date: string) {
        const { options } = yield* BookingOptions.use((service) =>
          service.list({ playroom_id: testId.playroom(98), date, children: 4 })
        )
        return options[0] ?? assert.fail(`no option on ${date}`)
      })
      const [old, fresh] = [yield* onDay("2026-12-19"), yield* onDay("2027-01-02")]
      assert.deepStrictEqual(
        [old.price.tax, fresh.price.tax].map(({ rate_percent, amount }) => [rate_percent, amount]),
        [
          [21, 868],
          [10, 455]
        ]
      )
      const { booking_id } = yield* bookOption(old.option_id)
      yield* payBooking({ booking_id })
      yield* payBooking({ booking_id }, "balance")
      const booking = yield* rowOf({ booking_id })
      const before = yield* linesOf("2026-11", booking)
      yield* setClock("2026-12-02T09:00:00Z")
      yield* moveBooking(booking, fresh.option_id)
      assert.deepStrictEqual(yield* linesOf("2026-11", booking), before)
      assert.deepStrictEqual(yield* linesOf("2026-12", booking), [
        {
          kind: "correction",
          amount: 0,
          taxes: [
            { rate_percent: 21, amount: -5000, tax: -868 },
            { rate_percent: 10, amount: 5000, tax: 455 }
          ]
        }
      ])
    })
  )

  it.effect(
    "M8: €50 that were paid at 21 % stay so in their month, whatever rate is imported and the party becomes",
    () =>
      Effect.gen(function* () {
        yield* setClock(now)
        const booking = yield* paidOn("2026-12-12", 4)
        const paid: ReadonlyArray<Line> = [
          { kind: "payment", amount: 5000, taxes: [{ rate_percent: 21, amount: 5000, tax: 868 }] }
        ]
        assert.deepStrictEqual(yield* linesOf("2026-11", booking), paid)
        yield* importVenue(hallAt(10))
        assert.deepStrictEqual(yield* linesOf("2026-11", booking), paid)
        yield* setClock("2026-12-01T09:00:00Z")
        yield* changeVisit(booking.booking_id, {
          by: "operator",
          reason: "One more",
          preview: false,
          party: { children: 5 }
        })
        assert.deepStrictEqual(yield* linesOf("2026-11", booking), paid)
        yield* payBooking(booking, "balance")
        assert.deepStrictEqual(yield* linesOf("2026-11", booking), paid)
      })
  )
})
