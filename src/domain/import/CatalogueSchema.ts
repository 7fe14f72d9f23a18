/**
 * The catalogue file: JSON, one object with `version` 1, `operators` and `playrooms`. Words and shapes are those of
 * `Operator.ts`, `Playroom.ts` and `Package.ts`. A playroom holds its packages, add-ons and closures. Amounts are minor
 * units. Dates and clock times are local to the playroom. Limits on lengths keep the largest `get_playroom` answer
 * small.
 */

import { Effect, Schema, SchemaTransformation, Result, Struct } from "effect"
import { EmailAddress } from "../../platform/text/Contact.ts"
import { AddOnId, ClosureId, OperatorId, PackageId, PlayroomId } from "../../platform/ids/Ids.ts"
import { isBelowMinimumCharge, isOnStep, minimumCharge } from "../../platform/money/Charge.ts"
import { display } from "../../platform/money/Money.ts"
import { isPublicHost } from "../../platform/access/ClientAddress.ts"
import { dialled, itemsIn, webAddress } from "../../platform/text/Text.ts"
import {
  addDays,
  ClockTime,
  ClosingTime,
  dayMinutes,
  LocalDate,
  startOfDay,
  Weekday,
  weekdays,
  isClockTime,
  TimeZone
} from "../../platform/time/LocalTime.ts"
import { Operator, Line, Paragraphs, VoucherOffer } from "../catalogue/Operator.ts"
import { AddOn, AddOnRule, ChildRule, Package, PriceCode, PriceRule, Pricing, Schedule } from "../catalogue/Package.ts"
import { AccessibilityFeature, DateOverride, finestGrid, OpeningHours, Playroom } from "../catalogue/Playroom.ts"
import { Question } from "../catalogue/Questions.ts"
import { CancellationTier } from "../catalogue/RefundSchedule.ts"

// Hours of a week as one readable text: `mon-fri 09:00-18:00; sat 10:00-14:00, 15:00-20:00`. Other days are closed.

type OpeningHours = Playroom["opening_hours"]

const short = (weekday: Weekday): string => weekday.slice(0, 3)

/** Consecutive days as `mon-fri`, others separated by spaces. */
const daysText = (days: ReadonlyArray<number>): string => {
  const runs: Array<[first: number, last: number]> = []
  for (const day of days) {
    const run = runs.at(-1)
    if (run !== undefined && run[1] === day - 1) run[1] = day
    else runs.push([day, day])
  }
  const name = (day: number): string => short(weekdays[day] ?? "monday")
  return runs.map(([first, last]) => (first === last ? name(first) : `${name(first)}-${name(last)}`)).join(" ")
}

export const openingHoursText = (hours: OpeningHours): string => {
  const ofDay = weekdays.map((weekday) =>
    hours
      .filter((interval) => interval.weekday === weekday)
      .map(({ opens, closes }) => `${opens}-${closes}`)
      .sort()
      .join(", ")
  )
  return [...new Set(ofDay)]
    .filter((times) => times !== "")
    .map((times) => `${daysText(ofDay.flatMap((its, day) => (its === times ? [day] : [])))} ${times}`)
    .join("; ")
}

const example = 'like "mon-fri 09:00-18:00; sat 10:00-16:00"'
const isClosing = Schema.is(ClosingTime)

/** Programs write ranges with a dash: 09:00–18:00 (Intl's formatRange, ICU 78.3). */
const hyphened = (text: string): string => text.normalize("NFKC").replaceAll(/\s*[\u2010-\u2015\u2212]\s*/g, "-")

const dayAt = (name: string): number =>
  weekdays.findIndex((weekday) => name.length >= 3 && weekday.startsWith(name.toLowerCase()))

/** The weekdays in a text like `mon-fri`, `fri-mon` or `sat`; undefined if it is invalid. */
const daysIn = (text: string): ReadonlyArray<Weekday> | undefined => {
  const [first = "", last = first, more] = text.split("-")
  const [from, to] = [dayAt(first), dayAt(last)]
  if (from < 0 || to < 0 || more !== undefined) return undefined
  const length = ((to - from + weekdays.length) % weekdays.length) + 1
  return Array.from({ length }, (_, i) => weekdays[(from + i) % weekdays.length] ?? "monday")
}

