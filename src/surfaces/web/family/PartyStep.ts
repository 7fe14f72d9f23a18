/**
 * The family changes its party: a form, a page that states the exact changes with the money, and a second form that
 * names the state that it showed.
 */
import { Clock, Effect } from "effect"
import type { HttpServerResponse } from "effect/http"
import type { BookingRow } from "../../../domain/booking/Booking.ts"
import {
  areDetailsOpen,
  type ChangedBooking,
  type ChangeProblem,
  type ChangeRefused,
  changeRefusal,
  isSameParty,
  type PartyChange,
  partyOf
} from "../../../domain/booking/VisitChange.ts"
import { partyChangeUntil } from "../../../domain/catalogue/VisitTerms.ts"
import { type Language, messages } from "../../../words/Languages.ts"
import { dateTimeIn, momentIn, partyIn } from "../../../words/Localized.ts"
import { html, type Html } from "../../../platform/text/Html.ts"
import { BookingChanges, type How, type Told } from "../../../domain/payment/changes/BookingChanges.ts"
import { changeParty, type VisitChangeError, VisitOffers } from "../../../domain/payment/changes/VisitChanges.ts"
import { askVenue, linkProblemPage } from "../frame/LinkProblems.ts"
import { page } from "../frame/Layout.ts"
import { actions, buttonLink, type Fact, facts, isolated, paragraphs, hiddenInputs } from "../frame/Parts.ts"
import { type BookingStep, type OpenedBooking, stepAddress, underWayPage, toBooking } from "./BookingStep.ts"
import { alertOf, moneyOfChange, sorryPage, termsAfter } from "./ChangeParts.ts"
import {
  decodeSubmitted,
  extraName,
  formWords,
  inputIn,
  inputOf,
  type PartyFaults,
  partyForm,
  type PartyInput,
  partyName,
  type PartyOffer,
  wishIn,
  enteredFields
} from "./PartyForm.ts"

type Response = HttpServerResponse.HttpServerResponse

const headers = { vary: "accept-language" }

/** What the form offers, and why the party itself can't be changed. */
interface Offered extends PartyOffer {
  readonly refusal?: ChangeProblem
}

/** Why the party can't be changed, in words. */
const whyNot = ({ asked, booking }: OpenedBooking, refusal: ChangeProblem): string | undefined => {
  const { move, party: text } = messages[asked.language]
  const { starts_at, terms } = booking
  switch (refusal) {
    case "headcount_final":
      return text.headcountFinal(dateTimeIn(asked.language, terms.time_zone, partyChangeUntil(starts_at, terms)))
    case "payment_open":
    case "payment_processing":
      return move.payment
    case "refund_pending":
      return move.refund
    case "not_confirmed":
      return undefined
    default:
      return text.notSold
  }
}

const formPage = (
  opened: OpenedBooking,
  offered: Offered,
  input: PartyInput,
  faults: PartyFaults = {},
  alert?: string
): Response => {
  const { asked, booking, summary } = opened
  const { language } = asked
  const { party: text } = messages[language]
  const { refusal } = offered
  const until = momentIn(language, booking.terms.time_zone, partyChangeUntil(booking.starts_at, booking.terms))
  const title = refusal === undefined ? text.change : text.changeDetails
  const why = refusal === undefined ? undefined : whyNot(opened, refusal)
  const wrong = Object.keys(faults).length > 0
  const alerted = wrong ? text.errors.lead : alert
  return page(
    title,
    html`<h1>${title}</h1>
${alertOf(alerted)}${why === undefined ? "" : html`<p>${why}</p>`}
<p class="lead">${refusal === undefined ? text.lead(until) : text.detailsOnly}</p>
${partyForm(asked, input, offered, faults)}
${askVenue(summary.operator, language)}`,
    { language, formAction: "'self'", status: alerted === undefined ? 200 : 409, headers }
  )
}

/** What it was, and what it will be. */
const fromTo = (term: string, from: string, to: Html | string, language: Language): Fact => {
  const text = messages[language].party
  const before = text.before(from === "" ? text.none : from)
  return { term, is: html`<strong>${to === "" ? text.none : to}</strong><br><span class="soft">${before}</span>` }
}

