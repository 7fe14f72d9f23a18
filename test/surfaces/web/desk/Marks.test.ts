import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { attendanceWindow } from "../../../../src/domain/booking/Lifecycle.ts"
import { BookingRecords } from "../../../../src/domain/booking/BookingRecords.ts"
import { Bookings } from "../../../../src/domain/booking/Bookings.ts"
import { messages } from "../../../../src/words/Languages.ts"
import { Staff } from "../../../../src/domain/people/staff/Staff.ts"
import { importVenue, setClock } from "../../../support/BookingWorld.ts"
import { markBooking } from "../../../support/Acts.ts"
import { deskBase, join, readable, request } from "../../../support/DeskClient.ts"
import { bookAt, hall, loft } from "../../../support/operatorVenues.ts"
import { pageWorld } from "../../../support/FamilyPages.ts"
import { venue } from "../../../support/paymentVenues.ts"

const { operator_id } = hall.operator
const { desk } = messages.en
const world = Layer.effectDiscard(Effect.suspend(() => importVenue(hall, loft))).pipe(
  Layer.provideMerge(pageWorld({ baseUrl: deskBase }))
)

let people = 0
const newcomer = (at = operator_id) =>
  Effect.gen(function* () {
    const { member, url } = yield* Staff.use((staff) => staff.invite(at, { name: `Ana ${++people}`, role: "desk" }))
    return { ...(yield* join(url)), member }
  })

/** Saturdays: each test has one, and the clock goes on from one to the next. */
const at = (today: string, time: string) => setClock(`${today}T${time}Z`)
/** The name that a page's forms carry for a session. */
const formOf = (text: string) => /name="form" value="([^"]+)"/.exec(text)?.[1] ?? ""
const eventsOf = (booking_id: string) =>
  Effect.gen(function* () {
    const row = yield* Bookings.use((bookings) => bookings.get(booking_id))
    const lines = yield* BookingRecords.use((records) => records.venueHistory(row))
    return { row, lines: lines.map(({ done_by, event }) => [event, done_by]) }
  })
const marksOnly = (lines: ReadonlyArray<ReadonlyArray<string | undefined>>) =>
  lines.filter(([event = ""]) => /^(arrived|no_show)/.test(event))

