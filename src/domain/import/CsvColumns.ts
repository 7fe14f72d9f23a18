/** The columns of the CSV files for a catalogue. Their names are those of the catalogue file's fields. */
import { Result, Struct } from "effect"
import { parseAmount, decimalText } from "../../platform/money/Money.ts"
import { openingHoursFrom, weekdaysFrom } from "./OpeningHoursText.ts"
import { itemsIn } from "../../platform/text/Text.ts"

/** Reads a cell. The failure says what is expected. The currency is that of the row's playroom. */
type ReadCell = (text: string, currency: string) => Result.Result<unknown, string>

interface Column {
  readonly read: ReadCell
  readonly required: boolean
  readonly example: string
}

const text: ReadCell = Result.succeed

const number: ReadCell = (cell) =>
  /^-?\d+(\.\d+)?$/.test(cell)
    ? Result.succeed(Number(cell))
    : Result.fail(`Expected a number${cell.includes(",") ? " with a point, like 51.5," : ""} and not "${cell}"`)

const yesOrNo: ReadCell = (cell) => {
  const word = cell.toLowerCase()
  if (["yes", "true", "1"].includes(word)) return Result.succeed(true)
  if (["no", "false", "0"].includes(word)) return Result.succeed(false)
  return Result.fail(`Expected yes or no, and not "${cell}"`)
}

const list: ReadCell = (cell) => Result.succeed(itemsIn(cell, ";"))

/** A list whose items have parts. */
const partsBy =
  (item: RegExp, partsOf: (found: RegExpExecArray) => object, expected: string): ReadCell =>
  (cell) => {
    const found = itemsIn(cell, ";").map((one) => item.exec(one))
    return found.every((one) => one !== null)
      ? Result.succeed(found.map(partsOf))
      : Result.fail(`Expected ${expected}, and not "${cell}"`)
  }

const money: ReadCell = (cell, currency) => {
  const amount = parseAmount(cell, currency)
  if (amount !== undefined) return Result.succeed(amount)
  return Result.fail(
    `Expected an amount of ${currency} like ${decimalText(1234, currency)}, with a point and no other sign, and not "${cell}"`
  )
}

const tiers = partsBy(
  /^(\d+) ?h:? (\d+(?:\.\d+)?) ?%$/,
  ([, hours, percent]) => ({ hours_before: Number(hours), refund_percent: Number(percent) }),
  'what comes back by when it is cancelled, like "72h 100%; 24h 50%"'
)

const stock = partsBy(
  /^(\d+) ?x? (\S+)$/,
  ([, units, slug]) => ({ slug, units: Number(units) }),
  'how many there are of what, like "2 bubble-machines; 20 highchairs"'
)

const column = (read: ReadCell, example = "", required = false): Column => ({ read, required, example })
const required = (read: ReadCell, example: string): Column => column(read, example, true)

