/** What processes have used, from /proc; not a number where the system does not tell. */
import { readdirSync, readFileSync } from "node:fs"

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
