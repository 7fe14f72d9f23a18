// Installs what is missing, and nothing where it is all there (a few stats of files). Runs on the system's own Node,
// so it is plain JavaScript without dependencies.
import { spawnSync } from "node:child_process"
import { accessSync, constants, existsSync, readFileSync, statSync } from "node:fs"

const time = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0

const packages = (file) => Object.entries(JSON.parse(readFileSync(file, "utf8")).packages)

// Copying a checkout may leave the lock file younger than what was installed by it: then what they say decides.
const installed = () => {
  if (time("node_modules/.bin/node") === 0 || time("node_modules/.package-lock.json") === 0) return false
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
  console.log("Installing dependencies (first run, or the lock file changed) …")
  const npm = process.env.npm_execpath
  const args = ["ci", "--no-audit", "--no-fund", "--loglevel=error"]
  const done = npm
    ? spawnSync(process.execPath, [npm, ...args], { stdio: "inherit" })
    : spawnSync("npm", args, { stdio: "inherit", shell: process.platform === "win32" })
  if (done.status !== 0) {
    console.error("npm ci failed; see above. The registry must be reachable the first time.")
    process.exit(done.status ?? 1)
  }
}

// What the first start would have to wait for: a new database cluster to copy, and Node's cache of the compiled sources.
// Where this fails, the first start does it.
const cluster = "node_modules/.cache/playroom/cluster"
if (
  time(`${cluster}/PG_VERSION`) === 0 &&
  existsSync("node_modules/@electric-sql/pglite") &&
  writable("node_modules")
) {
  spawnSync("node_modules/.bin/node", ["src/database/initialiseCluster.ts", cluster], { stdio: "ignore" })
  spawnSync("node_modules/.bin/node", ["src/main.ts", "--version"], { stdio: "ignore" })
}
