/** JSON-RPC messages to `/mcp`: limits of messages and batches, transport errors, and ids. */
import { Clock, Context, Duration, Effect, Option, Schema } from "effect"
import { PersonPlace } from "../../../domain/search/SearchQuery.ts"
import type { RateLimited } from "../../../platform/access/ApiKeys.ts"
import { type ProblemCode, problemJson } from "../../http/Problem.ts"

export type JsonObject = { readonly [key: string]: unknown }

/** Whether a parsed value is a JSON object (not a list, not null). */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A message's parameters; undefined if it has none. */
export const paramsOf = (message: unknown): JsonObject | undefined =>
  isJsonObject(message) && isJsonObject(message.params) ? message.params : undefined

/** What a message says beside its parameters; undefined if it says nothing. */
export const metaOf = (message: unknown): JsonObject | undefined => {
  const meta = paramsOf(message)?._meta
  return isJsonObject(meta) ? meta : undefined
}

/** The member of `_meta` that names the protocol's version, since 2026. */
export const versionKey = "io.modelcontextprotocol/protocolVersion"

/** The transport's error codes. JSON-RPC reserves -32000 to -32099 for servers. */
export const codes = { parse: -32700, invalidRequest: -32600, internal: -32603, server: -32000 } as const

/** In characters. Clients use counters or UUIDs, which are far shorter. */
const maxIdLength = 256

/** The answer to one message; `json` is empty if there is no answer, as for a notification. Bytes are UTF-8. */
export interface Reply {
  readonly status: number
  readonly json: string | Uint8Array
  /** For an error that names no request: the same as a problem document, which is what the HTTP response has. */
  readonly problem?: string
  readonly headers?: Readonly<Record<string, string>>
  /** An event stream of the SDK. If present, it is the whole answer. */
  readonly stream?: Response
}

const decoder = new TextDecoder()

/** The JSON of an answer as text. */
export const textOf = ({ json }: Pick<Reply, "json">): string =>
  typeof json === "string" ? json : decoder.decode(json)

/** Larger numbers were rounded when the message was read, and an answer to a rounded id is nobody's. */
const isExact = (id: number): boolean => Math.abs(id) <= Number.MAX_SAFE_INTEGER

/** The id that the answer repeats; null if it is missing, too long or too large. */
export const idOf = (message: unknown): Id => {
  const id = isJsonObject(message) ? message.id : null
  return (typeof id === "number" && isExact(id)) || (typeof id === "string" && id.length <= maxIdLength) ? id : null
}

type Id = string | number | null

/** The problem codes of refusals, by status. */
const problemCodes = {
  400: "bad_request",
  401: "sign_in_needed",
  403: "not_allowed",
  405: "method_not_allowed",
  413: "payload_too_large",
  415: "content_type_unsupported",
  429: "rate_limited",
  500: "internal_error",
  503: "service_unavailable"
} as const satisfies Readonly<Record<number, ProblemCode>>
type RefusedStatus = keyof typeof problemCodes

const isRefusedStatus = (status: number): status is RefusedStatus => Object.hasOwn(problemCodes, status)

const errorJson = (code: number, message: string, id: Id): string =>
  JSON.stringify({ jsonrpc: "2.0", error: { code, message }, id })

/**
 * An error for a message, or for a whole body. A host waits for the answer that names its request, so an error without
 * an id is none to it: Codex 0.171.0 tells of one after its own time-out of minutes, of a problem document at once, as
 * all hosts do. So the id is that of the request wherever it is known, and else the response is a problem document.
 */
export const errorReply = (status: number, json: string, message: string, id: Id): Reply => {
  if (id !== null || status < 400) return { status, json }
  const known = isRefusedStatus(status) ? status : status < 500 ? 400 : 500
  return { status: known, json, problem: problemJson(problemCodes[known], message) }
}

/** Refuses a message with a transport error. */
export const refusal = (
  status: RefusedStatus,
  code: number,
  message: string,
  id: Id = null,
  headers?: Readonly<Record<string, string>>
): Reply => ({
  ...errorReply(status, errorJson(code, message, id), message, id),
  ...(headers === undefined ? {} : { headers })
})

/** Refuses a message of a sender who is over the limit. */
export const tooManyRequests = ({ retry_after_seconds: wait }: RateLimited, id: Id = null): Reply =>
  refusal(429, codes.server, `Too many requests: wait ${wait} s`, id, { "retry-after": String(wait) })

