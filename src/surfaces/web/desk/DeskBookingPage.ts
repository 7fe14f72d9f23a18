/** `/desk/b/{booking}`: a booking at the desk, and what staff do with it. */
import { Clock, Data, Effect, Option } from "effect"
import type { HttpServerResponse } from "effect/http"
import type { SqlError } from "effect/sql"
import type { BookingRow, HistoryFacts, VenueHistoryEntry } from "../../../domain/booking/Booking.ts"
import { BookingRecords, isErased } from "../../../domain/booking/BookingRecords.ts"
import { asOf } from "../../../domain/booking/Lifecycle.ts"
import { standingOf } from "../../../domain/booking/Standing.ts"
import { type Language, messages } from "../../../words/Languages.ts"
import { dateTimeIn, moneyIn, partyIn } from "../../../words/Localized.ts"
import type { Instant } from "../../../platform/time/LocalTime.ts"
import { html, type Html } from "../../../platform/text/Html.ts"
import type { OperatorId } from "../../../platform/ids/Ids.ts"
import { localDateOf } from "../../../platform/time/LocalTime.ts"
import { money } from "../../../platform/money/Money.ts"
import { wordsIn } from "../../../domain/payment/changes/Act.ts"
import { BookingChanges, type Situation } from "../../../domain/payment/changes/BookingChanges.ts"
import { refundRemarks } from "../../../domain/payment/changes/RefundDecision.ts"
import { isOwed, type RefundRow } from "../../../domain/payment/refunds/Refund.ts"
import { deskPaths, type DeskRight, mayDo } from "../../../domain/people/staff/StaffMember.ts"
import {
  actions,
  buttonLink,
  dataTable,
  emailLink,
  facts,
  isolated,
  notice,
  paragraphs,
  phoneLink,
  type PageAnswer,
  section
} from "../frame/Layout.ts"
import { linkProblemPage } from "../frame/LinkProblems.ts"
import { moneyFacts, priceTable } from "../family/MoneyFacts.ts"
import { moneyTable } from "../family/BookingStep.ts"
import { missingAnswers, type PaymentSummary } from "../../../domain/booking/BookingViews.ts"
import type { Ledger } from "../../../domain/payment/refunds/BookingLedger.ts"
import { type ShownBooking, ShownBookings } from "../family/ShownBookings.ts"
import { whenOf } from "../family/Visit.ts"
import { moneyOf, nameOf } from "../operator/OperatorDays.ts"
import { guestPart } from "../family/InvitationPage.ts"
import { partyName } from "../family/PartyStep.ts"
import { answersPart } from "../family/QuestionsStep.ts"
import { deskAddress, deskPage, type DeskRequest, type DeskScreen, notAllowedPage } from "./DeskFrame.ts"

/** What only the booking's page shows. */
interface DeskView {
  readonly shown: ShownBooking
  /** The bookings that were made together with it. */
  readonly together: ReadonlyArray<BookingRow>
  readonly money: Ledger
}

/** A booking at the desk. */
interface DeskBooking {
  readonly row: BookingRow
  readonly history: ReadonlyArray<VenueHistoryEntry>
  /** What the venue has still to give back by hand. */
  readonly by_hand: ReadonlyArray<RefundRow>
  /** What acts are decided by. */
  readonly as: Situation
  /** What its page shows besides, read when it is asked for: who does something needs nothing of it. */
  readonly view: Effect.Effect<DeskView, SqlError.SqlError>
}

/** A booking at the desk, with the request of who opened it. */
export interface DeskOpened {
  readonly desk: DeskRequest
  readonly booking: DeskBooking
  /** How many lines of the history the page had seen whose form this is; absent if it does not say. */
  readonly seen?: number
  /** What the address of a move's page chooses; absent for a form that was sent. */
  readonly asked?: {
    readonly month?: string
    readonly date?: string
    readonly time?: string
    readonly package?: string
  }
}

