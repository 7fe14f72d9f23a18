/**
 * What hosts give to their model of a failed call: how each reads the result of a tool, and the response to a request
 * that was refused. Written after runs of these versions beside this server on 2026-11-28: which parts reach the model
 * is as seen there, the words around them are ours. The clients of the SDK are not here, since tests use them as they
 * are.
 */
import { isJsonObject } from "../../src/surfaces/mcp/transport/JsonRpc.ts"

/** A tool's result as the protocol has it. */
export interface CallToolResult {
  readonly content: ReadonlyArray<{ readonly type: string; readonly text?: string | undefined }>
  readonly structuredContent?: unknown
  readonly isError?: boolean | undefined
}

/** A response with an error status to the request of an id. */
export interface RefusedRequest {
  readonly status: number
  readonly contentType: string
  readonly body: string
  readonly id: string | number
}

/** Nothing is told before the host's own time-out, which is minutes. */
export const waits = "(waits)"

interface Reading {
  /** The name and version on npm, or of the program. */
  readonly host: string
  /** What the model reads of a failed call. */
  readonly result: (result: CallToolResult) => string
  /**
   * What the model, or who runs the host, reads of a refused request. Absent: nothing of it, whatever the server says.
   */
  readonly refused?: (refused: RefusedRequest) => string
}

const texts = ({ content }: CallToolResult): string => content.map(({ text }) => text ?? "").join("\n")
const whole = (result: CallToolResult): string => JSON.stringify(result)
/** As the transports of the SDK put it, which most hosts hand on. */
const posting = ({ body, status }: RefusedRequest): string => `Error POSTing to endpoint (HTTP ${status}): ${body}`

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The message of a JSON-RPC error under the request's id; undefined for any other body. */
const messageUnderId = ({ body, id }: RefusedRequest): string | undefined => {
  const message = parsed(body)
  return isJsonObject(message) && message.id === id && isJsonObject(message.error)
    ? String(message.error.message)
    : undefined
}

/**
 * Codex 0.171.0: a JSON body is a message of the protocol, which goes to whom it names; one that names nobody is
 * dropped, and the call waits on. Any other body is told at once.
 */
const codex = (refused: RefusedRequest): string =>
  refused.contentType === "application/json" && isJsonObject(parsed(refused.body))
    ? (messageUnderId(refused) ?? waits)
    : posting(refused)

/** Every host that was run, with the text that it makes. What Gemini CLI does to a message before is in
 * `withStructuredText`. */
export const readings: ReadonlyArray<Reading> = [
  { host: "@modelcontextprotocol/sdk 1.32.2", result: texts, refused: posting },
  { host: "@modelcontextprotocol/client 2.4.0", result: texts, refused: posting },
  {
    host: "@ai-sdk/mcp 2.0.99",
    // No mark of an error: the text has to say so itself.
    result: texts,
    refused: (refused) => messageUnderId(refused) ?? `MCP HTTP Transport Error: POSTing to endpoint: ${refused.body}`
  },
  {
    host: "@langchain/mcp-adapters 1.1.4",
    result: (result) =>
      `Error: MCP tool 'x' on server 'y' returned an error: ${texts(result)}\n Please fix your mistakes.`,
    refused: (refused) => `${posting(refused)}\n Please fix your mistakes.`
  },
  { host: "@mastra/mcp 2.0.0", result: texts, refused: posting },
  { host: "@openai/agents 0.20.0", result: texts },
  { host: "@google/genai 3.3.0", result: (result) => JSON.stringify({ error: result }), refused: posting },
  { host: "@google/adk 2.0.0", result: whole, refused: posting },
  { host: "@strands-agents/sdk 1.19.0", result: texts, refused: posting },
  { host: "@llamaindex/tools 0.2.1", result: whole, refused: posting },
  { host: "@genkit-ai/mcp 1.42.0", result: (result) => JSON.stringify({ error: texts(result) }), refused: posting },
  {
    host: "n8n-nodes-langchain 2.41.1",
    // A first text that is no JSON hides the rest.
    result: ({ content: [first] }) => (parsed(first?.text ?? "") === undefined ? "" : (first?.text ?? "")),
    refused: posting
  },
  { host: "@anthropic-ai/sdk 1.14.0", result: texts, refused: posting },
  { host: "Claude Code 2.1.332", result: texts, refused: posting },
  { host: "Codex 0.171.0", result: texts, refused: codex },
  {
    host: "Gemini CLI 0.61.0",
    result: (result) =>
      `MCP tool 'x' reported tool error for function call: {} with response: ${JSON.stringify([
        { functionResponse: { name: "x", response: { error: result } } }
      ])}`,
    refused: posting
  },
  {
    host: "Qwen Code 0.24.4",
    result: texts,
    refused: (refused) => messageUnderId(refused) ?? posting(refused)
  },
  { host: "OpenCode 1.18.33", result: texts, refused: posting },
  { host: "Continue CLI 1.5.47", result: (result) => JSON.stringify(texts(result)), refused: posting },
  {
    host: "@modelcontextprotocol/inspector 2.12.0",
    result: (result) => `${texts(result)}\ntool_is_error`,
    refused: posting
  }
]

/**
 * What Gemini CLI 0.61.0 makes of a message before its client reads it: a first text that is JSON stands as structured
 * content, too, also in a failed call (its `packages/core/src/tools/mcp-compliance-transport.ts`).
 */
export const withStructuredText = (message: unknown): unknown => {
  if (!isJsonObject(message) || !isJsonObject(message.result)) return message
  const { content, structuredContent } = message.result
  const first: unknown = Array.isArray(content) ? content[0] : undefined
  const text = isJsonObject(first) && typeof first.text === "string" ? parsed(first.text) : undefined
  return structuredContent !== undefined || text === undefined
    ? message
    : { ...message, result: { ...message.result, structuredContent: text } }
}
