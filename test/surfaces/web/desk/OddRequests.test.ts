/** What nobody types: odd characters in addresses of the desk, and a form that takes its time. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { deskPaths } from "../../../../src/domain/people/staff/StaffMember.ts"
import { Staff } from "../../../../src/domain/people/staff/Staff.ts"
import { importVenue } from "../../../support/BookingWorld.ts"
import { deskBase, join, request } from "../../../support/DeskClient.ts"
import { PageAddress, pageWorld } from "../../../support/FamilyPages.ts"
import { hall } from "../../../support/operatorVenues.ts"
import { rawConnection } from "../../../support/rawConnections.ts"

const world = Layer.effectDiscard(Effect.suspend(() => importVenue(hall))).pipe(
  Layer.provideMerge(pageWorld({ baseUrl: deskBase }))
)
const { book, closed, closing, desk, month, monthCsv, monthXlsx, owed, people } = deskPaths
const parameters = `adults again children cursor date day do find month option package playroom provider remove reopen
  role shown start`.split(/\s+/)

layer(world)("the desk", (it) => {
  it.effect("S7: answers any address, whatever characters its parameters have", () =>
    Effect.gen(function* () {
      const { url } = yield* Staff.use((staff) =>
        staff.invite(hall.operator.operator_id, { name: "Mia", role: "manager" })
      )
      const cookie = (yield* join(url)).session
      for (const path of [desk, book, closed, closing, month, monthCsv, monthXlsx, owed, people]) {
        for (const odd of ["%00", "a%00b", "%FF%FE", "%ED%A0%80", "%E2%80%AE", "9".repeat(40)]) {
          const query = parameters.map((name) => `${name}=${odd}`)
          for (const one of [query.join("&"), ...(odd === "%00" ? query : [])]) {
            yield* TestClock.adjust("1 minute")
            const { status } = yield* request(`${path}?${one}`, { cookie })
            assert.include([200, 303, 400, 404, 409], status, `${path}?${one}`)
          }
        }
      }
    })
  )

  it.effect("S8: waits for a form that is slow, as long as for any request", () =>
    Effect.gen(function* () {
      const base = yield* PageAddress
      const [first, rest] = ["reference=K7M2-9QXD", "&email=ana@example.com"]
      const head = [
        "POST /b HTTP/1.1",
        "host: localhost",
        "content-type: application/x-www-form-urlencoded",
        `content-length: ${(first + rest).length}`,
        "connection: close"
      ].join("\r\n")
      const slow = yield* rawConnection(base, `${head}\r\n\r\n${first}`)
      yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 100)))
      yield* TestClock.adjust("20 seconds")
      assert.strictEqual(slow.received(), "")
      yield* slow.send(rest)
      assert.match(yield* slow.ended, /^HTTP\/1\.1 200 /)
    })
  )
})
