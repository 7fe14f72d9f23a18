import { assert, describe, it } from "@effect/vitest"
import { SqlError } from "effect/sql"
import { OperatorUnavailable } from "../../../../src/domain/catalogue/Playroom.ts"
import { BookingCancelled, HoldExpired, TooManyHolds } from "../../../../src/domain/booking/Booking.ts"
import { OptionInvalid } from "../../../../src/domain/availability/BookingOption.ts"
import { SlotUnavailable } from "../../../../src/domain/availability/OptionPage.ts"
import { RateLimited } from "../../../../src/platform/access/ApiKeys.ts"
import { NoneBecause } from "../../../../src/domain/availability/Availability.ts"
import { BookingId, OperatorId } from "../../../../src/platform/ids/Ids.ts"
import { ProviderUnavailable } from "../../../../src/domain/payment/provider/PaymentGateway.ts"
import { internalError, renderFailure } from "../../../../src/surfaces/mcp/tools/ToolErrors.ts"
import { isTemporary } from "../../../../src/platform/errors/InvalidArguments.ts"

const sqlState = (code: string) => ({ cause: Object.assign(new Error("inside"), { code }) })
const failed = (reason: SqlError.SqlErrorReason) => isTemporary(new SqlError.SqlError({ reason }))

describe("a failure of the database", () => {
  it("passes by itself where it was a connection, a time-out, a conflict, or a server that is busy or changing over", () => {
    assert.isTrue(failed(new SqlError.ConnectionError(sqlState("08006"))))
    assert.isTrue(failed(new SqlError.DeadlockError(sqlState("40P01"))))
    assert.isTrue(failed(new SqlError.SerializationError(sqlState("40001"))))
    assert.isTrue(failed(new SqlError.LockTimeoutError(sqlState("55P03"))))
    assert.isTrue(failed(new SqlError.StatementTimeoutError(sqlState("57014"))))
    assert.isTrue(failed(new SqlError.AuthenticationError(sqlState("28P01"))))
    for (const code of ["53300", "57P01", "57P03", "58030", "25006"]) {
      assert.isTrue(failed(new SqlError.UnknownError(sqlState(code))), code)
    }
  })

  it("is a fault of ours where the statement or its values are wrong", () => {
    assert.isFalse(failed(new SqlError.SqlSyntaxError(sqlState("42601"))))
    assert.isFalse(failed(new SqlError.ConstraintError(sqlState("23514"))))
    assert.isFalse(failed(new SqlError.UniqueViolation({ ...sqlState("23505"), constraint: "x" })))
    assert.isFalse(failed(new SqlError.AuthorizationError(sqlState("42501"))))
    assert.isFalse(failed(new SqlError.UnknownError(sqlState("22003"))))
    assert.isFalse(failed(new SqlError.UnknownError({ cause: new Error("COMMIT rolled back") })))
    assert.isFalse(failed(new SqlError.UnknownError({ cause: "no error at all" })))
  })
})

it("a defect's trace id stands in the details alone, and no text tells an assistant to give it to a person", () => {
  const trace = "0af7651916cd43dd8448eb211c80319c"
  const { details, fix, message } = internalError(trace)
  assert.deepStrictEqual(details, { trace_id: trace })
  assert.notMatch(`${message} ${fix}`, /trace|0af7/)
})

it("a payment that the provider refuses is told apart from an operator that takes none, and neither is worth repeating", () => {
  const of = { operator_id: OperatorId.make(`operator_01h4${"0".repeat(22)}`) }
  const closed = renderFailure(new OperatorUnavailable(of))
  const refused = renderFailure(new OperatorUnavailable({ ...of, payment_refused: "other" }))
  for (const error of [closed, refused]) {
    assert.deepInclude(error, { code: "operator_unavailable", retryable: false })
  }
  assert.include(refused.message, "does not take this payment")
  assert.notStrictEqual(closed.message, refused.message)
})

it("an amount that can't be charged, a key that is refused and an outage are three things to tell", () => {
  const of = { operator_id: OperatorId.make(`operator_01h4${"0".repeat(22)}`) }
  const texts = [
    renderFailure(new OperatorUnavailable({ ...of, payment_refused: "amount" })),
    renderFailure(new OperatorUnavailable({ ...of, payment_refused: "amount", booked: true })),
    renderFailure(new OperatorUnavailable({ ...of, payment_refused: "other", booked: true })),
    renderFailure(new ProviderUnavailable({ operation: "createSession", kind: "key_refused", reason: "key" })),
    renderFailure(new ProviderUnavailable({ operation: "createSession", kind: "network", reason: "away" }))
  ]
  assert.strictEqual(new Set(texts.map(({ fix }) => fix)).size, texts.length)
  const [small, , , key] = texts
  assert.include(small?.message, "too small")
  assert.deepInclude(key, { code: "payment_provider_unavailable", retryable: true })
  assert.deepInclude(key?.details, { reason: "key_refused", retry_after_seconds: 600 })
})

