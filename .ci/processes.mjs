// Two processes on one socket, as docs/systemd has them, under a systemd of their own and on the PostgreSQL server of
// TEST_DATABASE_URL: assistants book on new and on kept connections while each process is restarted in turn, one can't
// start, one hangs, one is alone, and all are stopped. Nobody may be refused, and nothing lost. Needs root, systemd and
// control groups; without them it says so.
import assert from "node:assert/strict"
import { execFileSync, spawn, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { Agent, request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { day, freePort, node, readyz, root, server, sleep, until } from "./support.mjs"

const key = "processes-0123456789-abcdefghijklmnopqrst"
const folder = mkdtempSync(join(tmpdir(), "playroom-processes-"))
const keyFile = join(folder, "key")
const database = `playroom_processes_${process.pid}`
const url = Object.assign(new URL(server), { pathname: `/${database}` }).href
const sql = (text, at = url) => execFileSync("psql", [at, "-qAt", "-c", text], { encoding: "utf8" }).trim()
/** The most that a restart may take under load: clients end the connections that they keep within 66 seconds. */
const restartMs = 120_000
const port = await freePort()
const management = [await freePort(), await freePort()]
const sandbox = [await freePort(), await freePort()]
const settings = {
  PATH: process.env.PATH,
  HOME: folder,
  PORT: String(port),
  DATABASE_URL: url,
  DATA_DIR: folder,
  API_KEY_FILE: keyFile,
  LOG_FORMAT: "json",
  DRAIN_SECONDS: "2",
  MAX_HOLDS_PER_KEY: "1000000",
  RATE_LIMIT_DISABLED: "true"
}

/** What the units of docs/systemd say of starting, stopping and sockets: users and restrictions are .ci/unit's. */
const kept =
  /^(\[.*\]|(Type|NotifyAccess|Timeout\w+|ExecStart|Sockets|RestartKillSignal|Watchdog\w+|Restart\w*|Backlog|Service)=.*)$/
const unitOf = (file, more) =>
  readFileSync(join(root, "docs/systemd", file), "utf8")
    .split("\n")
    .flatMap((line) => (kept.test(line) ? [line, ...(more[line] ?? [])] : []))
    .join("\n")
    .replaceAll("/opt/playroom", root)
const writeUnits = () => {
  const units = join(folder, "systemd/user")
  mkdirSync(units, { recursive: true })
  const environment = Object.entries(settings).map(
    ([name, value]) => `Environment=${JSON.stringify(`${name}=${value}`)}`
  )
  writeFileSync(
    join(units, "playroom.socket"),
    unitOf("playroom.socket", { "[Socket]": [`ListenStream=127.0.0.1:${port}`] })
  )
  const service = unitOf("playroom@.service", { "[Service]": [...environment, `EnvironmentFile=${folder}/%i`] })
  const log = `StandardOutput=append:${folder}/log\nStandardError=inherit\n`
  writeFileSync(
    join(units, "playroom@.service"),
    service.replace("[Install]", log).replace(/^WatchdogSec=.*$/m, "WatchdogSec=9")
  )
  for (const n of [0, 1])
    writeFileSync(join(folder, String(n + 1)), `MANAGEMENT_PORT=${management[n]}\nSANDBOX_PORT=${sandbox[n]}\n`)
}

// A systemd of this script's own, in control groups of its own, which believes that the machine runs under it.
const group = `playroom-processes-${process.pid}`
const groups = ["/sys/fs/cgroup/systemd", "/sys/fs/cgroup/unified", "/sys/fs/cgroup"].filter((at) =>
  existsSync(join(at, "cgroup.procs"))
)
const begin = `set -e
${groups.map((at) => `mkdir ${at}/${group}; echo $$ > ${at}/${group}/cgroup.procs`).join("\n")}
mkdir -p /run/systemd; mount -t tmpfs none /run/systemd; mkdir /run/systemd/system
exec /lib/systemd/systemd --user`
const own = { ...process.env, HOME: folder, XDG_RUNTIME_DIR: folder, XDG_CONFIG_HOME: folder }
const startManager = async () => {
  const manager = spawn("unshare", ["--mount", "--propagation", "private", "sh", "-c", begin], {
    env: own,
    stdio: "ignore"
  })
  const socket = join(folder, "systemd/private")
  for (let tries = 0; tries < 100 && !existsSync(socket) && manager.exitCode === null; tries++) await sleep(100)
  return existsSync(socket) ? manager : undefined
}
const removeGroups = () => {
  for (const at of groups)
    spawnSync("find", [join(at, group), "-depth", "-type", "d", "-exec", "rmdir", "{}", ";"], { stdio: "ignore" })
}

/** One call of a tool. Fails where the connection does, or where there is no answer within 30 seconds. */
const call = (port, agent, name, args) =>
  new Promise((answered, failed) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } })
    const headers = { "content-type": "application/json", accept: "application/json", "x-api-key": key }
    const options = { port, host: "127.0.0.1", path: "/mcp", method: "POST", agent, headers, timeout: 30_000 }
    const asked = request(options, (response) => {
      let text = ""
      response.setEncoding("utf8").on("data", (more) => (text += more))
      response.on("error", failed)
      response.on("end", () => {
        if (response.statusCode !== 200) return failed(new Error(`status ${response.statusCode}: ${text}`))
        answered(JSON.parse(text).result)
      })
    })
    asked.on("timeout", () => asked.destroy(new Error("no answer")))
    asked.on("error", failed)
    asked.end(body)
  })

