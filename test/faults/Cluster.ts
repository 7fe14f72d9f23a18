/**
 * A PostgreSQL of the run's own, with a replica: tests stop it, fill its disk and kill its processes, and nothing that runs on the machine
 * is touched. It is set up before the run (`npm run faults`), and what tests need of it is in the environment.
 */
import { execFileSync } from "node:child_process"
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, statSync, writeSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { asOwner, clusterFolder, path, runWell } from "../../.ci/support.mjs"
import { freePort } from "../support/freePort.ts"
import { childrenOf } from "../support/Service.ts"

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

const isRunning = (cluster: Cluster, name: Name): Promise<boolean> =>
  control(cluster, name, "status").then(
    () => true,
    () => false
  )

/** Starts a server if it does not run. One that was killed leaves its processes for a moment. */
export const start = (cluster: Cluster, name: Name): Effect.Effect<void> =>
  Effect.promise(async () => {
    for (let tries = 1; ; tries++)
      try {
        if (!(await isRunning(cluster, name))) await control(cluster, name, "start")
        return
      } catch (error) {
        if (tries === 40) throw error
        await new Promise((later) => setTimeout(later, 250))
      }
  })

/** The processes of a server, the one that started the others first. */
export const processesOf = ({ folder }: Cluster, name: Name): ReadonlyArray<number> => {
  const pid = Number(readFileSync(join(folder, name, "data/postmaster.pid"), "utf8").split("\n")[0])
  return [pid, ...childrenOf(pid)]
}

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

const hasPrograms = (): boolean => path.split(":").some((folder) => existsSync(join(folder, "initdb")))

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

/** Before the run; answers what is done after it. */
export default async function setup(): Promise<() => Promise<void>> {
  if (!hasPrograms())
    throw new Error(
      "npm run faults needs PostgreSQL's programs (initdb, pg_ctl, pg_basebackup): there are none in /usr/lib/postgresql or on the PATH."
    )
  const folder = clusterFolder("faults")
  for (const name of ["primary", "replica"]) mkdirSync(join(folder, name))
  const ownDisk = mountDisk(join(folder, "primary"))
  const [primary, replica] = await Effect.runPromise(Effect.all([freePort, freePort]))
  const cluster: Cluster = { folder, ports: { primary, replica }, ownDisk }
  const owner = statSync(folder)
  for (const name of ["primary", "replica"])
    execFileSync("chown", [`${owner.uid}:${owner.gid}`, join(folder, name)], { stdio: "ignore" })
  const write = (name: Name, lines: ReadonlyArray<string>) =>
    run(cluster, ["sh", "-c", `printf '%s\\n' "$@" >> "$0"`, join(folder, name, "data/postgresql.conf"), ...lines])
  const data = join(folder, "primary/data")
  await run(cluster, ["initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"])
  await write("primary", [...settings, `port = ${primary}`])
  await Effect.runPromise(start(cluster, "primary"))
  const copy = ["pg_basebackup", "-d", urlOf(cluster, "primary"), "-D", join(folder, "replica/data")]
  await run(cluster, [...copy, "-R", "-X", "stream", "-c", "fast"])
  await write("replica", [`port = ${replica}`])
  await Effect.runPromise(start(cluster, "replica"))
  process.env["FAULTS_CLUSTER"] = JSON.stringify(cluster)
  process.env["TEST_DATABASE_URL"] = urlOf(cluster, "primary")
  return async () => {
    for (const name of ["replica", "primary"] as const)
      await control(cluster, name, "stop", "-m", "immediate").catch(() => {})
    if (ownDisk) execFileSync("umount", ["-l", join(folder, "primary")], { stdio: "ignore" })
    rmSync(folder, { recursive: true, force: true })
  }
}
