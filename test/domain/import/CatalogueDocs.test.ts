import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { catalogueJsonSchema, parseCatalogue } from "../../../src/domain/import/ParseCatalogue.ts"
import { readCatalogueText } from "../../../src/domain/import/CatalogueText.ts"

// The tables of `docs/catalogue-fields.md`, made from the JSON Schema of the catalogue file.

type Node = Readonly<Record<string, unknown>>

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && !Array.isArray(value)
const nodes = (value: unknown): ReadonlyArray<Node> => (Array.isArray(value) ? value.filter(isNode) : [])
const fieldOf = (node: unknown, name: string): unknown => (isNode(node) ? node[name] : undefined)

const number = (value: unknown): string => (typeof value === "number" ? value.toLocaleString("en-GB") : "")

/** What a field may hold, in a few words. */
const kindOf = (field: Node): string => {
  const { anyOf, enum: values, exclusiveMaximum, items, maximum, minimum, type } = field
  if (Array.isArray(values)) {
    const named = values.map((value) => `\`${value}\``)
    return values[0] === "monday" && values.length === 7 ? `${named[0]} to ${named[6]}` : named.join(", ")
  }
  if (Array.isArray(anyOf)) return "object"
  if (type === "array") {
    const of = isNode(items) && fieldOf(items, "type") !== "object" && items["anyOf"] === undefined ? items : undefined
    const most = field["maxItems"] === undefined ? "list" : `list of up to ${number(field["maxItems"])}`
    return of === undefined ? most : `${most}: ${kindOf(of)}`
  }
  if (type === "boolean") return "`true`, `false`"
  if (type === "string") return "text"
  if (type === "object") return "object"
  const what = type === "integer" ? "whole number" : "number"
  const most = maximum ?? exclusiveMaximum
  return typeof minimum !== "number" || Number(most) > 1e9
    ? what
    : `${what}, ${number(minimum)} to ${maximum === undefined ? "less than " : ""}${number(most)}`
}

interface Row {
  readonly name: string
  readonly field: Node
  readonly needed: boolean
}

/** The fields of an object and of what is in it, but not of what has a table of its own. */
const rowsOf = (node: Node, apart: ReadonlyArray<string>, before = ""): ReadonlyArray<Row> => {
  const required = Array.isArray(node["required"]) ? node["required"] : []
  const own = isNode(node["properties"]) ? Object.entries(node["properties"]) : []
  return [
    ...own.flatMap(([name, field]) => {
      if (!isNode(field)) return []
      const row = { name: before + name, field, needed: required.includes(name) }
      if (apart.includes(name)) return [row]
      return [row, ...rowsOf(field, [], `${before}${name}.`), ...rowsOf(fieldIn(field), [], `${before}${name}[].`)]
    }),
    ...casesOf(nodes(node["anyOf"]).map((part) => rowsOf(part, [], before)))
  ]
}

/** The fields of the cases of a union: needed is what every case needs. */
const casesOf = (cases: ReadonlyArray<ReadonlyArray<Row>>): ReadonlyArray<Row> =>
  [...Map.groupBy(cases.flat(), ({ name }) => name)].flatMap(([name, rows]) => {
    const [first] = rows
    if (first === undefined) return []
    const values = rows.flatMap(({ field }) => (Array.isArray(field["enum"]) ? field["enum"] : []))
    const field = values.length === 0 ? first.field : { ...first.field, enum: values }
    return [{ name, field, needed: cases.every((its) => its.some((row) => row.name === name && row.needed)) }]
  })
const fieldIn = (field: Node): Node => (isNode(field["items"]) ? field["items"] : {})

/** A row that was told, with the thing whose table has it. */
interface Told extends Row {
  readonly of: string
}

/** What a row says beside where it stands. */
const meaningOf = ({ field, needed }: Row): string => JSON.stringify([needed, kindOf(field), field["description"]])

/** How many rows from `at` on are those from `from` on, below another field; and below which. */
const repeated = (rows: ReadonlyArray<Row>, at: number, told: ReadonlyArray<Told>, from: number) => {
  const [row, earlier] = [rows[at], told[from]]
  if (row === undefined || earlier === undefined || meaningOf(row) !== meaningOf(earlier)) return undefined
  const leaf = row.name.slice(row.name.lastIndexOf(".") + 1)
  if (!row.name.includes(".") || !earlier.name.endsWith(`.${leaf}`)) return undefined
  const [here, there] = [row.name, earlier.name].map((name) => name.slice(0, -leaf.length))
  if (here === undefined || there === undefined) return undefined
  let count = 1
  for (; ; count++) {
    const [next, same] = [rows[at + count], told[from + count]]
    if (next === undefined || same === undefined || same.of !== earlier.of || !next.name.startsWith(here)) break
    if (`${there}${next.name.slice(here.length)}` !== same.name || meaningOf(next) !== meaningOf(same)) break
  }
  return { count, of: earlier.of, there: there.slice(0, -1) }
}

