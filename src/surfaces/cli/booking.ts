/** `playroom booking …`: shows a booking with its payments and history, marks who came, and prints the link. */
import { withAddress } from "../../platform/text/Contact.ts"
import { Effect } from "effect"
import { Command } from "effect/cli"
import type { BookingRow, Attendance } from "../../domain/booking/Booking.ts"
import { bookingLink, linkLifetimeMs } from "../../domain/booking/BookingLinks.ts"
import { BookingRecords } from "../../domain/booking/BookingRecords.ts"
import { bookedTerms } from "../../domain/booking/BookingViews.ts"
import { PaymentSummaries } from "../../domain/payment/PaymentSummaries.ts"
import { cancel } from "../../domain/payment/changes/Cancellations.ts"
import { markAttendance, renewLink } from "../../domain/payment/changes/Presses.ts"
import { goodwill } from "../../domain/payment/changes/RefundDecision.ts"
import { EventRecords, type WebhookEventSummary } from "../../domain/payment/events/EventRecords.ts"
import { type ListedTask, ProviderTasks } from "../../domain/payment/provider/ProviderTasks.ts"
import { type DisputeRow, Disputes } from "../../domain/payment/refunds/Disputes.ts"
import type { RefundRow } from "../../domain/payment/refunds/Refund.ts"
import { RefundRecords } from "../../domain/payment/refunds/RefundRecords.ts"
import { type PaymentSessionRow, wayInWords } from "../../domain/payment/sessions/PaymentSession.ts"
import { PaymentSessions } from "../../domain/payment/sessions/PaymentSessions.ts"
import { LinkTokens } from "../../platform/access/LinkTokens.ts"
import { display } from "../../platform/money/Money.ts"
import { childrenText, counted } from "../../platform/text/Text.ts"
import { format } from "../../platform/time/LocalTime.ts"
import { booking_id, bookingNamed, switchFlag, by } from "./Arguments.ts"
import { fields, instant, json, print, table } from "./Output.ts"
import { aboutBooking, actCommand, pressing } from "./actCommand.ts"
import { change, move } from "./bookingChange.ts"
import { closed } from "./bookingClosed.ts"
import { list } from "./bookingList.ts"
import { make } from "./bookingMake.ts"

/** Each mark in words. */
const words: Record<Attendance, string> = { arrived: "the family arrived", no_show: "the family did not come" }

const marking = (name: string, mark: Attendance, description: string) =>
  Command.make(
    name,
    {
      booking_id,
      undo: switchFlag("undo", "Take the mark back; only the history keeps it"),
      by,
      json
    },
    Effect.fn(function* ({ booking_id, by, json, undo }) {
      const { booking, changed } = yield* pressing(markAttendance, booking_id, { mark, undo }, by)
      const says = undo ? `it is not marked that ${words[mark]}` : words[mark]
      yield* print(json, { booking, changed }, `${booking.reference}: ${says}${changed ? "." : ", as before."}`)
    })
  ).pipe(Command.withDescription(description))

const arrived = marking("arrived", "arrived", "Mark that the family arrived; --undo takes it back")
const noShow = marking(
  "no-show",
  "no_show",
  "Mark that the family did not come; changes no money; --undo takes it back"
)

/** The current terms, as the customer reads them. */
const termsOf = Effect.fnUntraced(function* (booking: BookingRow) {
  return bookedTerms(booking, yield* PaymentSummaries.use((summaries) => summaries.read(booking))).text
})

const firstLine = (text: string) => text.split("\n")[0] ?? ""

