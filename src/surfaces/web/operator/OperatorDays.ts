/** Data of an operator's pages: the visits of a day with their payment standing, and the calendar. */
import { noEmail } from "../../../platform/text/Contact.ts"
import { Clock, Context, Effect, Option, Schema } from "effect"
import { BookingRecords, isErased } from "../../../domain/booking/BookingRecords.ts"
import type { Extra } from "../../../domain/booking/BookingRequest.ts"
import { missingAnswers } from "../../../domain/booking/BookingViews.ts"
import { DueBookings } from "../../../domain/booking/DueBookings.ts"
import {
  calendarBounds,
  type CalendarVisit,
  type DayCount,
  type DayVisit,
  type HourCount,
  maxVisits,
  makeOperatorVisits,
  type Position,
  type Preparation,
  noVisits
} from "../../../domain/booking/OperatorVisits.ts"
import {
  nextActor,
  type PaymentFacts,
  type Standing,
  standingOf,
  termsDueAt
} from "../../../domain/booking/Standing.ts"
import { type BusyTime, CalendarFeeds } from "../../../domain/calendars/CalendarFeeds.ts"
import { Catalogue, type PlayroomClosure } from "../../../domain/catalogue/Catalogue.ts"
import { type OperatorPage, Operators } from "../../../domain/catalogue/Operators.ts"
import { givenAnswers } from "../../../domain/catalogue/Questions.ts"
import { PaymentSummaries } from "../../../domain/payment/PaymentSummaries.ts"
import { Disputes } from "../../../domain/payment/refunds/Disputes.ts"
import { RefundRecords } from "../../../domain/payment/refunds/RefundRecords.ts"
import { Refunds } from "../../../domain/payment/refunds/Refunds.ts"
import { type OperatorNotice, noticesOf } from "../../../ops/attention/ActionItems.ts"
import { LinkTokens, operatorIn } from "../../../platform/access/LinkTokens.ts"
import { type OperatorId, decodeCursor, encodeCursor } from "../../../platform/ids/Ids.ts"
import { sumsByCurrency } from "../../../platform/money/Money.ts"
import { html, type Html, joined } from "../../../platform/text/Html.ts"
import {
  addDays,
  dayMs,
  dayRange,
  type Instant,
  localDateOf,
  weekdayOf,
  weekdays,
  isLocalDate,
  type LocalDate
} from "../../../platform/time/LocalTime.ts"
import { type Language, messages } from "../../../words/Languages.ts"
import {
  pluralIn,
  dateIn,
  dateTimeIn,
  moneyIn,
  partyIn,
  timeIn,
  timesIn,
  zoneNameIn
} from "../../../words/Localized.ts"
import { actions, buttonLink, emailLink, isolated, notice, phoneLink } from "../frame/Layout.ts"

/** A visit and its booking's standing, computed without its payment pages. */
export interface ExpectedVisit extends DayVisit {
  readonly standing: Standing
}

/** A notice, with the reference of its booking; empty without one. */
type ShownNotice = OperatorNotice & { readonly reference: string }

/** What the address of a day names. */
interface AskedDay {
  readonly day?: string | undefined
  readonly cursor?: string | undefined
}

/** A day as its page shows it. */
export interface OperatorDay {
  readonly operator: OperatorPage
  /** The zone of most of the operator's playrooms. It defines "today"; times in it are shown without a zone. */
  readonly time_zone: string
  readonly now: Instant
  readonly today: LocalDate
  readonly date: LocalDate
  /** The requested date or cursor is invalid; the page shows today, or the first page of the day. */
  readonly misunderstood: boolean
  /** If the day has no visits: the next day with visits. */
  readonly next_date?: LocalDate
  /** Ordered by time. */
  readonly visits: ReadonlyArray<ExpectedVisit>
  /** Totals over the confirmed visits and holds of the whole day. */
  readonly extras: ReadonlyArray<Preparation>
  readonly hours: ReadonlyArray<HourCount>
  readonly closures: ReadonlyArray<PlayroomClosure>
  /** What other calendars keep closed. */
  readonly busy: ReadonlyArray<BusyTime>
  /** Whether there are more of these than `closures` and `busy` hold. */
  readonly more_closed: boolean
  /** What the operator can act on now, on whichever day: at most `maxNotices`. */
  readonly notices: ReadonlyArray<ShownNotice>
  /** The day's week, from Monday. */
  readonly week: ReadonlyArray<DayCount>
  /** Whether earlier pages of the day exist. */
  readonly continued: boolean
  /** The cursor of the day's next page. */
  readonly next_cursor?: string
}

