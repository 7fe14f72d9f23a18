/** Payment pages, payers, banks and manual refunds; the model checks the answers. */
import { assert } from "@effect/vitest"
import { Effect, Result } from "effect"
import { BookingId, PaymentSessionId } from "../../src/platform/ids/Ids.ts"
import { isBelowMinimumCharge } from "../../src/platform/money/Charge.ts"
import { dayMs, minuteMs } from "../../src/platform/time/LocalTime.ts"
import { Checkout } from "../../src/domain/payment/checkout/Checkout.ts"
import { PaymentSessions } from "../../src/domain/payment/sessions/PaymentSessions.ts"
import { WebhookInbox } from "../../src/domain/payment/events/WebhookInbox.ts"
import { deliverEvent } from "../support/PaymentWorld.ts"
import { eventTypeOf, type MoneyEventType } from "../support/providerEvents.ts"
import type { PresentedAmount, ProviderDispute } from "../../src/domain/payment/provider/PaymentGateway.ts"
import { statusOf } from "../../src/domain/payment/refunds/Refund.ts"
import { type PageAction, ScriptedGateway, undecided, withPayer } from "../support/ScriptedGateway.ts"
import type { Action } from "./actions.ts"
import { whoIs } from "./booking.ts"
import { isInQuestion, moneyOf, paysBalance } from "./books.ts"
import { isPaid } from "./invariants.ts"
import { agreedOf, type Booked, type Ledger, nth, type Page } from "./Ledger.ts"
import type { BookingNow } from "./snapshot.ts"
import { ofOtherRelease, thinOf } from "./otherRelease.ts"
import { queueEvent, queueMoneyEvent, Outside } from "./world.ts"

/** Maximum payment pages of a hold. */
const maxPages = 3

/** Bookings with an amount due for a purpose; all bookings if there are none. */
export const payableBookings = ({ bookings }: Ledger, purpose: "due_now" | "balance"): ReadonlyArray<Booked> => {
  const found = bookings.filter((booked) => {
    const { due_now, total } = agreedOf(booked)
    return purpose === "due_now" ? due_now > 0 : total > due_now
  })
  return found.length > 0 ? found : bookings
}

/** Whether a booking, or one purpose of it, is paid at the provider or at the venue, or needs no payment. */
export const isPaidFor = (
  ledger: Ledger,
  provider: ScriptedGateway["Service"],
  booked: Booked,
  purpose?: "due_now" | "balance"
): boolean =>
  moneyOf(provider, ledger, booked).held.some((held) => {
    const asked = purpose === "balance" ? paysBalance(ledger, booked, held) : held.page.purpose === purpose
    return (purpose === undefined || asked) && isPaid(held)
  })

/** Pages that can still change; all pages if there are none. */
export const unsettled = <A extends Pick<Page, "provider_id">>(
  pages: ReadonlyArray<A>,
  { sessions }: ScriptedGateway["Service"]
): ReadonlyArray<A> => {
  const found = pages.filter(({ provider_id }) => {
    const session = sessions.get(provider_id)
    return session?.status === "open" || (session?.status === "complete" && session.payment_status === "unpaid")
  })
  return found.length > 0 ? found : pages
}