/**
 * The inverse. The failure says what is expected. Weekdays may be written out. Commas separate intervals of one day.
 */
export const openingHoursFrom = (text: string): Result.Result<OpeningHours, string> => {
  const hours: Array<OpeningHours[number]> = []
  for (const part of itemsIn(hyphened(text), ";")) {
    const [, names = "", times = ""] = /^([a-z\s,-]*[a-z])\s+(\d.*)$/i.exec(part) ?? []
    const days = names.split(/[\s,]+/).map(daysIn)
    if (names === "" || days.includes(undefined))
      return Result.fail(`Expected weekdays and times, ${example}, and not "${part}"`)
    for (const interval of times.split(",").map((it) => it.trim())) {
      const [opens = "", closes = "", more] = interval.split("-").map((it) => it.trim())
      if (!isClockTime(opens) || !isClosing(closes) || more !== undefined)
        return Result.fail(`Expected times ${example}, and not "${interval}"`)
      for (const weekday of days.flatMap((it) => it ?? [])) hours.push({ weekday, opens, closes })
    }
  }
  return Result.succeed(
    hours.sort((a, b) => weekdays.indexOf(a.weekday) - weekdays.indexOf(b.weekday) || (a.opens < b.opens ? -1 : 1))
  )
}

/** Weekdays like `mon-fri; sun`, in the week's order. */
export const weekdaysFrom = (text: string): Result.Result<ReadonlyArray<Weekday>, string> => {
  const days = itemsIn(hyphened(text), /[\s,;]+/).map(daysIn)
  return days.includes(undefined)
    ? Result.fail(`Expected weekdays like "mon-fri" or "sat; sun", and not "${text}"`)
    : Result.succeed(weekdays.filter((weekday) => days.some((its) => its?.includes(weekday))))
}

const instantPattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/u

/** An instant in the file, RFC 3339 with an offset; milliseconds in code. Written as UTC. */
export const InstantText = Schema.String.check(
  Schema.isPattern(instantPattern, { message: "Expected an instant with its offset, like 2026-12-05T14:00:00+00:00" }),
  Schema.makeFilter((text: string) => !Number.isNaN(Date.parse(text)) || "Expected an instant that the calendar has")
).pipe(
  Schema.decodeTo(
    Schema.Int,
    SchemaTransformation.transform({
      decode: (text: string) => Date.parse(text),
      encode: (instant: number) => new Date(instant).toISOString()
    })
  )
)

const list = <S extends Schema.Top>(item: S, max: number, what: string) =>
  Schema.Array(item).check(Schema.isMaxLength(max, { message: `Expected at most ${max} ${what}` }))

/** A list that may be left out. */
const listOrNone = <S extends Schema.Top>(item: S, max: number, what: string) =>
  list(item, max, what).pipe(Schema.withDecodingDefaultKey(Effect.succeed([])))

const textOrNone = (max: number) => Paragraphs(max).pipe(Schema.withDecodingDefaultKey(Effect.succeed("")))

/** The owner's name for a thing in the file, instead of its id. Unique within its parent. */
const Slug = Schema.String.check(
  Schema.isPattern(/^[a-z0-9]+(-[a-z0-9]+)*$/u, {
    message: "Expected lower-case letters, digits and single hyphens between them, like soft-play"
  }),
  Schema.isMaxLength(60, { message: "Expected at most 60 characters" })
)

/** Rejects a part of the file that has no name at all. */
const isNamed = <Name extends string>(id: Name) =>
  Schema.makeFilter(
    (part: { readonly [K in Name | "slug"]?: string | undefined }) =>
      part[id] !== undefined ||
      part.slug !== undefined ||
      `Expected a "slug", a short name of your choice like soft-play`,
    { toJsonSchema: () => ({ anyOf: [{ required: ["slug"] }, { required: [id] }] }) }
  )

const stockUnits = AddOn.fields.stock.schema

/**
 * `paid_through` and `suspended_at` are read only for operators that are new to the database. Later only payments and
 * commands change them.
 */