const summary = (booking: BookingRow, terms: string, flagged: string | undefined) => {
  const money = (amount: number) => display(amount, booking.currency)
  const zone = booking.terms.time_zone
  return fields([
    ["booking", booking.booking_id],
    ["reference", booking.reference],
    ["status", booking.status],
    ["payment", booking.payment_status],
    ["marked as", booking.attendance ?? undefined],
    ["not accounted for", flagged],
    ["playroom", `${booking.terms.playroom_name} (${booking.playroom_id})`],
    ["package", booking.terms.package_name],
    ["start", `${format(zone, booking.starts_at)} ${zone}`],
    ["end", format(zone, booking.ends_at)],
    ["party", `${childrenText(booking.children)}, ${counted(booking.adults, "adult")}`],
    ["contact", `${withAddress(booking)}${booking.contact_phone === null ? "" : ` ${booking.contact_phone}`}`],
    ["notes", booking.notes ?? undefined],
    ["terms", terms],
    ["paid", money(booking.paid)],
    ["refunded", booking.refunded === 0 ? undefined : money(booking.refunded)],
    ["held until", booking.hold_expires_at === null ? undefined : instant(booking.hold_expires_at)],
    ["made with key", booking.key_id],
    ["made", instant(booking.created_at)]
  ])
}

const pricesTable = ({ currency, terms, total }: BookingRow) => {
  const money = (amount: number) => display(amount, currency)
  return table(
    ["PRICE", "QUANTITY", "EACH", "AMOUNT"],
    [
      ...terms.price.lines.map((line) => [
        line.label,
        String(line.quantity),
        money(line.unit_amount),
        money(line.amount)
      ]),
      ["total", "", "", money(total)]
    ]
  )
}

const sessionsTable = (sessions: ReadonlyArray<PaymentSessionRow>) =>
  table(
    ["PAYMENT", "FOR", "STATUS", "AMOUNT", "ACCOUNT", "AT THE PROVIDER", ""],
    sessions.map((session) => [
      session.payment_session_id,
      session.purpose,
      session.flagged === null ? session.status : `${session.status} (!)`,
      session.presented === null
        ? display(session.amount, session.currency)
        : `${display(session.amount, session.currency)} (paid as ` +
          `${display(session.presented.amount, session.presented.currency)})`,
      session.way === "link" ? session.account : "-",
      session.way === "link"
        ? (session.payment_intent_id ?? session.provider_session_id ?? "-")
        : `${wayInWords[session.way]}${session.taken_by === null ? "" : `, taken by ${session.taken_by}`}`,
      [
        ...(session.flagged === null ? [] : [`not accounted for: ${session.flagged}`]),
        ...(session.unresponsive_since === null
          ? []
          : [`the provider does not answer for it since ${instant(session.unresponsive_since)}`])
      ].join("; ")
    ])
  )

/** What a refund waits for, for people. */
const waitsFor = {
  balance: "money on the operator's balance",
  dispute: "the end of a dispute",
  venue: "the venue to give it back"
} as const

const refundsTable = (refunds: ReadonlyArray<RefundRow>) =>
  table(
    ["REFUND", "WHY", "STATUS", "AMOUNT", "AT THE PROVIDER", ""],
    refunds.map((refund) => [
      refund.refund_id,
      refund.cause,
      refund.status,
      display(refund.amount, refund.currency),
      refund.provider_refund_id ?? (refund.way === null ? "-" : wayInWords[refund.way]),
      refund.waits_for === null ? (refund.failure ?? "") : `waits for ${waitsFor[refund.waits_for]}`
    ])
  )

const disputesTable = (disputes: ReadonlyArray<DisputeRow>) =>
  table(
    ["DISPUTE", "OF", "STATUS", "AMOUNT", "REASON", "ANSWER BY"],
    disputes.map((dispute) => [
      dispute.dispute_id,
      dispute.payment_session_id,
      dispute.status,
      display(dispute.amount, dispute.currency),
      dispute.reason,
      dispute.due_by === null ? "-" : instant(dispute.due_by)
    ])
  )

const eventsTable = (events: ReadonlyArray<WebhookEventSummary>) =>
  table(
    ["RECEIVED", "EVENT", "TYPE", "OF", "STATUS", "OUTCOME"],
    events.map((event) => [
      instant(event.received_at),
      event.event_id,
      event.type,
      event.payment_session_id ?? "-",
      event.status,
      event.outcome ?? ""
    ])
  )

