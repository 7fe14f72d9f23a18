/** The official suites against the service as users run it, at every version of the protocol that they know. */

import { assert, it, layer } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import { execFile } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { whole } from "../support/runs.ts"
import { type Service, startService } from "../support/Service.ts"
import { compiled, shortLived } from "../support/nodeProcesses.ts"

// Runs scenarios of the official conformance suites (`@modelcontextprotocol/conformance`) against a server, in
// processes of their own.

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
 * The checks of these scenarios, which have the suite and the version in common. One process runs all scenarios of the
 * suite at that version, as a process for each costs many times what the scenarios do.
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

/** What a server with tools and one resource can be held to. */
const runs: ReadonlyArray<{
  readonly suite: Suite
  readonly version: string
  readonly scenarios: ReadonlyArray<string>
}> = [
  {
    suite: "0.2",
    version: "2026-07-28",
    scenarios: [
      "server-stateless",
      "tools-list",
      "dns-rebinding-protection",
      "http-header-validation",
      "caching",
      "resources-list",
      "sep-2164-resource-not-found",
      "server-sse-multiple-streams",
      "input-required-result-unsupported-methods"
    ]
  },
  {
    suite: "0.2",
    version: "2025-11-25",
    scenarios: [
      "server-initialize",
      "server-session-lifecycle",
      "ping",
      "tools-list",
      "resources-list",
      "dns-rebinding-protection",
      "server-sse-multiple-streams",
      "server-sse-polling"
    ]
  },
  {
    suite: "0.2",
    version: "2025-06-18",
    scenarios: ["server-initialize", "server-session-lifecycle", "ping", "tools-list"]
  },
  { suite: "0.2", version: "2025-03-26", scenarios: ["server-session-lifecycle"] },
  {
    suite: "0.1",
    version: "2025-11-25",
    scenarios: ["server-initialize", "ping", "tools-list", "dns-rebinding-protection", "server-sse-multiple-streams"]
  },
  { suite: "0.1", version: "2025-06-18", scenarios: ["server-initialize", "ping", "tools-list"] }
]

const fixture = "drives a tool or resource that only the suite's own sample server has"
const noPrompts = "the server has no prompts, and says so"
const noSessions = "the server keeps no sessions, which the protocol allows"

/** Checks that do not apply to this server, and why. Everything else must pass. */
const notApplicable: Readonly<Record<string, string>> = {
  "sep-2575-server-rejects-undeclared-capability": fixture,
  "sep-2575-missing-capability-http-400": fixture,
  "sep-2575-http-server-no-independent-requests-on-stream": fixture,
  "sep-2575-server-no-log-without-loglevel": fixture,
  "sep-2575-server-sends-prompts-list-changed-on-subscription": noPrompts,
  "sep-2575-server-sends-tools-list-changed-on-subscription": "the tools never change, and the server says so",
  "sep-2549-prompts-list-caching-hints": noPrompts,
  "server-sse-multiple-streams-session": noSessions,
  "server-sse-polling-session": noSessions
}

/** Scenarios that are not run at all, by how their names begin, and why. */
const notRun: Readonly<Record<string, string>> = {
  "tools-call-": fixture,
  "input-required-result-": fixture,
  "json-schema-2020-12": fixture,
  "elicitation-": fixture,
  "http-custom-header-server-validation": "no tool asks for a header of its own",
  "logging-set-level": "the server sends no log messages, and says so",
  "completion-complete": "the server has no completions, and says so",
  "prompts-": noPrompts,
  "resources-": fixture,
  "sep-2640-skills-": "an extension that the server does not have",
  "tasks-": "an extension that the server does not have"
}

const named = ({ id, message, scenario, status, suite, version }: Check) =>
  `${status} ${id} (${scenario} at ${version}, suite ${suite}) ${message}`

class Running extends Context.Service<Running, Service>()("test/RunningForConformance") {
  static readonly layer = Layer.effect(Running, startService({ CONNECT: "guest" }))
}

/** The newest version that each suite knows. `npm test` holds the server to these, and `.ci/run` to all (`runs.ts`). */
const newest = runs.filter(({ suite }, i) => runs.findIndex((run) => run.suite === suite) === i)
const tried = whole ? runs : newest

layer(Running.layer, { excludeTestServices: true })((it) => {
  it.effect(
    "the official conformance suites find no failure and no warning in anything that a server of tools can be held to",
    () =>
      Effect.gen(function* () {
        const service = yield* Running
        const url = `${service.baseUrl.replace("127.0.0.1", "localhost")}/mcp`
        const all = yield* Effect.forEach(
          tried,
          ({ scenarios, suite, version }) => checksOf(url, suite, version, scenarios),
          { concurrency: 3 }
        )
        const checks = all.flat()
        const faults = checks.filter(({ status }) => status !== "SUCCESS" && status !== "INFO")
        const held = faults.filter(({ id }) => !Object.hasOwn(notApplicable, id))
        assert.deepStrictEqual(held.map(named), [])
        // Nobody is excused from what they would pass.
        const excused = new Set(faults.map(({ id }) => id))
        if (whole)
          assert.deepStrictEqual(
            Object.keys(notApplicable).filter((id) => !excused.has(id)),
            []
          )
        const passed = checks.filter(({ status }) => status === "SUCCESS").length
        const told = checks.filter(({ status }) => status === "INFO").length
        console.log(
          `conformance: ${tried.flatMap(({ scenarios }) => scenarios).length} scenarios, ${passed} checks passed, ${held.length} failed or warned, ${faults.length} not applicable, ${told} for information`
        )
        assert.isAtLeast(passed, whole ? 70 : 40)
      }),
    120_000
  )

  it.effect(
    "the official conformance suites find the same at /mcp/connect without a token",
    () =>
      Effect.gen(function* () {
        const service = yield* Running
        const url = `${service.baseUrl.replace("127.0.0.1", "localhost")}/mcp/connect`
        const all = yield* Effect.forEach(
          tried.filter(({ suite, version }) => suite === "0.2" && version >= "2025-11-25"),
          ({ scenarios, suite, version }) => checksOf(url, suite, version, scenarios)
        )
        const checks = all.flat()
        const faults = checks.filter(
          ({ id, status }) => status !== "SUCCESS" && status !== "INFO" && !Object.hasOwn(notApplicable, id)
        )
        assert.deepStrictEqual(faults.map(named), [])
        assert.isAtLeast(checks.filter(({ status }) => status === "SUCCESS").length, whole ? 40 : 25)
      }),
    120_000
  )
})

it.live("every scenario of the suites is run at some version, or does not apply for a stated reason", () =>
  Effect.gen(function* () {
    const excuses = new Set<string>()
    for (const suite of ["0.2", "0.1"] as const) {
      const known = yield* scenariosOf(suite)
      assert.isAbove(known.length, 25)
      for (const scenario of known) {
        if (runs.some(({ scenarios }) => scenarios.includes(scenario))) continue
        const excuse = Object.keys(notRun).find((start) => scenario.startsWith(start))
        assert.isDefined(excuse, `${scenario} of ${suite} is neither run nor excused`)
        excuses.add(excuse ?? "")
      }
    }
    assert.sameMembers([...excuses], Object.keys(notRun))
  })
)
