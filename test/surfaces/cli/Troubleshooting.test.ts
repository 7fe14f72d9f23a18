/** `docs/troubleshooting.md` names each code that there is, and the commands in `docs` exist. */
import { assert, describe, it } from "@effect/vitest"
import { Exit } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { notChecked, actionItems } from "../../../src/ops/attention/ActionItems.ts"
import { exitCodeOf, unfinishedExitCode } from "../../../src/surfaces/cli/Failure.ts"
import { problems } from "../../../src/surfaces/http/Problem.ts"

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8")
const page = read("docs/troubleshooting.md")

/** The codes that a section's table begins its rows with, and the cell beside each. */
const rowsOf = (heading: string): ReadonlyArray<readonly [string, string]> =>
  [...(page.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "").matchAll(/^\| `([^`]+)` \| ([^|]+) \|/gm)].map(
    ([, code = "", beside = ""]) => [code, beside] as const
  )
const codesOf = (heading: string): ReadonlyArray<string> => rowsOf(heading).map(([code]) => code)

describe("docs/troubleshooting.md", () => {
  it("explains each code that a tool fails with, and no other", () => {
    const codes = [...read("src/surfaces/mcp/tools/ToolErrors.ts").matchAll(/\bcode: "([a-z_]+)"/g)].map(
      ([, code = ""]) => code
    )
    assert.isAbove(codes.length, 15)
    assert.sameMembers([...codesOf("Errors of tools")], [...new Set(codes)])
  })

  it("explains each problem code with its status, and no other", () => {
    assert.sameDeepMembers(
      [...rowsOf("Errors of addresses")],
      Object.entries(problems).map(([code, { status }]) => [code, String(status)] as const)
    )
  })

  it("explains each finding of the doctor, and no other", () => {
    const findings = [...actionItems.flatMap(({ codes }): ReadonlyArray<string> => codes), notChecked]
    assert.isAbove(findings.length, 15)
    assert.sameMembers([...codesOf("What the doctor finds")], findings)
  })

  it("is not alone: each finding that the metrics count has an alert and is on the dashboard", () => {
    const [alerts, dashboard] = ["alerts.yaml", "grafana-dashboard.json"].map((name) =>
      read(`docs/observability/${name}`)
    )
    const gauges = actionItems.flatMap(({ counted }) => (counted === undefined ? [] : [counted]))
    assert.isAbove(gauges.length, 3)
    for (const { gauge, status } of gauges) {
      assert.include(alerts, status === undefined ? `playroom_${gauge}` : `playroom_${gauge}{status="${status}"}`)
      assert.include(dashboard, `playroom_${gauge}`)
    }
  })

  it("explains each exit code", () => {
    const codes = [
      exitCodeOf(Exit.void, false),
      exitCodeOf(Exit.fail("x"), false),
      exitCodeOf(Exit.interrupt(), true),
      exitCodeOf(Exit.interrupt(), false),
      unfinishedExitCode(0)
    ].map(({ code }) => String(code))
    assert.sameMembers([...codesOf("Exit codes")], [...new Set(codes)])
  })
})

describe("the pages in docs", () => {
  it("name commands that the table of docs/commands.md has", () => {
    const table = read("docs/commands.md").split("\n| Command | Does |\n")[1]?.split("\n\n")[0] ?? ""
    const commands = table.replaceAll("`playroom ", "`")
    const pages = readdirSync(new URL("../../../docs", import.meta.url)).filter((name) => name.endsWith(".md"))
    const named = pages.flatMap((name) =>
      [...read(`docs/${name}`).matchAll(/(?:^|`)playroom ([a-z]+(?: [a-z]+(?:-[a-z]+)*)?)(?=[ `\n])/gm)].map(
        ([, command = ""]) => command
      )
    )
    assert.isAbove(named.length, 20)
    assert.deepStrictEqual(
      named.filter((command) => !commands.includes(`\`${command}`)),
      []
    )
  })
})