export const FileOperator = Schema.Struct({
  slug: Schema.optionalKey(Slug).annotateKey({
    meaning:
      "Your short name for it, in small letters, digits and hyphens: the same slug is the same operator at the next import."
  }),
  ...Struct.omit(Operator.fields, ["account_closed"]),
  operator_id: Schema.optionalKey(OperatorId).annotateKey({
    meaning: "The id from the import. Leave it out, or keep it beside the slug to rename that."
  }),
  name: Line(80).annotateKey({ meaning: "Shown to families as the one they book with and pay. Up to 80 characters." }),
  support_email: Schema.optionalKey(EmailAddress).annotateKey({
    meaning: "Where families write to; shown with the playroom and with a booking."
  }),
  phone: Schema.optionalKey(
    Line(40).check(
      Schema.makeFilter(
        (text: string) => dialled(text) !== undefined || "Expected a telephone number, like +44 20 7946 0000"
      )
    )
  ).annotateKey({
    meaning:
      "Where families call, as you write it on your door: +44 20 7946 0000. Up to 40 characters. Left out: nobody is told to call."
  }),
  legal_name: Schema.optionalKey(Line(120)).annotateKey({
    meaning: "Who sells by law, like Hill Play Ltd: beside the name on receipts. Up to 120 characters."
  }),
  tax_number: Schema.optionalKey(Line(40)).annotateKey({
    meaning: "Its tax or VAT number, on receipts. Up to 40 characters."
  }),
  vouchers: Schema.optionalKey(
    VoucherOffer.check(
      Schema.makeFilter((offer: typeof VoucherOffer.Type) => {
        const { currency, max_amount, min_amount } = offer
        const wrong = (["min_amount", "max_amount"] as const).find(
          (name) => isBelowMinimumCharge(offer[name], currency) || !isOnStep(offer[name], currency)
        )
        if (wrong !== undefined)
          return {
            path: [wrong],
            issue: `Expected an amount that can be paid online in ${currency}, from ${display(minimumCharge(currency), currency)} on`
          }
        return min_amount <= max_amount
          ? undefined
          : { path: ["max_amount"], issue: `Expected ${min_amount} or more, the smallest amount` }
      })
    )
  ).annotateKey({
    meaning: "Gift vouchers that anybody buys online, on a page of their own. Left out: only the desk sells them."
  }),
  connected_account_id: Schema.optionalKey(Line(100)).annotateKey({
    meaning:
      "Its account at the payment provider, where its customers' money goes. Leave it out: `playroom operator onboard` makes one. Without an account nothing is on sale."
  }),
  billing_customer_id: Schema.optionalKey(Line(100)).annotateKey({
    meaning: "The customer at the payment provider who pays you for the platform. Left out: not billed."
  }),
  application_fee_percent: Operator.fields.application_fee_percent
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(0)))
    .annotateKey({ meaning: "Your share of each payment, in percent with up to three decimals. Left out: 0." }),
  paid_through: Schema.optionalKey(InstantText).annotateKey({
    meaning:
      "Until when it has paid for the platform (an instant). Read for a new operator only; then invoices move it."
  }),
  suspended_at: Schema.optionalKey(InstantText).annotateKey({
    meaning:
      "Since when it is off sale (an instant). Read for a new operator only; then `playroom operator suspend` and `resume` do it."
  }),
  /** What its playrooms share, by the names that their add-ons use. */
  stock: listOrNone(
    Schema.Struct({
      slug: Slug.annotateKey({ meaning: "Your short name for it, by which add-ons use it." }),
      units: stockUnits.annotateKey({ meaning: "How many there are." })
    }),
    50,
    "kinds of stock"
  ).annotateKey({
    meaning:
      "What its playrooms share: two bubble machines, one face painter. What one playroom has sold of it for a time, no other sells. Left out: nothing."
  })
}).check(isNamed("operator_id"))
export type FileOperator = typeof FileOperator.Type

const dayOrInstant =
  "Expected a date (2026-12-25, the whole day) or an instant with its offset (2026-12-25T18:00:00+00:00)"
const DayOrInstant = Schema.String.check(Schema.isPattern(/^\d{4}-\d{2}-\d{2}(T.+)?$/u, { message: dayOrInstant }))

/**
 * Closed from one whole day to another (both included), or from one instant to another (the last excluded): the
 * playroom, or what there is of an add-on.
 */
