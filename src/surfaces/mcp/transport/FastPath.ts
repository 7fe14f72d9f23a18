/**
 * The fast path: plain `tools/list` and `tools/call` messages are answered without the SDK, which creates a server and
 * a web request per message. Unusual messages go through the SDK. A test checks that both give the same bytes.
 */
import { Effect } from "effect"
import type { Headers } from "effect/http"
import { modernListMembers, serverInfo } from "./SdkBridge.ts"
import type { ToolOutcome } from "../tools/McpTool.ts"
import { isHintKey } from "./HostHints.ts"
import { isJsonObject, type JsonObject, versionKey } from "./JsonRpc.ts"
import type { ListedTool } from "../tools/ToolList.ts"
import { isToolName, type ToolName } from "../tools/Tools.ts"

type Call = (name: ToolName, input: unknown) => Effect.Effect<ToolOutcome>

/** The whole JSON-RPC response to one message, in UTF-8; `call` calls a tool. */
type FastAnswer = (call: Call) => Effect.Effect<Uint8Array>

const version = "2026-07-28"
const clientKey = "io.modelcontextprotocol/clientInfo"
const capabilitiesKey = "io.modelcontextprotocol/clientCapabilities"

// The SDK adds these members to every result of the 2026 era.
const serverMeta = `"_meta":{"io.modelcontextprotocol/serverInfo":${JSON.stringify(serverInfo)}}`
const modernCallEnd = `,"resultType":"complete",${serverMeta}`

const modernListEnd = `,"resultType":"complete",${modernListMembers},${serverMeta}`

const legacyVersions: ReadonlySet<string | undefined> = new Set([
  undefined,
  "2025-11-25",
  "2025-06-18",
  "2025-03-26",
  "2024-11-05"
])

const onlyKeys = (value: JsonObject, allowed: ReadonlySet<string>): boolean => {
  for (const key of Object.keys(value)) if (!allowed.has(key)) return false
  return true
}

const onlyMetaKeys = (meta: JsonObject, allowed: ReadonlySet<string>): boolean => {
  for (const key of Object.keys(meta)) if (!allowed.has(key) && !isHintKey(key)) return false
  return true
}

const messageKeys = new Set(["jsonrpc", "id", "method", "params"])
const callKeys = new Set(["name", "arguments", "_meta"])
const listKeys = new Set(["_meta"])
const modernMetaKeys = new Set([versionKey, clientKey, capabilitiesKey, "progressToken", "traceparent", "tracestate"])
const legacyMetaKeys = new Set(["progressToken", "traceparent", "tracestate"])
const clientKeys = new Set(["name", "version", "title"])

const isId = (id: unknown): id is string | number =>
  typeof id === "string" || (typeof id === "number" && Number.isSafeInteger(id))
const isText = (value: unknown): boolean => typeof value === "string"

const plainMeta = (meta: JsonObject): boolean =>
  (meta.progressToken === undefined || isId(meta.progressToken)) &&
  (meta.traceparent === undefined || isText(meta.traceparent)) &&
  (meta.tracestate === undefined || isText(meta.tracestate))

/** Nearly all clients declare no capabilities, or empty objects under these names. */
const capabilityKeys = new Set(["sampling", "elicitation", "roots"])
const plainCapabilities = (value: unknown): boolean =>
  isJsonObject(value) &&
  onlyKeys(value, capabilityKeys) &&
  Object.values(value).every((inner) => isJsonObject(inner) && Object.keys(inner).length === 0)

const plainClient = (value: unknown): boolean =>
  isJsonObject(value) &&
  onlyKeys(value, clientKeys) &&
  isText(value.name) &&
  isText(value.version) &&
  (value.title === undefined || isText(value.title))

type Era = "modern" | "legacy"

/** The era of a message, if headers and `_meta` agree and contain nothing unusual. */
const eraOf = (method: string, params: JsonObject | undefined, headers: Headers.Headers): Era | undefined => {
  const meta = params?._meta
  if (meta !== undefined && !(isJsonObject(meta) && plainMeta(meta))) return undefined
  const header = headers["mcp-protocol-version"]
  if (header !== version) {
    if (!legacyVersions.has(header)) return undefined
    return meta === undefined || onlyMetaKeys(meta, legacyMetaKeys) ? "legacy" : undefined
  }
  const agrees =
    meta !== undefined &&
    meta[versionKey] === version &&
    onlyMetaKeys(meta, modernMetaKeys) &&
    headers["mcp-method"] === method &&
    plainClient(meta[clientKey]) &&
    plainCapabilities(meta[capabilitiesKey])
  return agrees ? "modern" : undefined
}

const utf8 = (text: string): Uint8Array => Buffer.from(text)

const answerStart = utf8(`{"result":{`)

/** Bytes, because what is long of an answer is often written already. */
const answerOf = (id: string | number, members: Uint8Array, end: string): Uint8Array =>
  Buffer.concat([answerStart, members, utf8(`${end}},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`)])

/** The fast answer to a message; undefined if it must go through the SDK. */
type FastPath = (body: unknown, headers: Headers.Headers) => FastAnswer | undefined

const answerTo = (list: Uint8Array, body: unknown, headers: Headers.Headers): FastAnswer | undefined => {
  if (!isJsonObject(body) || body.jsonrpc !== "2.0" || !onlyKeys(body, messageKeys)) return undefined
  const { id, method, params } = body
  if (!isId(id) || !(params === undefined || isJsonObject(params))) return undefined
  if (method === "tools/list") {
    const era = params === undefined || onlyKeys(params, listKeys) ? eraOf(method, params, headers) : undefined
    if (era === undefined) return undefined
    return () => Effect.sync(() => answerOf(id, list, era === "modern" ? modernListEnd : ""))
  }
  if (method !== "tools/call" || params === undefined || !onlyKeys(params, callKeys)) return undefined
  const { name, arguments: input } = params
  if (!isToolName(name) || !(input === undefined || isJsonObject(input))) return undefined
  const era = eraOf(method, params, headers)
  if (era === undefined || (era === "modern" && headers["mcp-name"] !== name)) return undefined
  return (call) =>
    Effect.map(call(name, input), ({ members }) => answerOf(id, members, era === "modern" ? modernCallEnd : ""))
}

/** The fast path of an address that lists these tools. */
export const makeFastPath = (tools: ReadonlyArray<ListedTool>): FastPath => {
  const list = utf8(`"tools":${JSON.stringify(tools)}`)
  return (body, headers) => answerTo(list, body, headers)
}
