/**
 * Locates faults in a JSON text (RFC 8259) for its author: the first syntax error, duplicate names, and the positions
 * of its parts. The runtime's own parser often gives no position. `jsonc-parser` gives the beginning of a string for a
 * fault in its middle, and its stack overflows in deep texts.
 */

interface JsonFault {
  /** The offset in the text. */
  readonly at: number
  /** The expected text. */
  readonly expected: string
}

/** The path of a part from the root: names and list positions. */
export type JsonPath = ReadonlyArray<string | number>

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
