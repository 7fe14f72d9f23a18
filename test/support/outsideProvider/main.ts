/**
 * The process of the outside provider: `node main.ts SEED HOME`. It is the product's sandbox with a database and a
 * clock of its own, and with faults by chance. It writes the sandbox's port, the port of its controls and its clock
 * into files in HOME, where the service's `preload.ts` and the tests read them. Tests control it with `POST /NAME` on
 * the port of the controls, see `controls`.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Clock, Effect, Layer, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { ownEmbedded } from "../../../src/platform/database/EmbeddedPostgres.ts"
import { usedEvents } from "../../../src/domain/payment/events/Events.ts"
import type { State } from "../../../src/extras/sandbox/Endpoint.ts"
import { SandboxedService } from "../../../src/extras/sandbox/Events.ts"
import { type ApiFault, type ApiRequest, type DeliveryFault, Faults } from "../../../src/extras/sandbox/Faults.ts"
import { choose, type Outcome, type Presented, sessionOfPage } from "../../../src/extras/sandbox/Payments.ts"
import { createEndpoint, payInvoice } from "../../../src/extras/sandbox/Platform.ts"
import { createRefund, turnRefund } from "../../../src/extras/sandbox/Refunds.ts"
import { Sandbox } from "../../../src/extras/sandbox/Sandbox.ts"
import { type Chance, chanceFrom } from "../../fuzz/Chance.ts"
import { clockAhead, writeAhead } from "../ManualClock.ts"
import { hasFailed, paymentsOfBooking, readRecord, refundOf, returned } from "./ProviderRecord.ts"
import { openOrMoveDispute } from "../../../src/extras/sandbox/Disputes.ts"

// What the outside provider corrects later: disputes are decided, appealed and won after all, refunds that had
// succeeded fail.

const inTransaction = <A, E, R>(act: Effect.Effect<A, E, R>) =>
  SqlClient.SqlClient.use((sql) => sql.withTransaction(act))

/** Opens a dispute, or moves the one that `form` names, with its events. */
const moveDispute = (form: Record<string, string>) =>
  inTransaction(openOrMoveDispute(new URLSearchParams(form).toString()))

const record = readRecord(new Map())

/** The controls that correct things by chance. */
const makeTurns = (chance: Chance) => {
  const counts = {
    disputes_appealed: 0,
    disputes_won_on_appeal: 0,
    refunds_failed: 0,
    refunds_succeeded_after_all: 0
  }
  /** Refunds that chance has decided about: most of earlier rounds stay as they are. */
  const thrown = new Set<string>()

  return {
    counts,

    /** The banks decide all disputes, also those that were appealed; without `as`, each by chance. */
    decideDisputes: Effect.fnUntraced(function* (as: "won" | "lost" | undefined) {
      for (const { id: dispute, payment_intent, status } of (yield* record).disputes) {
        const appealed = status.startsWith("appeal_")
        if (!/_response$|_review$/.test(status)) continue
        const won = as === undefined ? (appealed ? !chance.once(3) : chance.once(2)) : as === "won"
        yield* moveDispute({ dispute, payment_intent, status: won ? "won" : "lost" })
        if (won && appealed) counts.disputes_won_on_appeal++
      }
    }),

    /** Operators appeal some of the disputes that they lost. */
    appealDisputes: Effect.gen(function* () {
      for (const { id: dispute, payment_intent, status } of (yield* record).disputes) {
        if (status !== "lost" || chance.once(3)) continue
        yield* moveDispute({ dispute, payment_intent, status: "appeal_under_review" })
        counts.disputes_appealed++
      }
    }),

    /**
     * Some refunds that had succeeded fail: the payers' banks send the money back. A few of those reach the payer after
     * all, before anybody has heard of it.
     */
    failRefunds: Effect.gen(function* () {
      for (const { id: refund, status } of (yield* record).refunds) {
        if (status !== "succeeded" || thrown.has(refund)) continue
        thrown.add(refund)
        if (!chance.once(3)) continue
        const turn = (status: string) => inTransaction(turnRefund(new URLSearchParams({ refund, status }).toString()))
        if (!hasFailed(yield* turn(chance.once(4) ? "canceled" : "failed"))) continue
        counts.refunds_failed++
        if (!chance.once(5)) continue
        yield* turn("succeeded")
        counts.refunds_succeeded_after_all++
      }
    })
  }
}

const [, , seed = "1", home = "."] = process.argv
const chance = chanceFrom(Number(seed))
let ahead = 0
const now = (): number => Date.now() + ahead
/** By how much the clocks of the service's nodes differ from the provider's, in milliseconds, by the clocks' files. */
const skews = new Map([["clock", 0]])
const writeClock = (): void => {
  for (const [clock, skew] of skews) writeAhead(join(home, clock), ahead + skew, skew)
}
const providerClock = clockAhead(() => ahead)

