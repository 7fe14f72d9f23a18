// WORKERS=2 under load, on the PostgreSQL server of TEST_DATABASE_URL: assistants book on new and on kept connections while the workers
// are replaced twice, a replacement fails, one worker is killed, and the service is stopped. Nothing may be refused or lost.
import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { Agent, request } from "node:http"
import { availableParallelism, tmpdir } from "node:os"
import { join } from "node:path"
import { day, freePort, node, ready, root, serve, server, sleep, until } from "./support.mjs"

const main = join(root, "src/main.ts")
const key = "workers-0123456789-abcdefghijklmnopqrst"
const folder = mkdtempSync(join(tmpdir(), "playroom-workers-"))
const keyFile = join(folder, "key")
const database = `playroom_workers_${process.pid}`
const url = Object.assign(new URL(server), { pathname: `/${database}` }).href
const sql = (text, at = url) => execFileSync("psql", [at, "-qAt", "-c", text], { encoding: "utf8" }).trim()
/** The most that a restart of a worker may take under load. */
const restartMs = 120_000
const services = []
const start = async (workers) => {
  const [port, sandbox, management] = [await freePort(), await freePort(), await freePort()]
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    PORT: String(port),
    SANDBOX_PORT: String(sandbox),
    MANAGEMENT_PORT: String(management),
    WORKERS: String(workers),
    DATABASE_URL: url,
    DATA_DIR: folder,
    API_KEY_FILE: keyFile,
    LOG_FORMAT: "json",
    LOG_LEVEL: "info",
    DRAIN_SECONDS: "2",
    MAX_HOLDS_PER_KEY: "1000000",
    RATE_LIMIT_DISABLED: "true"
  }
  const service = Object.assign(serve([node, main], { cwd: folder, env }), { port, management, env })
  services.push(service)
  await ready(service, port)
  return service
}
const told = (service, text) => service.log.split(`"message":"${text}`).length - 1
const workersOf = ({ child }) =>
  readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").split(" ").filter(Boolean).map(Number)

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
const load = { on: true, stopping: false, answered: 0, booked: new Set(), failed: [], mayFail: false, inFlight: 0 }

/** A call that is repeated where its connection fails, as an assistant's host does. */
const steadyCall = async (port, agent, name, args) => {
  for (let tries = 1; ; tries++) {
    load.inFlight++
    try {
      const result = await call(port, agent, name, args)
      load.answered++
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
        idempotency_key: `workers-${n}-${i}`
      })
      // Another assistant may have been faster: that is an answer, too.
      if (result.structuredContent?.booking) load.booked.add(result.structuredContent.booking.booking_id)
    }
    await sleep(restMs * Math.random())
  }
}

const metricsOf = async ({ management }) => {
  const text = await (await fetch(`http://127.0.0.1:${management}/metrics`)).text()
  const sum = (pattern) => [...text.matchAll(pattern)].reduce((all, [, value]) => all + Number(value), 0)
  return {
    requests: sum(/^playroom_http_requests_total\{route="\/mcp",status="200"\} (\S+)$/gm),
    timed: sum(/^playroom_http_request_duration_seconds_count\{route="\/mcp"\} (\S+)$/gm),
    held: sum(/^playroom_booking_events_total\{event="held"\} (\S+)$/gm),
    listening: sum(/^playroom_workers\{state="listening"\} (\S+)$/gm)
  }
}

/** Lets all calls end, so that what was counted can be compared. */
const settle = async () => {
  load.on = false
  await until("calls in flight end", () => load.inFlight === 0, 30_000)
  // An answer is counted before it is sent.
  await sleep(100)
}
const noneFailed = (when) => {
  const faults = load.failed.filter(({ allowed }) => !allowed)
  assert.deepEqual(faults, [], `${when}: ${faults.length} calls failed`)
}

/** Processor time of a service with its workers, in seconds. */
const processorTime = (service) =>
  [service.child.pid, ...workersOf(service)].reduce((all, pid) => {
    // After the name in brackets; user and system time are the 14th and 15th field, in hundredths.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ")
    return all + (Number(fields[11]) + Number(fields[12])) / 100
  }, 0)

/** Answers a second, as many as eight callers on kept connections get, and what each takes of the service's processor time. */
const speed = async (service, playroom_id, seconds) => {
  const { port } = service
  const agent = new Agent({ keepAlive: true })
  const used = processorTime(service)
  const end = Date.now() + seconds * 1000
  let answers = 0
  const caller = async () => {
    while (Date.now() < end) {
      await call(port, agent, "get_booking_options", { playroom_id, date: day(3), date_to: day(9), children: 4 })
      answers++
    }
  }
  await Promise.all(Array.from({ length: 8 }, caller))
  agent.destroy()
  return { rate: answers / seconds, cpuMs: ((processorTime(service) - used) * 1000) / answers }
}

