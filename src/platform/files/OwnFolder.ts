/** Folders whose content this process believes: what it runs, or whom it talks to. */
import { chmodSync, existsSync, lstatSync, mkdirSync, type Stats, statSync } from "node:fs"
import { dirname } from "node:path"

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
