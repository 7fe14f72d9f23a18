/**
 * Requests as a fuzzer that knows the grammar makes them: right ones, nearly right ones, huge ones, and no ones at all.
 */
import { isJsonObject, type JsonObject } from "../../src/surfaces/mcp/transport/JsonRpc.ts"
import { listedTools } from "../../src/surfaces/mcp/tools/ToolList.ts"
import { envelope, modernVersion } from "../support/McpRequests.ts"
import type { Chance } from "./Chance.ts"

export interface FuzzRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer
}

/** What the service has issued, by the name of the field that it stood in. */
export type Issued = ReadonlyMap<string, ReadonlyArray<string>>

const longest = 120_000
export const repeated = <A>(count: number, make: (index: number) => A): ReadonlyArray<A> =>
  Array.from({ length: count }, (_, i) => make(i))

const letters = ["a", "7", " ", "é", "🎈", "\u0000", "\ud800", '"', "\\", "%", "'", ";", "<", ".", "@", "東"] as const

/** Text of up to so many characters, of one kind or mixed. */
export const text = (chance: Chance, most: number): string => {
  const length = chance.size(most)
  return chance.once(2)
    ? chance.one(letters).repeat(length)
    : repeated(Math.min(length, 300), () => chance.one(letters)).join("")
}

export const numbers = [
  0,
  1,
  -1,
  2,
  17,
  18,
  99,
  100,
  101,
  500,
  1440,
  10_000,
  1.5,
  -0,
  1e-9,
  1e21,
  2 ** 31,
  2 ** 53,
  -(2 ** 63),
  1e308
] as const

/** Nested lists or objects of so many levels, as JSON that no parser of ours has made. */
const nested = (chance: Chance, levels: number): unknown => {
  let value: unknown = 1
  const list = chance.once(2)
  for (let i = 0; i < levels; i++) value = list ? [value] : { a: value }
  return value
}

/** Any JSON, now and then as much of it as a body can hold. */
const anything = (chance: Chance, room = longest): unknown => {
  switch (chance.below(12)) {
    case 0:
      return null
    case 1:
      return ""
    case 2:
      return chance.once(2)
    case 3:
    case 4:
      return chance.one(numbers)
    case 5:
    case 6:
      return text(chance, room)
    case 7: {
      const entry = chance.one<unknown>([{}, [], "", 0, 99, null, { a: [{}] }])
      return repeated(chance.size(Math.floor(room / 12)), () => entry)
    }
    case 8:
      return Object.fromEntries(repeated(chance.size(Math.floor(room / 20)), (i) => [`k${i}`, i % 7 === 0 ? {} : i]))
    case 9:
      return JSON.parse('{"__proto__":{"limit":1},"constructor":{"prototype":{}},"toString":1}')
    case 10:
      return nested(chance, chance.size(2000))
    default:
      return repeated(chance.size(30), () => anything(chance, Math.floor(room / 40)))
  }
}

/** An issued id with one byte changed, added or taken: of its characters, or of what they encode. */
export const bent = (chance: Chance, id: string): string => {
  const start = id.indexOf("_") + 1
  if (chance.once(2)) {
    const bytes = Buffer.from(id.slice(start), "base64url")
    if (bytes.length === 0) return id
    const at = chance.below(bytes.length)
    bytes[at] = chance.once(3) ? chance.one([0, 1, 127, 128, 255]) : chance.below(256)
    return id.slice(0, start) + bytes.toString("base64url")
  }
  const at = chance.below(id.length + 1)
  const other = chance.one(["A", "z", "0", "_", "-", "=", "\u0000", "é", ""] as const)
  return id.slice(0, at) + other + id.slice(at + chance.below(2))
}

export const unissued: Readonly<Record<string, string>> = {
  playroom_id: "playroom_01h40000000000000000000000",
  package_id: "package_01h40000000000000000000000",
  add_on_id: "addon_01h40000000000000000000000",
  booking_id: "booking_01h40000000000000000000000",
  option_id: "option_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
  reference: "K7M2-9QXD",
  cursor: "WyJhIiwxXQ"
}

const issuedOne = (chance: Chance, issued: Issued, name: string): string => {
  const [first, ...more] = issued.get(name) ?? []
  return first === undefined ? (unissued[name] ?? "x") : chance.one([first, ...more])
}

