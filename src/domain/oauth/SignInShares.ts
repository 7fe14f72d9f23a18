/**
 * What anybody may take without a key, an hour: sign-ins of guests, and registrations of clients. Each network has some
 * of its own, whatever others took; beyond these, a share of what the others leave (`within_share` in `sql/`). So a
 * flood costs the network that it comes from, and no newcomer from elsewhere is refused for it.
 *
 * Counted by network, never by host: anybody can claim to come through any host, or publish documents at many. The table
 * of what was taken is `admission`.
 */
import { Clock, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { bucketOf } from "../../platform/access/ClientAddress.ts"
import { decodeRows } from "../../platform/database/Rows.ts"
import type { ConnectAnswer } from "./OAuthExchange.ts"

/**
 * `own`: what a network has in any case. `available`: what all share beyond that, of which one has a third while nobody
 * else takes any: 200 sign-ins are a school or a mobile network behind one address. Hosts register from few addresses,
 * some of them for each person.
 */
export const signInShares = {
  sign_in: { own: 10, available: 600 },
  registration: { own: 20, available: 3000 }
} as const

/** Whose share is used up: that of an IPv4 address or a /64 of IPv6 (`address`), or of a /48 (`network`). */
const Refused = Schema.Struct({
  per: Schema.Literals(["address", "network"]),
  retry_after_seconds: Schema.Int
})
const refusals = decodeRows(Schema.Tuple([Schema.Struct({ refused: Schema.NullOr(Refused) })]))

/** Counts one more of the sender with this address, unless its share is used up: then the refusal. */
export const takeShare = Effect.fn("takeShare")(function* (kind: keyof typeof signInShares, address: string) {
  const sql = yield* SqlClient.SqlClient
  const { available, own } = signInShares[kind]
  const now = new Date(yield* Clock.currentTimeMillis)
  const [{ refused }] = yield* refusals(sql`select
    admit(${kind}, ${bucketOf(address)}, ${own}::int, ${available}::int, ${now}::timestamptz) as refused`)
  return refused ?? undefined
})

/** The answer to a client whose registration was refused. */
export const shareUsedUp = ({ per, retry_after_seconds }: typeof Refused.Type): ConnectAnswer => ({
  status: 429,
  headers: {
    "content-type": "application/json; charset=utf-8",
    "cache-control": "no-store",
    "retry-after": String(retry_after_seconds)
  },
  cookies: [],
  body: JSON.stringify({
    error: "temporarily_unavailable",
    error_description: `this ${per === "network" ? "network (an IPv6 /48)" : "address"} has registered as many clients within the last hour as it may: register again in ${retry_after_seconds} s, keep the client_id, or publish a client-id document`
  })
})

/** Removes up to `limit` that no longer count. Succeeds with their number. */
export const forgetTakenShares = Effect.fnUntraced(function* (before: number, limit: number) {
  const sql = yield* SqlClient.SqlClient
  const gone = yield* sql`delete from admission where ctid in (
    select ctid from admission where at < ${new Date(before)} limit ${limit}) returning 1`
  return gone.length
})