/** Nothing was done: why, in words for the person at the desk. `changed`: the booking is not as the page showed it. */
export class NotDone extends Data.TaggedError("NotDone")<{ readonly why: string; readonly changed?: true }> {
  override get message(): string {
    return this.why
  }
}

/**
 * An action's answer. If nothing was done, `DeskBookingPage.ts` shows the booking as it is by now, and what has
 * happened to it.
 */
type ActionAnswer = Effect.Effect<HttpServerResponse.HttpServerResponse, NotDone | SqlError.SqlError>

/** An action. `DeskRoutes.ts` registers it by name. */
export interface DeskAction {
  /** What the person's role has to allow for it to be offered, shown or done. */
  readonly right: DeskRight
  /** How the booking's page leads to it; undefined while there is nothing to do. */
  readonly offer: (opened: DeskOpened, now: Instant) => Html | undefined
  /** `GET /desk/b/{booking}?step=NAME` changes nothing. If absent, the booking's page is shown. */
  readonly show?: (opened: DeskOpened) => ActionAnswer
  /** `POST /desk/b/{booking}` with `step=NAME` in its form. */
  readonly act: (opened: DeskOpened, form: URLSearchParams) => ActionAnswer
  /**
   * After an act that was not done: its form on the booking as it is by now. If it fails, or is absent, the booking's
   * page is shown.
   */
  readonly again?: (opened: DeskOpened, form: URLSearchParams, not: NotDone) => ActionAnswer
}

/** The field with how much of the history the page had seen. */
export const seenField = "seen"

/** How much of the history a form says that its page had seen. */
const seenIn = (form: URLSearchParams): { readonly seen?: number } => {
  const text = form.get(seenField) ?? ""
  return /^\d{1,6}$/.test(text) ? { seen: Number(text) } : {}
}

const deskBookings = Effect.gen(function* () {
  const records = yield* BookingRecords
  const changes = yield* BookingChanges
  const pages = yield* ShownBookings

  /** The booking, if it is at this operator. One elsewhere is not there, like one that does not exist. */
  return Effect.fn("DeskBookings.read")(function* (operator_id: OperatorId, booking_id: string) {
    const found = yield* records.seen({ booking_id }, { operator_id, guest: false })
    if (Option.isNone(found)) return Option.none<DeskBooking>()
    const { row } = found.value
    const [history, as] = yield* Effect.all([records.venueHistory(row), changes.situation(row)], { concurrency: 2 })
    return Option.some<DeskBooking>({
      row,
      history,
      as,
      by_hand: as.refunds.filter((refund) => refund.waits_for === "venue" && isOwed(refund)),
      view: Effect.all([pages.read(row.booking_id), pages.receipt(row), records.bookedTogether(row)], {
        concurrency: 2
      }).pipe(
        // No booking is ever removed.
        Effect.map(([read, { ledger }, together]) => {
          const { shown } = Option.getOrThrow(read)
          return { shown, money: ledger, together: together.map((one) => asOf(one, shown.summary.now)) }
        })
      )
    })
  })
})

/** What either the venue does, and then the history has a name, or the family. */
const ofEither: ReadonlySet<string> = new Set(["cancelled", "moved", "changed"])

