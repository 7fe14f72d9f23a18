/** What processes have used, from /proc; not a number where the system does not tell. */
import { Schema } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** What `usageProbe.ts` writes in a process of the service. */
export const Probed = Schema.Struct({ heapMb: Schema.Finite, loopP99Ms: Schema.Finite })
export type Probed = typeof Probed.Type

const decodeProbed = Schema.decodeUnknownSync(Schema.fromJsonString(Probed))

/** What it wrote last for a process; undefined if it wrote nothing yet. */
export const probedIn = (folder: string, pid: number): Probed | undefined => {
  try {
    return decodeProbed(readFileSync(join(folder, `${pid}.json`), "utf8"))
  } catch {
    return undefined
  }
}

/** A process and its children. */
export const withChildren = (pid: number): ReadonlyArray<number> => {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
    return [pid, ...children.split(" ").filter(Boolean).map(Number)]
  } catch {
    return [pid]
  }
}

/** The files and sockets that a process has open. */
export const descriptors = (pid: number): number => {
  try {
    return readdirSync(`/proc/${pid}/fd`).length
  } catch {
    return Number.NaN
  }
}

/** The most memory that a process had, in MB. */
export const peakMb = (pid: number): number => {
  try {
    return Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024
  } catch {
    return Number.NaN
  }
}

/** The processor time of a process so far, in seconds. */
export const processorSeconds = (pid: number): number => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    // After the name, which may hold spaces: user and system time are the 14th and the 15th, in hundredths.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return (Number(fields[11]) + Number(fields[12])) / 100
  } catch {
    return Number.NaN
  }
}

/** The PostgreSQL server's processes that work for a database, if the server is on this machine. */
export const backendsOf = (database: string): ReadonlyArray<number> =>
  readdirSync("/proc").flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return []
    try {
      const title = readFileSync(`/proc/${pid}/cmdline`, "latin1")
      return title.startsWith("postgres:") && title.split(" ").includes(database) ? [Number(pid)] : []
    } catch {
      return []
    }
  })
