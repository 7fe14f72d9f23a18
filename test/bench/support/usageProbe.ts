/**
 * Loaded into each process of a service (`NODE_OPTIONS`): writes a `Probed` to `USAGE_FOLDER`, named by the process,
 * every few seconds, and begins anew. The heap is the least that was seen meanwhile: what is left once garbage was
 * collected.
 */
import { renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { monitorEventLoopDelay } from "node:perf_hooks"
import type { Probed } from "./Usage.ts"

const folder = process.env["USAGE_FOLDER"]
if (folder !== undefined) {
  const histogram = monitorEventLoopDelay({ resolution: 5 })
  histogram.enable()
  let heap = Infinity
  setInterval(() => (heap = Math.min(heap, process.memoryUsage().heapUsed)), 200).unref()
  setInterval(() => {
    if (histogram.count === 0) return
    const probed: Probed = { heapMb: heap / 2 ** 20, loopP99Ms: histogram.percentile(99) / 1e6 }
    histogram.reset()
    heap = Infinity
    const path = join(folder, String(process.pid))
    // Whoever reads it finds it whole.
    writeFileSync(`${path}.new`, JSON.stringify(probed))
    renameSync(`${path}.new`, `${path}.json`)
  }, 4000).unref()
}