/** What a line of the history says beside its event: what changed from what to what, the money, and why. */
const factsOf = (
  { currency, terms: { time_zone } }: BookingRow,
  {
    by_terms,
    exceptions = [],
    from,
    left = 0,
    others = [],
    paid,
    reason,
    refund,
    to,
    waived,
    way,
    without
  }: HistoryFacts,
  language: Language
): ReadonlyArray<Html | string> => {
  const { booking, desk, operator, party, receipt, words } = messages[language]
  const parts = { ages: party.ages, extras: party.extras, notes: operator.notes, phone: party.phone }
  const shown = (amount: number) => moneyIn(language, amount, currency)
  const told = (term: string, amount: number | undefined) => (amount === undefined ? [] : [`${term}: ${shown(amount)}`])
  const unnamed = others.filter((other) => other !== "extras" || from?.extras === undefined)
  const extrasIn = ({ extras }: NonNullable<HistoryFacts["from"]>) => (extras === "" ? party.none : (extras ?? ""))
  const changed = (was: string, is: string) => (was === is ? [] : [html`${isolated(was)} → ${isolated(is)}`])
  return [
    ...(from === undefined || to === undefined
      ? []
      : [
          ...changed(dateTimeIn(language, time_zone, from.starts_at), dateTimeIn(language, time_zone, to.starts_at)),
          ...changed(from.playroom_name, to.playroom_name),
          ...changed(from.package_name, to.package_name),
          ...changed(partyIn(language, from), partyIn(language, to)),
          ...changed(extrasIn(from), extrasIn(to)),
          ...changed(from.contact_name ?? "", to.contact_name ?? ""),
          ...changed(from.contact_email ?? "", to.contact_email ?? ""),
          ...changed(shown(from.total), shown(to.total))
        ]),
    ...(unnamed.length === 0 ? [] : [unnamed.map((other) => parts[other]).join(" · ")]),
    ...(without === undefined ? [] : [html`${isolated(desk.move.without(without))}`]),
    ...told(way === undefined ? words.paid : receipt.paidBy[way], paid),
    ...(refund !== undefined && way !== undefined
      ? [`${shown(refund)} · ${desk.returned.ways[way]}`]
      : told(words.comesBack, refund)),
    ...told(booking.lines.waived, waived),
    ...told(desk.cancel.byTerms, by_terms),
    ...(left > 0 ? told(desk.pay.left, left) : []),
    ...exceptions.map((one) => desk.exceptions[one]),
    ...(reason === undefined ? [] : [html`${desk.reason}: ${isolated(reason)}`])
  ]
}

/**
 * The lines of the history that concern a desk, by the day at the venue: when, and what happened by whom. `unnamed`:
 * whoever made a change that names nobody, if that is told; commands of earlier releases named nobody either.
 */
const linesOf = (
  { row }: DeskBooking,
  history: DeskBooking["history"],
  language: Language,
  unnamed?: string
): ReadonlyArray<readonly [string, Html]> => {
  const { byFamily } = messages[language].desk
  const events: Readonly<Record<string, string>> = messages[language].desk.events
  return history.flatMap(({ at, detail, done_by, event, facts }) => {
    const named = events[event]
    if (named === undefined) return []
    const family = facts?.by === "family" ? byFamily : ofEither.has(event) ? unnamed : undefined
    const who = done_by === undefined ? family : isolated(done_by)
    // The venue's own record has no other words for what it does not keep in parts.
    const record = detail === undefined ? [] : [html`<span lang="en">${isolated(detail)}</span>`]
    const parts = facts === undefined ? [] : factsOf(row, facts, language)
    const beside = (parts.length === 0 ? record : parts).map((one) => html`<br><span class="soft">${one}</span>`)
    return [
      [
        dateTimeIn(language, row.terms.time_zone, Date.parse(at)),
        html`${named}${who === undefined ? "" : html` · ${who}`}${beside}`
      ] as const
    ]
  })
}

const historyOf = (booking: DeskBooking, language: Language): Html => {
  const { booking: text, desk, receipt } = messages[language]
  return dataTable(desk.history, [receipt.date, text.what], linesOf(booking, booking.history, language))
}

/** Why nothing was done, with what has happened to the booking since the page whose form was sent. */
export const notDoneOf = ({ booking, desk: { language }, seen }: DeskOpened, why: string): Html => {
  const lines =
    seen === undefined ? [] : linesOf(booking, booking.history.slice(seen), language, messages[language].desk.byFamily)
  return html`<div role="alert"><p>${why}</p>
${
  lines.length === 0
    ? ""
    : html`<p>${messages[language].desk.since}</p>
<ul class="plain">${lines.map(([when, what]) => html`<li><strong>${what}</strong> · ${when}</li>`)}</ul>`
}</div>
`
}

