/** A party's request, and its price. */
import { Schema } from "effect"
import { AddOnId } from "../../platform/ids/Ids.ts"
import { display } from "../../platform/money/Money.ts"

/** An add-on chosen by the caller. */
export const AddOnChoice = Schema.Struct({
  add_on_id: AddOnId.annotate({ description: "From get_playroom." }),
  quantity: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 })).annotate({
    description: "1, unless per_item."
  })
})
export type AddOnChoice = typeof AddOnChoice.Type

/** The party and its add-ons. */
export interface Party {
  readonly children: number
  readonly adults: number
  readonly add_ons: ReadonlyArray<AddOnChoice>
}

/** The kind of a price line. A `rule` raises or lowers the sum so far. */
export const LineKind = Schema.Literals([
  "package",
  "children",
  "extra_children",
  "adults",
  "extra_adults",
  "add_on",
  "rule",
  "tax"
])
export type LineKind = typeof LineKind.Type

const Minor = (description: string) => Schema.Int.annotate({ description })

/** Amounts are integers in `currency`'s minor units. Lines sum to the total; `due_now + balance_due = total`. */
export const Price = Schema.Struct({
  currency: Schema.String.annotate({ description: "ISO 4217, minor units." }),
  lines: Schema.Array(
    Schema.Struct({
      kind: LineKind.annotate({ description: "What for." }),
      label: Schema.String.annotate({ description: "In words." }),
      quantity: Minor("How many."),
      unit_amount: Minor("Each."),
      amount: Minor("quantity x each."),
      billed_children: Schema.optionalKey(Minor("Charged for, if more.")),
      waived: Schema.optionalKey(Schema.Literal(true).annotate({ description: "Too little to charge." })),
      agreed: Schema.optionalKey(Schema.Literal(true).annotate({ description: "Agreed before." })),
      display: Schema.optionalKey(Schema.String.annotate({ description: "For people." }))
    })
  ).annotate({ description: "Sum to the total." }),
  total: Minor("All of it."),
  tax: Schema.Struct({
    rate_percent: Schema.Finite.annotate({ description: "Rate." }),
    amount: Minor("In total."),
    display: Schema.optionalKey(Schema.String.annotate({ description: "For people." })),
    included: Schema.Boolean.annotate({ description: "In the lines." })
  }).annotate({ description: "Tax." }),
  due_now: Minor("When booking."),
  balance_due: Schema.optionalKey(Minor("To pay later.")),
  balance_due_at: Schema.optionalKey(Schema.String.annotate({ description: "Until when." })),
  display_total: Schema.String.annotate({ description: "For people." }),
  display_due_now: Schema.String.annotate({ description: "For people." }),
  display_balance_due: Schema.optionalKey(Schema.String.annotate({ description: "For people." }))
})
export type Price = typeof Price.Type

/** What of a price is waived, because it is too little to be charged. */
export const waivedIn = ({ lines }: Pick<Price, "lines">): number =>
  lines.reduce((sum, line) => (line.waived === true ? sum - line.amount : sum), 0)

const lineText = ({ amount, quantity, unit_amount }: Price["lines"][number], currency: string): string =>
  `${quantity === 1 ? "" : `${quantity} × ${display(unit_amount, currency)} = `}${display(amount, currency)}`

/** A price as the tools show it, with texts for people. The texts are not part of the agreement. */
export const shownPrice = (price: Price): Price => ({
  ...price,
  lines: price.lines.map((line) => ({ ...line, display: lineText(line, price.currency) })),
  tax: { ...price.tax, display: display(price.tax.amount, price.currency) },
  ...(price.balance_due === undefined ? {} : { display_balance_due: display(price.balance_due, price.currency) })
})