/** What the page says once: how long a text may be, beside its kind, and that a list may be left out. */
const shortened = (kind: string, meaning: string) => {
  const [, most] = /Up to ([\d,]+) characters/.exec(meaning) ?? []
  return {
    holds: kind === "text" && most !== undefined ? `text (${most})` : kind,
    means: meaning
      .replace(/(?<=[.?]) Up to [\d,]+ characters\./, "")
      .replace(kind.startsWith("list") ? /(?<=\.) Left out: none\./ : /$^/, "")
  }
}

const bold = ({ name, needed }: Row): string => (needed ? `**\`${name}\`**` : `\`${name}\``)

/**
 * A table. Rows that stand in the page already, below another field, are one row that says where; `told` takes up the
 * others.
 */
const tableOf = (of: string, node: Node, told: Array<Told>, apart: ReadonlyArray<string> = []): string => {
  const seen = new Set<string>()
  const rows = rowsOf(node, apart).filter(({ name }) => !seen.has(name) && seen.add(name))
  const lines: Array<string> = []
  for (let at = 0; at < rows.length;) {
    const [longest] = told
      .flatMap((_, from) => repeated(rows, at, told, from) ?? [])
      .toSorted((one, other) => other.count - one.count)
    if (longest !== undefined && longest.count > 1) {
      const where = `\`${longest.there}\`${longest.of === of ? "" : ` of ${longest.of}`}`
      lines.push(
        `| ${rows
          .slice(at, at + longest.count)
          .map(bold)
          .join(", ")} | | As those of ${where}. |`
      )
      at += longest.count
      continue
    }
    const row = rows[at++]
    if (row === undefined) break
    const { field } = row
    const { holds, means } = shortened(kindOf(field), String(field["description"]))
    const same = told.findLast((one) => kindOf(one.field).length > 100 && kindOf(one.field) === kindOf(field))
    lines.push(`| ${bold(row)} | ${same === undefined ? holds : `as \`${same.name}\``} | ${means} |`)
    told.push({ ...row, of })
  }
  return ["| Field | Holds | Means |", "|---|---|---|", ...lines].join("\n")
}

const within = (node: unknown, ...names: ReadonlyArray<string>): Node => {
  const found = names.reduce<unknown>((at, name) => fieldOf(fieldOf(fieldOf(at, "properties"), name), "items"), node)
  if (!isNode(found)) throw new Error(`the schema has no ${names.join(".")}`)
  return found
}

/** A table for each thing of the file, by its marker in the document. */
export const catalogueTables = (): Readonly<Record<string, string>> => {
  const schema = catalogueJsonSchema()
  const told: Array<Told> = []
  return {
    file: tableOf("the file", schema, told, ["operators", "playrooms"]),
    operator: tableOf("an operator", within(schema, "operators"), told),
    playroom: tableOf("a playroom", within(schema, "playrooms"), told, ["packages", "add_ons", "closures"]),
    package: tableOf("a package", within(schema, "playrooms", "packages"), told),
    add_on: tableOf("an add-on", within(schema, "playrooms", "add_ons"), told),
    closure: tableOf("a closure", within(schema, "playrooms", "closures"), told)
  }
}

const marked = /(<!-- table: (\w+) -->\n)[\s\S]*?(\n<!-- end -->)/g

/** A document with its tables as they should be. */
export const withTables = (text: string): string => {
  const tables = catalogueTables()
  return text.replaceAll(marked, (_, before: string, name: string, after: string) => before + tables[name] + after)
}

const file = new URL("../../../docs/catalogue-fields.md", import.meta.url)
const text = readFileSync(file, "utf8")

describe("docs/catalogue-fields.md", () => {
  it("has every field of the file in its tables (UPDATE_DOCS=1 writes them)", () => {
    for (const name of Object.keys(catalogueTables())) assert.include(text, `<!-- table: ${name} -->`)
    if (process.env["UPDATE_DOCS"] === "1") writeFileSync(file, withTables(text))
    else assert.strictEqual(text, withTables(text))
  })
})

describe("docs/catalogue.md", () => {
  it.effect("has an example that is a valid catalogue", () =>
    Effect.gen(function* () {
      const page = readFileSync(new URL("catalogue.md", file), "utf8")
      const [, example = ""] = /```yaml\n([\s\S]*?)```/.exec(page) ?? []
      const { content } = yield* readCatalogueText("example.yaml", example)
      const { playrooms } = yield* parseCatalogue(content)
      assert.deepStrictEqual(
        playrooms.map(({ name }) => name),
        ["The Attic"]
      )
    })
  )
})
