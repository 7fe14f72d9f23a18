/**
 * Bounds the size of each message to `/mcp` right after the parse. What follows (the SDK's validators, copies, error texts) costs time by
 * the number of values in a message and by their depth, so both are bounded. A call's arguments are not counted: their decoder is
 * bounded by the tool's schema, and the SDK never sees them.
 */
import { isJsonObject, type JsonObject, longestId } from "./JsonRpc.ts"

/** The most values (objects, lists and what stands in them) of a message, arguments apart. */
const mostValues = 1000
/** The most entries of one list or object. */
const mostEntries = 100
/** The most levels of nesting; the message itself is the first. */
const mostLevels = 32

/** A call's arguments, where they are an object or a list. */
const argumentsOf = (message: JsonObject): object | undefined => {
  const { method, params } = message
  if (method !== "tools/call" || !isJsonObject(params)) return undefined
  return typeof params.arguments === "object" && params.arguments !== null ? params.arguments : undefined
}

/** The message as the SDK may see it: a call's arguments are empty, since the tools take them as they were sent. */
export const withoutArguments = (message: unknown): unknown => {
  if (!isJsonObject(message) || !isJsonObject(message.params)) return message
  const input = argumentsOf(message)
  if (input === undefined) return message
  return { ...message, params: { ...message.params, arguments: Array.isArray(input) ? [] : {} } }
}

/** The path of a value in the message, short enough for an error message. */
const placeOf = (path: ReadonlyArray<string>): string =>
  path.length === 0
    ? "The message"
    : path
        .slice(0, 4)
        .map((key) => key.toWellFormed().slice(0, 60))
        .join(".")

interface Place {
  readonly value: object
  readonly path: ReadonlyArray<string>
  readonly depth: number
}

/** Why a message is over its budget, in a sentence; undefined where it is not. The search stops at the first excess. */
export const excessOf = (message: unknown): string | undefined => {
  if (!isJsonObject(message)) return undefined
  if (typeof message.id === "string" && message.id.length > longestId) {
    return `The id may have at most ${longestId} characters: use a shorter one`
  }
  const input = argumentsOf(message)
  const places: Array<Place> = [{ value: message, path: [], depth: 1 }]
  let values = 1
  for (let place = places.pop(); place !== undefined; place = places.pop()) {
    const { depth, path, value } = place
    // A list gives its length at once; keys have to be collected, and the limit on the body bounds how many there are.
    const keys = Array.isArray(value) ? undefined : Object.keys(value)
    const entries = Array.isArray(value) ? value.length : (keys?.length ?? 0)
    if (entries > mostEntries) return `${placeOf(path)} has ${entries} entries: send at most ${mostEntries}`
    values += entries
    if (values > mostValues) return `The message has too many values: send at most ${mostValues}`
    for (const [key, inner] of Object.entries(value)) {
      if (typeof inner !== "object" || inner === null || inner === input) continue
      if (depth >= mostLevels) return `${placeOf(path)} is nested too deeply: send at most ${mostLevels} levels`
      places.push({ value: inner, path: path.length < 4 ? [...path, key] : path, depth: depth + 1 })
    }
  }
  return undefined
}
