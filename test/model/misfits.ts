/**
 * Money that is not what was asked for: the provider says another amount, currency or mode of a payment, and a person
 * decides about it. What the service may say and do meanwhile, and what the booking is then, to the penny.
 */
import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as fc from "fast-check"
import { Bookings } from "../../src/domain/booking/Bookings.ts"
import { asOf } from "../../src/domain/booking/Lifecycle.ts"
import { standingOf } from "../../src/domain/booking/Standing.ts"
import { PaymentSummaries } from "../../src/domain/payment/PaymentSummaries.ts"
import type { ProviderSession } from "../../src/domain/payment/provider/PaymentGateway.ts"
import { findings } from "../../src/ops/attention/ActionItems.ts"
import { bookingWithNextStep } from "../../src/surfaces/mcp/tools/NextSteps.ts"
import { leadOf } from "../../src/surfaces/web/family/BookingPage.ts"
import { playroom } from "../support/CommandLine.ts"
import { ScriptedGateway } from "../support/ScriptedGateway.ts"
import {
  type Action,
  act,
  book,
  cancel,
  deskOn,
  move,
  page,
  party,
  refundInDashboard,
  resize,
  rival,
  until,
  upTo,
  wait,
  wish
} from "./actions.ts"
import { isInQuestion } from "./books.ts"
import { type Member, staff } from "./desk.ts"
import { hasPlaces, isOwn } from "./invariants.ts"
import { agreedOf, type Booked, dueWhen, last, type Ledger, nth, owedBack, type Page, termsOf } from "./Ledger.ts"
import { delivery, opens, payerAction, provider as providerAway, reconciliation, tasksWith, waits } from "./moves.ts"
import { smallestCharge } from "./moving.ts"
import { type Snapshot, takeSnapshot } from "./snapshot.ts"
import { returnedInRows } from "./views.ts"
import { Outside, queueEvent } from "./world.ts"

type Provider = ScriptedGateway["Service"]

/** How what was paid differs: by so many pence, or a third of it, or a penny was paid; or its currency or mode. */
export type Differs = number | "third" | "penny" | "currency" | "mode"

export type MisfitAction =
  /** A page is paid with something else than it asked for. */
  | { readonly do: "misfit"; readonly page: number; readonly how: "pay" | "pay_later"; readonly differs: Differs }
  /** Staff decide about it. `both`: two of them at once, each otherwise. */
  | {
      readonly do: "decideMisfit"
      readonly page: number
      readonly decision: Decision
      readonly both: boolean
      readonly by: Member
    }

/** What a person decides about it. */
export type Decision = "take" | "send_back"

const saidOf = ({ amount }: Page, differs: Differs): Partial<ProviderSession> => {
  if (differs === "currency") return { currency: "EUR" }
  if (differs === "mode") return { livemode: true }
  if (differs === "penny") return { amount_total: 1 }
  return { amount_total: Math.max(1, differs === "third" ? Math.floor(amount / 3) : amount + differs) }
}

/** The payer pays an open page, and the provider says that it was something else. */
export const misfit = Effect.fnUntraced(function* (
  ledger: Ledger,
  of: Extract<MisfitAction, { readonly do: "misfit" }>
) {
  const world = yield* Outside
  const provider = yield* ScriptedGateway
  const open = ledger.pages.filter(({ provider_id }) => provider.sessions.get(provider_id)?.status === "open")
  const page = nth(open, of.page)
  const session = provider.sessions.get(page?.provider_id ?? "")
  if (page === undefined || session === undefined) return
  provider.act(page.provider_id, of.how)
  Object.assign(session, saidOf(page, of.differs))
  ledger.misfits.set(page.payment_session_id, undefined)
  queueEvent(world, "checkout.session.completed", { ...session })
})

/** Why nothing can be decided, in the command's words; undefined: it can. */
const refusalOf = (
  ledger: Ledger,
  { payment_session_id, provider_id }: Page,
  decision: Decision,
  provider: Provider
): string | undefined => {
  const known = ledger.last.sessions.find((one) => one.payment_session_id === payment_session_id)?.misfit
  const said = provider.sessions.get(provider_id) ?? assert.fail("no such page")
  if (known === null || known === undefined) return "somebody has decided about it"
  if (!known.paid) return "has not arrived yet"
  if (decision === "send_back") return undefined
  if (said.currency !== "GBP") return "in another currency"
  return said.livemode ? "other mode" : undefined
}

const Done = Schema.fromJsonString(
  Schema.Struct({
    decision: Schema.Literals(["take", "send_back"]),
    amount: Schema.Struct({ amount: Schema.Int, currency: Schema.String })
  })
)

