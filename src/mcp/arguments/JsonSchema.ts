/** The JSON Schemas (2020-12) of the tools, in few bytes. */
import { Schema } from "effect"
import { isJsonObject, type JsonObject } from "../transport/JsonRpc.ts"

type Direction = "input" | "output"

const bounds = new Set(["minimum", "maximum", "minLength", "maxLength", "maxItems"])

/** The schema of an object, as the roots of all tools' schemas are. */
export type ObjectSchema = JsonObject & { readonly type: "object" }

/** Narrows a value to the schema of an object; throws where it is none. */
export const objectSchema = (schema: unknown): ObjectSchema => {
  if (isJsonObject(schema) && schema.type === "object") return { ...schema, type: "object" }
  throw new Error("a tool's schema is no object")
}

/** False for keywords that help no reader: bounds of our own answers, a minimum length of 0, defaults, and patterns, which descriptions say. */
const isInformative = (key: string, value: unknown, direction: Direction): boolean =>
  !(
    (direction === "output" && bounds.has(key) && typeof value === "number") ||
    (key === "minLength" && value === 0) ||
    (key === "pattern" && typeof value === "string") ||
    (key === "additionalProperties" && value === true)
  )

/** The same schema in fewer bytes: `allOf` of plain keywords is merged into its parent. */
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
    // Unknown arguments are refused, so the input schemas say so.
    onExcessProperty: direction === "input" ? "error" : "ignore",
    referencePolicy: () => undefined
  })
  return objectSchema(condense(document.schema, direction))
}

/**
 * A description for each field of an object. For a field that is an object, the descriptions of its own fields may follow; they have to
 * where its schema has none.
 */
export type FieldDescriptions<A> = {
  readonly [K in keyof A]-?:
    | string
    | (NonNullable<A[K]> extends ReadonlyArray<unknown> | string | number | boolean
        ? never
        : readonly [description: string, ofFields: FieldDescriptions<NonNullable<A[K]>>])
}

/** The same schema with these descriptions. */
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
