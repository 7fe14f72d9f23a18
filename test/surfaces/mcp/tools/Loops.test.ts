import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { readFileSync } from "node:fs"
import { Operators } from "../../../../src/domain/catalogue/Operators.ts"
import { type Caller, followed, type Known, playroom_id } from "../../../support/Assistant.ts"
import { setClock } from "../../../support/BookingWorld.ts"
import { deleteBookings, now } from "../../../support/PaymentWorld.ts"
import { newKey, restoreCatalogue, toolWorld, venue } from "../../../support/ToolWorld.ts"
import { loops } from "./everyCode.ts"
import { wishLoops } from "./wishCodes.ts"

/** Every run has an address and an e-mail of its own. */
let runs = 0

const restored = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.ignore(sql`alter table booking rename column address to contact_email`)
  yield* Operators.use((operators) => operators.resume(venue.operator.operator_id))
  yield* deleteBookings
  yield* restoreCatalogue
  yield* setClock(now)
})

layer(toolWorld)("an assistant that does word by word what it is told", (it) => {
  for (const bound of [false, true]) {
    for (const idempotency_key of [undefined, "key"]) {
      const caller = `${bound ? "a key of one business" : "a key of all"}, ${idempotency_key === undefined ? "without" : "with"} idempotency key`
      for (const { code = "next_step", end, only, start, what } of [...loops, ...wishLoops]) {
        if ((only === "bound" && !bound) || (only === "keyed" && idempotency_key === undefined)) continue
        it.effect(`comes from ${code} (${what}) to a booking or an honest end in six calls: ${caller}`, () =>
          Effect.gen(function* () {
            yield* restored
            runs++
            const operator = bound ? { operator_id: venue.operator.operator_id } : {}
            const who: Caller = { key: yield* newKey(operator), address: `192.0.2.${runs}` }
            const known: Known = {
              playroom_id,
              date: "2026-12-05",
              children: 8,
              contact: { name: "Ana Lima", email: `ana${runs}@example.com` },
              ...(idempotency_key === undefined ? {} : { idempotency_key })
            }
            const first = yield* start({ who, known, bound })
            const { calls, firstFault, trail, ...ended } = yield* followed(
              first.call,
              { ...known, ...first.known },
              first.who ?? who,
              first.meanwhile
            )
            assert.strictEqual(firstFault?.code ?? "next_step", code, trail.join("\n"))
            assert.isAtMost(calls, 6, trail.join("\n"))
            const reached = end === "bound_told" ? (bound ? "told" : "booked") : end
            assert.include(reached === "booked" ? ["booked", "to_pay"] : [reached], ended.end, trail.join("\n"))
          })
        )
      }
    }
  }

  it("is tried from every code that there is", () => {
    const source = readFileSync(new URL("../../../../src/surfaces/mcp/tools/ToolErrors.ts", import.meta.url), "utf8")
    const codes = new Set([...source.matchAll(/^ +code: "(\w+)"/gm)].map(([, code]) => code))
    assert.isAtLeast(codes.size, 19)
    assert.sameMembers([...codes], [...new Set(loops.flatMap(({ code }) => code ?? []))])
  })
})
