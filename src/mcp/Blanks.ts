/**
 * What models send for a field that they leave empty: `null` and `""` count as absent in every input, since no field accepts
 * either. An optional one is then left out; of a required one the decoder says that it is required.
 */
import { isJsonObject, type JsonObject } from "./ToolList.ts"

/** The same value without blanks; the very same one where it has none. */
type Strip = (value: unknown) => unknown

const isBlank = (value: unknown): boolean => value === null || value === ""

const stripObject = (properties: JsonObject): Strip => {
  const inside = new Map(Object.entries(properties).map(([name, schema]) => [name, stripper(schema)] as const))
  return (value) => {
    if (!isJsonObject(value)) return value
    let copy: Record<string, unknown> | undefined
    for (const name of Object.keys(value)) {
      // Unknown fields are left to the decoder, which refuses them whatever they hold.
      if (!inside.has(name)) continue
      const before = value[name]
      const after = isBlank(before) ? undefined : (inside.get(name)?.(before) ?? before)
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
    if (!Array.isArray(value)) return value
    const after = value.map(strip)
    return after.every((element, i) => element === value[i]) ? value : after
  }

/** Undefined where the schema has no objects, so that there is nothing to look for. */
const stripper = (schema: unknown): Strip | undefined => {
  if (!isJsonObject(schema)) return undefined
  if (isJsonObject(schema.properties)) return stripObject(schema.properties)
  const element = stripper(schema.items)
  return element === undefined ? undefined : stripList(element)
}

/** Takes the blanks out of values of a JSON Schema. It copies no more than changes, and goes no deeper than the schema. */
export const blanksRemover = (schema: JsonObject): Strip => stripper(schema) ?? ((value) => value)
