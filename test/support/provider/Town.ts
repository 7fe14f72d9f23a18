/** A service that believes in the provider outside, and what a round ends with: everything told, time passed, and a judgement. */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Stripe } from "stripe"
import { chanceFrom } from "../../fuzz/Chance.ts"
import { databaseOf, type Service, startService } from "../Service.ts"
import { databaseRecord, Finding, judge } from "./Judge.ts"
import { startProvider } from "./OutsideProvider.ts"
import { callTool, count, Playrooms, type RoundWorld } from "./Calls.ts"

const accountsOf = Schema.decodeUnknownEffect(
  Schema.Array(
    Schema.Struct({ connected_account_id: Schema.String, billing_customer_id: Schema.NullOr(Schema.String) })
  )
)

/** The demo's operators get accounts at this provider, as in production; three are billed, and their subscriptions run out soon. */
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

const minute = 60_000

const readDatabase = <A, E>(service: Service, look: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.scoped(Effect.flatMap(databaseOf(service), (sql) => Effect.provideService(look, SqlClient.SqlClient, sql)))

const Findings = Schema.fromJsonString(Schema.Array(Finding))

export const startRoundWorld = Effect.fnUntraced(function* (seed: number) {
  const provider = yield* startProvider(seed)
  const service = yield* startService({ ...provider.env, MAX_HOLDS_PER_KEY: "10000", LOG_LEVEL: "Warn" })
  yield* provider.control("targets", {
    targets: { url: service.baseUrl, apiVersion: Stripe.API_VERSION, ...provider.secrets }
  })
  const soon = (yield* provider.record).now + 20 * minute
  const { accounts, customers } = yield* readDatabase(service, connectOperators(soon))
  const found = yield* callTool(service, Playrooms, "search_playrooms", { children: 4 })
  const town: RoundWorld = {
    service,
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
  return town
})

/** What is wrong at this moment; `doctor` is a process of its own, and asked only where it may change the judgement. */
const judgeTown = Effect.fnUntraced(function* (
  town: RoundWorld,
  { patient, thorough }: { patient: boolean; thorough: boolean }
) {
  const { cancelled, provider, service, subscribed, troubled } = town
  const database = yield* readDatabase(service, databaseRecord)
  const evidence = { record: yield* provider.record, database, cancelled, subscribed, findings: [], troubled }
  const unnamed = judge(evidence)
  if (unnamed.length > 0 ? patient : !thorough) return unnamed
  const doctor = yield* service.playroom("doctor", "--json")
  const findings = yield* Schema.decodeUnknownEffect(Findings)(doctor.stdout)
  return judge({ ...evidence, findings })
})

/** The queue of provider tasks goes by the database's clock, which nobody turns: what waits there waits that much less. */
const pass = Effect.fnUntraced(function* (ms: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`update provider_task set visible_at = visible_at - make_interval(secs => ${ms / 1000}) where state = 'pending'`
})

/** So much time passes, in steps, until nothing is wrong any more: for what is asked again soon, for holds and pages, for keys that are forgotten. */
const passing = [
  3 * minute,
  41 * minute,
  41 * minute,
  3 * 60 * minute,
  13 * 60 * minute,
  25 * 60 * minute,
  25 * 60 * minute
]

/** The provider and the network are well again, some operators still are not; then time passes. Answers what stays wrong; `thorough`: of the doctor's words too. */
export const settle = Effect.fnUntraced(function* (town: RoundWorld, thorough: boolean) {
  const { chance, provider, troubled } = town
  yield* provider.control("faults", {})
  yield* provider.control("slowRefunds", { now: false })
  yield* provider.control("decideDisputes", { as: chance.once(2) ? "lost" : "won" })
  for (const account of troubled) {
    if (chance.once(4)) continue
    yield* provider.control("access", { account, now: true })
    yield* provider.control("poor", { account, now: false })
    troubled.delete(account)
  }
  yield* provider.control("flush")
  let wrong: ReadonlyArray<string> = []
  for (const [step, ms] of passing.entries()) {
    yield* provider.control("turn", { ms })
    yield* readDatabase(town.service, pass(ms))
    count(town, "minutes passed", ms / minute)
    for (let tries = 0; tries < 20 && (yield* provider.control("waiting")) !== 0; tries++)
      yield* Effect.sleep("300 millis")
    // Each kind of look comes round every second.
    for (let looks = 0; looks < 4; looks++) {
      yield* Effect.sleep("700 millis")
      wrong = yield* judgeTown(town, { patient: looks < 3 || step < 3, thorough })
      if (wrong.length === 0) return wrong
    }
  }
  return wrong
})
