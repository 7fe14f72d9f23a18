/** Data of a family's booking page: the booking, its payments, and the playroom as the catalogue lists it today. */
import { Clock, Context, Effect, Layer, Option } from "effect"
import type { SqlError } from "effect/sql"
import type { BookingRow, HistoryEntry } from "../../../domain/booking/Booking.ts"
import { LinkTokens, paymentIn } from "../../../platform/access/LinkTokens.ts"
import { bookingLink, BookingLinks } from "../../../domain/booking/BookingLinks.ts"
import { BookingRecords } from "../../../domain/booking/BookingRecords.ts"
import type { OperatorContact, PaymentSummary } from "../../../domain/booking/BookingViews.ts"
import { soldWith } from "../../../domain/booking/ChangePlan.ts"
import { mostGuests } from "../../../domain/booking/InvitedGuests.ts"
import { asOf, isLiveBooking, isToBePaid } from "../../../domain/booking/Lifecycle.ts"
import type { BookingId, PaymentSessionId } from "../../../platform/ids/Ids.ts"
import type { Instant } from "../../../platform/time/LocalTime.ts"
import { Catalogue } from "../../../domain/catalogue/Catalogue.ts"
import { closedAccountOf, contactOf, type Operator } from "../../../domain/catalogue/Operator.ts"
import { Operators } from "../../../domain/catalogue/Operators.ts"
import type { Question } from "../../../domain/catalogue/Questions.ts"
import { packageOf, type Playroom } from "../../../domain/catalogue/Playroom.ts"
import { PaymentSummaries } from "../../../domain/payment/PaymentSummaries.ts"
import { Disputes } from "../../../domain/payment/refunds/Disputes.ts"
import { countsForBooking, isSentBack, isUnsettled } from "../../../domain/payment/refunds/Refund.ts"
import { RefundRecords } from "../../../domain/payment/refunds/RefundRecords.ts"
import { type Ledger, ledgerOf, notArrived } from "../../../domain/payment/refunds/BookingLedger.ts"
import type { PaymentSessionRow } from "../../../domain/payment/sessions/PaymentSession.ts"
import { PaymentSessions } from "../../../domain/payment/sessions/PaymentSessions.ts"
import { VoucherSales } from "../../../domain/payment/settlement/VoucherSales.ts"

/** A booking as its page shows it. */
export interface ShownBooking {
  readonly booking: BookingRow
  readonly summary: PaymentSummary
  /** A payment or refund needs a person to look at it. */
  readonly unclear: boolean
  /** When it was cancelled, if it was. */
  readonly ended_at?: Instant
  readonly playroom: Playroom
  /** The payment that the reader comes back from. */
  readonly returned?: ReturnedPayment
  /** The live bookings ahead that were made together with it; on a pay page those that are to be paid. */
  readonly together?: ReadonlyArray<BookedBeside>
}

/**
 * A booking that was made together with another one. `pay_url`: its pay page, if it is still to be paid. Not its own
 * page: who has the address of one booking can change that one alone.
 */
export interface BookedBeside {
  readonly booking: BookingRow
  readonly pay_url?: string
}

/** A payment whose payer comes back from the provider's page. */
export interface ReturnedPayment {
  readonly session: Pick<
    PaymentSessionRow,
    "amount" | "currency" | "expires_at" | "misfit" | "purpose" | "status" | "url"
  >
  /** The payment was a duplicate, or not what was asked for, and is refunded; `sent`: nothing of it is unsettled. */
  readonly not_counted?: ReturnType<typeof notArrived> & {
    readonly cause: "misfit" | "not_needed"
    readonly sent: boolean
  }
}

/** The tokens in the address to which the provider leads a payer. */
export interface ReturnTokens {
  readonly booking: string
  readonly payment: string
}

/**
 * Where a payer goes from there. `page`: to the page at which the payer began, with its token. `shown`: nowhere,
 * because the link was renewed meanwhile, or a guest who may only read and pay has found the booking.
 */
export type PayerReturn =
  | { readonly page: "booking" | "pay"; readonly token: string; readonly payment?: PaymentSessionId }
  | { readonly shown: ShownBooking; readonly withheld: "found" | "renewed" }

/** A booking for a calendar, with the number of its changes and the time of the latest. */
export interface CalendarBooking {
  readonly booking: BookingRow
  readonly changes: number
  readonly changed_at: Instant
  readonly operator: OperatorContact
  /** What the family must bring or sign. */
  readonly bring?: string
}

