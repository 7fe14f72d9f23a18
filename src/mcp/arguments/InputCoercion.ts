/**
 * Coerces the arguments that models send. `null`, `""`, spaces and an empty object count as absent, in fields and in lists, since no
 * field accepts them: an optional field is left out, and the decoder says of a required one that it is required. Spaces around a text
 * are dropped. A number or a boolean that is written as text becomes a number or a boolean.
 */
import { isJsonObject, type JsonObject } from "../transport/Json.ts"

/** The coerced value: the very same one where nothing changes, undefined where it is blank. */
type Coerce = (value: unknown) => unknown

const isBlank = (value: unknown): boolean =>
  value === null || value === undefined || (typeof value === "string" && value.trim() === "")

const plainNumber = /^[+-]?\d{1,15}(\.\d{1,10})?$/
const booleans: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["false", false]
])

const coerceText: Coerce = (value) => {
  if (typeof value !== "string") return value ?? undefined
  const text = value.trim()
  return text === "" ? undefined : text
}
const coerceNumber: Coerce = (value) => {
  const text = coerceText(value)
  return typeof text === "string" && plainNumber.test(text) ? Number(text) : text
}
const coerceBoolean: Coerce = (value) => {
  const text = coerceText(value)
  return typeof text === "string" ? (booleans.get(text.toLowerCase()) ?? text) : text
}

const objectCoercion = (schema: JsonObject): Coerce => {
  const properties = isJsonObject(schema.properties) ? schema.properties : {}
  const required = new Set<unknown>(Array.isArray(schema.required) ? schema.required : [])
  const inside = new Map(Object.entries(properties).map(([name, inner]) => [name, coercionFor(inner)] as const))
  const isEmpty = (value: unknown) => isJsonObject(value) && Object.keys(value).length === 0
  return (value) => {
    if (isBlank(value)) return undefined
    if (!isJsonObject(value)) return value
    let copy: Record<string, unknown> | undefined
    for (const name of Object.keys(value)) {
      // Unknown fields are left to the decoder, which refuses them whatever they hold.
      const coerce = inside.get(name)
      if (coerce === undefined) continue
      const before = value[name]
      const coerced = coerce(before)
      const after = isEmpty(coerced) && !required.has(name) ? undefined : coerced
      if (after === before) continue
      copy ??= { ...value }
      if (after === undefined) delete copy[name]
      else copy[name] = after
    }
    return copy ?? value
  }
}

const listCoercion =
  (coerce: Coerce): Coerce =>
  (value) => {
    if (isBlank(value)) return undefined
    if (!Array.isArray(value)) return value
    const after = value.map(coerce)
    return after.every((element, i) => element !== undefined && element === value[i])
      ? value
      : after.filter((element) => element !== undefined)
  }

/** The coercion of values of a JSON Schema. It copies no more than changes, and goes no deeper than the schema. */
export const coercionFor = (schema: unknown): Coerce => {
  if (!isJsonObject(schema)) return coerceText
  switch (schema.type) {
    case "object":
      return objectCoercion(schema)
    case "array":
      return listCoercion(coercionFor(schema.items))
    case "integer":
    case "number":
      return coerceNumber
    case "boolean":
      return coerceBoolean
    default:
      return coerceText
  }
}