/** What goes wrong with a call. `slow`: it is answered late. */
const apiFaults = [
  "cut",
  "cut_after",
  "slow",
  "error_500_saved",
  "error_500_saved_after",
  "rate_limit",
  "html_502"
] as const satisfies ReadonlyArray<ApiFault | "slow">
/** What goes wrong with an event. `delay`: it comes late, when `flush` is called. */
const deliveryFaults = ["drop", "other_release", "delay", "duplicate"] as const satisfies ReadonlyArray<DeliveryFault>
/** Nothing waits as long as a late event, however far the clock is turned. */
const lateSeconds = 10 * 365 * 86_400

const counts = {
  calls: 0,
  /** Events whose first delivery was due. */
  deliveries: 0,
  faults: Object.fromEntries(apiFaults.map((fault) => [fault, 0])),
  events: Object.fromEntries<number>(deliveryFaults.map((fault) => [fault, 0]))
}
/** One in so many calls, or events, has a fault of each kind; 0: none has. */
const oneIn = { calls: 0, events: 0 }
/** Which faults are chosen from, where not all of them. */
let only: ReadonlyArray<string> | undefined
const among = <A extends string>(all: ReadonlyArray<A>): ReadonlyArray<A> =>
  only === undefined ? all : all.filter((one) => only?.includes(one))
const unlucky = (times: number): boolean => times > 0 && chance.once(times)
/** Accounts that have withdrawn our access, and accounts with an empty balance. */
const closed = new Set<string>()
const poor = new Set<string>()
let slowRefunds = false

/** What each payment of a booking had returned when the service last asked before a refund, by our id of the refund. */
const known = new Map<string, Readonly<Record<string, number>>>()
const looks = new Map<string, { readonly at: number; readonly gone: number }>()
/**
 * The service's question about a payment counts for a refund that follows within this time: a whole call with its
 * retries.
 */
const lookValidMs = 30_000

const noteCall = Effect.fnUntraced(function* ({ body, method, path, query }: ApiRequest) {
  if (path !== "/v1/refunds") return
  const parameters = new URLSearchParams(method === "GET" ? query : body)
  const intent = parameters.get("payment_intent")
  const refund_id = parameters.get("metadata[refund_id]")
  if (intent === null) return
  if (method === "GET") return void looks.set(intent, { at: Date.now(), gone: yield* returned(intent) })
  // A call that is sent again makes no other refund.
  if (refund_id === null || (yield* refundOf(refund_id)) !== undefined) return
  const amounts: Record<string, number> = {}
  for (const payment of yield* paymentsOfBooking(intent)) {
    const look = looks.get(payment)
    const gone = yield* returned(payment)
    amounts[payment] = look === undefined || Date.now() - look.at > lookValidMs ? gone : Math.min(look.gone, gone)
  }
  known.set(refund_id, amounts)
})

const nextApiFault = Effect.fnUntraced(function* (call: ApiRequest) {
  counts.calls++
  yield* noteCall(call)
  const refunding = call.method === "POST" && call.path === "/v1/refunds"
  if (closed.has(call.account)) return "account_closed"
  if (refunding && poor.has(call.account)) return "balance_insufficient"
  const faults = among(apiFaults)
  const fault = unlucky(oneIn.calls) ? faults[chance.below(faults.length)] : undefined
  if (fault !== undefined) counts.faults[fault] = (counts.faults[fault] ?? 0) + 1
  if (fault === "slow") yield* Effect.sleep(200 + chance.below(2000))
  else if (fault !== undefined) return fault
  return refunding && slowRefunds ? "refund_pends" : undefined
})

const EventAccount = Schema.fromJsonString(
  Schema.Struct({
    account: Schema.optionalKey(Schema.String),
    context: Schema.optionalKey(Schema.NullOr(Schema.String))
  })
)
/** A thin event names its account as `context`. */
const accountOf = (event: string): string => {
  const { account, context } = Schema.decodeUnknownSync(EventAccount)(event)
  return account ?? context ?? ""
}

const deliveryFault = (): DeliveryFault | undefined => {
  if (only === undefined) return deliveryFaults.find(() => unlucky(oneIn.events))
  const chosen = among<DeliveryFault>([...deliveryFaults, "corrupt", "reorder"])
  return unlucky(oneIn.events) ? chosen[chance.below(chosen.length)] : undefined
}

