/**
 * Option ids: `option_` and URL-safe base 64 of at most 54 bytes, 79 characters in all. They hold package, start,
 * party, add-ons, a digest of what was told, and a check of all this. They are no secret and grant no rights.
 *
 * ```
 * 16 bytes package UUID · 4 start, minutes since 1970 · 8 digest
 * bits, with zeros up to a whole byte:
 *   only where the price goes by ages, and all are told: 8 zeros (no party has no children), 15 check of the ages
 *   only where a code makes it cheaper: 1 and 14 zeros (nor has a large one), 16 check of the code
 *   party: 0, 7 children, 7 adults, or 1, 14 children, 14 adults
 *   and only with add-ons: 16 check of their ids · for each add-on of the playroom up to the last chosen:
 *   0 none, 10 one, 11 and 10 bits more than one
 * 5 bytes check: the first of the SHA-256 of all bytes before
 * ```
 *
 * The check tells an id that was copied wrongly from one whose price has changed: for the first it fails, for the
 * second the digest differs from today's. One value can't do both, since the digest of today is known for the party
 * that the id names, and a slip names another. Another text passes once in 2^40, whatever was done to it: letters that
 * are wrong, left out, put in or turned, halves of two ids. Some 50 million texts are one or two letters away from a
 * long id, so that one id in 20,000 has one among them that passes. A code that is sure to find a few wrong letters
 * would be sure of these alone, and of words of at most 63 letters from an alphabet of 64. Letters' case counts, since
 * base 64 has both.
 *
 * The id of an add-on alone takes 16 bytes, so the option id has the add-on's position among the playroom's add-ons in
 * order of id. Positions change with the catalogue. The check of their ids then fails, so the option is invalid and
 * never has another add-on. Nor are ages in it: who books gives them again, and others fail their check. A code is the
 * one of the package's that has its check: an import refuses two with the same.
 */
import { createHash } from "node:crypto"
import { isBalanceAtVenue, type Package } from "../catalogue/Package.ts"
import { digestOfValue, idBytes, type PackageId, packageIdOf } from "../../platform/ids/Ids.ts"
import { format, type Instant, minuteMs } from "../../platform/time/LocalTime.ts"
import type { AddOnChoice, Quote } from "../catalogue/Pricing.ts"

type SoldAddOns = ReadonlyArray<{ readonly add_on_id: AddOnChoice["add_on_id"] }>

/**
 * The chosen add-ons in an option id: quantities of the playroom's add-ons in order of id, up to the last chosen, and a
 * check of the chosen ids.
 */
interface PackedAddOns {
  readonly quantities: ReadonlyArray<number>
  readonly check: number
}

/**
 * The content of an option id. `digest` is from `digestOf`, 16 hexadecimal digits; `ages_check` from `agesCheck`, if
 * the price goes by the children's ages, and `code_check` from `codeCheck`, if a code makes it cheaper.
 */
interface UnpackedOption {
  readonly package_id: PackageId
  readonly start: Instant
  readonly children: number
  readonly adults: number
  readonly ages_check?: number
  readonly code_check?: number
  readonly add_ons: PackedAddOns
  readonly digest: string
}

const headBytes = 28
const checkBytes = 5
const maxBytes = 54
const addOnCheckBits = 16
/** Quantities are at most 1,000. */
const quantityBits = 10
const [smallPartyBits, largePartyBits] = [7, 14]
/** Instead of a small party without children, which there is not: its ages follow. */
const agesMark = "0".repeat(1 + smallPartyBits)
const agesCheckBits = 15
/** The same of a large party. */
const codeMark = `1${"0".repeat(largePartyBits)}`
const codeCheckBits = 16
/** What the largest party and the checks leave. */
const maxAddOnBits = (maxBytes - headBytes - checkBytes) * 8 - 1 - 2 * largePartyBits - addOnCheckBits
const agesBits = agesMark.length + agesCheckBits
const codeBits = codeMark.length + codeCheckBits

// The first instant of the year 3000. Dates from callers (`LocalDate`) end there too.
const endOfStarts = Date.UTC(3000, 0, 1)
const inOrder = (sold: SoldAddOns): ReadonlyArray<AddOnChoice["add_on_id"]> =>
  sold.map(({ add_on_id }) => add_on_id).sort()

const sha256 = (content: string | Buffer): Buffer => createHash("sha256").update(content).digest()
const checkOf = (choices: ReadonlyArray<AddOnChoice>): number =>
  sha256(choices.map(({ add_on_id }) => add_on_id).join()).readUInt16BE()

/** A check of ages, in whatever order they are told. */
export const agesCheck = (ages: ReadonlyArray<number>): number =>
  sha256(ages.toSorted((a, b) => a - b).join()).readUInt16BE() >>> (16 - agesCheckBits)

/** A check of a code. */
export const codeCheck = (code: string): number => sha256(code).readUInt16BE()

const bitsOf = (value: number, width: number): string => value.toString(2).padStart(width, "0")

const quantityInBits = (quantity: number): string =>
  quantity === 0 ? "0" : quantity === 1 ? "10" : `11${bitsOf(quantity, quantityBits)}`
