/** An amount goes back at a person's word, and the booking stays. */
import { Effect, Result } from "effect"
import { type Act, amountField, reasonField } from "./Act.ts"
import {
  type DecidedRefund,
  decideRefund,
  type GivenBack,
  givenBackOf,
  refundFacts,
  refundInHistory,
  refundOutcome,
  type RefundTooLarge
} from "./RefundDecision.ts"
import { refundRemarks } from "./RefundWords.ts"

interface GoodwillWish {
  /** In addition to earlier refunds, in minor units. */
  readonly amount: number
  readonly reason: string
}

const amount = amountField("What goes back, in the booking's currency, like 20.00, beside what went back before")
const reason = reasonField(true)

/** Gives an amount back. */
export const goodwill: Act<GoodwillWish, DecidedRefund, GivenBack, RefundTooLarge> = {
  span: "Goodwill.give",
  step: "back",
  right: "give_back",
  fields: [amount, reason],
  wish: (read) => Result.all({ amount: read(amount), reason: read(reason) }),
  asks: true,
  closesPages: false,
  decide: (as, wish) => decideRefund(as, { amount: wish.amount }),
  outcome: refundOutcome,
  answer: ({ booking }, decided) => givenBackOf(booking, decided),
  apply: Effect.fnUntraced(function* ({ booking }, decided, wish, write) {
    const after = yield* write.change(booking, {
      payment: "refund_requested",
      note: true,
      event: "goodwill",
      detail: refundInHistory(booking, decided, { amount: wish.amount }, wish.reason),
      facts: refundFacts(decided, { amount: wish.amount }, wish.reason)
    })
    yield* write.refund(booking, decided, "goodwill")
    return { booking: after }
  }),
  isOffered: ({ booking }) => booking.paid > booking.refunded,
  words: ({ m: { desk } }) => ({ title: desk.back.title, confirm: desk.back.confirm, over: desk.back.nothing }),
  told: (done, words) => ({
    facts: [{ term: words.m.words.comesBack, is: words.money(done.refund), look: "main" }],
    sentences: [...refundRemarks(done, words), words.m.desk.back.stays]
  }),
  refused: ({ left }, { m, money }) => m.desk.back.tooMuch(money(left)),
  command: {
    name: "refund",
    description: "Give an amount back without cancelling: it needs the reason, and the code of a preview",
    needsShown: () => "So that nothing goes back twice, see --preview first: it prints the code for --as-shown."
  }
}
