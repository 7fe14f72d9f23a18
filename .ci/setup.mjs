// Installs what is missing, and nothing where it is all there (a few stats of files, and the migrations are read). Runs
// on any Node that npm runs on, so it is plain JavaScript without dependencies.
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import {
  accessSync,
  constants,
  existsSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync
} from "node:fs"

const time = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0

const fail = (why) => {
  console.error(why)
  process.exit(1)
}

const packages = (file) => Object.entries(JSON.parse(readFileSync(file, "utf8")).packages)

// The Node of this shell runs the project where its major is right: that of npm's package is built for distributions
// with /lib64 or the like, and NixOS is none. Elsewhere npm's package does.
const pinned = JSON.parse(readFileSync("package.json", "utf8")).dependencies.node.split(".")[0]
const shellsIsRight = process.versions.node.split(".")[0] === pinned
const packaged = "node_modules/node/bin/node"

// Copying a checkout may leave the lock file younger than what was installed by it: then what they say decides.
const installed = () => {
  if (time("node_modules/.package-lock.json") === 0 || (time(packaged) === 0 && !shellsIsRight)) return false
  if (time("node_modules/.package-lock.json") >= time("package-lock.json")) return true
  const there = new Map(packages("node_modules/.package-lock.json"))
  const wanted = packages("package-lock.json").filter(([path]) => path !== "")
  return wanted.every(
    ([path, { optional, version }]) => (there.get(path) ?? { version: optional && version }).version === version
  )
}

const writable = (path) => {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}

if (!installed()) {
  console.error("Installing dependencies (first run, or the lock file changed) …")
  const npm = process.env.npm_execpath
  const stdio = ["inherit", 2, 2]
  const args = ["ci", "--no-audit", "--no-fund", "--loglevel=error"]
  const done = npm
    ? spawnSync(process.execPath, [npm, ...args], { stdio })
    : spawnSync("npm", args, { stdio, shell: process.platform === "win32" })
  if (done.status !== 0) fail("npm ci failed; see above. The registry must be reachable the first time.")
}

// What every script runs, and what `node` is within them: npm puts node_modules/.bin first on the path.
const link = "node_modules/.bin/node"
// A new database, migrated, that first starts copy (`spareCluster` in `src/platform/database/EmbeddedPostgres.ts`).
const spares = "node_modules/.cache/playroom"
const digest = (text) => createHash("sha256").update(text).digest("hex")
const entries = existsSync("sql") ? readdirSync("sql", { withFileTypes: true }) : []
const folders = entries.flatMap((entry) => (entry.isDirectory() ? [`sql/${entry.name}`] : [])).sort()
const migrations = ["sql", ...folders].flatMap((folder) =>
  (existsSync(folder) ? readdirSync(folder) : [])
    .filter((file) => file.endsWith(".sql"))
    .sort()
    .map((file) => {
      const name = `${folder === "sql/functions" ? "functions/" : ""}${file.slice(0, -".sql".length)}`
      return `${name} ${digest(readFileSync(`${folder}/${file}`))}`
    })
)
const cluster = `cluster-${digest(migrations.join()).slice(0, 16)}`
const clusterIsThere = time(`${spares}/${cluster}/PG_VERSION`) !== 0
const real = (file) => (existsSync(file) ? realpathSync(file) : undefined)
const chosen = shellsIsRight ? realpathSync(process.execPath) : real(packaged)
const linked = chosen !== undefined && real(link) === chosen
// A cluster that is there was made by the Node that is linked, so that one runs.
if (!(linked && clusterIsThere) && (chosen === undefined || spawnSync(chosen, ["--version"]).status !== 0))
  fail(
    `Playroom booking runs on Node ${pinned}. This shell has Node ${process.versions.node}, and the one that npm installed (${packaged}) does not run on this system. Install Node ${pinned}, or under Nix use "nix develop".`
  )
if (!linked) {
  try {
    const made = `${link}.${process.pid}-${Date.now()}`
    symlinkSync(shellsIsRight ? chosen : "../node/bin/node", made)
    renameSync(made, link)
  } catch (error) {
    // Who may only read the installation goes on with what its owner linked.
    if (spawnSync(link, ["--version"]).status !== 0)
      fail(`${link} has to lead to ${chosen}, and cannot be written: ${error.message}`)
  }
}

// What starts would have to wait for: the service in a few files, which are made anew where the sources were edited; a
// new database cluster to copy; Node's cache of what it compiled. Where this fails, the sources run, and the first
// start does the rest. Before a start, the standard output is the folder of that cache.
const before = process.argv[2]
const makesCluster = !clusterIsThere && existsSync("node_modules/@electric-sql/pglite") && writable("node_modules")
if (makesCluster) console.error("Building it, and an empty database (once for a release) …")
if ((before === "bundle" || before === "start") && existsSync("node_modules/rolldown") && writable("."))
  spawnSync(link, ["src/ops/process/makeBundle.ts"], {
    stdio: ["ignore", before === "start" ? "inherit" : "ignore", "inherit"]
  })
if (makesCluster) {
  // Optimising what runs once takes a third of the time.
  spawnSync(link, ["--liftoff-only", "src/platform/database/initialiseCluster.ts", `${spares}/${cluster}`], {
    stdio: "ignore"
  })
  for (const other of existsSync(`${spares}/${cluster}`) ? readdirSync(spares) : []) {
    try {
      if (other !== cluster) rmSync(`${spares}/${other}`, { recursive: true, force: true })
    } catch {
      // Another set-up is writing there. It finds that the cluster is there, and removes its own.
    }
  }
  spawnSync(link, ["src/main.ts", "--version"], { stdio: "ignore" })
}