// What the assistants did.
const load = {
  on: true,
  stopping: false,
  answered: 0,
  booked: new Set(),
  failed: [],
  mayFail: false,
  inFlight: 0,
  slowest: 0
}

/** A call that is repeated where its connection fails, as an assistant's host does. */
const steadyCall = async (port, agent, name, args) => {
  for (let tries = 1; ; tries++) {
    load.inFlight++
    const began = performance.now()
    try {
      const result = await call(port, agent, name, args)
      load.answered++
      load.slowest = Math.max(load.slowest, performance.now() - began)
      return result
    } catch (error) {
      load.failed.push({ allowed: load.mayFail, why: `${name}: ${error.code ?? error.message}` })
      if (tries === 5) throw error
    } finally {
      load.inFlight--
    }
  }
}

/** Looks for times and books one of them, again and again. */
const assistant = async (n, port, playrooms, agent, restMs) => {
  for (let i = 0; !load.stopping; i++) {
    if (!load.on) {
      await sleep(20)
      continue
    }
    const playroom_id = playrooms[(n * 7 + i) % playrooms.length]
    const from = 2 + ((n * 13 + i * 5) % 50)
    const { structuredContent: page } = await steadyCall(port, agent, "get_booking_options", {
      playroom_id,
      date: day(from),
      date_to: day(from + 6),
      children: 4
    })
    const option = page?.options?.[(n + i) % (page.options.length || 1)]
    if (option !== undefined && !load.stopping) {
      const result = await steadyCall(port, agent, "create_booking", {
        option_id: option.option_id,
        contact: { name: "Ada Example", email: `ada-${n}-${i}@example.com` },
        idempotency_key: `processes-${n}-${i}`
      })
      // Another assistant may have been faster: that is an answer, too.
      if (result.structuredContent?.booking) load.booked.add(result.structuredContent.booking.booking_id)
    }
    await sleep(restMs * Math.random())
  }
}

const noneFailed = (when) => {
  const faults = load.failed.filter(({ allowed }) => !allowed)
  assert.deepEqual(faults, [], `${when}: ${faults.length} calls failed`)
}

const answeredBy = async (n) => {
  const text = await (await fetch(`http://127.0.0.1:${management[n - 1]}/metrics`)).text()
  return Number(/^playroom_http_requests_total\{route="\/mcp",status="200"\} (\S+)$/m.exec(text)?.[1] ?? 0)
}

writeUnits()
const manager = process.getuid() === 0 && groups.length > 0 ? await startManager() : undefined
if (manager === undefined) {
  console.log("processes: not run, which needs root, systemd and control groups")
  rmSync(folder, { recursive: true, force: true })
  process.exit(0)
}
const systemctl = (...args) =>
  new Promise((ended) => {
    const command = ["--mount", "--target", String(manager.pid), "systemctl", "--user", ...args]
    const child = spawn("nsenter", command, { env: own, stdio: ["ignore", "pipe", "ignore"] })
    let said = ""
    child.stdout.setEncoding("utf8").on("data", (text) => (said += text))
    child.once("close", (code) => ended({ code, said: said.trim() }))
  })
const mainPid = async (n) => Number((await systemctl("show", "--value", "--property=MainPID", `playroom@${n}`)).said)
const restart = async (n) => {
  const [before, began] = [await mainPid(n), performance.now()]
  assert.equal((await systemctl("restart", `playroom@${n}`)).code, 0, `playroom@${n} is restarted`)
  assert.notEqual(await mainPid(n), before)
  // Readiness is read once a second.
  await until("it is ready", async () => (await readyz(management[n - 1])) === 200)
  return performance.now() - began
}