export interface OperatorCalendar {
  readonly operator: OperatorPage
  readonly visits: ReadonlyArray<CalendarVisit>
}

/** What a search found. */
export interface FoundVisits {
  readonly visits: ReadonlyArray<ExpectedVisit>
  readonly more: boolean
  /** Visits that start before are not searched yet. */
  readonly since?: Instant
}

/** How many visits a search shows. */
const maxFound = 50
/** Of closures, and of times that other calendars keep closed. */
const maxClosures = 100
const maxNotices = 20

const PositionParts = Schema.Tuple([Schema.Int, Schema.String])
const decodePosition = Schema.decodeUnknownOption(PositionParts)

/** Whether a time is on that date of its playroom. */
const isOn =
  (date: LocalDate) =>
  ({ end, start, time_zone }: Pick<BusyTime, "end" | "start" | "time_zone">): boolean => {
    const range = dayRange(time_zone, date)
    return start < range.end && end > range.start
  }

const cursorScope = ({ operator_id }: OperatorPage, date: LocalDate) => ["operator_day", operator_id, date]

const positionIn = (scope: unknown, cursor: string): Position | undefined =>
  Option.match(decodePosition(decodeCursor(scope, cursor)), {
    onNone: () => undefined,
    onSome: ([starts_at, booking_id]) => ({ starts_at, booking_id })
  })

