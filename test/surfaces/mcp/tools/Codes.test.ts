/** A code that a person has been given: from the options to the booking, its changes and its end. */
import { assert, layer } from "@effect/vitest"
import { Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Bookings } from "../../../../src/domain/booking/Bookings.ts"
import { codeIn } from "../../../../src/domain/catalogue/Pricing.ts"
import type { PriceCode } from "../../../../src/domain/catalogue/Package.ts"
import { VisitOffers } from "../../../../src/domain/payment/changes/VisitChanges.ts"
import type { ToolName } from "../../../../src/surfaces/mcp/tools/ToolList.ts"
import { cancelAsOperator, changeVisit } from "../../../support/Acts.ts"
import { setClock } from "../../../support/BookingWorld.ts"
import { callTool, importCatalogue, newGuest, newKey, toolWorld, venue } from "../../../support/ToolWorld.ts"
import { packageWith, testId } from "../../../support/venues.ts"

const free = packageWith({ package_id: testId.package(991), schedule: { times: ["10:00", "11:00", "12:00", "13:00"] } })
const { playroom_id } = venue.playroom
const saturday = "2026-12-12"
const spring: PriceCode = { label: "Spring", code: "SPRING10", change: { percent: -10 } }
const withCodes = (codes: ReadonlyArray<PriceCode>) => ({ ...free, pricing: { ...free.pricing, codes } })

const Options = Schema.decodeUnknownSync(
  Schema.Struct({
    ask: Schema.optionalKey(Schema.String),
    options: Schema.Array(
      Schema.Struct({ option_id: Schema.String, start: Schema.String, price: Schema.Struct({ total: Schema.Int }) })
    )
  })
)
const Booked = Schema.decodeUnknownSync(
  Schema.Struct({
    booking: Schema.Struct({ booking_id: Schema.String, price: Schema.Struct({ total: Schema.Int }) }),
    already_existed: Schema.Boolean
  })
)
const Changed = Schema.decodeUnknownSync(
  Schema.Struct({
    option: Schema.Struct({ option_id: Schema.String, price: Schema.Struct({ total: Schema.Int }) }),
    reason: Schema.optionalKey(Schema.String)
  })
)

