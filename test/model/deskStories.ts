/** Stories of one booking with which two members of staff and a family are busy at once. */
import * as fc from "fast-check"
import { type Action, book, cancel, deskOn, move, party, refundInDashboard, until, wait, wish } from "./actions.ts"
import { bookAtDesk } from "./deskActions.ts"
import { last } from "./Ledger.ts"
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
const goesOn = fc.oneof(
  { weight: 3, arbitrary: staffDoes },
  { weight: 3, arbitrary: together },
  { weight: 2, arbitrary: familyDoes },
  { weight: 2, arbitrary: meanwhile }
)
/** At the visit: whether the family comes, and what is paid there. */
const visits = fc
  .tuple(
    until.map((one): Action => ({ ...one, booking: last })),
    fc.array(fc.oneof(staffDoes, together), { maxLength: 4 })
  )
  .map(([time, all]): ReadonlyArray<Action> => [time, ...all])

export const deskStory: fc.Arbitrary<ReadonlyArray<Action>> = fc
  .tuple(begins, fc.array(goesOn, { minLength: 2, maxLength: 8 }), fc.option(visits, { nil: [], freq: 2 }))
  .map((parts) => parts.flat())
