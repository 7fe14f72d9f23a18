/** A booking in each of its standings, and the page of it. */
import type { BookingRow, PaymentSessionView } from "../../src/domain/booking/Booking.ts"
import type { PaymentSummary } from "../../src/domain/booking/BookingViews.ts"
import type { StandingKind } from "../../src/domain/booking/Standing.ts"
import { AddOnId, BookingId, PaymentSessionId, Reference } from "../../src/platform/ids/Ids.ts"
import { dayMs, hourMs, minuteMs } from "../../src/platform/time/LocalTime.ts"
import { money } from "../../src/platform/money/Money.ts"
import type { ShownBooking } from "../../src/surfaces/web/family/ShownBookings.ts"
import type { Misfit } from "../../src/domain/payment/sessions/PaymentSession.ts"
import { playroomWith, testId } from "./venues.ts"

export const shownAt = Date.parse("2026-11-20T09:00:00Z")
const starts_at = Date.parse("2026-12-05T14:00:00Z")
const booking_id = BookingId.make("booking_01kbbkcwwsewca2ec77aavth3y")

/** Nobody listens there, which a browser learns at once: no name has to be looked up. */
export const pictureUrl = "https://127.0.0.1:44321/hall.jpg?size=1200"
export const playroom = playroomWith({
  name: "Sunny Bounce Clapham",
  address: "12 Wharf Road, Clapham, London SW4 7AB",
  house_rules: "Socks on, shoes off.\nNo food on the frames.\n\nA grown-up stays with children under four.",
  photos: [{ url: pictureUrl, alt: "A three-storey play frame with a yellow slide" }]
})

/** £200 with a deposit of £50 that is kept, 11 children. */
export const bookingRow = (changes: Partial<BookingRow> = {}): BookingRow => ({
  booking_id,
  reference: Reference.make("K7M2-9QXD"),
  operator_id: testId.operator(1),
  playroom_id: playroom.playroom_id,
  package_id: testId.package(1),
  key_id: "key_a",
  option_id: "option_a",
  status: "held",
  payment_status: "unpaid",
  starts_at,
  ends_at: starts_at + 2 * hourMs,
  children: 11,
  adults: 3,
  contact_name: "Ana García",
  contact_email: "ana@example.com",
  contact_phone: null,
  child_ages: [4, 5, 5, 6],
  notes: "Two children are allergic to nuts.",
  answers: null,
  guests: null,
  currency: "GBP",
  total: 20_000,
  due_now: 5000,
  paid: 0,
  refunded: 0,
  terms: {
    playroom_name: playroom.name,
    operator_name: "Sunny Bounce Ltd",
    address: playroom.address,
    package_name: "Birthday party",
    time_zone: "Europe/London",
    mode: "exclusive",
    add_ons: [{ add_on_id: AddOnId.make(testId.addOn(1)), quantity: 1 }],
    add_ons_used: [{ add_on_id: AddOnId.make(testId.addOn(1)), quantity: 1 }],
    price: {
      currency: "GBP",
      lines: [
        { kind: "package", label: "Birthday party", quantity: 1, unit_amount: 15_000, amount: 15_000 },
        {
          kind: "extra_children",
          billed_children: 12,
          label: "Extra children (billed as 12)",
          quantity: 2,
          unit_amount: 1500,
          amount: 3000
        },
        { kind: "add_on", label: "Rainbow cake", quantity: 1, unit_amount: 2000, amount: 2000 }
      ],
      total: 20_000,
      tax: { rate_percent: 20, amount: 3333, included: true },
      due_now: 5000,
      balance_due: 15_000,
      balance_due_at: "2026-12-04T14:00:00+00:00",
      display_total: "£200.00",
      display_due_now: "£50.00",
      display_balance_due: "£150.00"
    },
    cancellation: [
      { hours_before: 14 * 24, refund_percent: 100 },
      { hours_before: 72, refund_percent: 50 }
    ],
    non_refundable: 5000,
    deposit: { amount: 5000, refundable: false },
    claims: [],
    final_headcount_hours_before: 48,
    free_reschedule_hours_before: 7 * 24
  },
  hold_expires_at: shownAt + 15 * minuteMs,
  awaiting_provider: false,
  kept_refunded: null,
  attendance: null,
  link_counter: null,
  created_at: shownAt,
  ...changes
})

export const paymentSummary = (changes: Partial<PaymentSummary> = {}): PaymentSummary => ({
  now: shownAt,
  operator: { name: "Sunny Bounce Ltd", email: "hello@sunny.example" },
  given_back: 0,
  left: 0,
  refund_on_its_way: 0,
  balance_paid: false,
  balance_online: true,
  page_url: "http://localhost:3000/b/token",
  ...changes
})

