/** An amount goes back, and the booking stays. */
import { Effect } from "effect"
import { messages } from "../../i18n/Languages.ts"
import { moneyIn } from "../../i18n/Localized.ts"
import { html } from "../../kernel/Html.ts"
import type { GivenBack } from "../../payment/changes/CancellationRefund.ts"
import { Goodwill } from "../../payment/changes/Goodwill.ts"
import { amountField, amountIn, reasonField, reasonIn } from "./AmountField.ts"
import { type DeskOpened, NotDone } from "./DeskAction.ts"
import { formedAction } from "./FormedAction.ts"
import { refundRemarks } from "./RefundParts.ts"

/** The action's name in addresses and forms. */
export const giveBackName = "back"

const hasPaid = ({ booking: { shown } }: DeskOpened): boolean => shown.booking.paid > shown.booking.refunded

export const giveBackAction = Effect.gen(function* () {
  const goodwill = yield* Goodwill

  return formedAction({
    name: giveBackName,
    right: "give_back",
    isOffered: hasPaid,
    title: (language) => messages[language].desk.back.title,
    confirm: (language) => messages[language].desk.back.confirm,
    offer: (opened) =>
      hasPaid(opened)
        ? Effect.void
        : Effect.fail(new NotDone({ why: messages[opened.desk.language].desk.back.nothing })),
    fields: ({ booking, desk: { language } }, _, typed) => {
      const { currency } = booking.shown.booking
      return html`${amountField(currency, typed.get("amount") ?? "", language)}
${reasonField(typed.get("reason") ?? "", language, true)}`
    },
    entered: ({ booking, desk: { language } }, _, typed) => {
      const amount = amountIn(typed.get("amount") ?? "", booking.shown.booking.currency, language)
      if (typeof amount === "string") return { wrong: amount }
      const reason = reasonIn(typed)
      return reason === "" ? { wrong: messages[language].desk.reasonNeeded } : { wish: { amount, reason } }
    },
    run: ({ booking, desk: { language, member } }, wish, how) =>
      goodwill
        .give(booking.shown.booking.booking_id, { ...wish, ...how, done_by: member.name })
        .pipe(
          Effect.catchTag("RefundTooLarge", ({ left }) =>
            Effect.fail(
              new NotDone({ why: messages[language].desk.back.tooMuch(moneyIn(language, left.amount, left.currency)) })
            )
          )
        ),
    told: ({ desk: { language } }, _, done: GivenBack) => {
      const { desk, words } = messages[language]
      const { refund } = done
      return {
        facts: [
          {
            term: words.comesBack,
            is: html`<strong>${moneyIn(language, refund.amount, refund.currency)}</strong>`
          }
        ],
        sentences: [...refundRemarks(done, language), desk.back.stays]
      }
    }
  })
})
