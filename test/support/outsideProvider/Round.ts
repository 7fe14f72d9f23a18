/** One round: families book and pay, operators cancel, the provider and the network fail, and the process is killed. */
import { assert } from "vitest"
import { Effect, Option, Schedule, Schema } from "effect"
import {
  databaseRecord,
  Finding,
  isBehind,
  judge,
  judgeMonths,
  monthAt,
  MonthLine,
  monthsOf,
  settledByDashboard
} from "./Judge.ts"
import { byAnyNode, callTool, count, type PaidBooking, readDatabase, type RoundWorld, Unknown } from "./RoundWorld.ts"
import { Booked, Options } from "../McpRequests.ts"
import { hasFailed, isWithPayer } from "./ProviderRecord.ts"
import { SqlClient } from "effect/sql"
import { auditCodes } from "../../../src/ops/audit/Audit.ts"
import { minuteMs } from "../../../src/platform/time/LocalTime.ts"
import { basename } from "node:path"
import type { Service } from "../Service.ts"

// The end of a round: the faults stop, time passes, and the judge says what is still wrong.

const Findings = Schema.fromJsonString(Schema.Array(Finding))

const doctorSays = ({ playroomProcess }: Service, ...flags: ReadonlyArray<string>) =>
  Effect.flatMap(playroomProcess("doctor", "--json", ...flags), ({ stderr, stdout }) =>
    Effect.mapError(
      Schema.decodeUnknownEffect(Findings)(stdout),
      () => new Error(`The doctor did not say what it found:\n${stderr}${stdout}`)
    )
  ).pipe(
    // The database may be busy on a slow machine: the doctor says so, and a person calls it again.
    Effect.tapError((error) => Effect.logWarning(error.message)),
    Effect.retry({ times: 5, schedule: Schedule.spaced("1 second") })
  )

const Lines = Schema.decodeUnknownEffect(Schema.Array(Schema.fromJsonString(MonthLine)))

/** The accounts of every month with a payment, as the provider has them and as our own rows do. */
const readMonths = Effect.fnUntraced(function* ({ service }: RoundWorld, months: ReadonlyArray<string>) {
  const lines = (...args: ReadonlyArray<string>) =>
    Effect.flatMap(service.playroomProcess("accounts", "--json", ...args), ({ code, stderr, stdout }) =>
      Effect.map(Lines(stdout.split("\n").filter((line) => line !== "")), (lines) => ({ code, stderr, lines }))
    )
  return yield* Effect.forEach(months, (month) =>
    Effect.gen(function* () {
      const compared = yield* lines("--month", month)
      const own = yield* lines("--month", month, "--offline")
      return { month, compared: compared.lines, own: own.lines, said: compared.code === 0 ? "" : compared.stderr }
    })
  )
})

/** Once nothing else is wrong: the accounts of each month against the provider's movements, to the cent. */
export const settleMonths = Effect.fnUntraced(function* (world: RoundWorld) {
  const { provider, service, troubled } = world
  const database = yield* readDatabase(service, databaseRecord)
  const record = yield* provider.record
  const months = yield* readMonths(world, monthsOf(record, database))
  count(world, "movements in months", record.movements.length)
  return judgeMonths({ record, database, months, troubled })
})

/**
 * What is wrong at this moment. `doctor` is a process of its own, so it runs only where its answer may change the
 * judgement; `thorough`: with its audit.
 */
const judgeRound = Effect.fnUntraced(function* (
  world: RoundWorld,
  { patient, thorough }: { patient: boolean; thorough: boolean }
) {
  const { cancelled, provider, service, subscribed, troubled } = world
  const database = yield* readDatabase(service, databaseRecord)
  const evidence = { record: yield* provider.record, database, cancelled, subscribed, findings: [], troubled }
  const unnamed = judge(evidence)
  // A refund that failed for good is waited for by nobody: the doctor has to say so.
  const failed = database.refunds.filter((one) => one.status === "failed" && one.failure !== settledByDashboard)
  const waits = unnamed.filter((one) => isBehind(one) || !failed.some(({ booking_id }) => one.includes(booking_id)))
  if (waits.length > 0 ? patient : unnamed.length === 0 && !thorough) return unnamed
  const told = yield* doctorSays(service, ...(thorough ? ["--audit"] : []))
  const findings = told.filter(({ what }) => !auditCodes.includes(what))
  const blamed = told.filter((one) => !findings.includes(one))
  return [
    ...judge({ ...evidence, findings }),
    ...blamed.map(({ detail, id, what }) => `the audit blames what is sound: ${what} ${id}: ${detail}`)
  ]
})

