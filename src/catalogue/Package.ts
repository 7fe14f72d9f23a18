/**
 * A package of a playroom: a duration, a party size, a price, terms. Amounts are minor units of the playroom's
 * currency.
 */
import { Schema } from "effect"
import { AddOnId, PackageId } from "../kernel/Ids.ts"
import { ClockTime, ClosingTime, LocalDate, Weekday } from "../kernel/LocalTime.ts"
import { MinorUnits } from "../kernel/Money.ts"
import { CancellationTier } from "./RefundSchedule.ts"

const Count = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))
const Percent = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 100 }))

/** `exclusive` books the whole room, `shared` books places in it. */
export const Mode = Schema.Literals(["exclusive", "shared"])
export type Mode = typeof Mode.Type

/**
 * The starts of a package: its own clock `times`, or the playroom's grid between `from` and `until`. A visit ends at
 * `until` at the latest; if `until` is at or before `from`, it is on the next day. With `from` alone, visits start from
 * then to midnight and end before the playroom closes. `weekdays` limits the days, if given. Weekday and time are those
 * of the start's own date: 00:30 of a night that opened on Saturday is on Sunday.
 */
export const Schedule = Schema.Struct({
  weekdays: Schema.optionalKey(Schema.Array(Weekday)),
  times: Schema.optionalKey(Schema.Array(ClockTime)),
  from: Schema.optionalKey(ClockTime),
  until: Schema.optionalKey(ClosingTime)
})
export type Schedule = typeof Schedule.Type

/** Amounts of a package that a rule sets. Those that it leaves out stay as they are. */
const SetAmounts = Schema.Struct({
  base: Schema.optionalKey(MinorUnits),
  extra_child: Schema.optionalKey(MinorUnits),
  adult: Schema.optionalKey(MinorUnits)
}).check(
  Schema.makeFilter((amounts: object) => Object.keys(amounts).length > 0 || "Expected base, extra_child or adult", {
    toJsonSchema: () => ({ minProperties: 1 })
  })
)

/**
 * When a rule applies: if the start's weekday, clock time (`from` ≤ start < `until`) and date (`date_from` to `date_to`,
 * both included) fit. All of them are the start's own: 00:30 is on the day after the evening.
 */
const RuleTimes = Schema.Struct({
  label: Schema.NonEmptyString,
  weekdays: Schema.optionalKey(Schema.Array(Weekday)),
  from: Schema.optionalKey(ClockTime),
  until: Schema.optionalKey(ClosingTime),
  date_from: Schema.optionalKey(LocalDate),
  date_to: Schema.optionalKey(LocalDate)
})
export type RuleTimes = typeof RuleTimes.Type

/**
 * A change to the price. `percent` and `amount` change the sum so far, in the order of the list, and may be negative.
 * `prices` are the package's amounts in place of its own, before anything is added; of several rules that set one, the
 * last counts.
 */
export const PriceRule = Schema.Struct({
  ...RuleTimes.fields,
  change: Schema.Union([
    Schema.Struct({ percent: Schema.Finite.check(Schema.isBetween({ minimum: -100, maximum: 1000 })) }),
    Schema.Struct({ amount: Schema.Int }),
    Schema.Struct({ prices: SetAmounts })
  ])
})
export type PriceRule = typeof PriceRule.Type

/**
 * `base` covers `included_children`; each further child costs `extra_child`. At least `min_billed_children` are
 * charged.
 */
export const Pricing = Schema.Struct({
  base: MinorUnits,
  included_children: Count(10_000),
  extra_child: MinorUnits,
  adult: MinorUnits,
  included_adults: Schema.optionalKey(Count(10_000)),
  min_billed_children: Schema.optionalKey(Count(10_000)),
  rules: Schema.Array(PriceRule)
})
export type Pricing = typeof Pricing.Type

/** The amounts of a package that a rule can set. */
export type PackageAmounts = Required<typeof SetAmounts.Type>

/**
 * `full`: everything is due when booking. `deposit`: an `amount` or a `percent` of the total is due when booking, and
 * the balance `balance_due_hours_before` the start; `at_venue` takes it only there, so it is due when the visit starts.
 * A deposit that is not `refundable` is kept, whatever the
 * cancellation tier. With `release_unpaid_after_hours`, the places are released so many hours after the balance was due,
 * if it is still unpaid and the visit has not begun; without it, they are kept.
 */
export const PaymentTerms = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("full") }),
  Schema.Struct({
    kind: Schema.Literal("deposit"),
    deposit: Schema.Union([Schema.Struct({ amount: MinorUnits }), Schema.Struct({ percent: Percent })]),
    balance_due_hours_before: Count(8760),
    balance: Schema.optionalKey(Schema.Literals(["at_venue"])),
    refundable: Schema.Boolean,
    release_unpaid_after_hours: Schema.optionalKey(Count(8760))
  })
])
export type PaymentTerms = typeof PaymentTerms.Type

/** Whether a package takes what is not due when booking at the venue only. */
export const isBalanceAtVenue = ({ payment }: { readonly payment: PaymentTerms }): boolean =>
  payment.kind === "deposit" && payment.balance === "at_venue"

export const Package = Schema.Struct({
  package_id: PackageId,
  name: Schema.NonEmptyString,
  description: Schema.String,
  mode: Mode,
  duration_minutes: Schema.Int.check(Schema.isBetween({ minimum: 5, maximum: 1440 })),
  setup_minutes: Count(720),
  cleanup_minutes: Count(720),
  min_children: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000 })),
  max_children: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000 })),
  max_adults: Schema.optionalKey(Count(10_000)),
  schedule: Schedule,
  pricing: Pricing,
  payment: PaymentTerms,
  cancellation: Schema.Array(CancellationTier),
  /**
   * The deadlines for changing the headcount and for free rescheduling. People are told them, and the booking keeps
   * them.
   */
  final_headcount_hours_before: Schema.optionalKey(Count(8760)),
  free_reschedule_hours_before: Schema.optionalKey(Count(8760))
})
export type Package = typeof Package.Type

/** Another price of an add-on, in place of its own; of several rules that apply, the last counts. */
export const AddOnRule = Schema.Struct({
  ...RuleTimes.fields,
  change: Schema.Struct({ prices: Schema.Struct({ unit_amount: MinorUnits }) })
})
export type AddOnRule = typeof AddOnRule.Type

/**
 * An extra on a booking. `stock` limits how many are in use at any time, including set-up and clean-up. With `uses`, it
 * is the units of that resource, which the operator's playrooms share.
 */
export const AddOn = Schema.Struct({
  add_on_id: AddOnId,
  name: Schema.NonEmptyString,
  unit: Schema.Literals(["per_booking", "per_child", "per_item"]),
  unit_amount: MinorUnits,
  rules: Schema.optionalKey(Schema.Array(AddOnRule)),
  max_quantity: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 })),
  stock: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000 }))),
  uses: Schema.optionalKey(Schema.String)
})
export type AddOn = typeof AddOn.Type

/** The resource that an add-on takes units of: stock that playrooms share, or its own; undefined without a limit. */
export const stockOf = ({ add_on_id, stock, uses }: Pick<AddOn, "add_on_id" | "stock" | "uses">): string | undefined =>
  stock === undefined ? undefined : (uses ?? add_on_id)
