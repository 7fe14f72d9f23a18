/** Generators of venues, packages, parties and what is taken, for properties. */
import { Struct } from "effect"
import * as fc from "fast-check"
import type { AddOnChoice, Party } from "../../src/domain/catalogue/Pricing.ts"
import { type Taken } from "../../src/domain/availability/Units.ts"
import type {
  AddOn,
  ChildRule,
  Package,
  PaymentTerms,
  PriceCode,
  PriceRule,
  Pricing,
  Schedule
} from "../../src/domain/catalogue/Package.ts"
import type { Playroom, Venue } from "../../src/domain/catalogue/Playroom.ts"
import type { TaxRates } from "../../src/domain/catalogue/Tax.ts"
import {
  addDays,
  clockTimeOf,
  dayMs,
  hourMs,
  type Instant,
  instantAt,
  type LocalDate,
  minuteMs,
  weekdays
} from "../../src/platform/time/LocalTime.ts"
import { closureId, packageWith, playroomWith, testId, venueWith, withoutDoubles } from "./venues.ts"
import { startsOn } from "../../src/domain/availability/Starts.ts"
import { maxPrice } from "../../src/domain/catalogue/PriceTimes.ts"
import { maxMinorUnits } from "../../src/platform/money/Money.ts"

/** Zones whose clocks differ in every way that matters, each with a date near one of its changes. */
export const zoneChanges: ReadonlyArray<readonly [zone: string, change: LocalDate]> = [
  ["Europe/London", "2026-03-29"],
  ["Europe/London", "2026-10-25"],
  ["America/New_York", "2026-03-08"],
  ["America/New_York", "2026-11-01"],
  // Half an hour forward and back.
  ["Australia/Lord_Howe", "2026-10-04"],
  ["Australia/Lord_Howe", "2026-04-05"],
  // An offset with half an hour in it, with and without clock changes.
  ["Australia/Adelaide", "2026-10-04"],
  ["Australia/Adelaide", "2026-04-05"],
  ["Asia/Kolkata", "2026-06-01"],
  ["Pacific/Chatham", "2026-09-27"],
  // Midnight is skipped, and the hour before it repeated.
  ["America/Santiago", "2026-09-06"],
  ["America/Santiago", "2026-04-04"],
  ["Asia/Beirut", "2026-03-29"],
  ["Asia/Beirut", "2026-10-24"],
  ["Africa/Cairo", "2026-04-24"],
  ["Africa/Cairo", "2026-10-29"],
  // The last hour of a day is skipped, and repeated.
  ["America/Nuuk", "2026-03-28"],
  ["America/Nuuk", "2026-10-24"],
  // Midnight itself is repeated, and skipped.
  ["America/Havana", "2026-11-01"],
  ["America/Havana", "2026-03-08"],
  // A day that never was; the zone furthest from UTC; and one without a change.
  ["Pacific/Apia", "2011-12-30"],
  ["Pacific/Kiritimati", "2026-12-05"],
  ["Asia/Tokyo", "2026-12-05"]
]

const nearDate = ([[, change], days]: readonly [readonly [string, LocalDate], number]): LocalDate =>
  addDays(change, days)

/** A zone, and a date on which or beside which something happens to its clocks (or an ordinary one). */
export const zoneAndDate: fc.Arbitrary<{ readonly zone: string; readonly date: LocalDate }> = fc
  .tuple(fc.constantFrom(...zoneChanges), fc.integer({ min: -2, max: 3 }))
  .map(([[zone, change], days]) => ({ zone, date: addDays(change, days) }))

const minuteOfDay = fc.integer({ min: 0, max: 287 }).map((n) => n * 5)
const clock = minuteOfDay.map(clockTimeOf)
/** A day's end is 24:00, and what is after it is on the next day. */
const closing = (minutes: number) => clockTimeOf(minutes > 1440 ? minutes - 1440 : minutes)
const interval = fc
  .tuple(minuteOfDay, fc.integer({ min: 1, max: 288 }))
  .map(([from, length]) => ({ opens: clockTimeOf(from), closes: closing(from + length * 5) }))

const someWeekdays = fc.subarray([...weekdays], { minLength: 1 })
const amount = fc.oneof(fc.constantFrom(0, 1, 3, 99, 333), fc.integer({ min: 0, max: 50_000 }))
/** Up to three decimals. */
const percent = (min: number, max: number) =>
  fc.oneof(
    fc.integer({ min, max }),
    fc.integer({ min: min * 1000, max: max * 1000 }).map((thousandths) => thousandths / 1000)
  )

