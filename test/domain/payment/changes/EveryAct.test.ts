/** What holds for every act: who may do it, the order of its locks, and what is decided by which facts. */
import { readdir } from "node:fs/promises"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Predicate, Result, Schema, type Tracer } from "effect"
import type { BookingRow } from "../../../../src/domain/booking/Booking.ts"
import { BookingMutex, PlayroomSemaphore } from "../../../../src/domain/booking/PlayroomSemaphore.ts"
import { OperatorId, RefundId } from "../../../../src/platform/ids/Ids.ts"
import { hourMs } from "../../../../src/platform/time/LocalTime.ts"
import type { Act, FormField } from "../../../../src/domain/payment/changes/Act.ts"
import {
  type Actor,
  type BookingChange,
  BookingChanges,
  type PreparedChange,
  type Situation
} from "../../../../src/domain/payment/changes/BookingChanges.ts"
import { answerQuestions } from "../../../../src/domain/payment/changes/AnsweredQuestions.ts"
import { cancel, releaseUnpaid } from "../../../../src/domain/payment/changes/Cancellations.ts"
import { goodwill, RefundTooLarge } from "../../../../src/domain/payment/changes/RefundDecision.ts"
import { money } from "../../../../src/platform/money/Money.ts"
import { ScriptedGateway } from "../../../support/ScriptedGateway.ts"
import {
  giveBackByHand,
  markAttendance,
  renewLink,
  sendLink,
  writeToFamily
} from "../../../../src/domain/payment/changes/Presses.ts"
import { undoPayment, payAtVenue, payByVoucher } from "../../../../src/domain/payment/changes/VenuePayments.ts"
import { changeParty, moveVisit } from "../../../../src/domain/payment/changes/VisitChanges.ts"
import { type DeskRight, mayDo } from "../../../../src/domain/people/staff/StaffMember.ts"
import { importVenue, setClock } from "../../../support/BookingWorld.ts"
import { bookOption, moveWorld, optionOn, rowOf } from "../../../support/moveWorld.ts"
import { deleteBookings, failureTag, now, payBooking, setClockBefore } from "../../../support/PaymentWorld.ts"
import { sellVoucher } from "../../../support/Acts.ts"
import { recordingTracer } from "../../../support/recordedSpans.ts"
import { idOf } from "../../../support/catalogues.ts"
import { packageWith, testId, venueWith } from "../../../support/venues.ts"

const quiet = "2027-01-04"
/** £50 now, £150 three days before; unpaid a day later, the places are released. On one quiet day all of it is £50. */
const party = packageWith({
  package_id: testId.package(961),
  name: "Party",
  mode: "exclusive",
  duration_minutes: 120,
  max_children: 12,
  pricing: {
    base: 20_000,
    included_children: 12,
    extra_child: 0,
    adult: 0,
    rules: [{ label: "Quiet", date_from: quiet, date_to: quiet, change: { amount: -15_000 } }]
  },
  schedule: { times: ["10:00"] },
  cancellation: [{ hours_before: 24, refund_percent: 50 }],
  free_reschedule_hours_before: 24,
  payment: {
    kind: "deposit",
    deposit: { amount: 5000 },
    balance_due_hours_before: 72,
    release_unpaid_after_hours: 24,
    refundable: true
  }
})
const hall = venueWith({ playroom_id: testId.playroom(96), name: "Hall of Acts", capacity: 12 }, [party])

/** Of these there is one in the service: who holds them in a test holds them for an act. */
const world = moveWorld.pipe(Layer.provideMerge(Layer.merge(BookingMutex.layer, PlayroomSemaphore.layer)))
const playroomPermits = 4

