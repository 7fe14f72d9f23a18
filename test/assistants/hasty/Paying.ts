/**
 * Paying: the page that the person reads and pays on, in one go, at the second attempt or by a bank that takes its
 * time.
 */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { BookingId } from "../../../src/platform/ids/Ids.ts"
import { changeVisit, type VisitChange } from "../../support/Acts.ts"
import { PaymentGateway } from "../../../src/domain/payment/provider/PaymentGateway.ts"
import { type PageAction, ScriptedGateway } from "../../support/ScriptedGateway.ts"
import { actAtProvider, deliverAndApply } from "../../support/PaymentWorld.ts"
import { eventTypeOf, sessionEvent } from "../../support/providerEvents.ts"
import { acts, type Input } from "./Habits.ts"
import { numberAt, textAt } from "./Reading.ts"
import { ask, committed, get, type Objection, stepRead, Stuck, type Talk, tell } from "./Talk.ts"

/** The next step, told as it is, or passed over: then the numbers of the answer as they stand. */
export const tellNext = (talk: Talk, answer: unknown, else_: string): Objection | undefined => {
  talk.said.push(textAt(answer, "next_step") ?? "")
  return tell(talk, acts(talk, "next_step_ignored") ? else_ : stepRead(talk, answer))
}

/** The session at the provider that an address leads to. */
const sessionAt = (url: string | undefined) => {
  const provider_session_id = url?.split("/").at(-1)
  return provider_session_id === undefined
    ? new Stuck({ why: "no address to pay at" })
    : Effect.succeed({ provider_session_id })
}

/** What is paid for, as the payment page says it. */
const pageText = Effect.fnUntraced(function* (session: { readonly provider_session_id: string }) {
  const { sessionOf } = yield* ScriptedGateway
  const { account, id } = sessionOf(session)
  const { description } = yield* Effect.orDie(PaymentGateway.use((gateway) => gateway.describeSession(account, id)))
  return description ?? ""
})

/** The service is told of what was done on payment pages. */
export const deliverLate = Effect.fn("deliverLate")(function* ({ late }: Talk) {
  const { sessionOf } = yield* ScriptedGateway
  for (const one of late.splice(0)) {
    const session = sessionOf(one)
    yield* deliverAndApply(sessionEvent(eventTypeOf[one.action], session, { account: session.account }))
  }
})

/** The person does something on the page. The service is told at once, or has to ask. */
const act = Effect.fnUntraced(function* (talk: Talk, url: string | undefined, action: PageAction) {
  const session = yield* sessionAt(url)
  talk.trail.push(`(the person: ${action})`)
  // It takes them a moment, and the service asks about a page only now and then.
  yield* TestClock.adjust("1 minute")
  yield* actAtProvider(session, action)
  talk.late.push({ ...session, action })
  if (action === "late_failure" || talk.chance.once(2)) yield* deliverLate(talk)
})

/** The family does on its page what it was told that it can do there. */
export const onThePage = Effect.fn("onThePage")(function* (
  talk: Talk,
  id: BookingId,
  change: { readonly option_id: string } | { readonly party: { readonly children?: number; readonly adults?: number } }
) {
  const as = (how: Pick<VisitChange, "preview" | "shown">) => changeVisit(id, { by: "family", ...change, ...how })
  const { shown } = yield* as({ preview: true })
  const changed = yield* as({ preview: false, shown })
  talk.trail.push(`(on the family's page: ${JSON.stringify(change)}, ${changed.difference} more)`)
  return changed
})

/** How the person fares on the page: what they do before they pay in the end. */
const attempts = ({ goal }: Talk["wish"], { chance }: Talk): ReadonlyArray<PageAction> => {
  if (goal === "declined") return chance.once(2) ? ["pay_later", "late_failure"] : ["expire"]
  if (goal === "delayed") return ["pay_later"]
  return []
}

/** "wrong": the person saw that it is not what they want. "lapsed": the hold ran out. */
export type Paid = "paid" | "wrong" | "again" | "lapsed"

/** Has a booking paid, if the person finds nothing wrong with it. */
export const paid = Effect.fn("paid")(function* (talk: Talk, booking_id: string, purpose: Input = {}) {
  const open = Effect.fnUntraced(function* (more: Input) {
    const { answer } = yield* ask(talk, "create_payment_session", { booking_id, ...purpose, ...more })
    if (answer.kind === "result") return answer.result
    const { code, fix, message } = answer.fault
    if (code === "hold_expired") return undefined
    // Does as it is told, without what it had sent besides.
    if (code === "nothing_due" && fix.includes("with purpose balance"))
      return yield* get(talk, "create_payment_session", { booking_id, purpose: "balance" })
    return yield* new Stuck({ why: `create_payment_session: ${code}: ${message} ${fix}` })
  })
  const answer = yield* open({})
  if (answer === undefined) return "lapsed" as const
  // Whoever has paid and is asked for all of it once more wonders why, unless they are in a hurry.
  const isBalance = purpose.purpose === "balance"
  const isFirst = !isBalance && talk.wish.goal !== "two_rooms"
  if (talk.end.paid > 0 && isFirst && !talk.chance.once(3)) return "again" as const
  let url = textAt(answer, "payment_session", "url")
  const amount = textAt(answer, "payment_session", "amount", "display")
  const objection = tellNext(talk, answer, `Pay ${amount} here: ${url}`)
  if (objection !== undefined) return objection === "again" ? objection : ("wrong" as const)
  const page = yield* pageText(yield* sessionAt(url))
  talk.said.push(page)
  // Who is in a hurry has the page before them, and reads nothing but the amount.
  if (talk.chance.once(3)) talk.shown.push({ text: page, page: true })
  else if (tell(talk, page, true) !== undefined) return "wrong" as const
  for (const action of attempts(talk.wish, talk)) {
    yield* act(talk, url, action)
    if (talk.chance.once(2) || action !== "pay_later") {
      const seen = yield* get(talk, "get_booking", { booking_id })
      tellNext(talk, seen, `It stands at ${textAt(seen, "booking", "payment_status")}`)
    }
    if (action === "pay_later") continue
    const anew = yield* open({ idempotency_key: `anew ${action}` })
    if (anew === undefined) return "lapsed" as const
    url = textAt(anew, "payment_session", "url")
    tellNext(talk, anew, `Pay here: ${url}`)
  }
  if (!isBalance) committed(talk)
  yield* act(talk, url, talk.wish.goal === "delayed" ? "late_success" : "pay")
  if (acts(talk, "payment_unchecked")) return "paid" as const
  const seen = yield* get(talk, "get_booking", { booking_id })
  tellNext(talk, seen, `Paid: ${textAt(seen, "booking", "paid", "display")}, ${textAt(seen, "booking", "reference")}`)
  const { adults } = talk.wish
  if (adults > 0 && talk.shown.at(-1)?.text.includes("No adults are counted") === true)
    yield* onThePage(talk, BookingId.make(booking_id), { party: { adults } })
  return "paid" as const
})

/** The balance is paid, as the booking says. */
export const balancePaid = Effect.fn("balancePaid")(function* (talk: Talk, booking_id: string) {
  const told = yield* get(talk, "get_booking", { booking_id })
  const owed = numberAt(told, "booking", "balance", "amount", "amount")
  // So near the visit that all of it was due at once.
  if (numberAt(told, "booking", "outstanding", "amount") === 0) return "paid" as const
  if (owed === undefined) return yield* new Stuck({ why: `no balance told: ${textAt(told, "next_step")}` })
  return yield* paid(talk, booking_id, { purpose: "balance", idempotency_key: "the balance" })
})
