// Runs the commands of docs/replica.md on two clusters of its own, and then breaks the replica in each way that the
// page names, under load: no call may fail, and no answer may be older than the page promises.
import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import {
  asOwner,
  callTool,
  clusterFolder,
  day,
  freePort,
  node,
  path,
  ready,
  root,
  run as runProgram,
  runWell,
  serve as serveBy,
  sleep,
  until
} from "./support.mjs"

const key = "replica-0123456789-abcdefghijklmnop"
const promisedMs = 5000

const folder = clusterFolder("replica")
/** Runs a command to its end while the load goes on. */
const run = (command, env = {}) => runWell(asOwner(command), { cwd: folder, env: { PATH: path, HOME: folder, ...env } })

const [primary, replica, stranger] = [await freePort(), await freePort(), await freePort()]
const url = (port, database = "playroom") => `postgres://postgres@127.0.0.1:${port}/${database}`
const sql = (port, text, database) => run(["psql", url(port, database), "-qAtc", text])
const at = (name) => join(folder, name)
const clusters = new Set()
/** A server's output goes to a file: it would hold the pipes of `run` open. */
const control = (name, port, ...command) => {
  clusters.add(name)
  return run(["pg_ctl", "-D", at(name), "-w", "-l", at(`${name}.log`), ...command], { PGPORT: String(port) })
}
const create = async (name, port) => {
  await run(["initdb", "-D", at(name), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"])
  await run([
    "sh",
    "-c",
    `printf '%s\\n' "fsync = off" "listen_addresses = '127.0.0.1'" "unix_socket_directories = ''" >> "${at(name)}/postgresql.conf"`
  ])
  await control(name, port, "start")
  await sql(port, "create database playroom", "postgres")
}

/** The page's commands, with the addresses and folders of this run. */
const [setUp = ""] = readFileSync(join(root, "docs/replica.md"), "utf8").split("\n## Failover\n")
const blocks = [...setUp.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block]) =>
  block
    .replaceAll("@primary:5432", `@127.0.0.1:${primary}`)
    .replaceAll("@replica:5432", `@127.0.0.1:${replica}`)
    .replaceAll("/var/lib/postgresql/", `${folder}/`)
)
assert.equal(blocks.length, 3)

const [port, management, sandbox] = [await freePort(), await freePort(), await freePort()]
const settings = {
  PATH: path,
  HOME: folder,
  PORT: String(port),
  MANAGEMENT_PORT: String(management),
  SANDBOX_PORT: String(sandbox),
  DATABASE_URL: url(primary),
  API_KEY: key,
  RATE_LIMIT_DISABLED: "true",
  LOG_FORMAT: "logfmt",
  DATA_DIR: at("data")
}
let service
const serve = (env) => {
  service = serveBy([node, join(root, "src/main.ts")], { cwd: folder, env: { ...settings, ...env } })
}
const start = async (env) => {
  serve(env)
  await ready(service, port)
}
/** What a command prints, also if it fails. */
const playroom = (command, env) =>
  runProgram(["sh", "-euc", `playroom() { "${node}" "${root}/src/main.ts" "$@"; }\n${command}`], {
    cwd: folder,
    env: { ...settings, ...env }
  })
const doctor = () => playroom("playroom doctor", { DATABASE_REPLICA_URL: url(replica) })
const metrics = async () => {
  const answer = await fetch(`http://127.0.0.1:${management}/metrics`, { headers: { connection: "close" } })
  const text = await answer.text()
  const value = (name, label) =>
    Number(text.match(new RegExp(`^playroom_${name}\\{[^}]*"${label}"[^}]*\\} (\\S+)`, "m"))?.[1])
  return {
    state: text.match(/^playroom_replica_state\{state="(\w+)"\} 1$/m)?.[1],
    reads: (why) => value("public_reads_total", why)
  }
}
const isState = (state, withinMs) =>
  until(`the replica is ${state}`, async () => (await metrics()).state === state, withinMs)
/** Reads that were answered for a reason while something ran. */
const readsDuring = async (why, action) => {
  const before = (await metrics()).reads(why)
  await action()
  return (await metrics()).reads(why) - before
}

