/** What a venue asks before it is booked: told with its options, and answered with `create_booking`. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { BookingId } from "../../../../src/platform/ids/Ids.ts"
import { Bookings } from "../../../../src/domain/booking/Bookings.ts"
import { venuePrincipal } from "../../../../src/platform/access/ApiKeys.ts"
import { answersIn, type Question } from "../../../../src/domain/catalogue/Questions.ts"
import { ask, at, inside, optionFor, payingPackage, playroom_id, type Run } from "../../../support/Assistant.ts"
import { setClock } from "../../../support/BookingWorld.ts"
import { deleteBookings, now } from "../../../support/PaymentWorld.ts"
import {
  callTool,
  freePackage,
  hostile,
  importCatalogue,
  newKey,
  toolWorld,
  venue
} from "../../../support/ToolWorld.ts"

const theme: Question = {
  slug: "theme",
  text: `${hostile}: which theme?`,
  options: ["Pirates", "Space"],
  before: true,
  required: true
}
const questions: ReadonlyArray<Question> = [
  theme,
  { slug: "name", text: "Whose birthday is it?", before: true },
  { slug: "allergies", text: "Any allergies?", required: true }
]

let runs = 0
const person = Effect.gen(function* () {
  yield* setClock(now)
  yield* deleteBookings
  yield* importCatalogue({
    packages: venue.packages.map((pkg) => (pkg.package_id === payingPackage.package_id ? { ...pkg, questions } : pkg))
  })
  runs++
  const known = {
    playroom_id,
    date: "2026-12-05",
    children: 8,
    contact: { name: "Ana", email: `asked${runs}@example.com` }
  }
  const run: Run = { who: { key: yield* newKey(), address: `192.0.2.${90 + runs}` }, known, bound: false }
  return run
})
const faultOf = Effect.fnUntraced(function* (input: Record<string, unknown>, run: Run) {
  const answer = yield* callTool("create_booking", input, run.who)
  return "fault" in answer ? answer.fault : assert.fail(JSON.stringify(answer))
})
const answersOf = (made: unknown) =>
  Effect.gen(function* () {
    const bookings = yield* Bookings
    const row = yield* bookings.get(Schema.decodeUnknownSync(BookingId)(inside(made, "booking", "booking_id")))
    return row.answers?.map(({ answer, slug }) => `${slug}=${answer}`)
  })

describe("a line of an answer", () => {
  const asked = [
    { slug: "cake", text: "theme" },
    { slug: "theme", text: "İsim: kim?" }
  ]
  it("is known by the slug first, then by the question's words, whatever their case and their colons", () => {
    assert.deepStrictEqual(
      answersIn({ questions: asked }, ["theme: Space", "CAKE: a: b"])?.map(({ answer, slug }) => [slug, answer]),
      [
        ["cake", "a: b"],
        ["theme", "Space"]
      ]
    )
    const said = "İsim: kim?: Ada"
    for (const line of [said, said.toLowerCase()])
      assert.strictEqual(answersIn({ questions: asked }, [line])?.[0]?.answer.toLowerCase(), "ada", line)
    for (const line of ["", ":", "cake", "cakes: a", ": cake"]) assert.isNull(answersIn({ questions: asked }, [line]))
  })
})

layer(toolWorld)("what is asked before it is booked", (it) => {
  it.effect("stands with the options, as data, and is said first; nothing is asked of what asks nothing", () =>
    Effect.gen(function* () {
      const { known, who } = yield* person
      const input = { playroom_id, date: known.date, children: 8 }
      const asking = yield* ask("get_booking_options", { ...input, package_id: payingPackage.package_id }, who)
      assert.deepStrictEqual(at(asking, "packages", 0, "asks"), [
        `theme: ${hostile}: which theme? (Pirates / Space)`,
        "name: Whose birthday is it? (optional)"
      ])
      assert.match(
        inside(asking, "ask"),
        /^The venue asks before it is booked: ask the person what asks of the package/
      )
      assert.notInclude(inside(asking, "ask"), hostile)
      const other = yield* ask("get_booking_options", { ...input, package_id: freePackage.package_id }, who)
      assert.isUndefined(at(other, "packages", 0, "asks"))
      assert.notInclude(String(at(other, "ask")), "asks before")
    })
  )

  it.effect("is answered by slug or by its own words, in any case; what is open after it is asked by link", () =>
    Effect.gen(function* () {
      const run = yield* person
      const option_id = yield* optionFor(run)
      const call = { option_id, contact: run.known.contact }
      const made = yield* ask(
        "create_booking",
        { ...call, answers: [" THEME : pirates", "Whose birthday is it?: Ida: 6"] },
        run.who
      )
      assert.deepStrictEqual(yield* answersOf(made), ["theme=Pirates", "name=Ida: 6"])
      // A repeat is the same booking, whatever it answers.
      const again = yield* ask("create_booking", { ...call, answers: ["theme: Space"] }, run.who)
      assert.strictEqual(again.already_existed, true)
      assert.match(inside(again, "next_step"), /without what this call gave otherwise: answers\./)
      const same = yield* ask("create_booking", { ...call, answers: ["name: ida: 6", "theme: pirates"] }, run.who)
      assert.notInclude(inside(same, "next_step"), "otherwise")
      assert.deepStrictEqual(yield* answersOf(again), ["theme=Pirates", "name=Ida: 6"])
    })
  )

  it.effect("refuses what is not answered, answers nothing, or is none of the answers, and says which", () =>
    Effect.gen(function* () {
      const run = yield* person
      const option_id = yield* optionFor(run)
      const call = { option_id, contact: run.known.contact }
      const sql = yield* SqlClient.SqlClient
      for (const [answers, path, said] of [
        [undefined, "answers", /^Expected "slug: answer" for each of theme: ask the person/],
        [["name: Ida"], "answers", /for each of theme:/],
        [["theme: \u200b"], "answers", /for each of theme:/],
        [["theme: Fairies"], "answers[0]", /^Expected an answer to choose from, as asks of get_booking_options has/],
        [["theme: Space", "cake: Lemon"], "answers[1]", /with one of these slugs: theme, name, allergies"/],
        [["theme: Space", "constructor: x"], "answers[1]", /with one of these slugs/],
        [["theme: Space", `name: ${"n".repeat(501)}`], "answers[1]", /at most 500 characters/]
      ] as const) {
        const fault = yield* faultOf(answers === undefined ? call : { ...call, answers }, run)
        const text = JSON.stringify(fault)
        assert.include(text, `${path}`)
        assert.match(text.replaceAll('\\"', '"'), new RegExp(said.source.replace(/^\^/, "")))
        assert.notInclude(text, hostile)
      }
      assert.deepStrictEqual(yield* sql`select 1 from booking`, [])
      const free = yield* optionFor(run, freePackage)
      const fault = yield* faultOf({ option_id: free, contact: run.known.contact, answers: ["theme: Space"] }, run)
      assert.include(JSON.stringify(fault), "Nothing is asked here")
    })
  )

  it.effect("of several, each booking keeps the answers to its own questions; what none asks is refused", () =>
    Effect.gen(function* () {
      const run = yield* person
      const option_id = yield* optionFor(run, freePackage)
      const more_option_ids = [yield* optionFor({ ...run, known: { ...run.known, date: "2026-12-06" } })]
      const call = { option_id, more_option_ids, contact: run.known.contact }
      assert.include(JSON.stringify(yield* faultOf(call, run)), "for each of theme")
      const odd = yield* faultOf({ ...call, answers: ["theme: Space", "cake: Lemon"] }, run)
      assert.include(JSON.stringify(odd), "answers[1]")
      const made = yield* ask("create_booking", { ...call, answers: ["theme: Space"] }, run.who)
      assert.isUndefined(yield* answersOf(made))
      const other = { booking: at(made, "booking", "booked_together", 0) }
      assert.deepStrictEqual(yield* answersOf(other), ["theme=Space"])
    })
  )

  it.effect("is not needed where the venue books itself", () =>
    Effect.gen(function* () {
      const run = yield* person
      const option_id = yield* optionFor(run)
      const { row } = yield* Bookings.use((bookings) =>
        bookings.create(venuePrincipal(venue.operator.operator_id, "Kim"), { option_id, contact: run.known.contact })
      )
      assert.isNull(row.answers)
    })
  )
})
