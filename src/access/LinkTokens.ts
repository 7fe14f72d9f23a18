/**
 * Tokens in the addresses of pages for people. A token names a booking or an operator and proves that this service gave it out: a message
 * authentication code over what it opens, under a secret of the service. So nothing is stored for it, it is the same each time it is
 * shown, and raising the counter ends all earlier ones.
 */
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type SqlError } from "effect/sql"
import { createHmac, timingSafeEqual } from "node:crypto"
import { AppConfig } from "../config/AppConfig.ts"
import {
  type BookingId,
  bookingIdOf,
  idBytes,
  type OperatorId,
  operatorIdOf,
  type PaymentSessionId,
  paymentSessionIdOf
} from "../kernel/Ids.ts"
import { decodeRows } from "../kernel/Rows.ts"

/** The pages of a booking: where payers land, and the family's own. */
export type BookingPage = "checkout_return" | "booking"

/**
 * What a token opens: one page of one booking or operator. `counter` is 0 until the link is renewed, which ends earlier tokens. What
 * became of a payment is told to whoever made it, also after that.
 */
export type LinkTarget =
  | { readonly page: BookingPage; readonly booking_id: BookingId; readonly counter: number }
  | { readonly page: "operator"; readonly operator_id: OperatorId; readonly counter: number }
  | { readonly page: "payment"; readonly payment_session_id: PaymentSessionId; readonly counter: 0 }

/** The paths of pages that are opened by a token, which follows the path. */
export const linkPaths = { booking: "/b/", operator: "/o/" } as const

const idLength = 16
/** Bytes of the code that are used. With the id's they make 48 characters without spare bits, so a token has one spelling. */
const codeLength = 20
const secretLength = 32
const shape = /^[A-Za-z0-9_-]{48}$/

const idIn = (token: string): Option.Option<Uint8Array> =>
  shape.test(token) ? Option.some(Buffer.from(token, "base64url").subarray(0, idLength)) : Option.none()

/** The booking that a token names. Only `LinkTokens.opens` checks the token. */
export const bookingIn = (token: string): Option.Option<BookingId> => Option.map(idIn(token), bookingIdOf)
/** The operator that a token names, as above. */
export const operatorIn = (token: string): Option.Option<OperatorId> => Option.map(idIn(token), operatorIdOf)
/** The payment session that a token names, as above. */
export const paymentIn = (token: string): Option.Option<PaymentSessionId> => Option.map(idIn(token), paymentSessionIdOf)

const idOf = (target: LinkTarget) => {
  if ("booking_id" in target) return target.booking_id
  return "operator_id" in target ? target.operator_id : target.payment_session_id
}

const rows = decodeRows(Schema.Array(Schema.Struct({ secret: Schema.Uint8Array })))

export class LinkTokens extends Context.Service<
  LinkTokens,
  {
    /** The token that opens this, and nothing else. Not for use inside a transaction: the first call writes the secret. */
    readonly make: (target: LinkTarget) => Effect.Effect<string, SqlError.SqlError>
    /** Whether the token opens this. */
    readonly opens: (token: string, target: LinkTarget) => Effect.Effect<boolean, SqlError.SqlError>
    /** The address of the page, below `BASE_URL`. It is a secret of those who may see the page. */
    readonly address: (
      target: LinkTarget & { readonly page: keyof typeof linkPaths }
    ) => Effect.Effect<string, SqlError.SqlError>
  }
>()("playroom/access/LinkTokens") {
  static readonly layer = Layer.effect(
    LinkTokens,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const random = yield* SecureRandom.SecureRandom
      const { baseUrl } = yield* AppConfig
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

      const make = (target: LinkTarget) =>
        Effect.map(secret, (key) => {
          const id = idOf(target)
          const code = createHmac("sha256", key)
            .update(JSON.stringify([target.page, id, target.counter]))
            .digest()
          return Buffer.concat([idBytes(id), code.subarray(0, codeLength)]).toString("base64url")
        })

      const opens = (token: string, target: LinkTarget) =>
        shape.test(token)
          ? Effect.map(make(target), (right) => timingSafeEqual(Buffer.from(right), Buffer.from(token)))
          : Effect.succeed(false)

      const address: LinkTokens["Service"]["address"] = (target) =>
        Effect.map(make(target), (token) => `${baseUrl}${linkPaths[target.page]}${token}`)

      return LinkTokens.of({ address, make, opens })
    })
  )
}
