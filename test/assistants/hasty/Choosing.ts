/** Choosing a time: from a playroom and a wish to an option, past empty answers and what the assistant got wrong. */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { isJsonObject } from "../../../src/surfaces/mcp/transport/JsonRpc.ts"
import { clockOf, dayAfter, weekdayOf } from "../../support/oracle/Clock.ts"
import { at } from "../../support/Assistant.ts"
import { acts, fieldsOf, type Input } from "./Habits.ts"
import { listAt, numberAt, textAt } from "./Reading.ts"
import { ask, asks, get, Stuck, type Talk, tell } from "./Talk.ts"
import { type Visit, type Wish, wrongIn } from "./Wishes.ts"

/** What the assistant asks of a playroom, as it understood the person. */
interface Asked {
  readonly children: number
  readonly adults: Input
  readonly first: string
  readonly last: string
  readonly times: Input
  readonly package_id?: string
}

/** What every option of a package has in common, where the page tells it once. */
export const withPackage = (page: unknown, option: unknown): unknown => {
  const pkg = listAt(page, "packages").find((one) => textAt(one, "package_id") === textAt(option, "package_id"))
  return isJsonObject(pkg) && isJsonObject(option) ? { ...pkg, ...option } : option
}

/** What an option is, by its fields. */
const visitOf = (option: unknown): Visit => {
  const start = textAt(option, "start") ?? ""
  const [mode, total] = [textAt(option, "mode"), numberAt(option, "price", "total")]
  return {
    date: start.slice(0, 10),
    weekday: weekdayOf(start.slice(0, 10)),
    minutes: clockOf(start.slice(11, 16)),
    ends: clockOf((textAt(option, "end") ?? "").slice(11, 16)),
    ...(mode === undefined ? {} : { mode }),
    ...(total === undefined ? {} : { total })
  }
}

/** The wish as the assistant knows it. */
const known = ({ knows, wish }: Talk): Wish => {
  const { times, ...rest } = wish
  return times === undefined || !knows.time ? rest : wish
}

const isOneDay = ({ first, last }: Asked): boolean => first === last

/** The days that the assistant asks for: the person's, or what it makes of "a Saturday in December". */
const understood = (talk: Talk): Asked => {
  const wish = known(talk)
  const { children, first, times = {} } = wish
  const last = wish.last > dayAfter(first, 31) ? dayAfter(first, 31) : wish.last
  const counts = talk.knows.adults && wish.adults > 0 && !acts(talk, "adults_left_out")
  const adults = counts ? { adults: wish.adults } : {}
  const [weekday] = wish.weekdays?.length === 1 ? wish.weekdays : []
  if (weekday === undefined || !acts(talk, "weekday_wrong")) return { children, adults, first, last, times }
  const right =
    Array.from({ length: 7 }, (_, i) => dayAfter(first, i)).find((day) => weekdayOf(day) === weekday) ?? first
  const wrong =
    first === wish.last || talk.chance.once(4) ? dayAfter(right, 31) : dayAfter(right, talk.chance.one([-1, 1]))
  return { children, adults, first: wrong, last: wrong, times }
}

/** Whether the days that are asked for are none that the person wants. */
const isMistaken = ({ habits, wish }: Talk, asked: Asked): boolean =>
  asked.first < wish.first ||
  asked.last > dayAfter(wish.last, wish.grace) ||
  (habits.has("weekday_wrong") && isOneDay(asked) && wish.weekdays?.includes(weekdayOf(asked.first)) === false)

const optionsInput = (talk: Talk, playroom_id: string, asked: Asked, ignoresMode: boolean): Input => {
  const { wish } = talk
  const fields = fieldsOf("get_booking_options")
  return {
    playroom_id,
    date: asked.first,
    children: asked.children,
    ...asked.adults,
    ...(isOneDay(asked) ? {} : { date_to: asked.last }),
    ...(asked.package_id === undefined ? {} : { package_id: asked.package_id }),
    ...(asked.package_id === undefined && !ignoresMode && "mode" in fields ? { mode: wish.mode } : {}),
    ...(wish.weekdays !== undefined && wish.weekdays.length < 7 && !isOneDay(asked) ? { weekdays: wish.weekdays } : {}),
    ...(wish.goal === "cheapest_weekday" ? { limit: 100 } : {}),
    ...(wish.code === undefined ? {} : { code: wish.code }),
    ...asked.times
  }
}

/** The package of the wish's kind, as the playroom tells it; undefined where it has none. */
const packageWanted = Effect.fnUntraced(function* (talk: Talk, playroom_id: string, children: number) {
  const { playroom } = yield* get(talk, "get_playroom", { playroom_id })
  const wanted = listAt(playroom, "packages").filter((one) => textAt(one, "mode") === talk.wish.mode)
  const fitting = wanted.find(
    (one) => (numberAt(one, "min_children") ?? 0) <= children && children <= (numberAt(one, "max_children") ?? 0)
  )
  return textAt(fitting ?? wanted[0], "package_id")
})

