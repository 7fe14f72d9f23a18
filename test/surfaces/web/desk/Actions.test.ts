import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { LinkTokens } from "../../../../src/platform/access/LinkTokens.ts"
import { bookingLink } from "../../../../src/domain/booking/BookingLinks.ts"
import { BookingRecords } from "../../../../src/domain/booking/BookingRecords.ts"
import { Bookings } from "../../../../src/domain/booking/Bookings.ts"
import { languages, messages } from "../../../../src/words/Languages.ts"
import { dateTimeIn, moneyIn } from "../../../../src/words/Localized.ts"
import type { BookingRow } from "../../../../src/domain/booking/Booking.ts"
import { SqlClient } from "effect/sql"
import { RefundRecords } from "../../../../src/domain/payment/refunds/RefundRecords.ts"
import { PaymentSessions } from "../../../../src/domain/payment/sessions/PaymentSessions.ts"
import { Staff } from "../../../../src/domain/people/staff/Staff.ts"
import { VisitOffers } from "../../../../src/domain/payment/changes/VisitChanges.ts"
import { changeVisit } from "../../../support/Acts.ts"
import { importVenue } from "../../../support/BookingWorld.ts"
import { deskBase, join, readable, request } from "../../../support/DeskClient.ts"
import { bookAt, hall, loft, payAt } from "../../../support/operatorVenues.ts"
import { runProviderTasks } from "../../../support/PaymentWorld.ts"
import { anotherPageServer, PageAddress, pageWorld } from "../../../support/FamilyPages.ts"
import { venue } from "../../../support/paymentVenues.ts"

const { operator_id } = hall.operator
const { desk } = messages.en
const world = Layer.effectDiscard(Effect.suspend(() => importVenue(hall, loft))).pipe(
  Layer.provideMerge(pageWorld({ baseUrl: deskBase }))
)

let people = 0
const newcomer = (role: "desk" | "manager" = "desk", at = operator_id) =>
  Effect.gen(function* () {
    const { member, url } = yield* Staff.use((staff) => staff.invite(at, { name: `Ben ${++people}`, role }))
    return { ...(yield* join(url)), member }
  })

