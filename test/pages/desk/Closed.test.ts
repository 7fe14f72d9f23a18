import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { BookingRecords } from "../../../src/booking/BookingRecords.ts"
import { Bookings } from "../../../src/booking/Bookings.ts"
import { messages } from "../../../src/i18n/Languages.ts"
import { CatalogueFile } from "../../../src/import/CatalogueFile.ts"
import { Staff } from "../../../src/staff/Staff.ts"
import { importVenue } from "../../support/BookingWorld.ts"
import { deskBase, join, readable, request } from "../../support/DeskClient.ts"
import { bookAt, hall, payAt } from "../../support/operatorVenues.ts"
import { pageWorld } from "../../support/PageWorld.ts"
import { venue } from "../../support/paymentVenues.ts"

const { operator_id } = hall.operator
const { desk } = messages.en
const { closed } = desk
const world = Layer.effectDiscard(Effect.suspend(() => importVenue(hall, venue))).pipe(
  Layer.provideMerge(CatalogueFile.layer),
  Layer.provideMerge(pageWorld({ baseUrl: deskBase }))
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
          const fields = new URLSearchParams([["form", form], ...ids.map((id): [string, string] => ["cancel", id])])
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
      yield* BookingRecords.use((records) => Effect.flatMap(rowOf(second), (row) => records.renewLink(row)))
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
      assert.include(readable(again.text), "0 bookings were cancelled")
      assert.strictEqual((yield* rowOf(first)).refunded, 0, "no second refund is sent by it")
      const fresh = yield* send([second.booking_id, third.booking_id])
      const all = yield* send([second.booking_id, third.booking_id], hidden(fresh.text, "shown")[0])
      assert.include(readable(all.text), "2 bookings were cancelled")
      assert.include(readable((yield* page()).text), closed.none)
      assert.strictEqual((yield* send([third.booking_id])).status, 409)
    })
  )

  it.effect("are for managers of this operator alone", () =>
    Effect.gen(function* () {
      const booking = yield* bookAt(hall, "2027-02-13", "10:00", "paid", { name: "Not Yours" })
      yield* payAt(booking)
      yield* close("2027-02-13", "2027-02-13", "Paint")
      const clerk = yield* atDesk("desk")
      assert.strictEqual((yield* request("/desk/closed", { cookie: clerk.session })).status, 403)
      const other = yield* atDesk("manager", venue.operator.operator_id)
      const theirs = yield* request("/desk/closed", { cookie: other.session })
      assert.include(readable(theirs.text), closed.none)
      for (const { session } of [clerk, other]) {
        const { text } = yield* request("/desk", { cookie: session })
        const form =
          hidden(text, "form")[0] ?? hidden((yield* request("/desk/owed", { cookie: session })).text, "form")[0] ?? ""
        const answer = yield* request("/desk/closed", { cookie: session, form: { form, cancel: booking.booking_id } })
        assert.notStrictEqual(answer.status, 200)
        assert.notInclude(answer.text, "Not Yours")
      }
      assert.strictEqual((yield* rowOf(booking)).status, "confirmed")
    })
  )
})
