/**
 * A hasty assistant's conversation: from the first search to what the person wanted, or to being told that it can't be
 * had.
 */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Bookings } from "../../../src/domain/booking/Bookings.ts"
import { VisitOffers } from "../../../src/domain/payment/changes/VisitChanges.ts"
import { BookingId } from "../../../src/platform/ids/Ids.ts"
import { cancelAsFamily, cancelAsOperator, previewAsFamily } from "../../support/Acts.ts"
import { at } from "../../support/Assistant.ts"
import type { Venue } from "../../../src/domain/catalogue/Playroom.ts"
import { clockOf } from "../../support/oracle/Clock.ts"
import { furtherOffered, startsOffered } from "./BookingStatements.ts"
import { chosen, optionInWords, withPackage } from "./Choosing.ts"
import { type Candidate, found } from "./Finding.ts"
import { acts, type Input, skimmed } from "./Habits.ts"
import { moneyNotes } from "./Languages.ts"
import { balancePaid, onThePage, paid, tellNext } from "./Paying.ts"
import { listAt, numberAt, textAt } from "./Reading.ts"
import { answerTo, ask, committed, get, type Objection, send, Stuck, type Talk, tell } from "./Talk.ts"
import { onTheWall } from "./Truth.ts"
import type { Goal, Wish } from "./Wishes.ts"
import { knownCode, say } from "./World.ts"

/** What the person asks for that no tool does: as a field, or in a note, of money in their own words. */
const extras: Partial<Record<Goal, readonly [field: Input, note?: string]>> = {
  discount_code: [{ discount_code: "PLAY10" }],
  invoice: [{ invoice_to: "Lima Ltd" }],
  cash: [{ payment_method: "cash" }],
  pay_tomorrow: [{ pay_by: "tomorrow" }],
  bank_transfer: [{ payment_method: "bank_transfer" }],
  gift: [{ voucher: "GIFT-2026" }],
  series: [{ repeat: "weekly" }, "The same every week for a month"],
  waiting_list: [{ waiting_list: true }, "Put us on the waiting list for that day"]
}
const allergy = "One child is allergic to peanuts"

const bookingInput = (talk: Talk, option: unknown, round: number): Input => {
  const { chance, wish } = talk
  const invents = acts(talk, "contact_invented") && !["find_again", "second_parent"].includes(wish.goal)
  const [field, words] = wish.goal === "allergy_note" ? [undefined, allergy] : (extras[wish.goal] ?? [])
  const note = words ?? moneyNotes[wish.goal]?.[wish.language]
  const asField = field !== undefined && chance.once(2)
  const asked = listAt(option, "asks").flatMap((one) => (typeof one === "string" ? [one.split(":")[0] ?? ""] : []))
  return {
    option_id: textAt(option, "option_id"),
    contact: {
      name: wish.name,
      email: invents ? `guest.${wish.email}` : wish.email,
      ...(invents ? { phone: "+44 20 7946 0000" } : {})
    },
    ...(wish.ages === undefined ? {} : { child_ages: wish.ages }),
    ...(asked.length === 0 ? {} : { answers: asked.map((slug) => answerTo(talk, slug)) }),
    ...(note !== undefined && !asField ? { notes: note } : chance.once(2) ? { notes: wish.notes } : {}),
    ...(asField ? field : {}),
    ...(chance.once(3) ? {} : { idempotency_key: `${wish.email} ${round}` })
  }
}

/** Somebody else books the very same option, now and then. */
const rival = Effect.fnUntraced(function* ({ chance, rivalKey, url }: Talk, option: unknown) {
  if (!chance.once(15)) return
  const contact = { name: "Rival", email: "rival@example.com" }
  yield* say(url, rivalKey, "create_booking", { option_id: textAt(option, "option_id"), contact })
})

type Held = { readonly booking_id: string; readonly objection: Objection | undefined; readonly free: boolean }

