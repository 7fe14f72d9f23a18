/**
 * What staff do at the desk, as data: a table of steps, their generators, and stories of a booking with several people
 * at once.
 */
import { Effect } from "effect"
import * as fc from "fast-check"
import type { ClosedTimes } from "../../src/domain/booking/ClosedTime.ts"
import type { PaidThere } from "../../src/domain/payment/changes/VenueBookings.ts"
import { OfflinePaymentMethod } from "../../src/domain/payment/sessions/PaymentSession.ts"
import type { VisitRequest } from "./actions.ts"
import { createAtOnce, listOptions, requestOf, venueKey } from "./booking.ts"
import {
  type BackPart,
  giveBack,
  mark,
  type Member,
  type Part,
  returned,
  staff,
  takePayment,
  undoPayment
} from "./desk.ts"
import { carryOutByCommand, planByCommand } from "./command.ts"
import { carryOut, close, planClosed, reopen } from "./closing.ts"
import { closedTimes, days, kinds, type Room } from "./hall.ts"
import { type Booked, last, type Ledger, type Mark, nth } from "./Ledger.ts"
import { moveToTime } from "./moving.ts"
import { sell, sells, spend, spends, unsell, unsells, type VoucherAct } from "./vouchers.ts"
import type { World } from "./world.ts"

/** A step at the desk. Numbers are indexes modulo the list's length, as in `actions.ts`. */
export type DeskAct =
  | {
      readonly step: "pay"
      readonly booking: number
      readonly part: Part
      readonly way: OfflinePaymentMethod
      readonly by: Member
    }
  | { readonly step: "unpay"; readonly payment: number; readonly by: Member }
  | { readonly step: "back"; readonly booking: number; readonly part: BackPart; readonly by: Member }
  | { readonly step: "returned"; readonly refund: number; readonly way: OfflinePaymentMethod }
  | {
      readonly step: "mark"
      readonly booking: number
      readonly mark: Mark
      readonly undo: boolean
      readonly by: Member
    }
  | {
      readonly step: "move"
      readonly booking: number
      readonly kind: number
      readonly day: number
      readonly slot: number
    }
  | VoucherAct
  | { readonly step: "book"; readonly wish: VisitRequest; readonly times: number; readonly paid: PaidThere | undefined }
  | {
      readonly step: "close"
      readonly room: Room | undefined
      readonly times: ClosedTimes
      readonly by: "desk" | "command"
    }
  | { readonly step: "reopen"; readonly closure: number }
  /** A page says what cancelling the bookings in closed time gives back, of all or all but one; and that is done. */
  | { readonly step: "plan"; readonly keep: number | undefined }
  | { readonly step: "carryOut" }
  /** The same by `playroom booking closed`; one of them may move. */
  | { readonly step: "planByCommand"; readonly keep: number | undefined; readonly move: VisitRequest | undefined }
  | { readonly step: "carryOutByCommand" }

/** Performs a step. `alone`: nothing runs concurrently. */
export const atDesk = Effect.fnUntraced(function* (
  ledger: Ledger,
  act: DeskAct,
  alone: boolean
): Effect.fn.Return<void, unknown, World> {
  const of = (n: number, then: (booked: Booked) => Effect.Effect<void, unknown, World>) => {
    const booked = nth(ledger.bookings, n)
    return booked === undefined ? Effect.void : then(booked)
  }
  switch (act.step) {
    case "pay":
      return yield* of(act.booking, (booked) => takePayment(ledger, booked, act, alone))
    case "sell":
      return yield* sell(ledger, act)
    case "unsell":
      return yield* unsell(ledger, act.voucher, alone)
    case "spend":
      return yield* of(act.booking, (booked) => spend(ledger, booked, act, alone))
    case "unpay":
      return yield* undoPayment(ledger, act.payment, act.by, alone)
    case "back":
      return yield* of(act.booking, (booked) => giveBack(ledger, booked, act, alone))
    case "returned":
      return yield* returned(ledger, act.refund, act.way, alone)
    case "mark":
      return yield* of(act.booking, (booked) => mark(ledger, booked, act, alone))
    case "move":
      return yield* of(act.booking, (booked) => moveToTime(ledger, booked, act, alone))
    case "book": {
      const seen = nth(yield* listOptions(ledger, act.wish, alone), act.wish.slot)
      if (seen === undefined) return
      const request = { ...requestOf(seen, act.wish), key: venueKey, paid: act.paid }
      return yield* createAtOnce(ledger, request, act.times, alone)
    }
    case "close":
      return yield* close(ledger, act, alone)
    case "reopen":
      return yield* reopen(ledger, act.closure, alone)
    case "plan":
      return yield* planClosed(ledger, act.keep, alone)
    case "carryOut":
      return yield* carryOut(ledger, alone)
    case "planByCommand":
      return yield* planByCommand(ledger, act, alone)
    case "carryOutByCommand":
      return yield* carryOutByCommand(ledger, alone)
  }
})

