/** What people want of an assistant, made by chance over the catalogue, and what of it a visit does not fulfil. */
import type { Package } from "../../../src/domain/catalogue/Package.ts"
import type { Venue } from "../../../src/domain/catalogue/Playroom.ts"
import type { Chance } from "../../fuzz/Chance.ts"
import { dayAfter, weekdayOf } from "../../support/oracle/Clock.ts"
import { priceByHand } from "../../support/oracle/Price.ts"
import { elsewhere, givenNames, type Language, languages, type Need, needWords, notes, sentences } from "./Languages.ts"
import { datesBetween, onTheWall, startsOf } from "./Truth.ts"

export const goals = [
  "birthday",
  "toddlers",
  "cheapest_weekday",
  "wheelchair",
  "nut_allergy",
  "quiet_hour",
  "change_party",
  "cancel",
  "move",
  "declined",
  "delayed",
  "balance",
  "discount_code",
  "invoice",
  "cash",
  "series",
  "waiting_list",
  "second_parent",
  "too_large",
  "too_old",
  "next_date",
  "budget",
  "nearby",
  "language",
  "length",
  "find_again",
  "what_to_bring",
  "gave_up"
] as const
export type Goal = (typeof goals)[number]

/** What a person wants, and what they give up where they are told that it can't be had. */
export interface Wish {
  readonly goal: Goal
  readonly language: Language
  readonly name: string
  readonly email: string
  readonly notes: string
  readonly children: number
  readonly ages?: ReadonlyArray<number>
  readonly mode: Package["mode"]
  readonly city: string
  /** The one playroom that is meant, where it is named. */
  readonly venue?: Venue
  /** Arguments of the first search, in the person's own words. */
  readonly search: Readonly<Record<string, unknown>>
  readonly first: string
  readonly last: string
  readonly weekdays?: ReadonlyArray<string>
  /** So many days after `last` are accepted too, where nothing is free before. */
  readonly grace: number
  readonly start_after?: string
  readonly budget?: { readonly amount: number; readonly currency: string }
  readonly fewer?: number
  readonly need?: Need
  readonly near?: { readonly latitude: number; readonly longitude: number; readonly radius_km: number }
  /** The day is to be sold out before the conversation begins. */
  readonly full?: true
}

/** A visit as far as it is known. */
export interface Visit {
  readonly place?: Venue
  readonly date?: string
  readonly weekday?: string
  readonly minutes?: number
  readonly mode?: string
  readonly children?: number
  readonly total?: number
}

/** What of a visit is not what was wanted. */
export type Wrong = "place" | "need" | "day" | "mode" | "party" | "price"

const kilometres = (a: { latitude: number; longitude: number }, b: { latitude: number; longitude: number }): number => {
  const rad = Math.PI / 180
  const x = (b.longitude - a.longitude) * rad * Math.cos(((a.latitude + b.latitude) / 2) * rad)
  const y = (b.latitude - a.latitude) * rad
  return Math.hypot(x, y) * 6371
}

const isPlace = ({ city, near, venue }: Wish, { playroom }: Venue): boolean =>
  (venue === undefined || venue.playroom.playroom_id === playroom.playroom_id) &&
  (near === undefined ? playroom.city === city : kilometres(near, playroom) <= near.radius_km + 0.5)

/** Whether a playroom says that it has what is needed. */
export const meets = (need: Need, { playroom }: Venue): boolean => {
  const features: ReadonlyArray<string> = playroom.accessibility_features ?? []
  if (need === "wheelchair") return features.includes("step_free_access")
  if (need === "quiet") return features.includes("quiet_hours") || features.includes("sensory_room")
  return /\bnuts\b|nut-free|nüsse|nötter/i.test(playroom.house_rules)
}

/** What is wrong with a visit, by what is known of it. */
export const wrongIn = (wish: Wish, visit: Visit): Wrong | undefined => {
  const { date, minutes, place, weekday } = visit
  if (place !== undefined && !isPlace(wish, place)) return "place"
  const day =
    (date !== undefined && (date < wish.first || date > dayAfter(wish.last, wish.grace))) ||
    (weekday !== undefined && wish.weekdays !== undefined && !wish.weekdays.includes(weekday)) ||
    (minutes !== undefined && wish.start_after !== undefined && wish.grace === 0 && minutes < 17 * 60)
  if (day) return "day"
  if (visit.mode !== undefined && visit.mode !== wish.mode) return "mode"
  if (visit.children !== undefined && visit.children !== wish.children && visit.children !== wish.fewer) return "party"
  if (visit.total !== undefined && wish.budget !== undefined && visit.total > wish.budget.amount) return "price"
  return undefined
}

/** An entry of a list that is never empty. */
const some = <A>(chance: Chance, list: ReadonlyArray<A>): A => {
  const [first, ...rest] = list
  if (first === undefined) throw new Error("nothing to choose from")
  return chance.one([first, ...rest])
}

export const ofMode = (venue: Venue, mode: Package["mode"]) => venue.packages.filter((pkg) => pkg.mode === mode)

const workdays = ["monday", "tuesday", "wednesday", "thursday", "friday"]
const shared: ReadonlySet<Goal> = new Set(["toddlers", "cheapest_weekday", "wheelchair", "quiet_hour", "length"])
const needOf: Partial<Record<Goal, Need>> = { wheelchair: "wheelchair", nut_allergy: "nuts", quiet_hour: "quiet" }

