/** Runs scenarios of the official conformance suites (`@modelcontextprotocol/conformance`) against a server, each in a process. */
import { Effect, Schema } from "effect"
import { execFile } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** Both releases that hosts hold servers to: the one for the 2026 era, and the last one before it. */
export const suites = { "0.2": "mcp-conformance", "0.1": "mcp-conformance-0.1" } as const
export type Suite = keyof typeof suites

/** One scenario at one version of the protocol. */
export interface Run {
  readonly suite: Suite
  readonly version: string
  readonly scenario: string
}

/** A check as the suite judged it; "NONE" where a scenario ended without any. */
export interface Check extends Run {
  readonly id: string
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO" | "NONE"
  readonly message: string
}

const Checks = Schema.fromJsonString(
  Schema.Array(
    Schema.Struct({
      id: Schema.String,
      status: Schema.Literals(["SUCCESS", "FAILURE", "WARNING", "SKIPPED", "INFO"]),
      errorMessage: Schema.optionalKey(Schema.String)
    })
  )
)
const decodeChecks = Schema.decodeUnknownSync(Checks)

const command = (suite: Suite, args: ReadonlyArray<string>) =>
  Effect.callback<string>((resume) => {
    const entry = fileURLToPath(new URL(`../../node_modules/${suites[suite]}/dist/index.js`, import.meta.url))
    const child = execFile(process.execPath, [entry, ...args], { timeout: 60_000 }, (_, stdout, stderr) =>
      resume(Effect.succeed(`${stdout}${stderr}`))
    )
    return Effect.sync(() => child.kill())
  })

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "playroom-conformance-"))),
  (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
)

/** The checks of one scenario. */
export const checksOf = (url: string, run: Run): Effect.Effect<ReadonlyArray<Check>> =>
  Effect.gen(function* () {
    const results = yield* folder
    const { scenario, suite, version } = run
    const args = ["server", "--url", url, "--scenario", scenario, "--spec-version", version, "-o", results]
    const printed = yield* command(suite, args)
    const [of] = readdirSync(results)
    if (of === undefined) return [{ ...run, id: "-", status: "NONE" as const, message: printed.trim().slice(-300) }]
    const checks = decodeChecks(readFileSync(join(results, of, "checks.json"), "utf8"))
    return checks.map(({ errorMessage, id, status }) => ({ ...run, id, status, message: errorMessage ?? "" }))
  }).pipe(Effect.scoped)

/** The names of all server scenarios that a suite has. */
export const scenariosOf = (suite: Suite): Effect.Effect<ReadonlyArray<string>> =>
  Effect.map(command(suite, ["list", "--server"]), (text) =>
    [...text.matchAll(/^\s+- ([\w-]+)/gm)].flatMap(([, name]) => (name === undefined ? [] : [name]))
  )
