import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { spawn, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { exitCodeOf, unfinishedExitCode } from "../../../src/surfaces/cli/Failure.ts"
import { compiled, shortLived } from "../../support/nodeProcesses.ts"

describe("a process", () => {
  it("ends well only where its work is done, or a signal stopped the service", () => {
    const interrupted = Exit.failCause(Cause.interrupt(1))
    assert.deepStrictEqual(exitCodeOf(Exit.succeed("done"), false), { code: 0 })
    assert.deepStrictEqual(exitCodeOf(interrupted, true), { code: 0 })
    assert.strictEqual(exitCodeOf(interrupted, false).code, 1)
    assert.include(exitCodeOf(interrupted, false).says, "cut off")
    assert.deepStrictEqual(exitCodeOf(Exit.fail("told already"), true), { code: 1 })
  })

  it.live("that runs a command does not end well where a signal cuts it off, as it does a service", () =>
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "playroom-cut-"))),
        (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
      )
      // Another command has the database, so this one waits, and is in the middle of its work.
      writeFileSync(join(folder, ".s.PGSQL.5432.owner"), "command")
      const main = fileURLToPath(new URL("../../../src/main.ts", import.meta.url))
      const { code, said } = yield* Effect.callback<{ readonly code: number | null; readonly said: string }>(
        (resume) => {
          const owner = createServer()
          owner.listen(join(folder, ".s.PGSQL.5432"), () => {
            const env = { PATH: process.env["PATH"], DATA_DIR: folder, NODE_COMPILE_CACHE: compiled }
            const child = spawn(process.execPath, [...shortLived, main, "operator", "list"], {
              env,
              stdio: ["ignore", "ignore", "pipe"]
            })
            let said = ""
            child.stderr.on("data", (data: Buffer) => (said += data.toString()))
            owner.once("connection", () => child.kill("SIGTERM"))
            child.once("close", (code) => resume(Effect.succeed({ code, said })))
          })
          return Effect.sync(() => owner.close())
        }
      )
      assert.include(said, "cut off before its end")
      assert.strictEqual(code, 1)
    }).pipe(Effect.scoped)
  )

  it("whose work is left in the middle does not end as if it were done", () => {
    assert.strictEqual(unfinishedExitCode(0).code, 1)
    assert.include(unfinishedExitCode(0).says, "cut off")
    assert.deepStrictEqual(unfinishedExitCode(130), { code: 130 })
  })
})

it("F3: the benches' help names each scenario and its options, as docs/developing.md says", () => {
  const main = fileURLToPath(new URL("../../bench/main.ts", import.meta.url))
  const { status, stdout } = spawnSync(process.execPath, [...shortLived, main, "--help"], { encoding: "utf8" })
  assert.strictEqual(status, 0)
  for (const one of ["create-booking: ", "calendars: ", "--rounds", "--report"]) assert.include(stdout, one)
}, 120_000)
