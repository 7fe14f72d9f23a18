/** The Node options and the environment that the service runs with, however it is started. */
import { setFlagsFromString } from "node:v8"

/**
 * Options that Node reads only at start. By default V8 takes up to 128 MB for new objects and runs four collector
 * threads. Small requests on a few connections need 32 MB and one thread: this saves 80 MB at rest. Below 16 MB (each
 * half), the objects of a request are promoted to the old generation before it is answered, and calls cost more. V8
 * would begin with one megabyte, and a start would be collected a dozen times: a fifth of its processor time.
 */
export const nodeOptions = ["--v8-pool-size=1", "--min-semi-space-size=16", "--max-semi-space-size=16"] as const

/**
 * Each large block that is freed makes glibc keep larger ones, up to 32 MB, instead of giving them back to the system:
 * 20 to 45 MB of an embedded service at rest. Once it is named, the limit stays where it begins.
 */
export const nodeEnvironment = { MALLOC_MMAP_THRESHOLD_: "131072" } as const

/**
 * By these the payment provider's client names a coding assistant in its requests, and prints a line for it where a
 * command's errors stand (`AI_AGENTS` of stripe 23.1.0, and what its start asks for).
 */
export const assistantVariables = [
  ..."ANTIGRAVITY_CLI_ALIAS CLAUDECODE CLINE_ACTIVE CODEX_SANDBOX CODEX_THREAD_ID".split(" "),
  ..."CODEX_SANDBOX_NETWORK_DISABLED CODEX_CI CURSOR_AGENT GEMINI_CLI HERMES_AGENT OPENCLAW_SHELL OPENCODE".split(" "),
  "CLAUDE_CODE_CHILD_SESSION"
]

/**
 * By default V8 lets the old generation grow to several times what survived the last collection, so a service that has
 * been busy keeps hundreds of MB of garbage. At 40 % its memory stays near what it was after the first thousands of
 * calls (`npm run bench -- memory`). At 20 % it would collect so often that a call costs 40 % more.
 *
 * V8 also puts into the old generation at once what mostly grew old before: at the start all scopes do, but then each
 * request has one. It would keep its answer until all memory is collected, which would be necessary twice as often.
 */
export const tuneGarbageCollection = (): void => {
  setFlagsFromString("--heap-growing-percent=40")
  setFlagsFromString("--no-allocation-site-pretenuring")
}

/** What an option sets: the least and the most of a size are one thing. */
const setting = (option: string): string => option.replace(/^--(?:min-|max-)?/, "").replace(/=.*/, "")

/** The options that a process was started without. An option given with another value counts as given. */
export const missingOptions = (given: ReadonlyArray<string>): ReadonlyArray<string> =>
  nodeOptions.filter((option) => !given.some((other) => setting(other) === setting(option)))

/** Whether these arguments run the service rather than a command. */
export const serves = ([command]: ReadonlyArray<string>): boolean => command === undefined || command === "serve"

/**
 * Restarts this process if Node was started without these options, with the same id, arguments and streams; this takes
 * 20 ms. `npm start` and the units of systemd pass them. A process that can't be replaced (Windows), whose parent talks
 * to it, or that inherited sockets, which would be closed, goes on without.
 */
export const restartWithOptions = (): void => {
  const missing = missingOptions([...process.execArgv, ...(process.env["NODE_OPTIONS"] ?? "").split(" ")])
  if (missing.length === 0 || process.platform === "win32" || process.channel !== undefined) return
  if (process.env["LISTEN_FDS"] !== undefined) return
  const args = [process.execPath, ...process.execArgv, ...missing, ...process.argv.slice(1)]
  process.execve?.(process.execPath, args, { ...nodeEnvironment, ...process.env })
}