export const openPage = Effect.fnUntraced(function* (
  ledger: Ledger,
  booking: Booked,
  of: { readonly purpose: "due_now" | "balance"; readonly idem: number | undefined },
  as: { readonly alone: boolean; readonly undisturbed: boolean }
) {
  const world = yield* Outside
  const provider = yield* ScriptedGateway
  const { booking_id } = booking
  const { key } = booking.request
  const { purpose } = of
  const { due_now, total } = agreedOf(booking)
  const before = ledger.last.bookings.find((row) => row.booking_id === booking_id)
  const name = `${key} s${of.idem}`
  const args = `${booking_id} ${purpose}`
  const known = of.idem === undefined ? undefined : ledger.sessionKeys.get(name)
  const made = ledger.last.sessions.filter(
    (session) =>
      session.booking_id === booking_id && session.purpose === purpose && session.provider_session_id !== null
  ).length
  // A page that pays it with others is asked first.
  const paidWithOthers = ledger.orders.some(
    ({ parts, provider_id }) =>
      parts.some((part) => part.booking === booking) && provider.sessions.get(provider_id)?.payment_status === "paid"
  )
  const settled = (paidWithOthers && purpose === "due_now") || isPaidFor(ledger, provider, booking, purpose)
  // A payment that does not fit is in question until it is known to have failed.
  const inQuestion = ledger.last.sessions.some(
    (session) =>
      session.booking_id === booking_id &&
      (session.purpose === purpose || before?.status === "held") &&
      session.misfit !== null
  )
  const questioned =
    inQuestion ||
    ledger.pages.some(
      (page) => page.booking === booking && page.purpose === purpose && isInQuestion(ledger, provider, page)
    )
  const payable = (row: BookingNow): boolean =>
    !settled &&
    !questioned &&
    (purpose === "due_now"
      ? row.status === "held" && (row.hold_expires_at ?? Infinity) > world.now && made < maxPages
      : row.status === "confirmed" && total > due_now)
  const live = ledger.last.sessions.some(
    (session) =>
      session.booking_id === booking_id &&
      session.purpose === purpose &&
      ["open", "processing"].includes(session.status)
  )
  // It may ask for another amount than is owed by now: the booking was changed since.
  const paidMeanwhile = ledger.last.sessions.some(
    (session) =>
      session.booking_id === booking_id &&
      session.purpose === purpose &&
      (session.status === "open" || session.status === "processing") &&
      provider.sessions.get(session.provider_session_id ?? "")?.payment_status === "paid"
  )
  const fresh = of.idem === undefined || !ledger.triedKeys.has(name)
  if (of.idem !== undefined) ledger.triedKeys.add(name)
  const answer = yield* Effect.result(
    Checkout.use((payments) =>
      payments.createSession(whoIs(key), {
        booking_id: BookingId.make(booking_id),
        purpose,
        ...(of.idem === undefined ? {} : { idempotency_key: `s${of.idem}` })
      })
    )
  )
  if (Result.isFailure(answer)) {
    const { _tag } = answer.failure
    const allowed = [
      "HoldExpired",
      "BookingCancelled",
      "NothingDue",
      "ProviderUnavailable",
      "IdempotencyConflict",
      "OperatorUnavailable"
    ]
    assert.include(allowed, _tag)
    if (!as.alone || before === undefined) return
    const away = provider.outage !== undefined || !as.undisturbed
    // No page takes so little: it is paid at the venue.
    const tooLittle = isBelowMinimumCharge(purpose === "due_now" ? due_now : total - due_now, "GBP")
    if (_tag === "OperatorUnavailable" && tooLittle) return
    if (_tag === "ProviderUnavailable" || _tag === "OperatorUnavailable") assert.isTrue(away, "the provider is there")
    if (_tag === "IdempotencyConflict") assert.isTrue(of.idem !== undefined, "no key was given")
    if (away || _tag === "IdempotencyConflict" || questioned) return
    assert.isUndefined(known, "a retry must find its session")
    assert.isFalse(payable(before), `${_tag}, though it can be paid: ${JSON.stringify(before)}`)
    return
  }
  const { payment_session_id } = answer.success
  if (as.alone && inQuestion)
    assert.notStrictEqual(answer.success.status, "open", "a second request to pay, while a person decides")
  if (as.alone && fresh && before !== undefined) {
    // Whoever asks for a page learns that it was paid meanwhile, at once or at last.
    const paid = settled || paidMeanwhile
    assert.include(paid ? ["open", "processing", "paid"] : ["open", "processing"], answer.success.status)
    assert.isTrue(live || payable(before), "a page for nothing")
  }
  const { amount } = answer.success.amount
  const earlier = ledger.pages.find((page) => page.payment_session_id === payment_session_id)
  // Of what came and was taken, that counts.
  const taken = ledger.misfits.get(payment_session_id) === "take"
  if (earlier !== undefined)
    assert.strictEqual(amount, taken ? provider.paidAndRefunded(earlier.provider_id).paid : earlier.amount)
  else if (as.alone) assert.strictEqual(amount, purpose === "due_now" ? due_now : total - due_now)
  const row = yield* PaymentSessions.use((all) => all.find(PaymentSessionId.make(payment_session_id)))
  const provider_id = (row._tag === "Some" ? row.value.provider_session_id : null) ?? assert.fail("a page of nobody")
  if (answer.success.url !== undefined) {
    assert.strictEqual(answer.success.url, provider.sessions.get(provider_id)?.url)
    assert.strictEqual(answer.success.status, "open", "an address of a page that takes no payment")
  } else if (as.alone && answer.success.status === "open") {
    const { expires_at } = row._tag === "Some" ? row.value : assert.fail("a page of nobody")
    const hold = purpose === "due_now" ? (before?.hold_expires_at ?? Infinity) : Infinity
    assert.isAtMost(Math.min(expires_at, hold), world.now, "an open page without its address")
  }
  if (!ledger.pages.some((page) => page.payment_session_id === payment_session_id)) {
    ledger.pages.push({ payment_session_id, provider_id, booking, purpose, amount })
  }
  if (of.idem !== undefined) {
    if (known !== undefined) assert.deepStrictEqual(known, { args, payment_session_id }, "one key, one session")
    ledger.sessionKeys.set(name, { args, payment_session_id })
  }
})

