import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Struct } from "effect"
import { Audit } from "../../../src/ops/audit/Audit.ts"
import { CatalogueFile } from "../../../src/domain/import/CatalogueFile.ts"
import { setClock } from "../../support/BookingWorld.ts"
import { catalogueJson, idOf, importJson, operatorJson } from "../../support/catalogues.ts"
import { emptyPaymentWorld } from "../../support/PaymentWorld.ts"
import { bookAt, importSharing, sharing, sharingRoom, timesOf } from "../../support/sharedRooms.ts"

const world = Layer.provideMerge(Audit.layer, emptyPaymentWorld())
const sound = Effect.map(
  Audit.use(({ rows }) => rows),
  (found) => assert.deepStrictEqual(found, [])
)
const room = (n: number, add_on = {}) => {
  const its = sharingRoom(n)
  return { ...its, add_ons: its.add_ons?.map((one) => ({ ...one, max_quantity: 1, ...add_on })) ?? [] }
}
/** The same without shared stock. */
const alone = (n: number, stock?: number) => {
  const { add_ons = [], ...its } = room(n)
  return {
    ...its,
    add_ons: add_ons.map((one) => ({ ...Struct.omit(one, ["uses"]), ...(stock === undefined ? {} : { stock }) }))
  }
}
/** What the rooms of the first test use, which these files do not name. */
const others = { "bubble-machines": 2 }
const faultsOf = (file: unknown) =>
  Effect.map(Effect.flip(importJson(file)), (fault) =>
    fault._tag === "CatalogueInvalid" ? fault.issues.map(({ message, path }) => `${path}: ${message}`) : [fault._tag]
  )

