/** Data of the page of who owes what at an operator. */
import { Clock, Effect, Option, Schema } from "effect"
import type { BookingRow } from "../../booking/Booking.ts"
import { DueBookings, type DuePosition, maxOwing } from "../../booking/DueBookings.ts"
import { type Balance, nextDueAt, standingOf, type StandingKind } from "../../booking/Standing.ts"
import { decodeCursor, encodeCursor } from "../../kernel/Cursor.ts"
import type { OperatorId } from "../../kernel/Ids.ts"
import { PaymentSummaries } from "../../payment/PaymentSummaries.ts"

/** A booking that owes its balance. */
export interface OwedBooking {
  readonly booking: BookingRow
  readonly kind: StandingKind
  readonly balance: Balance
}

export interface OwedPage {
  readonly owed: ReadonlyArray<OwedBooking>
  /** Whether earlier pages exist. */
  readonly continued: boolean
  readonly next_cursor?: string
}

const scopeOf = (operator_id: OperatorId) => ["owed", operator_id]
const decodePosition = Schema.decodeUnknownOption(Schema.Tuple([Schema.Int, Schema.String]))

const positionIn = (scope: unknown, cursor: string | undefined): DuePosition | undefined =>
  cursor === undefined
    ? undefined
    : Option.match(decodePosition(decodeCursor(scope, cursor)), {
        onNone: () => undefined,
        onSome: ([due_at, booking_id]) => ({ due_at, booking_id })
      })

export const owedBookings = Effect.gen(function* () {
  const due = yield* DueBookings
  const summaries = yield* PaymentSummaries

  /** The operator's bookings with an unpaid balance, by when it is due. A cursor that is not ours: from the start. */
  return Effect.fn("OwedBookings.page")(function* (operator_id: OperatorId, cursor: string | undefined) {
    const now = yield* Clock.currentTimeMillis
    const scope = scopeOf(operator_id)
    const after = positionIn(scope, cursor)
    const rows = yield* due.owing(operator_id, { limit: maxOwing + 1, ...(after === undefined ? {} : { after }) })
    const shown = rows.slice(0, maxOwing)
    const owed = yield* Effect.forEach(
      shown,
      (booking) =>
        Effect.map(summaries.balancePaid(booking), (balance_paid): ReadonlyArray<OwedBooking> => {
          const facts = { now, balance_paid, balance_online: false, refund_on_its_way: 0 }
          const standing = standingOf(booking, facts)
          return "balance" in standing && standing.balance !== undefined
            ? [{ booking, kind: standing.kind, balance: standing.balance }]
            : []
        }),
      { concurrency: 4 }
    )
    const last = rows.length > maxOwing ? shown.at(-1) : undefined
    return {
      owed: owed.flat(),
      continued: after !== undefined,
      ...(last === undefined
        ? {}
        : {
            next_cursor: encodeCursor(scope, [
              nextDueAt(last, { balance_paid: false }) ?? last.starts_at,
              last.booking_id
            ])
          })
    }
  })
})
