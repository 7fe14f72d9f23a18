/** The provider's rules for new checkout sessions. */
import { Effect } from "effect"
import { minimumCharge, fromProviderAmount, maxProviderAmount, toProviderAmount } from "../../platform/money/Charge.ts"
import { hourMs, type Instant, minuteMs } from "../../platform/time/LocalTime.ts"
import { display, exponentOf } from "../../platform/money/Money.ts"
import { type Form, invalid, readForm, type Refusal, type Rules } from "./Form.ts"

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
export interface NewSession {
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
    adaptive_pricing: form.text("adaptive_pricing[enabled]") !== "false"
  }
}

/** The parameters of `POST /v1/checkout/sessions`. */
export const readNewSession = (body: string, now: Instant): Effect.Effect<NewSession, Refusal> =>
  Effect.flatMap(readForm(body, sessionRules), (form) => {
    const session = sessionOf(form, now)
    return "_tag" in session ? Effect.fail(session) : Effect.succeed(session)
  })
