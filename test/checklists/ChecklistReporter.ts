/**
 * At the end of a run: what passed at the second try; of a whole run one table of the checklists' cases, what became of
 * each, and the tests that hold it.
 */
import type { Reporter, TestModule } from "vitest/node"
import { checklists, isNamed, named } from "./checklists.ts"

interface Ran {
  readonly file: string
  readonly name: string
  readonly state: string
}

const width = 52
const fit = (text: string, to: number): string => (text.length > to ? `${text.slice(0, to - 1)}…` : text.padEnd(to))

const marks: Readonly<Record<string, string>> = { passed: "✓", failed: "✗", skipped: "–" }

export default class ChecklistReporter implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>): void {
    const ran: ReadonlyArray<Ran> = modules.flatMap((module) =>
      [...module.children.allTests()].map((test) => ({
        file: module.relativeModuleId,
        name: test.name,
        state: test.result().state
      }))
    )
    const again = modules.flatMap((module) =>
      [...module.children.allTests()]
        .filter((test) => test.diagnostic()?.flaky === true)
        .map((test) => `  ${module.relativeModuleId}: ${test.name}`)
    )
    if (again.length > 0) process.stdout.write(["", "Passed at the second try:", ...again, ""].join("\n"))
    const files = new Set(ran.map(({ file }) => file))
    const all = Object.values(checklists).flat()
    // A run of some files says nothing about the whole.
    if (!all.every(({ tests }) => tests.every((test) => files.has(named(test).file)))) return
    const stateOf = (test: string): string => {
      const { file, title } = named(test)
      const states = ran.filter((one) => one.file === file && isNamed(title, one.name)).map(({ state }) => state)
      // Tests that need what is not there are not registered one by one: one skipped test stands for them.
      if (states.length === 0)
        return ran.some((one) => one.file === file && one.state === "skipped") ? "skipped" : "failed"
      if (states.includes("failed")) return "failed"
      return states.every((state) => state === "passed") ? "passed" : "skipped"
    }
    const lines = Object.entries(checklists).flatMap(([title, cases]) => {
      const rows = cases.map(({ case: name, tests }) => {
        const states = tests.map(stateOf)
        const state = states.find((one) => one === "failed") ?? states.find((one) => one === "skipped") ?? "passed"
        const held = tests.map((test) =>
          named(test)
            .file.replace(/^test\//, "")
            .replace(/\.test\.ts$/, "")
        )
        const first = named(tests[0] ?? "").title
        const more = tests.length > 1 ? ` (and ${tests.length - 1} more)` : ""
        return { state, line: `${marks[state] ?? "?"} ${fit(name, width)} ${held[0] ?? ""}: ${first}${more}` }
      })
      const good = rows.filter(({ state }) => state === "passed").length
      return ["", `${title}: ${good} of ${rows.length} cases hold`, ...rows.map(({ line }) => `  ${line}`)]
    })
    process.stdout.write(`${lines.join("\n")}\n\n`)
  }
}
