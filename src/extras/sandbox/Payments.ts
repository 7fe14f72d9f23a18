/** The sandbox's checkout sessions and payments, with the events of their changes. */

import { Clock, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { columnsOf, decodeRows } from "../../platform/database/Rows.ts"
import { minimumCharge, fromProviderAmount, maxProviderAmount, toProviderAmount } from "../../platform/money/Charge.ts"
import { display, exponentOf } from "../../platform/money/Money.ts"
import { hourMs, type Instant, minuteMs } from "../../platform/time/LocalTime.ts"
import { bookCharge } from "./Balance.ts"
import { Events } from "./Events.ts"
import { missing, one, refuse, type Form, invalid, readForm, type Refusal, type Rules } from "./Form.ts"
import { intentObject, newId, sessionObject, SessionRow } from "./Objects.ts"

// The provider's rules for new checkout sessions.

const locales =
  "auto bg cs da de el en en-GB es es-419 et fi fil fr fr-CA hr hu id it ja ko lt lv ms mt nb nl pl pt pt-BR ro ru sk sl sv th tr vi zh zh-HK zh-TW"

const sessionRules: Rules = {
  mode: { kind: "text", required: true, oneOf: ["payment"] },
  success_url: { kind: "url", required: true },
  cancel_url: { kind: "url" },
  client_reference_id: { kind: "text", maxLength: 200 },
  customer_email: { kind: "email", maxLength: 800 },
  expires_at: { kind: "integer" },
  "adaptive_pricing[enabled]": { kind: "boolean" },
  locale: { kind: "text", oneOf: locales.split(" ") },
  "excluded_payment_method_types[#]": { kind: "text", maxLength: 100 },
  "custom_text[submit][message]": { kind: "text", maxLength: 1200 },
  "metadata[*]": { kind: "text", maxLength: 500 },
  "line_items[#][quantity]": { kind: "integer", required: true },
  "line_items[#][price_data][currency]": { kind: "text", required: true },
  "line_items[#][price_data][unit_amount]": { kind: "integer", required: true },
  "line_items[#][price_data][product_data][name]": { kind: "text", required: true, maxLength: 250 },
  "payment_intent_data[application_fee_amount]": { kind: "integer" },
  "payment_intent_data[description]": { kind: "text", maxLength: 1000 },
  "payment_intent_data[receipt_email]": { kind: "email", maxLength: 800 },
  "payment_intent_data[metadata][*]": { kind: "text", maxLength: 500 }
}

/** A valid new session. Amounts in the provider's minor units, `currency` in lower case. */
interface NewSession {
  readonly amount: number
  readonly currency: string
  readonly application_fee: number
  readonly product_name: string
  readonly submit_text: string | undefined
  readonly description: string | undefined
  readonly customer_email: string | undefined
  readonly receipt_email: string | undefined
  readonly client_reference_id: string | undefined
  readonly metadata: Record<string, string>
  readonly intent_metadata: Record<string, string>
  readonly success_url: string
  readonly cancel_url: string | undefined
  readonly expires_at: Instant
  readonly locale: string | undefined
  readonly excluded_methods: ReadonlyArray<string>
  /** Without the parameter, it is as the account is set: here, on. */
  readonly adaptive_pricing: boolean
}

const known = new Set(Intl.supportedValuesOf("currency"))

/** An amount in the provider's minor units, for people. */
export const amountText = (amount: number, currency: string): string =>
  display(fromProviderAmount(amount, currency), currency.toUpperCase())

const amountFault = (amount: number, currency: string, param: string): Refusal | undefined => {
  const code = currency.toUpperCase()
  if (currency !== currency.toLowerCase() || !known.has(code)) {
    return invalid(`Invalid currency: ${currency}.`, { param: "line_items[0][price_data][currency]" })
  }
  if (amount > maxProviderAmount) {
    return invalid(
      `The Checkout Session's total amount must be no more than ${amountText(maxProviderAmount, currency)}.`,
      {
        code: "amount_too_large",
        param
      }
    )
  }
  // The provider's minor units of these currencies are those of ISO 4217.
  const least = minimumCharge(code)
  if (amount < least) {
    return invalid(
      `The Checkout Session's total amount due must add up to at least ${amountText(least, currency)} ${currency}`,
      { code: "amount_too_small", param }
    )
  }
  // Three decimals end in 0, and currencies without decimals that are written with two end in 00.
  if (toProviderAmount(fromProviderAmount(amount, currency), code) !== amount) {
    return invalid(
      `Invalid amount for ${code}: see https://docs.stripe.com/currencies (${exponentOf(code)} decimals)`,
      {
        param
      }
    )
  }
  return undefined
}

const sessionOf = (form: Form, now: Instant): NewSession | Refusal => {
  const currency = form.required("line_items[0][price_data][currency]")
  const unitName = "line_items[0][price_data][unit_amount]"
  let amount = 0
  for (let i = 0; i < form.count("line_items"); i++) {
    const quantity = form.integer(`line_items[${i}][quantity]`)
    const unit = form.integer(`line_items[${i}][price_data][unit_amount]`)
    if (
      quantity === undefined ||
      unit === undefined ||
      form.text(`line_items[${i}][price_data][currency]`) !== currency
    ) {
      return invalid("Each line item needs a quantity, a unit amount, and the currency of the others.", {
        param: `line_items[${i}]`
      })
    }
    if (quantity < 1) {
      return invalid("This value must be greater than or equal to 1.", {
        code: "parameter_invalid_integer",
        param: `line_items[${i}][quantity]`
      })
    }
    if (unit < 0) {
      return invalid("This value must be greater than or equal to 0.", {
        code: "parameter_invalid_integer",
        param: `line_items[${i}][price_data][unit_amount]`
      })
    }
    amount += quantity * unit
  }
  const fault = amountFault(amount, currency, unitName)
  if (fault !== undefined) return fault
  const application_fee = form.integer("payment_intent_data[application_fee_amount]")
  if (application_fee !== undefined && (application_fee < 1 || application_fee > amount)) {
    return invalid("The application fee must be at least 1 and no more than the amount of the payment.", {
      param: "payment_intent_data[application_fee_amount]"
    })
  }
  const seconds = form.integer("expires_at")
  const expires_at = seconds === undefined ? now + 24 * hourMs : seconds * 1000
  // In seconds, so that exactly 30 minutes are not refused for the milliseconds of the call.
  if (expires_at < Math.floor(now / 1000) * 1000 + 30 * minuteMs) {
    return invalid("The `expires_at` timestamp must be at least 30 minutes from Checkout Session creation.", {
      param: "expires_at"
    })
  }
  if (expires_at > now + 24 * hourMs) {
    return invalid("The `expires_at` timestamp must be less than 24 hours from Checkout Session creation.", {
      param: "expires_at"
    })
  }
  const metadata = form.record("metadata")
  const intent_metadata = form.record("payment_intent_data[metadata]")
  for (const [param, record] of Object.entries({ metadata, "payment_intent_data[metadata]": intent_metadata })) {
    if (Object.keys(record).length > 50) return invalid("Metadata can have up to 50 keys.", { param })
  }
  return {
    amount,
    currency,
    application_fee: application_fee ?? 0,
    product_name: form.required("line_items[0][price_data][product_data][name]"),
    submit_text: form.text("custom_text[submit][message]"),
    description: form.text("payment_intent_data[description]"),
    customer_email: form.text("customer_email"),
    receipt_email: form.text("payment_intent_data[receipt_email]"),
    client_reference_id: form.text("client_reference_id"),
    metadata,
    intent_metadata,
    success_url: form.required("success_url"),
    cancel_url: form.text("cancel_url"),
    expires_at,
    locale: form.text("locale"),
    excluded_methods: Array.from(
      { length: form.count("excluded_payment_method_types") },
      (_, i) => form.text(`excluded_payment_method_types[${i}]`) ?? ""
    ),
    adaptive_pricing: form.text("adaptive_pricing[enabled]") !== "false"
  }
}

/** The parameters of `POST /v1/checkout/sessions`. */
export const readNewSession = (body: string, now: Instant): Effect.Effect<NewSession, Refusal> =>
  Effect.flatMap(readForm(body, sessionRules), (form) => {
    const session = sessionOf(form, now)
    return "_tag" in session ? Effect.fail(session) : Effect.succeed(session)
  })

/** The payer's choices on the hosted page. */
export const Outcome = Schema.Literals(["pay", "decline", "pay_later_succeeds", "pay_later_fails", "expire"])
export type Outcome = typeof Outcome.Type

/** The time that a delayed payment takes to settle. */
const settleMs = 2_000

const sessions = decodeRows(Schema.Array(SessionRow))
const columns = columnsOf(SessionRow)
const sessionIds = decodeRows(Schema.Array(Schema.Struct({ session_id: Schema.String })))
const kind = "checkout.session"

const emitEvent = (row: SessionRow, event: string) =>
  Events.use(({ emit }) =>
    emit({
      receiver: "connected",
      type: `checkout.session.${event}`,
      account: row.account,
      // The page is closed by the time of every event, so no address is in it.
      object: sessionObject(row, "")
    })
  )

const expire = Effect.fnUntraced(function* (row: SessionRow) {
  const sql = yield* SqlClient.SqlClient
  const [expired = row] = yield* sessions(
    sql`update sandbox.session set status = 'expired' where session_id = ${row.session_id} returning ${sql.literal(columns)}`
  )
  yield* emitEvent(expired, "expired")
  return expired
})

/** Locks a session, and expires it if its time is over. The caller is in a transaction. */
const lockSession = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const row = yield* one(
    kind,
    id,
    sessions(sql`select ${sql.literal(columns)} from sandbox.session where session_id = ${id} for update`)
  )
  const now = yield* Clock.currentTimeMillis
  return row.status === "open" && row.expires_at <= now ? yield* expire(row) : row
})

