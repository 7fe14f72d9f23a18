/**
 * Schemas of the provider's texts. Ids match the provider's documented format. Other texts are made safe for the
 * database, and lose people's addresses, because they reach logs and lists.
 */
import { Schema, SchemaTransformation } from "effect"
import { plainText } from "../../../platform/text/Text.ts"

/**
 * An id or a name of the provider's: printable ASCII (https://docs.stripe.com/upgrades: ids are at most 255
 * characters).
 */
export const ProviderId = Schema.String.check(Schema.isPattern(/^[\x21-\x7e]{1,255}$/))

/** An address of a page of the provider's. */
export const ProviderUrl = Schema.String.check(Schema.isPattern(/^[\x21-\x7e]{1,8192}$/))

// Any word with an @, also percent-encoded: the provider repeats refused input, valid or not.
const addresses = /[^\s'"<>()]*(?:@|%40)[^\s'"<>()]*/giu

/** The provider's words without people's addresses, in one line of at most `length` characters. */
export const redactAddresses = (text: string, length = 300): string =>
  plainText(plainText(text, length * 4).replaceAll(addresses, "[address]"), length)

const through = (change: (text: string) => string) =>
  Schema.String.pipe(
    Schema.decodeTo(Schema.String, SchemaTransformation.transform({ decode: change, encode: (text: string) => text }))
  )

/** A status or a code: a word that may be newer than we know. */
export const ProviderCode = through((text) => redactAddresses(text, 100))

/** A sentence of the provider's. */
export const ProviderMessage = through((text) => redactAddresses(text))
