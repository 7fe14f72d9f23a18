/** The running services with a test clock, and a provider with injectable faults. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Clock, Context, Effect, Layer, Logger, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { CatalogueFile } from "../../src/domain/import/CatalogueFile.ts"
import {
  PaymentGateway,
  type ProviderSession,
  ProviderUnavailable
} from "../../src/domain/payment/provider/PaymentGateway.ts"
import { paymentServices } from "../../src/domain/payment/PaymentLayers.ts"
import { ProviderTask } from "../../src/domain/payment/provider/ProviderTasks.ts"
import { runProviderTask } from "../../src/domain/payment/workers/ProviderTaskWorker.ts"
import { commandLayers, platformAway } from "../support/CommandLine.ts"
import { bookingServices } from "../support/BookingWorld.ts"
import { bySmtp } from "../support/LetterWorld.ts"
import { type EventType, moneyEvent, type MoneyEventType, sessionEvent } from "../support/providerEvents.ts"
import { type Operation, ScriptedGateway, scriptedGateway, undecided, withPayer } from "../support/ScriptedGateway.ts"
import { TestDatabase } from "../support/TestDatabase.ts"
import { beginning, catalogueFile, firstSizes } from "./hall.ts"
import { freshSubscription } from "./subscription.ts"

/** `away`: the call does not arrive. `unanswered`: its response is lost. */
export type CallFault = "away" | "unanswered"

/** The fault of an operation's next call. */
export interface Disturbance {
  readonly operation: Operation
  readonly fault?: CallFault
  /** Runs after the provider has acted, before its response arrives. */
  readonly meanwhile?: Effect.Effect<void>
}

export type ProviderEvent = ReturnType<typeof sessionEvent> | ReturnType<typeof moneyEvent>

/** The test's controls and observations. */
export class Outside extends Context.Service<
  Outside,
  {
    now: number
    disturbance: Disturbance | undefined
    /** The provider's events that are not lost. */
    outbox: Array<ProviderEvent>
    /** Manual refunds and disputes before this step: the service must know of them. */
    earlier: ReadonlySet<string>
    /**
     * The service's refunds since they were last checked, each with the refunded amounts of all payments just before.
     */
    readonly sent: Array<Sent>
    /** Logged causes that mean a bug in the service. */
    readonly defects: Array<string>
    /** The catalogue has changed since the start. */
    edited: boolean
  }
>()("test/model/Outside") {}

export interface Sent {
  readonly refund_id: string
  readonly booking_id: string
  readonly amount: number
  /** By payment intent, in minor units. */
  readonly before: ReadonlyMap<string, number>
}

/** The refunded or disputed amount of every payment that the service must know of. */
export const backOfPayments = (
  { disputes, refunds }: ScriptedGateway["Service"],
  earlier: ReadonlySet<string>
): ReadonlyMap<string, number> => {
  const back = new Map<string, number>()
  const add = (intent: string, amount: number) => back.set(intent, (back.get(intent) ?? 0) + amount)
  for (const { amount, id, payment_intent_id, refund_id, status } of refunds.values()) {
    if (status !== "failed" && status !== "canceled" && (refund_id !== undefined || earlier.has(id)))
      add(payment_intent_id, amount)
  }
  for (const { amount, id, payment_intent_id, status } of disputes.values()) {
    const held = undecided.includes(status) || withPayer.includes(status)
    if (held && earlier.has(id)) add(payment_intent_id, amount)
  }
  return back
}

/** The test clock gives the time; sleeping is real. */
export const clockOf = (outside: Outside["Service"]): Clock.Clock => {
  const real = Clock.Clock.defaultValue()
  const nanos = () => BigInt(outside.now) * 1_000_000n
  return {
    currentTimeMillisUnsafe: () => outside.now,
    currentTimeMillis: Effect.sync(() => outside.now),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: nanos,
    monotonicTimeNanos: Effect.sync(nanos),
    sleep: (duration) => real.sleep(duration)
  }
}

const outside = Layer.sync(Outside, () =>
  Outside.of({
    now: beginning,
    disturbance: undefined,
    outbox: [],
    earlier: new Set(),
    sent: [],
    defects: [],
    edited: true
  })
)

/** Puts an event of the provider into the outbox. */
export const queueEvent = (world: Outside["Service"], type: EventType, said: ProviderSession): void =>
  void world.outbox.push(sessionEvent(type, said))

/** The same of an event about a refund or a dispute. */
export const queueMoneyEvent = (
  world: Outside["Service"],
  type: MoneyEventType,
  { id, payment_intent_id }: { readonly id: string; readonly payment_intent_id: string }
): void => void world.outbox.push(moneyEvent(type, id, payment_intent_id))

