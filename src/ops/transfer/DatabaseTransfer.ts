/** Takes everything to another database, of another kind or on another server, and audits it there. */
import { Context, Effect, type FileSystem, Layer, type Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlError } from "effect/sql"
import { taskTable } from "../../domain/payment/provider/ProviderTasks.ts"
import { issueDevelopmentKey } from "../../platform/access/ApiKeys.ts"
import { AppConfig } from "../../platform/config/AppConfig.ts"
import { serverForCommand } from "../../platform/database/Database.ts"
import { copiedTables, copyDatabase, ofTarget, refuseUnfitSource } from "../../platform/database/DatabaseCopy.ts"
import { closeForMove, DatabaseMoved, finishMove, moveOf, reopen } from "../../platform/database/DatabaseMove.ts"
import { copyDevelopmentKey, inNewFolder } from "../../platform/database/DataDirectory.ts"
import { ownEmbedded } from "../../platform/database/EmbeddedPostgres.ts"
import { rowFaults } from "../audit/RowFaults.ts"

/** Where to. `name` shows no user and no password. */
export type Target =
  | { readonly kind: "server"; readonly url: Redacted.Redacted; readonly name: string }
  | { readonly kind: "folder"; readonly folder: string; readonly name: string }

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
    Effect.ignore(to`analyze`).pipe(
      Effect.andThen(Effect.provideService(rowFaults({ full: true }), SqlClient.SqlClient, to)),
      Effect.map(({ found }) => found)
    )
  if (target.kind === "server") {
    const to = yield* Effect.mapError(serverForCommand(target.url), ofTarget)
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

interface TransferOptions {
  /** The source takes no writes from its beginning, and never again if it succeeds. */
  readonly move: boolean
  /** Also copies the sandbox's books. */
  readonly withSandbox: boolean
}

const transfer = Effect.fnUntraced(function* (target: Target, { move, withSandbox }: TransferOptions) {
  yield* refuseUnfitSource(yield* SqlClient.SqlClient)
  return yield* move
    ? moveTo(target, withSandbox)
    : copyTo(target, { withSandbox, frozen: false, complete: Effect.void })
})

const make = Effect.gen(function* () {
  const context = yield* Effect.context<AppConfig | SqlClient.SqlClient | FileSystem.FileSystem>()
  const sql = yield* SqlClient.SqlClient
  return {
    /** Copies everything to an empty database, or a new folder. Fails with both as they were. */
    copy: (target: Target, options: TransferOptions) =>
      transfer(target, options).pipe(Effect.provide(context), Effect.provide(Reactivity.layer), Effect.scoped),
    /** Where this database has moved, or is on its way; undefined while it is in use. */
    moved: moveOf(sql),
    /** Takes it into use again. False: it is in use. */
    reopen: reopen(sql)
  }
})

/** For the database that the settings name, as it is: also if it has moved. */
export class DatabaseTransfer extends Context.Service<DatabaseTransfer, Effect.Success<typeof make>>()(
  "playroom/transfer/DatabaseTransfer"
) {
  static readonly layer = Layer.effect(DatabaseTransfer, make)
}
