import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { noticesOf } from "../../../../src/ops/attention/ActionItems.ts"
import { Bookings } from "../../../../src/domain/booking/Bookings.ts"
import { maxOwing } from "../../../../src/domain/booking/DueBookings.ts"
import { messages } from "../../../../src/words/Languages.ts"
import { recordPayment } from "../../../support/Acts.ts"
import { Staff } from "../../../../src/domain/people/staff/Staff.ts"
import { importVenue, setClock } from "../../../support/BookingWorld.ts"
import { commandWorld, playroom } from "../../../support/CommandLine.ts"
import { deskBase, join, readable, request } from "../../../support/DeskClient.ts"
import { bookAt, hall, loft, payAt } from "../../../support/operatorVenues.ts"
import { pageWorld } from "../../../support/FamilyPages.ts"
import { createBooking, deleteBookings, paidBooking, setClockBefore } from "../../../support/PaymentWorld.ts"
import { packages, venue } from "../../../support/paymentVenues.ts"

const { operator_id } = hall.operator
const { owed } = messages.en.desk
const world = Layer.effectDiscard(Effect.suspend(() => importVenue(hall, loft))).pipe(
  Layer.provideMerge(pageWorld({ baseUrl: deskBase }))
)

const rowOf = ({ booking_id }: { readonly booking_id: string }) => Bookings.use((bookings) => bookings.get(booking_id))
let people = 0
const atDesk = (at = operator_id) =>
  Effect.gen(function* () {
    const { url } = yield* Staff.use((staff) => staff.invite(at, { name: `Ina ${++people}`, role: "desk" }))
    return yield* join(url)
  })
const takeRest = (booking_id: string, amount: number) =>
  recordPayment(booking_id, { amount, way: "cash", done_by: "Ina" }, { preview: false })
/** The bookings on a page, as its links lead to them. */
const listed = (text: string) => [...text.matchAll(/href="\/desk\/b\/([^"]+)"/g)].map(([, id]) => id)

