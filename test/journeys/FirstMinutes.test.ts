/**
 * What a newcomer does: starts the service in an empty folder, pastes what it prints and what the README says, and
 * stops it.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync, spawn, spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { freePort } from "../support/freePort.ts"
import { compiled, shortLived } from "../support/nodeProcesses.ts"

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url))
const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8")
const hasCurl = spawnSync("curl", ["--version"]).status === 0

/** The service in a folder of its own, once it says that it listens. */
const service = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "playroom-first-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const port = yield* freePort
  const { PATH = "", HOME = "" } = process.env
  const env = { PATH, HOME, PORT: String(port), SANDBOX_PORT: "0", NODE_COMPILE_CACHE: compiled }
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, [...shortLived, main], { cwd: folder, env, stdio: ["ignore", "pipe", "inherit"] })
    ),
    (started) => Effect.sync(() => started.kill("SIGKILL"))
  )
  const ended = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)))
  let printed = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed += text
  })
  while (!printed.includes("create_booking")) {
    if (child.exitCode !== null) return assert.fail(`the service ended: ${printed}`)
    yield* Effect.sleep("50 millis")
  }
  const shell = (script: string) =>
    execFileSync("sh", ["-e", "-c", script], { cwd: folder, env, encoding: "utf8", timeout: 60_000 })
  const command = (...args: ReadonlyArray<string>) =>
    execFileSync(process.execPath, [...shortLived, main, ...args], {
      cwd: folder,
      env,
      encoding: "utf8",
      timeout: 30_000
    })
  return { folder, port, child, ended, printed, shell, command }
})

describe.skipIf(!hasCurl)("the first minutes (skipped where there is no curl)", () => {
  it.live(
    "go from an empty folder to a confirmed booking, and a stop is clean",
    () =>
      Effect.gen(function* () {
        const { folder, port, child, ended, printed, shell, command } = yield* service

        // The lines that the service prints.
        const lines = printed.split("\n").filter((line) => /^(curl |ROOM=|OPTION=)/.test(line))
        assert.strictEqual(lines.length, 4)
        assert.include(shell(lines[0] ?? ""), "Sunny Side")
        assert.include(shell(lines.slice(1).join("\n")), '"status":"held"')

        // The README's journey, on this port.
        const journey =
          /^KEY=[\s\S]*?(?=^```)/m.exec(readme)?.[0].replaceAll("localhost:3000", `localhost:${port}`) ?? ""
        // On a busy machine the event may take longer than the README's moment.
        assert.include(journey, "\nsleep 2\n")
        const confirmed = `call get_booking '{"booking_id":"'$BOOKING'"}' | grep -q confirmed`
        const out = shell(
          journey.replace("\nsleep 2\n", `\nfor second in $(seq 30); do ${confirmed} && break; sleep 1; done\n`)
        )
        assert.match(out, /paid, sent back to http:\/\/localhost:\d+\/checkout\/return\?outcome=success&token=/)
        assert.include(out, '"status":"confirmed"')

        // Commands reach the running service's database.
        assert.include(command("operator", "list"), "Sunny Side Play")
        assert.include(command("doctor"), "All is well")
        assert.strictEqual(statSync(join(folder, ".data", "development-key")).mode & 0o777, 0o600)

        child.kill("SIGTERM")
        assert.strictEqual(yield* Effect.promise(() => ended), 0)

        // Without the service nobody can ask its sandbox, which is no fault, and is not remembered as one.
        assert.include(command("doctor", "--audit"), "All is well")
        assert.include(command("doctor"), "All is well")
      }).pipe(Effect.scoped),
    120_000
  )
})

describe("npm start", () => {
  it.live(
    "hands its process to the service: who ends npm ends it, too",
    () =>
      Effect.gen(function* () {
        const folder = yield* Effect.acquireRelease(
          Effect.sync(() => mkdtempSync(join(tmpdir(), "playroom-npm-"))),
          (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
        )
        const port = yield* freePort
        const { PATH = "", HOME = "" } = process.env
        const env = { PATH, HOME, PORT: String(port), SANDBOX_PORT: "0", DATA_DIR: join(folder, "data") }
        const npm = yield* Effect.acquireRelease(
          Effect.sync(() =>
            // A group of its own, so that nothing of it outlives a test that fails.
            spawn("npm", ["start"], { cwd: fileURLToPath(new URL("../../", import.meta.url)), env, detached: true })
          ),
          ({ pid = 0 }) =>
            Effect.sync(() => {
              try {
                process.kill(-pid, "SIGKILL")
              } catch {
                // It has ended, as it should.
              }
            })
        )
        const answers = Effect.promise(() =>
          fetch(`http://127.0.0.1:${port}/healthz`).then(
            ({ ok }) => ok,
            () => false
          )
        )
        while (!(yield* answers)) {
          if (npm.exitCode !== null) return assert.fail("npm start ended")
          yield* Effect.sleep("100 millis")
        }
        npm.kill("SIGTERM")
        while (yield* answers) yield* Effect.sleep("100 millis")
      }).pipe(Effect.scoped),
    120_000
  )
})
