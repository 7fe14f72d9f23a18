/**
 * The family cancels its booking: a page that states the exact refund, and a form that names the state that it showed.
 */
import { Clock, Effect } from "effect"
import type { HttpServerResponse } from "effect/http"
import type { BookingRow } from "../../../domain/booking/Booking.ts"
import { bookedTermsFacts, pendingRefund } from "../../../domain/booking/BookingViews.ts"
import { isLiveBooking } from "../../../domain/booking/Lifecycle.ts"
import { html, type Html } from "../../../platform/text/Html.ts"
import { type Language, messages } from "../../../words/Languages.ts"
import { dateTimeIn, moneyIn } from "../../../words/Localized.ts"
import { BookingChanges, type How } from "../../../domain/payment/changes/BookingChanges.ts"
import { byTheFamily, cancel, type Cancellation } from "../../../domain/payment/changes/Cancellations.ts"
import { page, actions, buttonForm, buttonLink, facts, isolated, notice } from "../frame/Layout.ts"
import { linkProblemPage } from "../frame/LinkProblems.ts"
import {
  type BookingStep,
  type OpenedBooking,
  stepAddress,
  waitsFor,
  shownIn,
  underWayPage,
  toBooking,
  backOf,
  refusalPage
} from "./BookingStep.ts"
import { rescheduleName } from "./RescheduleStep.ts"

/** Sentences about the refund; the first is the answer. */
const refundSentences = (
  { summary }: OpenedBooking,
  { booking, by_hand, disputed, given_back, not_asked, refund }: Cancellation,
  language: Language
): readonly [string, ...ReadonlyArray<string>] => {
  const { cancel: text, words } = messages[language]
  const { currency, paid, total } = booking
  const { refund_blocked = 0, refund_disputed = 0 } = summary
  const onItsWay = pendingRefund(summary)
  const money = (amount: number) => moneyIn(language, amount, currency)
  const wentBack = given_back.amount - summary.refund_on_its_way
  const first = (): string => {
    if (paid === 0) return text.nothingPaid
    if (refund.amount === paid) return text.all(money(paid))
    if (refund.amount > 0) return text.part(money(refund.amount), money(paid))
    return given_back.amount > 0 ? text.nothingMore : text.none(money(paid))
  }
  return [
    first(),
    ...(wentBack > 0 ? [text.wentBackBefore(money(wentBack))] : []),
    ...(onItsWay > 0 ? [text.alreadyOnItsWay(money(onItsWay))] : []),
    ...(refund_disputed > 0 ? [words.backAfterDispute(money(refund_disputed))] : []),
    ...(refund_blocked > 0 ? [words.backOnceOpen(money(refund_blocked))] : []),
    ...(refund.amount > 0 ? [backOf({ refund, by_hand }, waitsFor(summary, disputed.amount > 0), language)] : []),
    ...(not_asked !== undefined && paid > 0 ? [text.notAsked] : []),
    ...(paid < total && (summary.payable_until !== undefined || booking.awaiting_provider) ? [text.stillArrives] : [])
  ]
}

const visit = ({ terms }: BookingRow): Html => html`${isolated(terms.package_name)}<br>${isolated(terms.playroom_name)}`

const headers = { vary: "accept-language" }

/** Offers to move the booking instead, while that is free. */
const moveInstead = ({ asked, booking, summary }: OpenedBooking): Html => {
  const until = bookedTermsFacts(booking, summary)?.free_reschedule_until
  if (until === undefined || booking.status !== "confirmed") return html``
  const { move, page: text } = messages[asked.language]
  return html`<p>${text.moveInstead(dateTimeIn(asked.language, booking.terms.time_zone, until))}</p>
${actions(buttonLink(stepAddress(asked, rescheduleName), move.move, true))}`
}

/** `changed`: the booking is not as the form showed it. */
const confirmPage = (
  cancellation: Cancellation,
  opened: OpenedBooking,
  changed: boolean
): HttpServerResponse.HttpServerResponse => {
  const { asked } = opened
  const { language } = asked
  const { cancel: text, words } = messages[language]
  const { booking } = cancellation
  const [answer, ...more] = refundSentences(opened, cancellation, language)
  return page(
    text.title,
    html`<h1>${text.title}</h1>
${changed ? html`<p role="alert">${text.changed}</p>\n` : ""}${facts([
      { term: words.visit, is: visit(booking) },
      { term: words.when, is: dateTimeIn(language, booking.terms.time_zone, booking.starts_at) },
      { term: words.reference, is: booking.reference }
    ])}
<section class="card" aria-labelledby="back"><h2 id="back">${words.comesBack}</h2>
<p class="lead"><strong>${answer}</strong></p>
${more.map((sentence) => html`<p>${sentence}</p>`)}</section>
${moveInstead(opened)}
${notice(html`<p>${text.places}</p>`)}
${actions(
  buttonForm(stepAddress(asked), { step: cancel.step, shown: cancellation.shown }, text.cancel),
  buttonLink(stepAddress(asked), text.keep, true)
)}`,
    { language, formAction: "'self'", status: changed ? 409 : 200, headers }
  )
}

const begunPage = (opened: OpenedBooking) => {
  const { cancel: text } = messages[opened.asked.language]
  return Effect.succeed(refusalPage(opened, text.begunTitle, text.begun))
}

export const cancelStep = Effect.gen(function* () {
  const { run } = yield* BookingChanges
  const cancelling = (opened: OpenedBooking, how: Pick<How, "preview" | "shown">) =>
    run(cancel, opened.booking.booking_id, byTheFamily, { ...how, who: { as: "family" } })

  /** Why there is nothing to do, or nobody to do it. */
  const ended = (opened: OpenedBooking) => ({
    BookingNotFound: () => toBooking(opened),
    BookingCancelled: () => toBooking(opened),
    HoldExpired: () => toBooking(opened),
    NotAllowed: () => toBooking(opened),
    RefundTooLarge: () => toBooking(opened),
    VisitBegun: () => begunPage(opened)
  })

  const preview = (opened: OpenedBooking, changed: boolean) =>
    cancelling(opened, { preview: true }).pipe(
      Effect.map((cancellation) => confirmPage(cancellation, opened, changed)),
      Effect.catchTags({
        ...ended(opened),
        ChangedSinceShown: () => toBooking(opened),
        ChangeUnderWay: () => toBooking(opened)
      })
    )

  const act: BookingStep["act"] = (opened, form) =>
    shownIn(form).pipe(
      Effect.flatMap(({ shown }) => cancelling(opened, { preview: false, shown })),
      Effect.andThen(toBooking(opened)),
      Effect.catchTags({
        SchemaError: () => Effect.succeed(linkProblemPage("unreadable", opened.asked.language)),
        ...ended(opened),
        ChangedSinceShown: () => preview(opened, true),
        ChangeUnderWay: () => Effect.succeed(underWayPage(opened))
      })
    )

  /** Shows the button until the visit ends. Once the visit has begun, the button's page says whom to call. */
  const parts: BookingStep["parts"] = ({ asked, booking }) =>
    Effect.map(Clock.currentTimeMillis, (now) =>
      isLiveBooking(booking) && now < booking.ends_at
        ? { action: buttonLink(stepAddress(asked, cancel.step), messages[asked.language].cancel.cancel, true) }
        : {}
    )

  return { parts, show: (opened) => preview(opened, false), act } satisfies BookingStep
})
