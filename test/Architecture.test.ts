import { assert, describe, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, matchesGlob, relative, sep } from "node:path"
import { wholeSystem } from "../vitest.config.ts"

/** The floors of `src`, from the top down. What lies beside them (`App.ts`, what starts it) stands above them all. */
const floors = ["surfaces", "extras", "ops", "domain", "words", "platform"]
/**
 * What each folder may import from, besides itself and, above `platform`, all of `platform`. Nobody imports what lies
 * beside the floors.
 */
const arrows: Readonly<Record<string, ReadonlyArray<string>>> = {
  "surfaces/cli": [
    "domain/availability",
    "domain/booking",
    "domain/calendars",
    "domain/catalogue",
    "domain/import",
    "domain/oauth",
    "domain/payment",
    "domain/people/privacy",
    "domain/people/staff",
    "ops/attention",
    "ops/audit",
    "ops/process",
    "ops/transfer",
    "surfaces/web"
  ],
  "surfaces/http": ["domain/oauth", "domain/payment", "domain/people/staff"],
  "surfaces/letters": ["domain/booking", "domain/payment", "surfaces/web", "words"],
  "surfaces/mcp": [
    "domain/availability",
    "domain/booking",
    "domain/catalogue",
    "domain/oauth",
    "domain/payment",
    "domain/search",
    "surfaces/http",
    "words"
  ],
  "surfaces/receivers": ["domain/payment", "surfaces/http"],
  "surfaces/web": [
    "domain/availability",
    "domain/booking",
    "domain/calendars",
    "domain/catalogue",
    "domain/oauth",
    "domain/payment",
    "domain/people/staff",
    "domain/search",
    "ops/attention",
    "surfaces/http",
    "surfaces/receivers",
    "words"
  ],
  "extras/sandbox": [],
  "ops/attention": ["domain/booking", "domain/calendars", "domain/catalogue", "domain/oauth", "domain/payment"],
  "ops/audit": ["domain/booking", "domain/catalogue", "domain/payment", "ops/attention"],
  "ops/process": [],
  "ops/transfer": ["domain/payment", "ops/audit"],
  "domain/availability": ["domain/catalogue"],
  "domain/booking": ["domain/availability", "domain/catalogue"],
  "domain/calendars": [],
  "domain/catalogue": [],
  "domain/import": ["domain/availability", "domain/booking", "domain/calendars", "domain/catalogue", "domain/search"],
  "domain/oauth": ["words"],
  "domain/payment": ["domain/availability", "domain/booking", "domain/catalogue", "domain/people/staff", "words"],
  "domain/people/privacy": ["domain/booking", "domain/oauth", "domain/payment", "domain/people/staff"],
  "domain/people/staff": ["domain/catalogue"],
  "domain/search": ["domain/availability", "domain/catalogue"],
  words: [],
  "platform/access": [
    "platform/concurrency",
    "platform/config",
    "platform/database",
    "platform/ids",
    "platform/text",
    "platform/time"
  ],
  "platform/concurrency": [],
  "platform/config": ["platform/errors", "platform/text"],
  "platform/database": [
    "platform/concurrency",
    "platform/config",
    "platform/errors",
    "platform/files",
    "platform/time"
  ],
  "platform/errors": [],
  "platform/files": [],
  "platform/ids": ["platform/errors", "platform/time"],
  "platform/money": ["platform/text"],
  "platform/telemetry": ["platform/config", "platform/errors"],
  "platform/text": [],
  "platform/time": ["platform/text"]
}
/**
 * The folders of `payment`, from the top down: each may import from those after it. What lies beside them stands above
 * them all.
 */
