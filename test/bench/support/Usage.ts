/** What processes have used, from /proc; not a number where the system does not tell. */
import { Effect, Fiber, Schema } from "effect"
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

/** User and system time, which stand one after the other from the n-th field of a process's `stat` on, in seconds. */
const secondsIn = (pid: number | "self", n: number): number => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    // After the second, the name, which may hold spaces. In hundredths.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return (Number(fields[n - 3]) + Number(fields[n - 2])) / 100
  } catch {
    return Number.NaN
  }
}

/** The processor time of a process so far, in seconds. */
export const processorSeconds = (pid: number): number => secondsIn(pid, 14)

/** The processor time of children of this process that have ended, in seconds. */
export const endedChildrenSeconds = (): number => secondsIn("self", 16)

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

/**
 * Measures the processor time, in seconds, of a server's processes for a database while `work` runs, also of those that
 * end with it.
 */
export const withBackends = Effect.fnUntraced(function* <A, E, R>(database: string, work: Effect.Effect<A, E, R>) {
  const seen = new Map<number, number>()
  const look = Effect.sync(() => {
    for (const pid of backendsOf(database)) {
      const used = processorSeconds(pid)
      // Otherwise it has ended meanwhile.
      if (Number.isFinite(used)) seen.set(pid, used)
    }
  })
  const watching = yield* Effect.forkChild(Effect.forever(Effect.andThen(look, Effect.sleep("100 millis"))))
  const done = yield* work
  yield* Fiber.interrupt(watching)
  return [done, [...seen.values()].reduce((sum, one) => sum + one, 0)] as const
})