try {
  writeFileSync(keyFile, key, { mode: 0o600 })
  sql(`create database ${database}`, server)
  assert.equal((await systemctl("start", "playroom.socket", "playroom@1")).code, 0, "the first process starts")
  execFileSync(node, [join(root, "src/main.ts"), "catalogue", "demo"], {
    env: settings,
    stdio: ["ignore", "ignore", "inherit"]
  })
  assert.equal((await systemctl("start", "playroom@2")).code, 0, "the second process starts")
  const playrooms = sql("select playroom_id from playroom order by 1").split("\n")

  const agents = Array.from({ length: 6 }, () => new Agent({ keepAlive: true, maxSockets: 1 }))
  const assistants = [
    ...agents.slice(0, 4).map((agent, n) => assistant(n, port, playrooms, agent, 5)),
    // These rest longer than a process takes to start.
    ...agents.slice(4).map((agent, n) => assistant(10 + n, port, playrooms, agent, 6000)),
    ...[20, 21, 22, 23].map((n) => assistant(n, port, playrooms, false, 5))
  ]
  const running = Promise.all(assistants)
  running.catch(() => {})
  await sleep(4000)
  noneFailed("two processes")
  const shares = [await answeredBy(1), await answeredBy(2)]
  assert.ok(Math.min(...shares) > 0, `both processes answer: ${shares}`)

  // Each in turn, twice.
  load.slowest = 0
  const before = load.answered
  const took = []
  for (const n of [1, 2, 1, 2]) took.push(await restart(n))
  noneFailed("restarting each process in turn")
  const [restarted, slowest] = [load.answered - before, load.slowest]

  // One that can't start: the other serves on, until it can.
  writeFileSync(keyFile, "")
  assert.notEqual((await systemctl("restart", "playroom@1")).code, 0)
  noneFailed("a process that can't start")
  writeFileSync(keyFile, key)
  await until("it starts by itself", async () => (await readyz(management[0])) === 200, restartMs)

  // One that hangs, with connections that it has taken: systemd kills and starts it.
  load.mayFail = true
  const hung = await mainPid(1)
  process.kill(hung, "SIGSTOP")
  await until("it is killed", async () => (await mainPid(1)) !== hung, restartMs)
  await until("it is started again", async () => (await readyz(management[0])) === 200, restartMs)
  load.mayFail = false
  const cut = load.failed.length
  assert.ok(cut <= assistants.length, `${cut} calls failed when a process was killed`)
  await sleep(1000)

  // One alone: those who come while it is restarted wait for it.
  assert.equal((await systemctl("stop", "playroom@2")).code, 0)
  load.slowest = 0
  const alone = await restart(1)
  noneFailed("restarting the only process")
  const waited = load.slowest

  // As a balancer does, nothing more is sent once /readyz says 503.
  const stopping = systemctl("stop", "playroom.socket", "playroom@1")
  await until("/readyz says 503", async () => (await readyz(port)) === 503, 5000)
  load.stopping = true
  await running
  assert.equal((await stopping).code, 0)
  assert.equal((await systemctl("show", "--value", "--property=Result", "playroom@1")).said, "success")
  noneFailed("stopping")
  for (const agent of agents) agent.destroy()

  const stored = new Set(sql("select booking_id from booking").split("\n"))
  assert.deepEqual(
    [...load.booked].filter((id) => !stored.has(id)),
    [],
    "no booking is lost"
  )
  assert.equal(
    stored.size,
    load.booked.size,
    "no booking that nobody was told of: a call that failed was repeated under its key"
  )
  const twice =
    sql(`select count(*) from occupancy a join occupancy b on a.resource_id = b.resource_id and a.ctid < b.ctid
    and a.during && b.during and a.units && b.units`)
  assert.equal(twice, "0")
  const seconds = (ms) => (ms / 1000).toFixed(1)
  console.log(
    `processes: ${load.answered} calls, ${load.booked.size} bookings; ${restarted} calls while each of two was restarted twice (${took.map(seconds).join(", ")} s; the slowest call ${seconds(slowest)} s), the only one once (${seconds(alone)} s; the slowest ${seconds(waited)} s): 0 refused, 0 lost, none sold twice; ${cut} cut by a kill, and repeated; calls divided ${shares.join(" and ")}`
  )
} catch (error) {
  if (existsSync(join(folder, "log")))
    console.error(
      readFileSync(join(folder, "log"), "utf8")
        .split("\n")
        .filter((line) => !line.includes('"tool call"'))
        .slice(-40)
        .join("\n")
    )
  throw error
} finally {
  load.stopping = true
  await systemctl("kill", "--signal=SIGKILL", "playroom@*")
  manager.kill("SIGTERM")
  await sleep(500)
  manager.kill("SIGKILL")
  removeGroups()
  rmSync(folder, { recursive: true, force: true })
  sql(`drop database if exists ${database} with (force)`, server)
}
process.exit(0)
