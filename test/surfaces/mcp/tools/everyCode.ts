/** Every code that a tool may fail with, by a real call; and the answers that are no failure and yet lead on. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { Package } from "../../../../src/domain/catalogue/Package.ts"
import { Operators } from "../../../../src/domain/catalogue/Operators.ts"
import { addDays } from "../../../../src/platform/time/LocalTime.ts"
import { cancelAsOperator } from "../../../support/Acts.ts"
import { setClock } from "../../../support/BookingWorld.ts"
import {
  ask,
  bookFor,
  type Call,
  create,
  createCall,
  foreignId,
  inside,
  type Loop,
  optionFor,
  payCall,
  payFor,
  payingPackage,
  playroom_id,
  type Run,
  type Services
} from "../../../support/Assistant.ts"
import { actAndDeliver, sessionRow } from "../../../support/PaymentWorld.ts"
import { type Fault, ScriptedGateway } from "../../../support/ScriptedGateway.ts"
import {
  cake,
  callsPerAddress,
  callTool,
  freePackage,
  holdsPerEmail,
  importCatalogue,
  newGuest,
  newKey,
  otherVenue,
  venue
} from "../../../support/ToolWorld.ts"

let addresses = 0
const deposit = venue.packages[1] ?? payingPackage

const asks = (input: Call["input"]): Call => ({ tool: "get_booking_options", input })
const faultOf = (fault: Fault) =>
  ScriptedGateway.use((provider) => Effect.sync(() => provider.injectFault("createSession", fault)))

/** Books an option after something has happened to it. */
const booksAfter = (happens: (run: Run) => Effect.Effect<unknown, unknown, Services>): Loop["start"] =>
  Effect.fnUntraced(function* (run) {
    const option_id = yield* optionFor(run)
    yield* happens(run)
    return { call: createCall(run, option_id) }
  })

/** Asks for a page to pay a booking on, after something has happened to the booking. */
const paysAfter = (
  happens: (booking_id: string, run: Run) => Effect.Effect<unknown, unknown, Services>,
  { input, pkg }: { readonly input?: Call["input"]; readonly pkg?: Package } = {}
): Loop["start"] =>
  Effect.fnUntraced(function* (run) {
    const booking_id = yield* bookFor(run, pkg)
    yield* happens(booking_id, run)
    return { call: payCall(booking_id, input), known: { booking_id } }
  })

