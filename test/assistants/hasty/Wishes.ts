/** What people want of an assistant, made by chance over the catalogue, and what of it a visit does not fulfil. */
import type { Package } from "../../../src/domain/catalogue/Package.ts"
import type { Venue } from "../../../src/domain/catalogue/Playroom.ts"
import type { Chance } from "../../fuzz/Chance.ts"
import { clockOf, dayAfter, weekdayOf } from "../../support/oracle/Clock.ts"
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
  "gave_up",
  "two_rooms",
  "toddler_only",
  "wheelchair_party",
  "deposit_budget",
  "as_late_as_possible",
  "after_church",
  "school_class",
  "change_of_mind",
  "other_currency",
  "allergy_note",
  "pay_tomorrow",
  "bank_transfer",
  "move_later",
  "two_more",
  "cancel_and_back",
  "gift",
  "second_saturday",
  "half_term",
  "starts_soon",
  "same_day",
  "code_right",
  "code_wrong"
] as const
export type Goal = (typeof goals)[number]

/** What a person wants, and what they give up where they are told that it can't be had. */
export interface Wish {
  readonly goal: Goal
  readonly language: Language
  readonly name: string
  readonly email: string
  readonly notes: string
  /** What the person says if they are asked for allergies. */
  readonly allergies: string
  /** Whether the assistant books both rooms by one call. */
  readonly together?: true
  readonly children: number
  readonly adults: number
  readonly ages?: ReadonlyArray<number>
  readonly mode: Package["mode"]
  readonly city: string
  /** The one playroom that is meant, where it is named; and the other one of two. */
  readonly venue?: Venue
  readonly second?: Venue
  /** Arguments of the first search, in the person's own words. */
  readonly search: Readonly<Record<string, unknown>>
  readonly first: string
  readonly last: string
  readonly weekdays?: ReadonlyArray<string>
  /** So many days after `last` are accepted too, where nothing is free before. */
  readonly grace: number
  /** The times that suit, local: asked for, or said when it is too late. */
  readonly times?: { readonly start_after?: string; readonly end_before?: string }
  /** The most that the person can pay at once, in minor units. */
  readonly purse?: number
  /** What of it the person wants otherwise, once the places are held. */
  readonly after?: { readonly children: number; readonly first: string; readonly last: string }
  readonly budget?: { readonly amount: number; readonly currency: string }
  readonly fewer?: number
  readonly need?: Need
  /** A code that they were given, as they write it. */
  readonly code?: string
  readonly near?: { readonly latitude: number; readonly longitude: number; readonly radius_km: number }
  /** The day is to be sold out before the conversation begins. */
  readonly full?: true
}

/** A visit as far as it is known. */
export interface Visit {
  readonly place?: Venue
  readonly date?: string
  readonly weekday?: string
  /** Minutes since midnight at which it starts and ends. */
  readonly minutes?: number
  readonly ends?: number
  readonly mode?: string
  readonly children?: number
  readonly adults?: number
  /** Adults cost nothing and have their places: those who come uncounted are no other visit. */
  readonly free_adults?: boolean
  readonly total?: number
  /** Of that, to be paid at once. */
  readonly due?: number
}

/** What of a visit is not what was wanted. */
export type Wrong = "place" | "need" | "day" | "time" | "mode" | "party" | "price"

const kilometres = (a: { latitude: number; longitude: number }, b: { latitude: number; longitude: number }): number => {
  const rad = Math.PI / 180
  const x = (b.longitude - a.longitude) * rad * Math.cos(((a.latitude + b.latitude) / 2) * rad)
  const y = (b.latitude - a.latitude) * rad
  return Math.hypot(x, y) * 6371
}

