/**
 * Option ids: `option_` and URL-safe base 64 of at most 54 bytes, 80 characters in all. They hold package, start,
 * party, add-ons, and a digest of what was told. They are no secret and grant no rights.
 *
 * ```
 * 16 bytes package UUID · 4 start, minutes since 1970 · 8 digest · 1–2 children · 1–2 adults
 * and only with add-ons: 2 bytes check of their ids · 1–4 bytes each (at most 20)
 * ```
 *
 * The id of an add-on alone takes 16 bytes, so the option id has the add-on's position among the playroom's add-ons in
 * order of id. Positions change with the catalogue. The check then fails, so the option is invalid and never has
 * another add-on.
 */
import { createHash } from "node:crypto"
import { isBalanceAtVenue, type Package } from "../catalogue/Package.ts"
import { digestOfValue } from "../kernel/Digest.ts"
import { idBytes, type PackageId, packageIdOf } from "../kernel/Ids.ts"
import { format, type Instant, minuteMs } from "../kernel/LocalTime.ts"
import type { AddOnChoice } from "../catalogue/Price.ts"
import type { Quote } from "../catalogue/Pricing.ts"

type SoldAddOns = ReadonlyArray<{ readonly add_on_id: AddOnChoice["add_on_id"] }>

/**
 * The chosen add-ons in an option id: positions in order of id (strictly rising) with quantities, and a check of the
 * ids.
 */
interface PackedAddOns {
  readonly places: ReadonlyArray<{ readonly place: number; readonly quantity: number }>
  readonly check: number
}

/** The content of an option id. `digest` is from `digestOf`, 16 hexadecimal digits. */
interface UnpackedOption {
  readonly package_id: PackageId
  readonly start: Instant
  readonly children: number
  readonly adults: number
  readonly add_ons: PackedAddOns
  readonly digest: string
}

const maxAddOnBytes = 20
// The first instant of the year 3000. Dates from callers (`LocalDate`) end there too.
const endOfStarts = Date.UTC(3000, 0, 1)
const inOrder = (sold: SoldAddOns): ReadonlyArray<AddOnChoice["add_on_id"]> =>
  sold.map(({ add_on_id }) => add_on_id).sort()

const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest()
const checkOf = (choices: ReadonlyArray<AddOnChoice>): number =>
  sha256(choices.map(({ add_on_id }) => add_on_id).join()).readUInt16BE()

/** Seven bits a byte, lowest first. All bytes but the last have the eighth bit set. */
const varint = (value: number): ReadonlyArray<number> =>
  value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))]

/** Each position as its distance from the one before, doubled; plus 1 if a quantity other than 1 follows. */
const addOnBytes = ({ places }: PackedAddOns): ReadonlyArray<number> => {
  let next = 0
  return places.flatMap(({ place, quantity }) => {
    const distance = place - next
    next = place + 1
    return quantity === 1 ? varint(distance * 2) : [...varint(distance * 2 + 1), ...varint(quantity)]
  })
}

const packAddOns = (sold: SoldAddOns, choices: ReadonlyArray<AddOnChoice>): PackedAddOns => {
  const order = inOrder(sold)
  const sorted = [...choices].sort((a, b) => (a.add_on_id < b.add_on_id ? -1 : 1))
  return {
    places: sorted.map(({ add_on_id, quantity }) => ({ place: order.indexOf(add_on_id), quantity })),
    check: checkOf(sorted)
  }
}

/**
 * Whether these add-ons fit into one option id. 10 always do if the playroom has up to 64 and quantities are under 128.
 */
export const addOnsFit = (sold: SoldAddOns, choices: ReadonlyArray<AddOnChoice>): boolean =>
  addOnBytes(packAddOns(sold, choices)).length <= maxAddOnBytes