/** What of the money that goes back staff have to know: the family's words are for who paid it. */
const howGoesBack = (
  { refund_blocked = 0, refund_by_hand = 0, refund_disputed = 0 }: PaymentSummary,
  currency: string,
  language: Language
): ReadonlyArray<string> =>
  refundRemarks(
    {
      by_hand: money(refund_by_hand, currency),
      disputed: money(refund_disputed, currency),
      blocked: money(refund_blocked, currency)
    },
    wordsIn(language)
  )

/** `offers`: what the person can do with it. `why`: why nothing came of it. */
const deskBookingPage = (
  opened: DeskOpened,
  { money: ledger, shown, together }: DeskView,
  offers: ReadonlyArray<Html>,
  why?: string
): HttpServerResponse.HttpServerResponse => {
  const { booking, desk: request } = opened
  const { language } = request
  const { booking: row, summary, unclear } = shown
  const { contact_email, contact_phone, currency, notes, reference, starts_at, status, terms, total } = row
  const { booking: text, desk, operator, venueAsks, words } = messages[language]
  const answers = answersPart(row.answers)
  const guests = row.guests ?? []
  const missing = missingAnswers(summary.questions ?? [], row)
  const standing = standingOf(row, summary)
  const { due, money: state } = moneyOf(language, { currency, standing, starts_at, time_zone: terms.time_zone, total })
  const name = nameOf(language, row)
  const states = {
    held: operator.unsure,
    confirmed: words.confirmed,
    expired: desk.events.hold_expired,
    cancelled: words.cancelled
  }
  const beside = together.map(
    (one) =>
      html`<li><a href="${deskAddress(one.booking_id)}">${dateTimeIn(language, one.terms.time_zone, one.starts_at)}</a>, ${isolated(one.terms.playroom_name)} · ${states[one.status]}</li>`
  )
  const mark = row.attendance === null ? "" : html` · <strong>${desk.marks[row.attendance]}</strong>`
  const moneyRows = moneyFacts(shown, standing, language, howGoesBack(summary, currency, language))
  return deskPage(request, {
    title: name,
    words: "",
    status: why === undefined ? 200 : 409,
    head: html`${why === undefined ? "" : notDoneOf(opened, why)}<header>
<h1>${isolated(name)}</h1>
<p>${whenOf(row, language)}<br>${isolated(terms.playroom_name)} · ${isolated(terms.package_name)}</p>
<p class="lead"><strong>${states[status]}</strong>${mark}${state === "" ? "" : html` · ${due ? html`<strong>${state}</strong>` : state}`}</p>
</header>
${summary.disputed === true ? notice(html`<p>${text.disputed}</p>`) : ""}
${unclear ? notice(html`<p>${desk.unclear}</p>`) : ""}`,
    body: html`<div class="columns">
<div>
${facts([
  { term: text.who, is: partyIn(language, row) },
  ...(notes === null ? [] : [{ term: operator.notes, is: paragraphs(notes) }]),
  ...(answers.length === 0 ? [] : [{ term: venueAsks.answers, is: answers }]),
  ...(missing.length === 0
    ? []
    : [{ term: venueAsks.unanswered, is: missing.map(({ text }) => html`<p>${isolated(text)}</p>`) }]),
  ...(guests.length === 0
    ? []
    : [
        {
          term: messages[language].invitation.guests,
          is: html`<p>${guests.length}</p>${guests.filter(({ allergies, answers = [] }) => allergies !== "" || answers.length > 0).map((guest) => html`<p>${guestPart(guest)}</p>`)}`
        }
      ]),
  ...(isErased(row)
    ? []
    : [
        {
          term: desk.contact,
          is: html`${contact_phone === null ? "" : html`${phoneLink(contact_phone)}<br>`}${emailLink(contact_email)}<br>
<a class="noprint" href="${deskAddress(row.booking_id, partyName)}">${messages[language].party.correct}</a>`
        }
      ]),
  { term: words.reference, is: html`<span class="reference">${reference}</span>` }
])}
${section(words.together, beside.length === 0 ? [] : [html`<ul class="plain">${beside}</ul>`])}
${offers.length === 0 ? "" : html`<div class="actions noprint">${offers}</div>`}
${moneyRows.length === 0 ? "" : facts(moneyRows)}
</div>
<div>
${priceTable(row, language)}
${moneyTable(row, ledger, language)}
${historyOf(booking, language)}
</div>
</div>
${actions(buttonLink(`${deskPaths.desk}?day=${localDateOf(terms.time_zone, starts_at)}`, desk.toDay, true))}`
  })
}

