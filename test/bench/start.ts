/** `start`: how long until it serves, what it takes at rest, and how much is installed. */
import { Effect, Schema } from "effect"
import { lstatSync, readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { Bench } from "./Bench.ts"
import { scratchDatabase, scratchFolder } from "./support/Databases.ts"
import { table } from "./support/Figures.ts"
import { proportionalMb, residentMb, startService } from "./support/Processes.ts"
import { withChildren } from "./support/Usage.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))

const LockFile = Schema.fromJsonString(
  Schema.Struct({
    packages: Schema.Record(
      Schema.String,
      Schema.Struct({ dev: Schema.optionalKey(Schema.Boolean), optional: Schema.optionalKey(Schema.Boolean) })
    )
  })
)

/** Bytes of a folder's files; nested `node_modules` are packages of their own. */
const bytesOf = (folder: string): number => {
  let bytes = 0
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) bytes += entry.name === "node_modules" ? 0 : bytesOf(path)
    else if (entry.isFile()) bytes += lstatSync(path).size
  }
  return bytes
}

/** What `npm ci --omit=dev` would install of what is installed here, in bytes; the largest packages first. */
const installed = Effect.gen(function* () {
  const lock = yield* Schema.decodeUnknownEffect(LockFile)(readFileSync(`${root}package-lock.json`, "utf8"))
  const present = Object.entries(lock.packages).flatMap(([path, { dev }]) => {
    if (path === "" || dev === true) return []
    try {
      return [{ name: path.replace(/^node_modules\//, ""), bytes: bytesOf(`${root}${path}`) }]
    } catch {
      // Optional, for another system.
      return []
    }
  })
  return present.sort((a, b) => b.bytes - a.bytes)
})

const restMs = 5000

/** Starts it, lets it rest, ends it. */
const once = (env: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const { pid, startMs, stop } = yield* startService(env)
    yield* Effect.sleep(restMs)
    const pids = withChildren(pid)
    const sum = (of: (pid: number) => number) => pids.reduce((mb, pid) => mb + of(pid), 0)
    const used = { startMs, mb: sum(residentMb), proportional: sum(proportionalMb) }
    yield* stop
    return used
  }).pipe(Effect.scoped)

export const bench: Bench = {
  about: "start-up times, memory at rest, installed size",
  run: Effect.fnUntraced(function* ({ rounds }) {
    const kinds = ["embedded, first", "embedded, later", "server, first", "server, later"] as const
    const taken = new Map<string, Array<Effect.Success<ReturnType<typeof once>>>>(kinds.map((kind) => [kind, []]))
    for (let round = 0; round < Math.min(rounds, 5); round++) {
      yield* Effect.scoped(
        Effect.gen(function* () {
          const embedded = { DATA_DIR: yield* scratchFolder }
          taken.get("embedded, first")?.push(yield* once(embedded))
          taken.get("embedded, later")?.push(yield* once(embedded))
          const server = { DATABASE_URL: yield* scratchDatabase(), PAYMENT_PROVIDER: "sandbox" }
          taken.get("server, first")?.push(yield* once(server))
          taken.get("server, later")?.push(yield* once(server))
        })
      )
    }
    yield* table(
      `start: from the start of the process to a good answer of /readyz; at rest ${restMs / 1000} s later, all processes together`,
      ["", "start, ms", "at rest, MB", "proportional (PSS), MB"],
      kinds.map((kind) => [
        kind,
        (taken.get(kind) ?? []).map(({ startMs }) => startMs),
        (taken.get(kind) ?? []).map(({ mb }) => mb),
        (taken.get(kind) ?? []).map(({ proportional }) => proportional)
      ])
    )
    const packages = yield* installed
    const mb = (bytes: number) => bytes / 1024 / 1024
    yield* table(
      "start: what `npm ci --omit=dev` installs",
      ["package", "MB"],
      [
        [`all ${packages.length}`, mb(packages.reduce((sum, { bytes }) => sum + bytes, 0))],
        ...packages.slice(0, 8).map(({ name, bytes }) => [name, mb(bytes)]),
        ["src and sql", mb(bytesOf(`${root}src`) + bytesOf(`${root}sql`))]
      ]
    )
  })
}
