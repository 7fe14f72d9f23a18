/**
 * A payment at the venue that was recorded by mistake is undone: the money was never there, or belongs to another booking.
 * It is no refund. The booking owes again what it owed without it. In the books the payment stays on its day, and its
 * opposite stands on the day on which it was undone, so no month that was told changes.
 */
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { attendanceWindow } from "../../booking/Attendance.ts"
import { BookingNotFound, type BookingRow } from "../../booking/Booking.ts"
import { BookingRecords } from "../../booking/BookingRecords.ts"
import { PlayroomSemaphore } from "../../booking/PlayroomSemaphore.ts"
import { type ChangedSinceShown, requireAsShown, stateShown } from "../../booking/ShownState.ts"
import type { PaymentSessionId } from "../../kernel/Ids.ts"
import { dayMs, format, type Instant } from "../../kernel/LocalTime.ts"
import { display, type Money, money } from "../../kernel/Money.ts"
import { ProviderTasks } from "../provider/ProviderTasks.ts"
import { isBalancePaid, ownPayments, type RefundRow } from "../refunds/Refund.ts"
import { RefundRecords } from "../refunds/RefundRecords.ts"
import { isAtVenue, isForBalance, type PaymentSessionRow, wayInWords } from "../sessions/PaymentSession.ts"
import { PaymentSessions } from "../sessions/PaymentSessions.ts"
import { withDue } from "../settlement/PaidAmount.ts"

/**
 * Why a payment can't be undone. `not_recorded`: it was not taken at the venue, or is undone already. `ended`: its booking
 * is not confirmed. `given_back`: something of what was paid for the booking went back, or is to. `processing`: a payment by
 * link is under way.
 */
const UndoProblem = Schema.Literals(["not_recorded", "ended", "given_back", "processing", "too_late"])
type UndoProblem = typeof UndoProblem.Type

export class UndoRefused extends Schema.TaggedError<UndoRefused>()("UndoRefused", {
  payment_session_id: Schema.String,
  reason: UndoProblem
}) {
  override get message(): string {
    const why: Record<UndoProblem, string> = {
      not_recorded: "it is no payment that was recorded at the venue, or it is undone already.",
      ended: "its booking is not confirmed any more.",
      given_back: "money of its booking went back, or is to: playroom booking show says what.",
      processing: "a payment by link is being processed for its booking. Try again when that has arrived or failed.",
      too_late: `its visit was over more than ${attendanceWindow.lateMs / dayMs} days ago.`
    }
    return `${this.payment_session_id} is not undone: ${why[this.reason]}`
  }
}

type Sessions = ReadonlyArray<PaymentSessionRow>

/** Why a payment can't be undone now; undefined if it can. `all`: the booking's sessions. Pure. */
const undoProblem = (
  session: PaymentSessionRow,
  booking: Pick<BookingRow, "ends_at" | "refunded" | "status">,
  all: Sessions,
  known: ReadonlyArray<RefundRow>,
  now: Instant
): UndoProblem | undefined => {
  if (!isAtVenue(session) || session.status !== "paid") return "not_recorded"
  if (booking.status !== "confirmed") return "ended"
  if (booking.refunded > 0 || known.length > 0) return "given_back"
  if (all.some(({ misfit, status }) => status === "processing" || misfit !== null)) return "processing"
  return now >= booking.ends_at + attendanceWindow.lateMs ? "too_late" : undefined
}

/** The booking without a payment: what else is paid is due, and the rest is the balance. Who pays it has time from now. */
const without = (booking: BookingRow, session: PaymentSessionRow, all: Sessions, now: Instant): BookingRow => {
  const { starts_at, terms, total } = booking
  const paid_due = isBalancePaid(booking, all, []) ? total : booking.due_now
  const due_now = Math.max(0, paid_due - session.amount)
  const was = terms.price.balance_due_at === undefined ? starts_at : Date.parse(terms.price.balance_due_at)
  const due_at = Math.max(was, Math.min(now, starts_at))
  // The deposit's payment stays what it is.
  const settled = ownPayments(all, []).flatMap((one) => (one === session ? [] : [one.payment_session_id]))
  const whole = isForBalance(session, booking) && due_now === booking.due_now
  const { most_paid } = terms
  if (whole && due_at === was && terms.price.balance_due_at !== undefined && most_paid === undefined) return booking
  const { terms: next, ...row } = withDue(booking, due_now, settled, format(terms.time_zone, due_at))
  // Nothing has gone back yet, so the next move finds anew how much was ever paid.
  return { ...row, terms: most_paid === undefined ? next : { ...next, most_paid: 0 } }
}

/** A payment that was undone, or what undoing it would do. A preview has the booking as it is before. */
export interface UndonePayment {
  readonly booking: BookingRow
  readonly payment_session_id: PaymentSessionId
  readonly amount: Money
  readonly way: PaymentSessionRow["way"]
  readonly taken_by: string | null
  /** What is owed after it. */
  readonly left: Money
  /** For the form or command that does it (`ShownState.ts`). */
  readonly shown: string
}

