/** Protects a data directory from other users of the machine: folders 0700, files 0600, whatever they were before. */

import { NodeFS } from "@electric-sql/pglite/nodefs"
import { Effect } from "effect"
import {
  chmodSync,
  constants,
  copyFileSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  type Stats,
  statSync
} from "node:fs"
import { open } from "node:fs/promises"
import { dirname, join } from "node:path"
import { codeOf } from "../errors/InvalidArguments.ts"
import { NotOurs, owns } from "../files/OwnFolder.ts"

// Flushes files to the disk, so that they are there after a power cut.

/** Flushes a file, or a folder's entries; nothing if it is gone. Fails with what the system says. */
export const flush = (path: string): Effect.Effect<void, unknown> =>
  Effect.tryPromise({
    try: () => open(path, "r").then((file) => file.sync().finally(() => file.close())),
    catch: (cause) => cause
  }).pipe(
    Effect.catchIf(
      (cause) => codeOf(cause) === "ENOENT",
      () => Effect.void
    )
  )

/** Flushes a folder with all that is in it. */
export const flushFolder = Effect.fnUntraced(function* (folder: string) {
  const entries = yield* Effect.try({
    try: () => readdirSync(folder, { recursive: true, withFileTypes: true }),
    catch: (cause) => cause
  })
  const paths = entries.filter((entry) => entry.isFile() || entry.isDirectory())
  yield* Effect.forEach([...paths.map(({ name, parentPath }) => join(parentPath, name)), folder], flush, {
    discard: true
  })
})

const folderMode = 0o700
const fileMode = 0o600
const ofOwner = 0o700
const sticky = 0o1000

const setMode = (path: string, entry: Stats, mode: number): void => {
  if ((entry.mode & 0o7777) !== mode) chmodSync(path, mode)
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

/**
 * As `mkdir -p`. Node's own never ends where a folder is there and takes no new name, like /proc or what is mounted on
 * demand (Node 24).
 */
export const makeFolders = (path: string, mode?: number): void => {
  if (isFolder(path)) return
  makeFolders(dirname(path), mode)
  try {
    mkdirSync(path, { mode })
  } catch (cause) {
    // Another process may have made it.
    if (!isFolder(path)) throw cause
  }
}

/** Runs for each entry. Entries that have gone meanwhile are skipped: another process may be using the database. */
const forEach = (folder: string, run: (path: string, name: string) => void): void => {
  for (const name of readdirSync(folder)) {
    try {
      run(join(folder, name), name)
    } catch (cause) {
      if (codeOf(cause) !== "ENOENT") throw cause
    }
  }
}

/** Removes other users' permissions from a file, or from a folder and its content. Fails on another user's file. */
const restrictToOwner = (path: string): void => {
  const entry = lstatSync(path)
  if (entry.isSymbolicLink()) return
  if (!owns(entry)) throw new NotOurs(`${path} belongs to another user (uid ${entry.uid})`)
  const folder = entry.isDirectory()
  setMode(path, entry, folder ? folderMode : fileMode)
  if (folder) forEach(path, restrictToOwner)
}

/** Removes other users' permissions from a file that is not the database's, if this user owns it. */
const restrictForeign = (path: string): void => {
  const entry = lstatSync(path)
  if (!entry.isSymbolicLink() && owns(entry)) setMode(path, entry, entry.mode & ofOwner)
}

/**
 * Creates a data directory, or removes other users' permissions from an existing one: from entries that match `isOurs`
 * with their content, from other entries alone. A folder that another user owns (a mounted volume) keeps its mode; its
 * entries don't.
 */
export const restrictDataDirectory = (dataDir: string, isOurs: (name: string) => boolean): void => {
  makeFolders(dataDir, folderMode)
  const folder = realpathSync(dataDir)
  const entry = statSync(folder)
  if ((entry.mode & sticky) !== 0 || folder === dirname(folder)) throw new NotOurs("all users share this folder")
  if (owns(entry)) setMode(folder, entry, folderMode)
  forEach(folder, (path, name) => (isOurs(name) ? restrictToOwner(path) : restrictForeign(path)))
}

/** Copies a folder. Only this user may read the copy, whatever the modes of the source. */
export const copyToPrivateFolder = (from: string, to: string): void => {
  mkdirSync(to, { mode: folderMode })
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) copyToPrivateFolder(source, target)
    else {
      copyFileSync(source, target, constants.COPYFILE_FICLONE)
      chmodSync(target, fileMode)
    }
  }
}

/** What is used of PGlite's runtime (https://emscripten.org/docs/api_reference/Filesystem-API.html). */
interface Runtime {
  readonly FS: { chmod: (path: unknown, mode: number, ...rest: ReadonlyArray<unknown>) => void }
  readonly NODEFS: { readonly stream_ops: { fsync?: (stream: { readonly nfd: number }) => number } }
}

/** The runtime's codes of errors: `EINVAL` of what can't be flushed, otherwise `EIO`. */
const [invalid, failedToWrite] = [28, 29]

/**
 * PGlite's files on disk. By itself (0.5.16) PGlite makes some of them readable for all, whatever the umask, and
 * flushes none to the disk.
 */
export class PrivateFiles extends NodeFS {
  override async init(...[database, options]: Parameters<NodeFS["init"]>): ReturnType<NodeFS["init"]> {
    const { emscriptenOpts } = await super.init(database, options)
    const change = ({ FS, NODEFS }: Runtime): void => {
      const { chmod } = FS
      FS.chmod = (path, mode, ...rest) => chmod.call(FS, path, mode & ofOwner, ...rest)
      NODEFS.stream_ops.fsync = ({ nfd }) => {
        try {
          fsyncSync(nfd)
          return 0
        } catch (cause) {
          return codeOf(cause) === "EINVAL" ? invalid : failedToWrite
        }
      }
    }
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), change] } }
  }
}
