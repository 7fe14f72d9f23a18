/**
 * Sessions at the desk. The cookie is a random token, and the database has its digest. Each request looks it up, so
 * that who is removed is out at once on every node.
 */

import { Clock, Effect, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { createHash } from "node:crypto"
import { decodeRows } from "../../../platform/database/Rows.ts"
import type { StaffId } from "../../../platform/ids/Ids.ts"
import { dayMs, hourMs, type Instant, minuteMs } from "../../../platform/time/LocalTime.ts"
import { StaffMember } from "./StaffMember.ts"

// Random tokens for invitations and sessions. The database has their digests only.

/** 32 random bytes as text. */
export const newToken = (random: Uint8Array): string => Buffer.from(random).toString("base64url")

/** What a session's forms carry, so that no page of another session can send them. It opens nothing. */
export const formTokenOf = (token: string): string =>
  createHash("sha256").update("form\0").update(token).digest("base64url")

/** The digest of the text, so that each token has one spelling. */
export const tokenDigest = (token: string): Uint8Array => createHash("sha256").update(token).digest()

/** When a session ends: after so long without a request, and at the latest. */
export const sessionLimits = { idleMs: 12 * hourMs, longestMs: 7 * dayMs } as const
/** How exactly the last use is known: not each request writes it. */
const notedEveryMs = 5 * minuteMs

const found = decodeRows(Schema.Array(Schema.Struct({ ...StaffMember.fields, to_note: Schema.Boolean })))

/** Begins and ends sessions at the desk. */
export const makeStaffSessions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const random = yield* SecureRandom.SecureRandom

  /** Begins a session. The token is what its cookie holds. */
  const begin = Effect.fn("StaffSessions.begin")(function* (staff_id: StaffId) {
    const now = yield* Clock.currentTimeMillis
    const token = newToken(yield* random.randomBytes(32))
    // Who was removed meanwhile gets a token of no session.
    yield* sql`insert into staff_session (token, staff_id, used_at, ends_at)
      select ${tokenDigest(token)}::bytea, staff_id, ${new Date(now)}, ${new Date(now + sessionLimits.longestMs)}
      from staff where staff_id = ${staff_id}`
    return token
  })

  /** Whose session this is; none if it has ended. */
  const of = Effect.fn("StaffSessions.of")(function* (token: string) {
    const now = yield* Clock.currentTimeMillis
    const digest = tokenDigest(token)
    const [session] = yield* found(sql`
select s.staff_id, s.operator_id, o.name as operator_name, s.name, s.role, t.used_at < ${new Date(now - notedEveryMs)}::timestamptz as to_note
from staff_session t join staff s using (staff_id) join operator o using (operator_id)
where t.token = ${digest}::bytea and t.ends_at > ${new Date(now)}::timestamptz
  and t.used_at > ${new Date(now - sessionLimits.idleMs)}::timestamptz`)
    if (session === undefined) return Option.none<StaffMember>()
    const { to_note, ...member } = session
    if (to_note) yield* sql`update staff_session set used_at = ${new Date(now)} where token = ${digest}::bytea`
    return Option.some(member)
  })

  const end = Effect.fn("StaffSessions.end")((token: string) =>
    Effect.asVoid(sql`delete from staff_session where token = ${tokenDigest(token)}::bytea`)
  )

  return { begin, end, of }
})

/** Removes up to `limit` sessions that have ended. Returns how many. */
export const removeEndedSessions = Effect.fnUntraced(function* (now: Instant, limit: number) {
  const sql = yield* SqlClient.SqlClient
  const gone = yield* sql`delete from staff_session where token in (
    select token from staff_session where ends_at <= ${new Date(now)} limit ${limit} for update skip locked) returning 1`
  return gone.length
})
