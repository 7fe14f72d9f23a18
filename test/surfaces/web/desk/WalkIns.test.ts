import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Audit } from "../../../../src/ops/audit/Audit.ts"
import { LinkTokens } from "../../../../src/platform/access/LinkTokens.ts"
import { BookingRecords } from "../../../../src/domain/booking/BookingRecords.ts"
import { bookingLink } from "../../../../src/domain/booking/BookingLinks.ts"
import { PaymentSessions } from "../../../../src/domain/payment/sessions/PaymentSessions.ts"
import { Staff } from "../../../../src/domain/people/staff/Staff.ts"
import { messages } from "../../../../src/words/Languages.ts"
import { importVenue, setClock } from "../../../support/BookingWorld.ts"
import { cancelAsOperator } from "../../../support/Acts.ts"
import { RefundRecords } from "../../../../src/domain/payment/refunds/RefundRecords.ts"
import { deskBase, join, readable, request } from "../../../support/DeskClient.ts"
import { pageWorld } from "../../../support/FamilyPages.ts"
import { from } from "../../../support/LetterWorld.ts"
import { openPlay, pricedByAge, testId, venueWith } from "../../../support/venues.ts"

const { desk, receipt } = messages.en
const play = venueWith({ playroom_id: testId.playroom(80), name: "Soft Play", lead_time_minutes: 120 }, [
  { ...openPlay, package_id: testId.package(801), payment: { kind: "full" } }
])
const { operator_id } = play.operator
const world = Layer.effectDiscard(Effect.suspend(() => importVenue(play))).pipe(
  Layer.provideMerge(
    Layer.provideMerge(Audit.layer, pageWorld({ baseUrl: deskBase, letters: { kind: "sandbox", from } }))
  )
)

let people = 0
const atDesk = (role: "desk" | "manager" = "desk") =>
  Effect.gen(function* () {
    const name = `Cleo ${++people}`
    const { url } = yield* Staff.use((staff) => staff.invite(operator_id, { name, role }))
    return { name, cookie: (yield* join(url)).session }
  })

const carried = (text: string) =>
  Object.fromEntries(
    Array.from(text.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g), (m) => [m[1] ?? "", m[2] ?? ""])
  )
const salesOn = (text: string) =>
  Array.from(text.matchAll(/href="(\/desk\/book\?option=[^"]*till=now)"/g), (m) =>
    (m[1] ?? "").replaceAll("&amp;", "&")
  )

const rows = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ booking_id: Schema.String })))
const walkedIn = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const found = yield* rows(yield* sql`select booking_id from booking where contact_email = '' order by booking_id`)
  const records = yield* BookingRecords
  return yield* Effect.forEach(found, ({ booking_id }) => Effect.flatMap(records.byId(booking_id), Effect.fromOption))
})

/** Presses a number of children on the page "now"; the page with the price. */
const pressed = Effect.fnUntraced(function* (cookie: string | undefined, children: number) {
  const now = yield* request("/desk/now", { cookie })
  const sale = salesOn(now.text)[children - 1] ?? assert.fail(`no button for ${children}`)
  return { now, price: yield* request(sale, { cookie }) }
})

