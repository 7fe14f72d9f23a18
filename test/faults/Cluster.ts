/**
 * A PostgreSQL of the run's own, with a replica: tests stop it, fill its disk and kill its processes, and nothing that
 * runs on the machine is touched. It is set up before the run (`npm run faults`), and what tests need of it is in the
 * environment.
 */
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  writeSync
} from "node:fs"
import { join } from "node:path"
import { Effect, Exit, Scope } from "effect"
import { asOwner, clusterFolder, path, runWell } from "../../.ci/support.mjs"
import { freePort } from "../support/freePort.ts"

type Name = "primary" | "replica"

export interface Cluster {
  readonly folder: string
  readonly ports: Readonly<Record<Name, number>>
  /** Whether the primary has a small disk of its own, which can be filled. */
  readonly ownDisk: boolean
}

export const maxConnections = 110
const diskMb = 700
const seconds = 120

export const urlOf = ({ ports }: Cluster, name: Name, database = "postgres"): string =>
  `postgres://postgres@127.0.0.1:${ports[name]}/${database}`

/** The cluster that this process was given. */
export const givenCluster = (): Cluster => JSON.parse(process.env["FAULTS_CLUSTER"] ?? "null") as Cluster

const run = ({ folder }: Pick<Cluster, "folder">, command: ReadonlyArray<string>): Promise<string> =>
  runWell(asOwner(command), { cwd: folder, env: { PATH: path, HOME: folder } })

const control = (cluster: Cluster, name: Name, ...command: ReadonlyArray<string>): Promise<string> => {
  const at = join(cluster.folder, name, "data")
  const log = join(cluster.folder, `${name}.log`)
  return run(cluster, ["pg_ctl", "-D", at, "-w", "-t", String(seconds), "-l", log, ...command])
}

export const stop = (cluster: Cluster, name: Name, mode: "fast" | "immediate"): Effect.Effect<void> =>
  Effect.promise(() => control(cluster, name, "stop", "-m", mode).then(() => undefined))

/** The process that started a server's others, as the server wrote it down; undefined where none did. */
const firstOf = (data: string): number | undefined => {
  const file = join(data, "postmaster.pid")
  return existsSync(file) ? Number(readFileSync(file, "utf8").split("\n")[0]) : undefined
}
/** A process that has ended by itself needs no signal. */
export const signal = (pids: ReadonlyArray<number>, name: NodeJS.Signals): Effect.Effect<void> =>
  Effect.sync(() => {
    for (const pid of pids)
      try {
        process.kill(pid, name)
      } catch {
        continue
      }
  })

/**
 * The processes of a server, the one that started the others first. Each works in the server's folder; one that has
 * ended does not, though the system may not have forgotten it yet.
 */
export const processesOf = ({ folder }: Cluster, name: Name): ReadonlyArray<number> => {
  const data = join(folder, name, "data")
  const first = firstOf(data)
  const isOurs = (pid: string): boolean => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === data
    } catch {
      return false
    }
  }
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry) && isOurs(entry))
    .map(Number)
    .sort((a, b) => Number(b === first) - Number(a === first))
}

/** Whether the process that starts the others is there, and not only left behind. */
const isAlive = (cluster: Cluster, name: Name): boolean => {
  const first = firstOf(join(cluster.folder, name, "data"))
  return first !== undefined && processesOf(cluster, name)[0] === first
}

/** Whether it lets clients in; none is asked for a database. */
const isReady = (cluster: Cluster, name: Name): Promise<boolean> =>
  run(cluster, ["pg_isready", "-q", "-h", "127.0.0.1", "-p", String(cluster.ports[name])]).then(
    () => true,
    () => false
  )

/** Ends all processes of a server, also those that it started meanwhile. */
export const kill = (cluster: Cluster, name: Name): Effect.Effect<void> =>
  Effect.gen(function* () {
    for (let left = processesOf(cluster, name); left.length > 0; left = processesOf(cluster, name)) {
      yield* signal(left, "SIGKILL")
      yield* Effect.sleep("10 millis")
    }
  })

const lastWords = ({ folder }: Cluster, name: Name): string =>
  readFileSync(join(folder, `${name}.log`), "utf8")
    .split("\n")
    .slice(-20)
    .join("\n")

/**
 * Starts a server if it does not run, and waits until it lets clients in. Of a server that was killed there may be
 * left: its process, ended and not yet forgotten by the system, which PostgreSQL's programs take for a running server,
 * and processes that keep its memory.
 */
export const start = (cluster: Cluster, name: Name): Effect.Effect<void> =>
  Effect.gen(function* () {
    let said = ""
    for (const end = performance.now() + 2 * seconds * 1000; performance.now() < end;) {
      if (yield* Effect.promise(() => isReady(cluster, name))) return
      if (!isAlive(cluster, name)) {
        yield* kill(cluster, name)
        rmSync(join(cluster.folder, name, "data/postmaster.pid"), { force: true })
        said = yield* Effect.promise(() => control(cluster, name, "start").catch(String))
      }
      yield* Effect.sleep("250 millis")
    }
    return yield* Effect.die(new Error(`The ${name} does not start: ${said}\n${lastWords(cluster, name)}`))
  })