const tasksTable = (tasks: ReadonlyArray<ListedTask>) =>
  table(
    ["TASK AT THE PROVIDER", "STATUS", "TRIES", "SINCE", ""],
    tasks.map((task) => [
      task.id,
      task.state,
      String(task.attempts),
      instant(task.updated_at),
      task.last_failure === null ? "" : firstLine(task.last_failure)
    ])
  )

const show = Command.make(
  "show",
  { booking_id, json },
  Effect.fn(function* ({ booking_id, json }) {
    const bookingRecords = yield* BookingRecords
    const booking = yield* bookingNamed(booking_id)
    const history = yield* bookingRecords.venueHistory(booking)
    const sessions = yield* PaymentSessions.use((service) => service.ofBooking(booking.booking_id))
    const refunds = yield* RefundRecords.use((service) => service.ofBooking(booking))
    const events = yield* EventRecords.use((records) => records.ofBooking(booking.booking_id))
    const tasks = yield* ProviderTasks.use((service) =>
      service.about([
        ...sessions.map(({ payment_session_id }) => payment_session_id),
        ...refunds.map(({ refund_id }) => refund_id)
      ])
    )
    const flagged = yield* bookingRecords.flagReason(booking.booking_id)
    const terms = yield* termsOf(booking)
    const disputes = yield* Disputes.use((service) => service.ofBooking(booking))
    const parts = [
      summary(booking, terms, flagged),
      pricesTable(booking),
      ...(sessions.length === 0 ? [] : [sessionsTable(sessions)]),
      ...(events.length === 0 ? [] : [eventsTable(events)]),
      ...(refunds.length === 0 ? [] : [refundsTable(refunds)]),
      ...(tasks.length === 0 ? [] : [tasksTable(tasks)]),
      ...(disputes.length === 0 ? [] : [disputesTable(disputes)]),
      table(
        ["WHEN", "WHAT", "BY", ""],
        history.map((entry) => [entry.at, entry.event, entry.done_by ?? "", entry.detail ?? ""])
      )
    ]
    yield* print(
      json,
      {
        booking,
        terms,
        flagged,
        history,
        payment_sessions: sessions,
        events,
        refunds,
        tasks,
        disputes
      },
      parts.join("\n\n")
    )
  })
).pipe(
  Command.withDescription(
    "Show a booking: its payments, the provider's events, disputes, what is to do there, and its history"
  )
)

const cancelling = actCommand(cancel, aboutBooking, ({ booking }) =>
  Effect.map(termsOf(booking), (terms) => [`Its terms: ${terms}`])
)

const link = Command.make(
  "link",
  {
    booking_id,
    renew: switchFlag("renew", "End the links that were given out before, and print a new one"),
    by,
    json
  },
  Effect.fn(function* ({ booking_id, by, renew, json }) {
    const now = renew
      ? (yield* pressing(renewLink, booking_id, undefined, by)).booking
      : yield* bookingNamed(booking_id)
    const page_url = yield* LinkTokens.use((links) => links.address(bookingLink("booking", now)))
    const opens_until = new Date(now.ends_at + linkLifetimeMs).toISOString()
    yield* print(
      json,
      { booking_id: now.booking_id, page_url, opens_until, renewed: renew },
      [
        ...(renew ? [`The links to ${now.reference} that were given out before open nothing any more.`] : []),
        "Whoever has this address sees the booking and can act for the family, until " +
          `${instant(now.ends_at + linkLifetimeMs)}:`,
        "",
        page_url
      ].join("\n")
    )
  })
).pipe(Command.withDescription("Print the address of the family's page of a booking"))

export const booking = Command.make("booking").pipe(
  Command.withDescription(
    "List, make, show, change, move, cancel and refund bookings, mark who came, and print the family's link"
  ),
  Command.withSubcommands([
    list,
    make,
    closed,
    show,
    change,
    move,
    cancelling,
    actCommand(goodwill, aboutBooking),
    arrived,
    noShow,
    link
  ])
)
