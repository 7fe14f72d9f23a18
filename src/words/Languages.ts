/** The languages of the pages and of the card: their messages, and the choice by `Accept-Language`. */
import { Record } from "effect"
import { de } from "./de/Messages.ts"
import { en, type Messages } from "./en/Messages.ts"
import { enUS } from "./en-US/Messages.ts"
import { es } from "./es/Messages.ts"
import { fr } from "./fr/Messages.ts"
import { ja } from "./ja/Messages.ts"
import { pl } from "./pl/Messages.ts"

/** Messages by BCP 47 tag. To add a language, add a folder next to these and an entry here. */
export const messages = { en, "en-US": enUS, de, fr, es, pl, ja } satisfies Readonly<Record<string, Messages>>
export type Language = keyof typeof messages

/** The first is the default. */
export const languages: ReadonlyArray<Language> = Record.keys(messages)

const names = new Intl.DisplayNames("en", { type: "language" })

/** The languages' names in English: `English, German … or Japanese`. */
export const languagesInWords: string = new Intl.ListFormat("en-GB", { type: "disjunction" }).format(
  languages.map((language) => names.of(language) ?? language)
)

interface Preference {
  readonly tag: string
  readonly weight: number
}

const preferencesIn = (header: string): ReadonlyArray<Preference> =>
  header
    .slice(0, 500)
    .split(",")
    .map((entry) => {
      const [tag = "", ...parameters] = entry.split(";").map((part) => part.trim().toLowerCase())
      const weight = parameters.find((parameter) => parameter.startsWith("q="))
      return { tag, weight: weight === undefined ? 1 : Number(weight.slice(2)) }
    })
    .filter(({ tag, weight }) => tag !== "" && weight > 0 && weight <= 1)
    .sort((one, other) => other.weight - one.weight)

/**
 * The language of a BCP 47 tag, if it is supported. A region without messages of its own counts as its language:
 * `de-CH` is `de`.
 */
export const languageOfTag = (tag: string): Language | undefined => {
  const wanted = tag.toLowerCase()
  const [language] = wanted.split("-")
  return languages.find((one) => one.toLowerCase() === wanted) ?? languages.find((one) => one === language)
}

/** The preferred supported language of an `Accept-Language` header (RFC 9110, 12.5.4), if it names one. */
export const askedLanguage = (header: string | undefined): Language | undefined => {
  for (const { tag } of preferencesIn(header ?? "")) {
    const found = languageOfTag(tag)
    if (found !== undefined) return found
  }
  return undefined
}

/** The same; English if it names none. Pages that depend on it need `Vary: Accept-Language`. */
export const preferredLanguage = (header: string | undefined): Language => askedLanguage(header) ?? "en"
