/** The embedded default: PostgreSQL 18 in WebAssembly (PGlite), in this process, behind the same driver as a server. */
import { PGlite, type PGliteOptions } from "@electric-sql/pglite"
import { btree_gist } from "@electric-sql/pglite/contrib/btree_gist"
import { pg_trgm } from "@electric-sql/pglite/contrib/pg_trgm"
import { unaccent } from "@electric-sql/pglite/contrib/unaccent"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, readdirSync, renameSync, rmSync } from "node:fs"
import type { Socket } from "node:net"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { setFlagsFromString } from "node:v8"
import { filesOfDatabase } from "../files/OwnFolder.ts"
import type { LoopSlice } from "../concurrency/LoopSlice.ts"
import { BackendSessions } from "./BackendSessions.ts"
import {
  clusterFolder,
  DataDirectoryUnusable,
  ownDataDirectory,
  type Owner,
  preparePrivateDirectory,
  unfinishedCluster
} from "./DataDirectory.ts"
import { flushFolder, copyToPrivateFolder, PrivateFiles } from "./PrivateFiles.ts"
import { readAllMigrations } from "./Migrations.ts"

// Most of PostgreSQL's functions are never called: lazy compilation saves 60 MB at the same speed.
setFlagsFromString("--wasm-lazy-compilation")

// PGlite's defaults, except for 16 MB of shared buffers instead of 128 (a third of the memory at rest, and no slower
// here), and that what is committed is on the disk. PGlite has `fsync` alone for that; its `fdatasync` does nothing.
const startParams = [
  "--single",
  "-O",
  "-j",
  ...[
    "search_path=public",
    "exit_on_error=false",
    "wal_sync_method=fsync",
    "log_checkpoints=false",
    "max_worker_processes=0",
    "max_parallel_workers=0",
    "max_parallel_workers_per_gather=0",
    "max_parallel_maintenance_workers=0",
    "io_method=sync",
    "shared_buffers=16MB",
    // Everybody waits for the one backend while it reads a sample: 3,000 rows of a table, instead of 30,000.
    "default_statistics_target=10",
    `max_files_per_process=${filesOfDatabase()}`
  ].flatMap((setting) => ["-c", setting])
]

/** Opens a PGlite with this project's options; in memory if `dataDir` is absent. */
export const embeddedOptions = (dataDir?: string): PGliteOptions => ({
  ...(dataDir === undefined ? {} : { dataDir, fs: new PrivateFiles(dataDir) }),
  extensions: { btree_gist, pg_trgm, unaccent },
  startParams
})

/** A new cluster with today's tables, made at installation (`.ci/setup.mjs`), that first starts copy. */
export const spareCluster = (): string => {
  const migrations = readAllMigrations().map(({ checksum, name }) => `${name} ${checksum}`)
  const name = `cluster-${createHash("sha256").update(migrations.join()).digest("hex").slice(0, 16)}`
  return fileURLToPath(new URL(`../../../node_modules/.cache/playroom/${name}`, import.meta.url))
}

/**
 * Copies the installation's new cluster; false if there is none that this user may read. The copy appears under its
 * name only when it is complete.
 */
const copySpare = (dataDir: string) => {
  const unfinished = join(dataDir, unfinishedCluster)
  return Effect.try(() => {
    const spare = spareCluster()
    if (!existsSync(join(spare, "PG_VERSION"))) return false
    rmSync(unfinished, { recursive: true, force: true })
    copyToPrivateFolder(spare, unfinished)
    renameSync(unfinished, join(dataDir, clusterFolder))
    return true
  }).pipe(
    Effect.catch((why) =>
      Effect.as(Effect.logDebug("The installation's new cluster can't be copied, so one is made", why), false)
    )
  )
}

/**
 * Creates a new cluster in a separate process: this takes seconds, and `initdb` leaves 300 MB behind in its process.
 */
const initialise = (dataDir: string) =>
  Effect.callback<void, DataDirectoryUnusable>((resume) => {
    const script = fileURLToPath(new URL("./initialiseCluster.ts", import.meta.url))
    // Optimising what runs once takes a third of the time.
    const args = ["--liftoff-only", script, join(dataDir, clusterFolder)]
    const child = execFile(process.execPath, args, (error, _stdout, stderr) =>
      resume(
        error === null
          ? Effect.void
          : Effect.fail(new DataDirectoryUnusable({ dataDir, cause: stderr || error.message }))
      )
    )
    return Effect.sync(() => child.kill())
  })