/**
 * The queue of provider tasks goes by the database's clock, which the tests can't turn: so its rows are moved into the
 * past instead.
 */
const moveTasksBack = Effect.fnUntraced(function* (ms: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`update provider_task set visible_at = visible_at - make_interval(secs => ${ms / 1000}) where state = 'pending'`
})

/** The provider and the payers' banks correct what they said: lost disputes are won on appeal, refunds fail. */
const turnBack = Effect.fnUntraced(function* ({ provider }: RoundWorld) {
  yield* provider.control("failRefunds")
  for (const step of ["decideDisputes", "appealDisputes", "decideDisputes"]) yield* provider.control(step)
})

/**
 * The service hears of dashboard refunds, disputes and corrections by asking, hours or days later: the checks of the
 * payments about which its books differ come now. A payment that it would never ask about again stays as it is.
 */
const askNow = Effect.fnUntraced(function* (wrong: ReadonlyArray<string>, now: number) {
  const sql = yield* SqlClient.SqlClient
  const ids = wrong.filter(isBehind).flatMap((sentence) => sentence.match(/payment_[0-9a-z]{20,}/g) ?? [])
  yield* sql`update payment_session set refund_check_at = least(refund_check_at, ${new Date(now)})
    where refund_check_at is not null and payment_session_id = any(${ids}::text[])`
})

/**
 * How far the clock is turned, step by step, until nothing is wrong: for retries, for holds and pages, for idempotency
 * keys.
 */
const clockSteps = [
  3 * minuteMs,
  41 * minuteMs,
  41 * minuteMs,
  3 * 60 * minuteMs,
  13 * 60 * minuteMs,
  25 * 60 * minuteMs,
  25 * 60 * minuteMs
]

/** Time passes, step by step, until a look finds nothing wrong; answers what stays so. */
export const passTime = Effect.fnUntraced(function* <E, R>(
  world: RoundWorld,
  look: (at: { readonly step: number; readonly looks: number }) => Effect.Effect<ReadonlyArray<string>, E, R>
) {
  const { provider } = world
  yield* provider.control("flush")
  let wrong: ReadonlyArray<string> = []
  for (const [step, ms] of clockSteps.entries()) {
    yield* provider.control("turn", { ms })
    yield* readDatabase(world.service, moveTasksBack(ms))
    count(world, "minutes passed", ms / minuteMs)
    for (let tries = 0; tries < 20 && (yield* provider.control("waiting")) !== 0; tries++)
      yield* Effect.sleep("300 millis")
    // Each of the service's background workers runs about once a second (see preload.ts). On a busy machine they take
    // longer: what is wrong at the end must stay so.
    const most = step === clockSteps.length - 1 ? 30 : 4
    for (let looks = 0; looks < most; looks++) {
      yield* Effect.sleep("700 millis")
      wrong = yield* look({ step, looks })
      if (wrong.length === 0) return wrong
    }
  }
  return wrong
})

/**
 * The provider and the network work again; some operators' accounts still do not. Then time passes. Answers what stays
 * wrong; `thorough` has the doctor's findings judged too.
 */
export const settleRound = Effect.fnUntraced(function* (world: RoundWorld, thorough: boolean) {
  const { chance, provider, troubled } = world
  yield* provider.control("faults", {})
  yield* provider.control("slowRefunds", { now: false })
  yield* turnBack(world)
  for (const account of troubled) {
    if (chance.once(4)) continue
    yield* provider.control("access", { account, now: true })
    yield* provider.control("poor", { account, now: false })
    troubled.delete(account)
  }
  return yield* passTime(
    world,
    Effect.fnUntraced(function* ({ looks, step }) {
      const wrong = yield* judgeRound(world, { patient: looks < 3 || step < 3, thorough })
      if (looks === 0 && wrong.some(isBehind))
        yield* readDatabase(world.service, askNow(wrong, (yield* provider.record).now))
      return wrong
    })
  )
})

// An operator cancels a booking at the command line, by the terms or with a refund of its choice, and refunds in the
// dashboard at the same time.

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
const inMajor = (amount: number, currency: string): string =>
  (amount / 10 ** digitsOf(currency)).toFixed(digitsOf(currency))

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((total, one) => total + one, 0)

