/** Another party at the booking's own start, its extras, ages, wishes and telephone. */
import { Clock, Effect } from "effect"
import { areDetailsOpen, type ChangedBooking, changeRefusal } from "../../booking/VisitChange.ts"
import { messages } from "../../i18n/Languages.ts"
import { html } from "../../kernel/Html.ts"
import { VisitChanges } from "../../payment/changes/VisitChanges.ts"
import { inputIn, inputOf, type PartyOffer, partyFields, wishIn } from "../family/PartyForm.ts"
import { changesOf } from "../family/PartyStep.ts"
import { reasonIn } from "../../payment/changes/Act.ts"
import { reasonField } from "./AmountField.ts"
import { moneyTold, runChange } from "./ChangeRun.ts"
import { NotDone } from "./DeskAction.ts"
import { formedAction } from "./FormedAction.ts"

/** The action's name in addresses and forms. */
export const partyActionName = "party"

export const partyAction = Effect.gen(function* () {
  const changes = yield* VisitChanges

  return formedAction({
    name: partyActionName,
    right: "change_party",
    isOffered: ({ booking }, now) => areDetailsOpen(booking.row, now),
    title: (language) => messages[language].desk.change.title,
    confirm: (language) => messages[language].desk.change.confirm,
    offer: Effect.fnUntraced(function* ({ booking: { row: booking, view }, desk: { language } }) {
      const now = yield* Clock.currentTimeMillis
      if (!areDetailsOpen(booking, now)) return yield* new NotDone({ why: messages[language].desk.change.begun })
      const { playroom } = (yield* view).shown
      const { add_ons, limits, refusal } = yield* changes.partyOffer(booking)
      const shared = { for_staff: true as const, currency: booking.currency, playroom }
      // The family's deadline does not bind the venue.
      const whole = refusal === undefined || refusal === "headcount_final"
      const open = whole && changeRefusal(booking, "party", "operator", now) === undefined
      return (open ? { ...shared, party: { ...limits, add_ons } } : shared) satisfies PartyOffer
    }),
    fields: ({ booking, desk: { language } }, offer: PartyOffer, typed) => {
      const row = booking.row
      const input = typed.size === 0 ? inputOf(row) : inputIn(typed, inputOf(row), offer)
      const faults = typed.size === 0 ? {} : wishIn(input, row, offer, language).faults
      return html`${partyFields(input, offer, faults, language)}
${reasonField(typed.get("reason") ?? "", language, false)}`
    },
    entered: ({ booking, desk: { language } }, offer, typed) => {
      const row = booking.row
      const { faults, wish } = wishIn(inputIn(typed, inputOf(row), offer), row, offer, language)
      return Object.keys(faults).length > 0
        ? { wrong: messages[language].party.errors.lead }
        : { wish: { party: wish, reason: reasonIn(typed.get("reason") ?? "") } }
    },
    run: (opened, wish, how) => runChange(changes, opened, wish, how),
    told: ({ desk: { language } }, offer, change: ChangedBooking) => ({
      facts: [
        ...changesOf(change, offer, language),
        ...(change.kind === "details"
          ? [{ term: messages[language].words.price, is: messages[language].party.costsNothing }]
          : moneyTold(change, language))
      ]
    })
  })
})
