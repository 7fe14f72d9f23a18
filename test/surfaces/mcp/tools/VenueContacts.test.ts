import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Operators } from "../../../../src/domain/catalogue/Operators.ts"
import type { Venue } from "../../../../src/domain/catalogue/Playroom.ts"
import { instructions } from "../../../../src/surfaces/mcp/transport/SdkBridge.ts"
import { cancelAsOperator } from "../../../support/Acts.ts"
import { setClock } from "../../../support/BookingWorld.ts"
import {
  ask,
  createCall,
  inside,
  optionFor,
  payCall,
  payingPackage,
  playroom_id,
  type Run
} from "../../../support/Assistant.ts"
import { deleteBookings, now } from "../../../support/PaymentWorld.ts"
import {
  callTool,
  type Fault,
  importCatalogue,
  issuesOf,
  newGuest,
  newKey,
  restoreCatalogue,
  toolWorld,
  venue
} from "../../../support/ToolWorld.ts"

const contact = { email: "hello@example.com", phone: "+44 20 7946 0018" }
const bring = "Grip socks, and a signed waiver for every child."
const quiet_hours = [{ weekday: "saturday" as const, opens: "10:00", closes: "11:00" }]

/** The venue with these ways to reach it. */
const reachedBy = ({ email, phone }: { readonly email?: string; readonly phone?: string }): Partial<Venue> => {
  const { phone: _phone, support_email: _email, ...operator } = venue.operator
  return {
    operator: {
      ...operator,
      ...(email === undefined ? {} : { support_email: email }),
      ...(phone === undefined ? {} : { phone })
    },
    playroom: { ...venue.playroom, bring, quiet_hours, accessibility_features: ["quiet_hours"] }
  }
}

let runs = 0
/** A caller and a person of its own, on an empty calendar. */
const person = Effect.fnUntraced(function* (changes: Partial<Venue> = reachedBy(contact)) {
  yield* setClock(now)
  yield* deleteBookings
  yield* importCatalogue(changes)
  yield* Operators.use((operators) => operators.resume(venue.operator.operator_id))
  runs++
  const known = {
    playroom_id,
    date: "2026-12-05",
    children: 8,
    contact: { name: "Ana", email: `v${runs}@example.com` }
  }
  const run: Run = { who: { key: yield* newKey(), address: `198.51.100.${runs}` }, known, bound: false }
  return run
})

const options = ({ known: { children, date }, who }: Run, more: object = {}) =>
  callTool("get_booking_options", { playroom_id, date, children, ...more }, who)
const faultOf = (told: Effect.Success<ReturnType<typeof callTool>>): Fault =>
  "fault" in told ? told.fault : assert.fail(JSON.stringify(told.result))
const resultOf = (told: Effect.Success<ReturnType<typeof callTool>>) =>
  "result" in told ? told.result : assert.fail(JSON.stringify(told.fault))
const member = (value: unknown, name: string): unknown => Reflect.get(Object(value), name)

/** The fault is of this code, and says where the venue's contact is. */
const asks = (told: Effect.Success<ReturnType<typeof callTool>>, code: string) => {
  const fault = faultOf(told)
  assert.strictEqual(fault.code, code)
  assert.deepStrictEqual(fault.details?.contact, contact)
  assert.include(fault.fix, "details.contact")
}