/** Fills the primary's disk to the last byte, until the scope ends. */
export const fillDisk = ({ folder }: Cluster) => {
  const file = join(folder, "primary/filling")
  return Effect.acquireRelease(
    Effect.sync(() => {
      const to = openSync(file, "w")
      // Ever smaller pieces: a large one may not fit where there is room for small ones.
      for (let size = 2 ** 20; size >= 512; size /= 8)
        try {
          for (const piece = Buffer.alloc(size); ;) writeSync(to, piece)
        } catch {
          continue
        }
      closeSync(to)
      return statSync(file).size
    }),
    () => Effect.sync(() => rmSync(file, { force: true }))
  )
}

/** A disk of its own needs the right to mount one. Without it, the run says that it leaves the full disk out. */
const mountDisk = (folder: string): boolean => {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${diskMb}m`, "tmpfs", folder], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

const settings = [
  "fsync = off",
  "listen_addresses = '127.0.0.1'",
  "unix_socket_directories = ''",
  `max_connections = ${maxConnections}`,
  "min_wal_size = 32MB",
  "max_wal_size = 96MB",
  "wal_keep_size = 64MB"
]

export const hasPrograms = (): boolean => path.split(":").some((folder) => existsSync(join(folder, "initdb")))

/** When nobody writes to it any more: ends what works in the folder, and removes the folder with its disk. */
const sweep = `cat > /dev/null
while left=$(ls -l /proc/[0-9]*/cwd 2> /dev/null | sed -n "s|.* /proc/\\([0-9]*\\)/cwd -> $0\\(/.*\\)*$|\\1|p"); [ -n "$left" ]; do
  kill -9 $left 2> /dev/null
  sleep 0.02
done
umount -l "$0/primary" 2> /dev/null
rm -rf "$0"`

/** A folder for the scope. It is removed by a process of its own, also if this one is interrupted or killed. */
const sweptFolder = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => {
      const folder = realpathSync(clusterFolder("faults"))
      const sweeper = spawn("sh", ["-c", sweep, folder], { detached: true, stdio: ["pipe", "ignore", "ignore"] })
      sweeper.unref()
      return { folder, sweeper }
    }),
    ({ sweeper }) =>
      Effect.promise(async () => {
        const swept = once(sweeper, "exit")
        sweeper.ref()
        sweeper.stdin.end()
        await swept
      })
  ),
  ({ folder }) => folder
)

/** A new cluster for the scope. */
export const newCluster = Effect.gen(function* () {
  const [primary, replica] = yield* Effect.all([freePort, freePort])
  const folder = yield* sweptFolder
  for (const name of ["primary", "replica"]) mkdirSync(join(folder, name))
  const ownDisk = mountDisk(join(folder, "primary"))
  const cluster: Cluster = { folder, ports: { primary, replica }, ownDisk }
  const owner = statSync(folder)
  for (const name of ["primary", "replica"])
    execFileSync("chown", [`${owner.uid}:${owner.gid}`, join(folder, name)], { stdio: "ignore" })
  const done = (...command: ReadonlyArray<string>) => Effect.promise(() => run(cluster, command))
  const write = (name: Name, lines: ReadonlyArray<string>) =>
    done("sh", "-c", `printf '%s\\n' "$@" >> "$0"`, join(folder, name, "data/postgresql.conf"), ...lines)
  const data = join(folder, "primary/data")
  yield* done("initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
  yield* write("primary", [...settings, `port = ${primary}`])
  yield* start(cluster, "primary")
  const copy = ["pg_basebackup", "-d", urlOf(cluster, "primary"), "-D", join(folder, "replica/data")]
  yield* done(...copy, "-R", "-X", "stream", "-c", "fast")
  yield* write("replica", [`port = ${replica}`])
  yield* start(cluster, "replica")
  return cluster
})

/** Before the run; answers what is done after it. */
export default async function setup(): Promise<() => Promise<void>> {
  if (!hasPrograms())
    throw new Error(
      "npm run faults needs PostgreSQL's programs (initdb, pg_ctl, pg_basebackup): there are none in /usr/lib/postgresql or on the PATH."
    )
  const scope = await Effect.runPromise(Scope.make())
  const cluster = await Effect.runPromise(Scope.provide(newCluster, scope))
  process.env["FAULTS_CLUSTER"] = JSON.stringify(cluster)
  process.env["TEST_DATABASE_URL"] = urlOf(cluster, "primary")
  return () => Effect.runPromise(Scope.close(scope, Exit.void))
}
