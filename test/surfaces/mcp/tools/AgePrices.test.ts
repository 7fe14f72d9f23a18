/** A booking whose price goes by the children's ages, from the question to the booking. */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type { ToolName } from "../../../../src/surfaces/mcp/tools/ToolList.ts"
import { setClock } from "../../../support/BookingWorld.ts"
import { callTool, importCatalogue, issuesOf, newKey, toolWorld, venue } from "../../../support/ToolWorld.ts"
import { packageWith, pricedByAge, testId } from "../../../support/venues.ts"

const play = packageWith({
  package_id: testId.package(981),
  schedule: { times: ["10:00", "11:00"] },
  pricing: pricedByAge
})
const plain = packageWith({ package_id: testId.package(982), schedule: { times: ["10:00", "11:00"] } })
const { playroom_id } = venue.playroom

const Options = Schema.decodeUnknownSync(
  Schema.Struct({
    ask: Schema.optionalKey(Schema.String),
    options: Schema.Array(
      Schema.Struct({ option_id: Schema.String, price: Schema.Struct({ total: Schema.Int, due_now: Schema.Int }) })
    ),
    packages: Schema.Array(
      Schema.Struct({
        prices: Schema.Array(
          Schema.Struct({ lines: Schema.Array(Schema.Struct({ label: Schema.String, amount: Schema.Int })) })
        )
      })
    )
  })
)
const Booked = Schema.decodeUnknownSync(
  Schema.Struct({
    booking: Schema.Struct({
      child_ages: Schema.optionalKey(Schema.Array(Schema.Int)),
      price: Schema.Struct({ total: Schema.Int })
    }),
    already_existed: Schema.Boolean
  })
)

layer(toolWorld)("a price that goes by ages", (it) => {
  let people = 0
  const asked = Effect.fnUntraced(function* () {
    yield* setClock("2026-11-20T09:00:00Z")
    yield* importCatalogue({ packages: [play, plain] })
    const key = yield* newKey()
    const call = (name: ToolName, input: unknown) =>
      Effect.map(callTool(name, input, { key }), (told) =>
        "result" in told ? told.result : assert.fail(JSON.stringify(told.fault))
      )
    const refused = (name: ToolName, input: unknown) =>
      Effect.map(callTool(name, input, { key }), (told) =>
        "fault" in told ? told.fault : assert.fail(JSON.stringify(told.result))
      )
    const query = { playroom_id, package_id: play.package_id, date: "2026-12-12", children: 3 }
    const options = (more: object = {}) => Effect.map(call("get_booking_options", { ...query, ...more }), Options)
    const contact = { name: "Ada", email: `ages${++people}@example.com` }
    return { call, contact, options, query, refused }
  })
  const first = ({ options }: ReturnType<typeof Options>) => options[0] ?? assert.fail("no option")

  it.effect("asks for the ages first of all, and tells the highest price until they are told", () =>
    Effect.gen(function* () {
      const { options } = yield* asked()
      const untold = yield* options()
      assert.strictEqual(
        untold.ask?.split(". ")[0],
        "Ask the children's ages and call again with child_ages: the price goes by them, and here it is the highest"
      )
      assert.include(untold.ask, "Less: aged 0 to 1 £0.00, aged 2 to 3 -50 %.")
      assert.strictEqual(first(untold).price.total, 2250)
      const told = yield* options({ child_ages: [1, 3, 6] })
      assert.notInclude(told.ask ?? "", "ages")
      assert.strictEqual(first(told).price.total, 750 + 375)
      assert.deepStrictEqual(told.packages[0]?.prices[0]?.lines, [
        { label: "Children", amount: 750 },
        { label: "Children (Toddlers)", amount: 375 },
        { label: "Children (Babies)", amount: 0 }
      ])
      // Where none costs less by age, nobody asks.
      const other = yield* options({ package_id: plain.package_id })
      assert.notInclude(other.ask ?? "", "ages")
      const same = yield* options({ package_id: plain.package_id, child_ages: [1, 3, 6] })
      assert.strictEqual(first(same).option_id, first(other).option_id)
    })
  )

  it.effect("is booked as it was told, with the same ages in any order", () =>
    Effect.gen(function* () {
      const { call, contact, options } = yield* asked()
      const { option_id } = first(yield* options({ child_ages: [1, 3, 6] }))
      const { booking } = Booked(yield* call("create_booking", { option_id, contact, child_ages: [6, 1, 3] }))
      assert.deepStrictEqual(booking, { child_ages: [6, 1, 3], price: { total: 1125 } })
      const again = Booked(yield* call("create_booking", { option_id, contact, child_ages: [6, 1, 3] }))
      assert.isTrue(again.already_existed)
    })
  )

  it.effect("is not booked with other ages, without them, or with ages that make it cheaper", () =>
    Effect.gen(function* () {
      const { call, contact, options, refused } = yield* asked()
      const { option_id } = first(yield* options({ child_ages: [1, 3, 6] }))
      for (const child_ages of [[1, 3, 7], [1, 1, 1], []]) {
        const fault = yield* refused("create_booking", {
          option_id,
          contact,
          ...(child_ages.length === 0 ? {} : { child_ages })
        })
        assert.strictEqual(fault.code, "invalid_arguments")
        const [issue] = issuesOf(fault)
        assert.strictEqual(issue?.path, "child_ages")
        assert.include(issue?.message, "call get_booking_options with these child_ages")
      }
      const untold = first(yield* options())
      const fault = yield* refused("create_booking", { option_id: untold.option_id, contact, child_ages: [1, 8, 9] })
      assert.include(issuesOf(fault)[0]?.message, "At these ages the visit costs less than this option")
      // Ages that change nothing, and none at all, are as good.
      const { booking } = Booked(
        yield* call("create_booking", { option_id: untold.option_id, contact, child_ages: [7, 8, 9] })
      )
      assert.strictEqual(booking.price.total, 2250)
    })
  )

  it.effect("holds for an option that was told before the catalogue had such rules", () =>
    Effect.gen(function* () {
      const { call, contact, options } = yield* asked()
      const usual = { ...play, pricing: { ...plain.pricing, extra_child: 750 } }
      yield* importCatalogue({ packages: [usual, plain] })
      const { option_id } = first(yield* options())
      yield* importCatalogue({ packages: [play, plain] })
      const { booking } = Booked(yield* call("create_booking", { option_id, contact }))
      assert.strictEqual(booking.price.total, 2250)
    })
  )

  it.effect("is told again where the rules have changed", () =>
    Effect.gen(function* () {
      const { contact, options, refused } = yield* asked()
      const child_ages = [1, 3, 6]
      const { option_id } = first(yield* options({ child_ages }))
      const [babies] = play.pricing.child_rules ?? []
      const dearer = { ...play, pricing: { ...play.pricing, child_rules: babies === undefined ? [] : [babies] } }
      yield* importCatalogue({ packages: [dearer, plain] })
      const fault = yield* refused("create_booking", { option_id, contact, child_ages })
      assert.strictEqual(fault.code, "price_changed")
      assert.include(JSON.stringify(fault.details), `"total":1500`)
    })
  )

  it.effect("refuses ages of too many or too few, and ages that the room is not for", () =>
    Effect.gen(function* () {
      const { query, refused } = yield* asked()
      const few = yield* refused("get_booking_options", { ...query, child_ages: [1, 3] })
      assert.include(issuesOf(few)[0]?.message, "Expected one age for each of the 3 children")
      const old = yield* refused("get_booking_options", { ...query, child_ages: [1, 3, 17] })
      assert.include(issuesOf(old)[0]?.message, "This playroom is for ages")
    })
  )
})
