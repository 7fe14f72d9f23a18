/**
 * Gift vouchers that somebody buys on a page and pays on the provider's. A sale is a payment without a booking, so it
 * has rows of its own; how the provider's word about it is read is as of bookings' payments (`Settlement.ts`). The
 * voucher is there from the moment at which its sale is paid, and once, however often and by whomever that is told. A
 * payment of another amount makes a voucher of what was paid: nothing else hangs on the amount, so nobody has to decide.
 * What goes back of the payment, at whose wish ever, is taken off the voucher.
 *
 * One column (`next_at`) says when the provider is asked next: whether a page was paid, whether a refund was made, what
 * went back in its dashboard, and what a payer's bank says. A lost event is therefore a delay.
 */
import { Clock, Context, Effect, Layer, Option, Result, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { isDeepStrictEqual } from "node:util"
import { boughtPath, LinkTokens, paymentIn } from "../../../platform/access/LinkTokens.ts"
import { failpoint } from "../../../platform/concurrency/Failpoint.ts"
import { AppConfig } from "../../../platform/config/AppConfig.ts"
import { columnsOf, decodeRows } from "../../../platform/database/Rows.ts"
import {
  type BookingId,
  newId,
  OperatorId,
  OrderId,
  PaymentSessionId,
  RefundId,
  VoucherId
} from "../../../platform/ids/Ids.ts"
import { isBelowMinimumCharge, isOnStep, percentOf } from "../../../platform/money/Charge.ts"
import { display } from "../../../platform/money/Money.ts"
import {
  dayMs,
  dayRange,
  hourMs,
  type Instant,
  InstantFromDate,
  isLocalDate,
  localDateOf,
  minuteMs,
  secondMs
} from "../../../platform/time/LocalTime.ts"
import { contactOf, offerOf, type Operator, type VoucherOffer } from "../../catalogue/Operator.ts"
import type { BookingRow } from "../../booking/Booking.ts"
import { BookingRecords } from "../../booking/BookingRecords.ts"
import type { OperatorContact } from "../../booking/BookingViews.ts"
import { Operators } from "../../catalogue/Operators.ts"
import {
  checkoutLocale,
  CheckoutRequest,
  type GatewayError,
  type ListedRefund,
  type ListedSession,
  PaymentGateway,
  type ProviderDispute,
  type ProviderRefund,
  type ProviderSession,
  refusedInput
} from "../provider/PaymentGateway.ts"
import { ProviderHealth } from "../provider/ProviderHealth.ts"
import { disputeState, isUnderWay } from "../refunds/Disputes.ts"
import { inAnotherCurrency, statusOf } from "../refunds/Refund.ts"
import {
  firstRefundCheckMs,
  maxRefundCheckIntervalMs,
  minRefundCheckIntervalMs,
  refundChecksForMs,
  maxPages,
  pageEnd,
  processingCheckMs,
  processingForMs,
  refundWindowMs,
  SessionStatus
} from "../sessions/PaymentSession.ts"
import { PaymentSessions } from "../sessions/PaymentSessions.ts"
import { inGroups, type Voucher, voucherPath, Vouchers, wentBackAlready } from "../sessions/Vouchers.ts"
import { makeOrderPayments, OrderParts } from "./OrderPayments.ts"
import { askWhileReaderWaits } from "./PaymentInquiry.ts"
import { type Fact, factOf, nextSessionStatus, type Outcome, Settlement } from "./Settlement.ts"

/** Sales that a network may have unpaid, of the last hour. */
const maxUnpaid = 5
const unpaidForMs = hourMs
/** Sales of one run, and for how long they are left to the node that took them. */
const batchSize = 20
const leaseMs = 2 * minuteMs
/** How often the provider is asked about a page that is over its end, or that pays an order. */
const overdueMs = minuteMs
/** So often while somebody waits for the answer. */
const readerMs = 5 * secondMs
/** A refund that can't be made yet is tried again after this, for so long. */
const refundRetryMs = hourMs
const refundTriesMs = 7 * dayMs
/** A refund that the provider has not made after this is reported. */
const refundUnsentMs = 6 * hourMs
const refundPendingMs = 16 * dayMs
/** Between two tries of a letter, and for how long it is tried. */
const letterRetryMs = 10 * minuteMs
const letterTriesMs = 2 * dayMs

const NullOr = Schema.NullOr

/** A row of the `voucher_sale` table, without the digest of its code. Minor units. */
const SaleRow = Schema.Struct({
  voucher_id: VoucherId,
  payment_session_id: PaymentSessionId,
  operator_id: OperatorId,
  status: SessionStatus,
  account: Schema.String,
  amount: Schema.Int,
  currency: Schema.String,
  application_fee: Schema.Int,
  time_zone: Schema.String,
  valid_months: NullOr(Schema.Int),
  provider_session_id: NullOr(Schema.String),
  payment_intent_id: NullOr(Schema.String),
  url: NullOr(Schema.String),
  request: CheckoutRequest,
  /** It pays several bookings, and nobody is given the voucher (`OrderPayments.ts`). Null: a gift voucher. */
  order_id: NullOr(OrderId),
  parts: NullOr(OrderParts),
  /** Null: the person was erased, or it is an order's. */
  buyer_name: NullOr(Schema.String),
  buyer_email: NullOr(Schema.String),
  recipient: NullOr(Schema.String),
  greeting: NullOr(Schema.String),
  language: Schema.String,
  flagged: NullOr(Schema.String),
  expires_at: InstantFromDate,
  paid_at: NullOr(InstantFromDate),
  letter_tries: Schema.Int,
  letter_outcome: NullOr(Schema.String),
  created_at: InstantFromDate,
  updated_at: InstantFromDate
})
export type VoucherSale = typeof SaleRow.Type

/** A row of the `voucher_refund` table. */
const SaleRefund = Schema.Struct({
  refund_id: RefundId,
  voucher_id: VoucherId,
  cause: Schema.Literals(["undone", "dashboard", "dispute"]),
  status: Schema.Literals(["requested", "pending", "succeeded", "failed"]),
  amount: Schema.Int,
  currency: Schema.String,
  provider_refund_id: NullOr(Schema.String),
  provider_status: NullOr(Schema.String),
  attempt: Schema.Int,
  reversed_at: NullOr(InstantFromDate),
  created_at: InstantFromDate
})
type SaleRefund = typeof SaleRefund.Type

/** A voucher that somebody wants to buy. `amount` in minor units of the offer's currency. */
export interface WantedVoucher {
  /** The same id, wanted for the same, is bought once, however often it is asked for. */
  readonly voucher_id: VoucherId
  readonly operator_id: string
  readonly amount: number
  readonly buyer: { readonly name: string; readonly email: string }
  readonly recipient?: string
  readonly greeting?: string
  /** BCP 47 tag of the buyer's language. */
  readonly language: string
  /** What the provider's page says that is paid. */
  readonly description: string
}

/** A sale to be begun. `buyer`, `recipient`, `greeting`: of a gift voucher. */
interface NewSale extends Pick<VoucherSale, "payment_session_id" | "account" | "application_fee" | "voucher_id"> {
  readonly operator_id: string
  readonly amount: number
  readonly buyer?: WantedVoucher["buyer"]
  readonly recipient?: string
  readonly greeting?: string
  readonly language: string
  readonly order?: { readonly order_id: OrderId; readonly parts: OrderParts }
}

/** Bookings to be paid at once. `amount` of each part in minor units of `currency`. */
export interface WantedOrder {
  readonly order_id: OrderId
  readonly operator: Operator
  readonly account: string
  readonly currency: string
  readonly parts: OrderParts
  readonly description: string
  /** BCP 47 tag of the payer's language; absent if nobody said it. */
  readonly language?: string
  /** Where the payer lands, without what names the payment. */
  readonly return_url: string
  readonly success_url?: string
  readonly cancel_url?: string
}

/**
 * What became of a wish to pay an order. `too_many`: its pages are used up. `not_sold`: the account takes no payments.
 * `unavailable`: the provider makes no page now; try again.
 */
type OrderPage =
  | { readonly is: "page"; readonly url: string; readonly sale: VoucherSale }
  | { readonly is: "not_sold" | "too_many" | "unavailable" }

/**
 * What became of a wish to buy. `page`: where it is paid, or where it stands if it is paid. `not_sold`: the operator
 * sells none there now. `amount`: it is outside of the bounds. `too_many`: the network has as many unpaid as it may.
 * `email`: the provider does not take the address. `unavailable`: the provider makes no page now; try again.
 */
export type Bought =
  | { readonly is: "page"; readonly url: string }
  | { readonly is: "not_sold" | "amount" | "too_many" | "email" | "unavailable" }

/** What a person has to see of a sale, and until when it was known. */
interface SaleTrouble {
  readonly voucher_id: VoucherId
  readonly operator_id: string
  readonly why: string
}

/** A letter to who bought a voucher. `address`: of the voucher's page, which has its code. */
interface SaleLetter {
  readonly to: string
  readonly voucher: Voucher
  readonly venue: OperatorContact
  readonly address: string
  readonly language: string
}

/** A refund of a sale's payment that the provider has and this database lacks. Minor units. */
const UnknownRefund = Schema.Struct({
  voucher_id: VoucherId,
  provider_session_id: Schema.String,
  payment_intent_id: Schema.String,
  amount: Schema.Int,
  currency: Schema.String
})
type UnknownRefund = typeof UnknownRefund.Type

/** Whether an amount may be bought. Pure. */
export const isForSale = (amount: number, { currency, max_amount, min_amount }: VoucherOffer): boolean =>
  amount >= min_amount && amount <= max_amount && isOnStep(amount, currency) && !isBelowMinimumCharge(amount, currency)

/** The end of the last day on which a voucher is valid that is sold at an instant; undefined: it does not end. */
export const endOfVoucher = (sold_at: Instant, months: number | null, time_zone: string): Instant | undefined => {
  if (months === null) return undefined
  const [year = 0, month = 1, day = 1] = localDateOf(time_zone, sold_at).split("-").map(Number)
  // The last day of the month, where that is shorter.
  const lastOfMonth = new Date(Date.UTC(year, month + months, 0)).getUTCDate()
  const last = new Date(Date.UTC(year, month - 1 + months, Math.min(day, lastOfMonth))).toISOString().slice(0, 10)
  return isLocalDate(last) ? dayRange(time_zone, last).end : undefined
}

/** Why money that the provider has is not this sale's; undefined if it is. Another amount is. Pure. */
const contradiction = (
  { currency, provider_session_id }: Pick<VoucherSale, "currency" | "provider_session_id">,
  answer: ProviderSession,
  livemode: boolean
): string | undefined => {
  if (provider_session_id !== null && provider_session_id !== answer.id)
    return `a second page of the provider, ${answer.id}, names this sale`
  if (answer.livemode !== livemode) return `livemode is ${answer.livemode}, this service runs with ${livemode}`
  const paid = answer.payment_currency ?? answer.currency
  return answer.currency === currency && paid === currency && answer.amount_total > 0
    ? undefined
    : `asked for ${currency}, the provider has ${answer.amount_total} ${answer.currency}, paid in ${paid}`
}

const applied = (text: string): Outcome => ({ status: "applied", text })
const noSuchSale: Outcome = { status: "ignored", text: "no such sale of a voucher" }

/** Codes of refusals that end by themselves. */
const passing = new Set([
  "balance_insufficient",
  "insufficient_funds",
  "charge_disputed",
  "charge_for_pending_refund_disputed"
])

type Found = Effect.Effect<Option.Option<VoucherSale>, SqlError.SqlError>
type Failure = GatewayError | SqlError.SqlError

export class VoucherSales extends Context.Service<
  VoucherSales,
  {
    /** An id for `WantedVoucher`. */
    readonly newId: Effect.Effect<VoucherId>
    /** Asks the provider for a page to pay a voucher on. `sender`: the network address that it comes from. */
    readonly buy: (wanted: WantedVoucher, sender: string) => Effect.Effect<Bought, SqlError.SqlError>
    /** The page on which several bookings are paid at once: the open one, or a new one. */
    readonly payOrder: (wanted: WantedOrder) => Effect.Effect<OrderPage, SqlError.SqlError>
    /** The sale whose page after paying a token opens. The provider is asked how it stands, if that may have changed. */
    readonly returned: (token: string) => Found
    readonly find: (voucher_id: VoucherId) => Found
    /** The page of this id, if it pays this booking with others. */
    readonly payingFor: (booking_id: BookingId, payment_session_id: string) => Found
    /** The sale on this account that a session names, by the provider's id or by ours. */
    readonly named: (
      account: string,
      by: { readonly provider_session_id?: string; readonly payment_session_id?: string | undefined }
    ) => Found
    /** Applies the provider's state of a sale's page, in the caller's transaction if there is one. */
    readonly settle: (
      payment_session_id: string,
      answer: ProviderSession,
      fact?: Fact
    ) => Effect.Effect<Outcome, SqlError.SqlError>
    /** Asks how the pages stand that pay a booking with others, as far as that is not known. */
    readonly askOf: (booking_id: BookingId) => Effect.Effect<void, Failure>
    /**
     * The same while someone waits, if the booking's places wait for the provider and nobody has just asked. True: the
     * provider answered; read the booking again.
     */
    readonly askForReader: (
      booking: Pick<BookingRow, "awaiting_provider" | "booking_id" | "status">
    ) => Effect.Effect<boolean, SqlError.SqlError>
    /** Makes the check of what went back of a payment due; false if it is of no sale. In the caller's transaction. */
    readonly checkSoon: (
      account: string,
      by: { readonly payment_intent_id: string; readonly payment_session_id?: string | undefined }
    ) => Effect.Effect<boolean, SqlError.SqlError>
    /** Asks the provider about all that is due, and sends refunds; returns how many sales were looked at. */
    readonly runDue: Effect.Effect<number, SqlError.SqlError>
    /** Takes over a paid sale that the provider has and this database lacks, as after a restored backup. */
    readonly restore: (
      account: string,
      found: ListedSession,
      apply: boolean
    ) => Effect.Effect<Outcome | undefined, SqlError.SqlError>
    /** Refunds of sales' payments on an account that are not stored, of those that the provider listed. */
    readonly unknownRefunds: (
      account: string,
      listed: ReadonlyArray<ListedRefund>
    ) => Effect.Effect<ReadonlyArray<UnknownRefund>, SqlError.SqlError>
    /** Paid sales of an operator with ids between two, in their order. */
    readonly paidOf: (
      operator_id: string,
      after: string,
      until: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<VoucherSale>, SqlError.SqlError>
    /** What a person has to see: money that contradicts, disputes, what was spent before it went back, failed refunds. */
    readonly troubles: Effect.Effect<ReadonlyArray<SaleTrouble>, SqlError.SqlError>
    /** A person has dealt with that; false if nothing of the sale needed one. */
    readonly markSeen: (voucher_id: string) => Effect.Effect<boolean, SqlError.SqlError>
    /** What the buyer of a sale is written; none if there is nothing to write, or nobody to write to. */
    readonly letter: (sale: VoucherSale) => Effect.Effect<Option.Option<SaleLetter>, SqlError.SqlError>
    /** Takes the next sale whose buyer is to be written to; it is left to this node until then. */
    readonly takeLetter: (now: Instant, until: Instant) => Found
    /** `why`: the letter was not taken, and is tried again unless it was refused `for_good`. Absent: it was sent. */
    readonly letterDone: (
      sale: VoucherSale,
      failed?: { readonly why: string; readonly for_good: boolean }
    ) => Effect.Effect<void, SqlError.SqlError>
  }
>()("playroom/payment/settlement/VoucherSales") {
  static readonly layer = Layer.effect(
    VoucherSales,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const scope = yield* Effect.scope
      const { baseUrl, letters, provider } = yield* AppConfig
      const livemode = provider.kind === "stripe" && provider.livemode
      const gateway = yield* PaymentGateway
      const operators = yield* Operators
      const vouchers = yield* Vouchers
      const links = yield* LinkTokens
      const random = yield* SecureRandom.SecureRandom
      const orders = yield* makeOrderPayments
      const { providerNow } = yield* ProviderHealth
      const rows = decodeRows(Schema.Array(SaleRow))
      const refundRows = decodeRows(Schema.Array(SaleRefund))
      const columns = sql.literal(columnsOf(SaleRow, "s"))
      const all = (where: Statement.Fragment) => rows(sql`select ${columns} from voucher_sale s where ${where}`)
      const first = (found: Effect.Effect<ReadonlyArray<VoucherSale>, SqlError.SqlError>): Found =>
        Effect.map(found, ([sale]) => Option.fromUndefinedOr(sale))
      const find = (voucher_id: VoucherId) => first(all(sql`s.voucher_id = ${voucher_id}`))
      const lock = (payment_session_id: string) =>
        first(all(sql`s.payment_session_id = ${payment_session_id} for no key update`))
      const newRefund = Effect.provideService(newId.refund, SecureRandom.SecureRandom, random)

      const returnAddress = ({ payment_session_id }: Pick<VoucherSale, "payment_session_id">) =>
        Effect.map(
          links.make({ page: "payment", payment_session_id, counter: 0 }),
          (token) => `${baseUrl}${boughtPath}${token}`
        )

      // The sale.

      /** The request for a sale's page. What is not asked for anew, after a lost backup, has no more than that. */
      const requestOf = (
        { account, application_fee, order, payment_session_id, voucher_id }: Omit<NewSale, "amount">,
        asked: Pick<
          CheckoutRequest,
          "amount" | "currency" | "description" | "expires_at" | "success_url" | "cancel_url"
        >
      ): CheckoutRequest => ({
        account,
        idempotency_key: payment_session_id,
        payment_session_id,
        voucher_id,
        ...(order === undefined ? {} : { order_id: order.order_id }),
        reference: voucher_id,
        purpose: "due_now",
        application_fee,
        ...asked
      })

      const insert = Effect.fnUntraced(function* (
        wanted: NewSale,
        request: CheckoutRequest,
        valid_months: number | undefined,
        sender: string | null
      ) {
        const { amount, buyer, greeting, language, operator_id, order, payment_session_id, recipient, voucher_id } =
          wanted
        const now = new Date(yield* Clock.currentTimeMillis)
        const ends = new Date(request.expires_at * 1000)
        const { time_zone } = yield* Effect.catchTag(operators.page(operator_id), "OperatorNotFound", Effect.die)
        const digest = yield* vouchers.digest(voucher_id)
        return yield* Effect.gen(function* () {
          // Counts of a network are one after the other.
          if (sender !== null)
            yield* sql`select pg_advisory_xact_lock(hashtextextended('vouchers of ' || network_of(${sender}::text), 0))`
          return yield* first(
            rows(sql`insert into voucher_sale as s (voucher_id, payment_session_id, operator_id, code_digest,
              status, account, amount, currency, application_fee, time_zone, valid_months, request, order_id, parts, buyer_name,
              buyer_email, recipient, greeting, language, sender, expires_at, next_at, created_at, updated_at)
            select ${voucher_id}, ${payment_session_id}, ${operator_id}, ${digest}::bytea, 'creating', ${wanted.account},
              ${amount}::int, ${request.currency}, ${wanted.application_fee}::int, ${time_zone ?? "UTC"},
              ${valid_months ?? null}::int, ${JSON.stringify(request)}::jsonb, ${order?.order_id ?? null},
              ${order === undefined ? null : JSON.stringify(order.parts)}::jsonb, ${buyer?.name ?? null}, ${buyer?.email ?? null},
              ${recipient ?? null}, ${greeting ?? null}, ${language}, ${sender}, ${ends}::timestamptz, ${ends}::timestamptz,
              ${now}::timestamptz, ${now}::timestamptz
            where ${sender}::text is null or (select count(*) from voucher_sale u where u.status <> 'paid'
              and u.created_at > ${new Date(now.getTime() - unpaidForMs)}
              and network_of(u.sender) = network_of(${sender}::text)) < ${maxUnpaid}::int
            on conflict do nothing returning ${columns}`)
          )
        }).pipe(sql.withTransaction)
      })

      /** Sends the request of a sale, and stores the page. Repeated, it sends the same bytes under the same key. */
      const send = Effect.fnUntraced(function* (sale: VoucherSale): Effect.fn.Return<Bought, SqlError.SqlError> {
        const { payment_session_id, voucher_id } = sale
        const giveUp = Effect.flatMap(
          Clock.currentTimeMillis,
          (now) => sql`update voucher_sale set status = 'failed', next_at = null, updated_at = ${new Date(now)}
            where voucher_id = ${voucher_id} and status = 'creating'`
        )
        const log = (error: unknown) =>
          Effect.logWarning("No page was made on which a voucher can be paid", { payment_session_id, error })
        return yield* gateway.createSession(sale.request).pipe(
          Effect.tap(() => failpoint("voucher's page made, not stored")),
          Effect.flatMap(
            Effect.fnUntraced(function* (page) {
              const now = new Date(yield* Clock.currentTimeMillis)
              const ends = new Date(page.expires_at * 1000)
              yield* orders.hold(sale.parts ?? [], page.expires_at * 1000)
              yield* sql`update voucher_sale set provider_session_id = ${page.id}, url = ${page.url ?? null},
                status = case when status = 'creating' then 'open' else status end,
                next_at = case when status = 'creating' then ${sale.order_id === null ? ends : new Date(now.getTime() + overdueMs)}::timestamptz
                  else next_at end,
                expires_at = ${ends}, updated_at = ${now}
                where voucher_id = ${voucher_id} and coalesce(provider_session_id, ${page.id}) = ${page.id}`
              return page.url === undefined
                ? { is: "page" as const, url: yield* returnAddress(sale) }
                : { is: "page" as const, url: page.url }
            }, sql.withTransaction)
          ),
          Effect.catchTags({
            // The same request is sent again when the form is.
            ProviderUnavailable: (error) => Effect.as(log(error), { is: "unavailable" as const }),
            AccountUnavailable: (error) =>
              Effect.andThen(
                giveUp,
                Effect.andThen(operators.closeAccount(error.account, error.reason), log(error))
              ).pipe(Effect.as({ is: "not_sold" as const })),
            ProviderKeyReused: (error) => Effect.as(Effect.andThen(giveUp, log(error)), { is: "unavailable" as const }),
            ProviderRefused: (error) =>
              Effect.as(Effect.andThen(giveUp, log(error)), {
                is: refusedInput(error) === "email" ? ("email" as const) : ("unavailable" as const)
              })
          })
        )
      })

      /** A sale that pays an order, and its request. */
      const newOrderSale = Effect.fnUntraced(function* (wanted: WantedOrder) {
        const { account, cancel_url, currency, description, language, operator, order_id, parts, success_url } = wanted
        const [voucher_id, payment_session_id] = yield* Effect.provideService(
          Effect.all([newId.voucher, newId.payment]),
          SecureRandom.SecureRandom,
          random
        )
        const amount = parts.reduce((sum, part) => sum + part.amount, 0)
        const payment = yield* links.make({ page: "payment", payment_session_id, counter: 0 })
        const wish: NewSale = {
          voucher_id,
          payment_session_id,
          operator_id: operator.operator_id,
          account,
          application_fee: percentOf(amount, operator.application_fee_percent, currency),
          amount,
          language: language ?? "en",
          order: { order_id, parts }
        }
        const returnUrl = (outcome: string) => `${wanted.return_url}&outcome=${outcome}&payment=${payment}`
        const request: CheckoutRequest = {
          ...requestOf(wish, {
            amount,
            currency,
            description,
            success_url: success_url ?? returnUrl("success"),
            cancel_url: cancel_url ?? returnUrl("cancel"),
            expires_at: pageEnd(yield* providerNow)
          }),
          adaptive_pricing: false,
          ...(language === undefined ? {} : { locale: checkoutLocale(language) })
        }
        return [wish, request] as const
      })

      const buy = Effect.fn("VoucherSales.buy")(function* (
        wanted: WantedVoucher,
        sender: string
      ): Effect.fn.Return<Bought, SqlError.SqlError> {
        const now = yield* Clock.currentTimeMillis
        const found = yield* Effect.catchTag(
          Effect.asSome(operators.get(wanted.operator_id)),
          "OperatorNotFound",
          () => Effect.succeedNone
        )
        const operator = Option.getOrUndefined(found)
        const offer = operator === undefined ? undefined : offerOf(operator, now)
        if (operator === undefined || offer === undefined) return { is: "not_sold" }
        if (!isForSale(wanted.amount, offer)) return { is: "amount" }
        const isSame = (sale: VoucherSale) =>
          sale.operator_id === operator.operator_id &&
          sale.amount === wanted.amount &&
          sale.currency === offer.currency &&
          sale.buyer_email === wanted.buyer.email &&
          sale.recipient === (wanted.recipient ?? null) &&
          sale.greeting === (wanted.greeting ?? null)
        const earlier = yield* find(wanted.voucher_id)
        if (Option.isSome(earlier) && isSame(earlier.value)) {
          const { expires_at, status, url } = earlier.value
          if (status === "paid" || status === "processing")
            return { is: "page", url: yield* returnAddress(earlier.value) }
          if (status === "open" && expires_at > now && url !== null) return { is: "page", url }
          if (status === "creating" && expires_at > now) return yield* send(earlier.value)
        }
        // An id that is used already, for something else or on a page that is over, names nothing new.
        const ids = yield* Effect.provideService(
          Effect.all([newId.voucher, newId.payment]),
          SecureRandom.SecureRandom,
          random
        )
        const [voucher_id, payment_session_id] = Option.isNone(earlier) ? [wanted.voucher_id, ids[1]] : ids
        const address = yield* returnAddress({ payment_session_id })
        const application_fee = percentOf(wanted.amount, operator.application_fee_percent, offer.currency)
        const account = operator.connected_account_id ?? ""
        const { amount, description } = wanted
        const wish: NewSale = { ...wanted, voucher_id, payment_session_id, account, application_fee }
        const request: CheckoutRequest = {
          ...requestOf(wish, {
            amount,
            currency: offer.currency,
            description,
            success_url: address,
            cancel_url: address,
            expires_at: pageEnd(yield* providerNow)
          }),
          customer_email: wanted.buyer.email,
          adaptive_pricing: false,
          locale: checkoutLocale(wanted.language)
        }
        const sale = yield* insert(wish, request, offer.valid_months, sender)
        yield* failpoint("sale of a voucher written, provider not asked")
        if (Option.isSome(sale)) return yield* send(sale.value)
        // Somebody sent the same form at the same time, or too many were asked for.
        const other = yield* find(voucher_id)
        return Option.isSome(other) && isSame(other.value) ? yield* send(other.value) : { is: "too_many" }
      })

      const payOrder = Effect.fn("VoucherSales.payOrder")(function* (
        wanted: WantedOrder
      ): Effect.fn.Return<OrderPage, SqlError.SqlError> {
        const { order_id, parts } = wanted
        const now = yield* Clock.currentTimeMillis
        const pagesSoFar = all(sql`s.order_id = ${order_id} order by s.created_at`)
        const sameOf = (earlier: ReadonlyArray<VoucherSale>) =>
          earlier.find(
            (sale) =>
              (sale.status === "open" || sale.status === "creating") &&
              sale.expires_at > now &&
              isDeepStrictEqual(sale.parts, parts)
          )
        const begin = Effect.fnUntraced(function* (wish: NewSale, request: CheckoutRequest) {
          yield* sql`select pg_advisory_xact_lock(hashtextextended('order ' || ${order_id}::text, 0))`
          const earlier = yield* pagesSoFar
          const same = sameOf(earlier)
          if (same !== undefined) return same
          // What of it was paid is of other parts than these.
          const pages = earlier.filter(
            ({ provider_session_id, status }) => provider_session_id !== null && status !== "paid"
          )
          return pages.length >= maxPages
            ? undefined
            : Option.getOrUndefined(yield* insert(wish, request, undefined, null))
        }, sql.withTransaction)
        const anew = Effect.gen(function* () {
          const [wish, request] = yield* newOrderSale(wanted)
          // Outside the transaction: it may store the secret.
          yield* vouchers.digest(wish.voucher_id)
          return yield* begin(wish, request)
        })
        const made = sameOf(yield* pagesSoFar) ?? (yield* anew)
        if (made === undefined) return { is: "too_many" }
        if (made.status === "open" && made.url !== null) return { is: "page", url: made.url, sale: made }
        yield* failpoint("sale of a voucher written, provider not asked")
        const sent = yield* send(made)
        const after = Option.getOrElse(yield* find(made.voucher_id), () => made)
        return sent.is === "page"
          ? { ...sent, sale: after }
          : { is: sent.is === "not_sold" ? "not_sold" : "unavailable" }
      })

      // What the provider says of its page.

      const flag = Effect.fnUntraced(function* ({ voucher_id }: Pick<VoucherSale, "voucher_id">, why: string) {
        const now = new Date(yield* Clock.currentTimeMillis)
        yield* sql`update voucher_sale set flagged = ${why}, updated_at = ${now} where voucher_id = ${voucher_id}`
        yield* Effect.logWarning("Money for a voucher needs a person", { voucher_id, why })
      })

      /** The voucher, of what was paid. */
      const make = Effect.fnUntraced(function* (sale: VoucherSale, amount: number, sold_at: Instant) {
        const { time_zone, valid_months, voucher_id } = sale
        const ends = endOfVoucher(sold_at, valid_months, time_zone)
        yield* sql`insert into voucher (voucher_id, operator_id, code_digest, amount, currency, way, sold_at, time_zone, expires_at)
          select voucher_id, operator_id, code_digest, ${amount}::int, currency, 'link', ${new Date(sold_at)}::timestamptz,
            time_zone, ${ends === undefined ? null : new Date(ends)}::timestamptz
          from voucher_sale where voucher_id = ${voucher_id} on conflict do nothing`
      })

      const settleFact = Effect.fnUntraced(function* (
        payment_session_id: string,
        answer: ProviderSession,
        fact: Fact
      ): Effect.fn.Return<Outcome, SqlError.SqlError> {
        // Bookings are locked before sales.
        const found = yield* first(all(sql`s.payment_session_id = ${payment_session_id}`))
        const parts = fact === "paid" ? (Option.getOrUndefined(found)?.parts ?? []) : []
        const bookings = yield* orders.lock(parts)
        const locked = yield* lock(payment_session_id)
        if (Option.isNone(locked)) return noSuchSale
        const sale = locked.value
        const { status, voucher_id } = sale
        if (fact === "unknown")
          return { status: "ignored", text: `not understood: ${answer.status}, ${answer.payment_status}` }
        const now = yield* Clock.currentTimeMillis
        const at = new Date(now)
        const hasMoney = fact === "paid" || fact === "processing"
        const why = hasMoney ? contradiction(sale, answer, livemode) : undefined
        if (why !== undefined) {
          const another = sale.provider_session_id !== null && sale.provider_session_id !== answer.id
          if (sale.flagged === null && (another || status !== "paid")) yield* flag(sale, why)
          // Its own page may still be paid, where that was another.
          if (!another)
            yield* sql`update voucher_sale set next_at = null, status = 'failed',
                payment_intent_id = coalesce(payment_intent_id, ${answer.payment_intent_id ?? null}::text)
              where voucher_id = ${voucher_id} and status <> 'paid'`
          return { status: "rejected", text: why }
        }
        if (!hasMoney && sale.provider_session_id !== null && sale.provider_session_id !== answer.id)
          return { status: "ignored", text: `another page of the provider, ${answer.id}` }
        // For nothing there is no voucher.
        const next = nextSessionStatus(status, fact === "free" ? "failed" : fact)
        const lapsed = now >= sale.expires_at
        const again =
          now < sale.created_at + processingForMs
            ? new Date(now + (status === "processing" ? processingCheckMs : overdueMs))
            : null
        if (next === undefined) {
          // What pays an order has no reader who asks for it.
          if (status === "open" && (lapsed || sale.order_id !== null))
            yield* sql`update voucher_sale set next_at = ${again}::timestamptz where voucher_id = ${voucher_id}`
          if (status === "processing") {
            yield* sql`update voucher_sale set next_at = ${again}::timestamptz where voucher_id = ${voucher_id}`
            if (again === null)
              yield* flag(sale, "its payment is processed since three weeks: see the provider's dashboard")
          }
          return applied(`nothing to change: the sale is ${status}`)
        }
        const paid_at = next === "paid" ? yield* providerNow : undefined
        const check = {
          creating: null,
          open: new Date(sale.order_id === null ? Math.max(answer.expires_at * 1000, now) : now + overdueMs),
          processing: new Date(now + processingCheckMs),
          paid: new Date(sale.order_id === null ? now + firstRefundCheckMs : now),
          failed: null,
          expired: null
        }[next]
        yield* sql`update voucher_sale set status = ${next}, provider_session_id = ${answer.id},
            payment_intent_id = coalesce(${answer.payment_intent_id ?? null}::text, payment_intent_id),
            url = coalesce(url, ${answer.url ?? null}::text), next_at = ${check}::timestamptz, updated_at = ${at},
            paid_at = ${paid_at === undefined ? null : new Date(paid_at)}::timestamptz,
            letter_at = case when ${next === "paid" && letters.kind !== "off"}::boolean and buyer_email is not null
              then ${at}::timestamptz end
          where voucher_id = ${voucher_id}`
        if (paid_at === undefined) return applied(`the sale of ${display(sale.amount, sale.currency)} is ${next}`)
        yield* make(sale, answer.amount_total, paid_at)
        const shown = display(answer.amount_total, sale.currency)
        if (sale.order_id === null) return applied(`paid: a voucher of ${shown}`)
        if (answer.amount_total !== sale.amount)
          yield* flag(
            sale,
            `${display(sale.amount, sale.currency)} was asked for several bookings, and ${shown} was paid: playroom voucher show has the code to pay them with`
          )
        else yield* orders.pay(bookings, sale, paid_at)
        return applied(`paid: ${shown} for ${bookings.length} bookings`)
      })

      const settle: VoucherSales["Service"]["settle"] = Effect.fn("VoucherSales.settle")(
        (payment_session_id, answer, fact = factOf(answer)) =>
          settleFact(payment_session_id, answer, fact).pipe(
            Effect.tap(() => failpoint("voucher's payment applied, not committed")),
            sql.withTransaction
          )
      )

      /** Whether a page pays a booking with others. */
      const paysFor = (booking_id: BookingId) =>
        sql`s.order_id = (select b.order_id from booking b where b.booking_id = ${booking_id})
          and s.parts @> ${JSON.stringify([{ booking_id }])}::jsonb`

      const ask = Effect.fnUntraced(function* ({ account, payment_session_id, provider_session_id }: VoucherSale) {
        if (provider_session_id === null) return
        yield* settle(payment_session_id, yield* gateway.getSession(account, provider_session_id))
      })

      /** Asks about pages while someone waits, if nobody has just asked: true if the provider answered. */
      const askForReader = Effect.fnUntraced(function* (which: Statement.Fragment) {
        const now = yield* Clock.currentTimeMillis
        const due = yield* rows(sql`update voucher_sale s set asked_at = ${new Date(now)}
          where ${which} and s.status in ('open', 'processing')
            and (s.asked_at is null or s.asked_at <= ${new Date(now - readerMs)}) returning ${columns}`)
        const answers = yield* Effect.forEach(
          due,
          (sale) => askWhileReaderWaits({ scope, sql }, sale.payment_session_id, ask(sale)),
          { concurrency: "unbounded" }
        )
        return answers.includes(true)
      })

      const returned = Effect.fn("VoucherSales.returned")(function* (token: string) {
        const named = paymentIn(token)
        if (Option.isNone(named)) return Option.none<VoucherSale>()
        const payment_session_id = named.value
        if (!(yield* links.opens(token, { page: "payment", payment_session_id, counter: 0 })))
          return Option.none<VoucherSale>()
        const its = sql`s.payment_session_id = ${payment_session_id}`
        yield* askForReader(its)
        return yield* first(all(its))
      })

      // What goes back of it.

      const refundsOf = (voucher_id: VoucherId) =>
        refundRows(sql`select ${sql.literal(columnsOf(SaleRefund, "r"))} from voucher_refund r
          where r.voucher_id = ${voucher_id} order by r.created_at, r.refund_id`)

      /** What the provider says of one refund or dispute. `status` undefined: it takes nothing. */
      interface Said {
        readonly provider_id: string
        readonly cause: SaleRefund["cause"]
        readonly status: "pending" | "succeeded" | undefined
        readonly amount: number
        readonly provider_status: string | null
      }

      const saidOf = ({ amount, id, ...answer }: ProviderRefund, own: SaleRefund | undefined): Said => {
        const status = statusOf({ amount, id, ...answer })
        return {
          provider_id: id,
          cause: own?.cause ?? "dashboard",
          status: status === "failed" ? undefined : status,
          amount,
          provider_status: null
        }
      }

      const saidOfDispute = (
        { amount, currency, id, status }: ProviderDispute,
        sale: VoucherSale,
        worth: number
      ): Said => {
        const state = disputeState(status)
        const taken = state === "lost" || state === "appealed" ? "succeeded" : state === "open" ? "pending" : undefined
        return {
          provider_id: id,
          cause: "dispute",
          status: taken,
          amount: currency === sale.currency ? Math.min(amount, worth) : worth,
          provider_status: status
        }
      }

      /** Stores what the provider says of a refund or dispute. True if that is news. */
      const store = Effect.fnUntraced(function* (sale: VoucherSale, row: SaleRefund | undefined, said: Said) {
        const at = new Date(yield* Clock.currentTimeMillis)
        const { amount, cause, provider_id, provider_status, status } = said
        const insertNew =
          status === undefined
            ? Effect.void
            : Effect.flatMap(
                newRefund,
                (
                  refund_id
                ) => sql`insert into voucher_refund (refund_id, voucher_id, operator_id, cause, status, amount,
                    currency, provider_refund_id, provider_status, succeeded_at, created_at, updated_at)
                  values (${refund_id}, ${sale.voucher_id}, ${sale.operator_id}, ${cause}, ${status}, ${amount}::int,
                    ${sale.currency}, ${provider_id}, ${provider_status}, ${status === "succeeded" ? at : null}::timestamptz,
                    ${at}, ${at})`
              )
        if (row === undefined) {
          yield* insertNew
          return status !== undefined
        }
        const { refund_id } = row
        const same =
          row.status === (status ?? "failed") && row.amount === amount && row.provider_status === provider_status
        if (same && row.provider_refund_id === provider_id) return false
        if (row.status === "succeeded" && (status !== "succeeded" || row.amount !== amount)) {
          // What was counted stays, and its opposite is of now.
          yield* sql`update voucher_refund set status = 'failed', reversed_at = ${at}, updated_at = ${at},
              provider_status = ${provider_status},
              failure = ${"it did not go back after all"} where refund_id = ${refund_id}`
          yield* insertNew
          return true
        }
        yield* sql`update voucher_refund set status = ${status ?? "failed"}, amount = ${amount}::int,
            provider_refund_id = ${provider_id}, provider_status = ${provider_status}, updated_at = ${at},
            succeeded_at = case when ${status === "succeeded"}::boolean then coalesce(succeeded_at, ${at}::timestamptz) end
          where refund_id = ${refund_id}`
        return true
      })

      /** What a person has to see after news of what went back; undefined: nothing. */
      const troubleAfter = Effect.fnUntraced(function* (sale: VoucherSale, disputes: ReadonlyArray<ProviderDispute>) {
        const found = yield* vouchers.find(sale.voucher_id)
        const overdrawn = Option.match(found, { onNone: () => 0, onSome: ({ overdrawn }) => overdrawn })
        if (overdrawn > 0) return `${display(overdrawn, sale.currency)} of it was spent before it went back to who paid`
        // Of an undone voucher nothing may be left.
        const kept = Option.match(found, {
          onNone: () => 0,
          onSome: ({ left, voided_at }) => (voided_at === null ? 0 : left)
        })
        const isGoingBack = (yield* refundsOf(sale.voucher_id)).some(({ status }) => status === "requested")
        if (kept > 0 && !isGoingBack)
          return `it was undone, and ${display(kept, sale.currency)} of its payment did not go back`
        const dispute = disputes.find(({ status }) => isUnderWay(status) || disputeState(status) === "lost")
        return dispute === undefined
          ? undefined
          : `dispute ${dispute.id} of ${display(dispute.amount, dispute.currency)} is ${dispute.status}: the voucher is lowered by it; answer it in the provider's dashboard`
      })

      /** Reads and stores a payment's refunds and disputes. True: something of it is still under way. */
      const check = Effect.fnUntraced(function* (sale: VoucherSale): Effect.fn.Return<boolean, Failure> {
        if (sale.payment_intent_id === null) return false
        const answers = yield* gateway.listRefunds(sale.account, sale.payment_intent_id)
        const disputes = yield* gateway.listDisputes(sale.account, sale.payment_intent_id)
        yield* Effect.gen(function* () {
          yield* lock(sale.payment_session_id)
          // Nobody spends it meanwhile.
          yield* sql`select from voucher where voucher_id = ${sale.voucher_id} for no key update`
          const worth = Option.match(yield* vouchers.find(sale.voucher_id), {
            onNone: () => sale.amount,
            onSome: ({ amount }) => amount
          })
          const known = (yield* refundsOf(sale.voucher_id)).filter(({ reversed_at }) => reversed_at === null)
          let news = false
          for (const answer of answers) {
            const foreign = inAnotherCurrency(sale.currency, answer)
            if (foreign !== undefined) {
              yield* flag(sale, foreign)
              continue
            }
            const own = known.find(
              (row) =>
                row.provider_refund_id === answer.id ||
                (row.provider_refund_id === null && row.refund_id === answer.refund_id)
            )
            news = (yield* store(sale, own, saidOf(answer, own))) || news
          }
          for (const dispute of disputes) {
            const own = known.find((row) => row.provider_refund_id === dispute.id)
            news = (yield* store(sale, own, saidOfDispute(dispute, sale, worth))) || news
          }
          if (!news) return
          const why = yield* troubleAfter(sale, disputes)
          if (why !== undefined) yield* flag(sale, why)
          else
            yield* sql`update voucher_sale set updated_at = ${new Date(yield* Clock.currentTimeMillis)} where voucher_id = ${sale.voucher_id}`
        }).pipe(sql.withTransaction)
        return (
          disputes.some(({ status }) => isUnderWay(status)) || answers.some((answer) => statusOf(answer) === "pending")
        )
      })

      /** Lowers a requested refund to what is still to go back, and says what is to be sent; none if nothing is. */
      const ready = Effect.fnUntraced(function* (sale: VoucherSale, refund_id: RefundId) {
        yield* lock(sale.payment_session_id)
        yield* sql`select from voucher where voucher_id = ${sale.voucher_id} for no key update`
        const all = yield* refundsOf(sale.voucher_id)
        const row = all.find((one) => one.refund_id === refund_id && one.status === "requested")
        const voucher = yield* vouchers.find(sale.voucher_id)
        if (row === undefined || Option.isNone(voucher)) return undefined
        const amount = voucher.value.left
        const at = new Date(yield* Clock.currentTimeMillis)
        if (amount <= 0) {
          yield* sql`update voucher_refund set status = 'failed', failure = ${wentBackAlready}, seen_at = ${at},
            updated_at = ${at} where refund_id = ${refund_id}`
          return undefined
        }
        if (amount === row.amount) return row
        const attempt = row.attempt + 1
        yield* sql`update voucher_refund set amount = ${amount}::int, attempt = ${attempt}::int, updated_at = ${at}
          where refund_id = ${refund_id}`
        return { ...row, amount, attempt }
      }, sql.withTransaction)

      /** Sends the refunds that were decided. True: one has to be tried again. */
      const sendRefunds = Effect.fnUntraced(function* (sale: VoucherSale): Effect.fn.Return<boolean, Failure> {
        let later = false
        for (const { created_at, refund_id, status } of yield* refundsOf(sale.voucher_id)) {
          const row = status === "requested" ? yield* ready(sale, refund_id) : undefined
          if (row === undefined) continue
          const { amount, attempt } = row
          const now = yield* Clock.currentTimeMillis
          const at = new Date(now)
          const renewKey = sql`update voucher_refund set attempt = ${attempt + 1}::int where refund_id = ${refund_id}`
          const fail = (why: string) =>
            sql`update voucher_refund set status = 'failed', failure = ${why}, updated_at = ${at} where refund_id = ${refund_id}`
          const waits = now - created_at < refundTriesMs
          const request = {
            account: sale.account,
            idempotency_key: `${refund_id}_${attempt}`,
            refund_id,
            voucher_id: sale.voucher_id,
            payment_intent_id: sale.payment_intent_id ?? "",
            amount,
            refund_application_fee: sale.application_fee > 0
          }
          const made: Result.Result<ProviderRefund, Failure> = yield* Effect.result(
            gateway.createRefund(request, sale.currency).pipe(
              Effect.tap(() => failpoint("voucher's refund made, not stored")),
              Effect.tapError((error) =>
                error._tag === "ProviderUnavailable" && error.kept !== true ? Effect.void : Effect.asVoid(renewKey)
              )
            )
          )
          if (Result.isSuccess(made)) {
            const answer = made.success
            const { failure_reason = "" } = answer
            const failedNow = statusOf(answer) === "failed"
            if (failedNow && passing.has(failure_reason) && waits) {
              yield* renewKey
              later = true
            } else if (failedNow) yield* fail(failure_reason)
            else yield* sql.withTransaction(store(sale, row, saidOf(answer, row)))
          } else if (made.failure._tag === "ProviderRefused") {
            const { code, message } = made.failure
            if (passing.has(code) && waits) later = true
            else yield* fail(`${code}: ${message}`)
          } else if (made.failure._tag === "ProviderKeyReused" || made.failure._tag === "AccountUnavailable")
            later = true
          else return yield* made.failure
        }
        return later
      })

      /** What an order's payment left, and what went back of its bookings, goes back to the payer. */
      const payLeftBack = Effect.fnUntraced(function* ({ payment_session_id, voucher_id }: VoucherSale) {
        yield* lock(payment_session_id)
        yield* sql`select from voucher where voucher_id = ${voucher_id} for no key update`
        yield* vouchers.payLeftBack(voucher_id)
      }, sql.withTransaction)

      /** Looks after a paid sale, and says when it is looked at next. */
      const lookAfter = Effect.fnUntraced(function* (sale: VoucherSale, lease: Date): Effect.fn.Return<void, Failure> {
        let open = yield* check(sale)
        if (sale.order_id !== null && sale.flagged === null) yield* payLeftBack(sale)
        const later = yield* sendRefunds(sale)
        const now = yield* Clock.currentTimeMillis
        const [after] = yield* all(sql`s.voucher_id = ${sale.voucher_id}`)
        const changed = after?.updated_at ?? now
        open ||= (yield* refundsOf(sale.voucher_id)).some(({ status }) => status === "pending")
        const until = Math.max((sale.paid_at ?? now) + refundWindowMs, changed + refundChecksForMs)
        const interval = Math.min(maxRefundCheckIntervalMs, Math.max(firstRefundCheckMs, now - changed))
        const next = later ? now + refundRetryMs : open || now + interval < until ? now + interval : undefined
        yield* sql`update voucher_sale set next_at = ${next === undefined ? null : new Date(next)}::timestamptz
          where voucher_id = ${sale.voucher_id} and next_at = ${lease}`
      })

      const lookAt = Effect.fnUntraced(function* (sale: VoucherSale, lease: Date): Effect.fn.Return<void, Failure> {
        const now = yield* Clock.currentTimeMillis
        switch (sale.status) {
          case "creating":
            // Nobody has the page's address: nobody can have paid.
            yield* sql`update voucher_sale set status = 'failed', next_at = null, updated_at = ${new Date(now)}
              where voucher_id = ${sale.voucher_id} and status = 'creating' and expires_at <= ${new Date(now)}`
            return
          case "open":
          case "processing":
            return yield* ask(sale)
          case "paid":
            return yield* lookAfter(sale, lease)
          case "failed":
          case "expired":
            yield* sql`update voucher_sale set next_at = null where voucher_id = ${sale.voucher_id} and next_at = ${lease}`
        }
      })

      /** When the provider is asked again after a failure: soon if it is away, else a person has to do something first. */
      const later = Effect.fnUntraced(function* (sale: VoucherSale, error: Failure, lease: Date) {
        const now = yield* Clock.currentTimeMillis
        const wait = error._tag === "ProviderUnavailable" || error._tag === "SqlError" ? leaseMs : firstRefundCheckMs
        const over = now > sale.updated_at + refundWindowMs + refundChecksForMs
        yield* sql`update voucher_sale set next_at = ${over ? null : new Date(now + wait)}::timestamptz
          where voucher_id = ${sale.voucher_id} and next_at = ${lease}`
      })

      const runDue = Effect.fn("VoucherSales.runDue")(function* () {
        const now = yield* Clock.currentTimeMillis
        const lease = new Date(now + leaseMs)
        const due = yield* rows(sql`update voucher_sale s set next_at = ${lease} where s.voucher_id in (
            select voucher_id from voucher_sale where next_at <= ${new Date(now)} order by next_at limit ${batchSize}::int
            for update skip locked) returning ${columns}`)
        yield* Effect.forEach(
          due,
          (sale) =>
            Effect.catch(lookAt(sale, lease), (error) =>
              Effect.andThen(
                Effect.logWarning("A voucher's sale has to wait", {
                  payment_session_id: sale.payment_session_id,
                  error
                }),
                later(sale, error, lease)
              )
            ),
          { discard: true }
        )
        return due.length
      })()

      const restore = Effect.fn("VoucherSales.restore")(function* (
        account: string,
        { application_fee, metadata, payer_email, payer_name, session }: ListedSession,
        apply: boolean
      ): Effect.fn.Return<Outcome | undefined, SqlError.SqlError> {
        const named = Schema.decodeUnknownOption(
          Schema.Struct({ payment_session_id: PaymentSessionId, voucher_id: VoucherId })
        )(metadata)
        const operator = yield* operators.byConnectedAccount(account)
        if (Option.isNone(named) || Option.isNone(operator) || factOf(session) !== "paid") return undefined
        if (!apply) return applied("it is a gift voucher's, and would be taken over with its code")
        const { payment_session_id, voucher_id } = named.value
        const { operator_id, vouchers: offered } = operator.value
        const { amount_total: amount, currency, expires_at } = session
        const wish: NewSale = {
          voucher_id,
          payment_session_id,
          operator_id,
          account,
          application_fee: Math.min(application_fee, amount),
          amount,
          buyer: { name: payer_name ?? "", email: payer_email ?? "" },
          language: "en"
        }
        const request = requestOf(wish, {
          amount,
          currency,
          description: "",
          success_url: baseUrl,
          cancel_url: baseUrl,
          expires_at
        })
        const sale = yield* insert(wish, request, offered?.valid_months, null)
        if (Option.isNone(sale)) return undefined
        const outcome = yield* settle(payment_session_id, session)
        // Which bookings it paid is not known any more.
        if (metadata["order_id"] !== undefined)
          yield* flag(sale.value, "it paid several bookings: playroom voucher show has the code to pay them with")
        // What went back of it meanwhile is asked for at once; its buyer has had a letter.
        yield* sql`update voucher_sale set letter_at = null, next_at = created_at where voucher_id = ${voucher_id}`
        return outcome
      })

      return VoucherSales.of({
        newId: Effect.provideService(newId.voucher, SecureRandom.SecureRandom, random),
        buy,
        payOrder,
        returned,
        find,
        payingFor: (booking_id, payment_session_id) =>
          first(all(sql`s.payment_session_id = ${payment_session_id} and ${paysFor(booking_id)}`)),
        named: (account, { payment_session_id = "", provider_session_id = "" }) =>
          first(
            all(sql`s.account = ${account} and (s.provider_session_id = ${provider_session_id}
              or s.payment_session_id = ${payment_session_id})`)
          ),
        settle,
        askOf: Effect.fn("VoucherSales.askOf")(function* (booking_id) {
          const pages = yield* all(sql`s.status in ('open', 'processing') and ${paysFor(booking_id)}`)
          yield* Effect.forEach(pages, ask, { discard: true })
        }),
        askForReader: Effect.fn("VoucherSales.askForReader")(({ awaiting_provider, booking_id, status }) =>
          status === "held" && awaiting_provider ? askForReader(paysFor(booking_id)) : Effect.succeed(false)
        ),
        checkSoon: Effect.fn("VoucherSales.checkSoon")(function* (
          account,
          { payment_intent_id, payment_session_id = "" }
        ) {
          const at = new Date(yield* Clock.currentTimeMillis)
          const found = yield* sql`update voucher_sale set
              next_at = least(next_at, greatest(${at}::timestamptz, coalesce(asked_at, '-infinity') + ${`${minRefundCheckIntervalMs} milliseconds`}::interval))
            where account = ${account} and (payment_intent_id = ${payment_intent_id} or payment_session_id = ${payment_session_id})
            returning voucher_id`
          return found.length > 0
        }),
        runDue,
        restore,
        unknownRefunds: (account, listed) =>
          listed.length === 0
            ? Effect.succeed([])
            : decodeRows(Schema.Array(UnknownRefund))(sql`select s.voucher_id,
                  coalesce(s.provider_session_id, '') as provider_session_id, x.payment_intent_id, x.amount, x.currency
                from jsonb_to_recordset(${JSON.stringify(
                  listed.map(({ payment_intent_id, refund: { amount, currency, id } }) => ({
                    payment_intent_id,
                    id,
                    amount,
                    currency
                  }))
                )}::jsonb) as x (payment_intent_id text, id text, amount int, currency text)
                  join voucher_sale s on s.payment_intent_id = x.payment_intent_id and s.account = ${account}
                where not exists (select from voucher_refund r where r.voucher_id = s.voucher_id
                  and r.provider_refund_id = x.id) order by 1, 3`),
        paidOf: (operator_id, after, until, limit) =>
          all(sql`s.operator_id = ${operator_id} and s.status = 'paid' and s.payment_session_id > ${after}
            and s.payment_session_id < ${until} order by s.payment_session_id limit ${limit}::int`),
        troubles: Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          return yield* decodeRows(
            Schema.Array(Schema.Struct({ voucher_id: VoucherId, operator_id: Schema.String, why: Schema.String }))
          )(sql`(select voucher_id, operator_id, flagged as why from voucher_sale where flagged is not null)
            union all
            (select r.voucher_id, r.operator_id, format('its refund of %s minor units of %s is %s since %s%s', r.amount, r.currency,
                r.status, r.updated_at, coalesce(': ' || r.failure, ''))
              from voucher_refund r where r.cause = 'undone' and r.seen_at is null and r.reversed_at is null
                and (r.status = 'failed' or r.status = 'requested' and r.created_at < ${new Date(now - refundUnsentMs)}
                  or r.status = 'pending' and r.created_at < ${new Date(now - refundPendingMs)}))
            union all
            (select voucher_id, operator_id, 'its buyer was not written to: ' || letter_outcome from voucher_sale
              where letter_outcome is not null and letter_at is null)
            order by 1 limit 1000`)
        }),
        markSeen: Effect.fn("VoucherSales.markSeen")(function* (voucher_id: string) {
          const at = new Date(yield* Clock.currentTimeMillis)
          const refunds = yield* sql`update voucher_refund set seen_at = ${at} where voucher_id = ${voucher_id}
            and cause = 'undone' and status in ('failed', 'pending') and seen_at is null returning 1 as seen`
          const sales = yield* sql`update voucher_sale set flagged = null,
              letter_outcome = case when letter_at is null then null else letter_outcome end
            where voucher_id = ${voucher_id} and (flagged is not null or letter_outcome is not null and letter_at is null)
            returning 1 as seen`
          return refunds.length + sales.length > 0
        }, sql.withTransaction),
        letter: Effect.fnUntraced(function* ({ buyer_email, language, operator_id, voucher_id }) {
          const found = yield* vouchers.find(voucher_id)
          if (buyer_email === null || Option.isNone(found) || found.value.voided_at !== null)
            return Option.none<SaleLetter>()
          const operator = yield* Effect.catchTag(operators.get(operator_id), "OperatorNotFound", Effect.die)
          const address = `${baseUrl}${voucherPath}${inGroups(yield* vouchers.code(voucher_id))}`
          const venue = { name: operator.name, ...contactOf(operator) }
          return Option.some({ to: buyer_email, voucher: found.value, venue, address, language })
        }),
        takeLetter: (now, until) =>
          first(
            rows(sql`update voucher_sale s set letter_at = ${new Date(until)}, letter_tries = letter_tries + 1
            where s.voucher_id = (select voucher_id from voucher_sale where letter_at <= ${new Date(now)}
              order by letter_at limit 1 for update skip locked) returning ${columns}`)
          ),
        letterDone: Effect.fnUntraced(function* ({ paid_at, voucher_id }, failed) {
          const now = yield* Clock.currentTimeMillis
          const over = failed === undefined || failed.for_good || now > (paid_at ?? now) + letterTriesMs
          yield* sql`update voucher_sale set letter_at = ${over ? null : new Date(now + letterRetryMs)}::timestamptz,
            letter_outcome = ${failed?.why ?? null} where voucher_id = ${voucher_id}`
        })
      })
    })
  ).pipe(
    Layer.provide([
      BookingRecords.layer,
      LinkTokens.layer,
      Operators.layer,
      PaymentSessions.layer,
      ProviderHealth.layer,
      Settlement.layer,
      Vouchers.layer
    ])
  )
}

