/**
 * What hosts and guests have after the database was restored from a backup (`docs/backup.md`): their rows as they were
 * then.
 */
import { assert, layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { BookingRow } from "../../../src/domain/booking/Booking.ts"
import { hourMs } from "../../../src/platform/time/LocalTime.ts"
import { Grants } from "../../../src/domain/oauth/Grants.ts"
import { AccountComparison } from "../../../src/domain/payment/recovery/AccountComparison.ts"
import { Checkout } from "../../../src/domain/payment/checkout/Checkout.ts"
import { principal } from "../../support/BookingWorld.ts"
import { connectWorld, Node, untilNoticed } from "../../support/ConnectWorld.ts"
import { account } from "../../support/paymentVenues.ts"
import { actAndDeliver, createBooking, sessionRow } from "../../support/PaymentWorld.ts"
import { callTool, refresh, signIn } from "../../support/Person.ts"

const tables = ["connect_grant", "connect_state", "api_key"] as const

/** What hosts and guests have now. Succeeds with what brings it back. */
const backup = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const table of tables) yield* sql`create table ${sql.literal(`backup_${table} as table ${table}`)}`
  return Effect.gen(function* () {
    for (const table of tables) {
      yield* sql`delete from ${sql.literal(table)}`
      yield* sql`insert into ${sql.literal(`${table} table backup_${table}`)}`
    }
    yield* untilNoticed
  })
})

/** A booking of that key, paid. */
const paidBy = Effect.fnUntraced(function* (key: string) {
  const { booking_id, ...booking } = yield* createBooking(undefined, { key })
  const made = yield* Checkout.use((payments) => payments.createSession(principal(key), { booking_id }))
  yield* actAndDeliver(yield* sessionRow(made.payment_session_id), "pay")
  return { booking_id, ...booking }
})

const lose = ({ booking_id }: BookingRow) =>
  SqlClient.SqlClient.use(
    (
      sql
    ) => sql`with a as (delete from occupancy where booking_id = ${booking_id}), b as (delete from booking_history where booking_id = ${booking_id}),
      c as (delete from payment_session where booking_id = ${booking_id}), d as (delete from idempotency where result_id = ${booking_id})
      delete from booking where booking_id = ${booking_id}`
  )

layer(connectWorld(), { excludeTestServices: true })("after a restored backup", (it) => {
  const keyOf = Effect.fnUntraced(function* (client_id: string) {
    const found = (yield* Grants.use(({ list }) => list)).find((grant) => grant.client_id === client_id)
    return found?.key_id ?? assert.fail("no grant")
  })
  const status = Effect.fnUntraced(function* (token: string) {
    return (yield* callTool(yield* Node, token, "search_playrooms", {})).status
  })

  it.effect(
    "hosts go on with what they had then, connect again where they got more, and reach bookings made anew",
    () =>
      Effect.gen(function* () {
        const base = yield* Node
        const guest = () => signIn(base, { key: "guest" })
        const [idle, busy, ended] = [yield* guest(), yield* guest(), yield* guest()]
        const earlier = yield* paidBy(yield* keyOf(busy.client_id))
        const restore = yield* backup

        // Lost: a renewed access, an agreement that was ended, a host that connected, and a booking that it had paid.
        const renewed = (yield* refresh(base, busy.client_id, busy.refresh_token)).body
        const grants = yield* Grants
        const endedGrant = (yield* grants.list).find(({ client_id }) => client_id === ended.client_id)
        yield* grants.revoke(endedGrant?.grant_id ?? "")
        const newcomer = yield* guest()
        const later = yield* paidBy(yield* keyOf(newcomer.client_id))
        yield* restore
        yield* lose(later)

        assert.strictEqual(yield* status(idle.access_token), 200)
        assert.strictEqual((yield* refresh(base, idle.client_id, idle.refresh_token)).status, 200)
        assert.strictEqual(yield* status(ended.access_token), 200, "what was revoked since works again")
        for (const token of [String(renewed["access_token"]), newcomer.access_token])
          assert.strictEqual(yield* status(token), 401)
        const refused = [
          yield* refresh(base, busy.client_id, String(renewed["refresh_token"])),
          yield* refresh(base, newcomer.client_id, newcomer.refresh_token)
        ]
        assert.deepStrictEqual(
          refused.map(({ body }) => body["error"]),
          ["invalid_grant", "invalid_client"]
        )

        const since = (yield* Clock.currentTimeMillis) - hourMs
        const { differences } = yield* AccountComparison.use((comparison) =>
          comparison.compare(account, { since, apply: true })
        )
        assert.deepStrictEqual(
          differences.map(({ kind }) => kind),
          ["rebooked"]
        )
        // Connected again, each is another guest, who names its booking.
        for (const [{ client_id }, booking] of [
          [busy, earlier],
          [yield* guest(), later]
        ] as const) {
          const again = yield* signIn(base, { key: "guest", client_id })
          const found = yield* callTool(base, again.access_token, "get_booking", {
            reference: booking.reference,
            contact_email: booking.contact_email
          })
          assert.nestedPropertyVal(found.body, "result.structuredContent.booking.booking_id", booking.booking_id)
        }
      })
  )
})
