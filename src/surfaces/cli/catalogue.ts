/** `playroom catalogue …`: the catalogue file. */

import { reachedBy } from "../../platform/text/Contact.ts"
import { Clock, Console, Effect, FileSystem, Option, Path } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { fileURLToPath } from "node:url"
import type { Operator } from "../../domain/catalogue/Operator.ts"
import { Operators } from "../../domain/catalogue/Operators.ts"
import type { CatalogueChange } from "../../domain/import/CatalogueChanges.ts"
import { CatalogueFile } from "../../domain/import/CatalogueFile.ts"
import { catalogueJsonSchema, parseCatalogue } from "../../domain/import/ParseCatalogue.ts"
import { maxJsonBytes, readCatalogueText, starterFile } from "../../domain/import/CatalogueText.ts"
import {
  catalogueFromCsv,
  type CsvFile,
  maxCsvBytes,
  readCsv,
  readWorkbook,
  type CsvKind,
  csvKinds,
  csvTemplate
} from "../../domain/import/CsvCatalogue.ts"
import type { Imported } from "../../domain/import/Imported.ts"
import { attempt } from "../../platform/concurrency/Outcomes.ts"
import { AppConfig } from "../../platform/config/AppConfig.ts"
import { DatabaseIsShared } from "../../platform/database/Database.ts"
import { display } from "../../platform/money/Money.ts"
import { endsAhead, insteadText } from "../../platform/money/Tender.ts"
import { counted } from "../../platform/text/Text.ts"
import { monotonicMs } from "../../platform/time/Elapsed.ts"
import { localDateOf, shortDateTime } from "../../platform/time/LocalTime.ts"
import { switchFlag, examples } from "./Arguments.ts"
import { failed } from "./Failure.ts"
import {
  json,
  print,
  report,
  aboutFile,
  readBytes,
  readTextFile,
  plain,
  table,
  textOf,
  thereAlready,
  writeNew
} from "./Output.ts"

// The output of `playroom catalogue import`: counts, planned changes and progress.

const kinds = { operator: "operator", playroom: "playroom", package: "package", add_on: "add-on", closure: "closure" }
const words = { added: "added", changed: "changed", off_sale: "goes off sale", removed: "removed" }

/** Lines of the plan in the text output; `--json` has all. */
const maxLines = 50
const maxNames = 20

const cut = (text: string): string => (text.length > 60 ? `${text.slice(0, 59)}…` : text)

const value = (text: string | undefined): string => (text === undefined || text === "" ? "(none)" : cut(text))

const rowsOf = ({ change, fields, kind, name, playroom }: CatalogueChange): ReadonlyArray<ReadonlyArray<string>> => {
  const what = [words[change], kinds[kind], cut(playroom === undefined ? name : `${playroom}: ${name}`)]
  return fields.length === 0
    ? [[...what, ""]]
    : fields.map(({ becomes, field, was }, i) => [
        ...(i === 0 ? what : ["", "", ""]),
        `${field}: ${value(was)} → ${value(becomes)}`
      ])
}

/** The first names of a list, and the number of others. */
const some = (names: ReadonlyArray<string>): string =>
  names.slice(0, maxNames).join(", ") +
  (names.length > maxNames ? ` and ${names.length - maxNames} more (--json names them)` : "")

/** Bookings in the way, by the clock of their playroom, and whom to call. */
const bookings = (all: Imported["in_the_way"]): string =>
  all
    .slice(0, maxLines)
    .map((one) =>
      plain(
        `- ${shortDateTime(one.time_zone, one.starts_at)} ${one.reference}, ${one.contact_name}, ${reachedBy(one)}, ${one.children}+${one.adults}, ${display(one.paid, one.currency)} paid (${one.status}): ${one.why}`
      )
    )
    .map((line) => `\n${line}`)
    .join("") + (all.length > maxLines ? `\n- and ${all.length - maxLines} more (--json names them)` : "")

const forced =
  "--force imports all the same, and they keep their places. Then playroom booking closed --operator OPERATOR cancels or moves them, all at once or one by one."

/** Why a file was not imported. */
const inTheWayText = (all: Imported["in_the_way"]): string => `Bookings are in the way:${bookings(all)}\n${forced}`

