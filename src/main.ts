#!/usr/bin/env node
/** The `playroom` command. What Node makes of the sources is kept between runs: types are stripped and code compiled once. */
import cluster from "node:cluster"
import { enableCompileCache } from "node:module"
import { boundHeapGrowth, restartWithOptions, serves } from "./process/NodeOptions.ts"
import { outliveHangUp } from "./process/Signals.ts"

const service = serves(process.argv.slice(2))
if (service) {
  outliveHangUp()
  // Other commands are over before it matters.
  restartWithOptions()
}
boundHeapGrowth()
enableCompileCache()
// A look at the setting ahead: the supervisor reads it as all others, and loads a third less than the service.
const several = !["", "1"].includes(process.env["WORKERS"]?.trim() ?? "")
await (service && several && cluster.isPrimary ? import("./process/SupervisorProgram.ts") : import("./Program.ts"))
