/** What an answer says of bookable times, or of why there are none, compared with what the oracles find. */
import { Effect } from "effect"
import type { Calendar } from "../../../src/domain/availability/Availability.ts"
import type { Package } from "../../../src/domain/catalogue/Package.ts"
import type { Venue } from "../../../src/domain/catalogue/Playroom.ts"
import { at } from "../../support/Assistant.ts"
import { clockOf, dayAfter, weekdayOf } from "../../support/oracle/Clock.ts"
import { priceByHand } from "../../support/oracle/Price.ts"
import type { Input } from "./Habits.ts"
import { dateIn, inWords } from "./Person.ts"
import { countAt, listAt, numberAt, textAt } from "./Reading.ts"
import {
  datesBetween,
  datesFrom,
  firstFree,
  hourMs,
  looks,
  onTheWall,
  type Question,
  readCalendar,
  refundByHand,
  startsOf
} from "./Truth.ts"
import type { Verdicts } from "./Verdicts.ts"
import { knownCode } from "./World.ts"

/** So far the next date is looked for by hand. */
const mostToLookAhead = 70

/** The lines of an option's price stand in it, or once with its package. */
const linesOf = (page: unknown, option: unknown): ReadonlyArray<unknown> => {
  const own = listAt(option, "price", "lines")
  if (own.length > 0) return own
  const pkg = listAt(page, "packages").find((one) => at(one, "package_id") === at(option, "package_id"))
  const price = listAt(pkg, "prices").find(
    (one) => at(one, "total") === at(option, "price", "total") && at(one, "due_now") === at(option, "price", "due_now")
  )
  return listAt(price, "lines")
}

/** What comes back of the amount due now, and the last moment until which that is so, as text. */
const backByHand = ({ cancellation }: Package, start: number, kept: number, received: number, now: number): string => {
  const at = (moment: number) => refundByHand({ cancellation, kept, received, refunded: 0, start }, moment)
  const deadlines = cancellation.map(({ hours_before }) => start - hours_before * hourMs).toSorted((a, b) => a - b)
  const until = deadlines.find((moment) => now <= moment && at(moment + 1) !== at(moment))
  return at(now) === 0 || until === undefined ? "nothing" : `${at(now)} until ${until}`
}

const ofOne = (
  { compare, say }: Verdicts,
  page: unknown,
  option: unknown,
  question: Question,
  calendar: Calendar,
  now: number
) => {
  const pkg = question.venue.packages.find(({ package_id }) => package_id === at(option, "package_id"))
  const start = Date.parse(textAt(option, "start") ?? "")
  if (pkg === undefined || Number.isNaN(start)) return say("option: can be booked", false, JSON.stringify(option))
  const { date } = onTheWall(question.venue.playroom.time_zone, start)
  const look = looks({ ...question, packages: [pkg] }, [date], calendar, now).find((one) => one.start === start)
  say("option: can be booked", look?.reasons.size === 0 && look.within, `${pkg.name} ${date}`)
  const { due_now, non_refundable, total } = priceByHand(question.venue, pkg, question.party, start, now)
  compare("option: total", at(option, "price", "total"), total)
  compare("option: due now", at(option, "price", "due_now"), due_now)
  const sum = linesOf(page, option).reduce<number>((so, line) => so + (numberAt(line, "amount") ?? 0), 0)
  compare("option: sum of its lines", sum, total)
  const until = Date.parse(textAt(option, "back_if_cancelled", "until") ?? "")
  const refund = numberAt(option, "back_if_cancelled", "refund")
  const back = refund === undefined ? "nothing" : `${refund} until ${until}`
  compare("option: what comes back", back, backByHand(pkg, start, non_refundable, due_now, now))
  const places = at(option, "places_left")
  if (pkg.mode === "shared") compare("option: places left", places, look?.places_left)
  else say("option: places left", places === undefined, `${String(places)} of an exclusive package`)
}

