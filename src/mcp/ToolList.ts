/** The tools as `tools/list` shows them: made once, the same bytes for everyone. */
import { Context, Schema } from "effect"
import { Tool } from "effect/ai"
import { PlayroomTools } from "./Tools.ts"

export type JsonObject = { readonly [key: string]: unknown }

/** Whether a parsed value is a JSON object (no list, not null). */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

type Direction = "input" | "output"

const bounds = new Set(["minimum", "maximum", "minLength", "maxLength", "maxItems"])

/** The schema of an object, as the roots of all tools' schemas are. */
export type ObjectSchema = JsonObject & { readonly type: "object" }

const objectSchema = (schema: unknown): ObjectSchema => {
  if (isJsonObject(schema) && schema.type === "object") return { ...schema, type: "object" }
  throw new Error("a tool's schema is no object")
}

/** What tells a reader nothing: bounds on what we ourselves answer, bounds that all have, permissions that are the default. */
const says = (key: string, value: unknown, direction: Direction): boolean =>
  !(
    (direction === "output" && bounds.has(key) && typeof value === "number") ||
    (key === "minLength" && value === 0) ||
    (key === "additionalProperties" && value === true)
  )

/** The same schema in fewer bytes: `allOf` of plain keywords is merged into its parent. */
const condense = (schema: unknown, direction: Direction): unknown => {
  if (Array.isArray(schema)) return schema.map((part) => condense(part, direction))
  if (!isJsonObject(schema)) return schema
  const out: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(schema)) {
    if (!says(key, value, direction)) continue
    if (key !== "allOf" || !Array.isArray(value)) {
      out[key] = condense(value, direction)
      continue
    }
    const parts = value.map((part) => condense(part, direction)).filter(isJsonObject)
    const keys = parts.flatMap(Object.keys)
    const clash = new Set(keys).size !== keys.length || keys.some((part) => part in schema)
    if (clash) out[key] = parts
    else Object.assign(out, ...parts)
  }
  return out
}

/** JSON Schema (2020-12) of what goes over the wire, with nothing referred to elsewhere. */
const jsonSchemaOf = (schema: Schema.Constraint, direction: Direction): ObjectSchema => {
  const document = Schema.toJsonSchemaDocument(schema, {
    // Unknown arguments are refused, so the input schemas say so.
    onExcessProperty: direction === "input" ? "error" : "ignore",
    referencePolicy: () => undefined
  })
  return objectSchema(condense(document.schema, direction))
}

/** An object of fewer characters is not worth a reference. */
const worthTelling = 150

/**
 * The same schema without what an earlier tool has told: an object that is the same there is named after that tool. `told` holds
 * what was told so far, by its text.
 */
const withoutRepeats = (schema: ObjectSchema, tool: string, told: Map<string, string>): ObjectSchema => {
  const rest = (part: unknown, root: boolean): unknown => {
    if (Array.isArray(part)) return part.map((one) => rest(one, false))
    if (!isJsonObject(part)) return part
    const { description, ...shape } = part
    const text = JSON.stringify(shape)
    if (!root && shape.type === "object" && text.length > worthTelling) {
      const where = told.get(text)
      if (where !== undefined && where !== tool) {
        const words = typeof description === "string" ? `${description} ` : ""
        return { type: "object", description: `${words}As in ${where}.` }
      }
      told.set(text, tool)
    }
    return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, rest(value, false)]))
  }
  return objectSchema(rest(schema, true))
}

/** One tool as listed. */
export interface ListedTool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: ObjectSchema
  readonly outputSchema: ObjectSchema
  readonly annotations: {
    readonly readOnlyHint: boolean
    readonly destructiveHint: boolean
    readonly idempotentHint: boolean
    readonly openWorldHint: boolean
  }
}

const told = new Map<string, string>()

/** The six tools in their published order. */
export const listedTools: ReadonlyArray<ListedTool> = Object.values(PlayroomTools.tools).map((tool) => {
  return {
    name: tool.name,
    title: Context.getOrElse(tool.annotations, Tool.Title, () => tool.name),
    description: Tool.getDescription(tool) ?? "",
    inputSchema: jsonSchemaOf(tool.parametersSchema, "input"),
    outputSchema: withoutRepeats(jsonSchemaOf(tool.successSchema, "output"), tool.name, told),
    annotations: {
      readOnlyHint: Context.get(tool.annotations, Tool.Readonly),
      destructiveHint: Context.get(tool.annotations, Tool.Destructive),
      idempotentHint: Context.get(tool.annotations, Tool.Idempotent),
      openWorldHint: Context.get(tool.annotations, Tool.OpenWorld)
    }
  }
})