/** For the hosted page. Locks the session only if it has expired. */
export const sessionOfPage = Effect.fn("Sandbox.sessionOfPage")(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const row = yield* one(
    kind,
    id,
    sessions(sql`select ${sql.literal(columns)} from sandbox.session where session_id = ${id}`)
  )
  const now = yield* Clock.currentTimeMillis
  return row.status === "open" && row.expires_at <= now ? yield* sql.withTransaction(lockSession(id)) : row
})

/** Another account's session does not exist for the caller. */
export const sessionOfAccount = Effect.fn("Sandbox.sessionOfAccount")(function* (account: string, id: string) {
  const row = yield* sessionOfPage(id)
  return row.account === account ? row : yield* missing(kind, id)
})

/** The session of a payment. `locked`: for callers in a transaction that change it. */
export const sessionOfIntent = Effect.fn("Sandbox.sessionOfIntent")(function* (
  account: string,
  id: string,
  lock: "locked" | "as it is"
) {
  const sql = yield* SqlClient.SqlClient
  const found = sql`select ${sql.literal(columns)} from sandbox.session where payment_intent_id = ${id} and account = ${account}`
  return yield* one("payment_intent", id, sessions(lock === "locked" ? sql`${found} for update` : found))
})

export const createSession = Effect.fn("Sandbox.createSession")(function* (account: string, request: NewSession) {
  const sql = yield* SqlClient.SqlClient
  const now = yield* Clock.currentTimeMillis
  const id = yield* newId("cs_test_", 58)
  const rows = sessions(sql`
    insert into sandbox.session (session_id, account, status, payment_status, amount, currency, application_fee,
      product_name, submit_text, description, customer_email, receipt_email, client_reference_id, metadata,
      intent_metadata, success_url, cancel_url, expires_at, adaptive_pricing, locale, excluded_methods, created_at)
    values (${id}, ${account}, 'open', 'unpaid', ${request.amount}, ${request.currency}, ${request.application_fee},
      ${request.product_name}, ${request.submit_text ?? null}, ${request.description ?? null},
      ${request.customer_email ?? null}, ${request.receipt_email ?? null}, ${request.client_reference_id ?? null},
      ${JSON.stringify(request.metadata)}::jsonb, ${JSON.stringify(request.intent_metadata)}::jsonb,
      ${request.success_url}, ${request.cancel_url ?? null}, ${new Date(request.expires_at)},
      ${request.adaptive_pricing}, ${request.locale ?? null}, ${request.excluded_methods}::text[],
      ${new Date(now)})
    returning ${sql.literal(columns)}`)
  return yield* one(kind, id, rows)
})

