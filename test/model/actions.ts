/**
 * Actions as data, and their generators. Numbers of bookings, pages and events are indexes modulo the list's length.
 */
import * as fc from "fast-check"
import type { PageAction, Operation } from "../support/ScriptedGateway.ts"
import { last } from "./Ledger.ts"
import { days } from "./hall.ts"
import { type Subscribing, subscribing } from "./subscription.ts"
import { type RequestVariant, as, type AskAgain, askAgain } from "./repeatedRequests.ts"
import type { CallFault } from "./world.ts"

export interface VisitRequest {
  readonly key: number
  readonly email: number
  readonly kind: number
  readonly day: number
  readonly slot: number
  readonly children: number
  readonly machines: number
  /** The number of an idempotency key; undefined: none. */
  readonly idem: number | undefined
  readonly as: RequestVariant
}

/** The refund that a person chooses when cancelling. `third`: a third of the amount paid. */
export type CancelChoice = "terms" | "full" | "none" | "third"

export type Action =
  /** Requests options and books one, `times` times at once. */
  | { readonly do: "book"; readonly wish: VisitRequest; readonly times: number }
  /** Books an option from an earlier answer. */
  | {
      readonly do: "bookSeen"
      readonly seen: number
      readonly key: number
      readonly email: number
      readonly idem: number | undefined
      readonly as: RequestVariant
    }
  | AskAgain
  /** Someone else books the visit of a booking. */
  | { readonly do: "rival"; readonly booking: number; readonly email: number }
  /** The operator moves a booking to a new option or, with `seen`, to one from an earlier answer. */
  | { readonly do: "move"; readonly booking: number; readonly wish: VisitRequest; readonly seen: number | undefined }
  /** Repeats the call that made a booking. `otherwise`: with another argument. */
  | { readonly do: "retry"; readonly booking: number; readonly otherwise: boolean }
  | {
      readonly do: "page"
      readonly booking: number
      readonly purpose: "due_now" | "balance"
      readonly idem: number | undefined
      readonly times: number
      readonly trouble: CallFault | undefined
    }
  | {
      readonly do: "payer"
      readonly page: number
      readonly pageAction: PageAction | "decline"
      readonly twice: boolean
      /** The payer pays in a currency of their own. */
      readonly presented?: { readonly amount: number; readonly currency: string } | undefined
    }
  | {
      readonly do: "deliver"
      readonly event: number
      readonly times: number
      readonly again: boolean
      readonly apply: boolean
      /** The event has another release of the provider's API. */
      readonly other?: boolean
      /** The event only names its object. */
      readonly thin?: boolean
    }
  | { readonly do: "lose"; readonly event: number }
  | { readonly do: "wait"; readonly minutes: number }
  /** `paid`: picks a paid booking, if there is one. */
  | { readonly do: "cancel"; readonly booking: number; readonly paid: boolean; readonly wish: CancelChoice | "family" }
  | { readonly do: "refundInDashboard"; readonly page: number; readonly percent: number }
  /** A payer disputes a part of a payment that is not refunded. `decide` ends the n-th open dispute. */
  | { readonly do: "dispute"; readonly page: number; readonly percent: number }
  | { readonly do: "decide"; readonly dispute: number; readonly as: "won" | "lost" }
  /** The provider says something else of the n-th dispute, whatever it said before. */
  | { readonly do: "turnDispute"; readonly dispute: number; readonly to: string }
  /** The provider says something else of the n-th refund. `percent`: a dashboard refund is of so much of it only. */
  | { readonly do: "turnRefund"; readonly refund: number; readonly to: string; readonly percent: number }
  /** The operator's balance is too small for refunds. */
  | { readonly do: "poor"; readonly now: boolean }
  | { readonly do: "away"; readonly now: boolean }
  /** The operator revokes our access to its account, or restores it. */
  | { readonly do: "disconnect"; readonly now: boolean }
  | Subscribing
  | { readonly do: "slowRefunds"; readonly now: boolean }
  | { readonly do: "reconcile"; readonly all: boolean; readonly trouble: Operation | undefined }
  | { readonly do: "tasks"; readonly trouble: Operation | undefined }
  | { readonly do: "peek"; readonly booking: number }
  | { readonly do: "prices"; readonly edition: number }
  | { readonly do: "close"; readonly day: number; readonly closed: boolean }
  /** A sequence; each action is a step. */
  | { readonly do: "story"; readonly all: ReadonlyArray<Action> }
  /** Concurrent actions. */
  | { readonly do: "atOnce"; readonly all: ReadonlyArray<Action> }
  /** Runs `first` until it calls the provider's `operation`, and `meanwhile` before that call returns. */
  | { readonly do: "during"; readonly first: Action; readonly operation: Operation; readonly meanwhile: Action }