const encode = (option: UnpackedOption): string => {
  const head = Buffer.alloc(28)
  head.set(idBytes(option.package_id))
  head.writeUInt32BE(option.start / minuteMs, 16)
  head.write(option.digest, 20, "hex")
  const { places, check } = option.add_ons
  const addOns = places.length === 0 ? [] : [check >> 8, check & 255, ...addOnBytes(option.add_ons)]
  const bytes = Buffer.concat([head, Buffer.from([...varint(option.children), ...varint(option.adults), ...addOns])])
  return `option_${bytes.toString("base64url")}`
}

/**
 * The input of `pack`: an offer with its add-ons by id, each at most once, all sold by the venue, and fitting
 * (`addOnIssues`).
 */
export interface PackableOption extends Omit<UnpackedOption, "add_ons"> {
  readonly add_ons: ReadonlyArray<AddOnChoice>
}

/**
 * The id of an offer. `sold` are all add-ons of its venue. Children and adults are at most 16,383; the start is a whole
 * minute before the year 3000.
 */
export const pack = (option: PackableOption, sold: SoldAddOns): string =>
  encode({ ...option, add_ons: packAddOns(sold, option.add_ons) })

/** Reads numbers from bytes; `undefined` past the end. */
const reader = (bytes: Buffer, from: number) => {
  let at = from
  return {
    atEnd: () => at >= bytes.length,
    varint: (): number | undefined => {
      let value = 0
      // Two bytes are 14 bits: all that any number here needs.
      for (let i = 0; i < 2; i++) {
        const byte = bytes[at++]
        if (byte === undefined) return undefined
        value += (byte & 127) * 128 ** i
        if (byte < 128) return value
      }
      return undefined
    },
    uint16: (): number | undefined => {
      const [high, low] = [bytes[at++], bytes[at++]]
      return high === undefined || low === undefined ? undefined : high * 256 + low
    }
  }
}

const readAddOns = (read: ReturnType<typeof reader>): PackedAddOns | undefined => {
  const check = read.uint16()
  if (check === undefined) return undefined
  const places: Array<{ place: number; quantity: number }> = []
  let next = 0
  while (!read.atEnd()) {
    const tag = read.varint()
    if (tag === undefined) return undefined
    const quantity = tag % 2 === 0 ? 1 : read.varint()
    if (quantity === undefined || quantity === 0) return undefined
    const place = next + Math.floor(tag / 2)
    places.push({ place, quantity })
    next = place + 1
  }
  return { places, check }
}

/**
 * The content of an option id; undefined for a text that `pack` never made (malformed, too long, or another spelling).
 */
export const unpack = (text: string): UnpackedOption | undefined => {
  if (!/^option_[A-Za-z0-9_-]{1,73}$/.test(text)) return undefined
  const bytes = Buffer.from(text.slice("option_".length), "base64url")
  if (bytes.length < 30) return undefined
  const read = reader(bytes, 28)
  const children = read.varint()
  const adults = read.varint()
  if (children === undefined || children === 0 || adults === undefined) return undefined
  const add_ons = read.atEnd() ? { places: [], check: 0 } : readAddOns(read)
  const start = bytes.readUInt32BE(16) * minuteMs
  if (add_ons === undefined || start >= endOfStarts) return undefined
  const option = {
    package_id: packageIdOf(bytes.subarray(0, 16)),
    start,
    children,
    adults,
    add_ons,
    digest: bytes.toString("hex", 20, 28)
  }
  return encode(option) === text ? option : undefined
}

/** The add-ons of an option id, in order of id; undefined if the venue's add-ons have changed. */
export const resolveAddOns = (sold: SoldAddOns, packed: PackedAddOns): ReadonlyArray<AddOnChoice> | undefined => {
  const order = inOrder(sold)
  const choices: Array<AddOnChoice> = []
  for (const { place, quantity } of packed.places) {
    const add_on_id = order[place]
    if (add_on_id === undefined) return undefined
    choices.push({ add_on_id, quantity })
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