/** The days of operators, for their pages and the desk. */
export const makeOperatorDays = Effect.gen(function* () {
  const links = yield* LinkTokens
  // These alone: all of the layer's context would also bring the clock of its making.
  const services = Context.pick(
    CalendarFeeds,
    DueBookings,
    Disputes,
    Operators,
    RefundRecords,
    Refunds
  )(yield* Effect.context<CalendarFeeds | DueBookings | Disputes | Operators | RefundRecords | Refunds>())
  const records = yield* BookingRecords
  const operators = yield* Operators
  const visits = yield* makeOperatorVisits
  const summaries = yield* PaymentSummaries
  const catalogue = yield* Catalogue
  const calendars = yield* CalendarFeeds

  /** The operator whose page a token opens. Unknown operators and wrong tokens take the same time. */
  const opened = Effect.fnUntraced(function* (token: string) {
    const named = operatorIn(token)
    if (Option.isNone(named)) return Option.none<OperatorPage>()
    const operator_id = named.value
    const found = yield* operators.page(operator_id).pipe(
      Effect.asSome,
      Effect.catchTag("OperatorNotFound", () => Effect.succeedNone)
    )
    const counter = Option.match(found, { onNone: () => 0, onSome: ({ link_counter }) => link_counter })
    const right = yield* links.opens(token, { page: "operator", operator_id, counter })
    return Option.filter(found, () => right)
  })

  const noticesFor = Effect.fnUntraced(function* (operator_id: string) {
    const told = yield* Effect.provide(noticesOf(operator_id), services)
    const shown = yield* Effect.forEach(told.slice(0, maxNotices), (one) =>
      "booking_id" in one
        ? Effect.map(records.byId(one.booking_id), (found) =>
            Option.map(found, ({ reference }): ShownNotice => ({ ...one, reference }))
          )
        : Effect.succeedSome<ShownNotice>({ ...one, reference: "" })
    )
    return shown.filter(Option.isSome).map(({ value }) => value)
  })

  const expected = (
    visit: DayVisit,
    now: Instant,
    inQuestion: ReadonlyMap<string, NonNullable<PaymentFacts["under_review"]>>
  ) =>
    Effect.map(summaries.balancePaid(visit), (balance_paid): ExpectedVisit => {
      const terms = termsDueAt(visit)
      const under_review = inQuestion.get(visit.booking_id)
      const facts = {
        now,
        balance_paid,
        balance_online: false,
        refund_on_its_way: 0,
        ...(under_review === undefined ? {} : { under_review })
      }
      return { ...visit, standing: standingOf({ ...visit, terms }, facts) }
    })

  const shownDay = Effect.fnUntraced(function* (operator: OperatorPage, asked: AskedDay) {
    const { operator_id, time_zone: zone } = operator
    const time_zone = zone ?? "UTC"
    const now = yield* Clock.currentTimeMillis
    const today = localDateOf(time_zone, now)
    const dated = isLocalDate(asked.day)
    const date = dated ? asked.day : today
    const scope = cursorScope(operator, date)
    const after = asked.cursor === undefined ? undefined : positionIn(scope, asked.cursor)
    const { end, start } = dayRange(time_zone, date)
    const monday = addDays(date, -weekdays.indexOf(weekdayOf(date)))
    const [rows, extras, hours, week, closures, busy, notices] = yield* Effect.all(
      [
        visits.day(operator_id, date, { limit: maxVisits + 1, ...(after === undefined ? {} : { after }) }),
        visits.extras(operator_id, date),
        visits.hours(operator_id, date),
        visits.week(operator_id, monday),
        // Playrooms in other zones begin and end the date at most a day earlier or later.
        catalogue.closuresOf({ operator_id }, start - dayMs, end + dayMs, maxClosures + 1),
        calendars.busyBetween(operator_id, start - dayMs, end + dayMs, maxClosures + 1),
        noticesFor(operator_id)
      ],
      { concurrency: 4 }
    )
    const shown = rows.slice(0, maxVisits)
    const inQuestion = yield* summaries.underReview(operator_id)
    const next_date = shown.length === 0 ? yield* visits.nextDate(operator_id, date) : undefined
    const last = rows.length > maxVisits ? shown.at(-1) : undefined
    return {
      operator,
      time_zone,
      now,
      today,
      date,
      ...(next_date === undefined ? {} : { next_date }),
      misunderstood: (asked.day !== undefined && !dated) || (asked.cursor !== undefined && after === undefined),
      visits: yield* Effect.forEach(shown, (visit) => expected(visit, now, inQuestion), { concurrency: 4 }),
      extras,
      hours,
      closures: closures.slice(0, maxClosures).filter(isOn(date)),
      busy: busy.slice(0, maxClosures).filter(isOn(date)),
      more_closed: closures.length > maxClosures || busy.length > maxClosures,
      notices,
      week,
      continued: after !== undefined,
      ...(last === undefined ? {} : { next_cursor: encodeCursor(scope, [last.starts_at, last.booking_id]) })
    } satisfies OperatorDay
  })

  /** The requested day, today by default; none if the token opens nothing. */
  const day = Effect.fn("OperatorDays.day")(function* (token: string, asked: AskedDay) {
    const found = yield* opened(token)
    return Option.isNone(found) ? Option.none<OperatorDay>() : Option.some(yield* shownDay(found.value, asked))
  })

  /** The same for who is at the operator's desk. */
  const dayOf = Effect.fn("OperatorDays.dayOf")(function* (operator_id: OperatorId, asked: AskedDay) {
    const operator = yield* Effect.catchTag(operators.page(operator_id), "OperatorNotFound", Effect.die)
    return yield* shownDay(operator, asked)
  })

  /**
   * The visits that words find (`OperatorVisits.ts`), at most `maxFound`. `more`: there are others. `before`: an earlier
   * `since`, as the page's address has it.
   */
  const search = Effect.fn("OperatorDays.search")(function* (operator_id: OperatorId, words: string, before?: string) {
    const now = yield* Clock.currentTimeMillis
    const { visits: rows, ...searched } = yield* visits.search(operator_id, words, {
      limit: maxFound + 1,
      ...(before !== undefined && isLocalDate(before) ? { before: Date.parse(before) } : {})
    })
    const inQuestion = yield* summaries.underReview(operator_id)
    return {
      visits: yield* Effect.forEach(rows.slice(0, maxFound), (visit) => expected(visit, now, inQuestion), {
        concurrency: 4
      }),
      more: rows.length > maxFound,
      ...searched
    }
  })

  /** The operator's calendar now; none if the token opens nothing. */
  const calendar = Effect.fn("OperatorDays.calendar")(function* (token: string) {
    const found = yield* opened(token)
    if (Option.isNone(found)) return Option.none<OperatorCalendar>()
    const operator = found.value
    const now = yield* Clock.currentTimeMillis
    const between = (from: number, to: number, limit: number) =>
      visits.calendar(operator.operator_id, {
        from,
        to,
        cancelled_since: now - calendarBounds.cancelledDays * dayMs,
        limit
      })
    // Upcoming visits take precedence over past ones.
    const today = now - dayMs
    const ahead = yield* between(today, now + calendarBounds.daysAhead * dayMs, calendarBounds.visits)
    const rest = calendarBounds.visits - ahead.length
    const over = rest === 0 ? [] : yield* between(now - calendarBounds.daysBack * dayMs, today, rest)
    return Option.some<OperatorCalendar>({ operator, visits: [...over, ...ahead] })
  })

  return { day, dayOf, search, calendar }
})

