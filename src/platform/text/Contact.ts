/**
 * Who a booking is for: one rule for tools, pages, the desk, commands and letters. What a person can't see is taken out
 * while decoding. What nobody could write to or call is refused.
 */

import { parsePhoneNumberFromString } from "libphonenumber-js/min"
import { Schema, SchemaTransformation } from "effect"
import { withoutInvisible } from "./Text.ts"

/** A text of one line, without what cannot be seen. */
export const cleaned = (form: "NFC" | "NFKC") => (text: string) =>
  withoutInvisible(text.normalize(form))
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim()

/** Longer texts are refused as they are. */
const longest = 1000

const cleanedText = (
  description: string,
  form: "NFC" | "NFKC",
  ...checks: readonly [Parameters<typeof Schema.String.check>[0], ...Parameters<typeof Schema.String.check>]
) =>
  Schema.String.check(Schema.isMaxLength(longest))
    .annotate({ description })
    .pipe(
      Schema.decodeTo(
        Schema.String.check(...checks),
        SchemaTransformation.transform({ decode: cleaned(form), encode: (text: string) => text })
      )
    )

/** A person's name of up to `length` UTF-16 units. */
export const PersonName = (length: number) =>
  cleanedText(
    "Full name.",
    "NFC",
    Schema.isPattern(/[\p{L}\p{N}]/u, { message: "Expected a name" }),
    Schema.isMaxLength(length)
  )

// A letter can be written to it (RFC 5321 and 6531), without quotes and address literals, which no family has.
const writable = /^[^\s@<>"(),:;\\[\]\p{C}]+@[^\s@<>"(),:;\\[\]\p{C}.]+(\.[^\s@<>"(),:;\\[\]\p{C}.]+)+$/u

/** An e-mail address. */
export const EmailAddress = cleanedText(
  "E-mail.",
  "NFKC",
  Schema.isPattern(writable, { message: "Expected an e-mail address, like ana@example.com" }),
  Schema.isMaxLength(254)
)

/** Of whom the venue books for without an e-mail address: a walk-in who pays at the till. */
export const noEmail = ""

/** Whom to call, or else to write to; a dash for who gave neither. */
export const reachedBy = ({
  contact_email,
  contact_phone
}: {
  readonly contact_email: string
  readonly contact_phone: string | null
}): string => contact_phone ?? (contact_email === noEmail ? "–" : contact_email)

/** A name with the address in angle brackets, if there is one. */
export const withAddress = ({
  contact_email,
  contact_name
}: {
  readonly contact_email: string
  readonly contact_name: string
}): string => (contact_email === noEmail ? contact_name : `${contact_name} <${contact_email}>`)

/** Whether letters to both go to one mailbox, as far as anybody can tell. */
export const isSameAddress = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()

// Numbers without a country's code are read by the widest plan, which is Germany's. `extract`: whether there may be
// words around it, as families write whose number it is.
const parsed = (text: string, extract = false) => parsePhoneNumberFromString(text, { defaultCountry: "DE", extract })

/** Of numbers in their own country. */
const fewestDigits = 4

/** How many digits tell one number from another, whatever prefix a country puts before it: 0, 06, 8. */
const tellingDigits = 8

/**
 * The digits by which a number is found, however it and the one that is looked for are written: its last ones, without
 * an extension. Undefined for what is no telephone number.
 */
export const digitsToFind = (text: string): string | undefined =>
  parsed(text.normalize("NFKC"))?.nationalNumber.slice(-tellingDigits)

/** A telephone number, kept as it was written, with the words around it. */
export const TelephoneNumber = cleanedText(
  "Telephone.",
  "NFKC",
  Schema.isMaxLength(40),
  Schema.makeFilter(
    (text: string) =>
      (parsed(text, true)?.nationalNumber.length ?? 0) >= fewestDigits ||
      "Expected a telephone number, like +44 20 7946 0000"
  )
)

/** Who the booking is for. */
export const Contact = Schema.Struct({
  name: PersonName(200),
  email: EmailAddress,
  phone: Schema.optionalKey(TelephoneNumber)
})
export type Contact = typeof Contact.Type