layer(world)("walk-ins", (it) => {
  it.effect("V5: sells the visit of 12:30 at 12:49 in three presses, without an e-mail address, for cash", () =>
    Effect.gen(function* () {
      yield* setClock("2027-05-03T11:49:00Z")
      const { cookie, name } = yield* atDesk()
      const day = yield* request("/desk", { cookie })
      assert.include(day.text, 'href="/desk/now"')
      const { now, price } = yield* pressed(cookie, 2)
      assert.include(readable(now.text), "12:30")
      assert.include(readable(now.text), desk.walkIn.begun)
      assert.include(readable(now.text), "13:00", "the next one, too")
      assert.include(readable(price.text), "£15.00")
      assert.notInclude(readable(price.text), messages.en.booking.terms, "who is there does not cancel")
      const form = { ...carried(price.text), do: "cash" }
      const sold = yield* request("/desk/book", { cookie, form })
      assert.strictEqual(sold.status, 303)
      const told = yield* request(sold.headers.get("location") ?? "", { cookie })
      assert.include(readable(told.text), desk.walkIn.sold("2 children, 1 adult, £15.00"))
      yield* request("/desk/book", { cookie, form })
      const [row, ...more] = yield* walkedIn
      assert.deepStrictEqual(more, [], "a second press of the same button")
      if (row === undefined) return assert.fail("nothing was sold")
      assert.deepInclude(row, {
        status: "confirmed",
        payment_status: "paid",
        paid: 1500,
        contact_name: desk.walkIn.name
      })
      const [session] = yield* PaymentSessions.use((sessions) => sessions.ofBooking(row.booking_id))
      assert.deepInclude(session, { way: "cash", taken_by: name })
    })
  )

  it.effect("V5: two who walk in alike are two bookings, no family that booked twice, and get no letters", () =>
    Effect.gen(function* () {
      yield* setClock("2027-05-04T11:49:00Z")
      const { cookie } = yield* atDesk()
      const before = (yield* walkedIn).length
      for (const way of ["card", "transfer"]) {
        const { price } = yield* pressed(cookie, 1)
        assert.notInclude(readable(price.text), "another booking then")
        yield* request("/desk/book", { cookie, form: { ...carried(price.text), do: way } })
      }
      const made = (yield* walkedIn).slice(before)
      assert.deepStrictEqual(
        made.map(({ status }) => status),
        ["confirmed", "confirmed"]
      )
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(yield* sql`select from letter where status = 'sent'`, [])
      const day = yield* request("/desk?day=2027-05-04", { cookie })
      for (const { reference } of made)
        assert.notInclude(readable(day.text), messages.en.operator.alsoBooked(reference))
      assert.notInclude(day.text, "mailto:")
    })
  )

  it.effect("V5: such a booking has a page, a receipt and a history, is cancelled, and its audit is clean", () =>
    Effect.gen(function* () {
      yield* setClock("2027-05-05T11:49:00Z")
      const { cookie } = yield* atDesk("manager")
      const before = (yield* walkedIn).length
      const { price } = yield* pressed(cookie, 1)
      yield* request("/desk/book", { cookie, form: { ...carried(price.text), do: "cash" } })
      const [row] = (yield* walkedIn).slice(before)
      if (row === undefined) return assert.fail("nothing was sold")
      const page = yield* LinkTokens.use((links) => links.address(bookingLink("booking", row)))
      const family = yield* request(new URL(page).pathname, {})
      assert.strictEqual(family.status, 200)
      const link = yield* request(`/desk/b/${row.booking_id}?step=link`, { cookie })
      assert.strictEqual(link.status, 200)
      assert.notInclude(readable(link.text), desk.family.send(""))
      const booking = yield* request(`/desk/b/${row.booking_id}`, { cookie })
      assert.include(readable(booking.text), receipt.paidBy.cash)
      const cancel = yield* request(`/desk/b/${row.booking_id}?step=cancel`, { cookie })
      const check = yield* request(`/desk/b/${row.booking_id}`, {
        cookie,
        form: { ...carried(cancel.text), refund: "full", reason: "A nosebleed", do: "check" }
      })
      yield* request(`/desk/b/${row.booking_id}`, { cookie, form: { ...carried(check.text), do: "confirm" } })
      const ended = yield* Effect.flatMap(
        BookingRecords.use((records) => records.byId(row.booking_id)),
        Effect.fromOption
      )
      assert.strictEqual(ended.status, "cancelled")
      assert.deepStrictEqual(yield* Audit.use(({ rows }) => rows), [])
    })
  )

  it.effect("V5: ends the day with sums by way and by who took it, and what should be in the drawer", () =>
    Effect.gen(function* () {
      yield* setClock("2027-05-06T11:49:00Z")
      const [ann, ben] = [yield* atDesk(), yield* atDesk("manager")]
      const nothing = yield* request("/desk/till", { cookie: ann.cookie })
      assert.include(readable(nothing.text), desk.till.none("Thursday, 6 May 2027"))
      const sell = (who: typeof ann, children: number, way: string) =>
        Effect.flatMap(pressed(who.cookie, children), ({ price }) =>
          request("/desk/book", { cookie: who.cookie, form: { ...carried(price.text), do: way } })
        )
      yield* sell(ann, 2, "cash")
      yield* sell(ben, 1, "cash")
      yield* sell(ben, 3, "card")
      const row = (yield* walkedIn).at(-2)
      if (row === undefined) return assert.fail("nothing was sold")
      yield* cancelAsOperator(row.booking_id, { refund: "full", reason: "A nosebleed", preview: false })
      const [owed] = yield* RefundRecords.use((refunds) => refunds.ofBooking(row))
      const cookie = ben.cookie
      const page = yield* request(`/desk/b/${row.booking_id}`, { cookie })
      const form = /name="form" value="([^"]*)"/.exec(page.text)?.[1] ?? ""
      yield* request(`/desk/b/${row.booking_id}`, {
        cookie,
        form: { form, step: "returned", refund: owed?.refund_id ?? "", way: "cash" }
      })
      const till = readable((yield* request("/desk/till", { cookie: ann.cookie })).text)
      assert.include(till, `${desk.till.drawer} £15.00`)
      for (const said of [`${receipt.paidBy.cash} `, "£22.50", "-£7.50", `${ann.name} `, `${ben.name} `])
        assert.include(till, said)
      assert.include(till, `${ann.name} £15.00 £0.00 £0.00`)
      assert.include(till, `${ben.name} £0.00 £22.50 £0.00`)
    })
  )

  it.effect("asks who is sold a price by age for the ages, before the price, and for nothing else", () =>
    Effect.gen(function* () {
      yield* setClock("2027-05-07T11:49:00Z")
      const pkg = { ...openPlay, package_id: testId.package(802), name: "Toddler play", pricing: pricedByAge }
      yield* importVenue(
        venueWith({ playroom_id: testId.playroom(80), name: "Soft Play", lead_time_minutes: 120 }, [pkg])
      )
      const { cookie } = yield* atDesk()
      const before = (yield* walkedIn).length
      const { price: who } = yield* pressed(cookie, 2)
      assert.include(readable(who.text), messages.en.party.agesPriced)
      const given = { name: desk.walkIn.name, children: "2", adults: "1", ages: "1, 3" }
      const checks = { ...carried(who.text), ...given, do: "check" }
      const checked = yield* request("/desk/book", { cookie, form: checks })
      assert.include(readable(checked.text), "£3.75")
      yield* request("/desk/book", { cookie, form: { ...carried(checked.text), do: "cash" } })
      const [row] = (yield* walkedIn).slice(before)
      assert.deepInclude(row, { status: "confirmed", paid: 375, total: 375 })
      assert.deepStrictEqual(row?.child_ages, [1, 3])
    })
  )
})
