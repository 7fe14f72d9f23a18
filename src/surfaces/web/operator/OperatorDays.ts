/** Data of an operator's pages: the visits of a day with their payment standing, and the calendar. */
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { LinkTokens, operatorIn } from "../../../platform/access/LinkTokens.ts"
import type { CalendarNotice, MoneyNotice } from "../../../ops/attention/Finding.ts"
import { noticesOf } from "../../../ops/attention/NeedsPerson.ts"
import { BookingRecords } from "../../../domain/booking/BookingRecords.ts"
import { DueBookings } from "../../../domain/booking/DueBookings.ts"
import type { Extra } from "../../../domain/booking/BookingRequest.ts"
import {
  calendarBounds,
  type CalendarVisit,
  type DayCount,
  type DayVisit,
  type HourCount,
  maxVisits,
  makeOperatorVisits,
  type Position
} from "../../../domain/booking/OperatorVisits.ts"
import { type PaymentFacts, type Standing, standingOf, termsDueAt } from "../../../domain/booking/Standing.ts"
import { type BusyTime, CalendarFeeds } from "../../../domain/calendars/CalendarFeeds.ts"
import { Catalogue, type PlayroomClosure } from "../../../domain/catalogue/Catalogue.ts"
import { type OperatorPage, Operators } from "../../../domain/catalogue/Operators.ts"
import type { OperatorId } from "../../../platform/ids/Ids.ts"
import { decodeCursor, encodeCursor } from "../../../platform/ids/Cursor.ts"
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
import { Disputes } from "../../../domain/payment/refunds/Disputes.ts"
import { RefundRecords } from "../../../domain/payment/refunds/RefundRecords.ts"
import { Refunds } from "../../../domain/payment/refunds/Refunds.ts"
import { PaymentSummaries } from "../../../domain/payment/PaymentSummaries.ts"

/** A visit and its booking's standing, computed without its payment pages. */
export interface ExpectedVisit extends DayVisit {
  readonly standing: Standing
}

/** A notice, with the reference of its booking; empty without one. */
export type ShownNotice = (MoneyNotice | CalendarNotice) & { readonly reference: string }

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
  readonly extras: ReadonlyArray<Extra>
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

export class OperatorDays extends Context.Service<
  OperatorDays,
  {
    /** The requested day, today by default; none if the token opens nothing. */
    readonly day: (
      token: string,
      asked: { readonly day?: string | undefined; readonly cursor?: string | undefined }
    ) => Effect.Effect<Option.Option<OperatorDay>, SqlError.SqlError>
    /** The same for who is at the operator's desk. */
    readonly dayOf: (
      operator_id: OperatorId,
      asked: { readonly day?: string | undefined; readonly cursor?: string | undefined }
    ) => Effect.Effect<OperatorDay, SqlError.SqlError>
    /** The visits that words find (`OperatorVisits.ts`), at most `maxFound`. `more`: there are others. */
    readonly search: (operator_id: OperatorId, words: string) => Effect.Effect<FoundVisits, SqlError.SqlError>
    /** The operator's calendar now; none if the token opens nothing. */
    readonly calendar: (token: string) => Effect.Effect<Option.Option<OperatorCalendar>, SqlError.SqlError>
  }
>()("playroom/pages/operator/OperatorDays") {
  static readonly layer = Layer.effect(
    OperatorDays,
    Effect.gen(function* () {
      const links = yield* LinkTokens
      // These alone: all of the layer's context would also bring the clock of its making.
      const services = Context.pick(
        CalendarFeeds,
        DueBookings,
        Disputes,
        RefundRecords,
        Refunds
      )(yield* Effect.context<CalendarFeeds | DueBookings | Disputes | RefundRecords | Refunds>())
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

      const shownDay = Effect.fnUntraced(function* (
        operator: OperatorPage,
        asked: { readonly day?: string | undefined; readonly cursor?: string | undefined }
      ) {
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

      const day: OperatorDays["Service"]["day"] = Effect.fn("OperatorDays.day")(function* (token, asked) {
        const found = yield* opened(token)
        return Option.isNone(found) ? Option.none<OperatorDay>() : Option.some(yield* shownDay(found.value, asked))
      })

      const dayOf: OperatorDays["Service"]["dayOf"] = Effect.fn("OperatorDays.dayOf")(function* (operator_id, asked) {
        const operator = yield* Effect.catchTag(operators.page(operator_id), "OperatorNotFound", Effect.die)
        return yield* shownDay(operator, asked)
      })

      const search: OperatorDays["Service"]["search"] = Effect.fn("OperatorDays.search")(
        function* (operator_id, words) {
          const now = yield* Clock.currentTimeMillis
          const rows = yield* visits.search(operator_id, words, maxFound + 1)
          const inQuestion = yield* summaries.underReview(operator_id)
          return {
            visits: yield* Effect.forEach(rows.slice(0, maxFound), (visit) => expected(visit, now, inQuestion), {
              concurrency: 4
            }),
            more: rows.length > maxFound
          }
        }
      )

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

      return OperatorDays.of({ day, dayOf, search, calendar })
    })
  ).pipe(
    Layer.provide([
      BookingRecords.layer,
      CalendarFeeds.layer,
      DueBookings.layer,
      Disputes.layer,
      RefundRecords.layer,
      Refunds.layer,
      Catalogue.layer,
      LinkTokens.layer,
      Operators.layer,
      PaymentSummaries.layer
    ])
  )
}
