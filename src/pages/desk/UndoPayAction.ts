/** A payment at the venue that was recorded by mistake is undone. */
import { Effect } from "effect"
import { messages } from "../../i18n/Languages.ts"
import { dateTimeIn, moneyIn } from "../../i18n/Localized.ts"
import { html } from "../../kernel/Html.ts"
import { type UndonePayment, UndonePayments, type UndoRefused } from "../../payment/changes/UndonePayments.ts"
import type { PaymentSessionRow } from "../../payment/sessions/PaymentSession.ts"
import { isolated } from "../Parts.ts"
import { type DeskOpened, NotDone } from "./DeskAction.ts"
import { choice, formedAction } from "./FormedAction.ts"

/** The action's name in addresses and forms. */
export const undoPayName = "unpay"

/** The payment in words: how much, how, when and by whom. */
const labelOf = ({ amount, currency, paid_at, taken_by, way }: PaymentSessionRow, { booking, desk }: DeskOpened) => {
  const { language } = desk
  const when = paid_at === null ? "" : ` · ${dateTimeIn(language, booking.shown.booking.terms.time_zone, paid_at)}`
  const how = way === "link" ? "" : messages[language].receipt.paidBy[way]
  return html`${moneyIn(language, amount, currency)} · ${how}${when}${taken_by === null ? "" : html` · ${isolated(taken_by)}`}`
}

export const undoPayAction = Effect.gen(function* () {
  const payments = yield* UndonePayments

  return formedAction({
    name: undoPayName,
    right: "undo_payment",
    isOffered: ({ booking }) => booking.undoable.length > 0,
    title: (language) => messages[language].desk.undoPay.title,
    confirm: (language) => messages[language].desk.undoPay.confirm,
    offer: ({ booking, desk: { language } }) =>
      booking.undoable.length > 0
        ? Effect.void
        : Effect.fail(new NotDone({ why: messages[language].desk.undoPay.nothing })),
    fields: (opened, _, typed) => {
      const { undoable } = opened.booking
      const chosen = typed.get("payment") ?? (undoable.length === 1 ? undoable[0]?.payment_session_id : undefined)
      return choice(
        "payment",
        messages[opened.desk.language].desk.undoPay.which,
        undoable.map((one) => ({ value: one.payment_session_id, label: labelOf(one, opened) })),
        chosen
      )
    },
    entered: ({ booking, desk: { language } }, _, typed) => {
      const found = booking.undoable.find((one) => one.payment_session_id === typed.get("payment"))
      return found === undefined ? { wrong: messages[language].desk.undoPay.nothing } : { wish: found }
    },
    run: ({ desk: { language, member } }, { payment_session_id }: PaymentSessionRow, how) => {
      const { pay, undoPay } = messages[language].desk
      const why = ({ reason }: UndoRefused) => (reason === "processing" ? pay.processing : undoPay.nothing)
      return payments
        .undo(payment_session_id, { ...how, done_by: member.name })
        .pipe(Effect.catchTag("UndoRefused", (refused) => Effect.fail(new NotDone({ why: why(refused) }))))
    },
    told: ({ desk: { language } }, _, { amount, left, way }: UndonePayment) => {
      const { desk, receipt } = messages[language]
      return {
        facts: [
          {
            term: way === "link" ? desk.undoPay.title : receipt.paidBy[way],
            is: html`<s>${moneyIn(language, amount.amount, amount.currency)}</s>`
          },
          { term: desk.pay.left, is: html`<strong>${moneyIn(language, left.amount, left.currency)}</strong>` }
        ],
        sentences: [desk.undoPay.noRefund, desk.undoPay.books]
      }
    }
  })
})
