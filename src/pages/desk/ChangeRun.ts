/** A change of what is booked, at the desk: how it is asked for, why it is refused, and what it does with the money. */
import { Effect } from "effect"
import type { ChangedBooking, ChangeRefused, PartyChange, VisitChangeError } from "../../booking/VisitChange.ts"
import { type Language, messages } from "../../i18n/Languages.ts"
import { dateTimeIn, moneyIn } from "../../i18n/Localized.ts"
import { html } from "../../kernel/Html.ts"
import type { VisitChanges } from "../../payment/changes/VisitChanges.ts"
import { balanceOf, priceOf } from "../family/ChangeParts.ts"
import type { Fact } from "../Parts.ts"
import { type DeskOpened, NotDone } from "./DeskAction.ts"

/** The wanted visit or party, and why; the reason may be empty. */
type ChangeWish = { readonly reason: string } & ({ readonly option_id: string } | { readonly party: PartyChange })

/** Why a change is refused, in words for the desk. */
const whyRefused = ({ limits = {}, reason }: ChangeRefused, language: Language): string => {
  const { desk, party } = messages[language]
  const { least_children = 1, left = 0, most_children = 0 } = limits
  const { change } = desk
  switch (reason) {
    case "same_visit":
      return change.same
    case "not_confirmed":
      return change.notConfirmed
    case "begun":
      return change.begun
    case "payment_open":
    case "payment_processing":
      return change.payment
    case "refund_pending":
      return change.refund
    case "reason_needed":
      return change.reasonNeeded
    case "party_size":
      return desk.partyErrors.children(least_children, most_children)
    case "no_room":
      return limits.add_on_id === undefined ? party.errors.room(left) : party.errors.extra(left)
    case "closed":
      return change.closed
    case "other_playroom":
    case "other_currency":
    case "not_sold":
    case "not_free":
    case "headcount_final":
    case "other_party":
    case "too_many_unpaid":
      return change.notSold
  }
}

/** Every error of a change but those that the frame knows. */
type Refusal = Exclude<
  VisitChangeError,
  { readonly _tag: "SqlError" | "BookingNotFound" | "ChangedSinceShown" | "ChangeUnderWay" }
>

/** Why a visit can't be had, whether it is booked anew or changed to. */
export const whyNotHad = (
  error: Extract<
    Refusal,
    {
      readonly _tag:
        | "InvalidArguments"
        | "KeepsChanging"
        | "OperatorUnavailable"
        | "OptionInvalid"
        | "PriceChanged"
        | "SlotUnavailable"
    }
  >,
  language: Language,
  zone: string
): string => {
  const { change } = messages[language].desk
  switch (error._tag) {
    case "InvalidArguments":
      return messages[language].party.errors.lead
    case "SlotUnavailable": {
      const starts = error.alternatives.map(({ start }) => dateTimeIn(language, zone, Date.parse(start)))
      return starts.length === 0 ? change.taken : `${change.taken} ${change.nearest(starts.join("; "))}`
    }
    case "OperatorUnavailable":
    case "OptionInvalid":
      return change.notSold
    case "KeepsChanging":
    case "PriceChanged":
      return messages[language].desk.changed
  }
}

/** Why a booking is not changed. */
export const whyNotChanged = (error: Refusal, language: Language, zone: string): string => {
  switch (error._tag) {
    case "BookingCancelled":
    case "HoldExpired":
      return messages[language].desk.cancel.ended
    case "ChangeRefused":
      return whyRefused(error, language)
    case "InvalidArguments":
    case "KeepsChanging":
    case "OperatorUnavailable":
    case "OptionInvalid":
    case "PriceChanged":
    case "SlotUnavailable":
      return whyNotHad(error, language, zone)
  }
}

/** Makes a change as the operator, or says what it would do. */
export const runChange = (
  changes: VisitChanges["Service"],
  { booking, desk: { language, member } }: DeskOpened,
  { reason, ...wish }: ChangeWish,
  how: { readonly preview: boolean; readonly shown?: string }
) => {
  const { booking_id, terms } = booking.row
  const request = {
    ...wish,
    ...how,
    by: "operator" as const,
    done_by: member.name,
    ...(reason === "" ? {} : { reason })
  }
  return changes.change(booking_id, request).pipe(
    // The page asks for the reason before it says what happens, and not after.
    Effect.filterOrFail(
      ({ free }) => free || reason !== "",
      () => new NotDone({ why: messages[language].desk.change.reasonNeeded })
    ),
    Effect.catchIf(
      (error) =>
        error._tag !== "SqlError" &&
        error._tag !== "NotDone" &&
        error._tag !== "BookingNotFound" &&
        error._tag !== "ChangedSinceShown" &&
        error._tag !== "ChangeUnderWay",
      (error) => Effect.fail(new NotDone({ why: whyNotChanged(error, language, terms.time_zone) }))
    )
  )
}

/** What a change does with the money. */
export const moneyTold = (change: ChangedBooking, language: Language): ReadonlyArray<Fact> => {
  const { desk, words } = messages[language]
  const { booking, by_hand, refund, waived } = change
  const shown = (amount: number) => moneyIn(language, amount, booking.currency)
  const balance = balanceOf(change, language)
  return [
    { term: words.price, is: priceOf(change, language) },
    ...(waived.amount === 0 ? [] : [{ term: messages[language].booking.lines.waived, is: shown(waived.amount) }]),
    ...(refund.amount === 0
      ? []
      : [
          {
            term: words.comesBack,
            is: html`<strong>${shown(refund.amount)}</strong>${by_hand.amount === 0 ? "" : html`<br><span class="soft">${desk.back.byHand(shown(by_hand.amount))}</span>`}`
          }
        ]),
    ...(balance === undefined ? [] : [{ term: words.balance, is: balance }])
  ]
}