/**
 * What some payments have returned by dashboard refunds and lost disputes, as the provider knows. A dashboard refund
 * that failed may have been sent again by the service.
 */
const backByOthers = Effect.fnUntraced(function* ({ provider, service }: RoundWorld, sessions: ReadonlyArray<string>) {
  const { disputes, now, refunds, sessions: all, skews } = yield* provider.record
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
  return { now, skews: Object.values(skews), back: sum(back.map(({ amount }) => amount)) }
})

const wishes = ["terms", "terms", "terms", "full", "none", "amount", "amount"] as const

/**
 * Cancels; answers whether the command said so. Sometimes the dashboard refunded a part before, sometimes it does so at
 * the same moment, and sometimes the payer disputes.
 */
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
  // A node whose clock is wrong takes another time for now.
  for (const skew of [...before.skews, ...after.skews])
    byTerms.push(owedAt(said, before.now + skew), owedAt(said, after.now + skew))
  // A wished amount comes on top of what had gone back: as the provider knows it or, where it was not asked, as the
  // service did.
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

const PageAsked = Schema.Struct({ payment_session: Schema.Struct({ url: Schema.optionalKey(Schema.String) }) })

/** Pays on a page, at once or with a delayed method; answers the provider's session where the money arrives. */
export const payPage = Effect.fnUntraced(function* (world: RoundWorld, args: Record<string, unknown>, what: string) {
  const { chance, provider, service } = world
  const paying = yield* callTool(service, PageAsked, "create_payment_session", args)
  const url = Option.getOrUndefined(paying)?.payment_session.url
  // The last booking of an order may be on its way to being paid by itself.
  assert.isTrue(url !== undefined || Option.isNone(paying) || args["purpose"] === "order", "a page without an address")
  if (url === undefined) return count(world, `no page for ${what}`)
  const session = url.split("/").at(-1) ?? ""
  if (chance.once(8)) return count(world, `${what} not paid`)
  const later = chance.once(6)
  const outcome = !later ? "pay" : chance.once(3) ? "pay_later_fails" : "pay_later_succeeds"
  // The page may offer the payer's own currency; the operator gets the amount that was asked all the same.
  const presented = chance.once(3)
    ? { currency: chance.one(["usd", "jpy"]), amount: 100 + chance.below(90_000) }
    : undefined
  if ((yield* provider.control("pay", { session, outcome, presented })) !== true) return count(world, "page closed")
  count(world, `${what} ${later ? "paid later" : "paid"}`)
  // The sandbox's bank takes two seconds.
  if (later) yield* Effect.sleep(1800 + chance.below(600))
  return outcome === "pay_later_fails" ? undefined : session
})

/** Waits until the service knows that the booking is paid: by its event, or because the provider is asked. */
const confirmed = (world: RoundWorld, booking_id: string) =>
  callTool(world.service, Booked, "get_booking", { booking_id }).pipe(
    Effect.map((seen) => Option.isSome(seen) && seen.value.booking.status === "confirmed"),
    Effect.repeat({ until: (is) => is, times: 8, schedule: Schedule.spaced("1 second") })
  )

/**
 * A family books, and pays or not; sometimes the balance too. A paid booking may be cancelled soon, or in a later
 * round.
 */
