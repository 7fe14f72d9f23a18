/**
 * Other calendars of playrooms, and when they are busy. What is busy there takes the places that are free here
 * (`keep_calendar_places` in `sql/`), so that nobody else is sold them; a booking that has places already keeps them.
 */

import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { PublicDocuments } from "../../platform/access/PublicDocuments.ts"
import { inTurns } from "../../platform/concurrency/LoopSlice.ts"
import { decodeRows } from "../../platform/database/Rows.ts"
import { BookingId, PlayroomId } from "../../platform/ids/Ids.ts"
import { hourMs, type Instant, InstantFromDate } from "../../platform/time/LocalTime.ts"
import { type Busy, UnreadEvent, busyTimes, type Window } from "./BusyTimes.ts"
import { CalendarUnreadable, readCalendar } from "./CalendarText.ts"

// A look at a calendar: asks its host, within bounds, and reads when it is busy.

/** The largest calendar, in bytes: years of events. */
export const largestCalendar = 5 * 1024 * 1024
const maxRedirects = 3
/** For all that a calendar's host answers. */
const longestAnswer = "30 seconds"

const unreadable = (why: string) => new CalendarUnreadable({ why })

/** A redirect is followed to where any address may lead. */
const asked = Effect.fnUntraced(function* (url: string, headers: Readonly<Record<string, string>>) {
  const documents = yield* PublicDocuments
  let address = url
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const response = yield* documents.fetch(address, {
      accept: "text/calendar, */*;q=0.1",
      headers: { "user-agent": "playroom-booking", ...headers },
      largest: largestCalendar,
      within: "20 seconds"
    })
    if (![301, 302, 303, 307, 308].includes(response.status)) return response
    const next = URL.parse(response.headers.get("location") ?? "", address)
    if (next === null) return yield* unreadable(`the host answered with ${response.status}, and with no address`)
    address = next.href
  }
  return yield* unreadable("the host leads from one address to the next")
})

/** The answer of a calendar's host. `headers`: of a conditional request. */
export const askHost = (url: string, headers: Readonly<Record<string, string>> = {}) =>
  Effect.timeoutOrElse(asked(url, headers), {
    duration: longestAnswer,
    orElse: () => Effect.fail(unreadable("the host did not answer in time"))
  })

const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

/** The text of an answer that holds a calendar. */
export const textIn = Effect.fnUntraced(function* (response: Response) {
  if (response.status !== 200) return yield* unreadable(`the host answered with ${response.status}`)
  const bytes = yield* Effect.promise(() => response.arrayBuffer())
  // Of 5 MB it takes a few milliseconds: as a step, they count.
  return yield* inTurns(function* () {
    yield
    return decoder.decode(bytes)
  })
})

/** What a look at a calendar would find, without storing anything. Nobody's bookings are known: all events count. */
export const tryCalendar = Effect.fn("tryCalendar")(function* (url: string, window: Window) {
  const calendar = yield* readCalendar(yield* Effect.flatMap(askHost(url), textIn))
  return { events: calendar.events.length, ...(yield* busyTimes(calendar, () => false, window)) }
})

// The calendars that the catalogue names: an import that changes a playroom calls this.

/**
 * Has the calendars of these playrooms read anew, and forgets those that they name no more, with what they took. Run it
 * in the import's transaction, after closures and resources were written.
 */
export const keepCalendars = (sql: SqlClient.SqlClient, playroom_ids: ReadonlyArray<string>, now: Instant) =>
  sql`select keep_calendar_feeds(${playroom_ids}::text[], ${new Date(now)}::timestamptz)`

/** A calendar that is due, as it was read last. */
const DueFeed = Schema.Struct({
  feed_id: Schema.String,
  operator_id: Schema.String,
  playroom_id: PlayroomId,
  name: Schema.String,
  url: Schema.String,
  time_zone: Schema.String,
  ignore: Schema.Array(Schema.String),
  max_advance_days: Schema.Int,
  ask_at: InstantFromDate,
  etag: Schema.NullOr(Schema.String),
  last_modified: Schema.NullOr(Schema.String),
  /** Hexadecimal. */
  digest: Schema.NullOr(Schema.String),
  read_until: Schema.NullOr(InstantFromDate)
})
export type DueFeed = typeof DueFeed.Type

/** What its host answered: a calendar, the same as before, or nothing that can be used. */
export type FeedAnswer =
  | {
      readonly kind: "read"
      readonly busy: ReadonlyArray<Busy>
      readonly unread: ReadonlyArray<UnreadEvent>
      readonly digest: string
      readonly etag: string | undefined
      readonly last_modified: string | undefined
      readonly read_until: Instant
    }
  | { readonly kind: "unchanged" }
  | { readonly kind: "failed"; readonly why: string }

