/** What a catalogue file must hold beyond the shape of its parts. Pure: every fault found is named, by its path. */
import { minutesOf, weekdays } from "../kernel/LocalTime.ts"
import { display, isCountedExactly, maxMinorUnits } from "../kernel/Money.ts"
import type { CatalogueJson, FilePlayroom, Issue } from "./CatalogueSchema.ts"
import { closureRange } from "./ClosureTimes.ts"
import { mostPrice } from "./FromPrice.ts"
import type { PriceRule, Schedule } from "./Package.ts"

type FilePackage = FilePlayroom["packages"][number]

const repeated = (
  what: string,
  items: ReadonlyArray<readonly [path: string, id: string | undefined]>
): Array<Issue> => {
  const first = new Map<string, string>()
  return items.flatMap(([path, id]) => {
    if (id === undefined) return []
    const earlier = first.get(id)
    if (earlier !== undefined) return [{ path, message: `${what} ${id} is already at ${earlier}` }]
    first.set(id, path)
    return []
  })
}

interface Interval {
  readonly opens: string
  readonly closes: string
}

const intervalIssues = (path: string, intervals: ReadonlyArray<readonly [string, Interval]>): Array<Issue> => {
  const issues = intervals
    .filter(([, { opens, closes }]) => opens >= closes)
    .map(([at, { opens, closes }]) => ({
      path: at,
      message: `Expected to close after it opens, got ${opens} to ${closes}`
    }))
  const sorted = intervals.map(([, interval]) => interval).sort((a, b) => (a.opens < b.opens ? -1 : 1))
  const overlap = sorted.find((interval, i) => interval.opens < (sorted[i - 1]?.closes ?? ""))
  if (overlap !== undefined) issues.push({ path, message: `Opening hours overlap at ${overlap.opens}` })
  return issues
}

const hoursIssues = (path: string, { opening_hours, overrides }: FilePlayroom): Array<Issue> => [
  ...weekdays.flatMap((weekday) =>
    intervalIssues(
      `${path}.opening_hours`,
      opening_hours.flatMap((hours, i) =>
        hours.weekday === weekday ? [[`${path}.opening_hours[${i}]`, hours] as const] : []
      )
    )
  ),
  ...overrides.flatMap(({ intervals }, i) =>
    intervalIssues(
      `${path}.overrides[${i}]`,
      intervals.map((interval, j) => [`${path}.overrides[${i}].intervals[${j}]`, interval] as const)
    )
  ),
  ...repeated(
    "Date",
    overrides.map(({ date }, i) => [`${path}.overrides[${i}].date`, date] as const)
  )
]

const fromUntilIssues = (path: string, { from, until }: Pick<Schedule | PriceRule, "from" | "until">): Array<Issue> =>
  from !== undefined && until !== undefined && from >= until
    ? [{ path: `${path}.until`, message: `Expected a time after ${from}` }]
    : []

/** The intervals in which a visit of the package may lie: opening hours of its weekdays, and every override. */
const hoursFor = (playroom: FilePlayroom, { schedule }: FilePackage): ReadonlyArray<Interval> => [
  ...playroom.opening_hours.filter(({ weekday }) => schedule.weekdays?.includes(weekday) ?? true),
  ...playroom.overrides.flatMap(({ intervals }) => intervals)
]