const by = fc.constantFrom(...staff)
const way = fc.constantFrom(...OfflinePaymentMethod.literals)
const upTo = (max: number) => fc.nat({ max })
const some = fc.oneof(upTo(20), fc.constant(last))
const step = <T extends DeskAct["step"]>(name: T) => fc.constant(name)

/** Steps of staff with a booking; `wish` books another. */
const steps = (booking: fc.Arbitrary<number>) => ({
  pay: fc.record({
    step: step("pay"),
    booking,
    part: fc.constantFrom<Part>("all", "due", "half", "half", "more"),
    way,
    by
  }),
  unpay: fc.record({ step: step("unpay"), payment: some, by }),
  back: fc.record({
    step: step("back"),
    booking,
    part: fc.constantFrom<BackPart>("third", "third", "all", "more"),
    by
  }),
  returned: fc.record({ step: step("returned"), refund: some, way }),
  mark: fc.record({
    step: step("mark"),
    booking,
    mark: fc.constantFrom<Mark>("arrived", "arrived", "no_show"),
    undo: fc.constantFrom(false, false, true),
    by
  }),
  move: fc.record({
    step: step("move"),
    booking,
    kind: upTo(kinds.length - 1),
    day: upTo(days.length - 1),
    slot: upTo(2)
  })
})

export const bookAtDesk = (wish: fc.Arbitrary<VisitRequest>): fc.Arbitrary<DeskAct> =>
  fc.record({
    step: step("book"),
    wish,
    times: fc.constantFrom(1, 1, 2),
    paid: fc.option(fc.record({ way, amount: fc.constantFrom("due_now" as const, "total" as const) }), {
      nil: undefined
    })
  })

const keeping = fc.option(upTo(3), { nil: undefined, freq: 2 })
/** How staff close times: `times` of `closedTimes`. */
export const closes = (times: fc.Arbitrary<ClosedTimes>) =>
  fc.record({
    step: step("close"),
    room: fc.constantFrom<Room | undefined>(undefined, 0, 1),
    times,
    by: fc.constantFrom("desk" as const, "command" as const)
  })
export const plans = fc.record({ step: step("plan"), keep: keeping })
export const reopens = fc.record({ step: step("reopen"), closure: some })
export const carriesOut: DeskAct = { step: "carryOut" }
export const plansByCommand = (wish: fc.Arbitrary<VisitRequest>) =>
  fc.record({ step: step("planByCommand"), keep: keeping, move: fc.option(wish, { nil: undefined, freq: 2 }) })
export const carriesOutByCommand: DeskAct = { step: "carryOutByCommand" }

/** Staff close a part of a day, or days, reopen them, or cancel what is booked then. */
export const closing = (wish: fc.Arbitrary<VisitRequest>): fc.Arbitrary<DeskAct> =>
  fc.oneof(
    closes(fc.constantFrom(...closedTimes)),
    reopens,
    reopens,
    plans,
    fc.constant(carriesOut),
    plansByCommand(wish),
    fc.constant(carriesOutByCommand)
  )

/** What staff do with a booking. */
export const deskActOn = (booking: fc.Arbitrary<number>): fc.Arbitrary<DeskAct> => {
  const { back, mark, move, pay, returned, unpay } = steps(booking)
  const pays = spends(booking)
  return fc.oneof(pay, pay, pays, pays, unpay, back, returned, mark, move, sells, unsells)
}
