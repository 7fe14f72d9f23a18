/**
 * The books of random bookings of several rates, in every currency: what came and went back by rates of tax, in the
 * database, against what the words of the domain say of it (`oracle/Price.ts`), which shares no code with it. With
 * PROPERTY_RUNS=10 there are 10,000, a minute on a server.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as fc from "fast-check"
import { makeMonthAccounts } from "../../../src/domain/payment/accounts/MonthAccounts.ts"
import { type Party, type Price, quote } from "../../../src/domain/catalogue/Pricing.ts"
import { downToStep, maximumCharge, providerCurrencies } from "../../../src/platform/money/Charge.ts"
import { instantNear, partyOf, venueOnDate } from "../../support/arbitraryVenues.ts"
import { nearest, priceByHand, stepByHand } from "../../support/oracle/Price.ts"
import { setClock } from "../../support/BookingWorld.ts"
import { runs } from "../../support/runs.ts"
import { now, paidBooking, paymentWorld } from "../../support/PaymentWorld.ts"

const month = "2026-11"

/** What a price is of each rate, by hand. */
type Rated = ReadonlyMap<number, number>

/** A booking: its price when booked and after a change, what is paid first, and what of all goes back at its end. */
interface Case {
  readonly currency: string
  readonly prices: readonly [booked: Price, changed: Price]
  readonly rates: readonly [booked: Rated, changed: Rated]
  readonly first: number
  readonly back: number
}

const currencies = [...providerCurrencies]

const someCase: fc.Arbitrary<Case | undefined> = fc.constantFrom(...currencies).chain((currency) =>
  venueOnDate.chain((one) => {
    const venue = { ...one.venue, playroom: { ...one.venue.playroom, currency } }
    const { pkg } = one
    const start = instantNear(venue.playroom.time_zone, one.date)
    return fc
      .tuple(partyOf(venue), partyOf(venue), start, start, fc.double({ min: 0, max: 1, noNaN: true }), fc.boolean())
      .map(([party, other, at, moved, part, whole]): Case | undefined => {
        const priceOf = (who: Party, when: number) => quote(venue, pkg, who, when, when).price
        const ratesOf = (who: Party, when: number, { tax, total }: Price): Rated => {
          const { rates } = priceByHand(venue, pkg, who, when, when)
          return new Map((rates ?? [{ ...tax, gross: total }]).map((rate) => [rate.rate_percent, rate.gross]))
        }
        const prices = [priceOf(party, at), priceOf(other, moved)] as const
        const step = stepByHand(currency)
        const largest = Math.min(2_000_000_000, maximumCharge(currency))
        if (prices.some(({ total }) => total <= 2 * step || total > largest)) return undefined
        const [booked, changed] = prices
        return {
          currency,
          prices,
          rates: [ratesOf(party, at, booked), ratesOf(other, moved, changed)],
          first: whole ? booked.total : Math.max(step, downToStep(Math.floor(booked.total * part), currency)),
          back: Math.max(step, downToStep(Math.floor(changed.total * part), currency))
        }
      })
  })
)

const Net = Schema.Struct({ nth: Schema.Int, rate: Schema.Finite, amount: Schema.Int, tax: Schema.Int })
type Net = typeof Net.Type

const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
/** A reference of a number. */
const referenceOf = (n: number) => {
  const digits = Array.from({ length: 8 }, (_, i) => alphabet[Math.floor(n / 32 ** i) % 32]).join("")
  return `${digits.slice(0, 4)}-${digits.slice(4)}`
}

const world = Layer.effectDiscard(setClock(now)).pipe(Layer.provideMerge(paymentWorld()))