/** Books an option, or what is offered instead of it. Undefined: the times are to be asked for again. */
const held = Effect.fnUntraced(function* (talk: Talk, first: unknown, children: number, round: number) {
  let option = first
  for (let tries = 0; tries < 4; tries++) {
    const { answer } = yield* ask(talk, "create_booking", bookingInput(talk, option, round * 10 + tries))
    if (answer.kind === "result") {
      const { booking } = answer.result
      const booking_id = textAt(booking, "booking_id") ?? ""
      talk.said.push(
        `${textAt(booking, "when") ?? ""}, ${textAt(booking, "mode") ?? ""}, ${textAt(booking, "playroom_name")}`
      )
      // Its key is an earlier booking's, which is over.
      if (/^(?:cancelled|expired)$/.test(textAt(booking, "status") ?? "")) continue
      const money = moneyNotes[talk.wish.goal]?.[talk.wish.language]
      if (money !== undefined && textAt(booking, "notes") === money && acts(talk, "notes_promised"))
        talk.promised.push({ denied: JSON.stringify(answer.result).slice(0, skimmed).includes("Not agreed") })
      const numbers = `Booked at ${textAt(booking, "playroom_name")}: ${textAt(booking, "reference")}, ${textAt(booking, "due_now", "display")} to pay.`
      const free = textAt(booking, "status") === "confirmed"
      const objection = tellNext(talk, answer.result, numbers)
      // What costs nothing is cancelled for nothing: what the person is told of it at once comes in time.
      if (free) committed(talk)
      const made: Held = { booking_id, objection, free }
      return made
    }
    const { code, details, fix, message } = answer.fault
    if (code === "too_many_holds") {
      // Those that were not wanted lapse.
      yield* TestClock.adjust("40 minutes")
      continue
    }
    const alternatives = listAt(details, "alternatives").map((one) => withPackage(details, one))
    const offered = [at(details, "option"), ...alternatives].filter((one) => one !== undefined)
    const other = offered.find(
      (one) =>
        tell(talk, optionInWords(one, numberAt(one, "children") ?? numberAt(details, "children") ?? children)) ===
        undefined
    )
    if (other !== undefined) option = other
    else if (offered.length > 0 || fix.includes("get_booking_options")) return undefined
    else return yield* new Stuck({ why: `create_booking: ${code}: ${message} ${fix}` })
  }
  return undefined
})

/** What is not wanted lapses, or is cancelled on its page by a person who was told that it is so. */
const notWanted = Effect.fnUntraced(function* (talk: Talk, booking_id: string) {
  if (talk.shown.at(-1)?.text.includes("cancels it now") !== true) return
  const id = BookingId.make(booking_id)
  const { shown } = yield* previewAsFamily(id)
  yield* cancelAsFamily(id, shown)
  talk.trail.push("(the family cancels it on its page)")
})

/** From a playroom to a booking that is paid for; undefined where there is none, and none to be had. */
const booked = Effect.fnUntraced(function* (talk: Talk, { entry, playroom_id }: Candidate) {
  for (let round = 0; round < 6; round++) {
    talk.shown.length = 0
    talk.said.length = 0
    const choice = yield* chosen(talk, playroom_id, entry)
    if (choice === undefined) return undefined
    if (round === 0) yield* rival(talk, choice.option)
    const made = yield* held(talk, choice.option, choice.children, round)
    if (made === undefined) continue
    if (made.objection === "again") talk.end.honest = "it is booked already"
    if (made.free || made.objection === "again") return made.free ? made.booking_id : undefined
    if (made.objection !== undefined) {
      yield* notWanted(talk, made.booking_id)
      continue
    }
    if (talk.wish.goal === "gave_up") return made.booking_id
    const { after, ...before } = talk.wish
    if (after !== undefined) {
      talk.wish = { ...before, ...after }
      talk.trail.push(`(the person wants something else: ${JSON.stringify(after)})`)
      continue
    }
    // Meant to pay later, and the places are held for minutes.
    if (talk.wish.goal === "pay_tomorrow" && round === 0) yield* TestClock.adjust("3 hours")
    const came = yield* paid(talk, made.booking_id)
    if (came === "paid") return made.booking_id
    if (came === "again") {
      talk.end.honest = "it is booked already"
      return undefined
    }
  }
  return yield* new Stuck({ why: "six times chosen, and nothing booked" })
})

/** The wish for the other one of two rooms. */
const ofOther = ({ venue, ...wish }: Wish, second: Venue): Wish => ({
  ...wish,
  venue: second,
  ...(venue === undefined ? {} : { second: venue }),
  search: { query: second.playroom.name, city: second.playroom.city }
})

