/** Finds where a text is not JSON, for its author: the runtime's own parser often names no place. */

interface JsonFault {
  /** The offset in the text. */
  readonly at: number
  /** Both count from 1; a column is a character. */
  readonly line: number
  readonly column: number
  readonly expected: string
}

const blank = /[ \t\n\r]*/y
// RFC 8259, sections 6 and 7.
const number = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
// eslint-disable-next-line no-control-regex
const characters = /(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/y
const word = /true|false|null/y

const placeOf = (text: string, at: number): Omit<JsonFault, "expected"> => {
  const before = text.slice(0, at).split(/\r\n|\n|\r/)
  return { at, line: before.length, column: [...(before.at(-1) ?? "")].length + 1 }
}

/** The first place at which `text` is not JSON (RFC 8259), and what should stand there; undefined where all of it is. */
export const jsonFault = (text: string): JsonFault | undefined => {
  let at = 0
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at
    const found = pattern.exec(text)
    if (found !== null) at += found[0].length
    return found !== null
  }
  const fault = (expected: string): JsonFault => ({ ...placeOf(text, at), expected })
  /** A string from its opening quote on; what is wrong with it, if anything is. */
  const string = (): JsonFault | undefined => {
    const start = at++
    take(characters)
    if (text[at] === '"') {
      at++
      return undefined
    }
    if (text[at] === "\\") return fault('a known escape after the backslash (\\n, \\", \\\\, \\u00e9 …)')
    const open = { ...placeOf(text, start), expected: "an end of the string that begins here" }
    return at >= text.length ? open : fault("the closing quote (a line break in a string is written \\n)")
  }
  // The open brackets around the current place, innermost last. A stack, so that deep nesting costs no more than its length.
  const open: Array<"{" | "["> = []
  let expect: "value" | "first" | "name" | "after" = "value"
  for (;;) {
    take(blank)
    const next = text[at]
    const inside = open.at(-1)
    if (expect === "after") {
      if (inside === undefined) return at < text.length ? fault("the end of the file") : undefined
      const close = inside === "{" ? "}" : "]"
      if (next !== "," && next !== close) return fault(`"," or "${close}"`)
      at++
      if (next === close) open.pop()
      else expect = inside === "{" ? "name" : "value"
      continue
    }
    if (expect === "first" && next === (inside === "{" ? "}" : "]")) {
      at++
      open.pop()
      expect = "after"
      continue
    }
    if (inside === "{" && expect !== "value") {
      if (next !== '"') return fault(expect === "first" ? 'a name in double quotes, or "}"' : "a name in double quotes")
      const wrong = string()
      if (wrong !== undefined) return wrong
      take(blank)
      if (text[at] !== ":") return fault('":"')
      at++
      expect = "value"
      continue
    }
    if (next === "{" || next === "[") {
      open.push(next)
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