const scheduleIssues = (path: string, playroom: FilePlayroom, pkg: FilePackage): Array<Issue> => {
  const { schedule, duration_minutes } = pkg
  const at = `${path}.schedule`
  const issues = fromUntilIssues(at, schedule)
  if (schedule.weekdays?.length === 0) issues.push({ path: `${at}.weekdays`, message: "Expected at least one weekday" })
  if (schedule.times?.length === 0) issues.push({ path: `${at}.times`, message: "Expected at least one time" })
  if (schedule.times !== undefined && (schedule.from !== undefined || schedule.until !== undefined))
    issues.push({ path: at, message: 'Expected either "times" or "from" and "until", not both' })
  issues.push(
    ...repeated(
      "Time",
      (schedule.times ?? []).map((time, i) => [`${at}.times[${i}]`, time] as const)
    )
  )
  const hours = hoursFor(playroom, pkg)
  const fits = (start: number) =>
    hours.some(({ opens, closes }) => minutesOf(opens) <= start && start + duration_minutes <= minutesOf(closes))
  for (const [i, time] of (schedule.times ?? []).entries()) {
    if (!fits(minutesOf(time)))
      issues.push({
        path: `${at}.times[${i}]`,
        message: `A visit of ${duration_minutes} minutes from ${time} is outside the opening hours of its days`
      })
  }
  if (schedule.times === undefined) {
    const [from, until] = [minutesOf(schedule.from ?? "00:00"), minutesOf(schedule.until ?? "24:00")]
    const room = hours.some(
      ({ opens, closes }) => Math.min(until, minutesOf(closes)) - Math.max(from, minutesOf(opens)) >= duration_minutes
    )
    if (!room)
      issues.push({ path: at, message: `No opening hours of its days have room for ${duration_minutes} minutes` })
  }
  return issues
}

const ruleIssues = (path: string, rule: PriceRule): Array<Issue> => {
  const issues = fromUntilIssues(path, rule)
  if (rule.weekdays?.length === 0) issues.push({ path: `${path}.weekdays`, message: "Expected at least one weekday" })
  if (rule.date_from !== undefined && rule.date_to !== undefined && rule.date_from > rule.date_to)
    issues.push({ path: `${path}.date_to`, message: `Expected a date from ${rule.date_from} on` })
  return issues
}

/** Prices count with three decimals of a percentage: what has more would be rounded without anybody being told. */
const percentIssues = (percentages: ReadonlyArray<readonly [path: string, percent: number]>): Array<Issue> =>
  percentages.flatMap(([path, percent]) =>
    isCountedExactly(percent) ? [] : [{ path, message: `Expected at most three decimals, got ${percent} %` }]
  )

const percentagesOf = (path: string, { cancellation, payment, pricing }: FilePackage) => [
  ...pricing.rules.flatMap(({ change }, i) =>
    "percent" in change ? [[`${path}.pricing.rules[${i}].change.percent`, change.percent] as const] : []
  ),
  ...(payment.kind === "deposit" && "percent" in payment.deposit
    ? [[`${path}.payment.deposit.percent`, payment.deposit.percent] as const]
    : []),
  ...cancellation.map(({ refund_percent }, i) => [`${path}.cancellation[${i}].refund_percent`, refund_percent] as const)
]

const packageIssues = (path: string, playroom: FilePlayroom, pkg: FilePackage): Array<Issue> => {
  const issues = [
    ...scheduleIssues(path, playroom, pkg),
    ...percentIssues(percentagesOf(path, pkg)),
    ...pkg.pricing.rules.flatMap((rule, i) => ruleIssues(`${path}.pricing.rules[${i}]`, rule)),
    ...repeated(
      "Tier",
      pkg.cancellation.map(({ hours_before }, i) => [`${path}.cancellation[${i}]`, `${hours_before} hours`] as const)
    )
  ]
  const { min_children, max_children } = pkg
  if (min_children > max_children)
    issues.push({ path: `${path}.max_children`, message: `Expected at least min_children, ${min_children}` })
  if (max_children > playroom.capacity)
    issues.push({
      path: `${path}.max_children`,
      message: `Expected at most the playroom's capacity, ${playroom.capacity}`
    })
  const tiers = [...pkg.cancellation].sort((a, b) => b.hours_before - a.hours_before)
  if (tiers.some((tier, i) => tier.refund_percent > (tiers[i - 1]?.refund_percent ?? 100)))
    issues.push({
      path: `${path}.cancellation`,
      message: "Expected no tier to refund more than an earlier cancellation does"
    })
  const most = mostPrice(pkg, playroom.tax, pkg.max_adults ?? 0)
  if (most > maxMinorUnits)
    issues.push({
      path: `${path}.pricing`,
      message: `A largest party could cost ${display(most, playroom.currency)}, more than can be charged`
    })
  return issues
}

