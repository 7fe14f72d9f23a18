/** The options of Node that the service runs with, however it is started. */
import { setFlagsFromString } from "node:v8"

/**
 * Options that Node takes only when it starts. V8 would take up to 128 MB for new objects, and run four threads that collect; small
 * requests on a few connections fit into 32 MB, and one thread: at rest these two spare 80 MB. With less than 16 (each half),
 * what a request needs would pass for old before it is answered, and calls cost more.
 */
export const nodeOptions = ["--v8-pool-size=1", "--max-semi-space-size=16"] as const

/**
 * V8 collects old objects when they take several times the room of those that survived last time, so a service that has been busy
 * keeps hundreds of MB of garbage. With this it waits for two fifths more, and its memory stays near what it was after the first
 * thousands of calls (`npm run bench -- memory`). With one fifth it would collect so often that a call costs two fifths more.
 */
export const boundHeapGrowth = (): void => setFlagsFromString("--heap-growing-percent=40")

/** The options that a process was started without. One that was given with another value stands. */
export const missingOptions = (given: ReadonlyArray<string>): ReadonlyArray<string> =>
  nodeOptions.filter((option) => !given.some((other) => other.startsWith(option.slice(0, option.indexOf("=")))))

/** Whether these arguments run the service rather than a command. */
export const serves = ([command]: ReadonlyArray<string>): boolean => command === undefined || command === "serve"

/**
 * Starts this process anew where Node was not given its options, with the same id, arguments and streams: 20 ms. `npm start` gives
 * them. Where a process can't be replaced (Windows), or its parent talks to it, it goes on as it is.
 */
export const restartWithOptions = (): void => {
  const missing = missingOptions([...process.execArgv, ...(process.env["NODE_OPTIONS"] ?? "").split(" ")])
  if (missing.length === 0 || process.platform === "win32" || process.channel !== undefined) return
  process.execve?.(process.execPath, [process.execPath, ...process.execArgv, ...missing, ...process.argv.slice(1)])
}
