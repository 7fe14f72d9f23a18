// Runs the code from before the newest migration beside this one's, on one PostgreSQL server (TEST_DATABASE_URL), and
// books and pays through both, also one booking through the two of them by turns. Then it compares the schema of that
// database with a new one's. Without git history it says so and does nothing.
import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { callTool, day, freePort, node, ready, root, serve, server, sleep } from "./support.mjs"

const key = "rolling-upgrade-0123456789-abcdefghijkl"
const git = (...args) =>
  execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim()

/** The migrations of a commit: their paths and what is in them, in order. Files of functions may be edited. */
const migrationsOf = (commit) =>
  git("ls-tree", "-r", commit, "sql")
    .split("\n")
    .flatMap((line) => {
      const [, blob, path] = line.match(/^\S+ blob (\S+)\t(.+)$/) ?? []
      return path === undefined || path.includes("/functions/") ? [] : [{ blob, path }]
    })
/**
 * The last migration before those of the first release replaced them (`replaced` in
 * `src/platform/database/Migrations.ts`).
 */
const lastReplaced = "sql/0100_history_facts.sql"
/**
 * Whether a database of that commit's can be migrated to what `sql/` has: its migrations are the first of those here.
 */
const leadsHere = (commit) => {
  const migrations = migrationsOf(commit)
  return (
    migrations.some(({ path }) => path === lastReplaced) ||
    migrations.every(({ blob, path }) => existsSync(join(root, path)) && git("hash-object", path) === blob)
  )
}

let before
try {
  const added = git("log", "-20", "--diff-filter=A", "--format=%H", "--", "sql").split("\n")
  before = [...added.map((commit) => git("rev-parse", `${commit}~1`)), git("rev-parse", "HEAD")].find(leadsHere)
} catch {
  console.log("rolling upgrade: not tried, since there is no git history with the release before")
  process.exit(0)
}
if (before === undefined) throw new Error("A migration of the last commit was edited: add a new one instead.")

const folder = mkdtempSync(join(tmpdir(), "playroom-rolling-"))
const old = join(folder, "old")
const database = `playroom_rolling_${process.pid}`
const url = Object.assign(new URL(server), { pathname: `/${database}` }).href
const services = []
const sql = (text) => execFileSync("psql", [server, "-qAt", "-c", text], { encoding: "utf8" })

/** A database's schema as statements without an order. Columns have none, either: migrations add them at the end. */
const schemaOf = (name) =>
  execFileSync("pg_dump", ["-s", Object.assign(new URL(server), { pathname: `/${name}` }).href], { encoding: "utf8" })
    .replaceAll(/^(--.*|\\.*)?\n/gm, "")
    .split(/;\n/)
    .map((statement) => (statement.startsWith("CREATE TABLE") ? statement.split(/,?\n/).sort().join("\n") : statement))
    .sort()

const start = async (name, cwd, databaseUrl = url) => {
  const port = await freePort()
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    PORT: String(port),
    SANDBOX_PORT: String(await freePort()),
    DATABASE_URL: databaseUrl,
    API_KEY: key,
    LOG_FORMAT: "logfmt",
    DATA_DIR: join(folder, name)
  }
  const service = Object.assign(serve([node, join(cwd, "src/main.ts")], { cwd: folder, env }), {
    name,
    port,
    at: `http://127.0.0.1:${port}`
  })
  services.push(service)
  await ready(service, port)
  return service
}

const call = ({ port }, tool, input) => callTool(port, tool, input, key)

let bookings = 0

/** Books through one node, pays through another, and reads the booking through a third. */
const bookAndPay = async (books, pays, reads) => {
  const n = ++bookings
  const { playrooms } = await call(books, "search_playrooms", { city: "London" })
  const { playroom_id } = playrooms[0]
  const { options } = await call(books, "get_booking_options", {
    playroom_id,
    date: day(14 + n),
    date_to: day(20 + n),
    children: 4
  })
  const contact = { name: "Ada Example", email: `ada${n}@example.com` }
  const { booking } = await call(books, "create_booking", { option_id: options[0].option_id, contact })
  const { booking_id } = booking
  const { payment_session: payment, ...rest } = await call(pays, "create_payment_session", { booking_id })
  const page = (payment ?? rest).url ?? JSON.stringify(rest).match(/http:[^"]+\/pay\/[^"]+/)[0]
  // The sandbox reads whole rows: a connection that did before a migration added a column fails once more.
  for (let tries = 0; tries < 20; tries++) {
    const paid = await fetch(page, {
      method: "POST",
      body: new URLSearchParams({ outcome: "pay" }),
      redirect: "manual"
    })
    if (paid.status < 500) break
    await sleep(250)
  }
  for (let tries = 0; tries < 60; tries++) {
    const { booking: now } = await call(reads, "get_booking", { booking_id })
    if (now.status === "confirmed") return
    await sleep(250)
  }
  throw new Error(`booked by ${books.name}, paid by ${pays.name}: not confirmed for ${reads.name}`)
}

try {
  execFileSync("sh", ["-c", `mkdir -p "${old}" && git archive ${before} | tar -x -C "${old}"`], { cwd: root })
  const lock = (at) => readFileSync(join(at, "package-lock.json"), "utf8")
  if (lock(old) === lock(root)) symlinkSync(join(root, "node_modules"), join(old, "node_modules"))
  else execFileSync("npm", ["ci", "--silent", "--omit=dev", "--no-audit", "--prefer-offline"], { cwd: old })
  sql(`create database ${database}`)

  const previous = await start("previous", old)
  const demo = ["src/domain/import/demo.json", "src/import/demo.json"].map((path) => join(old, path)).find(existsSync)
  execFileSync(node, [join(old, "src/main.ts"), "catalogue", "import", demo], {
    env: { PATH: process.env.PATH, HOME: folder, DATABASE_URL: url, DATA_DIR: join(folder, "previous") },
    stdio: ["ignore", "ignore", "inherit"]
  })
  await bookAndPay(previous, previous, previous)
  const current = await start("current", root)
  await bookAndPay(current, current, previous)
  await bookAndPay(previous, previous, current)
  await bookAndPay(previous, current, previous)
  await bookAndPay(current, previous, current)
  for (const { at, child, log, name } of services) {
    if (child.exitCode !== null || (await fetch(`${at}/readyz`)).status !== 200)
      throw new Error(`${name} is not ready any more`)
    const errors = log.split("\n").filter((line) => /level=(ERROR|FATAL)/i.test(line))
    if (errors.length > 0) throw new Error(`${name} logged errors: ${errors.join("\n")}`)
  }
  sql(`create database ${database}_new`)
  await start("new", root, `${url}_new`)
  const [upgraded, made] = [database, `${database}_new`].map(schemaOf)
  const only = (these, those) => these.filter((statement) => !those.includes(statement)).join(";\n")
  if (upgraded.join() !== made.join())
    throw new Error(
      `The upgraded schema is another than a new one. Only upgraded:\n${only(upgraded, made)}\nOnly new:\n${only(made, upgraded)}`
    )
  const migrations = (at) => readdirSync(join(at, "sql")).filter((file) => file.endsWith(".sql")).length
  console.log(
    `rolling upgrade: ${before.slice(0, 7)} (${migrations(old)} migrations) beside this code (${migrations(root)}): ${bookings} bookings made and paid through both, none failed, and the schema is a new one's (${made.length} statements)`
  )
} finally {
  for (const { child } of services) child.kill("SIGKILL")
  await sleep(200)
  if (existsSync(old)) rmSync(folder, { recursive: true, force: true })
  for (const name of [database, `${database}_new`]) sql(`drop database if exists ${name} with (force)`)
}
