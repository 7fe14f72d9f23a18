/**
 * The outbox of letters to families (table `letter`). A letter is stored in the transaction that decides it, so that it
 * is sent if that commits, and only then. `surfaces/letters/` sends them, outside any transaction.
 */

import { Clock, Context, Effect, Layer, Metric, Option, Queue, Schema } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { statementOfFibers } from "../../platform/concurrency/SharedReads.ts"
import { AppConfig } from "../../platform/config/AppConfig.ts"
import { columnsOf, decodeRows, type Row, tableOf } from "../../platform/database/Rows.ts"
import { BookingId } from "../../platform/ids/Ids.ts"
import { dayMs, type Instant, InstantFromDate } from "../../platform/time/LocalTime.ts"
import type { BookingRow } from "./Booking.ts"
import { Extra, extrasOf } from "./BookingRequest.ts"

/**
 * What a letter tells. `ended`: the booking was cancelled or released, or its payment came too late. `balance_due`,
 * `visit`: reminders. `sent_back`: money that was not what was asked for goes back. `link`: somebody asked for the link
 * of the booking's page. `booked`: the venue made the booking, and its places are held until it is paid. `readdressed`: to
 * the address that a booking had, that letters go to another one. `from_venue`: what the venue writes itself.
 * `places_back`: places came back, and are held for a family that waited for them.
 */
export const LetterKind = Schema.Literals([
  "confirmed",
  "changed",
  "ended",
  "balance_due",
  "visit",
  "refund_failed",
  "sent_back",
  "link",
  "booked",
  "readdressed",
  "from_venue",
  "places_back"
])
export type LetterKind = typeof LetterKind.Type

/** The name and the address of a booking's room, as letters compare them. */
export const placeOf = ({ address, playroom_name }: Pick<BookingRow["terms"], "address" | "playroom_name">): string =>
  `${playroom_name}, ${address}`

/** The visit and its price before a change. Instants are milliseconds, money is minor units. */
export const VisitBefore = Schema.Struct({
  /** Name and address of its room (`placeOf`). Absent in letters of a release that did not write it. */
  place: Schema.optionalKey(Schema.String),
  starts_at: Schema.Int,
  ends_at: Schema.Int,
  children: Schema.Int,
  adults: Schema.Int,
  /** Absent in letters of a release that did not write them. */
  extras: Schema.optionalKey(Schema.Array(Extra)),
  total: Schema.Int
})
export type VisitBefore = typeof VisitBefore.Type

const LetterRow = Schema.Struct({
  letter_id: Schema.String,
  booking_id: BookingId,
  kind: LetterKind,
  /** Whom it is to, if that is not the booking's address. */
  recipient: Schema.NullOr(Schema.String),
  reminds_of: Schema.NullOr(Schema.String),
  before: Schema.NullOr(VisitBefore),
  /** The venue's, of a letter that it writes itself. */
  words: Schema.NullOr(Schema.String),
  attempts: Schema.Int,
  decided_at: InstantFromDate,
  outcome: Schema.NullOr(Schema.String)
})
type LetterRow = typeof LetterRow.Type

/**
 * A letter that is being sent. `superseded`: a newer one tells the same and more. `language`: in which the family is
 * written to, if that is known (`BookingRequest.ts`).
 */
const TakenLetter = Schema.Struct({
  ...LetterRow.fields,
  superseded: Schema.Boolean,
  /** What its booking has now. */
  extras: Schema.NullOr(Schema.Array(Extra)),
  language: Schema.NullOr(Schema.String)
})
export type TakenLetter = typeof TakenLetter.Type

/** A letter that no mail server took. */
const DeadLetter = Schema.Struct({
  letter_id: Schema.String,
  booking_id: BookingId,
  reference: Schema.String,
  kind: LetterKind,
  attempts: Schema.Int,
  outcome: Schema.NullOr(Schema.String)
})

/** How many letters have failed and wait for their next try, since when, and why the latest did. */
const Delayed = Schema.Struct({ letters: Schema.Int, since: InstantFromDate, outcome: Schema.NullOr(Schema.String) })

/** The letter that a change of a booking calls for. `after` is the row that `event` made of `before`. */
export const letterOf = (before: BookingRow, after: BookingRow, event: string): LetterKind | undefined => {
  if (after.status === "confirmed" && before.status !== "confirmed") return "confirmed"
  if (before.status === "confirmed" && after.status !== "confirmed") return "ended"
  const lateMoneyGoesBack = after.payment_status === "refund_pending" && before.payment_status !== "refund_pending"
  if (event === "paid_late" && lateMoneyGoesBack) return "ended"
  if (event === "payment_sent_back") return "sent_back"
  return event === "refund_failed" ? "refund_failed" : undefined
}