layer(world, { timeout: "120 seconds" })("the shared stock of a catalogue file", (it) => {
  it.effect("is refused below what is booked of it in all rooms, which are named, and forced like a smaller room", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      yield* importSharing({ "bubble-machines": 2 }, [room(1), room(2)])
      const first = yield* bookAt("11:00", 1, 1)
      const second = yield* bookAt("11:00", 2, 1)
      yield* bookAt("14:00", 2, 1)

      const refused = yield* Effect.flip(importSharing({ "bubble-machines": 1 }, [room(1)]))
      assert(refused._tag === "BookingsInTheWay")
      assert.deepStrictEqual(
        refused.bookings.map(({ reference }) => reference),
        [second.reference]
      )
      assert.include(refused.message, "bubble-machines has only 1 now")
      const told = yield* importSharing({ "bubble-machines": 1 }, [room(1)], { dryRun: true })
      assert.lengthOf(told.in_the_way, 1)
      assert.deepStrictEqual(told.changes.find(({ kind }) => kind === "operator")?.fields, [
        {
          field: "stock.bubble-machines",
          was: "2",
          becomes: "1"
        }
      ])
      yield* sound

      const forced = yield* importSharing({ "bubble-machines": 1 }, [room(1)], { force: true })
      assert.lengthOf(forced.overridden, 1)
      // A room that the file does not name sells from one, too.
      assert.notInclude(yield* timesOf(2, 1), "14:00")
      assert.include(yield* timesOf(2, 1), "16:00")
      yield* bookAt("16:00", 1, 1)
      assert.notInclude(yield* timesOf(2, 1), "16:00")
      const file = yield* CatalogueFile
      const exported = yield* file.exportFile
      assert.deepStrictEqual(exported.operators[0]?.stock, [{ slug: "bubble-machines", units: 1 }])
      assert.deepInclude(exported.playrooms[0]?.add_ons?.[0], { uses: "bubble-machines" })
      assert.deepStrictEqual((yield* file.importFile(JSON.parse(JSON.stringify(exported)))).changes, [])
      assert.notStrictEqual(first.booking_id, second.booking_id)
      yield* importSharing({ "bubble-machines": 2 }, [])
      yield* sound
    })
  )

  it.effect("counts what is booked already when add-ons begin to share it, and leaves off when they no longer do", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      yield* importSharing(others, [alone(3, 1), alone(4)])
      yield* bookAt("11:00", 3, 1)
      yield* bookAt("11:00", 4, 1)
      yield* bookAt("11:00", 4, 1)

      const refused = yield* Effect.flip(
        importSharing({ ...others, machines: 2 }, [room(3, { uses: "machines" }), room(4, { uses: "machines" })])
      )
      assert(refused._tag === "BookingsInTheWay")
      assert.lengthOf(refused.bookings, 1)
      yield* importSharing({ ...others, machines: 3 }, [room(3, { uses: "machines" }), room(4, { uses: "machines" })])
      assert.notInclude(yield* timesOf(3, 1), "11:00")
      yield* sound

      // One room has its own again: what it has booked is no longer in the way of the other.
      yield* importSharing({ ...others, machines: 3 }, [alone(3, 5)])
      yield* sound
      assert.include(yield* timesOf(4, 1), "11:00")
      yield* bookAt("11:00", 4, 1)
      assert.notInclude(yield* timesOf(4, 1), "11:00")
      // Under another name, or without a limit, the same.
      yield* importSharing({ ...others, machines: 3, bubbles: 3 }, [room(4, { uses: "bubbles" })])
      assert.notInclude(yield* timesOf(4, 1), "11:00")
      yield* sound
      yield* importSharing(others, [alone(4)])
      assert.include(yield* timesOf(4, 1), "11:00")
      yield* sound
    })
  )

  it.effect("stays while an add-on uses it that the file does not name, and goes with the last one", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      yield* importSharing({ ...others, painters: 1 }, [room(5, { uses: "painters" }), room(6, { uses: "painters" })])
      yield* bookAt("11:00", 5, 1)
      const faults = yield* faultsOf(catalogueJson([alone(5)], [sharing(others)]))
      assert.deepStrictEqual(faults, [
        "operators[0].stock: painters is used by Bubble machine of Playroom 6, which is not in the file: keep it, or add that playroom"
      ])
      // Off sale it is used no more.
      yield* importSharing({ ...others, painters: 1 }, [{ ...room(6), add_ons: [] }])
      yield* importSharing(others, [alone(5)])
      assert.include(yield* timesOf(5, 1), "11:00")
      yield* sound
    })
  )

  it.effect("is told what is wrong with it", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* faultsOf(catalogueJson([room(9)], [sharing({})])), [
        "playrooms[0].add_ons[0].uses: No such stock of its operator: add bubble-machines to `stock` there"
      ])
      assert.deepStrictEqual(
        yield* faultsOf(
          catalogueJson(
            [room(9, { stock: 1 })],
            [
              operatorJson(7, {
                stock: [
                  { slug: "bubble-machines", units: 1 },
                  { slug: "bubble-machines", units: 2 }
                ]
              })
            ]
          )
        ),
        [
          "operators[0].stock[1].slug: Stock bubble-machines is already at operators[0].stock[0].slug",
          'playrooms[0].add_ons[0].stock: Expected either "stock" or "uses", not both'
        ]
      )
      assert.deepStrictEqual(
        yield* faultsOf(catalogueJson([room(9, { max_quantity: 3 })], [sharing({ "bubble-machines": 2 })])),
        ["playrooms[0].add_ons[0].max_quantity: Expected at most the stock, 2 of bubble-machines"]
      )
      // Another operator's is not its own; nor is one that the file does not name, if it is not there.
      const other = { ...room(9), operator_id: idOf("operator", 9) }
      assert.deepStrictEqual(
        yield* faultsOf(catalogueJson([other], [operatorJson(9), sharing({ "bubble-machines": 2 })])),
        ["playrooms[0].add_ons[0].uses: No such stock of its operator: add bubble-machines to `stock` there"]
      )
      yield* importJson(catalogueJson([], [operatorJson(9)]))
      assert.deepStrictEqual(yield* faultsOf(catalogueJson([other], [])), [
        "playrooms[0].add_ons[0].uses: No such stock of its operator: add bubble-machines to `stock` there"
      ])
    })
  )
})
