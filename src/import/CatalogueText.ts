/** The text of a catalogue file, JSON or YAML: its content, and the line on which each fault stands. */
import { Effect, Schema } from "effect"
import { jsonFault } from "../kernel/JsonFault.ts"
import { type JsonPath, jsonPlaces, repeatedName } from "../kernel/JsonPlaces.ts"
import { CatalogueInvalid } from "./CatalogueSchema.ts"
import { readYaml } from "./CatalogueYaml.ts"

/** A text that is neither JSON nor YAML, or too large. The message begins where the file's name stands before it: "is not JSON: line 3 …". */
export class CatalogueUnreadable extends Schema.TaggedError<CatalogueUnreadable>()("CatalogueUnreadable", {
  message: Schema.String
}) {}

export interface CatalogueText {
  readonly content: unknown
  /** The same faults with the line and column at which each stands, in the file's order. */
  readonly placed: (fault: CatalogueInvalid) => CatalogueInvalid
}

/** YAML takes a second and 50 MB of memory for each MB; a file for which that is too much is JSON. */
export const mostYaml = 8_000_000
/** What fits into one text of the runtime, and twice into the memory of a small machine. */
export const mostJson = 200_000_000

/** The file that `playroom catalogue new` writes. */
export const starterFile = new URL("starter.yaml", import.meta.url)

// Some editors put it in front; it is no part of the content.
const byteOrderMark = /^\uFEFF/
const lineEnd = /\r\n|\n|\r/g

/** Says on which line an offset is. Both count from 1; a column is a character. It is quick where it is asked in the text's order. */
const linesOf = (text: string) => {
  const starts = [0, ...Array.from(text.matchAll(lineEnd), ({ 0: end, index }) => index + end.length)]
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
    // A bracket alone tells nothing; what stands in it does.
    const whole = /^[\s{[]*$/.test(lineAt(low).slice(0, 200)) ? lineAt(low + 1) : lineAt(low)
    const from = last.start === start && last.at <= at ? last : { start, at: start, column: 1 }
    last = { start, at, column: from.column + Array.from(text.slice(from.at, at)).length }
    return { line: low + 1, column: last.column, shown: shownLine(whole) }
  }
}

/** A line as far as it helps: control characters must not move the reader's cursor. */
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

const readJson = Effect.fnUntraced(function* (text: string): Effect.fn.Return<CatalogueText, CatalogueUnreadable> {
  const content = yield* Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Unknown))(text).pipe(
    Effect.mapError(() => {
      const fault = jsonFault(text)
      return fault === undefined
        ? new CatalogueUnreadable({ message: "is not JSON." })
        : unreadable(text, "JSON", fault.at, `there should be ${fault.expected}`)
    })
  )
  const repeated = repeatedName(text)
  if (repeated !== undefined)
    return yield* unreadable(text, "JSON", repeated.at, `${JSON.stringify(repeated.name)} stands here twice`)
  const decimals = amountWithDecimals.exec(text)
  if (decimals !== null) return yield* unreadable(text, "a catalogue", decimals.index, wholeOnly)
  return {
    content,
    placed: placing(text, (paths) =>
      jsonPlaces(text, paths).map(({ name, value }) => (/[[{]/.test(text[value] ?? "") ? (name ?? value) : value))
    )
  }
})

/**
 * Reads a file's text. It is JSON where its name says so or it begins like JSON; all else is YAML.
 */
export const readCatalogueText = Effect.fnUntraced(function* (
  name: string,
  written: string
): Effect.fn.Return<CatalogueText, CatalogueUnreadable> {
  const text = written.replace(byteOrderMark, "")
  if (/\.json$/i.test(name) || (/^\s*[{[]/.test(text) && !/\.ya?ml$/i.test(name))) return yield* readJson(text)
  if (text.length > mostYaml)
    return yield* new CatalogueUnreadable({
      message: `is too large: a YAML file may have ${mostYaml / 1e6} MB. Larger ones are read as JSON, which is quicker.`
    })
  const { placeOf, value } = yield* readYaml(text, (field, written) =>
    amounts.includes(field) && written.includes(".") ? wholeOnly : undefined
  ).pipe(
    Effect.mapError(({ at, reason }) => unreadable(text, reason === wholeOnly ? "a catalogue" : "YAML", at, reason))
  )
  return { content: value, placed: placing(text, (paths) => paths.map(placeOf)) }
})
