/** Who reads the provider's page: in which language, and in which words the pages told them what they pay. */
import { Context } from "effect"

/** `locale`: BCP 47. `description` and `terms`: in that language; without them they are in English. */
export interface Payer {
  readonly locale: string
  readonly description?: string
  readonly terms?: string
}

/** The payer for whom a payment page is made; undefined if nobody says who it is. */
export const CurrentPayer = Context.Reference<Payer | undefined>("playroom/payment/checkout/CurrentPayer", {
  defaultValue: () => undefined
})
