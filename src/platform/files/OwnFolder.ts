/** Folders whose content this process believes: what it runs, or whom it talks to. */

import { chmodSync, existsSync, lstatSync, mkdirSync, type Stats, statSync, readFileSync } from "node:fs"
import { dirname } from "node:path"

/** How the files that the system lets this process open are divided: at that limit it would refuse everything alike. */

/** The limit; undefined if the system does not say. Node has raised it to the hard limit. */
export const openFiles = (): number | undefined => {
  try {
    const found = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1]
    return found === undefined ? undefined : Number(found)
  } catch {
    return undefined
  }
}

/** For the log, the provider, connections to a database server, and the process itself. */
const otherFiles = 64

/** The fewest files of a database that PostgreSQL takes as a setting, and its default. */
const [fewestOfDatabase, mostOfDatabase] = [64, 1000]

/** What the embedded database may keep open: it closes the file that it needed least recently. */
export const filesOfDatabase = (files = openFiles()): number =>
  files === undefined ? mostOfDatabase : Math.min(mostOfDatabase, Math.max(fewestOfDatabase, Math.floor(files / 4)))

/**
 * Connections beyond a limit that may tell their client so, or answer a probe. A process that stood still finds many at
 * once.
 */
export const surplusConnections = (limit: number): number => Math.max(8, Math.ceil(limit / 5))

const fewestConnections = 8

/** `wanted` connections, or as many as the process may open beside everything else, and beside those in surplus. */
export const connectionsWithin = (wanted: number, files = openFiles()): number =>
  files === undefined
    ? wanted
    : Math.min(wanted, Math.max(fewestConnections, Math.floor(((files - filesOfDatabase(files) - otherFiles) * 4) / 5)))

const forOthers = 0o077
const changedByOthers = 0o022
const changedByAll = 0o002
const sticky = 0o1000

/** A file or folder belongs to another user or is shared with others. */
export class NotOurs extends Error {}

/** Whether this user owns a file; true where users have no numbers (Windows). */
export const owns = ({ uid }: Stats): boolean => process.getuid === undefined || process.getuid() === uid

/**
 * Makes a folder of this user alone (mode 0700) in one that is there, or finds it. What others own, or could have put
 * something into, is refused by `NotOurs`, a link too; so is a place from which others can take it away. Other failures
 * are the system's.
 */
export const ownFolder = (path: string): void => {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (cause) {
    if (!existsSync(path)) throw cause
  }
  const folder = lstatSync(path)
  if (!folder.isDirectory()) throw new NotOurs(`${path} is no folder`)
  if (!owns(folder)) throw new NotOurs(`${path} belongs to another user (uid ${folder.uid})`)
  if (process.getuid === undefined) return
  if ((folder.mode & changedByOthers) !== 0) throw new NotOurs(`other users can write to ${path}`)
  const place = dirname(path)
  const { mode } = statSync(place)
  if ((mode & changedByAll) !== 0 && (mode & sticky) === 0)
    throw new NotOurs(`all users can replace what is in ${place}`)
  if ((folder.mode & forOthers) !== 0) chmodSync(path, 0o700)
}
