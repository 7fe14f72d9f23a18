/** The same data every time: generated catalogues, and a month of bookings. */
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { PlayroomSearch } from "../../../src/domain/search/PlayroomSearch.ts"
import { CatalogueFile } from "../../../src/domain/import/CatalogueFile.ts"
import { bookingServices } from "../../support/BookingWorld.ts"
import { manyPlayrooms } from "../../support/catalogues.ts"

const services = PlayroomSearch.layer.pipe(
  Layer.provideMerge(bookingServices({ maxHoldsPerKey: 1_000_000_000, maxHoldsPerEmail: 1_000_000_000 }))
)
export type Services = Layer.Success<typeof services> | SqlClient.SqlClient

/**
 * The booking services in this process on a database, with caps that a bench does not reach. Built afresh each time: a
 * Layer built twice in one run would otherwise be the same services, on the first database.
 */
export const servicesOn = <E, R>(client: Effect.Effect<PgClient.PgClient, E, R>) =>
  Layer.build(Layer.fresh(services.pipe(Layer.provideMerge(PgClient.layerFrom(client)))))

/** Imports so many generated playrooms. */
export const seedPlayrooms = Effect.fnUntraced(function* (count: number) {
  yield* CatalogueFile.use(({ importFile }) => importFile(manyPlayrooms(count)))
})

/**
 * Copies what was imported, with other ids and numbers, until there are so many times as many: rows as the import
 * writes them, in a fraction of its time, as indexes are built once.
 */
export const multiply = Effect.fnUntraced(function* (times: number) {
  const sql = yield* SqlClient.SqlClient
  const indexes = yield* sql<{ name: string; definition: string }>`
    select indexname as name, indexdef as definition from pg_indexes where schemaname = 'public'
      and tablename in ('playroom', 'package', 'resource', 'search_visit') and indexname not like '%_pkey'`
  const columnsOf = (table: string, made: ReadonlyArray<string>) =>
    Effect.map(
      sql<{
        name: string
      }>`select quote_ident(attname) as name from pg_attribute where attrelid = ${table}::regclass and attnum > 0
        and not attisdropped and attgenerated = '' and not attname = any(${made}::text[]) order by attnum`,
      (columns) => sql.literal(columns.map(({ name }) => name).join(", "))
    )
  const playroom = yield* columnsOf("playroom", ["playroom_id", "name", "description"])
  const pkg = yield* columnsOf("package", ["package_id", "playroom_id", "terms"])
  const visit = yield* columnsOf("search_visit", ["package_id", "playroom_id"])
  const resource = yield* columnsOf("resource", ["resource_id", "playroom_id"])
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`set local session_replication_role = replica`
      for (const { name } of indexes) yield* sql`drop index ${sql(name)}`
      // Ids end in a number of 22 digits; a playroom's n has packages 2n and 2n + 1.
      yield* sql`create function pg_temp.moved(id text, by bigint) returns text language sql immutable
        return left(id, -22) || lpad((right(id, 22)::numeric + by)::text, 22, '0')`
      yield* sql`create temporary table source on commit drop as select *, count(*) over () as total from playroom`
      yield* sql`create temporary table step on commit drop as select k, k * (select total from source limit 1) as by from generate_series(1, ${times - 1}::int) k`
      yield* sql`insert into playroom (playroom_id, name, description, ${playroom})
        select pg_temp.moved(playroom_id, by), name || ' ' || k, description || ' ' || k, ${playroom} from source cross join step`
      yield* sql`create temporary table sold on commit drop as select * from package`
      yield* sql`insert into package (package_id, playroom_id, terms, ${pkg})
        select pg_temp.moved(package_id, 2 * by), pg_temp.moved(playroom_id, by),
          terms || jsonb_build_object('package_id', pg_temp.moved(package_id, 2 * by)), ${pkg} from sold cross join step`
      yield* sql`create temporary table offered on commit drop as select * from search_visit`
      yield* sql`insert into search_visit (package_id, playroom_id, ${visit})
        select pg_temp.moved(package_id, 2 * by), pg_temp.moved(playroom_id, by), ${visit} from offered cross join step`
      yield* sql`create temporary table used on commit drop as select * from resource`
      yield* sql`insert into resource (resource_id, playroom_id, ${resource})
        select pg_temp.moved(resource_id, by), pg_temp.moved(playroom_id, by), ${resource} from used cross join step`
      for (const { definition } of indexes) yield* sql.unsafe(definition)
    })
  )
  yield* sql`vacuum analyze playroom, package, search_visit, resource`
})

/** Closes every playroom on a day (UTC): what is not free for search, whoever took it. */
export const closeAll = Effect.fnUntraced(function* (date: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into closure (closure_id, operator_id, playroom_id, during, reason, created_at)
    select 'closure_' || substr(playroom_id, 10), operator_id, playroom_id,
      tstzrange(${date}::date - interval '1 day', ${date}::date + interval '2 days'), 'Full', now() from playroom`
  yield* sql`analyze closure`
})

/** The day so many days after today, UTC, `YYYY-MM-DD`. */
export const dayAfter = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

/**
 * A booking a day and playroom for the next days: parties and open play in turns, at hours that differ. Rows as the
 * service writes them, in the state that a past of confirmed bookings leaves.
 */
export const seedDays = Effect.fnUntraced(function* (days: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql.withTransaction(
    Effect.gen(function* () {
      // Millions of checks that the rows refer to each other say nothing here.
      yield* sql`set local session_replication_role = replica`
      yield* sql`
        create temporary table month on commit drop as
        select 'booking_01kb' || lpad((row_number() over ())::text, 22, '0') as booking_id,
          lpad((row_number() over () / 10000)::text, 4, '0') || '-' || lpad((row_number() over () % 10000)::text, 4, '0') as reference,
          p.operator_id, p.playroom_id, k.package_id, k.mode, p.capacity, p.currency, r.resource_id,
          (current_date + d + make_interval(hours => 9 + 2 * ((p.n * 7 + d * 3) % 3)::int)) at time zone p.time_zone as starts_at,
          make_interval(mins => k.duration_minutes) as lasts
        from (select *, row_number() over (order by playroom_id) as n from playroom) p
        cross join generate_series(1, ${days}::int) d
        join package k on k.playroom_id = p.playroom_id and k.mode = case when (p.n + d) % 2 = 0 then 'exclusive' else 'shared' end
        join resource r on r.resource_id = p.playroom_id`
      yield* sql`
        insert into booking (booking_id, reference, operator_id, playroom_id, package_id, key_id, option_id, status, payment_status,
          starts_at, ends_at, children, adults, contact_name, contact_email, currency, total, due_now, paid, terms, created_at, updated_at)
        select booking_id, reference, operator_id, playroom_id, package_id, 'key_seed', 'option_seed', 'confirmed', 'paid',
          starts_at, starts_at + lasts, 4, 0, 'Ana Lima', 'ana@example.com', currency, 15000, 15000, 15000, '{}', now(), now()
        from month`
      yield* sql`
        insert into occupancy (resource_id, operator_id, units, during, booking_id)
        select resource_id, operator_id,
          int4multirange(int4range(0, case when mode = 'exclusive' then capacity else 4 end)),
          tstzrange(starts_at - case when mode = 'exclusive' then interval '15 minutes' else interval '0' end,
            starts_at + lasts + case when mode = 'exclusive' then interval '15 minutes' else interval '0' end),
          booking_id
        from month`
    })
  )
  yield* sql`analyze booking, occupancy, resource`
})

/** A month of them. */
export const seedMonth = seedDays(30)
