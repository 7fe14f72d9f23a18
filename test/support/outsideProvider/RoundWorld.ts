/** What the rounds run in: a service that is connected to the outside provider, and what has been done there so far. */
import { type Duration, Effect, Option, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { minuteMs } from "../../../src/platform/time/LocalTime.ts"
import { type Chance, chanceFrom } from "../../fuzz/Chance.ts"
import { databaseOf, type Service, startService } from "../Service.ts"
import { Playrooms } from "../McpRequests.ts"
import type { Cancelled } from "./Judge.ts"
import { spawn } from "node:child_process"
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { inject } from "vitest"
import { clusterFolder } from "../../../src/platform/database/DataDirectory.ts"
import { shortLived } from "../nodeProcesses.ts"
import { ProviderRecord } from "./ProviderRecord.ts"

interface Payment {
  /** The provider's id of the checkout session. */
  readonly session: string
  readonly amount: number
}

/** A booking that was paid, with one checkout session or two. */
export interface PaidBooking {
  readonly booking_id: string
  readonly currency: string
  readonly payments: readonly [Payment, ...ReadonlyArray<Payment>]
}

/** All that the actions of a round share. */
export interface RoundWorld {
  /** The node that is called. */
  readonly service: Service
  /** All nodes, on one database; `service` is one of them. */
  readonly nodes: readonly [Service, ...ReadonlyArray<Service>]
  readonly provider: OutsideProvider
  readonly chance: Chance
  readonly playrooms: ReadonlyArray<string>
  readonly accounts: ReadonlyArray<string>
  readonly cancelled: Map<string, Cancelled>
  /** Paid bookings that nobody has cancelled yet. */
  readonly uncancelled: Array<PaidBooking>
  /** Until when operators' subscriptions were paid at the beginning, by the customer who pays. */
  readonly subscribed: ReadonlyMap<string, number>
  readonly counts: Map<string, number>
  /** Accounts that have withdrawn our access, or whose balance is empty, for now. */
  readonly troubled: Set<string>
}

/** The same world by one of its nodes. */
export const byAnyNode = (world: RoundWorld): RoundWorld =>
  world.nodes.length === 1 ? world : { ...world, service: world.chance.one(world.nodes) }

/** Counts what happened, for the summary of the run. */
export const count = ({ counts }: RoundWorld, what: string, by = 1): void =>
  void counts.set(what, (counts.get(what) ?? 0) + by)

export const Unknown = Schema.Record(Schema.String, Schema.Unknown)
const Reply = Schema.Struct({
  result: Schema.Struct({
    isError: Schema.optionalKey(Schema.Boolean),
    structuredContent: Schema.optionalKey(Unknown),
    content: Schema.Array(Schema.Struct({ text: Schema.String }))
  })
})

/**
 * A tool call as an assistant makes it. It is repeated while the process is down and while the error is retryable.
 * Answers none where the call was refused, or did not succeed in time.
 */
export const callTool = <A>(
  service: Service,
  schema: Schema.Codec<A, unknown>,
  name: string,
  args: Record<string, unknown>,
  within: Duration.Input = "60 seconds"
) =>
  Effect.tryPromise({
    try: async () => {
      const response = await fetch(`${service.baseUrl}/mcp`, {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json", "x-api-key": service.apiKey },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }),
        signal: AbortSignal.timeout(12_000)
      })
      const { result } = Schema.decodeUnknownSync(Reply)(await response.json())
      if (result.isError !== true) return Option.some(result.structuredContent)
      const text = result.content[0]?.text ?? ""
      if (text.includes('"retryable":true')) throw new Error(text)
      return Option.none<unknown>()
    },
    catch: (cause) => new Error(String(cause))
  }).pipe(
    Effect.retry(Schedule.spaced("300 millis")),
    Effect.timeout(within),
    Effect.catch(() => Effect.succeedNone),
    // An answer of another shape means that the rounds are out of date with the tools: that is a defect.
    Effect.flatMap((answer) =>
      Option.isNone(answer)
        ? Effect.succeedNone
        : Effect.asSome(Effect.orDie(Schema.decodeUnknownEffect(schema)(answer.value)))
    )
  )

const accountsOf = Schema.decodeUnknownEffect(
  Schema.Array(
    Schema.Struct({ connected_account_id: Schema.String, billing_customer_id: Schema.NullOr(Schema.String) })
  )
)

/**
 * The demo's operators get accounts at this provider, as in production; three are billed, and their subscriptions run
 * out soon.
 */
const connectOperators = Effect.fnUntraced(function* (paid_through: number) {
  const sql = yield* SqlClient.SqlClient
  const operators = yield* accountsOf(
    yield* sql`update operator o set
      connected_account_id = replace(o.connected_account_id, 'acct_sandbox_', 'acct_1'),
      billing_customer_id = case when n <= 3 then 'cus_1' || n end,
      paid_through = case when n <= 3 then ${new Date(paid_through)}::timestamptz end
      from (select operator_id, row_number() over (order by operator_id) as n from operator) numbered
      where numbered.operator_id = o.operator_id returning connected_account_id, billing_customer_id`
  )
  return {
    accounts: operators.map(({ connected_account_id }) => connected_account_id),
    customers: operators.flatMap(({ billing_customer_id }) =>
      billing_customer_id === null ? [] : [billing_customer_id]
    )
  }
})

/** Reads or changes the service's database through a client of its own. */
export const readDatabase = <A, E>(service: Service, look: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.scoped(Effect.flatMap(databaseOf(service), (sql) => Effect.provideService(look, SqlClient.SqlClient, sql)))

/** Settings of a service in a world of rounds, beside the provider's. */
export const roundSettings = { MAX_HOLDS_PER_KEY: "10000", LOG_LEVEL: "Warn" }

/**
 * Starts a provider and a service that is connected to it; what both do by chance follows from `seed`. On a server,
 * the service has two nodes. Each is a machine with a name and a clock of its own.
 */
export const startRoundWorld = Effect.fnUntraced(function* (seed: number) {
  const provider = yield* startProvider(seed)
  const settings = { ...provider.env, ...roundSettings }
  const first = yield* startService({ ...settings, MACHINE: "first-machine" })
  const { DATABASE_URL } = first.env
  if (DATABASE_URL === undefined) return yield* connectRoundWorld(seed, provider, [first])
  yield* provider.control("skew", { clock: "other-clock" })
  const CLOCK_OFFSET_FILE = join(provider.env["PROVIDER_HOME"] ?? "", "other-clock")
  const other = yield* startService({ ...settings, DATABASE_URL, MACHINE: "other-machine", CLOCK_OFFSET_FILE })
  return yield* connectRoundWorld(seed, provider, [first, other])
})

/** The provider and a service that was started with its settings get to know each other. */
export const connectRoundWorld = Effect.fnUntraced(function* (
  seed: number,
  provider: OutsideProvider,
  nodes: RoundWorld["nodes"]
) {
  const [service] = nodes
  yield* provider.control("targets", {
    targets: { urls: nodes.map(({ baseUrl }) => baseUrl), ...provider.secrets }
  })
  const soon = (yield* provider.record).now + 20 * minuteMs
  const { accounts, customers } = yield* readDatabase(service, connectOperators(soon))
  const found = yield* callTool(service, Playrooms, "search_playrooms", { children: 4 })
  const world: RoundWorld = {
    service,
    nodes,
    provider,
    chance: chanceFrom(seed),
    playrooms: found._tag === "Some" ? found.value.playrooms.map(({ playroom_id }) => playroom_id) : [],
    accounts,
    cancelled: new Map(),
    uncancelled: [],
    subscribed: new Map(customers.map((customer) => [customer, soon])),
    counts: new Map(),
    troubled: new Set()
  }
  return world
})

// The product's sandbox as a process of its own, which the service takes for the real provider: it outlives the service
// that is killed, people act on it without the service's knowledge, and its record says what was really paid and
// refunded.
//
// This file starts it for a scope, and gives the settings with which a service connects to it.

const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

export interface OutsideProvider {
  /** Settings with which a service connects to this provider as if it were the real one. */
  readonly env: Readonly<Record<string, string>>
  readonly secrets: { readonly platformSecret: string; readonly connectedSecret: string }
  /** Controls the provider: `what` is a name of `controls` in `main.ts`. Answers what that control answers. */
  readonly control: (what: string, how?: object) => Effect.Effect<unknown>
  readonly record: Effect.Effect<ProviderRecord>
}

/** Starts the provider; what it does by chance follows from `seed`. */
export const startProvider = Effect.fnUntraced(function* (seed: number) {
  const home = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "playroom-provider-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
  )
  cpSync(inject("embeddedTemplate"), join(home, "data", clusterFolder), { recursive: true })
  yield* Effect.acquireRelease(
    Effect.callback<ReturnType<typeof spawn>>((resume) => {
      const child = spawn(process.execPath, [...shortLived, pathOf("./main.ts"), String(seed), home], {
        stdio: ["pipe", "pipe", "inherit"]
      })
      child.stdout.once("data", () => resume(Effect.succeed(child)))
      child.once("exit", (code) => resume(Effect.die(new Error(`the provider ended: ${code}`))))
    }),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  const url = `http://127.0.0.1:${readFileSync(join(home, "controls"), "utf8")}`
  const say = (what: string, how: object = {}): Effect.Effect<unknown> =>
    Effect.promise(() =>
      fetch(`${url}/${what}`, { method: "POST", body: JSON.stringify(how) }).then((answer) => answer.json())
    )
  const secrets = { platformSecret: `whsec_platform_${seed}`, connectedSecret: `whsec_connected_${seed}` }
  const provider: OutsideProvider = {
    env: {
      PAYMENT_PROVIDER: "stripe",
      STRIPE_SECRET_KEY: "sk_test_outside",
      PAYMENT_WEBHOOK_SECRETS: secrets.platformSecret,
      PAYMENT_CONNECT_WEBHOOK_SECRETS: secrets.connectedSecret,
      NODE_OPTIONS: `--import=${pathOf("./preload.ts")}`,
      PROVIDER_HOME: home,
      CLOCK_OFFSET_FILE: join(home, "clock")
    },
    secrets,
    control: say,
    record: say("record").pipe(Effect.flatMap(Schema.decodeUnknownEffect(ProviderRecord)), Effect.orDie)
  }
  return provider
})
