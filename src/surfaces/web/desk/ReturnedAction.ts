/** What was paid at the venue and goes back there by hand: that it was given back, and how. */
import { Effect, Schema } from "effect"
import { mayDo } from "../../../domain/people/staff/Rights.ts"
import { messages } from "../../../words/Languages.ts"
import { moneyIn } from "../../../words/Localized.ts"
import { html } from "../../../platform/text/Html.ts"
import { RefundId } from "../../../platform/ids/Ids.ts"
import { giveBackByHand } from "../../../domain/payment/changes/Presses.ts"
import { VenueWay } from "../../../domain/payment/sessions/PaymentSession.ts"
import { type DeskAction, deskAddress, hiddenFields } from "./DeskAction.ts"
import { deskPress } from "./ActForm.ts"
import { choice } from "./FormedAction.ts"
import { hiddenInputs } from "../frame/Parts.ts"

const Fields = Schema.Struct({ refund: RefundId, way: VenueWay })

export const returnedAction = Effect.map(
  deskPress(
    giveBackByHand,
    Fields,
    // A second press finds nothing that is owed, and changes nothing. What the provider gives back is not offered here.
    (wish, { booking }) => (booking.by_hand.some(({ refund_id }) => refund_id === wish.refund) ? wish : undefined),
    (_, { booking }) => deskAddress(booking.row.booking_id)
  ),
  (act): DeskAction => ({
    right: giveBackByHand.right,
    offer: ({ booking, desk }) => {
      if (booking.by_hand.length === 0 || !mayDo(desk.member.role, "take_payment")) return undefined
      const { booking_id } = booking.row
      const { returned } = messages[desk.language].desk
      const ways = VenueWay.literals.map((value) => ({ value, label: returned.ways[value] }))
      const forms = booking.by_hand.map(
        ({ amount, currency, refund_id }) => html`<form class="card" method="post" action="${deskAddress(booking_id)}">
${hiddenInputs(hiddenFields(desk, giveBackByHand.step, { refund: refund_id }))}
<p><strong>${returned.todo(moneyIn(desk.language, amount, currency))}</strong></p>
${choice("way", returned.how, ways, undefined)}
<button>${returned.done}</button>
</form>`
      )
      return html`${forms}`
    },
    act
  })
)
