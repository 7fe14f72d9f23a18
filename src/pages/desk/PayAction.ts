/** A payment at the venue is recorded. */
import { Clock, Effect, Schema } from "effect"
import { amountsToPay } from "../../booking/Standing.ts"
import { holdRuns } from "../../booking/Lifecycle.ts"
import { messages } from "../../i18n/Languages.ts"
import { moneyIn } from "../../i18n/Localized.ts"
import { html } from "../../kernel/Html.ts"
import type { Instant } from "../../kernel/LocalTime.ts"
import { type RecordedPayment, type VenuePaymentRefused, VenuePayments } from "../../payment/changes/VenuePayments.ts"
import { VenueWay } from "../../payment/sessions/PaymentSession.ts"
import { amountField, amountIn } from "./AmountField.ts"
import { type DeskOpened, NotDone } from "./DeskAction.ts"
import { choice, formedAction } from "./FormedAction.ts"
import { decimalText } from "../../kernel/Money.ts"

/** The action's name in addresses and forms. */
export const payName = "pay"

const isWay = Schema.is(VenueWay)

const owed = ({ booking: { shown } }: DeskOpened): number => amountsToPay(shown.booking, shown.summary).outstanding

const isOpen = (opened: DeskOpened, now: Instant): boolean => {
  const row = opened.booking.shown.booking
  return owed(opened) > 0 && (row.status !== "held" || holdRuns(row, now))
}

export const payAction = Effect.gen(function* () {
  const payments = yield* VenuePayments

  return formedAction({
    name: payName,
    right: "take_payment",
    isOffered: isOpen,
    title: (language) => messages[language].desk.pay.title,
    confirm: (language) => messages[language].desk.pay.confirm,
    offer: (opened) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        isOpen(opened, now)
          ? Effect.void
          : Effect.fail(new NotDone({ why: messages[opened.desk.language].desk.pay.nothing }))
      ),
    fields: (opened, _, typed) => {
      const { language } = opened.desk
      const { desk, receipt } = messages[language]
      const { currency } = opened.booking.shown.booking
      const ways = VenueWay.literals.map((value) => ({ value, label: receipt.paidBy[value] }))
      return html`${amountField(currency, typed.get("amount") ?? decimalText(owed(opened), currency), language)}
${choice("way", desk.pay.way, ways, typed.get("way") ?? undefined)}`
    },
    entered: ({ booking, desk }, _, typed) => {
      const amount = amountIn(typed.get("amount") ?? "", booking.shown.booking.currency, desk.language)
      if (typeof amount === "string") return { wrong: amount }
      const way = typed.get("way")
      return isWay(way) ? { wish: { amount, way } } : { wrong: messages[desk.language].desk.pay.whichWay }
    },
    run: ({ booking, desk }, { amount, way }, how) => {
      const { booking: row } = booking.shown
      const { pay } = messages[desk.language].desk
      const why = ({ owed, reason }: VenuePaymentRefused): string => {
        // It was paid, here or online, since the form was opened.
        if (owed.amount === 0) return pay.nothing
        const shown = moneyIn(desk.language, owed.amount, row.currency)
        return { more_than_owed: pay.more(shown), less_than_due: pay.less(shown), processing: pay.processing }[reason]
      }
      return payments.record(row.booking_id, { amount, way, done_by: desk.member.name }, how).pipe(
        Effect.catchTags({
          BookingCancelled: () => Effect.fail(new NotDone({ why: pay.nothing })),
          HoldExpired: () => Effect.fail(new NotDone({ why: pay.nothing })),
          VenuePaymentRefused: (refused) => Effect.fail(new NotDone({ why: why(refused) }))
        })
      )
    },
    told: ({ desk: { language } }, _, { amount, confirms, left, way }: RecordedPayment) => {
      const { desk, receipt } = messages[language]
      const { pay } = desk
      return {
        facts: [
          {
            term: receipt.paidBy[way],
            is: html`<strong>${moneyIn(language, amount.amount, amount.currency)}</strong>`
          },
          { term: pay.left, is: moneyIn(language, left.amount, left.currency) }
        ],
        sentences: [...(confirms ? [pay.confirms] : []), pay.pages]
      }
    }
  })
})
