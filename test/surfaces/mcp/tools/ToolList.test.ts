import { assert, describe, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import { readFileSync } from "node:fs"
import { OptionInvalid } from "../../../../src/domain/availability/BookingOption.ts"
import { instructions } from "../../../../src/surfaces/mcp/transport/SdkBridge.ts"
import { internalError, renderFailure } from "../../../../src/surfaces/mcp/tools/ToolErrors.ts"
import {
  describedTools,
  type ListedTool,
  listedTools,
  isToolName,
  type ToolName,
  tools
} from "../../../../src/surfaces/mcp/tools/ToolList.ts"

const reads = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }
const writes = { ...reads, readOnlyHint: false }

/** What the interface promises: exactly these tools, in this order, with these hints. */
const published: Readonly<Record<ToolName, ListedTool["annotations"]>> = {
  search_playrooms: reads,
  get_playroom: reads,
  get_booking_options: reads,
  create_booking: writes,
  get_booking: reads,
  create_payment_session: { ...writes, openWorldHint: true }
}

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

/** The names of all fields in a schema, those inside objects too. */
const propertiesOf = (schema: unknown): ReadonlyArray<string> => {
  const names: Array<string> = []
  visit(schema, "", false, ({ properties }) => {
    if (isObject(properties)) names.push(...Object.keys(properties))
  })
  return names
}

/** Fields by which a time, or its zone, is known. */
const timed = /^(time_zone|opens|start|\w+_at)$/

/** The whole list is shorter than this: characters that a model reads before each call, and bytes in all. */
const budget = { characters: 9000, bytes: 34_000 }

const eachSchema = (see: Visit) => {
  for (const { inputSchema, name, outputSchema } of listedTools) {
    visit(inputSchema, `${name}.in`, false, see)
    visit(outputSchema, `${name}.out`, false, see)
  }
}

describe("the listed tools", () => {
  it("are exactly those that the interface promises, in its order", () => {
    assert.deepStrictEqual(
      listedTools.map(({ name }) => name),
      Object.keys(published)
    )
  })

  it("are named where people and assistants read of them, with who needs a key", () => {
    const page = readFileSync(new URL("../../../../docs/connecting.md", import.meta.url), "utf8")
    for (const { name, scope } of tools) {
      assert.include(
        instructions,
        name,
        "say in the instructions (surfaces/mcp/transport/SdkBridge.ts) when it is called"
      )
      assert.include(
        page,
        `| \`${name}\` | ${scope === undefined ? "no" : "yes"} |`,
        "it needs a row in docs/connecting.md"
      )
    }
  })

  it("have a title and a description that names the next tool; of amounts the currency, of times the zone", () => {
    for (const { description, name, outputSchema, title } of tools) {
      assert.notStrictEqual(title, name, "annotate it with Tool.Title")
      const next = /Next: (.*)/.exec(description)?.[1] ?? ""
      assert.isTrue(next.split(/\W+/).some(isToolName), `${name}: say which tool comes next, as in "Next: get_booking"`)
      const answered = propertiesOf(outputSchema)
      if (answered.includes("currency"))
        assert.match(description, /currency/, `${name}: say in which currency its amounts are`)
      if (answered.some((property) => timed.test(property))) {
        assert.match(description, /time_zone|UTC offset/, `${name}: say in which zone its times are`)
      }
    }
  })

  // Codex and ADK drop minimum and maximum before a model reads them.
  it("X24: say in words how old, how long and how many, where a host drops the keywords", () => {
    for (const { inputSchema, name } of listedTools)
      for (const [field, bounds] of Object.entries({
        child_ages: "0 to 17",
        duration_minutes: "5 to 1440",
        limit: name === "search_playrooms" ? "1 to 50" : "1 to 100"
      })) {
        const { properties } = inputSchema
        const told = isObject(properties) ? JSON.stringify(properties[field] ?? bounds) : bounds
        const most = bounds.split(" ").at(-1)
        if (told.includes("minimum")) assert.match(told, new RegExp(`"maximum":${most}\\b`), `${name} ${field}`)
        assert.include(told, bounds, `${name} ${field}`)
      }
  })

  it("say all four hints, truthfully", () => {
    assert.deepStrictEqual(
      Object.fromEntries(listedTools.map(({ annotations, name }) => [name, annotations])),
      published
    )
  })

  it("fit the budget: 9,000 characters to be read by a model, 34 KB in all", () => {
    const read = listedTools.map(({ description, inputSchema, name, title }) => [name, title, description, inputSchema])
    const lengths = read.map((tool) => `${tool[0]} ${JSON.stringify(tool).length}`).join(", ")
    const over = JSON.stringify(read).length - budget.characters
    assert.isBelow(over, 0, `shorten descriptions, those of other tools too (${lengths}); characters above the budget`)
    const whole = JSON.stringify({ jsonrpc: "2.0", id: 1, result: { tools: listedTools } })
    const bytesOver = Buffer.byteLength(whole) - budget.bytes
    assert.isBelow(bytesOver, 0, "shorten the schemas of answers, or have tools share them; bytes above the budget")
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

  it("take the text of an error for an answer, since Gemini CLI 0.61.0 has it checked; but not for what is promised", () => {
    const ajv = new Ajv2020({ strict: true })
    const texts = [internalError("trace"), renderFailure(new OptionInvalid({ reason: "malformed" }))]
    for (const [i, { name, outputSchema }] of listedTools.entries()) {
      for (const error of texts) {
        assert.isTrue(ajv.compile(outputSchema)({ error }), name)
        assert.isFalse(ajv.compile(describedTools[i]?.outputSchema ?? true)({ error }), name)
      }
    }
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

  it("spell out what is inside every list and object, once: what comes again names the tool that told it, or says that it is above", () => {
    let named = 0
    let lists = 0
    let objects = 0
    /** The tools whose answers have an object that is spelt out. */
    const spelt = new Set<number>()
    eachSchema((schema, path) => {
      assert.isString(schema.type, path)
      if (schema.type === "array") {
        lists++
        assert.isTrue(isObject(schema.items) && typeof schema.items.type === "string", path)
      }
      const [, above, where = ""] =
        /As (?:(above)|in (\w+))\.$/.exec(typeof schema.description === "string" ? schema.description : "") ?? []
      if (above !== undefined || where !== "") {
        named++
        const names = listedTools.map(({ name }) => name)
        const here = names.findIndex((name) => path.startsWith(`${name}.out`))
        const told = above === undefined ? names.indexOf(where) : here
        assert.isTrue(told >= 0 && (above === undefined ? told < here : spelt.has(here)), path)
        assert.deepStrictEqual(Object.keys(schema).sort(), ["description", "type"], path)
      } else if (schema.type === "object") {
        objects++
        spelt.add(listedTools.findIndex(({ name }) => path.startsWith(`${name}.out`)))
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
