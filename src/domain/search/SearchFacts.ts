/**
 * Search facts of a playroom besides its own columns: the lowest bookable prices, the visits that its packages can
 * offer, and the needs that it meets. Derived from the same starts and prices as bookings. Pure.
 */
import { startsOn } from "../availability/Starts.ts"
import { asForCheapestAges } from "../catalogue/ChildPrices.ts"
import type { AddOn, Package } from "../catalogue/Package.ts"
import type { Playroom, Venue } from "../catalogue/Playroom.ts"
import {
  coveredPartyText,
  minPrice,
  sizesUnderSameRules,
  type BookableTimes,
  amountsAt,
  lowestIn
} from "../catalogue/PriceTimes.ts"
import { addOnAmounts } from "../catalogue/PriceRules.ts"
import { type PriceSummary, summarizeAddOn, summarizePackage } from "../catalogue/PriceSummary.ts"
import { ratesBetween } from "../catalogue/Tax.ts"
import {
  type Instant,
  type LocalDate,
  addDays,
  datesFrom,
  dayMinutes,
  dayMs,
  dayRange,
  localDateOf,
  localMinutesOf,
  minuteMs,
  startOfDay,
  weekdayOf,
  weekdays,
  forkRecurring
} from "../../platform/time/LocalTime.ts"
import type { Need } from "./AmenityNames.ts"
import { PriceCalendar, irregularDates, weeklyStarts } from "./PriceCalendar.ts"
import { needsMetBy } from "./Needs.ts"
import { totalWith } from "../catalogue/Pricing.ts"
import { maxMinorUnits } from "../../platform/money/Money.ts"
import { Clock, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { decodeRows } from "../../platform/database/Rows.ts"
import { venueColumns, venueOf, VenueRow } from "../catalogue/Catalogue.ts"

/**
 * Each size holds for larger parties, too, up to the next. The database has an index for each (`playroom_least_1` …).
 */
const sizes = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20]

/** The place of a party's size among `leastByChildren`, from 1. */
export const sizeOf = (children: number): number => sizes.filter((size) => size <= children).length

/** A package, and when it can be booked. */
interface Offered {
  readonly pkg: Package
  readonly times: BookableTimes
}

/**
 * The lowest price of a party from each size up to the next, whatever its ages are, without adults and add-ons; the
 * largest amount where no package takes such a party. No larger party pays less.
 */
const leastByChildren = (
  playroom: Playroom,
  offered: ReadonlyArray<Offered>,
  today: LocalDate
): ReadonlyArray<number> =>
  sizes.map((size, i) => {
    const prices = offered.flatMap(({ pkg, times }) => {
      const children = Math.max(size, pkg.min_children)
      if (children > pkg.max_children || children >= (sizes[i + 1] ?? Infinity)) return []
      const party = { children, adults: 0, add_ons: [] }
      const least = asForCheapestAges(pkg)
      const amounts = amountsAt(times, (rules) => totalWith({ playroom, add_ons: [] }, least, party, rules))
      return [lowestIn(amounts) ?? minPrice(playroom, pkg, children, today)]
    })
    return Math.min(maxMinorUnits, ...prices)
  })

/**
 * Visits of one package on some days, as bounds that may be too wide but never too narrow. Clock times are minutes
 * since the midnight of the day on which a visit starts. Amounts are minor units of the playroom's currency.
 */
interface SearchVisit {
  readonly package_id: string
  /** As an `int4multirange`; 0 is Monday. */
  readonly weekdays: string
  /** As a `daterange`. */
  readonly dates: string
  readonly last_start: number
  readonly first_end: number
  /** A lower bound of the price of any party. */
  readonly least_total: number
  /** A lower bound of any party's price per child. */
  readonly least_per_child: number
}

