/** A service that believes in the provider outside, and what a round ends with: everything told, time passed, and a judgement. */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Stripe } from "stripe"
import { chanceFrom } from "../../fuzz/Chance.ts"
import { databaseOf, startService } from "../Service.ts"
import { Finding, judge, lookAtDatabase } from "./Judge.ts"
import { startProvider } from "./OutsideProvider.ts"
import { count, Playrooms, tool, type Town } from "./Round.ts"

const demo = fileURLToPath(new URL("../../../src/catalogue/demo.json", import.meta.url))

/** The demo's playrooms, whose operators have accounts at this provider, as in production. */
const catalogue = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(join(tmpdir(), "playroom-town-"))
    const text = readFileSync(demo, "utf8").replaceAll("acct_sandbox_", "acct_1").replaceAll("cus_sandbox_", "cus_1")
    writeFileSync(join(folder, "town.json"), text)
    return { folder, file: join(folder, "town.json"), accounts: [...new Set(text.match(/acct_1\w+/g))] }
  }),
  ({ folder }) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

const Findings = Schema.fromJsonString(Schema.Array(Finding))

export const startTown = Effect.fnUntraced(function* (seed: number) {
  const { accounts, file } = yield* catalogue
  const provider = yield* startProvider(seed)
  const service = yield* startService({ ...provider.env, MAX_HOLDS_PER_KEY: "10000", LOG_LEVEL: "Warn" })
  yield* provider.say("targets", {
    targets: { url: service.baseUrl, apiVersion: Stripe.API_VERSION, ...provider.secrets }
  })
  const imported = yield* service.playroom("catalogue", "import", file)
  if (imported.code !== 0) return yield* Effect.die(new Error(imported.stderr))
  const found = yield* tool(service, Playrooms, "search_playrooms", { children: 4 })
  const town: Town = {
    service,
    provider,
    chance: chanceFrom(seed),
    playrooms: found._tag === "Some" ? found.value.playrooms.map(({ playroom_id }) => playroom_id) : [],
    accounts,
    cancelled: new Map(),
    counts: new Map(),
    troubled: new Set()
  }
  return town
})

/** What is wrong at this moment; `doctor` is a process of its own, and asked only where it may change the judgement. */
const judgeTown = Effect.fnUntraced(function* (
  town: Town,
  { patient, thorough }: { patient: boolean; thorough: boolean }
) {
  const { cancelled, provider, service, troubled } = town
  const database = yield* Effect.scoped(
    Effect.flatMap(databaseOf(service), (sql) => Effect.provideService(lookAtDatabase, SqlClient.SqlClient, sql))
  )
  const evidence = { record: yield* provider.record, database, cancelled, findings: [], troubled }
  const unnamed = judge(evidence)
  if (unnamed.length > 0 ? patient : !thorough) return unnamed
  const doctor = yield* service.playroom("doctor", "--json")
  const findings = yield* Schema.decodeUnknownEffect(Findings)(doctor.stdout)
  return judge({ ...evidence, findings })
})

const minute = 60_000
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
export const settle = Effect.fnUntraced(function* (town: Town, thorough: boolean) {
  const { chance, provider, troubled } = town
  yield* provider.say("faults", {})
  yield* provider.say("slowRefunds", { now: false })
  yield* provider.say("decideDisputes", { as: chance.once(2) ? "lost" : "won" })
  for (const account of troubled) {
    if (chance.once(4)) continue
    yield* provider.say("access", { account, now: true })
    yield* provider.say("poor", { account, now: false })
    troubled.delete(account)
  }
  yield* provider.say("flush")
  let wrong: ReadonlyArray<string> = []
  for (const [step, ms] of passing.entries()) {
    yield* provider.say("turn", { ms })
    count(town, "minutes passed", ms / minute)
    for (let tries = 0; tries < 20 && (yield* provider.say("waiting")) !== 0; tries++) yield* Effect.sleep("300 millis")
    // Each kind of look comes round every second.
    for (let looks = 0; looks < 4; looks++) {
      yield* Effect.sleep("700 millis")
      wrong = yield* judgeTown(town, { patient: looks < 3 || step < 3, thorough })
      if (wrong.length === 0) return wrong
    }
  }
  return wrong
})
