import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { parseCatalogue } from "../../../src/domain/import/ParseCatalogue.ts"
import { closureRange, closureTexts } from "../../../src/domain/import/CatalogueSchema.ts"
import { localDateOf } from "../../../src/platform/time/LocalTime.ts"
import {
  catalogueJson,
  idOf,
  operatorJson,
  packageJson,
  type PlayroomJson,
  playroomJson
} from "../../support/catalogues.ts"

const saturday = (times: ReadonlyArray<string>) => ({ weekdays: ["saturday" as const], times })
const withPackage = (changes: Parameters<typeof packageJson>[1]) =>
  catalogueJson([playroomJson(1, { packages: [packageJson(1, changes)] })])
const withRoom = (changes: Partial<PlayroomJson>) => catalogueJson([playroomJson(1, changes)])
const pricing = (changes: object) => ({
  pricing: { base: 0, included_children: 0, extra_child: 750, adult: 0, rules: [], ...changes }
})
const closure = (n: number, from: string, to: string) => ({
  closure_id: idOf("closure", n),
  from,
  to,
  reason: "Repairs"
})
type Weekday = PlayroomJson["opening_hours"][number]["weekday"]
const open = (...hours: ReadonlyArray<readonly [Weekday, string, string]>) =>
  hours.map(([weekday, opens, closes]) => ({ weekday, opens, closes }))
const quiet = (weekday: Weekday, opens: string, closes: string): Partial<PlayroomJson> => ({
  quiet_hours: open([weekday, opens, closes]),
  accessibility_features: ["quiet_hours"]
})
const addOn = {
  add_on_id: idOf("addon", 1),
  name: "Cake",
  unit: "per_item",
  unit_amount: 1,
  max_quantity: 3,
  stock: 2
} as const

