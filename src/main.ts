#!/usr/bin/env node
/** The `playroom` command. Node's compile cache saves stripping types and compiling on later runs. */
import { setSourceMapsSupport } from "node:module"
import { bundled, keepCompiled } from "./process/Bundle.ts"
import { restartWithOptions, serves, tuneCollection } from "./process/NodeOptions.ts"
import { outliveHangUp } from "./process/Signals.ts"

const service = serves(process.argv.slice(2))
if (service) {
  outliveHangUp()
  // Other commands end too soon to benefit.
  restartWithOptions()
  tuneCollection()
}
keepCompiled()
// Read `WORKERS` before the settings: the supervisor loads a third less code than the service. Workers have none.
const several = !["", "1"].includes(process.env["WORKERS"]?.trim() ?? "")
const program = service && several ? "process/SupervisorProgram" : "Program"
const fast = bundled(program.slice(program.indexOf("/") + 1))
// Stack traces then name the sources. Packages keep their own places.
if (fast !== undefined) setSourceMapsSupport(true, { nodeModules: false, generatedCode: false })
await import(fast ?? `./${program}.ts`)
