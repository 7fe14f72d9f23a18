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

/** The folder belongs to another user, or all users share it. */
export class NotOurs extends Error {}

/** Runs for each entry. An entry that has gone meanwhile is no fault: another process may be using the database. */
const forEach = (folder: string, run: (path: string, name: string) => void): void => {
  for (const name of readdirSync(folder)) {
    try {
      run(join(folder, name), name)
    } catch (cause) {
      if (!Predicate.hasProperty(cause, "code") || cause.code !== "ENOENT") throw cause
    }
  }
}

/** Takes the rights of others from a file, or from a folder with all that is in it. A file of another user is a fault. */
export const restrictToOwner = (path: string): void => {
  const entry = lstatSync(path)
  if (entry.isSymbolicLink()) return
  if (!owns(entry)) throw new NotOurs(`${path} belongs to another user (uid ${entry.uid})`)
  const folder = entry.isDirectory()
  setMode(path, entry, folder ? folderMode : fileMode)
  if (folder) forEach(path, restrictToOwner)
}

/** Takes the rights of others from a file that is not the database's, where this user owns it. */
const restrictForeign = (path: string): void => {
  const entry = lstatSync(path)
  if (!entry.isSymbolicLink() && owns(entry)) setMode(path, entry, entry.mode & ofOwner)
}

/**
 * Makes a data directory, or takes the rights of others from the one that is there: from the entries that `isOurs` names with all that
 * is in them, from other entries themselves only. A folder that another user owns (a mounted volume) keeps its mode; its entries don't.
 */
export const restrictDataDirectory = (dataDir: string, isOurs: (name: string) => boolean): void => {
  mkdirSync(dataDir, { recursive: true, mode: folderMode })
  const folder = realpathSync(dataDir)
  const entry = statSync(folder)
  if ((entry.mode & sticky) !== 0 || folder === dirname(folder)) throw new NotOurs("all users share this folder")
  if (owns(entry)) setMode(folder, entry, folderMode)
  forEach(folder, (path, name) => (isOurs(name) ? restrictToOwner(path) : restrictForeign(path)))
}

/** Copies a folder; only this user may read the copy, whatever the modes of the source. */
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
