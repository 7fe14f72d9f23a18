/** Events of another release of the provider's API, with fields that our release does not have. */
import type { sessionEvent } from "../support/PaymentWorld.ts"

/** The event in an old release: only the object's ids are reliable, and familiar fields have other meanings. */
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
