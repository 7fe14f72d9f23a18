/**
 * A package of a playroom: a duration, a party size, a price, terms. Amounts are minor units of the playroom's
 * currency.
 */
import { Schema } from "effect"
import { AddOnId, PackageId } from "../../platform/ids/Ids.ts"
import { ClockTime, ClosingTime, LocalDate, Weekday } from "../../platform/time/LocalTime.ts"
import { maxMinorUnits, MinorUnits } from "../../platform/money/Money.ts"
import { Question } from "./Questions.ts"
import { CancellationTier } from "./RefundSchedule.ts"
import { TaxRates } from "./Tax.ts"

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
  from: Schema.optionalKey(ClockTime).annotateKey({ meaning: "Without `times`: the first start of the day." }),
  until: Schema.optionalKey(ClosingTime).annotateKey({
    meaning: "Without `times`: visits end by then. At or before `from`: on the next day."
  })
})
export type Schedule = typeof Schedule.Type

/** Amounts of a package that a rule sets. Those that it leaves out stay as they are. */
const SetAmounts = Schema.Struct({
  base: Schema.optionalKey(MinorUnits).annotateKey({ meaning: "Instead of the package's `base`. Left out: that." }),
  extra_child: Schema.optionalKey(MinorUnits).annotateKey({
    meaning: "Instead of the package's `extra_child`. Left out: that."
  }),
  adult: Schema.optionalKey(MinorUnits).annotateKey({ meaning: "Instead of the package's `adult`. Left out: that." })
}).check(
  Schema.makeFilter((amounts: object) => Object.keys(amounts).length > 0 || "Expected base, extra_child or adult", {
    toJsonSchema: () => ({ minProperties: 1 })
  })
)

/**
 * When a rule applies: if the start's weekday, clock time (`from` ≤ start < `until`) and date (`date_from` to
 * `date_to`, both included) fit. All of them are the start's own: 00:30 is on the day after the evening.
 */
const RuleTimes = Schema.Struct({
  label: Schema.NonEmptyString,
  weekdays: Schema.optionalKey(Schema.Array(Weekday)).annotateKey({ meaning: "Only for starts on these days." }),
  from: Schema.optionalKey(ClockTime).annotateKey({ meaning: "Only for starts from this clock time on." }),
  until: Schema.optionalKey(ClosingTime).annotateKey({ meaning: "Only for starts before this clock time." }),
  date_from: Schema.optionalKey(LocalDate).annotateKey({ meaning: "Only from this date on." }),
  date_to: Schema.optionalKey(LocalDate).annotateKey({ meaning: "Only up to this date, which is included." })
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
    Schema.Struct({
      percent: Schema.Finite.check(Schema.isBetween({ minimum: -100, maximum: 1000 })).annotateKey({
        meaning: "Percent of the sum so far, from -100 to 1000."
      })
    }),
    Schema.Struct({ amount: Schema.Int.annotateKey({ meaning: "Minor units for the visit." }) }),
    Schema.Struct({
      prices: SetAmounts.annotateKey({
        meaning:
          "Other amounts than the package's own, before anything is added: prices from a date on. Of several rules that set one, the last in the list counts."
      })
    })
  ]).annotateKey({
    meaning:
      "One of `percent`, `amount` and `prices`. `percent` and `amount` change the sum so far; less than 0 makes it cheaper."
  })
})
export type PriceRule = typeof PriceRule.Type

const Age = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 17 }))

/**
 * What some children cost less: by their age in years, or from the nth child of a booking on (siblings). Children are
 * counted from the eldest. Rules apply one after the other, and none makes a child dearer. A stored price rule has no
 * such condition: a node of an earlier release would apply it to everybody, and leaves this list out instead.
 */
export const ChildRule = Schema.Struct({
  label: Schema.NonEmptyString,
  age_from: Schema.optionalKey(Age).annotateKey({ meaning: "Only for children of this age and older." }),
  age_to: Schema.optionalKey(Age).annotateKey({
    meaning: "Only for children up to this age: with 1, until the second birthday."
  }),
  child_from: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 2, maximum: 10_000 }))).annotateKey({
    meaning: "Only from so many children of a booking on, counted from the eldest: with 2, for siblings."
  }),
  change: Schema.Union([
    Schema.Struct({
      price: MinorUnits.annotateKey({
        meaning: "What such a child costs at most, instead of `extra_child`; 0: nothing."
      })
    }),
    Schema.Struct({
      percent: Schema.Finite.check(Schema.isBetween({ minimum: -100, maximum: 0 })).annotateKey({
        meaning: "Percent of what such a child costs, from -100 to 0."
      })
    })
  ]).annotateKey({ meaning: "Either `price` or `percent`." })
})
export type ChildRule = typeof ChildRule.Type