it("an option that can't be booked is told with its reason, in a sentence of its own for each", () => {
  const told = NoneBecause.literals.map((reason) =>
    renderFailure(new SlotUnavailable({ reason, nearest: undefined, booked_before: false }))
  )
  assert.deepStrictEqual(
    told.map(({ details }) => details?.["reason"]),
    [...NoneBecause.literals]
  )
  assert.strictEqual(new Set(told.map(({ message }) => message)).size, NoneBecause.literals.length)
  for (const { code, message } of told) {
    assert.strictEqual(code, "slot_unavailable")
    assert.strictEqual(message.includes("taken;"), message === told[1]?.message)
  }
  const own = { reason: "fully_booked", nearest: undefined, booked_before: true } as const
  assert.include(renderFailure(new SlotUnavailable(own)).message, "this e-mail address has booked that option already.")
  assert.strictEqual(renderFailure(new SlotUnavailable({ ...own, reason: "closed" })).message, told[0]?.message)
})

it("a waiting list is offered with its page, beside whatever else there is", () => {
  const waiting_list = "https://book.example.com/wait/option_AAAA"
  const refused = { reason: "fully_booked", nearest: undefined, booked_before: false } as const
  const without = renderFailure(new SlotUnavailable(refused))
  const listed = renderFailure(new SlotUnavailable({ ...refused, waiting_list }))
  assert.strictEqual(listed.details?.["waiting_list"], waiting_list)
  assert.isTrue(listed.fix.startsWith(without.fix))
  assert.include(listed.fix, "details.waiting_list")
  assert.notInclude(JSON.stringify(without), "waiting_list")
})

it("another operator's option ends the search: its fix leads to no call that would offer it again", () => {
  const { code, details, fix, retryable } = renderFailure(new OptionInvalid({ reason: "other_operator" }))
  assert.deepStrictEqual([code, details, retryable], ["option_invalid", { reason: "other_operator" }, false])
  assert.notMatch(fix, /get_booking_options|create_booking|search_playrooms/)
})

it("a booking that is over is booked anew with a new idempotency key: the old one stands for the old booking", () => {
  const booking_id = BookingId.make(`booking_01h4${"0".repeat(22)}`)
  for (const error of [new HoldExpired({ booking_id }), new BookingCancelled({ booking_id })])
    assert.include(renderFailure(error).fix, "create_booking with a new idempotency_key")
})

it("says whose limit on unpaid bookings it is, and what this caller can do, for each of them", () => {
  const told = TooManyHolds.fields.per.literals.map((per) => {
    const shared = per === "guest_address" || per === "guest_network"
    return { per, ...renderFailure(new TooManyHolds({ per, ...(shared ? {} : { limit: 7 }) })) }
  })
  assert.strictEqual(new Set(told.map(({ message }) => message)).size, told.length)
  for (const { code, details, fix, message, per, retryable } of told) {
    assert.strictEqual(code, "too_many_holds")
    assert.strictEqual(details?.["per"], per)
    assert.notInclude(message, "undefined")
    assert.match(fix, /^Nothing was booked\. /)
    // Only a guest's own bookings are said to be this person's; of others it is "if", as there may be none.
    const own = per === "guest" || per === "guest_free" || per === "guest_day"
    assert.strictEqual(message.startsWith("This person has 7"), own, per)
    if (!own) assert.match(fix, /If this (conversation made|person has)/, per)
    // Waiting helps where holds end by themselves, and is not advised where they don't.
    assert.strictEqual(/[Rr]epeat this call (in|once)/.test(fix), retryable, per)
    assert.notMatch(fix, /one of those bookings/)
  }
})

it("says whose calls were too many", () => {
  const [key, address] = (["key", "address"] as const).map((per) =>
    renderFailure(new RateLimited({ per, retry_after_seconds: 3 }))
  )
  assert.include(key?.message, "This API key")
  assert.include(address?.message, "This network address")
  assert.deepStrictEqual(key?.details, { per: "key", retry_after_seconds: 3 })
})

it("a wait for a lock in vain is told as that, with when to try again; the database is not said to be away", () => {
  const told = renderFailure(new SqlError.SqlError({ reason: new SqlError.LockTimeoutError(sqlState("55P03")) }))
  assert.deepInclude(told, { code: "service_unavailable", retryable: true, details: { retry_after_seconds: 5 } })
  assert.strictEqual(told.fix, "Repeat the same call in 5 s.")
  assert.notInclude(told.message, "database")
})
