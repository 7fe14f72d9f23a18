/** `playroom database …`: takes everything to another database, of another kind or on another server. */
import { Effect, Redacted } from "effect"
import { Argument, Command } from "effect/cli"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlError } from "effect/sql"
import { resolve } from "node:path"
import { rowFaults } from "../../ops/audit/Audit.ts"
import { taskTable } from "../../domain/payment/provider/ProviderTasks.ts"
import { issueDevelopmentKey } from "../../platform/access/ApiKeys.ts"
import { AppConfig } from "../../platform/config/AppConfig.ts"
import { addressesOf } from "../../platform/config/Variables.ts"
import { serverForCommand } from "../../platform/database/Database.ts"
import { copiedTables, copyDatabase, refuseUnfitSource } from "../../platform/database/DatabaseCopy.ts"
import { closeForMove, DatabaseMoved, finishMove, moveOf, reopen } from "../../platform/database/DatabaseMove.ts"
import { copyDevelopmentKey, inNewFolder } from "../../platform/database/DataDirectory.ts"
import { ownEmbedded } from "../../platform/database/EmbeddedPostgres.ts"
import { counted } from "../../platform/text/Text.ts"
import { switchFlag } from "./Arguments.ts"
import { failed } from "./Failure.ts"
import { failIfOpen, json, print } from "./Output.ts"

/** Where to: a server's database, or a new folder. `name` shows no user and no password. */
const targetOf = (to: string) => {
  if (!/^\w+:\/\//.test(to)) return Effect.succeed({ kind: "folder", folder: resolve(to), name: resolve(to) } as const)
  if (!/^postgres(ql)?:/.test(to) || addressesOf(to).some((address) => URL.parse(address) === null))
    return failed("The target is a database's address (postgres://USER:PASSWORD@HOST/DATABASE) or a new folder.")
  const name = to.replace(/\/\/[^/?#]*@/, "//").replace(/[?#].*$/s, "")
  return Effect.succeed({ kind: "server", url: Redacted.make(to), name } as const)
}

type Target = Effect.Success<ReturnType<typeof targetOf>>

interface CopyOptions {
  readonly withSandbox: boolean
  /** Nothing changes the source. */
  readonly frozen: boolean
  /** Runs when the target is complete. */
  readonly complete: Effect.Effect<void, SqlError.SqlError>
}

/** Copies into the target, and looks at what is there then. */
const copyTo = Effect.fnUntraced(function* (target: Target, { complete, ...options }: CopyOptions) {
  const from = yield* SqlClient.SqlClient
  const { apiKey, dataDir, database, production } = yield* AppConfig
  const development = database.kind === "embedded" && apiKey === undefined && !production
  // Searches are slow until the planner knows how large the tables are.
  const lookAt = (to: SqlClient.SqlClient) =>
    Effect.andThen(Effect.ignore(to`analyze`), Effect.provideService(rowFaults, SqlClient.SqlClient, to))
  if (target.kind === "server") {
    const to = yield* serverForCommand(target.url)
    const copied = yield* copyDatabase({ ...options, from, to, library: taskTable, made: false })
    yield* complete
    const development_key = development && (yield* issueDevelopmentKey(to, dataDir))
    return { ...copied, development_key, faults: yield* lookAt(to) }
  }
  const inFolder = Effect.fnUntraced(function* (unfinished: string) {
    const to = yield* ownEmbedded(unfinished, "command")
    const copied = yield* copyDatabase({ ...options, from, to, library: taskTable, made: true })
    const faults = yield* lookAt(to)
    yield* to`checkpoint`
    return { ...copied, development_key: false, faults }
  })
  const { made } = yield* inNewFolder(
    target.folder,
    (unfinished) =>
      Effect.tap(Effect.scoped(inFolder(unfinished)), () =>
        development ? copyDevelopmentKey(dataDir, unfinished) : Effect.void
      ),
    dataDir
  )
  yield* complete
  return made
})

/** Copies once the source takes no more writes. If that fails, it takes them again. */
const moveTo = Effect.fnUntraced(function* (target: Target, withSandbox: boolean) {
  const from = yield* SqlClient.SqlClient
  const before = yield* moveOf(from)
  if (before?.finished === true || (before !== undefined && before.target !== target.name))
    return yield* new DatabaseMoved(before)
  let mine = false
  const work = Effect.gen(function* () {
    const tables = (yield* copiedTables(from)).map(({ name }) => name)
    yield* closeForMove(from, tables, target.name, () => {
      mine = true
    })
    // All of it is there: from here on, only the target may take anything.
    const complete = Effect.suspend(() => {
      mine = false
      return finishMove(from)
    })
    return yield* copyTo(target, { withSandbox, frozen: true, complete })
  })
  // What another has closed stays so: it may be copying.
  return yield* Effect.onError(work, () => Effect.suspend(() => (mine ? Effect.orDie(reopen(from)) : Effect.void)))
})

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
  Effect.fn(
    function* ({ json, move, sandbox, to }) {
      const target = yield* targetOf(to)
      yield* refuseUnfitSource(yield* SqlClient.SqlClient)
      const { development_key, faults, others, tables } = yield* move
        ? moveTo(target, sandbox)
        : copyTo(target, { withSandbox: sandbox, frozen: false, complete: Effect.void })
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
    },
    Effect.provide(Reactivity.layer),
    Effect.scoped
  )
).pipe(
  Command.withDescription(
    "Copy everything into an empty database of a server, or into a new folder for the embedded one, compare both row by row, and audit the copy"
  )
)

const reopenDatabase = Command.make(
  "reopen",
  {
    yes: switchFlag("yes", "Also after a move that was finished: what was booked there since is not here"),
    json
  },
  Effect.fn(function* ({ json, yes }) {
    const sql = yield* SqlClient.SqlClient
    const move = yield* moveOf(sql)
    if (move?.finished === true && !yes)
      return yield* failed(
        `This database moved to ${move.target} at ${move.since}. What was booked there since is not here. To use this one again all the same: --yes.`
      )
    const done = yield* reopen(sql)
    return yield* print(json, { reopened: done }, done ? "This database is in use again." : "This database is in use.")
  })
).pipe(Command.withDescription("Use a database again from which a move was begun: it takes bookings again"))

export const database = Command.make("database").pipe(
  Command.withDescription("Copy the database, or move it, for example from the embedded one to a server"),
  Command.withSubcommands([copy, reopenDatabase])
)
