#!/usr/bin/env node
/** The `playroom` command. Node's compile cache saves stripping types and compiling on later runs. */
import { setSourceMapsSupport } from "node:module"
import { bundled, keepCompiled } from "./ops/process/Bundle.ts"
import { assistantVariables, restartWithOptions, serves, tuneGarbageCollection } from "./ops/process/NodeOptions.ts"

if (serves(process.argv.slice(2))) {
  // Other commands end too soon to benefit.
  restartWithOptions()
  tuneGarbageCollection()
}
for (const name of assistantVariables) delete process.env[name]
keepCompiled()
const fast = bundled("Program")
// Stack traces then name the sources. Packages keep their own places.
if (fast !== undefined) setSourceMapsSupport(true, { nodeModules: false, generatedCode: false })
await import(fast ?? "./Program.ts")
