/**
 * What came of a conversation, by the rows and the oracles: the right booking, one of them, or nothing because nothing
 * can be had.
 */
import { Clock, Effect } from "effect"
import type { Venue } from "../../../src/domain/catalogue/Playroom.ts"
import { weekdayOf } from "../../support/oracle/Clock.ts"
import { priceByHand } from "../../support/oracle/Price.ts"
import { objectionTo, tellsOfOthers } from "./Person.ts"
import type { Talk } from "./Talk.ts"
import {
  type Booked,
  bookingsOf,
  dayMs,
  datesBetween,
  datesFrom,
  looks,
  minuteMs,
  onTheWall,
  readCalendar,
  startsOf
} from "./Truth.ts"
import { meets, ofMode, type Visit, type Wish, type Wrong, wrongIn } from "./Wishes.ts"
import { allergies } from "./World.ts"

const visitOf = (wish: Wish, row: Booked, venue: Venue): Visit => {
  const { date, minutes } = onTheWall(venue.playroom.time_zone, row.start)
  const { adults, children, mode, total } = row
  const pkg = venue.packages.find(({ package_id }) => package_id === row.package_id)
  const free_adults = pkg?.pricing.adult === 0 && wish.adults <= (pkg.max_adults ?? wish.adults)
  const ends = minutes + (row.end - row.start) / minuteMs
  return {
    place: venue,
    date,
    weekday: weekdayOf(date),
    minutes,
    ends,
    mode,
    children,
    adults,
    free_adults,
    total,
    due: row.due_now
  }
}

const fitsAges = ({ ages = [] }: Wish, { playroom }: Venue): boolean =>
  ages.every((age) => age >= playroom.age_min && age <= playroom.age_max)

/** What of a wish a booking does not fulfil; undefined where it is what was wanted. */
const unfulfilled = (wish: Wish, row: Booked, venues: ReadonlyArray<Venue>): Wrong | undefined => {
  const venue = venues.find(({ playroom }) => playroom.playroom_id === row.playroom_id)
  if (venue === undefined || !fitsAges(wish, venue)) return "place"
  if (wish.need !== undefined && !meets(wish.need, venue)) return "need"
  return wrongIn(wish, visitOf(wish, row, venue))
}

/** Whether what a venue asks before a party has the person's own answer. */
const isAnswered = ({ allergies: said }: Wish, { answers, package_id }: Booked, venues: ReadonlyArray<Venue>) => {
  const asks = venues.some(({ packages }) =>
    packages.some((pkg) => pkg.package_id === package_id && pkg.questions?.length === 1)
  )
  const given = asks ? [{ slug: allergies.slug, text: allergies.text, answer: said }] : null
  return JSON.stringify(answers) === JSON.stringify(given)
}

const daysFrom = (from: string, to: string): number => Math.round((Date.parse(to) - Date.parse(from)) / dayMs)

const party = ({ adults }: Wish, children: number) => ({ children, adults, add_ons: [] })

/** Whether anything in the catalogue fulfils a wish at this moment. */
const canBeHad = Effect.fnUntraced(function* (wish: Wish, venues: ReadonlyArray<Venue>) {
  const now = yield* Clock.currentTimeMillis
  for (const venue of venues) {
    if (wrongIn(wish, { place: venue }) !== undefined || !fitsAges(wish, venue)) continue
    if (wish.need !== undefined && !meets(wish.need, venue)) continue
    const calendar = yield* Effect.orDie(readCalendar(venue, now))
    const packages = ofMode(venue, wish.mode)
    for (const children of new Set([wish.children, wish.fewer ?? wish.children])) {
      const question = { venue, packages, party: party(wish, children), weekdays: wish.weekdays ?? [], ...wish.times }
      const seen = looks(
        question,
        datesFrom(wish.first, daysFrom(wish.first, wish.last) + wish.grace + 1),
        calendar,
        now
      )
      if (seen.some(({ reasons, within }) => within && reasons.size === 0)) return true
    }
  }
  return false
})