/** Search facts of a playroom besides its own columns. */
export interface SearchFacts {
  /**
   * The lowest price between now and the horizon: of the smallest party of the cheapest package, if nobody costs less by
   * age.
   */
  readonly from_price: number
  /** The party of that price, in words. */
  readonly from_price_for: string
  /** The lowest prices by the size of a party. */
  readonly least_by_children: ReadonlyArray<number>
  /** The prices of the packages and add-ons, with their words. */
  readonly prices_told: PriceSummary
  /** When the calendar alone may change the prices; undefined: never. */
  readonly from_price_until: Instant | undefined
  /** When to recompute all facts. */
  readonly derived_until: Instant
  readonly visits: ReadonlyArray<SearchVisit>
  /** The needs that its texts say it meets. */
  readonly needs: ReadonlyArray<Need>
  /** What it sells, in words that searches find. */
  readonly offer_texts: OfferTexts
}

/** The names and descriptions of packages, a line each, and the names of add-ons. */
type OfferTexts = readonly [packages: string, addOns: string]

const offerTextsOf = ({ add_ons, packages }: Pick<Venue, "add_ons" | "packages">): OfferTexts => [
  packages.map(({ description, name }) => `${name}: ${description}`).join("\n"),
  add_ons.map(({ name }) => name).join("\n")
]

/** They are recomputed earlier, after this many days: seasons come into the horizon, and the rules of zones change. */
const deriveEveryDays = 30

/** The earliest end and the latest start of a day's visits. */
interface Bounds {
  readonly last_start: number
  readonly first_end: number
}

const sameBounds = (a: Bounds | undefined, b: Bounds | undefined): boolean =>
  a?.last_start === b?.last_start && a?.first_end === b?.first_end

/** The same on a weekday with the weekly hours, from its starts as minutes. */
const weeklyBounds = (starts: ReadonlyArray<number>, { duration_minutes }: Package): Bounds | undefined => {
  const [first] = starts
  if (first === undefined) return undefined
  const end = first + duration_minutes
  // A visit that ends on the next day fits no latest end.
  return { last_start: Math.max(...starts), first_end: end > dayMinutes ? 2880 : end }
}

/** The bounds of a package's visits on a date; undefined without visits. */
const boundsOn = (playroom: Playroom, pkg: Package, date: LocalDate): Bounds | undefined => {
  const starts = startsOn({ playroom }, pkg, date)
  if (starts.length === 0) return undefined
  const zone = playroom.time_zone
  const day = dayRange(zone, date)
  // A visit that ends on the next day fits no latest end.
  const ends = starts.map((start) => {
    const end = start + pkg.duration_minutes * minuteMs
    return end < day.end ? localMinutesOf(zone, end) : end === day.end ? 1440 : 2880
  })
  return {
    last_start: Math.max(...starts.map((start) => localMinutesOf(zone, start))),
    first_end: Math.min(...ends)
  }
}

const multirange = (days: Iterable<number>): string => `{${[...days].map((day) => `[${day},${day + 1})`).join(",")}}`

/**
 * Ranges of party sizes. The smallest party of each pays least. Small sizes have a range each; for large ones the
 * ranges get wider.
 */
const sizeRanges = function* (pkg: Package) {
  for (const { from: min, to: max } of sizesUnderSameRules(pkg)) {
    for (let from = min; from <= max;) {
      const next = from < 64 ? from + 1 : Math.ceil(from * 1.1)
      yield { from, to: Math.min(max, next - 1) }
      from = next
    }
  }
}

/** Lower bounds of the prices of a package's parties from a date on. */
const leastAmounts = (pkg: Package, playroom: Playroom, today: LocalDate) => {
  const price = (children: number) => minPrice(playroom, pkg, children, today)
  let least_total = Infinity
  let least_per_child = Infinity
  for (const { from, to } of sizeRanges(pkg)) {
    const total = price(from)
    least_total = Math.min(least_total, total)
    least_per_child = Math.min(least_per_child, Math.floor(total / to))
  }
  return { least_total, least_per_child }
}

