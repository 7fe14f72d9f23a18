/** The business that rents playrooms out. */
import { Schema } from "effect"
import { OperatorId } from "../kernel/Ids.ts"
import { dayMs, type Instant } from "../kernel/LocalTime.ts"

/**
 * `connected_account_id` is the operator's account at the payment provider (it takes its customers' money);
 * `billing_customer_id` is the customer that pays us, whose subscription runs until `paid_through` (an instant).
 */
export const Operator = Schema.Struct({
  operator_id: OperatorId,
  name: Schema.NonEmptyString,
  support_email: Schema.optionalKey(Schema.String),
  connected_account_id: Schema.optionalKey(Schema.NonEmptyString),
  billing_customer_id: Schema.optionalKey(Schema.NonEmptyString),
  application_fee_percent: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 100 })),
  paid_through: Schema.optionalKey(Schema.Int),
  suspended_at: Schema.optionalKey(Schema.Int)
})
export type Operator = typeof Operator.Type

/** How long an operator may sell after its subscription's paid period ended. */
export const subscriptionGraceMs = 7 * dayMs

/** The last instant at which the operator's subscription, or the grace after it, lets it sell; operators that are not billed have none. */
export const lastSale = (operator: Pick<Operator, "billing_customer_id" | "paid_through">): Instant =>
  operator.billing_customer_id === undefined ? Infinity : (operator.paid_through ?? 0) + subscriptionGraceMs - 1

/** Whether the operator may be listed and sell: not suspended, able to take payments, and paid up or within the grace. */
export const sells = (
  operator: Pick<Operator, "connected_account_id" | "billing_customer_id" | "paid_through" | "suspended_at">,
  now: Instant
): boolean =>
  operator.suspended_at === undefined && operator.connected_account_id !== undefined && now <= lastSale(operator)
