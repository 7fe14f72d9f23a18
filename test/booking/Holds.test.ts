import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as fc from "fast-check"
import { BookingStatus, PaymentStatus } from "../../src/booking/Booking.ts"
import { hasLapsed, holdMayEnd, holdRuns } from "../../src/booking/Lifecycle.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

const now = Date.parse("2026-11-20T12:00:00Z")

/** The hold's fields of a booking. Holds end around now, often to the millisecond. */
const bookings = fc
  .record({
    status: fc.constantFrom(...BookingStatus.literals),
    payment_status: fc.constantFrom(...PaymentStatus.literals),
    awaiting_provider: fc.boolean(),
    ends: fc.integer({ min: -2, max: 2 })
  })
  .map(({ ends, ...row }) => ({ ...row, hold_expires_at: row.status === "held" ? now + ends : null }))

layer(TestDatabase.layer)("a hold's end", (it) => {
  it.effect("is the same in SQL and in TypeScript (2,000 bookings)", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rows = fc.sample(bookings, 2000)
      const asRows = rows.map(({ hold_expires_at, ...row }) => ({
        ...row,
        hold_expires_at: hold_expires_at === null ? null : new Date(hold_expires_at).toISOString()
      }))
      const at = new Date(now)
      const found = yield* sql`
        select hold_runs(b, ${at}) is true as runs, hold_may_end(b, ${at}) is true as may_end, has_lapsed(b, ${at}) is true as lapsed
        from jsonb_array_elements(${JSON.stringify(asRows)}::jsonb) with ordinality as asked(of, n),
          jsonb_populate_record(null::booking, asked.of) b
        order by n`
      const expected = rows.map((row) => ({
        runs: holdRuns(row, now),
        may_end: holdMayEnd(row, now),
        lapsed: hasLapsed(row, now)
      }))
      for (const [i, row] of rows.entries()) assert.deepStrictEqual(found[i], expected[i], JSON.stringify(row))
      assert.strictEqual(new Set(expected.map((one) => JSON.stringify(one))).size, 4)
    })
  )
})
