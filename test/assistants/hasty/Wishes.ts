/** What people want of an assistant, made by chance over the catalogue: ten goals, each of which can be reached. */
import type { Package } from "../../../src/catalogue/Package.ts"
import type { Venue } from "../../../src/catalogue/Playroom.ts"
import type { Chance } from "../../fuzz/Chance.ts"
import { dayAfter, weekdayOf } from "../../support/oracle/Clock.ts"
import { priceByHand } from "../../support/oracle/Price.ts"
import { datesBetween, minuteMs, onTheWall, startsOf } from "./Truth.ts"

export const goals = [
  "saturday_party",
  "open_play_tomorrow",
  "near_a_point",
  "wheelchair",
  "budget",
  "language",
  "too_large",
  "next_date",
  "balance",
  "length"
] as const
export type Goal = (typeof goals)[number]

/** What a person wants, and what they give up where they are told that it can't be had. */
export interface Wish {
  readonly goal: Goal
  readonly name: string
  readonly email: string
  readonly children: number
  readonly ages?: ReadonlyArray<number>
  readonly mode: Package["mode"]
  /** The cities that are meant, as the catalogue spells them, and what people elsewhere call them. */
  readonly city: string
  readonly names: ReadonlyArray<string>
  /** The one playroom that is meant, where it is named. */
  readonly venue?: Venue
  /** Arguments of the first search, in the person's own words. */
  readonly search: Readonly<Record<string, unknown>>
  readonly first: string
  readonly last: string
  readonly weekday?: "saturday"
  /** So many days after `last` are accepted too, where nothing is free before. */
  readonly grace: number
  readonly times?: { readonly start_after: string }
  readonly budget?: { readonly amount: number; readonly currency: string }
  readonly fewer?: number
  readonly balance?: true
  readonly accessible?: true
  readonly near?: { readonly latitude: number; readonly longitude: number; readonly radius_km: number }
  /** The day is to be sold out before the conversation begins. */
  readonly full?: true
}

const elsewhere: Readonly<Record<string, ReadonlyArray<string>>> = {
  London: ["Londres", "Londra", "ロンドン"],
  Manchester: ["マンチェスター", "manchester"],
  Bristol: ["ブリストル", "BRISTOL"],
  Berlin: ["Berlín", "Berlino", "ベルリン"],
  München: ["Munich", "Muenchen", "Múnich", "ミュンヘン"],
  "San Francisco": ["サンフランシスコ", "San Francisco, CA"],
  "New York": ["Nueva York", "New York City", "ニューヨーク"],
  Tokyo: ["Tokio", "東京", "Tōkyō"],
  Stockholm: ["Estocolmo", "ストックホルム"],
  Göteborg: ["Gothenburg", "Goeteborg", "Goteborg"],
  Sydney: ["Sídney", "シドニー"]
}

const fold = (text: string): string => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase()

/** Whether two names are one but for case and accents. */
export const isSame = (one: string, other: string): boolean => fold(one) === fold(other)

/** The city that a name means, in whatever language. */
export const cityMeant = (name: string): string | undefined =>
  Object.keys(elsewhere).find((city) => [city, ...(elsewhere[city] ?? [])].some((one) => isSame(one, name)))

const sentences: ReadonlyArray<readonly [string, Package["mode"], string]> = [
  ["München", "shared", "Indoor-Spielplatz in München"],
  ["München", "shared", "Spielplatz drinnen, München"],
  ["Berlin", "exclusive", "Kindergeburtstag in Berlin feiern"],
  ["Tokyo", "exclusive", "東京 誕生日"],
  ["Tokyo", "exclusive", "fiesta de cumpleaños en Tokio"],
  ["Stockholm", "exclusive", "barnkalas i Stockholm"],
  ["London", "shared", "aire de jeux intérieure à Londres"],
  ["London", "exclusive", "fête d'anniversaire pour enfants à Londres"],
  ["Göteborg", "shared", "Lekland in Göteborg"],
  ["San Francisco", "exclusive", "fiesta de cumpleaños infantil en San Francisco"],
  ["New York", "exclusive", "anniversaire pour enfants à New York"],
  ["Sydney", "shared", "シドニー 室内遊び場"]
]

