/** `playroom catalogue from-csv`: a catalogue file out of spreadsheets. */
import { Console, Effect, FileSystem, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { catalogueFromCsv, type CsvFile } from "../import/CsvCatalogue.ts"
import { type CsvKind, csvKinds, csvTemplate } from "../import/CsvColumns.ts"
import { mostCsv, readCsv } from "../import/CsvTable.ts"
import { CommandFailed } from "./Failure.ts"

const read = Effect.fnUntraced(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  const [{ size }, text] = yield* Effect.all([
    files.stat(path),
    Effect.flatMap(files.stat(path), (its) => (its.size > mostCsv ? Effect.succeed("") : files.readFileString(path)))
  ]).pipe(
    Effect.mapError(
      ({ reason }) =>
        new CommandFailed({
          message:
            reason._tag === "NotFound" ? `There is no file ${path}.` : `${path} can't be read: ${reason.message}.`
        })
    )
  )
  if (size > mostCsv)
    return yield* new CommandFailed({ message: `${path} is too large: a file may have ${mostCsv / 1e6} MB.` })
  const table = yield* Effect.mapError(
    readCsv(text),
    ({ message }) => new CommandFailed({ message: `${path} ${message}` })
  )
  const file: CsvFile = { name: path, table }
  return file
})

const csv = (kind: CsvKind, what: string) =>
  Flag.optional(Flag.String(kind).pipe(Flag.withDescription(`A CSV file: ${what}`)))

export const fromCsv = Command.make(
  "from-csv",
  {
    operators: csv("operators", "operators that are new, or change"),
    playrooms: csv("playrooms", "playrooms, a row each"),
    packages: csv("packages", "packages, each with its playroom's slug; amounts like 7.50 in its currency"),
    addOns: csv("add-ons", "add-ons, each with its playroom's slug"),
    closures: csv("closures", "closures, each with its playroom's slug"),
    template: Flag.optional(
      Flag.Literals("template", csvKinds).pipe(Flag.withDescription("Print a file to begin with, and do nothing else"))
    )
  },
  Effect.fn(function* ({ addOns, template, ...flags }) {
    if (Option.isSome(template)) return yield* Console.log(csvTemplate(template.value).trimEnd())
    if (Option.isNone(flags.playrooms) || Option.isNone(flags.packages))
      return yield* new CommandFailed({
        message:
          "Name the files: --playrooms FILE --packages FILE, and if there are any --operators, --add-ons, --closures. `--template playrooms` prints one to begin with."
      })
    const file = (path: Option.Option<string>) => (Option.isNone(path) ? Effect.undefined : read(path.value))
    const content = yield* catalogueFromCsv({
      operators: yield* file(flags.operators),
      playrooms: yield* file(flags.playrooms),
      packages: yield* file(flags.packages),
      "add-ons": yield* file(addOns),
      closures: yield* file(flags.closures)
    })
    return yield* Console.log(JSON.stringify(content, null, 2))
  })
).pipe(Command.withDescription("Print a catalogue file made of CSV files, for import --dry-run and import"))