export const FileClosure = Schema.Struct({
  slug: Schema.optionalKey(Slug).annotateKey({
    meaning: "Your short name for it within the playroom: with one, its days may be changed."
  }),
  closure_id: Schema.optionalKey(ClosureId).annotateKey({
    meaning: "The id that the import gave it. Leave it out: a closure is known by its slug, or by its days."
  }),
  from: DayOrInstant.annotateKey({
    meaning: "The first day (2026-12-24), or an instant with its offset (2026-12-24T18:00:00+00:00)."
  }),
  to: DayOrInstant.annotateKey({ meaning: "The last day, included; or an instant." }),
  add_on: Schema.optionalKey(
    Schema.String.check(
      Schema.isPattern(/^[a-z0-9]+([-_][a-z0-9]+)*$/u, { message: "Expected the slug of an add-on, or its id" }),
      Schema.isMaxLength(60, { message: "Expected at most 60 characters" })
    )
  ).annotateKey({
    meaning:
      "Only this add-on of the playroom is out of order then, by its slug or id: nobody can book it. If it uses stock of the operator, it is out of order in all playrooms. Left out: the playroom is closed."
  }),
  units: Schema.optionalKey(stockUnits).annotateKey({
    meaning: "With `add_on`: how many of it are out of order. Left out: all."
  }),
  reason: Line(80).annotateKey({ meaning: "Shown to families. Up to 80 characters." })
}).check(
  Schema.makeFilter(({ add_on, from, to, units }) => {
    if (units !== undefined && add_on === undefined)
      return { path: ["units"], issue: 'Expected an "add_on" beside it, of which so many are out of order' }
    const day = Schema.is(LocalDate)
    const instant = (text: string) => instantPattern.test(text) && !Number.isNaN(Date.parse(text))
    const is = day(from) ? day : instant(from) ? instant : undefined
    if (is === undefined) return { path: ["from"], issue: dayOrInstant }
    if (!is(to)) return { path: ["to"], issue: `${dayOrInstant}, of the same kind as "from"` }
    if (is === day ? from > to : Date.parse(from) >= Date.parse(to))
      return { path: ["to"], issue: `Expected an end after ${from}` }
    return undefined
  })
)
export type FileClosure = typeof FileClosure.Type

const isDay = (text: string): boolean => text.length === 10

/** A closure of the file as instants (milliseconds), the end excluded. */
export const closureRange = (zone: string, { from, to }: Pick<FileClosure, "from" | "to">) =>
  isDay(from)
    ? { start: startOfDay(zone, from), end: startOfDay(zone, addDays(to, 1)) }
    : { start: Date.parse(from), end: Date.parse(to) }

/** The add-on that a closure names, by its slug or id. */
export const addOnOf = <A extends { readonly slug?: string | undefined; readonly add_on_id?: string | undefined }>(
  addOns: ReadonlyArray<A>,
  { add_on }: Pick<FileClosure, "add_on">
): A | undefined =>
  add_on === undefined ? undefined : addOns.find(({ add_on_id, slug }) => slug === add_on || add_on_id === add_on)

/** The inverse: whole days if the range is whole days in the zone, otherwise instants in UTC. */
export const closureTexts = (
  zone: string,
  { start, end }: { readonly start: number; readonly end: number },
  dateOf: (instant: number) => LocalDate
): Pick<FileClosure, "from" | "to"> => {
  const from = dateOf(start)
  const to = dateOf(end - 1)
  const whole = closureRange(zone, { from, to })
  return whole.start === start && whole.end === end
    ? { from, to }
    : { from: new Date(start).toISOString(), to: new Date(end).toISOString() }
}

