/** `playroom doctor`: what needs a person. Exits 1 where something does. */
import { Clock, Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { ConnectKeys, keyLifeMs } from "../oauth/ConnectKeys.ts"
import { lastSale, type Operator, paidBeyondReasonMs } from "../catalogue/Operator.ts"
import { Operators } from "../catalogue/Operators.ts"
import { BookingRecords } from "../booking/BookingRecords.ts"
import { Migrations } from "../database/Migrations.ts"
import { type Examined, ReplicaCheck } from "../database/ReplicaCheck.ts"
import { replicaProblems } from "../database/ReplicaState.ts"
import { RefundId } from "../kernel/Ids.ts"
import { dayMs, hourMs, type Instant, minuteMs } from "../kernel/LocalTime.ts"
import { display } from "../kernel/Money.ts"
import { Disputes, disputeState } from "../payment/refunds/Disputes.ts"
import { Reconciliation } from "../payment/workers/Reconciliation.ts"
import { PaymentSessions } from "../payment/sessions/PaymentSessions.ts"
import { type ProviderFailure, ProviderHealth } from "../payment/provider/ProviderHealth.ts"
import { ProviderTasks } from "../payment/provider/ProviderTasks.ts"
import { ProviderRefunds } from "../payment/refunds/ProviderRefunds.ts"
import { RefundRecords } from "../payment/refunds/RefundRecords.ts"
import { Refunds } from "../payment/refunds/Refunds.ts"
import { EventRecords } from "../payment/events/EventRecords.ts"
import { CommandFailed, describeCause } from "./Failure.ts"
import { instant, json, print } from "./Output.ts"

interface Finding {
  readonly what: string
  readonly id: string
  readonly detail: string
  /** What to do about it. */
  readonly fix: string
}

const limit = 1000
/** Refunds take five to ten business days (https://docs.stripe.com/refunds); one without a result after so long needs a person. */
const refundPendingMs = 16 * dayMs
/** A refund that can't be sent for so long mostly belongs to an account that is not connected any more. */
const refundUnsentMs = 6 * hourMs
/** Events are applied within seconds; an event that waits longer is reported. */
const waitsTooLongMs = 15 * minuteMs

const at = (instant: number) => new Date(instant).toISOString()

const keyFix =
  "give STRIPE_SECRET_KEY a key that the provider accepts (its dashboard, Developers, API keys), and restart the service"
const waitFix = "look at the provider's status page; calls are tried again by themselves"

/** What to do where the provider fails in this way. */
const providerFixes: Readonly<Record<ProviderFailure["kind"], string>> = {
  network: "see whether this machine reaches the provider: name service, network, proxy, firewall",
  timeout: "see whether this machine reaches the provider, and the provider's status page",
  failing: waitFix,
  rate_limited: "see in the provider's dashboard what else makes calls with this key",
  key_refused: keyFix,
  settings_refused: "see whether the provider takes BASE_URL as an address to return to",
  under_way: waitFix,
  paused: waitFix
}

/** What a person should know of an operator's subscription. */
const subscription = (operator: Operator, now: Instant): Finding => {
  const { operator_id: id, name, paid_through } = operator
  const set = `playroom operator paid-through ${id} DATE --reason …`
  if (paid_through !== undefined && paid_through > now + paidBeyondReasonMs) {
    return {
      what: "subscription paid beyond reason",
      id,
      detail: `${name} is paid through ${at(paid_through)}`,
      fix: `look at its invoices in the provider's dashboard, then ${set}; whom you do not bill needs no billing_customer_id`
    }
  }
  const over = now > lastSale(operator)
  const paid = paid_through === undefined ? "has never paid" : `has paid through ${at(paid_through)}`
  return {
    what: over ? "subscription lapsed" : "subscription about to lapse",
    id,
    detail: `${name} ${paid}, and ${over ? "sells nothing" : `sells until ${at(lastSale(operator))}`}`,
    fix: `look at ${operator.billing_customer_id ?? "its invoices"} in the provider's dashboard; where it paid, ${set}; where it will not, playroom operator suspend ${id}`
  }
}

/** The keys of `/mcp/connect`, a month before they have been used for as long as they should be. */
const oldKeys = (since: Instant | undefined, now: Instant): ReadonlyArray<Finding> =>
  since === undefined || now < since + keyLifeMs - 30 * dayMs
    ? []
    : [
        {
          what: "keys near their end",
          id: "connect",
          detail: `the authorization server has used the same keys since ${at(since)}, and should until ${at(since + keyLifeMs)} at most`,
          fix: "playroom connect rotate-keys"
        }
      ]

/** Why the replica of the settings is not read from. */
const replicaFinding = (found: Examined | undefined): ReadonlyArray<Finding> => {
  if (found === undefined || found.is === "used") return []
  const { fix, is } = replicaProblems[found.is]
  const because = found.failure === undefined ? "" : ` (${describeCause(found.failure)})`
  const detail = `it ${is}${because}; public reads go to the primary`
  return [{ what: "replica not used", id: "DATABASE_REPLICA_URL", detail, fix }]
}

const when = (time: number | null) => (time === null ? "once" : instant(time))

const findings = Effect.gen(function* () {
  const now = yield* Clock.currentTimeMillis
  const ready = yield* Migrations.use((migrations) => migrations.ready)
  const events = yield* EventRecords
  const dead = yield* events.list({ status: "dead", limit })
  const rejected = yield* events.list({ status: "rejected", limit })
  const late = yield* events.list({ status: "received", before: now - waitsTooLongMs, limit })
  const unfit = yield* BookingRecords.use((bookings) => bookings.flagged(limit))
  const flagged = yield* PaymentSessions.use((sessions) => sessions.flagged)
  const unanswered = yield* PaymentSessions.use((sessions) => sessions.unanswered(now))
  const stuck = yield* Reconciliation.use((reconciliation) => reconciliation.stuck)
  const pending = yield* RefundRecords.use((service) => service.pendingSince(now - refundPendingMs))
  const unsent = yield* RefundRecords.use((service) => service.unsentSince(now - refundUnsentMs))
  const refunds = yield* RefundRecords.use((service) => service.failed)
  const provider = yield* ProviderHealth.use((health) => health.failures)
  const waiting = yield* RefundRecords.use((service) => service.waiting)
  const disputes = yield* Disputes.use((service) => service.unseen)
  const tasks = yield* ProviderTasks.use((service) => service.dead)
  const lapsing = yield* Operators.use((operators) => operators.lapsing(now, limit))
  const keysSince = yield* ConnectKeys.use((keys) => keys.newest)
  const unmigrated: ReadonlyArray<Finding> = ready
    ? []
    : [{ what: "database", id: "-", detail: "not migrated", fix: "start the service once" }]
  const replica = yield* ReplicaCheck.use((check) => check.state)
  return [
    ...unmigrated,
    ...replicaFinding(replica),
    ...oldKeys(keysSince, now),
    ...provider.map((failure): Finding => ({
      what: "payment provider",
      id: failure.kind,
      detail: `since ${instant(failure.since)}, last at ${instant(failure.last_at)}: ${failure.reason}`,
      fix: providerFixes[failure.kind]
    })),
    ...dead.map((event): Finding => ({
      what: "event given up",
      id: event.event_id,
      detail: `${event.type}: ${event.outcome ?? "no outcome"}`,
      fix: `playroom webhook retry ${event.event_id}`
    })),
    ...rejected.map((event): Finding => {
      const unknown = event.booking_id !== null && event.payment_session_id === null
      return {
        what: unknown ? "payment of an unknown booking" : "event rejected",
        id: event.event_id,
        detail: `${event.type}: ${event.outcome ?? "no outcome"}${unknown ? ` (${event.booking_id}, account ${event.account ?? "-"})` : ""}`,
        fix: unknown
          ? `as after a restored backup: playroom payment reconcile --since ${at(event.received_at - dayMs)}; where it is none of yours, playroom doctor --settle ${event.event_id}`
          : `playroom webhook show ${event.event_id}, compare with the provider's dashboard, then playroom doctor --settle ${event.event_id}`
      }
    }),
    ...late.map((event): Finding => ({
      what: "event not applied yet",
      id: event.event_id,
      detail: `${event.type}, received ${new Date(event.received_at).toISOString()}, ${event.attempts} tries: ${event.outcome ?? "no node has come to it"}`,
      fix:
        event.attempts === 0
          ? "see whether a node is running, and what it logs"
          : `it is tried again until it can be applied; see playroom webhook show ${event.event_id}`
    })),
    ...unfit.map((booking): Finding => ({
      what: "booking not accounted for",
      id: booking.booking_id,
      detail: `${booking.reference}: ${booking.flagged}`,
      fix: `playroom booking show ${booking.booking_id}, put it right with the family and the operator, then playroom doctor --settle ${booking.booking_id}`
    })),
    ...flagged.map((session): Finding => ({
      what: "payment not accounted for",
      id: session.payment_session_id,
      detail: `${session.flagged ?? ""} (${display(session.amount, session.currency)}, ${session.booking_id})`,
      fix: `look at ${session.provider_session_id ?? "the session"} in the provider's dashboard of ${session.account}, then playroom doctor --settle ${session.payment_session_id}`
    })),
    ...unanswered.map((session): Finding => ({
      what: "payment page without an answer",
      id: session.payment_session_id,
      detail: `it closed at ${new Date(session.expires_at).toISOString()}, and the provider did not say for ${session.account} whether it was paid (${display(session.amount, session.currency)}, ${session.booking_id})`,
      fix: `see whether the operator's account is still connected, and look at ${session.provider_session_id ?? "the session"} there; where nothing was paid, playroom doctor --settle ${session.payment_session_id}`
    })),
    ...stuck.map(({ ends_at, session, since }): Finding => ({
      what: session.status === "creating" ? "payment page not made" : "payment without a result",
      id: session.payment_session_id,
      detail: `${session.status} since ${at(since)}${session.silent_since === null ? "" : `, and since ${at(session.silent_since)} the provider does not answer for ${session.account}`} (${display(session.amount, session.currency)}, ${session.booking_id})${ends_at === undefined ? "" : `; its places are released at ${at(ends_at)}`}`,
      fix:
        session.status === "creating"
          ? `see whether a node is running, and what it logs; playroom doctor --settle ${session.payment_session_id} gives the page up`
          : `look at ${session.provider_session_id ?? "the session"} in the provider's dashboard, and whether ${session.account} is still connected; where nothing was paid, playroom doctor --settle ${session.payment_session_id} releases what it keeps`
    })),
    ...pending.map((refund): Finding => ({
      what: "refund without a result",
      id: refund.refund_id,
      detail: `${refund.status} since ${at(refund.created_at)}: ${display(refund.amount, refund.currency)} of ${refund.booking_id}`,
      fix: `look at ${refund.provider_refund_id ?? "the payment"} in the provider's dashboard of ${refund.request.account}; where the payer has the money, playroom doctor --settle ${refund.refund_id}`
    })),
    ...unsent.map((refund): Finding => ({
      what: "refund not sent yet",
      id: refund.refund_id,
      detail: `decided at ${at(refund.created_at)}: ${display(refund.amount, refund.currency)} of ${refund.booking_id}`,
      fix: `see whether ${refund.request.account} is still connected, and what the log says; it is tried again until it can be sent${refund.sent_at === null ? `. Where you paid it back in another way, playroom doctor --settle ${refund.refund_id}` : ""}`
    })),
    ...refunds.map((refund): Finding => ({
      what: "refund failed",
      id: refund.refund_id,
      detail: `${display(refund.amount, refund.currency)} of ${refund.booking_id}: ${refund.failure ?? "no reason given"}`,
      fix: `playroom doctor --revive ${refund.refund_id} sends it again; --settle ${refund.refund_id} where you paid it back in another way`
    })),
    ...lapsing.map((operator) => subscription(operator, now)),
    ...waiting.map((refund): Finding => ({
      what: refund.waits_for === "balance" ? "refund waits for money" : "refund waits for a dispute",
      id: refund.refund_id,
      detail: `${display(refund.amount, refund.currency)} of ${refund.booking_id}, since ${when(refund.waits_since)}; tried again at ${when(refund.retry_at)}`,
      fix:
        refund.waits_for === "balance"
          ? `add money to the balance of ${refund.request.account} at the provider; playroom doctor --revive ${refund.refund_id} tries it at once; --settle ${refund.refund_id} where you paid it back in another way`
          : `answer the dispute in the provider's dashboard of ${refund.request.account}; the refund goes out, or is settled, when it is decided`
    })),
    ...disputes.map((dispute): Finding => ({
      what: disputeState(dispute.status) === "lost" ? "dispute lost" : "payment disputed",
      id: dispute.dispute_id,
      detail: `${display(dispute.amount, dispute.currency)} of ${dispute.booking_id}: ${dispute.status} (${dispute.reason})${dispute.due_by === null ? "" : `, to be answered by ${when(dispute.due_by)}`}`,
      fix: `${
        disputeState(dispute.status) === "lost"
          ? `the payer has the money back: playroom booking show ${dispute.booking_id}, and decide about the visit`
          : "answer it in the provider's dashboard; the payer may have had a refund, or mean another booking"
      }; then playroom doctor --settle ${dispute.dispute_id}`
    })),
    ...tasks.map((task): Finding => ({
      what: "provider call given up",
      id: task.id,
      detail: `after ${task.attempts} attempts: ${task.last_failure ?? "no reason given"}`,
      fix: `playroom doctor --revive ${task.id}`
    }))
  ]
})

const isRefundId = Schema.is(RefundId)

/** Sends a failed refund again; none where no refund of that id failed. */
const resend = Effect.fnUntraced(function* (id: string) {
  if (!isRefundId(id)) return "not_failed" as const
  return yield* ProviderRefunds.use((refunds) => refunds.resend(id)).pipe(
    Effect.catchTag(["ProviderUnavailable", "AccountUnavailable"], (error) =>
      Effect.fail(new CommandFailed({ message: `${id} was not sent: ${error.reason}. Try again later.` }))
    )
  )
})

/** A person has dealt with what the doctor named: an event, a payment, a refund. */
const settleById = Effect.fnUntraced(function* (id: string) {
  const now = yield* Clock.currentTimeMillis
  if (isRefundId(id)) {
    if (yield* Refunds.use((refunds) => refunds.markPaidBack(id))) {
      return `${id} counts as paid back in another way, and so does the booking's history.`
    }
  } else if (yield* Reconciliation.use((reconciliation) => reconciliation.giveUp(id))) {
    return `${id} counts as not paid; what it kept is free. Money that comes all the same is taken as paid late.`
  } else if (yield* PaymentSessions.use((sessions) => sessions.markAccountedFor(id, now))) {
    return `${id} is accounted for.`
  } else if (yield* BookingRecords.use((bookings) => bookings.clearFlag(id))) {
    return `${id} is put right.`
  } else if (yield* EventRecords.use((events) => events.resolve(id))) {
    return `${id} is dealt with.`
  } else if (yield* Disputes.use((disputes) => disputes.markSeen(id))) {
    return `${id} is dealt with; it is named again when the provider decides.`
  }
  return yield* new CommandFailed({
    message: `The doctor names no event, payment, refund or booking ${id}: see playroom doctor.`
  })
})

const reviveById = Effect.fnUntraced(function* (id: string) {
  if (yield* ProviderTasks.use((tasks) => tasks.revive(id))) return `${id} will be tried again by a running node.`
  switch (yield* resend(id)) {
    case "sent":
      return `${id} will be sent again by a running node.`
    case "settled":
      return `${id} need not be sent: it was refunded in the provider's dashboard.`
    case "no_payment":
      return yield* new CommandFailed({
        message: `${id} can't be sent: the provider named no payment. Pay it back another way.`
      })
    case "not_failed":
      return yield* new CommandFailed({
        message: `No provider call or refund ${id} was given up: see playroom doctor.`
      })
  }
})

export const doctor = Command.make(
  "doctor",
  {
    revive: Flag.String("revive").pipe(
      Flag.withDescription("Try a provider call that was given up, or a refund that failed, once more: its id"),
      Flag.optional
    ),
    settle: Flag.String("settle").pipe(
      Flag.withDescription(
        "You have dealt with an event, a payment, a refund, a dispute or a booking in another way: its id. Nothing is sent"
      ),
      Flag.optional
    ),
    json
  },
  Effect.fn(function* ({ revive, settle, json }) {
    if (Option.isSome(settle)) {
      const text = yield* settleById(settle.value)
      return yield* print(json, { id: settle.value, settled: true }, text)
    }
    if (Option.isSome(revive)) {
      const text = yield* reviveById(revive.value)
      return yield* print(json, { id: revive.value, revived: true }, text)
    }
    const found = yield* findings
    const text = found.map(({ what, id, detail, fix }) => `${what}  ${id}\n  ${detail}\n  → ${fix}`).join("\n\n")
    yield* print(json, found, found.length === 0 ? "All is well: nothing needs a person." : text)
    if (found.length > 0)
      return yield* new CommandFailed({
        message: `${found.length} ${found.length === 1 ? "thing needs" : "things need"} a person.`
      })
    return undefined
  })
).pipe(
  Command.withDescription(
    "List what needs a person: events and calls given up, payments not accounted for, refunds that failed or wait, disputes, subscriptions that lapse"
  )
)
