/** Finds where the parts of a JSON text stand, for messages about them. */

/** A part's way from the root: names and list positions. */
export type JsonPath = ReadonlyArray<string | number>

/** Offsets in the text: of a part's name, where it has one, and of its value. */
interface JsonPlace {
  readonly name: number | undefined
  readonly value: number
}

const literal = /[^\s,\]}]+/y

/** The offset after the string that begins at `at`. */
const stringEnd = (text: string, at: number): number => {
  let end = text.indexOf('"', at + 1)
  for (;;) {
    let before = end
    while (text[before - 1] === "\\") before--
    if (end < 0 || (end - before) % 2 === 0) return end < 0 ? text.length : end + 1
    end = text.indexOf('"', end + 1)
  }
}

interface Frame<S> {
  readonly state: S | undefined
  readonly isList: boolean
  index: number
}

/**
 * Visits every value of a text that is JSON, outer ones first. `enter` gets what it answered for the value around this one, the step that
 * leads from there, and offsets. A stack, so that deep nesting costs no more than its length.
 */
const visit = <S>(
  text: string,
  enter: (
    around: S | undefined,
    step: string | number | undefined,
    name: number | undefined,
    value: number
  ) => S | undefined
): void => {
  const open: Array<Frame<S>> = []
  let name: string | undefined
  let nameAt: number | undefined
  let at = 0
  while (at < text.length) {
    const char = text[at]
    const frame = open.at(-1)
    if (char === "]" || char === "}") open.pop()
    else if (char === "," && frame !== undefined) frame.index++
    else if (char === '"' && frame?.isList === false && name === undefined) {
      const end = stringEnd(text, at)
      const written = text.slice(at, end)
      const parsed: unknown = written.includes("\\") ? JSON.parse(written) : written.slice(1, -1)
      name = String(parsed)
      nameAt = at
      at = end
      continue
    } else if (char !== undefined && char > " " && char !== ":" && char !== ",") {
      const step = frame === undefined ? undefined : frame.isList ? frame.index : name
      const state = enter(frame?.state, step, nameAt, at)
      name = undefined
      nameAt = undefined
      if (char === "{" || char === "[") open.push({ state, isList: char === "[", index: 0 })
      else if (char === '"') {
        at = stringEnd(text, at)
        continue
      } else {
        literal.lastIndex = at
        at += literal.exec(text)?.[0].length ?? 1
        continue
      }
    }
    at++
  }
}

/** A name that stands twice in the same object of a text that is JSON; parsers keep the last one and say nothing. */
export const repeatedName = (text: string): { readonly name: string; readonly at: number } | undefined => {
  let found: { readonly name: string; readonly at: number } | undefined
  visit<Set<string>>(text, (names, step, name, value) => {
    if (typeof step === "string" && names !== undefined && name !== undefined) {
      if (names.has(step)) found ??= { name: step, at: name }
      names.add(step)
    }
    return text[value] === "{" ? new Set() : undefined
  })
  return found
}

interface Wanted {
  readonly steps: Map<string | number, Wanted>
  readonly paths: Array<number>
}

/** Where the parts of a text that is JSON stand, in the order of `paths`. Of a part that is missing, the innermost one around it. */
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
  visit<Wanted>(text, (around, step, name, value) => {
    const wanted = step === undefined ? root : around?.steps.get(step)
    for (const i of wanted?.paths ?? []) found[i] = { name, value }
    return wanted
  })
  return found
}
