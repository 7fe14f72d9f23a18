import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, globSync, readFileSync } from "node:fs"
import { commandWorld, playroom } from "../support/CommandLine.ts"

const inProject = (path: string) => new URL(`../../${path}`, import.meta.url)
const readme = readFileSync(inProject("README.md"), "utf8")

/** The commands that the README's table of commands names, like `booking show`. */
const documented = (): ReadonlySet<string> => {
  const rows = readme.split("\n| Command | Does |\n")[1]?.split("\n\n")[0]?.split("\n").slice(1) ?? []
  const cells = rows.map((row) => row.split(/(?<!\\)\|/)[1] ?? "")
  const codes = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code))
  return new Set(
    codes.map((code) => code.replace(/^playroom | --.*/g, "").match(/^[a-z][a-z -]*[a-z](?= |$)/)?.[0] ?? code)
  )
}

/** The names in the section SUBCOMMANDS of a command's help. */
const subcommandsOf = (help: string): ReadonlyArray<string> =>
  (help.split(/^SUBCOMMANDS$/m)[1] ?? "").split("\n").flatMap((line) => line.match(/^ {2}([a-z][a-z-]*)/)?.[1] ?? [])

layer(commandWorld)("the README's table of commands", (it) => {
  it.effect("names every command and subcommand that there is, and no other", () =>
    Effect.gen(function* () {
      const commands: Array<string> = []
      for (const command of subcommandsOf((yield* playroom("--help")).out)) {
        const under = subcommandsOf((yield* playroom(command, "--help")).out)
        commands.push(...(under.length === 0 ? [command] : under.map((name) => `${command} ${name}`)))
      }
      assert.isAbove(commands.length, 15)
      assert.deepStrictEqual([...documented()].sort(), commands.sort(), "Name each command in the README's table")
    })
  )
})

describe("docs/promises.md", () => {
  const rows = readFileSync(inProject("docs/promises.md"), "utf8")
    .split("\n")
    .filter((line) => line.startsWith("| ") && line.includes("`"))
  /** Test files of a path: itself, or those in its folder. */
  const testsOf = (path: string) =>
    globSync(path.endsWith(".ts") ? path : `${path}/**/*.test.ts`, { cwd: inProject("") })
  /** What `npm run` runs: a scenario of the bench, or all of a folder of tests. */
  const runsOf = (command: string) => {
    const [, folder, scenario = "*"] = /npm run (\w+)(?: -- (\w+))?/.exec(command) ?? []
    return folder === undefined ? [] : globSync(`test/${folder}/${scenario}.ts`, { cwd: inProject("") })
  }

  it.each(rows)("names what there is: %s", (row) => {
    const command = /`([^`]+)`[^`]*\|$/.exec(row)?.[1] ?? ""
    const tests = [...command.matchAll(/(?<=\s)test\/[\w/.]+/g)].flatMap(([path]) => {
      const found = testsOf(path)
      assert.isAbove(found.length, 0, `there is no ${path}`)
      return found
    })
    const files = [...tests, ...runsOf(command)]
    const source = files.map((file) => readFileSync(inProject(file), "utf8")).join("\n")
    for (const [, name = ""] of command.matchAll(/([A-Z_]+)=\d/g)) assert.include(source, name)
    assert.isTrue(files.length > 0 || existsSync(inProject(command)), `nothing of ${command} is there`)
  })
})
