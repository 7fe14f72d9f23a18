/** The business that rents out playrooms. */

import { Schema, Effect, SchemaIssue, SchemaTransformation } from "effect"
import { OperatorId } from "../../platform/ids/Ids.ts"
import { Currency, MinorUnits } from "../../platform/money/Money.ts"
import { withoutInvisible } from "../../platform/text/Text.ts"
import { dayMs, type Instant, InstantFromDate } from "../../platform/time/LocalTime.ts"

/**
 * Cleans the texts of operators. People and assistants read them, and nothing in them may act as an instruction. Done
 * once, on import. The result is NFC, without markup and without control, bidirectional, zero-width or other invisible
 * characters.
 */

const comment = /<!--[\s\S]*?(-->|$)/g
const unreadable = /<(script|style|template)\b[\s\S]*?(<\/\1\s*>|$)/gi
// A tag, a declaration, or a chat model's control token like <|end|>.
const tag = /<[a-z/!?|][^<>]*>/gi
const opened = /<(?=[a-z/!?|])/gi
const markdownLink = /!?\[([^[\]]*)\]\([^()]*\)/g

/**
 * Repeats a step until the text is stable: a removal can make a new tag ("<<b>script>"). It ends, because each step
 * shortens or composes the text.
 */
const repeatUntilStable = (text: string, step: (text: string) => string): string => {
  const next = step(text)
  return next === text ? text : repeatUntilStable(next, step)
}

// What the steps below might change: any character but printable ASCII without "<" and "[", and spaces that are not
// single.
const unusual = /[^ -;=-Z\\-~]| {2}|^ | $/

/** Most texts of a file are clean already, and one look says so. */
const unlessClean = (text: string, clean: (text: string) => string): string => (unusual.test(text) ? clean(text) : text)

const removeTags = (text: string): string => text.replaceAll(comment, "").replaceAll(unreadable, "").replaceAll(tag, "")

const removeMarkup = (text: string): string => {
  const visible = text
    .replaceAll(/\r\n?|[\u2028\u2029\u0085]/g, "\n")
    .replaceAll("\t", " ")
    .split("\n")
    .map((line) => withoutInvisible(line.replaceAll(/\p{Cc}/gu, "")))
    .join("\n")
    .normalize("NFC")
  return repeatUntilStable(visible, removeTags).replaceAll(opened, "").replaceAll(markdownLink, "$1")
}

/** One line: cleaned, runs of white space as one space, trimmed. Idempotent. */
export const cleanLine = (text: string): string =>
  unlessClean(text, (it) => repeatUntilStable(it, (now) => removeMarkup(now).replaceAll(/\s+/gu, " ").trim()))

/** Paragraphs: cleaned, white space within lines as one space, at most one empty line in a row, trimmed. */
export const cleanText = (text: string): string =>
  unlessClean(text, (it) =>
    repeatUntilStable(it, (now) =>
      removeMarkup(now)
        .replaceAll(/[^\S\n]+/gu, " ")
        .replaceAll(/ ?\n ?/g, "\n")
        .replaceAll(/\n{3,}/g, "\n\n")
        .trim()
    )
  )

const nothingLeft =
  "Expected readable text: angle brackets with what is between them, and invisible characters, are left out, and nothing else is there"

const cleanedString = (clean: (text: string) => string, min: number, max: number) =>
  Schema.String.pipe(
    Schema.decodeTo(
      Schema.String.check(
        Schema.makeFilter(
          (text: string) =>
            (text.length >= min && text.length <= max) ||
            (text.length < min
              ? "Expected a text that is not empty"
              : `Expected at most ${max} characters, got ${text.length}`)
        )
      ),
      SchemaTransformation.transformEffect({
        decode: (text: string) => {
          const cleaned = clean(text)
          return min > 0 && cleaned === "" && text.trim() !== ""
            ? Effect.fail(new SchemaIssue.InvalidValue({ message: nothingLeft }))
            : Effect.succeed(cleaned)
        },
        encode: (text: string) => Effect.succeed(text)
      })
    )
  )

/** A line of 1 to `max` characters, cleaned while decoding. */
export const Line = (max: number) => cleanedString(cleanLine, 1, max)
/** Paragraphs of up to `max` characters, cleaned while decoding. May be empty. */
export const Paragraphs = (max: number) => cleanedString(cleanText, 0, max)

/** Gift vouchers that an operator sells online: of how much, in minor units, and how long each is valid. */
export const VoucherOffer = Schema.Struct({
  currency: Currency.annotateKey({ meaning: "ISO 4217: of the rooms that they are for." }),
  min_amount: MinorUnits.annotateKey({ meaning: "The smallest, in minor units." }),
  max_amount: MinorUnits.annotateKey({ meaning: "The largest, in minor units." }),
  valid_months: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 120 }))).annotateKey({
    meaning: "How many months each is valid from its sale on. Left out: it does not expire."
  })
})
export type VoucherOffer = typeof VoucherOffer.Type

/**
 * `connected_account_id` is the operator's account at the payment provider, which takes its customers' money.
 * `billing_customer_id` is the customer that pays us. Its subscription is paid until `paid_through` (an instant).
 */
