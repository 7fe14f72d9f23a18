/** Checks a playroom of a catalogue file beyond the shape of its parts. Pure. Reports every fault with its path. */

import { isBelowMinimumCharge, isOnStep, maximumCharge, minimumCharge, stepText } from "../../platform/money/Charge.ts"
import { isExactPercent, display } from "../../platform/money/Money.ts"
import { endOfTender, insteadText, isOver } from "../../platform/money/Tender.ts"
import {
  addDays,
  datesFrom,
  dayMinutes,
  minutesOf,
  type Weekday,
  weekdayOf,
  weekdays,
  daysBetween
} from "../../platform/time/LocalTime.ts"
import {
  firstOnGrid,
  mergeSpans,
  openingOn,
  shiftSpan,
  type Span,
  spanOf,
  stretchesIn,
  type Interval
} from "../availability/Starts.ts"
import { codeCheck } from "../availability/OptionId.ts"
import { type ChildRule, isBalanceAtVenue, type RuleTimes } from "../catalogue/Package.ts"
import { overriddenDates } from "../catalogue/Playroom.ts"
import { maxPrice, possiblePrices, sizesUnderSameRules } from "../catalogue/PriceTimes.ts"
import { depositAmount, type PricedPackage, type PricedPlayroom } from "../catalogue/Pricing.ts"
import { refundsMoreLater } from "../catalogue/RefundSchedule.ts"
import type { TaxRates } from "../catalogue/Tax.ts"
import {
  addOnOf,
  closureRange,
  type FilePackage,
  type FilePlayroom,
  type Issue,
  maxOverrideDays
} from "./CatalogueSchema.ts"

// Checks the hours of a playroom of a catalogue file: of the week, quiet ones, and of other dates. Pure.

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
const hoursIssues = (path: string, { opening_hours, overrides }: FilePlayroom): Array<Issue> => [
  ...weekIssues(`${path}.opening_hours`, opening_hours),
  ...overrides.flatMap(({ intervals }, i) =>
    overlapIssues(
      intervals.map((interval, j) => [`${path}.overrides[${i}].intervals[${j}]`, interval, spanOf(interval)] as const)
    )
  ),
  ...rangeIssues(`${path}.overrides`, overrides)
]

/** Quiet hours lie within the opening hours of the common week, and search knows that there are some. */
const quietIssues = (path: string, playroom: FilePlayroom): Array<Issue> => {
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

// Checks that every amount of a catalogue file can be charged in its currency (`platform/money/Charge.ts`). Pure.

type PaidPackage = PricedPackage & Pick<FilePackage, "payment">

/** The ways to charge a total. No amount of these three falls as the total rises. */
const partsOf = (pkg: PaidPackage, currency: string) => [
  { at: "pricing", what: "A visit could cost", of: (total: number) => total },
  {
    at: "payment",
    what: "When booking there could be due",
    of: (total: number) => depositAmount(pkg, total, currency)
  },
  {
    at: "payment",
    what: "There could be left a balance of",
    of: (total: number) => total - depositAmount(pkg, total, currency)
  }
]

/** The smallest positive amount charged to parties of `from` to `to` children, one of `sizesUnderSameRules`. */
const leastCharge = (amount: (children: number) => number, from: number, to: number): number => {
  let low = from
  let high = to
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (amount(middle) > 0) high = middle
    else low = middle + 1
  }
  return amount(low)
}

/**
 * Amounts below the provider's minimum, as far as they are known before a booking: for parties without adults and
 * add-ons, with the rules that always apply, alone and with each other rule. Other combinations are folded or waived
 * (`quote`).
 */
export const chargeIssues = (path: string, playroom: PricedPlayroom, pkg: PaidPackage): Array<Issue> => {
  const { currency } = playroom
  const { max_children, min_children } = pkg
  if (min_children > max_children) return []
  const prices = possiblePrices(playroom, pkg)
  const sizes = sizesUnderSameRules(pkg)
  const found = partsOf(pkg, currency).flatMap(({ at, of, what }): ReadonlyArray<Issue> => {
    const small = prices
      .flatMap((price) => sizes.map(({ from, to }) => leastCharge((children) => of(price(children)), from, to)))
      .find((amount) => isBelowMinimumCharge(amount, currency))
    if (small === undefined) return []
    const least = display(minimumCharge(currency), currency)
    return [
      {
        path: `${path}.${at}`,
        message: `${what} ${display(small, currency)}, and the payment provider charges no less than ${least}`
      }
    ]
  })
  // Report one fault once: a price that is too small makes its parts too small.
  return found.slice(0, 1)
}

