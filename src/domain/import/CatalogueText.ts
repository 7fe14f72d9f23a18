/**
 * The text of a catalogue file, JSON or YAML: its content, and the line of each fault. Supports only the YAML that the
 * file needs: one document of plain maps, lists, texts, numbers and booleans (YAML 1.2, core schema).
 */
import { Effect, Schema } from "effect"
import type { Alias, Document, Node, Pair, YAMLMap } from "yaml"
import { CatalogueInvalid, maxPlayrooms } from "./CatalogueSchema.ts"

// Locates faults in a JSON text (RFC 8259) for its author: the first syntax error, duplicate names, and the positions
// of its parts. The runtime's own parser often gives no position. `jsonc-parser` gives the beginning of a string for a
// fault in its middle, and its stack overflows in deep texts.

interface JsonFault {
  /** The offset in the text. */
  readonly at: number
  /** The expected text. */
  readonly expected: string
}

/** The path of a part from the root: names and list positions. */
type JsonPath = ReadonlyArray<string | number>

/** Offsets in the text: of a part's name, if it has one, and of its value. */
interface JsonPlace {
  readonly name: number | undefined
  readonly value: number
}

/**
 * Visits a value before its parts: with the result for the value around it, the step from there, and offsets. `ends`
 * ends the scan.
 */
type Enter<S> = (
  around: S | undefined,
  step: string | number | undefined,
  name: number | undefined,
  value: number
) => S | undefined | typeof ends
const ends = Symbol("ends")

interface Frame<S> {
  readonly close: "}" | "]"
  readonly state: S | undefined
  /** The name or the list position of the current part, and the name's offset. */
  step: string | number
  name: number | undefined
}

// RFC 8259, sections 6 and 7.
const number = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
// eslint-disable-next-line no-control-regex
const characters = /[^"\\\u0000-\u001f]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
const word = /true|false|null/y

const nameOf = (written: string): string => String(written.includes("\\") ? JSON.parse(written) : written.slice(1, -1))

/**
 * Calls `enter` for each value of a text, outer ones first. Uses its own stack, so that deep nesting costs no more than
 * its length.
 */
const scan = <S>(text: string, enter: Enter<S>): JsonFault | undefined => {
  let at = 0
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at
    if (!pattern.test(text)) return false
    at = pattern.lastIndex
    return true
  }
  const skipBlanks = (): void => {
    for (let code = text.charCodeAt(at); code === 32 || code === 10 || code === 13 || code === 9;)
      code = text.charCodeAt(++at)
  }
  const fault = (expected: string): JsonFault => ({ at, expected })
  /** Reads a string from its opening quote on. Returns its fault, if it has one. */
  const string = (): JsonFault | undefined => {
    const start = at++
    // One run or escape after the other: a pattern for all of them would remember each, and overflow its stack.
    while (take(characters));
    if (text[at] === '"') {
      at++
      return undefined
    }
    if (text[at] === "\\") return fault('a known escape after the backslash (\\n, \\", \\\\, \\u00e9 …)')
    if (at >= text.length) return { at: start, expected: "an end of the string that begins here" }
    return fault("the closing quote (a line break in a string is written \\n)")
  }
  // The open brackets around the current place, innermost last.
  const open: Array<Frame<S>> = []
  let expect: "value" | "first" | "name" | "after" = "value"
  for (;;) {
    skipBlanks()
    const next = text[at]
    const inside = open.at(-1)
    if (expect === "after") {
      if (inside === undefined) return at < text.length ? fault("the end of the file") : undefined
      if (next !== "," && next !== inside.close) return fault(`"," or "${inside.close}"`)
      at++
      if (next === inside.close) open.pop()
      else {
        if (typeof inside.step === "number") inside.step++
        expect = inside.close === "}" ? "name" : "value"
      }
      continue
    }
    if (expect === "first" && next === inside?.close) {
      at++
      open.pop()
      expect = "after"
      continue
    }
    if (inside?.close === "}" && expect !== "value") {
      if (next !== '"') return fault(expect === "first" ? 'a name in double quotes, or "}"' : "a name in double quotes")
      const start = at
      const wrong = string()
      if (wrong !== undefined) return wrong
      inside.step = nameOf(text.slice(start, at))
      inside.name = start
      skipBlanks()
      if (text[at] !== ":") return fault('":"')
      at++
      expect = "value"
      continue
    }
    const state = enter(inside?.state, inside?.step, inside?.name, at)
    if (state === ends) return undefined
    if (next === "{" || next === "[") {
      const close = next === "{" ? "}" : "]"
      open.push({ close, state, step: close === "}" ? "" : 0, name: undefined })
      at++
      expect = "first"
      continue
    }
    if (next === '"') {
      const wrong = string()
      if (wrong !== undefined) return wrong
    } else if (!take(number) && !take(word)) {
      return fault(expect === "first" ? 'a value, or "]"' : "a value")
    }
    expect = "after"
  }
}

