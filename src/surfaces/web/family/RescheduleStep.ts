/**
 * The family changes its booking: pages to choose a day and a time, a page that states the exact changes, and a
 * form that names the state that it showed.
 */
import { Clock, Effect, Option } from "effect"
import type { HttpServerResponse } from "effect/http"
import { type BookingRow, refundByTerms } from "../../../domain/booking/Booking.ts"
import { deadlineStart } from "../../../domain/catalogue/RefundSchedule.ts"
import { freeRescheduleUntil } from "../../../domain/catalogue/VisitTerms.ts"
import { unpack } from "../../../domain/availability/OptionId.ts"
import type { PricedOption } from "../../../domain/availability/BookingOption.ts"
import { window } from "../../../domain/availability/Starts.ts"
import { html, type Html } from "../../../platform/text/Html.ts"
import { type Language, messages } from "../../../words/Languages.ts"
import { addDays, type Instant, localDateOf, isLocalDate, type LocalDate } from "../../../platform/time/LocalTime.ts"
import { dateIn, dateTimeIn, momentIn, moneyIn, visitTimeIn } from "../../../words/Localized.ts"
import {
  type ChangedBooking,
  type ChangeProblem,
  changeRefusal,
  isOwnCurrency,
  costsTheSame
} from "../../../domain/booking/ChangePlan.ts"
import { BookingChanges, type How, type Told } from "../../../domain/payment/changes/BookingChanges.ts"
import { moveVisit, type VisitChangeError, VisitOffers } from "../../../domain/payment/changes/VisitChanges.ts"
import { page, actions, buttonForm, buttonLink, facts, isolated, notice } from "../frame/Layout.ts"
import { linkProblemPage } from "../frame/LinkProblems.ts"
import { type BookableDays, chosenMonth, daysOfMonth, type StartView, timesOfDay } from "../frame/StartChoice.ts"
import {
  type BookingStep,
  type OpenedBooking,
  stepAddress,
  shownIn,
  underWayPage,
  toBooking,
  alertOf,
  moneyOfChange,
  refusalPage,
  termsAfter
} from "./BookingStep.ts"

type Response = HttpServerResponse.HttpServerResponse

/** The step's name in addresses and forms. */
export const rescheduleName = "move"

const headers = { vary: "accept-language" }

const addressOf = ({ asked }: OpenedBooking, more: Readonly<Record<string, string>> = {}): string =>
  `${stepAddress(asked, rescheduleName)}${Object.entries(more)
    .map(([name, value]) => `&${name}=${encodeURIComponent(value)}`)
    .join("")}`

/** Why it can't be moved here now: a message of `move`. */
type Sorry = "payment" | "refund" | "notFree" | "begun" | "otherCurrency" | "notSold"

const sorry = (opened: OpenedBooking, why: Sorry): Response => {
  const { move: text } = messages[opened.asked.language]
  return refusalPage(opened, text.sorryTitle, text[why])
}

/** The head of the pages to choose a day and a time. */
const choosing = (opened: OpenedBooking, title: string, alert: string | undefined): Html => {
  const { asked, booking } = opened
  const { language } = asked
  const { starts_at, terms } = booking
  const text = messages[language].move
  const at = (instant: Instant) => dateTimeIn(language, terms.time_zone, instant)
  return html`<h1>${title}</h1>
${alertOf(alert)}<p class="lead">${text.now(at(starts_at))}</p>
<p>${text.rule(momentIn(language, terms.time_zone, freeRescheduleUntil(starts_at, terms) ?? starts_at))}</p>`
}

const viewOf = (opened: OpenedBooking): Omit<StartView, "none"> => ({
  language: opened.asked.language,
  time_zone: opened.booking.terms.time_zone,
  href: (step) => addressOf(opened, step)
})

/** The days of a month. */
const daysPage = (
  opened: OpenedBooking,
  first: LocalDate,
  bounds: BookableDays,
  options: ReadonlyArray<PricedOption>,
  alert?: string
): Response => {
  const { asked } = opened
  const { language } = asked
  const { move: text, words } = messages[language]
  return page(
    text.chooseDay,
    html`${choosing(opened, text.chooseDay, alert)}
${daysOfMonth({ ...viewOf(opened), none: text.noneIn }, first, bounds, options)}
${actions(buttonLink(stepAddress(asked), words.leaveAsItIs, true))}`,
    { language, headers, status: alert === undefined ? 200 : 409 }
  )
}