const addOnBits = ({ quantities }: PackedAddOns): string => quantities.map(quantityInBits).join("")

const packAddOns = (sold: SoldAddOns, choices: ReadonlyArray<AddOnChoice>): PackedAddOns => {
  const order = inOrder(sold)
  const sorted = [...choices].sort((a, b) => (a.add_on_id < b.add_on_id ? -1 : 1))
  const quantityOf = new Map(sorted.map(({ add_on_id, quantity }) => [add_on_id, quantity]))
  const last = sorted.at(-1)?.add_on_id
  return {
    quantities: order
      .slice(0, last === undefined ? 0 : order.indexOf(last) + 1)
      .map((add_on_id) => quantityOf.get(add_on_id) ?? 0),
    check: checkOf(sorted)
  }
}

/**
 * Whether these add-ons fit into one option id. 10 always do if the playroom has up to 12, which is the most it may;
 * 8 beside ages, 7 beside a code, 5 beside both.
 */
export const addOnsFit = (
  sold: SoldAddOns,
  choices: ReadonlyArray<AddOnChoice>,
  beside: { readonly ages?: boolean; readonly code?: boolean } = {}
): boolean =>
  addOnBits(packAddOns(sold, choices)).length <=
  maxAddOnBits - (beside.ages === true ? agesBits : 0) - (beside.code === true ? codeBits : 0)

const partyBits = ({
  adults,
  ages_check,
  children,
  code_check
}: Pick<UnpackedOption, "adults" | "ages_check" | "children" | "code_check">): string => {
  const ages = ages_check === undefined ? "" : agesMark + bitsOf(ages_check, agesCheckBits)
  const code = code_check === undefined ? "" : codeMark + bitsOf(code_check, codeCheckBits)
  const small = Math.max(adults, children) < 2 ** smallPartyBits
  const width = small ? smallPartyBits : largePartyBits
  return `${ages}${code}${small ? 0 : 1}${bitsOf(children, width)}${bitsOf(adults, width)}`
}

/** Bits as bytes, with zeros up to a whole byte. */
const bytesOf = (bits: string): Buffer => {
  const bytes = Buffer.alloc(Math.ceil(bits.length / 8))
  for (let at = 0; at < bytes.length; at++)
    bytes[at] = Number.parseInt(bits.slice(8 * at, 8 * at + 8).padEnd(8, "0"), 2)
  return bytes
}

const encode = (option: UnpackedOption): string => {
  const head = Buffer.alloc(headBytes)
  head.set(idBytes(option.package_id))
  head.writeUInt32BE(option.start / minuteMs, 16)
  head.write(option.digest, 20, "hex")
  const { add_ons } = option
  const chosen = add_ons.quantities.length === 0 ? "" : bitsOf(add_ons.check, addOnCheckBits) + addOnBits(add_ons)
  const content = Buffer.concat([head, bytesOf(partyBits(option) + chosen)])
  const check = sha256(content).subarray(0, checkBytes)
  return `option_${Buffer.concat([content, check]).toString("base64url")}`
}

/**
 * The input of `pack`: an offer with its add-ons by id, each at most once, all sold by the venue, and fitting
 * (`addOnIssues`). `ages`: those by which it is priced; `code`: the one that makes it cheaper.
 */
export interface PackableOption extends Omit<UnpackedOption, "add_ons" | "ages_check" | "code_check"> {
  readonly add_ons: ReadonlyArray<AddOnChoice>
  readonly ages?: ReadonlyArray<number> | undefined
  readonly code?: string | undefined
}

/**
 * The id of an offer. `sold` are all add-ons of its venue. Children and adults are at most 16,383, quantities 1,000;
 * the start is a whole minute before the year 3000.
 */
export const pack = ({ ages, code, ...option }: PackableOption, sold: SoldAddOns): string =>
  encode({
    ...option,
    ...(ages === undefined ? {} : { ages_check: agesCheck(ages) }),
    ...(code === undefined ? {} : { code_check: codeCheck(code) }),
    add_ons: packAddOns(sold, option.add_ons)
  })

/** Reads numbers from bits; past the end they are `undefined`. */
const reader = (bytes: Buffer) => {
  const bits = Array.from(bytes, (byte) => bitsOf(byte, 8)).join("")
  let at = 0
  return {
    left: () => bits.length - at,
    number: (width: number): number | undefined => {
      const taken = bits.slice(at, at + width)
      at += width
      return taken.length < width ? undefined : Number.parseInt(taken, 2)
    }
  }
}

const readAddOns = (read: ReturnType<typeof reader>): PackedAddOns | undefined => {
  // Less than a byte only fills the last one.
  if (read.left() < 8) return { quantities: [], check: 0 }
  const check = read.number(addOnCheckBits)
  if (check === undefined) return undefined
  const quantities: Array<number> = []
  let length = 0
  while (read.left() > 0) {
    const chosen = read.number(1) === 1
    const quantity = chosen ? (read.number(1) === 0 ? 1 : read.number(quantityBits)) : 0
    if (quantity === undefined) return undefined
    quantities.push(quantity)
    if (chosen) length = quantities.length
  }
  return { quantities: quantities.slice(0, length), check }
}

