/**
 * What scripts are made of: actions by chance, and stories, which are sequences that chance alone would hardly find.
 */
import * as fc from "fast-check"
import type { PageAction } from "../support/ScriptedGateway.ts"
import {
  act,
  atOnce,
  book,
  bookSeen,
  booking,
  cancel,
  closingTimes,
  correct,
  decide,
  deliver,
  desk,
  dispute,
  during,
  lose,
  move,
  openPage,
  ordering,
  page,
  party,
  payer,
  presented,
  reconcile,
  refundInDashboard,
  resize,
  retry,
  rival,
  tasks,
  turnDispute,
  turnRefund,
  until,
  upTo,
  wait,
  wish,
  type Action,
  type CancelChoice
} from "./actions.ts"
import { code, days, editions } from "./hall.ts"
import { closedStory, deskStory, smallerStory, voucherStory } from "./deskStories.ts"
import { last } from "./Ledger.ts"
import { deciding, misfitStory, misfitting } from "./misfits.ts"
import { orderPages, orderPayers } from "./orders.ts"
import { delivery, opens, payerAction, provider, reconciliation, tasksWith, waits } from "./moves.ts"
import { askAgain } from "./repeatedRequests.ts"
import { subscribing } from "./subscription.ts"
import { leavings, waitings } from "./waiting.ts"

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
const cancels = (booking: number): Action => ({ do: "cancel", booking, paid: true, wish: "terms", by: "command" })
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
    const pays = [payerAction("pay", last), delivery]
    const paid = [book, opens("due_now"), ...pays, ...(deposit ? [opens("balance"), ...pays] : [])]
    const poorly = (now: boolean): Action => ({ do: "poor", now })
    const more = [
      first,
      poorly(poor),
      { do: "cancel", booking: last, paid: true, wish, by: "desk" } as const,
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
/**
 * A paid booking changes twice: it is moved, or has another party. The refund or the difference may be settled in
 * between.
 */
const change = fc.oneof(move, party, party)
const changesTwice = fc
  .record({ book, first: change, second: change, between: fc.oneof(cancel, wait, refundInDashboard, deliver) })
  .chain(({ between, book, first, second }) => {
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
/**
 * A paid booking moves to the other room and back, with another change and its balance in between; then, maybe, its
 * place is booked anew.
 */
const betweenRooms = fc
  .record({
    wish,
    here: fc.constantFrom([0, 7], [2, 8], [7, 0], [8, 2], [1, 8], [10, 0], [9, 10]),
    between: fc.oneof(cancel, party, rival, refundInDashboard, deliver),
    anew: fc.boolean()
  })
  .chain(({ anew, between, here: [kind = 0, other = 7], wish }) => {
    const booked: Action = { do: "book", wish: { ...wish, kind, idem: undefined }, times: 1 }
    const pays = [payerAction("pay", last), delivery]
    const to = (room: number): Action => ({
      do: "move",
      booking: last,
      wish: { ...wish, kind: room },
      seen: undefined,
      by: "command"
    })
    const then = [
      to(other),
      opens("balance"),
      ...pays,
      tasksWith(undefined),
      between,
      to(kind),
      tasksWith(undefined),
      to(other)
    ]
    const start = [booked, opens("due_now"), ...pays]
    return fc.subarray(then, { minLength: 5 }).map((some) => [...start, ...some, ...(anew ? start : [])])
  })
/**
 * A balance stays unpaid, its places are released, and it may be paid late. Money may turn, or the booking change,
 * before.
 */
const unpaidBalance = fc
  .record({
    wish,
    kind: fc.constantFrom(5, 6),
    pageAction: fc.constantFrom<PageAction>("pay", "pay", "pay_later", "expire", "free"),
    presented,
    back: fc.oneof(other, dispute),
    change,
    between: fc.oneof(rival, cancel, other, turnRefund, reconcile, tasks),
    away: fc.constantFrom(true, true, false)
  })
  .chain(({ away, back, between, change, kind, pageAction, presented, wish }) => {
    const booked: Action = { do: "book", wish: { ...wish, kind, idem: undefined }, times: 1 }
    const pays = payerAction("pay", last)
    const late = [
      waits(25 * 60),
      opens("balance"),
      back,
      { ...change, booking: last } as const,
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
/** A contact is corrected, and the call for it comes again: as it was, and by others as it is. */
const corrects = fc
  .record({ book, rival, correct, again: correct, askAgain, between: fc.oneof(rival, openPage, payer, move, cancel) })
  .map(({ again, askAgain, between, book, correct, rival }): ReadonlyArray<Action> => [
    book,
    { ...correct, booking: last },
    { ...askAgain, booking: last },
    between,
    rival,
    { ...again, booking: last },
    { ...askAgain, booking: last }
  ])
/** Families want the last uses of a code at once; one may pay when its hold is over and another has its use. */
const codeRush = fc
  .record({ wishes: fc.array(wish, { minLength: 3, maxLength: 4 }), change, late: fc.boolean(), cancel })
  .map(({ cancel, change, late, wishes }): ReadonlyArray<Action> => {
    const books = wishes.map((wish, i): Action => {
      const own = {
        ...wish,
        key: i % 2,
        email: i % 3,
        kind: 10,
        children: 1 + (i % 2),
        code: code.code,
        idem: undefined
      }
      return { do: "book", wish: own, times: 1 }
    })
    const [first = cancel, ...others] = books
    const pays = payerAction("pay", last)
    const paysLate = [
      provider(true),
      waits(38),
      reconciliation,
      { do: "atOnce", all: others } as const,
      provider(false)
    ]
    return [
      ...(late ? [first, opens("due_now"), pays, ...paysLate] : [{ do: "atOnce", all: books } as const]),
      opens("due_now"),
      pays,
      delivery,
      reconciliation,
      { ...change, booking: last },
      cancel,
      first
    ]
  })
/**
 * Several bookings of one call are paid by one page: in time, twice, or when the holds are over and others want the
 * places. One of them may change, end or be paid by itself before.
 */
const orderStory = fc
  .record({
    ordering,
    pageAction: fc.constantFrom<PageAction>("pay", "pay", "pay", "pay_later"),
    between: fc.oneof(cancel, move, party, rival, desk, book, openPage),
    after: fc.oneof(cancel, cancel, move, party, refundInDashboard, desk),
    alone: fc.boolean(),
    late: fc.boolean()
  })
  .chain(({ after, alone, between, late, ordering, pageAction }) => {
    const pays = (action: PageAction): Action => ({ do: "orderPayer", page: last, pageAction: action, twice: false })
    const some: ReadonlyArray<Action> = [
      ...(alone ? [opens("due_now"), payerAction("pay", last)] : []),
      between,
      pays(pageAction),
      ...(late ? [provider(true), waits(38), reconciliation, provider(false)] : []),
      delivery,
      delivery,
      pays("late_success"),
      delivery,
      reconciliation,
      after,
      tasksWith(undefined),
      waits(25 * 60),
      reconciliation
    ]
    return fc
      .subarray([...some], { minLength: 7 })
      .map((steps): ReadonlyArray<Action> => [ordering, { do: "orderPage", booking: last }, ...steps])
  })
/**
 * Families wait for the whole room, which is given back, or whose hold ends. Whoever is offered it pays, or lets it go
 * to the next.
 */
const waitingStory = fc
  .record({
    wish,
    waits: fc.array(waitings, { minLength: 2, maxLength: 4 }),
    given: fc.constantFrom<ReadonlyArray<Action>>(
      [cancels(last)],
      [waits(38), reconciliation],
      [{ do: "desk", act: { step: "move", booking: last, kind: 2, day: 1, slot: 0 } }]
    ),
    paid: fc.boolean(),
    between: fc.oneof(rival, book, move, party, leavings, closingTimes, resize),
    after: fc.oneof(cancel, move, askAgain, wait)
  })
  .chain(({ after, between, given, paid, waits: waiting, wish }) => {
    const booked: Action = { do: "book", wish: { ...wish, kind: 1, idem: undefined, as: "plain" }, times: 1 }
    const pays = [opens("due_now"), payerAction("pay", last), delivery]
    const some: ReadonlyArray<Action> = [
      ...(paid ? pays : []),
      between,
      ...given,
      ...waiting.slice(2),
      ...pays,
      after,
      waits(38),
      waits(38),
      reconciliation,
      ...pays,
      cancels(last)
    ]
    return fc
      .subarray([...some], { minLength: 7 })
      .map((steps): ReadonlyArray<Action> => [booked, ...waiting.slice(0, 2), ...steps])
  })
const storyOf = (all: ReadonlyArray<Action>): Action => ({ do: "story", all })
const story = fc.oneof(
  lateMoney.map(storyOf),
  unknownPayment.map(storyOf),
  delayed.map(storyOf),
  cancelled.map(storyOf),
  balance.map(storyOf),
  severalHands.map(storyOf),
  changesTwice.map(storyOf),
  betweenRooms.map(storyOf),
  unpaidBalance.map(storyOf),
  deskStory.map(storyOf),
  misfitStory.map(storyOf)
)

const weighted = <A extends Action>(weight: number, arbitrary: fc.Arbitrary<A>) => ({ weight, arbitrary })

export const action: fc.Arbitrary<Action> = fc.oneof(
  weighted(6, book),
  weighted(1, bookSeen),
  weighted(1, retry),
  weighted(3, askAgain),
  weighted(2, ordering),
  weighted(3, orderPages),
  weighted(3, orderPayers),
  weighted(6, orderStory.map(storyOf)),
  weighted(2, waitings),
  weighted(1, leavings),
  weighted(6, waitingStory.map(storyOf)),
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
  weighted(3, party),
  weighted(2, changesTwice.map(storyOf)),
  weighted(3, betweenRooms.map(storyOf)),
  weighted(3, unpaidBalance.map(storyOf)),
  weighted(3, codeRush.map(storyOf)),
  weighted(8, voucherStory.map(storyOf)),
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
  weighted(1, fc.record({ do: act("prices"), edition: upTo(editions - 1) })),
  weighted(1, fc.record({ do: act("close"), day: upTo(days.length - 1), closed: fc.boolean() })),
  weighted(3, desk),
  weighted(14, deskStory.map(storyOf)),
  weighted(2, closingTimes),
  weighted(4, closedStory.map(storyOf)),
  weighted(1, resize),
  weighted(6, smallerStory.map(storyOf)),
  weighted(4, correct),
  weighted(2, corrects.map(storyOf)),
  weighted(2, misfitting),
  weighted(2, deciding),
  weighted(8, misfitStory.map(storyOf)),
  weighted(1, until),
  weighted(3, atOnce),
  weighted(3, during)
)

/** The start of every script: some bookings and their payment pages. */
export const opening: fc.Arbitrary<ReadonlyArray<Action>> = fc
  .tuple(
    fc.array(book, { minLength: 1, maxLength: 4 }),
    fc.array(openPage, { maxLength: 3 }),
    // Later, most scripts have waited for the visits, and nothing is left to be booked.
    fc.array(
      fc.oneof(
        { weight: 2, arbitrary: story },
        { weight: 3, arbitrary: orderStory.map(storyOf) },
        { weight: 3, arbitrary: waitingStory.map(storyOf) },
        { weight: 1, arbitrary: closedStory.map(storyOf) },
        { weight: 2, arbitrary: smallerStory.map(storyOf) }
      ),
      { maxLength: 1 }
    )
  )
  .map((parts) => parts.flat())