/**
 * What is taken off for a party that gives a code (`Codes.ts`). `max_uses` and `first_booking` are decided where a
 * booking is written. It stands in a list of its own: a node of an earlier release would apply it to everybody.
 */
export const PriceCode = Schema.Struct({
  ...RuleTimes.fields,
  code: Schema.String.check(
    Schema.isPattern(/^[A-Z0-9]{4,24}$/, { message: "Expected 4 to 24 capital letters from A to Z and digits" })
  ).annotateKey({
    meaning: "4 to 24 capital letters from A to Z and digits. Families may type it in small letters."
  }),
  change: Schema.Union([
    Schema.Struct({
      percent: Schema.Finite.check(Schema.isBetween({ minimum: -100, maximum: 0, exclusiveMaximum: true })).annotateKey(
        { meaning: "Percent of the sum so far, from -100 to less than 0." }
      )
    }),
    Schema.Struct({
      amount: Schema.Int.check(Schema.isBetween({ minimum: -maxMinorUnits, maximum: -1 })).annotateKey({
        meaning: "Minor units for the visit, less than 0; at most what it costs."
      })
    })
  ]).annotateKey({
    meaning: "Either `percent` or `amount`: what it takes off, after all `rules` and with the add-ons."
  }),
  max_uses: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000 }))).annotateKey({
    meaning:
      "So many bookings may have it, in all your packages together. A booking that ends unpaid or is cancelled gives its use back. Left out: any number."
  }),
  first_booking: Schema.optionalKey(Schema.Boolean).annotateKey({
    meaning: "`true`: only for who has no other booking with you, by e-mail address or telephone number."
  })
})
export type PriceCode = typeof PriceCode.Type

/**
 * `base` covers `included_children`, the dearest ones; each further child costs `extra_child`, or what `child_rules`
 * say. At least `min_billed_children` are charged.
 */
export const Pricing = Schema.Struct({
  base: MinorUnits.annotateKey({ meaning: "For the visit as such, whoever comes; it includes `included_children`." }),
  included_children: Count(10_000).annotateKey({ meaning: "So many children cost nothing beyond `base`." }),
  extra_child: MinorUnits.annotateKey({ meaning: "For each further child." }),
  adult: MinorUnits.annotateKey({ meaning: "For each adult; 0: adults come free." }),
  included_adults: Schema.optionalKey(Count(10_000)).annotateKey({
    meaning: "So many adults cost nothing. Left out: 0."
  }),
  min_billed_children: Schema.optionalKey(Count(10_000)).annotateKey({
    meaning: "Fewer children are billed as so many. Left out: as many as come."
  }),
  child_rules: Schema.optionalKey(Schema.Array(ChildRule)),
  codes: Schema.optionalKey(Schema.Array(PriceCode)),
  rules: Schema.Array(PriceRule)
})
export type Pricing = typeof Pricing.Type

/** The amounts of a package that a rule can set. */
export type PackageAmounts = Required<typeof SetAmounts.Type>

/**
 * `full`: everything is due when booking. `deposit`: an `amount` or a `percent` of the total is due when booking, and
 * the balance `balance_due_hours_before` the start; `at_venue` takes it only there, so it is due when the visit starts.
 * A deposit that is not `refundable` is kept, whatever the cancellation tier. With `release_unpaid_after_hours`, the
 * places are released so many hours after the balance was due, if it is still unpaid and the visit has not begun;
 * without it, they are kept.
 */
