/** Events as another release of the provider's API has them: the same thing, in fields that ours does not know. */
import type { sessionEvent } from "../support/PaymentWorld.ts"

/** The event at a release of long ago: of its object only the names can be relied on, and what looks familiar means something else. */
export const ofOtherRelease = (event: ReturnType<typeof sessionEvent>) => ({
  ...event,
  api_version: "2020-08-27",
  data: {
    object: {
      id: event.data.object.id,
      object: "checkout.session",
      client_reference_id: event.data.object.client_reference_id,
      metadata: event.data.object.metadata,
      status: "closed",
      display_items: [{ amount: event.data.object.amount_total, quantity: 1, type: "custom" }]
    }
  }
})