const faults: ReadonlyArray<readonly [name: string, json: unknown, path: string, message: RegExp]> = [
  ["of another version", { version: 2, operators: [], playrooms: [] }, "version", /Expected 1/],
  [
    "with a word that the format lacks",
    catalogueJson([Object.assign(playroomJson(1), { colour: "red" })]),
    "playrooms[0].colour",
    /There is no field "colour" here/
  ],
  [
    "with an id of another kind",
    withRoom({ playroom_id: idOf("package", 1) }),
    "playrooms[0].playroom_id",
    /playroom_/
  ],
  ["with an unknown time zone", withRoom({ time_zone: "Europe/Atlantis" }), "playrooms[0].time_zone", /IANA time zone/],
  ...["BST", "IST", "PST", "EST", "GMT", "CET"].map(
    (time_zone) =>
      [
        `with the time zone ${time_zone}, which is an abbreviation`,
        withRoom({ time_zone, country: "GB" }),
        "playrooms[0].time_zone",
        /an IANA time zone of GB: Europe\/London\. Abbreviations/
      ] as const
  ),
  ["with an unknown currency", withRoom({ currency: "ABC" }), "playrooms[0].currency", /ISO 4217/],
  ...["https://127.0.0.1/x.ics", "https://printer/x.ics", "http://calendar.example.com/x.ics"].map(
    (url) =>
      [
        `S9: with another calendar at ${url}`,
        withRoom({ calendars: [{ name: "Phone bookings", url }] }),
        "playrooms[0].calendars[0].url",
        /on the public internet/
      ] as const
  ),
  ["with a place off the map", withRoom({ latitude: 91 }), "playrooms[0].latitude", /from -90 to 90/],
  [
    "with two playrooms of one id",
    catalogueJson([playroomJson(1), playroomJson(1, { packages: [packageJson(2)] })]),
    "playrooms[1]",
    /already at playrooms\[0\]/
  ],
  [
    "with one package in two playrooms",
    catalogueJson([playroomJson(1), playroomJson(2, { packages: [packageJson(1)] })]),
    "playrooms[1].packages[0]",
    /already at/
  ],
  [
    "with two operators on one account",
    catalogueJson([], [operatorJson(1), operatorJson(2, { connected_account_id: "acct_1" })]),
    "operators[1].connected_account_id",
    /already at/
  ],
  [
    "with a package larger than its room",
    withPackage({ max_children: 21 }),
    "playrooms[0].packages[0].max_children",
    /capacity, 20/
  ],
  [
    "with a feature twice, or had and lacked",
    withRoom({ accessibility_features: ["lift", "hearing_loop"], accessibility_lacks: ["lift"] }),
    "playrooms[0].accessibility_lacks[0]",
    /already at playrooms\[0\]\.accessibility_features\[0\]/
  ],
  [
    "with a smallest party above the largest",
    withPackage({ min_children: 11 }),
    "playrooms[0].packages[0].max_children",
    /min_children, 11/
  ],
  [
    "whose Sunday runs into Monday's hours",
    withRoom({
      opening_hours: [
        { weekday: "monday", opens: "01:00", closes: "17:00" },
        { weekday: "sunday", opens: "18:00", closes: "02:00" }
      ]
    }),
    "playrooms[0].opening_hours[0]",
    /01:00 to 17:00 overlaps playrooms\[0\]\.opening_hours\[1\], 18:00 to 02:00 of the next day/
  ],
  [
    "whose override overlaps itself",
    withRoom({
      overrides: [
        {
          date: "2026-12-24",
          intervals: [
            { opens: "18:00", closes: "02:00" },
            { opens: "20:00", closes: "21:00" }
          ]
        }
      ]
    }),
    "playrooms[0].overrides[0].intervals[1]",
    /overlaps/
  ],
  [
    "whose override names a date and a range",
    withRoom({ overrides: [{ date: "2027-07-24", from: "2027-07-24", to: "2027-09-05", intervals: [] }] }),
    "playrooms[0].overrides[0]",
    /Expected either "date", or "from" and "to", not both/
  ],
  [
    "whose override has a beginning and no end",
    withRoom({ overrides: [{ from: "2027-07-24", intervals: [] }] }),
    "playrooms[0].overrides[0]",
    /Expected a "date", or "from" and "to"/
  ],
  [
    "whose range of overrides ends before it begins",
    withRoom({ overrides: [{ from: "2027-07-24", to: "2027-07-23", intervals: [] }] }),
    "playrooms[0].overrides[0].to",
    /Expected a date from 2027-07-24 on/
  ],
  [
    "whose range of overrides is longer than a year",
    withRoom({ overrides: [{ from: "2027-01-01", to: "2028-01-02", intervals: [] }] }),
    "playrooms[0].overrides[0].to",
    /Expected at most 366 days, got 367/
  ],
  [
    "whose ranges of overrides overlap",
    withRoom({
      overrides: [
        { from: "2027-09-05", to: "2027-09-06", intervals: [] },
        { from: "2027-07-24", to: "2027-09-05", intervals: [] }
      ]
    }),
    "playrooms[0].overrides[0].from",
    /2027-09-05 to 2027-09-06 overlaps playrooms\[0\].overrides\[1\], 2027-07-24 to 2027-09-05/
  ],
  [
    "with overrides of too many days",
    withRoom({
      overrides: [2027, 2028, 2029]
        .map((year) => ({ from: `${year}-01-01`, to: `${year}-12-31`, intervals: [] }))
        .concat([{ from: "2030-01-01", to: "2030-01-05", intervals: [] }])
    }),
    "playrooms[0].overrides",
    /Expected at most 1,100 days in all, got 1101/
  ],
  [
    "whose opening hours overlap",
    withRoom({
      opening_hours: [
        { weekday: "monday", opens: "09:00", closes: "13:00" },
        { weekday: "monday", opens: "12:00", closes: "17:00" }
      ]
    }),
    "playrooms[0].opening_hours[1]",
    /12:00 to 17:00 overlaps playrooms\[0\]\.opening_hours\[0\], 09:00 to 13:00$/
  ],
  [
    "with a time out of hours",
    withPackage({ schedule: saturday(["10:00", "16:30"]) }),
    "playrooms[0].packages[0].schedule.times[1]",
    /outside the opening hours/
  ],
  [
    "with times and a grid",
    withPackage({ schedule: { times: ["10:00"], from: "09:00" } }),
    "playrooms[0].packages[0].schedule",
    /not both/
  ],
  [
    "with no room for a visit",
    withPackage({ schedule: { from: "16:30" } }),
    "playrooms[0].packages[0].schedule",
    /room for 60 minutes/
  ],
  [
    "with a rule for no time",
    withPackage(pricing({ rules: [{ label: "x", from: "12:00", until: "12:00", change: { percent: 5 } }] })),
    "playrooms[0].packages[0].pricing.rules[0].until",
    /after 12:00/
  ],
  [
    "with more than can be charged",
    withPackage(pricing({ base: 99_999_999 })),
    "playrooms[0].packages[0].pricing",
    /more than can be charged/
  ],
  [
    "that refunds more later",
    withPackage({
      cancellation: [
        { hours_before: 48, refund_percent: 50 },
        { hours_before: 24, refund_percent: 80 }
      ]
    }),
    "playrooms[0].packages[0].cancellation",
    /earlier cancellation/
  ],
  [
    "with more of an add-on than its stock",
    withRoom({ add_ons: [addOn] }),
    "playrooms[0].add_ons[0].max_quantity",
    /stock, 2/
  ],
  [
    "with closures that overlap",
    withRoom({
      closures: [closure(1, "2026-12-24", "2026-12-26"), closure(2, "2026-12-26T10:00:00Z", "2026-12-27T10:00:00Z")]
    }),
    "playrooms[0].closures[1]",
    /Overlaps closures\[0\]/
  ],
  [
    "with a closure that ends before its start",
    withRoom({ closures: [closure(1, "2026-12-24", "2026-12-23")] }),
    "playrooms[0].closures[0].to",
    /after 2026-12-24/
  ],
  [
    "with a closure from a day to an instant",
    withRoom({ closures: [closure(1, "2026-12-24", "2026-12-25T10:00:00Z")] }),
    "playrooms[0].closures[0].to",
    /same kind/
  ],
  [
    "with a closure on a day that no calendar has",
    withRoom({ closures: [closure(1, "2026-02-30", "2026-03-01")] }),
    "playrooms[0].closures[0].from",
    /Expected a date/
  ],
  ["without anything on sale", withRoom({ packages: [] }), "playrooms[0].packages", /at least one package/],
  [
    "with a tax rate of four decimals",
    withRoom({ tax: { rate_percent: 8.8755, included: false } }),
    "playrooms[0].tax.rate_percent",
    /at most three decimals, got 8.8755 %/
  ],
  [
    "with a rule for children that is for all of them",
    withPackage(pricing({ child_rules: [{ label: "All", change: { percent: -10 } }] })),
    "playrooms[0].packages[0].pricing.child_rules[0]",
    /Expected age_from, age_to or child_from/
  ],
  [
    "with a rule for children of no age",
    withPackage(pricing({ child_rules: [{ label: "None", age_from: 3, age_to: 2, change: { price: 0 } }] })),
    "playrooms[0].packages[0].pricing.child_rules[0].age_to",
    /Expected at least age_from, 3/
  ],
  [
    "with a rule that makes some children dearer",
    withPackage(pricing({ child_rules: [{ label: "Big", age_from: 6, change: { percent: 10 } }] })),
    "playrooms[0].packages[0].pricing.child_rules[0].change.percent",
    /-100.*0/
  ],
  [
    "with a rule for the first child",
    withPackage(pricing({ child_rules: [{ label: "First", child_from: 1, change: { percent: -10 } }] })),
    "playrooms[0].packages[0].pricing.child_rules[0].child_from",
    /2/
  ],
  [
    "with less for children by four decimals",
    withPackage(pricing({ child_rules: [{ label: "Babies", age_to: 1, change: { percent: -8.8755 } }] })),
    "playrooms[0].packages[0].pricing.child_rules[0].change.percent",
    /at most three decimals/
  ],
  [
    "with a code twice",
    withPackage(
      pricing({
        codes: [
          { label: "Spring", code: "SPRING10", change: { percent: -10 } },
          { label: "Again", code: "SPRING10", change: { amount: -100 } }
        ]
      })
    ),
    "playrooms[0].packages[0].pricing.codes[1].code",
    /Code SPRING10 is already at/
  ],
  [
    "with two codes that no option's id could tell apart",
    withPackage(
      pricing({
        codes: [
          { label: "A", code: "SPRING65", change: { percent: -10 } },
          { label: "B", code: "SPRING248", change: { percent: -10 } }
        ]
      })
    ),
    "playrooms[0].packages[0].pricing.codes[1].code",
    /Expected another code: no option's id could tell it from SPRING65/
  ],
  [
    "with a code in letters that look like others",
    withPackage(pricing({ codes: [{ label: "A", code: "SPRІNG10", change: { percent: -10 } }] })),
    "playrooms[0].packages[0].pricing.codes[0].code",
    /4 to 24 capital letters/
  ],
  [
    "with a code that hides a letter",
    withPackage(pricing({ codes: [{ label: "A", code: "SPRING\u200b10", change: { percent: -10 } }] })),
    "playrooms[0].packages[0].pricing.codes[0].code",
    /4 to 24 capital letters/
  ],
  [
    "with a code that anybody guesses",
    withPackage(pricing({ codes: [{ label: "A", code: "ABC", change: { percent: -10 } }] })),
    "playrooms[0].packages[0].pricing.codes[0].code",
    /4 to 24 capital letters/
  ],
  [
    "with a code that makes it dearer",
    withPackage(pricing({ codes: [{ label: "A", code: "SPRING10", change: { percent: 10 } }] })),
    "playrooms[0].packages[0].pricing.codes[0].change.percent",
    /-100/
  ],
  [
    "with a code that takes nothing off",
    withPackage(pricing({ codes: [{ label: "A", code: "SPRING10", change: { amount: 0 } }] })),
    "playrooms[0].packages[0].pricing.codes[0].change.amount",
    /-1/
  ],
  [
    "with a code for nobody",
    withPackage(pricing({ codes: [{ label: "A", code: "SPRING10", change: { amount: -1 }, max_uses: 0 }] })),
    "playrooms[0].packages[0].pricing.codes[0].max_uses",
    /1/
  ],
  [
    "with a code of four decimals",
    withPackage(pricing({ codes: [{ label: "A", code: "SPRING10", change: { percent: -8.8755 } }] })),
    "playrooms[0].packages[0].pricing.codes[0].change.percent",
    /at most three decimals/
  ],
  [
    "with a code on no days",
    withPackage(pricing({ codes: [{ label: "A", code: "SPRING10", weekdays: [], change: { percent: -10 } }] })),
    "playrooms[0].packages[0].pricing.codes[0].weekdays",
    /at least one weekday/
  ],
  [
    "D4: with an add-on's tax rate of four decimals",
    withRoom({ add_ons: [{ ...addOn, max_quantity: 1, tax: { rate_percent: 8.8755 } }] }),
    "playrooms[0].add_ons[0].tax.rate_percent",
    /at most three decimals, got 8.8755 %/
  ],
  [
    "D4: with changes of tax that are not in order",
    withPackage({
      tax: {
        rate_percent: 21,
        changes: [
          { from: "2027-01-01", rate_percent: 10 },
          { from: "2027-01-01", rate_percent: 12 }
        ]
      }
    }),
    "playrooms[0].packages[0].tax.changes[1].from",
    /a day after 2027-01-01/
  ],
  [
    "D4: with a rate of tax from a day that no calendar has",
    withRoom({ tax: { rate_percent: 20, included: true, changes: [{ from: "2027-02-30", rate_percent: 10 }] } }),
    "playrooms[0].tax.changes[0].from",
    /Expected a date/
  ],
  [
    "with a text as the amount of a rule",
    catalogueJson([
      playroomJson(1, {
        packages: [Object.assign(packageJson(1), pricing({ rules: [{ label: "Late", change: { amount: "5" } }] }))]
      })
    ]),
    "playrooms[0].packages[0].pricing.rules[0].change.amount",
    /Expected a (whole )?number/
  ],
  [
    "with a rule of two changes",
    withPackage(pricing({ rules: [{ label: "Late", change: { percent: 5, amount: 5 } }] })),
    "playrooms[0].packages[0].pricing.rules[0].change.amount",
    /does not go with the other fields here/
  ],
  [
    "with a rule that sets no price",
    withPackage(pricing({ rules: [{ label: "2027", date_from: "2027-01-01", change: { prices: {} } }] })),
    "playrooms[0].packages[0].pricing.rules[0].change.prices",
    /Expected base, extra_child or adult/
  ],
  [
    "with prices from a date that are too small to be charged",
    withPackage(
      pricing({ rules: [{ label: "2027", date_from: "2027-01-01", change: { prices: { extra_child: 10 } } }] })
    ),
    "playrooms[0].packages[0].pricing",
    /A visit could cost £0.10/
  ],
  [
    "with a price rule of four decimals",
    withPackage(pricing({ rules: [{ label: "Early", change: { percent: -12.3456 } }] })),
    "playrooms[0].packages[0].pricing.rules[0].change.percent",
    /at most three decimals/
  ],
  [
    "with a balance at the venue that is due before the visit",
    withPackage({
      payment: {
        kind: "deposit",
        deposit: { percent: 20 },
        balance_due_hours_before: 24,
        balance: "at_venue",
        refundable: true
      }
    }),
    "playrooms[0].packages[0].payment.balance_due_hours_before",
    /Expected 0 beside `balance: at_venue`/
  ],
  [
    "with a deposit of four decimals",
    withPackage({
      payment: { kind: "deposit", deposit: { percent: 33.3333 }, balance_due_hours_before: 24, refundable: true }
    }),
    "playrooms[0].packages[0].payment.deposit.percent",
    /at most three decimals/
  ],
  [
    "whose unpaid places would be released only after the visit has begun",
    withPackage({
      payment: {
        kind: "deposit",
        deposit: { percent: 30 },
        balance_due_hours_before: 24,
        refundable: true,
        release_unpaid_after_hours: 24
      }
    }),
    "playrooms[0].packages[0].payment.release_unpaid_after_hours",
    /fewer hours than balance_due_hours_before, 24/
  ],
  [
    "whose unpaid places would be released although the rest is paid at the venue",
    withPackage({
      payment: {
        kind: "deposit",
        deposit: { percent: 30 },
        balance_due_hours_before: 0,
        refundable: true,
        release_unpaid_after_hours: 0
      }
    }),
    "playrooms[0].packages[0].payment.release_unpaid_after_hours",
    /fewer hours than balance_due_hours_before, 0/
  ],
  [
    "with a refund of four decimals",
    withPackage({ cancellation: [{ hours_before: 24, refund_percent: 66.6667 }] }),
    "playrooms[0].packages[0].cancellation[0].refund_percent",
    /at most three decimals/
  ],
  [
    "with a fee of four decimals",
    catalogueJson([playroomJson(1)], [operatorJson(1, { application_fee_percent: 0.0001 })]),
    "operators[0].application_fee_percent",
    /at most three decimals/
  ],
  [
    "with a telephone number without a number",
    catalogueJson([playroomJson(1)], [operatorJson(1, { phone: "Ask at the desk (2nd floor)" })]),
    "operators[0].phone",
    /telephone number, like \+44/
  ],
  [
    "with a telephone number that is a paragraph",
    catalogueJson([playroomJson(1)], [operatorJson(1, { phone: `020 7946 0018${" or so".repeat(6)}` })]),
    "operators[0].phone",
    /at most 40 characters/
  ],
  [
    "with quiet hours on a day that is closed",
    withRoom({ ...quiet("sunday", "10:00", "11:00"), opening_hours: open(["monday", "09:00", "17:00"]) }),
    "playrooms[0].quiet_hours[0]",
    /10:00 to 11:00 is outside the opening hours of sunday/
  ],
  [
    "with quiet hours after closing",
    withRoom(quiet("monday", "16:00", "17:30")),
    "playrooms[0].quiet_hours[0]",
    /16:00 to 17:30 is outside the opening hours of monday/
  ],
  [
    "with quiet hours over a break",
    withRoom({
      ...quiet("monday", "12:00", "14:00"),
      opening_hours: open(["monday", "09:00", "12:30"], ["monday", "13:30", "17:00"])
    }),
    "playrooms[0].quiet_hours[0]",
    /outside the opening hours/
  ],
  [
    "with quiet hours that overlap",
    withRoom({
      ...quiet("monday", "10:00", "12:00"),
      quiet_hours: open(["monday", "10:00", "12:00"], ["monday", "11:00", "13:00"])
    }),
    "playrooms[0].quiet_hours[1]",
    /overlaps playrooms\[0\]\.quiet_hours\[0\]/
  ],
  [
    "with quiet hours that search would not find",
    withRoom({ ...quiet("monday", "10:00", "12:00"), accessibility_features: ["lift"] }),
    "playrooms[0].accessibility_features",
    /Expected quiet_hours among them/
  ],
  ["with ages upside down", withRoom({ age_min: 13 }), "playrooms[0].age_max", /age_min, 13/]
]