export const PaymentTerms = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("full").annotateKey({ meaning: "`full` or `deposit`." }) }),
  Schema.Struct({
    kind: Schema.Literal("deposit").annotateKey({ meaning: "`full` or `deposit`." }),
    deposit: Schema.Union([
      Schema.Struct({ amount: MinorUnits.annotateKey({ meaning: "Minor units." }) }),
      Schema.Struct({ percent: Percent.annotateKey({ meaning: "Percent of the total." }) })
    ]).annotateKey({ meaning: "What is due when booking: either `amount` or `percent`." }),
    balance_due_hours_before: Count(8760).annotateKey({
      meaning:
        "The rest is due so many hours before the start; 0: at the start, by link or at the venue, as the family likes."
    }),
    balance: Schema.optionalKey(Schema.Literals(["at_venue"])).annotateKey({
      meaning:
        "`at_venue`: the rest is paid at the venue only. No link takes it, no reminder asks for it, and your staff record it when it is paid; `balance_due_hours_before` is then 0. Left out: by link."
    }),
    refundable: Schema.Boolean.annotateKey({
      meaning: "`true`: the cancellation tiers hold for the deposit too. `false`: it is kept in any case."
    }),
    release_unpaid_after_hours: Schema.optionalKey(Count(8760)).annotateKey({
      meaning:
        "If the rest is still unpaid so many hours after it was due, the places are released, and the tiers say what of the deposit comes back. Fewer hours than `balance_due_hours_before`. Left out: the places are kept, and `playroom doctor` names the booking."
    })
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
  mode: Mode.annotateKey({ meaning: "`exclusive` sells the whole room, `shared` sells places in it (open play)." }),
  duration_minutes: Schema.Int.check(Schema.isBetween({ minimum: 5, maximum: 1440 })).annotateKey({
    meaning: "How long a visit is."
  }),
  setup_minutes: Count(720),
  cleanup_minutes: Count(720),
  min_children: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000 })).annotateKey({
    meaning: "The smallest party that can book."
  }),
  max_children: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000 })).annotateKey({
    meaning: "The largest party that can book, at most the playroom's capacity."
  }),
  max_adults: Schema.optionalKey(Count(10_000)).annotateKey({
    meaning: "How many adults may come along. Left out: no limit of its own."
  }),
  schedule: Schedule,
  pricing: Pricing,
  tax: Schema.optionalKey(TaxRates).annotateKey({
    meaning:
      "The tax on a visit with this package, instead of the playroom's: a birthday at 21 %, food at 10 %. Whether prices include it, the playroom says. Left out: the playroom's rate."
  }),
  payment: PaymentTerms.annotateKey({
    meaning:
      "When families pay: `{kind: full}` takes all when booking; with `kind: deposit` the fields below say the rest."
  }),
  cancellation: Schema.Array(CancellationTier),
  /**
   * The deadlines for changing the headcount and for free rescheduling. People are told them, and the booking keeps
   * them.
   */
  final_headcount_hours_before: Schema.optionalKey(Count(8760)).annotateKey({
    meaning:
      "Until when families change their party themselves, on the page of their booking; told to them. Left out: until the visit begins."
  }),
  party_may_shrink: Schema.optionalKey(Schema.Boolean).annotateKey({
    meaning:
      "`false`: until the final headcount families bring more children and adults than they booked, and never fewer, or of ages that cost less; told to them. Extras may still be taken off, and your staff change any party, with a reason. Left out: `true`."
  }),
  free_reschedule_hours_before: Schema.optionalKey(Count(8760)).annotateKey({
    meaning: "Until when a family may move its booking free of charge."
  }),
  /** What families are asked on the page of their booking. */
  questions: Schema.optionalKey(Schema.Array(Question))
})
export type Package = typeof Package.Type

/** Another price of an add-on, in place of its own; of several rules that apply, the last counts. */
export const AddOnRule = Schema.Struct({
  ...RuleTimes.fields,
  change: Schema.Struct({
    prices: Schema.Struct({
      unit_amount: MinorUnits.annotateKey({ meaning: "Instead of the add-on's `unit_amount`." })
    }).annotateKey({ meaning: "Another price than the add-on's own." })
  }).annotateKey({ meaning: "What the rule sets." })
})
export type AddOnRule = typeof AddOnRule.Type

/**
 * An extra on a booking. `stock` limits how many are in use at any time, including set-up and clean-up. With `uses`, it
 * is the units of that resource, which the operator's playrooms share.
 */
export const AddOn = Schema.Struct({
  add_on_id: AddOnId,
  name: Schema.NonEmptyString,
  unit: Schema.Literals(["per_booking", "per_child", "per_item"]).annotateKey({
    meaning: "What `unit_amount` is for: `per_booking`, `per_child`, or `per_item` that is ordered."
  }),
  unit_amount: MinorUnits.annotateKey({ meaning: "Minor units." }),
  tax: Schema.optionalKey(TaxRates).annotateKey({
    meaning: "The tax on it, instead of the playroom's, whatever its package has. Left out: the playroom's rate."
  }),
  rules: Schema.optionalKey(Schema.Array(AddOnRule)),
  max_quantity: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 })).annotateKey({
    meaning: "The most that one booking may have."
  }),
  stock: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000 }))).annotateKey({
    meaning: "How many there are: no more are sold for the same time. Left out: no limit."
  }),
  uses: Schema.optionalKey(Schema.String)
})
export type AddOn = typeof AddOn.Type

/** The resource that an add-on takes units of: stock that playrooms share, or its own; undefined without a limit. */
export const stockOf = ({ add_on_id, stock, uses }: Pick<AddOn, "add_on_id" | "stock" | "uses">): string | undefined =>
  stock === undefined ? undefined : (uses ?? add_on_id)