/** Removes what starts that were ended have left. One of them may still be writing, and fails then. */
const removeUnfinished = (dataDir: string) =>
  Effect.ignore(
    Effect.try(() => {
      for (const name of readdirSync(dataDir))
        if (name.startsWith(unfinishedCluster)) rmSync(join(dataDir, name), { recursive: true, force: true })
    })
  )

/** Opens a cluster. PGlite's own errors give no reason, and PostgreSQL's are on its standard error. */
const openCluster = async (folder: string): Promise<PGlite> => {
  const said: Array<string> = []
  let opening = true
  try {
    return await PGlite.create({
      ...embeddedOptions(folder),
      onStderr: (line) => {
        if (opening) said.push(line)
        return false
      }
    })
  } catch (cause) {
    const reasons = said.flatMap((line) => /(?:FATAL|PANIC|DETAIL):\s+(.+)/.exec(line)?.[1] ?? [])
    throw reasons.length === 0 ? cause : new Error(reasons.join(": "), { cause })
  } finally {
    opening = false
  }
}

/** Sockets that connect before the database is open wait here. */
const open = Effect.fnUntraced(function* (dataDir: string, as: Owner) {
  const early: Array<Socket> = []
  let sessions: BackendSessions | undefined
  const serve = (socket: Socket): void => {
    socket.on("error", () => socket.destroy())
    if (sessions === undefined) {
      early.push(socket)
      return
    }
    const session = sessions.openForGuest()
    session.on("error", () => socket.destroy())
    socket.pipe(session).pipe(socket)
    socket.on("close", () => session.destroy())
  }
  yield* ownDataDirectory(dataDir, as, serve)
  if (!existsSync(join(dataDir, clusterFolder, "PG_VERSION"))) {
    if (!(yield* copySpare(dataDir))) {
      yield* initialise(dataDir)
      yield* preparePrivateDirectory(dataDir)
    }
    yield* removeUnfinished(dataDir)
    // PostgreSQL flushes what it writes from now on. Nobody waits for the rest: that takes seconds on some disks.
    yield* Effect.forkScoped(
      Effect.catch(flushFolder(dataDir), (why) => Effect.logWarning("A new database is not on the disk yet", why))
    )
  }
  // Most commands end before optimised code pays for its compilation. A long import is twice as fast with it.
  if (as === "command") setFlagsFromString("--wasm-tiering-budget=130000000")
  const backend = yield* Effect.acquireRelease(
    Effect.tryPromise({
      try: () => openCluster(join(dataDir, clusterFolder)),
      catch: (cause) => new DataDirectoryUnusable({ dataDir, cause })
    }),
    (database) => Effect.promise(() => database.close())
  )
  sessions = new BackendSessions(backend)
  for (const socket of early) serve(socket)
  return sessions
})

/** One session: a transaction holds the only backend anyway. */
const client = (sessions: BackendSessions) =>
  PgClient.make({
    ...sessionUser,
    stream: () => sessions.open(),
    minConnections: 1,
    maxConnections: 1,
    multiplex: true
  })

const sessionUser = { username: "postgres", database: "postgres", applicationName: "playroom" }

/**
 * A client of the embedded database in `dataDir`. This process owns it until the scope closes, as a `service` or a
 * `command`. Fails if another process owns it and keeps it.
 */
export const ownEmbedded = (dataDir: string, as: Owner = "service") => Effect.flatMap(open(dataDir, as), client)

/** The same for a service, and a client of its own for the checks of `Readiness.ts`: sessions are served by turns. */
export const ownEmbeddedWithProbe = Effect.fnUntraced(function* (dataDir: string) {
  const sessions = yield* open(dataDir, "service")
  const probe = PgClient.make({
    ...sessionUser,
    stream: () => sessions.open(),
    minConnections: 1,
    maxConnections: 1,
    prepare: false
  })
  return { all: yield* client(sessions), probe: yield* probe }
})

/**
 * A client of a running process's embedded database, through its socket. Uses unnamed statements only: the backend is
 * shared.
 */
export const joinEmbedded = (socket: string) =>
  // A busy service serves its callers first.
  PgClient.make({
    ...sessionUser,
    path: socket,
    minConnections: 0,
    maxConnections: 1,
    prepare: false,
    connectTimeout: "30 seconds"
  })

/** A client of a temporary copy, for tests and benchmarks. The caller keeps ownership of `backend`. */
export const embeddedClient = (backend: PGlite, turn?: LoopSlice) => client(new BackendSessions(backend, turn))
