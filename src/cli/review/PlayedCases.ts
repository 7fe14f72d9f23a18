/** Plays the review cases against the running service, as an assistant would: over HTTP, with the test account's key. */
import { Effect, Schema } from "effect"
import { FetchHttpClient, HttpBody, HttpClient } from "effect/http"
import { CommandFailed, failed } from "../Failure.ts"
import type { ReviewCall, ReviewCase } from "./ReviewCases.ts"

/** A tool as the service lists it. */
export const ReviewedTool = Schema.Struct({
  name: Schema.String,
  title: Schema.String,
  description: Schema.String,
  annotations: Schema.Struct({
    readOnlyHint: Schema.Boolean,
    destructiveHint: Schema.Boolean,
    idempotentHint: Schema.Boolean,
    openWorldHint: Schema.Boolean
  })
})
export type ReviewedTool = typeof ReviewedTool.Type

const ToolsAnswer = Schema.Struct({ result: Schema.Struct({ tools: Schema.Array(ReviewedTool) }) })
const CallAnswer = Schema.Struct({
  result: Schema.Struct({
    isError: Schema.optionalKey(Schema.Boolean),
    content: Schema.NonEmptyArray(Schema.Struct({ text: Schema.String }))
  })
})
const Json = Schema.fromJsonString(Schema.Unknown)

/** A call as it was made, with its whole answer. */
interface PlayedCall {
  readonly tool: string
  readonly arguments: unknown
  readonly answer: unknown
}

export interface PlayedCase {
  readonly title: string
  readonly prompt: string
  readonly expected: string
  readonly calls: ReadonlyArray<PlayedCall>
}

/** Posts a message to `/mcp`. */
const post = Effect.fnUntraced(function* (baseUrl: string, method: string, params: object, key?: string) {
  const response = yield* HttpClient.post(`${baseUrl}/mcp`, {
    headers: { accept: "application/json", ...(key === undefined ? {} : { "x-api-key": key }) },
    body: yield* HttpBody.json({ jsonrpc: "2.0", id: 1, method, params })
  })
  return yield* response.json
}, Effect.provide(FetchHttpClient.layer))

const unreachable = (baseUrl: string) => (error: { readonly message: string }) =>
  new CommandFailed({
    message: `${baseUrl}/mcp does not answer as it should: is the service running there? ${error.message.slice(0, 200)}`
  })

/** The tools of the running service. */
export const listTools = (baseUrl: string) =>
  post(baseUrl, "tools/list", {}).pipe(
    Effect.flatMap(Schema.decodeUnknownEffect(ToolsAnswer)),
    Effect.mapError(unreachable(baseUrl)),
    Effect.map(({ result }) => result.tools)
  )

/** What the answers of a tool make known: the first id of a kind. */
const learnt = [
  ["ROOM", "search_playrooms", /playroom_[0-9a-z]{26}/],
  ["OPTION", "get_booking_options", /option_[\w-]{12,}/],
  ["BOOKING", "create_booking", /booking_[0-9a-z]{26}/]
] as const

/** Capital words in a text, replaced by what is known. */
const filled = (text: string, known: ReadonlyMap<string, string>): string =>
  text.replace(/\b[A-Z]+(?:_[A-Z]+)*\b/g, (word) => known.get(word) ?? word)

/**
 * Plays cases in their order; `known` has the values of capital words and learns those of the answers. Fails at the
 * first answer that is not what its case says.
 */
export const playCases = Effect.fnUntraced(function* (
  baseUrl: string,
  key: string,
  cases: ReadonlyArray<ReviewCase>,
  known: Map<string, string>
) {
  const play = Effect.fnUntraced(function* ({ answer, error, keyless, tool, ...call }: ReviewCall, title: string) {
    const input: unknown = yield* Schema.decodeUnknownEffect(Json)(filled(JSON.stringify(call.arguments), known))
    const { result } = yield* post(
      baseUrl,
      "tools/call",
      { name: tool, arguments: input },
      keyless === true ? undefined : key
    ).pipe(Effect.flatMap(Schema.decodeUnknownEffect(CallAnswer)))
    const [{ text }] = result.content
    const isRefused = result.isError === true
    const missing = error === undefined ? (answer ?? []).filter((part) => !text.includes(`"${part}"`)) : []
    const asSaid = isRefused === (error !== undefined) && missing.length === 0
    if (!asSaid || (error !== undefined && !text.includes(`"code":"${error}"`))) {
      return yield* failed(`The case "${title}" does not come true: ${tool} answers ${text.slice(0, 300)}`)
    }
    for (const [name, of, id] of learnt) {
      const found = of === tool && !isRefused ? id.exec(text)?.[0] : undefined
      if (found !== undefined) known.set(name, found)
    }
    return { tool, arguments: input, answer: yield* Schema.decodeUnknownEffect(Json)(text) } satisfies PlayedCall
  })
  return yield* Effect.forEach(cases, (one) =>
    Effect.map(
      Effect.forEach(one.calls, (call) => play(call, one.title)),
      (calls): PlayedCase => ({
        title: one.title,
        prompt: filled(one.prompt, known),
        expected: one.outcome(calls.map(({ answer }) => answer)),
        calls
      })
    )
  ).pipe(Effect.mapError((failure) => (failure._tag === "CommandFailed" ? failure : unreachable(baseUrl)(failure))))
})