const nextDeliveryFault = (event: string) =>
  Effect.sync(() => {
    counts.deliveries++
    const fault = deliveryFault()
    // An account that has withdrawn our access sends us no events.
    if (closed.has(accountOf(event))) return { fault: "drop" as const, delay_seconds: 0 }
    if (fault !== undefined) counts.events[fault] = (counts.events[fault] ?? 0) + 1
    return fault === undefined ? undefined : { fault, delay_seconds: lateSeconds }
  })

const faults = Layer.effect(
  Faults,
  Effect.map(SqlClient.SqlClient, (sql) =>
    Faults.of({
      set: () => Effect.void,
      reset: Effect.void,
      nextApiFault: (call) => Effect.orDie(Effect.provideService(nextApiFault(call), SqlClient.SqlClient, sql)),
      nextDeliveryFault
    })
  )
)

/** Where the service's nodes listen, and what their receivers accept. */
let targets = { urls: ["http://127.0.0.1:9"], platformSecret: "", connectedSecret: "" }
/** A balancer leads each delivery to one of the nodes. */
const nodeUrl = (): string => targets.urls[targets.urls.length > 1 ? chance.below(targets.urls.length) : 0] ?? ""
const service = Layer.succeed(
  SandboxedService,
  SandboxedService.of({
    port: 0,
    receivers: {
      get platform() {
        const secrets = [Redacted.make(targets.platformSecret)]
        return { url: `${nodeUrl()}/api/PaymentWebhook/Handle`, secrets }
      },
      get connected() {
        const secrets = [Redacted.make(targets.connectedSecret)]
        return { url: `${nodeUrl()}/api/PaymentWebhook/HandleConnected`, secrets }
      }
    },
    accountName: Effect.succeed,
    deliveriesAtOnce: 8,
    // So few that there are pages.
    longestPage: 3
  })
)

/** What a control is told. */
interface Said {
  readonly session?: string
  readonly account?: string
  readonly customer?: string
  readonly outcome?: Outcome
  readonly presented?: Presented
  readonly kinds?: ReadonlyArray<"snapshot" | "thin">
  readonly as?: "won" | "lost"
  readonly ms?: number
  readonly clock?: string
  readonly amount?: number
  readonly end?: number
  readonly calls?: number
  readonly events?: number
  /** Of all faults, the names of those that happen. */
  readonly of?: ReadonlyArray<string>
  readonly now?: boolean
  readonly targets?: typeof targets
}

const turns = makeTurns(chance)

const notLate = (sql: SqlClient.SqlClient) => sql`next_attempt_at < ${new Date(now() + (lateSeconds * 1000) / 2)}`

