import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"
import type { InvalidArguments } from "../../../../src/platform/errors/InvalidArguments.ts"
import { isJsonObject } from "../../../../src/surfaces/mcp/transport/JsonRpc.ts"
import { listedTools, tools } from "../../../../src/surfaces/mcp/tools/ToolList.ts"
import { createBooking } from "../../../../src/surfaces/mcp/tools/createBooking.ts"
import { createPaymentSession } from "../../../../src/surfaces/mcp/tools/createPaymentSession.ts"
import { getBooking } from "../../../../src/surfaces/mcp/tools/getBooking.ts"
import { getBookingOptions } from "../../../../src/surfaces/mcp/tools/getBookingOptions.ts"
import { searchPlayrooms } from "../../../../src/surfaces/mcp/tools/searchPlayrooms.ts"
import { goodArguments, playroomId } from "../../../support/StandInTools.ts"
import { runs } from "../../../support/runs.ts"

const search = searchPlayrooms.decode
const options = getBookingOptions.decode
const create = createBooking.decode
const get = getBooking.decode
const pay = createPaymentSession.decode

const decoders: Readonly<Record<string, (input: unknown) => Result.Result<unknown, InvalidArguments>>> =
  Object.fromEntries(tools.map(({ decode, name }) => [name, decode]))

/** The paths of the fields that a schema's objects can do without, those inside objects too. */
const optionalFields = (schema: unknown): ReadonlyArray<ReadonlyArray<string>> => {
  if (!isJsonObject(schema) || !isJsonObject(schema.properties)) return []
  const required: ReadonlyArray<unknown> = Array.isArray(schema.required) ? schema.required : []
  return Object.entries(schema.properties).flatMap(([name, inner]) => [
    ...(required.includes(name) ? [] : [[name]]),
    ...optionalFields(inner).map((path) => [name, ...path])
  ])
}

/** The same object with a field that it does not have yet; as it is where it has that field. */
const withField = (given: unknown, path: ReadonlyArray<string>, value: unknown): unknown => {
  const [name, ...rest] = path
  if (name === undefined) return given ?? value
  const fields = isJsonObject(given) ? given : {}
  return { ...fields, [name]: withField(fields[name], rest, value) }
}

/** What is wrong, by path. */
const issues = <A>(result: Result.Result<A, InvalidArguments>): Readonly<Record<string, string>> =>
  Result.isSuccess(result) ? {} : Object.fromEntries(result.failure.issues.map(({ message, path }) => [path, message]))

const failed = <A>(result: Result.Result<A, InvalidArguments>) =>
  Result.isFailure(result) ? result.failure.issues : []

