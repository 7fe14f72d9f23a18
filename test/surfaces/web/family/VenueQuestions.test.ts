/** What a venue asks families before they come, and what they answer. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { BookingRow } from "../../../../src/domain/booking/Booking.ts"
import { erasePerson } from "../../../../src/domain/booking/BookingRecords.ts"
import { BookingLinks } from "../../../../src/domain/booking/BookingLinks.ts"
import { Bookings } from "../../../../src/domain/booking/Bookings.ts"
import type { Package } from "../../../../src/domain/catalogue/Package.ts"
import type { Question } from "../../../../src/domain/catalogue/Questions.ts"
import { PaymentSummaries } from "../../../../src/domain/payment/PaymentSummaries.ts"
import { LinkTokens } from "../../../../src/platform/access/LinkTokens.ts"
import { letterContent } from "../../../../src/surfaces/letters/LetterContent.ts"
import { bookingWithNextStep } from "../../../../src/surfaces/mcp/tools/NextSteps.ts"
import { ShownBookings } from "../../../../src/surfaces/web/family/ShownBookings.ts"
import { languages, messages } from "../../../../src/words/Languages.ts"
import { pluralIn } from "../../../../src/words/Localized.ts"
import { importVenue } from "../../../support/BookingWorld.ts"
import { ask, escape, FamilyPages, familyWorld, fieldsOf, pageOf, type Seen } from "../../../support/FamilyPages.ts"
import { cancelAsOperator } from "../../../support/Acts.ts"
import { bookOption, confirmedOn, hall, movable, optionOn, rowOf } from "../../../support/moveWorld.ts"
import { deleteBookings, historyOf, setClockBefore } from "../../../support/PaymentWorld.ts"

const allergies: Question = { slug: "allergies", text: "Nuts & milk: any allergy?", required: true }
const child: Question = { slug: "child", text: "Whose birthday is it?" }
const cake: Question = { slug: "cake", text: "Which cake?", options: ["chocolate", "carrot & nut"] }

const asking = (questions: ReadonlyArray<Question>): Package => ({ ...movable.play, questions })
/** The venue asks these from now on. */
const asks = (...questions: ReadonlyArray<Question>) => importVenue({ ...hall, packages: [asking(questions)] })
const begin = Effect.andThen(asks(allergies, child, cake), deleteBookings)
const confirmed = (date = "2026-12-12") => confirmedOn(date, "10:00", movable.play)

/** The form, and what it is sent with. */
const formOf = Effect.fnUntraced(function* (booking: BookingRow, headers: Record<string, string> = {}) {
  return yield* ask(`${yield* pageOf(booking)}?step=questions`, { headers })
})
const send = Effect.fnUntraced(function* (
  booking: BookingRow,
  form: Seen,
  answers: Readonly<Record<string, string>>,
  headers: Record<string, string> = {}
) {
  const body = fieldsOf(form, "questions")
  for (const [slug, answer] of Object.entries(answers)) body.set(`answer_${slug}`, answer)
  return yield* ask(yield* pageOf(booking), { method: "POST", body, headers })
})
const answer = Effect.fnUntraced(function* (booking: BookingRow, answers: Readonly<Record<string, string>>) {
  const { status } = yield* send(booking, yield* formOf(booking), answers)
  assert.strictEqual(status, 303)
})
const answersOf = (booking: BookingRow) =>
  Effect.map(rowOf(booking), ({ answers }) => (answers ?? []).map((one) => `${one.text} ${one.answer}`))

const dayOf = Effect.fnUntraced(function* (date: string) {
  const { operator_id } = hall.operator
  const url = yield* LinkTokens.use((links) => links.address({ page: "operator", operator_id, counter: 0 }))
  const address = (yield* FamilyPages) + new URL(url).pathname
  return { page: yield* ask(`${address}?day=${date}`), feed: yield* ask(`${address}.ics`) }
})
const nextStep = Effect.fnUntraced(function* (booking: BookingRow) {
  const row = yield* rowOf(booking)
  return bookingWithNextStep(row, yield* PaymentSummaries.use((summaries) => summaries.read(row))).next_step
})
const letterOf = Effect.fnUntraced(function* (booking: BookingRow, kind: "confirmed" | "ended" | "visit") {
  const { entry, shown } = yield* Effect.flatMap(
    ShownBookings.use((pages) => pages.read(booking.booking_id)),
    Effect.fromOption
  )
  return letterContent({
    kind,
    language: "en",
    shown,
    entry,
    extras: [],
    words: null,
    from: "a@example.org",
    before: null,
    refund_failed: [],
    stop_url: "https://example.org/r/1"
  })
})

