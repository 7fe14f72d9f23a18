/**
 * Decodes a call's raw arguments, or reports all faults at once, each with its path and the accepted values.
 */
import { Result, Schema, SchemaIssue } from "effect"
import { type ArgumentIssue, InvalidArguments } from "../../../platform/errors/InvalidArguments.ts"
import { isNullText, outOfJson, withoutHostFields } from "../transport/HostForms.ts"
import { isJsonObject, type JsonObject } from "../transport/JsonRpc.ts"

// The JSON Schemas (2020-12) of the tools, kept short.

type Direction = "input" | "output"

const bounds = new Set(["minimum", "maximum", "minLength", "maxLength", "maxItems"])

/** An object schema: the root of each tool's schemas. */
export type ObjectSchema = JsonObject & { readonly type: "object" }

/** Narrows a value to an object schema; throws if it is not one. */
export const objectSchema = (schema: unknown): ObjectSchema => {
  if (isJsonObject(schema) && schema.type === "object") return { ...schema, type: "object" }
  throw new Error("a tool's schema is no object")
}

/**
 * False for keywords that don't help readers: bounds of our own results, minLength 0, defaults, and patterns
 * (descriptions explain them).
 */
const isInformative = (key: string, value: unknown, direction: Direction): boolean =>
  !(
    (direction === "output" && bounds.has(key) && typeof value === "number") ||
    (key === "minLength" && value === 0) ||
    (key === "pattern" && typeof value === "string") ||
    (key === "additionalProperties" && value === true)
  )

/** Shortens a schema: merges `allOf` of plain keywords into its parent. */
const condense = (schema: unknown, direction: Direction): unknown => {
  if (Array.isArray(schema)) return schema.map((part) => condense(part, direction))
  if (!isJsonObject(schema)) return schema
  const out: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(schema)) {
    if (!isInformative(key, value, direction)) continue
    if (key !== "allOf" || !Array.isArray(value)) {
      out[key] = condense(value, direction)
      continue
    }
    const parts = value.map((part) => condense(part, direction)).filter(isJsonObject)
    const keys = parts.flatMap(Object.keys)
    const clash = new Set(keys).size !== keys.length || keys.some((part) => part in schema)
    if (clash) out[key] = parts
    else Object.assign(out, ...parts)
  }
  return out
}

/** The JSON Schema of a tool's input or output, without references. */
export const jsonSchemaOf = (schema: Schema.Constraint, direction: Direction): ObjectSchema => {
  const document = Schema.toJsonSchemaDocument(schema, {
    // Unknown arguments are refused, so input schemas say so.
    onExcessProperty: direction === "input" ? "error" : "ignore",
    referencePolicy: () => undefined
  })
  return objectSchema(condense(document.schema, direction))
}

/**
 * A description for each field of an object. For a nested object, descriptions of its fields may follow; they are
 * required if its schema has none.
 */
export type FieldDescriptions<A> = {
  readonly [K in keyof A]-?:
    | string
    | (NonNullable<A[K]> extends ReadonlyArray<unknown> | string | number | boolean
        ? never
        : readonly [description: string, ofFields: FieldDescriptions<NonNullable<A[K]>>])
}

/** The schema with these descriptions added. */
export const withDescriptions = (schema: ObjectSchema, descriptions: object): ObjectSchema => {
  const properties: Record<string, unknown> = { ...(isJsonObject(schema.properties) ? schema.properties : {}) }
  for (const [name, given] of Object.entries(descriptions)) {
    const [description, ofFields]: ReadonlyArray<unknown> = Array.isArray(given) ? given : [given]
    const field = properties[name]
    if (!isJsonObject(field)) throw new Error(`a tool describes ${name}, which it does not take`)
    const described = isJsonObject(ofFields) ? withDescriptions(objectSchema(field), ofFields) : field
    properties[name] = { ...described, description }
  }
  return { ...schema, properties }
}

/** Synonyms that models send for enum values. No two fields share a value, so one table is enough. */
const synonyms: ReadonlyMap<string, string> = new Map(
  Object.entries({
    exclusive: ["private", "private_hire", "private_party", "whole", "whole_room", "full_room", "party", "hire"],
    shared: ["public", "open", "open_play", "drop_in", "group", "play", "places", "non_exclusive"],
    price: ["cheapest", "cheap", "lowest_price", "price_asc", "price_low_to_high", "cost", "budget"],
    distance: ["nearest", "closest", "near", "proximity", "nearby", "location"],
    best_match: ["relevance", "relevant", "best", "recommended", "popularity", "rating", "default", "match"],
    due_now: ["deposit", "full", "now", "payment", "booking", "initial", "total", "due"],
    balance: ["rest", "remaining", "remainder", "final", "outstanding", "balance_due"]
  }).flatMap(([value, words]) => words.map((word) => [word, value] as const))
)

