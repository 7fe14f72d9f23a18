/** `playroom database …`: takes everything to another database; `playroom backup`: copies the embedded one. */
import { Effect, Redacted } from "effect"
import { Argument, Command } from "effect/cli"
import { resolve } from "node:path"
import { DatabaseTransfer, type Target } from "../../ops/transfer/DatabaseTransfer.ts"
import { AppConfig } from "../../platform/config/AppConfig.ts"
import { databaseFault } from "../../platform/config/Variables.ts"
import { backUpEmbedded } from "../../platform/database/DataDirectory.ts"
import { counted } from "../../platform/text/Text.ts"
import { inUtc } from "../../platform/time/LocalTime.ts"
import { switchFlag } from "./Arguments.ts"
import { failed } from "./Failure.ts"
import { failIfOpen, json, print } from "./Output.ts"

/** Where to: a server's database, or a new folder. `name` shows no user and no password. */
const targetOf = (to: string) => {
  if (!/^\w+:\/\//.test(to)) return Effect.succeed({ kind: "folder", folder: resolve(to), name: resolve(to) } as const)
  const fault = databaseFault(to)
  if (fault !== undefined) return failed(`The target ${fault} It may also be a new folder.`)
  const name = to.replace(/\/\/[^/?#]*@/, "//").replace(/[?#].*$/s, "")
  return Effect.succeed({ kind: "server", url: Redacted.make(to), name } as const)
}

const next = ({ kind, name }: Target): string =>
  kind === "server"
    ? "stop the service, give the target as DATABASE_URL, and start it."
    : `stop the service, and start it with DATA_DIR=${name}, without DATABASE_URL.`

const copy = Command.make(
  "copy",
  {
    to: Argument.String("to").pipe(
      Argument.withDescription("postgres://USER:PASSWORD@HOST/DATABASE, which is empty, or a new folder")
    ),
    move: switchFlag(
      "move",
      "This database takes no bookings from now on, so that none is missing there: the service answers 503 until it is started on the target"
    ),
    sandbox: switchFlag("sandbox", "Also copy the sandbox provider's books, to go on with the sandbox there"),
    json
  },
  Effect.fn(function* ({ json, move, sandbox, to }) {
    const target = yield* targetOf(to)
    const { development_key, faults, others, tables } = yield* DatabaseTransfer.use((transfer) =>
      transfer.copy(target, { move, withSandbox: sandbox })
    )
    const rows = tables.reduce((sum, table) => sum + table.rows, 0)
    const lines = [
      `${counted(rows, "row")} of ${counted(tables.length, "table")} ${rows === 1 ? "is" : "are"} at ${target.name}, and equal on both sides.`,
      ...(others.length === 0 ? [] : [`Not copied, as this service did not make them: ${others.join(", ")}.`]),
      ...(development_key
        ? [
            "The development key works there as key_development, until you end it (playroom key revoke key_development)."
          ]
        : []),
      ...faults.map(({ detail, fix, id, what }) => `${what}  ${id}\n  ${detail}\n  → ${fix}`),
      move
        ? `This database takes nothing more. Now ${next(target)}`
        : "This database goes on: what is written to it from now on is not in the copy. To change over, use --move."
    ]
    yield* print(
      json,
      { target: target.name, moved: move, tables, not_copied: others, development_key, faults },
      lines.join("\n")
    )
    return yield* failIfOpen(faults.length)
  })
).pipe(
  Command.withDescription(
    "Copy everything into an empty database of a server (postgres://…), or into a new folder for the embedded one, compare both row by row, and audit the copy"
  )
)

const reopenDatabase = Command.make(
  "reopen",
  {
    yes: switchFlag("yes", "Also after a move that was finished: what was booked there since is not here"),
    json
  },
  Effect.fn(function* ({ json, yes }) {
    const transfer = yield* DatabaseTransfer
    const move = yield* transfer.moved
    if (move?.finished === true && !yes)
      return yield* failed(
        `This database moved to ${move.target} at ${inUtc(move.since)}. What was booked there since is not here. To use this one again all the same: --yes.`
      )
    const done = yield* transfer.reopen
    return yield* print(json, { reopened: done }, done ? "This database is in use again." : "This database is in use.")
  })
).pipe(Command.withDescription("Use a database again from which a move was begun: it takes bookings again"))

export const database = Command.make("database").pipe(
  Command.withDescription("Copy the database, or move it, for example from the embedded one to a server"),
  Command.withSubcommands([copy, reopenDatabase])
)

/** Also while the service is running. */
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
