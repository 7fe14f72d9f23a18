/** `playroom catalogue …`: the catalogue file. */
import { Console, Effect, FileSystem, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { CatalogueFile, parseCatalogue } from "../catalogue/file/CatalogueFile.ts"
import { jsonFault } from "../kernel/JsonFault.ts"
import { CommandFailed } from "./Failure.ts"
import { json, plain, print, table } from "./Output.ts"

const file = Argument.String("file").pipe(
  Argument.withDescription("A catalogue file (JSON), as `catalogue export` writes it")
)

// Some editors put it in front; it is no part of the JSON.
const byteOrderMark = /^\uFEFF/

/** The line that a person looks for, unless it is too long to show. */
const seen = (text: string, line: number): string => {
  const shown = (text.split(/\r\n|\n|\r/)[line - 1] ?? "").trim()
  return shown === "" || shown.length > 120 ? "." : `.\n  ${plain(shown)}`
}

const read = Effect.fnUntraced(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  const text = yield* files.readFileString(path).pipe(
    Effect.mapError(
      ({ reason }) =>
        new CommandFailed({
          message:
            reason._tag === "NotFound" ? `There is no file ${path}.` : `${path} can't be read: ${reason.message}.`
        })
    )
  )
  const json = text.replace(byteOrderMark, "")
  return yield* Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Unknown))(json).pipe(
    Effect.mapError(() => {
      const fault = jsonFault(json)
      const where =
        fault === undefined
          ? "."
          : `: line ${fault.line}, column ${fault.column}: there should be ${fault.expected}${seen(json, fault.line)}`
      return new CommandFailed({ message: `${path} is not JSON${where}` })
    })
  )
})

export const importFile = Command.make(
  "import",
  {
    file,
    force: Flag.Boolean("force").pipe(
      Flag.withDescription(
        "Also where bookings are in the way of a closure or a smaller capacity; they keep their places"
      ),
      Flag.withDefault(false)
    ),
    json
  },
  Effect.fn(function* ({ file, force, json }) {
    const content = yield* read(file)
    const catalogue = yield* CatalogueFile
    const done = yield* catalogue.importFile(content, { force })
    const row = (
      name: string,
      counts: {
        readonly added: number
        readonly changed: number
        readonly unchanged?: number
        readonly removed?: number
      }
    ) => [name, counts.added, counts.changed, counts.unchanged ?? "-", counts.removed ?? "-"].map(String)
    const notes = [
      done.off_sale.length === 0 ? "" : `\nNo longer on sale: ${done.off_sale.join(", ")}`,
      done.playrooms_not_in_file.length === 0
        ? ""
        : `\nNot in the file, left as they are: ${done.playrooms_not_in_file.join(", ")}`,
      done.overridden.length === 0
        ? ""
        : `\nBookings that keep their places: ${done.overridden.map(({ reference }) => reference).join(", ")}`
    ]
    yield* print(
      json,
      done,
      table(
        ["", "ADDED", "CHANGED", "UNCHANGED", "REMOVED"],
        [
          row("operators", done.operators),
          row("playrooms", done.playrooms),
          row("packages", done.packages),
          row("add-ons", done.add_ons),
          row("closures", done.closures)
        ]
      ) + notes.join("")
    )
  })
).pipe(Command.withDescription("Write a catalogue file into the database: all of it, or nothing"))

export const exportFile = Command.make(
  "export",
  {},
  Effect.fn(function* () {
    const content = yield* CatalogueFile.use((service) => service.exportFile)
    yield* Console.log(JSON.stringify(content, null, 2))
  })
).pipe(Command.withDescription("Print the whole catalogue as a file; importing it changes nothing"))

/** Needs no database. */
export const check = Command.make(
  "check",
  { file, json },
  Effect.fn(function* ({ file, json }) {
    const catalogue = yield* Effect.flatMap(read(file), parseCatalogue)
    const counts = { operators: catalogue.operators.length, playrooms: catalogue.playrooms.length }
    yield* print(
      json,
      { valid: true, ...counts },
      `${file} is a valid catalogue: ${counts.operators} operators, ${counts.playrooms} playrooms.`
    )
  })
).pipe(Command.withDescription("Check a catalogue file without touching the database"))