const plain = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, "_")

/** An instruction to send the accepted value for a synonym; "" if there is none. */
const suggestionFor = (given: unknown, accepted: ReadonlyArray<unknown>): string => {
  if (typeof given !== "string" || given.length > 60) return ""
  const word = plain(given)
  const value = accepted.includes(word) ? word : synonyms.get(word)
  return value !== undefined && accepted.includes(value) ? `: send ${JSON.stringify(value)}` : ""
}

/** Fields whose values only the person knows. */
const askThePerson: ReadonlyMap<string, string> = new Map([
  ["contact", ": ask the person for them, never make them up"],
  ["contact.name", ": ask the person for it, never make it up"],
  ["contact.email", ": ask the person for it, never make it up"]
])

/** An instruction to ask the person for a field that only they know; "" for other fields. */
const askPersonHint = (path: string): string => askThePerson.get(path) ?? ""

/** An instruction to leave an optional field out; "" if there is none. */
const leaveOutHint = (field: string | undefined): string =>
  field === undefined
    ? ""
    : field === "child_ages"
      ? ": send the ages that the person told, in whole years; if they told none, leave child_ages out"
      : `, or leave ${field} out${field === "contact.phone" ? " if the person gave none" : ""}`

/** What to do with a field that a tool does not have. Ages decide who may come, so they are never dropped. */
const unknownField = (path: string): string =>
  /(?:^|[._])ages?$/.test(path)
    ? `Unknown field, send ${path} where ages count: to search_playrooms, get_booking_options and create_booking, as child_ages`
    : `Unknown field, leave ${path} out`

/** The fields that take a date. */
const dateFields: ReadonlySet<string> = new Set(["date", "date_to"])

/** Today's date, for date fields: an assistant may know the day and month but not the year. */
const todayHint = (field: string, now: number | undefined): string =>
  now !== undefined && dateFields.has(field) ? `; today is ${new Date(now).toISOString().slice(0, 10)} in UTC` : ""

/** The value at a path of raw arguments. */
const valueAt = (raw: unknown, path: ReadonlyArray<PropertyKey>): unknown =>
  path.reduce<unknown>((value, key) => {
    if (Array.isArray(value)) return value[Number(key)]
    return isJsonObject(value) && Object.hasOwn(value, key) ? value[String(key)] : undefined
  }, raw)

/** Returns the coerced value: the same reference if nothing changes, undefined if it is blank. */
type Coerce = (value: unknown) => unknown

const plainNumber = /^[+-]?\d{1,15}(\.\d{1,10})?$/
const booleans: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["false", false]
])

/** Fields of free text, where "null" is what somebody wrote. */
const freeTexts: ReadonlySet<string> = new Set(["query", "name", "notes"])

const coerceFreeText: Coerce = (value) => {
  if (typeof value !== "string") return value ?? undefined
  const text = value.trim()
  return text === "" ? undefined : text
}
const coerceText: Coerce = (value) => {
  const text = coerceFreeText(value)
  return typeof text === "string" && isNullText(text) ? undefined : text
}
/** Codes of ISO 3166-1 and ISO 4217. */
const coerceCode: Coerce = (value) => {
  const text = coerceText(value)
  return typeof text === "string" ? text.toUpperCase() : text
}
const codeFields: ReadonlySet<string> = new Set(["country", "currency"])
const coerceNumber: Coerce = (value) => {
  const text = coerceText(value)
  return typeof text === "string" && plainNumber.test(text) ? Number(text) : text
}
const coerceBoolean: Coerce = (value) => {
  const text = coerceText(value)
  return typeof text === "string" ? (booleans.get(text.toLowerCase()) ?? text) : text
}

const isEmpty = (value: unknown): boolean =>
  Array.isArray(value) ? value.length === 0 : isJsonObject(value) && Object.keys(value).length === 0

const objectCoercion = (schema: JsonObject): Coerce => {
  const properties = isJsonObject(schema.properties) ? schema.properties : {}
  const required = new Set<unknown>(Array.isArray(schema.required) ? schema.required : [])
  const inside = new Map(Object.entries(properties).map(([name, inner]) => [name, coercionFor(inner, name)] as const))
  return (sent) => {
    const value = outOfJson(coerceText(sent))
    if (!isJsonObject(value)) return value
    let copy: Record<string, unknown> | undefined
    for (const name of Object.keys(value)) {
      // The decoder refuses unknown fields.
      const coerce = inside.get(name)
      if (coerce === undefined) continue
      const before = value[name]
      const coerced = coerce(before)
      const after = isEmpty(coerced) && !required.has(name) ? undefined : coerced
      if (after === before) continue
      copy ??= { ...value }
      if (after === undefined) delete copy[name]
      else copy[name] = after
    }
    return copy ?? value
  }
}

