/**
 * The catalogue file: JSON, one object with `version` 1, `operators` and `playrooms`. Words and shapes are those of
 * `Operator.ts`, `Playroom.ts` and `Package.ts`. A playroom holds its packages, add-ons and closures. Amounts are minor
 * units. Dates and clock times are local to the playroom. Limits on lengths keep the largest `get_playroom` answer
 * small.
 */
import { Effect, Schema, SchemaTransformation } from "effect"
import { AddOnId, ClosureId, OperatorId, PackageId, PlayroomId } from "../kernel/Ids.ts"
import {
  addDays,
  ClockTime,
  ClosingTime,
  dayMinutes,
  LocalDate,
  startOfDay,
  Weekday,
  weekdays
} from "../kernel/LocalTime.ts"
import { dialled } from "../kernel/Telephone.ts"
import { TimeZone } from "../kernel/TimeZone.ts"
import { webAddress } from "../kernel/WebAddress.ts"
import { Operator } from "../catalogue/Operator.ts"
import { Line, Paragraphs } from "../catalogue/OperatorTexts.ts"
import { AddOn, AddOnRule, Package, PriceRule, Pricing, Schedule } from "../catalogue/Package.ts"
import { CancellationTier } from "../catalogue/RefundSchedule.ts"
import { AccessibilityFeature, DateOverride, finestGrid, OpeningHours, Playroom } from "../catalogue/Playroom.ts"

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
  slug: Schema.optionalKey(Slug),
  ...Operator.fields,
  operator_id: Schema.optionalKey(OperatorId),
  name: Line(80),
  support_email: Schema.optionalKey(
    Schema.String.check(
      Schema.isPattern(/^[^\s@<>]+@[^\s@<>.]+(\.[^\s@<>.]+)+$/u, {
        message: "Expected an e-mail address, like hello@example.com"
      }),
      Schema.isMaxLength(254)
    )
  ),
  phone: Schema.optionalKey(
    Line(40).check(
      Schema.makeFilter(
        (text: string) => dialled(text) !== undefined || "Expected a telephone number, like +44 20 7946 0000"
      )
    )
  ),
  legal_name: Schema.optionalKey(Line(120)),
  tax_number: Schema.optionalKey(Line(40)),
  connected_account_id: Schema.optionalKey(Line(100)),
  billing_customer_id: Schema.optionalKey(Line(100)),
  application_fee_percent: Operator.fields.application_fee_percent.pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(0))
  ),
  paid_through: Schema.optionalKey(InstantText),
  suspended_at: Schema.optionalKey(InstantText),
  /** What its playrooms share, by the names that their add-ons use. */
  stock: listOrNone(Schema.Struct({ slug: Slug, units: stockUnits }), 50, "kinds of stock")
}).check(isNamed("operator_id"))
export type FileOperator = typeof FileOperator.Type

const dayOrInstant =
  "Expected a date (2026-12-25, the whole day) or an instant with its offset (2026-12-25T18:00:00+00:00)"
const DayOrInstant = Schema.String.check(Schema.isPattern(/^\d{4}-\d{2}-\d{2}(T.+)?$/u, { message: dayOrInstant }))