layer(familyWorld())("a venue's questions", (it) => {
  it.effect(
    "are put to each guest on the invitation where it says so, and nobody comes who does not sign its waiver",
    () =>
      Effect.gen(function* () {
        const waiver: Question = {
          slug: "waiver",
          text: "I agree to the house rules: my name",
          required: true,
          guests: true
        }
        yield* asks(allergies, waiver, { ...cake, guests: true })
        yield* deleteBookings
        const booking = yield* confirmed()
        const url = yield* BookingLinks.use((links) => links.invitation(booking))
        const invitation = (yield* FamilyPages) + new URL(url).pathname
        const seen = yield* ask(invitation)
        assert.include(seen.text, escape(waiver.text))
        assert.include(seen.text, escape(cake.text))
        assert.notInclude(seen.text, escape(allergies.text))
        const shown = /name="shown" value="(\d+)"/.exec(seen.text)?.[1] ?? ""
        const say = (said: Readonly<Record<string, string>>, language = "en") =>
          ask(invitation, {
            method: "POST",
            body: new URLSearchParams({ shown, name: "Ida", ...said }),
            headers: { "accept-language": language }
          })
        for (const language of languages)
          for (const empty of ["", " \u200B "]) {
            const refused = yield* say({ answer_waiver: empty, answer_cake: "chocolate" }, language)
            assert.strictEqual(refused.status, 409)
            assert.include(refused.text, escape(messages[language].venueAsks.needed))
            assert.include(refused.text, '<option value="chocolate" selected>')
          }
        const other = yield* say({ answer_waiver: "Eva", answer_cake: "none of these" })
        assert.include(other.text, escape(messages.en.venueAsks.notOffered))
        assert.isNull((yield* rowOf(booking)).guests)
        const long = yield* say({ answer_waiver: "x".repeat(501) })
        assert.strictEqual(long.status, 409)
        for (let press = 0; press < 2; press++)
          assert.strictEqual((yield* say({ answer_waiver: "Eva <b>Lind</b>", answer_cake: "chocolate" })).status, 303)
        const { guests } = yield* rowOf(booking)
        assert.deepStrictEqual(
          guests?.map(({ answers = [], name }) => [name, ...answers.map((one) => `${one.slug}: ${one.answer}`)]),
          [["Ida", "waiver: Eva <b>Lind</b>", "cake: chocolate"]]
        )
        assert.include((yield* ask(yield* pageOf(booking))).text, escape("Eva <b>Lind</b>"))
        // The family itself signs on its own page.
        assert.include((yield* formOf(booking)).text, escape(waiver.text))
        assert.deepStrictEqual(yield* answersOf(booking), [])
      })
  )

  it.effect("are answered on the family's page, until the visit begins, and changed there", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* confirmed()
      const page = yield* pageOf(booking)
      const before = yield* ask(page)
      assert.include(before.text, "The venue has 3 questions for you before your visit.")
      assert.include(before.text, `href="${new URL(page).pathname}?step=questions"`)
      const form = yield* formOf(booking)
      assert.strictEqual(form.status, 200)
      assert.include(form.text, "Nuts &amp; milk: any allergy?")
      assert.include(form.text, '<option value="carrot &amp; nut">carrot &amp; nut</option>')
      const done = yield* send(booking, form, {
        allergies: "Nuts,\r\nand <b>milk</b>",
        child: "",
        cake: "carrot & nut"
      })
      assert.deepStrictEqual([done.status, done.headers.get("location")], [303, new URL(page).pathname])
      assert.deepStrictEqual((yield* rowOf(booking)).answers, [
        { slug: "allergies", text: allergies.text, answer: "Nuts,\nand <b>milk</b>" },
        { slug: "child", text: child.text, answer: "" },
        { slug: "cake", text: cake.text, answer: "carrot & nut" }
      ])
      assert.strictEqual((yield* historyOf(booking)).at(-1), "answered")
      const after = yield* ask(page)
      assert.include(after.text, "Nuts,<br>and &lt;b&gt;milk&lt;/b&gt;")
      assert.notInclude(after.text, "for you before your visit.")
      assert.include(after.text, "Change your answers")
      const again = yield* formOf(booking)
      assert.include(again.text, "Nuts,\nand &lt;b&gt;milk&lt;/b&gt;</textarea>")
      assert.include(again.text, '<option value="carrot &amp; nut" selected>')
      yield* send(booking, again, { allergies: "none", child: "Ida", cake: "" })
      assert.deepStrictEqual(yield* answersOf(booking), [
        `${allergies.text} none`,
        `${child.text} Ida`,
        `${cake.text} `
      ])
      const seen = yield* formOf(booking)
      yield* setClockBefore(booking, 0)
      assert.strictEqual((yield* formOf(booking)).status, 303)
      assert.strictEqual((yield* send(booking, seen, { allergies: "nuts" })).status, 303)
      assert.include(yield* answersOf(booking), `${allergies.text} none`)
    })
  )

  it.effect("are open while what is required is not answered, and block nothing", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* confirmed()
      yield* answer(booking, { allergies: "  ", child: "", cake: "chocolate" })
      const page = yield* pageOf(booking)
      assert.include((yield* ask(page)).text, "The venue has 1 question for you before your visit.")
      assert.strictEqual((yield* rowOf(booking)).status, "confirmed")
      const { feed, page: day } = yield* dayOf("2026-12-12")
      assert.include(day.text, `Not answered yet</b>: <bdi>${escape(allergies.text)}</bdi>`)
      assert.include(day.text, "<li>1 × <bdi>chocolate</bdi>")
      assert.include(feed.text.replaceAll("\r\n ", ""), "Which cake? chocolate")
      yield* answer(booking, { allergies: "none" })
      assert.notInclude((yield* dayOf("2026-12-12")).page.text, "Not answered yet")
    })
  )

  it.effect("keep what was typed when it does not fit, and say what is wrong, in every language", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* confirmed()
      for (const language of languages) {
        const headers = { "accept-language": language }
        const { party, venueAsks } = messages[language]
        assert.include((yield* ask(yield* pageOf(booking), { headers })).text, pluralIn(language, 3, venueAsks.open))
        const form = yield* formOf(booking, headers)
        assert.include(form.text, escape(venueAsks.needed))
        const wrong = { allergies: "子".repeat(501), child: "Ida & Tom", cake: "cheese" }
        const seen = yield* send(booking, form, wrong, headers)
        assert.strictEqual(seen.status, 409)
        for (const text of [party.errors.lead, venueAsks.tooLong, venueAsks.notOffered])
          assert.include(seen.text, escape(text))
        assert.include(seen.text, "Ida &amp; Tom</textarea>")
        assert.include(seen.text, wrong.allergies)
      }
      assert.isNull((yield* rowOf(booking)).answers)
      const body = new URLSearchParams({ step: "questions", answer_allergies: "nuts" })
      assert.strictEqual((yield* ask(yield* pageOf(booking), { method: "POST", body })).status, 400)
      yield* answer(booking, { allergies: "子".repeat(500) })
    })
  )

  it.effect("are overwritten by nobody who has not seen the answers of another, and a second press is no harm", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* confirmed()
      const [mine, theirs] = [yield* formOf(booking), yield* formOf(booking)]
      yield* send(booking, theirs, { allergies: "eggs", child: "Ida", cake: "" })
      assert.strictEqual((yield* send(booking, theirs, { allergies: "eggs", child: "Ida", cake: "" })).status, 303)
      const lines = (yield* historyOf(booking)).length
      const seen = yield* send(booking, mine, { allergies: "nuts", child: "Ida", cake: "" })
      assert.strictEqual(seen.status, 409)
      assert.include(seen.text, messages.en.venueAsks.again)
      assert.include(seen.text, "Saved by now: eggs")
      assert.include(seen.text, "nuts</textarea>")
      assert.include(yield* answersOf(booking), `${allergies.text} eggs`)
      assert.strictEqual((yield* historyOf(booking)).length, lines)
      yield* send(booking, seen, { allergies: "eggs and nuts", child: "Ida", cake: "" })
      assert.include(yield* answersOf(booking), `${allergies.text} eggs and nuts`)
    })
  )

  it.effect("answer nothing that was not asked: a question that has changed since is shown before it is answered", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* confirmed()
      const form = yield* formOf(booking)
      yield* asks({ ...allergies, text: "May we take photos?" })
      const seen = yield* send(booking, form, { allergies: "no" })
      assert.strictEqual(seen.status, 409)
      for (const text of [messages.en.venueAsks.again, "May we take photos?", "no</textarea>"])
        assert.include(seen.text, text)
      assert.deepStrictEqual(yield* answersOf(booking), [])
      assert.strictEqual((yield* send(booking, seen, { allergies: "no" })).status, 303)
      assert.deepStrictEqual(yield* answersOf(booking), ["May we take photos? no"])
    })
  )

  it.effect("may have any slug, and are not answered by what nobody sees", () =>
    Effect.gen(function* () {
      yield* begin
      const builder: Question = { slug: "constructor", text: "Who builds the castle?", options: ["Bob", "Ida"] }
      yield* asks(allergies, builder)
      const booking = yield* confirmed()
      assert.notInclude((yield* formOf(booking)).text, "native code")
      yield* answer(booking, { allergies: "\u200B\u202E \u2060" })
      assert.include((yield* ask(yield* pageOf(booking))).text, "The venue has 2 questions for you before your visit.")
      yield* answer(booking, { allergies: "\u0007nuts\u0085\r\neggs", constructor: "Ida" })
      assert.deepStrictEqual(yield* answersOf(booking), [`${allergies.text} nuts\neggs`, `${builder.text} Ida`])
    })
  )

  it.effect("reach those who booked before, and an answer outlives its question and its option, with its words", () =>
    Effect.gen(function* () {
      yield* asks()
      yield* deleteBookings
      const booking = yield* confirmed()
      const page = yield* pageOf(booking)
      assert.notInclude((yield* ask(page)).text, "step=questions")
      assert.strictEqual((yield* ask(`${page}?step=questions`)).status, 303)
      yield* asks(child, cake)
      assert.include((yield* ask(page)).text, "The venue has 2 questions for you before your visit.")
      yield* answer(booking, { child: "Ida", cake: "chocolate" })
      yield* asks({ ...cake, options: ["lemon", "plum"] })
      assert.include((yield* formOf(booking)).text, '<option value="chocolate" selected>chocolate</option>')
      yield* answer(booking, { cake: "chocolate" })
      yield* asks()
      for (const { text } of [yield* ask(page), (yield* dayOf("2026-12-12")).page]) {
        assert.include(text, "Whose birthday is it?")
        assert.include(text, "Ida")
        assert.include(text, "chocolate")
      }
    })
  )

  it.effect("are told by letters and by the next step while some are open, and by no others", () =>
    Effect.gen(function* () {
      yield* begin
      const held = yield* bookOption(yield* optionOn("2026-12-14", "10:00", { pkg: movable.play }))
      assert.notInclude(yield* nextStep(held), "The venue asks")
      const booking = yield* confirmed()
      assert.include(yield* nextStep(booking), "The venue asks 3 things that they answer on page_url.")
      for (const kind of ["confirmed", "visit"] as const) {
        const { html, text } = yield* letterOf(booking, kind)
        assert.include(text, "The venue has 3 questions for you before your visit.")
        assert.match(html, /href="[^"]*\/b\/[^"]*\?step=questions"/)
      }
      assert.notInclude((yield* letterOf(booking, "ended")).text, "questions for you")
      yield* answer(booking, { allergies: "none", child: "", cake: "" })
      assert.notInclude(yield* nextStep(booking), "The venue asks")
      assert.notInclude((yield* letterOf(booking, "visit")).text, "for you before your visit")
      const other = yield* confirmed("2026-12-19")
      yield* cancelAsOperator(other.booking_id, { preview: false })
      assert.notInclude(yield* nextStep(other), "The venue asks")
      assert.notInclude((yield* ask(yield* pageOf(other))).text, "step=questions")
    })
  )

  it.effect("go with the person, and are part of what is told of it", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* confirmed()
      yield* answer(booking, { allergies: "epilepsy", child: "Ida", cake: "" })
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql`select to_jsonb(b) as row from booking b where booking_id = ${booking.booking_id}`
      assert.include(JSON.stringify(row), "epilepsy")
      yield* erasePerson(booking.booking_id, booking.ends_at)
      assert.isNull((yield* Bookings.use((bookings) => bookings.get(booking.booking_id))).answers)
      const history = yield* sql`select detail, facts from booking_history where booking_id = ${booking.booking_id}`
      assert.notInclude(JSON.stringify(history), "epilepsy")
      assert.notInclude((yield* dayOf("2026-12-12")).page.text, "epilepsy")
    })
  )
})
