/** Stories of one booking with which two members of staff and a family are busy at once. */
import * as fc from "fast-check"
import {
  type Action,
  book,
  cancel,
  deskOn,
  move,
  party,
  refundInDashboard,
  resize,
  rival,
  until,
  wait,
  wish
} from "./actions.ts"
import {
  bookAtDesk,
  carriesOut,
  carriesOutByCommand,
  closes,
  type DeskAct,
  plans,
  plansByCommand
} from "./deskActions.ts"
import { closedTimes, type Sizes } from "./hall.ts"
import { type Part, staff } from "./desk.ts"
import { last, type Mark } from "./Ledger.ts"
import { sells, spends, unsells } from "./vouchers.ts"
import { delivery, opens, payerAction, reconciliation, tasksWith } from "./moves.ts"

const here = fc.constant(last)
const staffDoes = fc.oneof(
  { weight: 6, arbitrary: deskOn(here) },
  {
    weight: 1,
    arbitrary: cancel.map((one): Action => ({
      ...one,
      booking: last,
      wish: one.wish === "family" ? "terms" : one.wish
    }))
  },
  { weight: 1, arbitrary: move.map((one): Action => ({ ...one, booking: last })) },
  { weight: 1, arbitrary: party.map((one): Action => ({ ...one, booking: last, by: "desk" })) }
)
const pays = (purpose: "due_now" | "balance"): Action => ({
  do: "story",
  all: [opens(purpose), payerAction("pay", last), delivery]
})
const familyDoes = fc.oneof(
  fc.constantFrom<Action>(
    pays("due_now"),
    pays("balance"),
    opens("balance"),
    payerAction("pay", last),
    payerAction("pay_later", last),
    { do: "cancel", booking: last, paid: false, wish: "family", by: "desk" }
  ),
  party.map((one): Action => ({ ...one, booking: last, by: "family" }))
)
const together = fc
  .tuple(staffDoes, staffDoes, familyDoes)
  .chain((all) => fc.subarray<Action>(all, { minLength: 2 }))
  .map((all): Action => ({ do: "atOnce", all }))
const meanwhile = fc.oneof(
  fc.constantFrom<Action>(delivery, tasksWith(undefined), reconciliation, opens("balance"), payerAction("pay", last)),
  wait,
  refundInDashboard
)
const begins = fc.oneof(
  book.map((one): ReadonlyArray<Action> => [one]),
  book.map((one): ReadonlyArray<Action> => [one, pays("due_now")]),
  bookAtDesk(wish).map((made): ReadonlyArray<Action> => [{ do: "desk", act: made }])
)
const atDesk = (act: DeskAct): Action => ({ do: "desk", act })
const marks: fc.Arbitrary<Action> = fc
  .record({
    mark: fc.constantFrom<Mark>("arrived", "no_show"),
    undo: fc.constantFrom(false, false, true),
    by: fc.constantFrom(...staff)
  })
  .map((how) => atDesk({ step: "mark", booking: last, ...how }))
/** Staff take a payment by mistake. */
const paysWrongly: fc.Arbitrary<Action> = fc
  .record({ part: fc.constantFrom<Part>("all", "half"), by: fc.constantFrom(...staff) })
  .map(({ by, part }) => ({
    do: "story",
    all: [atDesk({ step: "pay", booking: last, part, way: "cash", by }), atDesk({ step: "unpay", payment: last, by })]
  }))
const goesOn = fc.oneof(
  { weight: 3, arbitrary: staffDoes },
  { weight: 3, arbitrary: together },
  { weight: 2, arbitrary: familyDoes },
  { weight: 2, arbitrary: meanwhile },
  { weight: 1, arbitrary: paysWrongly }
)
/** At the visit: whether the family comes, and what is paid there. */
const visits = fc
  .tuple(
    until.map((one): Action => ({ ...one, booking: last })),
    fc.array(
      fc.oneof(
        { weight: 3, arbitrary: staffDoes },
        { weight: 3, arbitrary: together },
        { weight: 3, arbitrary: marks }
      ),
      { maxLength: 5 }
    )
  )
  .map(([time, all]): ReadonlyArray<Action> => [time, ...all])

export const deskStory: fc.Arbitrary<ReadonlyArray<Action>> = fc
  .tuple(begins, fc.array(goesOn, { minLength: 2, maxLength: 8 }), fc.option(visits, { nil: [], freq: 2 }))
  .map((parts) => parts.flat())

const cancelsAll = atDesk(carriesOut)
/**
 * Cancels what is booked in closed time while a family, or another member of staff, does something with a booking
 * there.
 */
const cancelsMeanwhile = fc
  .tuple(familyDoes, staffDoes, rival)
  .chain((all) => fc.subarray<Action>(all, { minLength: 1 }))
  .map((all): Action => ({ do: "atOnce", all: [...all, cancelsAll] }))
const commands = atDesk(carriesOutByCommand)
/** The command is cut between its preview and what it does, while a family or staff do something at the same time. */
const commandsMeanwhile = fc
  .tuple(familyDoes, staffDoes)
  .chain((all) => fc.subarray<Action>(all, { minLength: 1 }))
  .map((all): Action => ({ do: "atOnce", all: [...all, commands] }))