const hoursOf = (
  { playroom }: Venue,
  date: string
): ReadonlyArray<{ readonly opens: string; readonly closes: string }> =>
  (
    playroom.overrides.find((one) => one.date === date) ??
    playroom.overrides.find(({ from, to }) => from !== undefined && to !== undefined && from <= date && date <= to)
  )?.intervals ?? playroom.opening_hours.filter(({ weekday }) => weekday === weekdayOf(date))

/** Whether the reason of an empty answer is one that is true of it. */
const isReason = (
  why: string,
  question: Question,
  dates: ReadonlyArray<string>,
  calendar: Calendar,
  now: number
): boolean => {
  const today = onTheWall(question.venue.playroom.time_zone, now).date
  const seen = looks(question, dates, calendar, now)
  const inside = seen.filter(({ within }) => within)
  if (dates.every((date) => date < today)) return why === "in_the_past"
  if (why === "in_the_past") return dates.some((date) => date < today) || inside.every(({ start }) => start <= now)
  // Open, and none of these packages starts on that day of the week.
  if (why === "not_sold_on_these_days")
    return dates.some(
      (date) =>
        hoursOf(question.venue, date).length > 0 &&
        looks({ ...question, start_after: undefined, end_before: undefined }, [date], calendar, now).length === 0
    )
  if (why === "outside_your_times") return inside.length === 0 && seen.some(({ reasons }) => !reasons.has("closed"))
  // Closed to everyone: no start that day at all, or each of them inside a closure.
  if (why === "closed") return seen.every(({ reasons }) => reasons.has("closed"))
  // With no start at the times asked for, what stands in the way of the others is as true.
  return (inside.length === 0 ? seen : inside).some(({ reasons }) => [...reasons].some((reason) => reason === why))
}

/** The weekdays on which the packages that are asked for start in some week. */
const soldOn = ({ packages, venue, weekdays }: Question, from: string) => ({
  sold: new Set(
    datesFrom(from, mostToLookAhead)
      .filter((date) => packages.some((pkg) => startsOf(venue, pkg, date).length > 0))
      .map(weekdayOf)
  ),
  weekdays
})

