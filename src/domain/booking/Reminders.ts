/**
 * Finds whom to remind, by the clock: of a balance 7 days and 1 day before it is due, of a visit the day before. A cursor
 * for each kind says up to which moment bookings were looked at, so that each is looked at once, by one node. Who booked
 * or moved later than that has a letter which says the same.
 */
import { Clock, Effect, Schema } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { BookingId } from "../../platform/ids/Ids.ts"
import { dayMs, InstantFromDate } from "../../platform/time/LocalTime.ts"
import { decodeRows } from "../../platform/database/Rows.ts"
import type { LetterKind } from "./LetterOutbox.ts"

/** Bookings that one statement looks at. */
const batch = 200
/** Reminders that are later than this are not written: nobody looked for so long. */
const latestMs = dayMs

interface Reminder {
  /** Of its cursor. */
  readonly name: "visit" | "balance_7" | "balance_1"
  readonly kind: LetterKind
  readonly leadMs: number
  /** Letters within the day before that make it superfluous. */
  readonly after: ReadonlyArray<LetterKind>
}

const changes = ["confirmed", "changed"] as const

/** The visit first: its letter says what is to be paid, too. */
const reminders: ReadonlyArray<Reminder> = [
  { name: "visit", kind: "visit", leadMs: dayMs, after: changes },
  { name: "balance_7", kind: "balance_due", leadMs: 7 * dayMs, after: [...changes, "balance_due", "visit"] },
  { name: "balance_1", kind: "balance_due", leadMs: dayMs, after: [...changes, "balance_due", "visit"] }
]

/** The time that a reminder is about, and what else holds for its bookings; each as an index has it. */
const ofKind = (
  sql: SqlClient.SqlClient,
  kind: LetterKind
): { readonly at: Statement.Fragment; readonly are: Statement.Fragment } =>
  kind === "visit"
    ? { at: sql`b.starts_at`, are: sql`b.status = 'confirmed'` }
    : {
        at: sql`instant_of(b.terms -> 'price' ->> 'balance_due_at')`,
        are: sql`b.status = 'confirmed' and b.total > b.due_now and b.payment_status <> 'paid'
          and b.terms -> 'balance_at_venue' is null`
      }

const cursorsOf = decodeRows(Schema.Array(Schema.Struct({ moment: InstantFromDate, booking_id: Schema.String })))
const lookedAt = decodeRows(Schema.Array(Schema.Struct({ booking_id: BookingId, moment: InstantFromDate })))

/** Sends no more reminders to an address, or sends them again. */
export const stopReminders = Effect.fn("stopReminders")(function* (email: string, stop: boolean) {
  const sql = yield* SqlClient.SqlClient
  const now = new Date(yield* Clock.currentTimeMillis)
  yield* stop
    ? sql`insert into reminder_stop (address, stopped_at) values (address_digest(${email}), ${now}) on conflict do nothing`
    : sql`delete from reminder_stop where address = address_digest(${email})`
})

/** Whether an address wants no reminders. */
export const remindersStopped = Effect.fnUntraced(function* (email: string) {
  const sql = yield* SqlClient.SqlClient
  const found = yield* sql`select 1 as stopped from reminder_stop where address = address_digest(${email})`
  return found.length > 0
})

/** Looks at the next bookings of one kind; returns how many. None if another node does so now. */
const writeSome = (reminder: Reminder): Effect.Effect<number, SqlError.SqlError, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { after, kind, leadMs, name } = reminder
    const { are, at } = ofKind(sql, kind)
    const now = yield* Clock.currentTimeMillis
    const until = now + leadMs
    yield* sql`insert into reminder_cursor (name, moment) values (${name}, ${new Date(until)}) on conflict do nothing`
    const [cursor] = yield* cursorsOf(
      sql`select moment, booking_id from reminder_cursor where name = ${name} for update skip locked`
    )
    if (cursor === undefined) return 0
    const late = cursor.moment < until - latestMs
    const from = {
      moment: new Date(late ? until - latestMs : cursor.moment),
      booking_id: late ? "" : cursor.booking_id
    }
    const rows = yield* lookedAt(sql`
      with due as (
        select b.booking_id, b.operator_id, ${at} as moment from booking b
        where ${are} and ${at} >= ${from.moment} and (${at}, b.booking_id) > (${from.moment}::timestamptz, ${from.booking_id}::text)
          and ${at} <= ${new Date(until)}
        order by ${at}, b.booking_id limit ${batch}::int),
      written as (
        insert into letter (booking_id, operator_id, kind, reminds_of, decided_at, next_attempt_at)
        select booking_id, operator_id, ${kind}, (extract(epoch from moment) * 1000)::bigint || ${` ${leadMs / dayMs}`}::text, ${new Date(now)}, ${new Date(now)}
        from due where not exists (select from letter l where l.booking_id = due.booking_id
          and l.kind = any(${after}::text[]) and l.decided_at > ${new Date(now - dayMs)})
        on conflict do nothing)
      select booking_id, moment from due order by moment, booking_id`)
    const last = rows.at(-1)
    const next = rows.length < batch || last === undefined ? { moment: until, booking_id: "" } : last
    yield* sql`update reminder_cursor set moment = ${new Date(next.moment)}, booking_id = ${next.booking_id} where name = ${name}`
    return rows.length
  })

/** Writes all reminders that are due now. */
export const writeReminders = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const reminder of reminders)
    for (let looked = batch; looked === batch; yield* Effect.yieldNow)
      looked = yield* sql.withTransaction(writeSome(reminder))
}).pipe(Effect.withSpan("Reminders.write"))