/** Rows that together hold every visit of a package. A package without visits still has a row, without any date. */
const visitsOf = (playroom: Playroom, pkg: Package, irregular: ReadonlyArray<LocalDate>, today: LocalDate) => {
  const rows = new Map<string, Bounds & { readonly dates: string; readonly days: Set<number> }>()
  const add = (bounds: Bounds | undefined, dates: string, day: number) => {
    if (bounds === undefined) return
    const key = `${dates} ${bounds.last_start} ${bounds.first_end}`
    const row = rows.get(key)
    if (row === undefined) rows.set(key, { ...bounds, dates, days: new Set([day]) })
    else row.days.add(day)
  }
  const usual = weeklyStarts(playroom, pkg).map((starts) => weeklyBounds(starts, pkg))
  const onIrregularDates = irregular.map((date) => [date, boundsOn(playroom, pkg, date)] as const)
  for (const [day, ofWeekday] of usual.entries()) {
    // Each period begins on a date and ends at the next. An irregular date is a period of a week; the usual bounds
    // follow.
    const periods: Array<readonly [from: LocalDate | "", bounds: Bounds | undefined]> = [["", ofWeekday]]
    for (const [date, bounds] of onIrregularDates) {
      if (weekdays[day] !== weekdayOf(date) || sameBounds(bounds, periods.at(-1)?.[1])) continue
      if (periods.at(-1)?.[0] === date) periods.pop()
      if (!sameBounds(bounds, periods.at(-1)?.[1])) periods.push([date, bounds])
      periods.push([addDays(date, 7), ofWeekday])
    }
    for (const [i, [from, bounds]] of periods.entries()) add(bounds, `[${from},${periods[i + 1]?.[0] ?? ""})`, day)
  }
  if (rows.size === 0) add({ last_start: 0, first_end: 2880 }, "empty", 0)
  const least = leastAmounts(pkg, playroom, today)
  return [...rows.values()].map(({ days, ...row }): SearchVisit => ({
    package_id: pkg.package_id,
    weekdays: multirange([...days].sort()),
    ...row,
    ...least
  }))
}

/** The search facts of a playroom at `now`. Right for `validForDays` days, the prices until `from_price_until`. */
export const searchFactsOf = (venue: Omit<Venue, "operator">, now: Instant): SearchFacts => {
  const { add_ons, playroom, packages } = venue
  const zone = playroom.time_zone
  const today = localDateOf(zone, now)
  const irregular = irregularDates(playroom, today)
  const calendars = packages.map((pkg) => new PriceCalendar(playroom, pkg, today))
  const timesOf = (date: LocalDate) => calendars.map((calendar) => calendar.from(date))
  const times = timesOf(today)
  const bookableFrom = (date: LocalDate) => [date, addDays(date, playroom.max_advance_days)] as const
  const changesOf = ({ tax = playroom.tax }: AddOn) => (playroom.tax.included ? [] : (tax.changes ?? []))
  const dated = add_ons.filter((addOn) => (addOn.rules ?? []).length > 0 || changesOf(addOn).length > 0)
  const addOnsFrom = (date: LocalDate) =>
    dated
      .flatMap((one) => [
        addOnAmounts(one, bookableFrom(date)).join(),
        ratesBetween(one.tax ?? playroom.tax, bookableFrom(date)).join()
      ])
      .join(" ")
  const changed =
    dated.length === 0 && calendars.every(({ lasting }) => lasting)
      ? undefined
      : (datesFrom(addDays(today, 1), addDays(today, deriveEveryDays)).find(
          (date) =>
            calendars.some((calendar, i) => calendar.from(date) !== times[i]) || addOnsFrom(date) !== addOnsFrom(today)
        ) ?? addDays(today, deriveEveryDays))
  const from_price_until = changed === undefined ? undefined : startOfDay(zone, changed)
  const priced = packages.flatMap((pkg, i) => {
    const its = times[i]
    return its === undefined ? [] : [{ pkg, times: its, told: summarizePackage(playroom, pkg, its, today) }]
  })
  const bookable = priced.filter((one) => one.times.groups.length > 0)
  const cheapest = (bookable.length === 0 ? priced : bookable).reduce<(typeof priced)[number] | undefined>(
    (least, one) => (least === undefined || one.told.price_from < least.told.price_from ? one : least),
    undefined
  )
  const offer_texts = offerTextsOf(venue)
  return {
    from_price: cheapest?.told.price_from ?? Infinity,
    from_price_for:
      cheapest === undefined ? "" : `${coveredPartyText(cheapest.pkg)}, ${cheapest.pkg.mode}, ${cheapest.told.when}`,
    least_by_children: leastByChildren(playroom, priced, today),
    prices_told: {
      packages: Object.fromEntries(priced.map(({ pkg, told }) => [pkg.package_id, told])),
      add_ons: Object.fromEntries(
        add_ons.map((addOn) => [addOn.add_on_id, summarizeAddOn(playroom, addOn, priced, bookableFrom(today))])
      )
    },
    from_price_until,
    derived_until: from_price_until ?? now + deriveEveryDays * dayMs,
    visits: packages.flatMap((pkg) => visitsOf(playroom, pkg, irregular, today)),
    needs: needsMetBy({ ...playroom, packages: offer_texts[0] }),
    offer_texts
  }
}