/** The plan of a dry run, cut to a readable length. */
export const planText = ({ changes }: Imported): string => {
  if (changes.length === 0) return "Nothing would change.\n"
  const rows: Array<ReadonlyArray<string>> = []
  let shown = 0
  for (const change of changes) {
    const its = rowsOf(change)
    if (rows.length > 0 && rows.length + its.length > maxLines) break
    rows.push(...its.slice(0, maxLines))
    shown += 1
  }
  const more = changes.length - shown
  return (
    table(["", "", "WHAT", rows.some(([, , , fields]) => fields !== "") ? "FROM → TO" : ""], rows) +
    (more === 0 ? "\n" : `\n… and ${more} more (--json has all of them)\n`)
  )
}

/** New ids in the text output; `--json` and the export have all. */
const maxIds = 50

/** What happened to the demo; undefined if nothing did. */
const demoRemoved = ({ removed, unlisted }: Imported["demo"]): string | undefined => {
  const kept = `${counted(unlisted, "playroom")} of the demo with bookings: no longer listed, nothing more is sold there, the bookings stay`
  if (removed === 0) return unlisted === 0 ? undefined : `${kept}.`
  return `The demo (${counted(removed, "playroom")}) was removed.${unlisted === 0 ? "" : ` ${kept}.`}`
}

const demoNote = (demo: Imported["demo"], dryRun: boolean): string => {
  const text = demoRemoved(demo)
  if (text === undefined) return ""
  return `\n${dryRun ? text.replace("was removed", "would be removed") : text} ${dryRun ? "--keep-demo would keep it." : "`playroom catalogue demo` brings it back."}`
}

const newIds = (slugs: Imported["slugs"]): string => {
  const added = slugs.filter((it) => it.added)
  if (added.length === 0) return ""
  const rows = added
    .slice(0, maxIds)
    .map(({ id, slug, within }) => [within === undefined ? slug : `${within} / ${slug}`, id])
  const more = added.length > maxIds ? `\n… and ${added.length - maxIds} more: --json shows all` : ""
  return `\n\n${table(["SLUG", "ID"], rows)}${more}`
}

/** Currencies that end, and what comes instead, for who writes the file. */
export const endingText = (ending: Imported["ending"]): string =>
  ending
    .map(
      (end) =>
        `\n${end.currency} (${counted(end.playrooms, "playroom")}) is tender until ${end.until}; from then on it is refused. Change to ${insteadText(end)} in time, with all amounts.`
    )
    .join("")

/** What an import changed, as counts, and what it kept. */
export const importedText = (done: Imported, dryRun: boolean): string => {
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
    done.off_sale.length === 0 ? "" : `\nNo longer on sale: ${some(done.off_sale)}`,
    done.living_on === 0
      ? ""
      : `\n${counted(done.living_on, "booking")} to come ${done.living_on === 1 ? "has" : "have"} what leaves, and ${done.living_on === 1 ? "keeps" : "keep"} it: party, extras and start can be changed as before.`,
    done.playrooms_not_in_file.length === 0
      ? ""
      : `\nNot in the file, left as they are: ${some(done.playrooms_not_in_file)}`,
    done.overridden.length === 0
      ? ""
      : `\nBookings that keep their places:${bookings(done.overridden)}\nplayroom booking closed --operator OPERATOR cancels or moves them, all at once or one by one.`,
    done.in_the_way.length === 0 ? "" : `\nThe import would be refused. ${inTheWayText(done.in_the_way)}`,
    endingText(done.ending),
    demoNote(done.demo, dryRun),
    dryRun ? "\nIt was a dry run: nothing was written." : newIds(done.slugs)
  ]
  return (
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
}

/** Operators without an account that are named. */
const maxOperators = 5

/**
 * The operators that can't sell without an account, with the command that creates one: the step after a first import.
 * Those that were suspended are off sale on purpose.
 */
export const withoutAccountText = (
  operators: ReadonlyArray<Pick<Operator, "connected_account_id" | "name" | "operator_id" | "suspended_at">>
): string => {
  const without = operators.filter(
    ({ connected_account_id, suspended_at }) => connected_account_id === undefined && suspended_at === undefined
  )
  const lines = without
    .slice(0, maxOperators)
    .map(({ name, operator_id }) => `\n- ${plain(cut(name))}: playroom operator onboard ${operator_id}`)
  const more = without.length - lines.length
  return lines.length === 0
    ? ""
    : `\n\nNot on sale until they can take payments:${lines.join("")}${more === 0 ? "" : `\n- and ${more} more: playroom operator list`}`
}

const progressIntervalMs = 3000

