/**
 * Tokens in the addresses of pages for people. A token names a booking and proves that this service gave it out: a message
 * authentication code over what it opens, under a secret of the service. So nothing is stored for it, it is the same each time it is
 * shown, and raising the counter ends all earlier ones.
 */
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type SqlError } from "effect/sql"
import { createHmac, timingSafeEqual } from "node:crypto"
import { type BookingId, bookingIdOf, idBytes } from "../kernel/Ids.ts"
import { decodeRows } from "../kernel/Rows.ts"

/** What a token opens: one page of one booking. `counter` is 0 until the booking's link is renewed, which ends earlier tokens. */
export interface LinkTarget {
  readonly page: "checkout_return"
  readonly booking_id: BookingId
  readonly counter: number
}

const idLength = 16
/** Bytes of the code that are used. With the id's they make 48 characters without spare bits, so a token has one spelling. */
const codeLength = 20
const secretLength = 32
const shape = /^[A-Za-z0-9_-]{48}$/

/** The booking that a token names. Only `LinkTokens.opens` checks the token. */
export const bookingIn = (token: string): Option.Option<BookingId> =>
  shape.test(token) ? Option.some(bookingIdOf(Buffer.from(token, "base64url").subarray(0, idLength))) : Option.none()

const rows = decodeRows(Schema.Array(Schema.Struct({ secret: Schema.Uint8Array })))

export class LinkTokens extends Context.Service<
  LinkTokens,
  {
    /** The token that opens this, and nothing else. Not for use inside a transaction: the first call writes the secret. */
    readonly make: (target: LinkTarget) => Effect.Effect<string, SqlError.SqlError>
    /** Whether the token opens this. */
    readonly opens: (token: string, target: LinkTarget) => Effect.Effect<boolean, SqlError.SqlError>
  }
>()("playroom/access/LinkTokens") {
  static readonly layer = Layer.effect(
    LinkTokens,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const random = yield* SecureRandom.SecureRandom
      let known: Uint8Array | undefined

      const secret = Effect.gen(function* () {
        if (known !== undefined) return known
        const now = new Date(yield* Clock.currentTimeMillis)
        const fresh = yield* random.randomBytes(secretLength)
        // Where several nodes start together, the secret of one of them is kept.
        yield* sql`insert into service_secret (name, secret, created_at) values ('links', ${fresh}::bytea, ${now}) on conflict do nothing`
        const [kept] = yield* rows(sql`select secret from service_secret where name = 'links'`)
        known = (yield* Effect.orDie(Effect.fromNullishOr(kept))).secret
        return known
      })

      const make = ({ booking_id, counter, page }: LinkTarget) =>
        Effect.map(secret, (key) => {
          const code = createHmac("sha256", key)
            .update(JSON.stringify([page, booking_id, counter]))
            .digest()
          return Buffer.concat([idBytes(booking_id), code.subarray(0, codeLength)]).toString("base64url")
        })

      const opens = (token: string, target: LinkTarget) =>
        shape.test(token)
          ? Effect.map(make(target), (right) => timingSafeEqual(Buffer.from(right), Buffer.from(token)))
          : Effect.succeed(false)

      return LinkTokens.of({ make, opens })
    })
  )
}
