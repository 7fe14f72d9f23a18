/** A past: bookings that are over and settled, as the service leaves them, and what belongs to them. */
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { importVenue } from "../../support/BookingWorld.ts"
import {
  cancelBooking,
  createBooking,
  payBooking,
  paymentServicesOnDatabase,
  reconcile,
  runProviderTasks
} from "../../support/PaymentWorld.ts"
import { packages, venue } from "../../support/paymentVenues.ts"
import { testId } from "../../support/venues.ts"

/** Bookings of one copy, on a day each. */
const kinds = 8
const rooms = 100

/** Each kind once, made by the service: paid at once, in two parts, given back, and a hold that ended. */
const makeEachKind = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* importVenue(venue)
  for (let n = 0; n < 4; n++) yield* payBooking(yield* createBooking())
  for (let n = 0; n < 2; n++) {
    const inParts = yield* createBooking(packages.depositParty)
    yield* payBooking(inParts)
    yield* payBooking(inParts, "balance")
  }
  const cancelled = yield* createBooking()
  yield* payBooking(cancelled)
  yield* cancelBooking(cancelled)
  yield* runProviderTasks
  const { booking_id } = yield* createBooking()
  yield* sql`update booking set hold_expires_at = now() - interval '1 hour' where booking_id = ${booking_id}`
  yield* reconcile
})

/**
 * At least so many bookings of the years before this one, in a hundred rooms: one of each kind made by the service, the
 * others copies of their rows in the past, but of what is kept for two days. The first ones stay, to come.
 */
const copyIntoThePast = Effect.fnUntraced(function* (count: number) {
  const sql = yield* SqlClient.SqlClient
  const copies = Math.ceil(count / kinds)
  const room = testId.playroom(90)
  yield* sql.withTransaction(
    Effect.gen(function* () {
      // Millions of checks that the rows refer to each other say nothing here.
      yield* sql`set local session_replication_role = replica`
      yield* sql`create function pg_temp.numbered(id text, n bigint) returns text language sql immutable
        return left(id, -9) || lpad(n::text, 9, '0')`
      yield* sql`insert into playroom select c.* from playroom p cross join generate_series(1001, 1000 + ${rooms}::int) k
        cross join lateral jsonb_populate_record(p, jsonb_build_object('playroom_id', pg_temp.numbered(p.playroom_id, k))) c
        where p.playroom_id = ${room}`
      yield* sql`insert into resource select c.* from resource r cross join generate_series(1001, 1000 + ${rooms}::int) k
        cross join lateral jsonb_populate_record(r, jsonb_build_object('resource_id', pg_temp.numbered(r.resource_id, k),
          'playroom_id', pg_temp.numbered(r.playroom_id, k))) c where r.resource_id = ${room}`
      yield* sql`insert into package select c.* from package p cross join generate_series(1001, 1000 + ${rooms}::int) k
        cross join lateral jsonb_populate_record(p, jsonb_build_object('package_id',
          pg_temp.numbered(p.package_id, 1000 * k + right(p.package_id, 3)::int), 'playroom_id', pg_temp.numbered(p.playroom_id, k))) c
        where p.playroom_id = ${room}`
      yield* sql`create temporary table first on commit drop as
        select b.booking_id, b as row, row_number() over (order by b.booking_id) as i from booking b`
      // One day each, of all kinds, before this year.
      yield* sql`create temporary table past on commit drop as
        select f.*, n, 1001 + n % ${rooms}::int as k, (${kinds}::int * n + i) as nth,
          'booking_01kd' || lpad((${kinds}::int * n + i)::text, 22, '0') as new_id,
          date_trunc('day', (row).starts_at) - date_trunc('day', now()) + interval '60 days'
            + (${kinds}::int * (n / ${rooms}::int) + i) * interval '1 day' as by
        from first f cross join generate_series(1, ${copies}::int) n`
      yield* sql`insert into booking select c.* from past p cross join lateral jsonb_populate_record(p.row, jsonb_build_object(
        'booking_id', new_id, 'reference', lpad((nth / 10000)::text, 4, '0') || '-' || lpad((nth % 10000)::text, 4, '0'),
        'playroom_id', pg_temp.numbered((row).playroom_id, k),
        'package_id', pg_temp.numbered((row).package_id, 1000 * k + right((row).package_id, 3)::int),
        'starts_at', (row).starts_at - by, 'ends_at', (row).ends_at - by, 'created_at', (row).created_at - by,
        'updated_at', (row).updated_at - by, 'retry_key', null,
        'terms', jsonb_set((row).terms, '{claims}', (select jsonb_agg(claim || jsonb_build_object(
          'resource_id', pg_temp.numbered(claim ->> 'resource_id', k),
          'start', (claim ->> 'start')::bigint - extract(epoch from by)::bigint * 1000,
          'end', (claim ->> 'end')::bigint - extract(epoch from by)::bigint * 1000))
          from jsonb_array_elements((row).terms -> 'claims') claim)))) c`
      yield* sql`insert into occupancy select c.* from past p join occupancy o using (booking_id)
        cross join lateral jsonb_populate_record(o, jsonb_build_object('booking_id', new_id,
          'resource_id', pg_temp.numbered(o.resource_id, k), 'during', tstzrange(lower(during) - by, upper(during) - by))) c`
      yield* sql`insert into booking_history overriding system value select c.* from past p join booking_history h using (booking_id)
        cross join lateral jsonb_populate_record(h, jsonb_build_object('booking_id', new_id, 'at', at - by)) c`
      yield* sql`insert into payment_session select c.* from past p join payment_session s using (booking_id)
        cross join lateral jsonb_populate_record(s, jsonb_build_object('booking_id', new_id,
          'payment_session_id', pg_temp.numbered(s.payment_session_id, nth), 'request', s.request || jsonb_build_object('booking_id', new_id),
          'provider_session_id', provider_session_id || n, 'payment_intent_id', payment_intent_id || n,
          'paid_at', paid_at - by, 'created_at', s.created_at - by, 'updated_at', s.updated_at - by,
          'expires_at', s.expires_at - by, 'refund_check_at', null)) c`
      yield* sql`insert into refund select c.* from past p join refund r using (booking_id)
        cross join lateral jsonb_populate_record(r, jsonb_build_object('booking_id', new_id,
          'payment_session_id', pg_temp.numbered(r.payment_session_id, nth), 'refund_id', pg_temp.numbered(r.refund_id, nth),
          'provider_refund_id', provider_refund_id || n, 'created_at', r.created_at - by, 'updated_at', r.updated_at - by,
          'succeeded_at', succeeded_at - by)) c`
      yield* sql`insert into webhook_event select c.* from past p join webhook_event e using (booking_id)
        cross join lateral jsonb_populate_record(e, jsonb_build_object('booking_id', new_id, 'event_id', e.event_id || n,
          'payment_session_id', pg_temp.numbered(e.payment_session_id, nth), 'received_at', e.received_at - by)) c`
    })
  )
  yield* sql`analyze`
})

/** The payment services on a database with such a past. */
export const pastOn = <E, R>(client: Effect.Effect<PgClient.PgClient, E, R>, count: number) =>
  Layer.build(
    Layer.fresh(
      Layer.effectDiscard(Effect.andThen(makeEachKind, copyIntoThePast(count))).pipe(
        Layer.provideMerge(paymentServicesOnDatabase()),
        Layer.provideMerge(PgClient.layerFrom(client))
      )
    )
  )