const access = [
  "wheelchair accessible",
  "wheelchair access",
  "step-free access",
  "Wheelchair",
  "barrierefrei",
  "step free"
]

const saturdays = (first: string, last: string) =>
  datesBetween(first, last).filter((day) => weekdayOf(day) === "saturday")

/** An entry of a list that is never empty. */
const some = <A>(chance: Chance, list: ReadonlyArray<A>): A => {
  const [first, ...rest] = list
  if (first === undefined) throw new Error("nothing to choose from")
  return chance.one([first, ...rest])
}

export const ofMode = (venue: Venue, mode: Package["mode"]) => venue.packages.filter((pkg) => pkg.mode === mode)

const largest = ({ playroom }: Venue, pkg: Package): number => Math.min(pkg.max_children, playroom.capacity)

/** A wish towards a goal, at a moment; the same for the same chance. */
export const wishFor = (
  goal: Goal,
  chance: Chance,
  venues: ReadonlyArray<Venue>,
  now: number,
  serial: number
): Wish => {
  const within = (from: number, to: number) => from + chance.below(Math.max(1, to - from + 1))
  const person = {
    name: some(chance, ["Ana Lima", "Jörg Weiß", "山田 花子", "Sam O'Neil"]),
    email: `p${serial}@example.com`
  }
  const shared = goal === "open_play_tomorrow" || goal === "wheelchair" || goal === "length"
  const sentence = some(chance, sentences)
  const mode: Package["mode"] =
    goal === "language"
      ? sentence[1]
      : goal === "near_a_point" && chance.once(2)
        ? "shared"
        : shared
          ? "shared"
          : "exclusive"
  const fits = (venue: Venue): boolean => {
    if (goal === "language") return venue.playroom.city === sentence[0]
    if (goal === "wheelchair") return venue.playroom.amenities.includes("step-free access")
    if (goal === "balance") return ofMode(venue, "exclusive").some(({ payment }) => payment.kind === "deposit")
    return true
  }
  const venue = some(chance, venues.filter(fits))
  const { playroom } = venue
  const pkg = some(chance, ofMode(venue, mode))
  const most = largest(venue, pkg)
  const children =
    goal === "too_large"
      ? Math.max(playroom.capacity, most) + within(1, 5)
      : mode === "shared"
        ? within(1, 3)
        : within(Math.max(4, pkg.min_children), Math.min(12, most))
  const today = onTheWall(playroom.time_zone, now).date
  const city = playroom.city
  const names = elsewhere[city] ?? []
  const said = names.length > 0 && chance.once(3) ? some(chance, names) : city
  const age = Math.max(playroom.age_min, Math.min(playroom.age_max, 4))
  const common = {
    goal,
    ...person,
    children,
    mode,
    city,
    names,
    ...(chance.once(3) && goal !== "too_large" ? { ages: Array.from({ length: children }, () => age) } : {}),
    first: dayAfter(today, 12),
    last: dayAfter(today, 40),
    grace: 0
  } as const
  const place = { city: said, mode, children }
  const exclusiveSaturday = { ...common, weekday: "saturday" as const }
  switch (goal) {
    case "saturday_party":
      return { ...exclusiveSaturday, search: place }
    case "open_play_tomorrow": {
      const tomorrow = dayAfter(today, 1)
      const late = chance.once(4) ? { times: { start_after: "17:30" } } : {}
      return {
        ...common,
        ...late,
        first: tomorrow,
        last: tomorrow,
        grace: 14,
        search: { ...place, date: tomorrow, ...late.times }
      }
    }
    case "near_a_point": {
      const near = {
        latitude: playroom.latitude + (chance.below(60) - 30) / 1000,
        longitude: playroom.longitude + (chance.below(60) - 30) / 1000,
        radius_km: 12
      }
      return {
        ...common,
        near,
        grace: 14,
        search: { near, mode, children, ...(chance.once(2) ? { sort: "distance" } : {}) }
      }
    }
    case "wheelchair":
      return {
        ...common,
        accessible: true,
        grace: 14,
        search: { ...place, amenities: [some(chance, access)] }
      }
    case "budget": {
      const days = saturdays(common.first, common.last)
      const offers = days.flatMap((day) =>
        startsOf(venue, pkg, day).map(
          (start) => priceByHand(venue, pkg, { children, adults: 0, add_ons: [] }, start, now).total
        )
      )
      const budget = { amount: Math.ceil((Math.max(...offers) * 1.1) / 100) * 100, currency: playroom.currency }
      return { ...exclusiveSaturday, budget, search: { ...place, max_total: budget } }
    }
    case "language":
      return { ...common, grace: 14, search: { query: sentence[2], children } }
    case "too_large":
      return {
        ...exclusiveSaturday,
        venue,
        fewer: Math.max(pkg.min_children, most - within(1, 3)),
        search: { query: playroom.name }
      }
    case "next_date": {
      const day = some(
        chance,
        saturdays(common.first, common.last).filter((day) => startsOf(venue, pkg, day).length > 0)
      )
      const closed = chance.once(3)
      const first = closed ? "2026-12-25" : day
      return {
        ...common,
        venue,
        first,
        last: first,
        grace: 60,
        ...(closed ? {} : { full: true as const }),
        search: { query: playroom.name }
      }
    }
    case "balance":
      return { ...exclusiveSaturday, venue, balance: true, search: { query: playroom.name, city: said } }
    case "length": {
      const lengths = new Set(
        venues
          .filter((one) => one.playroom.city === city)
          .flatMap((one) => ofMode(one, mode).map(({ duration_minutes }) => duration_minutes))
      )
      const asked = some(
        chance,
        [45, 60, 75, 90, 120, 180].filter((minutes) => !lengths.has(minutes))
      )
      return { ...common, grace: 14, search: { ...place, duration_minutes: asked } }
    }
  }
}

