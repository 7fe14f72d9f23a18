/** What commands print: a table or lines for people, JSON with `--json` for machines. */

import * as NodeStream from "@effect/platform-node/NodeStream"
import { Console, Effect, FileSystem, Stream } from "effect"
import { Flag } from "effect/cli"
import { createReadStream } from "node:fs"
import type { BookingRow } from "../../domain/booking/Booking.ts"
import type { Outcome } from "../../platform/concurrency/Outcomes.ts"
import { codeOf } from "../../platform/errors/InvalidArguments.ts"
import { downToStep, isOnStep, stepText } from "../../platform/money/Charge.ts"
import { display, exponentOf, parseAmount } from "../../platform/money/Money.ts"
import { describeCause } from "../../platform/telemetry/LogLines.ts"
import { type Columns, xlsx } from "../../platform/files/Spreadsheet.ts"
import { counted, textOfBytes } from "../../platform/text/Text.ts"
import { format, type Instant, inUtc } from "../../platform/time/LocalTime.ts"
import { switchFlag } from "./Arguments.ts"
import { CommandFailed, failed } from "./Failure.ts"

// Reads the files that are named on the command line.

/** A failure that continues the file's name. */
export const aboutFile =
  (path: string) =>
  ({ message }: { readonly message: string }) =>
    new CommandFailed({ message: `${path} ${message}` })

/** What prevents the reading of a file, from the system's error. */
const unreadable =
  (path: string) =>
  (cause: unknown): CommandFailed => {
    const code = codeOf(cause)
    if (code === "ENOENT" || code === "ENOTDIR") return new CommandFailed({ message: `There is no file ${path}.` })
    const why =
      code === "EISDIR"
        ? "is a directory; name a file in it."
        : code === "EACCES"
          ? "can't be read by this user."
          : `can't be read (${String(code)}).`
    return new CommandFailed({ message: `${path} ${why}` })
  }

/** Reads a file of at most `maxBytes`. A pipe is read to its end, so `/dev/stdin` is standard input. */
export const readBytes = Effect.fnUntraced(function* (path: string, maxBytes: number) {
  const chunks: Array<Uint8Array> = []
  let length = 0
  // A pipe has no size before it is read, so that what was read is counted.
  yield* NodeStream.fromReadable<Uint8Array, CommandFailed>({
    evaluate: () => createReadStream(path, { end: maxBytes }),
    onError: unreadable(path)
  }).pipe(
    Stream.runForEach((chunk) =>
      Effect.sync(() => {
        chunks.push(chunk)
        length += chunk.length
      })
    )
  )
  if (length > maxBytes) return yield* failed(`${path} is too large: a file may have ${maxBytes / 1e6} MB.`)
  return Buffer.concat(chunks, length)
})

/** A file's bytes as text: UTF-8, with or without a byte-order mark. */
export const textOf = (path: string, bytes: Uint8Array) =>
  Effect.mapError(Effect.fromResult(textOfBytes(bytes)), (message) => aboutFile(path)({ message }))

export const readTextFile = (path: string, maxBytes: number) =>
  Effect.flatMap(readBytes(path, maxBytes), (bytes) => textOf(path, bytes))

// Writes the files that are named on the command line.

/** Writes a new file; false if it exists already. */
export const writeNew = Effect.fnUntraced(function* (path: string, content: string | Uint8Array) {
  const files = yield* FileSystem.FileSystem
  return yield* files.writeFile(path, Buffer.from(content), { flag: "wx" }).pipe(
    Effect.as(true),
    Effect.catch(({ reason }) =>
      reason._tag === "AlreadyExists" ? Effect.succeed(false) : failed(`${path} can't be written: ${reason.message}.`)
    )
  )
})

/** What to say of a file that is there already. */
export const thereAlready = (path: string) =>
  failed(`${path} is there already; nothing was written. Give another name.`)

export const xlsxFile = Flag.String("xlsx").pipe(
  Flag.withDescription("A new file (XLSX) to write for a spreadsheet; what would be printed stands there"),
  Flag.optional
)

/** Writes a table as a new XLSX file. */
export const writeXlsx = Effect.fnUntraced(function* <Row>(
  path: string,
  sheet: string,
  columns: Columns<Row>,
  rows: ReadonlyArray<Row>
) {
  if (!(yield* writeNew(path, yield* xlsx(sheet, columns, rows)))) return yield* thereAlready(path)
  return yield* Console.error(`Wrote ${path}: ${counted(rows.length, "row")}.`)
})

// Amounts of money in arguments and flags, in a booking's currency.

/** Why a text is no amount that can be charged or refunded. `takes`: what the argument takes besides one. */
export const amountWrong = (text: string, { currency }: Pick<BookingRow, "currency">, takes: string): string => {
  const amount = parseAmount(text, currency)
  if (amount !== undefined && amount > 0 && !isOnStep(amount, currency))
    return `The provider refunds ${currency} in steps of ${stepText(currency)}: ${display(downToStep(amount, currency), currency)}, for example, and not ${display(amount, currency)}.`
  const digits = exponentOf(currency)
  const example = (45).toFixed(digits)
  return `${takes} an amount in ${currency} with ${digits === 0 ? "no decimals" : `at most ${digits} decimals`}, like ${example}; not "${text}".`
}

