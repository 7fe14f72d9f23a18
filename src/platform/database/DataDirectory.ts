/**
 * The directory of the embedded database and its single owner. PGlite takes no lock: two processes on one directory
 * corrupt it. The lock is a Unix socket that the owner listens on. The kernel closes it with the process, however that
 * ends, and commands reach a running service's database through it.
 */

import { Effect, Option, Schedule, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { createHash } from "node:crypto"
import {
  chmodSync,
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  renameSync
} from "node:fs"
import { createConnection, createServer, type Server, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join, resolve, basename, dirname } from "node:path"
import { inspect } from "node:util"
import { codeOf } from "../errors/InvalidArguments.ts"
import { NotOurs, ownFolder } from "../files/OwnFolder.ts"
import { restrictDataDirectory, flush, flushFolder, copyToPrivateFolder, makeFolders } from "./PrivateFiles.ts"

/** Who owns a directory: a service while it runs, a command for a moment. */
export const Owner = Schema.Literals(["service", "command"])
export type Owner = typeof Owner.Type

/** Another process has the directory open. */
class DataDirectoryInUse extends Schema.TaggedError<DataDirectoryInUse>()("DataDirectoryInUse", {
  dataDir: Schema.String,
  socket: Schema.String,
  /** Absent if unknown. */
  by: Schema.optionalKey(Owner)
}) {
  override get message(): string {
    return `Another process uses the embedded database in ${this.dataDir}. Stop it first, or give this one a DATA_DIR of its own.`
  }
}

const forbidden = new Set<string | undefined>(["EACCES", "EPERM", "EROFS"])

/** The directory can't be created, read or written, or its database does not open. */
export class DataDirectoryUnusable extends Schema.TaggedError<DataDirectoryUnusable>()("DataDirectoryUnusable", {
  dataDir: Schema.String,
  cause: Schema.Defect()
}) {
  override get message(): string {
    // PGlite throws objects that are not errors and can't be converted to text.
    const why = this.cause instanceof Error ? this.cause.message : inspect(this.cause, { breakLength: Infinity })
    const folder = resolve(this.dataDir)
    if (!(this.cause instanceof NotOurs) && !forbidden.has(codeOf(this.cause)))
      return `The embedded database in DATA_DIR, ${folder}, does not open: ${why.replace(/\.$/, "")}. If another release made it, start that one; if its files are damaged, put a backup in its place (docs/backup.md).`
    return `DATA_DIR is ${folder}, which this user (uid ${process.getuid?.() ?? "unknown"}) can't use: ${why}. Set DATA_DIR to a folder that this user owns, with nothing of others in it; or run this as the user who owns it.`
  }
}

/** The cluster's folder inside `DATA_DIR`. */
export const clusterFolder = "postgres"
/** Begins the names of the folders in which a new cluster is made. */
export const unfinishedCluster = `${clusterFolder}.new`
const socketName = ".s.PGSQL.5432"
const isOurs = (name: string): boolean =>
  name === clusterFolder ||
  name.startsWith(unfinishedCluster) ||
  name === "development-key" ||
  name.startsWith(socketName)

/** Creates the directory, or removes all other users' permissions from an existing one. */
export const preparePrivateDirectory = (dataDir: string): Effect.Effect<void, DataDirectoryUnusable> =>
  Effect.try({
    try: () => restrictDataDirectory(dataDir, isOurs),
    catch: (cause) => new DataDirectoryUnusable({ dataDir, cause })
  })

const decodeOwner = Schema.decodeUnknownOption(Owner)
const ownerFile = (dataDir: string): string => join(dataDir, `${socketName}.owner`)
const ownerOf = (dataDir: string): { readonly by?: Owner } => {
  try {
    return Option.match(decodeOwner(readFileSync(ownerFile(dataDir), "utf8")), {
      onNone: () => ({}),
      onSome: (by) => ({ by })
    })
  } catch {
    return {}
  }
}

const longestSocketPath = 100 // the kernel's limit is 104 to 108 bytes

/**
 * Where the owner listens. The name is PostgreSQL's, so `psql -h DATA_DIR` finds it. Where the path would be too long,
 * it is in a folder of this user among temporary files; throws `NotOurs` where that is another's.
 */
export const socketPath = (dataDir: string): string => {
  const directory = existsSync(dataDir) ? realpathSync(dataDir) : resolve(dataDir)
  if (process.platform === "win32")
    return `\\\\.\\pipe\\playroom-${createHash("sha256").update(directory).digest("hex").slice(0, 24)}`
  const path = join(directory, socketName)
  if (path.length <= longestSocketPath) return path
  const folder = join(tmpdir(), `playroom-${createHash("sha256").update(directory).digest("hex").slice(0, 24)}`)
  try {
    // Whoever owns it could answer in the database's place.
    ownFolder(folder)
  } catch (cause) {
    if (!(cause instanceof NotOurs)) throw cause
    throw new NotOurs(`its path is too long for a socket, and ${cause.message}`)
  }
  return join(folder, socketName)
}

const answers = (path: string): Promise<boolean> =>
  new Promise((done) => {
    const probe = createConnection(path)
    probe.once("connect", () => {
      probe.destroy()
      done(true)
    })
    probe.once("error", () => done(false))
  })

const listen = (path: string, onConnection: (socket: Socket) => void): Promise<Server | undefined> =>
  new Promise((done, fail) => {
    const server = createServer(onConnection)
    server.once("error", (error: NodeJS.ErrnoException) =>
      error.code === "EADDRINUSE" ? done(undefined) : fail(error)
    )
    server.listen(path, () => {
      server.unref()
      if (process.platform !== "win32") chmodSync(path, 0o600)
      done(server)
    })
  })

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms))
/**
 * The lock file is held for milliseconds. If the same one is seen this many times in a row, a killed process left it
 * behind.
 */
