/** The provider's signature of an event by its own recipe, written apart from the sandbox (https://docs.stripe.com/webhooks#verify-manually). */
import { createHmac } from "node:crypto"

/** HMAC-SHA256 over `timestamp.body`, in hexadecimal; `seconds` since 1970. */
export const eventHmac = (body: string | Uint8Array, secret: string, seconds: number): string =>
  createHmac("sha256", secret).update(`${seconds}.`).update(body).digest("hex")

/** The header that an event is delivered with. */
export const signatureHeader = (body: string | Uint8Array, secret: string, seconds: number): string =>
  `t=${seconds},v1=${eventHmac(body, secret, seconds)}`