// The cost after parsing (SDK validators, copies, error texts) depends on the number and depth of values, so both are
// limited. Arguments of a call are not counted: the tool's schema bounds their decoder, and the SDK never sees them.
/** Values in a message: objects, lists and their entries, without arguments. */
const maxValues = 1000
/** Entries of one list or object. */
const maxEntries = 100
/** Levels of nesting; the message is the first. */
const maxDepth = 32

/** The path of a value, shortened for error messages. */
const pathText = (path: ReadonlyArray<string>): string =>
  path.length === 0
    ? "The message"
    : path
        .slice(0, 4)
        .map((key) => key.toWellFormed().slice(0, 60))
        .join(".")

/**
 * Levels of a body that are parsed at all, arguments included. Parsing costs more the deeper a text is nested: 60,000
 * levels 20 ms, these not a tenth of one.
 */
const maxParsedDepth = 2000

const [quote, backslash, openBracket, closeBracket, openBrace, closeBrace] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d]

/** Which limit of depth a body exceeds, as a sentence; undefined if it can be parsed. Reads it once at most. */
export const depthExcess = (text: string): string | undefined => {
  // Each level has two characters.
  if (text.length < 2 * maxParsedDepth) return undefined
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at)
    if (character === quote) {
      for (at++; at < text.length && text.charCodeAt(at) !== quote; at++) if (text.charCodeAt(at) === backslash) at++
    } else if (character === openBracket || character === openBrace) {
      if (++depth > maxParsedDepth) return `${pathText([])} is nested too deeply: send at most ${maxDepth} levels`
    } else if (character === closeBracket || character === closeBrace) depth--
  }
  return undefined
}

/** A call's arguments, if they are an object or a list. */
const argumentsOf = (message: JsonObject): object | undefined => {
  const input = message.method === "tools/call" ? paramsOf(message)?.arguments : undefined
  return typeof input === "object" && input !== null ? input : undefined
}

/** The message for the SDK, with empty arguments: tools get the arguments as they were sent. */
export const withoutArguments = (message: unknown): unknown => {
  if (!isJsonObject(message) || !isJsonObject(message.params)) return message
  const input = argumentsOf(message)
  if (input === undefined) return message
  return { ...message, params: { ...message.params, arguments: Array.isArray(input) ? [] : {} } }
}

interface Place {
  readonly value: object
  readonly path: ReadonlyArray<string>
  readonly depth: number
}

/** Which limit a message exceeds, as a sentence; undefined if none. Stops at the first one. */
export const excessOf = (message: unknown): string | undefined => {
  if (!isJsonObject(message)) return undefined
  if (typeof message.id === "string" && message.id.length > maxIdLength) {
    return `The id may have at most ${maxIdLength} characters: use a shorter one`
  }
  if (typeof message.id === "number" && !isExact(message.id)) {
    return `The id may be at most ${Number.MAX_SAFE_INTEGER}: send a larger one as a string`
  }
  const input = argumentsOf(message)
  const places: Array<Place> = [{ value: message, path: [], depth: 1 }]
  let values = 1
  for (let place = places.pop(); place !== undefined; place = places.pop()) {
    const { depth, path, value } = place
    // The length of a list is known. Keys must be collected; the body limit bounds their number.
    const keys = Array.isArray(value) ? undefined : Object.keys(value)
    const entries = Array.isArray(value) ? value.length : (keys?.length ?? 0)
    if (entries > maxEntries) return `${pathText(path)} has ${entries} entries: send at most ${maxEntries}`
    values += entries
    if (values > maxValues) return `The message has too many values: send at most ${maxValues}`
    for (const [key, inner] of Object.entries(value)) {
      if (typeof inner !== "object" || inner === null || inner === input) continue
      if (depth >= maxDepth) return `${pathText(path)} is nested too deeply: send at most ${maxDepth} levels`
      places.push({ value: inner, path: path.length < 4 ? [...path, key] : path, depth: depth + 1 })
    }
  }
  return undefined
}

// Only protocol version 2025-03-26 has batches. A request without `MCP-Protocol-Version` counts as that version
// (https://modelcontextprotocol.io/specification/2025-06-18/basic/transports#protocol-version-header). Messages of a
// batch are processed in sequence, each as if sent alone, so each counts against the rate limits.
/** Messages per batch. */
export const maxMessages = 20
/** In characters: the longest answer. Once a batch's answers reach this, its remaining messages are refused. */
export const maxAnswerLength = 50_000
/** Once a batch has taken this long, its remaining messages are refused. */
export const maxBatchTime = Duration.seconds(5)
/**
 * In milliseconds: the time of the processor that the costliest message may take. Once the process has spent this since
 * a batch began, its remaining messages are refused. Work for others counts, so a busy process ends batches sooner.
 */