export const Operator = Schema.Struct({
  operator_id: OperatorId,
  name: Schema.NonEmptyString,
  support_email: Schema.optionalKey(Schema.String),
  phone: Schema.optionalKey(Schema.String),
  /** Who sells by law, and its tax number: for receipts. */
  legal_name: Schema.optionalKey(Schema.String),
  tax_number: Schema.optionalKey(Schema.String),
  /** Absent: it sells none online. */
  vouchers: Schema.optionalKey(VoucherOffer),
  connected_account_id: Schema.optionalKey(Schema.NonEmptyString),
  billing_customer_id: Schema.optionalKey(Schema.NonEmptyString),
  application_fee_percent: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 100 })),
  paid_through: Schema.optionalKey(Schema.Int),
  suspended_at: Schema.optionalKey(Schema.Int),
  /** The provider says that its account takes no payments: since when it is known, and why. */
  account_closed: Schema.optionalKey(Schema.Struct({ since: Schema.Int, why: Schema.String }))
})
export type Operator = typeof Operator.Type

/** An operator's account at the provider while that takes no payments. */
export const closedAccountOf = ({
  account_closed,
  connected_account_id
}: Pick<Operator, "account_closed" | "connected_account_id">): string | undefined =>
  account_closed === undefined ? undefined : connected_account_id

/** How people reach an operator. */
export const VenueContact = Schema.Struct({
  email: Schema.optionalKey(Schema.String.annotate({ description: "To write to." })),
  phone: Schema.optionalKey(Schema.String.annotate({ description: "To call." }))
})
export type VenueContact = typeof VenueContact.Type

/** How people reach the operator; undefined if only at the venue. */
export const contactOf = ({ phone, support_email }: Pick<Operator, "phone" | "support_email">) =>
  phone === undefined && support_email === undefined
    ? undefined
    : ({
        ...(support_email === undefined ? {} : { email: support_email }),
        ...(phone === undefined ? {} : { phone })
      } satisfies VenueContact)

/** How long an operator may sell after the paid period of its subscription. */
export const subscriptionGraceMs = 7 * dayMs

/**
 * A subscription is paid for at most three years at a time (https://docs.stripe.com/api/prices/create,
 * `recurring.interval_count`), perhaps after a trial. A payment further ahead than this is a mistake.
 */
export const maxPaidAheadMs = 5 * 365 * dayMs

/** A stored `paid_through` further ahead than this is a mistake, by any writer. */
export const implausiblePaidAheadMs = 100 * 365 * dayMs

/**
 * The last instant at which the operator may sell: the end of its subscription and grace. Infinite for operators
 * without billing.
 */
export const lastSale = (operator: Pick<Operator, "billing_customer_id" | "paid_through">): Instant =>
  operator.billing_customer_id === undefined ? Infinity : (operator.paid_through ?? 0) + subscriptionGraceMs - 1

/**
 * `suspended`: by a person. `no_account`: it has no account for payments. `account_closed`: that takes none. `lapsed`:
 * its subscription and the grace have ended.
 */
export type OffSale = "suspended" | "no_account" | "account_closed" | "lapsed"

/** What decides whether an operator may sell. */
type Selling = Pick<
  Operator,
  "connected_account_id" | "billing_customer_id" | "paid_through" | "suspended_at" | "account_closed"
>

/** Why the operator is not listed and sells nothing; empty if it may sell. */
export const offSale = (operator: Selling, now: Instant): ReadonlyArray<OffSale> => [
  ...(operator.suspended_at === undefined ? [] : ["suspended" as const]),
  ...(operator.connected_account_id === undefined ? ["no_account" as const] : []),
  ...(operator.account_closed === undefined ? [] : ["account_closed" as const]),
  ...(now <= lastSale(operator) ? [] : ["lapsed" as const])
]

/**
 * Whether the operator may be listed and sell: not suspended, able to take payments, and paid up or within the grace.
 */
export const sells = (operator: Selling, now: Instant): boolean => offSale(operator, now).length === 0

/** The gift vouchers that an operator sells online now; undefined: none. */
export const offerOf = (operator: Operator, now: Instant): VoucherOffer | undefined =>
  sells(operator, now) ? operator.vouchers : undefined

/** Who made a change to an operator, and why: a person's reason, or the invoice. */
export interface ChangedBy {
  readonly who: string
  readonly reason?: string
}

/**
 * An event of an operator's history. `was` and `became` are instants (RFC 3339, UTC), an account, the time that was
 * closed, as an interval of ISO 8601, or who was invited to the desk, made a passkey, got another role there or was
 * removed.
 */
export const OperatorEvent = Schema.Struct({
  at: InstantFromDate,
  event: Schema.Literals([
    "paid_through",
    "suspended",
    "resumed",
    "connected",
    "closed",
    "reopened",
    "staff_invited",
    "staff_invitation_ended",
    "staff_passkeys_ended",
    "staff_joined",
    "staff_role_changed",
    "staff_removed"
  ]),
  /** What was closed or reopened. */
  playroom_id: Schema.NullOr(Schema.String),
  who: Schema.String,
  reason: Schema.NullOr(Schema.String),
  was: Schema.NullOr(Schema.String),
  became: Schema.NullOr(Schema.String)
})
export type OperatorEvent = typeof OperatorEvent.Type