/** The times of a day, with a price if it differs from the booking's. */
const timesPage = (opened: OpenedBooking, date: LocalDate, options: ReadonlyArray<PricedOption>): Response => {
  const { asked, booking } = opened
  const { language } = asked
  const { move: text, words } = messages[language]
  return page(
    text.chooseTime,
    html`${choosing(opened, text.chooseTime, undefined)}
${timesOfDay({ ...viewOf(opened), none: text.noneOn }, date, options, ({ price }) =>
  costsTheSame(booking, price.total) ? "" : moneyIn(language, price.total, price.currency)
)}
${actions(
  buttonLink(addressOf(opened, { month: date.slice(0, 7) }), text.anotherDay, true),
  buttonLink(stepAddress(asked), words.leaveAsItIs, true)
)}`,
    { language, headers }
  )
}

/** What an earlier time costs in rights: its deadlines are earlier, and stay so. */
const earlierThan = (
  { summary }: OpenedBooking,
  { booking, from, refund }: ChangedBooking,
  language: Language
): Html => {
  if (booking.starts_at >= deadlineStart(from.starts_at, from.terms)) return html``
  const text = messages[language].page
  const { given_back, left, now } = summary
  const after = { ...summary, given_back: given_back + refund.amount, left: left - refund.amount }
  const before = refundByTerms(from, summary, now).amount
  const then = refund.amount + refundByTerms(booking, after, now).amount
  const money = (amount: number) => moneyIn(language, amount, booking.currency)
  const lost = then < before ? ` ${text.earlierMoney(money(before), money(then))}` : ""
  return notice(html`<p>${text.earlier}${lost}</p>`)
}

/** States the exact changes. `changed`: the booking is not as the form showed it. */
const confirmPage = (opened: OpenedBooking, move: ChangedBooking & Told, changed: boolean): Response => {
  const { asked } = opened
  const { booking, from } = move
  const { language } = asked
  const { move: text, words } = messages[language]
  const zone = booking.terms.time_zone
  const when = ({ ends_at, starts_at }: BookingRow) => visitTimeIn(language, zone, starts_at, ends_at)
  const countedFrom = deadlineStart(booking.starts_at, booking.terms)
  return page(
    text.title,
    html`<h1>${text.title}</h1>
${alertOf(changed ? text.changed : undefined)}${facts([
      {
        term: words.visit,
        is: html`${isolated(booking.terms.package_name)}<br>${isolated(booking.terms.playroom_name)}`
      },
      { term: text.from, is: when(from) },
      { term: text.to, is: html`<strong>${when(booking)}</strong>` },
      ...moneyOfChange(opened, move, language),
      { term: words.reference, is: booking.reference }
    ])}
${earlierThan(opened, move, language)}
${termsAfter(opened, move, language)}
${countedFrom === booking.starts_at ? "" : notice(html`<p>${text.counted(dateIn(language, zone, countedFrom))}</p>`)}
${actions(
  buttonForm(stepAddress(asked), { step: rescheduleName, option: booking.option_id, shown: move.shown }, text.confirm),
  buttonLink(addressOf(opened, { date: localDateOf(zone, booking.starts_at) }), text.anotherTime, true),
  buttonLink(stepAddress(asked), words.leaveAsItIs, true)
)}`,
    { language, formAction: "'self'", status: changed ? 409 : 200, headers }
  )
}

/** The message for a refusal. Without one, the person chooses another time. */
const refusalMessages: Partial<Record<ChangeProblem, Sorry>> = {
  payment_open: "payment",
  payment_processing: "payment",
  refund_pending: "refund",
  not_free: "notFree",
  reason_needed: "notFree",
  begun: "begun",
  other_currency: "otherCurrency"
}