/** Of several letters of these kinds about a booking, the newest says everything. */
const superseding: ReadonlyArray<LetterKind> = ["confirmed", "changed", "ended", "refund_failed", "sent_back", "link"]

/**
 * Letters within a day that one address gets, besides confirmations. Links that somebody asked for are counted by
 * themselves: a family whose bookings changed often can still find them, and who asks for links stops no other letter.
 */
const maxLettersPerDay = 5

export const deadLetters = (sql: SqlClient.SqlClient): Statement.Fragment => sql`letter where status = 'dead'`

const counted = Metric.counter("letters_total", {
  description: "Letters to families by kind, and what became of them: sent, dropped (true no more), dead",
  incremental: true
})

const takenOf = decodeRows(Schema.Array(TakenLetter))
const deadOf = decodeRows(Schema.Array(DeadLetter))
const delayedOf = decodeRows(Schema.Array(Delayed))

interface NewLetter {
  readonly booking: Pick<BookingRow, "booking_id" | "operator_id">
  readonly kind: LetterKind
  /** The venue's own. */
  readonly words?: string
}

export class LetterOutbox extends Context.Service<
  LetterOutbox,
  {
    /** Whether letters are written at all. */
    readonly on: boolean
    /** Stores a letter, in the caller's transaction if there is one. Does nothing if there are no letters. */
    readonly write: (letter: NewLetter) => Effect.Effect<void, SqlError.SqlError>
    /** Stores a letter about a change of a booking, before its row changes, in the caller's transaction. */
    readonly writeChange: (booking: Pick<BookingRow, "booking_id">) => Effect.Effect<void, SqlError.SqlError>
    /**
     * After a booking's e-mail address was corrected, in the caller's transaction: writes to the former one if it may
     * have had letters, and says whether it may. Letters that no mail server took there are tried again.
     */
    readonly readdress: (
      booking: Pick<BookingRow, "booking_id" | "operator_id">,
      former: string,
      proven: boolean
    ) => Effect.Effect<boolean, SqlError.SqlError>
    /** Waits until this process has stored a letter. */
    readonly written: Effect.Effect<void>
    /** Takes the next due letter. If this process dies, another one takes it over at `until`. */
    readonly take: (now: Instant, until: Instant) => Effect.Effect<Option.Option<TakenLetter>, SqlError.SqlError>
    /**
     * Counts a letter that is about to be sent to this address. False if the address had `maxLettersPerDay` of its kind
     * (links that were asked for, or all others) within a day; confirmations count for nothing, and are always allowed.
     */
    readonly admit: (letter: LetterRow, email: string) => Effect.Effect<boolean, SqlError.SqlError>
    readonly markSent: (letter: LetterRow) => Effect.Effect<void, SqlError.SqlError>
    /** The letter is not sent, because it no longer applies. */
    readonly drop: (letter: LetterRow, why: string) => Effect.Effect<void, SqlError.SqlError>
    /** It is tried again at `at`. */
    readonly postpone: (letter: LetterRow, at: Instant, why: string) => Effect.Effect<void, SqlError.SqlError>
    readonly giveUp: (letter: LetterRow, why: string) => Effect.Effect<void, SqlError.SqlError>
    /**
     * Whether letters to two other addresses met the same refusal within a day, and none was sent since: then it is no
     * address that is refused. Those that were given up are tried again.
     */
    readonly refusedAlike: (letter: LetterRow, why: string) => Effect.Effect<boolean, SqlError.SqlError>
    /** Letters that were given up, oldest first. */
    readonly dead: Effect.Effect<ReadonlyArray<typeof DeadLetter.Type>, SqlError.SqlError>
    /** Letters that failed and were decided before then; undefined if there are none. */
    readonly delayed: (before: Instant) => Effect.Effect<typeof Delayed.Type | undefined, SqlError.SqlError>
    /** Sends a letter that was given up again; false if none has that id. */
    readonly revive: (letter_id: string) => Effect.Effect<boolean, SqlError.SqlError>
    /** A person told the family in another way; false if no letter with that id was given up. */
    readonly settle: (letter_id: string) => Effect.Effect<boolean, SqlError.SqlError>
    /** Deletes up to `limit` letters that were over before then. */
    readonly purge: (before: Instant, limit: number) => Effect.Effect<number, SqlError.SqlError>
    /** Forgets, of up to `limit` letters that were tried before then, which address had them. */
    readonly forgetAddresses: (before: Instant, limit: number) => Effect.Effect<number, SqlError.SqlError>
  }