const closureIssues = (path: string, { closures, time_zone }: FilePlayroom): Array<Issue> => {
  const ranges = closures
    .map((closure, i) => ({ ...closureRange(time_zone, closure), i }))
    .sort((a, b) => a.start - b.start || a.i - b.i)
  return ranges.flatMap(({ start, i }, n) => {
    const before = ranges[n - 1]
    return before !== undefined && start < before.end
      ? [{ path: `${path}.closures[${i}]`, message: `Overlaps closures[${before.i}]` }]
      : []
  })
}

const playroomIssues = (path: string, playroom: FilePlayroom): Array<Issue> => {
  const issues = [
    ...hoursIssues(path, playroom),
    ...closureIssues(path, playroom),
    ...percentIssues([[`${path}.tax.rate_percent`, playroom.tax.rate_percent]]),
    ...playroom.packages.flatMap((pkg, i) => packageIssues(`${path}.packages[${i}]`, playroom, pkg)),
    ...repeated(
      "Amenity",
      playroom.amenities.map((it, i) => [`${path}.amenities[${i}]`, it.toLowerCase()] as const)
    )
  ]
  if (playroom.age_min > playroom.age_max)
    issues.push({ path: `${path}.age_max`, message: `Expected at least age_min, ${playroom.age_min}` })
  if (playroom.packages.length === 0)
    issues.push({ path: `${path}.packages`, message: "Expected at least one package" })
  for (const [i, { stock, max_quantity }] of playroom.add_ons.entries()) {
    if (stock !== undefined && max_quantity > stock)
      issues.push({ path: `${path}.add_ons[${i}].max_quantity`, message: `Expected at most the stock, ${stock}` })
  }
  return issues
}

/** Everything that is wrong within the file. What depends on the database is checked in the import's transaction. */
export const catalogueIssues = ({ operators, playrooms }: CatalogueJson): ReadonlyArray<Issue> => {
  const within = <A>(items: (playroom: FilePlayroom) => ReadonlyArray<A>, name: string, idOf: (item: A) => string) =>
    playrooms.flatMap((playroom, i) =>
      items(playroom).map((item, j) => [`playrooms[${i}].${name}[${j}]`, idOf(item)] as const)
    )
  return [
    ...repeated(
      "Operator",
      operators.map((it, i) => [`operators[${i}]`, it.operator_id] as const)
    ),
    ...repeated(
      "Account",
      operators.map((it, i) => [`operators[${i}].connected_account_id`, it.connected_account_id] as const)
    ),
    ...repeated(
      "Customer",
      operators.map((it, i) => [`operators[${i}].billing_customer_id`, it.billing_customer_id] as const)
    ),
    ...repeated(
      "Playroom",
      playrooms.map((it, i) => [`playrooms[${i}]`, it.playroom_id] as const)
    ),
    ...repeated(
      "Package",
      within(
        (it) => it.packages,
        "packages",
        (it) => it.package_id
      )
    ),
    ...repeated(
      "Add-on",
      within(
        (it) => it.add_ons,
        "add_ons",
        (it) => it.add_on_id
      )
    ),
    ...repeated(
      "Closure",
      within(
        (it) => it.closures,
        "closures",
        (it) => it.closure_id
      )
    ),
    ...percentIssues(
      operators.map((it, i) => [`operators[${i}].application_fee_percent`, it.application_fee_percent] as const)
    ),
    ...playrooms.flatMap((playroom, i) => playroomIssues(`playrooms[${i}]`, playroom))
  ]
}