export const day = (chance: Chance, today: number): string =>
  chance.once(12)
    ? chance.one([
        "2026-02-30",
        "0000-01-01",
        "9999-12-31",
        "2999-12-31",
        "1970-01-01",
        "2027-03-28",
        "tomorrow"
      ] as const)
    : new Date(today + chance.size(400) * 86_400_000).toISOString().slice(0, 10)

export const clock = ["00:00", "09:00", "10:30", "18:00", "23:59", "24:00", "25:00"] as const

/** A value that may stand in a field: by the field's name, else by its schema. */
const fitting = (chance: Chance, issued: Issued, today: number, name: string, schema: unknown): unknown => {
  if (Object.hasOwn(unissued, name)) {
    const id = issuedOne(chance, issued, name)
    return chance.once(3) ? bent(chance, id) : id
  }
  if (name.startsWith("date")) return day(chance, today)
  if (name === "start_after" || name === "end_before") return chance.one(clock)
  if (name === "email") return chance.once(3) ? text(chance, 300) : `fuzz${chance.below(500)}@example.com`
  if (name.endsWith("_url"))
    return chance.one(["http://localhost:3000/x", "https://evil.example/", "http://a\\@b/"] as const)
  if (!isJsonObject(schema)) return anything(chance, 1000)
  if (Array.isArray(schema.enum) && chance.once(2)) return schema.enum[chance.below(schema.enum.length)]
  if (schema.type === "array") {
    const most = Number(schema.maxItems)
    const count = chance.once(6) ? most + chance.below(2) : chance.size(Math.min(most, 20))
    return repeated(count, () => fitting(chance, issued, today, "", schema.items))
  }
  if (isJsonObject(schema.properties)) return fields(chance, issued, today, schema.properties, schema.required)
  if (schema.type === "integer" || schema.type === "number") {
    return chance.once(5) ? chance.one(numbers) : Number(schema.minimum ?? 0) + chance.below(20)
  }
  const words = ["Leeds", "London", "soft play", "GB", "parking", "GBP", "party", "Ana"] as const
  return chance.once(4) ? text(chance, Number(schema.maxLength ?? 200) + 1) : chance.one(words)
}

/** An object with some of these fields, the required ones nearly always, each mostly with what fits. */
const fields = (
  chance: Chance,
  issued: Issued,
  today: number,
  properties: Readonly<Record<string, unknown>>,
  required: unknown
): unknown => {
  const entries: Array<readonly [string, unknown]> = []
  const often = chance.one([2, 4, 8] as const)
  for (const [name, schema] of Object.entries(properties)) {
    const needed = Array.isArray(required) && required.includes(name)
    if (needed ? chance.once(40) : !chance.once(often)) continue
    entries.push([name, chance.once(25) ? anything(chance) : fitting(chance, issued, today, name, schema)])
  }
  if (chance.once(30)) entries.push([text(chance, 3000), anything(chance, 5000)])
  return Object.fromEntries(entries)
}

const ids = [1, 0, "a", -1, 1.5, null, {}, "", 1e21] as const

const methods = [
  "initialize",
  "ping",
  "tools/list",
  "server/discover",
  "subscriptions/listen",
  "logging/setLevel",
  "completion/complete",
  "resources/list",
  "prompts/get",
  "notifications/initialized",
  "notifications/cancelled",
  "notifications/progress",
  "__proto__",
  "tools/call"
] as const

const protocolParams = (chance: Chance): Record<string, unknown> => {
  const params: Record<string, unknown> = {
    protocolVersion: chance.one(["2025-11-25", "2025-06-18", "2025-03-26", "1999-01-01", modernVersion] as const),
    clientInfo: { name: "fuzz", version: "1" },
    capabilities: {}
  }
  for (const name of ["cursor", "capabilities", "clientInfo", "protocolVersion", "notifications", "level", "ref"]) {
    if (chance.once(6)) params[name] = anything(chance)
  }
  if (chance.once(6)) params.clientInfo = { name: "fuzz", version: "1", icons: anything(chance) }
  if (chance.once(6)) params.notifications = { resourceSubscriptions: anything(chance) }
  return params
}

interface Message {
  readonly message: Record<string, unknown>
  readonly headers: Readonly<Record<string, string>>
}