const paymentFloors = [
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
/** The folder that has arrows of its own: two names, three below `people`, and `words` as a whole. */
const folderOf = (path: string): string => {
  const names = path.split(sep).slice(0, -1)
  const depth = names[0] === "words" ? 1 : names[1] === "people" ? 3 : 2
  return names.slice(0, depth).join("/") || "."
}
const floorOf = (path: string): number => floors.indexOf(path.split(sep)[0] ?? "")
const importsOf = ({ path, text }: (typeof files)[number]): ReadonlyArray<string> =>
  [...text.matchAll(/^(?:import|export)\b[^"]*?from "(\.[^"]+\.ts)"/gm)].map(([, to = ""]) =>
    relative(root, join(root, dirname(path), to))
  )

/**
 * What a statement must not have, as it goes by the server's own data: its default locale, its zones, the zone of its
 * session. `lower` and `upper` of ranges are neither.
 */
const byTheServersData =
  /\b(?:ilike|citext|initcap|date_trunc|current_date|localtimestamp|to_char|at time zone)\b| !?~\* |[a-z_)]::(?:date|time|timestamp)\b|\binterval '\d+ (?:day|week|month|year)s?'|\b(?:lower|upper)\((?!(?:\w+\.)?(?:during|units|day|free|part|u)\b|[^()]*(?:\([^()]*\)[^()]*)*(?:collate|,))/gi
/** The one file that asks the server for its zones' rules, to compare them with the runtime's. */
const zonesCompared = join("platform", "database", "ServerZones.ts")

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
            .filter((to) => from.startsWith("platform/") || !to.startsWith(`platform${sep}`))
            .map((to) => `${file.path} → ${to}`)
    })
    assert.deepStrictEqual(against, [])
    assert.isAbove(files.flatMap(importsOf).length, 500)
  })

  it("go down the floors, never up", () => {
    const upward = files.flatMap((file) => {
      const from = floorOf(file.path)
      return importsOf(file)
        .filter((to) => floorOf(to) < from)
        .map((to) => `${file.path} → ${to}`)
    })
    assert.deepStrictEqual(upward, [])
  })

  it("go one way inside payment, too: each folder imports from those below it only", () => {
    const partOf = (path: string): string | undefined => {
      const [, folder, part, file] = path.split(sep)
      return folder === "payment" ? (file === undefined ? "" : part) : undefined
    }
    const found = files.map(({ path }) => partOf(path)).filter((part) => part !== undefined && part !== "")
    assert.sameMembers([...new Set(found)], paymentFloors)
    const upward = files.flatMap((file) => {
      const from = partOf(file.path)
      if (from === undefined || from === "") return []
      const allowed = new Set(paymentFloors.slice(paymentFloors.indexOf(from)))
      return importsOf(file)
        .filter((to) => partOf(to) !== undefined && !allowed.has(partOf(to) ?? ""))
        .map((to) => `${file.path} → ${to}`)
    })
    assert.deepStrictEqual(upward, [])
  })

  it("have their layers put together in App.ts, which only Program.ts imports", () => {
    const importers = files.filter((file) => importsOf(file).includes("App.ts")).map(({ path }) => path)
    assert.deepStrictEqual(importers, ["Program.ts"])
  })

  it("choose the payment provider in App.ts: nobody else imports the sandbox", () => {
    const importers = files.filter((file) => importsOf(file).some((to) => folderOf(to) === "extras/sandbox"))
    assert.sameMembers(
      importers.map(({ path }) => path).filter((path) => folderOf(path) !== "extras/sandbox"),
      ["App.ts"]
    )
  })

  it("keep SQL out of the tools, the pages and the commands", () => {
    const writing = files.filter(
      ({ path, text }) => path.startsWith(`surfaces${sep}`) && /\bsql`|\bSqlClient\b/.test(text)
    )
    assert.deepStrictEqual(
      writing.map(({ path }) => path),
      []
    )
  })

  it("X17, X18: fold texts in SQL by a collation that they name, and leave days and time zones to TypeScript", () => {
    const sql = join(root, "../sql")
    const texts = [
      ...files.map(({ path, text }) => ({ path, text: text.replaceAll(/\/\*[\s\S]*?\*\/|^ *\/\/.*$/gm, "") })),
      ...readdirSync(sql, { recursive: true, encoding: "utf8" })
        // Migrations of before are never edited; their functions stand in `functions`, or in indexes.
        .filter((path) => /^(functions\b.*|00[2-9]\d_.*)\.sql$/.test(path))
        .map((path) => ({ path, text: readFileSync(join(sql, path), "utf8").replaceAll(/--.*$/gm, "") }))
    ].filter(({ path }) => path !== zonesCompared)
    const found = (text: string) => [...text.matchAll(byTheServersData)].map(([words]) => words)
    assert.deepStrictEqual(
      texts.flatMap(({ path, text }) => found(text).map((words) => `${path}: ${words}`)),
      []
    )
    for (const text of [
      "lower(name)",
      "name ilike $1",
      "starts_at::date",
      "at + interval '1 day'",
      "a ~* b",
      "at time zone z"
    ])
      assert.lengthOf(found(text), 1, text)
    for (const text of [
      "upper(o.during)",
      'lower(name collate "C")',
      "$1::date",
      "interval '24 hours'",
      "x::timestamptz"
    ])
      assert.deepStrictEqual(found(text), [])
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
      ["test/platform/config/AppConfig.test.ts", "test/surfaces/web/Pages.test.ts"]
    )
  })
})
