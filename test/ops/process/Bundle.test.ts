import { assert, it } from "@effect/vitest"
import { execFile, execFileSync } from "node:child_process"
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { SourceMap } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { Schema } from "effect"
import { afterAll, beforeAll } from "vitest"
import { bundles, root } from "../../../src/ops/process/Bundle.ts"

const folder = mkdtempSync(join(tmpdir(), "playroom-bundle-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const at = (path: string): string => join(folder, path)
/** Without a cache of its own, a copy keeps what Node compiled in its own `dist`. */
const env: Record<string, string> = {}
const run = (...args: ReadonlyArray<string>): string =>
  execFileSync(process.execPath, args, {
    cwd: folder,
    env: { PATH: process.env["PATH"], ...env },
    encoding: "utf8"
  })
const version = (): string => run("src/main.ts", "--version")
const edit = (path: string, from: string, to: string): void => {
  const text = readFileSync(at(path), "utf8")
  assert.include(text, from)
  writeFileSync(at(path), text.replace(from, to))
}
const made = (): string => readFileSync(at("dist/latest"), "utf8").split("\n")[0] ?? ""

const Mapping = Schema.fromJsonString(
  Schema.Struct({
    version: Schema.Number,
    names: Schema.mutable(Schema.Array(Schema.String)),
    sources: Schema.mutable(Schema.Array(Schema.String)),
    mappings: Schema.String
  })
)

beforeAll(() => {
  for (const part of ["src", "package.json", "package-lock.json"])
    cpSync(join(root, part), at(part), { recursive: true })
  symlinkSync(join(root, "node_modules"), at("node_modules"))
  // The suite has made one, unless its processes run the sources (TEST_SOURCES).
  if (existsSync(join(bundles, "latest"))) cpSync(bundles, at("dist"), { recursive: true })
  else run("src/ops/process/makeBundle.ts")
})

it("the bundle names the line of the source for each of the project's lines, and nobody's folder", () => {
  const text = "Booking backend for children's playrooms. Without a command it serves."
  const bundle = at(`dist/${made()}`)
  const files = readdirSync(bundle).map((name) => join(bundle, name))
  const file = files.find((name) => name.endsWith(".js") && readFileSync(name, "utf8").includes(text)) ?? ""
  const lines = readFileSync(file, "utf8").split("\n")
  const line = lines.findIndex((one) => one.includes(text))
  const map = Schema.decodeUnknownSync(Mapping)(readFileSync(`${file}.map`, "utf8"))
  const entry = new SourceMap({ ...map, file: "", sourcesContent: [], sourceRoot: "" }).findEntry(
    line,
    lines[line]?.indexOf(text) ?? 0
  )
  assert("originalSource" in entry)
  assert.strictEqual(entry.originalSource, "../../src/surfaces/cli/Cli.ts")
  const source = readFileSync(at("src/surfaces/cli/Cli.ts"), "utf8").split("\n")
  assert.include(source[entry.originalLine], text)
  for (const one of files) {
    assert.notInclude(readFileSync(one, "utf8"), folder)
    assert.notInclude(readFileSync(one, "utf8"), root)
  }
})

it("two processes make the bundle at once, and both end well", async () => {
  rmSync(at("dist"), { recursive: true, force: true })
  const make = () => promisify(execFile)(process.execPath, ["src/ops/process/makeBundle.ts"], { cwd: folder })
  await Promise.all([make(), make()])
  assert.deepStrictEqual(
    readdirSync(at("dist")).filter((name) => /^[0-9a-f]{16}/.test(name)),
    [made()]
  )
})

it("the bundle starts without Node's fetch, which the sources load", () => {
  const loaded = `data:text/javascript,process.on("exit", () => console.log(process.moduleLoadList.some((one) => one.includes("undici"))))`
  const started = () => run("--import", loaded, "src/main.ts", "--version")
  assert.match(started(), /^playroom v\S+\nfalse\n$/)
  renameSync(at("dist/latest"), at("dist/hidden"))
  assert.match(started(), /\ntrue\n$/)
  renameSync(at("dist/hidden"), at("dist/latest"))
})

it("the bundle runs while the sources are what it was made of, and an edit is seen at the next start", () => {
  appendFileSync(at(`dist/${made()}/Program.js`), `\nconsole.log("from the bundle")\n`)
  assert.include(version(), "from the bundle")
  utimesSync(at("src/App.ts"), 1, 1)
  assert.include(version(), "from the bundle", "another time, the same text")

  edit("src/surfaces/cli/Cli.ts", "packageJson.version", `"edited"`)
  assert.strictEqual(version(), "playroom vedited\n")
  edit("src/surfaces/cli/Cli.ts", `"edited"`, "packageJson.version")
  assert.include(version(), "from the bundle")
})

/** The files in a folder, and in those within it. */
const filesIn = (path: string): ReadonlyArray<string> =>
  readdirSync(path, { recursive: true, withFileTypes: true }).flatMap((one) =>
    one.isFile() ? [join(one.parentPath, one.name)] : []
  )
const cache = at(`dist/compiled-${process.getuid?.() ?? "user"}`)

it("what Node compiled is kept beside the bundle, in a folder of this user alone, and not among temporary files", () => {
  const temporary = at("tmp")
  mkdirSync(temporary, { mode: 0o777 })
  env["TMPDIR"] = temporary
  rmSync(cache, { recursive: true, force: true })
  version()
  assert.isAbove(filesIn(cache).length, 0)
  assert.strictEqual(statSync(cache).mode & 0o777, 0o700)
  assert.deepStrictEqual(filesIn(temporary), [])
  delete env["TMPDIR"]
})

/**
 * Makes the cache's folder as others could have made it. Nothing in it may be run, so nothing may be written into it
 * either.
 */
const planted: Readonly<Record<string, () => void>> = {
  "that all users can write to": () => {
    mkdirSync(cache)
    chmodSync(cache, 0o777)
  },
  "that its group can write to": () => {
    mkdirSync(cache)
    chmodSync(cache, 0o770)
  },
  "that is a link": () => {
    mkdirSync(at("elsewhere"), { recursive: true, mode: 0o700 })
    symlinkSync(at("elsewhere"), cache)
  },
  "in a folder whose entries all users can replace": () => {
    mkdirSync(cache, { mode: 0o700 })
    chmodSync(at("dist"), 0o777)
  },
  "of another user": () => {
    mkdirSync(cache, { mode: 0o700 })
    chownSync(cache, 65_534, 65_534)
  }
}

for (const [which, plant] of Object.entries(planted))
  // Only root can give away a folder.
  it.skipIf(which === "of another user" && process.getuid?.() !== 0)(`a cache ${which} is not used`, () => {
    rmSync(cache, { recursive: true, force: true })
    plant()
    assert.include(version(), "playroom v")
    assert.deepStrictEqual(filesIn(`${cache}/`), [])
    chmodSync(at("dist"), 0o755)
    const [folder] = run("src/ops/process/makeBundle.ts").split("\n")
    assert.strictEqual(folder, cache, "what sets up the service replaces it")
    version()
    assert.isAbove(filesIn(cache).length, 0)
    assert.strictEqual(lstatSync(cache).mode & 0o777, 0o700)
  })