/** A wish towards a goal, at a moment; the same for the same chance. */
export const wishFor = (
  goal: Goal,
  chance: Chance,
  venues: ReadonlyArray<Venue>,
  now: number,
  serial: string
): Wish => {
  const within = (from: number, to: number) => from + chance.below(Math.max(1, to - from + 1))
  const language = chance.one(languages)
  const need = needOf[goal]
  const sentence = some(chance, sentences)
  const mode: Package["mode"] =
    goal === "language"
      ? sentence[1]
      : shared.has(goal) || (goal === "nearby" && chance.once(2))
        ? "shared"
        : "exclusive"
  const fits = (venue: Venue): boolean => {
    if (goal === "language") return venue.playroom.city === sentence[0]
    if (need !== undefined) return meets(need, venue)
    if (goal === "balance") return ofMode(venue, mode).some(({ payment }) => payment.kind === "deposit")
    return true
  }
  const venue = some(chance, venues.filter(fits))
  const { playroom } = venue
  const pkg = some(chance, ofMode(venue, mode))
  const most = Math.min(pkg.max_children, playroom.capacity)
  const children =
    goal === "too_large"
      ? Math.max(playroom.capacity, most) + within(1, 5)
      : mode === "shared"
        ? within(1, 3)
        : within(Math.max(4, pkg.min_children), Math.min(12, most))
  const { city } = playroom
  const said = chance.once(3) ? some(chance, [city, ...(elsewhere[city] ?? [])]) : city
  const today = onTheWall(playroom.time_zone, now).date
  const age = Math.max(playroom.age_min, Math.min(playroom.age_max, 4))
  const [first, last] = [dayAfter(today, 12), dayAfter(today, 40)]
  const saturdays = datesBetween(first, last).filter(
    (day) => weekdayOf(day) === "saturday" && startsOf(venue, pkg, day).length > 0
  )
  const common = {
    goal,
    language,
    name: `${givenNames[language]} ${serial}`,
    email: `family${serial}@example.com`,
    notes: `${notes[language]} (${serial})`,
    children,
    mode,
    city,
    ...(chance.once(3) && goal !== "too_large" ? { ages: Array.from({ length: children }, () => age) } : {}),
    ...(need === undefined ? {} : { need }),
    first,
    last,
    grace: 0
  } as const
  const place = { city: said, mode, children }
  // One Saturday by its date, or any.
  const exact = goal === "second_parent" || chance.once(2)
  const saturday = exact ? saturdays[chance.below(Math.max(1, saturdays.length))] : undefined
  const party = {
    ...common,
    weekdays: ["saturday"],
    ...(saturday === undefined ? {} : { first: saturday, last: saturday }),
    venue
  }
  switch (goal) {
    case "birthday":
      return { ...common, weekdays: ["saturday"], search: place }
    case "toddlers": {
      const tomorrow = dayAfter(today, 1)
      return { ...common, first: tomorrow, last: tomorrow, grace: 14, search: { ...place, date: tomorrow } }
    }
    case "cheapest_weekday": {
      const days = { date: first, date_to: last, weekdays: workdays }
      return { ...common, weekdays: workdays, search: { ...place, ...days, sort: "price" } }
    }
    case "wheelchair":
    case "nut_allergy":
    case "quiet_hour":
      return { ...common, grace: 21, search: { query: needWords[need ?? "quiet"][language], city: said, children } }
    case "nearby": {
      const near = {
        latitude: playroom.latitude + (chance.below(60) - 30) / 1000,
        longitude: playroom.longitude + (chance.below(60) - 30) / 1000,
        radius_km: 12
      }
      const sorted = chance.once(2) ? { sort: "distance" } : {}
      return { ...common, near, grace: 14, search: { near, mode, children, ...sorted } }
    }
    case "budget": {
      const offers = saturdays.flatMap((day) =>
        startsOf(venue, pkg, day).map(
          (start) => priceByHand(venue, pkg, { children, adults: 0, add_ons: [] }, start, now).total
        )
      )
      const budget = { amount: Math.ceil((Math.max(...offers) * 1.1) / 100) * 100, currency: playroom.currency }
      return { ...common, weekdays: ["saturday"], budget, search: { ...place, max_total: budget } }
    }
    case "language":
      return { ...common, grace: 14, search: { query: sentence[2], children } }
    case "length":
      return { ...common, grace: 14, search: { ...place, duration_minutes: 45 } }
    case "too_large":
      return {
        ...common,
        weekdays: ["saturday"],
        venue,
        fewer: Math.max(pkg.min_children, most - within(1, 3)),
        search: { query: playroom.name }
      }
    case "too_old":
      return { ...common, ages: Array.from({ length: children }, () => 15), search: place }
    case "next_date": {
      const christmas = { first: "2026-12-25", last: "2026-12-25", weekdays: [...workdays, "saturday", "sunday"] }
      const closed = chance.once(3)
      const day = some(chance, saturdays)
      return {
        ...party,
        ...(closed ? christmas : { first: day, last: day, full: true as const }),
        grace: 60,
        search: { query: playroom.name }
      }
    }
    case "waiting_list": {
      const day = some(chance, saturdays)
      return { ...party, first: day, last: day, grace: 60, full: true, search: { query: playroom.name } }
    }
    default:
      return { ...party, search: { query: playroom.name, city: said } }
  }
}