// The parts of a day at an operator, for its read-only page and for the desk.

/** A relative link to a day, which keeps the page's secret address out of the markup. */
const dayLink = (date: LocalDate, cursor?: string): string =>
  `?day=${date}${cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`}`

/** Noon UTC of a date, for formatting. */
const noon = (date: LocalDate): number => Date.parse(`${date}T12:00:00Z`)
export const dateText = (language: Language, date: LocalDate): string => dateIn(language, "UTC", noon(date))

const timesOf = (language: Language, visit: ExpectedVisit): string =>
  timesIn(language, visit.time_zone, visit.starts_at, visit.ends_at)

const extraText = ({ name, quantity }: Extra): string => `${quantity} × ${name}`

const settledText = (language: Language, { standing, total }: Pick<ExpectedVisit, "standing" | "total">): string => {
  const { operator: text, words } = messages[language]
  return standing.refund !== "none" ? text.givenBack : total === 0 ? text.nothingToPay : words.paid
}

type VisitMoney = Pick<ExpectedVisit, "currency" | "standing" | "starts_at" | "time_zone" | "total">

/** The payment text of a visit, and whether anything is due. */
export const moneyOf = (language: Language, visit: VisitMoney): { readonly due: boolean; readonly money: string } => {
  const text = messages[language].operator
  const { currency, standing, starts_at, time_zone: zone } = visit
  const keptUntil = (until: Instant) => {
    const sameDay = localDateOf(zone, until) === localDateOf(zone, starts_at)
    return text.keptUntil(sameDay ? timeIn(language, zone, until) : dateTimeIn(language, zone, until))
  }
  switch (standing.kind) {
    case "to_pay":
    case "payment_failed":
    case "not_payable":
      return { due: true, money: keptUntil(standing.until) }
    case "payment_under_review":
    case "confirmed_under_review":
    case "expired_under_review":
    case "cancelled_under_review":
      return { due: true, money: text.inQuestion }
    case "payment_processing":
      return { due: true, money: text.onItsWay }
    case "arriving":
      return { due: true, money: standing.until === null ? text.onItsWay : keptUntil(standing.until) }
    case "balance_due":
    case "balance_processing":
      return { due: true, money: text.toPay(moneyIn(language, standing.balance.amount, currency)) }
    case "confirmed_paid_back":
      return { due: true, money: text.allGivenBack }
    case "balance_overdue": {
      const { amount, due_at } = standing.balance
      return { due: true, money: text.overdue(moneyIn(language, amount, currency), dateTimeIn(language, zone, due_at)) }
    }
    case "over":
    case "did_not_come":
      if (standing.under_review) return { due: true, money: text.inQuestion }
      return standing.balance === undefined
        ? { due: false, money: settledText(language, visit) }
        : { due: true, money: text.toPay(moneyIn(language, standing.balance.amount, currency)) }
    case "free":
    case "paid":
      return { due: false, money: settledText(language, visit) }
    case "released":
    case "expired":
    case "expired_processing":
    case "expired_going_back":
    case "expired_paid_back":
    case "cancelled":
    case "cancelled_kept":
    case "cancelled_processing":
    case "cancelled_going_back":
    case "cancelled_paid_back":
      return { due: false, money: "" }
  }
}

const contactOf = ({ contact_email, contact_phone }: ExpectedVisit): Html | undefined => {
  if (isErased({ contact_email })) return undefined
  const phone = contact_phone === null ? [] : [phoneLink(contact_phone)]
  return joined(contact_email === noEmail ? phone : [...phone, emailLink(contact_email)], " · ")
}

export const nameOf = (language: Language, visit: Pick<ExpectedVisit, "contact_email" | "contact_name">): string =>
  isErased(visit) ? messages[language].operator.erased : visit.contact_name

/** How a day is shown: in which language, and whether a visit's name leads to its booking. */
interface DayView {
  readonly language: Language
  readonly zone: string
  readonly href?: (visit: ExpectedVisit) => string
  /** The address of the days, where a form there chooses one. */
  readonly path?: string
  /** What can be done with a visit. */
  readonly buttons?: (visit: ExpectedVisit) => Html | undefined
  /** Who closed a time, and what can be done about it. */
  readonly closure?: (closure: PlayroomClosure) => Html
  /** Whether visits are of several days. */
  readonly dated?: true
}

/** A visit: who comes when, with whom, what to prepare, and what is still to be paid. */
export const visitPart = (visit: ExpectedVisit, { buttons, dated, href, language, zone }: DayView): Html => {
  const { desk, operator: text, venueAsks, words } = messages[language]
  const { attendance, status, time_zone } = visit
  const { due, money } = moneyOf(language, visit)
  const name = isolated(nameOf(language, visit))
  const date = dated === undefined ? "" : html`${dateIn(language, time_zone, visit.starts_at)}, `
  const abroad =
    time_zone === zone
      ? ""
      : html` <span class="soft">(${zoneNameIn(language, time_zone, visit.starts_at)}, ${time_zone})</span>`
  const standing =
    status === "cancelled"
      ? words.cancelled
      : status === "held"
        ? text.unsure
        : attendance === null
          ? undefined
          : desk.marks[attendance]
  const blocked = visit.blocked === null ? "" : html`<b class="due">${text.blocked[visit.blocked]}</b> · `
  const extras =
    visit.extras.length === 0 ? "" : html`<p>${text.extras}: <b>${visit.extras.map(extraText).join(", ")}</b></p>`
  const notes =
    visit.notes === null || visit.notes.trim() === ""
      ? ""
      : html`<p class="note"><span class="soft">${text.notes}:</span> ${isolated(visit.notes)}</p>`
  const missing = missingAnswers(visit.questions ?? [], visit)
  const answers = html`${givenAnswers(visit.answers).map(
    ({ answer, text }) =>
      html`<p class="note"><span class="soft">${isolated(text)}</span> <b>${isolated(answer)}</b></p>`
  )}${
    missing.length === 0
      ? ""
      : html`<p><b class="due">${venueAsks.unanswered}</b>: ${joined(
          missing.map(({ text }) => isolated(text)),
          " · "
        )}</p>`
  }`
  const also = visit.also === null ? "" : html`<p><b class="due">${text.alsoBooked(visit.also)}</b></p>`
  return html`<article id="${visit.reference}" class="visit${status === "confirmed" ? "" : " unsure"}">
