/** `playroom backup`: copies the embedded database, also while the service is running. */
import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { AppConfig } from "../../platform/config/AppConfig.ts"
import { backUpEmbedded } from "../../platform/database/DataDirectory.ts"
import { failed } from "./Failure.ts"
import { json, print } from "./Output.ts"

export const backup = Command.make(
  "backup",
  {
    folder: Argument.String("folder").pipe(Argument.withDescription("A new folder: it can then be used as DATA_DIR")),
    json
  },
  Effect.fn(function* ({ folder, json }) {
    const { database } = yield* AppConfig
    if (database.kind === "server")
      return yield* failed(
        "The database is a PostgreSQL server's, which has its own ways: pg_dump, or archiving. See docs/backup.md."
      )
    const made = yield* backUpEmbedded(database.dataDir, folder)
    const size = `${(made.bytes / 1_000_000).toFixed(1)} MB`
    return yield* print(
      json,
      made,
      `${made.folder} holds the database as it is now, ${size}. To go back to it: stop the service, move DATA_DIR away, copy this folder there, start.`
    )
  })
).pipe(Command.withDescription("Copy the embedded database into a new folder, also while the service is running"))
