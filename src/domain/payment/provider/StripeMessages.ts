/**
 * Decodes the provider's objects for the port. Field names and meanings are the provider's
 * (https://docs.stripe.com/api/checkout/sessions, https://docs.stripe.com/api/refunds,
 * https://docs.stripe.com/api/disputes, https://docs.stripe.com/api/events). Its texts are made safe for the database,
 * and lose people's addresses, because they reach logs and lists.
 */
import { Option, Schema, SchemaTransformation } from "effect"
import { plainText } from "../../../platform/text/Text.ts"
import type {
  ConnectedAccount,
  ListedDispute,
  ListedRefund,
  ListedSession,
  PresentedAmount,
  ProviderDispute,
  ProviderInvoice,
  ProviderRefund,
  ProviderSession
} from "./PaymentGateway.ts"
import { fromProviderAmount, providerCurrencies } from "../../../platform/money/Charge.ts"

/**
 * An id or a name of the provider's: printable ASCII (https://docs.stripe.com/upgrades: ids are at most 255
 * characters).
 */
export const ProviderId = Schema.String.check(Schema.isPattern(/^[\x21-\x7e]{1,255}$/))

/** An address of a page of the provider's. */
export const ProviderUrl = Schema.String.check(Schema.isPattern(/^[\x21-\x7e]{1,8192}$/))