export const FilePackage = Schema.Struct({
  slug: Schema.optionalKey(Slug).annotateKey({
    meaning:
      "Your short name for it within the playroom. A package that leaves the file goes off sale; under the same slug it comes back."
  }),
  ...Package.fields,
  package_id: Schema.optionalKey(PackageId).annotateKey({
    meaning: "The id from the import. Leave it out, or keep it beside the slug to rename that."
  }),
  name: Line(80).annotateKey({ meaning: "Shown to families. Up to 80 characters." }),
  description: Paragraphs(220).annotateKey({ meaning: "Shown to families. Up to 220 characters." }),
  setup_minutes: Package.fields.setup_minutes
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(0)))
    .annotateKey({ meaning: "Time before each visit in which the room is taken too. Left out: 0." }),
  cleanup_minutes: Package.fields.cleanup_minutes
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(0)))
    .annotateKey({ meaning: "Time after each visit in which the room is taken too. Left out: 0." }),
  // As many times as the finest grid has in a day.
  schedule: Schema.Struct({
    ...Schedule.fields,
    weekdays: Schema.optionalKey(list(Weekday, weekdays.length, "weekdays")).annotateKey({
      meaning: "Only on these days. Left out: every day."
    }),
    times: Schema.optionalKey(list(ClockTime, dayMinutes / finestGrid, "times")).annotateKey({
      meaning: "At these clock times only. Left out: every `grid_minutes` from opening on."
    })
  }).annotateKey({
    meaning: "When visits start, within the opening hours. `{}`: whenever the playroom is open, on its grid."
  }),
  pricing: Schema.Struct({
    ...Pricing.fields,
    child_rules: Schema.optionalKey(
      list(
        Schema.Struct({
          ...ChildRule.fields,
          label: Line(60).annotateKey({ meaning: "Shown on the line of these children. Up to 60 characters." })
        }),
        20,
        "child_rules"
      )
    ).annotateKey({
      meaning:
        "What some children cost less: by age, or from the second one on (siblings). They apply one after the other, after the `prices` of `rules`, and never make a child dearer: `extra_child` is for the dearest. Families are asked for ages where they matter. Left out: every child costs the same."
    }),
    codes: Schema.optionalKey(
      list(
        Schema.Struct({
          ...PriceCode.fields,
          label: Line(60).annotateKey({
            meaning: "Shown with the code on its own line of the price. Up to 60 characters."
          })
        }),
        20,
        "codes"
      )
    ).annotateKey({
      meaning:
        "Codes that you give away, and what a family that has one pays less. Nothing else shows them: who guesses one has it, so write what nobody guesses. A booking keeps its code as it was sold. Left out: none."
    }),
    rules: listOrNone(
      Schema.Struct({
        ...PriceRule.fields,
        label: Line(60).annotateKey({
          meaning: "Shown on its own line of the price; with `prices`, a name for yourself. Up to 60 characters."
        })
      }),
      20,
      "rules"
    ).annotateKey({
      meaning: "Changes to the price at some times, or always, applied one after the other. Left out: none."
    })
  }).annotateKey({
    meaning:
      "What a visit costs. All amounts are minor units of the playroom's currency: 1250 is £12.50, in yen 1250 is ¥1250."
  }),
  cancellation: list(CancellationTier, 5, "tiers").annotateKey({
    meaning: "What comes back when a family cancels, in words that they are shown before they book. `[]`: nothing."
  }),
  questions: Schema.optionalKey(
    list(
      Schema.Struct({
        ...Question.fields,
        slug: Slug.annotateKey({
          meaning: "Your short name for it within the package: with another one it is another question."
        }),
        text: Line(160).annotateKey({
          meaning: "What you ask, in the language of your families: Does anybody have an allergy? Up to 160 characters."
        }),
        options: Schema.optionalKey(
          list(Line(60), 20, "options").check(
            Schema.isMinLength(2, { message: "Expected at least two options, or none for an answer in free words" })
          )
        ).annotateKey({
          meaning:
            "The answers to choose from, 2 to 20; your day counts them. Left out: families answer in their own words."
        })
      }),
      10,
      "questions"
    )
  ).annotateKey({
    meaning:
      "What you ask each family before it comes, on the page of its booking, up to 10 questions. Their letters say so, and your day has the answers. Left out: nothing."
  })
}).check(isNamed("package_id"))
export type FilePackage = typeof FilePackage.Type