/** Two rooms by one call, and one payment; undefined if nothing came of it, and its holds are over. */
const bookedTogether = Effect.fnUntraced(function* (talk: Talk) {
  const { wish } = talk
  const { second } = wish
  if (second === undefined) return undefined
  const options: Array<unknown> = []
  for (const each of [wish, ofOther(wish, second)]) {
    talk.wish = each
    for (const { entry, playroom_id } of yield* found(talk)) {
      const choice = yield* chosen(talk, playroom_id, entry)
      if (choice !== undefined) options.push(choice.option)
      if (choice !== undefined) break
    }
  }
  talk.wish = wish
  const [one, other] = options
  if (one === undefined || other === undefined) return undefined
  const both = { ...bookingInput(talk, one, 500), more_option_ids: [textAt(other, "option_id")] }
  const { answer } = yield* Effect.catchIf(
    ask(talk, "create_booking", both),
    // Rooms of two businesses are two bookings, as it is told.
    ({ why }) => why.includes("book this one by a call of its own"),
    () => Effect.succeed({ answer: undefined })
  )
  if (answer?.kind === "result") {
    const { booking } = answer.result
    const booking_id = textAt(booking, "booking_id") ?? ""
    const objection = tellNext(talk, answer.result, `Both are held: ${textAt(booking, "reference")}`)
    if (objection === undefined && (yield* paid(talk, booking_id, { purpose: "order" })) === "paid") return booking_id
  }
  yield* TestClock.adjust("2 hours")
  return undefined
})

/** What is told of a booking, with the way to the people who can do more. */
const toldOf = Effect.fnUntraced(function* (talk: Talk, booking_id: string) {
  const seen = yield* get(talk, "get_booking", { booking_id })
  const page = textAt(seen, "booking", "page_url")
  tellNext(talk, seen, `Your page: ${page}. Ask: ${textAt(seen, "booking", "operator", "email")}`)
  return seen
})

/** Whether the person was told of a way on: the booking's own page, or whom to ask. */
const wayOn = (talk: Talk, seen: unknown): boolean =>
  textAt(seen, "booking", "page_url") !== undefined &&
  textAt(seen, "booking", "operator", "email") !== undefined &&
  talk.said.length > 0

