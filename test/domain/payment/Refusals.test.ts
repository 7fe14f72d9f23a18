import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Bookings } from "../../../src/domain/booking/Bookings.ts"
import { Operators } from "../../../src/domain/catalogue/Operators.ts"
import { checkPayable } from "../../../src/domain/payment/checkout/SessionRequest.ts"
import { refusedInput, type UnavailableKind } from "../../../src/domain/payment/provider/PaymentGateway.ts"
import { renderFailure } from "../../../src/surfaces/mcp/tools/ToolErrors.ts"
import { ProviderHealth } from "../../../src/domain/payment/provider/ProviderHealth.ts"
import { monotonicMs } from "../../../src/platform/time/Elapsed.ts"
import { sessionMs } from "../../../src/domain/payment/sessions/PaymentSession.ts"
import { principal, setClock } from "../../support/BookingWorld.ts"
import { BookingOptions } from "../../../src/domain/availability/BookingOptions.ts"
import { packages, venue } from "../../support/paymentVenues.ts"
import {
  bookingState,
  createBooking,
  createSession,
  deliverAndApply,
  now,
  paymentWorld,
  sessionRow
} from "../../support/PaymentWorld.ts"
import { accountEvent } from "../../support/providerEvents.ts"
import { ScriptedGateway } from "../../support/ScriptedGateway.ts"

/** A booking by someone with this address. */
const bookAs = Effect.fnUntraced(function* (email: string, date: string) {
  const { options } = yield* BookingOptions.use((all) =>
    all.list({
      playroom_id: venue.playroom.playroom_id,
      package_id: packages.party.package_id,
      date,
      children: 8
    })
  )
  const option_id = options[0]?.option_id ?? assert.fail("no option")
  const { row } = yield* Bookings.use((bookings) =>
    bookings.create(principal("key_a"), { option_id, contact: { name: "José", email } })
  )
  return row
})