/** A person, or time, acts on a page; the provider creates one or two events. */
export const payerActs = Effect.fnUntraced(function* (
  provider_id: string,
  action: PageAction,
  twice: boolean,
  presented?: PresentedAmount
) {
  const world = yield* Outside
  const provider = yield* ScriptedGateway
  const session = provider.sessions.get(provider_id)
  if (action === "late_success" && session?.payment_status !== "unpaid") return
  const before = JSON.stringify(session)
  if (session?.status === "open" && presented !== undefined && (action === "pay" || action === "pay_later"))
    session.presented = presented
  const said = provider.act(provider_id, action)
  if (JSON.stringify(provider.sessions.get(provider_id)) === before) return
  queueEvent(world, eventTypeOf[action], said)
  if (twice) queueEvent(world, eventTypeOf[action], said)
})

/** Advances the time, here and at the provider. */
export const wait = Effect.fnUntraced(function* (minutes: number) {
  const world = yield* Outside
  const provider = yield* ScriptedGateway
  world.now += minutes * minuteMs
  for (const session of provider.sessions.values()) {
    if (session.status === "open" && session.expires_at * 1000 <= world.now)
      yield* payerActs(session.id, "expire", false)
  }
  // The provider keeps idempotency keys for a day.
  if (minutes * minuteMs > dayMs) provider.forgetIdempotencyKeys()
})

/** Paid pages that are not fully refunded and have no open dispute, and that fit or were taken. */
const held = ({ misfits, pages }: Ledger, provider: ScriptedGateway["Service"]): ReadonlyArray<Page> =>
  pages.filter(({ payment_session_id, provider_id }) => {
    if (misfits.has(payment_session_id) && misfits.get(payment_session_id) !== "take") return false
    const { paid, refunded } = provider.paidAndRefunded(provider_id)
    const intent = provider.sessions.get(provider_id)?.payment_intent_id
    const disputed = [...provider.disputes.values()].some(
      ({ payment_intent_id, status }) => payment_intent_id === intent && undecided.includes(status)
    )
    return paid > refunded && !disputed
  })

/** The provider sends an event about a refund or a dispute. */
const tell = (
  world: Outside["Service"],
  type: MoneyEventType,
  about: { readonly id: string; readonly payment_intent_id: string } | undefined
) => (about === undefined ? undefined : queueMoneyEvent(world, type, about))

export const refundInDashboard = Effect.fnUntraced(function* (ledger: Ledger, n: number, percent: number) {
  const provider = yield* ScriptedGateway
  const page = nth(held(ledger, provider), n)
  if (page === undefined) return
  const balance = provider.paidAndRefunded(page.provider_id)
  const amount = Math.ceil(((balance.paid - balance.refunded) * percent) / 100)
  const { id } = provider.refundInDashboard(page.provider_id, amount)
  tell(yield* Outside, "refund.created", provider.refunds.get(id))
})

/** How much of a payment is neither refunded nor with the payer by a dispute, if one item of it is left out. */
const roomOf = (provider: ScriptedGateway["Service"], payment_intent_id: string, without: number): number => {
  const session = [...provider.sessions.values()].find((one) => one.payment_intent_id === payment_intent_id)
  if (session === undefined) return 0
  const { paid, refunded } = provider.paidAndRefunded(session.id)
  return paid - refunded + without
}

