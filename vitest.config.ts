import { statfsSync } from "node:fs"
import { defineConfig } from "vitest/config"
import { compileCache } from "./src/ops/process/Bundle.ts"

/** Tests copy databases of a thousand small files. In memory, if there is room, that costs a tenth. */
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

// Workers find what those before have compiled, as processes of tests do (`nodeProcesses.ts`): a third of the time of
// loading.
process.env["NODE_COMPILE_CACHE"] ??= compileCache() ?? ""

/** Tests that start processes or a browser. `npm run test:quick` leaves them out. */
export const wholeSystem = [
  "test/journeys/**",
  "test/fuzz/**",
  "test/**/*InBrowser.test.ts",
  "test/surfaces/mcp/card/CardViews.test.ts",
  "test/surfaces/cli/ExitCode.test.ts",
  "test/surfaces/letters/RealServers.test.ts",
  "test/domain/import/LibreOffice.test.ts",
  "test/faults/Cluster.test.ts",
  "test/platform/database/{DataDirectory,Database,Pooler,Readiness}.test.ts",
  "test/ops/process/{Bundle,NodeOptions,StandardOutput,Uncaught}.test.ts",
  "test/platform/time/ZoneSources.test.ts",
  "test/{Setup,SupplyChain}.test.ts"
]

/** What is run by a command of its own. */
const runs: Readonly<Record<string, string>> = {
  faults: "test/faults/Faults.run.ts",
  screens: "test/screens/Screens.run.ts"
}

export default defineConfig(async ({ mode }) => ({
  test: {
    include: [runs[mode] ?? "test/**/*.test.ts"],
    exclude: [
      "test/bench/**",
      "node_modules/**",
      ...(mode === "quick" ? wholeSystem : []),
      ...(mode === "server" ? (await import("./test/support/suite.ts")).sameOnServer(import.meta.dirname) : [])
    ],
    // What a browser makes of a page was seen in the run on the embedded database (`test/support/Browser.ts`).
    env: mode === "server" ? { TEST_WITHOUT_BROWSER: "1" } : {},
    setupFiles: ["test/support/fixedSeed.ts"],
    globalSetup: [...(mode === "faults" ? ["test/faults/Cluster.ts"] : []), "test/support/templateDatabase.ts"],
    // Such a run takes minutes, and says what it does.
    disableConsoleIntercept: mode in runs,
    // What failed stands last, where whoever keeps the end of the output finds it.
    reporters: ["./test/checklists/ChecklistReporter.ts", "default"],
    // Loaded here alone: a test reads `wholeSystem`, and needs no Vite for that.
    sequence: { sequencer: (await import("./test/support/suite.ts")).Alternating },
    pool: "forks",
    // Loading Effect anew for each of 150 files would take a quarter of the time.
    isolate: false,
    // Node runs the sources as they are, as in production: Vite would take five seconds more a worker.
    experimental: { viteModuleRunner: false },
    maxWorkers: 4,
    // Together they spare a third of the processor time. A test file asks the database too little for its optimised
    // code to pay as soon as V8 thinks. Each database's memory lets V8 collect all objects again and again, unless it
    // may have half a gigabyte of them. New objects have room until most of them are not used any more. And four
    // workers have no processors for four collector threads each.
    execArgv: [
      "--wasm-tiering-budget=130000000",
      "--initial-heap-size=512",
      "--min-semi-space-size=64",
      "--max-semi-space-size=64",
      "--v8-pool-size=1"
    ],
    // For what hangs: a busy machine takes half a minute for what takes seconds elsewhere.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // What a machine does that stalls: a wait that is too long, a kept connection that the other side has just closed.
    // Such a test has a second try, and the run says so. What an assertion finds never has one.
    retry: { count: 1, condition: /^(Test|Hook) timed out|^fetch failed$|ECONNRESET/ }
  }
}))