export class UndonePayments extends Context.Service<
  UndonePayments,
  {
    /** Undoes a payment, or previews that. With `shown`, it does what that preview showed, or nothing. */
    readonly undo: (
      payment_session_id: PaymentSessionId,
      how: { readonly preview: boolean; readonly shown?: string; readonly done_by?: string }
    ) => Effect.Effect<UndonePayment, UndoRefused | BookingNotFound | ChangedSinceShown | SqlError.SqlError>
    /** The payments of a booking that can be undone now, oldest first. */
    readonly undoable: (booking: BookingRow) => Effect.Effect<Sessions, SqlError.SqlError>
  }
>()("playroom/payment/changes/UndonePayments") {
  static readonly layer = Layer.effect(
    UndonePayments,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const records = yield* BookingRecords
      const sessions = yield* PaymentSessions
      const refunds = yield* RefundRecords
      const tasks = yield* ProviderTasks
      const { withPermit } = yield* PlayroomSemaphore

      const outcome = (session: PaymentSessionRow, after: BookingRow) => ({
        undone: session.payment_session_id,
        left: after.total - after.due_now
      })

      const answer = (
        booking: BookingRow,
        from: BookingRow,
        session: PaymentSessionRow,
        after: BookingRow
      ): UndonePayment => ({
        booking,
        payment_session_id: session.payment_session_id,
        amount: money(session.amount, session.currency),
        way: session.way,
        taken_by: session.taken_by,
        left: money(after.total - after.due_now, after.currency),
        shown: stateShown(from, outcome(session, after))
      })

      /** The payment among its booking's, and the booking without it. */
      const planned = Effect.fnUntraced(function* (id: PaymentSessionId, booking: BookingRow, all: Sessions) {
        const now = yield* Clock.currentTimeMillis
        const session = all.find((one) => one.payment_session_id === id)
        const known = yield* refunds.ofBooking(booking)
        const reason = session === undefined ? "not_recorded" : undoProblem(session, booking, all, known, now)
        if (session === undefined || reason !== undefined)
          return yield* new UndoRefused({ payment_session_id: id, reason: reason ?? "not_recorded" })
        return { session, after: without(booking, session, all, now), now }
      })

      const perform = Effect.fnUntraced(function* (
        found: PaymentSessionRow,
        { done_by, shown }: { readonly shown?: string; readonly done_by?: string }
      ) {
        const locked = yield* records.lockWith(found.booking_id, sessions.lockOfBooking(found.booking_id))
        if (Option.isNone(locked)) return yield* new BookingNotFound()
        const [booking, all] = locked.value
        const { after, now, session } = yield* planned(found.payment_session_id, booking, all)
        yield* requireAsShown(booking, outcome(session, after), shown)
        yield* sessions.markUndone(session.payment_session_id, done_by, now)
        const { amount, currency, taken_by, way } = session
        const by = taken_by === null ? "" : `, taken by ${taken_by}`
        // First: what is due says which payment status a confirmed booking may have.
        if (after !== booking) yield* records.changeDue(after)
        const changed = yield* records.change(after, {
          payment: after.due_now === 0 ? "undone_in_full" : "undone_in_part",
          paid: -amount,
          note: true,
          ...(done_by === undefined ? {} : { done_by }),
          event: "payment_undone",
          detail: `${display(amount, currency)} ${way === "link" ? "" : wayInWords[way]}${by} was recorded by mistake; ${display(after.total - after.due_now, currency)} is still to be paid`
        })
        // What is open asks for an amount that is not what is owed any more.
        for (const one of all)
          if (one.status === "open")
            yield* tasks.offer({ _tag: "expire_session", payment_session_id: one.payment_session_id })
        return answer(changed, booking, session, after)
      }, sql.withTransaction)

      const undo: UndonePayments["Service"]["undo"] = Effect.fn("UndonePayments.undo")(function* (id, how) {
        const found = Option.getOrUndefined(yield* sessions.find(id))
        if (found === undefined) return yield* new UndoRefused({ payment_session_id: id, reason: "not_recorded" })
        const booking = Option.getOrUndefined(yield* records.byId(found.booking_id))
        if (booking === undefined) return yield* new BookingNotFound()
        if (!how.preview) return yield* withPermit(booking.playroom_id, perform(found, how))
        const { after, session } = yield* planned(id, booking, yield* sessions.ofBooking(found.booking_id))
        return answer(booking, booking, session, after)
      })

      const undoable: UndonePayments["Service"]["undoable"] = Effect.fn("UndonePayments.undoable")(function* (booking) {
        const now = yield* Clock.currentTimeMillis
        const all = yield* sessions.ofBooking(booking.booking_id)
        if (!all.some(isAtVenue)) return []
        const known = yield* refunds.ofBooking(booking)
        return all.filter((session) => undoProblem(session, booking, all, known, now) === undefined)
      })

      return UndonePayments.of({ undo, undoable })
    })
  ).pipe(
    Layer.provide([
      BookingRecords.layer,
      PaymentSessions.layer,
      PlayroomSemaphore.layer,
      ProviderTasks.layer,
      RefundRecords.layer
    ])
  )
}
