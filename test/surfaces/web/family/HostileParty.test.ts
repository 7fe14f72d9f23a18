/**
 * What nobody types into the form of a party, and what nobody asks of links: nothing of it changes anything or breaks a
 * page.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { LinkTokens } from "../../../../src/platform/access/LinkTokens.ts"
import type { BookingRow } from "../../../../src/domain/booking/Booking.ts"
import { bookingLink } from "../../../../src/domain/booking/BookingLinks.ts"
import { importVenue } from "../../../support/BookingWorld.ts"
import { everyRow } from "../../../support/TestDatabase.ts"
import { ask, FamilyPages, familyWorld, fieldsOf, pageOf, type Seen } from "../../../support/FamilyPages.ts"
import { confirmedOn, hall, movable, rowOf } from "../../../support/moveWorld.ts"
import { deleteBookings } from "../../../support/PaymentWorld.ts"
import { bubbleMachine, testId } from "../../../support/venues.ts"

const machine = `extra_${bubbleMachine.add_on_id}`
type Fields = ReadonlyArray<readonly [name: string, value: string]>

const begin = Effect.andThen(importVenue(hall), deleteBookings)
const post = (booking: BookingRow, fields: Fields, headers: Record<string, string> = {}) =>
  Effect.flatMap(pageOf(booking), (page) =>
    ask(page, {
      method: "POST",
      body: new URLSearchParams([["step", "party"], ...fields.map(([name, value]): [string, string] => [name, value])]),
      headers
    })
  )
/** The page is whole: it has its heading, and nothing of a stack or of SQL. */
const isWhole = ({ status, text }: Seen, what: string) => {
  assert.isBelow(status, 500, what)
  assert.match(text, /<h1>[^<]+<\/h1>/, what)
  assert.notMatch(text, /SqlError|at file:|undefined|NaN|Infinity/, what)
}

