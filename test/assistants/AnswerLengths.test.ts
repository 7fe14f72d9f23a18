/** How long the answers about the sample catalogue are, in characters of their text. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { addDays } from "../../src/platform/time/LocalTime.ts"
import demo from "../../src/domain/import/demo.json" with { type: "json" }
import type { ToolName } from "../../src/surfaces/mcp/tools/ToolList.ts"
import { at } from "../support/Assistant.ts"
import { callTool, newKey } from "../support/ToolWorld.ts"
import { assistantWorld, begin, firstMoment } from "./hasty/World.ts"
import { listAt, numberAt, textAt } from "./hasty/Reading.ts"

const usual = 4000
const saturday = "2026-12-05"

/** An answer, and the length of its text. */
const told = Effect.fnUntraced(function* (name: ToolName, input: object, key?: string) {
  const answer = yield* callTool(name, input, { key, address: `192.0.2.${String(name.length)}` })
  const content = "fault" in answer ? { error: answer.fault } : answer.result
  return { content, length: JSON.stringify(content).length }
})

/** All pages of a list, each short enough. */
const pagesOf = Effect.fnUntraced(function* (name: ToolName, input: object, list: string, most: number) {
  const pages: Array<ReadonlyArray<unknown>> = []
  let cursor: string | undefined
  do {
    const { content, length } = yield* told(name, { ...input, ...(cursor === undefined ? {} : { cursor }) })
    assert.isAtMost(length, most, `${name} ${JSON.stringify(input)}`)
    pages.push(listAt(content, list))
    cursor = textAt(content, "next_cursor")
  } while (cursor !== undefined)
  return pages
})