/** The caller is in a transaction. */
export const expireSession = Effect.fn("Sandbox.expireSession")(function* (account: string, id: string) {
  const row = yield* lockSession(id)
  if (row.account !== account) return yield* missing(kind, id)
  if (row.status !== "open") {
    return yield* refuse(
      `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of ${row.status}.`
    )
  }
  return yield* expire(row)
})

const complete = Effect.fnUntraced(function* (row: SessionRow, later: "paid" | "failed" | undefined) {
  const sql = yield* SqlClient.SqlClient
  const now = yield* Clock.currentTimeMillis
  const intent = row.payment_intent_id ?? (yield* newId("pi_", 24))
  const [done = row] = yield* sessions(sql`
    update sandbox.session set status = 'complete', payment_status = ${later === undefined ? "paid" : "unpaid"},
      payment_intent_id = ${intent}, settles_as = ${later ?? null},
      settles_at = ${later === undefined ? null : new Date(now + settleMs)}::timestamptz
    where session_id = ${row.session_id} returning ${sql.literal(columns)}`)
  if (done.payment_status === "paid") yield* bookCharge(done)
  yield* emitEvent(done, "completed")
  return done
})

/** Whether a session offers to pay by bank, which takes a while. */
export const offersBank = ({ excluded_methods }: SessionRow): boolean => !excluded_methods.includes("sepa_debit")