export const FileAddOn = Schema.Struct({
  slug: Schema.optionalKey(Slug).annotateKey({ meaning: "Your short name for it within the playroom." }),
  ...AddOn.fields,
  add_on_id: Schema.optionalKey(AddOnId).annotateKey({
    meaning: "The id from the import. Leave it out, or keep it beside the slug to rename that."
  }),
  name: Line(80).annotateKey({ meaning: "Shown to families. Up to 80 characters." }),
  rules: listOrNone(
    Schema.Struct({
      ...AddOnRule.fields,
      label: Line(60).annotateKey({ meaning: "A name for yourself. Up to 60 characters." })
    }),
    20,
    "rules"
  ).annotateKey({
    meaning:
      "Other prices at some times, as a package has them: prices from a date on. Of several rules that hold, the last in the list counts. Left out: none."
  }),
  uses: Schema.optionalKey(Slug).annotateKey({
    meaning:
      "Instead of `stock`: which of its operator's `stock` it takes from, together with other add-ons and playrooms."
  })
}).check(isNamed("add_on_id"))
export type FileAddOn = typeof FileAddOn.Type

const Years = Schema.Int.check(
  Schema.isBetween({ minimum: 0, maximum: 120 }, { message: "Expected an age in years from 0 to 120" })
)

const Degrees = (limit: number) =>
  Schema.Finite.check(
    Schema.isBetween({ minimum: -limit, maximum: limit }, { message: `Expected degrees from -${limit} to ${limit}` })
  )

const namesDates = Schema.makeFilter(
  ({ date, from, to }: Omit<typeof DateOverride.Type, "intervals">) =>
    date === undefined
      ? (from !== undefined && to !== undefined) || 'Expected a "date", or "from" and "to"'
      : (from === undefined && to === undefined) || 'Expected either "date", or "from" and "to", not both',
  { toJsonSchema: () => ({ oneOf: [{ required: ["date"] }, { required: ["from", "to"] }] }) }
)

