import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { BookingOptions } from "../../../src/domain/availability/BookingOptions.ts"
import { Bookings } from "../../../src/domain/booking/Bookings.ts"
import { CatalogueFile } from "../../../src/domain/import/CatalogueFile.ts"
import { refreshSearchFacts } from "../../../src/domain/search/SearchFacts.ts"
import { PlayroomId } from "../../../src/platform/ids/Ids.ts"
import { contact, principal, setClock } from "../../support/BookingWorld.ts"
import { idOf, importRooms, packageJson, playroomJson } from "../../support/catalogues.ts"
import { pagesOf, search, searchWorld } from "../../support/searchWorld.ts"

const room = (n: number, base: number, later?: number) =>
  playroomJson(n, {
    packages: [
      packageJson(n, {
        mode: "exclusive",
        pricing: {
          base,
          included_children: 10,
          extra_child: 0,
          adult: 0,
          rules:
            later === undefined ? [] : [{ label: "2027", date_from: "2027-01-01", change: { prices: { base: later } } }]
        }
      })
    ]
  })

/** 1 gets dearer in January, 2 cheaper, 3 stays as it is. */
const rooms = [room(1, 20_000, 24_000), room(2, 26_000, 19_000), room(3, 21_000)]

const byPrice = (date?: string) =>
  Effect.map(search({ children: 4, sort: "price", ...(date === undefined ? {} : { date }) }), ({ playrooms }) =>
    playrooms.map(({ name, price_for_party }) => [name.slice(-1), price_for_party?.amount])
  )

const optionOn = Effect.fnUntraced(function* (n: number, date: string) {
  const { options } = yield* BookingOptions.use((all) =>
    all.list({ playroom_id: PlayroomId.make(idOf("playroom", n)), date, children: 4 })
  )
  const [option] = options
  assert.isDefined(option)
  return option
})

layer(searchWorld)("prices from a date", (it) => {
  it.effect(
    "decide the order, the limit, the option and the booking of each day, and what was booked keeps its own",
    () =>
      Effect.gen(function* () {
        yield* setClock("2026-11-20T09:00:00Z")
        yield* importRooms(...rooms)
        assert.deepStrictEqual(yield* byPrice("2026-12-31"), [
          ["1", 20_000],
          ["3", 21_000],
          ["2", 26_000]
        ])
        assert.deepStrictEqual(yield* byPrice("2027-01-01"), [
          ["2", 19_000],
          ["3", 21_000],
          ["1", 24_000]
        ])
        // Without a day, the lowest that can be booked at all.
        assert.deepStrictEqual(yield* byPrice(), [
          ["2", 19_000],
          ["1", 20_000],
          ["3", 21_000]
        ])
        assert.deepStrictEqual((yield* pagesOf({ date: "2027-01-01", children: 4, sort: "price", limit: 1 })).flat(), [
          "Playroom 2",
          "Playroom 3",
          "Playroom 1"
        ])
        const within = (date: string) =>
          Effect.map(search({ date, children: 4, max_total: { amount: 20_000, currency: "GBP" } }), ({ playrooms }) =>
            playrooms.map(({ name }) => name)
          )
        assert.deepStrictEqual(yield* within("2026-12-31"), ["Playroom 1"])
        assert.deepStrictEqual(yield* within("2027-01-01"), ["Playroom 2"])

        const bookings = yield* Bookings
        for (const [date, total] of [
          ["2026-12-31", 20_000],
          ["2027-01-01", 24_000]
        ] as const) {
          const option = yield* optionOn(1, date)
          assert.strictEqual(option.price.total, total)
          const { row } = yield* bookings.create(principal(), { option_id: option.option_id, contact: contact() })
          assert.strictEqual(row.total, total)
          yield* importRooms(room(1, 30_000), room(2, 26_000), room(3, 21_000))
          assert.strictEqual((yield* bookings.get(row.booking_id)).total, total)
          yield* importRooms(...rooms)
        }
      })
  )

  it.effect("are what is told once the old ones can't be booked any more", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      yield* importRooms(...rooms)
      yield* setClock("2027-01-01T09:00:00Z")
      yield* refreshSearchFacts
      assert.deepStrictEqual(yield* byPrice(), [
        ["2", 19_000],
        ["3", 21_000],
        ["1", 24_000]
      ])
      const { playrooms } = yield* search({ sort: "price" })
      assert.deepStrictEqual(
        playrooms.map(({ from_price }) => from_price?.amount),
        [19_000, 21_000, 24_000]
      )
    })
  )

  it.effect("stand in the file that is exported, beside ranges of other hours, and come back from it unchanged", () =>
    Effect.gen(function* () {
      const summer = { from: "2027-07-24", to: "2027-09-05", intervals: [{ opens: "15:00", closes: "17:00" }] }
      yield* importRooms({ ...room(1, 20_000, 24_000), overrides: [summer, { date: "2027-08-30", intervals: [] }] })
      const file = yield* CatalogueFile
      const exported = yield* file.exportFile
      const found = exported.playrooms.find(({ playroom_id }) => playroom_id === idOf("playroom", 1))
      assert.deepStrictEqual(found?.overrides, [summer, { date: "2027-08-30", intervals: [] }])
      assert.deepStrictEqual(found?.packages[0]?.pricing.rules?.[0]?.change, { prices: { base: 24_000 } })
      const report = yield* file.importFile(JSON.parse(JSON.stringify(exported)))
      assert.deepStrictEqual([report.playrooms.changed, report.packages.changed], [0, 0])
      yield* setClock("2026-11-20T09:00:00Z")
      const open = (date: string) =>
        Effect.map(search({ date, children: 4 }), ({ playrooms }) =>
          playrooms.find(({ playroom_id }) => playroom_id === idOf("playroom", 1))?.next_start?.slice(11, 16)
        )
      assert.deepStrictEqual(
        yield* Effect.all(["2027-07-23", "2027-07-24", "2027-08-30", "2027-09-05", "2027-09-06"].map(open)),
        ["09:00", "15:00", undefined, "15:00", "09:00"]
      )
    })
  )
})
