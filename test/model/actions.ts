/**
 * Actions as data, and their generators; `scripts.ts` makes scripts of them. Numbers of bookings, pages and events are
 * indexes modulo the list's length.
 */
import * as fc from "fast-check"
import type { PageAction, Operation } from "../support/ScriptedGateway.ts"
import { type CorrectContact, correction } from "./contacts.ts"
import { closing, type DeskAct, deskActOn } from "./deskActions.ts"
import { last } from "./Ledger.ts"
import type { MisfitAction } from "./misfits.ts"
import type { By } from "./moving.ts"
import { code, days, type Extras, type Sizes } from "./hall.ts"
import { sizes } from "./sizes.ts"
import { orderPages, type OrderAct, orders } from "./orders.ts"
import type { Subscribing } from "./subscription.ts"
import { type RequestVariant, as, type AskAgain, askAgain } from "./repeatedRequests.ts"
import { leavings, waitings, type WaitAct } from "./waiting.ts"
import type { CallFault } from "./world.ts"

export interface VisitRequest {
  readonly key: number
  readonly email: number
  readonly kind: number
  readonly day: number
  readonly slot: number
  readonly children: number
  readonly extras: Extras
  /** Of as many children as may come; those that do have the first. */
  readonly ages?: ReadonlyArray<number> | undefined
  readonly code?: string | undefined
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
  | CorrectContact
  /** Someone else books the visit of a booking. */
  | { readonly do: "rival"; readonly booking: number; readonly email: number }
  /** The operator moves a booking to a new option or, with `seen`, to one from an earlier answer. */
  | {
      readonly do: "move"
      readonly booking: number
      readonly wish: VisitRequest
      readonly seen: number | undefined
      readonly by: "desk" | "command"
    }
  /** The family changes its party at its own start on its page, or staff do. */
  | {
      readonly do: "party"
      readonly booking: number
      readonly children: number
      readonly extras: Extras
      readonly ages: ReadonlyArray<number> | undefined
      readonly by: By
    }
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
  | {
      readonly do: "cancel"
      readonly booking: number
      readonly paid: boolean
      readonly wish: CancelChoice | "family"
      readonly by: "desk" | "command"
    }
  | { readonly do: "desk"; readonly act: DeskAct }
  | MisfitAction
  | OrderAct
  | WaitAct
  /** Waits until a booking's visit begins, or so many minutes after or, if negative, before it. */
  | { readonly do: "until"; readonly booking: number; readonly minutes: number }
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
  /** An import gives rooms and stock other sizes; `force`: also if there is too little for bookings then. */
  | { readonly do: "sizes"; readonly sizes: Sizes; readonly force: boolean }
  /** A sequence; each action is a step. */
  | { readonly do: "story"; readonly all: ReadonlyArray<Action> }
  /** Concurrent actions. */
  | { readonly do: "atOnce"; readonly all: ReadonlyArray<Action> }
  /** Runs `first` until it calls the provider's `operation`, and `meanwhile` before that call returns. */
  | { readonly do: "during"; readonly first: Action; readonly operation: Operation; readonly meanwhile: Action }

export const upTo = (max: number) => fc.nat({ max })
const idem = fc.option(upTo(4), { nil: undefined, freq: 2 })
const sometimes = <A>(value: fc.Arbitrary<A>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value })
export const act = <T extends Action["do"]>(name: T) => fc.constant(name)

const ages = fc.option(fc.array(fc.constantFrom(1, 2, 3, 4, 8), { minLength: 8, maxLength: 8 }), {
  nil: undefined,
  freq: 2
})
const extras: fc.Arbitrary<Extras> = fc.tuple(fc.constantFrom(0, 0, 1, 2), fc.constantFrom(0, 0, 1, 2))
export const wish = fc.record({
  key: upTo(1),
  email: upTo(2),
  kind: fc.constantFrom(0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 4, 5, 6, 7, 7, 8, 8, 9, 9, 10, 10, 10, 10),
  day: upTo(days.length - 1),
  slot: upTo(2),
  children: fc.integer({ min: 1, max: 8 }),
  extras,
  ages,
  code: fc.constantFrom(undefined, code.code, code.code, "NOSUCH15"),
  idem,
  as
})
const times = fc.constantFrom(1, 1, 1, 2, 3)
export const booking = upTo(20)
export const page = fc.oneof(upTo(20), fc.constant(last))
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

