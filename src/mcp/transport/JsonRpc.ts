/** Parsed JSON, JSON-RPC errors of the transport itself, and the ids that answers repeat. */

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