const runFamily = Effect.fnUntraced(function* (everywhere: RoundWorld, name: string) {
  const world = byAnyNode(everywhere)
  const { chance, provider, service, uncancelled } = world
  const now = (yield* provider.record).now
  let option: (typeof Options.Type)["options"][number] | undefined
  // Not every day has something that costs money.
  for (let tries = 0; tries < 6 && option === undefined; tries++) {
    const date = new Date(now + (3 + chance.below(40)) * 86_400_000).toISOString().slice(0, 10)
    const playroom_id = world.playrooms[chance.below(world.playrooms.length)]
    const asked = { playroom_id, date, children: 4 + chance.below(4), limit: 100 }
    const found = yield* callTool(service, Options, "get_booking_options", asked)
    const priced = Option.isNone(found) ? [] : found.value.options.filter(({ price }) => price.due_now > 0)
    const split = priced.filter(({ price }) => (price.balance_due ?? 0) > 0)
    const liked = split.length > 0 && chance.once(2) ? split : priced
    option = liked[chance.below(Math.max(1, liked.length))]
  }
  if (option === undefined) return count(world, "no offer")
  const { balance_due = 0, due_now } = option.price
  const contact = { name: "Ana Lima", email: `${name}@example.com` }
  const held = yield* callTool(service, Booked, "create_booking", {
    option_id: option.option_id,
    contact,
    idempotency_key: name
  })
  if (Option.isNone(held)) return count(world, "not booked")
  count(world, "bookings")
  const { booking_id } = held.value.booking
  const first = yield* payPage(world, { booking_id, idempotency_key: name }, "booking")
  if (first === undefined) return
  const payments: [PaidBooking["payments"][0], ...Array<PaidBooking["payments"][0]>] = [
    { session: first, amount: due_now }
  ]
  if (balance_due > 0 && (yield* confirmed(world, booking_id))) {
    const args = { booking_id, purpose: "balance", idempotency_key: `${name}-balance` }
    const second = yield* payPage(world, args, "balance")
    if (second !== undefined) payments.push({ session: second, amount: balance_due })
  } else if (chance.once(3)) yield* Effect.ignore(callTool(service, Unknown, "get_booking", { booking_id }))
  const { sessions } = yield* provider.record
  const currency = sessions.find(({ id }) => id === first)?.currency.toUpperCase() ?? ""
  const paid = { booking_id, currency, payments }
  if (!chance.once(2)) return void uncancelled.push(paid)
  yield* Effect.sleep(chance.below(800))
  yield* operatorCancels(world, paid)
})

/**
 * Kills the process and starts another on its data. A command that runs in between has the embedded database for itself
 * for a moment: the start is repeated, as a supervisor does.
 */
export const killService = Effect.fnUntraced(function* (world: RoundWorld) {
  yield* world.service.stop("SIGKILL")
  count(world, "kills")
  yield* world.service.start.pipe(
    Effect.catchDefect(Effect.fail),
    Effect.retry({ times: 20, schedule: Schedule.spaced("1 second") }),
    Effect.orDie
  )
})

/** Waits for a moment in the middle of things: so many calls and events later, however fast the machine is. */
export const untilBusy = Effect.fnUntraced(function* ({ chance, provider }: RoundWorld) {
  const busyness = Effect.map(provider.control("busyness"), Number)
  const enough = (yield* busyness) + chance.below(25)
  for (let tries = 0; tries < 600 && (yield* busyness) < enough; tries++) yield* Effect.sleep("25 millis")
  yield* Effect.sleep(chance.below(60))
})

/** Some accounts withdraw our access or have an empty balance; `settleRound` puts that right. */
const troubleAccounts = Effect.fnUntraced(function* ({ accounts, chance, provider, troubled }: RoundWorld) {
  if (chance.once(3)) {
    const account = accounts[chance.below(accounts.length)] ?? ""
    troubled.add(account)
    yield* chance.once(2)
      ? provider.control("access", { account, now: false })
      : provider.control("poor", { account, now: true })
  }
  yield* provider.control("slowRefunds", { now: chance.once(4) })
})

const dayMs = 86_400_000

/** Subscriptions that run out are paid for some days more; once in `lapses` times one is not. */
const paySubscriptions = Effect.fnUntraced(function* (world: RoundWorld, lapses = 6) {
  const { chance, provider, subscribed } = world
  const { invoices, now } = yield* provider.record
  for (const [customer, first] of subscribed) {
    const ends = invoices.filter((one) => one.customer === customer).map(({ period_end }) => period_end * 1000)
    if (Math.max(first, ...ends) > now + dayMs || chance.once(lapses)) continue
    yield* provider.control("invoice", { customer, end: Math.floor((now + (4 + chance.below(8)) * dayMs) / 1000) })
    count(world, "invoices")
  }
})

/** The platform's endpoints go from snapshot events over to thin ones in the middle of the round. */
const switchEndpoints = Effect.fnUntraced(function* ({ chance, provider }: RoundWorld) {
  yield* provider.control("endpoints", { kinds: chance.one([["snapshot"], ["snapshot", "thin"], ["thin"]]) })
  yield* Effect.sleep(chance.below(2500))
  yield* provider.control("endpoints", { kinds: chance.one([["thin"], ["thin"], ["snapshot", "thin"]]) })
})