<div>
<h3>${date}<span class="time">${timesOf(language, visit)}</span>${abroad} ${href === undefined ? name : html`<a href="${href(visit)}">${name}</a>`}</h3>
<p>${blocked}${standing === undefined ? "" : html`<b>${standing}</b> · `}${isolated(visit.playroom_name)} · ${isolated(visit.package_name)}</p>
<p>${partyIn(language, visit)}</p>
${also}
</div>
<div>
${extras}
${notes}
${answers}
</div>
<div>
<p>${due ? html`<b class="due">${money}</b>` : money}</p>
<p class="contact">${contactOf(visit)}<span class="then soft">${words.reference} <span class="code">${visit.reference}</span></span></p>
${buttons?.(visit)}
</div>
</article>`
}

/** The visits by time, with a line at the present moment of today. */
const visitsOf = (day: OperatorDay, view: DayView): Html | undefined => {
  if (day.visits.length === 0) return undefined
  const { continued, date, next_cursor, now, time_zone, today, visits } = day
  const { language } = view
  const { desk: text, words } = messages[language]
  const line = html`<p class="now" role="separator"><b>${text.now(timeIn(language, time_zone, now))}</b></p>`
  const coming = visits.findIndex(({ starts_at }) => starts_at > now)
  const at = coming === -1 ? (next_cursor === undefined ? visits.length : undefined) : coming
  const shown = date === today && at !== undefined && !(continued && at === 0)
  const gone = visits.filter(({ status }) => status === "cancelled")
  const items = visits.map((visit, index) => [
    ...(shown && index === at ? [line] : []),
    ...(visit.status === "cancelled" ? [] : [visitPart(visit, view)])
  ])
  const cancelled = gone.map((visit) => {
    const name = html`<s>${timesOf(language, visit)}</s> ${isolated(nameOf(language, visit))} (${visit.reference})`
    return view.href === undefined ? name : html`<a href="${view.href(visit)}">${name}</a>`
  })
  return html`<section>