/** What a guest sees of a confirmed visit. */
export interface InvitedVisit extends Pick<CalendarBooking, "bring" | "changed_at" | "changes"> {
  /** What the venue asks each guest. */
  readonly questions: ReadonlyArray<Question>
  readonly booking: Pick<BookingRow, "booking_id" | "starts_at" | "ends_at"> & {
    readonly terms: Pick<BookingRow["terms"], "address" | "playroom_name" | "time_zone">
  }
  readonly playroom: Playroom
  /** So many guests may say that they come; absent: nobody any more, since it has begun. */
  readonly most_guests?: number
}

/** Who sold a booking, and all its payments and refunds in their order; those that counted for nothing, too. */
export interface Receipt {
  readonly seller: Pick<Operator, "legal_name" | "name" | "tax_number">
  readonly ledger: Ledger
}

const isCancellation = ({ event }: HistoryEntry): boolean => event === "cancelled"

export class ShownBookings extends Context.Service<
  ShownBookings,
  {
    /**
     * The booking that a token for a page opens; none if the token opens nothing. Asks the provider first about
     * payments without a known result. `paid`: the id of the payment that the reader comes back from, as the address
     * says it; for any other text, the latest payment. `together`: with what was booked together with it.
     */
    readonly show: (
      page: "booking" | "pay",
      token: string,
      wanted: { readonly paid: string | undefined; readonly together: boolean }
    ) => Effect.Effect<Option.Option<ShownBooking>, SqlError.SqlError>
    /**
     * Where a payer with these tokens goes; none if neither opens anything. The payment's token selects one of the
     * booking's payments, and still works after the booking's link was renewed.
     */
    readonly payerReturn: (tokens: ReturnTokens) => Effect.Effect<Option.Option<PayerReturn>, SqlError.SqlError>
    /** The booking for its calendar entry; none if the token opens nothing. */
    readonly calendar: (token: string) => Effect.Effect<Option.Option<CalendarBooking>, SqlError.SqlError>
    /** A booking and its calendar entry by our own rows, for a letter. Asks nobody. */
    readonly read: (
      booking_id: BookingId
    ) => Effect.Effect<
      Option.Option<{ readonly shown: ShownBooking; readonly entry: CalendarBooking }>,
      SqlError.SqlError
    >
    /** The visit that an invitation's token opens; none unless it is confirmed and not over. */
    readonly invited: (token: string) => Effect.Effect<Option.Option<InvitedVisit>, SqlError.SqlError>
    readonly receipt: (booking: BookingRow) => Effect.Effect<Receipt, SqlError.SqlError>
  }