>()("playroom/booking/LetterOutbox") {
  static readonly layer = Layer.effect(
    LetterOutbox,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { letters } = yield* AppConfig
      const on = letters.kind !== "off"
      const columns = sql.literal(columnsOf(LetterRow, "l"))
      const stored = yield* Queue.sliding<void>(1)
      const wake = Effect.asVoid(Queue.offer(stored, undefined))

      const insert = statementOfFibers(sql, (rows: ReadonlyArray<Row>) =>
        Effect.as(
          sql`insert into letter (booking_id, operator_id, kind, words, decided_at, next_attempt_at)
            select booking_id, operator_id, kind, words, at, at
            from ${tableOf(sql, rows, "booking_id text, operator_id text, kind text, words text, at timestamptz")}`,
          rows
        ).pipe(Effect.tap(() => sql.afterCommit(wake)))
      )
      const write = Effect.fn("LetterOutbox.write")(function* ({
        booking: { booking_id, operator_id },
        kind,
        words = null
      }: Omit<NewLetter, "words"> & { readonly words?: string | null }) {
        if (!on) return
        yield* insert({ booking_id, operator_id, kind, words, at: new Date(yield* Clock.currentTimeMillis) })
      })

      const writeChange = Effect.fn("LetterOutbox.writeChange")(function* ({
        booking_id
      }: Pick<BookingRow, "booking_id">) {
        if (!on) return
        const now = new Date(yield* Clock.currentTimeMillis)
        yield* sql`insert into letter (booking_id, operator_id, kind, before, decided_at, next_attempt_at)
          select booking_id, operator_id, 'changed', jsonb_build_object(
              'place', (terms ->> 'playroom_name') || ', ' || (terms ->> 'address'),
              'starts_at', (extract(epoch from starts_at) * 1000)::bigint, 'ends_at', (extract(epoch from ends_at) * 1000)::bigint,
              'children', children, 'adults', adults, 'extras', ${extrasOf(sql)}, 'total', total), ${now}, ${now}
          from booking b where booking_id = ${booking_id} and status = 'confirmed'`
        yield* sql.afterCommit(wake)
      })

      const readdress = Effect.fn("LetterOutbox.readdress")(function* (
        { booking_id, operator_id }: NewLetter["booking"],
        former: string,
        proven: boolean
      ) {
        if (!on) return proven
        const now = new Date(yield* Clock.currentTimeMillis)
        const told = yield* sql`
          with again as (update letter set status = 'pending', attempts = 0, decided_at = ${now}, next_attempt_at = ${now}
            where booking_id = ${booking_id} and status = 'dead')
          insert into letter (booking_id, operator_id, kind, recipient, decided_at, next_attempt_at)
          select ${booking_id}, ${operator_id}, 'readdressed', ${former}::text, ${now}::timestamptz, ${now}::timestamptz
          where ${proven}::boolean or exists (select from letter where booking_id = ${booking_id}) returning 1 as told`
        yield* sql.afterCommit(wake)
        return told.length > 0
      })

      // A letter that is superseded leaves what it would have told to the one that supersedes it: the visit before.
      const take = Effect.fn("LetterOutbox.take")(function* (now: Instant, until: Instant) {
        const [found] = yield* takenOf(sql`
          with due as (select letter_id from letter where status = 'pending' and next_attempt_at <= ${new Date(now)}
            order by next_attempt_at, seq limit 1 for update skip locked),
          newer as (select n.letter_id, l.before from due join letter l using (letter_id)
            cross join lateral (select letter_id from letter n where n.booking_id = l.booking_id and n.kind = l.kind
              and n.seq > l.seq and n.status = 'pending' and n.kind = any(${superseding}::text[]) order by n.seq limit 1) n),
          passed_on as (update letter n set before = newer.before from newer
            where n.letter_id = newer.letter_id and newer.before is not null)
          update letter l set next_attempt_at = ${new Date(until)}, attempts = l.attempts + 1 from due
          where l.letter_id = due.letter_id returning ${columns}, exists (select from newer) as superseded,
            (select ${extrasOf(sql)} from booking b where b.booking_id = l.booking_id) as extras,
            (select b.language from booking b where b.booking_id = l.booking_id) as language`)
        return Option.fromUndefinedOr(found)
      })

      const admit = Effect.fn("LetterOutbox.admit")(function* (letter: LetterRow, email: string) {
        const now = yield* Clock.currentTimeMillis
        // Two nodes that send to one address count one after the other.
        yield* sql`select pg_advisory_xact_lock(hashtextextended('letters to ' || folded(${email}::text), 0))`
        const admitted = yield* sql`update letter l set tried_at = ${new Date(now)}, sent_to = address_digest(${email})
          where letter_id = ${letter.letter_id} and (kind = 'confirmed' or (
            select count(*) from (select from letter o where o.sent_to = address_digest(${email})
              and o.tried_at > ${new Date(now - dayMs)} and o.kind <> 'confirmed' and o.status in ('pending', 'sent')
              and (o.kind = 'link') = (l.kind = 'link')
              and o.letter_id <> l.letter_id limit ${maxLettersPerDay}::int) had) < ${maxLettersPerDay}::int)
          returning 1 as mine`
        return admitted.length > 0
      }, sql.withTransaction)

      const become = ({ kind, letter_id }: LetterRow, status: "sent" | "dropped" | "dead", outcome: string | null) =>
        Effect.gen(function* () {
          const now = new Date(yield* Clock.currentTimeMillis)
          yield* sql`update letter set status = ${status}, outcome = ${outcome}, next_attempt_at = null, recipient = null,
            sent_at = case when ${status} = 'sent' then ${now}::timestamptz end
            where letter_id = ${letter_id} and status = 'pending'`
          yield* Metric.update(Metric.withAttributes(counted, { kind, outcome: status }), 1)
        })

      const ofDead = (letter_id: string, change: Statement.Fragment) =>
        Effect.map(
          sql`update letter set ${change} where letter_id = ${letter_id} and status = 'dead' returning 1 as mine`,
          (rows) => rows.length > 0
        )

      return LetterOutbox.of({
        on,
        write,
        writeChange,
        readdress,
        written: Queue.take(stored),
        take,
        admit,
        markSent: (letter) => become(letter, "sent", null),
        drop: (letter, why) => become(letter, "dropped", why),
        giveUp: (letter, why) => become(letter, "dead", why),
        postpone: ({ letter_id }, at, why) =>
          Effect.asVoid(sql`update letter set next_attempt_at = ${new Date(at)}, outcome = ${why}
            where letter_id = ${letter_id} and status = 'pending'`),
        refusedAlike: Effect.fn("LetterOutbox.refusedAlike")(function* ({ letter_id }, why) {
          const now = yield* Clock.currentTimeMillis
          const since = new Date(now - dayMs)
          const alike = sql`select o.letter_id, o.sent_to from letter o where o.sent_to is not null
            and o.status in ('dead', 'pending') and o.outcome = ${why} and o.letter_id <> ${letter_id}
            and o.tried_at > greatest(${since}::timestamptz,
              (select max(s.tried_at) from letter s where s.sent_to is not null and s.status = 'sent'))`
          const others = yield* sql`select distinct sent_to from (${alike} limit 1000) a limit 2`
          if (others.length < 2) return false
          yield* sql`update letter set status = 'pending', next_attempt_at = ${new Date(now)}::timestamptz + interval '1 hour'
            where status = 'dead' and letter_id in (select letter_id from (${alike}) a)`
          return true
        }),
        dead: Effect.suspend(() =>
          deadOf(sql`select l.letter_id, l.booking_id, b.reference, l.kind, l.attempts, l.outcome
            from letter l join booking b using (booking_id) where l.status = 'dead' order by l.decided_at limit 200`)
        ),
        delayed: (before) =>
          Effect.map(
            delayedOf(sql`select count(*)::int as letters, min(decided_at) as since,
                (array_agg(outcome order by tried_at desc))[1] as outcome
              from (select * from letter where status = 'pending' and outcome is not null
                and decided_at < ${new Date(before)} limit 10000) l having count(*) > 0`),
            ([found]) => found
          ),
        revive: (letter_id) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) =>
            ofDead(
              letter_id,
              sql`status = 'pending', attempts = 0, decided_at = ${new Date(now)}, next_attempt_at = ${new Date(now)}`
            )
          ),
        settle: (letter_id) => ofDead(letter_id, sql`status = 'dropped'`),
        purge: (before, limit) =>
          Effect.map(
            sql`delete from letter where letter_id in (select letter_id from letter
              where status in ('sent', 'dropped') and decided_at < ${new Date(before)} order by decided_at limit ${limit}::int)
              returning 1 as gone`,
            (rows) => rows.length
          ),
        forgetAddresses: (before, limit) =>
          Effect.map(
            sql`update letter set sent_to = null where letter_id in (select letter_id from letter
              where sent_to is not null and tried_at < ${new Date(before)} limit ${limit}::int) returning 1 as gone`,
            (rows) => rows.length
          )
      })
    })
  )
}

// Finds whom to remind, by the clock: of a balance 7 days and 1 day before it is due, of a visit the day before. A
// cursor for each kind says up to which moment bookings were looked at, so that each is looked at once, by one node.
// Who booked or moved later than that has a letter which says the same.

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

/** Stops reminders to an address, or starts them again. */
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