/** The lowest price that fulfils a wish. */
const lowest = (wish: Wish, venues: ReadonlyArray<Venue>, now: number): number =>
  Math.min(
    ...venues
      .filter((venue) => wrongIn(wish, { place: venue }) === undefined && fitsAges(wish, venue))
      .flatMap((venue) =>
        ofMode(venue, wish.mode).flatMap((pkg) =>
          datesBetween(wish.first, wish.last)
            .filter((date) => wish.weekdays?.includes(weekdayOf(date)) === true)
            .flatMap((date) => startsOf(venue, pkg, date))
            .map((start) => priceByHand(venue, pkg, party(wish, wish.children), start, now).total)
        )
      )
  )

export interface Judgement {
  /** Why the goal was not reached; undefined where it was, or the end is an honest one. */
  readonly missed: string | undefined
  readonly honest: boolean
  /** Adults come who are not counted, or the other way round. */
  readonly uncounted: boolean
  /** A paid booking that is not what was wanted. `shown`: the person had seen it; `said`: an answer had said it. */
  readonly wrong?: { readonly what: Wrong; readonly shown: boolean; readonly said: boolean }
  /** Two paid bookings of one wish; `said`: an answer had told of the first before the second was paid. */
  readonly twice?: { readonly said: boolean }
}

/** Judges a conversation that ended in that way. `family`: those who have the same wish, this one among them. */
export const judged = Effect.fn("judged")(function* (
  talk: Talk,
  family: ReadonlyArray<Talk>,
  ended: string | undefined
) {
  const { end, venues, wish } = talk
  const now = yield* Clock.currentTimeMillis
  const paidIn = (names: ReadonlyArray<string>) =>
    Effect.map(bookingsOf(...names), (rows) =>
      rows.filter(
        ({ received, status }) =>
          status === "confirmed" || (received > 0 && (wish.goal !== "cancel_and_back" || status !== "cancelled"))
      )
    )
  const final = yield* paidIn(family.map((one) => one.wish.name))
  const own = yield* paidIn([wish.name])
  const wrongs = own.flatMap((row) => unfulfilled(wish, row, venues) ?? [])
  const [what] = wrongs
  const seen = end.told ?? { shown: [], said: [] }
  const wrong =
    what === undefined
      ? undefined
      : {
          what,
          shown: seen.shown.some(({ page, text }) => objectionTo(wish, text, venues, page) === what),
          said: seen.said.some((text) => objectionTo(wish, text, venues, true) === what)
        }
  const saidToAny = family.flatMap((one) => one.end.told?.said ?? [])
  // Counted once for a family.
  const wanted = wish.goal === "two_rooms" ? new Set(final.map(({ playroom_id }) => playroom_id)).size : 1
  const half = wish.goal === "two_rooms" && wanted === 1
  const twice = final.length <= wanted || talk !== family.at(-1) ? undefined : { said: saidToAny.some(tellsOfOthers) }
  const dear = wish.goal === "cheapest_weekday" && final.some(({ total }) => total > lowest(wish, venues, now))
  const owes = wish.goal === "balance" && final.some(({ received, total }) => received !== total)
  const nothing = wish.goal === "gave_up" ? undefined : "nothing is booked and paid"
  const honest = (final.length === 0 || half) && end.honest !== undefined && !(yield* canBeHad(wish, venues))
  const missed =
    wrong !== undefined
      ? `wrong ${wrong.what}`
      : twice !== undefined
        ? "paid twice"
        : (final.length === 0 || half) && !honest
          ? (nothing ?? ended)
          : dear
            ? "not the cheapest"
            : owes
              ? "the balance is not paid"
              : own.some((row) => !isAnswered(wish, row, venues))
                ? "what the venue asked is not as the person said"
                : ended
  const judgement: Judgement = {
    missed: missed === undefined ? undefined : `${missed} (${ended ?? end.honest ?? "it believed so"})`,
    honest,
    uncounted: own.some(({ adults }) => adults !== wish.adults),
    ...(wrong === undefined ? {} : { wrong }),
    ...(twice === undefined ? {} : { twice })
  }
  return judgement
})