/** A message of either era, mostly a call of one of the tools. */
const aMessage = (chance: Chance, issued: Issued, today: number): Message => {
  const message: Record<string, unknown> = { jsonrpc: "2.0", id: chance.once(12) ? chance.one(ids) : 1 }
  if (chance.once(60)) message.id = text(chance, longest)
  let method: string
  let params: Record<string, unknown>
  if (chance.below(5) > 0) {
    const tool = listedTools[chance.below(listedTools.length)]
    const schema: JsonObject = tool?.inputSchema ?? {}
    method = "tools/call"
    const properties = isJsonObject(schema.properties) ? schema.properties : {}
    const input = chance.once(30) ? anything(chance) : fields(chance, issued, today, properties, schema.required)
    params = { name: chance.once(60) ? text(chance, 5000) : tool?.name, arguments: input }
  } else {
    method = chance.one(methods)
    params = protocolParams(chance)
    if (method.startsWith("notifications/")) delete message.id
  }
  message.method = method
  message.params = chance.once(60) ? anything(chance) : params
  if (chance.once(80)) message[text(chance, 50)] = anything(chance)
  const headers: Record<string, string> = {}
  if (chance.once(2)) {
    const meta: Record<string, unknown> = envelope()
    for (const name of Object.keys(meta)) if (chance.once(25)) meta[name] = anything(chance)
    if (chance.once(10)) meta["io.modelcontextprotocol/clientCapabilities"] = { experimental: anything(chance) }
    if (chance.once(15)) meta.progressToken = anything(chance)
    params._meta = meta
    headers["mcp-protocol-version"] = chance.once(30) ? "2099-01-01" : modernVersion
    if (!chance.once(30)) headers["mcp-method"] = method
    if (method === "tools/call" && typeof params.name === "string" && /^[\w/]{1,100}$/.test(params.name)) {
      headers["mcp-name"] = params.name
    }
  } else {
    if (chance.once(20)) params._meta = anything(chance)
    if (chance.once(3)) {
      headers["mcp-protocol-version"] = chance.one(["2025-11-25", "2025-06-18", "2025-03-26", "x"] as const)
    }
  }
  return { message, headers }
}

const accepts = [
  "application/json, text/event-stream",
  "text/event-stream",
  "text/event-stream;q=0",
  '*/*;q=0.1,"',
  "text/html"
] as const

const otherPaths = [
  "/",
  "/healthz",
  "/docs",
  "/checkout/return?outcome=success&token=AZrc2k0Wd5m8v1ZpN3p7bQAAAAAAAAAAAAAAAAAAAAAAAAAA",
  "/checkout/return?token=%00%ff&look=9e9",
  "/%6dcp",
  "//mcp",
  "/mcp;a",
  "/nothing",
  "/api/PaymentWebhook/Handle",
  "/api/PaymentWebhook/HandleConnected"
] as const

/** The next request. `today` is the day that dates are chosen around, in milliseconds. */
export const aRequest = (chance: Chance, issued: Issued, today: number, apiKey: string): FuzzRequest => {
  const headers: Record<string, string> = { "content-type": "application/json" }
  if (!chance.once(6)) headers["x-api-key"] = chance.once(20) ? "wrong" : apiKey
  if (chance.once(5)) headers.accept = chance.one(accepts)
  if (chance.once(40)) {
    if (chance.once(2))
      headers["payment-signature"] = `t=${chance.below(2_000_000_000)},v1=${"a".repeat(chance.size(200))}`
    const method = chance.one(["GET", "POST", "DELETE"] as const)
    const body = method === "GET" ? "" : (JSON.stringify(anything(chance)) ?? "")
    return { method, path: chance.one(otherPaths), headers, body }
  }
  if (chance.once(40)) {
    const body = chance.one([
      "[".repeat(chance.size(longest)),
      `${'{"a":'.repeat(chance.size(20_000))}1`,
      Buffer.from(text(chance, 2000), "utf16le"),
      " ".repeat(longest + 20_000),
      `{"jsonrpc":"2.0","id":1,"method":"ping","id":2,"params":{"a":1e${chance.size(5000)}}}`,
      `{"jsonrpc":"2.0","id":${"9".repeat(chance.size(longest))},"method":"ping"}`
    ])
    return { method: "POST", path: "/mcp", headers, body }
  }
  if (chance.once(15)) {
    const messages = repeated(chance.size(22), () => aMessage(chance, issued, today).message)
    if (chance.once(2)) headers["mcp-protocol-version"] = "2025-03-26"
    const same = chance.once(5) ? messages.map(() => messages[0]) : messages
    return { method: "POST", path: "/mcp", headers, body: JSON.stringify(same) }
  }
  const made = aMessage(chance, issued, today)
  return {
    method: "POST",
    path: "/mcp",
    headers: { ...headers, ...made.headers },
    body: JSON.stringify(made.message)
  }
}
