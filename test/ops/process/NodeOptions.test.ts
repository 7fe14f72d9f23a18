import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import packageJson from "../../../package.json" with { type: "json" }
import { missingOptions, nodeEnvironment, nodeOptions } from "../../../src/ops/process/NodeOptions.ts"

const Restarted = Schema.fromJsonString(
  Schema.Struct({
    pid: Schema.Int,
    options: Schema.Array(Schema.String),
    threshold: Schema.optionalKey(Schema.String),
    args: Schema.Array(Schema.String)
  })
)

/** Runs `support/restarted.ts`; answers what it printed, and the id under which it was started. */
const run = (options: ReadonlyArray<string>, env: NodeJS.ProcessEnv = {}) =>
  Effect.callback<{ readonly pid: number | undefined; readonly printed: string }>((resume) => {
    const script = fileURLToPath(new URL("../../support/restarted.ts", import.meta.url))
    const child = spawn(process.execPath, [...options, script, "one", "two words"], {
      env: { PATH: process.env["PATH"], ...env },
      stdio: ["ignore", "pipe", "inherit"]
    })
    let printed = ""
    child.stdout.on("data", (data: Buffer) => (printed += data.toString()))
    child.once("close", () => resume(Effect.succeed({ pid: child.pid, printed })))
  }).pipe(
    Effect.flatMap(({ pid, printed }) =>
      Effect.map(Schema.decodeUnknownEffect(Restarted)(printed), (told) => ({ ...told, started: pid }))
    )
  )

it("npm start gives Node's options and its environment itself, so that nothing has to be started twice", () => {
  const { start } = packageJson.scripts
  assert.isEmpty(missingOptions(start.split(" ")))
  for (const [name, value] of Object.entries(nodeEnvironment)) assert.include(start, `${name}="\${${name}:-${value}}"`)
})

it("systemd's units do, too: a process that is replaced would lose the socket that it inherited", () => {
  const unit = readFileSync(new URL("../../../docs/systemd/playroom@.service", import.meta.url), "utf8")
  assert.include(unit, `/node ${nodeOptions.join(" ")} /`)
  const flake = readFileSync(new URL("../../../flake.nix", import.meta.url), "utf8")
  assert.include(flake, `--add-flags "${nodeOptions.join(" ")} `)
  for (const [name, value] of Object.entries(nodeEnvironment)) assert.include(unit, `Environment=${name}=${value}`)
})

it.live.skipIf(process.platform === "win32")(
  "a process without the options becomes one with them: same id, same arguments, and its own options kept",
  () =>
    Effect.gen(function* () {
      const bare = yield* run([])
      assert.deepStrictEqual(bare.options, nodeOptions)
      assert.strictEqual(bare.threshold, nodeEnvironment.MALLOC_MMAP_THRESHOLD_)
      assert.strictEqual(bare.pid, bare.started)
      assert.deepStrictEqual(bare.args, ["one", "two words"])
      const whole = yield* run([...nodeOptions])
      assert.deepStrictEqual(whole.options, nodeOptions)
      const larger = yield* run(["--no-warnings", "--max-semi-space-size=32"])
      assert.deepStrictEqual(larger.options, ["--no-warnings", "--max-semi-space-size=32", "--v8-pool-size=1"])
      const ownThreshold = yield* run([], { MALLOC_MMAP_THRESHOLD_: "65536" })
      assert.strictEqual(ownThreshold.threshold, "65536")
      const byEnvironment = yield* run([], { NODE_OPTIONS: "--v8-pool-size=2 --max-semi-space-size=8" })
      assert.deepStrictEqual(byEnvironment.options, [])
    })
)
