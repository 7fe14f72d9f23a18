import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { commandWorld, playroom } from "../support/CommandLine.ts"

const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8")

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