/** Prints the progress of a long import to standard error. */
const progressLines = Effect.map(monotonicMs, (start) => {
  let last = start
  return Effect.fnUntraced(function* (done: number, of: number) {
    const now = yield* monotonicMs
    if (now - last < progressIntervalMs || done === of) return
    last = now
    yield* Console.error(`${done} of ${of} playrooms (${Math.round((now - start) / 1000)} s)`)
  })
})

export const schema = Command.make("schema", {}, () =>
  Console.log(JSON.stringify(catalogueJsonSchema(), null, 2))
).pipe(Command.withDescription("Print the catalogue file's JSON Schema, by which editors complete and check it"))

const schemaName = "catalogue.schema.json"

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
    if (!(yield* writeNew(file, text))) return yield* thereAlready(file)
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

const readTable = Effect.fnUntraced(function* (path: string, kind: CsvKind) {
  const bytes = yield* readBytes(path, maxCsvBytes)
  // How every XLSX file begins, and an XLS file.
  if (/^(504b0304|d0cf11e0)/.test(bytes.subarray(0, 4).toString("hex"))) {
    const { sheet, table } = yield* Effect.mapError(readWorkbook(bytes, kind), aboutFile(path))
    return { name: `${path}, sheet ${plain(sheet)}`, table } satisfies CsvFile
  }
  const text = yield* textOf(path, bytes)
  return { name: path, table: yield* Effect.mapError(readCsv(text, kind), aboutFile(path)) } satisfies CsvFile
})

const csv = (kind: CsvKind, what: string) =>
  Flag.optional(Flag.String(kind).pipe(Flag.withDescription(`A spreadsheet, XLSX or CSV: ${what}`)))

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
    const file = (kind: CsvKind, path: Option.Option<string>) =>
      Option.isNone(path) ? Effect.undefined : readTable(path.value, kind)
    const content = yield* catalogueFromCsv({
      operators: yield* file("operators", flags.operators),
      playrooms: yield* file("playrooms", flags.playrooms),
      packages: yield* file("packages", flags.packages),
      "add-ons": yield* file("add-ons", addOns),
      closures: yield* file("closures", flags.closures)
    })
    return yield* Console.log(JSON.stringify(content, null, 2))
  })
).pipe(
  Command.withDescription("Print a catalogue file made of spreadsheets (XLSX, CSV), for import --dry-run and import"),
  examples({
    "A spreadsheet to fill in": "catalogue from-csv --template playrooms > playrooms.csv",
    "A file to import":
      "catalogue from-csv --operators operators.csv --playrooms playrooms.csv --packages packages.csv > catalogue.json"
  })
)

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
    const done = yield* catalogue
      .importFile(content, { force, dryRun, keepDemo, progress, inSteps: yield* DatabaseIsShared })
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
        name: ({ first, last }) => `playrooms ${first} to ${last}`,
        data: (step) => step,
        lines: [importedText(done.imported, false), done.message],
        value: done.imported
      })
    const next = dryRun ? "" : withoutAccountText(yield* Operators.use((operators) => operators.list))
    yield* print(json, done, (dryRun ? `${planText(done)}\n` : "") + importedText(done, dryRun) + next)
    if (done.in_the_way.length > 0) return yield* failed("The file would not be imported: bookings are in the way.")
    return undefined
  })
).pipe(
  Command.withDescription(
    "Write a catalogue file into the database: all of it, or nothing. Faults are told by line and column, bookings in the way of a closure with time, name and telephone"
  ),
  examples({ "What it would change": "catalogue import venue.yaml --dry-run" })
)

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
).pipe(
  Command.withDescription(
    "Load the demo catalogue, or remove it, as your first import does without --keep-demo. Bookings in it stay"
  )
)

/** Needs no database. */
export const check = Command.make(
  "check",
  { file, json },
  Effect.fn(function* ({ file, json }) {
    const { content, placed } = yield* read(file)
    const catalogue = yield* Effect.mapError(parseCatalogue(content), placed)
    const counts = { operators: catalogue.operators.length, playrooms: catalogue.playrooms.length }
    const ending = endsAhead(
      catalogue.playrooms.map(({ currency }) => currency),
      localDateOf("UTC", yield* Clock.currentTimeMillis)
    )
    yield* print(
      json,
      { valid: true, ...counts, ending },
      `${file} is a valid catalogue: operators ${counts.operators}, playrooms ${counts.playrooms}.${endingText(ending)}`
    )
  })
).pipe(Command.withDescription("Check a catalogue file without touching the database"))
