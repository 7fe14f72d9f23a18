/** The languages of the pages for people, and which of them a browser wants. */

/** BCP 47 tags; the first is the one for people who want none of them. */
export const languages = ["en", "de", "fr", "es", "ja"] as const
export type Language = (typeof languages)[number]

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
 * The language of ours that an `Accept-Language` header wants most (RFC 9110, 12.5.4); English where it wants none of them. A region
 * counts as its language: `de-CH` is `de`. A page that goes by it says `Vary: Accept-Language`.
 */
export const preferredLanguage = (header: string | undefined): Language => {
  for (const { tag } of wanted(header ?? "")) {
    const [language] = tag.split("-")
    const found = languages.find((one) => one === language)
    if (found !== undefined) return found
  }
  return languages[0]
}
