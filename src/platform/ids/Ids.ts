/**
 * Ids are TypeIDs (https://github.com/jetify-com/typeid, specification 0.3): a prefix for the kind, an underscore, and
 * a UUIDv7 in 26 characters of lower-case Crockford base 32. They sort by creation time.
 */
import { Effect, Schema, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { createHash } from "node:crypto"
import { boundedText } from "../errors/InvalidArguments.ts"
import type { Instant } from "../time/LocalTime.ts"

// Short digests of values. Equal values have equal digests, whatever the order of their keys.

/** JSON with sorted keys. Keys without a value are left out. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part
  )

/** The first `bytes` bytes of the SHA-256 of a value's JSON, in hexadecimal digits. */
export const digestOfValue = (value: unknown, bytes: number): string =>
  createHash("sha256").update(canonical(value)).digest().toString("hex", 0, bytes)

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

/** The 26 characters of a UUID in TypeID's base 32 (130 bits, the first two of them zero). */
const base32 = (uuid: string): string => {
  let value = BigInt(`0x${uuid.replaceAll("-", "")}`)
  let text = ""
  for (let i = 0; i < 26; i++) {
    text = alphabet.charAt(Number(value & 31n)) + text
    value >>= 5n
  }
  return text
}

/** The 16 bytes of an id's UUID. */
export const idBytes = (id: string): Uint8Array => {
  let value = 0n
  for (const letter of id.slice(-26)) value = (value << 5n) | BigInt(alphabet.indexOf(letter))
  const bytes = new Uint8Array(16)
  for (let i = 15; i >= 0; i--) {
    bytes[i] = Number(value & 255n)
    value >>= 8n
  }
  return bytes
}

/** Inverse of `idBytes`, one function a kind. */
export const packageIdOf = (bytes: Uint8Array): PackageId => PackageId.make(`package_${base32(hex(bytes))}`)

export const bookingIdOf = (bytes: Uint8Array): BookingId => BookingId.make(`booking_${base32(hex(bytes))}`)

export const operatorIdOf = (bytes: Uint8Array): OperatorId => OperatorId.make(`operator_${base32(hex(bytes))}`)

export const paymentSessionIdOf = (bytes: Uint8Array): PaymentSessionId =>
  PaymentSessionId.make(`payment_${base32(hex(bytes))}`)

export const waitingIdOf = (bytes: Uint8Array): WaitingId => WaitingId.make(`waiting_${base32(hex(bytes))}`)

/** What all ids of a kind that were made at an instant or later sort after. */
export const idsFrom = (prefix: "payment" | "refund", at: Instant): string =>
  `${prefix}_${base32(at.toString(16).padStart(12, "0").padEnd(32, "0"))}`

const hex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")

const idSchema = (prefix: string, source: string) =>
  Schema.String.check(
    Schema.isPattern(new RegExp(`^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`, "u"), {
      message: `Expected an id like ${prefix}_01h4…; ${source}`
    })
  )

export const OperatorId = idSchema("operator", "operators are listed by the command line").pipe(
  Schema.brand("operator")
)
export type OperatorId = typeof OperatorId.Type
/** A playroom's id, from `search_playrooms`. */
export const PlayroomId = idSchema("playroom", "search_playrooms gives it").pipe(Schema.brand("playroom"))
export type PlayroomId = typeof PlayroomId.Type
/** A package's id, from `get_playroom`. */
export const PackageId = idSchema("package", "get_playroom gives it").pipe(Schema.brand("package"))
export type PackageId = typeof PackageId.Type
/** An add-on's id, from `get_playroom`. */
export const AddOnId = idSchema("addon", "get_playroom gives it").pipe(Schema.brand("addon"))
export type AddOnId = typeof AddOnId.Type
export const ClosureId = idSchema("closure", "the catalogue file gives it").pipe(Schema.brand("closure"))
export type ClosureId = typeof ClosureId.Type
/** A booking's id, from `create_booking`. */
export const BookingId = idSchema("booking", "create_booking gives it").pipe(Schema.brand("booking"))
export type BookingId = typeof BookingId.Type
/** What bookings that one call made together have in common. */
export const OrderId = idSchema("order", "bookings made together have it").pipe(Schema.brand("order"))
export type OrderId = typeof OrderId.Type
/** A payment session's id, from `create_payment_session`. */
export const PaymentSessionId = idSchema("payment", "create_payment_session gives it").pipe(Schema.brand("payment"))
export type PaymentSessionId = typeof PaymentSessionId.Type
export const RefundId = idSchema("refund", "the command line gives it").pipe(Schema.brand("refund"))
export type RefundId = typeof RefundId.Type
/** A gift voucher's id, which is not its code. */
export const VoucherId = idSchema("voucher", "the desk gives it").pipe(Schema.brand("voucher"))
export type VoucherId = typeof VoucherId.Type
/** An API key's id, which is not its secret. */
export const KeyId = idSchema("key", "`playroom key list` gives it").pipe(Schema.brand("key"))
export type KeyId = typeof KeyId.Type
/** The id of a grant: a person's consent at `/mcp/connect`. */
export const GrantId = idSchema("grant", "`playroom grant list` gives it").pipe(Schema.brand("grant"))
export type GrantId = typeof GrantId.Type
/** The id of a person at an operator's desk. */
export const StaffId = idSchema("staff", "`playroom staff list` gives it").pipe(Schema.brand("staff"))
export type StaffId = typeof StaffId.Type

/** The id of a family's entry in a waiting list. */
export const WaitingId = idSchema("waiting", "the desk lists who waits").pipe(Schema.brand("waiting"))
export type WaitingId = typeof WaitingId.Type

type IdSchema<Id extends string> = { readonly make: (value: string) => Id }

const generator = <Id extends string>(
  schema: IdSchema<Id>,
  prefix: string
): Effect.Effect<Id, never, SecureRandom.SecureRandom> =>
  Effect.map(
    SecureRandom.SecureRandom.use((random) => random.uuidV7()),
    (uuid) => schema.make(`${prefix}_${base32(uuid)}`)
  )

/** Generates ids. Time comes from `Clock`, randomness from `SecureRandom`. */
export const newId = {
  operator: generator(OperatorId, "operator"),
  playroom: generator(PlayroomId, "playroom"),
  package: generator(PackageId, "package"),
  addOn: generator(AddOnId, "addon"),
  closure: generator(ClosureId, "closure"),
  booking: generator(BookingId, "booking"),
  order: generator(OrderId, "order"),
  payment: generator(PaymentSessionId, "payment"),
  refund: generator(RefundId, "refund"),
  voucher: generator(VoucherId, "voucher"),
  key: generator(KeyId, "key"),
  grant: generator(GrantId, "grant"),
  staff: generator(StaffId, "staff"),
  waiting: generator(WaitingId, "waiting")
}

/** Identifies a call across retries: any text of 1 to 255 characters. */
export const IdempotencyKey = boundedText(255, 1)

const referenceAlphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

/** A booking's short code for people: 8 Crockford base-32 characters, like `K7M2-9QXD`. */
export const Reference = Schema.String.check(
  Schema.isPattern(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/, {
    message: "Expected a booking reference of 8 characters, like K7M2-9QXD"
  })
).pipe(Schema.brand("reference"))
export type Reference = typeof Reference.Type

/**
 * Normalizes a reference as people type it: any dash or none, lower case, and (by Crockford) I and L for 1, O for 0.
 * The result may still be invalid.
 */
export const normalizeReference = (text: string): string => {
  const plain = text
    .toUpperCase()
    .replaceAll(/[\s\p{Dash}]/gu, "")
    .replaceAll(/[IL]/g, "1")
    .replaceAll("O", "0")
  return `${plain.slice(0, 4)}-${plain.slice(4)}`
}

const isReference = Schema.is(Reference)

/** A reference as people type it (see `normalizeReference`). Decoding keeps it as typed. */
export const TypedReference = Schema.String.check(
  Schema.makeFilter(
    (text: string) =>
      (text.length <= 40 && isReference(normalizeReference(text))) ||
      "Expected a booking reference of 8 characters, like K7M2-9QXD"
  )
)

/** What spreadsheets take for a number with an exponent. */
const isExponent = (text: string): boolean => /^\d{3}E-\d{4}$/.test(text)

const drawnReference = Effect.map(
  SecureRandom.SecureRandom.use((random) => random.randomBytes(8)),
  (bytes) => {
    const text = Array.from(bytes, (byte) => referenceAlphabet.charAt(byte & 31)).join("")
    return Reference.make(`${text.slice(0, 4)}-${text.slice(4)}`)
  }
)

/** A new random reference of 40 bits. The unique index catches the rare collision, and the caller retries. */
export const newReference: Effect.Effect<Reference, never, SecureRandom.SecureRandom> = Effect.flatMap(
  drawnReference,
  (drawn) => (isExponent(drawn) ? newReference : Effect.succeed(drawn))
)

// Opaque cursors for keyset paging: a position with a digest that binds it to its list (`scope`).

/** A cursor as a caller sends it back. `decodeCursor` checks it. */
export const Cursor = boundedText(500, 1)

const digest = (scope: unknown): string =>
  createHash("sha256").update(JSON.stringify(scope)).digest("base64url").slice(0, 11)

/** The cursor of `position` in the list that `scope` describes (its filters, as JSON). */
export const encodeCursor = (scope: unknown, position: ReadonlyArray<string | number>): string =>
  Buffer.from(JSON.stringify([digest([scope, position]), ...position])).toString("base64url")

const Contents = Schema.fromJsonString(
  Schema.TupleWithRest(Schema.Tuple([Schema.String]), [Schema.Union([Schema.String, Schema.Finite])])
)
const decode = Schema.decodeUnknownOption(Contents)

/**
 * The position of a cursor that `encodeCursor` made for this list; undefined for any other text, as for a cursor that
 * was copied wrongly: it is made again and compared, so it has one spelling.
 */
export const decodeCursor = (scope: unknown, cursor: string): ReadonlyArray<string | number> | undefined => {
  if (!/^[\w-]{1,500}$/.test(cursor)) return undefined
  const parts = Option.getOrUndefined(decode(Buffer.from(cursor, "base64url").toString("utf8")))
  if (parts === undefined) return undefined
  const [, ...position] = parts
  return encodeCursor(scope, position) === cursor ? position : undefined
}

/** The issue to report if `decodeCursor` returns undefined. */
export const invalidCursor = {
  path: "cursor",
  message:
    "Expected the next_cursor of the previous page, with the same other arguments; leave cursor out for the first page"
}
