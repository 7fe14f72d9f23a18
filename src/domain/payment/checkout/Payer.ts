/** Who reads the provider's page: in which language, and in which words the pages told them what they pay. */
import { Context, Effect } from "effect"
import { HostLanguage } from "../../booking/PersonLanguage.ts"

/** `locale`: BCP 47. `description` and `terms`: in that language; without them they are in English. */
export interface Payer {
  readonly locale: string
  readonly description?: string
  readonly terms?: string
}

/** The payer for whom one of our pages makes a payment page; undefined if an assistant does. */
export const CurrentPayer = Context.Reference<Payer | undefined>("playroom/payment/checkout/CurrentPayer", {
  defaultValue: () => undefined
})

/** Who reads the payment page; undefined if nobody says it. */
export const payer = Effect.gen(function* () {
  const language = yield* HostLanguage
  return (yield* CurrentPayer) ?? (language === undefined ? undefined : { locale: language })
})
