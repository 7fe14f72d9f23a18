/** The rows of search facts of playrooms. They are written by imports, and again as time passes. */
import { Clock, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type Instant, forkRecurring } from "../../platform/time/LocalTime.ts"
import { decodeRows } from "../../platform/database/Rows.ts"
import type { Playroom } from "../catalogue/Playroom.ts"
import { type SearchFacts, searchFactsOf } from "./SearchFacts.ts"
import { venueColumns, venueOf, VenueRow } from "../catalogue/Catalogue.ts"

/** A playroom and its search facts. */
interface PlayroomFacts<P extends Playroom = Playroom> {
  readonly playroom: P
  readonly facts: SearchFacts
}

/** As `timestamptz` reads it. */
export const timestamp = (instant: Instant | undefined): string =>
  instant === undefined ? "infinity" : new Date(instant).toISOString()

/** Writes what stands in the rows of playrooms, unless it stands there already. */
export const writeDerived = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function* (all: ReadonlyArray<PlayroomFacts>) {
    if (all.length === 0) return
    const playrooms = all.map(
      ({
        playroom,
        facts: {
          from_price,
          from_price_for,
          from_price_until,
          derived_until,
          least_by_children,
          needs,
          offer_texts,
          prices_told
        }
      }) => ({
        playroom_id: playroom.playroom_id,
        from_price,
        from_price_for,
        from_price_until: timestamp(from_price_until),
        derived_until: timestamp(derived_until),
        least_by_children,
        needs,
        offer_texts,
        prices_told
      })
    )
    // A slightly later `derived_until` alone is no reason to write a row.
    yield* sql`
update playroom p set from_price = x.from_price, from_price_for = x.from_price_for, from_price_until = x.from_price_until, derived_until = x.derived_until,
  prices_told = x.prices_told, told_until = x.derived_until, least_by_children = x.least_by_children
from jsonb_to_recordset(${JSON.stringify(playrooms)}::jsonb) as x (playroom_id text, from_price int, from_price_for text,
  from_price_until timestamptz, derived_until timestamptz, prices_told jsonb, least_by_children int[])
where p.playroom_id = x.playroom_id and (p.from_price <> x.from_price or p.from_price_for is distinct from x.from_price_for or p.from_price_until <> x.from_price_until
  or p.least_by_children is distinct from x.least_by_children or p.prices_told is distinct from x.prices_told or p.told_until is distinct from p.derived_until
  or p.derived_until > x.derived_until or p.derived_until < x.derived_until - interval '10 days')`
    // Apart from the prices: whoever writes these has all words of the row made anew.
    yield* sql`
update playroom p set needs = x.needs, offer_texts = x.offer_texts
from jsonb_to_recordset(${JSON.stringify(playrooms)}::jsonb) as x (playroom_id text, needs text[], offer_texts text[])
where p.playroom_id = x.playroom_id and (p.needs is distinct from x.needs or p.offer_texts is distinct from x.offer_texts)`
  })

/** The visits of a playroom with what they have of it: the database would have to read it out of the row's details. */
const visitsOf = ({ facts, playroom }: PlayroomFacts) => {
  const { age_max, age_min, currency, lead_time_minutes, max_advance_days } = playroom
  return facts.visits.map((visit) => ({ ...visit, age_min, age_max, currency, lead_time_minutes, max_advance_days }))
}