/** What tests can have the provider do, by name. A refusal is answered with null. */
const controls: Readonly<Record<string, (said: Said) => Effect.Effect<unknown, unknown, State | Sandbox>>> = {
  targets: (said) => Effect.sync(() => (targets = said.targets ?? targets)),
  /**
   * A payer chooses how a page ends; answers whether it was open. `presented`: in a currency of their own, which an
   * operator's page may offer whatever the service asked for.
   */
  pay: ({ outcome = "pay", presented, session = "" }) =>
    Effect.gen(function* () {
      const { currency, status } = yield* sessionOfPage(session)
      if (status !== "open") return false
      const other = presented?.currency === currency ? undefined : presented
      const sql = yield* SqlClient.SqlClient
      if (other !== undefined)
        yield* sql`update sandbox.session set adaptive_pricing = true where session_id = ${session}`
      return (yield* inTransaction(choose(session, outcome, other))).status === "complete"
    }),
  /** What the platform's endpoints get from now on: snapshot events, thin ones, or both. */
  endpoints: ({ kinds = [] }) =>
    inTransaction(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`delete from sandbox.endpoint`
        for (const kind of kinds) {
          for (const receiver of ["platform", "connected"] as const) {
            const thin = kind === "thin"
            yield* createEndpoint({
              url: nodeUrl(),
              connect: receiver === "connected",
              api_version: null,
              enabled_events: usedEvents[receiver].map((type) => (thin ? `v1.${type}` : type)),
              description: null,
              metadata: {},
              thin
            })
          }
        }
      })
    ),
  /** A refund that a person makes in the dashboard; answers its amount, 0 if it can't be made. */
  refund: ({ amount, session = "" }) =>
    Effect.gen(function* () {
      const { account, payment_intent_id: payment_intent, ...payment } = yield* sessionOfPage(session)
      if (payment_intent === null) return 0
      const left = payment.amount - (yield* returned(payment_intent))
      const part = Math.min(left, amount ?? left)
      if (part <= 0) return 0
      const refund = { payment_intent, amount: part, reason: undefined, refund_application_fee: false, metadata: {} }
      return (yield* inTransaction(createRefund(account, refund, slowRefunds ? "pending" : "succeeded"))).amount
    }).pipe(Effect.catchTag("Refusal", () => Effect.succeed(0))),
  /** The payer's bank takes the rest of a payment back, until the dispute is decided. */
  dispute: ({ session = "" }) =>
    Effect.gen(function* () {
      const { amount, payment_intent_id: payment_intent, session_id } = yield* sessionOfPage(session)
      if (payment_intent === null) return null
      const left = amount - (yield* returned(payment_intent))
      const sql = yield* SqlClient.SqlClient
      const before = yield* sql`select 1 from sandbox.dispute where session_id = ${session_id}`
      if (left === 0 || before.length > 0) return null
      return (yield* moveDispute({ payment_intent, amount: String(left) })).dispute_id
    }),
  decideDisputes: ({ as }) => turns.decideDisputes(as),
  appealDisputes: () => turns.appealDisputes,
  failRefunds: () => turns.failRefunds,
  /** An operator's subscription is paid up to an instant, in seconds. */
  invoice: ({ customer = "", end = 0 }) =>
    inTransaction(payInvoice({ customer, oneOff: false, periodMs: end * 1000 - now() })),
  access: ({ account = "", now: open }) =>
    Effect.sync(() => (open === true ? closed.delete(account) : closed.add(account))),
  poor: ({ account = "", now: is }) => Effect.sync(() => (is === true ? poor.add(account) : poor.delete(account))),
  slowRefunds: ({ now: slow }) => Effect.sync(() => (slowRefunds = slow === true)),
  faults: ({ calls = 0, events = 0, of }) =>
    Effect.sync(() => {
      only = of
      Object.assign(oneIn, { calls, events })
    }),
  /** A clock of the service's nodes steps, and the provider's does not. */
  skew: ({ clock = "clock", ms = 0 }) =>
    Effect.sync(() => {
      skews.set(clock, ms)
      writeClock()
    }),
  turn: ({ ms = 0 }) =>
    Effect.suspend(() => {
      ahead += ms
      writeClock()
      return Sandbox.use(({ work }) => work)
    }),
  /** Delivers the late events, the newest first. */
  flush: () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const late = yield* sql`select seq from sandbox.delivery where not (${notLate(sql)}) order by seq desc`
      for (const { seq } of late) {
        yield* sql`update sandbox.delivery set next_attempt_at = ${new Date(now())} where seq = ${seq}`
        yield* Sandbox.use(({ work }) => work)
      }
    }),
  /** How many deliveries are not taken yet, the late ones left out. */
  waiting: () =>
    SqlClient.SqlClient.use((sql) =>
      Effect.map(sql`select 1 from sandbox.delivery where ${notLate(sql)}`, (rows) => rows.length)
    ),
  /** How many calls came and events were due so far. */
  busyness: () => Effect.sync(() => counts.calls + counts.deliveries),
  record: () =>
    Effect.map(readRecord(known), ({ events, ...record }) => {
      const { calls, faults } = counts
      return {
        ...record,
        now: now(),
        skews: Object.fromEntries(skews),
        calls,
        faults,
        turns: turns.counts,
        events: { ...counts.events, ...events }
      }
    })
}

const control = Effect.fnUntraced(function* (name: string, body: string) {
  const act = controls[name]
  if (act === undefined) return { status: 404, answer: name }
  const said: Said = JSON.parse(body === "" ? "{}" : body)
  return { status: 200, answer: yield* Effect.catch(act(said), () => Effect.succeed(null)) }
})

const program = Effect.gen(function* () {
  const { port } = yield* Sandbox
  const run = Effect.runPromiseWith(yield* Effect.context<State | Sandbox>())
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      run(control((request.url ?? "").slice(1), Buffer.concat(chunks).toString("utf8"))).then(
        ({ answer, status }) => response.writeHead(status).end(JSON.stringify(answer ?? null)),
        (cause: unknown) => {
          console.error(cause)
          response.writeHead(500).end(JSON.stringify(String(cause)))
        }
      )
    })
  })
  writeClock()
  writeFileSync(join(home, "port"), String(port))
  // No connection is closed while the rounds are about to use it again.
  server.keepAliveTimeout = 0
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    if (typeof address === "object" && address !== null) writeFileSync(join(home, "controls"), String(address.port))
    console.log("ready")
  })
  return yield* Effect.never
})

const database = PgClient.layerFrom(ownEmbedded(join(home, "data")))
program.pipe(
  Effect.provide(Sandbox.layerNoDeps.pipe(Layer.provideMerge(Layer.mergeAll(faults, service)))),
  Effect.provide(Layer.mergeAll(database, SecureRandom.layerWebCrypto, Layer.succeed(Clock.Clock, providerClock))),
  NodeRuntime.runMain
)
// It ends with the test that started it.
process.stdin.on("end", () => process.exit(0)).resume()