/** A payer disputes a booking that stands, and the operator may lose; disputes lost in earlier rounds are appealed. */
const moveDisputes = Effect.fnUntraced(function* (world: RoundWorld, before: ReadonlyArray<PaidBooking>) {
  const { chance, provider } = world
  if (chance.once(2)) yield* provider.control("appealDisputes")
  const one = before[chance.below(before.length + 2)]
  if (one !== undefined) {
    const { session } = chance.one(one.payments)
    if ((yield* provider.control("dispute", { session })) !== null) count(world, "disputes")
  }
  if (!chance.once(2)) return
  yield* Effect.sleep(chance.below(1500))
  yield* provider.control("decideDisputes")
})

/** Refunds of earlier rounds that failed. */
const failedRefunds = ({ service }: RoundWorld) =>
  Effect.map(readDatabase(service, databaseRecord), ({ refunds }) =>
    refunds.filter(({ failure, status }) => status === "failed" && failure !== settledByDashboard)
  )

/** An operator sends one of the refunds that failed again. */
const sendAgain = Effect.fnUntraced(function* (
  world: RoundWorld,
  failed: ReadonlyArray<{ readonly refund_id: string }>
) {
  const { chance, service } = byAnyNode(world)
  const one = failed[chance.below(failed.length + 1)]
  if (one === undefined) return
  const { code } = yield* service.playroomProcess("doctor", "--revive", one.refund_id)
  count(world, code === 0 ? "refunds sent again" : "refunds not sent again")
})

/** Of the paid bookings of earlier rounds, one is cancelled, and another is refunded in part in the dashboard. */
const cancelEarlierBooking = Effect.fnUntraced(function* (world: RoundWorld, before: ReadonlyArray<PaidBooking>) {
  const { chance, provider, uncancelled } = world
  const [one, other] = [before[chance.below(before.length + 1)], before[chance.below(before.length + 1)]]
  if (other !== undefined && chance.once(2)) {
    const { amount, session } = chance.one(other.payments)
    const back = yield* provider.control("refund", { session, amount: 1 + chance.below(amount) })
    if (back !== 0) count(world, "dashboard refunds")
  }
  if (one === undefined) return
  uncancelled.splice(uncancelled.indexOf(one), 1)
  yield* operatorCancels(byAnyNode(world), one)
})

/** A machine's clock, by the name of its file. */
const clockOf = ({ env }: Service): string => basename(env["CLOCK_OFFSET_FILE"] ?? "")

/** Most nodes' clocks are wrong from now on, by up to twenty minutes; or all are right. */
export const stepClocks = Effect.fnUntraced(function* (world: RoundWorld, wrong = true) {
  const { chance, nodes, provider } = world
  for (const node of nodes) {
    const seconds = !wrong || chance.once(4) ? 0 : chance.below(2401) - 1200
    yield* provider.control("skew", { clock: clockOf(node), ms: seconds * 1000 })
    if (seconds !== 0) count(world, "clocks stepped")
  }
})

const Zones = Schema.decodeUnknownEffect(Schema.NonEmptyArray(Schema.Struct({ time_zone: Schema.String })))

/** Time passes until a month is about to end where one of the playrooms is: it ends in the middle of the round. */
const passToMonthEnd = Effect.fnUntraced(function* (world: RoundWorld) {
  const { chance, provider, service } = world
  const zones = yield* readDatabase(
    service,
    SqlClient.SqlClient.use((sql) => Effect.flatMap(sql`select distinct time_zone from playroom order by 1`, Zones))
  )
  const { time_zone } = chance.one(zones)
  const { now } = yield* provider.record
  const month = monthAt(time_zone, now)
  // It ends between these.
  let [before, after] = [now, now + 32 * dayMs]
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (monthAt(time_zone, middle) === month) before = middle
    else after = middle
  }
  const ms = Math.max(0, after - now - (3 + chance.below(20)) * 1000)
  yield* provider.control("turn", { ms })
  yield* readDatabase(service, moveTasksBack(ms))
  // Nobody sells for a month that is not paid for.
  yield* paySubscriptions(world, Infinity)
  count(world, "months that ended")
})

/** So often a node tries to make a page, and waits because nobody sells anything. */
const mostTries = 5
const mostWaits = 6