<h2 class="unseen">${text.visits}</h2>
${items}${shown && at === visits.length ? line : ""}
${gone.length === 0 ? "" : html`<p class="soft">${words.cancelled}: ${joined(cancelled, "; ")}</p>`}
</section>`
}

/** How many children are there in each hour. */
const hoursOf = ({ hours }: OperatorDay, language: Language): Html | undefined =>
  hours.length === 0
    ? undefined
    : html`<section class="card">
<h2>${messages[language].desk.byHour}</h2>
<ol class="hours">${hours.map(({ children, hour }) => html`<li>${hour} <b>${children}</b></li>`)}</ol>
</section>`

/** When an extra with stock is needed. How many each time, where that differs. */
const usesText = (language: Language, { quantity, uses }: Preparation): Html | undefined => {
  const differ = uses.some((use) => use.quantity !== quantity)
  const times = uses.map(
    ({ ends_at, quantity: n, starts_at, time_zone }) =>
      `${timesIn(language, time_zone, starts_at, ends_at)}${differ ? ` (${n})` : ""}`
  )
  return times.length === 0
    ? undefined
    : html`<br><span class="soft">${times.join(messages[language].words.comma)}</span>`
}

/** How many families chose which answer, on a day whose visits are all shown. */
const chosenOf = ({ continued, next_cursor, visits }: OperatorDay): ReadonlyArray<Html> => {
  if (continued || next_cursor !== undefined) return []
  const chosen = visits.flatMap(({ answers, questions, status }) =>
    status === "cancelled"
      ? []
      : givenAnswers(answers).filter(({ slug }) =>
          questions?.some((question) => question.slug === slug && question.options !== undefined)
        )
  )
  const counted = Map.groupBy(chosen, ({ answer, text }) => JSON.stringify([text, answer]))
  return Array.from(counted.values())
    .flatMap((same) => same.slice(0, 1).map((one) => ({ ...one, n: same.length })))
    .toSorted((a, b) => (`${a.text} ${a.answer}` < `${b.text} ${b.answer}` ? -1 : 1))
    .map(
      ({ answer, n, text }) => html`<li>${n} × ${isolated(answer)} <span class="soft">(${isolated(text)})</span></li>`
    )
}

const prepareOf = (day: OperatorDay, language: Language): Html | undefined => {
  const items = [
    ...day.extras.map((extra) => html`<li>${extraText(extra)}${usesText(language, extra)}</li>`),
    ...chosenOf(day)
  ]
  return items.length === 0
    ? undefined
    : html`<section class="card">