/** Amounts off the charge step of their currency. Prices made of them could not be charged as they are told. */
const stepIssues = (currency: string, amounts: ReadonlyArray<readonly [path: string, amount: number]>): Array<Issue> =>
  amounts.flatMap(([path, amount]) =>
    isOnStep(amount, currency)
      ? []
      : [
          {
            path,
            message: `${display(amount, currency)} can't be charged: the payment provider takes ${currency} in steps of ${stepText(currency)}`
          }
        ]
  )

/** Prices above the largest charge. It is 0 in a currency that the provider does not take. */
const largestChargeIssues = (
  path: string,
  playroom: PricedPlayroom,
  pkg: PricedPackage & Pick<FilePackage, "max_adults">
): Array<Issue> => {
  const { currency } = playroom
  const largest = { children: pkg.max_children, adults: pkg.max_adults ?? 0, add_ons: [] }
  const most = maxPrice({ playroom, add_ons: [] }, pkg, largest)
  const limit = maximumCharge(currency)
  if (most <= limit) return []
  const message =
    limit === 0
      ? `The payment provider takes no payments in ${currency}`
      : `A largest party could cost ${display(most, currency)}, more than can be charged`
  return [{ path: `${path}.pricing`, message }]
}

/**
 * A currency that is over on `today`, a date; what stays to be told of its amounts is that they are another's by now.
 */
const endedIssues = (path: string, currency: string, today: string): Array<Issue> => {
  const end = endOfTender(currency)
  if (end === undefined || !isOver(end, today)) return []
  const message = `${currency} was tender until ${end.until}. Write ${insteadText(end)}, and all amounts of this playroom in it`
  return [{ path: `${path}.currency`, message }]
}