layer(familyWorld())("what nobody sends", (it) => {
  it.effect("in a field of the party is refused at the field, and the booking stays", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* confirmedOn("2026-12-12", "10:00", movable.play)
      const numbers = ["-1", "0", "1.5", "1e3", "0x5", "99999", "9".repeat(5000), "", " ", "ten", "5;drop", "\u0000"]
      for (const number of numbers)
        for (const name of ["children", "adults", machine]) {
          if ((name !== "children" && number === "0") || (name === "adults" && number === "-0")) continue
          const seen = yield* post(booking, [[name, number]])
          isWhole(seen, `${name} ${number.slice(0, 20)}`)
          assert.strictEqual(seen.status, 409, `${name} ${number.slice(0, 20)}`)
          assert.include(seen.text, 'class="fault"')
        }
      for (const ages of [
        "4,".repeat(2000),
        "9".repeat(4000),
        "1e400",
        "4 ".repeat(900),
        "4,4,4,4,4,4,4,-4000",
        "💥",
        "\u0000"
      ]) {
        const seen = yield* post(booking, [["ages", ages]])
        isWhole(seen, ages.slice(0, 20))
        assert.strictEqual(seen.status, 409, ages.slice(0, 20))
      }
      for (const [name, value] of [
        ["phone", "1".repeat(5000)],
        ["phone", "<script>"],
        ["notes", "n".repeat(5000)]
      ] as const) {
        const seen = yield* post(booking, [[name, value]])
        isWhole(seen, name)
        assert.strictEqual(seen.status, 409, name)
        assert.notInclude(seen.text, "<script>")
      }
      assert.deepStrictEqual(yield* rowOf(booking), booking)
    })
  )

  it.effect("as wishes is kept as it was written, but for what can't be stored", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* confirmedOn("2026-12-14", "10:00", movable.play)
      const page = yield* pageOf(booking)
      for (const [notes, kept] of [
        ["a\u0000b", "ab"],
        ["a\u0007b\u200Fc", "a\u0007b\u200Fc"],
        ["a\uD800b", "a\uFFFDb"],
        [`<b title="x">&'`, `<b title="x">&'`],
        ["\r\n\r\nline\r\n", "line"]
      ] as const) {
        const body = new URLSearchParams([["step", "party"]])
        for (const [name, value] of [
          ["notes", notes],
          ["do", "confirm"]
        ] as const)
          body.set(name, value)
        const seen = yield* ask(page, { method: "POST", body })
        isWhole(seen, notes)
        body.set("shown", fieldsOf(seen, "party").get("shown") ?? "")
        assert.strictEqual((yield* ask(page, { method: "POST", body })).status, 303, notes)
        assert.strictEqual((yield* rowOf(booking)).notes, kept)
        isWhole(yield* ask(page), notes)
      }
    })
  )

  it.effect(
    "as a form changes nothing: extras of others, fields twice, another booking's state, too much, unknown steps",
    () =>
      Effect.gen(function* () {
        yield* begin
        const booking = yield* confirmedOn("2026-12-12", "10:00", movable.play)
        const other = yield* confirmedOn("2026-12-14", "10:00", movable.play)
        const before = yield* everyRow
        const foreign = yield* post(booking, [[`extra_${testId.addOn(7)}`, "1"]])
        assert.include(foreign.text, "You have not changed anything yet.")
        const theirs = fieldsOf(yield* post(other, [["children", "9"]]), "party")
        const stolen = yield* post(booking, [...theirs].filter(([name]) => name !== "step").concat([["do", "confirm"]]))
        assert.strictEqual(stolen.status, 409)
        const twice = yield* post(booking, [
          ["do", "check"],
          ["do", "confirm"],
          ["children", "9"],
          ["children", "12"],
          ["shown", "0".repeat(8)],
          ["shown", "00000000-00000000-00000000"]
        ])
        assert.strictEqual(twice.status, 409)
        for (const fields of [
          [["do", "everything"]],
          [
            ["shown", "x"],
            ["do", "confirm"]
          ],
          [["notes", "x".repeat(1_000_000)]],
          Array.from({ length: 900 }, (_, i) => [`f${i}`, "1"]),
          [
            ["__proto__", "1"],
            ["constructor", "1"]
          ],
          [["step", "constructor"]]
        ] as ReadonlyArray<Fields>) {
          const seen = yield* post(booking, fields)
          isWhole(seen.status === 303 ? yield* ask(yield* pageOf(booking)) : seen, JSON.stringify(fields).slice(0, 60))
        }
        for (const headers of [{ "sec-fetch-site": "cross-site" }, { origin: "https://evil.example" }])
          assert.strictEqual(
            (yield* post(
              booking,
              [
                ["children", "9"],
                ["do", "confirm"]
              ],
              headers
            )).status,
            400
          )
        assert.deepStrictEqual(yield* everyRow, before)
      })
  )

  it.effect("of links changes nothing by GET and HEAD, and other methods find nothing", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* confirmedOn("2026-12-12", "10:00", movable.play)
      const base = yield* FamilyPages
      const addressOf = (kind: "booking" | "invitation" | "reminders") =>
        LinkTokens.use((links) => links.address(bookingLink(kind, booking))).pipe(
          Effect.map((url) => base + new URL(url).pathname)
        )
      const before = yield* everyRow
      for (const kind of ["booking", "invitation", "reminders"] as const) {
        const page = yield* addressOf(kind)
        const queries = [
          "",
          "?step=party",
          "?step=party&children=9&do=confirm",
          "?step=party&step=cancel",
          "?again=true",
          "?List-Unsubscribe=One-Click"
        ]
        for (const query of queries) {
          isWhole(yield* ask(page + query), kind + query)
          const head = yield* ask(page + query, { method: "HEAD" })
          assert.deepStrictEqual([head.status, head.text], [200, ""], kind + query)
        }
        for (const method of ["PUT", "DELETE", "PATCH", "OPTIONS"]) {
          const { status } = yield* ask(page, { method })
          assert.include([204, 404, 405], status, `${method} ${kind}`)
        }
        for (const broken of [page.slice(0, -1), `${page}x`, page.toUpperCase()])
          assert.include([400, 404], (yield* ask(broken)).status, broken)
      }
      assert.strictEqual(
        (yield* ask(yield* addressOf("invitation"), { method: "POST", body: "step=party" })).status,
        409
      )
      const stop = { method: "POST", body: "List-Unsubscribe=One-Click", headers: { "sec-fetch-site": "cross-site" } }
      assert.strictEqual((yield* ask(yield* addressOf("reminders"), stop)).status, 400)
      assert.deepStrictEqual(yield* everyRow, before)
    })
  )
})
