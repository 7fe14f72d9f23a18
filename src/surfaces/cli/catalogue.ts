/** `playroom catalogue …`: the catalogue file. */
import { fileURLToPath } from "node:url"
import { Console, Effect, FileSystem, Option, Path } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Operators } from "../../domain/catalogue/Operators.ts"
import { AppConfig } from "../../platform/config/AppConfig.ts"
import { CatalogueFile } from "../../domain/import/CatalogueFile.ts"
import { catalogueJsonSchema } from "../../domain/import/CatalogueJsonSchema.ts"
import { maxJsonBytes, readCatalogueText, starterFile } from "../../domain/import/CatalogueText.ts"
import {
  catalogueFromCsv,
  type CsvFile,
  maxCsvBytes,
  readCsv,
  type CsvKind,
  csvKinds,
  csvTemplate
} from "../../domain/import/CsvCatalogue.ts"
import { parseCatalogue } from "../../domain/import/ParseCatalogue.ts"
import { attempt } from "../../platform/concurrency/Outcomes.ts"
import { switchFlag } from "./Arguments.ts"
import { failed } from "./Failure.ts"
import { json, print, report, aboutFile, readTextFile } from "./Output.ts"
import {
  demoRemoved,
  importedText,
  inTheWayText,
  planText,
  progressLines,
  withoutAccountText
} from "./catalogueImport.ts"

export const schema = Command.make("schema", {}, () =>
  Console.log(JSON.stringify(catalogueJsonSchema(), null, 2))
).pipe(Command.withDescription("Print the catalogue file's JSON Schema, by which editors complete and check it"))

const schemaName = "catalogue.schema.json"

/** Writes a new file; false if it exists already. */
const writeNew = Effect.fnUntraced(function* (path: string, text: string) {
  const files = yield* FileSystem.FileSystem
  return yield* files.writeFileString(path, text, { flag: "wx" }).pipe(
    Effect.as(true),
    Effect.catch(({ reason }) =>
      reason._tag === "AlreadyExists" ? Effect.succeed(false) : failed(`${path} can't be written: ${reason.message}.`)
    )
  )
})

export const starter = Command.make(
  "new",
  {
    file: Argument.String("file").pipe(
      Argument.withDescription("The file to write; catalogue.yaml where none is given"),
      Argument.withDefault("catalogue.yaml")
    )
  },
  Effect.fn(function* ({ file }) {
    const files = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const text = yield* Effect.orDie(files.readFileString(fileURLToPath(starterFile)))
    if (!(yield* writeNew(file, text)))
      return yield* failed(`${file} is there already; nothing was written. Give another name.`)
    const beside = path.join(path.dirname(file), schemaName)
    const schema = yield* attempt(beside, writeNew(beside, `${JSON.stringify(catalogueJsonSchema(), null, 2)}\n`))
    const wrote = schema.outcome === "done" && schema.value
    return yield* report(false, [{ item: file, outcome: "done", value: true }, schema], {
      noun: "file",
      verb: "there",
      name: (name) => name,
      data: (name) => ({ name }),
      lines: [
        `Wrote ${file}${wrote ? `, and beside it ${schemaName}, by which editors complete it` : ""}. Change it to what you have, then:`,
        `  playroom catalogue check ${file}`,
        `  playroom catalogue import ${file}`,
        ...(schema.outcome === "done" && !wrote ? [`${beside} was there already, and is as it was.`] : [])
      ]
    })
  })
).pipe(Command.withDescription("Write a commented catalogue file to start from; it never overwrites one"))

const readTable = Effect.fnUntraced(function* (path: string) {
  const text = yield* readTextFile(path, maxCsvBytes)
  const file: CsvFile = { name: path, table: yield* Effect.mapError(readCsv(text), aboutFile(path)) }
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
      return yield* failed(
        "Name the files: --playrooms FILE --packages FILE, and if there are any --operators, --add-ons, --closures. `--template playrooms` prints one to begin with."
      )
    const file = (path: Option.Option<string>) => (Option.isNone(path) ? Effect.undefined : readTable(path.value))
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

const file = Argument.String("file").pipe(Argument.withDescription("A catalogue file, YAML or JSON"))

const read = Effect.fnUntraced(function* (path: string) {
  const text = yield* readTextFile(path, maxJsonBytes)
  return yield* Effect.mapError(readCatalogueText(path, text), aboutFile(path))
})

export const importFile = Command.make(
  "import",
  {
    file,
    force: switchFlag(
      "force",
      "Also where bookings are in the way of a closure or a smaller capacity; they keep their places"
    ),
    dryRun: switchFlag("dry-run", "Print what would change, and write nothing"),
    keepDemo: switchFlag("keep-demo", "Keep the demo, which the first catalogue of your own removes otherwise"),
    json
  },
  Effect.fn(function* ({ dryRun, file, force, json, keepDemo }) {
    const { content, placed } = yield* read(file)
    const catalogue = yield* CatalogueFile
    const progress = yield* progressLines
    const { database } = yield* AppConfig
    const done = yield* catalogue
      .importFile(content, { force, dryRun, keepDemo, progress, inSteps: database.kind === "embedded" })
      .pipe(
        Effect.catchTags({
          BookingsInTheWay: ({ bookings }) =>
            Effect.andThen(
              print(json, { in_the_way: bookings }, inTheWayText(bookings)),
              failed("The catalogue file was not imported: bookings are in the way.")
            ),
          CatalogueInvalid: (fault) => Effect.fail(placed(fault)),
          ImportUnfinished: (unfinished) => Effect.succeed(unfinished)
        })
      )
    if ("outcomes" in done)
      return yield* report(json, done.outcomes, {
        noun: "step",
        verb: "done",
        name: ({ first, last }) => `new playrooms ${first} to ${last}`,
        data: (step) => step,
        lines: [importedText(done.imported, false), done.message],
        value: done.imported
      })
    const next = dryRun ? "" : withoutAccountText(yield* Operators.use((operators) => operators.list))
    yield* print(json, done, (dryRun ? `${planText(done)}\n` : "") + importedText(done, dryRun) + next)
    if (done.in_the_way.length > 0) return yield* failed("The file would not be imported: bookings are in the way.")
    return undefined
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

export const demo = Command.make(
  "demo",
  {
    remove: switchFlag("remove", "Remove it instead; playrooms with bookings are unlisted, and their bookings stay"),
    json
  },
  Effect.fn(function* ({ json, remove }) {
    const catalogue = yield* CatalogueFile
    if (remove) {
      const done = yield* catalogue.removeDemo
      return yield* print(json, done, demoRemoved(done) ?? "The demo is not there.")
    }
    const { provider } = yield* AppConfig
    if (provider.kind === "stripe" && provider.livemode)
      return yield* failed("The demo is for trying out: its accounts are the sandbox's, and payments are live here.")
    const done = yield* catalogue.restoreDemo
    return yield* print(json, done, importedText(done, false))
  })
).pipe(Command.withDescription("Load the demo catalogue, or remove it"))

/** Needs no database. */
export const check = Command.make(
  "check",
  { file, json },
  Effect.fn(function* ({ file, json }) {
    const { content, placed } = yield* read(file)
    const catalogue = yield* Effect.mapError(parseCatalogue(content), placed)
    const counts = { operators: catalogue.operators.length, playrooms: catalogue.playrooms.length }
    yield* print(
      json,
      { valid: true, ...counts },
      `${file} is a valid catalogue: operators ${counts.operators}, playrooms ${counts.playrooms}.`
    )
  })
).pipe(Command.withDescription("Check a catalogue file without touching the database"))