const call = (name, input, withKey) => callTool(port, name, input, withKey)

const load = { goesOn: true }
const told = { calls: 0, failed: [], oldestMs: 0, longestMs: 0 }
/** When each number was committed on the primary; the playroom's summary is the last one. */
const committed = []
const write = async (playroom_id) => {
  const [file, ...args] = asOwner(["psql", url(primary), "-qAt"])
  const psql = spawn(file, args, { cwd: folder, env: { PATH: path, HOME: folder } })
  let done
  psql.stdout.setEncoding("utf8").on("data", () => done?.())
  while (load.goesOn) {
    const next = new Promise((resolve) => (done = resolve))
    psql.stdin.write(
      `update playroom set summary = '${committed.length}' where playroom_id = '${playroom_id}'; select 1;\n`
    )
    await next
    committed.push(Date.now())
    await sleep(100)
  }
  psql.stdin.end()
}
const read = async (playroom_id) => {
  while (load.goesOn) {
    const begun = Date.now()
    try {
      await call("search_playrooms", { city: "London", date: day(20), children: 6 })
      await call("get_booking_options", { playroom_id, date: day(20), date_to: day(22), children: 6 })
      const asked = Date.now()
      const { playroom } = await call("get_playroom", { playroom_id })
      // The number after the one that was shown had been committed for so long when this was asked for.
      const next = committed[Number(playroom.summary) + 1]
      if (next !== undefined) told.oldestMs = Math.max(told.oldestMs, asked - next)
      told.calls += 3
    } catch (error) {
      told.failed.push(error)
    }
    told.longestMs = Math.max(told.longestMs, Date.now() - begun)
    await sleep(20)
  }
}

