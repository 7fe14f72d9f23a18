/**
 * Tokens in the addresses of pages for people. A token names a booking, an operator or a payment, and proves that this
 * service issued it: it contains a message authentication code under a secret of the service. So tokens are not stored,
 * a target always has the same token, and raising its counter invalidates all earlier ones.
 */
import { Context, Effect, Layer, Option, Clock, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { type SqlError, SqlClient } from "effect/sql"
import { createHmac, timingSafeEqual } from "node:crypto"
import { AppConfig } from "../config/AppConfig.ts"
import { decodeRows } from "../database/Rows.ts"
import {
  type BookingId,
  bookingIdOf,
  idBytes,
  type OperatorId,
  operatorIdOf,
  type PaymentSessionId,
  paymentSessionIdOf,
  type WaitingId,
  waitingIdOf
} from "../ids/Ids.ts"

// Secrets of the service: created when they are first needed, kept in the database and shared by all nodes.

const secretBytes = 32

const rows = decodeRows(Schema.Array(Schema.Struct({ secret: Schema.Uint8Array })))

/** Reads a secret once for this process. Don't read it in a transaction: the first reader stores it. */
export const makeServiceSecret = Effect.fnUntraced(function* (
  name: string
): Effect.fn.Return<
  Effect.Effect<Uint8Array, SqlError.SqlError>,
  never,
  SqlClient.SqlClient | SecureRandom.SecureRandom
> {
  const sql = yield* SqlClient.SqlClient
  const random = yield* SecureRandom.SecureRandom
  let cached: Uint8Array | undefined
  return Effect.gen(function* () {
    if (cached !== undefined) return cached
    const now = new Date(yield* Clock.currentTimeMillis)
    const fresh = yield* random.randomBytes(secretBytes)
    // If several nodes start together, the first secret wins.
    yield* sql`insert into service_secret (name, secret, created_at) values (${name}, ${fresh}::bytea, ${now}) on conflict do nothing`
    const [stored] = yield* rows(sql`select secret from service_secret where name = ${name}`)
    cached = (yield* Effect.orDie(Effect.fromNullishOr(stored))).secret
    return cached
  })
})

/**
 * A booking's pages: the one after checkout, the family's, the one where it can be paid and nothing else, the
 * invitation of its guests, and the one where its reminders are stopped.
 */
export type BookingPage = "checkout_return" | "booking" | "pay" | "invitation" | "reminders"

/**
 * A token's target: one page of one booking, operator, payment or entry in a waiting list. `counter` starts at 0, and each renewal of the link
 * raises it. A payment's token survives renewals, so that the payer still learns the outcome.
 */
export type LinkTarget =
  | { readonly page: BookingPage; readonly booking_id: BookingId; readonly counter: number }
  | { readonly page: "operator"; readonly operator_id: OperatorId; readonly counter: number }
  | { readonly page: "payment"; readonly payment_session_id: PaymentSessionId; readonly counter: 0 }
  | { readonly page: "waiting"; readonly waiting_id: WaitingId; readonly counter: 0 }

/** Paths of pages that a token opens. The token follows the path. */
export const linkPaths = {
  booking: "/b/",
  pay: "/p/",
  invitation: "/i/",
  reminders: "/r/",
  waiting: "/w/",
  operator: "/o/"
} as const

/** The step by which all that was booked together is paid, and what the address of a pay page has for that. */
export const togetherName = "together"
export const payTogetherQuery = `?step=${togetherName}`

/** Where a family puts itself on the waiting list of an option, whose id follows. */
export const waitPath = "/wait/"

/** Where somebody buys a gift voucher of an operator, whose id follows; and where a buyer sees how it stands. */
export const buyPath = "/gift/"
export const boughtPath = "/bought/"

/** Where who lost a booking's link has it sent again. */
export const findBookingPath = "/b"

const idLength = 16
/**
 * Bytes of the authentication code in a token. With the id's they fill 48 characters exactly, so a token has one
 * spelling.
 */
const codeLength = 20
const shape = /^[A-Za-z0-9_-]{48}$/

const idIn = (token: string): Option.Option<Uint8Array> =>
  shape.test(token) ? Option.some(Buffer.from(token, "base64url").subarray(0, idLength)) : Option.none()

/** The booking id in a token. Unchecked: use `LinkTokens.opens`. */
export const bookingIn = (token: string): Option.Option<BookingId> => Option.map(idIn(token), bookingIdOf)
/** The operator id in a token, unchecked. */
export const operatorIn = (token: string): Option.Option<OperatorId> => Option.map(idIn(token), operatorIdOf)
/** The payment session id in a token, unchecked. */
export const paymentIn = (token: string): Option.Option<PaymentSessionId> => Option.map(idIn(token), paymentSessionIdOf)
/** The id of an entry in a waiting list in a token, unchecked. */
export const waitingIn = (token: string): Option.Option<WaitingId> => Option.map(idIn(token), waitingIdOf)

const idOf = (target: LinkTarget) => {
  if ("booking_id" in target) return target.booking_id
  if ("waiting_id" in target) return target.waiting_id
  return "operator_id" in target ? target.operator_id : target.payment_session_id
}

export class LinkTokens extends Context.Service<
  LinkTokens,
  {
    /** The token of this target. Don't call it in a transaction: the first call stores the secret. */
    readonly make: (target: LinkTarget) => Effect.Effect<string, SqlError.SqlError>
    /** Whether the token is valid for this target. */
    readonly opens: (token: string, target: LinkTarget) => Effect.Effect<boolean, SqlError.SqlError>
    /** The page's address below `BASE_URL`. It is a secret of the people who may see the page. */
    readonly address: (
      target: LinkTarget & { readonly page: keyof typeof linkPaths }
    ) => Effect.Effect<string, SqlError.SqlError>
  }
>()("playroom/access/LinkTokens") {
  static readonly layer = Layer.effect(
    LinkTokens,
    Effect.gen(function* () {
      const { baseUrl } = yield* AppConfig
      const secret = yield* makeServiceSecret("links")

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
          ? Effect.map(make(target), (expected) => timingSafeEqual(Buffer.from(expected), Buffer.from(token)))
          : Effect.succeed(false)

      const address: LinkTokens["Service"]["address"] = (target) =>
        Effect.map(make(target), (token) => `${baseUrl}${linkPaths[target.page]}${token}`)

      return LinkTokens.of({ address, make, opens })
    })
  )
}
