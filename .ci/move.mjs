// Runs the commands of docs/backup.md that move a venue to another database: a thousand bookings are made on the embedded
// one, families go on booking until nobody can, everything moves to the server of TEST_DATABASE_URL, and the service goes
// on there. Both sides are compared row by row, by other means than the command's. Then a copy of it comes back.
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  callTool,
  day,
  freePort,
  must,
  node,
  ready,
  readyz,
  root,
  run,
  serve,
  server,
  sleep,
  until
} from "./support.mjs"

const wanted = Number(process.env.MOVE_BOOKINGS ?? 1000)
const folder = mkdtempSync(join(tmpdir(), "playroom-move-"))
const database = `playroom_move_${process.pid}`
const url = Object.assign(new URL(server), { pathname: `/${database}` }).href
const dataDir = join(folder, "data")
const main = join(root, "src/main.ts")
const psql = (where, text) =>
  execFileSync("psql", [...where, "-X", "-qAt", "-c", text], { encoding: "utf8", maxBuffer: 2 ** 30 }).trimEnd()
const embedded = (dir) => ["-h", dir, "-U", "postgres"]
const page = readFileSync(join(root, "docs/backup.md"), "utf8")
const section = page.split("\n## Move to another database\n")[1]?.split("\n## ")[0] ?? ""
const [move, , copy] = [...section.matchAll(/^```sh\n(.+)\n```/gm)].map(([, command]) => command)
must(copy !== undefined, "docs/backup.md has no commands under Move to another database")

const port = await freePort()
const env = {
  PATH: process.env.PATH,
  HOME: folder,
  PORT: String(port),
  SANDBOX_PORT: String(await freePort()),
  DATA_DIR: dataDir,
  RATE_LIMIT_DISABLED: "true",
  MAX_HOLDS_PER_KEY: "1000000",
  HOLD_MINUTES: "60",
  LOG_FORMAT: "logfmt"
}
let service
const start = async (more = {}) => {
  service = serve([node, main], { cwd: folder, env: { ...env, ...more } })
  await ready(service, port)
}
const stop = async () => {
  service.child.kill("SIGTERM")
  await service.ended
}
/** Types a command of the page; the provider is the sandbox. */
const typed = async (command, more = {}) => {
  const [, ...args] = command.replace('"$NEW_DATABASE_URL"', url).split(" ")
  const { err, out, status } = await run([node, main, ...args, "--sandbox"], { cwd: folder, env: { ...env, ...more } })
  must(status === 0, `${command}: ${out}${err}`)
  return out
}

/** The tables that each database has for itself. */
const own =
  /^(public|sandbox)\.(schema_migration|schema_part|write_probe|node_zone_rules|replica_heartbeat|database_move|audit_mark|provider_task_migrations)$/
/** All rows of all tables, as texts. */
const rowsOf = (where) => {
  const tables = psql(
    where,
    "select table_schema || '.' || table_name from information_schema.tables where table_schema in ('public', 'sandbox') order by 1"
  ).split("\n")
  return new Map(
    tables
      .filter((table) => !own.test(table))
      .map((table) => {
        const columns = psql(
          where,
          `select string_agg(quote_ident(attname), ', ' order by attname collate "C") from pg_attribute where attrelid = '${table}'::regclass and attnum > 0 and not attisdropped`
        )
        const rows = psql(where, `set time zone 'UTC'; select row(${columns})::text from ${table}`)
        return [table, rows.split("\n").sort().join("\n")]
      })
  )
}
const compare = (one, other, but = []) => {
  const [here, there] = [rowsOf(one), rowsOf(other)]
  must(here.size > 50 && [...here.keys()].join() === [...there.keys()].join(), "other tables are there")
  for (const [table, rows] of here)
    must(but.includes(table) || rows === there.get(table), `${table} is not the same on both sides`)
  return here.size
}

