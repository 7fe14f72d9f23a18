/** `playroom catalogue new` and `schema`: what an owner writes a catalogue file with. Neither needs a database. */
import { Console, Effect, FileSystem, Path } from "effect"
import { Argument, Command } from "effect/cli"
import { fileURLToPath } from "node:url"
import { catalogueJsonSchema } from "../import/CatalogueJsonSchema.ts"
import { starterFile } from "../import/CatalogueText.ts"
import { CommandFailed } from "./Failure.ts"

export const schema = Command.make("schema", {}, () =>
  Console.log(JSON.stringify(catalogueJsonSchema(), null, 2))
).pipe(Command.withDescription("Print the catalogue file's JSON Schema, by which editors complete and check it"))

const schemaName = "catalogue.schema.json"

/** Writes a file that is not there yet; false where it is there already. */
const writeNew = Effect.fnUntraced(function* (path: string, text: string) {
  const files = yield* FileSystem.FileSystem
  return yield* files.writeFileString(path, text, { flag: "wx" }).pipe(
    Effect.as(true),
    Effect.catch(({ reason }) =>
      reason._tag === "AlreadyExists"
        ? Effect.succeed(false)
        : Effect.fail(new CommandFailed({ message: `${path} can't be written: ${reason.message}.` }))
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
      return yield* new CommandFailed({ message: `${file} is there already; nothing was written. Give another name.` })
    const beside = path.join(path.dirname(file), schemaName)
    const wrote = yield* writeNew(beside, `${JSON.stringify(catalogueJsonSchema(), null, 2)}\n`)
    yield* Console.log(
      [
        `Wrote ${file}${wrote ? `, and beside it ${schemaName}, by which editors complete it` : ""}. Change it to what you have, then:`,
        `  playroom catalogue check ${file}`,
        `  playroom catalogue import ${file}`
      ].join("\n")
    )
  })
).pipe(Command.withDescription("Write a commented catalogue file to start from; it never overwrites one"))
