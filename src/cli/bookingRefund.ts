/** `playroom booking refund`: an amount back without a cancellation. */
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { Money } from "../kernel/Money.ts"
import type { GivenBack, RefundTooLarge } from "../payment/changes/CancellationRefund.ts"
import { Goodwill } from "../payment/changes/Goodwill.ts"
import { readAmount } from "./Amounts.ts"
import {
  asShown,
  booking_id,
  bookingMissing,
  by,
  changedSinceShown,
  doAsShown,
  doneBy,
  switchFlag,
  given,
  bookingNamed
} from "./Arguments.ts"
import { failed } from "./Failure.ts"
import { json, print } from "./Output.ts"

/** What of a refund the venue gives back by hand. */
export const byHandRemark = (by_hand: Money): ReadonlyArray<string> =>
  by_hand.amount === 0
    ? []
    : [`${by_hand.display} of it was paid at the venue: give it back by hand, as playroom doctor says.`]

/** That refunds which went back before may not be known. */
export const notAskedRemark = (not_asked: GivenBack["not_asked"]): ReadonlyArray<string> =>
  not_asked === undefined
    ? []
    : [
        `The provider could not be asked what went back before (${not_asked}): it is asked before the refund is sent, which is then less where some did.`
      ]

/** Remarks on a refund, for the person who decides it: what reduces it, and what it waits for. */
export const remarks = ({
  by_hand,
  disputed,
  given_back,
  not_asked
}: Pick<GivenBack, "by_hand" | "disputed" | "given_back" | "not_asked">): ReadonlyArray<string> => [
  ...byHandRemark(by_hand),
  ...(given_back.amount > 0 ? [`${given_back.display} went back before, and is counted.`] : []),
  ...(disputed.amount > 0
    ? [`${disputed.display} is under dispute: no refund goes out beside it before that is decided.`]
    : []),
  ...notAskedRemark(not_asked)
]

/** For `Effect.catchTags`: more is to go back than is left. */
export const refundTooLarge = (id: string) => ({
  RefundTooLarge: ({ left }: RefundTooLarge) => failed(`Only ${left.display} is left of what was paid for ${id}.`)
})

/** Gives an amount back. It needs the code of a preview, so that a repeat gives nothing back twice. */
export const refund = Command.make(
  "refund",
  {
    booking_id,
    amount: Argument.String("amount").pipe(
      Argument.withDescription("What goes back, in the booking's currency, like 20.00, beside what went back before")
    ),
    reason: Flag.String("reason").pipe(Flag.withDescription("Kept in the booking's history")),
    preview: switchFlag("preview", "Say what would go back, and change nothing"),
    by,
    asShown,
    json
  },
  Effect.fn(function* ({ amount: text, asShown, booking_id, by, json, preview, reason }) {
    const found = yield* bookingNamed(booking_id)
    const amount = yield* readAmount(text, found, "AMOUNT takes")
    if (reason.trim() === "") return yield* failed("--reason is kept in the history: give one.")
    if (!preview && Option.isNone(asShown)) {
      return yield* failed("So that nothing goes back twice, see --preview first: it prints the code for --as-shown.")
    }
    const shown = given("shown", asShown)
    const who = yield* doneBy(by)
    const done = yield* Goodwill.use((goodwill) =>
      goodwill.give(found.booking_id, { amount, reason: reason.trim(), preview, ...who, ...shown })
    ).pipe(
      Effect.catchTags({
        ...bookingMissing(booking_id),
        ChangedSinceShown: changedSinceShown,
        ...refundTooLarge(booking_id),
        ChangeUnderWay: failed
      })
    )
    const { booking, refund } = done
    return yield* print(
      json,
      { preview, ...done },
      [
        preview
          ? `${booking.reference}, which stays ${booking.status}: ${refund.display} would go back. Nothing was changed.`
          : `${booking.reference} stays ${booking.status}; ${refund.display} goes back. A running node sends refunds to the provider.`,
        ...remarks(done),
        ...(preview ? [doAsShown(done)] : [])
      ].join("\n")
    )
  })
).pipe(
  Command.withDescription("Give an amount back without cancelling: it needs the reason, and the code of a preview")
)