layer(toolWorld)("a code", (it) => {
  let [people, addresses] = [0, 0]
  const sold = Effect.fnUntraced(function* (codes: ReadonlyArray<PriceCode>) {
    yield* setClock("2026-11-20T09:00:00Z")
    const sql = yield* SqlClient.SqlClient
    yield* sql`update booking set status = 'cancelled', hold_expires_at = null where package_id = ${free.package_id} and status in ('held', 'confirmed')`
    yield* sql`delete from occupancy where booking_id in (select booking_id from booking where status = 'cancelled')`
    yield* importCatalogue({ packages: [withCodes(codes), packageWith({ package_id: testId.package(992) })] })
    const key = yield* newKey()
    const call = (name: ToolName, input: unknown, as: Parameters<typeof callTool>[2] = {}) =>
      callTool(name, input, { key, address: `198.51.100.${++addresses % 250}`, ...as })
    const query = { playroom_id, package_id: free.package_id, date: saturday, children: 2 }
    const options = (code?: string, more: object = {}, as: Parameters<typeof callTool>[2] = {}) =>
      Effect.map(
        call("get_booking_options", { ...query, ...(code === undefined ? {} : { code }), ...more }, as),
        (told) => ("result" in told ? Options(told.result) : assert.fail(JSON.stringify(told.fault)))
      )
    const first = ({ options: [one] }: ReturnType<typeof Options>) => one ?? assert.fail("no option")
    const book = (option_id: string, contact: object = {}) =>
      call("create_booking", {
        option_id,
        contact: { name: "Ada", email: `codes${++people}@example.com`, ...contact }
      })
    const booked = (option_id: string, contact: object = {}) =>
      Effect.map(book(option_id, contact), (told) =>
        "result" in told ? Booked(told.result) : assert.fail(JSON.stringify(told.fault))
      )
    const refused = (option_id: string, contact: object = {}) =>
      Effect.map(book(option_id, contact), (told) =>
        "fault" in told ? told.fault : assert.fail(JSON.stringify(told.result))
      )
    return { book, booked, call, first, options, refused }
  })

  it.effect("is in the price, in the option's id, and in the booking", () =>
    Effect.gen(function* () {
      const { booked, first, options } = yield* sold([spring])
      const [full, less] = [first(yield* options()), first(yield* options("spring-10"))]
      assert.deepStrictEqual([full.price.total, less.price.total], [1500, 1350])
      assert.notStrictEqual(full.option_id, less.option_id)
      const { booking } = yield* booked(less.option_id)
      assert.strictEqual(booking.price.total, 1350)
      const row = yield* Bookings.use(({ get }) => get(booking.booking_id))
      assert.deepStrictEqual(row.terms.code, spring)
      assert.deepStrictEqual(codeIn(row.terms.price), { code: "SPRING10", amount: 150 })
      assert.strictEqual((yield* booked(full.option_id)).booking.price.total, 1500)
    })
  )

  it.effect("is told to nobody who does not give it", () =>
    Effect.gen(function* () {
      const { booked, call, first, options } = yield* sold([spring])
      const { option_id } = first(yield* options())
      yield* booked(option_id)
      const answers = [
        yield* call("search_playrooms", { children: 2, date: saturday }),
        yield* call("get_playroom", { playroom_id }),
        yield* call("get_booking_options", { playroom_id, date: saturday, children: 2 }),
        yield* call("get_booking_options", { playroom_id, date: saturday, children: 2, code: "SPRING11" }),
        yield* call("create_booking", {
          option_id,
          contact: { name: "Ada", email: "ada@codes.example" },
          code: "SPRING10"
        })
      ].map((told) => JSON.stringify(told))
      for (const answer of answers.slice(0, 4)) assert.notInclude(answer, "SPRING10")
      // Where it is booked is no place for it.
      assert.match(answers.at(-1) ?? "", /A discount code goes into get_booking_options as code/)
    })
  )

  it.effect("for all of the price makes it free: confirmed at once, with nothing to pay and nothing to pay back", () =>
    Effect.gen(function* () {
      const { booked, first, options } = yield* sold([{ ...spring, change: { percent: -100 } }])
      const { booking } = yield* booked(first(yield* options("SPRING10")).option_id)
      const get = Bookings.use(({ get }) => get(booking.booking_id))
      assert.deepInclude(yield* get, { status: "confirmed", payment_status: "not_required", total: 0, due_now: 0 })
      const { refund } = yield* cancelAsOperator(booking.booking_id, { preview: false })
      assert.deepStrictEqual([refund.amount, (yield* get).status], [0, "cancelled"])
    })
  )

  it.effect("that does not hold is said, at the full price, whatever the reason", () =>
    Effect.gen(function* () {
      const { options } = yield* sold([
        spring,
        { ...spring, code: "TUESDAYS", weekdays: ["tuesday"] },
        { ...spring, code: "AUTUMN", date_to: "2026-11-01" }
      ])
      for (const [code, said] of [
        ["WINTER", /^That is no code of this venue, so these are the full prices\. Tell the person/],
        ["'; drop table booking --", /^That is no code of this venue/],
        ["SPRІNG10", /^That is no code of this venue/],
        ["TUESDAYS", /^The code does not hold at these times/],
        ["AUTUMN", /^The code is over/]
      ] as const) {
        const { ask = "", options: found } = yield* options(code)
        assert.match(ask, said, code)
        assert.deepStrictEqual(new Set(found.map(({ price }) => price.total)), new Set([1500]), code)
        assert.notInclude(ask, code)
      }
      assert.match(
        (yield* options("SPRING10", { package_id: testId.package(992) })).ask ?? "",
        /is for another package/
      )
      assert.match((yield* options("SPRING10")).ask ?? "", /^The code is in the prices whose lines name it/)
      // None was given.
      for (const none of ["", "  ", undefined]) assert.notMatch((yield* options(none)).ask ?? "", /code/)
    })
  )

  it.effect("is used as often as it may be: two at once for the last use are one, and an end gives it back", () =>
    Effect.gen(function* () {
      const { book, booked, first, options, refused } = yield* sold([{ ...spring, max_uses: 2 }])
      const { options: found } = yield* options("SPRING10")
      const [one, two, three] = found.map(({ option_id }) => option_id)
      const { booking } = yield* booked(one ?? "")
      const both = yield* Effect.all([book(two ?? ""), book(three ?? "")], { concurrency: 2 })
      const lost = both.flatMap((told) => ("fault" in told ? [told.fault] : []))
      assert.lengthOf(lost, 1)
      assert.strictEqual(lost[0]?.code, "price_changed")
      assert.match(lost[0]?.message ?? "", /^The code of that option is used up/)
      const { option, reason } = Changed(lost[0]?.details)
      assert.deepStrictEqual([option.price.total, reason], [1500, "used_up"])
      assert.strictEqual((yield* booked(option.option_id)).booking.price.total, 1500)
      assert.match((yield* options("SPRING10")).ask ?? "", /^The code is used up/)
      assert.strictEqual(first(yield* options("SPRING10")).price.total, 1500)
      const before = yield* refused(one ?? "")
      assert.strictEqual(Changed(before.details).reason, "used_up")
      // Who has it, has it: a repeated call, and more children.
      yield* cancelAsOperator(booking.booking_id, { preview: false })
      assert.strictEqual(first(yield* options("SPRING10")).price.total, 1350)
      assert.strictEqual((yield* booked(one ?? "")).booking.price.total, 1350)
    })
  )

  it.effect("counts no hold whose time is over", () =>
    Effect.gen(function* () {
      const { booked, first, options } = yield* sold([{ ...spring, max_uses: 1 }])
      const { option_id } = first(yield* options("SPRING10"))
      yield* booked(option_id)
      assert.match((yield* options("SPRING10")).ask ?? "", /^The code is used up/)
      yield* setClock("2026-11-20T12:00:00Z")
      assert.strictEqual((yield* booked(first(yield* options("SPRING10")).option_id)).booking.price.total, 1350)
    })
  )

  it.effect("for a first booking is for who has none, by e-mail address or telephone number", () =>
    Effect.gen(function* () {
      const { booked, call, first, options, refused } = yield* sold([{ ...spring, first_booking: true }])
      const { ask, ...found } = yield* options("SPRING10")
      assert.include(ask, "It is for a first booking at this venue: ask the person")
      const [one, two, three] = found.options.map(({ option_id }) => option_id)
      const ada = { email: "Ada@codes.example", phone: "+44 20 7946 0018" }
      const { booking } = yield* booked(one ?? "", ada)
      // A hold with the code counts, too.
      for (const contact of [{ email: "ada@CODES.example" }, { phone: "020 7946 0018" }]) {
        const fault = yield* refused(two ?? "", contact)
        assert.deepStrictEqual([fault.code, Changed(fault.details).reason], ["price_changed", "not_first"])
        assert.match(fault.message, /is for a first booking at this venue/)
      }
      const again = Booked(
        yield* Effect.map(call("create_booking", { option_id: one, contact: { name: "Ada", ...ada } }), (told) =>
          "result" in told ? told.result : assert.fail(JSON.stringify(told.fault))
        )
      )
      assert.deepStrictEqual([again.already_existed, again.booking.booking_id], [true, booking.booking_id])
      yield* booked(two ?? "", { phone: "+44 20 7946 0019" })
      const sql = yield* SqlClient.SqlClient
      yield* sql`update booking set status = 'cancelled', hold_expires_at = null where booking_id = ${booking.booking_id}`
      assert.strictEqual((yield* booked(three ?? "", ada)).booking.price.total, 1350)
      assert.isDefined(first)
    })
  )

  it.effect("that a guest asks for in the names of others is told of few of them, and of nobody then", () =>
    Effect.gen(function* () {
      const { call, options, refused } = yield* sold([{ ...spring, first_booking: true }])
      const [one, two] = (yield* options("SPRING10")).options.map(({ option_id }) => option_id)
      const ada = { name: "Ada", email: "known@codes.example" }
      yield* call("create_booking", { option_id: one, contact: ada })
      const { token } = yield* newGuest("203.0.113.9")
      const ask = (email: string) =>
        call("create_booking", { option_id: two, contact: { name: "Eve", email } }, { key: undefined, token })
      for (let i = 0; i < 12; i++) {
        const told = yield* ask(ada.email)
        assert.isTrue("fault" in told && Changed(told.fault.details).reason === "not_first", JSON.stringify(told))
      }
      const unknown = yield* ask("nobody@codes.example")
      assert.isTrue("fault" in unknown && Changed(unknown.fault.details).reason === "not_first")
      // Others are not affected.
      assert.strictEqual((yield* refused(two ?? "", { email: ada.email })).code, "price_changed")
      assert.isTrue(
        "result" in
          (yield* call("create_booking", { option_id: two, contact: { name: "Bo", email: "bo@codes.example" } }))
      )
    })
  )

  it.effect("that left the catalogue, or holds no longer then, is said where it is booked", () =>
    Effect.gen(function* () {
      const { first, options, refused } = yield* sold([spring])
      const { option_id } = first(yield* options("SPRING10"))
      for (const codes of [[], [{ ...spring, code: "OTHER123" }], [{ ...spring, weekdays: ["monday" as const] }]]) {
        yield* importCatalogue({ packages: [withCodes(codes)] })
        const fault = yield* refused(option_id)
        const { option, reason } = Changed(fault.details)
        assert.deepStrictEqual([fault.code, option.price.total, reason], ["price_changed", 1500, "gone"])
        assert.match(fault.message, /^The code of that option no longer holds for it, so that option costs what/)
      }
      yield* importCatalogue({ packages: [withCodes([{ ...spring, change: { percent: -5 } }])] })
      const fault = yield* refused(option_id)
      assert.deepInclude(Changed(fault.details), {
        option: { ...Changed(fault.details).option, price: { total: 1425 } }
      })
      assert.notProperty(fault.details ?? {}, "reason")
    })
  )

  it.effect("that is wrong again and again is looked for no more, from there alone", () =>
    Effect.gen(function* () {
      const { options } = yield* sold([spring])
      const from = { key: undefined, address: "203.0.113.77" }
      for (let i = 0; i < 10; i++) assert.match((yield* options(`WRONG${i}`, {}, from)).ask ?? "", /^That is no code/)
      const { ask, options: found } = yield* options("SPRING10", {}, from)
      assert.match(ask ?? "", /^Too many wrong codes came from here: the code was not looked at, so these are the full/)
      assert.strictEqual(found[0]?.price.total, 1500)
      assert.strictEqual((yield* options("SPRING10")).options[0]?.price.total, 1350)
    })
  )

  it.effect("stays a booking's own when its party or its start changes, used up or gone as it may be", () =>
    Effect.gen(function* () {
      const { booked, first, options } = yield* sold([{ ...spring, max_uses: 1 }])
      const { booking } = yield* booked(first(yield* options("SPRING10")).option_id)
      const sql = yield* SqlClient.SqlClient
      yield* sql`update booking set status = 'confirmed', payment_status = 'paid', paid = total, hold_expires_at = null
        where booking_id = ${booking.booking_id}`
      yield* importCatalogue({ packages: [withCodes([])] })
      const get = Bookings.use(({ get }) => get(booking.booking_id))
      const change = { by: "operator", reason: "asked for", preview: false } as const
      yield* changeVisit(booking.booking_id, { ...change, party: { children: 4 } })
      const grown = yield* get
      assert.strictEqual(grown.total, 2700)
      assert.deepStrictEqual(codeIn(grown.terms.price), { code: "SPRING10", amount: 300 })
      const starts = yield* VisitOffers.use((offers) =>
        offers.starts(grown, { from: saturday, to: saturday }, { by: "operator", package_id: free.package_id })
      )
      const later = Option.getOrElse(starts, () => []).find(({ start }) => start.includes("13:00"))
      assert.strictEqual(later?.price.total, 2700)
      yield* changeVisit(booking.booking_id, { ...change, option_id: later?.option_id ?? "" })
      const moved = yield* get
      assert.deepStrictEqual([moved.total, moved.terms.code?.code], [2700, "SPRING10"])
    })
  )
})
