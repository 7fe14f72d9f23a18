/** A service on the embedded database moves to a server: by the command of `docs/backup.md`, while families book. */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Redacted, Schema } from "effect"
import { Reactivity } from "effect/reactivity"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ask } from "../support/FamilyPages.ts"
import { connect, type McpClient } from "../support/McpClients.ts"
import { Booked, Options, Paying, Playrooms } from "../support/McpRequests.ts"
import { allApplied, databaseOf, startService } from "../support/Service.ts"
import { copiedDatabase, serverUrl } from "../support/TestDatabase.ts"

/** The page's command. */
const page = readFileSync(new URL("../../docs/backup.md", import.meta.url), "utf8")
const [, command = ""] = /## Move to another database[\s\S]*?```sh\n(.+)\n```/.exec(page) ?? []

const call = <A>(client: McpClient, schema: Schema.Codec<A, unknown>, tool: string, args: Record<string, unknown>) =>
  Effect.map(client.call(tool, args), ({ content, isError, text }) => {
    assert.isFalse(isError, text)
    return Schema.decodeUnknownSync(schema)(content)
  })

const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

it.live.skipIf(serverUrl === undefined)("the whole embedded database moves to a server, while families book", () =>
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

    // Families book until nobody can.
    const booked: Array<string> = []
    const booking = yield* Effect.forkChild(
      Effect.exit(Effect.forever(Effect.tap(book, ({ reference }) => Effect.sync(() => booked.push(reference)))))
    )
    while (booked.length < 3) yield* Effect.sleep("20 millis")
    const DATABASE_URL = Redacted.value(yield* copiedDatabase(serverUrl ?? "", "template0"))
    const [program, ...args] = command.replace('"$NEW_DATABASE_URL"', DATABASE_URL).split(" ")
    assert.strictEqual(program, "playroom")
    const copied = yield* service.playroom(...args, "--sandbox")
    assert.strictEqual(copied.code, 0, copied.stdout + copied.stderr)
    yield* Fiber.join(booking)
    assert.include((yield* service.playroom("key", "list")).stderr, "moved to postgres://")
    const moved = yield* startService({ DATABASE_URL })
    const audit = yield* moved.playroom("doctor", "--audit")
    assert.strictEqual(audit.code, 0, audit.stdout + audit.stderr)
    const again = yield* connect("v2 auto", moved.baseUrl, moved.apiKey)
    for (const { booking_id, page_url = "" } of paid) {
      assert.strictEqual((yield* call(again, Booked, "get_booking", { booking_id })).booking.status, "confirmed")
      assert.strictEqual((yield* ask(moved.baseUrl + new URL(page_url).pathname)).status, 200)
    }
    const all = [...paid.map(({ reference }) => reference), ...booked].toSorted()
    const there = yield* (yield* databaseOf(moved))<{ reference: string }>`select reference from booking`
    assert.deepStrictEqual(there.map(({ reference }) => reference).toSorted(), all)
  }).pipe(Effect.provide(Reactivity.layer), Effect.scoped)
)
