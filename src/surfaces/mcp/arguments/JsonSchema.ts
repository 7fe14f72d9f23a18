/** The JSON Schemas (2020-12) of the tools, kept short. */
import { Schema } from "effect"
import { isJsonObject, type JsonObject } from "../transport/JsonRpc.ts"

type Direction = "input" | "output"

const bounds = new Set(["minimum", "maximum", "minLength", "maxLength", "maxItems"])

/** An object schema: the root of each tool's schemas. */
export type ObjectSchema = JsonObject & { readonly type: "object" }

/** Narrows a value to an object schema; throws if it is not one. */
export const objectSchema = (schema: unknown): ObjectSchema => {
  if (isJsonObject(schema) && schema.type === "object") return { ...schema, type: "object" }
  throw new Error("a tool's schema is no object")
}

/**
 * False for keywords that don't help readers: bounds of our own results, minLength 0, defaults, and patterns
 * (descriptions explain them).
 */
const isInformative = (key: string, value: unknown, direction: Direction): boolean =>
  !(
    (direction === "output" && bounds.has(key) && typeof value === "number") ||
    (key === "minLength" && value === 0) ||
    (key === "pattern" && typeof value === "string") ||
    (key === "additionalProperties" && value === true)
  )

/** Shortens a schema: merges `allOf` of plain keywords into its parent. */
const condense = (schema: unknown, direction: Direction): unknown => {
  if (Array.isArray(schema)) return schema.map((part) => condense(part, direction))
  if (!isJsonObject(schema)) return schema
  const out: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(schema)) {
    if (!isInformative(key, value, direction)) continue
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

/** The JSON Schema of a tool's input or output, without references. */
export const jsonSchemaOf = (schema: Schema.Constraint, direction: Direction): ObjectSchema => {
  const document = Schema.toJsonSchemaDocument(schema, {
    // Unknown arguments are refused, so input schemas say so.
    onExcessProperty: direction === "input" ? "error" : "ignore",
    referencePolicy: () => undefined
  })
  return objectSchema(condense(document.schema, direction))
}

/**
 * A description for each field of an object. For a nested object, descriptions of its fields may follow; they are
 * required if its schema has none.
 */
export type FieldDescriptions<A> = {
  readonly [K in keyof A]-?:
    | string
    | (NonNullable<A[K]> extends ReadonlyArray<unknown> | string | number | boolean
        ? never
        : readonly [description: string, ofFields: FieldDescriptions<NonNullable<A[K]>>])
}

/** The schema with these descriptions added. */
export const withDescriptions = (schema: ObjectSchema, descriptions: object): ObjectSchema => {
  const properties: Record<string, unknown> = { ...(isJsonObject(schema.properties) ? schema.properties : {}) }
  for (const [name, given] of Object.entries(descriptions)) {
    const [description, ofFields]: ReadonlyArray<unknown> = Array.isArray(given) ? given : [given]
    const field = properties[name]
    if (!isJsonObject(field)) throw new Error(`a tool describes ${name}, which it does not take`)
    const described = isJsonObject(ofFields) ? withDescriptions(objectSchema(field), ofFields) : field
    properties[name] = { ...described, description }
  }
  return { ...schema, properties }
}