/** How much a text may have: parts of one list or object, values in all, and lists and objects within each other. */
interface JsonBounds {
  readonly parts: number
  readonly values: number
  readonly depth: number
}

/** What is wrong with a text: a syntax error, a name twice in an object (parsers keep the last one), or a bound. */
export type JsonText =
  | ({ readonly kind: "syntax" } & JsonFault)
  | { readonly kind: "repeated"; readonly at: number; readonly name: string }
  | { readonly kind: keyof JsonBounds; readonly at: number }

/** The first fault of a text; undefined if it is valid JSON within the bounds. It costs no more than its bounds. */
export const jsonTextFault = (text: string, bounds: JsonBounds): JsonText | undefined => {
  interface Around {
    readonly names: Set<string> | undefined
    readonly depth: number
    readonly at: number
    parts: number
  }
  let repeated: JsonText | undefined
  let over: JsonText | undefined
  let values = 0
  const fault = scan<Around>(text, (around, step, name, at) => {
    const opened = text[at]
    const opens = opened === "{" || opened === "["
    const depth = (around?.depth ?? 0) + 1
    if (around !== undefined && ++around.parts > bounds.parts) over = { kind: "parts", at: around.at }
    else if (++values > bounds.values) over = { kind: "values", at }
    else if (opens && depth > bounds.depth) over = { kind: "depth", at }
    if (over !== undefined) return ends
    if (typeof step === "string" && name !== undefined) {
      if (around?.names?.has(step)) repeated ??= { kind: "repeated", name: step, at: name }
      around?.names?.add(step)
    }
    if (!opens) return undefined
    return { names: opened === "{" ? new Set() : undefined, depth, at: name ?? at, parts: 0 }
  })
  return over ?? (fault === undefined ? repeated : { kind: "syntax", ...fault })
}

interface Wanted {
  readonly steps: Map<string | number, Wanted>
  readonly paths: Array<number>
}

/**
 * The positions of parts of a valid JSON text, in the order of `paths`. For a missing part, the innermost one around
 * it.
 */
export const jsonPlaces = (text: string, paths: ReadonlyArray<JsonPath>): ReadonlyArray<JsonPlace> => {
  const root: Wanted = { steps: new Map(), paths: [] }
  for (const [i, path] of paths.entries()) {
    let node = root
    node.paths.push(i)
    for (const step of path) {
      let next = node.steps.get(step)
      if (next === undefined) node.steps.set(step, (next = { steps: new Map(), paths: [] }))
      next.paths.push(i)
      node = next
    }
  }
  const found: Array<JsonPlace> = paths.map(() => ({ name: undefined, value: 0 }))
  scan<Wanted>(text, (around, step, name, value) => {
    const wanted = step === undefined ? root : around?.steps.get(step)
    for (const i of wanted?.paths ?? []) found[i] = { name, value }
    return wanted
  })
  return found
}

/** A fault of a text, and its offset. */
interface TextFault {
  readonly at: number
  readonly reason: string
}

interface YamlText {
  readonly value: unknown
  /** The offset of a part. If it is missing, the offset of the innermost part around it. */
  readonly placeOf: (path: JsonPath) => number
}

/** Of any list or object of a file. */
const maxParts = maxPlayrooms
/** Of a file as JSON, or as YAML with the parts that aliases repeat: a few lines could stand for millions. */
const maxValues = 2_000_000
const maxDepth = 100
const tooMany = `this has more than ${maxParts} entries`
const tooDeep = "this is nested too deeply"
const mergeKey = "merge keys (<<) are not supported: write the fields out, or repeat a whole part by an alias"
/** What to do about a file that is too large. */
const split = `A file may have ${maxPlayrooms} playrooms. Split it: playrooms that a file does not name stay as they are.`

/** A fault of the library, in an author's words rather than its grammar's. */
const reasonOf = (code: string, message: string): string =>
  code === "BAD_INDENT" || message.startsWith("Sequence item without")
    ? message.startsWith("Flow ")
      ? "a bracket that was opened before this is not closed"
      : "this is indented otherwise than the lines beside it"
    : (reasons[code] ?? lowerFirst(message))