const isPlace = ({ city, near, second, venue }: Wish, { playroom }: Venue): boolean =>
  (venue === undefined || [venue, second].some((one) => one?.playroom.playroom_id === playroom.playroom_id)) &&
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
  const { adults, date, ends, minutes, place, weekday } = visit
  const { end_before, start_after } = wish.times ?? {}
  if (place !== undefined && !isPlace(wish, place)) return "place"
  const day =
    (date !== undefined && (date < wish.first || date > dayAfter(wish.last, wish.grace))) ||
    (weekday !== undefined && wish.weekdays !== undefined && !wish.weekdays.includes(weekday))
  if (day) return "day"
  const isEarly = minutes !== undefined && start_after !== undefined && minutes < clockOf(start_after)
  if (isEarly || (ends !== undefined && end_before !== undefined && ends > clockOf(end_before))) return "time"
  if (visit.mode !== undefined && visit.mode !== wish.mode) return "mode"
  if (visit.children !== undefined && visit.children !== wish.children && visit.children !== wish.fewer) return "party"
  if (visit.due !== undefined && wish.purse !== undefined && visit.due > wish.purse) return "price"
  if (adults !== undefined && adults !== wish.adults && visit.free_adults !== true) return "party"
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
const shared: ReadonlySet<Goal> = new Set([
  "toddlers",
  "cheapest_weekday",
  "wheelchair",
  "quiet_hour",
  "length",
  "toddler_only",
  "half_term",
  "starts_soon",
  "same_day"
])
const needOf: Partial<Record<Goal, Need>> = {
  wheelchair: "wheelchair",
  wheelchair_party: "wheelchair",
  nut_allergy: "nuts",
  quiet_hour: "quiet"
}

