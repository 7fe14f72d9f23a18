/**
 * A hasty assistant with a person's wish: it calls the tools and goes on by what their answers say alone. Where the person has to
 * decide, the wish decides.
 */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { at } from "../../support/Assistant.ts"
import { agrees, type Asked, chosen } from "./Choosing.ts"
import { found } from "./Finding.ts"
import { type Input, otherCase } from "./Habits.ts"
import { balancePaid, paid } from "./Paying.ts"
import { listAt, textAt } from "./Reading.ts"
import { ask, get, send, Stuck, type Talk } from "./Talk.ts"
import { say } from "./World.ts"

interface Choice {
  readonly option: unknown
  readonly asked: Asked
}

/** Longer than a hold that nobody pays for. */
const tooLong = "16 minutes"
const mostChoices = 4

const inputFor = ({ chance, wish }: Talk, { asked, option }: Choice, n: number, life: number): Input => {
  const kind = chance.below(3)
  const { email, name } = wish
  return {
    option_id: textAt(option, "option_id"),
    contact: { name, email: n > 0 && chance.once(2) ? otherCase(email) : email },
    ...(wish.ages === undefined ? {} : { child_ages: wish.ages.slice(0, asked.children) }),
    ...(kind === 0 ? {} : { idempotency_key: `${kind === 1 ? 1 : n} of ${life}` })
  }
}

/**
 * Books, as often as it occurs to the assistant: with a key, without, with another, with the address in another case. What it is
 * offered instead it books, whatever it has booked before. Undefined where it is told to ask for times again.
 */
const booked = Effect.fnUntraced(function* (talk: Talk, first: Choice, life: number) {
  let choice = first
  let answer: Input | undefined
  const times = talk.chance.once(2) ? 1 : 2 + talk.chance.below(3)
  for (let n = 0; n < times || (answer === undefined && n < times + 1); n++) {
    const meant = inputFor(talk, choice, n, life)
    // Long ids lose their ends now and then.
    const cut = n === 0 && talk.chance.once(15) ? { ...meant, option_id: String(meant.option_id).slice(0, -2) } : meant
    const { answer: told } = yield* ask(talk, "create_booking", cut)
    if (told.kind === "result") {
      answer = told.result
      continue
    }
    const { code, details, fix, message } = told.fault
    const others = [at(details, "option"), ...listAt(details, "alternatives")]
    const option = others.find((one) => agrees(talk, one, choice.asked))
    if (option !== undefined) choice = { asked: choice.asked, option }
    else if (answer === undefined) {
      const again = others.some((one) => one !== undefined) || fix.includes("get_booking_options")
      return again ? undefined : yield* new Stuck({ why: `create_booking: ${code}: ${message} ${fix}` })
    }
  }
  return answer
})

/** Somebody else books the very same option, now and then. */
const rival = Effect.fnUntraced(function* ({ chance, rivalKey, url }: Talk, { option }: Choice) {
  if (!chance.once(12)) return
  const contact = { name: "Rival", email: "rival@example.com" }
  yield* say(url, rivalKey, "create_booking", { option_id: textAt(option, "option_id"), contact })
})

/** From a playroom to a booking that is paid for; undefined where the playroom has nothing for the person. */
const visit = Effect.fnUntraced(function* (talk: Talk, playroom_id: string) {
  for (let life = 0; life < mostChoices; life++) {
    const choice = yield* chosen(talk, playroom_id)
    if (choice === undefined) return undefined
    if (life === 0) yield* rival(talk, choice)
    const told = yield* booked(talk, choice, life)
    if (told === undefined) continue
    const booking_id = textAt(told, "booking", "booking_id")
    if (textAt(told, "booking", "status") !== "held") return yield* get(talk, "get_booking", { booking_id })
    if (talk.chance.once(8)) yield* send(talk, "create_payment_session", { booking_id, purpose: "balance" })
    if (life === 0 && talk.chance.once(12)) yield* TestClock.adjust(tooLong)
    const done = yield* paid(talk, booking_id, {})
    if (done !== undefined) return done
  }
  return yield* new Stuck({ why: `${mostChoices} times chosen, and nothing booked` })
})

/** A whole conversation, from the first search to what was paid. Fails where no answer leads on. */
export const conversation = Effect.fn("conversation")(function* (talk: Talk) {
  if (talk.chance.once(20)) yield* send(talk, "find_playrooms", { city: talk.wish.city })
  for (const { name, playroom_id } of yield* found(talk)) {
    if (name !== undefined) talk.names.playroom = name
    const told = yield* visit(talk, playroom_id)
    if (told === undefined) continue
    const booking_id = textAt(told, "booking", "booking_id")
    if (talk.chance.once(10)) yield* send(talk, "cancel_booking", { booking_id })
    if (talk.wish.balance) yield* balancePaid(talk, told)
    return
  }
  return yield* new Stuck({ why: "no playroom that was found has anything for the person" })
})
