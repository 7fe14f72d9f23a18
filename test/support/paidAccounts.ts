/** Bookings that are paid on the sandbox, and what `playroom accounts` prints of a month. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { BookingOptions } from "../../src/domain/availability/BookingOptions.ts"
import type { BookingRow } from "../../src/domain/booking/Booking.ts"
import { Bookings } from "../../src/domain/booking/Bookings.ts"
import type { Venue } from "../../src/domain/catalogue/Playroom.ts"
import { exponentOf } from "../../src/platform/money/Money.ts"
import { PaymentGateway } from "../../src/domain/payment/provider/PaymentGateway.ts"
import { ProviderRefunds } from "../../src/domain/payment/refunds/ProviderRefunds.ts"
import { PaymentInquiry } from "../../src/domain/payment/settlement/PaymentInquiry.ts"
import { contact, principal } from "./BookingWorld.ts"
import { playroom } from "./CommandLine.ts"
import { openSession, runProviderTasks, sessionRow } from "./PaymentWorld.ts"
import { callSandbox } from "./SandboxWorld.ts"

let serial = 0
export const book = Effect.fnUntraced(function* (of: Venue, date: string) {
  const { package_id } = of.packages[0] ?? assert.fail("no package")
  const { playroom_id } = of.playroom
  const { options } = yield* BookingOptions.use((all) => all.list({ playroom_id, package_id, date, children: 8 }))
  const option_id = options[0]?.option_id ?? assert.fail(`no option on ${date}`)
  const of_call = { option_id, contact: contact(`accounts${++serial}`), idempotency_key: `accounts ${serial}` }
  return (yield* Bookings.use((bookings) => bookings.create(principal(), of_call))).row
})

export const pay = Effect.fnUntraced(function* (booking: BookingRow) {
  const session = yield* openSession(booking)
  yield* callSandbox("POST", `/pay/${session.provider_session_id}`, { form: { outcome: "pay" } })
  yield* PaymentInquiry.use((inquiry) => inquiry.ask(session))
  return yield* sessionRow(session.payment_session_id)
})

type Paid = Effect.Success<ReturnType<typeof pay>>
export const tell = (path: string, form: Record<string, string>) => callSandbox("POST", `/sandbox/${path}`, { form })
export const check = (session: Paid) =>
  Effect.flatMap(sessionRow(session.payment_session_id), (row) =>
    ProviderRefunds.use((refunds) => refunds.checkPayment(row))
  )
export const dispute = Effect.fnUntraced(function* (session: Paid, status: string) {
  yield* tell("dispute", { payment_intent: session.payment_intent_id ?? "", status })
  yield* check(session)
})
export const partBack = Effect.fnUntraced(function* ({ reference }: BookingRow, amount: string) {
  const refund = ["booking", "refund", reference, amount, "--reason", "the castle was broken"]
  const { out } = yield* playroom(...refund, "--preview")
  const code = /--as-shown (\S+?),? /.exec(out)?.[1] ?? assert.fail(out)
  yield* playroom(...refund, "--as-shown", code)
  yield* runProviderTasks
})

/** What the command prints of a month, by column, and what it says. */
export const accounts = Effect.fnUntraced(function* (month: string, ...more: ReadonlyArray<string>) {
  const { complaints, failure, out } = yield* playroom("accounts", "--month", month, ...more)
  const [head = "", ...rest] = out.split("\n").map((line) => line.trim())
  const names = head.split(",")
  const lines = rest.map((line) => Object.fromEntries(line.split(",").map((cell, i) => [names[i] ?? "", cell])))
  return { lines, complaints, failure }
})
export type Line = Effect.Success<ReturnType<typeof accounts>>["lines"][number]

/** The sum of a column in minor units, exactly. */
export const sum = (lines: ReadonlyArray<Line>, column: string, currency: string): number =>
  lines
    .filter((line) => line["currency"] === currency && line[column] !== "")
    .reduce((all, line) => all + Math.round(Number(line[column]) * 10 ** exponentOf(currency)), 0)

/** What the provider says of an account itself. */
export const atProvider = (account: string, from: string, until: string) =>
  PaymentGateway.use((gateway) =>
    gateway.balanceTransactions(account, { since: Date.parse(from) / 1000, before: Date.parse(until) / 1000 })
  )
