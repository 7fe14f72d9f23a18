import { assert, describe, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, matchesGlob, relative, sep } from "node:path"
import { wholeSystem } from "../vitest.config.ts"

/** What each folder of `src` may import from, besides itself. `.` is what lies beside the folders: nobody imports that. */
const arrows: Readonly<Record<string, ReadonlyArray<string>>> = {
  kernel: [],
  i18n: ["kernel"],
  config: ["kernel"],
  telemetry: ["kernel", "config"],
  database: ["kernel", "config"],
  catalogue: ["kernel"],
  access: ["kernel", "config"],
  oauth: ["kernel", "config", "i18n", "access"],
  staff: ["kernel", "config", "catalogue", "access"],
  availability: ["kernel", "catalogue"],
  booking: ["kernel", "config", "database", "catalogue", "availability", "access"],
  calendars: ["kernel", "access"],
  search: ["kernel", "catalogue", "availability", "database"],
  import: ["kernel", "catalogue", "availability", "booking", "calendars", "search"],
  payment: ["kernel", "config", "i18n", "telemetry", "catalogue", "availability", "booking", "access", "staff"],
  attention: ["kernel", "config", "telemetry", "database", "catalogue", "booking", "calendars", "payment", "oauth"],
  sandbox: ["kernel", "database"],
  privacy: ["kernel", "config", "booking", "payment", "oauth", "staff"],
  process: ["kernel", "api"],
  mcp: [
    "kernel",
    "config",
    "i18n",
    "catalogue",
    "availability",
    "booking",
    "search",
    "payment",
    "access",
    "oauth",
    "api"
  ],
  api: ["kernel", "config", "i18n", "booking", "payment", "access", "oauth", "staff"],
  pages: [
    "kernel",
    "config",
    "i18n",
    "database",
    "catalogue",
    "availability",
    "booking",
    "payment",
    "attention",
    "calendars",
    "access",
    "oauth",
    "staff",
    "api"
  ],
  letters: ["kernel", "config", "i18n", "booking", "payment", "pages"],
  cli: [
    "kernel",
    "config",
    "i18n",
    "telemetry",
    "database",
    "catalogue",
    "availability",
    "booking",
    "search",
    "import",
    "payment",
    "attention",
    "calendars",
    "privacy",
    "access",
    "oauth",
    "staff",
    "pages"
  ]
}
/** The folders of `payment`, from the top down: each may import from those after it. What lies beside them stands above them all. */
const floors = [
  "accounts",
  "workers",
  "recovery",
  "checkout",
  "changes",
  "setup",
  "events",
  "settlement",
  "refunds",
  "sessions",
  "provider"
]

const root = join(import.meta.dirname, "../src")
const files = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts"))
  .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }))
const folderOf = (path: string): string => (path.includes(sep) ? (path.split(sep)[0] ?? "") : ".")
const importsOf = ({ path, text }: (typeof files)[number]): ReadonlyArray<string> =>
  [...text.matchAll(/^(?:import|export)\b[^"]*?from "(\.[^"]+\.ts)"/gm)].map(([, to = ""]) =>
    relative(root, join(root, dirname(path), to))
  )

describe("the sources", () => {
  it("import along the arrows of ARCHITECTURE.md only", () => {
    assert.sameMembers(
      [...new Set(files.map(({ path }) => folderOf(path)))].filter((folder) => folder !== "."),
      Object.keys(arrows)
    )
    const against = files.flatMap((file) => {
      const from = folderOf(file.path)
      const allowed = arrows[from]
      return allowed === undefined
        ? []
        : importsOf(file)
            .filter((to) => folderOf(to) !== from && !allowed.includes(folderOf(to)))
            .map((to) => `${file.path} → ${to}`)
    })
    assert.deepStrictEqual(against, [])
    assert.isAbove(files.flatMap(importsOf).length, 500)
  })

  it("go one way inside payment, too: each folder imports from those below it only", () => {
    const floorOf = (path: string): string | undefined => {
      const [folder, floor, file] = path.split(sep)
      return folder === "payment" ? (file === undefined ? "" : floor) : undefined
    }
    const found = files.map(({ path }) => floorOf(path)).filter((floor) => floor !== undefined && floor !== "")
    assert.sameMembers([...new Set(found)], floors)
    const upward = files.flatMap((file) => {
      const from = floorOf(file.path)
      if (from === undefined || from === "") return []
      const allowed = new Set(floors.slice(floors.indexOf(from)))
      return importsOf(file)
        .filter((to) => floorOf(to) !== undefined && !allowed.has(floorOf(to) ?? ""))
        .map((to) => `${file.path} → ${to}`)
    })
    assert.deepStrictEqual(upward, [])
  })

  it("have their layers put together in App.ts, which only Program.ts imports", () => {
    const importers = files.filter((file) => importsOf(file).includes("App.ts")).map(({ path }) => path)
    assert.deepStrictEqual(importers, ["Program.ts"])
  })

  it("choose the payment provider in App.ts: nobody else imports the sandbox", () => {
    const importers = files.filter((file) => importsOf(file).some((to) => folderOf(to) === "sandbox"))
    assert.sameMembers(
      importers.map(({ path }) => path).filter((path) => folderOf(path) !== "sandbox"),
      ["App.ts"]
    )
  })

  it("keep SQL out of the tools, the pages and the commands", () => {
    const writing = files.filter(
      ({ path, text }) => ["mcp", "api", "pages", "cli"].includes(folderOf(path)) && /\bsql`|\bSqlClient\b/.test(text)
    )
    assert.deepStrictEqual(
      writing.map(({ path }) => path),
      []
    )
  })

  it("name the columns of every result: a node goes on while a newer release adds one", () => {
    // A prepared statement fails if its result gets another column. Inside a statement `*` does no harm.
    const star = /(?:sql`\s*select|\breturning)\s+(?:\w+\.)?\*/i
    assert.deepStrictEqual(
      files.filter(({ text }) => star.test(text)).map(({ path }) => path),
      []
    )
  })
})

describe("the quick tests", () => {
  it("start no service and no browser, and no process that does not end at once", () => {
    const texts = new Map(
      readdirSync("test", { recursive: true, encoding: "utf8" })
        // The bench `mcp` installs its competitors under `test`.
        .filter((path) => path.endsWith(".ts") && !path.includes("node_modules"))
        .map((path) => [join("test", path), readFileSync(join("test", path), "utf8")])
    )
    const starts = (path: string, seen = new Set<string>()): boolean => {
      const text = texts.get(path)
      if (text === undefined || seen.has(path)) return false
      seen.add(path)
      if (/^import .* "node:child_process"|\binBrowser\("/m.test(text)) return true
      return [...text.matchAll(/from "(\.[^"]+)"/g)].some(([, to = ""]) => starts(join(dirname(path), to), seen))
    }
    const quick = [...texts.keys()].filter(
      (path) => path.endsWith(".test.ts") && !wholeSystem.some((pattern) => matchesGlob(path, pattern))
    )
    // `mkfifo`, and `sh` for a script of a page.
    assert.sameMembers(
      quick.filter((path) => starts(path)),
      ["test/config/AppConfig.test.ts", "test/pages/Pages.test.ts"]
    )
  })
})
