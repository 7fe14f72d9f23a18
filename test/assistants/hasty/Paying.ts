/** Paying: the page, the person who pays on it or gives up, and a hold that ran out meanwhile. */
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { at } from "../../support/Assistant.ts"
import { type PageAction, ScriptedGateway } from "../../support/ScriptedGateway.ts"
import type { Input } from "./Habits.ts"
import { numberAt, textAt } from "./Reading.ts"
import { ask, get, Stuck, type Talk } from "./Talk.ts"

/** The person does something on the page at an address. */
const actOnPage = Effect.fnUntraced(function* (url: string | undefined, action: PageAction) {
  const session = url?.split("/").at(-1)
  if (session === undefined) return yield* new Stuck({ why: "no address to pay at" })
  yield* ScriptedGateway.use(({ act }) => Effect.sync(() => act(session, action)))
})

/** The booking once it is paid; undefined where its hold has run out, and it is to be booked anew. */
export const paid = Effect.fn("paid")(function* (talk: Talk, booking_id: string | undefined, purpose: Input) {
  const { answer } = yield* ask(talk, "create_payment_session", { booking_id, ...purpose })
  if (answer.kind === "fault") {
    const { code, fix, message } = answer.fault
    if (code === "hold_expired" && fix.includes("create_booking with a new idempotency_key")) return undefined
    return yield* new Stuck({ why: `create_payment_session: ${code}: ${message} ${fix}` })
  }
  const again = { booking_id, ...purpose, idempotency_key: "again" }
  let url = textAt(answer.result, "payment_session", "url")
  if (talk.chance.once(3)) yield* get(talk, "create_payment_session", again)
  if (talk.chance.once(12)) {
    yield* actOnPage(url, "expire")
    const told = yield* get(talk, "get_booking", { booking_id })
    const next = textAt(told, "next_step") ?? ""
    if (!next.includes("create_payment_session")) return yield* new Stuck({ why: `a page that is closed: ${next}` })
    const { payment_session } = yield* get(talk, "create_payment_session", { ...again, idempotency_key: "anew" })
    url = textAt(payment_session, "url")
  }
  yield* actOnPage(url, "pay")
  return yield* get(talk, "get_booking", { booking_id })
})

/** The balance is paid, as the booking says how and from when. */
export const balancePaid = Effect.fn("balancePaid")(function* (talk: Talk, told: unknown) {
  const balance = at(told, "booking", "balance")
  const owed = numberAt(balance, "amount", "amount") ?? numberAt(told, "booking", "price", "balance_due")
  if (owed === undefined) return yield* new Stuck({ why: `no balance told: ${textAt(told, "next_step")}` })
  const from = textAt(balance, "from")
  const now = yield* Clock.currentTimeMillis
  if (from !== undefined && Date.parse(from) > now) yield* TestClock.setTime(Date.parse(from))
  return yield* paid(talk, textAt(told, "booking", "booking_id"), { purpose: "balance" })
})