export const maxBatchWork = 50

/** The processor's time of this process, in milliseconds. */
export const ProcessorTime = Context.Reference<Effect.Effect<number>>("playroom/mcp/transport/ProcessorTime", {
  defaultValue: () =>
    Effect.sync(() => {
      const { system, user } = process.cpuUsage()
      return (system + user) / 1000
    })
})

const version = "2025-03-26"
/** Why a whole batch is refused; otherwise undefined. */
export const batchFault = (batch: ReadonlyArray<unknown>, protocolVersion: string | undefined): string | undefined => {
  if (protocolVersion !== undefined && protocolVersion !== version) {
    return `Batches exist in protocol version ${version} only: send each message by itself`
  }
  if (batch.length === 0) return "The batch is empty: send at least one message"
  if (batch.length > maxMessages) return `The batch has ${batch.length} messages: send at most ${maxMessages}`
  for (const message of batch) {
    if (!isJsonObject(message)) return "A batch holds JSON-RPC messages, which are objects"
    if (message.method === "initialize") return "initialize may not stand in a batch: send it by itself"
    if (Object.hasOwn(metaOf(message) ?? {}, versionKey))
      return `Batches exist in protocol version ${version} only: send each message by itself`
  }
  return undefined
}

/**
 * Answers a batch with a list; without a body if no message has an answer. Others have their turns between two
 * messages, since answers that are known already take no time to wait for. `spent` is the `ProcessorTime`.
 */
export const answerBatch = (
  batch: ReadonlyArray<unknown>,
  answer: (message: unknown) => Effect.Effect<Reply>,
  spent: Effect.Effect<number>
): Effect.Effect<Reply> =>
  Effect.gen(function* () {
    const answers: Array<string> = []
    let length = 0
    const before = yield* spent
    const until = (yield* Clock.monotonicTimeNanos) + Duration.toNanosUnsafe(maxBatchTime)
    for (const [at, message] of batch.entries()) {
      if (at > 0) yield* Effect.yieldNow
      const why =
        length >= maxAnswerLength
          ? "The answer to this batch is full"
          : (yield* spent) - before >= maxBatchWork || (yield* Clock.monotonicTimeNanos) >= until
            ? "This batch has taken too long"
            : undefined
      // A notification has no answer.
      if (why !== undefined && !(isJsonObject(message) && Object.hasOwn(message, "id"))) continue
      const json = textOf(
        why === undefined
          ? yield* answer(message)
          : {
              json: errorJson(codes.server, `${why}: send this message again, by itself`, idOf(message))
            }
      )
      if (json === "") continue
      answers.push(json)
      length += json.length
    }
    return answers.length === 0 ? { status: 202, json: "" } : { status: 200, json: `[${answers.join(",")}]` }
  })

// What hosts add to a tool call: what they say of the person in `_meta`, and fields of their own among the arguments.
// The first are hints: no permission depends on them, and what is malformed counts as absent. Coordinates, addresses of
// browsers and ids of people are not read. The language is that of the payment provider's page, and of letters until
// the family acts on its page: our pages go by the browser's, and the card by its host's (`card/browser/texts.ts`).

/** https://developers.openai.com/apps-sdk/reference, `_meta` fields that the client provides. */
const locationKey = "openai/userLocation"
const localeKey = "openai/locale"

/** Whether a key of `_meta` is of hints, which the protocol leaves alone. */
export const isHintKey = (key: string): boolean => key.startsWith("openai/")

const decodePlace = Schema.decodeUnknownOption(PersonPlace)

/** The person's city in a message; undefined if the host says none, or none that can be read. */
export const placeOf = (message: unknown): PersonPlace | undefined => {
  const location = metaOf(message)?.[locationKey]
  return location === undefined ? undefined : Option.getOrUndefined(decodePlace(location))
}

/** The person's language as BCP 47; undefined if the host says none, or none that can be read. */
export const localeOf = (message: unknown): string | undefined => {
  const locale = metaOf(message)?.[localeKey]
  return typeof locale === "string" && /^[a-z]{2,3}(?:-[a-z0-9]{1,8}){0,5}$/i.test(locale) ? locale : undefined
}
