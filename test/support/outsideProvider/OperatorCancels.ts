/** An operator cancels a booking at the command line, by the terms or with a refund of its choice, and refunds in the dashboard at the same time. */
import { Effect, Option, Schedule, Schema } from "effect"
import { hasFailed, isWithPayer } from "./ProviderRecord.ts"
import { databaseRecord } from "./Judge.ts"
import { count, type PaidBooking, readDatabase, type RoundWorld } from "./RoundWorld.ts"

const Answer = Schema.Struct({
  booking: Schema.Struct({
    paid: Schema.Int,
    starts_at: Schema.Union([Schema.String, Schema.Finite]),
    terms: Schema.Struct({
      non_refundable: Schema.Int,
      cancellation: Schema.Array(Schema.Struct({ hours_before: Schema.Int, refund_percent: Schema.Finite }))
    })
  }),
  given_back: Schema.Struct({ amount: Schema.Int }),
  not_asked: Schema.optionalKey(Schema.String)
})
const answerIn = Schema.decodeUnknownOption(Schema.fromJsonString(Answer))

/** What the terms give back at an instant, in all. */
const owedAt = ({ booking: { paid, starts_at, terms } }: typeof Answer.Type, at: number): number => {
  const hours = (new Date(starts_at).getTime() - at) / 3_600_000
  const percents = terms.cancellation.filter(({ hours_before }) => hours >= hours_before)
  const best = percents.sort((a, b) => b.hours_before - a.hours_before)[0]
  return (Math.max(0, paid - terms.non_refundable) * (best?.refund_percent ?? 0)) / 100
}

const digitsOf = (currency: string): number => (currency === "JPY" ? 0 : 2)
/** An amount as a person writes it. */
export const inMajor = (amount: number, currency: string): string =>
  (amount / 10 ** digitsOf(currency)).toFixed(digitsOf(currency))

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((total, one) => total + one, 0)

/**
 * What some payments have returned by dashboard refunds and lost disputes, as the provider knows. A dashboard refund that failed may
 * have been sent again by the service.
 */
const backByOthers = Effect.fnUntraced(function* ({ provider, service }: RoundWorld, sessions: ReadonlyArray<string>) {
  const { disputes, now, refunds, sessions: all } = yield* provider.record
  // The service may be killed just now, and on the embedded database nobody answers then.
  const { refunds: rows } = yield* Effect.retry(readDatabase(service, databaseRecord), {
    times: 400,
    schedule: Schedule.spaced("300 millis")
  })
  const byPerson = new Set(rows.filter(({ cause }) => cause === "dashboard").map(({ refund_id }) => refund_id))
  const intents = new Set(all.filter(({ id }) => sessions.includes(id)).map(({ payment_intent }) => payment_intent))
  const back = [
    ...refunds.filter(
      (one) => (one.by === "dashboard" || byPerson.has(one.metadata["refund_id"] ?? "")) && !hasFailed(one)
    ),
    ...disputes.filter(isWithPayer)
  ].filter(({ payment_intent }) => intents.has(payment_intent))
  return { now, back: sum(back.map(({ amount }) => amount)) }
})

const wishes = ["terms", "terms", "terms", "full", "none", "amount", "amount"] as const

/** Cancels; answers whether the command said so. Sometimes the dashboard refunded a part before, sometimes it does so at the same moment, and sometimes the payer disputes. */
export const operatorCancels = Effect.fnUntraced(function* (world: RoundWorld, paid: PaidBooking) {
  const { chance, provider, service } = world
  const { booking_id, currency, payments } = paid
  const any = () => chance.one(payments)
  if (chance.once(3)) {
    const { amount, session } = any()
    const back = yield* provider.control("refund", { session, amount: Math.ceil(amount / (1 + chance.below(4))) })
    if (back !== 0) count(world, "dashboard refunds")
  }
  if (chance.once(4) && (yield* provider.control("dispute", { session: any().session })) !== null) {
    count(world, "disputes")
    // The operator may lose it before it cancels, so that the cancellation counts what the payer has already.
    if (chance.once(2)) yield* provider.control("decideDisputes", { as: "lost" })
  }
  const wish = chance.one(wishes)
  const whole = sum(payments.map(({ amount }) => amount))
  // More than was paid by one page, where there are two; sometimes more than is left.
  const amount = Math.max(1, Math.ceil((whole * (1 + chance.below(10))) / 9))
  const asked = wish === "amount" ? inMajor(amount, currency) : wish
  const sessions = payments.map(({ session }) => session)
  const before = yield* backByOthers(world, sessions)
  const run = service.playroomProcess(
    "booking",
    "cancel",
    booking_id,
    "--json",
    ...(wish === "terms" ? [] : ["--refund", asked, "--reason", "round"])
  )
  const { session } = any()
  const meanwhile = chance.once(4)
    ? Effect.andThen(Effect.sleep(500 + chance.below(1500)), provider.control("refund", { session, amount: 1 }))
    : Effect.void
  const [done] = yield* Effect.all([run, meanwhile], { concurrency: 2 })
  if (done.code !== 0) {
    count(
      world,
      `cancellation refused: ${done.stderr
        .replace(/\d[\d.,]*/g, "#")
        .slice(0, 60)
        .trim()}`
    )
    // The service may have decided it all the same, but nobody knows what.
    world.cancelled.set(booking_id, { least: 0, most: whole })
    return false
  }
  const after = yield* backByOthers(world, sessions)
  const answer = answerIn(done.stdout)
  if (Option.isNone(answer))
    return yield* Effect.die(
      new Error(`The command said neither what it did nor that it failed: ${JSON.stringify(done)}`)
    )
  const said = answer.value
  count(world, `cancellations${wish === "terms" ? "" : ` with ${wish}`}`)
  // The service knew of no payment: one that comes later goes back whole.
  if (said.booking.paid === 0) return true
  const byTerms = [owedAt(said, before.now), owedAt(said, after.now)]
  // A wished amount comes on top of what had gone back: as the provider knows it or, where it was not asked, as the service did.
  const known = said.not_asked === undefined ? before.back : said.given_back.amount
  const bounds = {
    terms: { least: Math.floor(Math.min(...byTerms)), most: Math.ceil(Math.max(...byTerms)) },
    full: { least: said.booking.paid, most: said.booking.paid },
    none: { least: 0, most: 0 },
    amount: { least: Math.min(known, said.given_back.amount) + amount, most: after.back + amount }
  }
  world.cancelled.set(booking_id, bounds[wish])
  return true
})