try {
  writeFileSync(keyFile, key, { mode: 0o600 })
  sql(`create database ${database}`, server)
  const service = await start(2)
  assert.equal(told(service, "Listening"), 1, "the start is told once")
  execFileSync(node, [main, "catalogue", "demo"], {
    env: { ...service.env, WORKERS: "" },
    stdio: ["ignore", "ignore", "inherit"]
  })
  await until("both workers listen", async () => (await metricsOf(service)).listening === 2, restartMs)
  const playrooms = sql("select playroom_id from playroom order by 1").split("\n")

  const kept = Array.from({ length: 6 }, () => new Agent({ keepAlive: true, maxSockets: 1 }))
  const assistants = [
    ...kept.slice(0, 4).map((agent, n) => assistant(n, service.port, playrooms, agent, 5)),
    // These rest longer than it takes to replace a worker.
    ...kept.slice(4).map((agent, n) => assistant(10 + n, service.port, playrooms, agent, 6000)),
    ...[20, 21, 22, 23].map((n) => assistant(n, service.port, playrooms, false, 5))
  ]
  const running = Promise.all(assistants)
  running.catch(() => {})
  let highest = 0
  const scraping = setInterval(async () => {
    const { requests } = await metricsOf(service).catch(() => ({ requests: highest }))
    if (requests < highest)
      load.failed.push({ allowed: false, why: `the counter went back: ${highest} to ${requests}` })
    highest = Math.max(highest, requests)
  }, 500)
  await sleep(2000)

  // Two restarts, the second asked for while the first is under way.
  const before = workersOf(service)
  service.child.kill("SIGHUP")
  await until("a replacement starts", () => workersOf(service).length === 3, restartMs)
  service.child.kill("SIGHUP")
  await until("all workers are replaced, twice", () => told(service, "All workers were replaced") === 2, 400_000)
  const after = workersOf(service)
  assert.equal(after.length, 2)
  assert.ok(!after.some((pid) => before.includes(pid)))
  noneFailed("replacing the workers twice")

  // Replacements that can't start: the others serve on.
  writeFileSync(keyFile, "")
  service.child.kill("SIGHUP")
  await until("the failure is told", () => told(service, "A new worker ended before it listened") === 1, restartMs)
  writeFileSync(keyFile, key)
  assert.deepEqual(workersOf(service), after)
  noneFailed("a replacement that can't start")

  await settle()
  const counted = await metricsOf(service)
  const held = Number(sql("select count(*) from booking_history where event = 'held'"))
  assert.deepEqual(
    [counted.requests, counted.timed, counted.held],
    [load.answered, load.answered, held],
    "requests counted, timed, and bookings held, against the answers and the history"
  )
  const replacedAt = load.answered
  load.on = true
  await sleep(500)

  // A worker that hangs, with a connection on its way to it, and is then killed.
  load.mayFail = true
  const inFlight = load.inFlight
  process.kill(after[0], "SIGSTOP")
  await sleep(500)
  process.kill(after[0], "SIGKILL")
  await until(
    "another worker takes its place",
    async () => workersOf(service).length === 2 && !workersOf(service).includes(after[0]),
    restartMs
  )
  await until("it listens", async () => (await metricsOf(service)).listening === 2, restartMs)
  load.mayFail = false
  const cut = load.failed.length
  assert.ok(cut <= assistants.length, `${cut} calls failed when a worker was killed, of ${inFlight} in flight`)
  assert.ok(
    load.failed.every(({ why }) => /ECONNRESET|socket hang up/.test(why)),
    JSON.stringify(load.failed)
  )
  await sleep(1000)
  noneFailed("after a worker was killed")

  // As a balancer does, nothing more is sent once /readyz says 503.
  service.child.kill("SIGTERM")
  await until(
    "/readyz says 503",
    async () => (await fetch(`http://127.0.0.1:${service.port}/readyz`)).status === 503,
    2000
  )
  load.stopping = true
  clearInterval(scraping)
  await running
  assert.equal(await service.ended, 0, service.log)
  noneFailed("stopping")
  for (const agent of kept) agent.destroy()

  const stored = new Set(sql("select booking_id from booking").split("\n"))
  const lost = [...load.booked].filter((id) => !stored.has(id))
  assert.deepEqual(lost, [])
  assert.equal(
    stored.size,
    load.booked.size,
    "no booking that nobody was told of: a call that failed was repeated under its key"
  )
  const twice =
    sql(`select count(*) from occupancy a join occupancy b on a.resource_id = b.resource_id and a.ctid < b.ctid
    and a.during && b.during and a.units && b.units`)
  assert.equal(twice, "0")
  const errors = service.log.split("\n").filter((line) => /"level":"(ERROR|FATAL)"/.test(line) && !/worker/.test(line))
  assert.deepEqual(errors, [])
  // Three processes write to one pipe.
  for (const line of service.out.trim().split("\n")) JSON.parse(line)
  console.log(
    `workers: ${load.answered} calls, ${load.booked.size} bookings (${replacedAt} calls while all workers were replaced twice): 0 refused, 0 lost, none sold twice; ${cut} cut by kill -9, and repeated; counters exact, and never back`
  )

  const [one, two] = [await start(1), await start(2)]
  await until("both workers listen", async () => (await metricsOf(two)).listening === 2, restartMs)
  const rounds = []
  for (const playroom_id of playrooms.slice(0, 4))
    rounds.push([await speed(one, playroom_id, 2), await speed(two, playroom_id, 2)])
  const measured = rounds.slice(1)
  const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
  const of = (choose) => median(measured.map(choose))
  const [single, double] = [of(([a]) => a.rate), of(([, b]) => b.rate)].map((rate) => rate.toFixed(0))
  const [ratio, cpuRatio] = [of(([a, b]) => b.rate / a.rate), of(([a, b]) => b.cpuMs / a.cpuMs)].map((r) =>
    r.toFixed(2)
  )
  console.log(
    `workers: get_booking_options a second: ${single} with one process, ${double} with WORKERS=2: ratio ${ratio}; processor time of a call, supervisor included: ratio ${cpuRatio} (${availableParallelism()} processors for service, callers and database)`
  )
} catch (error) {
  for (const { log } of services)
    console.error(
      log
        .split("\n")
        .filter((line) => !line.includes('"tool call"'))
        .slice(-40)
        .join("\n")
    )
  throw error
} finally {
  for (const { child } of services) child.kill("SIGKILL")
  await sleep(300)
  rmSync(folder, { recursive: true, force: true })
  sql(`drop database if exists ${database} with (force)`, server)
}
process.exit(0)
