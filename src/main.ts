#!/usr/bin/env node
/** The `playroom` command. Node's compile cache saves stripping types and compiling on later runs. */
import cluster from "node:cluster"
import { enableCompileCache } from "node:module"
import { boundHeapGrowth, restartWithOptions, serves } from "./process/NodeOptions.ts"
import { outliveHangUp } from "./process/Signals.ts"

const service = serves(process.argv.slice(2))
if (service) {
  outliveHangUp()
  // Other commands end too soon to benefit.
  restartWithOptions()
}
boundHeapGrowth()
enableCompileCache()
// Read `WORKERS` before the settings: the supervisor loads a third less code than the service.
const several = !["", "1"].includes(process.env["WORKERS"]?.trim() ?? "")
await (service && several && cluster.isPrimary ? import("./process/SupervisorProgram.ts") : import("./Program.ts"))