describe("arguments", () => {
  it("that a host adds to every tool are dropped, and no others, nor where they are no host's", () => {
    for (const { name } of tools) {
      const decode = decoders[name] ?? assert.fail(name)
      const given = goodArguments[name]
      const plain = decode(given)
      assert.isTrue(Result.isSuccess(plain), name)
      // Gemini CLI 0.61.0 sends it on with a boolean, and a model may write it as a text.
      for (const wait_for_previous of [true, false, "true", null])
        assert.deepStrictEqual(decode({ ...given, wait_for_previous }), plain, name)
      assert.include(
        issues(decode({ ...given, wait_for_previous: true, wait: true })).wait,
        "Unknown field, leave wait out"
      )
      const schema = listedTools.find((tool) => tool.name === name)?.inputSchema
      assert.notProperty(schema?.properties, "wait_for_previous")
    }
    const contact = { name: "Ada", email: "ada@example.com", wait_for_previous: true }
    assert.hasAllKeys(issues(create({ ...goodArguments.create_booking, contact })), ["contact.wait_for_previous"])
    assert.isTrue(Result.isSuccess(search({ wait_for_previous: true })))
    // What is dropped is no way around what is refused.
    const told = issues(search(JSON.parse('{"wait_for_previous":true,"__proto__":{"limit":1}}')))
    assert.deepStrictEqual(Object.values(told), ["Unknown field"])
  })

  it("of typical mistakes are told all at once, each with what is accepted and where ids come from", () => {
    const told = issues(
      options({ playroom_id: "Funky Monkeys", date: "next Saturday", children: "eight", colour: "red" })
    )
    assert.hasAllKeys(told, ["playroom_id", "date", "children", "colour"])
    assert.include(told.playroom_id, "search_playrooms gives it")
    assert.include(told.date, "YYYY-MM-DD")
    assert.include(told.children, "a whole number from 1 to 10000")
    assert.include(told.colour, "accepted: playroom_id, date, children")
  })

  it("that are missing are told with what they mean", () => {
    const told = issues(options({}))
    assert.hasAllKeys(told, ["playroom_id", "date", "children"])
    for (const message of Object.values(told)) assert.match(String(message), /^Required: .*\(.+\)$/)
  })

  it("inside objects and lists are named by their whole path", () => {
    const told = issues(
      options({
        playroom_id: playroomId,
        date: "2026-02-30",
        children: 1.5,
        add_ons: [{ add_on_id: 3, quantity: 0, x: 1 }, "b"]
      })
    )
    assert.hasAllKeys(told, [
      "date",
      "children",
      "add_ons[0].x",
      "add_ons[0].add_on_id",
      "add_ons[0].quantity",
      "add_ons[1]"
    ])
    assert.include(told.date, "the calendar has")
  })

  it("that are null or empty count as absent, in every optional field of every tool", () => {
    let fields = 0
    for (const { name, inputSchema } of tools) {
      const decode = decoders[name]
      const given = goodArguments[name]
      const same = decode?.(given)
      assert.isTrue(same !== undefined && Result.isSuccess(same), name)
      for (const path of optionalFields(inputSchema)) {
        for (const blank of [null, "", " \n"]) {
          fields++
          assert.deepStrictEqual(decode?.(withField(given, path, blank)), same, `${name} ${path.join(".")}`)
        }
      }
    }
    assert.isAbove(fields, 90)
    assert.deepStrictEqual(search({}), Result.succeed({}))
    assert.deepStrictEqual(search(undefined), Result.succeed({}))
  })

  it("that are null or empty where they are required are told to be required, with what is accepted", () => {
    for (const blank of [null, ""]) {
      const told = issues(options({ playroom_id: blank, date: blank, children: blank, add_ons: [{ quantity: blank }] }))
      assert.hasAllKeys(told, ["playroom_id", "date", "children", "add_ons[0].add_on_id", "add_ons[0].quantity"])
      for (const message of Object.values(told)) assert.match(String(message), /^Required: .+\(.+\)/)
      assert.match(String(issues(create({ option_id: "option_a", contact: blank })).contact), /^Required: an object/)
    }
  })

  it("that are null or empty inside a list count as absent, and under an unknown name are told like any other", () => {
    assert.deepStrictEqual(search({ child_ages: [null, 3, ""], amenities: [" "] }), Result.succeed({ child_ages: [3] }))
    assert.hasAllKeys(issues(search({ child_ages: [null, 3], colour: null })), ["colour"])
  })

  it("B1: that are the text null count as absent where no free text is meant, and nowhere else", () => {
    const fields = ["city", "date", "limit", "mode", "sort", "cursor", "near", "child_ages", "children"]
    for (const value of ["null", " null ", ["null"]])
      for (const field of [...fields, "amenities", "weekdays"])
        if (typeof value === "string" || ["child_ages", "amenities", "weekdays"].includes(field))
          assert.deepStrictEqual(search({ [field]: value }), Result.succeed({}), `${field} ${JSON.stringify(value)}`)
    assert.deepStrictEqual(search({ query: "null" }), Result.succeed({ query: "null" }))
    const contact = { name: "Null", email: "a@b.example" }
    for (const name of ["Null", "null"])
      assert.deepStrictEqual<unknown>(
        create({ option_id: "option_a", contact: { ...contact, name, phone: "null" }, idempotency_key: "null" }),
        Result.succeed({ option_id: "option_a", contact: { ...contact, name } })
      )
    assert.hasAllKeys(issues(create({ option_id: "null", contact: { ...contact, email: "null" } })), [
      "option_id",
      "contact.email"
    ])
  })

  it("B2: that are objects and lists as JSON text are read, and one item is a list of one", () => {
    const contact = { name: "Ada", email: "a@b.example" }
    assert.deepStrictEqual<unknown>(
      create({ option_id: "option_a", contact: JSON.stringify(contact), child_ages: '[4, "5"]' }),
      Result.succeed({ option_id: "option_a", contact, child_ages: [4, 5] })
    )
    const near = { latitude: -0.5, longitude: 51.25 }
    assert.deepStrictEqual(
      search({
        near: JSON.stringify(near),
        amenities: "parking",
        child_ages: 4,
        date: "2026-12-05",
        weekdays: "saturday"
      }),
      Result.succeed({ near, amenities: ["parking"], child_ages: [4], date: "2026-12-05", weekdays: ["saturday"] })
    )
    const add_on_id = "addon_01h455vb4pex5vsknk084sn02q"
    const asked = { playroom_id: playroomId, date: "2026-12-05", children: 3 }
    for (const one of [{ add_on_id, quantity: 1 }, `[{"add_on_id":"${add_on_id}","quantity":"1"}]`])
      assert.deepStrictEqual<unknown>(
        options({ ...asked, add_ons: one }),
        Result.succeed({ ...asked, add_ons: [{ add_on_id, quantity: 1 }] })
      )
    // What is no JSON, several items, or too long is told as before.
    for (const child_ages of ["[4,", "4, 5", `[${"4,".repeat(5000)}4]`])
      assert.hasAllKeys(issues(search({ child_ages })), ["child_ages"])
    assert.hasAllKeys(issues(create({ option_id: "option_a", contact: "Ada" })), ["contact"])
    assert.hasAllKeys(issues(create({ option_id: "option_a", contact: '{"__proto__":{}}' })), ["contact.__proto__"])
  })

  it("X24, X26: that are empty lists count as absent, and codes may be in lower case", () => {
    assert.deepStrictEqual(search({ weekdays: [], amenities: [], child_ages: "[]", cursor: "" }), Result.succeed({}))
    assert.deepStrictEqual<unknown>(
      search({ country: "gb", max_total: { amount: 15000, currency: "gbp" } }),
      Result.succeed({ country: "GB", max_total: { amount: 15000, currency: "GBP" } })
    )
  })

  it("that are objects of nothing but blanks count as absent, where they may", () => {
    for (const near of [{}, { latitude: null, longitude: "", radius_km: null }]) {
      assert.deepStrictEqual(search({ near, max_total: { amount: "", currency: " " } }), Result.succeed({}))
    }
    assert.hasAllKeys(issues(search({ near: { latitude: "", radius_km: 25 } })), ["near.latitude", "near.longitude"])
    assert.hasAllKeys(issues(create({ option_id: "option_a", contact: { name: "", email: null, phone: "" } })), [
      "contact.name",
      "contact.email"
    ])
  })

  it("that are numbers and truth values plainly written as text are taken for what they are", () => {
    assert.deepStrictEqual(
      search({
        children: " 12 ",
        child_ages: ["4", 5],
        near: { latitude: "-0.5", longitude: "+51.25", radius_km: "5" }
      }),
      Result.succeed({ children: 12, child_ages: [4, 5], near: { latitude: -0.5, longitude: 51.25, radius_km: 5 } })
    )
    const wished = { option_id: " option_a", contact: { name: " A ", email: " a@b.example " }, another: "True" }
    const meant = { option_id: "option_a", contact: { name: "A", email: "a@b.example" }, another: true }
    assert.deepStrictEqual<unknown>(create(wished), Result.succeed(meant))
    for (const children of [
      "twelve",
      "1e1",
      "0x10",
      "12 or 13",
      "1,5",
      "12.5",
      "0",
      "99999999999999999999",
      [12],
      true
    ]) {
      assert.hasAllKeys(issues(search({ children })), ["children"], JSON.stringify(children))
    }
    for (const another of ["yes", 1, "1", {}]) {
      const told = issues(create({ ...meant, another }))
      if (typeof another !== "object") assert.match(String(told.another), /^Expected boolean/)
    }
    // Texts stay texts.
    assert.deepStrictEqual<unknown>(
      search({ query: "12", city: "true" }),
      Result.succeed({ query: "12", city: "true" })
    )
  })

  it("that only the person knows are to be asked for, and what the person did not give is to be left out", () => {
    const told = issues(create({ option_id: "option_a", contact: { phone: "unknown" } }))
    assert.match(String(told["contact.name"]), /^Required: .*ask the person for it, never make it up$/)
    assert.match(String(told["contact.email"]), /^Required: .*ask the person for it, never make it up$/)
    assert.match(String(told["contact.phone"]), /, or leave contact\.phone out if the person gave none$/)
    assert.match(String(issues(create({ option_id: "option_a" })).contact), /ask the person for them/)
  })

  it("that are values of their own making are told the accepted ones, and the one that they mean", () => {
    for (const [input, field, value] of [
      [{ mode: "private" }, "mode", "exclusive"],
      [{ mode: "Shared" }, "mode", "shared"],
      [{ mode: "open play" }, "mode", "shared"],
      [{ sort: "cheapest" }, "sort", "price"],
      [{ sort: "Nearest" }, "sort", "distance"]
    ] as const) {
      assert.match(
        String(issues(search(input))[field]),
        new RegExp(`^Expected one of "[a-z_]+", "[a-z_]+".*: send "${value}", or leave ${field} out$`)
      )
    }
    const booking_id = playroomId.replace("playroom", "booking")
    assert.include(issues(pay({ booking_id, purpose: "deposit" })).purpose, 'send "due_now"')
    // What belongs to another field, or to none, means nothing.
    for (const sort of ["private", "constructor", "x".repeat(1000), 5]) {
      assert.notInclude(String(issues(search({ sort })).sort), "send")
    }
  })

  it("that are dates of another form are told the form, and what today is", () => {
    const now = Date.parse("2026-11-21T23:30:00Z")
    const told = (date: unknown) => issues(options({ playroom_id: playroomId, children: 8, date }, now)).date
    for (const date of ["12/5", "next Saturday", "2026-2-30", "2026-02-30", 5, null, undefined]) {
      assert.match(String(told(date)), /YYYY-MM-DD.*; today is 2026-11-21 in UTC$/, String(date))
    }
    assert.include(told("12/5"), "like 2026-12-05")
    assert.notInclude(JSON.stringify(issues(options({}))), "today")
  })

  it("that can be left out say so, by the name of the field that can", () => {
    const told = issues(
      search({ near: { latitude: 200 }, amenities: [5], country: "England", colour: "red", sort: "best" })
    )
    assert.match(String(told["near.longitude"]), /^Required: .+, or leave near out$/)
    assert.match(String(told["near.latitude"]), /, or leave near out$/)
    assert.match(String(told["amenities[0]"]), /, or leave amenities out$/)
    assert.match(String(told.country), /, or leave country out$/)
    assert.match(String(told.sort), /, or leave sort out$/)
    assert.match(String(told.colour), /^Unknown field, leave colour out; accepted: query, /)
    // Ages decide who may come: they are corrected or sent elsewhere, and left out only if nobody told them (H6), since
    // models make them up to fill a list.
    for (const ages of [
      issues(search({ child_ages: ["three"] })),
      issues(search({ child_ages: [40] })),
      issues(search({ ages: [4] })),
      issues(options({ ...goodArguments.get_booking_options, child_ages: [40] })),
      issues(create({ ...goodArguments.create_booking, child_ages: "old" }))
    ]) {
      assert.isNotEmpty(Object.keys(ages))
      for (const [path, message] of Object.entries(ages)) {
        assert.include(path, "ages")
        assert.notMatch(message.replace("if they told none, leave child_ages out", ""), /leave|without/)
        assert.match(
          message,
          /the ages that the person told, in whole years; if they told none, leave child_ages out|to search_playrooms, get_booking_options and create_booking, as child_ages/
        )
      }
    }
    for (const message of Object.values(issues(options({ playroom_id: 1, children: 0 })))) {
      assert.notInclude(String(message), "leave")
    }
  })

  it("that are no object at all are told so", () => {
    for (const input of [[], "x", 5, true])
      assert.include(issues(options(input))[""], "Expected an object with playroom_id")
  })

  it("of get_booking are exactly one of two, however the reference is typed", () => {
    assert.include(issues(get({}))[""], "exactly one")
    assert.include(
      issues(get({ reference: "K7M2-9QXD", booking_id: playroomId.replace("playroom", "booking") }))[""],
      "exactly one"
    )
    for (const reference of ["K7M2-9QXD", "k7m29qxd", " K7M2 9QXD ", "K7M2–9QXD"])
      assert.deepStrictEqual(issues(get({ reference })), {})
    assert.hasAllKeys(issues(get({ reference: "K7M2" })), ["reference"])
  })

  it("of get_booking by e-mail, telephone or name are refused with the way that works", () => {
    for (const by of [
      { email: "ana@example.com" },
      { phone: "1" },
      { name: "Ana", email: "a@b.example" },
      {},
      { reference: "" }
    ]) {
      const told = Object.values(issues(get(by))).join(" ")
      assert.include(told, "ask the person for the reference")
      assert.include(told, "ask the playroom itself")
      assert.strictEqual(told.split("ask the playroom itself").length, 2, "it is said once")
    }
  })

  it("of create_booking say what a contact is", () => {
    const told = issues(create({ option_id: 5, contact: { name: " ", email: "x" }, notes: "x".repeat(1001) }))
    assert.hasAllKeys(told, ["option_id", "contact.name", "contact.email", "notes"])
    assert.include(told.option_id, "Expected text (From get_booking_options)")
    assert.deepStrictEqual(
      issues(create({ option_id: "option_a", contact: { name: "A", email: "a@b.example" }, notes: "🎈".repeat(1000) })),
      {}
    )
  })

  it("that are addresses are http or https", () => {
    const booking_id = playroomId.replace("playroom", "booking")
    assert.hasAllKeys(issues(pay({ booking_id, success_url: "javascript:alert(1)" })), ["success_url"])
    assert.deepStrictEqual(issues(pay({ booking_id, success_url: "https://example.com/done" })), {})
  })

  it("of any JSON never crash the decoder, which tells at most 20 short issues and accepts no unknown field", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 12, stringUnit: "binary" }), (input) => {
        for (const decode of [search, options, create, get, pay]) {
          const told = Object.entries(issues<unknown>(decode(input)))
          assert.isAtMost(told.length, 20)
          for (const [path, message] of told) {
            assert.isNotEmpty(message)
            assert.isTrue(path.isWellFormed() && message.isWellFormed() && !`${path}${message}`.includes("\u0000"))
            assert.isBelow(path.length, 800)
          }
        }
      }),
      { numRuns: runs(75) }
    )
  })

  it("with NUL, half surrogates or __proto__ anywhere are refused by path, deep nesting as another type", () => {
    const told = issues(
      search(JSON.parse('{"query":"a\\u0000","city":"\\ud800","__proto__":{},"near":{"__proto__":1}}'))
    )
    assert.hasAllKeys(told, ["query", "city", "__proto__", "near.__proto__"])
    let deep: unknown = 1
    for (let i = 0; i < 50_000; i++) deep = [deep]
    assert.deepStrictEqual(issues(search({ amenities: deep, query: deep })), {
      "amenities[0]": "Expected text, or leave amenities out",
      query: "Expected text (Words, like soft play or nut-free), or leave query out"
    })
  })

  it("that are too long a list are refused by its length, and no entry of it is looked at", () => {
    for (const [decode, name, entry, most] of [
      [options, "add_ons", {}, 50],
      [options, "add_ons", 1, 50],
      [create, "child_ages", {}, 500],
      [search, "child_ages", 99, 500],
      [search, "amenities", "", 20]
    ] as const) {
      let looks = 0
      const list: unknown = new Proxy(
        Array.from({ length: 346_000 }, () => entry),
        { get: (target, key) => (key === "length" ? target.length : (looks++, Reflect.get(target, key))) }
      )
      const told = issues<unknown>(decode({ [name]: list }))
      assert.deepStrictEqual(told, { [name]: `Expected a list of at most ${most}, not of 346000` })
      assert.strictEqual(looks, 0, name)
    }
  })

  it("that are lists of faults, or thousands of unknown fields, are told in 20 issues of bounded size", () => {
    const child_ages = Array.from({ length: 500 }, () => "x".repeat(100))
    const add_ons = Array.from({ length: 50 }, () => ({ ["y".repeat(3000)]: 1 }))
    const unknown = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, { deep: [i] }]))
    for (const told of [
      failed(create({ child_ages })),
      failed(options({ add_ons })),
      failed(search(unknown)),
      failed(search({ near: unknown }))
    ]) {
      assert.strictEqual(told.length, 20)
      assert.isBelow(JSON.stringify(told).length, 5000)
    }
  })

  it("that are texts longer than any that is taken are refused before a pattern is tried on them", () => {
    const email = `a@${".a".repeat(60_000)}(`
    const told = issues(create({ option_id: "x".repeat(100_000), contact: { name: "A", email } }))
    assert.deepStrictEqual(told, {
      option_id: "Expected text of at most 2000 characters",
      "contact.email": "Expected text of at most 2000 characters"
    })
  })

  it("have a bound on every list in every tool's schema, and no text that may be longer than the bound on all", () => {
    const look = (part: unknown, path: string): void => {
      if (!isJsonObject(part)) return
      if (part.type === "array") assert.isAtMost(Number(part.maxItems), 500, path)
      if (part.maxLength !== undefined) assert.isAtMost(Number(part.maxLength), 1000, path)
      look(part.items, `${path}[]`)
      for (const [key, inner] of Object.entries(isJsonObject(part.properties) ? part.properties : {})) {
        look(inner, `${path}.${key}`)
      }
    }
    for (const { inputSchema, name } of listedTools) look(inputSchema, name)
  })
})
