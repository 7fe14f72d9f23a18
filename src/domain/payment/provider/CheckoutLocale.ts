/** The language of the provider's payment page. */
import { Schema } from "effect"

/** The languages of the provider's page (https://docs.stripe.com/api/checkout/sessions/create, `locale`). */
const checkoutLocales = [
  "auto",
  "bg",
  "cs",
  "da",
  "de",
  "el",
  "en",
  "en-GB",
  "es",
  "es-419",
  "et",
  "fi",
  "fil",
  "fr",
  "fr-CA",
  "hr",
  "hu",
  "id",
  "it",
  "ja",
  "ko",
  "lt",
  "lv",
  "ms",
  "mt",
  "nb",
  "nl",
  "pl",
  "pt",
  "pt-BR",
  "ro",
  "ru",
  "sk",
  "sl",
  "sv",
  "th",
  "tr",
  "vi",
  "zh",
  "zh-HK",
  "zh-TW"
] as const
export const CheckoutLocale = Schema.Literals(checkoutLocales)
export type CheckoutLocale = typeof CheckoutLocale.Type

/**
 * The provider's name of a language (BCP 47), or that of its browser (`auto`) if it does not have it. English is British,
 * as on our pages, but for Americans.
 */
export const checkoutLocale = (tag: string): CheckoutLocale => {
  const wanted = tag.toLowerCase()
  const [language = ""] = wanted.split("-")
  if (language === "en") return wanted === "en-us" ? "en" : "en-GB"
  return (
    checkoutLocales.find((one) => one.toLowerCase() === wanted) ??
    checkoutLocales.find((one) => one === language) ??
    "auto"
  )
}