/** What the database has of a person who bought vouchers: whole rows. */
export const salesOfPerson = Effect.fnUntraced(function* (email: string) {
  const sql = yield* SqlClient.SqlClient
  const found = yield* decodeRows(
    Schema.Array(Schema.Struct({ sale: Schema.Record(Schema.String, Schema.Json) }))
  )(sql`select to_jsonb(s) - 'code_digest' as sale from voucher_sale s
    where folded(s.buyer_email) = folded(${email}::text) order by s.voucher_id`)
  return found.map(({ sale }) => sale)
})

/** Takes the buyer, and what was written on the voucher, out of sales whose payment is over. */
export const forgetBuyer = Effect.fnUntraced(function* (
  which: { readonly email: string } | { readonly before: Instant }
) {
  const sql = yield* SqlClient.SqlClient
  const where =
    "email" in which
      ? sql`folded(buyer_email) = folded(${which.email}::text)`
      : sql`created_at < ${new Date(which.before)} and buyer_email is not null`
  const gone =
    yield* sql`update voucher_sale set buyer_name = null, buyer_email = null, recipient = null, greeting = null,
      sender = null, letter_at = null, letter_outcome = null,
      request = (request - 'customer_email') || jsonb_build_object(
        'success_url', substring(request ->> 'success_url' from '^https?://[^/?#]+'),
        'cancel_url', substring(request ->> 'cancel_url' from '^https?://[^/?#]+'))
    where ${where} and status in ('paid', 'failed', 'expired') returning 1 as gone`
  return gone.length
})