describe("a catalogue file", () => {
  it.effect.each(faults.map(([name, json, path, message]) => ({ name, json, path, message })))(
    "$name is refused, by path and reason",
    ({ json, path, message }) =>
      Effect.gen(function* () {
        const { issues } = yield* Effect.flip(parseCatalogue(json))
        const issue = issues.find((it) => it.path === path)
        assert.match(issue?.message ?? JSON.stringify(issues), message)
      })
  )

  const fits = (changes: Partial<PlayroomJson>, schedule: object, duration_minutes = 180) =>
    Effect.map(
      Effect.exit(
        parseCatalogue(
          withRoom({ ...changes, packages: [packageJson(1, { duration_minutes, schedule: { ...schedule } })] })
        )
      ),
      Exit.isSuccess
    )

  it.effect("has packages that go on past midnight, on the weekday of their start, and over what adjoins", () =>
    Effect.gen(function* () {
      const night = { opening_hours: open(["saturday", "18:00", "02:00"]) }
      assert.isTrue(yield* fits(night, { times: ["23:00"] }))
      assert.isFalse(yield* fits(night, { times: ["23:30"] }))
      assert.isTrue(yield* fits(night, { times: ["00:30"], weekdays: ["sunday"] }, 60))
      assert.isFalse(yield* fits(night, { times: ["00:30"], weekdays: ["saturday"] }, 60))
      assert.isTrue(yield* fits(night, { from: "22:00", until: "01:00" }))
      assert.isFalse(yield* fits(night, { from: "22:00", until: "00:30" }))
      assert.isFalse(yield* fits(night, { from: "22:00", until: "22:00" }))
      assert.isFalse(yield* fits(night, { from: "23:30" }))
      const adjoining = { opening_hours: open(["sunday", "22:00", "24:00"], ["monday", "00:00", "02:00"]) }
      assert.isTrue(yield* fits(adjoining, { times: ["22:00"] }))
      assert.isFalse(yield* fits({ opening_hours: open(["monday", "22:00", "24:00"]) }, {}))
      const override = { date: "2026-12-27", intervals: [{ opens: "22:00", closes: "24:00" }] }
      assert.isTrue(
        yield* fits({ opening_hours: open(["monday", "00:00", "02:00"]), overrides: [override] }, { times: ["23:00"] })
      )
      assert.isFalse(
        yield* fits({ opening_hours: open(["tuesday", "00:00", "02:00"]), overrides: [override] }, { times: ["23:00"] })
      )
    })
  )

  it.effect("may be quiet for all that it is open, past midnight and over hours that adjoin", () =>
    Effect.gen(function* () {
      const accepted = (changes: Partial<PlayroomJson>) => parseCatalogue(withRoom(changes))
      yield* accepted(quiet("monday", "09:00", "17:00"))
      const night = { opening_hours: open(["sunday", "18:00", "02:00"]) }
      yield* accepted({ ...quiet("sunday", "23:00", "01:00"), ...night })
      yield* accepted({ ...quiet("monday", "00:00", "02:00"), ...night })
      const adjoining = { opening_hours: open(["sunday", "12:00", "24:00"], ["monday", "00:00", "12:00"]) }
      yield* accepted({ ...quiet("sunday", "22:00", "03:00"), ...adjoining })
    })
  )

  it.effect("names all its faults at once", () =>
    Effect.gen(function* () {
      const { issues } = yield* Effect.flip(
        parseCatalogue(withRoom({ age_min: 13, packages: [packageJson(1, { max_children: 30 })] }))
      )
      assert.sameMembers(
        issues.map(({ path }) => path),
        ["playrooms[0].age_max", "playrooms[0].packages[0].max_children"]
      )
    })
  )

  it("says a closure's days the way they were written, across clock changes", () => {
    for (const zone of ["Europe/London", "America/New_York", "Asia/Tokyo", "Australia/Sydney"]) {
      for (const days of [
        { from: "2027-03-28", to: "2027-03-28" },
        { from: "2026-10-25", to: "2026-11-01" }
      ]) {
        const range = closureRange(zone, days)
        assert.deepStrictEqual(
          closureTexts(zone, range, (instant) => localDateOf(zone, instant)),
          days
        )
      }
    }
    const part = { start: Date.parse("2026-12-05T10:00:00Z"), end: Date.parse("2026-12-06T00:00:00Z") }
    assert.deepStrictEqual(
      closureTexts("Europe/London", part, (instant) => localDateOf("Europe/London", instant)),
      {
        from: "2026-12-05T10:00:00.000Z",
        to: "2026-12-06T00:00:00.000Z"
      }
    )
  })
})