const near = fc.tuple(fc.constantFrom(...zoneChanges), fc.integer({ min: -3, max: 3 })).map(nearDate)
/** Rates of tax, most of them the same at all times. */
const taxRates: fc.Arbitrary<TaxRates> = fc
  .tuple(
    percent(0, 30),
    fc.oneof(
      { weight: 2, arbitrary: fc.constant([]) },
      {
        weight: 1,
        arbitrary: fc.uniqueArray(fc.record({ from: near, rate_percent: percent(0, 30) }), {
          selector: ({ from }) => from,
          maxLength: 3
        })
      }
    )
  )
  .map(([rate_percent, changes]) =>
    changes.length === 0
      ? { rate_percent }
      : { rate_percent, changes: changes.toSorted((a, b) => (a.from < b.from ? -1 : 1)) }
  )

/** Values for every field of a rule: a new one has to be here, so that the properties meet it. */
const ruleFields: { readonly [Field in keyof PriceRule]-?: fc.Arbitrary<Required<PriceRule>[Field]> } = {
  label: fc.constant("Rule"),
  weekdays: someWeekdays,
  from: clock,
  until: clock,
  date_from: near,
  date_to: near,
  change: fc.oneof(
    fc.record({ percent: percent(-100, 300) }),
    fc.record({ amount: fc.integer({ min: -60_000, max: 60_000 }) }),
    fc.record({
      prices: fc.oneof(
        ...(["base", "extra_child", "adult"] as const).map((name) =>
          fc.record({ base: amount, extra_child: amount, adult: amount }, { requiredKeys: [name] })
        )
      )
    })
  )
}
const ruleConditions = Struct.keys(Struct.omit(ruleFields, ["label", "change"]))
/** Rules with any conditions, and as many with one at most: few starts meet several. */
export const priceRule: fc.Arbitrary<PriceRule> = fc.oneof(
  fc.record(ruleFields, { requiredKeys: ["label", "change"] }),
  fc
    .subarray(ruleConditions, { maxLength: 1 })
    .chain((condition) => fc.record(Struct.pick(ruleFields, ["label", "change", ...condition])))
)

const payment: fc.Arbitrary<PaymentTerms> = fc.oneof(
  fc.constant({ kind: "full" } as const),
  fc.record({
    kind: fc.constant("deposit" as const),
    deposit: fc.oneof(
      amount.map((amount) => ({ amount })),
      percent(0, 100).map((percent) => ({ percent }))
    ),
    balance_due_hours_before: fc.integer({ min: 0, max: 1000 }),
    refundable: fc.boolean()
  })
)

const schedule: fc.Arbitrary<Schedule> = fc.oneof(
  fc.constant({}),
  fc.record({ times: fc.array(clock, { minLength: 1, maxLength: 12 }) }),
  fc.record(
    { weekdays: someWeekdays, times: fc.array(clock, { maxLength: 12 }), from: clock, until: clock },
    { requiredKeys: [] }
  )
)

/** Values for every field of a rule for children, as above. */
const childRuleFields: { readonly [Field in keyof ChildRule]-?: fc.Arbitrary<Required<ChildRule>[Field]> } = {
  label: fc.constantFrom("Babies", "Toddlers", "Siblings"),
  age_from: fc.integer({ min: 0, max: 8 }),
  age_to: fc.integer({ min: 0, max: 12 }),
  child_from: fc.integer({ min: 2, max: 5 }),
  change: fc.oneof(
    amount.map((price) => ({ price })),
    percent(-100, 0).map((percent) => ({ percent }))
  )
}

/** Up to four of them. */
export const childRules = fc.array(fc.record(childRuleFields, { requiredKeys: ["label", "change"] }), { maxLength: 4 })

/** Values for every field of a code, as above. Few, so that parties give those that there are. */
const codeFields: { readonly [Field in keyof PriceCode]-?: fc.Arbitrary<Required<PriceCode>[Field]> } = {
  ...Struct.omit(ruleFields, ["change"]),
  code: fc.constantFrom("SPRING10", "WELCOME5"),
  change: fc.oneof(
    percent(-100, -1).map((percent) => ({ percent })),
    fc.integer({ min: -60_000, max: -1 }).map((amount) => ({ amount }))
  ),
  max_uses: fc.integer({ min: 1, max: 3 }),
  first_booking: fc.boolean()
}

