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
  const { anyOf, enum: values, items, maximum, minimum, type } = field
  if (Array.isArray(values)) return values.map((value) => `\`${value}\``).join(", ")
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
  return typeof minimum !== "number" || Number(maximum) > 1e9
    ? what
    : `${what}, ${number(minimum)} to ${number(maximum)}`
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

const tableOf = (node: Node, apart: ReadonlyArray<string> = []): string => {
  const seen = new Set<string>()
  const rows = rowsOf(node, apart).filter(({ name }) => !seen.has(name) && seen.add(name))
  return [
    "| Field | Holds | Means |",
    "|---|---|---|",
    ...rows.map(
      ({ field, name, needed }) =>
        `| ${needed ? `**\`${name}\`**` : `\`${name}\``} | ${kindOf(field)} | ${String(field["description"])} |`
    )
  ].join("\n")
}

const within = (node: unknown, ...names: ReadonlyArray<string>): Node => {
  const found = names.reduce<unknown>((at, name) => fieldOf(fieldOf(fieldOf(at, "properties"), name), "items"), node)
  if (!isNode(found)) throw new Error(`the schema has no ${names.join(".")}`)
  return found
}

/** A table for each thing of the file, by its marker in the document. */
export const catalogueTables = (): Readonly<Record<string, string>> => {
  const schema = catalogueJsonSchema()
  return {
    file: tableOf(schema, ["operators", "playrooms"]),
    operator: tableOf(within(schema, "operators")),
    playroom: tableOf(within(schema, "playrooms"), ["packages", "add_ons", "closures"]),
    package: tableOf(within(schema, "playrooms", "packages")),
    add_on: tableOf(within(schema, "playrooms", "add_ons")),
    closure: tableOf(within(schema, "playrooms", "closures"))
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