/** One item without its list. A text with a comma may be several, which is for the host to say. */
const isOneItem = (value: unknown): boolean => !(typeof value === "string" && /[,;[{\n]/.test(value))

const listCoercion =
  (coerce: Coerce, most: number): Coerce =>
  (sent) => {
    const read = outOfJson(coerceText(sent))
    if (read === undefined) return undefined
    const value = Array.isArray(read) ? read : isOneItem(read) ? [read] : undefined
    // A list that is too long is refused before anything looks at its entries.
    if (value === undefined || value.length > most) return read
    const after = value.map(coerce)
    return value === sent && after.every((element, i) => element !== undefined && element === value[i])
      ? value
      : after.filter((element) => element !== undefined)
  }

/**
 * Builds the coercion for a JSON Schema. It corrects what models and hosts often send (`transport/HostForms.ts`).
 * `null`, `""`, spaces, and empty objects and lists count as absent, since no field accepts them, and so does the text
 * `null` outside free text; the decoder then reports missing required fields. Text is trimmed. Numbers and booleans that
 * are sent as text are converted, objects and lists read out of JSON text, one item is a list of one. It copies only
 * what changes and goes no deeper than the schema.
 */
const coercionFor = (schema: unknown, name = ""): Coerce => {
  if (!isJsonObject(schema)) return coerceText
  switch (schema.type) {
    case "object":
      return objectCoercion(schema)
    case "array":
      return listCoercion(coercionFor(schema.items), Number(schema.maxItems))
    case "integer":
    case "number":
      return coerceNumber
    case "boolean":
      return coerceBoolean
    default:
      return freeTexts.has(name) ? coerceFreeText : codeFields.has(name) ? coerceCode : coerceText
  }
}

const maxIssues = 20
/** In UTF-16 units; more than any tool accepts. Patterns never run on longer text. */
const maxTextLength = 2000

/** `contact.email`, `child_ages[2]`; "" for the root. Long or unusual names are cut and quoted. */
const pathText = (path: ReadonlyArray<PropertyKey>): string =>
  path
    .map((key, i) => {
      if (typeof key === "number") return `[${key}]`
      const name = String(key)
      const plain = /^\w{1,60}$/.test(name) ? name : JSON.stringify(name.toWellFormed().slice(0, 60))
      return i === 0 ? plain : `.${plain}`
    })
    .join("")

const propertiesOf = (part: unknown): JsonObject | undefined =>
  isJsonObject(part) && isJsonObject(part.properties) ? part.properties : undefined

/**
 * Checks arguments against the tool's schema before anything decodes them, so that the cost of later steps depends on
 * the schema and not on the input. A list's length is checked before its entries. Values are visited
 * only if the schema has a list or an object there (the decoder reports wrong types). `faults` are values that no field
 * accepts: lists and texts that are too long, NUL characters, lone surrogates.
 */
const findFaults = (raw: unknown, schema: JsonObject) => {
  const faults: Array<ArgumentIssue> = []
  const unknown: Array<ArgumentIssue> = []
  const check = (value: unknown, part: unknown, path: ReadonlyArray<PropertyKey>): void => {
    if (faults.length >= maxIssues || unknown.length >= maxIssues) return
    const fault = (message: string) => faults.push({ path: pathText(path), message })
    if (typeof value === "string") {
      if (value.length > maxTextLength) fault(`Expected text of at most ${maxTextLength} characters`)
      else if (value.includes("\u0000")) fault("Expected text without NUL characters")
      else if (!value.isWellFormed()) fault("Expected well-formed Unicode text (it holds half a surrogate pair)")
      return
    }
    if (Array.isArray(value)) {
      if (!isJsonObject(part) || part.type !== "array") return
      const max = Number(part.maxItems)
      if (value.length > max) fault(`Expected a list of at most ${max}, not of ${value.length}`)
      else for (const [i, inner] of value.entries()) check(inner, part.items, [...path, i])
      return
    }
    const properties = propertiesOf(part)
    if (!isJsonObject(value) || properties === undefined) return
    for (const key of Object.keys(value)) {
      if (unknown.length >= maxIssues) return
      if (Object.hasOwn(properties, key)) check(value[key], properties[key], [...path, key])
      // A copy loses this key, so the decoder would not see it.
      else if (key === "__proto__") faults.push({ path: pathText([...path, key]), message: "Unknown field" })
      else unknown.push({ path: pathText([...path, key]), message: "Unknown field" })
    }
  }
  check(raw, schema, [])
  return { faults, unknown }
}

/** The part of the input schema at a path, if any. */
const partAt = (schema: JsonObject, path: ReadonlyArray<PropertyKey>): JsonObject | undefined => {
  let part: unknown = schema
  for (const key of path) {
    if (!isJsonObject(part)) return undefined
    part =
      typeof key === "number" ? part.items : isJsonObject(part.properties) ? part.properties[String(key)] : undefined
  }
  return isJsonObject(part) ? part : undefined
}

/** The innermost optional field on a path. */
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

const descriptionOf = (part: JsonObject | undefined): string =>
  typeof part?.description === "string" ? ` (${part.description.replace(/\.$/, "")})` : ""

const formatter = (schema: JsonObject, unknownFieldHint: string) => {
  // A leaf's message depends on its path. The hook does not know the path, so it returns only the kind of issue.
  const format = SchemaIssue.makeFormatterStandardSchemaV1({
    leafHook: (issue) => (issue._tag === "InvalidValue" ? SchemaIssue.defaultLeafHook(issue) : `\u0000${issue._tag}`),
    checkHook: (issue) => SchemaIssue.defaultCheckHook(issue) ?? "\u0000Filter"
  })
  return (issue: SchemaIssue.Issue, given: unknown, now: number | undefined): ReadonlyArray<ArgumentIssue> => {
    const reported = new Set<string>()
    const listed = new Set<string>()
    return format(issue).issues.flatMap(({ message, path: segments }) => {
      const path = (segments ?? []).map((segment) => (typeof segment === "object" ? segment.key : segment))
      const text = pathText(path)
      // Report one issue per field.
      if (reported.has(text)) return []
      reported.add(text)
      const part = partAt(schema, path)
      const leaveOut = leaveOutHint(optionalOn(schema, path))
      const report = (message: string) => [{ path: text, message: `${message}${leaveOut}${todayHint(text, now)}` }]
      if (message === "\u0000MissingKey") {
        return report(`Required: ${accepts(part)}${descriptionOf(part)}${askPersonHint(text)}`)
      }
      if (message === "\u0000UnexpectedKey") {
        const parent = path.slice(0, -1)
        const place = pathText(parent)
        // List the accepted fields once per object.
        if (listed.has(place)) return [{ path: text, message: unknownField(text) }]
        listed.add(place)
        const known = Object.keys(propertiesOf(partAt(schema, parent)) ?? {}).join(", ")
        const hint = parent.length === 0 ? unknownFieldHint : ""
        return [{ path: text, message: `${unknownField(text)}; accepted: ${known}${hint}` }]
      }
      if (Array.isArray(part?.enum)) {
        return report(
          `Expected ${accepts(part)}${descriptionOf(part)}${suggestionFor(valueAt(given, path), part.enum)}`
        )
      }
      return report(message.startsWith("\u0000") ? `Expected ${accepts(part)}${descriptionOf(part)}` : message)
    })
  }
}

/**
 * A decoder for one tool's arguments. Absent arguments count as `{}`, blank fields (`null`, `""`) and those of hosts as
 * absent.
 * `unknownFieldHint` is added after the list of accepted fields if a field is unknown. `now` is the time of the call in
 * milliseconds; errors about dates name its date.
 * @returns the typed input, or `InvalidArguments` with at most 20 issues.
 */
export const argumentsDecoder = <A, I>(
  schema: Schema.Codec<A, I>,
  jsonSchema: JsonObject,
  unknownFieldHint = ""
): ((input: unknown, now?: number) => Result.Result<A, InvalidArguments>) => {
  const decode = Schema.decodeUnknownResult(schema, { errors: "all", onExcessProperty: "error" })
  const format = formatter(jsonSchema, unknownFieldHint)
  const coerce = coercionFor(jsonSchema)
  return (input, now) => {
    const coerced = coerce(withoutHostFields(input ?? {}))
    const { faults, unknown } = findFaults(coerced, jsonSchema)
    if (faults.length > 0) return Result.fail(new InvalidArguments({ issues: faults }))
    const asked = unknown.length > 0 ? ({ asks_venue: true } as const) : {}
    if (unknown.length >= maxIssues) return Result.fail(new InvalidArguments({ issues: unknown, ...asked }))
    return Result.mapError(
      decode(coerced),
      (error) => new InvalidArguments({ issues: format(error.issue, coerced, now).slice(0, maxIssues), ...asked })
    )
  }
}
