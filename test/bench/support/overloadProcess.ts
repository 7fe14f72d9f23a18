/**
 * Reads an `OverloadPlan` from standard input and prints an `Overloaded`. Calls are sent when they are due, whatever
 * became of the earlier ones, each from a connection that is free and a sender of its own (`X-Forwarded-For`, which the
 * service must trust).
 */
import { Schema } from "effect"
import { connect, type Socket } from "node:net"
import { text } from "node:stream/consumers"
import { isSearchResult, searchRequest } from "../../support/rawConnections.ts"
import { addressOf, comeAs } from "./Arrivals.ts"
import { quantile } from "./Figures.ts"
import { type Overloaded, OverloadPlan } from "./Overload.ts"

const plan = Schema.decodeUnknownSync(Schema.fromJsonString(OverloadPlan))(await text(process.stdin))
/** So long a caller waits before it has failed. */
const patienceMs = 10_000

interface Connection {
  readonly socket: Socket
  /** What has come of the answer, how many bytes, and how many it will have once its headers are read. */
  received: Array<Buffer>
  bytes: number
  length: number | undefined
  due: number
  after: (() => void) | undefined
}

const idle: Array<Connection> = []
/** Those that wait for an answer, in the order of time: each waits as long. */
const waiting = new Set<Connection>()

const good: Array<number> = []
const refused: Array<number> = []
const late: Array<number> = []
let failed = 0
let firstFailure: string | undefined
let sent = 0

const settle = (connection: Connection, answer: string): void => {
  if (!waiting.delete(connection)) return
  const took = performance.now() - connection.due
  if (isSearchResult(answer)) good.push(took)
  else if (/^HTTP\/1\.1 (?:429|503) [^]*retry-after: \d/i.test(answer) && /"code":"\w+"/.test(answer))
    refused.push(took)
  else {
    failed += 1
    firstFailure ??= answer.slice(0, 300)
  }
  const { after } = connection
  connection.after = undefined
  after?.()
}

const lengthOf = (beginning: string): number | undefined => {
  const end = beginning.indexOf("\r\n\r\n")
  const length = /\r\ncontent-length: *(\d+)/i.exec(beginning.slice(0, Math.max(0, end)))?.[1]
  return end === -1 || length === undefined ? undefined : end + 4 + Number(length)
}

const endsConnection = (answer: string): boolean =>
  /\r\nconnection: *close\r\n/i.test(answer.slice(0, answer.indexOf("\r\n\r\n") + 2))

const open = (): Connection => {
  const socket = connect({ port: plan.port, host: "127.0.0.1", noDelay: true })
  const made: Connection = { socket, received: [], bytes: 0, length: undefined, due: 0, after: undefined }
  socket.on("data", (data: Buffer) => {
    made.received.push(data)
    made.bytes += data.length
    made.length ??= lengthOf(Buffer.concat(made.received).toString("latin1", 0, 2000))
    if (made.length === undefined || made.bytes < made.length) return
    const answer = Buffer.concat(made.received).toString("latin1")
    made.received = []
    made.bytes = 0
    made.length = undefined
    // Who is told that the connection ends sends nothing more over it.
    if (!endsConnection(answer)) idle.push(made)
    settle(made, answer)
  })
  socket.on("error", () => undefined)
  socket.once("close", () => {
    const at = idle.indexOf(made)
    if (at !== -1) idle.splice(at, 1)
    settle(made, "closed")
  })
  return made
}

const request = searchRequest("x-forwarded-for: SENDER").split("SENDER")

const ask = (due: number, after: () => void): void => {
  const connection = idle.pop() ?? open()
  late.push(performance.now() - due)
  connection.due = due
  connection.after = after
  waiting.add(connection)
  connection.socket.write(request.join(addressOf(sent++)))
}

const impatient = setInterval(() => {
  for (const connection of waiting) {
    if (performance.now() - connection.due < patienceMs) return
    settle(connection, "no answer in ten seconds")
    connection.socket.destroy()
  }
}, 100)

await comeAs(plan, (due) => new Promise((answered) => ask(due, answered)))
clearInterval(impatient)
const most = (times: ReadonlyArray<number>, q: number): number => (times.length === 0 ? 0 : quantile([...times], q))
const found: Overloaded = {
  offered: sent,
  good: good.length,
  inTime: good.filter((ms) => ms <= 1000).length,
  p50: most(good, 0.5),
  p99: most(good, 0.99),
  refused: refused.length,
  refused50: most(refused, 0.5),
  refused99: most(refused, 0.99),
  failed,
  late99: most(late, 0.99),
  ...(firstFailure === undefined ? {} : { firstFailure })
}
process.stdout.write(JSON.stringify(found), () => process.exit(0))
