import { statfsSync } from "node:fs"
import { defineConfig } from "vitest/config"

/** Every test copies a database of a thousand small files: in memory, where there is room, that costs a tenth. */
const memory = "/dev/shm"
const hasRoom = (): boolean => {
  try {
    const { bavail, bsize } = statfsSync(memory)
    return bavail * bsize > 4 * 2 ** 30
  } catch {
    return false
  }
}
if (process.env["TMPDIR"] === undefined && hasRoom()) process.env["TMPDIR"] = memory

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/bench/**", "node_modules/**"],
    globalSetup: ["test/support/templateDatabase.ts"],
    reporters: ["default", "./test/checklists/ChecklistReporter.ts"],
    pool: "forks",
    // Loading Effect anew for each of 150 files would take a quarter of the time.
    isolate: false,
    maxWorkers: 4,
    // Both spare a seventh of the processor time. A test file asks the database too little for its optimised code to pay as soon as
    // V8 thinks. And each database's memory lets V8 collect all objects again and again, unless it may have half a gigabyte of them.
    execArgv: ["--wasm-tiering-budget=130000000", "--initial-heap-size=512"],
    testTimeout: 30_000,
    hookTimeout: 60_000
  }
})