/**
 * Times that one transaction adds or removes. A statement on the embedded database stops the process for as long as it
 * takes: about 0.14 ms for each of them. The room is locked meanwhile.
 */
const maxWritten = 100

/** A host that is away for a while is nothing to report; each calendar is asked every few minutes. */
const longFailingMs = hourMs

/** Since when a calendar is not read, if that is so long that a person has to know. */
export const unreadSince = (feed: Pick<ReportedFeed, "answered_at" | "failing_since">, now: Instant) =>
  feed.failing_since !== null && feed.failing_since <= now - longFailingMs
    ? (feed.answered_at ?? feed.failing_since)
    : undefined

/** A calendar of which a person has to know. */
const ReportedFeed = Schema.Struct({
  operator_id: Schema.String,
  playroom_id: PlayroomId,
  playroom_name: Schema.String,
  name: Schema.String,
  answered_at: Schema.NullOr(InstantFromDate),
  failing_since: Schema.NullOr(InstantFromDate),
  failure: Schema.NullOr(Schema.String),
  unread: Schema.Array(UnreadEvent)
})
type ReportedFeed = typeof ReportedFeed.Type

/** A calendar as a list shows it. */
const ListedFeed = Schema.Struct({
  ...ReportedFeed.fields,
  time_zone: Schema.String,
  /** Busy times that are not over. */
  busy_ahead: Schema.Int
})
export type ListedFeed = typeof ListedFeed.Type

/** When a calendar keeps a playroom closed. */
const BusyTime = Schema.Struct({
  playroom_name: Schema.String,
  time_zone: Schema.String,
  calendar: Schema.String,
  start: InstantFromDate,
  end: InstantFromDate
})
export type BusyTime = typeof BusyTime.Type

/** A confirmed booking that has places when another calendar is busy. */
const BusyBooking = Schema.Struct({
  booking_id: BookingId,
  operator_id: Schema.String,
  reference: Schema.String,
  starts_at: InstantFromDate,
  ends_at: InstantFromDate,
  playroom_id: PlayroomId,
  playroom_name: Schema.String,
  time_zone: Schema.String,
  calendar: Schema.String,
  busy_from: InstantFromDate,
  busy_to: InstantFromDate
})
export type BusyBooking = typeof BusyBooking.Type

const dueRows = decodeRows(Schema.Array(DueFeed))
const reportedRows = decodeRows(Schema.Array(ReportedFeed))
const listedRows = decodeRows(Schema.Array(ListedFeed))
const busyTimeRows = decodeRows(Schema.Array(BusyTime))
const busyRows = decodeRows(Schema.Array(BusyBooking))
const ownRows = decodeRows(Schema.Array(Schema.Struct({ booking_id: Schema.String, reference: Schema.String })))

/** Calendars that are not read for long, as a table and a condition. */
export const failingFeeds = (sql: SqlClient.SqlClient, now: Instant) =>
  sql`calendar_feed f where f.failing_since <= ${new Date(now - longFailingMs)}`

