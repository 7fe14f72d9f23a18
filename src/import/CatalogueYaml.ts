/** YAML as far as a catalogue file needs it: one document of plain maps, lists, texts, numbers and truth values (YAML 1.2, core schema). */
import { Effect } from "effect"
import type { Alias, Document, Node, Pair, YAMLMap } from "yaml"
import type { JsonPath } from "../kernel/JsonPlaces.ts"

/** What is wrong with a text, at which offset. */
export interface TextFault {
  readonly at: number
  readonly reason: string
}

export interface YamlText {
  readonly value: unknown
  /** The offset of a part; of one that is missing, that of the innermost part around it. */
  readonly placeOf: (path: JsonPath) => number
}

// An alias repeats what it names: a few lines could stand for millions of values.
const mostValues = 1_000_000

/** What an author should know of a fault that the library found, rather than its grammar. */
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
  RESOURCE_EXHAUSTION: "this is nested too deeply",
  TAB_AS_INDENT: "a line is indented with spaces, not tabs"
}

/** Reads a YAML text; `wrongNumber` says what is wrong with a number as it is written, at a name. The library is loaded when it is needed first: the service itself never reads YAML. */
export const readYaml = Effect.fnUntraced(function* (
  text: string,
  wrongNumber: (name: string, written: string) => string | undefined
): Effect.fn.Return<YamlText, TextFault> {
  const yaml = yield* Effect.promise(() => import("yaml"))
  const document: Document.Parsed = yaml.parseDocument(text, {
    prettyErrors: false,
    schema: "core",
    version: "1.2",
    // The library compares each name with all before it; `mapOf` asks a set.
    uniqueKeys: false,
    logLevel: "error"
  })
  const [error] = document.errors.toSorted((a, b) => a.pos[0] - b.pos[0])
  if (error !== undefined) return yield* Effect.fail({ at: error.pos[0], reason: reasonOf(error.code, error.message) })

  const anchors = new Map<string, Node>()
  let values = 0
  const faults: Array<TextFault> = []
  const wrong = (node: { readonly range?: readonly [number, ...Array<number>] | null | undefined }, reason: string) => {
    faults.push({ at: node.range?.[0] ?? 0, reason })
    return undefined
  }
  const anchorOf = (node: Alias) => anchors.get(node.source)
  const nameOf = (pair: Pair<unknown, unknown>): string | undefined =>
    yaml.isScalar(pair.key) && ["string", "number", "boolean"].includes(typeof pair.key.value)
      ? String(pair.key.value)
      : undefined

  const valueOf = (node: unknown): unknown => {
    if (faults.length > 0 || !yaml.isNode(node)) return null
    if (++values > mostValues) return wrong(node, "this repeats so much by aliases that the file is too large")
    if (yaml.isAlias(node)) {
      const named = anchorOf(node)
      return named === undefined ? wrong(node, `&${node.source} is not defined before this`) : valueOf(named)
    }
    if (node.tag !== undefined)
      return wrong(node, `tags like ${node.tag.replace("tag:yaml.org,2002:", "!!")} have no meaning here`)
    const value = yaml.isMap(node)
      ? mapOf(node)
      : yaml.isSeq(node)
        ? node.items.map(valueOf)
        : yaml.isScalar(node)
          ? node.value
          : null
    if (node.anchor !== undefined) anchors.set(node.anchor, node)
    return value
  }
  const mapOf = (map: YAMLMap): unknown => {
    const names = new Set<string>()
    return Object.fromEntries(
      map.items.map((pair) => {
        const name = nameOf(pair)
        const named = yaml.isNode(pair.key) ? pair.key : map
        if (name === undefined) wrong(named, "a name should be a text")
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

  // A map may have as many faults as names: to look through all of it for each would take the square of their number.
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
        while (yaml.isAlias(node)) node = anchorOf(node)
        if (yaml.isMap(node)) {
          const pair = pairsOf(node).get(step)
          if (pair === undefined) break
          // A list or map is shown by the line of its name, a single value by its own place.
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

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)
