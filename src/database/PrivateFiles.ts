/** Keeps what is in a data directory from other users of the machine: folders 0700, files 0600, whatever they were before. */
import { NodeFS } from "@electric-sql/pglite/nodefs"
import {
  chmodSync,
  constants,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  type Stats,
  statSync
} from "node:fs"
import { dirname, join } from "node:path"
import { Predicate } from "effect"

const folderMode = 0o700
const fileMode = 0o600
const ofOwner = 0o700
const sticky = 0o1000

const owns = ({ uid }: Stats): boolean => process.getuid === undefined || process.getuid() === uid

const setMode = (path: string, entry: Stats, mode: number): void => {
  if ((entry.mode & 0o7777) !== mode) chmodSync(path, mode)
}

/** The folder belongs to somebody else, or is one that all share. */
export class NotOurs extends Error {}

/** Entries by name; what is gone by the time is no fault: another process may be using the database. */
const forEach = (folder: string, run: (path: string, name: string) => void): void => {
  for (const name of readdirSync(folder)) {
    try {
      run(join(folder, name), name)
    } catch (cause) {
      if (!Predicate.hasProperty(cause, "code") || cause.code !== "ENOENT") throw cause
    }
  }
}

/** Closes a file, or a folder with all that is in it. A file of another user is a fault: it would be in the way later. */
export const restrictToOwner = (path: string): void => {
  const entry = lstatSync(path)
  if (entry.isSymbolicLink()) return
  if (!owns(entry)) throw new NotOurs(`${path} belongs to another user (uid ${entry.uid})`)
  const folder = entry.isDirectory()
  setMode(path, entry, folder ? folderMode : fileMode)
  if (folder) forEach(path, restrictToOwner)
}

/** Of what somebody else put there, only the rights of others are taken away, where they are ours to take. */
const restrictForeign = (path: string): void => {
  const entry = lstatSync(path)
  if (!entry.isSymbolicLink() && owns(entry)) setMode(path, entry, entry.mode & ofOwner)
}

/**
 * Makes a data directory, or closes the one that is there: the entries that `isOurs` names with all that is in them, of others only
 * what can be seen from outside. A folder that another user gave us (a mounted volume) keeps its mode, and what is in it is closed
 * all the same.
 */
export const restrictDataDirectory = (dataDir: string, isOurs: (name: string) => boolean): void => {
  mkdirSync(dataDir, { recursive: true, mode: folderMode })
  const folder = realpathSync(dataDir)
  const entry = statSync(folder)
  if ((entry.mode & sticky) !== 0 || folder === dirname(folder)) throw new NotOurs("all users share this folder")
  if (owns(entry)) setMode(folder, entry, folderMode)
  forEach(folder, (path, name) => (isOurs(name) ? restrictToOwner(path) : restrictForeign(path)))
}

/** Copies a folder; the copy is ours alone, whatever the modes of what is copied. */
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

/** What PGlite's runtime calls after it made a file (https://emscripten.org/docs/api_reference/Filesystem-API.html). */
interface EmscriptenFiles {
  chmod: (path: unknown, mode: number, ...rest: ReadonlyArray<unknown>) => void
}

/** PGlite's files on disk. On its own it gives some of them to all, whatever the process's umask (PGlite 0.5.16). */
export class PrivateFiles extends NodeFS {
  override async init(...[database, options]: Parameters<NodeFS["init"]>): ReturnType<NodeFS["init"]> {
    const { emscriptenOpts } = await super.init(database, options)
    const close = ({ FS }: { readonly FS: EmscriptenFiles }): void => {
      const { chmod } = FS
      FS.chmod = (path, mode, ...rest) => chmod.call(FS, path, mode & ofOwner, ...rest)
    }
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), close] } }
  }
}