/** What the booking is after a payment of another amount was taken. `before`: the decision. */
const noteTaken = Effect.fnUntraced(function* (before: Snapshot, page: Page, said: number) {
  const { refunds } = yield* takeSnapshot
  const { amount: asked, booking: booked, payment_session_id, purpose } = page
  const goesBack = refunds.find(
    (one) =>
      one.payment_session_id === payment_session_id &&
      (one.cause === "late_payment" || one.cause === "duplicate_payment")
  )
  if (goesBack !== undefined) return assert.strictEqual(goesBack.amount, said, "all of it goes back")
  const excess = said - asked
  if (excess === 0) return
  const row = before.bookings.find(({ booking_id }) => booking_id === booked.booking_id) ?? assert.fail("no row")
  if (excess > 0) {
    // As after a move to a cheaper visit: what is too much goes back, and is no part of what a cancellation owes.
    const { back = 0, most = 0, owed = 0 } = booked.moved ?? {}
    booked.moved = {
      owed: Math.max(owed, Math.max(returnedInRows(before, booked.booking_id), owedBack(booked)) + excess),
      back: back + excess,
      most: Math.max(most, row.paid + asked - back),
      terms: termsOf(booked)
    }
    return
  }
  const { due_now, total } = agreedOf(booked)
  const due = purpose === "due_now" ? said : due_now + said
  const waived = total - due < smallestCharge ? total - due : 0
  const own = before.sessions.filter((one) => one.booking_id === booked.booking_id && isOwn(one, before.refunds))
  booked.agreed = {
    total: total - waived,
    due_now: due,
    settled: new Set([...own.map((one) => one.payment_session_id), payment_session_id]),
    balanceDueAt: waived > 0 ? undefined : (dueWhen(booked) ?? booked.request.seen.visit.start)
  }
})

/** Staff decide by command; maybe two of them at once. */
const decideAbout = Effect.fnUntraced(function* (
  ledger: Ledger,
  page: Page,
  { both, by, decision }: Pick<Extract<MisfitAction, { readonly do: "decideMisfit" }>, "both" | "by" | "decision">,
  alone: boolean
) {
  const provider = yield* ScriptedGateway
  const before = ledger.last
  const { payment_session_id, provider_id } = page
  const other: Decision = decision === "take" ? "send_back" : "take"
  const decisions = both ? [decision, other] : [decision]
  const runs = yield* Effect.all(
    decisions.map((one) =>
      playroom("payment", "decide", payment_session_id, one === "take" ? "--take" : "--send-back", "--by", by, "--json")
    ),
    { concurrency: "unbounded" }
  )
  const done = runs.filter(({ out }) => out !== "")
  const refusals = decisions.map((one) => refusalOf(ledger, page, one, provider))
  if (alone) {
    for (const [i, { failure, out }] of runs.entries()) {
      if (out !== "") assert.isUndefined(refusals[i], "decided, though it could not be")
      else if (done.length === 0) assert.include(failure ?? "", refusals[i] ?? "nothing")
    }
    assert.lengthOf(done, refusals.includes(undefined) ? 1 : 0, runs.map(({ failure }) => failure).join(" | "))
  }
  assert.isAtMost(done.length, 1, "decided twice")
  const [first] = done
  if (first === undefined) return
  const said = yield* Effect.orDie(Schema.decodeEffect(Done)(first.out))
  const { amount_total, currency } = provider.sessions.get(provider_id) ?? assert.fail("no such page")
  assert.deepStrictEqual(said.amount, { ...said.amount, amount: amount_total, currency }, "what was decided about")
  assert.isUndefined(ledger.misfits.get(payment_session_id), "decided twice")
  ledger.misfits.set(payment_session_id, said.decision)
  if (said.decision === "take") yield* noteTaken(before, page, amount_total)
})

export const decideMisfit = Effect.fnUntraced(function* (
  ledger: Ledger,
  of: Extract<MisfitAction, { readonly do: "decideMisfit" }>,
  alone: boolean
) {
  const provider = yield* ScriptedGateway
  const open = ledger.pages.filter((one) => isInQuestion(ledger, provider, one))
  const all = ledger.pages.filter(({ payment_session_id }) => ledger.misfits.has(payment_session_id))
  const page = nth(open.length > 0 ? open : all, of.page)
  if (page !== undefined) yield* decideAbout(ledger, page, of, alone)
})

/** At the end, a person decides about all that is known and has arrived. */
export const decideAll = Effect.fnUntraced(function* (ledger: Ledger) {
  const provider = yield* ScriptedGateway
  for (const [i, page] of ledger.pages.entries()) {
    const take = i % 2 === 0 && refusalOf(ledger, page, "take", provider) === undefined
    if (!take && refusalOf(ledger, page, "send_back", provider) !== undefined) continue
    yield* decideAbout(ledger, page, { both: false, by: "Ann", decision: take ? "take" : "send_back" }, true)
    ledger.last = yield* takeSnapshot
  }
})

