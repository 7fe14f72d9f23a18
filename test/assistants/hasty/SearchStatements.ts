/** What a search says of playrooms, or of why it found none, compared with what the oracles find. */
import { Effect } from "effect"
import type { Party } from "../../../src/domain/catalogue/Pricing.ts"
import type { Package } from "../../../src/domain/catalogue/Package.ts"
import type { Venue } from "../../../src/domain/catalogue/Playroom.ts"
import { at } from "../../support/Assistant.ts"
import { dayAfter, weekdayOf } from "../../support/oracle/Clock.ts"
import { priceByHand } from "../../support/oracle/Price.ts"
import type { Input } from "./Habits.ts"
import { countAt, listAt, numberAt, textAt } from "./Reading.ts"
import { datesFrom, looks, onTheWall, readCalendar, startsOf } from "./Truth.ts"
import type { Verdicts } from "./Verdicts.ts"
import { cityMeant } from "./Languages.ts"

/** So many days on, every price of the demo has been asked for at least once. */
const seasonDays = 70

const childrenIn = (input: Input): number | undefined =>
  countAt(input, "children") ??
  (listAt(input, "child_ages").length === 0 ? undefined : listAt(input, "child_ages").length)

const partyIn = (input: Input, pkg: Package): Party => ({
  children: childrenIn(input) ?? pkg.min_children,
  adults: countAt(input, "adults") ?? 0,
  add_ons: []
})

/** The packages that have what is asked for, whatever the day. */
const packagesFor = (input: Input, { packages, playroom }: Venue): ReadonlyArray<Package> =>
  packages.filter((pkg) => {
    const children = childrenIn(input) ?? pkg.min_children
    const minutes = countAt(input, "duration_minutes")
    const mode = textAt(input, "mode")
    return (
      (mode === undefined || pkg.mode === mode) &&
      (minutes === undefined || pkg.duration_minutes === minutes) &&
      pkg.min_children <= children &&
      children <= Math.min(pkg.max_children, playroom.capacity)
    )
  })

const fits = (input: Input, venue: Venue): boolean => {
  const { age_max, age_min, city } = venue.playroom
  const place = textAt(input, "city")
  return (
    (place === undefined || cityMeant(place) === city) &&
    listAt(input, "child_ages").every((age) => Number(age) >= age_min && Number(age) <= age_max) &&
    packagesFor(input, venue).length > 0
  )
}

const plain = new Set(["city", "mode", "children", "child_ages", "duration_minutes"])
const isBlank = (value: unknown): boolean => value === "" || value === null
const without = (input: Input, filter: string): Input =>
  Object.fromEntries(Object.entries(input).filter(([name]) => name !== filter))

/**
 * How many a filter excluded: so many fit without it, and none where no filter alone is to blame. Counted where every
 * filter is a plain one.
 */
const excluded = ({ say }: Verdicts, input: Input, answer: unknown, venues: ReadonlyArray<Venue>) => {
  if (Object.keys(input).some((name) => !plain.has(name) && !isBlank(input[name]))) return
  const fitting = (filters: Input) => venues.filter((venue) => fits(filters, venue)).length
  for (const one of listAt(answer, "none_because")) {
    const filter = textAt(one, "filter") ?? ""
    const told = numberAt(one, "excluded") ?? 0
    const count = fitting(without(input, filter))
    const holds = at(one, "or_more") === true ? count >= told : count === told
    say("empty search: how many excluded", holds, `${JSON.stringify(one)} of ${JSON.stringify(input)}: ${count}`)
  }
}

/** A playroom with its next start and its price, as they are asked for. */
const found = Effect.fnUntraced(function* (
  { compare, say }: Verdicts,
  kind: string,
  input: Input,
  one: unknown,
  venue: Venue,
  now: number
) {
  const packages = packagesFor(input, venue)
  const price = at(one, "price_for_party", "amount")
  const next = textAt(one, "next_start")
  const zone = venue.playroom.time_zone
  const priceOf = (pkg: Package, start: number) => priceByHand(venue, pkg, partyIn(input, pkg), start, now).total
  if (next !== undefined) {
    const start = Date.parse(next)
    const calendar = yield* Effect.orDie(readCalendar(venue, now))
    const { date } = onTheWall(zone, start)
    const open = packages.filter((pkg) =>
      looks({ venue, packages: [pkg], party: partyIn(input, pkg) }, [date], calendar, now).some(
        (look) => look.start === start && look.reasons.size === 0
      )
    )
    say(`${kind}: next start can be booked`, open.length > 0, `${venue.playroom.name} ${next}`)
    const least = Math.min(...open.map((pkg) => priceOf(pkg, start)))
    if (price !== undefined && childrenIn(input) !== undefined) compare(`${kind}: price at next start`, price, least)
  } else if (price !== undefined && childrenIn(input) !== undefined) {
    const dates = datesFrom(onTheWall(zone, now).date, seasonDays)
    const prices = packages.flatMap((pkg) =>
      dates.flatMap((date) => startsOf(venue, pkg, date).map((start) => priceOf(pkg, start)))
    )
    compare(`${kind}: lowest price`, price, Math.min(...prices))
  }
})

/** Everything that a search says. */
export const searchStatements = Effect.fn("searchStatements")(function* (
  verdicts: Verdicts,
  venues: ReadonlyArray<Venue>,
  input: Input,
  answer: unknown,
  now: number
) {
  const venueOf = (one: unknown) => venues.find(({ playroom }) => playroom.playroom_id === textAt(one, "playroom_id"))
  const list = listAt(answer, "playrooms")
  for (const one of list.slice(0, 2)) {
    const venue = venueOf(one)
    if (venue !== undefined) yield* found(verdicts, "search", input, one, venue, now)
    const start = textAt(one, "next_start")
    const [from, day] = [textAt(input, "date"), start?.slice(0, 10)]
    if (from === undefined || day === undefined) continue
    const to = textAt(input, "date_to") ?? (listAt(input, "weekdays").length === 0 ? from : dayAfter(from, 31))
    const isWeekday = listAt(input, "weekdays").length === 0 || listAt(input, "weekdays").includes(weekdayOf(day))
    verdicts.say("search: day of the next start", from <= day && day <= to && isWeekday, `${day} for ${from} to ${to}`)
  }
  if (list.length > 0 || at(answer, "next_cursor") !== undefined) return
  const fields = ["none_because", "nearest", "known_values"]
  verdicts.told(
    "empty search: why",
    fields.some((field) => at(answer, field) !== undefined)
  )
  excluded(verdicts, input, answer, venues)
  for (const one of listAt(answer, "nearest")) {
    const venue = venueOf(one)
    const instead: unknown = JSON.parse(textAt(one, "instead") ?? "{}")
    const changed = {
      ...listAt(one, "without").reduce<Input>((left, name) => without(left, String(name)), input),
      ...Object(instead)
    }
    if (venue !== undefined && listAt(one, "without").length > 0)
      yield* found(verdicts, "nearest", changed, one, venue, now)
  }
})
