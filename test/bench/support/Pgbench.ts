/** `pgbench`, the yardstick that comes with PostgreSQL: the same writes with nothing around them. */
import { Console, Effect } from "effect"
import { spawn } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { scratchFolder } from "./Databases.ts"

export interface PgbenchRun {
  readonly url: string
  /** Path of a script; see `pgbenchScript`. */
  readonly script: string
  readonly clients: number
  /** For so long, or so many transactions of each client. */
  readonly seconds?: number
  readonly transactions?: number
  readonly variables?: Readonly<Record<string, string | number>>
}

/** Writes a script into a folder of its own; answers its path. */
export const pgbenchScript = Effect.fnUntraced(function* (text: string) {
  const path = join(yield* scratchFolder, "script.sql")
  writeFileSync(path, text)
  return path
})

const command = (run: PgbenchRun): ReadonlyArray<string> => [
  "--no-vacuum",
  "--protocol=prepared",
  `--file=${run.script}`,
  `--client=${run.clients}`,
  "--jobs=2",
  ...(run.seconds === undefined ? [] : [`--time=${run.seconds}`]),
  ...(run.transactions === undefined ? [] : [`--transactions=${run.transactions}`]),
  ...Object.entries(run.variables ?? {}).map(([name, value]) => `--define=${name}=${value}`),
  run.url
]

/** Transactions a second; undefined where pgbench is not installed. */
export const pgbench = (run: PgbenchRun): Effect.Effect<number | undefined> =>
  Effect.callback<number | undefined>((resume) => {
    const child = spawn("pgbench", command(run), { stdio: ["ignore", "pipe", "pipe"] })
    let printed = ""
    child.stdout.on("data", (data: Buffer) => (printed += data.toString()))
    child.stderr.on("data", (data: Buffer) => (printed += data.toString()))
    child.once("error", () => resume(Effect.as(Console.log("(pgbench is not installed: no ratio to it)"), undefined)))
    child.once("close", (code) => {
      const tps = /^tps = ([\d.]+)/m.exec(printed)?.[1]
      if (code !== 0 || tps === undefined) resume(Effect.die(new Error(`pgbench failed:\n${printed}`)))
      else resume(Effect.succeed(Number(tps)))
    })
    return Effect.sync(() => child.kill())
  })