layer(paymentWorld())("a payment that the provider refuses", (it) => {
  it.effect("for its payer's address is asked for without it, and the payer can pay", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const provider = yield* ScriptedGateway
      const booking = yield* bookAs("josé@exämple.es", "2027-02-01")
      const before = provider.calls.length
      const view = yield* createSession(booking.booking_id)
      assert.strictEqual(view.status, "open")
      const made = provider.calls.slice(before).filter(({ operation }) => operation === "createSession")
      assert.strictEqual(made.length, 2)
      assert.notStrictEqual(made[0]?.key, made[1]?.key)
      assert.notProperty(made[1]?.body, "customer_email")
      // What a retry after a crash would send is what was sent.
      const row = yield* sessionRow(view.payment_session_id)
      assert.deepStrictEqual<unknown>(row.request, made[1]?.body)
      assert.strictEqual((yield* Bookings.use((all) => all.get(booking.booking_id))).contact_email, "josé@exämple.es")
      assert.strictEqual((yield* createSession(booking.booking_id)).payment_session_id, view.payment_session_id)
    })
  )

  it.effect("for an address of the caller's is an argument to change; for our own, a fault of ours", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const provider = yield* ScriptedGateway
      const booking = yield* createBooking()
      provider.injectFault("createSession", "success_url_refused")
      const theirs = yield* Effect.flip(
        createSession(booking.booking_id, { success_url: "http://localhost:3000/thanks" })
      )
      assert.strictEqual(theirs._tag, "InvalidArguments")
      assert.deepInclude("issues" in theirs ? theirs.issues[0] : {}, { path: "success_url" })
      provider.injectFault("createSession", "success_url_refused")
      const ours = yield* Effect.flip(createSession(booking.booking_id))
      assert.deepInclude(ours, { _tag: "ProviderUnavailable", kind: "settings_refused" })
      assert.strictEqual((yield* createSession(booking.booking_id)).status, "open")
    })
  )

  it.effect("for its amount, its key or its account are told apart, and leave the hold as it is", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const provider = yield* ScriptedGateway
      const booking = yield* createBooking()
      const told = (trouble: "amount_refused" | "key_refused" | "account_closed" | "refused") => {
        provider.injectFault("createSession", trouble)
        return Effect.flip(createSession(booking.booking_id))
      }
      assert.deepInclude(yield* told("amount_refused"), { _tag: "OperatorUnavailable", payment_refused: "amount" })
      const closed = yield* told("account_closed")
      assert.strictEqual(closed._tag, "OperatorUnavailable")
      assert.isUndefined("payment_refused" in closed ? closed.payment_refused : undefined)
      yield* deliverAndApply(accountEvent())
      assert.deepInclude(yield* told("key_refused"), { _tag: "ProviderUnavailable", kind: "key_refused" })
      assert.strictEqual((yield* bookingState(booking)).status, "held")
      assert.strictEqual((yield* createSession(booking.booking_id)).status, "open")
    })
  )

  it.effect("is told by whose fault it is: only what is the operator's is told as the operator's", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const provider = yield* ScriptedGateway
      const booking = yield* createBooking()
      const operators = { _tag: "OperatorUnavailable" } as const
      const ours = (kind: UnavailableKind) => ({ _tag: "ProviderUnavailable", kind }) as const
      const cases = [
        ["amount_refused", operators],
        ["currency_refused", operators],
        ["payment_method_refused", operators],
        ["account_closed", operators],
        ["expires_at_refused", ours("clock_refused")],
        ["success_url_refused", ours("settings_refused")],
        ["fee_refused", ours("request_refused")],
        ["refused", ours("request_refused")],
        ["key_reused", ours("request_refused")],
        ["key_refused", ours("key_refused")]
      ] as const
      for (const [trouble, told] of cases) {
        provider.injectFault("createSession", trouble)
        const failure = yield* Effect.flip(createSession(booking.booking_id))
        assert.deepInclude(failure, told, trouble)
        if (trouble === "account_closed") yield* deliverAndApply(accountEvent())
        if (failure._tag !== "ProviderUnavailable") continue
        const error = renderFailure(failure)
        assert.deepInclude(error, { code: "payment_provider_unavailable", retryable: true }, trouble)
        assert.include(error.message, "this service's own", trouble)
      }
      // What every caller meets is told to a person, until a page can be made again, and an hour after it.
      const stored = ProviderHealth.use(({ failures }) => Effect.map(failures, (all) => all.map(({ kind }) => kind)))
      assert.sameMembers(yield* stored, ["clock_refused", "settings_refused", "request_refused"])
    })
  )

  it.effect("for its end is counted from the provider's own clock, as soon as an answer has told that", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const provider = yield* ScriptedGateway
      const booking = yield* createBooking()
      provider.injectFault("createSession", "away")
      yield* Effect.flip(createSession(booking.booking_id))
      const at = Date.parse(now)
      const date = new Date(at + 180_000).toUTCString()
      const health = yield* ProviderHealth
      const answer = { sent_at: at, received_at: at, received_monotonic: yield* monotonicMs }
      health.observeDate({ ...answer, date })
      const before = provider.calls.length
      provider.injectFault("createSession", "expires_at_refused")
      const view = yield* createSession(booking.booking_id)
      assert.strictEqual(view.status, "open")
      const made = provider.calls.slice(before).filter(({ operation }) => operation === "createSession")
      assert.strictEqual(made.length, 2)
      assert.notStrictEqual(made[0]?.key, made[1]?.key)
      const { request } = yield* sessionRow(view.payment_session_id)
      assert.strictEqual(request?.expires_at, (at + 180_000 + sessionMs) / 1000)
      // The next one is right at once.
      const other = yield* createSession((yield* createBooking()).booking_id)
      const asked = (yield* sessionRow(other.payment_session_id)).request
      assert.strictEqual(asked?.expires_at, (at + 180_000 + sessionMs) / 1000)
      health.observeDate({ ...answer, date: new Date(at).toUTCString() })
    })
  )

  it.effect("for too small an amount is not even sent", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const booking = yield* createBooking()
      const operator = yield* Operators.use((operators) => Effect.orDie(operators.get(booking.operator_id)))
      const payable = (total: number) =>
        Effect.result(
          checkPayable(
            { ...booking, due_now: total, total },
            operator,
            { purpose: "due_now", balance_paid: false },
            booking.created_at
          )
        )
      const small = yield* payable(29)
      assert.strictEqual(small._tag, "Failure")
      if (small._tag === "Failure") assert.deepInclude(small.failure, { payment_refused: "amount" })
      assert.strictEqual((yield* payable(30))._tag, "Success")
    })
  )
})

describe("what the provider refuses", () => {
  it("is read from the parameter that it names, else from its code", () => {
    const cases = [
      ["email_invalid", "customer_email", "email"],
      ["email_invalid", "payment_intent_data[receipt_email]", "email"],
      ["email_invalid", undefined, "email"],
      ["url_invalid", "success_url", "success_url"],
      ["url_invalid", "cancel_url", "cancel_url"],
      ["amount_too_small", undefined, "amount"],
      ["amount_too_small", "line_items[0][price_data][unit_amount]", "amount"],
      ["parameter_invalid_integer", "expires_at", "expires_at"],
      ["parameter_invalid_integer", "payment_intent_data[application_fee_amount]", "other"],
      ["parameter_invalid", "line_items[0][price_data][currency]", "currency"],
      ["parameter_missing", "payment_method_types", "payment_method"],
      ["parameter_unknown", "metadata", "other"],
      ["resource_missing", undefined, "other"]
    ] as const
    for (const [code, parameter, refusal] of cases) {
      assert.strictEqual(refusedInput({ code, ...(parameter === undefined ? {} : { parameter }) }), refusal, code)
    }
  })
})
