/** What is said of a refund: at the desk in the reader's language, and by commands. */
import type { Money } from "../../kernel/Money.ts"
import type { Words } from "./Act.ts"
import type { Told } from "./BookingChanges.ts"
import type { GivenBack } from "./RefundDecision.ts"

type Remarked = Pick<GivenBack, "by_hand" | "disputed" | "given_back"> & Pick<Told, "not_asked">

/** What reduces a refund, and what it waits for. */
export const refundRemarks = (
  { by_hand, disputed, given_back, not_asked }: Remarked,
  { m, money }: Words
): ReadonlyArray<string> => {
  const { back } = m.desk
  return [
    ...(by_hand.amount > 0 ? [back.byHand(money(by_hand))] : []),
    ...(given_back.amount > 0 ? [back.before(money(given_back))] : []),
    ...(disputed.amount > 0 ? [back.disputed(money(disputed))] : []),
    ...(not_asked === undefined ? [] : [back.notAsked])
  ]
}

/** What of a refund the venue gives back by hand. */
export const byHandRemark = (by_hand: Money): ReadonlyArray<string> =>
  by_hand.amount === 0
    ? []
    : [`${by_hand.display} of it was paid at the venue: give it back by hand, as playroom doctor says.`]

/** That refunds which went back before may not be known. */
export const notAskedRemark = (not_asked: Told["not_asked"]): ReadonlyArray<string> =>
  not_asked === undefined
    ? []
    : [
        `The provider could not be asked what went back before (${not_asked}): it is asked before the refund is sent, which is then less where some did.`
      ]

/** Remarks on a refund, for the person who decides it by a command. */
export const commandRemarks = ({ by_hand, disputed, given_back, not_asked }: Remarked): ReadonlyArray<string> => [
  ...byHandRemark(by_hand),
  ...(given_back.amount > 0 ? [`${given_back.display} went back before, and is counted.`] : []),
  ...(disputed.amount > 0
    ? [`${disputed.display} is under dispute: no refund goes out beside it before that is decided.`]
    : []),
  ...notAskedRemark(not_asked)
]