const maxSeen = 500
const retryMs = 20

/** Runs `run` while this process holds the directory's lock file. */
const withLockFile = async <A>(dataDir: string, run: () => Promise<A>): Promise<A> => {
  const lockFile = join(dataDir, `${socketName}.claim`)
  let seen = 0
  let made: number | undefined
  for (;;) {
    try {
      closeSync(openSync(lockFile, "wx", 0o600))
      break
    } catch (cause) {
      if (codeOf(cause) !== "EEXIST") throw cause
      const now = statSync(lockFile, { throwIfNoEntry: false })?.mtimeMs
      seen = now === made ? seen + 1 : 0
      made = now
      if (seen > maxSeen) rmSync(lockFile, { force: true })
      await pause(retryMs)
    }
  }
  try {
    return await run()
  } finally {
    rmSync(lockFile, { force: true })
  }
}

/**
 * Listens on the directory's socket; undefined if another process does. A socket that nobody answers was left behind by
 * a process that has ended. Test that under the lock file only: a socket created a moment ago does not answer yet.
 */
const acquire = (dataDir: string, onConnection: (socket: Socket) => void): Promise<Server | undefined> =>
  withLockFile(dataDir, async () => {
    const path = socketPath(dataDir)
    const server = await listen(path, onConnection)
    if (server !== undefined || (await answers(path))) return server
    rmSync(path, { force: true })
    return listen(path, onConnection)
  })

/**
 * Owns the directory until the scope closes. Connections to its socket go to `onConnection` and are closed with the
 * scope: a connected client must not keep the owner running.
 */
const ownNow = (dataDir: string, as: Owner, onConnection: (socket: Socket) => void) => {
  const connections = new Set<Socket>()
  const connected = (socket: Socket): void => {
    connections.add(socket)
    socket.once("close", () => connections.delete(socket))
    onConnection(socket)
  }
  return Effect.acquireRelease(
    Effect.tryPromise({
      try: async () => {
        const server = await acquire(dataDir, connected)
        if (server !== undefined) writeFileSync(ownerFile(dataDir), as, { mode: 0o600 })
        return server
      },
      catch: (cause) => new DataDirectoryUnusable({ dataDir, cause })
    }).pipe(
      Effect.flatMap((server) =>
        server === undefined
          ? Effect.fail(new DataDirectoryInUse({ dataDir, socket: socketPath(dataDir), ...ownerOf(dataDir) }))
          : Effect.succeed(server)
      )
    ),
    (server) =>
      Effect.callback<void>((resume) => {
        rmSync(ownerFile(dataDir), { force: true })
        server.close(() => resume(Effect.void))
        for (const socket of connections) socket.destroy()
      })
  )
}

/** How long a new owner may take to write its kind into the directory. */
const ownerWrittenWithin = "300 millis"
const retryInterval = "200 millis"
const maxRetries = 75

/**
 * Owns the directory as above. If a command owns it, waits up to about 15 seconds for the command to end. If a service
 * owns it, fails at once.
 */
