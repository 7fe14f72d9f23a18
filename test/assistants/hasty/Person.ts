/**
 * The person beside the assistant. They know what they want, read what they are told, and object where a sentence shows
 * that it is something else. What no sentence shows, they can't know.
 */
import type { Venue } from "../../../src/domain/catalogue/Playroom.ts"
import { amountIn } from "./Amounts.ts"
import { numberAt } from "./Reading.ts"
import { type Visit, type Wish, wrongIn, type Wrong } from "./Wishes.ts"

export const monthNames = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ")

/** A weekday, a date and a time in words, with the end of the visit where it has one. */
export const inWords =
  /\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]* (\d{1,2}) ([A-Z][a-z]{2})[a-z]* (\d{4}), (\d\d:\d\d)(?:–(\d\d:\d\d))?/g

export const dateIn = (day = "", month = "", year = ""): string =>
  `${year}-${String(monthNames.indexOf(month) + 1).padStart(2, "0")}-${day.padStart(2, "0")}`

const weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
const minutesOf = (clock: string): number => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3, 5))

/** Other bookings of the person, which a text lists beside the one that it is about. */
const alsoBooked = /This e-mail address also has[^.]*/

/** What a text says of the visit. `page`: a payment page, which names the start alone. */
export const visitIn = (told: string, venues: ReadonlyArray<Venue>, page = false): Visit => {
  const text = told.replace(alsoBooked, "")
  const said =
    /^Which start on ([A-Z][a-z]+) (\d+) ([A-Z][a-z]+) (\d{4})\?$/.exec(text) ??
    [...text.matchAll(inWords)].find((match) => page || match[6] !== undefined)
  const stamp = /\bfrom (\d{4}-\d\d-\d\d)T(\d\d:\d\d)/.exec(text)
  const weekday = weekdays.find((name) => name.startsWith((said?.[1] ?? "-").toLowerCase()))
  const date = said === undefined ? stamp?.[1] : dateIn(said[2], said[3], said[4])
  const clock = said?.[5] ?? stamp?.[2]
  const mode = /whole room|\bexclusive\b/.test(text)
    ? "exclusive"
    : /places in open play|beside other families|\bshared\b/.test(text)
      ? "shared"
      : undefined
  const children = /\b(\d+) child(?:ren)?\b/.exec(text)?.[1]
  const adults = /\bno adults\b/.test(text) ? "0" : /\b(\d+) adults?\b/.exec(text)?.[1]
  const place = venues.find(({ playroom }) => text.includes(playroom.name))
  const due = amountIn(/(\S*\d\S*) (?:is due now|to pay\b)/.exec(text)?.[1] ?? "")
  const total = amountIn(/\bin all (.*)/.exec(text)?.[1] ?? "")
  return {
    ...(weekday === undefined ? {} : { weekday }),
    ...(date === undefined ? {} : { date }),
    ...(clock === undefined ? {} : { minutes: minutesOf(clock) }),
    ...(said?.[6] === undefined ? {} : { ends: minutesOf(said[6]) }),
    ...(mode === undefined ? {} : { mode }),
    ...(children === undefined ? {} : { children: Number(children) }),
    ...(adults === undefined ? {} : { adults: Number(adults) }),
    ...(place === undefined ? {} : { place }),
    ...(total === undefined ? {} : { total }),
    ...(due === undefined ? {} : { due })
  }
}

/** Whether a text lists other bookings of the person at all. */
export const tellsOfOthers = (told: string): boolean => alsoBooked.test(told)

/** Whether a text lists a booking that is paid already, besides the one that it is about. */
export const tellsOfPaid = (told: string): boolean => /\(confirmed\)/.test(alsoBooked.exec(told)?.[0] ?? "")

/** Whether a text says that somebody else who gave the same e-mail address has a booking there that day. */
export const tellsOfSameVisit = (told: string): boolean => /under another name at this playroom on this day/.test(told)

/** What the person finds wrong in a text. */
export const objectionTo = (
  wish: Wish,
  told: string,
  venues: ReadonlyArray<Venue>,
  page = false
): Wrong | undefined => {
  const wrong = wrongIn(wish, visitIn(told, venues, page))
  if (wrong !== undefined) return wrong
  const budget = amountIn(/\bbudget is at most (.*)/.exec(told)?.[1] ?? "")
  const asked = wish.budget?.amount ?? numberAt(wish.search, "max_total", "amount")
  if (budget !== undefined && asked !== undefined && budget !== asked) return "price"
  if (wish.need !== undefined && /\bnot found: [^.]/.test(told)) return "need"
  return undefined
}
