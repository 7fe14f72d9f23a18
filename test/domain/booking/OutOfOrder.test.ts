/** Stock that is out of order for a time: what is sold then, who is named, and what happens with them. */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { BookingList, whyAffected } from "../../../src/domain/booking/BookingList.ts"
import { Bookings } from "../../../src/domain/booking/Bookings.ts"
import { Claims } from "../../../src/domain/booking/Claims.ts"
import type { ClosedTimes } from "../../../src/domain/booking/ClosedTime.ts"
import { makeVenueClosures } from "../../../src/domain/booking/VenueClosures.ts"
import { affectedBookings, type AffectedWish } from "../../../src/domain/payment/changes/AffectedBookings.ts"
import { AddOnId } from "../../../src/platform/ids/Ids.ts"
import { CatalogueFile } from "../../../src/domain/import/CatalogueFile.ts"
import { Audit } from "../../../src/ops/audit/Audit.ts"
import { contact, principal, setClock } from "../../support/BookingWorld.ts"
import { idOf, type PlayroomJson } from "../../support/catalogues.ts"
import { bookAt, importSharing, machinesOf, optionsOf, sharingRoom, timesOf } from "../../support/sharedRooms.ts"
import { sessionEvent } from "../../support/providerEvents.ts"
import { bySmtp } from "../../support/LetterWorld.ts"
import { actAtProvider, deliverAndApply, emptyPaymentWorld, openSession } from "../../support/PaymentWorld.ts"
import { paymentServices } from "../../../src/domain/payment/PaymentLayers.ts"
import { placesAgain } from "../../support/Acts.ts"

const world = Layer.provideMerge(Audit.layer, emptyPaymentWorld({ letters: bySmtp() }))
/** Another process on the same database. */
const elsewhere = Effect.provide(Layer.fresh(paymentServices))
const who = "Ana of the desk"
const operator_id = idOf("operator", 7)
const lamp = AddOnId.make(idOf("addon", 40))
const tower = AddOnId.make(idOf("addon", 41))

type Closures = NonNullable<PlayroomJson["closures"]>
/** Two rooms; `closures`: of the first. */
const roomsWith = (closures: Closures = []): ReadonlyArray<PlayroomJson> =>
  [sharingRoom(1, { closures }), sharingRoom(2)].map((room) => ({
    ...room,
    add_ons: [
      ...(room.add_ons ?? []).map((one) => ({ ...one, max_quantity: 1 })),
      ...(room.playroom_id === idOf("playroom", 1)
        ? [
            { add_on_id: lamp, name: "Lamp", unit: "per_item" as const, unit_amount: 700, max_quantity: 1 },
            { add_on_id: tower, name: "Tower", unit: "per_item" as const, unit_amount: 2000, max_quantity: 1 }
          ]
        : [])
    ]
  }))

const begin = (machines: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`delete from out_of_order`
    yield* sql`delete from occupancy where booking_id is not null`
    yield* setClock("2026-11-20T09:00:00Z")
    yield* importSharing({ "bubble-machines": machines }, roomsWith())
  })

const noon: ClosedTimes = { from: "2026-12-05", to: "2026-12-05", starts: "10:30", ends: "12:00" }
const wish = (units?: number, times = noon) => ({
  operator_id,
  add_on_id: machinesOf(1),
  times,
  reason: "Burst seam",
  ...(units === undefined ? {} : { units })
})
const breaks = (...of: Parameters<typeof wish>) =>
  Effect.flatMap(makeVenueClosures, (closures) => closures.close(wish(...of), { who }))
const mends = (closure_id = "") =>
  Effect.flatMap(makeVenueClosures, (closures) => closures.lift({ closure_id, operator_id }, who))
const named = Effect.map(
  BookingList.use((list) => list.affected({ operator_id, limit: 10 })),
  (found) => found.map((one) => [one.booking_id, whyAffected(one)])
)
const all = ["09:00", "10:00", "11:00", "12:00", "13:00", "14:00", "15:00", "16:00"]
/** 10:00 is not over by 10:30, and 12:00 begins to set up at 11:30. */
const around = ["09:00", "13:00", "14:00", "15:00", "16:00"]