export const FilePlayroom = Schema.Struct({
  slug: Schema.optionalKey(Slug).annotateKey({
    meaning: "Your short name for it within its operator, in small letters, digits and hyphens."
  }),
  operator: Schema.optionalKey(Slug).annotateKey({
    meaning: "Whose it is, by the operator's slug: one of this file, or one that was imported before."
  }),
  ...Playroom.fields,
  playroom_id: Schema.optionalKey(PlayroomId).annotateKey({
    meaning: "The id from the import. Leave it out, or keep it beside the slug to rename that."
  }),
  operator_id: Schema.optionalKey(OperatorId).annotateKey({ meaning: "Whose it is, by id; or use `operator`." }),
  name: Line(80).annotateKey({ meaning: "Shown to families. Up to 80 characters." }),
  summary: Paragraphs(240).annotateKey({ meaning: "One sentence for lists. Up to 240 characters." }),
  description: Paragraphs(1800).annotateKey({
    meaning: "Shown to those who look closer. Up to 1,800 characters, in paragraphs."
  }),
  address: Line(160).annotateKey({
    meaning: "Street and number, postcode: as a taxi driver needs it. Up to 160 characters."
  }),
  city: Line(60).annotateKey({ meaning: "For search. Up to 60 characters." }),
  city_aliases: Schema.optionalKey(list(Line(60), 20, "names")).annotateKey({
    meaning: "The city's names in other languages, for search. Left out: none."
  }),
  country: Schema.String.check(
    Schema.isPattern(/^[A-Z]{2}$/u, { message: "Expected an ISO 3166-1 alpha-2 country, like GB" })
  ).annotateKey({ meaning: "Two capital letters (ISO 3166-1): GB, DE, US." }),
  latitude: Degrees(90).annotateKey({ meaning: "Degrees, north positive; for distances and the map." }),
  longitude: Degrees(180).annotateKey({ meaning: "Degrees, east positive." }),
  time_zone: TimeZone.annotateKey({
    meaning:
      "An IANA zone like Europe/London, no abbreviation like GMT or EST. All dates and clock times of the playroom are its own."
  }),
  capacity: Schema.Int.check(
    Schema.isBetween({ minimum: 1, maximum: 10_000 }, { message: "Expected a capacity from 1 to 10000" })
  ).annotateKey({ meaning: "How many children fit in at the same time, over all packages." }),
  age_min: Years.annotateKey({ meaning: "The youngest whom it is for, in years." }),
  age_max: Years.annotateKey({ meaning: "The oldest whom it is for, in years." }),
  amenities: listOrNone(Line(32), 20, "amenities").annotateKey({
    meaning: 'What it has, as families look for it ("soft play", "parking"). Left out: none.'
  }),
  photos: listOrNone(
    Schema.Struct({
      url: Schema.String.check(
        Schema.makeFilter(
          (text) => (webAddress(text)?.protocol === "https:" && !/[<>"']/.test(text)) || "Expected an https:// address"
        ),
        Schema.isMaxLength(200)
      ).annotateKey({ meaning: "An https:// address that anyone can open." }),
      alt: Line(120).annotateKey({ meaning: "What it shows, for those who can't see it. Up to 120 characters." })
    }),
    8,
    "photos"
  ).annotateKey({ meaning: "Pictures; the first one stands in lists and on the family's page. Left out: none." }),
  house_rules: textOrNone(900).annotateKey({
    meaning: "Shown before booking and on the family's page. Up to 900 characters. Left out: none."
  }),
  bring: Schema.optionalKey(Line(240)).annotateKey({
    meaning:
      "What each family must bring or sign: socks, a waiver. Told before booking and with each booking. Up to 240 characters. Left out: nothing."
  }),
  accessibility: textOrNone(800).annotateKey({
    meaning: "For people with disabilities, in your words. Up to 800 characters. Left out: nothing is said."
  }),
  accessibility_features: Schema.optionalKey(list(AccessibilityFeature, 20, "features")).annotateKey({
    meaning: "What it has, by the words of a fixed list that search knows."
  }),
  accessibility_lacks: Schema.optionalKey(list(AccessibilityFeature, 20, "features")).annotateKey({
    meaning: "What it is known to lack, by the same words; what is in neither list is not known."
  }),
  opening_hours: list(OpeningHours, 21, "opening hours").annotateKey({
    meaning: "The common week. A weekday may have several; one without any is closed."
  }),
  quiet_hours: Schema.optionalKey(list(OpeningHours, 21, "quiet hours")).annotateKey({
    meaning:
      "When it is kept quiet each week, within the opening hours; `accessibility_features` then names `quiet_hours`. Left out: no times are told."
  }),
  overrides: listOrNone(
    Schema.Struct({
      ...DateOverride.fields,
      intervals: list(
        Schema.Struct({
          opens: ClockTime.annotateKey({ meaning: "HH:MM." }),
          closes: ClosingTime.annotateKey({ meaning: "HH:MM up to 24:00. At or before `opens`: on the next day." })
        }),
        3,
        "intervals"
      ).annotateKey({ meaning: "The hours of that day, or of each of these days; `[]`: closed." })
    }).check(namesDates),
    400,
    "overrides"
  ).annotateKey({
    meaning:
      "Dates with other hours than their weekday's: single ones, and ranges. A single date goes before a range that it lies in; ranges may not overlap. At most 1,100 days in all. Left out: none."
  }),
  calendars: Schema.optionalKey(
    list(
      Schema.Struct({
        name: Line(60).annotateKey({
          meaning: "For your own people: where it is, like Phone bookings. Up to 60 characters."
        }),
        url: Schema.String.check(
          Schema.makeFilter((text) => {
            const url = webAddress(text)
            return (
              (url?.protocol === "https:" && isPublicHost(url.hostname)) ||
              "Expected the https:// address of an .ics file on the public internet"
            )
          }),
          Schema.isMaxLength(1000)
        ).annotateKey({
          meaning:
            "Its https:// address as an .ics file, often called a secret or private address: nobody else is shown it."
        }),
        ignore: Schema.optionalKey(list(Line(100), 10, "titles")).annotateKey({
          meaning:
            "Titles of entries that don't count, up to 10: each the whole title, in small letters or capitals, like Airbnb (Not available). Left out: all count."
        })
      }),
      4,
      "calendars"
    )
  ).annotateKey({
    meaning:
      "Other calendars in which the playroom is booked, up to 4: what is busy there is not sold here, within minutes. Left out: none."
  }),
  listed: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(true))).annotateKey({
    meaning: "`false` hides the playroom and takes it off sale; its bookings stay. Left out: `true`."
  }),
  packages: list(FilePackage, 12, "packages").annotateKey({ meaning: "What is sold; at least one." }),
  add_ons: listOrNone(FileAddOn, 12, "add-ons").annotateKey({
    meaning: "Extras that go with any package. Left out: none."
  }),
  closures: listOrNone(FileClosure, 200, "closures").annotateKey({
    meaning:
      "Days or hours in which nothing is sold, or an add-on is out of order. Left out: none. An import names bookings that are in the way, and changes nothing then."
  })
}).check(
  isNamed("playroom_id"),
  Schema.makeFilter(
    ({ operator, operator_id }) =>
      operator !== undefined || operator_id !== undefined || `Expected an "operator", by the slug that it has`,
    { toJsonSchema: () => ({ anyOf: [{ required: ["operator"] }, { required: ["operator_id"] }] }) }
  )
)
export type FilePlayroom = typeof FilePlayroom.Type

