/**
 * What models send for a field that they leave empty, and how they write what they mean: `null`, `""`, spaces, and an object with
 * nothing in it count as absent, and entries of a list too, since no field accepts them. An optional one is then left out; of a
 * required one the decoder says that it is required. Spaces around a text are dropped, and a number or a truth value that is plainly
 * written as text is taken for what it is.
 */
import { isJsonObject, type JsonObject } from "./Json.ts"

/** The value as it is meant; the very same one where nothing is to be changed, undefined where it is blank. */
type Strip = (value: unknown) => unknown

const isBlank = (value: unknown): boolean =>
  value === null || value === undefined || (typeof value === "string" && value.trim() === "")

const plainNumber = /^[+-]?\d{1,15}(\.\d{1,10})?$/
const truths: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["false", false]
])

const stripText: Strip = (value) => {
  if (typeof value !== "string") return value ?? undefined
  const text = value.trim()
  return text === "" ? undefined : text
}
const stripNumber: Strip = (value) => {
  const text = stripText(value)
  return typeof text === "string" && plainNumber.test(text) ? Number(text) : text
}
const stripTruth: Strip = (value) => {
  const text = stripText(value)
  return typeof text === "string" ? (truths.get(text.toLowerCase()) ?? text) : text
}

const stripObject = (schema: JsonObject): Strip => {
  const properties = isJsonObject(schema.properties) ? schema.properties : {}
  const required = new Set<unknown>(Array.isArray(schema.required) ? schema.required : [])
  const inside = new Map(Object.entries(properties).map(([name, inner]) => [name, stripper(inner)] as const))
  const isEmpty = (value: unknown) => isJsonObject(value) && Object.keys(value).length === 0
  return (value) => {
    if (isBlank(value)) return undefined
    if (!isJsonObject(value)) return value
    let copy: Record<string, unknown> | undefined
    for (const name of Object.keys(value)) {
      // Unknown fields are left to the decoder, which refuses them whatever they hold.
      const strip = inside.get(name)
      if (strip === undefined) continue
      const before = value[name]
      const stripped = strip(before)
      const after = isEmpty(stripped) && !required.has(name) ? undefined : stripped
      if (after === before) continue
      copy ??= { ...value }
      if (after === undefined) delete copy[name]
      else copy[name] = after
    }
    return copy ?? value
  }
}

const stripList =
  (strip: Strip): Strip =>
  (value) => {
    if (isBlank(value)) return undefined
    if (!Array.isArray(value)) return value
    const after = value.map(strip)
    return after.every((element, i) => element !== undefined && element === value[i])
      ? value
      : after.filter((element) => element !== undefined)
  }

const stripper = (schema: unknown): Strip => {
  if (!isJsonObject(schema)) return stripText
  switch (schema.type) {
    case "object":
      return stripObject(schema)
    case "array":
      return stripList(stripper(schema.items))
    case "integer":
    case "number":
      return stripNumber
    case "boolean":
      return stripTruth
    default:
      return stripText
  }
}

/** Takes the blanks out of values of a JSON Schema. It copies no more than changes, and goes no deeper than the schema. */
export const blanksRemover = (schema: JsonObject): Strip => stripper(schema)
