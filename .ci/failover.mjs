// Runs the commands of docs/replica.md under Failover on two clusters of its own: the primary is killed (-9) while
// families book, the replica is promoted, and the service, which has both addresses, goes on. Counts what was
// acknowledged and is lost: nothing with synchronous replication.
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import {
  asOwner,
  callTool,
  clusterFolder,
  day,
  freePort,
  must,
  node,
  path,
  ready,
  readyz,
  root,
  runWell,
  serve,
  sleep,
  until
} from "./support.mjs"

const key = "failover-0123456789-abcdefghijklmnop"
/** How soon after the promotion a booking is made again. */
const promisedMs = 10_000

const folder = clusterFolder("failover")
/** Runs a command to its end while the load goes on. */
const run = (command, env = {}) => runWell(asOwner(command), { cwd: folder, env: { PATH: path, HOME: folder, ...env } })

const ports = { one: await freePort(), two: await freePort() }
const url = (name) => `postgres://postgres@127.0.0.1:${ports[name]}/playroom`
const at = (name) => join(folder, name)
const sql = (name, text) => run(["psql", url(name), "-qAtc", text])
const control = (name, ...command) =>
  run(["pg_ctl", "-D", at(name), "-w", "-l", at(`${name}.log`), ...command], { PGPORT: String(ports[name]) })
const copy = async (from, to) => {
  rmSync(at(to), { recursive: true, force: true })
  await run(["pg_basebackup", "-d", url(from), "-D", at(to), "-R", "-X", "stream", "-c", "fast"])
  await control(to, "start")
  await until(
    "the replica streams",
    async () => (await sql(from, "select count(*) from pg_stat_replication where state = 'streaming'")) === "1"
  )
}
/** The whole server at once, as where the machine fails: its processes end when their parent is gone. */
const killServer = async (name) => {
  process.kill(Number(readFileSync(join(at(name), "postmaster.pid"), "utf8").split("\n")[0]), "SIGKILL")
  await sleep(50)
}

const section = readFileSync(join(root, "docs/replica.md"), "utf8").split("\n## Failover\n")[1] ?? ""
const blocks = [...section.matchAll(/^ *```sh\n([\s\S]*?)^ *```/gm)].map(([, block]) => block)
must(blocks.length === 2, "docs/replica.md has two blocks of commands under Failover")
const typed = (block, primary, replica) =>
  run(["bash", "-euc", block.replaceAll("/var/lib/postgresql/replica", at(replica))], { PRIMARY: url(primary) })

const port = await freePort()
let service
const start = async () => {
  const env = {
    PATH: path,
    HOME: folder,
    PORT: String(port),
    SANDBOX_PORT: String(await freePort()),
    DATABASE_URL: `postgres://postgres@127.0.0.1:${ports.one},127.0.0.1:${ports.two}/playroom`,
    API_KEY: key,
    RATE_LIMIT_DISABLED: "true",
    MAX_HOLDS_PER_KEY: "100000",
    LOG_FORMAT: "logfmt",
    DATA_DIR: at("data")
  }
  service = Object.assign(serve([node, join(root, "src/main.ts")], { cwd: folder, env }), { env })
  await ready(service, port)
}
const stop = async () => {
  service.child.kill("SIGTERM")
  await service.ended
}
const call = (tool, input) => callTool(port, tool, input, key)

/** Options of many days, which no two families share. */
let wishes = []
const findWishes = async () => {
  const { playrooms } = await call("search_playrooms", { limit: 20 })
  wishes = []
  for (const { playroom_id } of playrooms)
    for (let days = 10; days < 24; days++) {
      const { options } = await call("get_booking_options", { playroom_id, date: day(days), children: 4, limit: 100 })
      wishes.push(...options.map(({ option_id }) => option_id))
    }
}
let families = 0
/**
 * Four families at a time book until they are told to stop; each call is repeated, with its key, until it is answered.
 */
const load = () => {
  const acknowledged = []
  const going = { on: true }
  let failed = 0
  let last = 0
  const family = async () => {
    while (going.on) {
      const n = ++families
      const wish = wishes[n % wishes.length]
      const input = {
        option_id: wish,
        contact: { name: "Ana Lima", email: `family${n}@example.com` },
        idempotency_key: `wish-${n}`
      }
      for (let answered = false; !answered && going.on;) {
        try {
          const { booking } = await call("create_booking", input)
          acknowledged.push(booking.booking_id)
          last = Date.now()
          answered = true
        } catch (error) {
          // A place that is taken is an answer; what is away is tried again.
          answered = !/retryable\\?":true|fetch failed|terminated|other side closed/.test(
            String(error) + String(error.cause)
          )
          if (!answered) {
            failed++
            await sleep(200)
          }
        }
      }
    }
  }
  const all = Promise.all([family(), family(), family(), family()])
  return {
    acknowledged,
    lastAt: () => last,
    end: async () => {
      going.on = false
      await all
      return failed
    }
  }
}
const lostOf = async (name, acknowledged) => {
  const there = new Set((await sql(name, "select booking_id from booking")).split("\n"))
  return acknowledged.filter((id) => !there.has(id))
}
const doubled = (name) =>
  sql(
    name,
    "select count(*) from occupancy a join occupancy b on a.resource_id = b.resource_id and a.units && b.units and a.during && b.during and a.ctid < b.ctid"
  )

