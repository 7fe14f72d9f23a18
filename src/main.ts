#!/usr/bin/env node
/** The `playroom` command. What Node makes of the sources is kept between runs: types are stripped and code compiled once. */
import { enableCompileCache } from "node:module"

enableCompileCache()
await import("./Program.ts")
