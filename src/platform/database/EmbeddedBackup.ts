/**
 * Copies the embedded database while a service may be running on it. The one backend writes only for the session that
 * holds it, and a session holds it for its whole transaction. So no file of the cluster changes during a transaction of
 * ours.
 */
import { Effect, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { clusterFolder } from "./DataDirectory.ts"
import { flush, flushFolder, copyToPrivateFolder, makeFolders } from "./PrivateFiles.ts"

/** The copy failed and left nothing behind. */
class BackupFailed extends Schema.TaggedError<BackupFailed>()("BackupFailed", { why: Schema.String }) {
  override get message(): string {
    return `No backup was made: ${this.why}`
  }
}

/** A finished copy. */
interface EmbeddedBackup {
  readonly folder: string
  readonly bytes: number
}

const keyFile = "development-key"

const filesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

const backupFailed = (cause: unknown) =>
  new BackupFailed({ why: cause instanceof Error ? cause.message : String(cause) })

const attempt = <A>(run: () => A): Effect.Effect<A, BackupFailed> => Effect.try({ try: run, catch: backupFailed })

/**
 * Copies the database of `dataDir` to `folder`, which must not exist yet and can then serve as a `DATA_DIR`. It appears
 * when it is complete and on the disk. Other sessions wait while the files are copied.
 */
export const backUpEmbedded: (
  dataDir: string,
  folder: string
) => Effect.Effect<EmbeddedBackup, BackupFailed | SqlError.SqlError, SqlClient.SqlClient> = Effect.fn(
  "EmbeddedBackup.backUp"
)(function* (dataDir, folder) {
  const sql = yield* SqlClient.SqlClient
  const target = resolve(folder)
  // Hidden, so that an interrupted copy is not taken for the latest backup.
  const unfinished = join(dirname(target), `.${basename(target)}.unfinished`)
  if (existsSync(target)) return yield* new BackupFailed({ why: `${target} is there already: name a new folder.` })
  if (`${target}/`.startsWith(`${resolve(dataDir)}/`))
    return yield* new BackupFailed({ why: `${target} is inside DATA_DIR: name a folder elsewhere.` })
  const copy = Effect.gen(function* () {
    yield* attempt(() => {
      rmSync(unfinished, { recursive: true, force: true })
      makeFolders(dirname(target))
      mkdirSync(unfinished, { mode: 0o700 })
    })
    // The copy opens sooner if it has less log to replay.
    yield* sql`checkpoint`
    yield* sql.withTransaction(
      Effect.andThen(
        sql`select 1`,
        attempt(() => copyToPrivateFolder(join(dataDir, clusterFolder), join(unfinished, clusterFolder)))
      )
    )
    yield* attempt(() => {
      const key = join(dataDir, keyFile)
      if (existsSync(key)) {
        copyFileSync(key, join(unfinished, keyFile))
        chmodSync(join(unfinished, keyFile), 0o600)
      }
    })
    yield* Effect.mapError(flushFolder(unfinished), backupFailed)
    yield* attempt(() => renameSync(unfinished, target))
    yield* Effect.mapError(flush(dirname(target)), backupFailed)
    return { folder: target, bytes: sizeOf(target) }
  })
  return yield* Effect.onError(copy, () => Effect.sync(() => rmSync(unfinished, { recursive: true, force: true })))
})

const sizeOf = (folder: string): number => filesIn(folder).reduce((sum, file) => sum + statSync(file).size, 0)