/** The changes, but for the money. */
export const changesOf = (
  { booking, from }: ChangedBooking,
  offer: PartyOffer,
  language: Language
): ReadonlyArray<Fact> => {
  const { party } = offer
  const { booking: words, party: text } = messages[language]
  const who = ({ adults, children }: BookingRow) => partyIn(language, { adults, children })
  const nameOf = (id: string) => party?.add_ons.find(({ add_on_id }) => add_on_id === id)?.name ?? id
  const extras = ({ terms }: BookingRow) =>
    terms.add_ons.map(({ add_on_id, quantity }) => `${quantity} × ${nameOf(add_on_id)}`).join(", ")
  const ages = ({ child_ages }: BookingRow) => child_ages.join(", ")
  const bare = (row: BookingRow) => ({ ...partyOf(row), children: 0, adults: 0 })
  return [
    ...(who(from) === who(booking) ? [] : [fromTo(words.who, who(from), who(booking), language)]),
    ...(isSameParty(bare(from), bare(booking))
      ? []
      : [fromTo(text.extras, extras(from), isolatedOr(extras(booking)), language)]),
    ...(ages(from) === ages(booking) ? [] : [fromTo(text.ages, ages(from), ages(booking), language)]),
    ...(from.contact_phone === booking.contact_phone
      ? []
      : [fromTo(text.phone, from.contact_phone ?? "", booking.contact_phone ?? "", language)]),
    ...(from.notes === booking.notes
      ? []
      : [
          {
            term: formWords(offer, language).notes,
            is: html`${booking.notes === null ? text.none : paragraphs(booking.notes)}`
          }
        ])
  ]
}

const isolatedOr = (text: string): Html | string => (text === "" ? text : isolated(text))

/** States the exact changes. `changed`: the booking is not as the form showed it. */
const confirmPage = (
  opened: OpenedBooking,
  offered: Offered,
  input: PartyInput,
  change: ChangedBooking & Told,
  changed: boolean
): Response => {
  const { asked } = opened
  const { language } = asked
  const { party: text, words } = messages[language]
  const { booking, kind } = change
  return page(
    text.title,
    html`<h1>${text.title}</h1>
${alertOf(changed ? text.changed : undefined)}${facts([
      {
        term: words.visit,
        is: html`${isolated(booking.terms.package_name)}<br>${isolated(booking.terms.playroom_name)}<br>${dateTimeIn(language, booking.terms.time_zone, booking.starts_at)}`
      },
      ...changesOf(change, offered, language),
      ...(kind === "details"
        ? [{ term: words.price, is: text.costsNothing }]
        : moneyOfChange(opened, change, language)),
      { term: words.reference, is: booking.reference }
    ])}
${kind === "details" ? undefined : termsAfter(opened, change, language)}
<form method="post" action="${stepAddress(asked)}">${hiddenInputs({ step: partyName, ...enteredFields(input), shown: change.shown })}
${actions(
  html`<button name="do" value="confirm">${text.confirm}</button>`,
  html`<button class="second" name="do" value="edit">${text.edit}</button>`,
  buttonLink(stepAddress(asked), words.leaveAsItIs, true)
)}</form>`,
    { language, formAction: "'self'", status: changed ? 409 : 200, headers }
  )
}

/** The field that a refusal is about, with what fits there. */
const faultsOf = ({ limits = {}, reason }: ChangeRefused, children: number, language: Language): PartyFaults => {
  const { errors } = messages[language].party
  const { add_on_id, least_children: least = 1, left = 0, most_adults = 0, most_children: most = 0 } = limits
  if (reason === "no_room")
    return add_on_id === undefined ? { children: errors.room(left) } : { [extraName(add_on_id)]: errors.extra(left) }
  return children < least || children > most
    ? { children: errors.children(least, most) }
    : { adults: errors.adults(most_adults) }
}