// Any word with an @, also percent-encoded: the provider repeats refused input, valid or not.
const addresses = /[^\s'"<>()]*(?:@|%40)[^\s'"<>()]*/giu

/** The provider's words without people's addresses, in one line of at most `length` characters. */
export const redactAddresses = (text: string, length = 300): string =>
  plainText(plainText(text, length * 4).replaceAll(addresses, "[address]"), length)

const through = (change: (text: string) => string) =>
  Schema.String.pipe(
    Schema.decodeTo(Schema.String, SchemaTransformation.transform({ decode: change, encode: (text: string) => text }))
  )

/** A status or a code: a word that may be newer than we know. */
export const ProviderCode = through((text) => redactAddresses(text, 100))

/** A sentence of the provider's. */
const ProviderMessage = through((text) => redactAddresses(text))

interface DatedRefund {
  readonly refund: ProviderRefund
  /** Seconds since 1970. */
  readonly created: number
}

/** What a session, a payment or a refund says of the payer's own currency. */
const Presentment = Schema.optionalKey(
  Schema.NullOr(Schema.Struct({ presentment_amount: Schema.Int, presentment_currency: ProviderCode }))
)

/** What the payer paid in another currency than the session's; undefined if it was the same. */
const readPresented = (
  details: typeof Presentment.schema.Type | undefined,
  currency: string
): PresentedAmount | undefined => {
  const code = details?.presentment_currency.toUpperCase()
  if (!details || code === undefined || code === currency || !providerCurrencies.has(code)) return undefined
  return { amount: fromProviderAmount(details.presentment_amount, code), currency: code }
}

// The client's types are no guarantee: a proxy or a newer release of the provider may send something else. What an
// operator sells by itself has other pages on its account. One that takes no money has neither amount nor currency.
const SessionFields = Schema.Struct({
  id: ProviderId,
  object: Schema.Literal("checkout.session"),
  status: Schema.NullOr(ProviderCode),
  payment_status: ProviderCode,
  amount_total: Schema.NullOr(Schema.Finite),
  currency: Schema.NullOr(ProviderCode),
  url: Schema.optionalKey(Schema.NullOr(ProviderUrl)),
  payment_intent: Schema.optionalKey(
    Schema.NullOr(
      Schema.Union([
        ProviderId,
        Schema.Struct({
          id: ProviderId,
          status: Schema.optionalKey(ProviderCode),
          currency: Schema.optionalKey(ProviderCode),
          last_payment_error: Schema.optionalKey(Schema.Unknown),
          latest_charge: Schema.optionalKey(Schema.Unknown)
        })
      ])
    )
  ),
  presentment_details: Presentment,
  expires_at: Schema.Int,
  livemode: Schema.Boolean,
  metadata: Schema.optionalKey(Schema.NullOr(Schema.Record(Schema.String, Schema.String)))
})
const Session = Schema.decodeUnknownOption(SessionFields)

const Refund = Schema.decodeUnknownOption(
  Schema.Struct({
    id: ProviderId,
    object: Schema.Literal("refund"),
    status: Schema.NullOr(ProviderCode),
    amount: Schema.Int,
    currency: ProviderCode,
    created: Schema.Int,
    failure_reason: Schema.optionalKey(Schema.NullOr(ProviderMessage)),
    metadata: Schema.optionalKey(Schema.NullOr(Schema.Record(Schema.String, Schema.String)))
  })
)

const PaymentError = Schema.decodeUnknownOption(
  Schema.Struct({ charge: Schema.optionalKey(Schema.NullOr(ProviderId)) })
)
const Charge = Schema.decodeUnknownOption(Schema.Struct({ id: ProviderId, created: Schema.Int }))

/** The last unsuccessful try of an expanded payment, with the time of its charge if that was expanded, too. */
const readFailedAttempt = (intent: typeof SessionFields.Type.payment_intent): ProviderSession["failed_attempt"] => {
  if (typeof intent !== "object" || intent?.status !== "requires_payment_method") return undefined
  return Option.getOrUndefined(
    Option.map(PaymentError(intent.last_payment_error), (error) => {
      const charge = error.charge ?? ""
      const of = Option.filter(Charge(intent.latest_charge), ({ id }) => id === charge)
      return { charge, ...(Option.isSome(of) ? { created: of.value.created } : {}) }
    })
  )
}

/** Reads a session, of an answer or of an event's own copy; none if it is no session. Without an amount it has -1. */
export const readSession = (answer: unknown): Option.Option<ProviderSession> =>
  Option.map(Session(answer), (found) => {
    const currency = (found.currency ?? "").toUpperCase()
    const intent = typeof found.payment_intent === "string" ? found.payment_intent : found.payment_intent?.id
    // A failed delayed payment leaves the session complete and unpaid; only an expanded intent shows the failure.
    const failed =
      found.status === "complete" &&
      found.payment_status === "unpaid" &&
      typeof found.payment_intent === "object" &&
      (found.payment_intent?.status === "requires_payment_method" || found.payment_intent?.status === "canceled")
    const own = found.metadata?.["payment_session_id"]
    const failed_attempt = readFailedAttempt(found.payment_intent)
    const payment = typeof found.payment_intent === "object" ? found.payment_intent?.currency : undefined
    const presented = readPresented(found.presentment_details, currency)
    return {
      id: found.id,
      status: found.status ?? "unknown",
      payment_status: found.payment_status,
      amount_total: currency === "" ? -1 : fromProviderAmount(found.amount_total ?? -1, currency),
      currency,
      ...(found.status === "open" && typeof found.url === "string" ? { url: found.url } : {}),
      ...(intent === undefined ? {} : { payment_intent_id: intent }),
      ...(failed ? { payment_failed: true } : {}),
      ...(failed_attempt === undefined ? {} : { failed_attempt }),
      ...(payment === undefined ? {} : { payment_currency: payment.toUpperCase() }),
      ...(presented === undefined ? {} : { presented }),
      expires_at: found.expires_at,
      livemode: found.livemode,
      ...(own === undefined ? {} : { payment_session_id: own })
    }
  })

const NullableText = Schema.optionalKey(Schema.NullOr(Schema.String))
const Listed = Schema.decodeUnknownOption(
  Schema.Struct({
    created: Schema.Int,
    success_url: NullableText,
    customer_email: NullableText,
    customer_details: Schema.optionalKey(Schema.NullOr(Schema.Struct({ name: NullableText, email: NullableText }))),
    payment_intent: Schema.optionalKey(
      Schema.NullOr(
        Schema.Union([
          ProviderId,
          Schema.Struct({
            description: NullableText,
            application_fee_amount: Schema.optionalKey(Schema.NullOr(Schema.Int))
          })
        ])
      )
    ),
    metadata: Schema.optionalKey(Schema.NullOr(Schema.Record(Schema.String, Schema.String)))
  })
)

/** Reads a session with its expanded payment. It includes the payer, because a person may have to contact them. */
export const readListedSession = (answer: unknown): Option.Option<ListedSession> =>
  Option.flatMap(readSession(answer), (session) =>
    Option.map(Listed(answer), (found) => {
      const intent = typeof found.payment_intent === "string" ? undefined : (found.payment_intent ?? undefined)
      const email = found.customer_details?.email ?? found.customer_email
      const name = found.customer_details?.name
      return {
        session,
        created: found.created,
        success_url: found.success_url ?? "",
        application_fee: fromProviderAmount(intent?.application_fee_amount ?? 0, session.currency),
        metadata: found.metadata ?? {},
        ...(intent?.description ? { description: plainText(intent.description, 1000) } : {}),
        ...(name ? { payer_name: plainText(name, 200) } : {}),
        ...(email ? { payer_email: plainText(email, 320) } : {})
      }
    })
  )

/** Reads a refund and its creation time (seconds since 1970). */
export const readRefund = (answer: unknown): Option.Option<DatedRefund> =>
  Option.map(Refund(answer), (found) => {
    const own = found.metadata?.["refund_id"]
    return {
      created: found.created,
      refund: {
        id: found.id,
        status: found.status ?? "pending",
        amount: fromProviderAmount(found.amount, found.currency),
        currency: found.currency.toUpperCase(),
        ...(typeof found.failure_reason === "string" ? { failure_reason: found.failure_reason } : {}),
        ...(own === undefined ? {} : { refund_id: own })
      }
    }
  })

/** An id, or the expanded object. */
const Reference = Schema.NullOr(Schema.Union([ProviderId, Schema.Struct({ id: ProviderId })]))
const idOf = (reference: typeof Reference.Type | undefined): string | undefined =>
  typeof reference === "string" ? reference : reference?.id

const OfPayment = Schema.decodeUnknownOption(Schema.Struct({ payment_intent: Schema.optionalKey(Reference) }))

/** Reads the id of the payment that a refund, a dispute or a charge is of; "" if it is of none. */
export const readPaymentOf = (object: unknown): Option.Option<string> =>
  Option.map(OfPayment(object), ({ payment_intent }) => idOf(payment_intent) ?? "")

/** Reads a refund with its payment; "" if the provider names none. */
export const readListedRefund = (answer: unknown): Option.Option<ListedRefund> =>
  Option.flatMap(readRefund(answer), ({ created, refund }) =>
    Option.map(readPaymentOf(answer), (payment_intent_id) => ({ refund, created, payment_intent_id }))
  )

/** Seconds since 1970. Users of a period check how far ahead it may end. */
const Seconds = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/**
 * A line of an invoice. What it belongs to is in `parent`
 * (https://docs.stripe.com/api/invoice-line-item/object); older API versions: `type` and `proration`.
 */
const Line = Schema.Struct({
  id: Schema.optionalKey(ProviderId),
  amount: Schema.Finite,
  type: Schema.optionalKey(ProviderCode),
  proration: Schema.optionalKey(Schema.Boolean),
  parent: Schema.optionalKey(
    Schema.NullOr(
      Schema.Struct({
        type: ProviderCode,
        subscription_item_details: Schema.optionalKey(
          Schema.NullOr(Schema.Struct({ proration: Schema.optionalKey(Schema.Boolean) }))
        )
      })
    )
  ),
  period: Schema.Struct({ end: Seconds })
})

/** Whether a line pays a subscription for its period: it is no one-off item, no proration, and no credit. */
const paysPeriod = ({ amount, parent, proration, type }: typeof Line.Type): boolean => {
  const ofSubscription = parent ? parent.type === "subscription_item_details" : type === "subscription"
  return ofSubscription && amount >= 0 && !(parent?.subscription_item_details?.proration ?? proration ?? false)
}

/** When the period of each of these lines ends that pays a subscription. */
const periodEnds = (lines: ReadonlyArray<typeof Line.Type>): ReadonlyArray<number> =>
  lines.filter(paysPeriod).map(({ period }) => period.end)

const lineOf = Schema.decodeUnknownOption(Line)

/** Reads a line of an invoice: when its period ends, if it pays a subscription. */
export const readPeriodEnds = (answer: unknown): Option.Option<ReadonlyArray<number>> =>
  Option.map(lineOf(answer), (line) => periodEnds([line]))

const Invoice = Schema.decodeUnknownOption(
  Schema.Struct({
    id: ProviderId,
    object: Schema.Literal("invoice"),
    status: Schema.NullOr(ProviderCode),
    customer: Schema.optionalKey(Reference),
    subscription: Schema.optionalKey(Reference),
    parent: Schema.optionalKey(
      Schema.NullOr(
        Schema.Struct({
          subscription_details: Schema.optionalKey(
            Schema.NullOr(Schema.Struct({ subscription: Schema.optionalKey(Reference) }))
          )
        })
      )
    ),
    status_transitions: Schema.optionalKey(
      Schema.NullOr(Schema.Struct({ paid_at: Schema.optionalKey(Schema.NullOr(Seconds)) }))
    ),
    lines: Schema.Struct({ data: Schema.Array(Line), has_more: Schema.Boolean })
  })
)

/** An invoice with the lines that it came with. `cut`: the provider has more of them. */
export interface CutInvoice {
  readonly invoice: ProviderInvoice
  readonly cut: boolean
}

/**
 * Reads an invoice. Its subscription is in `parent.subscription_details` (older API versions: `subscription`), its paid
 * periods are on the lines (https://docs.stripe.com/api/invoices/object). It comes with ten lines at most.
 */
export const readInvoice = (answer: unknown): Option.Option<CutInvoice> =>
  Option.map(Invoice(answer), (found) => {
    const subscription = idOf(found.parent?.subscription_details?.subscription) ?? idOf(found.subscription)
    const customer = idOf(found.customer)
    const paid_at = found.status_transitions?.paid_at ?? undefined
    return {
      cut: found.lines.has_more,
      invoice: {
        id: found.id,
        status: found.status ?? "draft",
        period_ends: periodEnds(found.lines.data),
        ...(customer === undefined ? {} : { customer }),
        ...(paid_at === undefined ? {} : { paid_at }),
        ...(subscription === undefined ? {} : { subscription })
      }
    }
  })

const Dispute = Schema.decodeUnknownOption(
  Schema.Struct({
    id: ProviderId,
    object: Schema.Literal("dispute"),
    status: ProviderCode,
    amount: Schema.Int,
    currency: ProviderCode,
    created: Schema.Int,
    reason: ProviderCode,
    evidence_details: Schema.optionalKey(
      Schema.NullOr(Schema.Struct({ due_by: Schema.optionalKey(Schema.NullOr(Schema.Int)) }))
    )
  })
)

/** Reads a dispute and its creation time (seconds since 1970). */
export const readDispute = (
  answer: unknown
): Option.Option<{ readonly dispute: ProviderDispute; readonly created: number }> =>
  Option.map(Dispute(answer), (found) => {
    const due = found.evidence_details?.due_by ?? 0
    return {
      created: found.created,
      dispute: {
        id: found.id,
        status: found.status,
        amount: fromProviderAmount(found.amount, found.currency),
        currency: found.currency.toUpperCase(),
        reason: found.reason,
        // 0: the payer's bank takes no answer.
        ...(due > 0 ? { due_by: due } : {})
      }
    }
  })

/** Reads a dispute with its payment; "" if the provider names none. */
export const readListedDispute = (answer: unknown): Option.Option<ListedDispute> =>
  Option.flatMap(readDispute(answer), ({ dispute }) =>
    Option.map(readPaymentOf(answer), (payment_intent_id) => ({ dispute, payment_intent_id }))
  )

const Account = Schema.decodeUnknownOption(
  Schema.Struct({
    id: ProviderId,
    charges_enabled: Schema.Boolean,
    payouts_enabled: Schema.Boolean,
    details_submitted: Schema.Boolean,
    country: Schema.optionalKey(Schema.NullOr(ProviderCode)),
    requirements: Schema.optionalKey(
      Schema.NullOr(
        Schema.Struct({
          currently_due: Schema.optionalKey(Schema.NullOr(Schema.Array(ProviderCode))),
          disabled_reason: Schema.optionalKey(Schema.NullOr(ProviderMessage))
        })
      )
    )
  })
)

/** Reads a connected account. */
export const readAccount = (answer: unknown): Option.Option<ConnectedAccount> =>
  Option.map(ofKind("account", Account)(answer), ({ country, requirements, ...account }) => {
    const disabled_reason = requirements?.disabled_reason ?? undefined
    return {
      ...account,
      ...(typeof country === "string" ? { country } : {}),
      currently_due: requirements?.currently_due ?? [],
      ...(disabled_reason === undefined ? {} : { disabled_reason })
    }
  })

const EventAbout = Schema.decodeUnknownOption(
  Schema.Struct({ object: Schema.Literal("event"), data: Schema.Struct({ object: Schema.Struct({ id: ProviderId }) }) })
)

/** Reads the id of the object that an event is about. */
export const readEventObject = (answer: unknown): Option.Option<string> =>
  Option.map(EventAbout(answer), ({ data }) => data.object.id)

const Intent = Schema.decodeUnknownOption(Schema.Struct({ currency: ProviderCode }))

const OwnNames = Schema.decodeUnknownOption(
  Schema.Struct({ metadata: Schema.optionalKey(Schema.NullOr(Schema.Record(Schema.String, Schema.String))) })
)

/** Reads our own `payment_session_id` of a payment; "" if it has none. */
export const readSessionNamed = (answer: unknown): Option.Option<string> =>
  Option.map(OwnNames(answer), ({ metadata }) => metadata?.["payment_session_id"] ?? "")

/** Reads a payment's currency, in upper case. A refund's amount depends on it. */
export const readCurrency = (answer: unknown): Option.Option<string> =>
  Option.map(Intent(answer), ({ currency }) => currency.toUpperCase())

const Identified = Schema.decodeUnknownOption(Schema.Struct({ id: ProviderId, object: Schema.String }))

/** Reads an object of a kind, as the provider names it; with an id, only the object of that id. Returns its id. */
export const readObject =
  (kind: string, id?: string) =>
  (answer: unknown): Option.Option<string> =>
    Option.filter(Identified(answer), (found) => found.object === kind && (id === undefined || found.id === id)).pipe(
      Option.map((found) => found.id)
    )

/** Reads with `read` only what is an object of a kind. */
export const ofKind =
  <A>(kind: string, read: (answer: unknown) => Option.Option<A>) =>
  (answer: unknown): Option.Option<A> =>
    Option.flatMap(readObject(kind)(answer), () => read(answer))

/** Reads with `read` only what is the object that was asked for: an answer about another one is none. */
export const readAsked =
  <A>(kind: string, id: string, read: (answer: unknown) => Option.Option<A>) =>
  (answer: unknown): Option.Option<A> =>
    Option.flatMap(readObject(kind, id)(answer), () => read(answer))

/** A page of a list. `next`: where the next page begins, if there is one. */
export interface ReadPage<A> {
  readonly items: ReadonlyArray<A>
  readonly next: string | undefined
}

const Page = Schema.decodeUnknownOption(Schema.Struct({ data: Schema.Array(Schema.Unknown), has_more: Schema.Boolean }))
const WithId = Schema.decodeUnknownOption(Schema.Struct({ id: ProviderId }))

/**
 * Reads one page of a list with `read` for each item; none if an item is unreadable, or if there is more but nowhere to
 * begin. The next page begins after the id of the last item.
 */
export const readPage =
  <A>(read: (item: unknown) => Option.Option<A>) =>
  (answer: unknown): Option.Option<ReadPage<A>> =>
    Option.gen(function* () {
      const { data, has_more } = yield* Page(answer)
      const items = yield* Option.all(data.map(read))
      const next = has_more ? (yield* WithId(data.at(-1))).id : undefined
      return { items, next }
    })

const PageOfV2 = Schema.decodeUnknownOption(
  Schema.Struct({ data: Schema.Array(Schema.Unknown), next_page_url: Schema.NullOr(ProviderUrl) })
)

/** The same for lists of `/v2/`, whose next page has an address (https://docs.stripe.com/api-v2-overview). */
export const readPageOfV2 =
  <A>(path: string, read: (item: unknown) => Option.Option<A>) =>
  (answer: unknown): Option.Option<ReadPage<A>> =>
    Option.gen(function* () {
      const { data, next_page_url } = yield* PageOfV2(answer)
      const items = yield* Option.all(data.map(read))
      if (next_page_url === null) return { items, next: undefined }
      return next_page_url.startsWith(`${path}?`) ? { items, next: next_page_url } : yield* Option.none()
    })
