/** Requests to `/mcp` exactly as written: no header is added but `Host` and lengths. */
import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { request as nodeRequest } from "node:http"

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly text: string
}

type HeadersIn = Readonly<Record<string, string>>

/** Sends a request; interrupting it closes the connection. */
export const send = (
  url: string,
  options: {
    readonly method?: string
    /** A path to ask for as it is written, where `URL` would write it otherwise. */
    readonly path?: string
    readonly headers?: HeadersIn
    readonly body?: string | Uint8Array
  }
): Effect.Effect<Answer> =>
  Effect.callback<Answer>((resume) => {
    const request = nodeRequest(
      url,
      {
        method: options.method ?? "POST",
        headers: { ...options.headers },
        agent: false,
        ...(options.path === undefined ? {} : { path: options.path })
      },
      (response) => {
        const chunks: Array<Buffer> = []
        response.on("data", (chunk: Buffer) => chunks.push(chunk))
        response.on("error", (error) => resume(Effect.die(error)))
        response.on("end", () =>
          resume(
            Effect.succeed({
              status: response.statusCode ?? 0,
              headers: response.headers,
              text: Buffer.concat(chunks).toString("utf8")
            })
          )
        )
      }
    )
    request.on("error", (error) => resume(Effect.die(error)))
    request.end(options.body)
    return Effect.sync(() => request.destroy())
  })

/** A JSON-RPC answer, or a list of them. */
const RpcAnswer = Schema.Struct({
  jsonrpc: Schema.String,
  id: Schema.Unknown,
  result: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
  error: Schema.optionalKey(
    Schema.Struct({ code: Schema.Int, message: Schema.String, data: Schema.optionalKey(Schema.Unknown) })
  )
})
const decodeAnswer = Schema.decodeUnknownSync(RpcAnswer)
export const rpcOf = (answer: Pick<Answer, "text">) => decodeAnswer(JSON.parse(answer.text))

const Problem = Schema.fromJsonString(
  Schema.Struct({
    type: Schema.String,
    status: Schema.Int,
    title: Schema.String,
    code: Schema.String,
    detail: Schema.String
  })
)
const decodeProblem = Schema.decodeUnknownSync(Problem)
/** What refuses a body whose request is not known: a problem document, of the response's status. */
export const problemOf = ({ headers, status, text }: Answer) => {
  const problem = decodeProblem(text)
  assert.deepStrictEqual([headers["content-type"], problem.status], ["application/problem+json", status])
  return problem
}

/** A tool's result. */
export const ToolResult = Schema.Struct({
  content: Schema.Tuple([Schema.Struct({ type: Schema.Literal("text"), text: Schema.String })]),
  structuredContent: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
  isError: Schema.optionalKey(Schema.Boolean),
  resultType: Schema.optionalKey(Schema.String),
  _meta: Schema.optionalKey(Schema.Unknown)
})
const decodeResult = Schema.decodeUnknownSync(ToolResult)
export const resultOf = (answer: Pick<Answer, "text">) => decodeResult(rpcOf(answer).result)

const ErrorText = Schema.fromJsonString(
  Schema.Struct({
    error: Schema.Struct({
      code: Schema.String,
      message: Schema.String,
      fix: Schema.String,
      retryable: Schema.Boolean,
      details: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
    })
  })
)
const decodeErrorText = Schema.decodeUnknownSync(ErrorText)
/** What stands under `error` in the text of a failed call. */
export const toolErrorIn = (text: string) => decodeErrorText(text).error
export const toolErrorOf = (answer: Answer) => toolErrorIn(resultOf(answer).content[0].text)

export const json = { "content-type": "application/json" }

export const modernVersion = "2026-07-28"

/** The envelope of the 2026 era. */
export const envelope = (extra: object = {}) => ({
  "io.modelcontextprotocol/protocolVersion": modernVersion,
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
  ...extra
})

/** A request of the 2025 era, or without any era at all. */
export const legacy = (url: string, method: string, params?: object, headers: HeadersIn = {}) =>
  send(url, {
    headers: { ...json, ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, ...(params === undefined ? {} : { params }) })
  })

/** A request of the 2026 era with its headers. */
export const modern = (url: string, method: string, params: object = {}, headers: HeadersIn = {}) =>
  send(url, {
    headers: {
      ...json,
      "mcp-protocol-version": modernVersion,
      "mcp-method": method,
      ...("name" in params && typeof params.name === "string" ? { "mcp-name": params.name } : {}),
      ...headers
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { _meta: envelope(), ...params } })
  })

/** A bare `tools/call`. */
export const callTool = (url: string, name: string, input: object = {}, headers: HeadersIn = {}) =>
  legacy(url, "tools/call", { name, arguments: input }, headers)

// What families read of the tools' answers, wherever tests play them: in a rush, in a round, on a Saturday.

export const Playrooms = Schema.Struct({ playrooms: Schema.Array(Schema.Struct({ playroom_id: Schema.String })) })

export const Options = Schema.Struct({
  packages: Schema.Array(
    Schema.Struct({
      package_id: Schema.String,
      terms: Schema.Struct({ free_reschedule_hours: Schema.optionalKey(Schema.Int) })
    })
  ),
  options: Schema.Array(
    Schema.Struct({
      option_id: Schema.String,
      package_id: Schema.String,
      start: Schema.String,
      // Of shared packages only.
      places_left: Schema.optionalKey(Schema.Int),
      price: Schema.Struct({ due_now: Schema.Int, balance_due: Schema.optionalKey(Schema.Int) })
    })
  )
})

/** Of `create_booking` and `get_booking`. */
export const Booked = Schema.Struct({
  booking: Schema.Struct({
    booking_id: Schema.String,
    reference: Schema.String,
    status: Schema.String,
    playroom_id: Schema.String,
    start: Schema.String,
    hold_expires_at: Schema.optionalKey(Schema.String),
    // Not for who may only read and pay.
    page_url: Schema.optionalKey(Schema.String)
  })
})

export const Paying = Schema.Struct({ payment_session: Schema.Struct({ url: Schema.String }) })
