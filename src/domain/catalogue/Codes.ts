/**
 * Codes: price rules that hold only for a party that gives the code. Pure. They come after all other rules, on the sum
 * so far with its add-ons, and make nothing dearer. So a price without a code is an upper bound of that with one, and
 * no search and no "from" price knows of any.
 */
import { type Instant, type LocalDate, localDateOf } from "../../platform/time/LocalTime.ts"
import { withoutInvisible } from "../../platform/text/Text.ts"
import type { Package, PriceCode } from "./Package.ts"
import type { Playroom, Venue } from "./Playroom.ts"
import { rulesAt } from "./PriceRules.ts"

interface Coded {
  readonly pricing: Pick<Package["pricing"], "codes">
}

/** A code as it is compared, whatever it was typed like: " spring-10" is SPRING10. */
export const codeOf = (typed: string): string =>
  withoutInvisible(typed.normalize("NFKC"))
    .replaceAll(/[\s\p{Pd}]/gu, "")
    .toUpperCase()

/** What a package takes off for a code; undefined if it has no such code. */
export const ruleOf = ({ pricing: { codes = [] } }: Coded, code: string | undefined): PriceCode | undefined =>
  codes.find((one) => one.code === code)

/** The rules of a package that hold at a start for the code that a party gave: one, or none. */
export const codeRulesAt = (
  pkg: Coded,
  { code }: { readonly code?: string },
  zone: string,
  start: Instant
): ReadonlyArray<PriceCode> => {
  const rule = ruleOf(pkg, code)
  return rule === undefined ? [] : rulesAt([rule], zone, start)
}

/** A venue where a booking's own code still holds as the booking was sold with it, whatever became of it since. */
export const keepingCode = (venue: Venue, own: PriceCode | undefined): Venue =>
  own === undefined
    ? venue
    : {
        ...venue,
        packages: venue.packages.map((pkg) => {
          const others = (pkg.pricing.codes ?? []).filter(({ code }) => code !== own.code)
          return { ...pkg, pricing: { ...pkg.pricing, codes: [...others, own] } }
        })
      }

/** A venue without the rules of a code that are used up: `used` bookings have it. */
export const usable = (venue: Venue, code: string, used: number): Venue => ({
  ...venue,
  packages: venue.packages.map((pkg) => {
    const { codes } = pkg.pricing
    const left = codes?.filter((rule) => rule.code !== code || !isUsedUp(rule, used))
    return left === undefined || left.length === codes?.length
      ? pkg
      : { ...pkg, pricing: { ...pkg.pricing, codes: left } }
  })
})

/** What there is to say of a code beside its price. `unsaid`: nothing of it was looked at. */
export type CodeAnswer = "holds" | "unknown" | "other_package" | "over" | "used_up" | "not_then" | "unsaid"

/**
 * What to say of a code at a venue. `packages`: those that are asked for; `used`: how many bookings have it; `holds`:
 * whether an option of the answer is cheaper by it.
 */
export const answerTo = (
  code: string,
  { packages: all, playroom }: Pick<Venue, "packages"> & { readonly playroom: Pick<Playroom, "time_zone"> },
  packages: ReadonlyArray<Package>,
  { holds, now, used }: { readonly holds: boolean; readonly now: Instant; readonly used: number }
): CodeAnswer => {
  if (holds) return "holds"
  if (!all.some((pkg) => ruleOf(pkg, code) !== undefined)) return "unknown"
  const rules = packages.flatMap((pkg) => ruleOf(pkg, code) ?? [])
  if (rules.length === 0) return "other_package"
  const today: LocalDate = localDateOf(playroom.time_zone, now)
  if (rules.every(({ date_to }) => date_to !== undefined && date_to < today)) return "over"
  return rules.every((rule) => isUsedUp(rule, used)) ? "used_up" : "not_then"
}

/** Whether as many bookings have a code as may. */
export const isUsedUp = ({ max_uses }: Pick<PriceCode, "max_uses">, used: number): boolean =>
  max_uses !== undefined && used >= max_uses

const fullPrice = "so these are the full prices. Tell the person so before you book."

const texts: Record<CodeAnswer, string> = {
  holds: "The code is in the prices whose lines name it; the others are the full price.",
  unknown: `That is no code of this venue, ${fullPrice}`,
  other_package: `The code is for another package of this venue, ${fullPrice}`,
  over: `The code is over, ${fullPrice}`,
  used_up: `The code is used up, ${fullPrice}`,
  not_then: `The code does not hold at these times, ${fullPrice}`,
  unsaid: `Too many wrong codes came from here: the code was not looked at, ${fullPrice} Or repeat this call in a minute.`
}

/** The same in a sentence for an assistant. */
export const codeText = (answer: CodeAnswer, first_booking: boolean): string =>
  answer === "holds" && first_booking
    ? `${texts.holds} It is for a first booking at this venue: ask the person whether it is theirs.`
    : texts[answer]