/** Writes the visits of playrooms whose rows and packages exist; those that stand already are left as they are. */
export const writeVisits = (sql: SqlClient.SqlClient) => (all: ReadonlyArray<PlayroomFacts>) =>
  sql`
with fresh as materialized (
  select v.*, left(md5(v::text), 16) as visit from (
    select x.package_id, k.operator_id, k.playroom_id, k.mode, x.weekdays, x.dates, x.last_start, x.first_end, k.duration_minutes,
      int4range(k.min_children, k.max_children, '[]') as children, int4range(x.age_min, x.age_max, '[]') as ages, x.currency,
      x.least_total, x.least_per_child, x.lead_time_minutes as lead_minutes, x.max_advance_days as advance_days
    from jsonb_to_recordset(${JSON.stringify(all.flatMap(visitsOf))}::jsonb) as x (package_id text,
      weekdays int4multirange, dates daterange, last_start int, first_end int, least_total int, least_per_child int,
      age_min int, age_max int, currency text, lead_time_minutes int, max_advance_days int)
    join package k on k.package_id = x.package_id) v
), gone as (
  delete from search_visit v where v.playroom_id = any(${all.map(({ playroom }) => playroom.playroom_id)}::text[])
    and not exists (select from fresh f where f.package_id = v.package_id and f.visit = v.visit)
)
insert into search_visit (package_id, visit, operator_id, playroom_id, mode, weekdays, dates, last_start, first_end, duration_minutes,
  children, ages, currency, least_total, least_per_child, lead_minutes, advance_days)
select package_id, visit, operator_id, playroom_id, mode, weekdays, dates, last_start, first_end, duration_minutes, children, ages,
  currency, least_total, least_per_child, lead_minutes, advance_days from fresh on conflict do nothing`

/**
 * Writes the facts of playrooms whose rows exist, in the caller's transaction. Rows that are right already are not
 * written.
 */
const writeFacts = (sql: SqlClient.SqlClient) => (all: ReadonlyArray<PlayroomFacts>) =>
  Effect.andThen(writeDerived(sql)(all), writeVisits(sql)(all))

/**
 * Merges what was written into the indexes of words. Every search reads what is not merged yet, so whoever writes many
 * playrooms calls this at the end, outside a transaction. A failure is only logged: searches are slower then.
 */
export const mergeWords = (sql: SqlClient.SqlClient): Effect.Effect<void> =>
  sql`select gin_clean_pending_list('playroom_names'), gin_clean_pending_list('playroom_search'),
    gin_clean_pending_list('playroom_amenities')`.pipe(
    Effect.catch((error) => Effect.logWarning("New words of playrooms are not merged into their indexes", error)),
    Effect.asVoid
  )

/** Playrooms per transaction, so that none blocks the database for long. */
const batch = 50

const venueRows = decodeRows(Schema.Array(VenueRow))

/**
 * Recomputes the facts that are due, of all playrooms, listed or not, and those of rows that a node of an earlier
 * release wrote: it knows no needs, learns no words of packages, and says not when prices hold. Succeeds with the
 * number of playrooms. Several nodes may run it at the same time: each playroom is done by one of them.
 */
export const refreshSearchFacts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const refreshBatch = (which: "due" | "unknown" | "untold" | "unpriced") =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const chosen =
        which === "due"
          ? sql`derived_until <= ${new Date(now)} order by derived_until`
          : which === "unknown"
            ? sql`offer_texts is null order by playroom_id`
            : which === "unpriced"
              ? sql`least_by_children is null order by playroom_id`
              : sql`told_until is distinct from derived_until order by derived_until`
      const rows = yield* venueRows(sql`
          select ${venueColumns(sql)} from (
            select * from playroom where ${chosen} limit ${batch} for no key update skip locked
          ) p join operator o using (operator_id)`)
      yield* writeFacts(sql)(
        rows.map(venueOf).map((venue) => ({ playroom: venue.playroom, facts: searchFactsOf(venue, now) }))
      )
      if (which === "unknown" && rows.length > 0)
        yield* sql`select search_learn(${rows.map(({ playroom_id }) => playroom_id)}::text[])`
      return rows.length
    }).pipe(sql.withTransaction)
  let done = 0
  for (const which of ["due", "unknown", "untold", "unpriced"] as const)
    for (let last = batch; last === batch; done += last) last = yield* refreshBatch(which)
  if (done > 0) yield* mergeWords(sql)
  return done
}).pipe(Effect.withSpan("refreshSearchFacts"))

/** Refreshes the facts at the start and every minute, as long as the layer lives. */
export const searchFactsWorker = Layer.effectDiscard(
  forkRecurring(refreshSearchFacts, {
    every: "1 minute",
    failed: "Prices and visits for search were not derived anew"
  })
)
