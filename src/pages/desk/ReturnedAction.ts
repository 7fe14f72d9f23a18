/** What was paid at the venue and goes back there by hand: that it was given back, and how. */
import { Effect, Schema } from "effect"
import { mayDo } from "../../staff/Rights.ts"
import { messages } from "../../i18n/Languages.ts"
import { moneyIn } from "../../i18n/Localized.ts"
import { html } from "../../kernel/Html.ts"
import { RefundId } from "../../kernel/Ids.ts"
import { Refunds } from "../../payment/refunds/Refunds.ts"
import { VenueWay } from "../../payment/sessions/PaymentSession.ts"
import { linkProblemPage } from "../LinkProblems.ts"
import { type DeskAction, deskAddress, hiddenFields } from "./DeskAction.ts"
import { choice } from "./FormedAction.ts"
import { leadTo } from "../Forms.ts"
import { hiddenInputs } from "../Parts.ts"

/** The action's name in forms. */
export const returnedName = "returned"

const decode = Schema.decodeUnknownEffect(Schema.Struct({ refund: RefundId, way: VenueWay }))

export const returnedAction = Effect.gen(function* () {
  const refunds = yield* Refunds

  /** A second press finds nothing that is owed, and changes nothing. */
  const act: DeskAction["act"] = ({ booking, desk }, form) =>
    decode(Object.fromEntries(form)).pipe(
      Effect.flatMap(({ refund, way }) =>
        booking.by_hand.some(({ refund_id }) => refund_id === refund)
          ? refunds.markPaidBack(refund, way, desk.member.name)
          : Effect.succeedNone
      ),
      Effect.as(leadTo(deskAddress(booking.row.booking_id))),
      Effect.catchTag("SchemaError", () => Effect.succeed(linkProblemPage("unreadable", desk.language)))
    )

  return {
    right: "take_payment",
    offer: ({ booking, desk }) => {
      if (booking.by_hand.length === 0 || !mayDo(desk.member.role, "take_payment")) return undefined
      const { booking_id } = booking.row
      const { returned } = messages[desk.language].desk
      const ways = VenueWay.literals.map((value) => ({ value, label: returned.ways[value] }))
      const forms = booking.by_hand.map(
        ({ amount, currency, refund_id }) => html`<form class="card" method="post" action="${deskAddress(booking_id)}">
${hiddenInputs(hiddenFields(desk, returnedName, { refund: refund_id }))}
<p><strong>${returned.todo(moneyIn(desk.language, amount, currency))}</strong></p>
${choice("way", returned.how, ways, undefined)}
<button>${returned.done}</button>
</form>`
      )
      return html`${forms}`
    },
    act
  } satisfies DeskAction
})
