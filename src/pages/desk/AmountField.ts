/** Fields that several actions have: an amount in the booking's currency, and a reason. */
import { type Language, messages } from "../../i18n/Languages.ts"
import { isOnStep, stepText } from "../../kernel/Charge.ts"
import { html, type Html } from "../../kernel/Html.ts"
import { exponentOf, parseAmount } from "../../kernel/Money.ts"
import { field } from "./FormedAction.ts"

export const amountField = (currency: string, value: string, language: Language, required = true): Html =>
  field(
    "amount",
    messages[language].desk.amountIn(currency),
    html`<input id="amount" name="amount" type="text" inputmode="decimal" autocomplete="off" maxlength="20"${required ? html` required` : ""} value="${value}">`
  )

/** An amount above 0, with a point or a comma before its decimals, in minor units; or what is wrong with it. */
export const amountIn = (text: string, currency: string, language: Language): number | string => {
  const { desk } = messages[language]
  const amount = parseAmount(text.normalize("NFKC").trim().replace(",", "."), currency)
  if (amount === undefined || amount === 0) return desk.amountWrong((45).toFixed(exponentOf(currency)))
  return isOnStep(amount, currency) ? amount : desk.amountSteps(stepText(currency))
}

const maxReason = 300

export const reasonField = (value: string, language: Language, required: boolean): Html => {
  const { desk } = messages[language]
  return field(
    "reason",
    desk.reason,
    html`<input id="reason" name="reason" type="text" autocomplete="off" maxlength="${maxReason}" aria-describedby="reason-hint"${required ? html` required` : ""} value="${value}">`,
    desk.reasonHint
  )
}

/** The reason on one line; empty if none was given. */
export const reasonIn = (typed: URLSearchParams): string =>
  (typed.get("reason") ?? "")
    .normalize("NFC")
    .replaceAll(/[\p{Cc}\p{Cf}]+/gu, " ")
    .trim()
    .slice(0, maxReason)