export const rescheduleStep = Effect.gen(function* () {
  const { run } = yield* BookingChanges
  const offers = yield* VisitOffers
  const moving = (opened: OpenedBooking, option_id: string, how: Pick<How, "preview" | "shown">) =>
    run(moveVisit, opened.booking.booking_id, { option_id, reason: "" }, { ...how, who: { as: "family" } })

  /** The page of a month, by default the visit's. */
  const days = Effect.fnUntraced(function* (opened: OpenedBooking, month: string, alert?: string) {
    const { booking, playroom } = opened
    const now = yield* Clock.currentTimeMillis
    const earliest = localDateOf(playroom.time_zone, now)
    const last = window({ playroom }, now).lastDate
    const { first, next } = chosenMonth(month, { earliest, last }, localDateOf(playroom.time_zone, booking.starts_at))
    return Option.match(yield* offers.starts(booking, { from: first, to: addDays(next, -1) }), {
      onNone: () => sorry(opened, "notSold"),
      onSome: (options) => daysPage(opened, first, { earliest, last }, options, alert)
    })
  })

  /** The page to choose again on; with the problem of what was chosen, if its page has no message for it. */
  type Again = (problem?: ChangeProblem) => ReturnType<typeof days>

  const refusedFor = (opened: OpenedBooking, problem: ChangeProblem, again: Again) => {
    if (problem === "same_visit" || problem === "not_confirmed") return toBooking(opened)
    const why = refusalMessages[problem]
    return why === undefined ? again(problem) : Effect.succeed(sorry(opened, why))
  }

  const refused =
    (opened: OpenedBooking, again: Again, changed = again) =>
    (error: Exclude<VisitChangeError, { _tag: "SqlError" }>) => {
      switch (error._tag) {
        case "BookingNotFound":
        case "BookingCancelled":
        case "HoldExpired":
        case "NotAllowed":
          return toBooking(opened)
        case "OperatorUnavailable":
          return Effect.succeed(sorry(opened, "notSold"))
        case "ChangeRefused":
          return refusedFor(opened, error.reason, again)
        case "ChangeUnderWay":
          return Effect.succeed(underWayPage(opened))
        case "ChangedSinceShown":
          return changed()
        case "InvalidArguments":
        case "KeepsChanging":
        case "OptionInvalid":
        case "PriceChanged":
        case "SlotUnavailable":
          return again()
      }
    }

  /** The month of an option that can't be had, to choose another. */
  const otherThan = (opened: OpenedBooking, option_id: string, why: "gone" | "tooMany") => {
    const { asked, booking } = opened
    const start = unpack(option_id)?.start ?? booking.starts_at
    return days(opened, localDateOf(booking.terms.time_zone, start).slice(0, 7), messages[asked.language].move[why])
  }
  const gone = (opened: OpenedBooking, option_id: string) => (problem?: ChangeProblem) =>
    otherThan(opened, option_id, problem === "too_many_unpaid" ? "tooMany" : "gone")

  const preview = (opened: OpenedBooking, option_id: string, changed: boolean) =>
    moving(opened, option_id, { preview: true }).pipe(
      Effect.map((move) => confirmPage(opened, move, changed)),
      Effect.catchIf((error) => error._tag !== "SqlError", refused(opened, gone(opened, option_id)))
    )

  const show: BookingStep["show"] = (opened) =>
    Effect.gen(function* () {
      const { asked, booking, playroom } = opened
      const problem = yield* offers.refusal(booking, "move", playroom)
      const { date = "", month = "", option = "" } = asked.query
      if (problem !== undefined) return yield* refusedFor(opened, problem, () => days(opened, month))
      if (option !== "") return yield* preview(opened, option, false)
      if (!isLocalDate(date)) return yield* days(opened, month)
      return Option.match(yield* offers.starts(booking, { from: date, to: date }), {
        onNone: () => sorry(opened, "notSold"),
        onSome: (options) => timesPage(opened, date, options)
      })
    })

  const act: BookingStep["act"] = (opened, form) =>
    shownIn(form).pipe(
      Effect.flatMap(({ option = "", shown }) =>
        moving(opened, option, { preview: false, shown }).pipe(
          Effect.andThen(toBooking(opened)),
          Effect.catchIf(
            (error) => error._tag !== "SqlError",
            refused(opened, gone(opened, option), () => preview(opened, option, true))
          )
        )
      ),
      Effect.catchTag("SchemaError", () => Effect.succeed(linkProblemPage("unreadable", opened.asked.language)))
    )

  const parts: BookingStep["parts"] = ({ asked, booking, playroom }) =>
    Effect.map(Clock.currentTimeMillis, (now) =>
      changeRefusal(booking, "move", "family", now) === undefined && isOwnCurrency(booking, playroom.currency)
        ? { action: buttonLink(stepAddress(asked, rescheduleName), messages[asked.language].move.move, true) }
        : {}
    )

  return { parts, show, act } satisfies BookingStep
})