let days = 0
/** A booking of which the deposit is paid by link, and £40 of the rest at the venue. */
const partlyPaid = Effect.gen(function* () {
  yield* importVenue(hall)
  yield* deleteBookings
  yield* setClock(now)
  const date = `2026-12-${10 + (days++ % 20)}`
  const booking = yield* bookOption(yield* optionOn(date, "10:00", { ...hall.playroom, pkg: party }))
  const session = yield* payBooking(booking)
  const wish = { amount: 4000, way: "cash" } as const
  const { payment_session_id: payment = assert.fail("not recorded") } = yield* BookingChanges.use(({ run }) =>
    run(payAtVenue, booking.booking_id, wish, { preview: false, who: { as: "operator" } })
  )
  codes.own = yield* sellVoucher(hall.operator.operator_id, 1000)
  const cheaper = yield* optionOn(quiet, "10:00", { ...hall.playroom, pkg: party })
  return { booking: yield* rowOf(booking), payment, session, cheaper }
})
type Booked = Effect.Success<typeof partlyPaid>
const readyFor = ({ ready }: Pick<Row, "ready">) => Effect.tap(partlyPaid, ready)

const operator: Actor = { as: "operator" }
const { operator_id } = hall.operator
const staff = (role: "desk" | "manager", at = operator_id): Actor => ({
  as: "staff",
  name: "Ann",
  operator_id: at,
  role
})

/** The code of a voucher of £10. */
const codes = { own: "" }

/** The refund that waits for the venue. */
let waiting = RefundId.make("refund_00000000000000000000000000")

interface Row {
  readonly name: string
  /** Of its change, by which it is known. */
  readonly span: string
  readonly asks: boolean
  /** What its change needs of a role; none: no person makes it. */
  readonly rights: ReadonlyArray<DeskRight> | undefined
  readonly forFamilies: boolean
  /** What it does with the booking's places, whose resources it locks; nothing if absent. */
  readonly places?: "exchanges" | "gives back"
  /** Makes it possible for a booking that is partly paid. */
  readonly ready: (booked: Booked) => Effect.Effect<unknown, { readonly _tag: string }, BookingChanges>
  readonly run: (
    booked: Booked,
    who: Actor,
    preview: boolean
  ) => Effect.Effect<unknown, { readonly _tag: string }, BookingChanges>
}

const rowOfAct = <Wish, Decided, Done extends object, E extends { readonly _tag: string }>(
  act: BookingChange<Wish, Decided, Done, E> | PreparedChange<Wish, Decided, Done, E>,
  name: string,
  wish: (booked: Booked) => NoInfer<Wish>,
  of: Pick<Row, "asks" | "rights"> & Partial<Pick<Row, "forFamilies" | "places" | "ready">>
): Row => ({
  name,
  span: act.span,
  forFamilies: false,
  ready: () => Effect.void,
  ...of,
  run: (booked, who, preview) =>
    BookingChanges.use(({ run }) => run(act, booked.booking.booking_id, wish(booked), { preview, who }))
})