const reasons: Readonly<Record<string, string>> = {
  BAD_SCALAR_START: "a text that begins with this character needs quotes",
  BLOCK_AS_IMPLICIT_KEY: 'one "name: value" is enough on a line; a text that has ": " in it needs quotes',
  MULTIPLE_DOCS: 'there should be one document, without "---" between parts',
  RESOURCE_EXHAUSTION: tooDeep,
  TAB_AS_INDENT: "a line is indented with spaces, not tabs"
}

/**
 * Reads a YAML text. `wrongNumber` returns the fault of a number as written, by its name. The library is loaded on
 * first use: the service itself never reads YAML.
 */
const readYaml = Effect.fnUntraced(function* (
  text: string,
  wrongNumber: (name: string, written: string) => string | undefined
): Effect.fn.Return<YamlText, TextFault> {
  const yaml = yield* Effect.promise(() => import("yaml"))
  const document: Document.Parsed = yaml.parseDocument(text, {
    prettyErrors: false,
    schema: "core",
    version: "1.2",
    // The library compares each name with all before it; `mapOf` uses a set.
    uniqueKeys: false,
    logLevel: "error"
  })
  const [error] = document.errors.toSorted((a, b) => a.pos[0] - b.pos[0])
  if (error !== undefined) return yield* Effect.fail({ at: error.pos[0], reason: reasonOf(error.code, error.message) })

  // A name may be given to another part later on: an alias stands for the last one before it, wherever it is repeated.
  const anchors = new Map<string, Node>()
  const anchored = new Set<Node>()
  const targets = new Map<Alias, Node>()
  let values = 0
  const faults: Array<TextFault> = []
  const wrong = (node: { readonly range?: readonly [number, ...Array<number>] | null | undefined }, reason: string) => {
    faults.push({ at: node.range?.[0] ?? 0, reason })
    return undefined
  }
  const targetOf = (alias: Alias): Node | undefined => {
    const target = targets.get(alias) ?? anchors.get(alias.source)
    if (target !== undefined) targets.set(alias, target)
    return target
  }
  const nameOf = (pair: Pair<unknown, unknown>): string | undefined =>
    yaml.isScalar(pair.key) && ["string", "number", "boolean"].includes(typeof pair.key.value)
      ? String(pair.key.value)
      : undefined

  const valueOf = (node: unknown): unknown => {
    if (faults.length > 0 || !yaml.isNode(node)) return null
    if (++values > maxValues) return wrong(node, "this repeats so much by aliases that the file is too large")
    if (yaml.isAlias(node)) {
      const named = targetOf(node)
      return named === undefined ? wrong(node, `&${node.source} is not defined before this`) : valueOf(named)
    }
    if (node.tag !== undefined)
      return wrong(node, `tags like ${node.tag.replace("tag:yaml.org,2002:", "!!")} have no meaning here`)
    if (yaml.isCollection(node) && node.items.length > maxParts) return wrong(node, tooMany)
    const value = yaml.isMap(node)
      ? mapOf(node)
      : yaml.isSeq(node)
        ? node.items.map(valueOf)
        : yaml.isScalar(node)
          ? node.value
          : null
    if (node.anchor !== undefined && !anchored.has(node)) {
      anchored.add(node)
      anchors.set(node.anchor, node)
    }
    return value
  }
  const mapOf = (map: YAMLMap): unknown => {
    const names = new Set<string>()
    return Object.fromEntries(
      map.items.map((pair) => {
        const name = nameOf(pair)
        const named = yaml.isNode(pair.key) ? pair.key : map
        if (name === undefined) wrong(named, "a name should be a text")
        // Otherwise each field that the merge should bring would be reported as missing.
        else if (name === "<<") wrong(named, mergeKey)
        else if (names.has(name)) wrong(named, "this name stands here twice")
        else names.add(name)
        const value = valueOf(pair.value)
        if (typeof value === "number" && yaml.isScalar(pair.value)) {
          const reason = wrongNumber(name ?? "", pair.value.source ?? "")
          if (reason !== undefined) wrong(pair.value, reason)
        }
        return [name ?? "", value]
      })
    )
  }

  // A map may have as many faults as names, and searching all of it for each would take quadratic time.
  const pairsByName = new Map<YAMLMap, ReadonlyMap<string | number, Pair<unknown, unknown>>>()
  const pairsOf = (map: YAMLMap) => {
    const known = pairsByName.get(map)
    if (known !== undefined) return known
    const pairs = new Map(map.items.map((pair) => [nameOf(pair) ?? "", pair]))
    pairsByName.set(map, pairs)
    return pairs
  }

  const value = valueOf(document.contents)
  const [fault] = faults
  if (fault !== undefined) return yield* Effect.fail(fault)
  return {
    value,
    placeOf: (path) => {
      let at = 0
      let node: unknown = document.contents
      for (const [i, step] of path.entries()) {
        while (yaml.isAlias(node)) node = targetOf(node)
        if (yaml.isMap(node)) {
          const pair = pairsOf(node).get(step)
          if (pair === undefined) break
          // A list or map is shown by the line of its name, a single value by its own.
          const last = i === path.length - 1
          const shown = last && yaml.isScalar(pair.value) && pair.value.value !== null ? pair.value : pair.key
          at = yaml.isNode(shown) ? (shown.range?.[0] ?? at) : at
          node = pair.value
        } else if (yaml.isSeq(node)) {
          node = typeof step === "number" ? node.items[step] : undefined
          at = yaml.isNode(node) ? (node.range?.[0] ?? at) : at
        } else break
      }
      return at
    }
  }
})

