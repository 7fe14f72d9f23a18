import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { bodyLimits } from "../../../../src/surfaces/http/Bodies.ts"
import type { BookingRow } from "../../../../src/domain/booking/Booking.ts"
import { maxAffectedShown } from "../../../../src/domain/booking/BookingList.ts"
import { BookingRecords } from "../../../../src/domain/booking/BookingRecords.ts"
import { BookingLinks } from "../../../../src/domain/booking/BookingLinks.ts"
import { Bookings } from "../../../../src/domain/booking/Bookings.ts"
import { messages } from "../../../../src/words/Languages.ts"
import { CatalogueFile } from "../../../../src/domain/import/CatalogueFile.ts"
import { RefundRecords } from "../../../../src/domain/payment/refunds/RefundRecords.ts"
import { Staff } from "../../../../src/domain/people/staff/Staff.ts"
import { importVenue } from "../../../support/BookingWorld.ts"
import { deskBase, join, readable, request } from "../../../support/DeskClient.ts"
import { bookAt, hall, loft, payAt } from "../../../support/operatorVenues.ts"
import { pageWorld } from "../../../support/FamilyPages.ts"
import { historyOf } from "../../../support/PaymentWorld.ts"
import { venue } from "../../../support/paymentVenues.ts"
import { bySmtp } from "../../../support/LetterWorld.ts"

const { operator_id } = hall.operator
const { desk } = messages.en
const { closed } = desk
const world = Layer.effectDiscard(Effect.suspend(() => importVenue(hall, loft, venue))).pipe(
  Layer.provideMerge(CatalogueFile.layer),
  Layer.provideMerge(pageWorld({ baseUrl: deskBase, letters: bySmtp() }))
)

const close = (from: string, to: string, reason: string) => {
  const { add_ons, operator, packages, playroom } = hall
  return CatalogueFile.use((file) =>
    file.importFile(
      {
        version: 1,
        operators: [operator],
        playrooms: [{ ...playroom, packages, add_ons, closures: [{ from, to, reason }] }]
      },
      { force: true }
    )
  )
}

let people = 0
const atDesk = (role: "desk" | "manager", at = operator_id) =>
  Effect.gen(function* () {
    const { member, url } = yield* Staff.use((staff) => staff.invite(at, { name: `Cleo ${++people}`, role }))
    return { member, session: (yield* join(url)).session }
  })
const rowOf = ({ booking_id }: { readonly booking_id: string }) => Bookings.use((bookings) => bookings.get(booking_id))
const hidden = (text: string, name: string) =>
  [...text.matchAll(new RegExp(`name="${name}" value="([^"]*)"`, "g"))].map(([, value]) => value ?? "")