/** Each at most once. */
export const priceCodes = fc.uniqueArray(
  fc.oneof(fc.record(codeFields, { requiredKeys: ["label", "code", "change"] }), {
    weight: 3,
    arbitrary: fc.record(Struct.pick(codeFields, ["label", "code", "change"]))
  }),
  { selector: ({ code }) => code, maxLength: 2 }
)

/** A code that some venues have, one that none has, or none. */
export const givenCode = fc.constantFrom("SPRING10", "WELCOME5", "NOBODYS", undefined)

/** Values for every field of a price, as above. */
const pricingFields: { readonly [Field in keyof Pricing]-?: fc.Arbitrary<Required<Pricing>[Field]> } = {
  base: amount,
  included_children: fc.integer({ min: 0, max: 12 }),
  extra_child: amount,
  adult: amount,
  included_adults: fc.integer({ min: 0, max: 6 }),
  min_billed_children: fc.integer({ min: 0, max: 12 }),
  child_rules: childRules,
  codes: priceCodes,
  rules: fc.array(priceRule, { maxLength: 5 })
}
const pricing: fc.Arbitrary<Pricing> = fc.record(pricingFields, {
  requiredKeys: ["base", "included_children", "extra_child", "adult", "rules"]
})

export const anyPackage: fc.Arbitrary<Package> = fc
  .record({
    package_id: fc.integer({ min: 1, max: 1000 }).map(testId.package),
    mode: fc.constantFrom("exclusive" as const, "shared" as const),
    duration_minutes: fc
      .oneof(fc.integer({ min: 1, max: 36 }), fc.integer({ min: 1, max: 288 }))
      .map((fives) => fives * 5),
    setup_minutes: fc.constantFrom(0, 0, 10, 30, 60),
    cleanup_minutes: fc.constantFrom(0, 0, 15, 30),
    min_children: fc.integer({ min: 1, max: 5 }),
    max_children: fc.integer({ min: 5, max: 25 }),
    schedule,
    pricing,
    tax: fc.option(taxRates, { freq: 1, nil: undefined }),
    payment,
    cancellation: fc.array(
      fc.record({ hours_before: fc.integer({ min: 0, max: 1000 }), refund_percent: percent(0, 100) }),
      { maxLength: 4 }
    )
  })
  .map(({ tax, ...pkg }) => ({ ...pkg, ...(tax === undefined ? {} : { tax }) }))
  // Of some the party may not shrink: drawn from what is there, so that a seed still says the same.
  .map((pkg) => packageWith({ ...pkg, ...(pkg.min_children % 2 === 0 ? { party_may_shrink: false } : {}) }))

const addOn = (n: number): fc.Arbitrary<AddOn> =>
  fc.record(
    {
      add_on_id: fc.constant(testId.addOn(n)),
      name: fc.constant(`Extra ${n}`),
      unit: fc.constantFrom("per_booking" as const, "per_child" as const, "per_item" as const),
      unit_amount: amount,
      tax: taxRates,
      rules: fc.array(
        fc.record(
          {
            ...Struct.omit(ruleFields, ["change"]),
            change: amount.map((unit_amount) => ({ prices: { unit_amount } }))
          },
          { requiredKeys: ["label", "change"] }
        ),
        { maxLength: 3 }
      ),
      max_quantity: fc.integer({ min: 1, max: 5 }),
      stock: fc.integer({ min: 1, max: 8 })
    },
    { requiredKeys: ["add_on_id", "name", "unit", "unit_amount", "max_quantity"] }
  )

/** Some of them may take from the same stock. */
export const addOns: fc.Arbitrary<ReadonlyArray<AddOn>> = fc
  .tuple(
    fc.tuple(addOn(1), addOn(2), addOn(3), addOn(4)),
    fc.integer({ min: 0, max: 4 }),
    fc.option(
      fc.record({
        sharing: fc.subarray([1, 2, 3, 4].map(testId.addOn), { minLength: 1 }),
        stock: fc.integer({ min: 1, max: 12 })
      }),
      { freq: 2, nil: undefined }
    )
  )
  .map(([all, count, shared]) =>
    all
      .slice(0, count)
      .map((one) =>
        shared?.sharing.includes(one.add_on_id) === true ? { ...one, stock: shared.stock, uses: "@shared" } : one
      )
  )

