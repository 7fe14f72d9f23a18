/**
 * What hosts add to a tool call: what they say of the person in `_meta`, and fields of their own among the arguments.
 * The first are hints: no permission depends on them, and what is malformed counts as absent. Coordinates, addresses of
 * browsers and ids of people are not read. The language is that of the payment provider's page, and of letters until
 * the family acts on its page: our pages go by the browser's, and the card by its host's (`card/browser/texts.ts`).
 */
import { Option, Schema } from "effect"
import { PersonPlace } from "../../../domain/search/SearchQuery.ts"
import { isJsonObject, metaOf } from "./JsonRpc.ts"

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

/**
 * Fields that hosts add to the arguments of every tool and send on. They steer the host's own calls and say nothing
 * here, so they are dropped; any other field that a tool does not have is refused. No tool has a field of these names.
 *
 * | field | host | source |
 * |---|---|---|
 * | `wait_for_previous` | Gemini CLI 0.61.0 | `packages/core/src/tools/tools.ts`, `addWaitForPreviousParameter`: true
 * for "after the calls before" |
 */
const hostFields: ReadonlySet<string> = new Set(["wait_for_previous"])

/** Raw arguments without the fields of hosts; the same value where there are none. */
export const withoutHostFields = (input: unknown): unknown =>
  isJsonObject(input) && Object.keys(input).some((name) => hostFields.has(name))
    ? Object.fromEntries(Object.entries(input).filter(([name]) => !hostFields.has(name)))
    : input