/** What follows a booking; what is wrong with it in the end, undefined where the person got what they wanted. */
const followUp = Effect.fnUntraced(function* (talk: Talk, booking_id: string, candidate: Candidate) {
  const { chance, wish } = talk
  switch (wish.goal) {
    case "balance":
      return (yield* balancePaid(talk, booking_id)) === "paid" ? undefined : "the balance was not paid"
    case "cancel": {
      if (chance.once(2)) yield* send(talk, "cancel_booking", { booking_id })
      const seen = yield* toldOf(talk, booking_id)
      const promised = numberAt(seen, "booking", "refund_if_cancelled_now", "amount")
      const { refund } = yield* cancelAsOperator(BookingId.make(booking_id), { preview: false })
      yield* toldOf(talk, booking_id)
      return refund.amount === promised ? undefined : `${promised} was promised, ${refund.amount} comes back`
    }
    case "move":
    case "change_party": {
      const does = chance.below(3)
      if (does === 0) yield* send(talk, wish.goal === "move" ? "reschedule_booking" : "update_booking", { booking_id })
      if (does === 1) {
        // Takes it for a new wish; the person did not ask for a second one.
        const again = yield* chosen(talk, candidate.playroom_id, candidate.entry)
        const made = again === undefined ? undefined : yield* held(talk, again.option, again.children, 99)
        if (made !== undefined && made.objection === undefined && !made.free) yield* paid(talk, made.booking_id)
      }
      return wayOn(talk, yield* toldOf(talk, booking_id)) ? undefined : "nobody was named who can change it"
    }
    case "move_later": {
      const seen = yield* toldOf(talk, booking_id)
      const id = BookingId.make(booking_id)
      const row = yield* Bookings.use(({ get }) => get(id))
      const own = onTheWall(row.terms.time_zone, row.starts_at)
      const starts = startsOffered(textAt(seen, "next_step") ?? "")
      const start = starts.find(({ clock }) => clockOf(clock) > own.minutes)
      if (start === undefined) return wayOn(talk, seen) ? undefined : "nobody was named who can move it"
      const option_id = yield* VisitOffers.use(({ optionAt }) => optionAt(row, own.date, start.clock))
      const { booking } = yield* onThePage(talk, id, { option_id })
      const { price = row.total } = start
      return booking.total === price ? undefined : `${price} was told, and it costs ${booking.total}`
    }
    case "two_more": {
      const seen = yield* toldOf(talk, booking_id)
      const offered = furtherOffered(textAt(seen, "next_step") ?? "")
      if (offered === undefined) return wayOn(talk, seen) ? undefined : "nobody was named who can change it"
      // What the second one costs is told only where it is the same.
      const more = offered.each ? 2 : 1
      const children = wish.children + more
      const { difference } = yield* onThePage(talk, BookingId.make(booking_id), { party: { children } })
      talk.wish = { ...wish, children }
      const told = more * offered.amount
      return difference === told ? undefined : `${more} more were told to cost ${told}, and cost ${difference}`
    }
    case "cancel_and_back": {
      yield* toldOf(talk, booking_id)
      const id = BookingId.make(booking_id)
      const { shown } = yield* previewAsFamily(id)
      yield* cancelAsFamily(id, shown)
      talk.end.paid = 0
      return (yield* booked(talk, candidate)) === undefined ? "it was not booked again" : undefined
    }
    case "two_rooms": {
      const { second } = wish
      if (second === undefined) return "no second room"
      talk.wish = ofOther(wish, second)
      for (const one of yield* found(talk)) if ((yield* booked(talk, one)) !== undefined) return undefined
      return "only one of two rooms"
    }
    case "allergy_note": {
      const seen = yield* toldOf(talk, booking_id)
      if (textAt(seen, "booking", "notes") === allergy) return undefined
      // The person hears that the playroom does not know of it, and writes it on their page.
      return wayOn(talk, seen) ? undefined : "the playroom does not know of the allergy"
    }
    case "find_again": {
      const reference = textAt(yield* get(talk, "get_booking", { booking_id }), "booking", "reference")
      if (chance.once(2)) yield* send(talk, "get_booking", { contact_email: wish.email })
      const email = chance.once(2) ? wish.email.toUpperCase() : wish.email
      const seen = yield* get(talk, "get_booking", { reference: reference?.toLowerCase(), contact_email: email })
      return textAt(seen, "booking", "booking_id") === booking_id ? undefined : "it was not found again"
    }
    case "gave_up": {
      yield* TestClock.adjust("50 minutes")
      const seen = yield* toldOf(talk, booking_id)
      return textAt(seen, "booking", "status") === "held" ? "it is still held" : undefined
    }
    case "what_to_bring": {
      const { playroom } = yield* get(talk, "get_playroom", { playroom_id: candidate.playroom_id })
      return textAt(playroom, "house_rules") === undefined ? "no rules" : undefined
    }
    case "code_right": {
      const lines = listAt(yield* toldOf(talk, booking_id), "booking", "price", "lines")
      return lines.some((one) => textAt(one, "label") === `Our families (${knownCode})`)
        ? undefined
        : "the code took nothing off"
    }
    case "code_wrong":
      return talk.said.some((text) => text.startsWith("That is no code of this venue"))
        ? undefined
        : "nobody said that the code is wrong"
    case "discount_code":
    case "invoice":
    case "cash":
    case "pay_tomorrow":
    case "bank_transfer":
    case "gift":
    case "series": {
      const said = [...talk.refused, ...talk.said]
      return said.some((text) => /this service can't do it|nobody has agreed|Not agreed/.test(text))
        ? undefined
        : "nobody said that it can't be had"
    }
    default:
      return undefined
  }
})

/** A whole conversation; what is missing in the end, undefined where the booking is what the person wanted. */
export const conversation = Effect.fn("conversation")(function* (talk: Talk) {
  if (talk.wish.together === true && (yield* bookedTogether(talk)) !== undefined) return undefined
  for (const candidate of yield* found(talk)) {
    const booking_id = yield* booked(talk, candidate)
    if (booking_id !== undefined) return yield* followUp(talk, booking_id, candidate)
    if (talk.end.honest === "it is booked already") return undefined
  }
  return talk.end.honest === undefined ? "no playroom that was found has anything for the person" : undefined
})