/** The files, each with its columns in the order of its template. */
const csvColumns = {
  operators: {
    slug: required(text, "sunny-side"),
    operator_id: column(text),
    name: required(text, "Sunny Side Play"),
    support_email: column(text, "hello@sunnyside.example"),
    phone: column(text, "+44 20 7946 0018"),
    legal_name: column(text, "Sunny Side Play Ltd"),
    tax_number: column(text, "GB 123 4567 89"),
    connected_account_id: column(text),
    billing_customer_id: column(text),
    application_fee_percent: column(number, "5"),
    stock: column(stock, "2 bubble-machines; 20 highchairs")
  },
  playrooms: {
    slug: required(text, "clapham"),
    playroom_id: column(text),
    operator: required(text, "sunny-side"),
    name: required(text, "Sunny Side Clapham"),
    summary: column(text, "Soft play on three floors."),
    description: column(text, "A play frame with slides, a ball pool and a quiet corner for babies."),
    address: required(text, "12 Clapham Common South Side, London SW4 7AA"),
    city: required(text, "London"),
    city_aliases: column(list, "Londres; Londra"),
    country: required(text, "GB"),
    latitude: required(number, "51.4607"),
    longitude: required(number, "-0.1386"),
    time_zone: required(text, "Europe/London"),
    currency: required(text, "GBP"),
    capacity: required(number, "25"),
    age_min: required(number, "0"),
    age_max: required(number, "11"),
    amenities: column(list, "soft play; ball pool; cafe"),
    opening_hours: required(openingHoursFrom, "mon-fri 09:00-18:00; sat 10:00-16:00"),
    quiet_hours: column(openingHoursFrom, "sat 10:00-11:00"),
    house_rules: column(text, "Socks on the play frames, please."),
    bring: column(text, "Socks for everyone on the play frames."),
    accessibility: column(text, "Step-free entrance."),
    accessibility_features: column(list, "step_free_access; accessible_toilet; quiet_hours"),
    accessibility_lacks: column(list),
    "photos[0].url": column(text),
    "photos[0].alt": column(text),
    grid_minutes: required(number, "30"),
    lead_time_minutes: required(number, "120"),
    max_advance_days: required(number, "180"),
    "tax.rate_percent": required(number, "20"),
    "tax.included": required(yesOrNo, "yes"),
    listed: column(yesOrNo)
  },
  packages: {
    playroom: required(text, "clapham"),
    slug: required(text, "party"),
    package_id: column(text),
    name: required(text, "Party"),
    description: column(text, "Two hours with the whole place to yourselves."),
    mode: required(text, "exclusive"),
    duration_minutes: required(number, "120"),
    setup_minutes: column(number, "15"),
    cleanup_minutes: column(number, "15"),
    min_children: required(number, "4"),
    max_children: required(number, "25"),
    max_adults: column(number, "40"),
    "schedule.weekdays": column(weekdaysFrom, "sat-sun"),
    "schedule.times": column(list, "10:00; 13:00"),
    "schedule.from": column(text),
    "schedule.until": column(text),
    "pricing.base": column(money, "220.00"),
    "pricing.included_children": column(number, "10"),
    "pricing.extra_child": column(money, "18.50"),
    "pricing.adult": column(money, "0"),
    "pricing.included_adults": column(number),
    "pricing.min_billed_children": column(number),
    "payment.deposit.amount": column(money, "50.00"),
    "payment.deposit.percent": column(number),
    "payment.balance_due_hours_before": column(number, "0"),
    "payment.refundable": column(yesOrNo, "no"),
    "payment.release_unpaid_after_hours": column(number),
    "payment.balance": column(text),
    cancellation: column(tiers, "336h 100%; 72h 50%"),
    final_headcount_hours_before: column(number, "48"),
    free_reschedule_hours_before: column(number, "336")
  },
  "add-ons": {
    playroom: required(text, "clapham"),
    slug: required(text, "cake"),
    add_on_id: column(text),
    name: required(text, "Birthday cake"),
    unit: required(text, "per_item"),
    unit_amount: required(money, "35.00"),
    max_quantity: required(number, "3"),
    stock: column(number),
    uses: column(text)
  },
  closures: {
    playroom: required(text, "clapham"),
    slug: column(text),
    closure_id: column(text),
    from: required(text, "2026-12-25"),
    to: required(text, "2026-12-26"),
    reason: required(text, "Christmas")
  }
} satisfies Readonly<Record<string, Readonly<Record<string, Column>>>>

export type CsvKind = keyof typeof csvColumns

export const csvKinds: ReadonlyArray<CsvKind> = Struct.keys(csvColumns)

/** The columns of a file by their names. */
export const columnsOf = (kind: CsvKind): ReadonlyMap<string, Column> => new Map(Object.entries(csvColumns[kind]))

const quoted = (cell: string): string => (/[",;\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)

/** A file to begin with: the header and one row. The rows of all five fit together. */
export const csvTemplate = (kind: CsvKind): string => {
  const columns = [...columnsOf(kind)]
  return `${columns.map(([name]) => name).join(",")}\n${columns.map(([, { example }]) => quoted(example)).join(",")}\n`
}
