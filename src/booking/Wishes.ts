/**
 * One wish, one booking. A wish is an option, an e-mail address and a name (case and spaces aside), asked for with one API key. A call
 * that repeats a wish whose booking is alive gets that booking; one that repeats an idempotency key gets its booking, dead or alive.
 */
import { Schema } from "effect"
import { createHash } from "node:crypto"
import type { Principal } from "../access/ApiKey.ts"
import { BookingId, Reference } from "../kernel/Ids.ts"
import { type BookingRow, BookingStatus } from "./Booking.ts"
import type { BookingRequest } from "./BookingRequest.ts"

/** How many bookings that stand beside one are told. */
export const mostBeside = 5

/** Another live booking of the same person under the same API key. */
export const Beside = Schema.Struct({
  booking_id: BookingId,
  reference: Reference,
  status: BookingStatus,
  starts_at: Schema.Int,
  time_zone: Schema.String
})
export type Beside = typeof Beside.Type

/** What a call to book came to. */
export interface Wished {
  readonly row: BookingRow
  /** It was there before this call. */
  readonly already_existed: boolean
  /** What else is alive of the same person, at most `mostBeside`, the latest first. */
  readonly beside: ReadonlyArray<Beside>
}

/** By what a repeated call is known. */
export interface CallMemory {
  /** Names API key, option and e-mail; with the name, it names the wish. */
  readonly retry_key: string
  /** Names the call that asks for a further booking of its wish. */
  readonly another: string | null
  readonly idempotency_key: string | undefined
  /** A SHA-256 of the call's arguments. */
  readonly fingerprint: Uint8Array
}

const sha256 = (value: unknown): Buffer => createHash("sha256").update(JSON.stringify(value)).digest()

/** What is remembered of a call. One that asks for another booking asks for the same one each time it is repeated. */
export const memoryOf = ({ key_id }: Principal, request: BookingRequest): CallMemory => {
  const { another, idempotency_key, ...args } = request
  return {
    retry_key: sha256([key_id, request.option_id, request.contact.email.trim().toLowerCase()]).toString("base64url"),
    another: another === true ? sha256(idempotency_key ?? null).toString("base64url") : null,
    idempotency_key,
    fingerprint: sha256(another === true ? { ...args, another } : args)
  }
}