/**
 * Where a YAML text has too much to be read, or nests too deeply; undefined if it does neither. Costs a second at most,
 * since it ends there.
 */
const excessOfYaml = Effect.fnUntraced(function* (text: string) {
  const { Lexer } = yield* Effect.promise(() => import("yaml"))
  let tokens = 0
  let depth = 0
  // Colons without a comma or a new line between them: the parser calls itself for each.
  let colons = 0
  let at = 0
  let before = ""
  for (const token of new Lexer().lex(text)) {
    tokens += token.split("\n").length
    if (tokens > maxYamlTokens) return { at, deep: false }
    const isScalar = before === beginsScalar
    if (!isScalar && (token === "[" || token === "{") && ++depth > maxDepth) return { at, deep: true }
    if (!isScalar && (token === "]" || token === "}")) depth--
    if (!isScalar && (token === "," || (depth <= 0 && token.endsWith("\n")))) colons = 0
    if (!isScalar && token === ":" && ++colons > maxDepth) return { at, deep: true }
    before = token
    if (!noText.has(token)) at += token.length
  }
  return undefined
})
// Tokens of the lexer that are no text: they begin a document or a scalar.
const beginsScalar = "\u001f"
const noText: ReadonlySet<string> = new Set(["\u0002", "\u0018", beginsScalar])

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)

/**
 * A text that is neither JSON nor YAML, or too large. The message continues the file's name: "is not JSON: line 3 …".
 */
class CatalogueUnreadable extends Schema.TaggedError<CatalogueUnreadable>()("CatalogueUnreadable", {
  message: Schema.String
}) {}

interface CatalogueText {
  readonly content: unknown
  /** The same faults with their lines and columns, in the file's order. */
  readonly placed: (fault: CatalogueInvalid) => CatalogueInvalid
}

/** YAML takes a second and 100 MB of memory for each MB. A larger file must be JSON. */
export const maxYamlLength = 8_000_000
/** Of a YAML file: words, marks, spaces and lines. Each has an object while the file is read. */
const maxYamlTokens = 1_000_000
/** Five thousand characters for each playroom that there may be. */
export const maxJsonBytes = 100_000_000

/** The file that `playroom catalogue new` writes. */
export const starterFile = new URL("starter.yaml", import.meta.url)

const lineEnd = /\r\n|\n|\r/g

/**
 * Returns the line and column of an offset. Both count from 1; a column is a character. Offsets in ascending order are
 * quick.
 */
const linesOf = (text: string) => {
  const starts = [0]
  for (const { 0: end, index } of text.matchAll(lineEnd)) starts.push(index + end.length)
  // A whole file may be one line, with a fault at each step.
  let last = { start: 0, at: 0, column: 1 }
  return (at: number): { readonly line: number; readonly column: number; readonly shown: string } => {
    let low = 0
    let high = starts.length - 1
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((starts[middle] ?? 0) <= at) low = middle
      else high = middle - 1
    }
    const start = starts[low] ?? 0
    const lineAt = (nth: number) => text.slice(starts[nth] ?? text.length, starts[nth + 1] ?? text.length)
    // A bracket alone explains nothing; its content does.
    const whole = /^[\s{[]*$/.test(lineAt(low).slice(0, 200)) ? lineAt(low + 1) : lineAt(low)
    const from = last.start === start && last.at <= at ? last : { start, at: start, column: 1 }
    last = { start, at, column: from.column + Array.from(text.slice(from.at, at)).length }
    return { line: low + 1, column: last.column, shown: shownLine(whole) }
  }
}

/** A line for display. Control characters must not move the reader's cursor. */
const shownLine = (line: string): string => {
  const plain = line
    .slice(0, 400)
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, " ")
    .trim()
  return plain.length > 120 ? "" : plain
}