const step = (text) => console.log(`replica: ${text}`)
try {
  await create("primary", primary)
  for (const block of blocks.slice(0, 2)) {
    clusters.add("replica")
    await run(["sh", "-euc", block], { PGPORT: String(replica) })
  }
  await sql(replica, "select pg_wal_replay_pause()")
  const migrated = await playroom("playroom catalogue demo")
  assert.equal(migrated.status, 0, migrated.err)
  await start({ DATABASE_REPLICA_URL: url(replica) })
  assert.equal((await metrics()).state, "unmigrated")
  const { playrooms } = await call("search_playrooms", { city: "London" })
  assert.equal((await metrics()).reads("unmigrated"), 1)
  step("a replica that has not replayed the migrations is not read from; the node starts")
  await sql(replica, "select pg_wal_replay_resume()")
  await isState("used")
  assert.match((await playroom(blocks[2])).out, /All is well/)

  const { playroom_id } = playrooms[0]
  const question = { playroom_id, date: day(20), date_to: day(22), children: 6 }
  await sql(replica, "select pg_wal_replay_pause()")
  const onTheWay = await readsDuring("used", async () => {
    const { options } = await call("get_booking_options", question, key)
    const contact = { name: "Ada Example", email: "ada@example.com" }
    await call("create_booking", { option_id: options[0].option_id, contact }, key)
    assert.equal((await call("get_booking_options", question, key)).held_by_you, true)
  })
  assert.equal(onTheWay, 0)
  await sql(replica, "select pg_wal_replay_resume()")
  await isState("used")
  step("a key sees the hold that it has just made, which the replica does not show yet")

  await sql(primary, `update playroom set summary = '0' where playroom_id = '${playroom_id}'`)
  committed.push(Date.now())
  const running = [write(playroom_id), ...Array.from({ length: 4 }, () => read(playroom_id))]
  const onReplica = await readsDuring("used", () => sleep(3000))
  assert.ok(onReplica > 0)
  assert.match(await sql(replica, "select distinct application_name from pg_stat_activity"), /playroom-replica/)
  step(
    `${onReplica} reads in 3 seconds on the replica; the oldest answer lacked what was written ${told.oldestMs} ms before`
  )

  const toldBehind = () => service.log.match(/does not show what was written/g)?.length ?? 0
  // On a busy machine the replica may have been behind for a moment before.
  const toldBefore = toldBehind()
  await sql(replica, "select pg_wal_replay_pause()")
  await isState("behind")
  assert.ok((await readsDuring("behind", () => sleep(1500))) > 0)
  const finding = await doctor()
  assert.equal(finding.status, 1, finding.err)
  assert.match(finding.out, /replica not used[\s\S]*pg_is_wal_replay_paused/)
  // What is replayed then may cancel this statement before its answer is out; the state tells whether it was done.
  await sql(replica, "select pg_wal_replay_resume()").catch(() => undefined)
  await isState("used")
  assert.equal(toldBehind(), toldBefore + 1)
  step(`replay paused: the oldest answer lacked what was written ${told.oldestMs} ms before; told once`)

  const broken = await readsDuring("failed", async () => {
    for (let n = 0; n < 20; n++) {
      await sql(
        replica,
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'playroom-replica'"
      )
      await sleep(100)
    }
  })
  assert.ok(broken > 0)
  await isState("used")
  step(`connections ended 20 times: ${broken} reads broke, and were repeated on the primary`)

  await sql(replica, "alter system set max_standby_streaming_delay = 0")
  await sql(replica, "select pg_reload_conf()")
  const conflicts = async () =>
    Number(
      await sql(
        replica,
        "select confl_lock + confl_snapshot from pg_stat_database_conflicts where datname = 'playroom'"
      )
    )
  for (let n = 0; n < 60 && (await conflicts()) === 0; n++) {
    await sql(primary, "begin; lock table playroom; select pg_sleep(0.02); commit")
    await sleep(50)
  }
  step(`${await conflicts()} reads were cancelled for being in conflict with replay`)
  await isState("used")

  const listed = await sql(replica, "select pid from pg_stat_activity where application_name = 'playroom-replica'")
  const backends = listed.split("\n")
  for (const pid of backends) process.kill(Number(pid), "SIGSTOP")
  await isState("away")
  await sleep(3500)
  for (const pid of backends) process.kill(Number(pid), "SIGCONT")
  await isState("used")
  step(`a replica that hangs: the longest round of three calls took ${told.longestMs} ms`)

  await control("replica", replica, "-m", "immediate", "stop")
  await isState("away")
  assert.match((await doctor()).out, /replica not used[\s\S]*ECONNREFUSED/)
  assert.ok((await readsDuring("away", () => sleep(1000))) > 0)
  await control("replica", replica, "start")
  await isState("used")
  step("a replica that was killed and started again")

  await control("replica", replica, "promote")
  await isState("promoted")
  assert.ok((await readsDuring("promoted", () => sleep(6000))) > 0)
  load.goesOn = false
  await Promise.all(running)
  assert.deepEqual(told.failed, [])
  assert.ok(told.oldestMs <= promisedMs, `an answer was ${told.oldestMs} ms old`)
  const errors = service.log.split("\n").filter((line) => /level=(ERROR|FATAL)/i.test(line))
  assert.deepEqual(errors, [])
  step(
    `promoted by mistake; in all ${told.calls} calls, none failed, the oldest answer lacked what was written ${told.oldestMs} ms before`
  )

  service.child.kill("SIGTERM")
  await service.ended
  assert.equal(await sql(primary, "select count(*) from replica_heartbeat"), "0")
  await start({ DATABASE_REPLICA_URL: url(replica) })
  assert.equal((await metrics()).state, "promoted")
  service.child.kill("SIGTERM")
  await service.ended
  await create("stranger", stranger)
  serve({ DATABASE_REPLICA_URL: url(stranger) })
  assert.equal(await service.ended, 1)
  assert.match(service.log, /DATABASE_REPLICA_URL is no copy of the primary/)
  step("a node starts beside a promoted replica, and not with a copy of another server")
} finally {
  load.goesOn = false
  service?.child.kill("SIGKILL")
  for (const name of clusters) {
    try {
      await control(name, 0, "-m", "immediate", "stop")
    } catch {
      // It did not run.
    }
  }
  rmSync(folder, { recursive: true, force: true })
}
