/** A service on the embedded database moves to a server: by the command of `docs/backup.md`, while families book. */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Redacted, Schema } from "effect"
import { Reactivity } from "effect/reactivity"
import { execFile, spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ask } from "../support/FamilyPages.ts"
import { connect, type McpClient } from "../support/McpClients.ts"
import { Booked, Options, Paying, Playrooms } from "../support/McpRequests.ts"
import { allApplied, databaseOf, startService } from "../support/Service.ts"
import { copiedDatabase, serverUrl } from "../support/TestDatabase.ts"

/** The embedded PostgreSQL's: an older `pg_dump` refuses. */
const major = 18
const dumps = /\(PostgreSQL\) (\d+)/.exec(spawnSync("pg_dump", ["--version"], { encoding: "utf8" }).stdout ?? "")?.[1]
const psql = spawnSync("psql", ["--version"]).status === 0
const lacking = [
  ...(serverUrl === undefined ? ["TEST_DATABASE_URL names no server"] : []),
  ...(Number(dumps ?? 0) >= major ? [] : [`pg_dump ${major} or newer is not installed (${dumps ?? "none"})`]),
  ...(psql ? [] : ["psql is not installed"])
]
if (lacking.length > 0) console.log(`SKIPPED: ${lacking.join("; ")}`)

/** The page's commands: the dump, and what reads it. */
const page = readFileSync(new URL("../../docs/backup.md", import.meta.url), "utf8")
const section = page.split("## Move the embedded database to a server")[1]?.split("\n## ")[0] ?? ""
const [dump = "", restore = ""] = Array.from(section.matchAll(/^```sh\n([^`]+)```/gm), ([, command = ""]) => command)

/** Types a command in a folder: what it complains of. */
const typed = (command: string, cwd: string, env: Readonly<Record<string, string>>) =>
  Effect.callback<string>((resume) => {
    const options = { cwd, env: { ...process.env, ...env }, timeout: 60_000 }
    execFile("sh", ["-c", command], options, (_error, _stdout, stderr) => resume(Effect.succeed(stderr)))
  })

const call = <A>(client: McpClient, schema: Schema.Codec<A, unknown>, tool: string, args: Record<string, unknown>) =>
  Effect.map(client.call(tool, args), ({ content, isError, text }) => {
    assert.isFalse(isError, text)
    return Schema.decodeUnknownSync(schema)(content)
  })

const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

it.live.skipIf(lacking.length > 0)("the whole embedded database moves to a server, while families book", () =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "playroom-move-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
    )
    const DATA_DIR = join(folder, "data")
    const service = yield* startService({ DATA_DIR })
    const sql = yield* databaseOf(service)
    const family = yield* connect("v2 auto", service.baseUrl, service.apiKey)
    const { playrooms } = yield* call(family, Playrooms, "search_playrooms", { limit: 50 })
    let rooms = 0
    const book = Effect.gen(function* () {
      const playroom_id = playrooms[rooms++ % playrooms.length]?.playroom_id
      const dates = { date: inDays(20), date_to: inDays(45) }
      const { options } = yield* call(family, Options, "get_booking_options", { playroom_id, children: 8, ...dates })
      const contact = { name: "Ana", email: `ana${rooms}@example.com` }
      const option_id = options[0]?.option_id
      return (yield* call(family, Booked, "create_booking", { option_id, contact })).booking
    })
    const paid = yield* Effect.forEach([1, 2, 3], () =>
      Effect.tap(book, ({ booking_id }) =>
        Effect.gen(function* () {
          const { payment_session } = yield* call(family, Paying, "create_payment_session", { booking_id })
          yield* ask(payment_session.url, { method: "POST", body: new URLSearchParams({ outcome: "pay" }) })
        })
      )
    )
    yield* allApplied(sql)
    const files = readdirSync(DATA_DIR).toSorted()

    // It waits for calls, and calls for it.
    const booked: Array<string> = []
    const booking = yield* Effect.forkChild(
      Effect.forever(
        Effect.gen(function* () {
          booked.push((yield* book).reference)
          yield* Effect.sleep("20 millis")
        })
      )
    )
    assert.strictEqual(yield* typed(dump, folder, { DATA_DIR }), "")
    const enough = booked.length + 3
    while (booked.length < enough && booking.pollUnsafe() === undefined) yield* Effect.sleep("20 millis")
    assert.isUndefined(booking.pollUnsafe(), "somebody could not book")
    yield* Fiber.interrupt(booking)

    // Nothing of the guest's is left.
    assert.deepStrictEqual(
      yield* sql`select current_setting('search_path') as path, (select count(*)::int from pg_locks
        where locktype = 'advisory') as locks`,
      [{ path: "public", locks: 0 }]
    )
    assert.deepStrictEqual(readdirSync(DATA_DIR).toSorted(), files)

    const DATABASE_URL = Redacted.value(yield* copiedDatabase(serverUrl ?? "", "template0"))
    const refused = (yield* typed(restore, folder, { DATABASE_URL }))
      .split("\n")
      .filter((line) => line.includes("ERROR") && !line.includes("transaction_timeout"))
    assert.deepStrictEqual(refused, [])
    const moved = yield* startService({ DATABASE_URL })
    const audit = yield* moved.playroom("doctor", "--audit")
    assert.strictEqual(audit.code, 0, audit.stdout + audit.stderr)
    const again = yield* connect("v2 auto", moved.baseUrl, moved.apiKey)
    for (const { booking_id, page_url = "" } of paid) {
      assert.strictEqual((yield* call(again, Booked, "get_booking", { booking_id })).booking.status, "confirmed")
      assert.strictEqual((yield* ask(moved.baseUrl + new URL(page_url).pathname)).status, 200)
    }
    assert.strictEqual((yield* service.playroom("doctor", "--audit")).code, 0)
  }).pipe(Effect.provide(Reactivity.layer), Effect.scoped)
)
