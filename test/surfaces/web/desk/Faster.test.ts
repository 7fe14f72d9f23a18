/** Somebody at the desk is slower than a colleague or the family: what the page says, and which forms it has. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Bookings } from "../../../../src/domain/booking/Bookings.ts"
import { messages } from "../../../../src/words/Languages.ts"
import { cancelAsFamily, previewAsFamily } from "../../../support/Acts.ts"
import { Staff } from "../../../../src/domain/people/staff/Staff.ts"
import { importVenue } from "../../../support/BookingWorld.ts"
import { deskBase, join, readable, request } from "../../../support/DeskClient.ts"
import { bookAt, hall, loft, payAt } from "../../../support/operatorVenues.ts"
import { pageWorld } from "../../../support/FamilyPages.ts"

const { desk } = messages.en
const world = Layer.effectDiscard(Effect.suspend(() => importVenue(hall, loft))).pipe(
  Layer.provideMerge(pageWorld({ baseUrl: deskBase }))
)

const pathOf = ({ booking_id }: { readonly booking_id: string }) => `/desk/b/${booking_id}`
/** The hidden fields of a page's form. */
const hidden = (text: string, ...names: ReadonlyArray<string>) =>
  Object.fromEntries(names.map((name) => [name, new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? ""]))
const isForm = (text: string, step: string) => text.includes(`name="step" value="${step}"`)
const alertIn = (text: string) => readable(/<div role="alert">(.*?)<\/div>/s.exec(text)?.[1] ?? "")

let people = 0
const newcomer = Effect.gen(function* () {
  const name = `Kit ${++people}`
  const { url } = yield* Staff.use((staff) => staff.invite(hall.operator.operator_id, { name, role: "manager" }))
  const { session } = yield* join(url)
  const act = (path: string, form: Readonly<Record<string, string>>) => request(path, { cookie: session, form })
  /** What the page before the act has, after a form with these fields. */
  const ready = Effect.fnUntraced(function* (path: string, fields: Readonly<Record<string, string>>) {
    const form = yield* request(`${path}?step=${fields["step"] ?? ""}`, { cookie: session })
    const preview = yield* act(path, { ...fields, ...hidden(form.text, "form", "seen") })
    assert.strictEqual(preview.status, 200, readable(preview.text))
    return { ...fields, ...hidden(preview.text, "form", "seen", "shown") }
  })
  return { name, session, act, ready }
})

let day = 0
/** A confirmed booking on a day of its own, with a deposit paid. */
const booked = Effect.gen(function* () {
  const date = new Date(Date.UTC(2027, 1, 6 + 7 * day++)).toISOString().slice(0, 10)
  const booking = yield* bookAt(hall, date, "10:00", "deposit", { name: "Wanted Twice" })
  yield* payAt(booking)
  const { paid, total } = yield* Bookings.use((bookings) => bookings.get(booking.booking_id))
  return { booking_id: booking.booking_id, date, left: ((total - paid) / 100).toFixed(2), path: pathOf(booking) }
})

