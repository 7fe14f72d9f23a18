/** Which of our languages a browser prefers. */

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
 * The language of `supported` that an `Accept-Language` header wants most (RFC 9110, 12.5.4); the first where it wants none of them. A
 * region counts as its language: `de-CH` is `de`.
 */
export const preferredLanguage = <const Language extends string>(
  header: string | undefined,
  supported: readonly [Language, ...ReadonlyArray<Language>]
): Language => {
  for (const { tag } of wanted(header ?? "")) {
    const [language] = tag.split("-")
    const found = supported.find((one) => one === language)
    if (found !== undefined) return found
  }
  return supported[0]
}
