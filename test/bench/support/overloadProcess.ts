/**
 * Reads an `OverloadPlan` from standard input and prints an `Overloaded`. Calls are sent when they are due, whatever became of
 * the earlier ones, each from a connection that is free and a sender of its own (`X-Forwarded-For`, which the service must trust).
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
  received: string
  settle: ((answer: string) => void) | undefined
}

const idle: Array<Connection> = []

const open = (): Connection => {
  const socket = connect({ port: plan.port, host: "127.0.0.1", noDelay: true })
  const made: Connection = { socket, received: "", settle: undefined }
  const settle = (answer: string): void => {
    const { settle } = made
    made.settle = undefined
    made.received = ""
    settle?.(answer)
  }
  socket.on("data", (data) => {
    made.received += data.toString("latin1")
    const end = made.received.indexOf("\r\n\r\n")
    const length = /\r\ncontent-length: *(\d+)/i.exec(made.received.slice(0, Math.max(0, end)))?.[1]
    if (end === -1 || length === undefined || made.received.length < end + 4 + Number(length)) return
    const answer = made.received
    idle.push(made)
    settle(answer)
  })
  socket.on("error", () => undefined)
  socket.once("close", () => settle("closed"))
  return made
}

const good: Array<number> = []
const refused: Array<number> = []
let failed = 0
let firstFailure: string | undefined
let sent = 0

const ask = (due: number, then: () => void): void => {
  const n = sent++
  const connection = idle.pop() ?? open()
  const timer = setTimeout(() => {
    connection.settle?.("no answer in ten seconds")
    connection.settle = undefined
    connection.socket.destroy()
  }, patienceMs)
  connection.settle = (answer) => {
    clearTimeout(timer)
    const took = performance.now() - due
    if (isSearchResult(answer)) good.push(took)
    else if (/^HTTP\/1\.1 (?:429|503) [^]*retry-after: \d/i.test(answer) && /"code":"\w+"/.test(answer))
      refused.push(took)
    else {
      failed += 1
      firstFailure ??= answer.slice(0, 300)
    }
    then()
  }
  connection.socket.write(searchRequest(`x-forwarded-for: ${addressOf(n)}`))
}

await comeAs(plan, (due) => new Promise((answered) => ask(due, answered)))
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
  ...(firstFailure === undefined ? {} : { firstFailure })
}
process.stdout.write(JSON.stringify(found), () => process.exit(0))
