/** Runs scenarios of the official conformance suites (`@modelcontextprotocol/conformance`) against a server, in processes of their own. */
import { Effect, Schema } from "effect"
import { execFile } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { compiled, shortLived } from "./nodeProcesses.ts"

/** Both releases that hosts hold servers to: the one for the 2026 era, and the last one before it. */
export const suites = { "0.2": "mcp-conformance", "0.1": "mcp-conformance-0.1" } as const
export type Suite = keyof typeof suites

/** One scenario at one version of the protocol. */
interface Run {
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
    const child = execFile(
      process.execPath,
      [...shortLived, entry, ...args],
      { timeout: 60_000, env: { ...process.env, NODE_COMPILE_CACHE: compiled } },
      (_, stdout, stderr) => resume(Effect.succeed(`${stdout}${stderr}`))
    )
    return Effect.sync(() => child.kill())
  })

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "playroom-conformance-"))),
  (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
)

/** Where a run left a scenario's checks: a folder named after it and the time. */
const timestamp = "-0000-00-00T00-00-00-000Z"
const scenarioIn = (results: string): string => results.slice("server-".length, -timestamp.length)

/**
 * The checks of these scenarios, which have the suite and the version in common. One process runs all scenarios of the suite at that
 * version, as a process for each costs many times what the scenarios do.
 */
export const checksOf = (
  url: string,
  suite: Suite,
  version: string,
  scenarios: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<Check>> =>
  Effect.gen(function* () {
    const results = yield* folder
    const args = ["server", "--url", url, "--suite", "all", "--spec-version", version, "-o", results]
    const printed = yield* command(suite, args)
    const folders = new Map(readdirSync(results).map((name) => [scenarioIn(name), join(results, name)]))
    return scenarios.flatMap((scenario): ReadonlyArray<Check> => {
      const run = { suite, version, scenario }
      const of = folders.get(scenario)
      if (of === undefined) return [{ ...run, id: "-", status: "NONE", message: printed.trim().slice(-300) }]
      const checks = decodeChecks(readFileSync(join(of, "checks.json"), "utf8"))
      if (checks.length === 0) return [{ ...run, id: "-", status: "NONE", message: "no checks" }]
      return checks.map(({ errorMessage, id, status }) => ({ ...run, id, status, message: errorMessage ?? "" }))
    })
  }).pipe(Effect.scoped)

/** The names of all server scenarios that a suite has. */
export const scenariosOf = (suite: Suite): Effect.Effect<ReadonlyArray<string>> =>
  Effect.map(command(suite, ["list", "--server"]), (text) =>
    [...text.matchAll(/^\s+- ([\w-]+)/gm)].flatMap(([, name]) => (name === undefined ? [] : [name]))
  )