const ofNone = (
  { compare, say, told }: Verdicts,
  answer: unknown,
  question: Question,
  dates: ReadonlyArray<string>,
  calendar: Calendar,
  now: number
) => {
  const { party, venue } = question
  const today = onTheWall(venue.playroom.time_zone, now).date
  const [day = today] = dates
  const why = textAt(answer, "none_because")
  const asked = `on ${day}, ${venue.playroom.name}, ${party.children} children, from ${question.start_after ?? "-"}`
  if (why === undefined) told("no options: why", false)
  else say("no options: why", isReason(why, question, dates, calendar, now), `${why} ${asked}`)
  for (const also of listAt(answer, "also_because")) {
    const beyond = looks(question, dates, calendar, now).some(
      ({ reasons, within }) => !within && !reasons.has("closed")
    )
    const holds =
      dates.some((date) => isReason(String(also), question, [date], calendar, now)) ||
      (also === "outside_your_times" && beyond)
    say("no options: why else", holds, `${String(also)} ${asked}`)
  }

  for (const one of listAt(answer, "waiting_list")) {
    const when = textAt(one, "when") ?? ""
    const [, , dayOf, month, year, clock = ""] = [...when.matchAll(inWords)][0] ?? []
    const moment = `${dateIn(dayOf, month, year)} ${clockOf(clock)}`
    const taken = looks(question, dates, calendar, now).some(({ reasons, start, within }) => {
      const { date, minutes } = onTheWall(venue.playroom.time_zone, start)
      const others = reasons.size > 0 && [...reasons].every((reason) => /^(fully_booked|add_ons_taken)$/.test(reason))
      return within && others && moment === `${date} ${minutes}`
    })
    say(
      "no options: a waiting list",
      taken && textAt(one, "url")?.includes("/wait/option_") === true,
      `${when} ${asked}`
    )
  }

  const { sold, weekdays = [] } = soldOn(question, day)
  // If they are sold on none of these weekdays, the next date is on another one.
  const onOthers = weekdays.length > 0 && weekdays.every((weekday) => !sold.has(String(weekday)))
  const after = onOthers ? day : dayAfter(dates.at(-1) ?? today, 1)
  const from = after < today ? today : after
  const first = firstFree(onOthers ? { ...question, weekdays: [] } : question, from, mostToLookAhead, calendar, now)
  const next = textAt(answer, "next_available_date")
  if (next !== undefined && next > dayAfter(from, mostToLookAhead))
    say("no options: next date", first === undefined, next)
  else if (next !== undefined || first === undefined) compare("no options: next date", next ?? "none", first ?? "none")
  else told("no options: next date", false)

  const forParty = textAt(answer, "next_date_for_party", "date")
  if (forParty !== undefined) {
    const package_id = textAt(answer, "next_date_for_party", "package_id")
    const taking = { ...question, packages: venue.packages.filter((pkg) => pkg.package_id === package_id) }
    const fits = looks(taking, [forParty], calendar, now).some(({ reasons, within }) => within && reasons.size === 0)
    say("no options: next date for the party", fits, `${forParty} ${asked}`)
  }
  const last = textAt(answer, "last_bookable_date")
  if (last !== undefined) compare("no options: last date", last, dayAfter(today, venue.playroom.max_advance_days))
  const largest = numberAt(answer, "party_limits", "max_children")
  if (largest !== undefined) {
    // Of the packages that are too small for the party, or if none is, of those that it is too small for.
    const { adults, children } = party
    const mostOf = (pkg: Package) => Math.min(pkg.max_children, venue.playroom.capacity)
    const refuses = {
      party_too_large: (pkg: Package) =>
        children >= pkg.min_children && (children > mostOf(pkg) || adults > (pkg.max_adults ?? Infinity)),
      party_too_small: (pkg: Package) => children < pkg.min_children
    }
    const reasons = [textAt(answer, "none_because"), ...listAt(answer, "also_because").map((one) => textAt(one))]
    const because = reasons.includes("party_too_large") ? "party_too_large" : "party_too_small"
    compare("no options: largest party", largest, Math.max(...question.packages.filter(refuses[because]).map(mostOf)))
  }
  const open = textAt(answer, "opening_hours_that_day", "date")
  if (open !== undefined) {
    const hours = listAt(answer, "opening_hours_that_day", "hours").map(
      (one) => `${textAt(one, "opens")} to ${textAt(one, "closes")}`
    )
    const own = hoursOf(venue, open).map(({ closes, opens }) => `${opens} to ${closes}`)
    compare("no options: hours of that day", hours.join(), own.join())
  }
}

/** Everything that is said of the times that were asked for. */
export const optionStatements = Effect.fn("optionStatements")(function* (
  verdicts: Verdicts,
  venue: Venue,
  input: Input,
  answer: unknown,
  now: number
) {
  const date = textAt(input, "date")
  // Another page is of the same days, whose first page was looked at.
  if (date === undefined || textAt(input, "cursor") !== undefined) return
  const [package_id, mode] = [textAt(input, "package_id"), textAt(input, "mode")]
  const question: Question = {
    venue,
    packages: venue.packages.filter(
      (pkg) => (package_id === undefined || pkg.package_id === package_id) && (mode === undefined || pkg.mode === mode)
    ),
    party: {
      children: countAt(input, "children") ?? 0,
      adults: countAt(input, "adults") ?? 0,
      add_ons: [],
      // Of the codes that people write here, those that are right.
      ...(/^play-?2026$/i.test(textAt(input, "code") ?? "") ? { code: knownCode } : {})
    },
    start_after: textAt(input, "start_after"),
    end_before: textAt(input, "end_before"),
    weekdays: listAt(input, "weekdays")
  }
  const calendar = yield* Effect.orDie(readCalendar(venue, now))
  const options = listAt(answer, "options")
  // A page of many says the same thing of each.
  for (const option of options.slice(0, 3)) ofOne(verdicts, answer, option, question, calendar, now)
  if (options.length > 0) return
  // Days of the week without an end are those of the longest range.
  const last = textAt(input, "date_to") ?? (listAt(input, "weekdays").length === 0 ? date : dayAfter(date, 31))
  ofNone(verdicts, answer, question, datesBetween(date, last), calendar, now)
})