/** The content of an option id; undefined for a text that `pack` never made, as for an id that was copied wrongly. */
export const unpack = (text: string): UnpackedOption | undefined => {
  if (!/^option_[A-Za-z0-9_-]{1,73}$/.test(text)) return undefined
  const bytes = Buffer.from(text.slice("option_".length), "base64url")
  if (bytes.length < headBytes + checkBytes + 2) return undefined
  const read = reader(bytes.subarray(headBytes, -checkBytes))
  const number = (wide: boolean) => read.number(wide ? largePartyBits : smallPartyBits)
  let wide = read.number(1) === 1
  let children = number(wide)
  const ages_check = !wide && children === 0 ? read.number(agesCheckBits) : undefined
  if (ages_check !== undefined) {
    wide = read.number(1) === 1
    children = number(wide)
  }
  const code_check = wide && children === 0 ? read.number(codeCheckBits) : undefined
  if (code_check !== undefined) {
    wide = read.number(1) === 1
    children = number(wide)
  }
  const adults = number(wide)
  if (children === undefined || children === 0 || adults === undefined) return undefined
  const add_ons = readAddOns(read)
  const start = bytes.readUInt32BE(16) * minuteMs
  if (add_ons === undefined || start >= endOfStarts) return undefined
  const option = {
    package_id: packageIdOf(bytes.subarray(0, 16)),
    start,
    children,
    adults,
    ...(ages_check === undefined ? {} : { ages_check }),
    ...(code_check === undefined ? {} : { code_check }),
    add_ons,
    digest: bytes.toString("hex", 20, headBytes)
  }
  return encode(option) === text ? option : undefined
}

/** The add-ons of an option id, in order of id; undefined if the venue's add-ons have changed. */
export const resolveAddOns = (sold: SoldAddOns, packed: PackedAddOns): ReadonlyArray<AddOnChoice> | undefined => {
  const order = inOrder(sold)
  const choices: Array<AddOnChoice> = []
  for (const [place, quantity] of packed.quantities.entries()) {
    const add_on_id = order[place]
    if (add_on_id === undefined) return undefined
    if (quantity > 0) choices.push({ add_on_id, quantity })
  }
  return choices.length === 0 || checkOf(choices) === packed.check ? choices : undefined
}

/** An offer: its package, start and add-ons, the zone of its times, and its price. */
interface Offered {
  readonly pkg: Package
  readonly start: Instant
  readonly time_zone: string
  readonly add_ons: ReadonlyArray<AddOnChoice>
  readonly quote: Pick<Quote, "price" | "non_refundable" | "deposit">
}

const parts = ["price", "time", "terms"] as const
/** A part of what an option tells. */
type OptionPart = (typeof parts)[number]

const wholeBytes = 5
const partBytes = 1

/**
 * Everything that an option tells and a buyer agrees to. Texts for people that repeat it are left out, because they
 * depend on the runtime. What a package says of itself beside its name is no part of it.
 */
const told = ({ add_ons, pkg, quote, start, time_zone }: Offered): Record<OptionPart, unknown> => {
  const { balance_due_at, display_due_now: _, display_total: __, ...price } = quote.price
  return {
    price: { ...price, add_ons: [...add_ons].sort((a, b) => (a.add_on_id < b.add_on_id ? -1 : 1)) },
    time: {
      time_zone,
      start: format(time_zone, start),
      end: format(time_zone, start + pkg.duration_minutes * minuteMs)
    },
    terms: {
      package_id: pkg.package_id,
      name: pkg.name,
      mode: pkg.mode,
      cancellation: pkg.cancellation,
      final_headcount_hours_before: pkg.final_headcount_hours_before,
      party_may_shrink: pkg.party_may_shrink === false ? false : undefined,
      free_reschedule_hours_before: pkg.free_reschedule_hours_before,
      deposit: quote.deposit,
      non_refundable: quote.non_refundable,
      balance_due_at,
      balance_at_venue: balance_due_at !== undefined && isBalanceAtVenue(pkg) ? true : undefined,
      release_unpaid_after_hours:
        balance_due_at === undefined || pkg.payment.kind === "full" ? undefined : pkg.payment.release_unpaid_after_hours
    }
  }
}

/**
 * 64 bits of hashes, as 16 hexadecimal digits: 40 over everything told, and 8 over each part, which only name what has
 * changed.
 */
export const digestOf = (offered: Offered): string => {
  const all = told(offered)
  return [digestOfValue(all, wholeBytes), ...parts.map((part) => digestOfValue(all[part], partBytes))].join("")
}

/** The parts in which two different digests differ. Rarely (1 in 256) a changed part is not named. */
export const changedParts = (was: string, is: string): ReadonlyArray<OptionPart> => {
  const at = (digest: string, i: number) => digest.slice(2 * (wholeBytes + i), 2 * (wholeBytes + i + partBytes))
  return parts.filter((_, i) => at(was, i) !== at(is, i))
}
