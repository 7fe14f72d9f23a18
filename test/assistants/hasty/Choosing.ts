/** Choosing a time: from a playroom and a wish to an option that the person takes, past empty answers and wrong days. */
import { Effect } from "effect"
import { isJsonObject } from "../../../src/mcp/transport/JsonRpc.ts"
import { dayAfter, weekdayOf } from "../../support/oracle/Clock.ts"
import { fieldsOf, type Input } from "./Habits.ts"
import { listAt, numberAt, textAt } from "./Reading.ts"
import { ask, get, Stuck, type Talk } from "./Talk.ts"

/** What is asked of a playroom. */
export interface Asked {
  readonly playroom_id: string
  readonly children: number
  readonly first: string
  readonly last: string
  readonly times: Input
  readonly package_id?: string
}

const changed = (asked: Asked, changes: Partial<Asked>): Asked => ({ ...asked, ...changes })

const dateIn = (start: string): string => start.slice(0, 10)

/** Whether the person takes an option when it is read to them. */
export const agrees = ({ wish }: Talk, option: unknown, { children, first }: Asked): boolean => {
  const date = dateIn(textAt(option, "start") ?? "")
  return (
    date >= first &&
    date >= wish.first &&
    date <= dayAfter(wish.last, wish.grace) &&
    (wish.weekday === undefined || weekdayOf(date) === wish.weekday) &&
    (textAt(option, "mode") ?? wish.mode) === wish.mode &&
    (numberAt(option, "children") ?? children) === children &&
    (wish.budget === undefined || (numberAt(option, "price", "total") ?? 0) <= wish.budget.amount)
  )
}

/** What every option of a package has in common, where the page tells it once. */
const withPackage = (page: unknown, option: unknown): unknown => {
  const pkg = listAt(page, "packages").find((one) => textAt(one, "package_id") === textAt(option, "package_id"))
  return isJsonObject(pkg) && isJsonObject(option) ? { ...pkg, ...option } : option
}

const optionsInput = (talk: Talk, asked: Asked): Input => ({
  playroom_id: asked.playroom_id,
  date: asked.first,
  children: asked.children,
  ...(asked.last === asked.first ? {} : { date_to: asked.last }),
  ...(asked.package_id === undefined ? {} : { package_id: asked.package_id }),
  ...(talk.wish.weekday !== undefined && "weekdays" in fieldsOf("get_booking_options") && asked.last !== asked.first
    ? { weekdays: [talk.wish.weekday] }
    : {}),
  ...asked.times
})

/** The package of the wish's kind, as the playroom tells it; undefined where it has none. */
const packageWanted = Effect.fnUntraced(function* (talk: Talk, playroom_id: string, children: number) {
  const { playroom } = yield* get(talk, "get_playroom", { playroom_id })
  const wanted = listAt(playroom, "packages").filter((one) => textAt(one, "mode") === talk.wish.mode)
  const fitting = wanted.find(
    (one) => (numberAt(one, "min_children") ?? 0) <= children && children <= (numberAt(one, "max_children") ?? 0)
  )
  const [first] = wanted
  const pkg = fitting ?? first
  const name = textAt(pkg, "name")
  if (name !== undefined) talk.names.package = name
  return textAt(pkg, "package_id")
})

/** Where an empty answer leads; undefined where it leads nowhere. */
const afterNone = (talk: Talk, answer: unknown, asked: Asked): Asked | undefined => {
  const { wish } = talk
  const why = textAt(answer, "none_because")
  const next = textAt(answer, "next_available_date")
  const limit = dayAfter(wish.last, wish.grace)
  if (why === "in_the_past") return { ...asked, first: wish.first, last: wish.last }
  if (
    (why === "party_too_large" || why === "party_too_small") &&
    wish.fewer !== undefined &&
    asked.children !== wish.fewer
  )
    return { ...asked, children: wish.fewer }
  const timed = Object.keys(asked.times).length > 0
  if (why === "outside_your_times" && timed) return { ...asked, times: {} }
  const party = textAt(answer, "next_date_for_party", "date")
  const open = textAt(answer, "opening_hours_that_day", "date")
  if (timed && next === undefined && party === undefined && open !== undefined && open <= limit)
    return { ...asked, first: open, last: open, times: {} }
  const last = textAt(answer, "last_bookable_date")
  const date = next ?? party ?? (why === "too_far_ahead" ? last : undefined)
  if (date === undefined || date < wish.first || date > limit) return undefined
  return date === asked.first ? undefined : { ...asked, first: date, last: date }
}

/** An option of a playroom that the person takes; undefined where this playroom has none for them. */
export const chosen = Effect.fnUntraced(function* (talk: Talk, playroom_id: string) {
  const { wish } = talk
  let asked: Asked = {
    playroom_id,
    children: wish.children,
    first: wish.first,
    last: wish.last > dayAfter(wish.first, 31) ? dayAfter(wish.first, 31) : wish.last,
    times: wish.times ?? {}
  }
  let cursor: string | undefined
  for (let tries = 0; tries < 8; tries++) {
    const meant = optionsInput(talk, asked)
    const { answer, input } = yield* ask(
      talk,
      "get_booking_options",
      cursor === undefined ? meant : { ...meant, cursor }
    )
    if (answer.kind === "fault") return yield* new Stuck({ why: `options: ${answer.fault.code} ${answer.fault.fix}` })
    const options = listAt(answer.result, "options").map((option) => withPackage(answer.result, option))
    const option = options.find((one) => agrees(talk, one, asked))
    if (option !== undefined) return { option, asked }
    // The person hears another day than they named, and says so.
    const mistaken = input.date !== meant.date
    if (mistaken && textAt(answer.result, "none_because") !== "in_the_past") continue
    if (options.length > 0) {
      const next = textAt(answer.result, "next_cursor")
      if (asked.package_id === undefined) {
        const package_id = yield* packageWanted(talk, playroom_id, asked.children)
        if (package_id === undefined) return undefined
        asked = changed(asked, { package_id })
        cursor = undefined
      } else if (next !== undefined) cursor = next
      else if (wish.grace > 0 && asked.last < dayAfter(wish.last, wish.grace)) {
        // Only the wrong times of that day: the person looks at the next days.
        const day = dayAfter(asked.last, 1)
        asked = changed(asked, { first: day, last: day })
      } else return undefined
      continue
    }
    cursor = undefined
    const next = afterNone(talk, answer.result, asked)
    if (next === undefined) return undefined
    asked = next
  }
  return undefined
})
