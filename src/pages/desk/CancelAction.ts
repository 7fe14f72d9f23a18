/** The booking is cancelled: with the refund of its terms; by a manager also in full, or with an amount. */
import { Effect } from "effect"
import { isLiveBooking } from "../../booking/Lifecycle.ts"
import { mayDo } from "../../staff/Rights.ts"
import { messages } from "../../i18n/Languages.ts"
import { moneyIn } from "../../i18n/Localized.ts"
import { html } from "../../kernel/Html.ts"
import type { RefundChoice } from "../../payment/changes/CancellationRefund.ts"
import { type Cancellation, Cancellations } from "../../payment/changes/Cancellations.ts"
import { amountField, amountIn, reasonField, reasonIn } from "./AmountField.ts"
import { type DeskOpened, NotDone } from "./DeskAction.ts"
import { choice, type Entered, formedAction } from "./FormedAction.ts"
import { refundRemarks } from "./RefundParts.ts"

/** The action's name in addresses and forms. */
export const cancelName = "cancel"

interface Wish {
  readonly refund: RefundChoice
  readonly reason: string
}

const isAlive = ({ booking: { shown } }: DeskOpened): boolean => isLiveBooking(shown.booking)

/** Whether the form offers another refund than that of the terms. */
const choosesRefund = ({ booking: { shown }, desk }: DeskOpened): boolean =>
  mayDo(desk.member.role, "cancel_otherwise") && shown.booking.paid > 0

const entered = ({ booking, desk: { language } }: DeskOpened, typed: URLSearchParams): Entered<Wish> => {
  const reason = reasonIn(typed)
  const chosen = typed.get("refund") ?? "terms"
  if (chosen === "terms") return { wish: { refund: chosen, reason } }
  const { desk } = messages[language]
  if (reason === "") return { wrong: desk.reasonNeeded }
  if (chosen === "full" || chosen === "none") return { wish: { refund: chosen, reason } }
  const amount = amountIn(typed.get("amount") ?? "", booking.shown.booking.currency, language)
  return typeof amount === "string" ? { wrong: amount } : { wish: { refund: { amount }, reason } }
}

export const cancelAction = Effect.gen(function* () {
  const cancellations = yield* Cancellations

  return formedAction({
    name: cancelName,
    right: "cancel_by_terms",
    isOffered: isAlive,
    title: (language) => messages[language].desk.cancel.title,
    confirm: (language) => messages[language].desk.cancel.confirm,
    offer: (opened) =>
      isAlive(opened)
        ? Effect.void
        : Effect.fail(new NotDone({ why: messages[opened.desk.language].desk.cancel.ended })),
    fields: (opened, _, typed) => {
      const { language } = opened.desk
      const { cancel } = messages[language].desk
      const { currency } = opened.booking.shown.booking
      const kinds = [
        { value: "terms", label: cancel.byTerms },
        { value: "full", label: cancel.full },
        { value: "none", label: cancel.none },
        { value: "amount", label: cancel.part }
      ]
      return html`${
        choosesRefund(opened)
          ? html`${choice("refund", cancel.refund, kinds, typed.get("refund") ?? "terms")}
${amountField(currency, typed.get("amount") ?? "", language, false)}`
          : ""
      }
${reasonField(typed.get("reason") ?? "", language, false)}`
    },
    entered: (opened, _, typed) => entered(opened, typed),
    needs: ({ refund }) => (refund === "terms" ? undefined : "cancel_otherwise"),
    run: ({ booking, desk: { language, member } }, { reason, refund }, how) => {
      const { back, cancel } = messages[language].desk
      const ended = () => Effect.fail(new NotDone({ why: cancel.ended }))
      return cancellations
        .cancel(booking.shown.booking.booking_id, {
          ...how,
          refund,
          done_by: member.name,
          ...(reason === "" ? {} : { reason })
        })
        .pipe(
          Effect.catchTags({
            BookingCancelled: ended,
            HoldExpired: ended,
            RefundTooLarge: ({ left }) =>
              Effect.fail(new NotDone({ why: back.tooMuch(moneyIn(language, left.amount, left.currency)) }))
          })
        )
    },
    told: ({ desk: { language } }, _, done: Cancellation) => {
      const { desk, words } = messages[language]
      const { booking, by_terms, refund } = done
      const shown = (amount: number) => moneyIn(language, amount, booking.currency)
      return {
        facts: [
          { term: words.paid, is: shown(booking.paid) },
          { term: words.comesBack, is: html`<strong>${shown(refund.amount)}</strong>` },
          ...(by_terms.amount === refund.amount ? [] : [{ term: desk.cancel.byTerms, is: shown(by_terms.amount) }])
        ],
        sentences: [...refundRemarks(done, language), desk.cancel.places]
      }
    }
  })
})