export const ownDataDirectory = (dataDir: string, as: Owner, onConnection: (socket: Socket) => void) => {
  const own = ownNow(dataDir, as, onConnection)
  return Effect.andThen(preparePrivateDirectory(dataDir), own).pipe(
    // The recorded owner may have been killed since. A command that finds a service connects to it anyway.
    Effect.catchTag("DataDirectoryInUse", (inUse) =>
      as === "command" && inUse.by === "service"
        ? Effect.fail(inUse)
        : Effect.andThen(Effect.sleep(ownerWrittenWithin), own)
    ),
    Effect.tapError((error) =>
      error._tag === "DataDirectoryInUse" && error.by === "command"
        ? Effect.logInfo("A playroom command uses the embedded database; waiting for its end", { dataDir })
        : Effect.void
    ),
    Effect.retry({
      while: (error) => error._tag === "DataDirectoryInUse" && error.by === "command",
      schedule: Schedule.spaced(retryInterval),
      times: maxRetries
    })
  )
}

// Copies the embedded database while a service may be running on it. The one backend writes only for the session that
// holds it, and a session holds it for its whole transaction. So no file of the cluster changes during a transaction of
// ours.

/** A copy of a database failed and left nothing behind. */
export class CopyFailed extends Schema.TaggedError<CopyFailed>()("CopyFailed", { why: Schema.String }) {
  override get message(): string {
    return `Nothing was copied: ${this.why}`
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

const copyFailed = (cause: unknown) => new CopyFailed({ why: cause instanceof Error ? cause.message : String(cause) })

const attempt = <A>(run: () => A): Effect.Effect<A, CopyFailed> => Effect.try({ try: run, catch: copyFailed })

/**
 * Copies the database of `dataDir` to `folder`, which must not exist yet and can then serve as a `DATA_DIR`. It appears
 * when it is complete and on the disk. Other sessions wait while the files are copied.
 */
export const backUpEmbedded: (
  dataDir: string,
  folder: string
) => Effect.Effect<EmbeddedBackup, CopyFailed | SqlError.SqlError, SqlClient.SqlClient> = Effect.fn(
  "EmbeddedBackup.backUp"
)(function* (dataDir, folder) {
  const sql = yield* SqlClient.SqlClient
  const { bytes, folder: made } = yield* inNewFolder(
    folder,
    (unfinished) =>
      Effect.gen(function* () {
        // The copy opens sooner if it has less log to replay.
        yield* sql`checkpoint`
        yield* sql.withTransaction(
          Effect.andThen(
            sql`select 1`,
            attempt(() => copyToPrivateFolder(join(dataDir, clusterFolder), join(unfinished, clusterFolder)))
          )
        )
        yield* copyDevelopmentKey(dataDir, unfinished)
      }),
    dataDir
  )
  return { folder: made, bytes }
})

/** Copies the key that development has in a `DATA_DIR`, if there is one, into another. */
export const copyDevelopmentKey = (dataDir: string, folder: string) =>
  attempt(() => {
    const key = join(dataDir, keyFile)
    if (!existsSync(key)) return
    copyFileSync(key, join(folder, keyFile))
    chmodSync(join(folder, keyFile), 0o600)
  })

/**
 * Makes a folder that must not exist yet and can then serve as a `DATA_DIR`. It appears when it is complete and on the
 * disk; a failure leaves nothing behind. `outside`: a folder that it must not be in.
 */
export const inNewFolder = Effect.fnUntraced(function* <A, E, R>(
  folder: string,
  make: (unfinished: string) => Effect.Effect<A, E, R>,
  outside: string
) {
  const target = resolve(folder)
  // Hidden, so that an interrupted copy is not taken for the latest backup.
  const unfinished = join(dirname(target), `.${basename(target)}.unfinished`)
  if (existsSync(target)) return yield* new CopyFailed({ why: `${target} is there already: name a new folder.` })
  if (`${target}/`.startsWith(`${resolve(outside)}/`))
    return yield* new CopyFailed({ why: `${target} is inside DATA_DIR: name a folder elsewhere.` })
  const work = Effect.gen(function* () {
    yield* attempt(() => {
      rmSync(unfinished, { recursive: true, force: true })
      makeFolders(dirname(target))
      mkdirSync(unfinished, { mode: 0o700 })
    })
    const made = yield* make(unfinished)
    yield* Effect.mapError(flushFolder(unfinished), copyFailed)
    yield* attempt(() => renameSync(unfinished, target))
    yield* Effect.mapError(flush(dirname(target)), copyFailed)
    return { made, folder: target, bytes: sizeOf(target) }
  })
  return yield* Effect.onError(work, () => Effect.sync(() => rmSync(unfinished, { recursive: true, force: true })))
})

const sizeOf = (folder: string): number => filesIn(folder).reduce((sum, file) => sum + statSync(file).size, 0)