const clockAt = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`

/** The starts of a package on a day, as clock times. */
const clocksOf = (venue: Venue, pkg: Package, day: string): ReadonlyArray<string> =>
  startsOf(venue, pkg, day).map((start) => clockAt(onTheWall(venue.playroom.time_zone, start).minutes))

const hasDeposit = (pkg: Package): boolean => pkg.payment.kind === "deposit"
const mayMove = (pkg: Package): boolean =>
  pkg.free_reschedule_hours_before !== undefined && (pkg.schedule.times ?? []).length > 1
/** What a package must have for a goal. */
const packageFor: Partial<Record<Goal, (pkg: Package) => boolean>> = {
  balance: hasDeposit,
  deposit_budget: hasDeposit,
  move_later: mayMove,
  two_more: ({ max_children }) => max_children >= 8,
  school_class: ({ max_children }) => max_children >= 20,
  after_church: ({ schedule }) => schedule.weekdays === undefined || schedule.weekdays.includes("sunday")
}

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
  const hasIt = packageFor[goal] ?? (() => true)
  const partnerOf = ({ playroom: { city, playroom_id } }: Venue) =>
    venues.find(({ playroom }) => playroom.city === city && playroom.playroom_id !== playroom_id)
  const fits = (venue: Venue): boolean => {
    if (goal === "language") return venue.playroom.city === sentence[0]
    if (need !== undefined && !meets(need, venue)) return false
    if (goal === "two_rooms") return partnerOf(venue) !== undefined
    if (goal === "toddler_only") return venue.playroom.age_min <= 1
    return ofMode(venue, mode).some(hasIt)
  }
  const venue = some(chance, venues.filter(fits))
  const { playroom } = venue
  const pkg = some(chance, ofMode(venue, mode).filter(hasIt))
  const most = Math.min(pkg.max_children, playroom.capacity)
  const children =
    goal === "too_large"
      ? Math.max(playroom.capacity, most) + within(1, 5)
      : mode === "shared"
        ? within(1, 3)
        : goal === "school_class"
          ? within(15, Math.min(30, most))
          : within(Math.max(4, pkg.min_children), Math.min(12, goal === "two_more" ? most - 2 : most))
  const adults = goal === "school_class" ? within(2, 5) : chance.below(4)
  const { city } = playroom
  const said = chance.once(3) ? some(chance, [city, ...(elsewhere[city] ?? [])]) : city
  const today = onTheWall(playroom.time_zone, now).date
  const age = Math.max(playroom.age_min, Math.min(playroom.age_max, 4))
  const [first, last] = [dayAfter(today, goal === "move_later" ? 16 : 12), dayAfter(today, 40)]
  const saturdays = datesBetween(first, last).filter(
    (day) => weekdayOf(day) === "saturday" && startsOf(venue, pkg, day).length > 0
  )
  const common = {
    goal,
    language,
    name: `${givenNames[language]} ${serial}`,
    email: `family${serial}@example.com`,
    notes: `${notes[language]} (${serial})`,
    allergies: ["none", "peanuts: one child", `gluten (${serial})`][serial.charCodeAt(0) % 3] ?? "none",
    children,
    adults,
    mode,
    city,
    ...(chance.once(3) && goal !== "too_large" ? { ages: Array.from({ length: children }, () => age) } : {}),
    ...(need === undefined ? {} : { need }),
    ...(goal === "code_right" ? { code: chance.one(["PLAY2026", "play2026", "Play-2026"]) } : {}),
    ...(goal === "code_wrong" ? { code: chance.one(["PLAY2025", "PLAY202б", "10OFF"]) } : {}),
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
          (start) => priceByHand(venue, pkg, { children, adults, add_ons: [] }, start, now).total
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
    case "two_rooms": {
      const second = partnerOf(venue)
      const day = some(chance, saturdays)
      const of = second === undefined ? [] : ofMode(second, mode)
      const fewest = Math.max(children, ...of.map((one) => one.min_children))
      return {
        ...party,
        ...(second === undefined ? {} : { second }),
        ...(chance.once(2) ? { together: true as const } : {}),
        children: Math.min(fewest, most, ...of.map((one) => one.max_children)),
        first: day,
        last: day,
        search: { query: playroom.name, city: said }
      }
    }
    case "toddler_only":
      return { ...common, ages: Array.from({ length: children }, () => 1), grace: 14, search: place }
    case "wheelchair_party": {
      const words = { query: needWords.wheelchair[language], city: said, children, mode }
      return { ...common, grace: 21, search: words }
    }
    case "deposit_budget": {
      const [day = first] = saturdays
      const dues = startsOf(venue, pkg, day).map(
        (start) => priceByHand(venue, pkg, { children, adults, add_ons: [] }, start, now).due_now
      )
      return { ...party, purse: Math.ceil(Math.max(...dues) * 1.2), search: { query: playroom.name } }
    }
    case "as_late_as_possible": {
      const day = some(chance, saturdays)
      const times = { start_after: clocksOf(venue, pkg, day).at(-1) ?? "00:00" }
      return { ...party, first: day, last: day, times, search: { query: playroom.name, city: said } }
    }
    case "after_church":
      return {
        ...party,
        first,
        last,
        weekdays: ["sunday"],
        times: { start_after: "12:30" },
        search: { query: playroom.name }
      }
    case "change_of_mind": {
      const [day, other] = [some(chance, saturdays), some(chance, saturdays)]
      const after = { children: Math.max(pkg.min_children, children - 1), first: other, last: other }
      return { ...party, first: day, last: day, after, search: { query: playroom.name } }
    }
    case "other_currency": {
      const currency = playroom.currency === "EUR" ? "GBP" : "EUR"
      return { ...common, weekdays: ["saturday"], search: { ...place, max_total: { amount: 90_000, currency } } }
    }
    case "second_saturday": {
      const [, day = last] = saturdays
      return { ...party, first: day, last: day, search: { query: playroom.name, date: day } }
    }
    case "half_term": {
      const monday = datesBetween(first, last).find((day) => weekdayOf(day) === "monday") ?? first
      const days = { first: monday, last: dayAfter(monday, 4), weekdays: workdays }
      const times = { end_before: "13:00" }
      return { ...common, ...days, venue, times, search: { query: playroom.name, date: monday, date_to: days.last } }
    }
    case "starts_soon":
      return {
        ...common,
        venue,
        first: today,
        last: today,
        times: { start_after: clockAt(onTheWall(playroom.time_zone, now).minutes) },
        search: { query: playroom.name, date: today, children }
      }
    case "same_day":
      return { ...common, first: today, last: today, search: { ...place, date: today } }
    default: {
      const clocks = saturday === undefined ? [] : clocksOf(venue, pkg, saturday)
      // Some have a time in mind.
      const start_after = chance.once(2) ? clocks[chance.below(Math.max(1, clocks.length))] : undefined
      const times = start_after === undefined ? {} : { times: { start_after } }
      return { ...party, ...times, search: { query: playroom.name, city: said } }
    }
  }
}