export const book = fc.record({ do: act("book"), wish, times })
export const openPage = fc.record({ do: act("page"), booking, purpose, idem, times, trouble })
export const presented = sometimes(
  fc.record({ amount: fc.integer({ min: 1, max: 99_999 }), currency: fc.constantFrom("USD", "JPY") })
)
export const payer = fc.record({ do: act("payer"), page, pageAction, twice: fc.boolean(), presented })
export const deliver = fc.record({
  do: act("deliver"),
  event: upTo(10),
  times: fc.constantFrom(1, 1, 2),
  again: fc.boolean(),
  apply: fc.constantFrom(true, true, false),
  other: fc.constantFrom(false, false, true),
  thin: fc.constantFrom(false, false, true)
})
export const wait = fc.record({
  do: act("wait"),
  minutes: fc.constantFrom(1, 3, 10, 16, 16, 33, 38, 38, 7 * 60, 25 * 60)
})
const byStaff = fc.constantFrom("desk" as const, "command" as const)
const cancelWish = fc.constantFrom<CancelChoice | "family">(
  "terms",
  "terms",
  "family",
  "family",
  "full",
  "none",
  "third"
)
export const cancel = fc.record({ do: act("cancel"), booking, paid: fc.boolean(), wish: cancelWish, by: byStaff })
export const reconcile = fc.record({ do: act("reconcile"), all: fc.boolean(), trouble: sometimes(asked) })
export const tasks = fc.record({ do: act("tasks"), trouble: sometimes(asked) })
export const refundInDashboard = fc.record({
  do: act("refundInDashboard"),
  page,
  percent: fc.constantFrom(10, 50, 100)
})
export const dispute = fc.record({ do: act("dispute"), page, percent: fc.constantFrom(30, 100, 100) })
export const decide = fc.record({
  do: act("decide"),
  dispute: upTo(5),
  as: fc.constantFrom("won" as const, "lost" as const)
})
export const turnDispute = fc.record({
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
export const turnRefund = fc.record({
  do: act("turnRefund"),
  refund: fc.oneof(upTo(5), fc.constant(last)),
  to: fc.constantFrom("succeeded", "failed", "canceled", "pending", "requires_action"),
  percent: fc.constantFrom(100, 100, 40)
})
export const bookSeen = fc.record({ do: act("bookSeen"), seen: upTo(20), key: upTo(1), email: upTo(2), idem, as })
export const retry = fc.record({ do: act("retry"), booking, otherwise: fc.boolean() })
export const rival = fc.record({ do: act("rival"), booking, email: upTo(2) })
export const move = fc.record({
  do: act("move"),
  booking: fc.oneof(booking, fc.constant(last)),
  wish,
  seen: sometimes(upTo(20)),
  by: byStaff
})
export const party = fc.record({
  do: act("party"),
  booking: fc.oneof(booking, fc.constant(last)),
  children: fc.integer({ min: 1, max: 8 }),
  extras,
  ages,
  by: fc.constantFrom<By>("family", "family", "desk", "command")
})
export const lose = fc.record({ do: act("lose"), event: upTo(10) })

export const deskOn = (one: fc.Arbitrary<number>) => fc.record({ do: act("desk"), act: deskActOn(one) })
export const desk = deskOn(booking)
export const closingTimes = closing(wish).map((one): Action => ({ do: "desk", act: one }))
export const resize = fc.record({ do: act("sizes"), sizes, force: fc.boolean() })
export const correct = correction(fc.oneof(booking, fc.constant(last)))
export const ordering = orders(wish)
const together: fc.Arbitrary<Action> = fc.oneof(
  book,
  ordering,
  orderPages,
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
  move,
  party,
  correct,
  desk,
  closingTimes,
  waitings,
  leavings
)
export const until = fc.record({
  do: act("until"),
  booking: fc.oneof(booking, fc.constant(last)),
  minutes: fc.constantFrom(-60, -1, 0, 30, 24 * 60, 31 * 24 * 60, 32 * 24 * 60)
})
export const atOnce = fc.record({ do: act("atOnce"), all: fc.array(together, { minLength: 2, maxLength: 5 }) })
const asking: fc.Arbitrary<readonly [Action, Operation]> = fc.oneof(
  openPage.map((first) => [first, "createSession"] as const),
  reconcile.map((first) => [first, "expireSession"] as const),
  reconcile.map((first) => [first, "getSession"] as const),
  tasks.map((first) => [first, "createRefund"] as const),
  tasks.map((first) => [first, "listRefunds"] as const),
  cancel.map((first) => [first, "listDisputes"] as const),
  tasks.map((first) => [first, "expireSession"] as const)
)
export const during = fc
  .tuple(asking, fc.oneof(together, wait, payer))
  .map(([[first, operation], meanwhile]) => ({ do: "during" as const, first, operation, meanwhile }))
