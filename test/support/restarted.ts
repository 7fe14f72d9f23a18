/** Prints what a process is that `NodeOptions.ts` may have started anew: its id, Node's options and its own arguments. */
import { restartWithOptions } from "../../src/process/NodeOptions.ts"

restartWithOptions()
process.stdout.write(JSON.stringify({ pid: process.pid, options: process.execArgv, args: process.argv.slice(2) }))