>()("playroom/pages/family/ShownBookings") {
  static readonly layer = Layer.effect(
    ShownBookings,
    Effect.gen(function* () {
      const links = yield* BookingLinks
      const linkTokens = yield* LinkTokens
      const summaries = yield* PaymentSummaries
      const catalogue = yield* Catalogue
      const records = yield* BookingRecords
      const disputes = yield* Disputes
      const operators = yield* Operators
      const sessions = yield* PaymentSessions
      const refunds = yield* RefundRecords
      const sales = yield* VoucherSales

      const venueOf = (booking: BookingRow) => catalogue.venueAsSold(soldWith(booking))

      /** What is shown of a booking besides its payments. */
      const besides = Effect.fnUntraced(function* (row: BookingRow) {
        const [{ venue }, flagged] = yield* Effect.all([venueOf(row), records.flagReason(row.booking_id)], {
          concurrency: "unbounded"
        })
        const end = row.status === "cancelled" ? (yield* records.history(row)).findLast(isCancellation) : undefined
        const ended_at = end && Date.parse(end.at)
        return (booking: BookingRow, summary: PaymentSummary, now: number): ShownBooking => ({
          booking: asOf(booking, now),
          summary,
          unclear: flagged !== undefined,
          ...(ended_at === undefined ? {} : { ended_at }),
          playroom: venue.playroom
        })
      })

      /** The payment that its payer comes back from; if that was not paid, rather the one that is processing. */
      const returnedTo = Effect.fnUntraced(function* (booking: BookingRow, paid: string) {
        const given = (yield* sessions.ofBooking(booking.booking_id)).filter(
          ({ provider_session_id }) => provider_session_id !== null
        )
        const own = given.find(({ payment_session_id }) => payment_session_id === paid)
        const withOthers = own === undefined ? yield* sales.payingFor(booking.booking_id, paid) : Option.none()
        if (Option.isSome(withOthers))
          return { returned: { session: { ...withOthers.value, purpose: "due_now" as const, misfit: null } } }
        const processing = given.findLast(({ status }) => status === "processing")
        const session = own?.status === "paid" ? own : (processing ?? own ?? given.at(-1))
        if (session === undefined) return {}
        const all = yield* refunds.ofBooking(booking)
        if (countsForBooking(session, all)) return { returned: { session } }
        const back = all.filter(({ payment_session_id }) => payment_session_id === session.payment_session_id)
        const not_counted = {
          ...notArrived([session], back, yield* disputes.ofBooking(booking), {
            closed: closedAccountOf((yield* operators.ofBooking(booking)).operator),
            owed: null
          }),
          cause: isSentBack(session, all) ? ("misfit" as const) : ("not_needed" as const),
          sent: !back.some(isUnsettled)
        }
        return { returned: { session, not_counted } }
      })

      /** A booking after the provider was asked. `opened` reads it again. */
      const shownAfterAsking = Effect.fnUntraced(function* (
        opened: Effect.Effect<Option.Option<BookingRow>, SqlError.SqlError>,
        paid: string | undefined
      ) {
        const found = yield* opened
        if (Option.isNone(found)) return Option.none<ShownBooking>()
        const row = found.value
        const [{ outdated, summary }, shown] = yield* Effect.all([summaries.refresh(row), besides(row)], {
          concurrency: "unbounded"
        })
        const now = yield* Clock.currentTimeMillis
        const after = outdated ? yield* opened : found
        if (Option.isNone(after)) return Option.none<ShownBooking>()
        return Option.some({
          ...shown(after.value, outdated ? yield* summaries.read(after.value) : summary, now),
          ...(paid === undefined ? {} : yield* returnedTo(after.value, paid))
        })
      })

      const togetherWith = Effect.fnUntraced(function* ({ booking }: ShownBooking) {
        const now = yield* Clock.currentTimeMillis
        const all = (yield* records.bookedTogether(booking)).map((one) => asOf(one, now))
        return yield* Effect.forEach(
          all.filter((one) => isLiveBooking(one) && one.ends_at > now),
          (one) =>
            isToBePaid(one)
              ? Effect.map(linkTokens.address(bookingLink("pay", one)), (pay_url): BookedBeside => ({
                  booking: one,
                  pay_url
                }))
              : Effect.succeed<BookedBeside>({ booking: one })
        )
      })

      const show: ShownBookings["Service"]["show"] = Effect.fn("ShownBookings.show")(function* (
        page,
        token,
        { paid, together }
      ) {
        const found = yield* shownAfterAsking(links.opened(page, token), paid)
        if (Option.isNone(found) || !together) return found
        const beside = yield* togetherWith(found.value)
        // Who pays sees what there is to pay, and nothing else.
        const shown = page === "pay" ? beside.filter(({ pay_url }) => pay_url !== undefined) : beside
        return Option.some({ ...found.value, together: shown })
      })

      /** The payment of a valid payment token. */
      const paymentOf = Effect.fnUntraced(function* (token: string) {
        const named = paymentIn(token)
        if (Option.isNone(named)) return undefined
        const payment_session_id = named.value
        const right = yield* linkTokens.opens(token, { page: "payment", payment_session_id, counter: 0 })
        return right ? Option.getOrUndefined(yield* sessions.find(payment_session_id)) : undefined
      })

      const payerReturn = Effect.fn("ShownBookings.payerReturn")(function* ({ booking, payment }: ReturnTokens) {
        // What pays several bookings at once is none of one booking's payments.
        const sale = Option.getOrUndefined(yield* sales.returned(payment))
        const [byLink, session] = yield* Effect.all([links.opened("checkout_return", booking), paymentOf(payment)])
        const of = ({ booking_id }: BookingRow) =>
          session?.booking_id === booking_id
            ? { payment: session.payment_session_id }
            : session === undefined && typeof sale?.order_id === "string"
              ? { payment: sale.payment_session_id }
              : {}
        const general = (booking_id: BookingId, withheld: "found" | "renewed") =>
          Effect.map(
            shownAfterAsking(
              links.stillShown(booking_id),
              session?.booking_id === booking_id ? session.payment_session_id : ""
            ),
            Option.map((shown): PayerReturn => ({ shown, withheld }))
          )
        if (Option.isSome(byLink)) {
          const row = byLink.value
          if (yield* links.wasFound(row.booking_id)) return yield* general(row.booking_id, "found")
          const token = yield* linkTokens.make(bookingLink("booking", row))
          return Option.some<PayerReturn>({ page: "booking", token, ...of(row) })
        }
        const byPayPage = yield* links.opened("pay", booking)
        if (Option.isSome(byPayPage)) {
          return Option.some<PayerReturn>({ page: "pay", token: booking, ...of(byPayPage.value) })
        }
        return session === undefined ? Option.none<PayerReturn>() : yield* general(session.booking_id, "renewed")
      })

      const entryOf = Effect.fnUntraced(function* (row: BookingRow) {
        const venue = operators.ofBooking(row)
        const [history, { bring, operator, questions }] = yield* Effect.all([records.history(row), venue], {
          concurrency: 2
        })
        const booking = asOf(row, yield* Clock.currentTimeMillis)
        const lastChange = Date.parse(history.at(-1)?.at ?? "") || booking.created_at
        // An ended hold may have no history line for its end yet.
        const lapsed = booking.status !== row.status
        return {
          booking,
          operator: { name: operator.name, ...contactOf(operator) },
          ...(bring === undefined ? {} : { bring }),
          questions,
          changes: history.length + (lapsed ? 1 : 0),
          changed_at: lapsed ? (row.hold_expires_at ?? lastChange) : lastChange
        }
      })

      const entry = Effect.fnUntraced(function* (page: "booking" | "invitation", token: string) {
        const found = yield* links.opened(page, token)
        return Option.isNone(found) ? Option.none() : Option.some(yield* entryOf(found.value))
      })

      const read = Effect.fn("ShownBookings.read")(function* (booking_id: BookingId) {
        const found = yield* records.byId(booking_id)
        if (Option.isNone(found)) return Option.none()
        const row = found.value
        const [summary, shown, entry] = yield* Effect.all([summaries.read(row), besides(row), entryOf(row)], {
          concurrency: "unbounded"
        })
        return Option.some({ shown: shown(row, summary, yield* Clock.currentTimeMillis), entry })
      })

      const calendar = Effect.fn("ShownBookings.calendar")((token: string) => entry("booking", token))

      const invited = Effect.fn("ShownBookings.invited")(function* (token: string) {
        const found = yield* entry("invitation", token)
        if (Option.isNone(found)) return Option.none<InvitedVisit>()
        const { booking, bring, changed_at, changes, questions } = found.value
        const { booking_id, ends_at, starts_at, status } = booking
        const { address, playroom_name, time_zone } = booking.terms
        if (status !== "confirmed" || ends_at <= (yield* Clock.currentTimeMillis)) return Option.none<InvitedVisit>()
        const { venue } = yield* venueOf(booking)
        const most = Option.match(packageOf(venue, booking.package_id), {
          onNone: () => booking.children,
          onSome: ({ max_children }) => Math.max(booking.children, max_children)
        })
        return Option.some<InvitedVisit>({
          ...(starts_at <= (yield* Clock.currentTimeMillis) ? {} : { most_guests: mostGuests(most) }),
          booking: { booking_id, starts_at, ends_at, terms: { address, playroom_name, time_zone } },
          changed_at,
          changes,
          questions: questions.filter(({ guests }) => guests === true),
          ...(bring === undefined ? {} : { bring }),
          playroom: venue.playroom
        })
      })

      const receipt = Effect.fn("ShownBookings.receipt")(function* (booking: BookingRow) {
        const venue = operators.ofBooking(booking)
        const [paid, back, disputed, { operator }] = yield* Effect.all(
          [sessions.ofBooking(booking.booking_id), refunds.ofBooking(booking), disputes.ofBooking(booking), venue],
          { concurrency: 4 }
        )
        return { ledger: ledgerOf(booking, paid, back, disputed, closedAccountOf(operator)), seller: operator }
      })

      return ShownBookings.of({ calendar, invited, payerReturn, receipt, read, show })
    })
  ).pipe(
    Layer.provide([
      BookingLinks.layer,
      BookingRecords.layer,
      Catalogue.layer,
      Disputes.layer,
      LinkTokens.layer,
      Operators.layer,
      PaymentSessions.layer,
      PaymentSummaries.layer,
      RefundRecords.layer,
      VoucherSales.layer
    ])
  )
}