const upTo = (max: number) => fc.nat({ max })
const idem = fc.option(upTo(4), { nil: undefined, freq: 2 })
const sometimes = <A>(value: fc.Arbitrary<A>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value })
const act = <T extends Action["do"]>(name: T) => fc.constant(name)

const wish = fc.record({
  key: upTo(1),
  email: upTo(2),
  kind: fc.constantFrom(0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 4, 5, 6),
  day: upTo(days.length - 1),
  slot: upTo(2),
  children: fc.integer({ min: 1, max: 8 }),
  machines: fc.constantFrom(0, 0, 1, 2),
  idem,
  as
})
const times = fc.constantFrom(1, 1, 1, 2, 3)
const booking = upTo(20)
const page = fc.oneof(upTo(20), fc.constant(last))
const purpose = fc.constantFrom("due_now" as const, "due_now" as const, "balance" as const)
const trouble = sometimes(fc.constantFrom<CallFault>("away", "unanswered"))
const pageAction = fc.constantFrom<PageAction | "decline">(
  "pay",
  "pay",
  "pay",
  "pay_later",
  "pay_later",
  "late_success",
  "late_failure",
  "expire",
  "free",
  "decline"
)
const asked = fc.constantFrom<Operation>("getSession", "expireSession", "createRefund", "listRefunds", "listDisputes")

const book = fc.record({ do: act("book"), wish, times })
const openPage = fc.record({ do: act("page"), booking, purpose, idem, times, trouble })
const presented = sometimes(
  fc.record({ amount: fc.integer({ min: 1, max: 99_999 }), currency: fc.constantFrom("USD", "JPY") })
)
const payer = fc.record({ do: act("payer"), page, pageAction, twice: fc.boolean(), presented })
const deliver = fc.record({
  do: act("deliver"),
  event: upTo(10),
  times: fc.constantFrom(1, 1, 2),
  again: fc.boolean(),
  apply: fc.constantFrom(true, true, false),
  other: fc.constantFrom(false, false, true),
  thin: fc.constantFrom(false, false, true)
})
const wait = fc.record({
  do: act("wait"),
  minutes: fc.constantFrom(1, 3, 10, 16, 16, 33, 38, 38, 7 * 60, 25 * 60)
})
const cancelWish = fc.constantFrom<CancelChoice | "family">(
  "terms",
  "terms",
  "family",
  "family",
  "full",
  "none",
  "third"
)
const cancel = fc.record({ do: act("cancel"), booking, paid: fc.boolean(), wish: cancelWish })
const reconcile = fc.record({ do: act("reconcile"), all: fc.boolean(), trouble: sometimes(asked) })
const tasks = fc.record({ do: act("tasks"), trouble: sometimes(asked) })
const refundInDashboard = fc.record({ do: act("refundInDashboard"), page, percent: fc.constantFrom(10, 50, 100) })
const dispute = fc.record({ do: act("dispute"), page, percent: fc.constantFrom(30, 100, 100) })
const decide = fc.record({ do: act("decide"), dispute: upTo(5), as: fc.constantFrom("won" as const, "lost" as const) })
const turnDispute = fc.record({
  do: act("turnDispute"),
  dispute: fc.oneof(upTo(5), fc.constant(last)),
  to: fc.constantFrom(
    "warning_needs_response",
    "warning_closed",
    "needs_response",
    "under_review",
    "won",
    "won",
    "lost",
    "lost",
    "prevented",
    "appeal_needs_response",
    "appeal_under_review"
  )
})
const turnRefund = fc.record({
  do: act("turnRefund"),
  refund: fc.oneof(upTo(5), fc.constant(last)),
  to: fc.constantFrom("succeeded", "failed", "canceled", "pending", "requires_action"),
  percent: fc.constantFrom(100, 100, 40)
})
const bookSeen = fc.record({ do: act("bookSeen"), seen: upTo(20), key: upTo(1), email: upTo(2), idem, as })
const retry = fc.record({ do: act("retry"), booking, otherwise: fc.boolean() })
const rival = fc.record({ do: act("rival"), booking, email: upTo(2) })
const move = fc.record({
  do: act("move"),
  booking: fc.oneof(booking, fc.constant(last)),
  wish,
  seen: sometimes(upTo(20))
})
const lose = fc.record({ do: act("lose"), event: upTo(10) })