layer(assistantWorld)("answers about the sample catalogue", (it) => {
  it.effect(
    "are pages of at most 4,000 characters, or 12,000 if the caller names a limit, and all of them hold the same",
    () =>
      Effect.gen(function* () {
        yield* begin(firstMoment)
        const party = { date: saturday, children: 8, adults: 2 }
        let cut = 0
        for (const input of [{}, party, { ...party, sort: "price" }, { query: "nut-free soft play" }]) {
          const short = yield* pagesOf("search_playrooms", input, "playrooms", usual)
          const long = yield* pagesOf("search_playrooms", { ...input, limit: 50 }, "playrooms", 12_000)
          assert.deepStrictEqual(
            short
              .flat()
              .map((one) => textAt(one, "playroom_id"))
              .sort(),
            [
              ...long
                .flat()
                .map((one) => textAt(one, "playroom_id"))
                .sort()
            ]
          )
          assert.isAtMost(long.length, 2)
          if (short.length > 1) cut++
        }
        assert.isAbove(cut, 1)
        let whole = 0
        for (const { playroom_id } of demo.playrooms) {
          for (const [children, last] of [
            [2, saturday],
            [8, saturday],
            [8, addDays(saturday, 4)]
          ] as const) {
            const input = { playroom_id, date: saturday, date_to: last, children, adults: 2 }
            const short = yield* pagesOf("get_booking_options", input, "options", usual)
            const long = yield* pagesOf("get_booking_options", { ...input, limit: 100 }, "options", 12_000)
            const idsIn = (pages: typeof short) => pages.flat().map((one) => textAt(one, "option_id"))
            assert.deepStrictEqual(idsIn(short), idsIn(long))
            if (short.length === 1) whole++
            // A page says much, though it is short.
            else assert.isAtLeast(short[0]?.length ?? 0, 4)
          }
        }
        assert.isAtLeast(whole, 5)
      }),
    120_000
  )

  it.effect(
    "are at most 4,000 characters of a booking, a payment page, a refusal with other times, and a playroom but for those with the most to tell",
    () =>
      Effect.gen(function* () {
        yield* begin(firstMoment)
        const key = yield* newKey()
        const lengths = new Map<string, ReadonlyArray<number>>()
        const ask = Effect.fnUntraced(function* (name: ToolName, input: object, what: string = name) {
          const { content, length } = yield* told(name, input, key)
          lengths.set(what, [...(lengths.get(what) ?? []), length])
          return content
        })
        let n = 0
        for (const { playroom_id } of demo.playrooms) {
          const { playroom } = yield* ask("get_playroom", { playroom_id })
          const add_ons = listAt(playroom, "add_ons")
            .slice(0, 1)
            .map((one) => ({ add_on_id: at(one, "add_on_id"), quantity: 1 }))
          for (const pkg of listAt(playroom, "packages")) {
            const children = Math.max(6, numberAt(pkg, "min_children") ?? 0)
            const wish = {
              playroom_id,
              package_id: at(pkg, "package_id"),
              date: saturday,
              children,
              adults: 2,
              add_ons
            }
            const page = yield* told("get_booking_options", { ...wish, date_to: addDays(saturday, 20), limit: 1 })
            const option_id = textAt(page.content, "options", 0, "option_id")
            const booking = {
              option_id,
              contact: { name: "Amina Rahman", email: `amina${n++}@example.com`, phone: "+44 20 7946 0000" },
              child_ages: Array.from({ length: children }, () => numberAt(playroom, "age_max")),
              notes: "Two of the children are allergic to nuts; could the cake be without?"
            }
            const made = yield* ask("create_booking", booking)
            const booking_id = textAt(made, "booking", "booking_id")
            yield* ask("get_booking", { booking_id })
            yield* ask("create_payment_session", { booking_id })
            yield* ask("get_booking", { booking_id })
            if (textAt(pkg, "mode") === "exclusive") {
              const contact = { name: "Ben", email: `ben${n}@example.com` }
              const refused = yield* ask("create_booking", { option_id, contact }, "slot_unavailable")
              assert.strictEqual(textAt(refused, "error", "code"), "slot_unavailable")
              const alternatives = listAt(refused, "error", "details", "alternatives")
              assert.isTrue(alternatives.length >= 3 && alternatives.length <= 5)
              // What they share stands beside them, as in a page of options.
              const packages = listAt(refused, "error", "details", "packages").map((one) => textAt(one, "package_id"))
              for (const one of alternatives) assert.include(packages, textAt(one, "package_id"))
            }
          }
        }
        const rooms = lengths.get("get_playroom") ?? []
        lengths.delete("get_playroom")
        for (const [what, all] of lengths) assert.isAtMost(Math.max(...all), usual, what)
        assert.deepStrictEqual([...lengths.keys()].sort(), [
          "create_booking",
          "create_payment_session",
          "get_booking",
          "slot_unavailable"
        ])
        assert.isAtMost(Math.max(...rooms), 4400)
        assert.isAtMost(rooms.filter((length) => length > usual).length, 2)
      }),
    120_000
  )

  it.effect("are at most 4,000 characters of a family's further bookings, which name those before", () =>
    Effect.gen(function* () {
      yield* begin(firstMoment)
      const key = yield* newKey()
      const playroom = demo.playrooms.find(({ name }) => name === "Sunny Side Chorlton") ?? assert.fail("no such room")
      const lengths: Array<number> = []
      for (const date of ["2027-01-09", "2027-01-16", "2027-01-23"]) {
        const wish = { playroom_id: playroom.playroom_id, date, children: 10, adults: 1, mode: "exclusive", limit: 1 }
        const page = yield* told("get_booking_options", wish)
        const made = yield* told(
          "create_booking",
          {
            option_id: textAt(page.content, "options", 0, "option_id"),
            contact: { name: "Amina Rahman", email: "amina.rahman@example.com", phone: "+44 20 7946 0000" },
            notes: "Two of the children are allergic to nuts; could the cake be without?",
            child_ages: [4, 5, 6, 7, 8, 9, 10, 10, 10, 10]
          },
          key
        )
        assert.isDefined(textAt(made.content, "booking", "terms", "text"), JSON.stringify(made.content))
        lengths.push(made.length)
      }
      assert.isAtMost(Math.max(...lengths), usual, lengths.join(", "))
    })
  )

  it.effect("are at most 4,000 characters of a booking that was changed six hundred times: its newest changes", () =>
    Effect.gen(function* () {
      yield* begin(firstMoment)
      const key = yield* newKey()
      const [{ playroom_id } = { playroom_id: "" }] = demo.playrooms
      const page = yield* told("get_booking_options", { playroom_id, date: saturday, children: 8, adults: 2 })
      const contact = { name: "Amina Rahman", email: "changes@example.com" }
      const made = yield* told(
        "create_booking",
        { option_id: textAt(page.content, "options", 0, "option_id"), contact },
        key
      )
      const booking_id = textAt(made.content, "booking", "booking_id") ?? ""
      yield* SqlClient.SqlClient.use(
        (sql) => sql`insert into booking_history (booking_id, operator_id, at, event, from_status, to_status,
            from_payment_status, to_payment_status, detail)
          select b.booking_id, b.operator_id, b.created_at, 'party_changed', b.status, b.status, b.payment_status,
            b.payment_status, 'from ' || n || ' children to ' || n + 1
          from booking b, generate_series(1, 600) n where b.booking_id = ${booking_id} order by n`
      )
      const { content, length } = yield* told("get_booking", { booking_id }, key)
      assert.isAtMost(length, usual)
      const history = listAt(content, "history")
      assert.isAtLeast(history.length, 4)
      assert.strictEqual(textAt(history.at(-1), "detail"), "from 600 children to 601")
    })
  )
})