const acts: ReadonlyArray<Row> = [
  rowOfAct(cancel, "cancel by the terms", () => ({ refund: "terms" as const, reason: "" }), {
    rights: ["cancel_by_terms"],
    asks: true,
    places: "gives back",
    forFamilies: true
  }),
  rowOfAct(cancel, "cancel otherwise", () => ({ refund: "full" as const, reason: "ill" }), {
    rights: ["cancel_by_terms", "cancel_otherwise"],
    asks: true,
    places: "gives back"
  }),
  rowOfAct(goodwill, "give back", () => ({ amount: 100, reason: "cold tea" }), { rights: ["give_back"], asks: true }),
  rowOfAct(payAtVenue, "pay at the venue", () => ({ amount: 1000, way: "card" as const }), {
    rights: ["take_payment"],
    asks: false
  }),
  rowOfAct(payByVoucher, "pay by voucher", () => ({ code: codes.own, rest: "later" as const }), {
    rights: ["take_payment"],
    asks: false,
    forFamilies: true
  }),
  rowOfAct(payByVoucher, "pay by voucher, and the rest in cash", () => ({ code: codes.own, rest: "cash" as const }), {
    rights: ["take_payment"],
    asks: false
  }),
  rowOfAct(undoPayment, "undo a payment", ({ payment }) => ({ payment }), { rights: ["undo_payment"], asks: false }),
  rowOfAct(moveVisit, "move, with money going back", ({ cheaper }) => ({ option_id: cheaper, reason: "" }), {
    rights: ["move"],
    asks: true,
    places: "exchanges",
    forFamilies: true
  }),
  rowOfAct(changeParty, "another party", () => ({ party: { children: 9 }, reason: "" }), {
    rights: ["change_party"],
    asks: false,
    places: "exchanges",
    forFamilies: true
  }),
  rowOfAct(changeParty, "other wishes", () => ({ party: { notes: "No nuts" }, reason: "" }), {
    rights: ["change_party"],
    asks: false,
    forFamilies: true
  }),
  rowOfAct(
    answerQuestions,
    "answers",
    () => ({ questions: [{ slug: "allergies", text: "Allergies?" }], given: { allergies: "nuts" } }),
    { rights: ["change_party"], asks: false, forFamilies: true }
  ),
  rowOfAct(markAttendance, "arrived", () => ({ mark: "arrived" as const, undo: false }), {
    rights: ["mark"],
    asks: false,
    ready: ({ booking }) => setClockBefore(booking, 1)
  }),
  rowOfAct(sendLink, "the link by letter", () => undefined, { rights: ["give_link"], asks: false }),
  rowOfAct(writeToFamily, "a letter of the venue's", () => ({ words: "The castle is broken." }), {
    rights: ["give_link"],
    asks: false
  }),
  rowOfAct(renewLink, "other links", () => undefined, { rights: ["give_link"], asks: false }),
  rowOfAct(giveBackByHand, "given back by hand", () => ({ refund: waiting, way: "cash" as const }), {
    rights: ["take_payment"],
    asks: false,
    ready: ({ booking, payment }) =>
      Effect.gen(function* () {
        const changes = yield* BookingChanges
        const wish = { refund: "full", reason: "ill" } as const
        yield* changes.run(cancel, booking.booking_id, wish, { preview: false, who: operator })
        const { refunds } = yield* changes.situation(booking)
        waiting =
          refunds.find(({ payment_session_id }) => payment_session_id === payment)?.refund_id ??
          assert.fail("no refund")
      })
  })
]

/** By the clock, which has no preview. */
const lapse: Pick<Row, "asks" | "name" | "places" | "ready" | "run"> = {
  name: "release by the clock",
  asks: true,
  places: "gives back",
  ready: ({ booking }) => setClockBefore(booking, 1),
  run: ({ booking }) => BookingChanges.use((changes) => releaseUnpaid(changes, booking.booking_id))
}

const isAct = Schema.is(Schema.Struct({ span: Schema.String, right: Schema.String }))
/** The spans of all acts and presses that there are: whatever a file beside theirs exports. */
const allActs = Effect.gen(function* () {
  const folder = new URL("../../../../src/domain/payment/changes/", import.meta.url)
  const files = yield* Effect.promise(() => readdir(folder))
  const found = yield* Effect.forEach(files, (file) =>
    Effect.promise((): Promise<unknown> => import(new URL(file, folder).href))
  )
  return found.flatMap((exported) =>
    Predicate.isObject(exported) ? Object.values(exported).flatMap((one) => (isAct(one) ? [one.span] : [])) : []
  )
})

const isInTransaction = (span: Tracer.AnySpan | undefined): boolean =>
  span?._tag === "Span" && (span.name === "sql.transaction" || isInTransaction(optionOf(span.parent)))
const optionOf = (parent: Tracer.Span["parent"]) => (parent._tag === "Some" ? parent.value : undefined)

/** What of a recorded run concerns the order of locks. */
const marksOf = (spans: ReadonlyArray<Tracer.Span>): ReadonlyArray<string> =>
  spans.flatMap((span) => {
    const where = isInTransaction(optionOf(span.parent)) ? " in a transaction" : ""
    const text = String(span.attributes.get("db.query.text") ?? "")
    if (span.name === "ProviderRefunds.check") return [`provider${where}`]
    if (/from booking\b.* for no key update/s.test(text)) return [`booking${where}`]
    if (/from payment_session\b.* for no key update/s.test(text)) return [`payments${where}`]
    if (/from resource\b.* for update|release_places/s.test(text)) return [`places${where}`]
    return /insert into booking_history/.test(text) ? [`history${where}`] : []
  })