const together: fc.Arbitrary<Action> = fc.oneof(
  book,
  openPage,
  deliver,
  cancel,
  reconcile,
  tasks,
  bookSeen,
  retry,
  askAgain,
  refundInDashboard,
  dispute,
  decide,
  turnDispute,
  turnRefund,
  rival,
  move
)
const atOnce = fc.record({ do: act("atOnce"), all: fc.array(together, { minLength: 2, maxLength: 5 }) })
const asking: fc.Arbitrary<readonly [Action, Operation]> = fc.oneof(
  openPage.map((first) => [first, "createSession"] as const),
  reconcile.map((first) => [first, "expireSession"] as const),
  reconcile.map((first) => [first, "getSession"] as const),
  tasks.map((first) => [first, "createRefund"] as const),
  tasks.map((first) => [first, "listRefunds"] as const),
  cancel.map((first) => [first, "listDisputes"] as const),
  tasks.map((first) => [first, "expireSession"] as const)
)
const during = fc
  .tuple(asking, fc.oneof(together, wait, payer))
  .map(([[first, operation], meanwhile]) => ({ do: "during" as const, first, operation, meanwhile }))

const payerAction = (pageAction: PageAction, page: number): Action => ({ do: "payer", page, pageAction, twice: false })
const waits = (minutes: number): Action => ({ do: "wait", minutes })
const delivery: Action = { do: "deliver", event: last, times: 1, again: false, apply: true }
const reconciliation: Action = { do: "reconcile", all: true, trouble: undefined }
const provider = (away: boolean): Action => ({ do: "away", now: away })

/** A payment that is found only after the hold ended, because the provider was away. Steps may be left out. */
const lateMoney = fc
  .record({
    page,
    how: fc.constantFrom<PageAction>("pay", "pay_later"),
    booked: fc.oneof(rival, askAgain),
    between: fc.oneof(cancel, book, rival, askAgain)
  })
  .chain(({ between, booked, how, page }) =>
    fc.subarray(
      [
        payerAction(how, page),
        provider(true),
        waits(38),
        reconciliation,
        booked,
        between,
        provider(false),
        reconciliation
      ],
      {
        minLength: 5
      }
    )
  )
/** A payment whose event is lost: the provider is asked before the hold ends. */
const unknownPayment = page.chain((page) =>
  fc.constantFrom<ReadonlyArray<Action>>(
    [payerAction("pay", page), waits(38), reconciliation],
    [payerAction("pay_later", page), waits(33), waits(10), reconciliation]
  )
)
/** A delayed payment, and events before it succeeds or fails. */
const delayed = fc
  .record({
    page,
    end: fc.constantFrom<PageAction>("late_success", "late_failure"),
    between: fc.oneof(cancel, wait, rival),
    openPage
  })
  .chain(({ between, end, openPage, page }) =>
    fc.subarray(
      [
        payerAction("pay_later", page),
        delivery,
        between,
        payerAction(end, page),
        waits(16),
        delivery,
        reconciliation,
        openPage
      ],
      {
        minLength: 4
      }
    )
  )
const tasksWith = (operation: Operation | undefined): Action => ({ do: "tasks", trouble: operation })
const cancels = (booking: number): Action => ({ do: "cancel", booking, paid: true, wish: "terms" })
/** A paid booking is cancelled, and the response to the refund call is lost. */
const cancelled = fc
  .record({ page, booking, minutes: fc.constantFrom(1, 7 * 60, 25 * 60) })
  .chain(({ booking, minutes, page }) =>
    fc.subarray(
      [
        payerAction("pay", page),
        delivery,
        waits(25 * 60),
        waits(minutes),
        cancels(booking),
        tasksWith("createRefund"),
        tasksWith(undefined)
      ],
      { minLength: 5 }
    )
  )