/** What a payer pays in a currency of their own, in the provider's minor units. */
export type Presented = NonNullable<SessionRow["presented"]>

/**
 * Applies the payer's choice; `presented` where the session offers other currencies. A session that is no longer open
 * stays as it is. The caller is in a transaction.
 */
export const choose = Effect.fn("Sandbox.choose")(function* (id: string, outcome: Outcome, presented?: Presented) {
  const sql = yield* SqlClient.SqlClient
  const row = yield* lockSession(id)
  if (row.status !== "open" || (outcome.startsWith("pay_later") && !offersBank(row))) return row
  if (presented !== undefined && row.adaptive_pricing && outcome.startsWith("pay"))
    yield* sql`update sandbox.session set presented = ${JSON.stringify(presented)}::jsonb where session_id = ${id}`
  switch (outcome) {
    case "pay":
      return yield* complete(row, undefined)
    case "pay_later_succeeds":
      return yield* complete(row, "paid")
    case "pay_later_fails":
      return yield* complete(row, "failed")
    case "expire":
      return yield* expire(row)
    case "decline": {
      const now = new Date(yield* Clock.currentTimeMillis)
      const intent = row.payment_intent_id ?? (yield* newId("pi_", 24))
      const [declined = row] = yield* sessions(
        sql`update sandbox.session set declined = declined + 1, declined_at = ${now}, payment_intent_id = ${intent}
          where session_id = ${id} returning ${sql.literal(columns)}`
      )
      yield* Events.use(({ emit }) =>
        emit({
          receiver: "connected",
          type: "payment_intent.payment_failed",
          account: declined.account,
          object: intentObject(declined, intent)
        })
      )
      return declined
    }
  }
})

/** An account's sessions that were made at `since` or later, newest first. */
export const listSessions = Effect.fn("Sandbox.listSessions")(function* (account: string, since: Date) {
  const sql = yield* SqlClient.SqlClient
  return yield* sessions(sql`select ${sql.literal(columns)} from sandbox.session where account = ${account} and created_at >= ${since}
    order by created_at desc, session_id`)
})

export const recentSessions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sessions(sql`select ${sql.literal(columns)} from sandbox.session order by created_at desc limit 20`)
})

const settleDelayed = Effect.fnUntraced(function* (row: SessionRow) {
  const sql = yield* SqlClient.SqlClient
  const paid = row.settles_as === "paid"
  const [done = row] = yield* sessions(sql`
    update sandbox.session set settles_at = null, payment_status = ${paid ? "paid" : "unpaid"}
    where session_id = ${row.session_id} returning ${sql.literal(columns)}`)
  if (paid) yield* bookCharge(done)
  yield* emitEvent(done, paid ? "async_payment_succeeded" : "async_payment_failed")
})

/** Expires overdue sessions and settles delayed payments. */
export const expireAndSettleDue = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const now = new Date(yield* Clock.currentTimeMillis)
  const due = yield* sessionIds(sql`select session_id from sandbox.session
    where (status = 'open' and expires_at <= ${now}) or settles_at <= ${now} order by created_at limit 100`)
  const settle = Effect.fnUntraced(function* (id: string) {
    const row = yield* lockSession(id)
    if (row.settles_at !== null && row.settles_at <= now.getTime()) yield* settleDelayed(row)
  })
  yield* Effect.forEach(
    due,
    ({ session_id }) => sql.withTransaction(settle(session_id)).pipe(Effect.catchTag("Refusal", () => Effect.void)),
    { discard: true }
  )
}).pipe(Effect.withSpan("Sandbox.expireAndSettleDue"))
