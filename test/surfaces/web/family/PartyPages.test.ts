/** Changing the party on the family's page. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { BookingRow } from "../../../../src/domain/booking/Booking.ts"
import { languages, messages } from "../../../../src/words/Languages.ts"
import { hourMs } from "../../../../src/platform/time/LocalTime.ts"
import { importVenue, setClock } from "../../../support/BookingWorld.ts"
import { ask, familyWorld, fieldsOf, pageOf, type Seen } from "../../../support/FamilyPages.ts"
import { bookOption, confirmedOn, hall, movable, moveBooking, optionOn, rowOf } from "../../../support/moveWorld.ts"
import { deleteBookings, historyOf, refundsOf, setClockBefore } from "../../../support/PaymentWorld.ts"
import { bubbleMachine } from "../../../support/venues.ts"

const begin = Effect.andThen(importVenue(hall), deleteBookings)
const machine = `extra_${bubbleMachine.add_on_id}`

/** Submits the form of the booking's party with these fields. */
const submit = Effect.fnUntraced(function* (booking: BookingRow, fields: Readonly<Record<string, string>>) {
  const page = yield* pageOf(booking)
  return yield* ask(page, { method: "POST", body: new URLSearchParams({ step: "party", do: "check", ...fields }) })
})
/** Presses a button of the page that states the changes. */
const press = Effect.fnUntraced(function* (booking: BookingRow, seen: Seen, button: "confirm" | "edit") {
  const body = fieldsOf(seen, "party")
  body.set("do", button)
  return yield* ask(yield* pageOf(booking), { method: "POST", body })
})