<h2>${messages[language].operator.prepare}</h2>
<ul class="plain">${items}</ul>
</section>`
}

/** What is to be collected for the whole day, in each currency. */
const collectOf = ({ continued, next_cursor, visits }: OperatorDay, language: Language): Html | undefined => {
  if (continued || next_cursor !== undefined) return undefined
  const sums = sumsByCurrency(
    visits.flatMap(({ currency, standing }) =>
      "balance" in standing && standing.balance !== undefined && nextActor(standing) !== "service"
        ? [{ ...standing.balance, currency }]
        : []
    )
  )
  return sums.length === 0
    ? undefined
    : html`<section class="card">
<h2>${messages[language].desk.toCollect}</h2>
${sums.map(({ amount, currency }) => html`<p class="lead"><strong>${moneyIn(language, amount, currency)}</strong></p>`)}
</section>`
}

/** When it is closed, here or by another calendar, with a warning if visits can't take place as things stand. */
const closuresOf = (
  { closure: made, language }: DayView,
  { busy, closures, date, more_closed }: OperatorDay,
  blocked: number
): Html | undefined => {
  const { desk, operator: text } = messages[language]
  const here = closures.map((closure) => ({ ...closure, beside: made?.(closure) }))
  const elsewhere = busy.map((time) => ({
    ...time,
    beside: undefined,
    resource_id: null,
    reason: text.otherCalendar(time.calendar)
  }))
  const items = [...here, ...elsewhere].map(({ beside, end, playroom_name, reason, resource_id, start, time_zone }) => {
    const range = dayRange(time_zone, date)
    const when =
      start <= range.start && end >= range.end
        ? text.allDay
        : timesIn(language, time_zone, Math.max(start, range.start), Math.min(end, range.end))
    const why = reason === "" ? "" : html` <span class="soft">${isolated(reason)}</span>`
    return html`<li><b>${resource_id === null ? text.closed : desk.closing.outOfOrder}: ${isolated(playroom_name)}</b>, ${when}${why}${beside === undefined ? "" : html` <span class="soft">(${beside})</span>`}</li>`
  })
  const warning =
    blocked === 0 ? "" : html`\n<p><b class="due">${pluralIn(language, blocked, text.visitsBlocked)}</b></p>`
  const more = more_closed ? html`<li>${desk.closing.furtherTimes}</li>` : ""
  return items.length === 0 && !more_closed && blocked === 0
    ? undefined
    : notice(html`<ul class="plain">${items}${more}</ul>${warning}`)
}

const noticeText = (language: Language, notice: ShownNotice, zone: string): string => {
  const { accountClosed, calendarNotices, notices } = messages[language].operator
  switch (notice.kind) {
    case "account_closed":
      return accountClosed(dateTimeIn(language, zone, notice.since))
    case "calendar_not_read":
      return calendarNotices.notRead(notice.calendar, notice.playroom_name, dateTimeIn(language, zone, notice.since))
    case "calendar_event_not_read":
      return calendarNotices.eventNotRead(notice.calendar, notice.playroom_name)
    case "booking_when_calendar_is_busy":
      return calendarNotices.booking(notice.reference, notice.playroom_name, notice.calendar)
    default:
      return notices[notice.kind](moneyIn(language, notice.amount, notice.currency), notice.reference)
  }
}

/** What the operator can act on now, whichever day is shown. */
const noticesHtml = (language: Language, { notices, time_zone }: OperatorDay): Html | undefined => {
  const text = messages[language].operator
  const items = notices.map((one) => html`<li>${noticeText(language, one, time_zone)}</li>`)
  return items.length === 0
    ? undefined
    : html`<section class="card noprint">\n<h2>${text.toDo}</h2>\n<ul class="plain">${items}</ul>\n</section>`
}

const summaryOf = (language: Language, { blocked, confirmed, children, held }: DayCount): string => {
  const { operator: text, words } = messages[language]
  const visits = confirmed + held
  if (visits === 0) return text.noVisits
  const comers = [pluralIn(language, visits, text.visits), pluralIn(language, children, words.children)]
  const remarks = [...(held === 0 ? [] : [text.unsureToo(held)]), ...(blocked === 0 ? [] : [text.blockedToo(blocked)])]
  return `${comers.join(words.comma)}${remarks.length === 0 ? "" : ` (${remarks.join(words.comma)})`}`
}

const shortDay = (language: Language, date: LocalDate): string =>
  new Intl.DateTimeFormat(language, { weekday: "short", timeZone: "UTC" }).format(noon(date))

/** The form that chooses a day. */
export const dayForm = (language: Language, path: string, date = ""): Html => {
  const { dayToShow, showDay } = messages[language].desk
  return html`<form method="get" action="${path}" class="search noprint">
