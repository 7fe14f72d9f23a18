import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, globSync, readFileSync } from "node:fs"
import { commandWorld, playroom } from "../../support/CommandLine.ts"

const inProject = (path: string) => new URL(`../../../${path}`, import.meta.url)
const page = readFileSync(inProject("docs/commands.md"), "utf8")

/**
 * The commands that the table of docs/commands.md names, like `booking show`: what their rows say, and the options that
 * are given to them there.
 */
const documented = (): ReadonlyMap<string, { readonly rows: string; readonly options: ReadonlySet<string> }> => {
  const found = new Map<string, { rows: string; options: Set<string> }>()
  for (const row of page.split("\n| Command | Does |\n")[1]?.split("\n\n")[0]?.split("\n").slice(1) ?? []) {
    const cell = row.split(/(?<!\\)\|/)[1] ?? ""
    for (const [, code = ""] of cell.matchAll(/`([^`]+)`/g)) {
      const name = code.replace(/^playroom | --.*/g, "").match(/^[a-z][a-z -]*[a-z](?= |$)/)?.[0] ?? code
      const { options, rows } = found.get(name) ?? { rows: "", options: new Set() }
      found.set(name, { rows: rows + row, options: new Set([...options, ...optionsIn(code)]) })
    }
  }
  return found
}

const optionsIn = (text: string) => [...text.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(([option]) => option)

/** The options in the section FLAGS of a command's help. */
const optionsOf = (help: string) => optionsIn((help.split(/^FLAGS$/m)[1] ?? "").split(/^[A-Z]/m)[0] ?? "")

/** The names in the section SUBCOMMANDS of a command's help. */
const subcommandsOf = (help: string): ReadonlyArray<string> =>
  (help.split(/^SUBCOMMANDS$/m)[1] ?? "").split("\n").flatMap((line) => line.match(/^ {2}([a-z][a-z-]*)/)?.[1] ?? [])

layer(commandWorld)("the table of docs/commands.md", (it) => {
  it.effect("F12: help marks the flags that are required, and none that may be left out", () =>
    Effect.gen(function* () {
      const { out } = yield* playroom("booking", "make", "--help")
      const required = out.split("\n").flatMap((line) => /^ {2}(--[a-z-]+) .*\(required\)$/.exec(line)?.[1] ?? [])
      for (const flag of ["--at", "--children"]) assert.include(required, flag)
      for (const flag of ["--name", "--adults", "--add-on", "--preview"]) assert.notInclude(required, flag)
    })
  )

  it.effect("F12: help shows examples, of its own command and flags, where a form can't be guessed", () =>
    Effect.gen(function* () {
      const shown: Array<string> = []
      for (const command of documented().keys()) {
        const { out } = yield* playroom(...command.split(" "), "--help")
        const lines = (out.split(/^EXAMPLES$/m)[1] ?? "").split("\n").filter((line) => line.startsWith("  playroom "))
        for (const line of lines) {
          assert.isTrue(line.startsWith(`  playroom ${command} `), line)
          assert.includeMembers([...optionsOf(out)], [...optionsIn(line)], line)
          shown.push(command)
        }
      }
      const needed = ["booking make", "booking move", "booking closed", "closure make", "calendar try", "accounts"]
      assert.includeMembers(shown, needed)
    })
  )

  it.effect("names every command and subcommand that there is, and no other", () =>
    Effect.gen(function* () {
      const commands: Array<string> = []
      for (const command of subcommandsOf((yield* playroom("--help")).out)) {
        const under = subcommandsOf((yield* playroom(command, "--help")).out)
        commands.push(...(under.length === 0 ? [command] : under.map((name) => `${command} ${name}`)))
      }
      assert.isAbove(commands.length, 15)
      assert.deepStrictEqual(
        [...documented().keys()].sort(),
        commands.sort(),
        "Name each command in the table of docs/commands.md"
      )
    })
  )

  it.effect("has every option of each command, and no other", () =>
    Effect.gen(function* () {
      const differ: Array<string> = []
      for (const [command, { options, rows }] of documented()) {
        const known = new Set(optionsOf((yield* playroom(...command.split(" "), "--help")).out))
        // What every command has is told above the table.
        known.delete("--json")
        for (const option of known) if (!optionsIn(rows).includes(option)) differ.push(`${command} lacks ${option}`)
        for (const option of options) if (!known.has(option)) differ.push(`${command} has no ${option}`)
      }
      assert.deepStrictEqual(differ, [])
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

describe("the pages", () => {
  const pages = ["*.md", ".github/*.md", "docs/**/*.md", "test/README.md"].flatMap((pattern) =>
    globSync(pattern, { cwd: inProject("") })
  )
  /** What a heading is called in an address, as GitHub makes it. */
  const anchor = (heading: string) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-")
  const anchorsOf = (file: URL) =>
    [...readFileSync(file, "utf8").matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => anchor(heading))

  it.each(pages)("link to files and headings that are there: %s", (page) => {
    const text = readFileSync(inProject(page), "utf8")
    for (const [, target = ""] of text.matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)) {
      const [path = "", heading] = target.split("#")
      const file = path === "" ? inProject(page) : new URL(path, inProject(page))
      assert.isTrue(existsSync(file), `${target} is not there`)
      if (heading !== undefined) assert.include(anchorsOf(file), heading, target)
    }
  })

  it("are each reached from the README", () => {
    const reached = new Set<string>()
    const follow = (page: string) => {
      if (reached.has(page)) return
      reached.add(page)
      const text = readFileSync(inProject(page), "utf8")
      for (const [, target = ""] of text.matchAll(/\]\((?!https?:|mailto:|#)([^)\s#]+\.md)/g))
        follow(new URL(target, new URL(page, "file:///")).pathname.slice(1))
    }
    follow("README.md")
    assert.sameMembers([...reached], pages)
  })
})
