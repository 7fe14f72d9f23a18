import { assert, describe, it } from "@effect/vitest"
import { OpenApi } from "effect/http-api"
import { readFileSync } from "node:fs"
import { Api } from "../../src/http/Api.ts"
import { instructions } from "../../src/mcp/SdkBridge.ts"
import { listedTools } from "../../src/mcp/ToolList.ts"
import { tools } from "../../src/mcp/Tools.ts"
import { toolNames } from "../support/toolNames.ts"

type Visit = (schema: Record<string, unknown>, path: string, isProperty: boolean) => void

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Visits a schema and all schemas inside it. */
const visit = (schema: unknown, path: string, isProperty: boolean, see: Visit): void => {
  if (!isObject(schema)) return
  see(schema, path, isProperty)
  if (isObject(schema.properties)) {
    for (const [name, inner] of Object.entries(schema.properties)) visit(inner, `${path}.${name}`, true, see)
  }
  visit(schema.items, `${path}[]`, false, see)
  for (const key of ["allOf", "anyOf", "oneOf"]) {
    const parts = schema[key]
    if (Array.isArray(parts)) parts.forEach((part, i) => visit(part, `${path}.${key}[${i}]`, false, see))
  }
}

const eachSchema = (see: Visit) => {
  for (const { inputSchema, name, outputSchema } of listedTools) {
    visit(inputSchema, `${name}.in`, false, see)
    visit(outputSchema, `${name}.out`, false, see)
  }
}

describe("the listed tools", () => {
  it("are exactly the six of the interface, in its order", () => {
    assert.deepStrictEqual(
      listedTools.map(({ name }) => name),
      toolNames
    )
  })

  it("are named wherever people and assistants read of them, with who needs a key", () => {
    const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8")
    const described = OpenApi.fromApi(Api).paths["/mcp"]?.post?.description ?? ""
    const [open = "", keyed = ""] = described.split(" are public; ")
    for (const { name, scope } of tools) {
      assert.include(instructions, name)
      assert.include(readme, `| \`${name}\` | ${scope === undefined ? "no" : "yes"} |`)
      assert.include(scope === undefined ? open : keyed, `\`${name}\``)
    }
  })

  it("have a title and a description that names the next tool, currency and time", () => {
    for (const { description, name, title } of listedTools) {
      assert.isNotEmpty(title, name)
      assert.match(description, /Next: [a-z ]*(get|create)_\w+/, name)
      assert.match(description, /currency/, name)
      assert.match(description, /time_zone|UTC offset/, name)
    }
  })

  it("say all four hints, truthfully", () => {
    const hints = Object.fromEntries(listedTools.map(({ annotations, name }) => [name, annotations]))
    const reads = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }
    const writes = { ...reads, readOnlyHint: false }
    assert.deepStrictEqual(hints, {
      search_playrooms: reads,
      get_playroom: reads,
      get_booking_options: reads,
      create_booking: writes,
      get_booking: reads,
      create_payment_session: { ...writes, openWorldHint: true }
    })
  })

  it("fit the budget: 8,000 characters to be read by a model, 32 KB in all", () => {
    const read = listedTools.map(({ description, inputSchema, name, title }) => [name, title, description, inputSchema])
    assert.isBelow(JSON.stringify(read).length, 8000)
    assert.isBelow(Buffer.byteLength(JSON.stringify({ jsonrpc: "2.0", id: 1, result: { tools: listedTools } })), 32_768)
  })

  it("have object roots without combinators, and nothing referred to elsewhere", () => {
    for (const { inputSchema, outputSchema } of listedTools) {
      for (const schema of [inputSchema, outputSchema]) {
        assert.strictEqual(schema.type, "object")
        for (const key of ["anyOf", "oneOf", "allOf", "not", "if"]) assert.notProperty(schema, key)
      }
    }
    assert.notMatch(JSON.stringify(listedTools), /"\$(ref|defs|dynamicRef)"|"definitions"/)
  })

  it("describe every property, whose names are of small letters and underscores", () => {
    let properties = 0
    eachSchema((schema, path, isProperty) => {
      if (!isProperty) return
      properties++
      assert.match(path.split(".").at(-1) ?? "", /^[a-z_]+$/, path)
      assert.isString(schema.type, path)
      assert.isTrue(typeof schema.description === "string" && schema.description.trim().length > 0, path)
    })
    assert.isAbove(properties, 100)
  })

  it("spell out what is inside every list and object, once: a later tool names the one that told it", () => {
    let named = 0
    let lists = 0
    let objects = 0
    eachSchema((schema, path) => {
      assert.isString(schema.type, path)
      if (schema.type === "array") {
        lists++
        assert.isTrue(isObject(schema.items) && typeof schema.items.type === "string", path)
      }
      const where = /As in (\w+)\.$/.exec(typeof schema.description === "string" ? schema.description : "")?.[1]
      if (where !== undefined) {
        named++
        const names = listedTools.map(({ name }) => name)
        const here = names.findIndex((name) => path.startsWith(`${name}.out`))
        assert.isTrue(names.includes(where) && names.indexOf(where) < here, path)
        assert.deepStrictEqual(Object.keys(schema).sort(), ["description", "type"], path)
      } else if (schema.type === "object") {
        objects++
        assert.isTrue(isObject(schema.properties) && Object.keys(schema.properties).length > 0, path)
      }
    })
    assert.isAbove(lists, 10)
    assert.isAbove(objects, 20)
    assert.isAbove(named, 4)
  })

  it("refuse unknown fields in their input schemas, and never mention null", () => {
    for (const { inputSchema, name } of listedTools) {
      visit(inputSchema, name, false, (schema, path) => {
        if (schema.type === "object") assert.strictEqual(schema.additionalProperties, false, path)
      })
    }
    assert.notInclude(JSON.stringify(listedTools), `"null"`)
  })
})