const wholeDays = weekdays.map((weekday) => ({ weekday, opens: "00:00", closes: "24:00" }))
const evenings = weekdays.map((weekday) => ({ weekday, opens: "18:00", closes: "02:00" }))
/** One interval after the other, over midnight too. */
const adjoining = weekdays.flatMap((weekday) => [
  { weekday, opens: "07:15", closes: "13:00" },
  { weekday, opens: "13:00", closes: "21:30" },
  { weekday, opens: "21:30", closes: "07:15" }
])
const daytime = weekdays.map((weekday) => ({ weekday, opens: "09:00", closes: "18:30" }))

const playroom = (zone: string, date: LocalDate): fc.Arbitrary<Playroom> =>
  fc
    .record({
      currency: fc.constantFrom("JPY", "GBP", "KWD"),
      capacity: fc.oneof(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 10, max: 30 })),
      opening_hours: fc.array(
        fc
          .tuple(fc.constantFrom(...weekdays), interval)
          .map(([weekday, { opens, closes }]) => ({ weekday, opens, closes })),
        { maxLength: 14 }
      ),
      overrides: fc.array(
        fc.record({ days: fc.integer({ min: -2, max: 2 }), intervals: fc.array(interval, { maxLength: 3 }) }),
        { maxLength: 1 }
      ),
      season: fc.option(
        fc.record({
          days: fc.integer({ min: -9, max: 2 }),
          more: fc.integer({ min: 0, max: 12 }),
          intervals: fc.array(interval, { maxLength: 2 })
        }),
        { freq: 2, nil: undefined }
      ),
      hours: fc.constantFrom<["always", "daytime", "evenings", "adjoining", "any", "any"]>(
        "always",
        "daytime",
        "evenings",
        "adjoining",
        "any",
        "any"
      ),
      grid_minutes: fc.constantFrom(5, 15, 20, 30, 45, 60, 90),
      lead_time_minutes: fc.constantFrom(0, 60, 1440),
      max_advance_days: fc.integer({ min: 1, max: 30 }),
      tax: fc.tuple(taxRates, fc.boolean()).map(([rates, included]) => ({ ...rates, included }))
    })
    .map(({ opening_hours, overrides, season, hours, ...rest }) =>
      playroomWith({
        ...rest,
        time_zone: zone,
        opening_hours: { any: opening_hours, always: wholeDays, daytime, evenings, adjoining }[hours],
        overrides: [
          ...overrides.map(({ days, intervals }) => ({ date: addDays(date, days), intervals })),
          ...(season === undefined
            ? []
            : [
                {
                  from: addDays(date, season.days),
                  to: addDays(date, season.days + season.more),
                  intervals: season.intervals
                }
              ])
        ]
      })
    )

/** A venue with one package, and a date about which its zone's clocks may change. */
export const venueOnDate: fc.Arbitrary<{ readonly venue: Venue; readonly pkg: Package; readonly date: LocalDate }> =
  zoneAndDate.chain(({ zone, date }) =>
    fc
      .tuple(playroom(zone, date), anyPackage, addOns)
      .map(([room, pkg, extras]) => ({ venue: venueWith(room, [pkg], extras), pkg, date }))
  )

const choices = (extras: ReadonlyArray<AddOn>): fc.Arbitrary<ReadonlyArray<AddOnChoice>> =>
  fc
    .tuple(fc.shuffledSubarray([...extras]), fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 8, maxLength: 8 }))
    .map(([chosen, quantities]) =>
      chosen.map(({ add_on_id, unit, max_quantity, stock = 1000 }, i) => ({
        add_on_id,
        quantity: unit === "per_item" ? Math.min(quantities[i] ?? 1, max_quantity, stock) : 1
      }))
    )

/** A party with sound add-ons of the venue, of any size. Of most, the ages are told. */
export const partyOf = (venue: Venue): fc.Arbitrary<Party> =>
  fc
    .record({
      children: fc.oneof(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 40 })),
      adults: fc.integer({ min: 0, max: 12 }),
      ages: fc.option(fc.array(fc.integer({ min: 0, max: 17 }), { minLength: 40, maxLength: 40 }), { freq: 3 }),
      add_ons: choices(venue.add_ons)
    })
    .map(({ ages, ...party }) => (ages === null ? party : { ...party, child_ages: ages.slice(0, party.children) }))

