/** The card's texts. `Card.ts` puts all languages into the page. */

/** @typedef {import("../../../../words/en/Messages.ts").Messages} Messages */
/** @typedef {import("../../../../words/Message.ts").Plural} Plural */
/**
 * Here, sentences with values are templates with placeholders.
 *
 * @template T
 * @typedef {{ readonly [Name in keyof T]: T[Name] extends (...values: never) => string ? string : T[Name] }} Gapped
 */
/**
 * @typedef {Pick<Messages, "locale"> & Gapped<Messages["words"]> & Gapped<Messages["card"]>
 *   & { readonly refundTable: Gapped<Messages["refundTable"]> }
 *   & { readonly terms: Omit<Gapped<Messages["terms"]>, "headcountFinal" | "wentBack"> & { readonly depositKept: string } }
 * } Texts
 */
/** @typedef {{ readonly locale: string, readonly texts: Texts }} Language */

/** @type {{ readonly en: Texts, readonly [language: string]: Texts | undefined }} */
const languages = JSON.parse(document.querySelector("#texts")?.textContent ?? "")

/**
 * The texts for a person's locale, and the locale for dates: English if the card lacks the language. A region without
 * texts of its own counts as its language.
 *
 * @param {string} wanted BCP 47, like "de-AT"
 * @returns {Language}
 */
export const textsFor = (wanted) => {
  try {
    const [locale = ""] = Intl.getCanonicalLocales(wanted)
    const language = [locale, new Intl.Locale(locale).language].find((tag) => Object.hasOwn(languages, tag))
    const texts = language === undefined ? undefined : languages[language]
    if (texts !== undefined) return { locale: locale === language ? texts.locale : locale, texts }
  } catch {
    // Not a locale.
  }
  return { locale: languages.en.locale, texts: languages.en }
}

/**
 * Fills a template's placeholders.
 *
 * @param {string} text
 * @param {ReadonlyArray<string | number>} values
 * @returns {string}
 */
export const filledIn = (text, ...values) => text.replace(/\{(\d)\}/g, (_, index) => String(values[index] ?? ""))

/**
 * A number of something, like "8 children".
 *
 * @param {Language} language
 * @param {number} n
 * @param {Plural} forms
 * @returns {string}
 */
export const countText = ({ locale }, n, forms) =>
  (forms[new Intl.PluralRules(locale).select(n)] ?? forms.other).replace("#", String(n))

/**
 * @param {Texts["reasons"] | Texts["errors"]} table
 * @param {string} code
 * @returns {string} "" if the table does not have the code
 */
export const textOf = (table, code) => Object.entries(table).find(([key]) => key === code)?.[1] ?? ""