layer(world)("marking who came", (it) => {
  it.effect("is one press on the day, names who did it, and is undone without a trace but the history", () =>
    Effect.gen(function* () {
      const today = "2027-02-06"
      const { booking_id, reference } = yield* bookAt(hall, today, "10:00", "trusted", { name: "Ida Day" })
      yield* at(today, "09:30:00")
      const { member, session } = yield* newcomer()
      const day = yield* request(`/desk?day=${today}`, { cookie: session })
      assert.include(readable(day.text), desk.marks.arrived)
      assert.notInclude(readable(day.text), desk.marks.no_show, "before the start nobody has failed to come")
      const path = `/desk/b/${booking_id}`
      const form = formOf(day.text)
      const arrived = { form, step: "mark", mark: "arrived", from: "day" }
      const done = yield* request(path, { cookie: session, form: arrived })
      assert.deepStrictEqual([done.status, done.headers.get("location")], [303, `/desk?day=${today}#${reference}`])
      // A second press changes nothing.
      assert.strictEqual((yield* request(path, { cookie: session, form: arrived })).status, 303)
      const marked = yield* request(path, { cookie: session })
      assert.include(readable(marked.text), `${messages.en.words.confirmed} · ${desk.marks.arrived}`)
      assert.include(readable(marked.text), `${desk.events.arrived} · ${member.name}`)
      const undone = yield* request(path, {
        cookie: session,
        form: { form, step: "mark", mark: "arrived", undo: "yes" }
      })
      assert.deepStrictEqual([undone.status, undone.headers.get("location")], [303, path])
      const { lines, row } = yield* eventsOf(booking_id)
      assert.isNull(row.attendance)
      assert.deepStrictEqual(marksOnly(lines), [
        ["arrived", member.name],
        ["arrived_undone", member.name]
      ])
    })
  )

  it.effect("says to the second of two people that another mark stands, and overrules nobody", () =>
    Effect.gen(function* () {
      const today = "2027-02-13"
      const { booking_id } = yield* bookAt(hall, today, "12:30", "trusted", { name: "Two Atonce" })
      yield* at(today, "12:45:00")
      const [one, other] = [yield* newcomer(), yield* newcomer()]
      const path = `/desk/b/${booking_id}`
      const press = ({ session }: { readonly session: string }, mark: string) =>
        Effect.gen(function* () {
          const { text } = yield* request(path, { cookie: session })
          return yield* request(path, { cookie: session, form: { form: formOf(text), step: "mark", mark } })
        })
      const answers = yield* Effect.all([press(one, "arrived"), press(other, "no_show")], { concurrency: 2 })
      assert.sameMembers(
        answers.map(({ status }) => status),
        [303, 409]
      )
      const refused = answers.find(({ status }) => status === 409)
      assert.include(readable(refused?.text ?? ""), desk.notMarked)
      assert.lengthOf(marksOnly((yield* eventsOf(booking_id)).lines), 1)
    })
  )

  it.effect("is the operator's own staff's alone, of this session's pages alone", () =>
    Effect.gen(function* () {
      const today = "2027-02-20"
      const { booking_id } = yield* bookAt(hall, today, "15:00", "trusted", { name: "Own Guest" })
      yield* at(today, "15:05:00")
      const own = yield* newcomer()
      const colleague = yield* newcomer()
      const stranger = yield* newcomer(venue.operator.operator_id)
      const path = `/desk/b/${booking_id}`
      const form = formOf((yield* request(path, { cookie: own.session })).text)
      const strange = formOf((yield* request("/desk?day=2027-02-20", { cookie: stranger.session })).text)
      const mark = { step: "mark", mark: "no_show" }
      const post = (cookie: string | undefined, fields: Record<string, string>, headers: Record<string, string> = {}) =>
        Effect.map(request(path, { cookie, form: fields, headers }), ({ status }) => status)
      assert.strictEqual(yield* post(own.session, mark), 400, "no name of the session")
      assert.strictEqual(yield* post(own.session, { ...mark, form: `${form}x` }), 400)
      assert.strictEqual(yield* post(colleague.session, { ...mark, form }), 400, "another session's page")
      assert.strictEqual(yield* post(own.session, { ...mark, form }, { "sec-fetch-site": "cross-site" }), 400)
      assert.strictEqual(yield* post(own.session, { ...mark, form, mark: "late" }), 400)
      assert.strictEqual(yield* post(own.session, { form, step: "nothing" }), 404)
      assert.include([400, 404], yield* post(stranger.session, { ...mark, form: strange }))
      yield* Staff.use((staff) => staff.remove(operator_id, own.member.name))
      const removed = yield* request(path, { cookie: own.session, form: { ...mark, form } })
      assert.include(readable(removed.text), desk.signIn)
      assert.deepStrictEqual(marksOnly((yield* eventsOf(booking_id)).lines), [])
    })
  )

  it.effect("is a standing for the family, and leaves its name to nobody outside the venue", () =>
    Effect.gen(function* () {
      const today = "2027-02-27"
      const { booking_id } = yield* bookAt(loft, today, "15:00", "trusted", { name: "Never Came" })
      yield* at(today, "16:00:00")
      yield* markBooking(booking_id, { mark: "no_show", undo: false, done_by: "Zoe Q" })
      const row = yield* Bookings.use((bookings) => bookings.get(booking_id))
      const open = yield* BookingRecords.use((records) => records.history(row))
      assert.notInclude(JSON.stringify(open), "Zoe")
      assert.include(
        open.map(({ event }) => event),
        "no_show"
      )
      const sql = yield* SqlClient.SqlClient
      const money = yield* sql`select paid, refunded, status from booking where booking_id = ${booking_id}`
      assert.deepStrictEqual(money[0], { paid: 0, refunded: 0, status: "confirmed" })
    })
  )

  it.effect("can be done around the visit only, and of what is confirmed", () =>
    Effect.gen(function* () {
      const today = "2027-04-10"
      const { booking_id, ends_at, starts_at } = yield* bookAt(loft, today, "10:00", "trusted", { name: "Early Bird" })
      const held = yield* bookAt(loft, today, "12:30", "paid", { name: "Only Held" })
      const why = (id: string, mark: "arrived" | "no_show", undo = false) =>
        markBooking(id, { mark, undo }).pipe(
          Effect.as("done"),
          Effect.catchTag("AttendanceRefused", ({ reason }) => Effect.succeed(reason))
        )
      const clock = (instant: number) => setClock(new Date(instant).toISOString())
      const { earlyMs, lateMs } = attendanceWindow
      assert.strictEqual(yield* why(held.booking_id, "arrived"), "not_confirmed")
      yield* clock(starts_at - earlyMs - 1)
      assert.strictEqual(yield* why(booking_id, "arrived"), "too_early")
      yield* clock(starts_at - 1)
      assert.strictEqual(yield* why(booking_id, "no_show"), "too_early")
      yield* clock(starts_at)
      assert.strictEqual(yield* why(booking_id, "no_show"), "done")
      assert.strictEqual(yield* why(booking_id, "arrived"), "marked_otherwise")
      assert.strictEqual(yield* why(booking_id, "arrived", true), "marked_otherwise")
      yield* clock(ends_at + lateMs - 1)
      assert.strictEqual(yield* why(booking_id, "no_show", true), "done")
      yield* clock(ends_at + lateMs)
      assert.strictEqual(yield* why(booking_id, "arrived"), "too_late")
    })
  )
})