/** An instant within a local day (or near it), on the quarter of an hour or off it. */
export const instantNear = (zone: string, date: LocalDate): fc.Arbitrary<Instant> =>
  fc
    .oneof(
      fc.integer({ min: -96, max: 192 }).map((quarters) => quarters * 15),
      fc.integer({ min: -1440, max: 2880 })
    )
    .map((minutes) => instantAt(zone, date, 0) + minutes * 60_000)

/** Rows of one resource about a date: several ranges each. */
export const takenOf = (
  resource_id: string,
  total: number,
  zone: string,
  date: LocalDate,
  maxLength = 6
): fc.Arbitrary<ReadonlyArray<Taken>> =>
  fc
    .array(
      fc
        .record({
          start: instantNear(zone, date),
          minutes: fc.integer({ min: 1, max: 40 }).map((n) => n * 15),
          units: fc.array(
            fc
              .tuple(fc.integer({ min: 0, max: total - 1 }), fc.integer({ min: 1, max: 6 }))
              .map(([from, count]) => [from, Math.min(total, from + count)] as const),
            { minLength: 1, maxLength: 3 }
          )
        })
        .map(({ start, minutes, units }) => ({ resource_id, units, start, end: start + minutes * 60_000 })),
      { maxLength }
    )
    .map(withoutDoubles)

// Arbitrary questions about arbitrary venues: who comes when, with what sold and closed already, asked at some moment.

/**
 * A question about an arbitrary venue with arbitrary sales and closures, mostly about one of the package's own starts.
 */
export const question = venueOnDate.chain(({ venue, pkg, date }) => {
  const zone = venue.playroom.time_zone
  const starts = startsOn(venue, pkg, date)
  const stocked = [
    ...new Map(
      venue.add_ons.flatMap(({ add_on_id, stock, uses }) => (stock === undefined ? [] : [[uses ?? add_on_id, stock]]))
    )
  ]
  return fc
    .record({
      who: partyOf(venue),
      children: fc.integer({ min: pkg.min_children, max: pkg.max_children }),
      fits: fc.integer({ min: 0, max: 4 }).map((n) => n > 0),
      start:
        starts.length === 0
          ? instantNear(zone, date)
          : fc.oneof(
              { weight: 9, arbitrary: fc.constantFrom(...starts) },
              { weight: 1, arbitrary: instantNear(zone, date) }
            ),
      before: fc.oneof(
        { weight: 6, arbitrary: fc.integer({ min: dayMs, max: 2 * dayMs }) },
        { weight: 1, arbitrary: fc.nat(40 * dayMs) },
        { weight: 1, arbitrary: fc.integer({ min: -hourMs, max: hourMs }) },
        // At the end of the lead time, to the millisecond.
        {
          weight: 1,
          arbitrary: fc.integer({ min: -1, max: 1 }).map((ms) => venue.playroom.lead_time_minutes * minuteMs + ms)
        }
      ),
      room: takenOf(venue.playroom.playroom_id, venue.playroom.capacity, zone, date, 4),
      extras: fc.tuple(...stocked.map(([resource_id, stock]) => takenOf(resource_id, stock, zone, date, 3))),
      closures: fc.array(
        fc.tuple(instantNear(zone, date), fc.integer({ min: 1, max: 600 })).map(([start, minutes]) => ({
          closure_id: closureId,
          start,
          end: start + minutes * minuteMs,
          reason: "Repairs"
        })),
        { maxLength: 1 }
      )
    })
    .map(({ who, children, fits, start, before, room, extras, closures }) => {
      const taken = new Map<string, ReadonlyArray<Taken>>([[venue.playroom.playroom_id, room]])
      for (const [i, [resource_id]] of stocked.entries()) taken.set(resource_id, extras[i] ?? [])
      return {
        venue,
        pkg,
        date,
        who: fits ? { ...who, children } : who,
        start,
        now: start - before,
        calendar: { closures, taken }
      }
    })
})

/** Within the cap on amounts, which has a test of its own. */
export const payable = (venue: Venue, pkg: Package, who: Party) => maxPrice(venue, pkg, who) <= maxMinorUnits
