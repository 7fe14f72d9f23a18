/** JSON-RPC messages to `/mcp`: what one and a batch of them may cost, errors of the transport itself, and the ids that answers repeat. */
import { Effect } from "effect"

export type JsonObject = { readonly [key: string]: unknown }

/** Whether a parsed value is a JSON object (no list, not null). */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The error codes that the transport answers with; JSON-RPC leaves -32000 to -32099 to servers. */
export const codes = { parse: -32700, invalidRequest: -32600, internal: -32603, server: -32000 } as const

/** The most characters of an id. Clients count, or use UUIDs, so theirs are far shorter. */
export const longestId = 256

/** The answer to one message; `json` is empty where there is none, as to a notification. */
export interface Reply {
  readonly status: number
  readonly json: string
  readonly headers?: Readonly<Record<string, string>>
  /** An event stream of the SDK; it is then the whole answer. */
  readonly stream?: Response
}

/** The id that the answer repeats; null where the message has none, or one that is too long. */
export const idOf = (message: unknown): string | number | null => {
  const id = isJsonObject(message) ? message.id : null
  return typeof id === "number" || (typeof id === "string" && id.length <= longestId) ? id : null
}

/** The answer that refuses a message with an error of the transport. */
export const refusal = (
  status: number,
  code: number,
  message: string,
  id: string | number | null = null,
  headers?: Readonly<Record<string, string>>
): Reply => ({
  status,
  json: JSON.stringify({ jsonrpc: "2.0", error: { code, message }, id }),
  ...(headers === undefined ? {} : { headers })
})

// What follows the parse (the SDK's validators, copies, error texts) costs time by the number of values in a message and by their depth, so
// both are bounded. A call's arguments are not counted: their decoder is bounded by the tool's schema, and the SDK never sees them.
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

// Only version 2025-03-26 of the protocol has batches, and a request without `MCP-Protocol-Version` counts as one of that version
// (https://modelcontextprotocol.io/specification/2025-06-18/basic/transports#protocol-version-header). The messages of a batch are served
// one after the other, each as if it had come alone: it counts in the rate limits by itself.
/** The most messages of a batch. */
export const mostMessages = 20
/** Once the answers have this many characters, the remaining messages are refused. */
export const fullAnswer = 200_000

const version = "2025-03-26"
const perRequestVersion = "io.modelcontextprotocol/protocolVersion"

const namesVersion = ({ params }: { readonly params?: unknown }): boolean =>
  isJsonObject(params) && isJsonObject(params._meta) && Object.hasOwn(params._meta, perRequestVersion)

/** Why a whole batch is refused; undefined where it is served. */
export const batchFault = (batch: ReadonlyArray<unknown>, protocolVersion: string | undefined): string | undefined => {
  if (protocolVersion !== undefined && protocolVersion !== version) {
    return `Batches exist in protocol version ${version} only: send each message by itself`
  }
  if (batch.length === 0) return "The batch is empty: send at least one message"
  if (batch.length > mostMessages) return `The batch has ${batch.length} messages: send at most ${mostMessages}`
  for (const message of batch) {
    if (!isJsonObject(message)) return "A batch holds JSON-RPC messages, which are objects"
    if (message.method === "initialize") return "initialize may not stand in a batch: send it by itself"
    if (namesVersion(message)) return `Batches exist in protocol version ${version} only: send each message by itself`
  }
  return undefined
}

/** The answers to the messages of a batch in one list; no body where no message has an answer. */
export const answerBatch = (
  batch: ReadonlyArray<unknown>,
  answer: (message: unknown) => Effect.Effect<Reply>
): Effect.Effect<Reply> =>
  Effect.gen(function* () {
    const answers: Array<string> = []
    let length = 0
    for (const message of batch) {
      const full = length >= fullAnswer
      // A notification has no answer.
      if (full && !(isJsonObject(message) && Object.hasOwn(message, "id"))) continue
      const { json } = full
        ? refusal(200, codes.server, "The answer to this batch is full: send this message again", idOf(message))
        : yield* answer(message)
      if (json === "") continue
      answers.push(json)
      length += json.length
    }
    return answers.length === 0 ? { status: 202, json: "" } : { status: 200, json: `[${answers.join(",")}]` }
  })
