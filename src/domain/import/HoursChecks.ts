/** Checks the hours of a playroom of a catalogue file: of the week, quiet ones, and of other dates. Pure. */
import { type Interval, mergeSpans, shiftSpan, type Span, spanOf } from "../availability/OpeningTimes.ts"
import { daysBetween, weekdays } from "../../platform/time/LocalTime.ts"
import { type FilePlayroom, type Issue, maxOverrideDays } from "./CatalogueSchema.ts"

/** Intervals that overlap: on the same day, or on two days if the first runs past midnight into the second. */
const overlapIssues = (
  intervals: ReadonlyArray<readonly [path: string, interval: Interval, span: Span]>
): Array<Issue> => {
  const sorted = intervals.toSorted(([, , a], [, , b]) => a.first - b.first)
  return sorted.flatMap(([path, { opens, closes }, { first }], i) => {
    const [earlier, its, span] = sorted[i - 1] ?? []
    return earlier !== undefined && its !== undefined && span !== undefined && first < span.last
      ? [
          {
            path,
            message: `${opens} to ${closes} overlaps ${earlier}, ${its.opens} to ${its.closes}${its.closes <= its.opens ? " of the next day" : ""}`
          }
        ]
      : []
  })
}

type Hours = FilePlayroom["opening_hours"][number]

/** Hours of a week as clock minutes since Monday's midnight. */
const inWeek = (hours: Hours): Span => shiftSpan(spanOf(hours), weekdays.indexOf(hours.weekday))

/** The intervals of a week in order, and of the first day of the next week, into which the last one may run. */
const weekIssues = (path: string, hours: ReadonlyArray<Hours>): Array<Issue> => {
  const week = hours.map((its, i) => [`${path}[${i}]`, its, inWeek(its)] as const)
  const again = week.map(([at, its, span]) => [at, its, shiftSpan(span, weekdays.length)] as const)
  const issues = overlapIssues([...week, ...again.filter(([, { weekday }]) => weekday === weekdays[0])])
  return issues.filter(
    ({ path: at, message }, i) => issues.findIndex((it) => it.path === at && it.message === message) === i
  )
}

/** Ranges of overrides that end before they begin, are too long, or overlap; and too many dates in all. */
const rangeIssues = (path: string, overrides: FilePlayroom["overrides"]): Array<Issue> => {
  const { all, range } = maxOverrideDays
  const ranges = overrides
    .flatMap(({ from, to }, i) => (from === undefined || to === undefined ? [] : [{ at: `${path}[${i}]`, from, to }]))
    .sort((a, b) => (a.from < b.from ? -1 : 1))
  const lengths = ranges.map(({ from, to }) => daysBetween(from, to) + 1)
  const issues = ranges.flatMap(({ at, from, to }, i): ReadonlyArray<Issue> => {
    const [before, days = 0] = [ranges[i - 1], lengths[i]]
    if (days < 1) return [{ path: `${at}.to`, message: `Expected a date from ${from} on` }]
    if (days > range) return [{ path: `${at}.to`, message: `Expected at most ${range} days, got ${days}` }]
    if (before === undefined || before.to < from) return []
    return [{ path: `${at}.from`, message: `${from} to ${to} overlaps ${before.at}, ${before.from} to ${before.to}` }]
  })
  const days = overrides.length - ranges.length + lengths.reduce((sum, n) => sum + n, 0)
  return issues.length > 0 || days <= all
    ? issues
    : [{ path, message: `Expected at most ${all.toLocaleString("en-GB")} days in all, got ${days}` }]
}

/** The opening hours of the week, and those of other dates. */
export const hoursIssues = (path: string, { opening_hours, overrides }: FilePlayroom): Array<Issue> => [
  ...weekIssues(`${path}.opening_hours`, opening_hours),
  ...overrides.flatMap(({ intervals }, i) =>
    overlapIssues(
      intervals.map((interval, j) => [`${path}.overrides[${i}].intervals[${j}]`, interval, spanOf(interval)] as const)
    )
  ),
  ...rangeIssues(`${path}.overrides`, overrides)
]

/** Quiet hours lie within the opening hours of the common week, and search knows that there are some. */
export const quietIssues = (path: string, playroom: FilePlayroom): Array<Issue> => {
  const { accessibility_features = [], opening_hours, quiet_hours = [] } = playroom
  if (quiet_hours.length === 0) return []
  const open = mergeSpans(
    [-1, 0, 1].flatMap((weeks) => opening_hours.map((its) => shiftSpan(inWeek(its), weeks * weekdays.length)))
  )
  const outside = quiet_hours.flatMap((its, i): ReadonlyArray<Issue> => {
    const quiet = inWeek(its)
    return open.some(({ first, last }) => first <= quiet.first && quiet.last <= last)
      ? []
      : [
          {
            path: `${path}.quiet_hours[${i}]`,
            message: `${its.opens} to ${its.closes} is outside the opening hours of ${its.weekday}`
          }
        ]
  })
  return [
    ...weekIssues(`${path}.quiet_hours`, quiet_hours),
    ...outside,
    ...(accessibility_features.includes("quiet_hours")
      ? []
      : [
          {
            path: `${path}.accessibility_features`,
            message: "Expected quiet_hours among them, since their times are given"
          }
        ])
  ]
}
