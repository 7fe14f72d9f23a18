#!/usr/bin/env node
/** The `playroom` command. What Node makes of the sources is kept between runs: types are stripped and code compiled once. */
import { enableCompileCache } from "node:module"
import { boundHeapGrowth, restartWithOptions, serves } from "./NodeOptions.ts"

// Other commands are over before it matters.
if (serves(process.argv.slice(2))) restartWithOptions()
boundHeapGrowth()
enableCompileCache()
await import("./Program.ts")