const pathOf = ({ booking_id }: { readonly booking_id: string }) => `/desk/b/${booking_id}`
const hidden = (text: string, name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? ""

/** Somebody at the desk, with what the forms of this session carry. */
const deskOf = (role: "desk" | "manager" = "desk", at = operator_id) =>
  Effect.gen(function* () {
    const { member, session } = yield* newcomer(role, at)
    const post = (path: string, fields: Readonly<Record<string, string>>) =>
      Effect.gen(function* () {
        const { text } = yield* request(`${path}?step=${fields["step"] ?? ""}`, { cookie: session })
        return yield* request(path, { cookie: session, form: { form: hidden(text, "form"), ...fields } })
      })
    /** What the page says before the act, and the form that makes it. */
    const preview = (path: string, fields: Readonly<Record<string, string>>) =>
      Effect.map(post(path, fields), (answer) => ({
        ...answer,
        form: { ...fields, form: hidden(answer.text, "form"), shown: hidden(answer.text, "shown") }
      }))
    const act = (path: string, form: Readonly<Record<string, string>>) => request(path, { cookie: session, form })
    return { member, session, post, preview, act }
  })

const rowOf = ({ booking_id }: { readonly booking_id: string }) => Bookings.use((bookings) => bookings.get(booking_id))
const whoDid = (booking: { readonly booking_id: string }, event: string) =>
  Effect.gen(function* () {
    const row = yield* rowOf(booking)
    const lines = yield* BookingRecords.use((records) => records.venueHistory(row))
    return lines.filter((line) => line.event === event).map(({ done_by }) => done_by)
  })

/** A confirmed booking with £50.00 paid by link and the rest open, or with all of it paid. */
const booked = Effect.fnUntraced(function* (date: string, time: string, way: "deposit" | "paid", name: string) {
  const booking = yield* bookAt(hall, date, time, way, { name })
  yield* payAt(booking)
  return yield* rowOf(booking)
})

layer(world)("acting at the desk", (it) => {
  it.effect("records a payment once, after a page that says what is left, with who took it", () =>
    Effect.gen(function* () {
      const booking = yield* booked("2027-02-06", "10:00", "deposit", "Pays Cash")
      const { act, member, preview, session } = yield* deskOf()
      const path = pathOf(booking)
      const left = booking.total - booking.paid
      const form = yield* request(`${path}?step=pay`, { cookie: session })
      assert.include(form.text, `value="${(left / 100).toFixed(2)}"`)
      const part = yield* preview(path, { step: "pay", amount: "20,00", way: "cash" })
      assert.strictEqual(part.status, 200)
      assert.include(readable(part.text), desk.pay.left)
      assert.strictEqual((yield* rowOf(booking)).paid, booking.paid, "a preview changes nothing")
      const done = yield* act(path, part.form)
      assert.deepStrictEqual([done.status, done.headers.get("location")], [303, path])
      const again = yield* act(path, part.form)
      assert.strictEqual(again.status, 409)
      assert.include(readable(again.text), desk.changed)
      assert.strictEqual((yield* rowOf(booking)).paid, booking.paid + 2000)
      assert.deepStrictEqual(yield* whoDid(booking, "paid_at_venue"), [member.name])
      const taken = (yield* PaymentSessions.use((sessions) => sessions.ofBooking(booking.booking_id))).find(
        ({ way }) => way === "cash"
      )
      assert.strictEqual(taken?.taken_by, member.name)
      const shown = yield* request(path, { cookie: session })
      assert.include(readable(shown.text), `${desk.events.paid_at_venue} · ${member.name}`)
      for (const amount of ["", "0", "-5", "1e3", "5.001", "999999", "twenty"]) {
        const { status, text } = yield* preview(path, { step: "pay", amount, way: "cash" })
        assert.strictEqual(status, 409, amount)
        assert.include(text, 'role="alert"')
      }
      assert.strictEqual((yield* preview(path, { step: "pay", amount: "1.00", way: "link" })).status, 409)
    })
  )

  it.effect("V7: says in the history what changed from what to what, why and by whom, in the reader's language", () =>
    Effect.gen(function* () {
      const booking = yield* booked("2027-02-07", "10:00", "deposit", "Reads History")
      const { act, member, preview, session } = yield* deskOf("manager")
      const path = pathOf(booking)
      const option_id = yield* VisitOffers.use((offers) => offers.optionAt(booking, "2027-02-08", "12:30"))
      const why = "The boiler broke"
      const moved = yield* changeVisit(booking.booking_id, {
        preview: false,
        by: "operator",
        reason: why,
        done_by: member.name,
        option_id
      })
      yield* changeVisit(booking.booking_id, { preview: false, by: "family", party: { notes: "No nuts" } })
      const add_ons = hall.add_ons.slice(0, 1).map(({ add_on_id }) => ({ add_on_id, quantity: 2 }))
      yield* changeVisit(booking.booking_id, { preview: false, by: "family", party: { add_ons } })
      yield* act(path, (yield* preview(path, { step: "pay", amount: "20.00", way: "cash" })).form)
      yield* act(path, (yield* preview(path, { step: "back", amount: "5.00", reason: "The cake came late" })).form)
      yield* act(path, (yield* preview(path, { step: "cancel", refund: "none", reason: "Did not call" })).form)
      const { currency, terms } = moved.booking
      for (const language of languages) {
        const { desk: text, operator, receipt, words } = messages[language]
        const { events } = text
        const page = yield* request(path, { cookie: session, headers: { "accept-language": language } })
        const at = (row: BookingRow) => dateTimeIn(language, terms.time_zone, row.starts_at)
        const money = (amount: number) => moneyIn(language, amount, currency)
        const lineBy = (who: string, event: keyof typeof events, ...more: ReadonlyArray<string>) =>
          assert.include(
            readable(page.text).replaceAll(/\s+/g, " "),
            [`${events[event]} · ${who}`, ...more].join(" ").replaceAll(/\s+/g, " "),
            language
          )
        const line = (event: keyof typeof events, ...more: ReadonlyArray<string>) => lineBy(member.name, event, ...more)
        const price =
          booking.total === moved.booking.total ? [] : [`${money(booking.total)} → ${money(moved.booking.total)}`]
        line("moved", `${at(booking)} → ${at(moved.booking)}`, ...price, `${text.reason}: ${why}`)
        lineBy(text.byFamily, "changed", operator.notes)
        lineBy(text.byFamily, "changed", `${messages[language].party.none} → 2 × ${hall.add_ons[0]?.name}`)
        line("paid_at_venue", `${receipt.paidBy.cash}: ${money(2000)}`)
        line("goodwill", `${words.comesBack}: ${money(500)}`)
        line("cancelled", `${words.comesBack}: ${money(0)} ${text.cancel.byTerms}: `)
        assert.include(readable(page.text), `${text.reason}: Did not call`)
      }
      // What a person may have written is erased with the person.
      const sql = yield* SqlClient.SqlClient
      const kept = sql`select event from booking_history where booking_id = ${booking.booking_id} and facts::text like '%boiler%'`
      assert.lengthOf(yield* kept, 1)
      yield* sql`update booking_history set detail = null where booking_id = ${booking.booking_id} and event = 'moved'`
      assert.lengthOf(yield* kept, 0)
      const plain = yield* request(path, { cookie: session })
      assert.notInclude(plain.text, why)
    })
  )

  it.effect("takes one of two payments that two people record at once, and says so to the other", () =>
    Effect.gen(function* () {
      const booking = yield* booked("2027-02-06", "12:30", "deposit", "Two Tills")
      const path = pathOf(booking)
      const fields = { step: "pay", amount: ((booking.total - booking.paid) / 100).toFixed(2), way: "card" }
      const tills = [yield* deskOf(), yield* deskOf()]
      const ready = yield* Effect.forEach(tills, ({ act, preview }) =>
        Effect.map(preview(path, fields), ({ form }) => act(path, form))
      )
      const answers = yield* Effect.all(ready, { concurrency: 2 })
      assert.sameMembers(
        answers.map(({ status }) => status),
        [303, 409]
      )
      assert.strictEqual((yield* rowOf(booking)).paid, booking.total)
      assert.lengthOf(yield* whoDid(booking, "paid_at_venue"), 1)
    })
  )

  it.effect("lets a manager alone give an amount back or refund otherwise than by the terms", () =>
    Effect.gen(function* () {
      const booking = yield* booked("2027-02-06", "15:00", "paid", "Gets Back")
      const path = pathOf(booking)
      const clerk = yield* deskOf()
      const manager = yield* deskOf("manager")
      const page = yield* request(path, { cookie: clerk.session })
      assert.notInclude(page.text, "step=back")
      assert.include((yield* request(path, { cookie: manager.session })).text, "step=back")
      assert.notInclude((yield* request(`${path}?step=cancel`, { cookie: clerk.session })).text, 'name="refund"')
      const forms = hidden((yield* request(`${path}?step=cancel`, { cookie: clerk.session })).text, "form")
      const gift = { step: "back", amount: "20.00", reason: "The cake came late" }
      const refused = [
        yield* request(`${path}?step=back`, { cookie: clerk.session }),
        yield* clerk.act(path, { ...gift, form: forms }),
        yield* clerk.act(path, { step: "cancel", refund: "full", reason: "why not", form: forms }),
        yield* clerk.act(path, { step: "cancel", refund: "amount", amount: "1.00", reason: "why not", form: forms })
      ]
      for (const { status, text } of refused) {
        assert.strictEqual(status, 403)
        assert.include(readable(text), desk.managersOnly)
      }
      // What a manager was shown serves nobody else.
      const shown = yield* manager.preview(path, gift)
      assert.strictEqual((yield* clerk.act(path, { ...shown.form, form: forms })).status, 403)
      assert.strictEqual((yield* clerk.act(path, shown.form)).status, 400)
      assert.strictEqual((yield* manager.act(path, shown.form)).status, 303)
      assert.strictEqual((yield* manager.act(path, shown.form)).status, 409)
      const refunds = yield* RefundRecords.use((records) => records.ofBooking(booking))
      assert.deepStrictEqual(
        refunds.map(({ amount, cause }) => [amount, cause]),
        [[2000, "goodwill"]]
      )
      assert.deepStrictEqual(yield* whoDid(booking, "goodwill"), [manager.member.name])
      assert.strictEqual((yield* manager.preview(path, { ...gift, reason: " " })).status, 409)
      assert.strictEqual((yield* manager.preview(path, { ...gift, amount: "9999.00" })).status, 409)
      // M5: the page has it with the decision behind it, and what is kept; beside a change it is said that it stays.
      const { receipt, words } = messages.en
      const told = readable((yield* request(path, { cookie: clerk.session })).text).replaceAll(/\s+/g, " ")
      assert.include(told, `${receipt.causes.goodwill} -£20.00 ${words.total} £100.00`)
      yield* runProviderTasks
      const extras = { [`extra_${hall.add_ons[1]?.add_on_id ?? ""}`]: "1" }
      const dearer = yield* clerk.preview(path, {
        step: "party",
        children: "8",
        adults: "2",
        ages: "",
        phone: "",
        notes: "",
        ...extras
      })
      assert.include(readable(dearer.text), messages.en.move.goodwill("£20.00"))
    })
  )

  it.effect("cancels with the refund of the terms, and by a manager with another", () =>
    Effect.gen(function* () {
      const [one, other] = [
        yield* booked("2027-02-13", "10:00", "paid", "By Terms"),
        yield* booked("2027-02-13", "12:30", "paid", "By Word")
      ]
      const clerk = yield* deskOf()
      const byTerms = yield* clerk.preview(pathOf(one), { step: "cancel", reason: "" })
      assert.include(readable(byTerms.text), desk.cancel.places)
      assert.strictEqual((yield* rowOf(one)).status, "confirmed")
      assert.strictEqual((yield* clerk.act(pathOf(one), byTerms.form)).status, 303)
      assert.strictEqual((yield* rowOf(one)).status, "cancelled")
      assert.deepStrictEqual(yield* whoDid(one, "cancelled"), [clerk.member.name])
      const again = yield* clerk.act(pathOf(one), byTerms.form)
      assert.strictEqual(again.status, 409)
      assert.include(readable(again.text), desk.cancel.ended)
      const manager = yield* deskOf("manager")
      const wish = { step: "cancel", refund: "amount", amount: "12.34", reason: "The heating failed" }
      assert.strictEqual((yield* manager.preview(pathOf(other), { ...wish, reason: "" })).status, 409)
      const byWord = yield* manager.preview(pathOf(other), wish)
      assert.include(readable(byWord.text), "£12.34")
      assert.strictEqual((yield* manager.act(pathOf(other), byWord.form)).status, 303)
      const refunds = yield* RefundRecords.use((records) => records.ofBooking(other))
      assert.deepStrictEqual(
        refunds.map(({ amount }) => amount),
        [1234]
      )
    })
  )

  it.effect("changes the party and moves a booking, as the page before said", () =>
    Effect.gen(function* () {
      const booking = yield* booked("2027-02-20", "10:00", "paid", "More Children")
      const path = pathOf(booking)
      const { act, member, preview, session } = yield* deskOf()
      const form = yield* request(`${path}?step=party`, { cookie: session })
      assert.include(form.text, 'name="children"')
      const party = yield* preview(path, {
        step: "party",
        children: "10",
        [`extra_${hall.add_ons[1]?.add_on_id ?? ""}`]: "1",
        adults: "2",
        ages: "",
        phone: "",
        notes: "Nuts!"
      })
      assert.strictEqual(party.status, 200, readable(party.text))
      assert.strictEqual((yield* act(path, party.form)).status, 303)
      const changed = yield* rowOf(booking)
      assert.deepStrictEqual([changed.children, changed.notes], [10, "Nuts!"])
      assert.isAbove(changed.total, booking.total)
      assert.deepStrictEqual(yield* whoDid(booking, "changed"), [member.name])
      const move = yield* preview(path, { step: "move", date: "2027-02-20", time: "15:00", reason: "They asked" })
      assert.strictEqual(move.status, 200, readable(move.text))
      assert.strictEqual((yield* act(path, move.form)).status, 303)
      assert.strictEqual((yield* rowOf(booking)).starts_at, Date.parse("2027-02-20T15:00:00Z"))
      assert.deepStrictEqual(yield* whoDid(booking, "moved"), [member.name])
      // The form was of the visit before.
      assert.strictEqual((yield* act(path, move.form)).status, 409)
      for (const [date, time] of [
        ["2027-02-20", "03:00"],
        ["2027-02-31", "10:00"],
        ["", ""]
      ] as const)
        assert.strictEqual((yield* preview(path, { step: "move", date, time, reason: "x" })).status, 409, date)
    })
  )

  it.effect("C5: corrects name and e-mail address by any role; the history says from what to what", () =>
    Effect.gen(function* () {
      const booking = yield* booked("2027-02-21", "10:00", "deposit", "Aan Lima")
      const path = pathOf(booking)
      const { act, member, preview, session } = yield* deskOf()
      const page = yield* request(path, { cookie: session })
      assert.include(page.text, `href="${path}?step=party">${messages.en.party.correct}</a>`)
      const form = yield* request(`${path}?step=party`, { cookie: session })
      assert.include(form.text, 'name="email"')
      const wrong = yield* preview(path, { step: "party", name: "Ana Lima", email: "ana at home" })
      assert.include(wrong.text, messages.en.party.errors.email)
      const right = yield* preview(path, { step: "party", name: "Ana Lima", email: "ana.lima@example.com" })
      assert.strictEqual(right.status, 200, readable(right.text))
      assert.strictEqual((yield* act(path, right.form)).status, 303)
      const after = yield* rowOf(booking)
      assert.deepStrictEqual([after.contact_name, after.contact_email], ["Ana Lima", "ana.lima@example.com"])
      assert.deepStrictEqual(yield* whoDid(booking, "changed"), [member.name])
      const told = readable((yield* request(path, { cookie: session })).text)
      assert.include(told, "Aan Lima → Ana Lima")
      assert.include(told, `${booking.contact_email} → ana.lima@example.com`)
      const found = (words: string) => request(`/desk?find=${encodeURIComponent(words)}`, { cookie: session })
      const byName = yield* found("Ana Lima")
      assert.include(byName.text, booking.reference)
      assert.include(byName.text, '<input type="date" name="day" value="" required>')
      assert.notInclude((yield* found("Aan Lima")).text, booking.reference)
    })
  )

  it.effect("moves a booking to another room of the operator, with what it costs there and what is left behind", () =>
    Effect.gen(function* () {
      const { move } = desk
      const booking = yield* bookAt(hall, "2027-04-03", "10:00", "deposit", { name: "Broken Room", bubbles: 1 })
      yield* payAt(booking)
      const path = pathOf(booking)
      const { act, member, preview, session } = yield* deskOf()
      const form = yield* request(`${path}?step=move`, { cookie: session })
      assert.include(form.text, `<option value="${booking.package_id}" selected>`)
      assert.include(form.text, `>Attic &amp; Loft · ${loft.packages[0]?.name ?? ""}</option>`)
      assert.notInclude(form.text, venue.playroom.name)
      // The loft has no bubble machine today.
      const [cake] = loft.add_ons.slice(1)
      yield* importVenue(hall, { ...loft, add_ons: cake === undefined ? [] : [cake] })
      const there = loft.packages[1]?.package_id ?? ""
      const wish = { step: "move", date: "2027-04-03", time: "10:00", package: there, reason: "A pipe broke" }
      const shown = yield* preview(path, wish)
      assert.strictEqual(shown.status, 200, readable(shown.text))
      assert.include(readable(shown.text), loft.playroom.name)
      assert.include(readable(shown.text), move.without("1 × Bubble machine"))
      assert.include(readable(shown.text), messages.en.move.less("£15.00"))
      assert.strictEqual((yield* rowOf(booking)).playroom_id, hall.playroom.playroom_id, "a preview changes nothing")
      // Another operator's package, and one that does not exist.
      for (const foreign of [venue.packages[0]?.package_id ?? "", "package_01h40000000000000000000000", "x"]) {
        const answer = yield* preview(path, { ...wish, package: foreign })
        assert.strictEqual(answer.status, 409)
        assert.include(readable(answer.text), move.none)
      }
      assert.strictEqual((yield* act(path, shown.form)).status, 303)
      assert.strictEqual((yield* act(path, shown.form)).status, 409)
      const row = yield* rowOf(booking)
      assert.deepStrictEqual(
        [row.playroom_id, row.package_id, row.starts_at, row.terms.add_ons],
        [loft.playroom.playroom_id, there, booking.starts_at, []]
      )
      assert.deepStrictEqual(yield* whoDid(booking, "moved"), [member.name])
      const day = yield* request("/desk?day=2027-04-03", { cookie: session })
      assert.include(readable(day.text), loft.playroom.name)
      yield* importVenue(hall, loft)
    })
  )

  it.effect("does nothing for another operator's staff, whoever is removed, or who forges a form", () =>
    Effect.gen(function* () {
      const booking = yield* booked("2027-02-20", "12:30", "paid", "Not Yours")
      const path = pathOf(booking)
      const stranger = yield* deskOf("manager", venue.operator.operator_id)
      const own = yield* deskOf("manager")
      const before = yield* rowOf(booking)
      const never = yield* request("/desk/b/booking_01h40000000000000000000000", { cookie: stranger.session })
      const gift = yield* own.preview(path, { step: "back", amount: "5.00", reason: "For fun" })
      for (const step of ["pay", "party", "move", "back", "cancel", "mark"]) {
        const read = yield* request(`${path}?step=${step}`, { cookie: stranger.session })
        assert.deepStrictEqual([read.status, read.text], [404, never.text], step)
        const page = yield* request(`${path}?step=${step}`, { cookie: own.session })
        const policy = page.headers.get("content-security-policy") ?? ""
        assert.include(policy, "frame-ancestors 'none'", step)
        assert.include(policy, "form-action 'self'", step)
        assert.strictEqual(page.headers.get("cache-control"), "no-store", step)
        const forged = [
          yield* request(path, { cookie: own.session, form: { step, shown: gift.form.shown } }),
          yield* request(path, { cookie: stranger.session, form: { ...gift.form, step } }),
          yield* request(path, {
            cookie: own.session,
            form: { ...gift.form, step },
            headers: { "sec-fetch-site": "cross-site" }
          }),
          yield* request(path, {
            cookie: own.session,
            form: { ...gift.form, step },
            headers: { "sec-fetch-site": "", origin: "https://evil.example" }
          }),
          yield* request(path, { cookie: own.session, form: { ...gift.form, step, shown: "x" } })
        ]
        for (const { status } of forged.slice(0, step === "mark" ? 4 : 5)) assert.strictEqual(status, 400, step)
      }
      assert.strictEqual((yield* request(`${path}?step=steal`, { cookie: own.session })).status, 404)
      yield* Staff.use((staff) => staff.remove(operator_id, own.member.name))
      const out = yield* own.act(path, gift.form)
      assert.include(readable(out.text), desk.signIn)
      assert.deepStrictEqual(yield* rowOf(booking), before)
    })
  )

  it.effect("says of what was paid at the venue that the venue gives it back, until that is done", () =>
    Effect.gen(function* () {
      const { words } = messages.en
      const booking = yield* booked("2027-03-06", "10:00", "deposit", "Paid Both Ways")
      const path = pathOf(booking)
      const { act, member, preview, session } = yield* deskOf("manager")
      const left = ((booking.total - booking.paid) / 100).toFixed(2)
      yield* act(path, (yield* preview(path, { step: "pay", amount: left, way: "cash" })).form)
      const back = yield* preview(path, { step: "back", amount: left, reason: "No heating" })
      assert.include(readable(back.text), desk.back.byHand(`£${left}`))
      assert.strictEqual((yield* act(path, back.form)).status, 303)
      const page = yield* request(path, { cookie: session })
      assert.include(readable(page.text), desk.returned.todo(`£${left}`))
      // In words for staff, not for the family.
      assert.include(readable(page.text), desk.back.byHand(`£${left}`))
      assert.notInclude(readable(page.text), words.backByVenue)
      yield* BookingRecords.use((records) => records.flag(booking.booking_id, "who paid this?"))
      assert.include(readable((yield* request(path, { cookie: session })).text), desk.unclear)
      const refund = hidden(page.text, "refund")
      const form = { form: hidden(page.text, "form"), step: "returned", refund, way: "cash" }
      // Another booking's page gives nothing back.
      const other = yield* booked("2027-03-06", "12:30", "deposit", "Another One")
      assert.strictEqual((yield* act(pathOf(other), form)).status, 303)
      assert.strictEqual((yield* rowOf(booking)).refunded, 0)
      assert.strictEqual((yield* act(path, form)).status, 303)
      assert.strictEqual((yield* act(path, form)).status, 303)
      assert.strictEqual((yield* rowOf(booking)).refunded, booking.total - booking.paid)
      assert.deepStrictEqual(yield* whoDid(booking, "refunded"), [member.name])
      const settled = yield* request(path, { cookie: session })
      assert.notInclude(settled.text, 'value="returned"')
      const line = `${desk.events.refunded} · ${member.name} £${left} · ${desk.returned.ways.cash}`
      assert.include(readable(settled.text).replaceAll(/\s+/g, " "), line)

      // All goes back of one that was paid by link and in cash.
      yield* act(pathOf(other), (yield* preview(pathOf(other), { step: "pay", amount: left, way: "cash" })).form)
      const cancel = { step: "cancel", refund: "full", reason: "No heating" }
      assert.strictEqual((yield* act(pathOf(other), (yield* preview(pathOf(other), cancel)).form)).status, 303)
      const url = yield* LinkTokens.use((links) => links.address(bookingLink("booking", other)))
      const told = readable((yield* request(new URL(url).pathname)).text)
      assert.include(told, words.backByBoth("£50.00", `£${left}`))
    })
  )

  it.effect("is the same on every node: who is removed on one is out on the other", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { member, session } = yield* deskOf()
        const other = yield* anotherPageServer({ baseUrl: deskBase })
        const isIn = Effect.map(
          request("/desk", { cookie: session }),
          ({ text }) => !readable(text).includes(desk.signIn)
        )
        const there = Effect.provideService(isIn, PageAddress, other)
        assert.deepStrictEqual([yield* isIn, yield* there], [true, true])
        yield* Staff.use((staff) => staff.remove(operator_id, member.name))
        assert.deepStrictEqual([yield* there, yield* isIn], [false, false])
      })
    )
  )

  it.effect("keeps a role's limits after the role was changed", () =>
    Effect.gen(function* () {
      const booking = yield* booked("2027-02-27", "10:00", "paid", "Role Change")
      const manager = yield* deskOf("manager")
      const path = pathOf(booking)
      const gift = yield* manager.preview(path, { step: "back", amount: "5.00", reason: "For fun" })
      yield* Staff.use((staff) => staff.invite(operator_id, { name: manager.member.name, role: "desk" }))
      assert.strictEqual((yield* manager.act(path, gift.form)).status, 403)
      assert.strictEqual((yield* rowOf(booking)).payment_status, "paid")
    })
  )
})