layer(familyWorld())("changing the party on the family's page", (it) => {
  it.effect("asks for ages where the price goes by them, says what they change, and shows who cost less", () =>
    Effect.gen(function* () {
      yield* begin
      const { agesHint, agesPriced } = messages.en.party
      const byAge = {
        ...movable.play,
        pricing: {
          ...movable.play.pricing,
          child_rules: [{ label: "Babies", age_to: 3, change: { price: 0 } }]
        },
        final_headcount_hours_before: 48
      }
      const formOf = Effect.fnUntraced(function* (booking: BookingRow) {
        return (yield* ask(`${yield* pageOf(booking)}?step=party`)).text
      })
      assert.include(yield* formOf(yield* confirmedOn("2026-12-12", "10:00", movable.play)), agesHint)
      yield* importVenue({ ...hall, packages: [byAge] })
      const booking = yield* confirmedOn("2026-12-12", "15:00", byAge)
      assert.include(yield* formOf(booking), agesPriced)
      const fields = { children: "8", adults: "0", [machine]: "0", phone: "", notes: "" }
      const seen = yield* submit(booking, { ...fields, ages: "2, 3, 5, 5, 6, 6, 7, 7" })
      assert.include(seen.text, "£45.00 instead of £60.00")
      assert.isBelow((yield* press(booking, seen, "confirm")).status, 400)
      const row = yield* rowOf(booking)
      assert.deepStrictEqual([row.total, row.child_ages], [4500, [2, 3, 5, 5, 6, 6, 7, 7]])
      assert.include((yield* ask(yield* pageOf(booking))).text, "Children (Babies)")
      // Once the party is final, its ages are, too.
      yield* setClock("2026-12-11T08:00:00Z")
      const late = yield* formOf(row)
      assert.notInclude(late, 'name="ages"')
      assert.include(late, 'name="notes"')
    })
  )

  it.effect("goes from the form to a page that says exactly what changes, and then it is changed", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* confirmedOn("2026-12-12", "10:00", movable.play)
      const page = yield* pageOf(booking)
      assert.include(
        (yield* ask(page)).text,
        `<a class="button second" href="${new URL(page).pathname}?step=party">Change your party</a>`
      )
      const form = yield* ask(`${page}?step=party`)
      assert.strictEqual(form.status, 200)
      assert.match(form.text, /name="children" type="number" inputmode="numeric" min="1" max="12" required value="8"/)
      assert.include(form.text, "Bubble machine (£12.00 each)")
      const confirm = yield* submit(booking, {
        children: "10",
        adults: "2",
        [machine]: "1",
        ages: "",
        phone: "+44 20 7946 0000",
        notes: "No nuts,\r\nplease"
      })
      assert.strictEqual(confirm.status, 200)
      for (const text of [
        "<strong>10 children, 2 adults</strong>",
        "Until now: 8 children",
        "1 × Bubble machine",
        "Until now: none",
        "£87.00 instead of £60.00.<br><strong>£27.00 more than before.</strong>",
        "<dt>To pay later</dt><dd><strong>£27.00</strong>"
      ])
        assert.include(confirm.text, text)
      assert.deepStrictEqual(yield* rowOf(booking), booking)
      const again = yield* press(booking, confirm, "edit")
      assert.match(again.text, /name="children"[^>]* value="10"/)
      assert.include(again.text, "No nuts,\nplease</textarea>")
      const done = yield* press(booking, confirm, "confirm")
      assert.deepStrictEqual([done.status, done.headers.get("location")], [303, new URL(page).pathname])
      const after = yield* rowOf(booking)
      assert.deepStrictEqual(
        [after.children, after.adults, after.total, after.notes, after.contact_phone],
        [10, 2, 8700, "No nuts,\nplease", "+44 20 7946 0000"]
      )
      assert.strictEqual((yield* historyOf(booking)).at(-1), "changed")
      // Pressed again: nothing more happens.
      assert.strictEqual((yield* press(booking, confirm, "confirm")).status, 303)
      assert.deepStrictEqual(yield* rowOf(booking), after)
      const shown = yield* ask(page)
      assert.include(shown.text, "10 children, 2 adults")
      assert.include(shown.text, "Pay the rest: £27.00")
      const less = yield* submit(booking, { children: "2", adults: "0", [machine]: "0", ages: "" })
      assert.include(less.text, "<dt>What comes back</dt><dd><strong>£45.00</strong>")
      yield* press(booking, less, "confirm")
      assert.deepStrictEqual(yield* refundsOf(booking), [{ cause: "move", status: "requested", amount: 4500 }])
      assert.include((yield* ask(`${page}?step=party`)).text, "Money is on its way back to you.")
    })
  )

  it.effect("shows the form again with what is wrong at its field, in every language, and changes nothing", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* confirmedOn("2026-12-12", "10:00", movable.play)
      yield* bookOption(yield* optionOn("2026-12-12", "10:00", { pkg: movable.play, children: 2 }))
      for (const [fields, says] of [
        [{ children: "13" }, "Your package is for 1 to 12 children."],
        [{ children: "11" }, "At this time there is room for 10 children at most."],
        [{ children: "many" }, "Please give a whole number."],
        [{ children: "9", ages: "4, 5" }, "Please give 9 ages, one for each child, or none."],
        [{ ages: "4,4,4,4,4,4,4,19" }, "This playroom is for ages 1 to 11."],
        [{ [machine]: "3" }, "At most 2 of it are available at this time."],
        [{ phone: "call me" }, "Please give a phone number"],
        [{ notes: "x".repeat(1001) }, "Please write at most 1,000 characters."],
        [{}, "You have not changed anything yet."]
      ] as const) {
        const { status, text } = yield* submit(booking, fields)
        assert.strictEqual(status, 409, says)
        assert.include(text, says)
      }
      for (const language of languages) {
        const seen = yield* ask(yield* pageOf(booking), {
          method: "POST",
          body: new URLSearchParams({ step: "party", children: "13", notes: "子".repeat(1000) }),
          headers: { "accept-language": language }
        })
        assert.strictEqual(seen.status, 409)
        assert.include(seen.text, 'aria-describedby="children-fault" aria-invalid="true"')
      }
      assert.deepStrictEqual(yield* rowOf(booking), booking)
    })
  )

  it.effect("D5: says where the party may only grow, before and after, in every language, and takes no fewer", () =>
    Effect.gen(function* () {
      yield* begin
      const pkg = { ...movable.play, party_may_shrink: false }
      yield* importVenue({ ...hall, packages: [pkg] })
      const booking = yield* confirmedOn("2026-12-12", "10:00", pkg)
      const page = yield* pageOf(booking)
      const form = yield* ask(`${page}?step=party`)
      assert.match(form.text, /name="children" type="number" inputmode="numeric" min="8" max="12" required value="8"/)
      for (const language of languages) {
        const { party, terms } = messages[language]
        const headers = { "accept-language": language }
        const [before] = terms.growsBy("|").split("|")
        assert.include((yield* ask(page, { headers })).text, (before ?? "").trim())
        const body = new URLSearchParams({ step: "party", do: "check", children: "7" })
        const seen = yield* ask(page, { method: "POST", body, headers })
        assert.strictEqual(seen.status, 409)
        assert.include(seen.text, `<p id="children-fault" class="fault">${party.growsOnly}</p>`)
      }
      const confirm = yield* submit(booking, { children: "10" })
      yield* press(booking, confirm, "confirm")
      assert.strictEqual((yield* rowOf(booking)).children, 10)
      assert.strictEqual((yield* submit(booking, { children: "9" })).status, 409)
    })
  )

  it.effect("leaves telephone, ages and wishes when the headcount is final or the booking is not paid", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* confirmedOn("2026-12-12")
      yield* setClock(new Date(booking.starts_at - 48 * hourMs + 1).toISOString())
      const page = yield* pageOf(booking)
      assert.include((yield* ask(page)).text, ">Change your wishes</a>")
      const form = yield* ask(`${page}?step=party`)
      assert.include(form.text, "The numbers have been final since")
      assert.notInclude(form.text, 'name="children"')
      const confirm = yield* submit(booking, { children: "9", notes: "No nuts" })
      assert.include(confirm.text, "This costs nothing.")
      yield* press(booking, confirm, "confirm")
      assert.deepStrictEqual(yield* rowOf(booking), { ...booking, notes: "No nuts" })
      yield* setClockBefore(booking, 0)
      assert.notInclude((yield* ask(page)).text, ">Change your wishes</a>")
      const over = yield* ask(`${page}?step=party`)
      assert.include(over.text, messages.en.party.contactOnly)
      assert.notInclude(over.text, 'name="notes"')
    })
  )

  it.effect("C5: corrects name and e-mail address, by the same rule as everywhere, and goes on under a new link", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* confirmedOn("2026-12-12")
      const page = yield* pageOf(booking)
      assert.include((yield* ask(page)).text, booking.contact_email)
      for (const language of languages) {
        const { errors } = messages[language].party
        const body = new URLSearchParams({ step: "party", do: "check", name: "\u202E", email: "ana at home" })
        const seen = yield* ask(page, { method: "POST", body, headers: { "accept-language": language } })
        assert.include(seen.text, `<p id="name-fault" class="fault">${errors.name}</p>`)
        assert.include(seen.text, `<p id="email-fault" class="fault">${errors.email}</p>`)
      }
      const confirm = yield* submit(booking, { name: "Ana\u200B Lima-Sol", email: "ana.lima@example.com" })
      assert.include(confirm.text, "Ana Lima-Sol")
      assert.include(confirm.text, `Until now: ${booking.contact_email}`)
      assert.include(confirm.text, "This costs nothing.")
      const done = yield* press(booking, confirm, "confirm")
      assert.strictEqual(done.status, 303)
      const after = yield* rowOf(booking)
      const to = { contact_name: "Ana Lima-Sol", contact_email: "ana.lima@example.com" }
      assert.deepStrictEqual(after, { ...booking, ...to, link_counter: 1 })
      const now = yield* pageOf(after)
      assert.strictEqual(new URL(now).pathname, done.headers.get("location"))
      assert.include((yield* ask(now)).text, to.contact_email)
      assert.notInclude((yield* ask(page)).text, to.contact_email)
      yield* setClockBefore(booking, -1)
      const late = yield* submit(after, { name: "Ana Sol" })
      assert.strictEqual((yield* press(after, late, "confirm")).status, 303)
      assert.strictEqual((yield* rowOf(after)).contact_name, "Ana Sol")
    })
  )

  it.effect("changes nothing on a form of before another change, and shows the page with today's facts", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* confirmedOn("2026-12-10", "10:00", movable.play)
      const confirm = yield* submit(booking, { children: "9" })
      yield* moveBooking(booking, yield* optionOn("2026-12-10", "15:00", { pkg: movable.play }))
      const stale = yield* press(booking, confirm, "confirm")
      assert.strictEqual(stale.status, 409)
      assert.include(stale.text, "Nothing was changed: something else has changed since you looked.")
      assert.strictEqual((yield* rowOf(booking)).children, 8)
      assert.strictEqual((yield* press(booking, stale, "confirm")).status, 303)
      assert.strictEqual((yield* rowOf(booking)).children, 9)
      // Forty presses at once change it once.
      const more = yield* submit(booking, { children: "10" })
      yield* Effect.all(
        Array.from({ length: 40 }, () => press(booking, more, "confirm")),
        { concurrency: "unbounded" }
      )
      assert.strictEqual((yield* historyOf(booking)).filter((event) => event === "changed").length, 2)
      assert.strictEqual((yield* rowOf(booking)).total, 7500)
    })
  )
})
