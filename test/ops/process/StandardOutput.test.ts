import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn, spawnSync } from "node:child_process"
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assistantVariables } from "../../../src/ops/process/NodeOptions.ts"
import { freePort } from "../../support/freePort.ts"
import { compiled, shortLived } from "../../support/nodeProcesses.ts"

const main = fileURLToPath(new URL("../../../src/main.ts", import.meta.url))
const full = "/dev/full"

const commandInto = (target: string) =>
  spawnSync("sh", ["-c", `"$0" "$@" ${target}`, process.execPath, ...shortLived, main, "catalogue", "schema"], {
    env: { PATH: process.env["PATH"], NODE_COMPILE_CACHE: compiled },
    encoding: "utf8"
  })

describe("output", () => {
  it("X11: has no line of the provider's client for a coding assistant, which no request names either", () => {
    const { stderr } = spawnSync(process.execPath, [...shortLived, main, "catalogue", "schema"], {
      env: { PATH: process.env["PATH"], NODE_COMPILE_CACHE: compiled, CLAUDECODE: "1" },
      encoding: "utf8"
    })
    assert.strictEqual(stderr, "")
    const known = readFileSync(
      fileURLToPath(import.meta.resolve("stripe")).replace("stripe.esm.node.js", "utils.js"),
      "utf8"
    )
    const names = [...known.matchAll(/^ +\['([A-Z_]+)', '/gm)].map(([, name]) => name)
    assert.includeMembers([...assistantVariables], names)
    assert.include(names, "CLAUDECODE")
  })
})

describe.skipIf(!existsSync(full))("output that can't be written", () => {
  it("makes a command fail where the disk is full, since a file has a part of it or nothing", () => {
    const { status, stderr } = commandInto(`> ${full}`)
    assert.strictEqual(stderr.trim(), "playroom: What it printed is not whole, since it could not be written (ENOSPC).")
    assert.strictEqual(status, 1)
  })

  it("is nothing to tell where its reader has what it wanted", () => {
    const { status, stderr } = commandInto("| true")
    assert.strictEqual(stderr, "")
    assert.strictEqual(status, 0)
  })

  it.live("does not end a service: it answers, and its log has a gap", () =>
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "playroom-full-"))),
        (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
      )
      const [port, sandbox, management] = [yield* freePort, yield* freePort, yield* freePort]
      const log = openSync(full, "w")
      const child = yield* Effect.acquireRelease(
        Effect.sync(() =>
          spawn(process.execPath, [...shortLived, main, "serve"], {
            env: {
              PATH: process.env["PATH"],
              NODE_COMPILE_CACHE: compiled,
              DATA_DIR: folder,
              PORT: String(port),
              SANDBOX_PORT: String(sandbox),
              MANAGEMENT_PORT: String(management)
            },
            stdio: ["ignore", log, "ignore"]
          })
        ),
        (running) =>
          Effect.callback<void>((resume) => {
            closeSync(log)
            if (running.exitCode !== null) return resume(Effect.void)
            running.once("close", () => resume(Effect.void))
            running.kill("SIGKILL")
          })
      )
      const status = Effect.tryPromise(() => fetch(`http://127.0.0.1:${port}/readyz`)).pipe(
        Effect.map((answer) => answer.status),
        Effect.orElseSucceed(() => 0)
      )
      while ((yield* status) !== 200) {
        if (child.exitCode !== null) return assert.fail(`it ended with ${child.exitCode}`)
        yield* Effect.sleep("100 millis")
      }
      const call = () =>
        fetch(`http://127.0.0.1:${port}/mcp`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({
            jsonrpc: "2.0",
            id: 1,
            method: "tools/call",
            params: { name: "search_playrooms", arguments: {} }
          })
        })
      for (let n = 0; n < 3; n++) {
        assert.strictEqual((yield* Effect.promise(call)).status, 200)
        yield* Effect.sleep("200 millis")
      }
      assert.isNull(child.exitCode)
    }).pipe(Effect.scoped)
  )
})