const kilometres = (a: { latitude: number; longitude: number }, b: { latitude: number; longitude: number }): number => {
  const rad = Math.PI / 180
  const x = (b.longitude - a.longitude) * rad * Math.cos(((a.latitude + b.latitude) / 2) * rad)
  const y = (b.latitude - a.latitude) * rad
  return Math.hypot(x, y) * 6371
}

/** What of a wish a visit does not fulfil; undefined where it is what was wanted. */
export const unfulfilled = (
  wish: Wish,
  venue: Venue,
  visit: {
    readonly start: number
    readonly end: number
    readonly mode: string
    readonly children: number
    readonly total: number
  }
): string | undefined => {
  const { playroom } = venue
  const { date } = onTheWall(playroom.time_zone, visit.start)
  const wants = wish.fewer === undefined ? [wish.children] : [wish.children, wish.fewer]
  if (wish.venue !== undefined && wish.venue.playroom.playroom_id !== playroom.playroom_id) return "another playroom"
  if (
    wish.near === undefined ? playroom.city !== wish.city : kilometres(wish.near, playroom) > wish.near.radius_km + 0.5
  )
    return "another place"
  if (date < wish.first || date > dayAfter(wish.last, wish.grace)) return `another day: ${date}`
  if (wish.weekday !== undefined && weekdayOf(date) !== wish.weekday) return `another weekday: ${date}`
  if (visit.mode !== wish.mode) return `${visit.mode}, not ${wish.mode}`
  if (!wants.includes(visit.children)) return `for ${visit.children} children`
  if (wish.budget !== undefined && visit.total > wish.budget.amount) return "too dear"
  if (wish.accessible && !playroom.amenities.includes("step-free access")) return "not accessible"
  return visit.end - visit.start < 5 * minuteMs ? "no visit" : undefined
}
