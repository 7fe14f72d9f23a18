/** How the files that the system lets this process open are divided: at that limit it would refuse everything alike. */
import { readFileSync } from "node:fs"

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

/** Connections beyond a limit that may tell their client so, or answer a probe. A process that stood still finds many at once. */
export const surplusConnections = (limit: number): number => Math.max(8, Math.ceil(limit / 5))

const fewestConnections = 8

/** `wanted` connections, or as many as the process may open beside everything else, and beside those in surplus. */
export const connectionsWithin = (wanted: number, files = openFiles()): number =>
  files === undefined
    ? wanted
    : Math.min(wanted, Math.max(fewestConnections, Math.floor(((files - filesOfDatabase(files) - otherFiles) * 4) / 5)))