/** A deposit is paid, then the balance. The operator may refund the deposit while the balance is processing. */
const balance = wish.chain((wish) => {
  const booked: Action = { do: "book", wish: { ...wish, kind: 2, idem: undefined }, times: 1 }
  const opens = (purpose: "due_now" | "balance"): Action => ({
    do: "page",
    booking: last,
    purpose,
    idem: undefined,
    times: 1,
    trouble: undefined
  })
  const pays = payerAction("pay", last)
  const once = [booked, opens("due_now"), pays, delivery, opens("balance"), pays, delivery, opens("balance")]
  const back: Action = { do: "refundInDashboard", page: last, percent: 100 }
  const later = [
    payerAction("pay_later", last),
    delivery,
    back,
    waits(7 * 60),
    reconciliation,
    payerAction("late_success", last),
    delivery
  ]
  const between = [booked, opens("due_now"), pays, delivery, opens("balance"), ...later]
  return fc.oneof(fc.subarray(once, { minLength: 6 }), fc.subarray(between, { minLength: 10 }))
})
const other = fc.record({
  do: act("refundInDashboard"),
  page: fc.constant(last),
  percent: fc.constantFrom(10, 30, 50, 100)
})
/** A payment is refunded by the service, by the operator in the dashboard, and through a dispute. */
const severalHands = fc
  .record({
    book,
    wish: fc.constantFrom<CancelChoice>("terms", "terms", "third", "third", "full", "none"),
    first: fc.oneof(other, dispute),
    later: fc.oneof(other, other, dispute),
    decide,
    turn: fc.oneof(turnDispute, turnRefund),
    again: fc.oneof(turnDispute, turnRefund),
    poor: fc.boolean(),
    deposit: fc.boolean()
  })
  .chain(({ again, book, decide, deposit, first, later, poor, turn, wish }) => {
    const opens = (purpose: "due_now" | "balance"): Action => ({
      do: "page",
      booking: last,
      purpose,
      idem: undefined,
      times: 1,
      trouble: undefined
    })
    const pays = [payerAction("pay", last), delivery]
    const paid = [book, opens("due_now"), ...pays, ...(deposit ? [opens("balance"), ...pays] : [])]
    const poorly = (now: boolean): Action => ({ do: "poor", now })
    const more = [
      first,
      poorly(poor),
      { do: "cancel", booking: last, paid: true, wish } as const,
      later,
      tasksWith(undefined),
      waits(25 * 60),
      reconciliation,
      decide,
      poorly(false),
      waits(25 * 60),
      reconciliation,
      turn,
      waits(25 * 60),
      reconciliation,
      tasksWith(undefined),
      again,
      waits(25 * 60),
      reconciliation
    ]
    return fc.subarray(more, { minLength: 6 }).map((some) => [...paid, ...some])
  })
/** A paid booking is moved twice. The refund or the difference may be settled in between. */
const moves = fc
  .record({ book, first: move, second: move, between: fc.oneof(cancel, wait, refundInDashboard, deliver) })
  .chain(({ between, book, first, second }) => {
    const opens = (purpose: "due_now" | "balance"): Action => ({
      do: "page",
      booking: last,
      purpose,
      idem: undefined,
      times: 1,
      trouble: undefined
    })
    const pays = [payerAction("pay", last), delivery]
    const then = [
      { ...first, booking: last },
      opens("balance"),
      ...pays,
      tasksWith(undefined),
      between,
      { ...second, booking: last },
      tasksWith(undefined),
      opens("balance"),
      ...pays
    ]
    return fc.subarray(then, { minLength: 6 }).map((some) => [book, opens("due_now"), ...pays, ...some])
  })
