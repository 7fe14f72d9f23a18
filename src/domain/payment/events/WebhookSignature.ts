/**
 * Verifies that a webhook body came from the provider, byte for byte, and reads its event. The official library checks
 * the signature. This module adds what it lacks: several header values, two secrets during a rotation, timestamps from
 * the future, bytes that aren't text, and typed errors.
 */
import { Effect, Option, Redacted, Schema } from "effect"
import { Stripe } from "stripe"
import type { Instant } from "../../../platform/time/LocalTime.ts"
import { type EventMalformed, type ReadEvent, readEvent } from "./EventBody.ts"

/**
 * The maximum age of a signature in seconds, and the maximum time ahead of our clock. It is the library's default age.
 */
const toleranceSeconds = 300

/** No signature header, or only empty ones. */
export class SignatureMissing extends Schema.TaggedError<SignatureMissing>()("SignatureMissing", {}) {
  readonly code = "signature_missing"
  override get message(): string {
    return "The event came without a signature."
  }
}
/** No signature in the headers matches the body under any of the secrets. */
export class SignatureInvalid extends Schema.TaggedError<SignatureInvalid>()("SignatureInvalid", {}) {
  readonly code = "signature_invalid"
  override get message(): string {
    return "No secret of this receiver made the signature of the event."
  }
}
/** The signature is valid, but more than 300 s old or ahead. `seconds_ahead`: of our clock; negative if it is old. */
export class SignatureStale extends Schema.TaggedError<SignatureStale>()("SignatureStale", {
  seconds_ahead: Schema.Int
}) {
  readonly code = "signature_stale"
  override get message(): string {
    return "The event was signed too long ago, or in the future."
  }
}
export type SignatureError = SignatureMissing | SignatureInvalid | SignatureStale | EventMalformed

/** A value of the signature header. `timestamp`: seconds since 1970. */
interface SignatureHeader {
  readonly timestamp: number
  readonly signatures: ReadonlyArray<string>
}

// Limits the work per request: the body is hashed once for each header value and secret.
const maxHeaders = 4
const maxSignatures = 16

/**
 * The values of the headers: `t=…,v1=…,v1=…` each. HTTP joins repeated headers with commas, so every `t` starts a new
 * value. Only well-formed `v1` values are kept (an empty or non-ASCII one makes the library throw); other schemes are
 * ignored.
 */
const parseHeaders = (headers: ReadonlyArray<string>): ReadonlyArray<SignatureHeader> => {
  const values: Array<{ timestamp: number | undefined; signatures: Array<string> }> = []
  for (const header of headers) {
    let value: { timestamp: number | undefined; signatures: Array<string> } | undefined
    for (const item of header.split(",")) {
      const [name = "", text = ""] = item.trim().split("=", 2)
      const isTime = name === "t" && /^\d{1,12}$/.test(text)
      if (value === undefined || (isTime && value.timestamp !== undefined)) {
        value = { timestamp: undefined, signatures: [] }
        values.push(value)
      }
      if (isTime) value.timestamp = Number(text)
      if (name === "v1" && /^[0-9a-f]{64}$/.test(text) && value.signatures.length < maxSignatures)
        value.signatures.push(text)
    }
  }
  return values
    .flatMap(({ timestamp, signatures }) =>
      timestamp === undefined || signatures.length === 0 ? [] : [{ timestamp, signatures }]
    )
    .slice(0, maxHeaders)
}

// Strict, and keeps a byte-order mark, so that the text encodes back to the same bytes. The library's own decoding
// drops marks and replaces bad bytes: a changed body could pass as the signed one.
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
const textOf = Option.liftThrowable((payload: Uint8Array) => utf8.decode(payload))

const matches = (text: string, { signatures, timestamp }: SignatureHeader, secret: string): boolean => {
  const header = [`t=${timestamp}`, ...signatures.map((signature) => `v1=${signature}`)].join(",")
  try {
    // Tolerance 0: `verify` checks the age in both directions, by the given clock.
    return Stripe.webhooks.signature?.verifyHeader(text, header, secret, 0) === true
  } catch {
    return false
  }
}

/**
 * Verifies a webhook delivery; returns its event, of either kind, and the signed body as text.
 * `payload`: the raw body. `signatures`: every value of `Payment-Signature` and `Stripe-Signature`. `secrets`: any may
 * match. `now`: our clock. `signed_at`: seconds since 1970. Bytes that aren't UTF-8 fail with `SignatureInvalid`: the
 * provider never signs such a body.
 */
export const verify = Effect.fnUntraced(function* (request: {
  readonly payload: Uint8Array
  readonly signatures: ReadonlyArray<string>
  readonly secrets: ReadonlyArray<Redacted.Redacted>
  readonly now: Instant
}): Effect.fn.Return<ReadEvent & { readonly text: string; readonly signed_at: number }, SignatureError> {
  const headers = request.signatures.filter((header) => header.trim() !== "")
  if (headers.length === 0) return yield* new SignatureMissing()

  const text = textOf(request.payload)
  if (Option.isNone(text)) return yield* new SignatureInvalid()
  const valid = parseHeaders(headers).filter((header) =>
    request.secrets.some((secret) => matches(text.value, header, Redacted.value(secret)))
  )
  if (valid.length === 0) return yield* new SignatureInvalid()

  const seconds = Math.floor(request.now / 1000)
  const signed_at = Math.max(...valid.map(({ timestamp }) => timestamp))
  if (!valid.some(({ timestamp }) => Math.abs(seconds - timestamp) <= toleranceSeconds))
    return yield* new SignatureStale({ seconds_ahead: signed_at - seconds })

  const { event, thin } = yield* Effect.fromResult(readEvent(text.value))
  return { event, thin, text: text.value, signed_at }
})