/** The screen. `actions`: what staff do with a booking, by name, in the order in which they are offered. */
export const deskBooking = Effect.fn(function* (actions: ReadonlyMap<string, DeskAction>) {
  const readBooking = yield* deskBookings

  /** Answers with a booking of this operator; any other is not there. */
  const opening = (desk: DeskRequest, booking_id: string, answer: (opened: DeskOpened) => PageAnswer): PageAnswer =>
    Effect.flatMap(
      readBooking(desk.member.operator_id, booking_id),
      Option.match({
        onNone: () => Effect.succeed(linkProblemPage("nothing", desk.language)),
        onSome: (booking) => answer({ desk, booking })
      })
    )

  const shownBooking = (opened: DeskOpened, why?: string): PageAnswer =>
    Effect.gen(function* () {
      const view = yield* opened.booking.view
      const now = yield* Clock.currentTimeMillis
      const offers = Array.from(actions.values()).flatMap(({ offer, right }) => {
        const offered = mayDo(opened.desk.member.role, right) ? offer(opened, now) : undefined
        return offered === undefined ? [] : [offered]
      })
      return deskBookingPage(opened, view, offers, why)
    })

  /** An answer; if nothing was done, the booking's page says why. */
  const orBooking = (opened: DeskOpened, answer: ActionAnswer): PageAnswer =>
    Effect.catchTag(answer, "NotDone", ({ why }) => shownBooking(opened, why))

  /**
   * Does an action. If nothing was done, somebody may have been faster: the booking is read again, for its form if
   * that can still work, else for its page, and what has happened since the page is told.
   */
  const done =
    ({ act, again = (_, __, not) => Effect.fail(not) }: DeskAction, form: URLSearchParams) =>
    (opened: DeskOpened): PageAnswer =>
      Effect.catchTag(act({ ...opened, ...seenIn(form) }, form), "NotDone", (not: NotDone) =>
        opening(opened.desk, opened.booking.row.booking_id, (now) => {
          const fresh = { ...now, ...seenIn(form) }
          return orBooking(fresh, again(fresh, form, not))
        })
      )

  /** Takes an action by name, if it is one and the person may. */
  const acting = (
    desk: DeskRequest,
    booking_id: string,
    name: string,
    take: (action: DeskAction) => (opened: DeskOpened) => PageAnswer
  ): PageAnswer => {
    const action = actions.get(name)
    if (action === undefined) return Effect.succeed(linkProblemPage("nothing", desk.language))
    return opening(desk, booking_id, (opened) =>
      mayDo(desk.member.role, action.right) ? take(action)(opened) : Effect.succeed(notAllowedPage(desk, booking_id))
    )
  }

  return {
    path: `${deskPaths.booking}:booking`,
    show: (desk, { step, ...asked }, id) =>
      step === undefined
        ? opening(desk, id, shownBooking)
        : acting(
            desk,
            id,
            step,
            ({ show = shownBooking }) =>
              (opened) =>
                orBooking(opened, show({ ...opened, asked }))
          ),
    act: (desk, form, id) => acting(desk, id, form.get("step") ?? "", (action) => done(action, form))
  } satisfies DeskScreen
})