// The rows of search facts of playrooms. They are written by imports, and again as time passes.

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
  or p.derived_until > x.derived_until or p.derived_until < x.derived_until - interval '240 hours')`
    // Apart from the prices: whoever writes these has all words of the row made anew.
    yield* sql`
update playroom p set needs = x.needs, offer_texts = x.offer_texts
from jsonb_to_recordset(${JSON.stringify(playrooms)}::jsonb) as x (playroom_id text, needs text[], offer_texts text[])
where p.playroom_id = x.playroom_id and (p.needs is distinct from x.needs or p.offer_texts is distinct from x.offer_texts)`
  })

/** The visits of a playroom with what they have of it: the database would have to read it out of the row's details. */
const visitRowsOf = ({ facts, playroom }: PlayroomFacts) => {
  const { age_max, age_min, currency, lead_time_minutes, max_advance_days } = playroom
  return facts.visits.map((visit) => ({ ...visit, age_min, age_max, currency, lead_time_minutes, max_advance_days }))
}

/**
 * Writes the visits of playrooms whose rows and packages exist; those that stand already are left as they are. `not in`
 * looks them up by a digest; `not exists` would compare each with each, as imports have no such joins.
 */
export const writeVisits = (sql: SqlClient.SqlClient) => (all: ReadonlyArray<PlayroomFacts>) =>
  sql`
with fresh as materialized (
  select v.*, left(md5(v::text), 16) as visit from (
    select x.package_id, k.operator_id, k.playroom_id, k.mode, x.weekdays, x.dates, x.last_start, x.first_end, k.duration_minutes,
      int4range(k.min_children, k.max_children, '[]') as children, int4range(x.age_min, x.age_max, '[]') as ages, x.currency,
      x.least_total, x.least_per_child, x.lead_time_minutes as lead_minutes, x.max_advance_days as advance_days
    from jsonb_to_recordset(${JSON.stringify(all.flatMap(visitRowsOf))}::jsonb) as x (package_id text,
      weekdays int4multirange, dates daterange, last_start int, first_end int, least_total int, least_per_child int,
      age_min int, age_max int, currency text, lead_time_minutes int, max_advance_days int)
    join package k on k.package_id = x.package_id) v
), gone as (
  delete from search_visit v where v.playroom_id = any(${all.map(({ playroom }) => playroom.playroom_id)}::text[])
    and (v.package_id, v.visit) not in (select package_id, visit from fresh)
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
  Effect.forEach(
    ["playroom_names", "playroom_search", "playroom_amenities"],
    (index) => sql`select gin_clean_pending_list(${index}::regclass)`
  ).pipe(
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