layer(world)("bookings in closed time at the desk", (it) => {
  it.effect("are listed with whom to call, and cancelled in full as the page before said, once, by name", () =>
    Effect.gen(function* () {
      const made = yield* Effect.forEach(["10:00", "12:30", "15:00"], (time, i) =>
        bookAt(hall, "2027-02-06", time, "paid", { name: `In August ${i}`, phone: "+44 20 7946 0001" })
      )
      for (const one of made) yield* payAt(one)
      const [first, second, third] = made
      if (!first || !second || !third) return assert.fail("not booked")
      const { member, session } = yield* atDesk("manager")
      const page = () => request("/desk/closed", { cookie: session })
      assert.include(readable((yield* page()).text), closed.none)
      yield* close("2027-02-06", "2027-02-06", "Boiler")
      const listed = yield* page()
      const text = readable(listed.text)
      for (const word of ["In August 0", "+44 20 7946 0001", "Boiler", "10:00"]) assert.include(text, word)
      const form = hidden(listed.text, "form")[0] ?? ""
      /** Of these bookings; `shown`: what the plan's page had. */
      const send = (ids: ReadonlyArray<string>, shown?: string, cookie = session) =>
        Effect.gen(function* () {
          const fields = new URLSearchParams([
            ["form", form],
            ...ids.map((id): [string, string] => ["choice", `${id}.cancel`])
          ])
          if (shown !== undefined) fields.append("shown", shown)
          return yield* request("/desk/closed", {
            cookie,
            method: "POST",
            body: fields
          })
        })
      const plan = yield* send([first.booking_id, second.booking_id])
      assert.strictEqual(plan.status, 200)
      assert.include(readable(plan.text), `${closed.inAll} £`)
      assert.strictEqual((yield* rowOf(first)).status, "confirmed", "a preview changes nothing")
      const shown = hidden(plan.text, "shown")[0] ?? ""
      // Another choice than the page showed, or a code of nobody, does nothing.
      for (const [ids, code] of [
        [[first.booking_id, third.booking_id], shown],
        [[first.booking_id, second.booking_id], "1-00000000"],
        [[first.booking_id, second.booking_id], "x"]
      ] as const)
        assert.strictEqual((yield* send(ids, code)).status, 409)
      assert.strictEqual((yield* rowOf(first)).status, "confirmed")
      // A colleague's change in between: that booking is left.
      yield* BookingLinks.use((links) => Effect.flatMap(rowOf(second), (row) => links.renew(row)))
      const done = yield* send([first.booking_id, second.booking_id], shown)
      assert.include(readable(done.text), "1 booking was cancelled")
      assert.include(readable(done.text), closed.left)
      const [gone, left] = [yield* rowOf(first), yield* rowOf(second)]
      assert.deepStrictEqual([gone.status, gone.payment_status], ["cancelled", "refund_pending"])
      assert.strictEqual(left.status, "confirmed")
      const lines = yield* BookingRecords.use((records) => records.venueHistory(gone))
      assert.strictEqual(lines.find(({ event }) => event === "cancelled")?.done_by, member.name)
      // The same form again goes on: what is done is in closed time no more.
      const again = yield* send([first.booking_id, second.booking_id], shown)
      assert.include(readable(again.text), closed.nothingDone)
      assert.strictEqual((yield* rowOf(first)).refunded, 0, "no second refund is sent by it")
      const fresh = yield* send([second.booking_id, third.booking_id])
      const all = yield* send([second.booking_id, third.booking_id], hidden(fresh.text, "shown")[0])
      assert.include(readable(all.text), "2 bookings were cancelled")
      assert.include(readable((yield* page()).text), closed.none)
      assert.strictEqual((yield* send([third.booking_id])).status, 409)
    })
  )

  /** Three that are paid, at 10:00, 12:30 and 15:00, and what a manager finds once the day is closed. */
  const closedDay = (date: string, role: "desk" | "manager" = "manager") =>
    Effect.gen(function* () {
      const made = yield* Effect.forEach(["10:00", "12:30", "15:00"], (time) => bookAt(hall, date, time, "paid"))
      for (const one of made) yield* payAt(one)
      yield* close(date, date, "Boiler")
      const [a, b, c] = made
      if (!a || !b || !c) return assert.fail("not booked")
      const { member, session } = yield* atDesk(role)
      const { text } = yield* request("/desk/closed", { cookie: session })
      const form = hidden(text, "form")[0] ?? ""
      /** The starts that the page proposes for a booking: the field's value, and the words. */
      const near = ({ booking_id }: BookingRow) =>
        [...text.matchAll(new RegExp(`<option value="(${booking_id}\\.option_[^"]+)">([^<]+)`, "g"))].map(
          ([, value = "", words = ""]) => ({ value, words: words.replaceAll("&amp;", "&") })
        )
      const first = (booking: BookingRow, which = (words: string): boolean => words !== "") =>
        near(booking).find(({ words }) => which(words)) ?? assert.fail("nothing is proposed")
      const send = (choices: ReadonlyArray<string>, shown?: string, typed?: string) =>
        request("/desk/closed", {
          cookie: session,
          method: "POST",
          body: new URLSearchParams([
            ["form", form],
            ...choices.map((value): [string, string] => ["choice", value]),
            ...(shown === undefined ? [] : [["shown", shown] satisfies [string, string]]),
            ...(typed === undefined ? [] : [["words", typed] satisfies [string, string]])
          ])
        })
      /** The page that says what will happen, and its form. */
      const plan = (choices: ReadonlyArray<string>) =>
        Effect.map(send(choices), ({ status, text: page }) => ({
          status,
          said: readable(page),
          page,
          confirm: send(hidden(page, "choice"), hidden(page, "shown")[0]),
          confirmWith: (typed: string) => send(hidden(page, "choice"), hidden(page, "shown")[0], typed)
        }))
      return { a, b, c, member, text, near, first, plan }
    })
  const inLoft = (words: string) => words.includes(loft.playroom.name)
  const inHall = (words: string) => !inLoft(words)
  const movesOf = (booking: BookingRow) =>
    Effect.map(
      Effect.flatMap(rowOf(booking), (row) => BookingRecords.use((records) => records.venueHistory(row))),
      (lines) => lines.filter(({ event }) => event === "moved")
    )

  it.effect("are moved, cancelled and kept in one form, as the page before says, once, by name", () =>
    Effect.gen(function* () {
      const { a, b, c, first, member, near, plan } = yield* closedDay("2027-02-20")
      assert.isAtLeast(near(b).length, 4)
      assert.isAtMost(near(b).length, 10)
      // Another room at its own time is the nearest.
      assert.include(near(a)[0]?.words ?? "", `10:00–12:00 · ${loft.playroom.name}`)
      const planned = yield* plan([first(a, inLoft).value, first(b, inHall).value, "", `${c.booking_id}.cancel`])
      assert.strictEqual(planned.status, 200)
      for (const words of [
        loft.playroom.name,
        /\d\d:\d\d–\d\d:\d\d/.exec(first(b, inHall).words)?.[0] ?? "?",
        closed.told,
        "£120.00"
      ])
        assert.include(planned.said, words)
      assert.include(planned.said, "Do this with 3 bookings now")
      assert.lengthOf(yield* movesOf(a), 0, "a preview changes nothing")

      // Two presses at once.
      const [one, other] = yield* Effect.all([planned.confirm, planned.confirm], { concurrency: 2 })
      assert.deepStrictEqual([one.status, other.status], [200, 200])
      const again = yield* planned.confirm
      assert.include(readable(again.text), closed.nothingDone)
      const [inOther, later, gone] = [yield* rowOf(a), yield* rowOf(b), yield* rowOf(c)]
      assert.deepStrictEqual(
        [inOther.playroom_id, inOther.starts_at, inOther.status],
        [loft.playroom.playroom_id, a.starts_at, "confirmed"]
      )
      assert.deepStrictEqual([later.playroom_id, later.status], [b.playroom_id, "confirmed"])
      assert.notStrictEqual(later.starts_at, b.starts_at)
      assert.strictEqual(gone.status, "cancelled")
      for (const booking of [a, b])
        assert.deepStrictEqual(
          (yield* movesOf(booking)).map(({ done_by }) => done_by),
          [member.name]
        )
      assert.lengthOf(yield* RefundRecords.use((refunds) => refunds.ofBooking(c)), 1)
    })
  )

  it.effect("are kept and written to, in the words that the page before asks for, whoever is at the desk", () =>
    Effect.gen(function* () {
      const { a, b, c, first, plan, text } = yield* closedDay("2027-05-01", "desk")
      // All of them, in a form of its own, or one.
      for (const { booking_id } of [a, b, c]) assert.lengthOf(text.split(`value="${booking_id}.write"`), 3)
      const planned = yield* plan([`${a.booking_id}.write`, `${b.booking_id}.write`, first(c).value])
      assert.include(planned.said, closed.write)
      assert.include(planned.page, '<textarea id="words"')
      const wordless = yield* planned.confirm
      assert.strictEqual(wordless.status, 409)
      assert.include(readable(wordless.text), closed.noWords)
      const sql = yield* SqlClient.SqlClient
      const written = sql`select booking_id, words from letter where kind = 'from_venue' order by seq`
      assert.deepStrictEqual(yield* written, [])
      const done = yield* planned.confirmWith("  The boiler is <b>broken</b>.\r\nIt is cold.  ")
      for (const said of ["2 families were written to; their bookings are kept.", "1 booking was moved."])
        assert.include(readable(done.text), said)
      const words = "The boiler is broken.\nIt is cold."
      assert.deepStrictEqual(yield* written, [
        { booking_id: a.booking_id, words },
        { booking_id: b.booking_id, words }
      ])
      assert.include(yield* historyOf(yield* rowOf(a)), "written_to")
      assert.strictEqual((yield* rowOf(a)).starts_at, a.starts_at)
      // The same form again writes nothing.
      yield* planned.confirmWith("Again")
      assert.lengthOf(yield* written, 2)
    })
  )

  it.effect("V3: of an extra that broke are given its price back, or another extra, in one form", () =>
    Effect.gen(function* () {
      const [bubbles, cake] = hall.add_ons
      if (!bubbles || !cake) return assert.fail("no extras")
      const made = yield* Effect.forEach(["10:00", "12:30", "15:00"], (time) =>
        bookAt(hall, "2027-06-19", time, "paid", { bubbles: 1, name: "Had Bubbles" })
      )
      for (const one of made) yield* payAt(one)
      const [back, swap, kept] = made
      if (!back || !swap || !kept) return assert.fail("not booked")
      const { session } = yield* atDesk("manager")
      const times = { from: "2027-06-19", to: "", starts: "", ends: "" }
      const broken = { playroom: String(bubbles.add_on_id), reason: "Burst seam", ...times }
      const closing = (fields: Readonly<Record<string, string>>) =>
        request("/desk/closing", { cookie: session, form: { ...broken, ...fields } })
      const [form = ""] = hidden((yield* request("/desk/closing", { cookie: session })).text, "form")
      const { text: before } = yield* closing({ form, do: "check" })
      for (const { reference } of made) assert.include(before, reference)
      yield* closing({ form, do: "close", shown: hidden(before, "shown")[0] ?? "" })
      const send = (shown: ReadonlyArray<string>) =>
        request("/desk/closed", {
          cookie: session,
          method: "POST",
          body: new URLSearchParams([
            ["form", form],
            ["choice", `${back.booking_id}.back`],
            ["choice", `${swap.booking_id}.${cake.add_on_id}.pays`],
            ...shown.map((one): [string, string] => ["shown", one])
          ])
        })
      const { text: planned } = yield* send([])
      for (const said of [closed.giveBack, closed.swapFor]) assert.include(readable(planned), said)
      yield* send(hidden(planned, "shown"))
      const extras = yield* Effect.forEach(made, (one) =>
        Effect.map(rowOf(one), ({ terms }) => terms.add_ons.map(({ add_on_id }) => add_on_id))
      )
      assert.deepStrictEqual(extras, [[], [cake.add_on_id], [bubbles.add_on_id]])
    })
  )

  it.effect("are left, and named, where the new time was taken meanwhile", () =>
    Effect.gen(function* () {
      const { a, b, first, plan } = yield* closedDay("2027-03-06")
      const planned = yield* plan([first(a, inLoft).value, first(b, inHall).value])
      yield* bookAt(loft, "2027-03-06", "10:00", "trusted", { name: "Quicker" })
      const { text } = yield* planned.confirm
      for (const words of ["1 booking was moved", closed.left, a.reference, desk.change.taken])
        assert.include(readable(text), words)
      assert.lengthOf(yield* movesOf(a), 0)
      assert.lengthOf(yield* movesOf(b), 1)
    })
  )

  it.effect("fit into one form, all that a page lists", () =>
    Effect.sync(() => {
      const longest = `choice=booking_${"x".repeat(26)}.option_${"x".repeat(73)}&`
      const others = `form=${"x".repeat(100)}&shown=${"x".repeat(30)}`
      assert.isBelow(maxAffectedShown * longest.length + others.length, bodyLimits.form)
    })
  )

  it.effect("are moved by anybody at the desk, and cancelled in full by managers of this operator alone", () =>
    Effect.gen(function* () {
      const { a, b, first, plan, text } = yield* closedDay("2027-04-10", "desk")
      assert.notInclude(readable(text), closed.cancel)
      assert.strictEqual((yield* plan([`${b.booking_id}.cancel`])).status, 403)
      const moved = yield* plan([first(a).value])
      assert.include(readable((yield* moved.confirm).text), "1 booking was moved")
      const other = yield* atDesk("manager", venue.operator.operator_id)
      assert.include(readable((yield* request("/desk/closed", { cookie: other.session })).text), closed.none)
      const form = hidden((yield* request("/desk/closing", { cookie: other.session })).text, "form")[0] ?? ""
      for (const choice of [`${b.booking_id}.cancel`, first(b).value]) {
        const answer = yield* request("/desk/closed", { cookie: other.session, form: { form, choice } })
        assert.strictEqual(answer.status, 409)
        assert.notInclude(answer.text, b.reference)
      }
      assert.deepStrictEqual((yield* rowOf(b)).status, "confirmed")
    })
  )
})
