/** Which words the card uses. */
import { english } from "./english.js"
import { french, german, japanese, spanish } from "./translations.js"

/** @typedef {import("./english.js").Texts} Texts */

/** @type {Readonly<Record<string, Texts>>} */
const languages = { en: english, de: german, fr: french, es: spanish, ja: japanese }

/**
 * The words for a person's locale, and the locale in which dates are then written: English where the card has no such language.
 *
 * @param {string} wanted BCP 47, like "de-AT"
 * @returns {{ readonly locale: string, readonly texts: Texts }}
 */
export const textsFor = (wanted) => {
  const language = wanted.toLowerCase().split("-")[0] ?? ""
  const texts = languages[language]
  try {
    const [locale] = Intl.getCanonicalLocales(wanted)
    if (texts !== undefined && locale !== undefined) return { locale, texts }
  } catch {
    // Not a locale.
  }
  return { locale: "en-GB", texts: english }
}

/**
 * @param {Texts["reasons"] | Texts["errors"]} table
 * @param {string} code
 * @returns {string} "" where the table does not have the code
 */
export const textOf = (table, code) => Object.entries(table).find(([key]) => key === code)?.[1] ?? ""
