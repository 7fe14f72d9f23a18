/**
 * The MCP Inspector's command line. It is large (110 MB, 150 packages), so it is no dependency of this package: it is installed
 * from its own lock file into the cache under `node_modules`, the first time that a test asks for it.
 */
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { compiled, shortLived } from "./nodeProcesses.ts"

const source = fileURLToPath(new URL("./inspector", import.meta.url))
const root = fileURLToPath(new URL("../..", import.meta.url))
const cache = join(root, "node_modules", ".cache", "playroom", "inspector-2.12.0")
const entry = join(
  cache,
  "node_modules",
  "@modelcontextprotocol",
  "inspector",
  "clients",
  "launcher",
  "build",
  "index.js"
)

interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const run = (
  file: string,
  args: ReadonlyArray<string>,
  options: { readonly cwd?: string; readonly env: NodeJS.ProcessEnv }
) =>
  Effect.callback<Ran>((resume) => {
    const child = execFile(file, args, { ...options, timeout: 120_000, maxBuffer: 1 << 24 }, (error, stdout, stderr) =>
      resume(
        Effect.succeed({ code: error === null ? 0 : typeof error.code === "number" ? error.code : 1, stdout, stderr })
      )
    )
    return Effect.sync(() => child.kill())
  })

const install = Effect.gen(function* () {
  const unfinished = `${cache}.${process.pid}`
  mkdirSync(unfinished, { recursive: true })
  for (const name of ["package.json", "package-lock.json"]) cpSync(join(source, name), join(unfinished, name))
  const npm = process.env["npm_execpath"]
  const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
  const options = { cwd: unfinished, env: process.env }
  const { code, stderr } = yield* npm === undefined
    ? run("npm", args, options)
    : run(process.execPath, [npm, ...args], options)
  if (code === 0 && !existsSync(cache)) renameSync(unfinished, cache)
  else rmSync(unfinished, { recursive: true, force: true })
  return existsSync(entry) ? undefined : stderr.trim().slice(-300)
})

/** Makes sure that it is there; answers why not, where the registry can't be reached. */
export const inspectorMissing: Effect.Effect<string | undefined> = Effect.suspend(() =>
  existsSync(entry) ? Effect.succeed(undefined) : install
)

/** Runs `mcp-inspector --cli` with its files under `home`. */
export const inspect = (home: string, ...args: ReadonlyArray<string>): Effect.Effect<Ran> =>
  run(process.execPath, [...shortLived, entry, "--cli", ...args], {
    env: { PATH: process.env["PATH"], HOME: home, NO_COLOR: "1", NODE_COMPILE_CACHE: compiled }
  })