layer(toolWorld)("whom to ask, what to bring and when it is quiet", (it) => {
  it.effect("get_playroom tells it, and leaves out what the venue did not say", () =>
    Effect.gen(function* () {
      const { who } = yield* person()
      const { playroom } = yield* ask("get_playroom", { playroom_id }, who)
      assert.deepInclude(playroom, { contact, bring, quiet_hours })
      const { support_email, ...operator } = venue.operator
      assert.isDefined(support_email)
      for (const [changes, told] of [
        [reachedBy({ email: contact.email }), { email: contact.email }],
        [reachedBy({ phone: contact.phone }), { phone: contact.phone }],
        [reachedBy({}), undefined]
      ] as const) {
        const { who } = yield* person(changes)
        const { playroom } = yield* ask("get_playroom", { playroom_id }, who)
        assert.deepStrictEqual(member(playroom, "contact"), told)
      }
      yield* importCatalogue({ operator, playroom: { ...venue.playroom, bring: "Socks.", quiet_hours: [] } })
      const { playroom: bare } = yield* ask("get_playroom", { playroom_id }, who)
      assert.notProperty(bare, "quiet_hours")
    })
  )

  it.effect("options and a booking say what to bring, and a booking how its operator is reached", () =>
    Effect.gen(function* () {
      const run = yield* person()
      assert.deepInclude(resultOf(yield* options(run)), { bring })
      const { input, tool } = createCall(run, yield* optionFor(run))
      const { booking } = yield* ask(tool, input, run.who)
      assert.deepInclude(booking, { bring, operator: { name: venue.operator.name, ...contact } })
      const seen = yield* ask("get_booking", { booking_id: inside(booking, "booking_id") }, run.who)
      assert.deepInclude(seen.booking, { bring, operator: { name: venue.operator.name, ...contact } })
      yield* importCatalogue()
      const { booking: today } = yield* ask("get_booking", { booking_id: inside(booking, "booking_id") }, run.who)
      assert.deepInclude(today, { bring: venue.playroom.bring })
    })
  )

  it.effect("a page without options says whom to ask, and one with options does not", () =>
    Effect.gen(function* () {
      const run = yield* person()
      const none = resultOf(yield* options({ ...run, known: { ...run.known, children: 200 } }))
      assert.deepInclude(none, { none_because: "party_too_large", contact })
      assert.notProperty(resultOf(yield* options(run)), "contact")
    })
  )

  it.effect("what has no field here is refused with whom to ask, wherever the call names a venue", () =>
    Effect.gen(function* () {
      const run = yield* person()
      const option_id = yield* optionFor(run)
      const { input, tool } = createCall(run, option_id)
      const { booking } = yield* ask(tool, input, run.who)
      const booking_id = inside(booking, "booking_id")
      for (const told of [
        yield* options(run, { discount_code: "KIDS10" }),
        yield* callTool("create_booking", { ...input, discount_code: "KIDS10" }, run.who),
        yield* callTool("create_payment_session", { booking_id, discount_code: "KIDS10" }, run.who)
      ]) {
        asks(told, "invalid_arguments")
        assert.match(
          issuesOf(faultOf(told))[0]?.message ?? "",
          /^Unknown field, leave discount_code out; .*this service can't do it and that the venue can be asked/
        )
      }
      const ages = {
        ...input,
        child_ages: Array.from({ length: 8 }, () => venue.playroom.age_max + 1),
        contact: { name: "B", email: "b@example.com" }
      }
      asks(yield* callTool("create_booking", ages, run.who), "invalid_arguments")
      // A mistake that the assistant can mend by itself is no question for the venue.
      assert.notProperty(faultOf(yield* options(run, { start_after: "noon" })).details, "contact")
    })
  )

  it.effect("failures that end in a question to the venue have its contact", () =>
    Effect.gen(function* () {
      const run = yield* person()
      const operators = yield* Operators
      const pkg = payingPackage
      const book = Effect.fnUntraced(function* (of: Run) {
        const { input, tool } = createCall(of, yield* optionFor(of))
        const { booking } = yield* ask(tool, input, of.who)
        return inside(booking, "booking_id")
      })
      const other = (email: string): Run => ({ ...run, known: { ...run.known, contact: { name: "Bo", email } } })

      // Booked by somebody else, and by the same person in another chat.
      const option_id = yield* optionFor(run)
      const booking_id = yield* book(run)
      const second = createCall(other("second@example.com"), option_id)
      asks(yield* callTool(second.tool, second.input, run.who), "slot_unavailable")
      yield* cancelAsOperator(booking_id, { refund: "terms", reason: "test", preview: false })
      asks(yield* callTool("create_payment_session", { booking_id }, run.who), "booking_cancelled")
      const guests = [yield* newGuest("203.0.113.250"), yield* newGuest("203.0.113.251")]
      const [made, again] = yield* Effect.forEach(guests, ({ token }) =>
        callTool("create_booking", { option_id, contact: run.known.contact }, { token })
      )
      assert.property(made, "result")
      assert(again !== undefined)
      asks(again, "already_booked")
      yield* deleteBookings

      // The party is too large since the package changed.
      yield* importCatalogue({ ...reachedBy(contact), packages: [{ ...pkg, max_children: 7 }] })
      asks(yield* callTool("create_booking", createCall(run, option_id).input, run.who), "slot_unavailable")
      yield* importCatalogue(reachedBy(contact))

      const held = yield* book(run)
      yield* operators.suspend(venue.operator.operator_id)
      asks(yield* options(run), "operator_unavailable")
      asks(yield* callTool("create_booking", second.input, run.who), "operator_unavailable")
      asks(yield* callTool("create_payment_session", { booking_id: held }, run.who), "operator_unavailable")
      yield* operators.resume(venue.operator.operator_id)
      yield* TestClock.adjust("2 hours")
      asks(yield* callTool("create_payment_session", { booking_id: held }, run.who), "hold_expired")
    })
  )

  it.effect("no failure speaks of a contact that the venue has not given", () =>
    Effect.gen(function* () {
      const run = yield* person(reachedBy({}))
      for (const told of [
        yield* options(run, { discount_code: "KIDS10" }),
        yield* callTool("create_booking", { option_id: yield* optionFor(run), discount_code: "KIDS10" }, run.who)
      ]) {
        const { details, fix } = faultOf(told)
        assert.notProperty(details, "contact")
        assert.notInclude(fix, "details.contact")
      }
    })
  )

  it.effect("a booking that a key does not see tells nothing of its venue, and no id breaks the answer", () =>
    Effect.gen(function* () {
      const run = yield* person()
      const call = createCall(run, yield* optionFor(run))
      const { booking } = yield* ask(call.tool, call.input, run.who)
      const booking_id = inside(booking, "booking_id")
      const stranger = { key: yield* newKey(), address: `203.0.113.${runs}` }
      const { input, tool } = payCall(booking_id, { discount_code: "KIDS10" })
      assert.deepStrictEqual(
        faultOf(yield* callTool(tool, input, stranger)),
        faultOf(yield* callTool(tool, { ...input, booking_id: `${booking_id.slice(0, -4)}zzzz` }, stranger))
      )
      for (const id of [
        "",
        " ",
        "\u0000",
        "x".repeat(300_000),
        "playroom_x",
        5,
        null,
        {},
        [playroom_id],
        "option_\ud800"
      ])
        for (const [name, field] of [
          ["get_booking_options", "playroom_id"],
          ["create_booking", "option_id"],
          ["create_payment_session", "booking_id"]
        ] as const) {
          const fault = faultOf(yield* callTool(name, { [field]: id, discount_code: "KIDS10" }, stranger))
          assert.strictEqual(fault.code, "invalid_arguments")
          assert.notProperty(fault.details, "contact")
        }
    })
  )

  it.effect("the instructions say where the contact is, and when a person may be told to call", () =>
    Effect.gen(function* () {
      yield* restoreCatalogue
      for (const words of [
        "contact in get_playroom",
        "details of errors",
        "operator in a booking",
        "only if it has a phone"
      ])
        assert.include(instructions, words)
    })
  )
})
