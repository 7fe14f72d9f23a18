/** `playroom catalogue …`: the catalogue file. */
import { Console, Effect, FileSystem, type PlatformError } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { AppConfig } from "../config/AppConfig.ts"
import { CatalogueFile } from "../import/CatalogueFile.ts"
import { Operators } from "../catalogue/Operators.ts"
import { parseCatalogue } from "../import/ParseCatalogue.ts"
import { mostJson, readCatalogueText } from "../import/CatalogueText.ts"
import { demoRemoved, importedText, planText, progressLines, withoutAccountText } from "./catalogueImport.ts"
import { CommandFailed, describe } from "./Failure.ts"
import { json, print } from "./Output.ts"

const file = Argument.String("file").pipe(Argument.withDescription("A catalogue file, YAML or JSON"))

const read = Effect.fnUntraced(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  const unreadable = ({ reason }: PlatformError.PlatformError) =>
    new CommandFailed({
      message: reason._tag === "NotFound" ? `There is no file ${path}.` : `${path} can't be read: ${reason.message}.`
    })
  const { size } = yield* Effect.mapError(files.stat(path), unreadable)
  if (size > mostJson)
    return yield* new CommandFailed({ message: `${path} is too large: a file may have ${mostJson / 1e6} MB.` })
  const text = yield* Effect.mapError(files.readFileString(path), unreadable)
  return yield* readCatalogueText(path, text).pipe(
    Effect.mapError(({ message }) => new CommandFailed({ message: `${path} ${message}` }))
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
    dryRun: Flag.Boolean("dry-run").pipe(
      Flag.withDescription("Print what would change, and write nothing"),
      Flag.withDefault(false)
    ),
    keepDemo: Flag.Boolean("keep-demo").pipe(
      Flag.withDescription("Keep the demo, which the first catalogue of your own removes otherwise"),
      Flag.withDefault(false)
    ),
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
          CatalogueInvalid: (fault) => Effect.fail(placed(fault)),
          ImportUnfinished: ({ cause, message }) =>
            Effect.fail(new CommandFailed({ message: `${describe(cause)}\n${message}` }))
        })
      )
    const next = dryRun ? "" : withoutAccountText(yield* Operators.use((operators) => operators.list))
    yield* print(json, done, (dryRun ? `${planText(done)}\n` : "") + importedText(done, dryRun) + next)
    if (done.in_the_way.length > 0)
      return yield* new CommandFailed({ message: "The file would not be imported: bookings are in the way." })
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
    remove: Flag.Boolean("remove").pipe(
      Flag.withDescription("Remove it instead; playrooms with bookings are unlisted, and their bookings stay"),
      Flag.withDefault(false)
    ),
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
      return yield* new CommandFailed({
        message: "The demo is for trying out: its accounts are the sandbox's, and payments are live here."
      })
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
