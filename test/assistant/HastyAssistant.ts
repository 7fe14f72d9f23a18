/**
 * A hasty assistant with a person's wish: it calls the six tools and goes on by what their answers say alone. Where the person has to
 * decide, the wish decides.
 */
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { isJsonObject } from "../../src/mcp/ToolList.ts"
import { at } from "../support/Assistant.ts"
import { dayAfter, weekdayOf } from "../support/oracle/Clock.ts"
import { ScriptedGateway } from "../support/ScriptedGateway.ts"
import { found } from "./Finding.ts"
import { fieldsOf, type Input, otherCase } from "./Habits.ts"
import { listAt, numberAt, textAt } from "./Reading.ts"
import { ask, get, send, Stuck, type Talk } from "./Talk.ts"

interface Asked {
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
const agrees = ({ wish }: Talk, option: unknown, { children, first }: Asked): boolean => {
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
  if (why === "outside_your_times" && Object.keys(asked.times).length > 0) return { ...asked, times: {} }
  const party = textAt(answer, "next_date_for_party", "date")
  const last = textAt(answer, "last_bookable_date")
  const date = next ?? party ?? (why === "too_far_ahead" ? last : undefined)
  if (date === undefined || date < wish.first || date > limit) return undefined
  return date === asked.first ? undefined : { ...asked, first: date, last: date }
}

/** An option of a playroom that the person takes; undefined where this playroom has none for them. */
const chosen = Effect.fnUntraced(function* (talk: Talk, playroom_id: string) {
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

const contactOf = ({ wish }: Talk) => ({ name: wish.name, email: wish.email })

/** Books, as often as it occurs to the assistant: with a key, without, with another, with the address in another case. */
const booked = Effect.fnUntraced(function* (talk: Talk, option: unknown, asked: Asked) {
  const { chance, wish } = talk
  let option_id = textAt(option, "option_id")
  let answer: unknown
  let times = chance.once(2) ? 1 : 2 + chance.below(3)
  const contact = contactOf(talk)
  for (let n = 0; n < times; n++) {
    const kind = chance.below(3)
    const meant: Input = {
      option_id,
      contact: n > 0 && chance.once(2) ? { ...contact, email: otherCase(contact.email) } : contact,
      ...(wish.ages === undefined ? {} : { child_ages: wish.ages.slice(0, asked.children) }),
      ...(kind === 0 ? {} : { idempotency_key: kind === 1 ? "1" : `k${n}` })
    }
    const { answer: told } = yield* ask(talk, "create_booking", meant)
    if (told.kind === "result") {
      answer = told.result
      continue
    }
    const { details, fix } = told.fault
    const other = [at(details, "option"), ...listAt(details, "alternatives")].find((one) => agrees(talk, one, asked))
    // What it is offered instead it books, whatever it has booked before.
    if (other !== undefined) {
      option_id = textAt(other, "option_id")
      if (answer === undefined && n === times - 1) times++
      continue
    }
    if (answer === undefined)
      return yield* new Stuck({ why: `create_booking: ${told.fault.code}: ${told.fault.message} ${fix}` })
  }
  return answer ?? (yield* new Stuck({ why: "create_booking: only alternatives" }))
})

/** The person pays on the page at an address. */
const pay = Effect.fnUntraced(function* (url: string | undefined) {
  const session = url?.split("/").at(-1)
  if (session === undefined) return yield* new Stuck({ why: "no address to pay at" })
  yield* ScriptedGateway.use(({ act }) => Effect.sync(() => act(session, "pay")))
})

const bookingAgain = Effect.fnUntraced(function* (talk: Talk, booking_id: string | undefined) {
  return yield* get(talk, "get_booking", { booking_id })
})

const paid = Effect.fnUntraced(function* (talk: Talk, booking_id: string | undefined, purpose: Input) {
  const { payment_session } = yield* get(talk, "create_payment_session", { booking_id, ...purpose })
  if (talk.chance.once(3))
    yield* get(talk, "create_payment_session", { booking_id, ...purpose, idempotency_key: "again" })
  yield* pay(textAt(payment_session, "url"))
  return yield* bookingAgain(talk, booking_id)
})

/** The balance, as the booking says how and from when. */
const balancePaid = Effect.fnUntraced(function* (talk: Talk, told: unknown) {
  const balance = at(told, "booking", "balance")
  const words = `${textAt(told, "next_step") ?? ""} ${textAt(balance, "how") ?? ""}`
  const owed = numberAt(balance, "amount", "amount") ?? numberAt(told, "booking", "price", "balance_due")
  if (owed === undefined) return yield* new Stuck({ why: `no balance told: ${words}` })
  const from = textAt(balance, "from")
  const now = yield* Clock.currentTimeMillis
  if (from !== undefined && Date.parse(from) > now) yield* TestClock.setTime(Date.parse(from))
  return yield* paid(talk, textAt(told, "booking", "booking_id"), { purpose: "balance" })
})

/** A whole conversation, from the first search to what was paid. Fails where no answer leads on. */
export const conversation = Effect.fn("conversation")(function* (talk: Talk) {
  if (talk.chance.once(20)) yield* send(talk, "find_playrooms", { city: talk.wish.city })
  const candidates = yield* found(talk)
  for (const { name, playroom_id } of candidates) {
    if (name !== undefined) talk.names.playroom = name
    const choice = yield* chosen(talk, playroom_id)
    if (choice === undefined) continue
    let told: unknown = yield* booked(talk, choice.option, choice.asked)
    const booking_id = textAt(told, "booking", "booking_id")
    const hurried = talk.chance.once(6) && talk.wish.balance === undefined
    if (hurried) yield* send(talk, "create_payment_session", { booking_id, purpose: "balance" })
    if (textAt(told, "booking", "status") === "held") told = yield* paid(talk, booking_id, {})
    else told = yield* bookingAgain(talk, booking_id)
    if (talk.chance.once(10)) yield* send(talk, "cancel_booking", { booking_id })
    if (talk.wish.balance) told = yield* balancePaid(talk, told)
    return
  }
  return yield* new Stuck({ why: "no playroom that was found has anything for the person" })
})
