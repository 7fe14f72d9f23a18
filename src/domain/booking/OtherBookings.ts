/**
 * The other live bookings of the same e-mail address under the same API key (`other_bookings` in `sql/`): those that
 * start on the visit's day, then those of other days that were made within the last day. One of them may be for the
 * same visit, so they are told before money moves.
 *
 * The key may serve many chats, and assistants invent addresses ("test@example.com"), so the address alone is no proof:
 * playroom and time are told of bookings under the same name (case and spaces aside), of others only that there are
 * some, and whether one is at the playroom and on the day of the caller's own booking. So two parents who book the same
 * visit are asked, each under their own name; another family's visit is not told.
 */

import { Clock, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Guest, Principal } from "../../platform/access/ApiKeys.ts"
import { decodeRows } from "../../platform/database/Rows.ts"
import { locking } from "../../platform/database/Transactions.ts"
import { BookingId } from "../../platform/ids/Ids.ts"
import {
  dayRange,
  type Instant,
  localDateOf,
  addDays,
  dayMinutes,
  InstantFromDate,
  secondMs
} from "../../platform/time/LocalTime.ts"
import { mergeSpans, openingOn, shiftSpan } from "../availability/Starts.ts"
import type { Place } from "../availability/Units.ts"
import type { Playroom } from "../catalogue/Playroom.ts"
import { type BookingRow, BookingStatus, TooManyHolds, notFoundBy, TooManyLookups } from "./Booking.ts"

// Looking a booking up by its reference and e-mail address (`find_booking` in `sql/`). A reference alone opens nothing:
// one API key may serve many families. Look-ups that find nothing are counted for each sender.

/**
 * Look-ups within an hour that find nothing: of an API key about one reference; of a guest in all, and of all guests of
 * one network address about one reference. All guests of a /48 have three times as many about one reference. A key's
 * other families lose no other reference by them.
 */
export const maxFailedLookups = 10

const foundOf = decodeRows(
  Schema.Tuple([
    Schema.Struct({
      found: Schema.Union([
        Schema.Struct({ outcome: Schema.Literal("found"), booking_id: BookingId }),
        Schema.Struct({ outcome: Schema.Literal("not_found") }),
        Schema.Struct({ outcome: Schema.Literal("too_many"), again_at: Schema.Int })
      ])
    })
  ])
)

const tooManyUntil = (again_at: Instant, now: Instant) =>
  new TooManyLookups({ retry_after_seconds: Math.max(1, Math.ceil((again_at - now) / secondMs)) })

/**
 * The id of the booking with this reference and e-mail address, if the caller may read it: a key reads those that it
 * made, a guest also those of other guests, which the guest reaches by id from then on.
 */
export const lookUpReference = Effect.fn("lookUpReference")(function* (
  { guest, key_id, operator_id }: Principal,
  reference: string,
  email: string,
  now: Instant
) {
  const sql = yield* SqlClient.SqlClient
  const caller = JSON.stringify({ key_id, operator_id, guest: guest?.address })
  const [{ found }] = yield* foundOf(
    sql`select find_booking(${reference}, ${email}, ${caller}::jsonb, ${maxFailedLookups}::int, ${new Date(now)}::timestamptz) as found`
  )
  if (found.outcome === "found") return found.booking_id
  if (found.outcome === "too_many") return yield* tooManyUntil(found.again_at, now)
  return yield* notFoundBy({ guest })
})

const countedOf = decodeRows(Schema.Tuple([Schema.Struct({ again_at: Schema.NullOr(InstantFromDate) })]))

/**
 * Counts a look-up whose result nobody is told, by a network address about one reference. It counts whether it finds
 * something or not, so that no count tells which.
 */
export const countLookup = Effect.fn("countLookup")(function* (sender: string, reference: string, now: Instant) {
  const sql = yield* SqlClient.SqlClient
  const at = new Date(now)
  const [{ again_at }] = yield* countedOf(
    locking(
      sql,
      sql`with about as (select digest_of(${`reference ${reference}`}) as digest),
    again as materialized (
      select digest, guest_lookup_again_at(${sender}, digest, ${maxFailedLookups}::int, ${at}::timestamptz) as at from about)
    select at as again_at, case when at is null
      then note_failed_guest_lookup(${sender}, digest, ${at}::timestamptz)::text end as counted from again`
    )
  )
  if (again_at !== null) return yield* tooManyUntil(again_at, now)
})

/** Removes up to `limit` counts of failed look-ups that no longer count. Returns how many. */
export const forgetFailedLookups = Effect.fnUntraced(function* (before: Instant, limit: number) {
  const sql = yield* SqlClient.SqlClient
  const removed = yield* sql`delete from failed_lookup where (sender, about) in (
    select sender, about from failed_lookup where since <= ${new Date(before)} limit ${limit} for update skip locked) returning 1`
  return removed.length
})