/** Only what does not fit is in question, as the provider has it; and it counts only once a person has decided. */
export const checkQuestions = (ledger: Ledger, snapshot: Snapshot, provider: Provider): void => {
  for (const { flagged, misfit, payment_session_id, status } of snapshot.sessions) {
    const page = ledger.pages.find((one) => one.payment_session_id === payment_session_id)
    const inQuestion = page !== undefined && isInQuestion(ledger, provider, page)
    if (misfit === null) {
      assert.isNull(flagged)
      const counts = status === "paid" || status === "processing"
      assert.isFalse(inQuestion && counts, `what is not what was asked for counts as ${status}`)
      continue
    }
    assert.isNotNull(flagged)
    assert.isTrue(
      page !== undefined &&
        ledger.misfits.has(payment_session_id) &&
        ledger.misfits.get(payment_session_id) === undefined,
      "in question, though it fits or somebody has decided"
    )
    const said = provider.sessions.get(page?.provider_id ?? "") ?? assert.fail("no such page")
    const { amount, currency, livemode, paid } = misfit
    assert.deepStrictEqual([amount, currency, livemode], [said.amount_total, said.currency, said.livemode])
    assert.isFalse(paid && said.payment_status !== "paid", "in question as paid, and nobody has the money")
  }
}

/** What everybody reads of a booking now. */
const toldOf = Effect.fnUntraced(function* ({ booking_id }: Booked) {
  const row = yield* Bookings.use((bookings) => bookings.get(booking_id))
  const summary = yield* PaymentSummaries.use((summaries) => summaries.read(row))
  const booking = asOf(row, summary.now)
  const standing = standingOf(booking, summary)
  const { next_step } = bookingWithNextStep(booking, summary)
  const { heading, lead } = leadOf({ booking, summary, unclear: false }, standing, "en")
  return { standing: standing.kind, tried: summary.last_attempt !== undefined, next_step, page: `${heading}. ${lead}` }
})

/** While a person decides, places are kept and nobody is asked to pay; nothing says that nothing was charged. */
export const checkTold = Effect.fnUntraced(function* (ledger: Ledger, before: Snapshot, after: Snapshot) {
  const { now } = yield* Outside
  const paid = new Set([...ledger.misfits].flatMap(([id, decision]) => (decision === undefined ? [] : [id])))
  for (const booked of ledger.bookings) {
    const isIts = (one: Snapshot["sessions"][number]) => one.booking_id === booked.booking_id
    const open = after.sessions.filter((one) => isIts(one) && one.misfit !== null)
    const before_ids = before.sessions.filter((one) => isIts(one) && one.misfit !== null)
    const stays = open.some(({ payment_session_id }) =>
      before_ids.some((one) => one.payment_session_id === payment_session_id)
    )
    const row = after.bookings.find(({ booking_id }) => booking_id === booked.booking_id) ?? assert.fail("no row")
    const was = before.bookings.find(({ booking_id }) => booking_id === booked.booking_id)
    if (stays && was !== undefined && hasPlaces(was))
      assert.isTrue(hasPlaces(row) || row.status === "cancelled", "its places are kept while a person decides")
    const decided = after.sessions.some((one) => isIts(one) && paid.has(one.payment_session_id))
    if (open.length === 0 && !decided) continue
    const { next_step, page, standing, tried } = yield* toldOf(booked)
    const told = JSON.stringify({ standing, next_step, page, open })
    // Of a later try that failed, it is true.
    if (open.length > 0 || !tried)
      for (const text of [next_step, page]) assert.notMatch(text, /nothing was (charged|paid)/i, told)
    if (open.length === 0) continue
    const balance = open.some(({ purpose }) => purpose === "balance")
    const ahead = row.status !== "confirmed" || (balance && booked.request.seen.visit.start > now)
    if (!ahead) continue
    assert.notInclude(next_step, "create_payment_session", told)
    if (standing !== "released") assert.match(standing, /_under_review$/, told)
    assert.match(page, /not what was asked for/, told)
  }
})

/** The doctor names exactly the payments about which a person has to decide. */
export const checkNamed = Effect.fnUntraced(function* ({ misfits }: Ledger, { sessions }: Snapshot) {
  if (misfits.size === 0) return
  const open = sessions.filter(({ misfit }) => misfit !== null).map(({ payment_session_id }) => payment_session_id)
  const named = (yield* findings).filter(({ what }) =>
    /^payment (is not what was asked for|not accounted for)$/.test(what)
  )
  assert.sameMembers(
    named.map(({ id, what }) => `${what} ${id}`),
    open.map((id) => `payment is not what was asked for ${id}`)
  )
})

