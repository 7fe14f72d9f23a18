/** What a process does when something is thrown where nobody catches it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { request } from "node:http"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { compiled, shortLived } from "../../support/nodeProcesses.ts"
import { type Service, startService } from "../../support/Service.ts"

const told = "Something was thrown that nobody caught"

/** Loaded before a process's own code: it throws when it is told to, or rejects. */
const loaded = (code: string) => `--import=data:text/javascript,${encodeURIComponent(code)}`
const throwsAtSignal = loaded(
  'process.on("SIGUSR2", () => setTimeout(() => { throw new Error("thrown in a timer") }, 0))'
)
const rejectsAtSignal = loaded(
  'process.on("SIGUSR2", () => setTimeout(() => { Promise.reject(new Error("rejected in a timer")) }, 0))'
)

/** A call of a tool whose body is sent in two halves. `sent`: after the first. Answers its status. */
const callInHalves = ({ baseUrl }: Service, between: Effect.Effect<void>) =>
  Effect.gen(function* () {
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "search_playrooms", arguments: {} }
    })
    const sending = request(`${baseUrl}/mcp`, {
      method: "POST",
      headers: { "content-type": "application/json", "content-length": body.length }
    })
    const status = new Promise<number | undefined>((resolve, reject) => {
      sending.once("response", (response) => {
        response.resume()
        resolve(response.statusCode)
      })
      sending.once("error", reject)
    })
    sending.write(body.slice(0, 20))
    yield* Effect.sleep("300 millis")
    yield* between
    yield* Effect.sleep("300 millis")
    sending.end(body.slice(20))
    return yield* Effect.promise(() => status)
  })

describe("what nobody catches", () => {
  for (const [how, NODE_OPTIONS, message] of [
    ["thrown in a timer", throwsAtSignal, "thrown in a timer"],
    ["rejected in one", rejectsAtSignal, "rejected in a timer"]
  ] as const) {
    it.live(`and is ${how} ends a service, which says so, finishes what runs, and exits with an error`, () =>
      Effect.gen(function* () {
        const service = yield* startService({ NODE_OPTIONS })
        const status = yield* callInHalves(
          service,
          Effect.sync(() => process.kill(service.pid(), "SIGUSR2"))
        )
        assert.strictEqual(status, 200)
        assert.strictEqual(yield* service.ended, 1)
        const lines = service.output().split("\n")
        const line = lines.find((one) => one.includes(told)) ?? assert.fail(service.output())
        const { cause, level } = Object(JSON.parse(line))
        assert.strictEqual(level, "ERROR")
        assert.match(String(cause), new RegExp(`${message}[^]*\\n\\s+at `))
        assert.include(service.output(), `playroom: A bug, please report it: ${message}`)
      }).pipe(Effect.scoped)
    )
  }

  it.live("ends a command with one line and an error", () =>
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "playroom-uncaught-"))),
        (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
      )
      // Another command has the database, so this one waits, and is in the middle of its work.
      writeFileSync(join(folder, ".s.PGSQL.5432.owner"), "command")
      const main = fileURLToPath(new URL("../../../src/main.ts", import.meta.url))
      const { code, said } = yield* Effect.callback<{ readonly code: number | null; readonly said: string }>(
        (resume) => {
          const owner = createServer()
          owner.listen(join(folder, ".s.PGSQL.5432"), () => {
            const child = spawn(process.execPath, [...shortLived, throwsAtSignal, main, "operator", "list"], {
              env: { PATH: process.env["PATH"], DATA_DIR: folder, NODE_COMPILE_CACHE: compiled },
              stdio: ["ignore", "ignore", "pipe"]
            })
            let said = ""
            child.stderr.on("data", (data: Buffer) => (said += data.toString()))
            owner.once("connection", () => child.kill("SIGUSR2"))
            child.once("close", (code) => resume(Effect.succeed({ code, said })))
          })
          return Effect.sync(() => owner.close())
        }
      )
      assert.strictEqual(said.trim(), "playroom: A bug, please report it: thrown in a timer")
      assert.strictEqual(code, 1)
    }).pipe(Effect.scoped)
  )
})