/** `live`: it can still be paid on. */
export const sessionOf = (
  purpose: PaymentSessionView["purpose"],
  status: PaymentSessionView["status"],
  live = false
): { readonly session: PaymentSessionView } => ({
  session: {
    payment_session_id: PaymentSessionId.make("payment_01kbbkcwwsewca2ec77aavth3y"),
    booking_id,
    purpose,
    status,
    url: "https://pay.example/cs_1",
    amount: money(5000, "GBP"),
    expires_at: "2026-11-20T09:32:00+00:00",
    ...(live ? { expires_in: "in 32 minutes" } : {})
  }
})

/** Money of a payment that is not what was asked for. */
export const misfitOf = (amount: number): Misfit => ({
  amount,
  currency: "GBP",
  other_currency: false,
  livemode: false,
  payment_intent_id: null,
  paid: true,
  at: shownAt
})

const shown = (booking: Partial<BookingRow>, summary: Partial<PaymentSummary> = {}): ShownBooking => ({
  ...(booking.status === "cancelled" ? { ended_at: shownAt } : {}),
  booking: bookingRow(booking),
  summary: paymentSummary(summary),
  unclear: false,
  playroom
})

const over = { hold_expires_at: null }
const confirmed = { ...over, status: "confirmed", payment_status: "deposit_paid", paid: 5000 } as const
const allPaid = { ...confirmed, payment_status: "paid", paid: 20_000 } as const
const expired = { ...over, status: "expired" } as const
const cancelled = { ...over, status: "cancelled" } as const

const inQuestion = (purpose: "due_now" | "balance") => ({
  ...sessionOf(purpose, "processing"),
  under_review: { purpose, amount: 4999, currency: "GBP" }
})

/** One booking of each standing. */
export const shownBookings: Readonly<Record<StandingKind, ShownBooking>> = {
  to_pay: shown({}),
  payment_failed: shown({ payment_status: "failed" }, sessionOf("due_now", "failed")),
  not_payable: shown({}, { hold_not_payable: true, suspended: true }),
  payment_processing: shown({ payment_status: "processing" }, sessionOf("due_now", "processing")),
  payment_under_review: shown({ payment_status: "processing" }, inQuestion("due_now")),
  confirmed_under_review: shown(confirmed, { left: 5000, ...inQuestion("balance") }),
  expired_under_review: shown({ ...expired, payment_status: "processing" }, inQuestion("due_now")),
  cancelled_under_review: shown({ ...cancelled, payment_status: "processing" }, inQuestion("due_now")),
  arriving: shown({ hold_expires_at: shownAt - 1, awaiting_provider: true }, sessionOf("due_now", "open")),
  free: shown({ ...over, status: "confirmed", payment_status: "not_required", total: 0, due_now: 0 }),
  paid: shown(allPaid, { left: 20_000, balance_paid: true }),
  balance_due: shown(confirmed, { left: 5000 }),
  balance_overdue: shown(confirmed, { left: 5000, now: starts_at - 2 * hourMs, balance_online: false }),
  balance_processing: shown(confirmed, { left: 5000, ...sessionOf("balance", "processing") }),
  confirmed_paid_back: shown({ ...allPaid, payment_status: "refunded", refunded: 20_000 }, { balance_paid: true }),
  over: shown(allPaid, { left: 20_000, balance_paid: true, now: starts_at + 3 * dayMs }),
  did_not_come: shown(
    { ...confirmed, attendance: "no_show" },
    { left: 5000, now: starts_at + hourMs, balance_online: false }
  ),
  expired: shown(expired),
  released: shown({
    ...expired,
    payment_status: "deposit_paid",
    paid: 5000,
    terms: { ...bookingRow().terms, released_at: shownAt }
  }),
  expired_processing: shown({ ...expired, payment_status: "processing" }, sessionOf("due_now", "processing")),
  expired_going_back: shown({ ...expired, payment_status: "refund_pending", paid: 5000 }, { refund_on_its_way: 5000 }),
  expired_paid_back: shown({ ...expired, payment_status: "refunded", paid: 5000, refunded: 5000 }),
  cancelled: shown(cancelled),
  cancelled_kept: shown({ ...cancelled, payment_status: "deposit_paid", paid: 5000 }),
  cancelled_processing: shown({ ...cancelled, payment_status: "processing" }, sessionOf("due_now", "processing")),
  cancelled_going_back: shown(
    { ...cancelled, payment_status: "refund_pending", paid: 20_000 },
    { refund_on_its_way: 15_000 }
  ),
  cancelled_paid_back: shown({ ...cancelled, payment_status: "partially_refunded", paid: 20_000, refunded: 15_000 })
}
