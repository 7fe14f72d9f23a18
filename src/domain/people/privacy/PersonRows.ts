/** Whole rows about a person, as stored. Columns that are added later are included. */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { BookingId } from "../../../platform/ids/Ids.ts"
import { decodeRows } from "../../../platform/database/Rows.ts"

const Row = Schema.Record(Schema.String, Schema.Json)
const Rows = Schema.Array(Row)

/** A booking with all rows that belong to it. */
export const PersonBooking = Schema.Struct({
  booking: Row,
  history: Rows,
  payment_sessions: Rows,
  refunds: Rows,
  disputes: Rows,
  provider_events: Rows,
  /** Idempotency keys of the booking and its payments. */
  idempotency_keys: Rows,
  /** A guest's network address and host, until something is paid. */
  guest_booking: Rows,
  /** Other guests who reach the booking. */
  booking_guests: Rows,
  letters: Rows
})
export type PersonBooking = typeof PersonBooking.Type

const bookingRows = decodeRows(Schema.Array(PersonBooking))
const keyRows = decodeRows(Schema.Array(Schema.Struct({ key_id: Schema.String })))
const grantRows = decodeRows(Schema.Array(Schema.Struct({ connect_grant: Row })))

/** These bookings with all their rows, oldest first. */
export const rowsOfBookings = Effect.fnUntraced(function* (ids: ReadonlyArray<BookingId>) {
  const sql = yield* SqlClient.SqlClient
  const all = (table: string, as: string) => sql`(select coalesce(jsonb_agg(to_jsonb(t)), '[]')
    from (select * from ${sql(table)} t where t.booking_id = b.booking_id) t) as ${sql(as)}`
  return yield* bookingRows(sql`select to_jsonb(b) as booking,
      (select coalesce(jsonb_agg(to_jsonb(h) - 'done_by' order by h.seq), '[]') from booking_history h where h.booking_id = b.booking_id) as history,
      ${all("payment_session", "payment_sessions")}, ${all("refund", "refunds")}, ${all("dispute", "disputes")},
      ${all("webhook_event", "provider_events")}, ${all("guest_booking", "guest_booking")},
      ${all("booking_guest", "booking_guests")}, ${all("letter", "letters")},
      (select coalesce(jsonb_agg(to_jsonb(i)), '[]') from idempotency i where i.key_id = b.key_id and (i.result_id = b.booking_id
        or i.result_id in (select payment_session_id from payment_session s where s.booking_id = b.booking_id))) as idempotency_keys
    from booking b where b.booking_id = any(${ids}::text[]) order by b.booking_id`)
})

/** Keys of guests who made or reach these bookings, and no other booking that is not erased. */
export const guestsOf = Effect.fnUntraced(function* (ids: ReadonlyArray<BookingId>) {
  const sql = yield* SqlClient.SqlClient
  const found = yield* keyRows(sql`select distinct g.key_id from connect_grant g
    where g.sign_in = 'guest' and g.key_id in (
        select key_id from booking where booking_id = any(${ids}::text[])
        union all select key_id from booking_guest where booking_id = any(${ids}::text[]))
      and not exists (select from booking other where other.key_id = g.key_id and other.erased_at is null
        and other.booking_id <> all(${ids}::text[]))
      and not exists (select from booking_guest other where other.key_id = g.key_id
        and other.booking_id <> all(${ids}::text[]))`)
  return found.map(({ key_id }) => key_id)
})

/** The grants of these guests, without digests of secrets. */
export const grantsOf = Effect.fnUntraced(function* (key_ids: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  const found = yield* grantRows(sql`select to_jsonb(g) - 'key_hash' - 'consent' as connect_grant from connect_grant g
    where g.sign_in = 'guest' and g.key_id = any(${key_ids}::text[]) order by g.grant_id`)
  return found.map(({ connect_grant }) => connect_grant)
})