const disturbedGateway = Layer.effect(
  PaymentGateway,
  Effect.gen(function* () {
    const inner = yield* PaymentGateway
    const world = yield* Outside
    const provider = yield* ScriptedGateway
    const through = <A, E>(operation: Operation, call: Effect.Effect<A, E>) =>
      Effect.suspend(() => {
        const found = world.disturbance?.operation === operation ? world.disturbance : undefined
        if (found !== undefined) world.disturbance = undefined
        const lost = Effect.fail(new ProviderUnavailable({ operation, reason: "the test has no answer" }))
        if (found?.fault === "away") return lost
        const done = Effect.tap(call, () => found?.meanwhile ?? Effect.void)
        return found?.fault === "unanswered" ? Effect.andThen(done, lost) : done
      })
    return PaymentGateway.of({
      account: inner.account,
      createSession: (request) => through("createSession", inner.createSession(request)),
      getSession: (account, id) => through("getSession", inner.getSession(account, id)),
      createRefund: (request, currency) =>
        through(
          "createRefund",
          Effect.suspend(() => {
            const known = [...provider.refunds.values()].some(({ refund_id }) => refund_id === request.refund_id)
            const { amount, booking_id = "", refund_id } = request
            const before = backOfPayments(provider, world.earlier)
            return Effect.tap(inner.createRefund(request, currency), () =>
              Effect.sync(() => {
                if (!known) world.sent.push({ refund_id, booking_id, amount, before })
              })
            )
          })
        ),
      getRefund: (account, id) => through("getRefund", inner.getRefund(account, id)),
      getInvoice: (id) => through("getInvoice", inner.getInvoice(id)),
      paidInvoices: (customer) => through("paidInvoices", inner.paidInvoices(customer)),
      listRefunds: (account, id) => through("listRefunds", inner.listRefunds(account, id)),
      describeSession: (account, id) => through("describeSession", inner.describeSession(account, id)),
      listSessions: (account, since) => through("listSessions", inner.listSessions(account, since)),
      listRefundsSince: (account, since) => through("listRefundsSince", inner.listRefundsSince(account, since)),
      paymentOf: (account, kind, id) => through("paymentOf", inner.paymentOf(account, kind, id)),
      sessionNamedBy: (account, id) => through("sessionNamedBy", inner.sessionNamedBy(account, id)),
      listDisputes: (account, id) => through("listDisputes", inner.listDisputes(account, id)),
      balanceTransactions: inner.balanceTransactions,
      payouts: inner.payouts,
      transactionsOfPayout: inner.transactionsOfPayout,
      disputesPage: (account, after) => through("disputesPage", inner.disputesPage(account, after)),
      disputesToldSince: (account, since) => through("disputesToldSince", inner.disputesToldSince(account, since)),
      expireSession: (account, id, key) =>
        through(
          "expireSession",
          Effect.tap(inner.expireSession(account, id, key), (said) =>
            Effect.sync(() => {
              if (said.status === "expired") queueEvent(world, "checkout.session.expired", said)
            })
          )
        )
    })
  })
)

/** Collects defects and SQL errors, even if a service recovers from them. */
const logger = Layer.unwrap(
  Effect.map(Outside, ({ defects }) =>
    Logger.layer([
      Logger.make(({ cause, message }) => {
        const causes = [cause, ...(Array.isArray(message) ? message : [message])].filter(Cause.isCause)
        for (const found of causes) {
          const text = Cause.pretty(found)
          if (Cause.hasDies(found) || text.includes("SqlError")) defects.push(text)
        }
      })
    ])
  )
)

const settings = { maxHoldsPerKey: 10_000, maxHoldsPerEmail: 10_000, letters: bySmtp() }

export const modelWorld = Layer.merge(commandLayers, platformAway).pipe(
  Layer.provideMerge(paymentServices),
  Layer.provideMerge(disturbedGateway),
  Layer.provideMerge(scriptedGateway),
  Layer.provideMerge(bookingServices(settings)),
  Layer.provideMerge(TestDatabase.layer),
  Layer.provideMerge(NodeServices.layer),
  Layer.provideMerge(logger),
  Layer.provideMerge(outside)
)
export type World = Layer.Success<typeof modelWorld>

/** Resets: no bookings, no payments, the first price list. */
export const resetModelWorld = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const world = yield* Outside
  const provider = yield* ScriptedGateway
  yield* sql`
    with a as (delete from occupancy), b as (delete from booking_history), c as (delete from refund), c2 as (delete from dispute),
      d as (delete from payment_session), e as (delete from idempotency), f as (delete from webhook_event),
      g as (delete from closure), h as (delete from provider_task), i as (delete from voucher),
      j as (delete from voucher_refund), k as (delete from voucher_sale), l as (delete from waiting)
    delete from booking`
  Object.assign(world, { now: beginning, disturbance: undefined, outbox: [] })
  world.defects.length = 0
  world.sent.length = 0
  provider.sessions.clear()
  provider.refunds.clear()
  provider.disputes.clear()
  provider.balanceTooSmall = false
  provider.calls.length = 0
  provider.forgetIdempotencyKeys()
  provider.outage = undefined
  provider.invoices.clear()
  yield* freshSubscription
  provider.newRefundStatus = "succeeded"
  if (world.edited) yield* CatalogueFile.use((file) => file.importFile(catalogueFile(0, new Set(), firstSizes)))
  world.edited = false
})

const Pending = Schema.Array(Schema.Struct({ id: Schema.String, element: Schema.fromJsonString(ProviderTask) }))

/** Runs the pending provider tasks once each. Only provider faults may fail them; those stay pending. */
export const runProviderTasks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const found = yield* sql`select id, element from provider_task where state = 'pending' order by sequence`
  for (const { element, id } of yield* Effect.orDie(Schema.decodeUnknownEffect(Pending)(found))) {
    const done = yield* runProviderTask(element).pipe(
      Effect.as(true),
      Effect.catchTag(["ProviderUnavailable", "AccountUnavailable"], () => Effect.succeed(false))
    )
    if (done) yield* sql`update provider_task set state = 'completed' where id = ${id}`
  }
})
