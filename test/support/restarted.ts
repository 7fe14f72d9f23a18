/**
 * Prints what a process is that `NodeOptions.ts` may have started anew: its id, Node's options, a variable and its own
 * arguments.
 */
import { restartWithOptions } from "../../src/ops/process/NodeOptions.ts"

restartWithOptions()
const { execArgv: options, pid } = process
const told = { pid, options, threshold: process.env["MALLOC_MMAP_THRESHOLD_"], args: process.argv.slice(2) }
process.stdout.write(JSON.stringify(told))