layer(world)("the books of bookings of several rates", (it) => {
  it.effect(
    "D4: are those of their prices, to the cent, with deposits, changes and refunds, in every currency",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { booking, session } = yield* paidBooking()
        const count = runs(1000)
        const cases = fc
          .sample(someCase, { numRuns: 2 * count, seed: 52 })
          .flatMap((one) => one ?? [])
          .slice(0, count)
        assert.isAbove(cases.length, count / 2)
        const id = (kind: string, nth: number, n = 0) => `${kind}_tax_${n}_${nth}`
        const at = new Date(Date.parse(now)).toISOString()

        const insertBookings = cases.map(({ currency, prices: [price], first }, nth) => ({
          booking_id: id("booking", nth),
          reference: referenceOf(nth + 1),
          currency,
          total: price.total,
          due_now: first,
          paid: first,
          payment_status: first === price.total ? "paid" : "deposit_paid",
          terms: { ...booking.terms, price },
          retry_key: null
        }))
        yield* sql`insert into booking select (jsonb_populate_record(b, c)).*
          from booking b cross join jsonb_array_elements(${JSON.stringify(insertBookings)}::jsonb) c
          where b.booking_id = ${booking.booking_id}`
        const pays = (n: number, amountOf: (one: Case) => number) => {
          const rows = cases.flatMap((one, nth) => {
            const amount = amountOf(one)
            return amount <= 0
              ? []
              : [
                  {
                    payment_session_id: id("payment", nth, n),
                    booking_id: id("booking", nth),
                    provider_session_id: id("cs", nth, n),
                    payment_intent_id: id("pi", nth, n),
                    currency: one.currency,
                    amount,
                    application_fee: 0,
                    refunded: 0,
                    tax: null
                  }
                ]
          })
          return sql`insert into payment_session select (jsonb_populate_record(s, c)).*
            from payment_session s cross join jsonb_array_elements(${JSON.stringify(rows)}::jsonb) c
            where s.payment_session_id = ${session.payment_session_id}`
        }
        const givesBack = (n: number, cause: string, amountOf: (one: Case) => number) => {
          const rows = cases.flatMap((one, nth) => {
            const amount = amountOf(one)
            return amount <= 0
              ? []
              : [
                  {
                    refund_id: id("refund", nth, n),
                    nth: id("booking", nth),
                    of: id("payment", nth),
                    amount,
                    currency: one.currency
                  }
                ]
          })
          return sql`insert into refund (refund_id, operator_id, booking_id, payment_session_id, cause, status, amount, currency,
              request, created_at, updated_at)
            select c ->> 'refund_id', ${booking.operator_id}, c ->> 'nth', c ->> 'of', ${cause}, 'succeeded', (c ->> 'amount')::int,
              c ->> 'currency', '{}', ${at}::timestamptz, ${at}::timestamptz
            from jsonb_array_elements(${JSON.stringify(rows)}::jsonb) c`
        }
        /** What each booking has of each rate. */
        const nets = Effect.gen(function* () {
          const rows = yield* Effect.flatMap(
            sql`select split_part(booking_id, '_', 4)::int as nth, (p ->> 'rate_percent')::float as rate,
              sum(sign * (p ->> 'amount')::bigint)::float as amount, sum(sign * (p ->> 'tax')::bigint)::float as tax
            from (select booking_id, tax, 1 as sign from payment_session where status = 'paid'
              union all select booking_id, tax, -1 from refund where status = 'succeeded'
              union all select booking_id, tax, 1 from tax_correction) m cross join jsonb_array_elements(tax) p
            where booking_id like 'booking\\_tax\\_%' group by 1, 2`,
            Schema.decodeUnknownEffect(Schema.Array(Net))
          )
          const of = Map.groupBy(rows, ({ nth }) => nth)
          for (const { amount, nth, rate, tax } of rows) {
            const { currency } = cases[nth] ?? assert.fail("unknown")
            const thousandths = BigInt(Math.round(rate * 1000))
            const inside = nearest(BigInt(amount) * thousandths, 100_000n + thousandths, BigInt(stepByHand(currency)))
            assert.strictEqual(BigInt(tax), inside, `the tax in ${amount} ${currency} at ${rate} %`)
          }
          return (nth: number): ReadonlyArray<Net> => of.get(nth) ?? []
        })
        const isOf = (net: ReadonlyArray<Net>, rates: Rated, what: string) =>
          assert.deepStrictEqual(
            new Map(
              net
                .flatMap(({ amount, rate }) => (amount === 0 ? [] : [[rate, amount] as const]))
                .sort(([a], [b]) => b - a)
            ),
            new Map([...rates].filter(([, gross]) => gross !== 0)),
            what
          )
        /** Parts of a whole, each within a step of its exact part. */
        const isPartOf = (net: ReadonlyArray<Net>, { currency }: Case, rates: Rated, part: number, what: string) => {
          const whole = [...rates.values()].reduce((sum, gross) => sum + gross, 0)
          assert.strictEqual(
            net.reduce((sum, { amount }) => sum + amount, 0),
            part,
            what
          )
          for (const [rate, gross] of rates) {
            const its = net.find((one) => one.rate === rate)?.amount ?? 0
            assert.isBelow(Math.abs(its - (gross * part) / whole), stepByHand(currency) + 1e-6, what)
          }
        }

        // A deposit, or all of it.
        yield* pays(0, ({ first }) => first)
        const deposit = yield* nets
        for (const [nth, one] of cases.entries())
          isPartOf(deposit(nth), one, one.rates[0], one.first, `deposit of ${nth}`)

        // A payer's bank takes a part back, and it is won later.
        yield* givesBack(3, "dispute", ({ currency, first }) => downToStep(Math.floor(first / 3), currency))

        // Another price: what was paid beyond it goes back, what it lacks is paid.
        yield* sql`update booking b set terms = c -> 'terms', total = (c ->> 'total')::int, due_now = least(due_now, (c ->> 'total')::int),
            updated_at = ${at}::timestamptz
          from jsonb_array_elements(${JSON.stringify(
            cases.map(({ prices: [, price] }, nth) => ({
              booking_id: id("booking", nth),
              total: price.total,
              terms: { ...booking.terms, price }
            }))
          )}::jsonb) c where b.booking_id = c ->> 'booking_id'`
        yield* givesBack(1, "move", ({ first, prices: [, { total }] }) => first - total)
        yield* pays(1, ({ first, prices: [, { total }] }) => total - first)
        yield* sql`update refund set status = 'failed', failure = 'won', updated_at = ${at}::timestamptz
          where refund_id like 'refund\\_tax\\_3\\_%'`
        const all = yield* nets
        let several = 0
        for (const [nth, { rates }] of cases.entries()) {
          isOf(all(nth), rates[1], `all of ${nth}`)
          if (rates[1].size > 1) several++
        }
        assert.isAbove(several, cases.length / 20)

        // Cancelled: a part goes back.
        yield* sql`update booking set status = 'cancelled' where booking_id like 'booking\\_tax\\_%'`
        const backOf = ({ back, first, prices: [, { total }] }: Case) => Math.min(back, Math.min(first, total))
        yield* givesBack(2, "cancellation", backOf)
        const rest = yield* nets
        for (const [nth, one] of cases.entries()) {
          const kept = one.prices[1].total - backOf(one)
          isPartOf(rest(nth), one, one.rates[1], kept, `what is kept of ${nth}`)
        }

        // The month has the sums of all of it.
        const told = (yield* (yield* makeMonthAccounts).own({ period: month }, () => Effect.void)).sums
        const sums = new Map<string, { amount: number; tax: number }>()
        for (const [nth, { currency }] of cases.entries())
          for (const { amount, rate, tax } of rest(nth)) {
            const before = sums.get(`${currency} ${rate}`) ?? { amount: 0, tax: 0 }
            sums.set(`${currency} ${rate}`, { amount: before.amount + amount, tax: before.tax + tax })
          }
        const ofTemplate = booking.terms.price.tax
        let compared = 0
        for (const { currency, taxes } of told)
          for (const { amount, rate_percent, tax } of taxes) {
            if (currency === booking.currency && rate_percent === ofTemplate.rate_percent) continue
            assert.deepStrictEqual(
              { amount, tax },
              sums.get(`${currency} ${rate_percent}`),
              `${currency} at ${rate_percent} %`
            )
            compared++
          }
        assert.isAtLeast(compared, sums.size - 1)
      }),
    120_000
  )
})
