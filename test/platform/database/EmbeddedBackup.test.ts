import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inject } from "vitest"
import { socketPath, backUpEmbedded } from "../../../src/platform/database/DataDirectory.ts"
import { joinEmbedded, ownEmbedded } from "../../../src/platform/database/EmbeddedPostgres.ts"

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "playroom-backup-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

describe("a backup of the embedded database", () => {
  it.live("is made while others write, holds all that was committed by then, and opens as a data directory", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const dataDir = join(folder, "data")
      const target = join(folder, "copies", "monday")
      cpSync(inject("embeddedTemplate"), join(dataDir, "postgres"), { recursive: true })
      writeFileSync(join(dataDir, "development-key"), "playroom_key_old\n")
      const service = yield* ownEmbedded(dataDir)
      const command = yield* joinEmbedded(socketPath(dataDir))
      yield* service`create table note (n int primary key, text text not null)`
      let written = 0
      const writing = yield* Effect.forkChild(
        Effect.forever(
          Effect.andThen(
            Effect.suspend(() => service`insert into note values (${written + 1}, ${"x".repeat(2000)})`),
            Effect.sync(() => void written++)
          )
        )
      )
      const writtenTo = (n: number) => Effect.repeat(Effect.sleep("5 millis"), { until: () => written >= n })
      yield* writtenTo(50)
      const before = written
      const made = yield* Effect.provideService(backUpEmbedded(dataDir, target), SqlClient.SqlClient, command)
      const after = written
      yield* writtenTo(after + 50)
      yield* Fiber.interrupt(writing)
      assert.isAbove(made.bytes, 10_000_000)
      assert.strictEqual(statSync(join(target, "postgres")).mode & 0o777, 0o700)
      assert.isTrue(existsSync(join(target, "development-key")))
      const copy = yield* ownEmbedded(target)
      const [found] = yield* copy<{ n: number; last: number }>`select count(*)::int as n, max(n) as last from note`
      assert.isAtLeast(found?.n ?? 0, before)
      assert.isAtMost(found?.n ?? 0, after + 1)
      assert.strictEqual(found?.n, found?.last, "no row between others is missing")
      yield* copy`insert into note values (1000000, '')`
      assert.deepStrictEqual(readdirSync(join(folder, "copies")), ["monday"])
    }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))
  )

  it.live("is refused where there is something already, or inside the data directory, and leaves nothing behind", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const dataDir = join(folder, "data")
      cpSync(inject("embeddedTemplate"), join(dataDir, "postgres"), { recursive: true })
      const sql = yield* ownEmbedded(dataDir, "command")
      const backUp = (to: string) => Effect.provideService(backUpEmbedded(dataDir, to), SqlClient.SqlClient, sql)
      for (const [to, says] of [
        [folder, "is there already"],
        [join(dataDir, "copy"), "inside DATA_DIR"],
        ["/proc/copy", "Nothing was copied"]
      ] as const)
        assert.include((yield* Effect.flip(backUp(to))).message, says)
      assert.deepStrictEqual(
        readdirSync(dataDir).filter((name) => name.includes("copy")),
        []
      )
    }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))
  )
})
