/**
 * From a call's raw arguments to typed ones, or to a list of what is wrong with them in words: every fault at once, each with
 * its path, and with what would be accepted.
 */
import { Result, Schema, SchemaIssue } from "effect"
import { InvalidArguments } from "../catalogue/Playroom.ts"
import { blanksRemover } from "./Blanks.ts"
import { isJsonObject, type JsonObject } from "./ToolList.ts"

interface Issue {
  readonly path: string
  readonly message: string
}

const mostIssues = 20
const deepest = 8

/** `contact.email`, `child_ages[2]`; "" for the arguments as a whole. Long or strange names are cut and quoted. */
const pathText = (path: ReadonlyArray<PropertyKey>): string =>
  path
    .map((key, i) => {
      if (typeof key === "number") return `[${key}]`
      const name = String(key)
      const plain = /^\w{1,60}$/.test(name) ? name : JSON.stringify(name.toWellFormed().slice(0, 60))
      return i === 0 ? plain : `.${plain}`
    })
    .join("")

/**
 * What no tool accepts anywhere: characters that the database can't store, halves of surrogate pairs, `__proto__`, and more
 * nesting than any input has. Looked for in the raw value, before anything copies it.
 */
const unacceptable = (value: unknown, path: ReadonlyArray<PropertyKey>, issues: Array<Issue>): void => {
  if (issues.length >= mostIssues) return
  if (typeof value === "string") {
    if (value.includes("\u0000")) issues.push({ path: pathText(path), message: "Expected text without NUL characters" })
    else if (!value.isWellFormed())
      issues.push({
        path: pathText(path),
        message: "Expected well-formed Unicode text (it holds half a surrogate pair)"
      })
    return
  }
  if (typeof value !== "object" || value === null) return
  if (path.length >= deepest) {
    issues.push({ path: pathText(path), message: "Expected less nesting" })
    return
  }
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) unacceptable(value[i], [...path, i], issues)
    return
  }
  for (const [key, inner] of Object.entries(value)) {
    if (key === "__proto__") issues.push({ path: pathText([...path, key]), message: "Unknown field" })
    else unacceptable(inner, [...path, key], issues)
  }
}

/** The input schema's part at a path, where it has one. */
const partAt = (schema: JsonObject, path: ReadonlyArray<PropertyKey>): JsonObject | undefined => {
  let part: unknown = schema
  for (const key of path) {
    if (!isJsonObject(part)) return undefined
    part =
      typeof key === "number" ? part.items : isJsonObject(part.properties) ? part.properties[String(key)] : undefined
  }
  return isJsonObject(part) ? part : undefined
}

/** The innermost field on a path that its object can do without. */
const optionalOn = (schema: JsonObject, path: ReadonlyArray<PropertyKey>): string | undefined => {
  for (let length = path.length; length > 0; length--) {
    const name = path[length - 1]
    if (typeof name === "number") continue
    const parent = partAt(schema, path.slice(0, length - 1))
    const required = parent?.required
    if (Array.isArray(required) && required.includes(name)) continue
    return isJsonObject(parent?.properties) ? pathText(path.slice(0, length)) : undefined
  }
  return undefined
}

const range = (part: JsonObject): string =>
  part.minimum === undefined || part.maximum === undefined ? "" : ` from ${part.minimum} to ${part.maximum}`

/** What a part of the schema accepts, in words. */
const accepts = (part: JsonObject | undefined): string => {
  if (part === undefined) return "another type"
  if (Array.isArray(part.enum)) return `one of ${part.enum.map((value) => JSON.stringify(value)).join(", ")}`
  if (part.type === "integer") return `a whole number${range(part)}`
  if (part.type === "number") return `a number${range(part)}`
  if (part.type === "array") return `a list, each ${accepts(isJsonObject(part.items) ? part.items : undefined)}`
  if (part.type === "object" && isJsonObject(part.properties)) {
    return `an object with ${Object.keys(part.properties).join(", ")}`
  }
  return part.type === "string" ? "text" : String(part.type)
}

const meaning = (part: JsonObject | undefined): string =>
  typeof part?.description === "string" ? ` (${part.description.replace(/\.$/, "")})` : ""

const formatter = (schema: JsonObject) => {
  // The leaf's message is chosen where its path is known, so the hook only says which kind it is.
  const format = SchemaIssue.makeFormatterStandardSchemaV1({
    leafHook: (issue) => (issue._tag === "InvalidValue" ? SchemaIssue.defaultLeafHook(issue) : `\u0000${issue._tag}`),
    checkHook: (issue) => SchemaIssue.defaultCheckHook(issue) ?? "\u0000Filter"
  })
  return (issue: SchemaIssue.Issue): ReadonlyArray<Issue> => {
    const seen = new Set<string>()
    return format(issue).issues.flatMap(({ message, path: segments }) => {
      const path = (segments ?? []).map((segment) => (typeof segment === "object" ? segment.key : segment))
      const text = pathText(path)
      // The first thing wrong with a field says enough.
      if (seen.has(text)) return []
      seen.add(text)
      const part = partAt(schema, path)
      const optional = optionalOn(schema, path)
      const orNot = optional === undefined ? "" : `, or leave ${optional} out`
      if (message === "\u0000MissingKey") {
        return [{ path: text, message: `Required: ${accepts(part)}${meaning(part)}${orNot}` }]
      }
      if (message === "\u0000UnexpectedKey") {
        const parent = partAt(schema, path.slice(0, -1))
        const known = isJsonObject(parent?.properties) ? Object.keys(parent.properties).join(", ") : ""
        return [{ path: text, message: `Unknown field, leave ${text} out; accepted: ${known}` }]
      }
      if (message.startsWith("\u0000"))
        return [{ path: text, message: `Expected ${accepts(part)}${meaning(part)}${orNot}` }]
      return [{ path: text, message: `${message}${orNot}` }]
    })
  }
}

/**
 * A decoder for one tool's arguments. Absent arguments count as `{}`, blank fields (`null`, `""`) as absent.
 * @returns the typed input, or `InvalidArguments` with at most 20 issues.
 */
export const argumentsDecoder = <A, I>(
  schema: Schema.Codec<A, I>,
  jsonSchema: JsonObject
): ((input: unknown) => Result.Result<A, InvalidArguments>) => {
  const decode = Schema.decodeUnknownResult(schema, { errors: "all", onExcessProperty: "error" })
  const format = formatter(jsonSchema)
  const withoutBlanks = blanksRemover(jsonSchema)
  return (input) => {
    const raw = input ?? {}
    const issues: Array<Issue> = []
    unacceptable(raw, [], issues)
    if (issues.length > 0) return Result.fail(new InvalidArguments({ issues }))
    return Result.mapError(
      decode(withoutBlanks(raw)),
      (error) => new InvalidArguments({ issues: format(error.issue).slice(0, mostIssues) })
    )
  }
}