const inOrder = ({ asks, places }: Pick<Row, "asks" | "places">) => [
  ...(asks ? ["provider"] : []),
  "booking in a transaction",
  "payments in a transaction",
  ...(places === "exchanges" ? ["places in a transaction"] : []),
  "history in a transaction",
  ...(places === "gives back" ? ["places in a transaction"] : [])
]
/** Each mark where it comes first: a lock that is held already may be asked for again. */
const distinct = (marks: ReadonlyArray<string>) => [...new Set(marks)]

/** Lets the others go on, by the system's clock: the test's stands. */
const aMoment = Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 100)))
/** Waits until the marks have come, as long as a busy machine may need, and a moment more for what should not come. */
const untilMarked = Effect.fnUntraced(function* (spans: ReadonlyArray<Tracer.Span>, marks: ReadonlyArray<string>) {
  for (let i = 0; i < 50 && !marks.every((mark) => marksOf(spans).includes(mark)); i++) yield* aMoment
  yield* aMoment
})

/** Holds a booking's turn and all permits of its playroom; `turn` and `permits` let them go. */
const holding = Effect.fnUntraced(function* ({ booking: { booking_id, playroom_id } }: Booked) {
  const { exclusively } = yield* BookingMutex
  const { withPermit } = yield* PlayroomSemaphore
  const [turn, permits] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const before = yield* Effect.forkChild(exclusively(booking_id, Deferred.await(turn)))
  const others = yield* Effect.forEach(Array.from({ length: playroomPermits }), () =>
    Effect.forkChild(withPermit(playroom_id, Deferred.await(permits)))
  )
  yield* aMoment
  return {
    turn: Effect.andThen(Deferred.succeed(turn, undefined), Fiber.join(before)),
    permits: Effect.andThen(Deferred.succeed(permits, undefined), Fiber.joinAll(others))
  }
})

