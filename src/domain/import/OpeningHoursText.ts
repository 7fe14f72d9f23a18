/** Hours of a week as one readable text: `mon-fri 09:00-18:00; sat 10:00-14:00, 15:00-20:00`. Other days are closed. */
import { Result, Schema } from "effect"
import { ClosingTime, type Weekday, weekdays, isClockTime } from "../../platform/time/LocalTime.ts"
import type { Playroom } from "../catalogue/Playroom.ts"
import { itemsIn } from "../../platform/text/Text.ts"

type OpeningHours = Playroom["opening_hours"]

const short = (weekday: Weekday): string => weekday.slice(0, 3)

/** Consecutive days as `mon-fri`, others separated by spaces. */
const daysText = (days: ReadonlyArray<number>): string => {
  const runs: Array<[first: number, last: number]> = []
  for (const day of days) {
    const run = runs.at(-1)
    if (run !== undefined && run[1] === day - 1) run[1] = day
    else runs.push([day, day])
  }
  const name = (day: number): string => short(weekdays[day] ?? "monday")
  return runs.map(([first, last]) => (first === last ? name(first) : `${name(first)}-${name(last)}`)).join(" ")
}

export const openingHoursText = (hours: OpeningHours): string => {
  const ofDay = weekdays.map((weekday) =>
    hours
      .filter((interval) => interval.weekday === weekday)
      .map(({ opens, closes }) => `${opens}-${closes}`)
      .sort()
      .join(", ")
  )
  return [...new Set(ofDay)]
    .filter((times) => times !== "")
    .map((times) => `${daysText(ofDay.flatMap((its, day) => (its === times ? [day] : [])))} ${times}`)
    .join("; ")
}

const example = 'like "mon-fri 09:00-18:00; sat 10:00-16:00"'
const isClosing = Schema.is(ClosingTime)

const dayAt = (name: string): number =>
  weekdays.findIndex((weekday) => name.length >= 3 && weekday.startsWith(name.toLowerCase()))

/** The weekdays in a text like `mon-fri`, `fri-mon` or `sat`; undefined if it is invalid. */
const daysIn = (text: string): ReadonlyArray<Weekday> | undefined => {
  const [first = "", last = first, more] = text.split("-")
  const [from, to] = [dayAt(first), dayAt(last)]
  if (from < 0 || to < 0 || more !== undefined) return undefined
  const length = ((to - from + weekdays.length) % weekdays.length) + 1
  return Array.from({ length }, (_, i) => weekdays[(from + i) % weekdays.length] ?? "monday")
}

/**
 * The inverse. The failure says what is expected. Weekdays may be written out. Commas separate intervals of one day.
 */
export const openingHoursFrom = (text: string): Result.Result<OpeningHours, string> => {
  const hours: Array<OpeningHours[number]> = []
  for (const part of itemsIn(text, ";")) {
    const [, names = "", times = ""] = /^([a-z\s,-]*[a-z])\s+(\d.*)$/i.exec(part) ?? []
    const days = names.split(/[\s,]+/).map(daysIn)
    if (names === "" || days.includes(undefined))
      return Result.fail(`Expected weekdays and times, ${example}, and not "${part}"`)
    for (const interval of times.split(",").map((it) => it.trim())) {
      const [opens = "", closes = "", more] = interval.split("-").map((it) => it.trim())
      if (!isClockTime(opens) || !isClosing(closes) || more !== undefined)
        return Result.fail(`Expected times ${example}, and not "${interval}"`)
      for (const weekday of days.flatMap((it) => it ?? [])) hours.push({ weekday, opens, closes })
    }
  }
  return Result.succeed(
    hours.sort((a, b) => weekdays.indexOf(a.weekday) - weekdays.indexOf(b.weekday) || (a.opens < b.opens ? -1 : 1))
  )
}

/** Weekdays like `mon-fri; sun`, in the week's order. */
export const weekdaysFrom = (text: string): Result.Result<ReadonlyArray<Weekday>, string> => {
  const days = itemsIn(text, /[\s,;]+/).map(daysIn)
  return days.includes(undefined)
    ? Result.fail(`Expected weekdays like "mon-fri" or "sat; sun", and not "${text}"`)
    : Result.succeed(weekdays.filter((weekday) => days.some((its) => its?.includes(weekday))))
}
