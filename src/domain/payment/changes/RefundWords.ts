/** What is said of a refund to staff, at the desk and by commands. */
import type { Money } from "../../../platform/money/Money.ts"
import type { Words } from "./Act.ts"
import type { Told } from "./BookingChanges.ts"

interface Remarked extends Pick<Told, "not_asked"> {
  readonly by_hand?: Money
  readonly given_back?: Money
  readonly disputed?: Money
}

/** What reduces a refund, and what it waits for. */
export const refundRemarks = (
  { by_hand, disputed, given_back, not_asked }: Remarked,
  { m: { desk }, money }: Words
): ReadonlyArray<string> => {
  const of = (amount: Money | undefined, says: (shown: string) => string) =>
    amount === undefined || amount.amount === 0 ? [] : [says(money(amount))]
  return [
    ...of(by_hand, desk.back.byHand),
    ...of(given_back, desk.back.before),
    ...of(disputed, desk.back.disputed),
    ...(not_asked === undefined ? [] : [desk.back.notAsked])
  ]
}
