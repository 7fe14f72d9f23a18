/** Events without a copy that we can read: of another release of the provider's API, or thin. */
import type { ProviderEvent } from "./world.ts"

/** The event in an old release: only the object's ids are reliable, and familiar fields have other meanings. */
export const ofOtherRelease = (event: ProviderEvent) => {
  const { object } = event.data
  return {
    ...event,
    api_version: "2020-08-27",
    data: {
      object:
        "client_reference_id" in object
          ? {
              id: object.id,
              object: object.object,
              client_reference_id: object.client_reference_id,
              metadata: object.metadata,
              status: "closed",
              display_items: [{ amount: object.amount_total, quantity: 1, type: "custom" }]
            }
          : { id: object.id, object: object.object, payment_intent: { id: object.payment_intent }, status: "closed" }
    }
  }
}

/** The thin event about the same: another event, with an id of its own, that only names the object. */
export const thinOf = ({ account, created, data, id, livemode, type }: ProviderEvent) => ({
  id: `${id}_thin`,
  object: "v2.core.event",
  type: `v1.${type}`,
  context: account,
  livemode,
  created: new Date(created * 1000).toISOString(),
  reason: null,
  related_object: { id: data.object.id, type: data.object.object, url: `/v1/x/${data.object.id}` }
})