/** Where an empty answer leads; undefined where it leads nowhere. */
const afterNone = (talk: Talk, answer: unknown, asked: Asked): Asked | undefined => {
  const { wish } = talk
  const why = textAt(answer, "none_because")
  const next = textAt(answer, "next_available_date")
  const limit = dayAfter(wish.last, wish.grace)
  if (why === "in_the_past" && (asked.first !== wish.first || asked.last !== wish.last))
    return { ...asked, first: wish.first, last: wish.last }
  const ofParty = why === "party_too_large" || why === "party_too_small"
  if (ofParty && wish.fewer !== undefined && asked.children !== wish.fewer) return { ...asked, children: wish.fewer }
  const party = textAt(answer, "next_date_for_party", "date")
  const last = textAt(answer, "last_bookable_date")
  const date = next ?? party ?? (why === "too_far_ahead" ? last : undefined)
  if (date === undefined || date < wish.first || date > limit) return undefined
  return date === asked.first ? undefined : { ...asked, first: date, last: date }
}

/** An option as the assistant tells it, in the words that it has. */
export const optionInWords = (option: unknown, children: number, adults = 0): string =>
  [
    textAt(option, "when") ?? `from ${textAt(option, "start")}`,
    textAt(option, "mode"),
    textAt(option, "package_name") ?? textAt(option, "name"),
    `${children} children${adults === 0 ? "" : ` and ${adults} adults`}`,
    `in all ${textAt(option, "price", "display_total") ?? "?"}`
  ]
    .filter((part) => part !== undefined)
    .join(", ")

/** The option that the assistant takes of a page; undefined where it sees none. */
const taken = (talk: Talk, options: ReadonlyArray<unknown>): unknown => {
  const wish = known(talk)
  if (wish.goal === "cheapest_weekday")
    return options
      .filter((one) => wrongIn(wish, visitOf(one)) === undefined)
      .toSorted((a, b) => (numberAt(a, "price", "total") ?? 0) - (numberAt(b, "price", "total") ?? 0))[0]
  return acts(talk, "first_option") ? options[0] : options.find((one) => wrongIn(wish, visitOf(one)) === undefined)
}

/** An option that the person takes, or was not asked about; undefined where this playroom has none for them. */
export const chosen = Effect.fn("chosen")(function* (talk: Talk, playroom_id: string, entry: unknown) {
  const { wish } = talk
  const ignoresMode = () => acts(talk, "mode_ignored")
  let asked = understood(talk)
  // A search by price says which day has it.
  const cheapest = wish.goal === "cheapest_weekday" ? textAt(entry, "next_start")?.slice(0, 10) : undefined
  if (cheapest !== undefined && cheapest >= wish.first && cheapest <= wish.last)
    asked = { ...asked, first: cheapest, last: cheapest }
  let cursor: string | undefined
  let waited = false
  for (let tries = 0; tries < 12; tries++) {
    const meant = optionsInput(talk, playroom_id, asked, ignoresMode())
    const { answer } = yield* ask(talk, "get_booking_options", cursor === undefined ? meant : { ...meant, cursor })
    if (answer.kind === "fault") return yield* new Stuck({ why: `options: ${answer.fault.code} ${answer.fault.fix}` })
    if (wish.code !== undefined) talk.said.push(textAt(answer.result, "ask") ?? "")
    if (asks(talk, answer.result)) {
      asked = { ...understood(talk), children: asked.children }
      cursor = undefined
      continue
    }
    const options = listAt(answer.result, "options").map((option) => withPackage(answer.result, option))
    const option = taken(talk, options)
    if (option !== undefined) {
      if (acts(talk, "option_untold")) return { option, children: asked.children }
      const { result } = answer
      const party = [numberAt(result, "children") ?? asked.children, numberAt(result, "adults") ?? 0] as const
      const objection = tell(talk, optionInWords(option, ...party))
      if (objection === undefined) return { option, children: asked.children }
      asked = { ...understood(talk), children: asked.children }
      cursor = undefined
      continue
    }
    if (options.length > 0) {
      const next = textAt(answer.result, "next_cursor")
      if (isMistaken(talk, asked)) {
        // None of that day is what the person wants: they hear which day it is.
        talk.habits.delete("weekday_wrong")
        asked = { ...understood(talk), children: asked.children }
        cursor = undefined
      } else if (asked.package_id === undefined) {
        const package_id = yield* packageWanted(talk, playroom_id, asked.children)
        if (package_id === undefined) return undefined
        asked = { ...asked, package_id }
        cursor = undefined
      } else if (next !== undefined) cursor = next
      else if (wish.grace > 0 && asked.last < dayAfter(wish.last, wish.grace)) {
        const day = dayAfter(asked.last, 1)
        asked = { ...asked, first: day, last: day }
      } else return undefined
      continue
    }
    cursor = undefined
    if (at(answer.result, "held_by_you") === true && !waited) {
      // Its own hold is in the way, and lapses.
      waited = true
      yield* TestClock.adjust("40 minutes")
      continue
    }
    const [wait] = wish.goal === "waiting_list" ? listAt(answer.result, "waiting_list") : []
    if (wait !== undefined) talk.said.push(`${textAt(wait, "when")}: the waiting list is at ${textAt(wait, "url")}`)
    const next = afterNone(talk, answer.result, asked)
    const why = textAt(answer.result, "none_because")
    if (next !== undefined) asked = next
    else if (isMistaken(talk, asked)) {
      // The person hears which day was asked for, or on which days it is sold.
      talk.habits.delete("weekday_wrong")
      asked = understood(talk)
    } else {
      tell(talk, `There is none: ${why}`)
      if (why !== undefined) talk.end.honest = `none because ${why}`
      return undefined
    }
  }
  return undefined
})