/** Whether a person's payment for a voucher is still under way: who paid is needed until then. */
export const buysNow = Effect.fnUntraced(function* (email: string) {
  const sql = yield* SqlClient.SqlClient
  const found = yield* sql`select 1 as open from voucher_sale where folded(buyer_email) = folded(${email}::text)
    and status not in ('paid', 'failed', 'expired') limit 1`
  return found.length > 0
})

/** Removes up to `limit` sales that were begun before then and not paid, unless a person has to see them. */
export const removeUnpaidSales = Effect.fnUntraced(function* (before: Instant, limit: number) {
  const sql = yield* SqlClient.SqlClient
  const gone = yield* sql`delete from voucher_sale where voucher_id in (select voucher_id from voucher_sale
    where status in ('failed', 'expired') and flagged is null and created_at < ${new Date(before)}
    limit ${limit}::int for update skip locked) returning 1 as gone`
  return gone.length
})

/** Forgets the network addresses of up to `limit` sales that were begun before then. */
export const forgetSenders = Effect.fnUntraced(function* (before: Instant, limit: number) {
  const sql = yield* SqlClient.SqlClient
  const gone = yield* sql`update voucher_sale set sender = null where voucher_id in (select voucher_id from voucher_sale
    where sender is not null and created_at < ${new Date(before)} limit ${limit}::int for update skip locked)
    returning 1 as gone`
  return gone.length
})