try {
  psql([server], `create database ${database} template template0 encoding 'UTF8' locale 'C.UTF-8'`)
  await start()
  const key = readFileSync(join(dataDir, "development-key"), "utf8").trim()
  const call = (tool, input) => callTool(port, tool, input, key)
  const { playrooms } = await call("search_playrooms", { limit: 20 })
  const wishes = []
  for (const { playroom_id } of playrooms)
    for (let days = 10; days < 45; days++) {
      const { options } = await call("get_booking_options", { playroom_id, date: day(days), children: 1, limit: 100 })
      wishes.push(...options.map(({ option_id }) => option_id))
    }
  const acknowledged = []
  const going = { on: true }
  let families = 0
  let repeated = 0
  const family = async () => {
    while (going.on) {
      const n = ++families
      const input = {
        option_id: wishes[n % wishes.length],
        contact: { name: "Ana Lima", email: `family${n}@example.com` },
        idempotency_key: `wish-${n}`
      }
      for (let answered = false; !answered && going.on;) {
        try {
          acknowledged.push((await call("create_booking", input)).booking.booking_id)
          answered = true
        } catch (error) {
          // A place that is taken is an answer; what is away is tried again.
          answered = !/retryable\\?":true|fetch failed|terminated|other side closed|Unexpected/.test(
            `${error}${error.cause}`
          )
          if (answered) continue
          repeated++
          await sleep(100)
        }
      }
    }
  }
  const all = Promise.all([family(), family(), family(), family()])
  await until(`${wanted} bookings are made`, () => acknowledged.length >= wanted, 600_000)
  const open = acknowledged[0]
  const { payment_session: session } = await call("create_payment_session", { booking_id: open })
  const issued = JSON.parse((await run([node, main, "key", "create", "Assistant", "--json"], { cwd: folder, env })).out)
  const link = (await run([node, main, "booking", "link", open], { cwd: folder, env })).out.match(/http:\S+/)[0]

  const before = acknowledged.length
  const began = Date.now()
  const said = await typed(move)
  const took = Date.now() - began
  must((await readyz(port)) === 503, "the service says that it is ready")
  // The key of DATA_DIR is an issued one there; its service is the only one that has it otherwise.
  const tables = compare(embedded(dataDir), [url], ["public.api_key"])
  await stop()
  const refused = await run([node, main, "serve"], { cwd: folder, env })
  must(refused.status !== 0 && refused.err.includes("This database moved to"), `the old one starts: ${refused.err}`)
  await start({ DATABASE_URL: url })
  const after = acknowledged.length
  await until("bookings are made again", () => acknowledged.length >= after + 20)
  going.on = false
  await all
  const there = new Set(psql([url], "select booking_id from booking").split("\n"))
  must(
    acknowledged.every((id) => there.has(id)),
    "a booking that was acknowledged is missing"
  )
  must(there.size >= acknowledged.length, "bookings are missing")

  // What was open goes on: the page that was given out before is paid, the link and both keys work.
  await fetch(session.url, { method: "POST", body: new URLSearchParams({ outcome: "pay" }), redirect: "manual" })
  await until(
    "the booking is confirmed",
    async () => (await callTool(port, "get_booking", { booking_id: open }, key)).booking.status === "confirmed"
  )
  await callTool(port, "search_playrooms", {}, issued.secret ?? issued.key)
  must((await fetch(link.replace(/^http:\/\/[^/]+/, `http://127.0.0.1:${port}`))).status === 200, "the link is dead")
  const doctor = await run([node, main, "doctor", "--full"], { cwd: folder, env: { ...env, DATABASE_URL: url } })
  must(doctor.status === 0, doctor.out + doctor.err)
  await stop()

  // Back, to a laptop.
  await typed(copy, { DATABASE_URL: url })
  const laptop = { DATA_DIR: join(folder, "laptop") }
  await start(laptop)
  must((await readyz(port)) === 200, "the copy is not ready")
  const copied = psql(embedded(laptop.DATA_DIR), "select count(*) from booking")
  must(copied === psql([url], "select count(*) from booking"), "the laptop has other bookings")
  await stop()
  console.log(
    `move: ${before} bookings and what came until then, ${tables} tables, ${took} ms; ${acknowledged.length} acknowledged, none lost, ${repeated} calls tried again; ${said.split("\n")[0]}`
  )
} finally {
  service?.child.kill("SIGKILL")
  await sleep(200)
  psql([server], `drop database if exists ${database} with (force)`)
  rmSync(folder, { recursive: true, force: true })
}
