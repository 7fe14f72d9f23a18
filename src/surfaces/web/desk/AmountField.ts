/** Fields that several actions have: an amount in the booking's currency, and a reason. */
import { type Language, messages } from "../../../words/Languages.ts"
import { html, type Html } from "../../../platform/text/Html.ts"
import { maxReason } from "../../../domain/payment/changes/Act.ts"
import { field } from "./FormedAction.ts"

export const amountField = (currency: string, value: string, language: Language, required = true): Html =>
  field(
    "amount",
    messages[language].desk.amountIn(currency),
    html`<input id="amount" name="amount" type="text" inputmode="decimal" autocomplete="off" maxlength="20"${required ? html` required` : ""} value="${value}">`
  )

export const reasonField = (value: string, language: Language, required: boolean): Html => {
  const { desk } = messages[language]
  return field(
    "reason",
    desk.reason,
    html`<input id="reason" name="reason" type="text" autocomplete="off" maxlength="${maxReason}" aria-describedby="reason-hint"${required ? html` required` : ""} value="${value}">`,
    desk.reasonHint
  )
}