/** `playrooms[0].name` as its steps. */
const stepsOf = (path: string): JsonPath =>
  path === "file"
    ? []
    : [...path.matchAll(/\[(\d+)\]|[^.[\]]+/g)].map(([name, index]) => (index === undefined ? name : Number(index)))

const placing =
  (text: string, placesOf: (paths: ReadonlyArray<JsonPath>) => ReadonlyArray<number>) =>
  ({ issues }: CatalogueInvalid): CatalogueInvalid => {
    const lineOf = linesOf(text)
    const places = placesOf(issues.map(({ path }) => stepsOf(path)))
    return new CatalogueInvalid({
      issues: issues
        .map((issue, i) => ({ issue, at: places[i] ?? 0 }))
        .sort((a, b) => a.at - b.at)
        .map(({ at, issue }) => ({ ...issue, place: lineOf(at) }))
    })
  }

const unreadable = (text: string, format: "JSON" | "YAML" | "a catalogue", at: number, reason: string) => {
  const { column, line, shown } = linesOf(text)(at)
  const seen = shown === "" ? "." : `.\n  ${shown}`
  return new CatalogueUnreadable({ message: `is not ${format}: line ${line}, column ${column}: ${reason}${seen}` })
}

// Readers take 200.00 for 200, which would be £2.
const wholeOnly = "an amount is a whole number of the smallest unit (pence, cents), without decimals: 20000 for 200.00"
const amounts = ["base", "extra_child", "adult", "amount", "unit_amount"]
const amountWithDecimals = new RegExp(`"(?:${amounts.join("|")})"\\s*:\\s*-?\\d+\\.\\d`)

/** A file that has too much. */
const tooLarge = (reason: string) => new CatalogueUnreadable({ message: `is too large: ${reason} ${split}` })

const readJson = Effect.fnUntraced(function* (text: string): Effect.fn.Return<CatalogueText, CatalogueUnreadable> {
  const fault = jsonTextFault(text, { parts: maxParts, values: maxValues, depth: maxDepth })
  switch (fault?.kind) {
    case "syntax":
      return yield* unreadable(text, "JSON", fault.at, `there should be ${fault.expected}`)
    case "repeated":
      return yield* unreadable(text, "JSON", fault.at, `${JSON.stringify(fault.name)} stands here twice`)
    case "depth":
      return yield* unreadable(text, "a catalogue", fault.at, tooDeep)
    case "parts":
      return yield* tooLarge(`line ${linesOf(text)(fault.at).line}: ${tooMany}.`)
    case "values":
      return yield* tooLarge(`it has more than ${maxValues} values (up to line ${linesOf(text)(fault.at).line}).`)
  }
  const content = yield* Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Unknown))(text).pipe(
    Effect.mapError(() => new CatalogueUnreadable({ message: "is not JSON." }))
  )
  const decimals = amountWithDecimals.exec(text)
  if (decimals !== null) return yield* unreadable(text, "a catalogue", decimals.index, wholeOnly)
  return {
    content,
    placed: placing(text, (paths) =>
      jsonPlaces(text, paths).map(({ name, value }) => (/[[{]/.test(text[value] ?? "") ? (name ?? value) : value))
    )
  }
})

/** Reads a file's text. It is JSON if its name says so or if it begins like JSON, otherwise YAML. */
export const readCatalogueText = Effect.fnUntraced(function* (
  name: string,
  text: string
): Effect.fn.Return<CatalogueText, CatalogueUnreadable> {
  if (/\.json$/i.test(name) || (/^\s*[{[]/.test(text) && !/\.ya?ml$/i.test(name))) return yield* readJson(text)
  if (text.length > maxYamlLength)
    return yield* tooLarge(`a YAML file may have ${maxYamlLength / 1e6} MB. Larger ones are read as JSON.`)
  const excess = yield* excessOfYaml(text)
  if (excess?.deep === true) return yield* unreadable(text, "YAML", excess.at, tooDeep)
  if (excess !== undefined)
    return yield* tooLarge(
      `of YAML, only what stands up to line ${linesOf(text)(excess.at).line} could be read (${maxYamlTokens} words and marks). Larger files are read as JSON.`
    )
  const { placeOf, value } = yield* readYaml(text, (field, written) =>
    amounts.includes(field) && written.includes(".") ? wholeOnly : undefined
  ).pipe(
    Effect.mapError(({ at, reason }) =>
      reason === tooMany
        ? tooLarge(`line ${linesOf(text)(at).line}: ${tooMany}.`)
        : unreadable(text, reason === wholeOnly ? "a catalogue" : "YAML", at, reason)
    )
  )
  return { content: value, placed: placing(text, (paths) => paths.map(placeOf)) }
})
