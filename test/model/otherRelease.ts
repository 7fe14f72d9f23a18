/** Events without a copy that we can read: of another release of the provider's API, or thin. */
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

/** The thin event about the same: another event, with an id of its own, that only names the object. */
export const thinOf = ({ account, created, data, id, livemode, type }: ReturnType<typeof sessionEvent>) => ({
  id: `${id}_thin`,
  object: "v2.core.event",
  type: `v1.${type}`,
  context: account,
  livemode,
  created: new Date(created * 1000).toISOString(),
  reason: null,
  related_object: { id: data.object.id, type: data.object.object, url: `/v1/checkout/sessions/${data.object.id}` }
})