/** The bank says something else of a dispute. It takes no more than what is left of the payment. */
const bankSays = Effect.fnUntraced(function* (
  found: (ProviderDispute & { readonly payment_intent_id: string }) | undefined,
  to: string,
  event: Parameters<typeof tell>[1]
) {
  const provider = yield* ScriptedGateway
  if (found === undefined) return
  const now = withPayer.includes(found.status) ? found.amount : 0
  if (withPayer.includes(to) && found.amount > roomOf(provider, found.payment_intent_id, now)) return
  provider.setDisputeStatus(found.id, to)
  tell(yield* Outside, event, found)
})

/** The n-th dispute turns, whatever it was before. */
export const turnDispute = Effect.fnUntraced(function* (n: number, to: string) {
  const { disputes } = yield* ScriptedGateway
  yield* bankSays(nth([...disputes.values()], n), to, "charge.dispute.updated")
})

export const turnRefund = Effect.fnUntraced(function* (n: number, to: string, percent: number) {
  const provider = yield* ScriptedGateway
  const found = nth([...provider.refunds.values()], n)
  if (found === undefined) return
  const made = statusOf(found) !== "failed"
  const others = [...provider.refunds.values()].filter(
    (one) => one.id !== found.id && one.refund_id !== undefined && one.refund_id === found.refund_id
  )
  // What was sent again does not go back twice: a person would have to be asked.
  if (others.length > 0) return
  if (to !== "failed" && to !== "canceled" && !made && found.amount > roomOf(provider, found.payment_intent_id, 0))
    return
  provider.setRefundStatus(found.id, to)
  if (found.refund_id === undefined && made) found.amount = Math.ceil((found.amount * percent) / 100)
  tell(yield* Outside, to === "failed" ? "refund.failed" : "refund.updated", found)
})

/** A payer disputes a part of the amount that is not refunded. */
export const dispute = Effect.fnUntraced(function* (ledger: Ledger, n: number, percent: number) {
  const provider = yield* ScriptedGateway
  const page = nth(held(ledger, provider), n)
  if (page === undefined) return
  const balance = provider.paidAndRefunded(page.provider_id)
  const { id } = provider.openDispute(page.provider_id, Math.ceil(((balance.paid - balance.refunded) * percent) / 100))
  tell(yield* Outside, "charge.dispute.created", provider.disputes.get(id))
})

/** The bank decides the n-th open dispute. */
export const decide = Effect.fnUntraced(function* (n: number, as: "won" | "lost") {
  const { disputes } = yield* ScriptedGateway
  const open = [...disputes.values()].filter(({ status }) => undecided.includes(status))
  yield* bankSays(nth(open, n), as, "charge.dispute.closed")
})

export const deliver = Effect.fnUntraced(function* (
  ledger: Ledger,
  of: Extract<Action, { readonly do: "deliver" }>,
  alone: boolean
) {
  const world = yield* Outside
  const inbox = yield* WebhookInbox
  const event = nth(world.outbox, of.event)
  if (event === undefined) return
  if (!of.again) world.outbox = world.outbox.filter((other) => other !== event)
  for (let time = 0; time < of.times; time++) {
    if (of.thin === true) {
      const notice = thinOf(event)
      const { duplicate } = yield* deliverEvent("connected", notice)
      if (alone) assert.strictEqual(duplicate, ledger.delivered.has(notice.id))
      ledger.delivered.add(notice.id)
      continue
    }
    const { duplicate } = yield* deliverEvent("connected", of.other === true ? ofOtherRelease(event) : event)
    const form = of.other === true ? "other" : "ours"
    // An event that was unreadable before is no duplicate when it arrives readable.
    const better =
      form === "ours" && !ledger.delivered.has(`${event.id} ours`) && ledger.delivered.has(`${event.id} other`)
    const known = ledger.delivered.has(`${event.id} ours`) || ledger.delivered.has(`${event.id} other`)
    if (alone && !better) assert.strictEqual(duplicate, known)
    ledger.delivered.add(`${event.id} ${form}`)
  }
  if (of.apply) yield* inbox.applyDue()
})