// Limits on guests' bookings of which nothing is paid (`guest_limit` in `sql/`), which hold when they are made and when
// their families change them. Guests are anonymous and free to create, so their networks have shares of a playroom's
// day: nobody can fill it without paying.

/**
 * The most bookings of which nothing is paid: of one guest (`guest`), of those that cost nothing (`guest_free`), and of
 * one person on one day of a playroom (`guest_day`). `guest_network_own`: what a network has of a playroom's day in any
 * case; beyond it, a third of what others leave.
 */
export const guestLimits = { guest: 2, guest_free: 20, guest_day: 3, guest_network_own: 2 } as const

/** A playroom's day, as RFC 3339, and for how many minutes the playroom is open then. */
interface VisitDay {
  readonly from: string
  readonly to: string
  readonly open_minutes: number
}

/** The day on which a visit starts. */
const visitDay = (playroom: Playroom, start: Instant): VisitDay => {
  const date = localDateOf(playroom.time_zone, start)
  const day = dayRange(playroom.time_zone, date)
  const open = mergeSpans([
    ...openingOn(playroom, addDays(date, -1)).map((span) => shiftSpan(span, -1)),
    ...openingOn(playroom, date)
  ])
  return {
    from: new Date(day.start).toISOString(),
    to: new Date(day.end).toISOString(),
    open_minutes: open.reduce(
      (sum, { first, last }) => sum + Math.max(0, Math.min(last, dayMinutes) - Math.max(first, 0)),
      0
    )
  }
}

const visitOf = (row: BookingRow, places: ReadonlyArray<Place>, playroom: Playroom) => ({
  email: row.contact_email,
  free: row.total === 0,
  room: places.find(({ resource_id }) => resource_id === row.playroom_id),
  day: visitDay(playroom, row.starts_at)
})

/** A guest's booking, as `guest_limit` in `sql/` reads it. */
export const guestVisit = (guest: Guest, ...visit: Parameters<typeof visitOf>) => ({ ...guest, ...visitOf(...visit) })

/** A change leaves the number of bookings as it is, so that only the day on which it is then is counted. */
const limitsOfChange = { ...guestLimits, guest: 2 ** 31 - 1, guest_free: 2 ** 31 - 1 }

const refusals = decodeRows(
  Schema.Array(
    Schema.Struct({
      refused: Schema.NullOr(Schema.Struct({ per: TooManyHolds.fields.per, limit: TooManyHolds.fields.limit }))
    })
  )
)

/**
 * Holds a guest's unpaid booking that changes to another day, or to more places, to the limits of a new booking there.
 * Other bookings have none. `to`: the booking after the change, which has `places`. The booking's own places must not
 * be among those taken on that day.
 */
export const checkChange = Effect.fn("checkChange")(function* (
  from: BookingRow,
  to: BookingRow,
  places: ReadonlyArray<Place>,
  playroom: Playroom,
  now: Instant
) {
  const sql = yield* SqlClient.SqlClient
  const at = new Date(now)
  const visit = JSON.stringify(visitOf(to, places, playroom))
  const [found] =
    yield* refusals(sql`select guest_limit(g.key_id, jsonb_build_object('address', g.address) || ${visit}::jsonb,
      b.playroom_id, ${JSON.stringify(limitsOfChange)}::jsonb, ${at}::timestamptz) as refused
    from guest_booking g join booking b using (booking_id) where b.booking_id = ${from.booking_id} and is_unpaid(b, ${at})`)
  if (found?.refused) yield* new TooManyHolds(found.refused)
})

/** Removes up to `limit` guest bookings that no longer count (paid, lapsed, cancelled or over). Returns how many. */
export const forgetSettled = Effect.fnUntraced(function* (now: Instant, limit: number) {
  const sql = yield* SqlClient.SqlClient
  const removed = yield* sql`delete from guest_booking where booking_id in (
    select g.booking_id from guest_booking g join booking b using (booking_id)
    where not is_unpaid(b, ${new Date(now)}) limit ${limit} for update of g skip locked) returning 1`
  return removed.length
})

/** The most of them in an answer. */
const maxOthers = 10

/**
 * Another live booking of the same e-mail address under the same API key: it may be for the same visit. `starts_at` is
 * in milliseconds. It has no id and no reference, as they open the booking, and who knows an e-mail address may be
 * another family behind the same key.
 */
const LiveBooking = Schema.Struct({
  status: BookingStatus,
  playroom_name: Schema.String,
  starts_at: Schema.Int,
  time_zone: Schema.String
})

/**
 * That there are bookings of the e-mail address under other names; `same_playroom`: one of them at the playroom and on
 * the day of the booking whose others they are. No more.
 */
