/** The end of a round: the faults stop, time passes, and the judge says what is still wrong. */
import { Effect, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { auditCodes } from "../../../src/ops/audit/Audit.ts"
import { minuteMs } from "../../../src/platform/time/LocalTime.ts"
import { databaseRecord, Finding, isBehind, judge, settledByDashboard } from "./Judge.ts"
import { count, readDatabase, type RoundWorld } from "./RoundWorld.ts"

const Findings = Schema.fromJsonString(Schema.Array(Finding))

/** What is wrong at this moment. `doctor` is a process of its own, so it runs only where its answer may change the judgement; `thorough`: with its audit. */
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
  const doctor = ["doctor", "--json", ...(thorough ? ["--audit"] : [])]
  const told = yield* Effect.flatMap(service.playroomProcess(...doctor), ({ stderr, stdout }) =>
    Effect.mapError(
      Schema.decodeUnknownEffect(Findings)(stdout),
      () => new Error(`The doctor did not say what it found:\n${stderr}${stdout}`)
    )
  ).pipe(
    // The database may be busy on a slow machine: the doctor says so, and a person calls it again.
    Effect.tapError((error) => Effect.logWarning(error.message)),
    Effect.retry({ times: 5, schedule: Schedule.spaced("1 second") })
  )
  const findings = told.filter(({ what }) => !auditCodes.includes(what))
  const blamed = told.filter((one) => !findings.includes(one))
  return [
    ...judge({ ...evidence, findings }),
    ...blamed.map(({ detail, id, what }) => `the audit blames what is sound: ${what} ${id}: ${detail}`)
  ]
})

/** The queue of provider tasks goes by the database's clock, which the tests can't turn: so its rows are moved into the past instead. */
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
 * The service hears of dashboard refunds, disputes and corrections by asking, hours or days later: the checks of the payments
 * about which its books differ come now. A payment that it would never ask about again stays as it is.
 */
const askNow = Effect.fnUntraced(function* (wrong: ReadonlyArray<string>, now: number) {
  const sql = yield* SqlClient.SqlClient
  const ids = wrong.filter(isBehind).flatMap((sentence) => sentence.match(/payment_[0-9a-z]{20,}/g) ?? [])
  yield* sql`update payment_session set refund_check_at = least(refund_check_at, ${new Date(now)})
    where refund_check_at is not null and payment_session_id = any(${ids}::text[])`
})

/** How far the clock is turned, step by step, until nothing is wrong: for retries, for holds and pages, for idempotency keys. */
const clockSteps = [
  3 * minuteMs,
  41 * minuteMs,
  41 * minuteMs,
  3 * 60 * minuteMs,
  13 * 60 * minuteMs,
  25 * 60 * minuteMs,
  25 * 60 * minuteMs
]

/**
 * The provider and the network work again; some operators' accounts still do not. Then time passes. Answers what stays wrong; `thorough`
 * has the doctor's findings judged too.
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
  yield* provider.control("flush")
  let wrong: ReadonlyArray<string> = []
  for (const [step, ms] of clockSteps.entries()) {
    yield* provider.control("turn", { ms })
    yield* readDatabase(world.service, moveTasksBack(ms))
    count(world, "minutes passed", ms / minuteMs)
    for (let tries = 0; tries < 20 && (yield* provider.control("waiting")) !== 0; tries++)
      yield* Effect.sleep("300 millis")
    // Each of the service's background workers runs about once a second (see preload.ts). On a busy machine they take longer: what is
    // wrong at the end must stay so.
    const most = step === clockSteps.length - 1 ? 30 : 4
    for (let looks = 0; looks < most; looks++) {
      yield* Effect.sleep("700 millis")
      wrong = yield* judgeRound(world, { patient: looks < 3 || step < 3, thorough })
      if (wrong.length === 0) return wrong
      if (looks === 0 && wrong.some(isBehind))
        yield* readDatabase(world.service, askNow(wrong, (yield* provider.record).now))
    }
  }
  return wrong
})