/** The most days of a range of overrides, and of all overrides of a playroom together. */
export const maxOverrideDays = { range: 366, all: 1100 }

/** Lists whose stored items a file may keep if it has none of its own. */
const Kept = Schema.Literals(["rules", "questions", "overrides", "photos"])
export type Keep = ReadonlyArray<typeof Kept.Type>

/** Of a file; a larger catalogue is several files. */
export const maxPlayrooms = 20_000

export const CatalogueJson = Schema.Struct({
  $schema: Schema.optionalKey(Schema.String).annotateKey({
    meaning: "Where an editor finds this schema; the import does not look at it."
  }),
  version: Schema.Literal(1).annotateKey({ meaning: "The format: 1." }),
  keep: Schema.optionalKey(list(Kept, Kept.literals.length, "names")).annotateKey({
    meaning:
      "Which lists stay as they are stored where the file has no items of them: `rules` of packages and add-ons with `codes`, `questions` of packages, `overrides` and `photos` of playrooms. Left out: none, the file says all. `catalogue from-csv` writes it, since spreadsheets have no columns for them."
  }),
  operators: Schema.Array(FileOperator).annotateKey({
    meaning: "The businesses that rent playrooms out. Those that the file does not name stay as they are."
  }),
  playrooms: Schema.Array(FilePlayroom).annotateKey({
    meaning: "The playrooms. Those that the file does not name stay as they are."
  })
})
/** A catalogue decoded from its file: texts cleaned, instants in milliseconds. */
export type CatalogueJson = typeof CatalogueJson.Type

export const Issue = Schema.Struct({
  path: Schema.String,
  message: Schema.String,
  /** Its position in the file's text, if known. `shown` is the line, empty if it is too long to show. */
  place: Schema.optionalKey(Schema.Struct({ line: Schema.Int, column: Schema.Int, shown: Schema.String }))
})
export type Issue = typeof Issue.Type

// The first faults often cause the others.
const maxShownIssues = 50

/** A fault as a line for people. Below the last fault of a line of the file, that line follows. */
const issueText = ({ message, path, place }: Issue, i: number, all: ReadonlyArray<Issue>): string => {
  if (place === undefined) return `- ${path}: ${message}`
  const shown = place.shown === "" || all[i + 1]?.place?.line === place.line ? "" : `\n    ${place.shown}`
  return `- line ${place.line}, column ${place.column}, ${path}: ${message}${shown}`
}

/** The file cannot be imported; nothing was changed. Each issue has its path, like `playrooms[0].packages[1].name`. */
export class CatalogueInvalid extends Schema.TaggedError<CatalogueInvalid>()("CatalogueInvalid", {
  issues: Schema.Array(Issue)
}) {
  override get message(): string {
    const more = this.issues.length - maxShownIssues
    return [
      "The catalogue file is not valid; nothing was changed.",
      ...this.issues.slice(0, maxShownIssues).map(issueText),
      ...(more > 0 ? [`… and ${more} more.`] : [])
    ].join("\n")
  }
}

/** `["playrooms", 0, "name"]` as `playrooms[0].name`. */
export const pathOf = (path: ReadonlyArray<PropertyKey>): string =>
  path.reduce<string>(
    (text, key) => (typeof key === "number" ? `${text}[${key}]` : text === "" ? String(key) : `${text}.${String(key)}`),
    ""
  ) || "file"