layer(world)("every act", (it) => {
  it.effect("is one of those that are tried here", () =>
    Effect.gen(function* () {
      const tried = [...new Set(acts.map(({ span }) => span))]
      assert.sameMembers([...new Set(yield* allActs)], tried)
    })
  )

  it.effect(
    "asks the provider without a lock, and then locks the booking, its payments and its places, in one transaction",
    () =>
      Effect.gen(function* () {
        for (const one of [...acts, lapse]) {
          const booked = yield* readyFor(one)
          const { spans, tracer } = recordingTracer()
          yield* one.run(booked, operator, false).pipe(Effect.withTracer(tracer))
          assert.deepStrictEqual(distinct(marksOf(spans)), inOrder(one), one.name)
        }
      })
  )

  it.effect("waits for its turn before it does anything, and for the playroom's permit before it locks anything", () =>
    Effect.gen(function* () {
      for (const one of [...acts, lapse]) {
        const booked = yield* readyFor(one)
        const { permits, turn } = yield* holding(booked)
        const { spans, tracer } = recordingTracer()
        const run = yield* Effect.forkChild(one.run(booked, operator, false).pipe(Effect.withTracer(tracer)))
        yield* aMoment
        assert.deepStrictEqual(marksOf(spans), [], `${one.name}: its turn`)
        yield* turn
        const asked = one.asks ? ["provider"] : []
        yield* untilMarked(spans, asked)
        assert.deepStrictEqual(distinct(marksOf(spans)), asked, `${one.name}: the permit`)
        yield* permits
        yield* Fiber.join(run)
        assert.include(marksOf(spans), "history in a transaction", one.name)
      }
    })
  )

  it.effect("takes no lock for a preview, whoever holds them", () =>
    Effect.gen(function* () {
      for (const one of acts) {
        const booked = yield* readyFor(one)
        const { permits, turn } = yield* holding(booked)
        const { spans, tracer } = recordingTracer()
        yield* one.run(booked, operator, true).pipe(Effect.withTracer(tracer))
        assert.deepStrictEqual(distinct(marksOf(spans)), one.asks ? ["provider"] : [], one.name)
        yield* Effect.andThen(turn, permits)
      }
    })
  )

  it.effect("is decided by what the provider knows, and by our own rows alone is not refused", () =>
    Effect.gen(function* () {
      const { booking, session } = yield* partlyPaid
      const provider = yield* ScriptedGateway
      provider.refundInDashboard(session, 1000)
      const told: BookingChange<undefined, number, { readonly known: number }, RefundTooLarge> = {
        span: "Test.tellRefunds",
        right: "give_back",
        asks: true,
        closesPages: false,
        decide: ({ refunds }) => {
          const none = new RefundTooLarge({ booking_id: booking.booking_id, left: money(0, "GBP") })
          return refunds.length === 0 ? Result.fail(none) : Result.succeed(refunds.length)
        },
        outcome: () => ({}),
        answer: (_, known) => ({ known }),
        apply: (as) => Effect.succeed({ booking: as.booking })
      }
      const { run } = yield* BookingChanges
      for (const preview of [true, false]) {
        const done = yield* run(told, booking.booking_id, undefined, { preview, who: operator })
        assert.strictEqual(done.known, 1)
      }
    })
  )

  it.effect("is refused before anything is read to whom it is not allowed", () =>
    Effect.gen(function* () {
      for (const one of acts) {
        const booked = yield* readyFor(one)
        for (const role of ["desk", "manager"] as const) {
          const allowed = one.rights?.every((right) => mayDo(role, right)) ?? false
          const tried = Effect.result(one.run(booked, staff(role), true))
          assert.strictEqual(Result.isSuccess(yield* tried), allowed, `${one.name}, ${role}`)
        }
        const stranger = staff("manager", OperatorId.make(idOf("operator", 7)))
        assert.strictEqual(yield* failureTag(one.run(booked, stranger, true)), "BookingNotFound", one.name)
        const { spans, tracer } = recordingTracer()
        const family = yield* Effect.result(one.run(booked, { as: "family" }, true).pipe(Effect.withTracer(tracer)))
        assert.strictEqual(Result.isSuccess(family), one.forFamilies, `${one.name}, family`)
        if (one.forFamilies) continue
        assert.strictEqual(yield* failureTag(one.run(booked, { as: "family" }, false)), "NotAllowed")
        assert.deepStrictEqual(
          spans.filter(({ attributes }) => attributes.has("db.query.text")),
          [],
          one.name
        )
      }
    })
  )

  it.effect("has the fields that its wish is read of", () =>
    Effect.gen(function* () {
      const { booking } = yield* partlyPaid
      const typed = (name: string) =>
        ({ amount: "10", reason: "ill", refund: "full", way: "cash", payment: "payment_1" })[name] ?? ""
      const readOf = <Wish>(act: Pick<Act<Wish, never, never, never>, "wish">) => {
        const read: Array<string> = []
        const wish = act.wish((field) => {
          read.push(field.name)
          return field.read(typed, booking)
        })
        assert.isTrue(Result.isSuccess(wish))
        return read
      }
      const names = (fields: ReadonlyArray<FormField>) => fields.map(({ name }) => name)
      for (const act of [cancel, goodwill, payAtVenue, undoPayment]) assert.isNotEmpty(act.fields)
      assert.deepStrictEqual(readOf(cancel), names(cancel.fields))
      assert.deepStrictEqual(readOf(goodwill), names(goodwill.fields))
      assert.deepStrictEqual(readOf(payAtVenue), names(payAtVenue.fields))
      assert.deepStrictEqual(readOf(undoPayment), names(undoPayment.fields))
    })
  )
})

/** What a change decides of a situation: its outcome, or the tag and the reason of its refusal. */
const decided = <Wish, Decided, Done extends object, E extends { readonly _tag: string }>(
  change: BookingChange<Wish, Decided, Done, E>,
  as: Situation,
  wish: Wish,
  by: Actor["as"] = "operator"
) =>
  Result.match(
    Result.flatMap(change.open?.(as, by, "made") ?? Result.void, () => change.decide(as, wish)),
    {
      onFailure: (error) => ("reason" in error ? `${error._tag}: ${error.reason}` : error._tag),
      onSuccess: (done) => change.outcome(done, wish)
    }
  )

