/** What pages of the desk say of a refund: for an amount back, and for a cancellation. */
import { type Language, messages } from "../../i18n/Languages.ts"
import { moneyIn } from "../../i18n/Localized.ts"
import type { GivenBack } from "../../payment/changes/CancellationRefund.ts"

/** What reduces a refund, and what it waits for. */
export const refundRemarks = (
  { by_hand, disputed, given_back, not_asked }: Pick<GivenBack, "by_hand" | "disputed" | "given_back" | "not_asked">,
  language: Language
): ReadonlyArray<string> => {
  const { back } = messages[language].desk
  return [
    ...(by_hand.amount > 0 ? [back.byHand(moneyIn(language, by_hand.amount, by_hand.currency))] : []),
    ...(given_back.amount > 0 ? [back.before(moneyIn(language, given_back.amount, given_back.currency))] : []),
    ...(disputed.amount > 0 ? [back.disputed(moneyIn(language, disputed.amount, disputed.currency))] : []),
    ...(not_asked === undefined ? [] : [back.notAsked])
  ]
}