/** Closed from one whole day to another (both included), or from one instant to another (the last excluded). */
export const FileClosure = Schema.Struct({
  slug: Schema.optionalKey(Slug),
  closure_id: Schema.optionalKey(ClosureId),
  from: DayOrInstant,
  to: DayOrInstant,
  reason: Line(80)
}).check(
  Schema.makeFilter(({ from, to }) => {
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
  slug: Schema.optionalKey(Slug),
  ...Package.fields,
  package_id: Schema.optionalKey(PackageId),
  name: Line(80),
  description: Paragraphs(220),
  setup_minutes: Package.fields.setup_minutes.pipe(Schema.withDecodingDefaultKey(Effect.succeed(0))),
  cleanup_minutes: Package.fields.cleanup_minutes.pipe(Schema.withDecodingDefaultKey(Effect.succeed(0))),
  // As many times as the finest grid has in a day.
  schedule: Schema.Struct({
    ...Schedule.fields,
    weekdays: Schema.optionalKey(list(Weekday, weekdays.length, "weekdays")),
    times: Schema.optionalKey(list(ClockTime, dayMinutes / finestGrid, "times"))
  }),
  pricing: Schema.Struct({
    ...Pricing.fields,
    rules: listOrNone(Schema.Struct({ ...PriceRule.fields, label: Line(60) }), 20, "rules")
  }),
  cancellation: list(CancellationTier, 5, "tiers")
}).check(isNamed("package_id"))
export type FilePackage = typeof FilePackage.Type

export const FileAddOn = Schema.Struct({
  slug: Schema.optionalKey(Slug),
  ...AddOn.fields,
  add_on_id: Schema.optionalKey(AddOnId),
  name: Line(80),
  rules: listOrNone(Schema.Struct({ ...AddOnRule.fields, label: Line(60) }), 20, "rules"),
  uses: Schema.optionalKey(Slug)
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
  slug: Schema.optionalKey(Slug),
  operator: Schema.optionalKey(Slug),
  ...Playroom.fields,
  playroom_id: Schema.optionalKey(PlayroomId),
  operator_id: Schema.optionalKey(OperatorId),
  name: Line(80),
  summary: Paragraphs(240),
  description: Paragraphs(1800),
  address: Line(160),
  city: Line(60),
  city_aliases: Schema.optionalKey(list(Line(60), 20, "names")),
  country: Schema.String.check(
    Schema.isPattern(/^[A-Z]{2}$/u, { message: "Expected an ISO 3166-1 alpha-2 country, like GB" })
  ),
  latitude: Degrees(90),
  longitude: Degrees(180),
  time_zone: TimeZone,
  capacity: Schema.Int.check(
    Schema.isBetween({ minimum: 1, maximum: 10_000 }, { message: "Expected a capacity from 1 to 10000" })
  ),
  age_min: Years,
  age_max: Years,
  amenities: listOrNone(Line(32), 20, "amenities"),
  photos: listOrNone(
    Schema.Struct({
      url: Schema.String.check(
        Schema.makeFilter(
          (text) => (webAddress(text)?.protocol === "https:" && !/[<>"']/.test(text)) || "Expected an https:// address"
        ),
        Schema.isMaxLength(200)
      ),
      alt: Line(120)
    }),
    8,
    "photos"
  ),
  house_rules: textOrNone(900),
  bring: Schema.optionalKey(Line(240)),
  accessibility: textOrNone(800),
  accessibility_features: Schema.optionalKey(list(AccessibilityFeature, 20, "features")),
  accessibility_lacks: Schema.optionalKey(list(AccessibilityFeature, 20, "features")),
  opening_hours: list(OpeningHours, 21, "opening hours"),
  quiet_hours: Schema.optionalKey(list(OpeningHours, 21, "quiet hours")),
  overrides: listOrNone(
    Schema.Struct({
      ...DateOverride.fields,
      intervals: list(Schema.Struct({ opens: ClockTime, closes: ClosingTime }), 3, "intervals")
    }).check(namesDates),
    400,
    "overrides"
  ),
  calendars: Schema.optionalKey(
    list(
      Schema.Struct({
        name: Line(60),
        url: Schema.String.check(
          Schema.makeFilter(
            (text) => webAddress(text)?.protocol === "https:" || "Expected the https:// address of an .ics file"
          ),
          Schema.isMaxLength(1000)
        )
      }),
      4,
      "calendars"
    )
  ),
  listed: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(true))),
  packages: list(FilePackage, 12, "packages"),
  add_ons: listOrNone(FileAddOn, 12, "add-ons"),
  closures: listOrNone(FileClosure, 200, "closures")
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
const Kept = Schema.Literals(["rules", "overrides", "photos"])
export type Keep = ReadonlyArray<typeof Kept.Type>

/** Of a file; a larger catalogue is several files. */
export const maxPlayrooms = 20_000

export const CatalogueJson = Schema.Struct({
  $schema: Schema.optionalKey(Schema.String),
  version: Schema.Literal(1),
  keep: Schema.optionalKey(list(Kept, Kept.literals.length, "names")),
  operators: Schema.Array(FileOperator),
  playrooms: Schema.Array(FilePlayroom)
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