layer(world)("what an act decides", (it) => {
  it.effect("follows from the booking, its payments, refunds and disputes, and the time", () =>
    Effect.gen(function* () {
      const { booking, payment } = yield* partlyPaid
      const as = yield* BookingChanges.use(({ situation }) => situation(booking))
      const { booking_id } = booking
      const having = (row: Partial<BookingRow>, more: Partial<Situation> = {}): Situation => ({
        ...as,
        ...more,
        booking: { ...booking, ...row }
      })
      const at = (hours: number) => ({ now: booking.starts_at - hours * hourMs })
      const processing = as.sessions.map((one) =>
        one.way === "link" ? { ...one, status: "processing" as const } : one
      )
      const cancelled = having({ status: "cancelled" })
      const expired = having({ status: "expired" })
      const back = (refund: number) => ({ refund, given_back: 0, disputed: 0 })

      const terms = { refund: "terms", reason: "" } as const
      const cancelling: ReadonlyArray<readonly [Situation, Parameters<typeof cancel.decide>[1], Actor["as"], unknown]> =
        [
          [as, terms, "operator", back(4500)],
          [having({}, at(24)), terms, "operator", back(4500)],
          [having({}, at(23)), terms, "operator", back(0)],
          [having({}, at(23)), { refund: "full", reason: "ill" }, "operator", back(9000)],
          [as, { refund: "none", reason: "ill" }, "operator", back(0)],
          [as, { refund: { amount: 9000 }, reason: "ill" }, "operator", back(9000)],
          [as, { refund: { amount: 9001 }, reason: "ill" }, "operator", "RefundTooLarge"],
          [having({}, at(0)), terms, "operator", back(0)],
          [having({}, at(0)), terms, "family", "VisitBegun"],
          [cancelled, terms, "family", "BookingCancelled"],
          [expired, terms, "family", "HoldExpired"]
        ]
      for (const [now, wish, by, expected] of cancelling)
        assert.deepStrictEqual(decided(cancel, now, wish, by), expected)

      const giving: ReadonlyArray<readonly [Situation, number, unknown]> = [
        [as, 1, back(1)],
        [as, 9000, back(9000)],
        [as, 9001, "RefundTooLarge"],
        [cancelled, 100, back(100)]
      ]
      for (const [now, amount, expected] of giving)
        assert.deepStrictEqual(decided(goodwill, now, { amount, reason: "cold tea" }), expected)

      const heldUntil = (hold_expires_at: number) => having({ status: "held", hold_expires_at }, { sessions: [] })
      const paying: ReadonlyArray<readonly [Situation, number, unknown]> = [
        [as, 11_000, { amount: 11_000, way: "card", left: 0 }],
        [as, 1000, { amount: 1000, way: "card", left: 10_000 }],
        [as, 11_001, "VenuePaymentRefused: more_than_owed"],
        [having({}, { sessions: processing }), 1000, "VenuePaymentRefused: processing"],
        [heldUntil(as.now + 1), booking.due_now - 1, "VenuePaymentRefused: less_than_due"],
        [heldUntil(as.now), booking.due_now, "HoldExpired"],
        [cancelled, 1000, "BookingCancelled"],
        [expired, 1000, "HoldExpired"]
      ]
      for (const [now, amount, expected] of paying)
        assert.deepStrictEqual(decided(payAtVenue, now, { amount, way: "card" }), expected)

      const link =
        as.sessions.find(({ way }) => way === "link")?.payment_session_id ?? assert.fail("no payment by link")
      const undoing: ReadonlyArray<readonly [Situation, string, unknown]> = [
        [as, payment, { undone: payment, left: 15_000 }],
        [as, link, "UndoRefused: not_recorded"],
        [as, booking_id, "UndoRefused: not_recorded"],
        [cancelled, payment, "UndoRefused: ended"],
        [having({ refunded: 1 }), payment, "UndoRefused: given_back"],
        [having({}, { sessions: processing }), payment, "UndoRefused: processing"],
        [having({}, { now: booking.ends_at + 32 * 24 * hourMs }), payment, "UndoRefused: too_late"]
      ]
      for (const [now, id, expected] of undoing)
        assert.deepStrictEqual(decided(undoPayment, now, { payment: id }), expected)
    })
  )
})
