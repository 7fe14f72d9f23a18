import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { importVenue, setClock } from "../../support/BookingWorld.ts"
import { commandWorld, member, parsed, playroom } from "../../support/CommandLine.ts"
import { confirmedOn, hall, otherHall } from "../../support/moveWorld.ts"
import { deleteBookings, now } from "../../support/PaymentWorld.ts"

const room = hall.playroom.playroom_id
const closure = (...args: ReadonlyArray<string>) => playroom("closure", ...args)
const plumber = ["--from", "2026-12-12T09:00", "--to", "2026-12-12T13:00", "--reason", "The plumber comes"]
const begin = Effect.gen(function* () {
  yield* setClock(now)
  yield* deleteBookings
  yield* importVenue(hall, otherHall)
})

layer(commandWorld, { timeout: "60 seconds" })("playroom closure", (it) => {
  it.effect("says what it would close and who is booked then, closes just that, lists it by whom, and lifts it", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* confirmedOn("2026-12-12")
      const make = (...more: ReadonlyArray<string>) => closure("make", "--playroom", room, ...plumber, ...more)
      const plan = yield* make("--preview")
      for (const words of [booking.reference, "Ana Lima", "Move Hall: 2026-12-12 09:00 to 2026-12-12 13:00"])
        assert.include(plan.out, words)
      assert.include((yield* closure("list", "--playroom", room)).out, "Nothing is closed there")
      const code = /--as-shown (\S+),/.exec(plan.out)?.[1] ?? assert.fail(plan.out)
      const stale = yield* make(
        "--as-shown",
        code.replace(/^./, (digit) => (digit === "0" ? "1" : "0"))
      )
      assert.include(stale.failure ?? "", "Nothing was closed")
      const done = yield* make("--as-shown", code, "--by", "Cleo", "--json")
      const made = member(parsed(done.out), "made")
      const [closure_id = ""] = Array.isArray(made) ? made.map(String) : []
      assert.include((yield* make()).out, "closed already")
      const listed = (yield* closure("list", "--operator", hall.operator.operator_id)).out
      for (const words of ["The plumber comes", "Cleo", closure_id]) assert.include(listed, words)
      const inside = yield* playroom("booking", "closed", "--playroom", room)
      for (const words of [booking.reference, "The plumber comes"]) assert.include(inside.out, words)
      assert.include((yield* closure("lift", closure_id, "--by", "Dan")).out, "can be booked again")
      const again = yield* closure("lift", closure_id)
      assert.include(`${again.out}${again.complaints}${again.failure ?? ""}`, "may have been lifted already")
      assert.isDefined(again.failure)
      const history = (yield* playroom("operator", "show", hall.operator.operator_id)).out
      for (const words of [`closed ${room}`, "Cleo", `reopened ${room}`, "Dan"]) assert.include(history, words)
    })
  )

  it.effect("closes whole days of all playrooms of an operator, and says what is wrong with what it can't", () =>
    Effect.gen(function* () {
      yield* begin
      const { operator_id } = hall.operator
      const days = ["--from", "2026-12-24", "--to", "2026-12-25", "--reason", "Christmas"]
      const done = yield* closure("make", "--operator", operator_id, ...days)
      for (const name of ["Move Hall", "Other Hall"])
        assert.include(done.out, `${name}: 2026-12-24 00:00 to 2026-12-26 00:00`)
      const ids = /lift (closure_.*)$/m.exec(done.out)?.[1]?.split(" ") ?? []
      assert.isAtLeast(ids.length, 2)
      yield* closure("lift", ...ids)
      const cases: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
        [["--from", "2026-12-24", "--to", "2026-12-23"], ". --to: Expected a day that is not before 2026-12-24."],
        [["--from", "2026-12-24T10:00", "--to", "2026-12-24"], ". --to: Expected both times, or none."],
        [["--from", "2026-12-24T10:00", "--to", "2026-12-24T09:00"], ". --to: Expected a time after 10:00."],
        [["--from", "tomorrow", "--to", "2026-12-24"], ". --from: Expected a date as YYYY-MM-DD, like 2026-12-05."],
        [["--from", "2026-12-24T25:00", "--to", "2026-12-25T10:00"], ". --from: Expected"],
        [["--from", "2026-12-24", "--to", "2036-12-24"], "at most 731 days"],
        [["--from", "2020-12-24", "--to", "2020-12-24"], "That time is over"]
      ]
      for (const [times, words] of cases) {
        const { failure } = yield* closure("make", "--playroom", room, ...times, "--reason", "x")
        assert.include(failure ?? "", words)
      }
      assert.include((yield* closure("make", ...days)).failure ?? "", "Name the --playroom")
    })
  )

  it.effect("lists all closures of an operator, however many there are", () =>
    Effect.gen(function* () {
      yield* begin
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into closure (closure_id, operator_id, playroom_id, during, reason, created_at, made_by)
        select 'closure_' || to_char(n, 'FM00000000000000000000000000'), operator_id, playroom_id,
          tstzrange('2028-01-01Z'::timestamptz + n * interval '1 hour', '2028-01-01Z'::timestamptz + (n + 1) * interval '1 hour'),
          'Listed', now(), 'Ana' from generate_series(1, 1100) n, playroom where playroom_id = ${room}`
      const listed = parsed((yield* closure("list", "--operator", hall.operator.operator_id, "--json")).out)
      assert(Array.isArray(listed))
      assert.strictEqual(new Set(listed.map((one) => member(one, "closure_id"))).size, 1100)
      yield* sql`delete from closure where reason = 'Listed'`
    })
  )
})
