/**
 * The load generator: reads a `LoadPlan` from standard input, prints a `Loaded`. Sockets and a small reader of
 * responses, no HTTP client, so that it takes little of a shared processor.
 */
import { Schema } from "effect"
import { createHmac } from "node:crypto"
import { connect, type Socket } from "node:net"
import { text } from "node:stream/consumers"
import { quantile } from "./Figures.ts"
import { type Loaded, LoadPlan } from "./Load.ts"

const plan = Schema.decodeUnknownSync(Schema.fromJsonString(LoadPlan))(await text(process.stdin))
const url = new URL(plan.url)
const head = [
  `POST ${url.pathname} HTTP/1.1`,
  `Host: ${url.host}`,
  ...Object.entries(plan.headers).map(([name, value]) => `${name}: ${value}`)
].join("\r\n")
const pieces = plan.bodies.map((body) => body.split("{{n}}"))
const plain = plan.secret === undefined && pieces.every(({ length }) => length === 1)

const asRequest = (body: string, signature: string): Buffer =>
  Buffer.from(`${head}${signature}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)

const ready = plain ? plan.bodies.map((body) => asRequest(body, "")) : []
/** How long a caller rests that was asked to come again. */
const restMs = 100
let sent = 0

const nextRequest = (): Buffer => {
  const at = sent++
  const known = ready[at % ready.length]
  if (known !== undefined) return known
  const number = String((plan.firstNumber ?? 0) + at).padStart(22, "0")
  const body = (pieces[at % pieces.length] ?? []).join(number)
  if (plan.secret === undefined) return asRequest(body, "")
  const seconds = Math.floor(Date.now() / 1000)
  const v1 = createHmac("sha256", plan.secret).update(`${seconds}.${body}`).digest("hex")
  return asRequest(body, `\r\nPayment-Signature: t=${seconds},v1=${v1}`)
}

const expected = Buffer.from(plan.expect)
const headEnd = Buffer.from("\r\n\r\n")
const chunksEnd = Buffer.from("0\r\n\r\n")

/** Where the response's body begins, once the response is whole. */
const wholeAt = (received: Buffer): number | undefined => {
  const end = received.indexOf(headEnd)
  if (end === -1) return undefined
  const fields = received.toString("latin1", 0, end)
  const length = /\r\ncontent-length: *(\d+)/i.exec(fields)?.[1]
  if (length !== undefined) return received.length >= end + 4 + Number(length) ? end + 4 : undefined
  return received.subarray(-5).equals(chunksEnd) ? end + 4 : undefined
}

const latencies: Array<number> = []
let refused = 0
let faults = 0
let firstFault: string | undefined
const started = performance.now()
const usedBefore = process.cpuUsage()
const until = plan.seconds === undefined ? Infinity : started + plan.seconds * 1000
const most = plan.requests ?? Infinity
const due: Array<number> = []
const idle: Array<() => void> = []
let live = 0
let lastAnswer = started

const over = (): boolean => performance.now() >= until || sent >= most

const finish = (): void => {
  const seconds = (lastAnswer - started) / 1000
  const { system, user } = process.cpuUsage(usedBefore)
  const loaded: Loaded = {
    answers: latencies.length,
    perSecond: latencies.length === 0 ? 0 : latencies.length / seconds,
    p50: latencies.length === 0 ? 0 : quantile(latencies, 0.5),
    p99: latencies.length === 0 ? 0 : quantile(latencies, 0.99),
    max: latencies.reduce((most, one) => Math.max(most, one), 0),
    refused,
    faults,
    processorSeconds: (system + user) / 1e6,
    ...(firstFault === undefined ? {} : { firstFault })
  }
  process.stdout.write(JSON.stringify(loaded))
  process.exit(0)
}

const open = (): void => {
  live++
  const socket: Socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true })
  let received: Buffer | undefined
  let from = 0
  let left = false
  const leave = (): void => {
    if (left) return
    left = true
    socket.destroy()
    if (--live === 0) finish()
  }
  const next = (): void => {
    if (plan.rate === undefined) {
      if (over()) return leave()
      from = performance.now()
      socket.write(nextRequest())
      return
    }
    const at = due.shift()
    if (at !== undefined) {
      from = at
      socket.write(nextRequest())
    } else if (over()) leave()
    else idle.push(next)
  }
  const replace = (): void => {
    live--
    open()
  }
  const note = (what: string): void => void (firstFault ??= what.slice(0, 600))
  const fault = (what: string): void => {
    faults++
    note(what)
  }
  socket.once("connect", next)
  socket.on("data", (data) => {
    received = received === undefined ? data : Buffer.concat([received, data])
    const body = wholeAt(received)
    if (body === undefined) return
    lastAnswer = performance.now()
    // The server ends the connection with this answer: another takes its place.
    left = /\r\nconnection: close\r\n/i.test(received.toString("latin1", 0, body))
    const again = left ? replace : next
    const status = received.toString("latin1", 9, 12)
    if (status === "429" || status === "503") {
      refused++
      note(received.toString("utf8"))
      received = undefined
      setTimeout(again, restMs)
      return
    }
    latencies.push(lastAnswer - from)
    if (status !== "200" || !received.includes(expected, body)) fault(received.toString("utf8"))
    received = undefined
    again()
  })
  socket.on("error", (error) => fault(String(error)))
  socket.once("close", () => {
    if (!left) fault("the connection was closed")
    leave()
  })
}

if (plan.rate !== undefined) {
  const every = 1000 / plan.rate
  let nextDue = started
  const timer = setInterval(() => {
    for (; nextDue <= performance.now() && nextDue < until; nextDue += every) {
      due.push(nextDue)
      idle.shift()?.()
    }
    if (!over()) return
    clearInterval(timer)
    for (const waiting of idle.splice(0)) waiting()
  }, 1)
}
for (let i = 0; i < plan.connections; i++) open()
