/** `playroom catalogue import FILE|export|check FILE` */
import { Console, Effect, FileSystem, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { CatalogueFile, parseCatalogue } from "../catalogue/CatalogueFile.ts"
import { CommandFailed } from "./Failure.ts"
import { json, print, table } from "./Output.ts"

const file = Argument.String("file").pipe(
  Argument.withDescription("A catalogue file (JSON), as `catalogue export` writes it")
)

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
  return yield* Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Unknown))(text).pipe(
    Effect.mapError(() => new CommandFailed({ message: `${path} is not JSON.` }))
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