<label><span class="unseen">${dayToShow}</span><input type="date" name="day" value="${date}" required></label>
<button class="second">${showDay}</button>
</form>`
}

const weekOf = ({ language, path }: DayView, { date, today, week }: OperatorDay): Html => {
  const text = messages[language].operator
  const days = week.map((count) => {
    const here = count.date === date ? html` aria-current="date"` : ""
    const n = count.confirmed + count.held
    const day = html`<span>${shortDay(language, count.date)}</span> <b>${Number(count.date.slice(8))}</b>`
    const visits = html`<span class="count" aria-hidden="true">${n === 0 ? "–" : n}${count.blocked === 0 ? "" : "!"}</span><span class="unseen">, ${summaryOf(language, count)}</span>`
    return html`<li><a href="${dayLink(count.date)}"${here}>${day}${visits}</a></li>`
  })
  const beside = (days: number, sign: string, label: string) =>
    html`<li><a href="${dayLink(addDays(date, days))}"><span aria-hidden="true">${sign}</span><span class="unseen">${label}</span></a></li>`
  const choosing = path === undefined ? "" : dayForm(language, path, date)
  const toToday = date === today || path !== undefined ? undefined : buttonLink(dayLink(today), text.today, true)
  return html`<nav class="days noprint" aria-label="${text.days}">
<ol class="week">${beside(-7, "‹", text.weekBefore)}${days}${beside(7, "›", text.weekAfter)}</ol>
${choosing}${actions(toToday)}
</nav>`
}

/** The head of a day's page, and everything on it. */
export const dayParts = (day: OperatorDay, view: DayView): { readonly head: Html; readonly body: Html } => {
  const { language } = view
  const text = messages[language].operator
  const { date, next_cursor, operator, week } = day
  const count = week.find((one) => one.date === date) ?? noVisits(date)
  const paging = [
    ...(day.next_date === undefined
      ? []
      : [buttonLink(dayLink(day.next_date), text.nextVisit(dateText(language, day.next_date)))]),
    ...(day.continued ? [buttonLink(dayLink(date), text.fromStart, true)] : []),
    ...(next_cursor === undefined ? [] : [buttonLink(dayLink(date, next_cursor), text.more, true)])
  ]
  return {
    head: html`<header>
<p class="above">${isolated(operator.name)}</p>
<h1>${dateText(language, date)}</h1>
<p class="lead">${summaryOf(language, count)}</p>
</header>
${day.misunderstood ? html`<p role="alert">${text.misunderstood}</p>` : ""}`,
    body: html`${weekOf(view, day)}
${noticesHtml(language, day)}
${closuresOf(view, day, count.blocked)}
${visitsOf(day, view)}
${actions(...paging)}
<div class="overview">
${hoursOf(day, language)}
${prepareOf(day, language)}
${collectOf(day, language)}
</div>`
  }
}
