/**
 * Reads a `NewcomersPlan` from standard input and prints `Newcomers`. Each comes from another address (127.0.2.*), to
 * stay within limits.
 */
import { Schema } from "effect"
import { connect } from "node:net"
import { text } from "node:stream/consumers"
import { getRequest, isSearchResult, searchRequest } from "../../support/rawConnections.ts"
import { arrivals } from "./Arrivals.ts"
import { quantile } from "./Figures.ts"
import { type Newcomers, NewcomersPlan } from "./Flood.ts"

const plan = Schema.decodeUnknownSync(Schema.fromJsonString(NewcomersPlan))(await text(process.stdin))
const patienceMs = 10_000

const failures: Array<string> = []

/** How long an answer took from `due`. A failure took as long as a person would have waited. */
const ask = (request: string, isGood: (answer: string) => boolean, localAddress: string, due: number) =>
  new Promise<number>((done) => {
    let received = ""
    let settled = false
    const settle = (failure?: string): void => {
      if (settled) return
      settled = true
      socket.destroy()
      if (failure !== undefined) failures.push(failure.slice(0, 300))
      done(failure === undefined ? performance.now() - due : patienceMs)
    }
    const socket = connect({ port: plan.port, host: "127.0.0.1", localAddress, noDelay: true })
    socket.once("connect", () => socket.write(request))
    socket.on("data", (data) => {
      received += data.toString("latin1")
      if (isGood(received)) settle()
      else if (!received.startsWith("HTTP/1.1 200")) settle(received)
    })
    socket.once("error", (error) => settle(String(error)))
    socket.once("close", () => settle("the connection was closed"))
    setTimeout(() => settle("no answer in ten seconds"), patienceMs)
  })

const isHealthy = (answer: string): boolean => answer.startsWith("HTTP/1.1 200") && answer.includes(`"ok"`)
const calls: Array<Promise<number>> = []
const probes: Array<Promise<number>> = []
await arrivals(plan.rate, plan.seconds, (due) => {
  const address = `127.0.2.${1 + (calls.length % 250)}`
  if (calls.length % 4 === 0) probes.push(ask(getRequest("/healthz"), isHealthy, address, due))
  calls.push(ask(searchRequest(), isSearchResult, address, due))
})
const [times, probeTimes] = await Promise.all([Promise.all(calls), Promise.all(probes)])
const found: Newcomers = {
  calls: times.length,
  p50: quantile(times, 0.5),
  p99: quantile(times, 0.99),
  failures: failures.length,
  probe99: quantile(probeTimes, 0.99),
  ...(failures[0] === undefined ? {} : { firstFailure: failures[0] })
}
process.stdout.write(JSON.stringify(found), () => process.exit(0))