/** Names that are in the file more than once. `path` leads to a part, `id` is its name. */
export const duplicateIssues = (
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

/** The days that starts of day 0 depend on: the day before, the day itself, and the two days after it. */
type Days = (day: number) => ReadonlyArray<Span>

/** The package's days in an ordinary week and around an override. */
const daysOf = (playroom: FilePlayroom, { schedule }: FilePackage): ReadonlyArray<Days> => {
  const sold = (weekday: Weekday) => schedule.weekdays?.includes(weekday) ?? true
  const usual = weekdays.flatMap((weekday, at): ReadonlyArray<Days> => {
    const days: Days = (day) => {
      const then = weekdays[(at + day + weekdays.length) % weekdays.length]
      return playroom.opening_hours.filter((hours) => hours.weekday === then).map(spanOf)
    }
    return sold(weekday) ? [days] : []
  })
  const others = new Set(
    playroom.overrides.flatMap((override) => {
      const days = overriddenDates(override)
      return days === undefined ? [] : datesFrom(days[0], addDays(days[1], 1))
    })
  )
  return [
    ...usual,
    ...[...others]
      .filter((date) => sold(weekdayOf(date)))
      .map(
        (date): Days =>
          (day) =>
            openingOn(playroom, addDays(date, day))
      )
  ]
}

/**
 * Whether any of the clock minutes (the first on the grid if `times` is absent) starts a visit that fits into a day.
 */
const fitsOn = (
  days: Days,
  { grid_minutes }: FilePlayroom,
  pkg: FilePackage,
  times?: ReadonlyArray<number>
): boolean => {
  const spans = [-1, 0, 1, 2].map((day) => days(day).map((span) => shiftSpan(span, day)))
  const runs = mergeSpans(spans.flat())
  return spans
    .slice(0, 2)
    .flat()
    .some((span) =>
      stretchesIn(span, pkg.schedule).some((stretch) => {
        const last = Math.min(stretch.last, dayMinutes)
        const end = runs.find((run) => span.last <= run.last)?.last ?? span.last
        return (times ?? [firstOnGrid(stretch, grid_minutes, 0)]).some(
          (start) =>
            stretch.first <= start &&
            start < last &&
            start + pkg.duration_minutes <= Math.min(end, stretch.until ?? end)
        )
      })
    )
}

const scheduleIssues = (path: string, playroom: FilePlayroom, pkg: FilePackage): Array<Issue> => {
  const { schedule, duration_minutes } = pkg
  const at = `${path}.schedule`
  const issues: Array<Issue> = []
  if (schedule.from !== undefined && schedule.from === schedule.until)
    issues.push({ path: `${at}.until`, message: `Expected another time than "from", ${schedule.from}` })
  if (schedule.weekdays?.length === 0) issues.push({ path: `${at}.weekdays`, message: "Expected at least one weekday" })
  if (schedule.times?.length === 0) issues.push({ path: `${at}.times`, message: "Expected at least one time" })
  if (schedule.times !== undefined && (schedule.from !== undefined || schedule.until !== undefined))
    issues.push({ path: at, message: 'Expected either "times" or "from" and "until", not both' })
  issues.push(
    ...duplicateIssues(
      "Time",
      (schedule.times ?? []).map((time, i) => [`${at}.times[${i}]`, time] as const)
    )
  )
  const days = daysOf(playroom, pkg)
  for (const [i, time] of (schedule.times ?? []).entries()) {
    if (!days.some((day) => fitsOn(day, playroom, pkg, [minutesOf(time)])))
      issues.push({
        path: `${at}.times[${i}]`,
        message: `A visit of ${duration_minutes} minutes from ${time} is outside the opening hours of its days`
      })
  }
  if (schedule.times === undefined && !days.some((day) => fitsOn(day, playroom, pkg)))
    issues.push({ path: at, message: `No opening hours of its days have room for ${duration_minutes} minutes` })
  return issues
}

const ruleIssues = (path: string, rule: RuleTimes): Array<Issue> => {
  const issues: Array<Issue> = []
  if (rule.from !== undefined && rule.until !== undefined && rule.from >= rule.until)
    issues.push({
      path: `${path}.until`,
      message: `Expected a time after ${rule.from}; a rule goes by the start's own date, past midnight takes a second one`
    })
  if (rule.weekdays?.length === 0) issues.push({ path: `${path}.weekdays`, message: "Expected at least one weekday" })
  if (rule.date_from !== undefined && rule.date_to !== undefined && rule.date_from > rule.date_to)
    issues.push({ path: `${path}.date_to`, message: `Expected a date from ${rule.date_from} on` })
  return issues
}

/** A rule for children that holds for all of them, or for none. */
const childRuleIssues = (path: string, { age_from, age_to, child_from }: ChildRule): Array<Issue> => [
  ...(age_from === undefined && age_to === undefined && child_from === undefined
    ? [{ path, message: "Expected age_from, age_to or child_from: for all children there is `extra_child`" }]
    : []),
  ...(age_from !== undefined && age_to !== undefined && age_from > age_to
    ? [{ path: `${path}.age_to`, message: `Expected at least age_from, ${age_from}` }]
    : [])
]

/** Amounts are computed with three decimals of a percentage. More decimals would be rounded silently. */
export const percentIssues = (percentages: ReadonlyArray<readonly [path: string, percent: number]>): Array<Issue> =>
  percentages.flatMap(([path, percent]) =>
    isExactPercent(percent) ? [] : [{ path, message: `Expected at most three decimals, got ${percent} %` }]
  )

/** Rates with too many decimals, and changes of tax that are not in order of their days. */
const taxIssues = (path: string, tax: TaxRates | undefined): Array<Issue> => {
  const changes = tax?.changes ?? []
  return [
    ...percentIssues([
      ...(tax === undefined ? [] : [[`${path}.rate_percent`, tax.rate_percent] as const]),
      ...changes.map(({ rate_percent }, i) => [`${path}.changes[${i}].rate_percent`, rate_percent] as const)
    ]),
    ...changes.flatMap(({ from }, i) => {
      const before = changes[i - 1]
      return before === undefined || before.from < from
        ? []
        : [
            {
              path: `${path}.changes[${i}].from`,
              message: `Expected a day after ${before.from}, that of the change before`
            }
          ]
    })
  ]
}

/** Codes of a package that are there twice, or that no option could tell apart (`OptionId.ts`). */
const codeIssues = (path: string, { pricing: { codes = [] } }: FilePackage): Array<Issue> => {
  const at = (i: number) => `${path}.pricing.codes[${i}]`
  const twice = duplicateIssues(
    "Code",
    codes.map(({ code }, i) => [`${at(i)}.code`, code] as const)
  )
  const alike = codes.flatMap(({ code }, i) => {
    const other = codes.slice(0, i).find((one) => one.code !== code && codeCheck(one.code) === codeCheck(code))
    return other === undefined
      ? []
      : [{ path: `${at(i)}.code`, message: `Expected another code: no option's id could tell it from ${other.code}` }]
  })
  return [...twice, ...alike, ...codes.flatMap((rule, i) => ruleIssues(at(i), rule))]
}

const percentagesOf = (path: string, { cancellation, payment, pricing }: FilePackage) => [
  ...(pricing.codes ?? []).flatMap(({ change }, i) =>
    "percent" in change ? [[`${path}.pricing.codes[${i}].change.percent`, change.percent] as const] : []
  ),
  ...pricing.rules.flatMap(({ change }, i) =>
    "percent" in change ? [[`${path}.pricing.rules[${i}].change.percent`, change.percent] as const] : []
  ),
  ...(pricing.child_rules ?? []).flatMap(({ change }, i) =>
    "percent" in change ? [[`${path}.pricing.child_rules[${i}].change.percent`, change.percent] as const] : []
  ),
  ...(payment.kind === "deposit" && "percent" in payment.deposit
    ? [[`${path}.payment.deposit.percent`, payment.deposit.percent] as const]
    : []),
  ...cancellation.map(({ refund_percent }, i) => [`${path}.cancellation[${i}].refund_percent`, refund_percent] as const)
]

const amountsOf = (path: string, { payment, pricing }: FilePackage) => [
  [`${path}.pricing.base`, pricing.base] as const,
  [`${path}.pricing.extra_child`, pricing.extra_child] as const,
  [`${path}.pricing.adult`, pricing.adult] as const,
  ...(pricing.child_rules ?? []).flatMap(({ change }, i) =>
    "price" in change ? [[`${path}.pricing.child_rules[${i}].change.price`, change.price] as const] : []
  ),
  ...(pricing.codes ?? []).flatMap(({ change }, i) =>
    "amount" in change ? [[`${path}.pricing.codes[${i}].change.amount`, change.amount] as const] : []
  ),
  ...pricing.rules.flatMap(({ change }, i) =>
    "amount" in change ? [[`${path}.pricing.rules[${i}].change.amount`, change.amount] as const] : []
  ),
  ...pricing.rules.flatMap(({ change }, i) =>
    "prices" in change
      ? Object.entries(change.prices).map(
          ([name, amount]) => [`${path}.pricing.rules[${i}].change.prices.${name}`, amount] as const
        )
      : []
  ),
  ...(payment.kind === "deposit" && "amount" in payment.deposit
    ? [[`${path}.payment.deposit.amount`, payment.deposit.amount] as const]
    : [])
]

const packageIssues = (path: string, playroom: FilePlayroom, pkg: FilePackage, isEnded: boolean): Array<Issue> => {
  const issues = [
    ...scheduleIssues(path, playroom, pkg),
    ...percentIssues(percentagesOf(path, pkg)),
    ...taxIssues(`${path}.tax`, pkg.tax),
    ...stepIssues(playroom.currency, amountsOf(path, pkg)),
    ...chargeIssues(path, playroom, pkg),
    ...(isEnded ? [] : largestChargeIssues(path, playroom, pkg)),
    ...pkg.pricing.rules.flatMap((rule, i) => ruleIssues(`${path}.pricing.rules[${i}]`, rule)),
    ...codeIssues(path, pkg),
    ...(pkg.pricing.child_rules ?? []).flatMap((rule, i) => childRuleIssues(`${path}.pricing.child_rules[${i}]`, rule)),
    ...duplicateIssues(
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
  const { payment } = pkg
  if (payment.kind === "deposit" && isBalanceAtVenue(pkg) && payment.balance_due_hours_before > 0)
    issues.push({
      path: `${path}.payment.balance_due_hours_before`,
      message: "Expected 0 beside `balance: at_venue`: what is paid at the venue is due when the visit starts"
    })
  if (payment.kind === "deposit" && (payment.release_unpaid_after_hours ?? -1) >= payment.balance_due_hours_before)
    issues.push({
      path: `${path}.payment.release_unpaid_after_hours`,
      message: `Expected fewer hours than balance_due_hours_before, ${payment.balance_due_hours_before}: places can only be released before the visit`
    })
  if (refundsMoreLater(pkg.cancellation))
    issues.push({
      path: `${path}.cancellation`,
      message: "Expected no tier to refund more than an earlier cancellation does"
    })
  return issues
}

/** So much may be asked before a package is booked: assistants read it with the options. */
const maxAskedBefore = 3

/** Questions under one slug, options that are the same, and too much that is asked before it is booked. */
const questionIssues = (path: string, { questions = [] }: FilePackage): Array<Issue> => [
  ...questions
    .flatMap(({ before }, i) => (before === true ? [`${path}.questions[${i}].before`] : []))
    .slice(maxAskedBefore)
    .map((at) => ({
      path: at,
      message: `Expected at most ${maxAskedBefore} questions that are asked before it is booked: ask the others on the page of the booking`
    })),
  ...duplicateIssues(
    "Question",
    questions.map(({ slug }, i) => [`${path}.questions[${i}].slug`, slug] as const)
  ),
  ...questions.flatMap(({ options = [] }, i) =>
    duplicateIssues(
      "Option",
      options.map((option, j) => [`${path}.questions[${i}].options[${j}]`, option] as const)
    )
  )
]

/** The closures of the room, and those of each add-on, don't overlap. */
const closureIssues = (path: string, { add_ons, closures, time_zone }: FilePlayroom): Array<Issue> => {
  const ranges = closures
    .map((closure, i) => ({ ...closureRange(time_zone, closure), i, of: addOnOf(add_ons, closure) }))
    .sort((a, b) => a.start - b.start || a.i - b.i)
  const overlaps = [...Map.groupBy(ranges, ({ of }) => of).values()].flatMap((its) =>
    its.flatMap(({ start, i }, n) => {
      const before = its[n - 1]
      return before !== undefined && start < before.end
        ? [{ path: `${path}.closures[${i}]`, message: `Overlaps closures[${before.i}]` }]
        : []
    })
  )
  return [
    ...overlaps,
    ...closures.flatMap((closure, i): ReadonlyArray<Issue> => {
      if (closure.add_on === undefined) return []
      const addOn = addOnOf(add_ons, closure)
      if (addOn === undefined)
        return [{ path: `${path}.closures[${i}].add_on`, message: `The playroom has no add-on ${closure.add_on}` }]
      if (addOn.uses === undefined && addOn.stock === undefined)
        return [
          { path: `${path}.closures[${i}].add_on`, message: `Give ${addOn.name} a \`stock\`: how many there are of it` }
        ]
      return addOn.uses === undefined && (closure.units ?? 0) > (addOn.stock ?? 0)
        ? [{ path: `${path}.closures[${i}].units`, message: `Expected at most the stock, ${addOn.stock}` }]
        : []
    })
  ]
}

/** All issues within one playroom of the file at `path`. `today`: a date; what has ended by then is refused. */
export const playroomIssues = (path: string, playroom: FilePlayroom, today: string): Array<Issue> => {
  const ended = endedIssues(path, playroom.currency, today)
  const issues = [
    ...ended,
    ...hoursIssues(path, playroom),
    ...duplicateIssues(
      "Date",
      playroom.overrides.map(({ date }, i) => [`${path}.overrides[${i}].date`, date] as const)
    ),
    ...quietIssues(path, playroom),
    ...closureIssues(path, playroom),
    ...taxIssues(`${path}.tax`, playroom.tax),
    ...playroom.add_ons.flatMap(({ tax }, i) => taxIssues(`${path}.add_ons[${i}].tax`, tax)),
    ...stepIssues(
      playroom.currency,
      playroom.add_ons.flatMap(({ rules, unit_amount }, i) => [
        [`${path}.add_ons[${i}].unit_amount`, unit_amount] as const,
        ...rules.map(
          ({ change }, j) =>
            [`${path}.add_ons[${i}].rules[${j}].change.prices.unit_amount`, change.prices.unit_amount] as const
        )
      ])
    ),
    ...playroom.add_ons.flatMap(({ rules }, i) =>
      rules.flatMap((rule, j) => ruleIssues(`${path}.add_ons[${i}].rules[${j}]`, rule))
    ),
    ...playroom.packages.flatMap((pkg, i) => packageIssues(`${path}.packages[${i}]`, playroom, pkg, ended.length > 0)),
    ...playroom.packages.flatMap((pkg, i) => questionIssues(`${path}.packages[${i}]`, pkg)),
    ...duplicateIssues(
      "Amenity",
      playroom.amenities.map((it, i) => [`${path}.amenities[${i}]`, it.toLowerCase()] as const)
    )
  ]
  const { accessibility_features = [], accessibility_lacks = [] } = playroom
  issues.push(
    ...duplicateIssues("Feature", [
      ...accessibility_features.map((it, i) => [`${path}.accessibility_features[${i}]`, it] as const),
      ...accessibility_lacks.map((it, i) => [`${path}.accessibility_lacks[${i}]`, it] as const)
    ])
  )
  if (playroom.age_min > playroom.age_max)
    issues.push({ path: `${path}.age_max`, message: `Expected at least age_min, ${playroom.age_min}` })
  if (playroom.packages.length === 0)
    issues.push({ path: `${path}.packages`, message: "Expected at least one package" })
  for (const [i, { stock, max_quantity, uses }] of playroom.add_ons.entries()) {
    if (stock !== undefined && uses !== undefined)
      issues.push({ path: `${path}.add_ons[${i}].stock`, message: `Expected either "stock" or "uses", not both` })
    if (stock !== undefined && max_quantity > stock)
      issues.push({ path: `${path}.add_ons[${i}].max_quantity`, message: `Expected at most the stock, ${stock}` })
  }
  return issues
}