/** What the file of two machines says: from half past ten to twelve. */
const fileSays = (changes: object = {}) => ({
  add_on: String(machinesOf(1)),
  from: "2026-12-05T10:30:00Z",
  to: "2026-12-05T12:00:00Z",
  reason: "Burst seam",
  ...changes
})
const importSays = (closures: ReadonlyArray<ReturnType<typeof fileSays>>, force = false, machines = 2) =>
  importSharing({ "bubble-machines": machines }, roomsWith(closures), { force })

layer(world, { timeout: "120 seconds" })("stock that is out of order", (it) => {
  it.effect("is sold in no room from–until, as many as are left, and again once it is in order", () =>
    Effect.gen(function* () {
      yield* begin(2)
      const { inside_in_all, made } = yield* breaks()
      assert.strictEqual(inside_in_all, 0)
      assert.deepStrictEqual([yield* timesOf(1, 1), yield* timesOf(2, 1)], [around, around])
      assert.deepStrictEqual([yield* timesOf(1, 0), yield* timesOf(2, 0)], [all, all])
      // The same said again changes nothing.
      assert.deepStrictEqual((yield* breaks()).made, [])
      yield* mends(made[0])
      assert.deepStrictEqual(yield* timesOf(2, 1), all)
      // One of two: one is sold. Two spells that overlap add up.
      const one = yield* breaks(1)
      yield* bookAt("11:00", 1, 1)
      assert.notInclude(yield* timesOf(2, 1), "11:00")
      assert.deepStrictEqual(yield* named, [])
      yield* breaks(1, { ...noon, starts: "11:00" })
      assert.lengthOf(yield* named, 1)
      yield* mends(one.made[0])
      assert.deepStrictEqual(yield* named, [])
      const gone = yield* Effect.flip(mends(one.made[0]))
      assert.strictEqual(gone._tag, "ClosureNotFound")
      assert.deepStrictEqual(yield* Audit.use(({ rows }) => rows), [])
      const sql = yield* SqlClient.SqlClient
      const [line] = yield* sql`select event, who, reason from operator_history order by seq desc limit 1`
      assert.deepStrictEqual(line, { event: "reopened", who, reason: "1 × Bubble machine: Burst seam" })
    })
  )

  it.effect("names who has it before it is said and after, and a spell may have begun already", () =>
    Effect.gen(function* () {
      yield* begin(1)
      const { booking_id } = yield* bookAt("11:00", 2, 1)
      const closures = yield* makeVenueClosures
      const begun: ClosedTimes = { from: "2026-11-01", to: "2026-12-05" }
      const plan = yield* closures.plan(wish(undefined, begun))
      assert.deepStrictEqual([plan.inside.map((one) => one.booking_id), plan.inside_in_all], [[booking_id], 1])
      assert.deepStrictEqual(yield* named, [])
      yield* closures.close(wish(undefined, begun), { who, shown: plan.shown })
      assert.deepStrictEqual(yield* named, [[booking_id, "Bubble machine, out of order: Burst seam"]])
      for (const units of [0, 2]) {
        const refused = yield* Effect.flip(closures.plan(wish(units)))
        assert.deepInclude(refused, { _tag: "ClosingRefused", reason: "no_stock" })
      }
      const other = yield* Effect.flip(closures.plan({ ...wish(), operator_id: idOf("operator", 9) }))
      assert.deepInclude(other, { _tag: "ClosingRefused", reason: "no_stock" })
    })
  )

  it.effect("is given back with its price, or swapped for another extra; who keeps it stays named", () =>
    Effect.gen(function* () {
      yield* begin(3)
      const booked = yield* Effect.forEach([1, 1, 1], (room) => bookAt("11:00", room, 1))
      const [back, swap, kept] = booked
      assert(back !== undefined && swap !== undefined && kept !== undefined)
      for (const booking of booked) {
        const said = yield* actAtProvider(yield* openSession(booking), "pay")
        yield* deliverAndApply(sessionEvent("checkout.session.completed", said, { account: "acct_7" }))
      }
      yield* breaks()
      const wishes = new Map<string, AffectedWish>([
        [back.booking_id, { action: "give_back" }],
        [swap.booking_id, { action: "swap", add_on_id: lamp }]
      ])
      const wishOf = ({ booking_id }: { readonly booking_id: string }): AffectedWish =>
        wishes.get(booking_id) ?? { action: "keep" }
      const { of, plan, resolve } = yield* affectedBookings
      const through = yield* BookingList.use((list) => list.committedThrough)
      const planned = yield* Stream.runCollect(plan(of({ operator_id }), wishOf, { as: "operator" }))
      assert.deepStrictEqual(
        planned.flatMap(({ refused }) => refused ?? []),
        []
      )
      assert.deepStrictEqual(
        new Map(planned.map(({ booking, would }) => [booking.booking_id, would?.refund.amount])),
        new Map<string, number | undefined>([
          [back.booking_id, 1200],
          [swap.booking_id, 500],
          [kept.booking_id, undefined]
        ])
      )
      const done = yield* Stream.runCollect(resolve(of({ operator_id }), wishOf, { through, who: { as: "operator" } }))
      assert.deepStrictEqual(
        done.map(({ outcome }) => outcome),
        ["done", "done"]
      )
      const extras = yield* Effect.forEach(booked, ({ booking_id }) =>
        Effect.map(
          Bookings.use((bookings) => bookings.get(booking_id)),
          ({ status, terms }) => [status, terms.add_ons.map(({ add_on_id }) => add_on_id)]
        )
      )
      assert.deepStrictEqual(extras, [
        ["confirmed", []],
        ["confirmed", [lamp]],
        ["confirmed", [machinesOf(1)]]
      ])
      assert.deepStrictEqual(
        (yield* named).map(([id]) => id),
        [kept.booking_id]
      )
    })
  )

  it.effect("is had by nobody who pays late, or books at the same moment", () =>
    Effect.gen(function* () {
      yield* begin(1)
      const sql = yield* SqlClient.SqlClient
      const claims = yield* Claims
      const held = yield* bookAt("11:00", 1, 1)
      yield* setClock("2026-11-20T10:00:00Z")
      yield* claims.releaseLapsed([held.booking_id])
      const { made } = yield* breaks()
      const late = Effect.flatMap(
        Bookings.use((bookings) => bookings.get(held.booking_id)),
        (row) => sql.withTransaction(placesAgain(row))
      )
      assert.isFalse(yield* late)
      yield* mends(made[0])
      const option = (yield* optionsOf(2, 1)).find(({ start }) => start.slice(11, 16) === "11:00")
      const book = Bookings.use((bookings) =>
        bookings.create(principal(), { option_id: option?.option_id ?? "", contact: contact("race") })
      )
      const racing = yield* Effect.forkChild(Effect.result(book))
      yield* breaks()
      const result = yield* Fiber.join(racing)
      // Whoever came first is named, or told that it is taken.
      assert.lengthOf(yield* named, result._tag === "Success" ? 1 : 0)
      const refused = yield* Effect.flip(
        Bookings.use((bookings) =>
          bookings.create(principal(), { option_id: option?.option_id ?? "", contact: contact("after") })
        )
      )
      assert.deepInclude(refused, { _tag: "SlotUnavailable", reason: "add_ons_taken" })
    })
  )

  it.effect("stands in the file: from–until, as many as it says, in each room, until it says otherwise", () =>
    Effect.gen(function* () {
      yield* begin(2)
      const [desk] = (yield* breaks(1)).made
      const first = yield* importSays([fileSays()])
      assert.deepStrictEqual(first.closures, { added: 1, changed: 0, removed: 0 })
      assert.strictEqual(first.changes[0]?.name.split(", ")[0], "2 × Bubble machine")
      assert.deepStrictEqual([yield* timesOf(1, 1), yield* timesOf(2, 1)], [around, around])
      const again = yield* importSays([fileSays()])
      assert.deepStrictEqual(again.closures, { added: 0, changed: 0, removed: 0 })
      // What it exports comes back as it is.
      const file = yield* CatalogueFile
      const exported = yield* file.exportFile
      const back = yield* file.importFile(JSON.parse(JSON.stringify(exported)))
      assert.deepStrictEqual([back.changes, yield* file.exportFile], [[], exported])
      // The same closure, known by its days, has fewer; the desk's one is out of order beside it.
      const fewer = yield* importSays([fileSays({ units: 1 })])
      assert.deepStrictEqual(fewer.closures, { added: 0, changed: 1, removed: 0 })
      assert.deepStrictEqual(fewer.changes[0]?.fields, [{ field: "units", was: "2", becomes: "1" }])
      assert.deepStrictEqual(yield* timesOf(2, 1), around)
      yield* mends(desk)
      assert.deepStrictEqual(yield* timesOf(2, 1), all)
      const closures = yield* makeVenueClosures
      const [left] = yield* closures.upcoming({ operator_id }, 9)
      assert.strictEqual(left?.made_by, null)
      const refused = yield* Effect.flip(mends(left?.closure_id))
      assert.deepInclude(refused, { _tag: "ClosureNotFound", of_file: true })
      const [other] = (yield* breaks(1)).made
      assert.deepStrictEqual((yield* importSays([])).closures, { added: 0, changed: 0, removed: 1 })
      assert.deepStrictEqual(
        (yield* closures.upcoming({ operator_id }, 9)).map(({ closure_id }) => closure_id),
        [other]
      )
    })
  )

  it.effect("names who has booked it when the file says so, also in another room, and changes nothing", () =>
    Effect.gen(function* () {
      yield* begin(1)
      const { booking_id, reference } = yield* bookAt("11:00", 2, 1)
      const refused = yield* Effect.flip(importSays([fileSays()], false, 1))
      assert(refused._tag === "BookingsInTheWay")
      assert.deepStrictEqual(
        refused.bookings.map((one) => [one.reference, one.why]),
        [
          [
            reference,
            "1 × Bubble machine of Playroom 1, out of order 2026-12-05T10:30:00Z to 2026-12-05T12:00:00Z: Burst seam"
          ]
        ]
      )
      assert.deepStrictEqual(yield* named, [])
      assert.lengthOf((yield* importSays([fileSays()], true, 1)).overridden, 1)
      assert.deepStrictEqual(yield* named, [[booking_id, "Bubble machine, out of order: Burst seam"]])
      // It was forced: the same file is imported again, and another reason names nobody anew.
      yield* importSays([fileSays()], false, 1)
      yield* importSays([fileSays({ reason: "The pump" })], false, 1)
      assert.deepStrictEqual(yield* named, [[booking_id, "Bubble machine, out of order: The pump"]])
      // Two of three are free of it.
      yield* begin(3)
      yield* bookAt("11:00", 2, 1)
      yield* importSays([fileSays({ units: 2 })], false, 3)
      assert.deepStrictEqual(yield* named, [])
    })
  )

  it.effect("must be an add-on of the playroom with so much stock, once at a time", () =>
    Effect.gen(function* () {
      yield* begin(2)
      const { add_on: _, ...room } = fileSays()
      const issues = (...says: Closures) =>
        Effect.map(Effect.flip(importSharing({ "bubble-machines": 2 }, roomsWith(says))), (error) =>
          error._tag === "CatalogueInvalid" ? error.issues.map(({ message, path }) => [path, message]) : error
        )
      assert.deepStrictEqual(
        [
          yield* issues(fileSays({ add_on: "castle" })),
          yield* issues(fileSays({ add_on: String(lamp) })),
          yield* issues(fileSays({ units: 3 })),
          yield* issues(fileSays(), fileSays({ to: "2026-12-05T11:00:00Z" })),
          yield* issues({ ...room, units: 1 })
        ],
        [
          [["playrooms[0].closures[0].add_on", "The playroom has no add-on castle"]],
          [["playrooms[0].closures[0].add_on", "Give Lamp a `stock`: how many there are of it"]],
          [["playrooms[0].closures[0].units", "Expected at most the stock, 2 of bubble-machines"]],
          [["playrooms[0].closures[1]", "Overlaps closures[0]"]],
          [["playrooms[0].closures[0].units", 'Expected an "add_on" beside it, of which so many are out of order']]
        ]
      )
      // The room may be closed meanwhile.
      yield* importSharing({ "bubble-machines": 2 }, roomsWith([fileSays(), room]))
      assert.notInclude(yield* timesOf(1, 0), "11:00")
    })
  )

  /** A booking at eleven that is paid, and whose machine breaks then. */
  const broken = Effect.gen(function* () {
    yield* begin(1)
    const booking = yield* bookAt("11:00", 1, 1)
    const said = yield* actAtProvider(yield* openSession(booking), "pay")
    yield* deliverAndApply(sessionEvent("checkout.session.completed", said, { account: "acct_7" }))
    yield* breaks()
    return booking
  })
  const lettersOf = (booking_id: string) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      return yield* sql`select kind, words, before -> 'extras' as extras from letter where booking_id = ${booking_id} order by seq`
    })

  it.effect("is written of to who has it, in the venue's words, once; the booking stays", () =>
    Effect.gen(function* () {
      const { booking_id } = yield* broken
      const { of, plan, resolve } = yield* affectedBookings
      const words = "The seam is burst.\n\nWe try to mend it by Friday."
      const write = (): AffectedWish => ({ action: "write", words })
      const through = yield* BookingList.use((list) => list.committedThrough)
      const planned = yield* Stream.runCollect(plan(of({ operator_id }), write, { as: "operator" }))
      assert.deepStrictEqual(
        planned.map(({ would }) => [would?.written, would?.refund.amount]),
        [[true, 0]]
      )
      const confirmed = { kind: "confirmed", words: null, extras: null }
      assert.deepStrictEqual(yield* lettersOf(booking_id), [confirmed])
      const carryOut = Stream.runCollect(
        resolve(of({ operator_id }), write, { through, who: { as: "operator", name: who } })
      )
      assert.deepStrictEqual(
        (yield* carryOut).map(({ outcome }) => outcome),
        ["done"]
      )
      const both = [confirmed, { kind: "from_venue", words, extras: null }]
      assert.deepStrictEqual(yield* lettersOf(booking_id), both)
      // Cut off and sent again, it writes to nobody twice.
      assert.deepStrictEqual(
        (yield* carryOut).map(({ outcome }) => outcome),
        ["failed"]
      )
      assert.deepStrictEqual(yield* lettersOf(booking_id), both)
      assert.lengthOf(yield* named, 1)
      const sql = yield* SqlClient.SqlClient
      const [line] = yield* sql`select event, detail, done_by from booking_history
        where booking_id = ${booking_id} order by seq desc limit 1`
      assert.deepStrictEqual(line, {
        event: "written_to",
        detail: "The seam is burst. We try to mend it by Friday.",
        done_by: who
      })
    })
  )

  it.effect("costs no family more by a swap, unless a person says that it pays; the letter tells of the extras", () =>
    Effect.gen(function* () {
      const { booking_id } = yield* broken
      const { of, plan, resolve } = yield* affectedBookings
      const dear = (pays: boolean) => (): AffectedWish => ({ action: "swap", add_on_id: tower, pays })
      const planned = (pays: boolean) =>
        Effect.map(
          Stream.runCollect(plan(of({ operator_id }), dear(pays), { as: "operator" })),
          (all) => all[0] ?? assert.fail("nothing is planned")
        )
      const { refused, would } = yield* planned(false)
      assert.deepInclude(refused, { _tag: "CostsMore" })
      assert.isUndefined(would)
      assert.strictEqual((yield* planned(true)).would?.change?.balance.amount, 800)
      const through = yield* BookingList.use((list) => list.committedThrough)
      const outcomes = (pays: boolean) =>
        Effect.map(
          Stream.runCollect(resolve(of({ operator_id }), dear(pays), { through, who: { as: "operator" } })),
          (done) => done.map(({ outcome }) => outcome)
        )
      assert.deepStrictEqual(yield* outcomes(false), ["failed"])
      assert.deepStrictEqual(yield* outcomes(true), ["done"])
      const [, changed] = yield* lettersOf(booking_id)
      assert.deepStrictEqual(changed, {
        kind: "changed",
        words: null,
        extras: [{ name: "Bubble machine", quantity: 1 }]
      })
    })
  )

  it.effect("is out of order on every node at once, and in order again", () =>
    Effect.gen(function* () {
      yield* begin(1)
      // Both have read what is free.
      assert.deepStrictEqual([yield* timesOf(2, 1), yield* elsewhere(timesOf(2, 1))], [all, all])
      const option = (yield* elsewhere(optionsOf(2, 1))).find(({ start }) => start.slice(11, 16) === "11:00")
      const { made } = yield* breaks()
      assert.deepStrictEqual(yield* elsewhere(timesOf(2, 1)), around)
      const refused = yield* Bookings.use((bookings) =>
        bookings.create(principal(), { option_id: option?.option_id ?? "", contact: contact("elsewhere") })
      ).pipe(Effect.flip, elsewhere)
      assert.deepInclude(refused, { _tag: "SlotUnavailable", reason: "add_ons_taken" })
      yield* elsewhere(mends(made[0]))
      assert.deepStrictEqual(yield* timesOf(2, 1), all)
    })
  )
})