/** A page that is made by this node: the provider has answered it now, and it has seen the provider's clock. */
const makesPage = Effect.fnUntraced(function* (world: RoundWorld, node: Service, name: string) {
  const { provider } = world
  const pages = Effect.map(provider.record, ({ sessions }) => sessions.length)
  const before = yield* pages
  const nothing = () => world.counts.get("no offer") ?? 0
  for (let tries = 0, waits = 0; tries < mostTries && (yield* pages) === before; tries++) {
    const had = nothing()
    yield* runFamily({ ...world, service: node, nodes: [node] }, `${name}-${tries}-${waits}`)
    if (nothing() === had || waits === mostWaits) continue
    // Its clock had it refuse what it was told of subscriptions: it asks for them within the hour, which comes now.
    waits++
    tries--
    yield* readDatabase(
      node,
      SqlClient.SqlClient.use((sql) => sql`update operator set subscription_checked_at = null`)
    )
    yield* Effect.sleep("2 seconds")
  }
  return (yield* pages) > before
})

/** What callers and the doctor are told while clocks are wrong and everything else works. Then they are right again. */
const judgeClocks = Effect.fnUntraced(function* (world: RoundWorld, number: number) {
  const { nodes, provider } = world
  yield* provider.control("faults")
  const { skews } = yield* provider.record
  const wrong: Array<string> = []
  for (const [i, node] of nodes.entries()) {
    const ms = skews[clockOf(node)] ?? 0
    const machine = node.env["MACHINE"] ?? ""
    if (!(yield* makesPage(world, node, `r${number}-clock${i}`)))
      wrong.push(`${machine}, whose clock is ${ms} ms ahead, makes no page`)
    const seconds = Math.abs(ms) / 1000
    // What is stored may be of some seconds ago.
    const named = Effect.map(doctorSays(node), (findings) => {
      const found = findings.find(({ id, what }) => what === "clock is wrong" && id === machine)
      if (found === undefined) return seconds < 40
      const [, told = "", way = ""] = / is ([0-9]+) seconds? (ahead of|behind) /.exec(found.detail) ?? []
      return seconds > 25 && Math.abs(Number(told) - seconds) <= 3 && (way === "behind") === ms < 0
    })
    let is = yield* named
    for (let tries = 0; tries < 4 && !is; tries++) {
      yield* Effect.sleep("3 seconds")
      yield* makesPage(world, node, `r${number}-clock${i}-${tries}`)
      is = yield* named
    }
    if (!is) wrong.push(`${machine} is ${ms} ms ahead, and the doctor says something else`)
    if (seconds >= 40) count(world, "wrong clocks that were told")
    yield* provider.control("skew", { clock: clockOf(node), ms: 0 })
    yield* Effect.sleep("100 millis")
    if (ms !== 0) yield* makesPage(world, node, `r${number}-right${i}`)
  }
  return wrong
})

/** How one round is played. */
interface RoundPlan {
  /** It makes names unique. */
  readonly number: number
  /** So many book at the same time. */
  readonly families: number
  /** A month ends meanwhile. */
  readonly monthEnds: boolean
}

/** Runs one round; answers what is wrong with what was told of wrong clocks. */
export const runRound = Effect.fnUntraced(function* (world: RoundWorld, { families, monthEnds, number }: RoundPlan) {
  const { chance, nodes, provider } = world
  if (monthEnds) yield* passToMonthEnd(world)
  yield* stepClocks(world)
  yield* provider.control("faults", { calls: 7, events: 5 })
  const failed = number === 0 ? [] : yield* failedRefunds(world)
  const killing = Effect.andThen(untilBusy(world), killService({ ...world, service: chance.one(nodes) }))
  yield* Effect.all(
    [
      Effect.forEach(
        Array.from({ length: families }, (_, i) => `r${number}-${i}`),
        (name) => runFamily(world, name),
        { concurrency: "unbounded" }
      ),
      killing,
      Effect.andThen(Effect.andThen(untilBusy(world), untilBusy(world)), stepClocks(world)),
      Effect.andThen(Effect.sleep(chance.below(1500)), troubleAccounts(world)),
      Effect.andThen(Effect.sleep(chance.below(1500)), paySubscriptions(world)),
      cancelEarlierBooking(world, [...world.uncancelled]),
      switchEndpoints(world),
      Effect.andThen(Effect.sleep(chance.below(1500)), moveDisputes(world, [...world.uncancelled])),
      sendAgain(world, failed)
    ],
    { concurrency: "unbounded" }
  )
  if (chance.once(2)) {
    yield* Effect.sleep(chance.below(300))
    yield* killService({ ...world, service: chance.one(nodes) })
  }
  return yield* judgeClocks(world, number)
})
