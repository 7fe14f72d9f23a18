import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs"
import { commandWorld, playroom } from "../../support/CommandLine.ts"

const inProject = (path: string) => new URL(`../../../${path}`, import.meta.url)
const page = readFileSync(inProject("docs/commands.md"), "utf8")
const head = "| Command | Does |\n|---|---|\n"

const optionsIn = (text: string) => [...text.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(([option]) => option)

/** The options in the section FLAGS of a command's help. */
const optionsOf = (help: string) => optionsIn((help.split(/^FLAGS$/m)[1] ?? "").split(/^[A-Z]/m)[0] ?? "")

/** The names in the section SUBCOMMANDS of a command's help. */
const subcommandsOf = (help: string): ReadonlyArray<string> =>
  (help.split(/^SUBCOMMANDS$/m)[1] ?? "").split("\n").flatMap((line) => line.match(/^ {2}([a-z][a-z-]*)/)?.[1] ?? [])

/** A section of a command's help, line by line. */
const section = (help: string, name: string): ReadonlyArray<string> =>
  (help.split(new RegExp(`^${name}$`, "m"))[1]?.split(/^[A-Z ]+$/m)[0] ?? "")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")

const values: Readonly<Record<string, string>> = { date: " DATE", integer: " N", string: " …" }

/** A flag as the table has it, `--at …` or `[--paid cash\|card\|transfer]`. */
const flagOf = (line: string): string => {
  const [, flag = "", kind = ""] = /^(--[a-z-]+)(?:, -\w)?(?: ([a-z]+))?(?: {2,}|$)/.exec(line) ?? []
  const choices = /\(choices: ([^)]+)\)/.exec(line)?.[1]?.replaceAll(", ", "\\|")
  const text = `${flag}${choices === undefined ? (values[kind] ?? "") : ` ${choices}`}`
  return line.endsWith("(required)") ? text : `[${text}]`
}

/** A command's row: what is typed, and what it does, by the first sentence of its help. */
const rowOf = (command: string, help: string): string => {
  const [usage = ""] = section(help, "USAGE")
  const args = [...usage.matchAll(/(\[?)<([a-z-]+)(\.\.\.)?>/g)].map(([, open, name = "", more]) => {
    const text = `${name.toUpperCase()}${more === undefined ? "" : "…"}`
    return open === "" ? text : `[${text}]`
  })
  const flags = section(help, "FLAGS")
    .map(flagOf)
    .filter((flag) => flag !== "[--json]" && flag !== "[--by …]")
  const typed = ["playroom", command, ...args, ...flags.toSorted((a, b) => Number(a[0] === "[") - Number(b[0] === "["))]
  const [does = ""] = section(help, "DESCRIPTION")
    .join(" ")
    .replaceAll("|", "\\|")
    .split(/\.(?= [A-Z])/)
  return `| \`${typed.join(" ")}\` | ${does} |`
}

/** Each command with its help. */
const commands = Effect.gen(function* () {
  const found: Array<{ readonly command: string; readonly help: string }> = []
  for (const one of subcommandsOf((yield* playroom("--help")).out)) {
    const help = (yield* playroom(one, "--help")).out
    const under = subcommandsOf(help)
    if (under.length === 0) found.push({ command: one, help })
    for (const name of under) {
      found.push({ command: `${one} ${name}`, help: (yield* playroom(one, name, "--help")).out })
    }
  }
  return found
})

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
      for (const { command, help } of yield* commands) {
        const lines = (help.split(/^EXAMPLES$/m)[1] ?? "").split("\n").filter((line) => line.startsWith("  playroom "))
        for (const line of lines) {
          assert.isTrue(line.startsWith(`  playroom ${command} `), line)
          assert.includeMembers([...optionsOf(help)], [...optionsIn(line)], line)
          shown.push(command)
        }
      }
      const needed = ["booking make", "booking move", "booking closed", "closure make", "calendar try", "accounts"]
      assert.includeMembers(shown, needed)
    })
  )

  it.effect("has each command as its help does (UPDATE_DOCS=1 writes it)", () =>
    Effect.gen(function* () {
      const all = yield* commands
      assert.isAbove(all.length, 15)
      const [before = "", rest = ""] = page.split(head)
      const after = rest.slice(rest.indexOf("\n\n"))
      const now = `${before}${head}${all.map(({ command, help }) => rowOf(command, help)).join("\n")}${after}`
      if (process.env["UPDATE_DOCS"] === "1") writeFileSync(inProject("docs/commands.md"), now)
      else
        assert.strictEqual(
          page,
          now,
          "UPDATE_DOCS=1 npx vitest run test/surfaces/cli/Readme.test.ts writes docs/commands.md"
        )
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