layer(world)("who owes what", (it) => {
  it.effect("has each booking with a rest until it is paid, by when it is due, with whom to call", () =>
    Effect.gen(function* () {
      const [late, early] = [
        yield* bookAt(hall, "2027-02-13", "10:00", "deposit", { name: "Owes Later", phone: "+44 20 7946 0000" }),
        yield* bookAt(loft, "2027-02-06", "10:00", "deposit", { name: "Owes Sooner" })
      ]
      const held = yield* bookAt(hall, "2027-02-06", "12:30", "deposit", { name: "Only Held" })
      const whole = yield* bookAt(hall, "2027-02-06", "15:00", "paid", { name: "Paid Whole" })
      for (const one of [late, early, whole]) yield* payAt(one)
      let { session } = yield* atDesk()
      /** Days later: a session ends after hours. */
      const goTo = Effect.fnUntraced(function* (time: string) {
        yield* setClock(time)
        session = (yield* atDesk()).session
      })
      const before = yield* request("/desk/owed", { cookie: session })
      assert.deepStrictEqual(listed(before.text), [early.booking_id, late.booking_id])
      const text = readable(before.text)
      assert.include(text, "+44 20 7946 0000")
      assert.include(text, "Owes Later")
      assert.notInclude(before.text, held.booking_id)
      assert.include(text, `${owed.sum} £`)
      assert.notInclude(text, owed.overdue)
      assert.include((yield* request("/desk", { cookie: session })).text, 'href="/desk/owed"')
      yield* goTo("2027-02-05T18:00:00Z")
      assert.include(readable((yield* request("/desk/owed", { cookie: session })).text), owed.overdue)
      // A part is taken: the rest stays in the list.
      const { due_now, total } = yield* rowOf(early)
      yield* takeRest(early.booking_id, total - due_now - 1000)
      const part = yield* request("/desk/owed", { cookie: session })
      assert.deepStrictEqual(listed(part.text), [early.booking_id, late.booking_id])
      assert.include(readable(part.text), "£10.00")
      yield* takeRest(early.booking_id, 1000)
      assert.deepStrictEqual(listed((yield* request("/desk/owed", { cookie: session })).text), [late.booking_id])
      yield* goTo("2027-02-13T12:30:00Z")
      assert.include(readable((yield* request("/desk/owed", { cookie: session })).text), owed.over)
      const elsewhere = yield* importVenue(venue).pipe(Effect.andThen(atDesk(venue.operator.operator_id)))
      const foreign = yield* request("/desk/owed", { cookie: elsewhere.session })
      assert.include(readable(foreign.text), owed.none)
      assert.strictEqual((yield* request("/desk/owed")).status, 200)
      assert.notInclude((yield* request("/desk/owed")).text, "Owes Later", "nobody else reads it")
      yield* takeRest(late.booking_id, total - due_now)
      assert.include(readable((yield* request("/desk/owed", { cookie: session })).text), owed.none)
    })
  )

  it.effect("is read in pages that lose and repeat none", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-02T09:00:00Z")
      const made: Array<string> = []
      for (const day of ["07", "14", "21", "28"])
        for (const time of ["10:00", "12:30", "15:00"])
          for (const at of [hall, loft])
            for (const month of ["2026-12", "2027-01", "2027-03"]) {
              const date = `${month}-${String(Number(day) - (month === "2026-12" ? 2 : month === "2027-01" ? 5 : 1)).padStart(2, "0")}`
              if (made.length > maxOwing + 2) continue
              const booking = yield* bookAt(at, date, time, "deposit", { name: `Many ${made.length}` })
              yield* takeRest(booking.booking_id, booking.due_now)
              made.push(booking.booking_id)
            }
      const { session } = yield* atDesk()
      const first = yield* request("/desk/owed", { cookie: session })
      assert.lengthOf(listed(first.text), maxOwing)
      const next = /href="(\/desk\/owed\?cursor=[^"]+)"/.exec(first.text)?.[1] ?? ""
      const second = yield* request(next, { cookie: session })
      const all = [...listed(first.text), ...listed(second.text)]
      assert.sameMembers(all, made)
      assert.lengthOf(all, made.length)
      const odd = yield* request("/desk/owed?cursor=nonsense", { cookie: session })
      assert.deepStrictEqual(listed(odd.text), listed(first.text))
    })
  )
})

layer(commandWorld)("a rest that is unpaid after the visit", (it) => {
  it.effect(
    "is named from a day after it, at the venue's own terms too, until it is paid or a person has seen it",
    () =>
      Effect.gen(function* () {
        for (const pkg of [packages.venueParty, packages.depositParty]) {
          yield* deleteBookings
          const { booking } = yield* paidBooking(pkg)
          const hours = (booking.ends_at - booking.starts_at) / 3_600_000
          const named = Effect.map(playroom("doctor"), ({ out }) => out.includes("unpaid after the visit"))
          const told = Effect.map(noticesOf(booking.operator_id), (all) =>
            all.flatMap((one) => (one.kind === "unpaid_after_visit" ? [one.amount] : []))
          )
          yield* setClockBefore(booking, -hours - 23.9)
          assert.isFalse(yield* named)
          assert.deepStrictEqual(yield* told, [])
          assert.include((yield* playroom("doctor", "--settle", booking.booking_id)).failure ?? "", "names no")
          yield* setClockBefore(booking, -hours - 24)
          assert.isTrue(yield* named)
          assert.deepStrictEqual(yield* told, [15_000])
          if (pkg === packages.venueParty) {
            const seen = yield* playroom("doctor", "--settle", booking.booking_id)
            assert.include(seen.out, "stays owed")
            assert.match((yield* playroom("booking", "list", "--from", "2026-01-01")).out, /£150\.00/)
          } else yield* takeRest(booking.booking_id, 15_000)
          assert.isFalse(yield* named)
          assert.deepStrictEqual(yield* told, [])
        }
      })
  )

  it.effect("is none of a booking that is only held, cancelled, or paid", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const booking = yield* createBooking(packages.depositParty)
      yield* setClockBefore(booking, -48)
      assert.notInclude((yield* playroom("doctor")).out, "unpaid after the visit")
    })
  )
})
