/** What the provider demands of a refund. */
import { Effect } from "effect"
import { readForm, type Rules } from "./SandboxForm.ts"
import { refuse, type SandboxRefusal } from "./SandboxRefusal.ts"
import { amountText } from "./SandboxRules.ts"

const refundRules: Rules = {
  payment_intent: { kind: "text", required: true },
  amount: { kind: "integer" },
  reason: { kind: "text", oneOf: ["duplicate", "fraudulent", "requested_by_customer"] },
  refund_application_fee: { kind: "boolean" },
  "metadata[*]": { kind: "text", maxLength: 500 }
}

export interface NewRefund {
  readonly payment_intent: string
  /** Undefined: all that is left. */
  readonly amount: number | undefined
  readonly reason: string | undefined
  readonly refund_application_fee: boolean
  readonly metadata: Record<string, string>
}

/** The parameters of `POST /v1/refunds`. */
export const readNewRefund = (body: string): Effect.Effect<NewRefund, SandboxRefusal> =>
  Effect.map(readForm(body, refundRules), (form) => ({
    payment_intent: form.required("payment_intent"),
    amount: form.integer("amount"),
    reason: form.text("reason"),
    refund_application_fee: form.boolean("refund_application_fee"),
    metadata: form.record("metadata")
  }))

/** Why this much of a payment can't be refunded, if it can't. */
export const refundFault = (
  request: NewRefund,
  payment: {
    readonly id: string
    readonly paid: boolean
    readonly amount: number
    readonly currency: string
    readonly application_fee: number
    readonly refunded: number
    /** The payer disputes it, and that is not decided yet. */
    readonly disputed: boolean
  }
): SandboxRefusal | undefined => {
  if (!payment.paid) return refuse(`This PaymentIntent (${payment.id}) does not have a successful charge to refund.`)
  if (payment.disputed) {
    return refuse(`Charge ${chargeId(payment.id)} has been charged back; cannot issue a refund.`, {
      code: "charge_disputed"
    })
  }
  const left = payment.amount - payment.refunded
  if (left <= 0)
    return refuse(`Charge ${chargeId(payment.id)} has already been refunded.`, { code: "charge_already_refunded" })
  if (request.amount !== undefined && request.amount < 1) {
    return refuse("This value must be greater than or equal to 1.", {
      code: "parameter_invalid_integer",
      param: "amount"
    })
  }
  if (request.amount !== undefined && request.amount > left) {
    return refuse(
      `Refund amount (${amountText(request.amount, payment.currency)}) is greater than unrefunded amount on charge (${amountText(left, payment.currency)})`,
      { param: "amount" }
    )
  }
  if (request.refund_application_fee && payment.application_fee === 0) {
    return refuse(
      `Attempting to refund_application_fee on charge ${chargeId(payment.id)}, but it has no application fee`,
      {
        param: "refund_application_fee"
      }
    )
  }
  return undefined
}

/** The charge of a payment: the sandbox has one each, named after it. */
export const chargeId = (payment_intent_id: string): string => payment_intent_id.replace(/^pi_/, "ch_")