/** At the end, nothing is in question, and what was sent back went back, all of it and once. */
export const checkDecided = (ledger: Ledger, end: Snapshot, provider: Provider): void => {
  for (const page of ledger.pages) assert.isFalse(isInQuestion(ledger, provider, page), "nobody was asked to decide")
  for (const [id, decision] of ledger.misfits) {
    const sent = end.refunds.filter((one) => one.payment_session_id === id && one.cause === "misfit")
    assert.strictEqual(sent.length, decision === "send_back" ? 1 : 0, "what was decided")
    const page = ledger.pages.find((one) => one.payment_session_id === id) ?? assert.fail("no such page")
    const { paid, refunded } = provider.paidAndRefunded(page.provider_id)
    if (decision === "send_back") assert.strictEqual(refunded, paid, "what was sent back")
  }
}

const differs = fc.constantFrom<Differs>(-1, -29, -30, -1000, 1, 500, "third", "third", "penny", "currency", "mode")
const how = fc.constantFrom("pay" as const, "pay" as const, "pay_later" as const)
const misfits = (of: fc.Arbitrary<number>) => fc.record({ do: act("misfit"), page: of, how, differs })
const decisions = (of: fc.Arbitrary<number>) =>
  fc.record({
    do: act("decideMisfit"),
    page: of,
    decision: fc.constantFrom<Decision>("take", "take", "send_back"),
    both: fc.constantFrom(false, false, true),
    by: fc.constantFrom(...staff)
  })
/** By chance, on any page. */
export const misfitting: fc.Arbitrary<Action> = fc.oneof(misfits(page), decisions(page))
export const deciding: fc.Arbitrary<Action> = decisions(fc.oneof(upTo(5), fc.constant(last)))

/** What happens to a booking while a person decides about its payment, or before anybody knows of it. */
const meanwhile: fc.Arbitrary<Action> = fc.oneof(
  cancel.map((one): Action => ({ ...one, booking: last })),
  move.map((one): Action => ({ ...one, booking: last })),
  party.map((one): Action => ({ ...one, booking: last })),
  deskOn(fc.constant(last)),
  rival,
  resize,
  wait,
  refundInDashboard,
  until.map((one): Action => ({ ...one, booking: last })),
  fc.constantFrom<Action>(
    opens("due_now"),
    opens("balance"),
    reconciliation,
    tasksWith(undefined),
    payerAction("late_success", last),
    payerAction("late_failure", last),
    waits(38)
  )
)
const heard = fc.constantFrom<Action>(
  delivery,
  { do: "deliver", event: last, times: 1, again: false, apply: true, thin: true },
  reconciliation
)
/** A page of the last booking is paid with something else; what comes of it. */
const question = (purpose: "due_now" | "balance") =>
  fc
    .tuple(
      misfits(fc.constant(last)),
      fc.subarray<Action>([providerAway(true), waits(38), reconciliation]),
      heard,
      fc.array(meanwhile, { maxLength: 2 }),
      fc.constantFrom<PageEnd>("late_success", "late_success", "late_failure"),
      heard,
      fc.array(meanwhile, { maxLength: 1 }),
      decisions(fc.constant(last)),
      fc.array(meanwhile, { maxLength: 2 })
    )
    .map(([paid, late, then, between, end, told, before, decided, after]): ReadonlyArray<Action> => [
      opens(purpose),
      paid,
      ...late,
      providerAway(false),
      then,
      ...between,
      ...(paid.how === "pay_later" ? [payerAction(end, last), told] : []),
      ...before,
      decided,
      ...after,
      tasksWith(undefined)
    ])
type PageEnd = "late_success" | "late_failure"
const paysAnew: ReadonlyArray<Action> = [opens("due_now"), payerAction("pay", last), delivery]

/** A payment that does not fit, then maybe another one: for what is due now, for a balance, or both. */
export const misfitStory: fc.Arbitrary<ReadonlyArray<Action>> = fc
  .tuple(
    fc.oneof(
      book,
      wish.map((one): Action => ({ do: "book", wish: { ...one, kind: 2, idem: undefined }, times: 1 }))
    ),
    fc.oneof(question("due_now"), fc.constant(paysAnew)),
    fc.oneof(question("due_now"), question("balance"), question("balance")),
    fc.oneof(fc.constant([]), fc.constant(paysAnew), question("balance"))
  )
  .map(([booked, ...parts]) => [booked, ...parts.flat()])
