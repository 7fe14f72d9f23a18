/**
 * Loaded into the service's process: tells the longest run of the event loop, and the processor time, since it was last
 * asked.
 */
import { createServer } from "node:http"
import { monitorEventLoopDelay } from "node:perf_hooks"

const histogram = monitorEventLoopDelay({ resolution: 1 })
histogram.enable()
let since = process.cpuUsage()

createServer((_, response) => {
  const { system, user } = process.cpuUsage(since)
  const longestMs = histogram.count === 0 ? 0 : histogram.max / 1e6
  histogram.reset()
  since = process.cpuUsage()
  response.end(JSON.stringify({ longestMs, processorMs: (system + user) / 1000 }))
})
  .listen(Number(process.env["PROBE_PORT"]), "127.0.0.1")
  .unref()
