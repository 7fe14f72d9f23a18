import { assert, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { join } from "node:path"

/** Loaded before the service: sends SIGHUP when its modules are about to be loaded. */
const reloadEarly = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from "node:module"
  registerHooks({ load(url, context, next) {
    if (/\\/Program\\.[jt]s$/.test(url)) process.kill(process.pid, "SIGHUP")
    return next(url, context)
  } })`)}`

it("a reload while the service is being loaded does not end it", () => {
  const { signal, status, stderr } = spawnSync(
    process.execPath,
    ["--import", reloadEarly, join(import.meta.dirname, "../..", "src", "main.ts"), "serve"],
    { env: { ...process.env, WORKERS: "none" }, stdio: ["ignore", "ignore", "pipe"], encoding: "utf8" }
  )
  assert.isNull(signal)
  assert.strictEqual(status, 1)
  assert.include(stderr, "WORKERS must be a whole number")
})