/** Kills the primary under load and promotes the replica; answers what was lost, and how long nobody could book. */
const failover = async (primary, replica, meanwhile = async () => {}) => {
  const families = load()
  await until("bookings are made", async () => families.acknowledged.length >= 20)
  await meanwhile(families)
  const before = families.acknowledged.length
  await killServer(primary)
  await until("the service is not ready", async () => (await readyz(port)) === 503, 10_000)
  await typed(blocks[1], primary, replica)
  const promoted = Date.now()
  await until("the service is ready", async () => (await readyz(port)) === 200, promisedMs)
  await until("bookings are made again", async () => families.lastAt() > promoted, promisedMs)
  const backMs = families.lastAt() - promoted
  await sleep(1500)
  const failed = await families.end()
  const lost = await lostOf(replica, families.acknowledged)
  must((await doubled(replica)) === "0", "a place is sold twice")
  return { acknowledged: families.acknowledged.length, before, lost: lost.length, backMs, failed }
}

try {
  await run(["initdb", "-D", at("one"), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"])
  await run([
    "sh",
    "-c",
    `printf '%s\\n' "fsync = off" "listen_addresses = '127.0.0.1'" "unix_socket_directories = ''" >> "${at("one")}/postgresql.conf"`
  ])
  await control("one", "start")
  await run(["psql", url("one").replace("/playroom", "/postgres"), "-qc", "create database playroom"])
  await copy("one", "two")
  await typed(blocks[0], "one", "two")
  await start()
  await run([node, join(root, "src/main.ts"), "catalogue", "demo"], { ...service.env, HOME: folder })
  await findWishes()

  const synchronous = await failover("one", "two")
  must(synchronous.lost === 0, `${synchronous.lost} acknowledged bookings are lost with synchronous replication`)
  must(
    service.log.includes("Another server of DATABASE_URL is the primary now"),
    "the log does not tell of the new primary"
  )

  // The old primary comes back and takes writes, as nobody told it; then the service is started anew, too.
  await control("one", "start")
  const stray = load()
  await sleep(3000)
  await stray.end()
  must(
    (await lostOf("two", stray.acknowledged)).length === 0 && stray.acknowledged.length > 0,
    "a booking went to the old primary"
  )
  await stop()
  await start()
  const again = load()
  await sleep(2000)
  await again.end()
  must(
    (await lostOf("two", again.acknowledged)).length === 0 && again.acknowledged.length > 0,
    "after a restart the old primary is used"
  )
  await control("one", "-m", "immediate", "stop")

  // Asynchronous, with a replica that has lost its connection for a second.
  await copy("two", "one")
  const asynchronous = await failover("two", "one", async (families) => {
    const rules = join(at("two"), "pg_hba.conf")
    writeFileSync(rules, `host replication all 127.0.0.1/32 reject\n${readFileSync(rules, "utf8")}`)
    await sql("two", "select pg_reload_conf()")
    await sql("two", "select pg_terminate_backend(pid) from pg_stat_replication")
    const behind = families.acknowledged.length
    await until("bookings are made without the replica", async () => families.acknowledged.length >= behind + 5)
  })
  must(asynchronous.lost > 0, "nothing is lost with a replica that is behind, so the count counts nothing")
  must(asynchronous.lost <= asynchronous.before, "what was booked after the promotion is lost")
  for (const [kind, { acknowledged, backMs, failed, lost }] of Object.entries({ synchronous, asynchronous }))
    console.log(
      `failover, ${kind}: ${acknowledged} bookings acknowledged, ${lost} lost${kind === "asynchronous" ? " (the replica was cut off before)" : ""}, ${failed} calls tried again; the first one ${backMs} ms after the promotion`
    )
} finally {
  service?.child.kill("SIGKILL")
  for (const name of ["one", "two"]) await control(name, "-m", "immediate", "stop").catch(() => {})
  await sleep(200)
  rmSync(folder, { recursive: true, force: true })
}