/** A balance stays unpaid, its places are released, and it may be paid late. Money may turn, or the booking move, before. */
const unpaidBalance = fc
  .record({
    wish,
    kind: fc.constantFrom(5, 6),
    pageAction: fc.constantFrom<PageAction>("pay", "pay", "pay_later", "expire", "free"),
    presented,
    back: fc.oneof(other, dispute),
    move,
    between: fc.oneof(rival, cancel, other, turnRefund, reconcile, tasks),
    away: fc.constantFrom(true, true, false)
  })
  .chain(({ away, back, between, kind, move, pageAction, presented, wish }) => {
    const opens = (purpose: "due_now" | "balance"): Action => ({
      do: "page",
      booking: last,
      purpose,
      idem: undefined,
      times: 1,
      trouble: undefined
    })
    const booked: Action = { do: "book", wish: { ...wish, kind, idem: undefined }, times: 1 }
    const pays = payerAction("pay", last)
    const late = [
      waits(25 * 60),
      opens("balance"),
      back,
      { ...move, booking: last } as const,
      opens("balance"),
      waits(16 * 60),
      reconciliation,
      opens("balance"),
      provider(away),
      { do: "payer", page: last, pageAction, twice: true, presented } as const,
      waits(9 * 60),
      reconciliation,
      between,
      provider(false),
      tasksWith(undefined),
      delivery,
      payerAction("late_success", last),
      { ...delivery, thin: true },
      waits(7 * 60),
      reconciliation,
      delivery
    ]
    const paidTooLate = [
      waits(25 * 60),
      waits(16 * 60),
      opens("balance"),
      { do: "payer", page: last, pageAction, twice: true, presented } as const,
      provider(away),
      waits(9 * 60),
      reconciliation,
      between,
      provider(false),
      reconciliation,
      delivery,
      tasksWith(undefined)
    ]
    return fc
      .oneof(fc.subarray(late, { minLength: 8 }), fc.subarray(paidTooLate, { minLength: 10 }))
      .map((some) => [booked, opens("due_now"), pays, delivery, waits(10 * 60), ...some])
  })
const storyOf = (all: ReadonlyArray<Action>): Action => ({ do: "story", all })
const story = fc.oneof(
  lateMoney.map(storyOf),
  unknownPayment.map(storyOf),
  delayed.map(storyOf),
  cancelled.map(storyOf),
  balance.map(storyOf),
  severalHands.map(storyOf),
  moves.map(storyOf),
  unpaidBalance.map(storyOf)
)

const weighted = <A extends Action>(weight: number, arbitrary: fc.Arbitrary<A>) => ({ weight, arbitrary })

export const action: fc.Arbitrary<Action> = fc.oneof(
  weighted(6, book),
  weighted(1, bookSeen),
  weighted(1, retry),
  weighted(3, askAgain),
  weighted(1, rival),
  weighted(4, story),
  weighted(2, severalHands.map(storyOf)),
  weighted(8, openPage),
  weighted(8, payer),
  weighted(5, deliver),
  weighted(1, lose),
  weighted(5, wait),
  weighted(2, cancel),
  weighted(2, move),
  weighted(2, moves.map(storyOf)),
  weighted(3, unpaidBalance.map(storyOf)),
  weighted(1, refundInDashboard),
  weighted(1, dispute),
  weighted(1, decide),
  weighted(2, turnDispute),
  weighted(2, turnRefund),
  weighted(1, fc.record({ do: act("poor"), now: fc.boolean() })),
  weighted(1, fc.record({ do: act("away"), now: fc.boolean() })),
  weighted(1, fc.record({ do: act("disconnect"), now: fc.boolean() })),
  weighted(1, subscribing),
  weighted(1, fc.record({ do: act("slowRefunds"), now: fc.boolean() })),
  weighted(3, reconcile),
  weighted(2, tasks),
  weighted(1, fc.record({ do: act("peek"), booking })),
  weighted(1, fc.record({ do: act("prices"), edition: upTo(1) })),
  weighted(1, fc.record({ do: act("close"), day: upTo(days.length - 1), closed: fc.boolean() })),
  weighted(3, atOnce),
  weighted(3, during)
)

/** The start of every script: some bookings and their payment pages. */
export const opening: fc.Arbitrary<ReadonlyArray<Action>> = fc
  .tuple(
    fc.array(book, { minLength: 1, maxLength: 4 }),
    fc.array(openPage, { maxLength: 3 }),
    fc.array(story, { maxLength: 1 })
  )
  .map((parts) => parts.flat())