export class CalendarFeeds extends Context.Service<
  CalendarFeeds,
  {
    /**
     * Takes calendars that are due, so that no other node asks them before `again`: those that answered last time, and
     * only if none of these is due, those that failed.
     */
    readonly takeDue: (
      now: Instant,
      again: Instant,
      limit: number
    ) => Effect.Effect<ReadonlyArray<DueFeed>, SqlError.SqlError>
    /** Which of these are ids or references of the operator's bookings. */
    readonly ownBookings: (
      operator_id: string,
      ids: ReadonlyArray<string>,
      references: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlySet<string>, SqlError.SqlError>
    /**
     * Stores an answer, and takes the places that are busy and free, or gives them back; of many times some in each
     * transaction. Does nothing if the calendar was asked again since, or is named no more.
     */
    readonly store: (feed: DueFeed, answer: FeedAnswer, now: Instant) => Effect.Effect<void, SqlError.SqlError>
    /** Calendars that are not read for long, or with events that can't be read. */
    readonly reported: (
      now: Instant,
      limit: number,
      operator_id?: string
    ) => Effect.Effect<ReadonlyArray<ReportedFeed>, SqlError.SqlError>
    /** All calendars, by playroom and name. */
    readonly list: (
      now: Instant,
      limit: number,
      operator_id?: string
    ) => Effect.Effect<ReadonlyArray<ListedFeed>, SqlError.SqlError>
    /** When calendars keep an operator's playrooms closed between two instants, by start. */
    readonly busyBetween: (
      operator_id: string,
      from: Instant,
      to: Instant,
      limit: number
    ) => Effect.Effect<ReadonlyArray<BusyTime>, SqlError.SqlError>
    /** Confirmed bookings that are not over and have places when another calendar is busy, by start. */
    readonly busyBookings: (
      now: Instant,
      limit: number,
      operator_id?: string
    ) => Effect.Effect<ReadonlyArray<BusyBooking>, SqlError.SqlError>
  }
>()("playroom/calendars/CalendarFeeds") {
  static readonly layer = Layer.effect(
    CalendarFeeds,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      /** Of that operator, if one is given; `f` is a calendar. */
      const ofOperator = (operator_id: string | undefined) =>
        operator_id === undefined ? sql`true` : sql`f.operator_id = ${operator_id}`

      const takeDue: CalendarFeeds["Service"]["takeDue"] = Effect.fn("CalendarFeeds.takeDue")(
        function* (now, again, limit) {
          const take = (state: "is null" | "is not null") =>
            dueRows(sql`
              update calendar_feed f set ask_at = ${new Date(again)}
              from playroom p, (select feed_id from calendar_feed
                where ask_at <= ${new Date(now)}::timestamptz and failing_since ${sql.literal(state)}
                order by ask_at limit ${limit}::int for update skip locked) due
              where f.feed_id = due.feed_id and p.playroom_id = f.playroom_id
              returning f.feed_id::text, f.operator_id, f.playroom_id, f.name, f.url, p.time_zone,
                (p.details ->> 'max_advance_days')::int as max_advance_days,
                coalesce((select c -> 'ignore' from jsonb_array_elements(p.details -> 'calendars') c
                  where c ->> 'url' = f.url limit 1), '[]') as ignore, f.ask_at, f.etag, f.last_modified,
                encode(f.digest, 'hex') as digest, f.read_until`)
          const answering = yield* take("is null")
          return answering.length > 0 ? answering : yield* take("is not null")
        }
      )

      const ownBookings: CalendarFeeds["Service"]["ownBookings"] = Effect.fn("CalendarFeeds.ownBookings")(
        function* (operator_id, ids, references) {
          if (ids.length + references.length === 0) return new Set<string>()
          const rows = yield* ownRows(sql`select booking_id, reference from booking where operator_id = ${operator_id}
          and (booking_id = any(${ids}::text[]) or reference = any(${references}::text[]))`)
          return new Set(rows.flatMap(({ booking_id, reference }) => [booking_id, reference]))
        }
      )

      /**
       * Brings what is stored of a calendar nearer to what it says, by so many times at most. Succeeds with whether
       * that was all. What is new comes first: until the end, more is closed.
       */
      const writeBusy = Effect.fnUntraced(function* (
        { feed_id, operator_id, playroom_id }: DueFeed,
        busy: ReadonlyArray<Busy>
      ) {
        const rows = JSON.stringify(
          busy.map(({ end, start }) => ({ starts: new Date(start).toISOString(), ends: new Date(end).toISOString() }))
        )
        const wanted = sql`select tstzrange(x.starts, x.ends) as during
          from jsonb_to_recordset(${rows}::jsonb) as x (starts timestamptz, ends timestamptz)`
        const come = yield* sql`insert into calendar_busy (feed_id, operator_id, playroom_id, during)
          select ${feed_id}::bigint, ${operator_id}, ${playroom_id}, w.during from (${wanted}) w
          where w.during not in (select b.during from calendar_busy b where b.feed_id = ${feed_id}::bigint)
          order by w.during limit ${maxWritten}::int on conflict do nothing returning 1 as one`
        if (come.length === maxWritten) return false
        const go = yield* sql`delete from calendar_busy b where b.feed_id = ${feed_id}::bigint and b.during in (
          select o.during from calendar_busy o where o.feed_id = ${feed_id}::bigint and o.during not in (${wanted})
          order by o.during limit ${maxWritten}::int) returning 1 as one`
        return go.length < maxWritten
      })

      /** One transaction of `store`. Succeeds with whether it was the last one. */
      const storePart = Effect.fnUntraced(function* (feed: DueFeed, answer: FeedAnswer, now: Instant) {
        const at = new Date(now)
        // Bookings and imports lock the room before they write; so does this, before it locks the calendar.
        yield* sql`select from resource where resource_id = ${feed.playroom_id} for update`
        const asked = yield* sql`select 1 as one from calendar_feed where feed_id = ${feed.feed_id}::bigint
            and ask_at = ${new Date(feed.ask_at)} for update`
        if (asked.length === 0) return true
        const isAll = answer.kind !== "read" || (yield* writeBusy(feed, answer.busy))
        if (answer.kind === "failed") {
          yield* sql`update calendar_feed set failure = ${answer.why}, failing_since = coalesce(failing_since, ${at})
              where feed_id = ${feed.feed_id}::bigint and failure is distinct from ${answer.why}`
        } else if (answer.kind === "unchanged") {
          yield* sql`update calendar_feed set answered_at = ${at}, failure = null, failing_since = null
              where feed_id = ${feed.feed_id}::bigint`
        } else if (isAll) {
          yield* sql`update calendar_feed set answered_at = ${at}, failure = null, failing_since = null,
                etag = ${answer.etag ?? null}, last_modified = ${answer.last_modified ?? null},
                digest = decode(${answer.digest}, 'hex'), read_until = ${new Date(answer.read_until)},
                unread = ${JSON.stringify(answer.unread)}::jsonb
              where feed_id = ${feed.feed_id}::bigint`
        }
        // Also if nothing is new: a booking that was in the way may have ended.
        yield* sql`select keep_calendar_places(${feed.playroom_id}, ${at}::timestamptz)`
        return isAll
      }, sql.withTransaction)

      const store: CalendarFeeds["Service"]["store"] = Effect.fn("CalendarFeeds.store")(function* (feed, answer, now) {
        while (!(yield* storePart(feed, answer, now))) yield* Effect.yieldNow
      })

      const reported: CalendarFeeds["Service"]["reported"] = (now, limit, operator_id) =>
        reportedRows(sql`
          select f.operator_id, f.playroom_id, p.name as playroom_name, f.name, f.answered_at, f.failing_since, f.failure, f.unread
          from (select feed_id from ${failingFeeds(sql, now)} union select feed_id from calendar_feed where unread <> '[]') r
          join calendar_feed f using (feed_id) join playroom p using (playroom_id)
          where ${ofOperator(operator_id)} order by f.feed_id limit ${limit}::int`)

      const list: CalendarFeeds["Service"]["list"] = (now, limit, operator_id) =>
        listedRows(sql`
          select f.operator_id, f.playroom_id, p.name as playroom_name, p.time_zone, f.name, f.answered_at, f.failing_since,
            f.failure, f.unread, (select count(*)::int from calendar_busy b
              where b.feed_id = f.feed_id and upper(b.during) > ${new Date(now)}::timestamptz) as busy_ahead
          from calendar_feed f join playroom p using (playroom_id)
          where ${ofOperator(operator_id)} order by p.name, f.playroom_id, f.name limit ${limit}::int`)

      const busyBetween: CalendarFeeds["Service"]["busyBetween"] = (operator_id, from, to, limit) =>
        busyTimeRows(sql`
          select p.name as playroom_name, p.time_zone, f.name as calendar, lower(b.during) as start, upper(b.during) as end
          from calendar_feed f join playroom p using (playroom_id)
            join calendar_busy b on b.playroom_id = f.playroom_id and b.feed_id = f.feed_id
              and b.during && tstzrange(${new Date(from)}::timestamptz, ${new Date(to)}::timestamptz)
          where f.operator_id = ${operator_id} order by lower(b.during), p.name, f.feed_id limit ${limit}::int`)

      const busyBookings: CalendarFeeds["Service"]["busyBookings"] = (now, limit, operator_id) =>
        busyRows(sql`
          select distinct on (b.starts_at, b.booking_id) b.booking_id, b.operator_id, b.reference, b.starts_at, b.ends_at,
            p.playroom_id, p.name as playroom_name, p.time_zone, f.name as calendar, lower(c.during) as busy_from, upper(c.during) as busy_to
          from calendar_busy c join occupancy o on o.resource_id = c.playroom_id and o.during && c.during
            join booking b on b.booking_id = o.booking_id join calendar_feed f using (feed_id)
            join playroom p on p.playroom_id = c.playroom_id
          where b.status = 'confirmed' and upper(o.during) > ${new Date(now)}
            and ${ofOperator(operator_id)}
          order by b.starts_at, b.booking_id, lower(c.during) limit ${limit}::int`)

      return CalendarFeeds.of({ takeDue, ownBookings, store, reported, list, busyBetween, busyBookings })
    })
  )
}