layer(world)("who is slower at the desk", (it) => {
  it.effect("reads what happened and by whom, whatever they were about to do, and finds no form that can't work", () =>
    Effect.gen(function* () {
      const [kim, lee] = [yield* newcomer, yield* newcomer]
      const about = (date: string, left: string) => [
        { step: "cancel", refund: "full", reason: "They asked" },
        { step: "move", date, time: "15:00", reason: "They asked" },
        { step: "party", children: "9", adults: "2", ages: "", phone: "", notes: "" },
        { step: "pay", amount: left, way: "cash" }
      ]
      for (const at of about("", "").keys()) {
        const { date, left, path } = yield* booked
        const wish = about(date, left)[at] ?? assert.fail("no wish")
        const form = yield* kim.ready(path, wish)
        const faster = yield* lee.ready(path, { step: "cancel", refund: "full", reason: "The heating failed" })
        assert.strictEqual((yield* lee.act(path, faster)).status, 303)
        const answer = yield* kim.act(path, form)
        assert.strictEqual(answer.status, 409)
        const alert = alertIn(answer.text)
        assert.include(alert, desk.since, wish.step)
        assert.match(alert, new RegExp(`${desk.events.cancelled} · +${lee.name}`), wish.step)
        assert.notInclude(alert, desk.events.held, "what was there before is not told again")
        assert.isFalse(isForm(answer.text, wish.step), wish.step)
        assert.include(readable(answer.text), messages.en.words.cancelled)
        // Who follows a link of before reads it, too.
        const link = yield* request(`${path}?step=${wish.step}`, { cookie: kim.session })
        if (wish.step === "party") {
          // Whom it is for can be corrected all the same, and nothing else.
          assert.include(link.text, `<h1>${messages.en.party.correct}</h1>`)
          assert.notInclude(link.text, 'name="children"')
          continue
        }
        assert.strictEqual(link.status, 409, wish.step)
        assert.isFalse(isForm(link.text, wish.step), wish.step)
      }
    })
  )

  it.effect("reads that it was the family, which has no name here", () =>
    Effect.gen(function* () {
      const kim = yield* newcomer
      const { booking_id, path } = yield* booked
      const form = yield* kim.ready(path, { step: "cancel", refund: "full", reason: "They asked" })
      const { shown } = yield* previewAsFamily(booking_id)
      yield* cancelAsFamily(booking_id, shown)
      const { status, text } = yield* kim.act(path, form)
      assert.strictEqual(status, 409)
      assert.include(alertIn(text), desk.cancel.ended)
      assert.match(alertIn(text), new RegExp(`${desk.events.cancelled} · +${desk.byFamily}`))
      assert.isFalse(isForm(text, "cancel"))
    })
  )

  it.effect("is one of two who press at one moment", () =>
    Effect.gen(function* () {
      const [kim, lee] = [yield* newcomer, yield* newcomer]
      for (let time = 0; time < 3; time += 1) {
        const { date, path } = yield* booked
        const cancel = yield* kim.ready(path, { step: "cancel", refund: "full", reason: "They asked" })
        const move = yield* lee.ready(path, { step: "move", date, time: "15:00", reason: "They asked" })
        const [cancelled, moved] = yield* Effect.all([kim.act(path, cancel), lee.act(path, move)], { concurrency: 2 })
        assert.sameMembers([cancelled.status, moved.status], [303, 409])
        // What can still be done has its form again: a booking that was moved can be cancelled.
        assert.isFalse(isForm(moved.text, "move"))
        if (cancelled.status === 409) assert.isTrue(isForm(cancelled.text, "cancel"))
        const alert = alertIn(cancelled.status === 409 ? cancelled.text : moved.text)
        const underWay = alert.includes(messages.en.booking.underWay)
        if (!underWay) assert.include(alert, cancelled.status === 409 ? lee.name : kim.name)
      }
    })
  )

  it.effect("gets the form again where it can still work, with what happened, once", () =>
    Effect.gen(function* () {
      const [kim, lee] = [yield* newcomer, yield* newcomer]
      const { left, path } = yield* booked
      const form = yield* kim.ready(path, { step: "cancel", refund: "full", reason: "They asked" })
      yield* lee.act(path, yield* lee.ready(path, { step: "pay", amount: left, way: "card" }))
      const { status, text } = yield* kim.act(path, form)
      assert.strictEqual(status, 409)
      assert.match(alertIn(text), new RegExp(`${desk.events.paid_at_venue} · +${lee.name}`))
      assert.isTrue(isForm(text, "cancel"))
      const again = { ...form, ...hidden(text, "form", "seen", "shown") }
      assert.strictEqual((yield* kim.act(path, again)).status, 303)
      // Pressed twice, it names who did it: oneself.
      const twice = yield* kim.act(path, again)
      assert.include(alertIn(twice.text), kim.name)
      assert.notInclude(alertIn(twice.text), lee.name)
      for (const seen of ["x", "-1", "1e9", "999999", ""]) {
        const answer = yield* kim.act(path, { ...again, seen })
        assert.strictEqual(answer.status, 409)
        assert.include(alertIn(answer.text), desk.cancel.ended)
        assert.notInclude(alertIn(answer.text), desk.since)
      }
    })
  )
})