const happens = fc.oneof(staffDoes, staffDoes, familyDoes, meanwhile, rival)
/** Staff see what cancelling gives back, and do it, maybe after something happened. */
const seesAndCancels = fc
  .tuple(
    plans.map(atDesk),
    fc.option(happens, { nil: undefined, freq: 2 }),
    fc.oneof(fc.constant(cancelsAll), cancelsMeanwhile)
  )
  .map((all): Action => ({ do: "story", all: all.filter((one) => one !== undefined) }))
/** The same by command. */
const commandCancels = fc
  .tuple(
    plansByCommand(wish).map(atDesk),
    fc.option(happens, { nil: undefined, freq: 2 }),
    fc.oneof({ weight: 2, arbitrary: fc.constant(commands) }, { weight: 1, arbitrary: commandsMeanwhile })
  )
  .map((all): Action => ({ do: "story", all: all.filter((one) => one !== undefined) }))
const reopensLast = atDesk({ step: "reopen", closure: last })
/** Some bookings are in a time that staff close. What becomes of them, and the time is for sale again. */
export const closedStory: fc.Arbitrary<ReadonlyArray<Action>> = fc
  .tuple(
    fc.array(begins, { minLength: 1, maxLength: 3 }).map((all) => all.flat()),
    fc.oneof(closes(fc.constantFrom(...closedTimes.slice(0, 1))), closes(fc.constantFrom(...closedTimes))),
    fc.array(fc.oneof(seesAndCancels, commandCancels, happens), { maxLength: 3 }),
    fc.oneof(seesAndCancels, commandCancels)
  )
  .map(([booked, closed, then, end]) => [...booked, atDesk(closed), ...then, end, reopensLast, reopensLast])

const recent = fc.oneof(here, here, fc.nat({ max: 5 }))
/** Bookings are paid with one voucher, at once and again, while some are cancelled and it has its money back. */
export const voucherStory = fc
  .record({
    begun: fc.array(fc.oneof(book, bookAtDesk(wish).map(atDesk)), { minLength: 2, maxLength: 3 }),
    sold: fc.array(sells, { minLength: 1, maxLength: 2 }),
    spent: fc.array(spends(recent).map(atDesk), { minLength: 3, maxLength: 4 }),
    between: fc.array(fc.oneof(cancel, party, staffDoes, deskOn(recent), meanwhile), {
      minLength: 3,
      maxLength: 5
    }),
    again: spends(recent).map(atDesk),
    unsold: unsells.map(atDesk),
    atOnce: fc.boolean()
  })
  .map(({ again, atOnce, begun, between, sold, spent, unsold }): ReadonlyArray<Action> => [
    ...begun,
    ...sold.map(atDesk),
    ...(atOnce ? [{ do: "atOnce", all: spent } as const] : spent),
    { do: "atOnce", all: [...between.slice(0, 2), again, unsold] },
    tasksWith(undefined),
    ...between.slice(2),
    again,
    tasksWith(undefined)
  ])

const fewer = (sizes: Partial<Sizes>): Sizes => ({ rooms: [8, 8], machines: [2, 2], castles: 2, ...sizes })
/** Families that book the same hour of open play, with machines and castles, until there is no more. */
const crowd: fc.Arbitrary<ReadonlyArray<Action>> = fc
  .record({
    visit: fc.record({ kind: fc.constantFrom(0, 0, 7), day: fc.nat({ max: 1 }), slot: fc.nat({ max: 2 }) }),
    parties: fc.array(
      fc.record({
        children: fc.integer({ min: 2, max: 6 }),
        extras: fc.tuple(fc.constantFrom(0, 1, 1, 2), fc.constantFrom(0, 1, 1, 2)),
        paid: fc.boolean()
      }),
      { minLength: 3, maxLength: 6 }
    )
  })
  .map(({ parties, visit }) =>
    parties.flatMap(({ paid, ...party }, i): ReadonlyArray<Action> => {
      const who = { key: i % 2, email: i % 3, idem: undefined, as: "plain" } as const
      return [{ do: "book", wish: { ...visit, ...party, ...who }, times: 1 }, ...(paid ? [pays("due_now")] : [])]
    })
  )
const shrinks: fc.Arbitrary<Action> = fc
  .record({
    sizes: fc.constantFrom(fewer({}), fewer({ rooms: [6, 6] }), fewer({ rooms: [12, 12] }), fewer({ castles: 3 })),
    force: fc.constantFrom(true, true, false)
  })
  .map((how) => ({ do: "sizes", ...how }))
const grows: Action = { do: "sizes", sizes: { rooms: [15, 12], machines: [4, 4], castles: 5 }, force: false }
/** There is more, then less than bookings have; some of them are dealt with, and there may be more again. */
export const smallerStory: fc.Arbitrary<ReadonlyArray<Action>> = fc
  .tuple(
    fc.subarray<Action>([grows]),
    crowd,
    fc.oneof(shrinks, shrinks, resize),
    fc.array(fc.oneof(seesAndCancels, commandCancels, commandCancels, happens, rival, book), { maxLength: 4 }),
    fc.oneof(seesAndCancels, commandCancels, commandCancels, resize)
  )
  .map(([more, booked, less, then, end]) => [...more, ...booked, less, ...then, end])
