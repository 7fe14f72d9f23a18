/** The languages of the pages and of the card: what each says, and which of them a browser wants. */
import { Record } from "effect"
import { de } from "./de/Messages.ts"
import { en, type Messages } from "./en/Messages.ts"
import { es } from "./es/Messages.ts"
import { fr } from "./fr/Messages.ts"
import { ja } from "./ja/Messages.ts"

/** By BCP 47 tag. A further language is a folder beside these and an entry here. */
export const messages = { en, de, fr, es, ja } satisfies Readonly<Record<string, Messages>>
export type Language = keyof typeof messages

/** The first is for people who want none of them. */
export const languages: ReadonlyArray<Language> = Record.keys(messages)

const names = new Intl.DisplayNames("en", { type: "language" })

/** The languages in English: `English, German … or Japanese`. */
export const languagesInWords: string = new Intl.ListFormat("en-GB", { type: "disjunction" }).format(
  languages.map((language) => names.of(language) ?? language)
)

interface Wanted {
  readonly tag: string
  readonly weight: number
}

const wanted = (header: string): ReadonlyArray<Wanted> =>
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
 * The language of ours that an `Accept-Language` header wants most (RFC 9110, 12.5.4); English if it wants none of them. A region
 * counts as its language: `de-CH` is `de`. A page that goes by it says `Vary: Accept-Language`.
 */
export const preferredLanguage = (header: string | undefined): Language => {
  for (const { tag } of wanted(header ?? "")) {
    const [language] = tag.split("-")
    const found = languages.find((one) => one === language)
    if (found !== undefined) return found
  }
  return "en"
}
