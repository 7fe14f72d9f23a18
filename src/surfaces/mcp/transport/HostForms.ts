/**
 * What hosts write that a schema would refuse, though it is clear what they mean. A message is read here before the SDK
 * judges it, and a call's arguments in `arguments/Arguments.ts` before the tool's schema does.
 *
 * | form | host | source |
 * |---|---|---|
 * | `wait_for_previous` among the arguments | Gemini CLI 0.61.0 | `addWaitForPreviousParameter`, its `tools.ts` |
 * | `"null"`, `["null"]` for what is left out | Claude Code | claude-code 95239 |
 * | an object or a list as JSON text | Claude Code, OpenCode | claude-code 59227, 80666; opencode 45211 |
 * | one item without its list | Claude Code | claude-code 59227 |
 * | `params: null` | mcp.el, Codex | mcp.el 86, codex 791 |
 * | `title: null`, `roots: null` at `initialize` | MCP Kotlin SDK | kotlin-sdk 581 |
 * | `cursor: ""`, `[]` where nothing is meant | models that must fill every field | |
 */
import { isJsonObject, type JsonObject } from "./JsonRpc.ts"

/** They steer the host's own calls and say nothing here. No tool has a field of these names. */
const hostFields: ReadonlySet<string> = new Set(["wait_for_previous"])

/** Raw arguments without the fields of hosts; the same value where there are none. */
export const withoutHostFields = (input: unknown): unknown =>
  isJsonObject(input) && Object.keys(input).some((name) => hostFields.has(name))
    ? Object.fromEntries(Object.entries(input).filter(([name]) => !hostFields.has(name)))
    : input

/** The longest JSON text that is read as what it holds, in UTF-16 units: more than any arguments have. */
const longestJson = 8000

/** The object or list that a JSON text holds; the value itself if it is none. */
export const outOfJson = (value: unknown): unknown => {
  if (typeof value !== "string" || value.length > longestJson || !/^\s*[{[]/.test(value)) return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

/** Whether a text stands for nothing where no free text is meant. */
export const isNullText = (text: string): boolean => text === "null"

/** An optional member that is null is absent, at every level. Goes as deep as `excessOf` lets a message be. */
const withoutNulls = (value: unknown, left: unknown): unknown => {
  if (value === left || typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) {
    const inner = value.map((entry) => withoutNulls(entry, left))
    return inner.every((entry, i) => entry === value[i]) ? value : inner
  }
  const entries = Object.entries(value)
  const kept = entries.flatMap(([key, entry]) => (entry === null ? [] : [[key, withoutNulls(entry, left)] as const]))
  return kept.length === entries.length && kept.every(([, entry], i) => entry === entries[i]?.[1])
    ? value
    : Object.fromEntries(kept)
}

const isAbsentText = (value: unknown): boolean =>
  typeof value === "string" && (value.trim() === "" || isNullText(value.trim()))

const paramsAsMeant = (params: JsonObject): JsonObject => {
  const input = outOfJson(params.arguments)
  const read = withoutNulls(input === params.arguments ? params : { ...params, arguments: input }, input)
  if (!isJsonObject(read)) return params
  const absent = ["cursor", "arguments"].filter((name) => isAbsentText(read[name]))
  return absent.length === 0
    ? read
    : Object.fromEntries(Object.entries(read).filter(([name]) => !absent.includes(name)))
}

/**
 * A message within its limits (`excessOf`) as its host means it; the same value where nothing changes. Its id stays,
 * and so do a call's arguments, apart from those that are JSON text.
 */
export const messageAsMeant = (message: unknown): unknown => {
  if (!isJsonObject(message)) return message
  if (message.params === null) return Object.fromEntries(Object.entries(message).filter(([key]) => key !== "params"))
  if (!isJsonObject(message.params)) return message
  const params = paramsAsMeant(message.params)
  return params === message.params ? message : { ...message, params }
}
