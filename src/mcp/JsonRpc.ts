/** What the transport itself says in JSON-RPC: its error codes, its errors, and the ids that it echoes. */
import { isJsonObject } from "./Json.ts"

/** JSON-RPC errors that the transport itself answers with; those of the -320xx range are the server's own. */
export const codes = { parse: -32700, invalidRequest: -32600, internal: -32603, server: -32000 } as const

/** Most characters of an id that is echoed; clients count, or make UUIDs. */
export const longestId = 256

/** The answer to one message: `json` is empty where there is nothing to say, as to a notification. */
export interface Reply {
  readonly status: number
  readonly json: string
  readonly headers?: Readonly<Record<string, string>>
  /** An event stream of the SDK, which stands for the whole answer. */
  readonly stream?: Response
}

/** The id to answer under, where the message has one that may be echoed. */
export const idOf = (message: unknown): string | number | null => {
  const id = isJsonObject(message) ? message.id : null
  return typeof id === "number" || (typeof id === "string" && id.length <= longestId) ? id : null
}

/** An error of the transport's own, as the answer to a message. */
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
