/** `playroom doctor`: lists what needs a person. Exits with 1 if anything does. */
import { Clock, Console, Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { Audit } from "../../ops/audit/Audit.ts"
import { believedPaths, changedByOthers, doorsOf } from "../../ops/process/Doors.ts"
import { AppConfig } from "../../platform/config/AppConfig.ts"
import { findings, rulesInWords } from "../../ops/attention/ActionItems.ts"
import { DueBookings } from "../../domain/booking/DueBookings.ts"
import { BookingRecords } from "../../domain/booking/BookingRecords.ts"
import { Operators } from "../../domain/catalogue/Operators.ts"
import { LetterOutbox } from "../../domain/booking/LetterOutbox.ts"
import { RefundId } from "../../platform/ids/Ids.ts"
import { Disputes } from "../../domain/payment/refunds/Disputes.ts"
import { VoucherSales } from "../../domain/payment/settlement/VoucherSales.ts"
import { Reconciliation } from "../../domain/payment/workers/Reconciliation.ts"
import { PaymentSessions } from "../../domain/payment/sessions/PaymentSessions.ts"
import { ProviderTasks } from "../../domain/payment/provider/ProviderTasks.ts"
import { ProviderRefunds } from "../../domain/payment/refunds/ProviderRefunds.ts"
import { Refunds } from "../../domain/payment/refunds/Refunds.ts"
import { EventRecords } from "../../domain/payment/events/EventRecords.ts"
import { commandUser, switchFlag } from "./Arguments.ts"
import { withoutAccountText } from "./catalogue.ts"
import { failed } from "./Failure.ts"
import { json, print, failIfOpen, table } from "./Output.ts"

const isRefundId = Schema.is(RefundId)

/** Sends a failed refund again; `not_failed` if there is no such refund. */
const resend = Effect.fnUntraced(function* (id: string) {
  if (!isRefundId(id)) return "not_failed" as const
  return yield* ProviderRefunds.use((refunds) => refunds.resend(id)).pipe(
    Effect.catchTag(["ProviderUnavailable", "AccountUnavailable"], (error) =>
      failed(`${id} was not sent: ${error.reason}. Try again later.`)
    )
  )
})

/** Marks a finding of the doctor as dealt with: an event, a payment, a refund. */
const settleById = Effect.fnUntraced(function* (id: string) {
  const now = yield* Clock.currentTimeMillis
  if (isRefundId(id)) {
    const who = yield* commandUser
    if (Option.isSome(yield* Refunds.use((refunds) => refunds.markPaidBack(id, undefined, who)))) {
      return `${id} counts as paid back in another way, and so does the booking's history.`
    }
  } else if (yield* Reconciliation.use((reconciliation) => reconciliation.giveUp(id))) {
    return `${id} counts as not paid; what it kept is free. Money that comes all the same is taken as paid late.`
  } else if (yield* PaymentSessions.use((sessions) => sessions.markAccountedFor(id, now))) {
    return `${id} is accounted for.`
  } else if (yield* BookingRecords.use((bookings) => bookings.clearFlag(id))) {
    return `${id} is put right.`
  } else if (yield* BookingRecords.use((bookings) => bookings.keepPaidBack(id))) {
    return `${id} stands: its visit takes place, and nothing is asked for what was paid back.`
  } else if (yield* DueBookings.use((bookings) => bookings.markUnpaidSeen(id))) {
    return `${id} is seen: what is still to be paid stays owed, and is not named again.`
  } else if (yield* EventRecords.use((events) => events.resolve(id))) {
    return `${id} is dealt with.`
  } else if (yield* LetterOutbox.use((outbox) => outbox.settle(id))) {
    return `${id} is dealt with. It is not sent.`
  } else if (yield* VoucherSales.use((sales) => sales.markSeen(id))) {
    return `${id} is dealt with.`
  } else if (yield* Disputes.use((disputes) => disputes.markSeen(id))) {
    return `${id} is dealt with; it is named again when the provider decides.`
  }
  return yield* failed(`The doctor names no event, payment, refund or booking ${id}: see playroom doctor.`)
})

const reviveById = Effect.fnUntraced(function* (id: string) {
  if (yield* ProviderTasks.use((tasks) => tasks.revive(id))) return `${id} will be tried again by a running node.`
  if (yield* LetterOutbox.use((outbox) => outbox.revive(id))) return `${id} will be sent by a running node.`
  switch (yield* resend(id)) {
    case "sent":
      return `${id} will be sent again by a running node.`
    case "settled":
      return `${id} need not be sent: it was refunded in the provider's dashboard.`
    case "no_payment":
      return yield* failed(`${id} can't be sent: the provider named no payment. Pay it back another way.`)
    case "not_failed":
      return yield* failed(`No provider call, letter or refund ${id} was given up: see playroom doctor.`)
  }
})

const audited = Effect.fnUntraced(function* (full: boolean) {
  const { books, look, schema } = yield* Audit
  const parts = yield* schema
  const { checked, found, settled } = yield* look(full)
  const stored = [...parts, ...found]
  yield* Console.error(
    `Bookings looked at: ${checked}; over, and as they were when an audit found them sound: ${settled}.`
  )
  const compared = yield* books
  if (compared !== undefined) return [...stored, ...compared]
  yield* Console.error(
    "The sandbox's books were not compared, because it runs in the service: start that, then run this again."
  )
  return stored
})

/** Which doors are open to whom, and which paths others can change. */
const doorsText = Effect.fnUntraced(function* (json: boolean) {
  const settings = yield* AppConfig
  const doors = doorsOf(settings)
  const open = believedPaths(settings, process.env).flatMap(([what, path]) => {
    const by = changedByOthers(path)
    return by === undefined ? [] : [{ what, path, by }]
  })
  const text = [
    table(
      ["DOOR", "AT", "OPEN TO", "NEEDS"],
      doors.map(({ at, door, needs, whom }) => [door, at, whom, needs])
    ),
    open.length === 0
      ? "Nobody but this user and root can change programs, data and secrets."
      : ["Others can change:", ...open.map(({ by, path, what }) => `  ${what}, ${path}: ${by}`)].join("\n")
  ].join("\n\n")
  yield* print(json, { doors, changed_by_others: open }, text)
  return yield* failIfOpen(open.length)
})

export const doctor = Command.make(
  "doctor",
  {
    revive: Flag.String("revive").pipe(
      Flag.withDescription(
        "Try a provider call or a letter that was given up, or a refund that failed, once more: its id"
      ),
      Flag.optional
    ),
    settle: Flag.String("settle").pipe(
      Flag.withDescription(
        "You have dealt with an event, a payment, a refund, a dispute, a letter or a booking in another way: its id. Nothing is sent"
      ),
      Flag.optional
    ),
    audit: switchFlag(
      "audit",
      "Also look at the schema, all stored data and the provider's books of three days for what no path of the service leaves behind. It changes nothing, and remembers what is settled"
    ),
    full: switchFlag(
      "full",
      "An audit that also looks again at bookings that are over, and as they were when an audit found them sound"
    ),
    doors: switchFlag(
      "doors",
      "Only say which doors these settings open, to whom, and which programs, data and secrets other users can change"
    ),
    json
  },
  Effect.fn(function* ({ audit, doors, full, revive, settle, json }) {
    if (doors) return yield* doorsText(json)
    if (Option.isSome(settle)) {
      const text = yield* settleById(settle.value)
      return yield* print(json, { id: settle.value, settled: true }, text)
    }
    if (Option.isSome(revive)) {
      const text = yield* reviveById(revive.value)
      return yield* print(json, { id: revive.value, revived: true }, text)
    }
    const found = [...(yield* findings), ...(audit || full ? yield* audited(full) : [])]
    const text =
      found.length === 0
        ? `All is well: nothing needs a person. Clocks go by ${rulesInWords()}.`
        : found.map(({ what, id, detail, fix }) => `${what}  ${id}\n  ${detail}\n  → ${fix}`).join("\n\n")
    // A database that does not answer is among the findings.
    const operators = yield* Effect.orElseSucceed(
      Operators.use((operators) => operators.list),
      () => []
    )
    yield* print(json, found, text + withoutAccountText(operators))
    return yield* failIfOpen(found.length)
  })
).pipe(Command.withDescription("List what needs a person, and what to do; exits 1 if something does"))