export const loops: ReadonlyArray<Loop> = [
  { code: "api_key_missing", what: "no key", end: "told", start: (run) => create(run, { ...run.who, key: undefined }) },
  {
    code: "api_key_invalid",
    what: "a wrong key",
    end: "told",
    start: (run) => create(run, { ...run.who, key: "playroom_key_x" })
  },
  {
    code: "api_key_scope",
    what: "a key that only reads",
    end: "told",
    start: (run) => Effect.flatMap(newKey({ scopes: ["bookings:read"] }), (key) => create(run, { ...run.who, key }))
  },
  {
    code: "rate_limited",
    what: "an address that asked too often",
    end: "booked",
    start: ({ known, who }) =>
      Effect.gen(function* () {
        const address = `198.51.100.${++addresses}`
        for (let i = 0; i < callsPerAddress; i++) yield* callTool("search_playrooms", {}, { address })
        const input = { playroom_id, date: known.date, children: known.children }
        return { call: { tool: "get_booking_options", input }, who: { ...who, address } }
      })
  },
  {
    code: "invalid_arguments",
    what: "fields that are wrong, unknown and missing",
    end: "booked",
    start: ({ known }) =>
      Effect.succeed({
        call: asks({
          playroom_id: "the big hall",
          children: "eight",
          cursor: "nonsense",
          colour: "red",
          date_to: "soon",
          near: 3
        }),
        known
      })
  },
  {
    code: "invalid_arguments",
    what: "add-ons that are not sold so, a foreign cursor and too long a range",
    end: "booked",
    start: ({ known }) =>
      Effect.succeed({
        call: asks({
          playroom_id,
          date: known.date,
          children: 8,
          cursor: "nonsense",
          date_to: addDays(known.date, 90),
          add_ons: [{ add_on_id: cake.add_on_id, quantity: 100 }]
        })
      })
  },
  {
    code: "playroom_not_found",
    what: "an unknown playroom",
    end: "bound_told",
    start: ({ known }) =>
      Effect.succeed({
        call: asks({ playroom_id: foreignId(playroom_id), date: known.date, children: 8 })
      })
  },
  {
    code: "package_not_found",
    what: "another playroom's package",
    end: "booked",
    start: ({ known }) =>
      Effect.succeed({
        call: asks({
          playroom_id,
          date: known.date,
          children: 8,
          package_id: otherVenue.packages[0]?.package_id
        })
      })
  },
  {
    code: "booking_not_found",
    what: "an id that was copied wrongly",
    end: "to_pay",
    start: (run) =>
      Effect.map(bookFor(run), (booking_id) => ({
        call: { tool: "get_booking", input: { booking_id: foreignId(booking_id) } },
        known: { booking_id }
      }))
  },
  {
    code: "booking_not_found",
    what: "another key's booking",
    end: "told",
    start: (run) =>
      Effect.gen(function* () {
        const booking_id = yield* bookFor(run)
        return { call: payCall(booking_id), known: { booking_id }, who: { ...run.who, key: yield* newKey() } }
      })
  },
  {
    code: "option_invalid",
    what: "an id that was copied wrongly",
    end: "booked",
    start: (run) =>
      Effect.map(optionFor(run), (option_id) => ({
        call: createCall(run, option_id.slice(0, 20) + option_id.slice(21))
      }))
  },
  {
    code: "option_invalid",
    what: "a start that has passed",
    end: "booked",
    start: booksAfter((run) => setClock(`${run.known.date}T23:00:00Z`))
  },
  {
    code: "option_invalid",
    what: "add-ons of which fewer are sold now",
    end: "booked",
    start: (run) =>
      Effect.gen(function* () {
        const add_ons = [{ add_on_id: cake.add_on_id, quantity: 3 }]
        const option_id = yield* optionFor(run, payingPackage, { add_ons })
        yield* importCatalogue({ add_ons: venue.add_ons.map((addOn) => ({ ...addOn, max_quantity: 2 })) })
        return { call: createCall(run, option_id) }
      })
  },
  {
    code: "option_invalid",
    what: "an option of another business",
    end: "told",
    only: "bound",
    start: (run) =>
      Effect.gen(function* () {
        const input = { playroom_id: otherVenue.playroom.playroom_id, date: run.known.date, children: 8 }
        const options = yield* ask("get_booking_options", input, run.who)
        return { call: createCall(run, inside(options, "options", 0, "option_id")) }
      })
  },
  {
    code: undefined,
    what: "a call that answers with a booking that is over",
    end: "booked",
    only: "keyed",
    start: (run) =>
      Effect.gen(function* () {
        const option_id = yield* optionFor(run)
        const call = createCall(run, option_id)
        yield* ask(call.tool, call.input, run.who)
        yield* TestClock.adjust("16 minutes")
        return { call }
      })
  },
  {
    code: undefined,
    what: "a call that answers with a page that is over",
    end: "to_pay",
    only: "keyed",
    start: (run) =>
      Effect.gen(function* () {
        const booking_id = yield* bookFor(run)
        const call = payCall(booking_id, { idempotency_key: "page" })
        const session = yield* ask(call.tool, call.input, run.who)
        const row = yield* sessionRow(inside(session, "payment_session", "payment_session_id"))
        yield* actAndDeliver(row, "pay_later")
        yield* actAndDeliver(row, "late_failure")
        return { call, known: { booking_id, idempotency_key: "page" } }
      })
  },
  {
    code: "price_changed",
    what: "a price that rose",
    end: "booked",
    start: booksAfter(() =>
      Effect.gen(function* () {
        const dearer = { ...payingPackage, pricing: { ...payingPackage.pricing, base: 13_000 } }
        yield* importCatalogue({ packages: [dearer, ...venue.packages.slice(1)] })
      })
    )
  },
  {
    code: "slot_unavailable",
    what: "a place that another took",
    end: "booked",
    start: booksAfter((run) =>
      Effect.gen(function* () {
        yield* bookFor({
          ...run,
          who: { ...run.who, key: yield* newKey() },
          known: { ...run.known, contact: { name: "Bo", email: "bo@example.com" } }
        })
      })
    )
  },
  {
    code: "already_booked",
    what: "a guest's wish that the same person has booked in another chat",
    end: "to_pay",
    start: (run) =>
      Effect.gen(function* () {
        const option_id = yield* optionFor(run)
        const guest = Effect.map(newGuest(`198.18.0.${++addresses}`), ({ token }) => ({ token }))
        const made = yield* ask("create_booking", createCall(run, option_id).input, yield* guest)
        return {
          call: createCall(run, option_id),
          who: yield* guest,
          known: { reference: inside(made, "booking", "reference") }
        }
      })
  },
  {
    code: "slot_unavailable",
    what: "a day that was closed, and all days near it",
    end: "booked",
    start: booksAfter((run) =>
      importCatalogue(
        {},
        Array.from({ length: 40 }, (_, i) => addDays(run.known.date, i - 20))
      )
    )
  },
  {
    code: "hold_expired",
    what: "a hold that ran out",
    end: "booked",
    start: paysAfter(() => TestClock.adjust("16 minutes"))
  },
  {
    code: "booking_cancelled",
    what: "a booking that the operator cancelled",
    end: "booked",
    start: paysAfter((booking_id) => cancelAsOperator(booking_id, { preview: false }))
  },
  {
    code: "nothing_due",
    what: "a booking that is paid",
    end: "booked",
    start: paysAfter((booking_id, run) => payFor(run, booking_id), { input: { idempotency_key: "another" } })
  },
  {
    code: "nothing_due",
    what: "a booking that costs nothing",
    end: "booked",
    start: paysAfter(() => Effect.void, { pkg: freePackage })
  },
  {
    code: "nothing_due",
    what: "the balance of a booking whose deposit is not paid",
    end: "to_pay",
    start: paysAfter(() => Effect.void, { pkg: deposit, input: { purpose: "balance" } })
  },
  {
    code: "nothing_due",
    what: "the balance of a booking that has none, and is not paid",
    end: "to_pay",
    start: paysAfter(() => Effect.void, { input: { purpose: "balance" } })
  },
  {
    code: "operator_unavailable",
    what: "a business that is suspended",
    end: "bound_told",
    start: booksAfter(() => Operators.use((operators) => operators.suspend(venue.operator.operator_id)))
  },
  {
    code: "operator_unavailable",
    what: "a payment that the provider does not take",
    end: "bound_told",
    start: paysAfter(() => faultOf("payment_method_refused"))
  },
  {
    code: "operator_unavailable",
    what: "the balance of a business that is suspended",
    end: "told",
    start: (run) =>
      Effect.gen(function* () {
        const booking_id = yield* bookFor(run, deposit)
        yield* payFor(run, booking_id)
        yield* Operators.use((operators) => operators.suspend(venue.operator.operator_id))
        return { call: payCall(booking_id, { purpose: "balance" }), known: { booking_id } }
      })
  },
  {
    code: "idempotency_conflict",
    what: "a key that booked something else",
    end: "booked",
    start: (run) =>
      Effect.gen(function* () {
        const keyed = { ...run, known: { ...run.known, idempotency_key: "same" } }
        yield* bookFor(keyed)
        const later = { ...keyed, known: { ...keyed.known, date: addDays(run.known.date, 1) } }
        return { call: createCall(later, yield* optionFor(later)), known: { idempotency_key: "same" } }
      })
  },
  {
    code: "too_many_holds",
    what: "an address with too many unpaid holds",
    end: "to_pay",
    start: (run) =>
      Effect.gen(function* () {
        let booking_id = ""
        for (let i = 0; i <= holdsPerEmail; i++) {
          const one = { ...run, known: { ...run.known, date: addDays(run.known.date, i), idempotency_key: `${i}` } }
          if (i === holdsPerEmail) return { call: createCall(one, yield* optionFor(one)), known: { booking_id } }
          booking_id = yield* bookFor(one)
        }
        return assert.fail("not reached")
      })
  },
  {
    code: "operator_unavailable",
    what: "an amount that the provider does not charge",
    end: "bound_told",
    start: paysAfter(() => faultOf("amount_refused"))
  },
  {
    code: "payment_provider_unavailable",
    what: "a provider that does not accept our key until someone puts it right",
    end: "told",
    start: paysAfter(() => faultOf("key_refused"))
  },
  {
    code: "payment_provider_unavailable",
    what: "a provider that is away for a moment",
    end: "to_pay",
    start: paysAfter(() => faultOf("away"))
  },
  {
    code: "service_unavailable",
    what: "a database that is busy for a moment",
    end: "booked",
    start: (run) =>
      Effect.gen(function* () {
        const option_id = yield* optionFor(run)
        const sql = yield* SqlClient.SqlClient
        yield* sql`create function busy() returns trigger language plpgsql as
          'begin raise exception using errcode = ''53300''; end'`
        yield* sql`create trigger busy before insert on booking for each row execute function busy()`
        const meanwhile = Effect.orDie(sql`drop function busy() cascade`)
        return { call: createCall(run, option_id), meanwhile }
      })
  },
  {
    code: "internal_error",
    what: "a defect that stays",
    end: "told",
    start: booksAfter(() =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`alter table booking rename column contact_email to address`
      })
    )
  }
]
