/**
 * What hosts say of the person in `_meta` of a tool call. They are hints: no permission depends on them, and what is
 * malformed counts as absent. Coordinates, addresses of browsers and ids of people are not read. The language is that of
 * the payment provider's page, and of letters until the family acts on its page: our pages go by the browser's, and the card by its host's (`card/browser/texts.js`).
 */
import { Option, Schema } from "effect"
import { PersonPlace } from "../../search/PersonCity.ts"
import { metaOf } from "./JsonRpc.ts"

/** https://developers.openai.com/apps-sdk/reference, `_meta` fields that the client provides. */
const locationKey = "openai/userLocation"
const localeKey = "openai/locale"

/** Whether a key of `_meta` is of hints, which the protocol leaves alone. */
export const isHintKey = (key: string): boolean => key.startsWith("openai/")

const decodePlace = Schema.decodeUnknownOption(PersonPlace)

/** The person's city in a message; undefined if the host says none, or none that can be read. */
export const placeOf = (message: unknown): PersonPlace | undefined => {
  const location = metaOf(message)?.[locationKey]
  return location === undefined ? undefined : Option.getOrUndefined(decodePlace(location))
}

/** The person's language as BCP 47; undefined if the host says none, or none that can be read. */
export const localeOf = (message: unknown): string | undefined => {
  const locale = metaOf(message)?.[localeKey]
  return typeof locale === "string" && /^[a-z]{2,3}(?:-[a-z0-9]{1,8}){0,5}$/i.test(locale) ? locale : undefined
}