export const partyStep = Effect.gen(function* () {
  const { run } = yield* BookingChanges
  const offers = yield* VisitOffers
  const changing = (opened: OpenedBooking, party: PartyChange, how: Pick<How, "preview" | "shown">) =>
    run(changeParty, opened.booking.booking_id, { party, reason: "" }, { ...how, who: { as: "family" } })

  const offerFor = ({ booking }: OpenedBooking) =>
    Effect.map(offers.partyOffer(booking), ({ add_ons, ages, limits, refusal }): Offered => {
      const shared = { currency: booking.currency, ages }
      return refusal === undefined ? { ...shared, party: { ...limits, add_ons } } : { ...shared, refusal }
    })

  /** The form again, as things stand now. */
  const again = (opened: OpenedBooking, input: PartyInput, alert?: string, faults: PartyFaults = {}) =>
    Effect.map(offerFor(opened), (offered) => formPage(opened, offered, input, faults, alert))

  const refusedFor = (opened: OpenedBooking, input: PartyInput, error: ChangeRefused, isPreview: boolean) => {
    const { language } = opened.asked
    const { party: text } = messages[language]
    switch (error.reason) {
      case "same_visit":
        return isPreview ? again(opened, input, text.same) : toBooking(opened)
      case "not_confirmed":
      case "begun":
        return toBooking(opened)
      case "party_size":
      case "no_room":
        return again(opened, input, undefined, faultsOf(error, Number(input.children), language))
      case "closed":
        return again(opened, input, text.errors.closed)
      case "too_many_unpaid":
        return again(opened, input, text.tooMany)
      default:
        return again(opened, input, text.changed)
    }
  }

  const refused =
    (opened: OpenedBooking, input: PartyInput, changed?: () => ReturnType<typeof again>) =>
    (error: Exclude<VisitChangeError, { _tag: "SqlError" }>) => {
      const { party: text } = messages[opened.asked.language]
      switch (error._tag) {
        case "BookingNotFound":
        case "BookingCancelled":
        case "HoldExpired":
        case "NotAllowed":
          return toBooking(opened)
        case "ChangeRefused":
          return refusedFor(opened, input, error, changed === undefined)
        case "ChangeUnderWay":
          return Effect.succeed(underWayPage(opened))
        case "ChangedSinceShown":
          return changed?.() ?? again(opened, input, text.changed)
        case "InvalidArguments":
          return again(opened, input, text.errors.lead)
        case "OperatorUnavailable":
          return again(opened, input, text.notSold)
        case "KeepsChanging":
        case "OptionInvalid":
        case "PriceChanged":
        case "SlotUnavailable":
          return again(opened, input, text.changed)
      }
    }

  /** The page that states the changes, or the form with what is wrong. */
  const preview = (opened: OpenedBooking, input: PartyInput, changed: boolean): ReturnType<typeof again> =>
    Effect.gen(function* () {
      const offered = yield* offerFor(opened)
      const { faults, wish } = wishIn(input, opened.booking, offered, opened.asked.language)
      if (Object.keys(faults).length > 0) return formPage(opened, offered, input, faults)
      return yield* changing(opened, wish, { preview: true }).pipe(
        Effect.map((change) => confirmPage(opened, offered, input, change, changed)),
        Effect.catchIf((error) => error._tag !== "SqlError", refused(opened, input))
      )
    })

  /** Shows a page of the step while the booking can be changed at all. */
  const whileOpen = (opened: OpenedBooking, work: ReturnType<typeof again>) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      if (areDetailsOpen(opened.booking, now)) return work
      const { move, party } = messages[opened.asked.language]
      return opened.booking.status === "confirmed"
        ? Effect.succeed(sorryPage(opened, party.changeDetails, move.begun))
        : toBooking(opened)
    })

  const show: BookingStep["show"] = (opened) => whileOpen(opened, again(opened, inputOf(opened.booking)))

  const act: BookingStep["act"] = (opened, form) =>
    decodeSubmitted(Object.fromEntries(form)).pipe(
      Effect.flatMap(({ do: wanted = "check", shown }) =>
        whileOpen(
          opened,
          Effect.gen(function* () {
            const offered = yield* offerFor(opened)
            const input = inputIn(form, inputOf(opened.booking), offered)
            if (wanted === "edit") return formPage(opened, offered, input)
            const { faults, wish } = wishIn(input, opened.booking, offered, opened.asked.language)
            if (wanted === "check" || shown === undefined || Object.keys(faults).length > 0)
              return yield* preview(opened, input, false)
            return yield* changing(opened, wish, { preview: false, shown }).pipe(
              Effect.andThen(toBooking(opened)),
              Effect.catchIf(
                (error) => error._tag !== "SqlError",
                refused(opened, input, () => preview(opened, input, true))
              )
            )
          })
        )
      ),
      Effect.catchTag("SchemaError", () => Effect.succeed(linkProblemPage("unreadable", opened.asked.language)))
    )

  const parts: BookingStep["parts"] = ({ asked, booking, playroom }) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      if (!areDetailsOpen(booking, now)) return {}
      const { party: text } = messages[asked.language]
      const whole = playroom !== undefined && changeRefusal(booking, "party", "family", now) === undefined
      return {
        action: buttonLink(stepAddress(asked, partyName), whole ? text.change : text.changeDetails, true)
      }
    })

  return { parts, show, act } satisfies BookingStep
})