const NamedOtherwise = Schema.Struct({
  other_name: Schema.Literal(true),
  same_playroom: Schema.optionalKey(Schema.Literal(true))
})

/** An entry of `other_bookings`. */
export const LiveOther = Schema.Union([LiveBooking, NamedOtherwise])
export type LiveOther = typeof LiveOther.Type

/** Without these bookings, which the caller knows as parts of the same wish: others are told without their ids. */
export const besidesThose = (
  others: ReadonlyArray<LiveOther>,
  known: ReadonlyArray<BookingRow>
): ReadonlyArray<LiveOther> =>
  others.filter(
    (one) =>
      "other_name" in one ||
      !known.some(({ starts_at, terms }) => one.starts_at === starts_at && one.playroom_name === terms.playroom_name)
  )

/** The start of a visit, and the time zone of its playroom. */
export interface VisitStart {
  readonly starts_at: Instant
  readonly time_zone: string
}

/** The last argument of `other_bookings`, for the visit of a person with this name. Without a visit, of no day. */
export const othersOf = (name: string, visit: VisitStart | undefined): string => {
  if (visit === undefined) return JSON.stringify({ most: maxOthers, name })
  const { starts_at, time_zone } = visit
  const { end, start } = dayRange(time_zone, localDateOf(time_zone, starts_at))
  return JSON.stringify({ most: maxOthers, name, from: new Date(start), to: new Date(end) })
}

const SamePlayroom = Schema.Struct({ there: Schema.Boolean })
const samePlayroomIn = decodeRows(Schema.Union([Schema.Tuple([SamePlayroom]), Schema.Tuple([])]))

/** The visit and the person of a booking, as its others are compared with it. */
type Compared = Pick<
  BookingRow,
  "booking_id" | "contact_email" | "contact_name" | "playroom_id" | "starts_at" | "terms"
>

/**
 * The others of a booking that this key made; if some are under another name, with `same_playroom` if one of those is
 * at the booking's playroom on its day. Whoever only knows an e-mail address could book one playroom and day after the
 * other to learn where its family goes: what finds nothing is counted, and after `maxFailedLookups` about one address
 * within an hour nobody with the key is told.
 */
export const withSamePlayroom = Effect.fn("withSamePlayroom")(function* (
  key_id: string,
  { booking_id, contact_email, contact_name, playroom_id, starts_at, terms: { time_zone } }: Compared,
  others: ReadonlyArray<LiveOther>
) {
  if (!others.some((one) => "other_name" in one)) return others
  const sql = yield* SqlClient.SqlClient
  const now = new Date(yield* Clock.currentTimeMillis)
  const day = dayRange(time_zone, localDateOf(time_zone, starts_at))
  const about = sql`digest_of('other name ' || folded(${contact_email}))`
  const [same] = yield* samePlayroomIn(sql`
with tried as materialized (
  select lookup_again_at(${key_id}, ${about}, ${maxFailedLookups}::int, ${now}::timestamptz) as again_at
), same as materialized (
  select exists (select from booking o
    where o.key_id = ${key_id} and folded(o.contact_email) = folded(${contact_email}) and o.status in ('held', 'confirmed')
      and (o.status = 'confirmed' or hold_runs(o, ${now}::timestamptz)) and o.booking_id <> ${booking_id}
      and o.starts_at >= ${new Date(day.start)} and o.starts_at < ${new Date(day.end)}
      and o.playroom_id = ${playroom_id} and folded(o.contact_name) <> folded(${contact_name})) as there
  from tried where again_at is null
)
select there, case when not there then note_failed_lookup(${key_id}, ${about}, ${now}::timestamptz) end from same`)
  if (same?.there !== true) return others
  return others.map((one): LiveOther => ("other_name" in one ? { ...one, same_playroom: true } : one))
})

const othersIn = decodeRows(Schema.Tuple([Schema.Struct({ others: Schema.Array(LiveOther) })]))

/** The others of a booking, under this key and by this contact. */
export const othersAround = Effect.fnUntraced(function* (
  key_id: string,
  { booking_id, contact_email, contact_name, starts_at, terms }: Omit<Compared, "playroom_id">
) {
  const sql = yield* SqlClient.SqlClient
  const now = new Date(yield* Clock.currentTimeMillis)
  const [{ others }] = yield* othersIn(sql`select other_bookings(${key_id}, ${contact_email}, ${booking_id},
    ${othersOf(contact_name, { starts_at, time_zone: terms.time_zone })}::jsonb, ${now}::timestamptz) as others`)
  return others
})

/** Reads the others of a booking that this key made. Another key's are nobody's to know. */
export const otherBookings = Effect.fn("otherBookings")(function* (key_id: string, booking: BookingRow) {
  return yield* withSamePlayroom(key_id, booking, yield* othersAround(key_id, booking))
})