export const json = switchFlag("json", "Print JSON instead of a table")

/** External text on one line, without control characters, which could move the terminal's cursor. */
export const plain = (text: string): string => text.replace(/[\p{Cc}\p{Cf}]/gu, " ")

/** A table with headings; each column is as wide as its longest cell. */
export const table = (headings: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const lines = [headings, ...rows.map((row) => row.map(plain))]
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? "").length)))
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd()
    )
    .join("\n")
}

/** `name: value` lines, names aligned; undefined values are left out. */
export const fields = (entries: ReadonlyArray<readonly [string, string | number | undefined]>): string => {
  const shown = entries.filter(([, value]) => value !== undefined)
  const width = Math.max(0, ...shown.map(([name]) => name.length))
  return shown.map(([name, value]) => `${name.padEnd(width)}  ${plain(String(value))}`).join("\n")
}

/** Instants on the command line are UTC (`inUtc`). */
export const instant = (at: number | undefined): string => (at === undefined ? "" : inUtc(at))

/** An instant by the clock of its place: `2026-12-05 14:00`. */
export const localTime = (zone: string, at: Instant): string => format(zone, at).slice(0, 16).replace("T", " ")

/** Prints `value` as JSON, or the text for people. */
export const print = (asJson: boolean, value: unknown, text: string): Effect.Effect<void> =>
  Console.log(asJson ? JSON.stringify(value, null, 2) : text)

// The report of a command that does several things. It says of each that was not done why, its last line counts what
// was done and what was not, and the command fails if anything was not done or needs a person.

const thingsFor = (open: number): string => `${counted(open, "thing needs", "things need")} a person.`

/** Fails if anything needs a person. */
export const failIfOpen = (open: number): Effect.Effect<void, CommandFailed> =>
  open === 0 ? Effect.void : failed(thingsFor(open))

interface Counts {
  readonly done: number
  readonly failed: number
  readonly not_tried: number
}

const countsOf = (outcomes: ReadonlyArray<Outcome<unknown>>): Counts => {
  const number = (which: Outcome<unknown>["outcome"]) => outcomes.filter(({ outcome }) => outcome === which).length
  return { done: number("done"), failed: number("failed"), not_tried: number("not_tried") }
}

/** `2 of 3 accounts compared, 1 failed.` */
const summary = ({ done, failed, not_tried }: Counts, { noun, verb }: Wording): string =>
  [
    `${done} of ${counted(done + failed + not_tried, noun)} ${verb}`,
    ...(failed === 0 ? [] : [`${failed} failed`]),
    ...(not_tried === 0 ? [] : [`${not_tried} not tried`])
  ].join(", ")

interface Wording {
  readonly noun: string
  /** The participle of what was done, like `compared`. */
  readonly verb: string
}

/** An outcome as data: the same facts as in the text. */
const asData = <Item>(one: Outcome<Item>, item: object) => ({
  ...item,
  outcome: one.outcome,
  ...(one.outcome === "failed" ? { reason: describeCause(one.cause) } : {})
})

/**
 * Prints the report. If an item was not done, the command fails with what was not done and why; also if `open` things
 * need a person. `name`: an item in the text;
 * `data`: in the JSON, beside its outcome. `lines`: what else there is to say, before the outcomes. `rest`: the end of
 * the last line. `value`: the rest of the JSON.
 */
export const report = Effect.fnUntraced(function* <Item>(
  json: boolean,
  outcomes: ReadonlyArray<Outcome<Item>>,
  as: Wording & {
    readonly name: (item: Item) => string
    readonly data: (item: Item) => object
    readonly lines: ReadonlyArray<string>
    readonly rest?: string
    readonly value?: object
    readonly open?: number
  }
) {
  const { lines, name, open = 0, rest = ".", value = {} } = as
  const counts = countsOf(outcomes)
  const complete = counts.failed + counts.not_tried === 0
  const last = `${summary(counts, as)}${rest}`
  const text = [...lines, ...(complete ? [last] : [])]
  const data = { ...value, outcomes: outcomes.map((one) => asData(one, as.data(one.item))), ...counts }
  if (json || text.length > 0) yield* print(json, data, text.join("\n"))
  if (complete) return yield* failIfOpen(open)
  const notDone = outcomes.flatMap((one) => {
    if (one.outcome === "done") return []
    const what = plain(name(one.item))
    return one.outcome === "failed" ? `Failed: ${what}: ${plain(describeCause(one.cause))}` : `Not tried: ${what}`
  })
  const people = open === 0 ? [] : [thingsFor(open)]
  return yield* failed([...people, ...notDone, last].join("\n"))
})
