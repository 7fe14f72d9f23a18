/** How tests start processes of Node: like `npm start`, but at less cost for a process that ends soon. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { NotOurs, ownFolder } from "../../src/platform/files/OwnFolder.ts"
import { compileCache } from "../../src/ops/process/Bundle.ts"
import { nodeOptions } from "../../src/ops/process/NodeOptions.ts"

/**
 * WebAssembly is compiled, and not optimised: a process that ends after seconds never gets back what optimising the
 * database costs. With room for objects from the start, loading the modules needs no collections.
 */
export const shortLived: ReadonlyArray<string> = [...nodeOptions, "--initial-heap-size=256", "--liftoff-only"]

/**
 * `NODE_COMPILE_CACHE` of these processes. The service would keep what it compiled anyway: named, the cache has its
 * first file, too, and a process whose environment lacks the suite's TMPDIR finds what the others compiled.
 */
export const compiled = compileCache()

let kept: string | undefined

/**
 * Where suites keep what later ones of this user read or run. Where others could have put something, it is a folder of
 * this run alone.
 */
export const keptFolder = (): string => {
  if (kept !== undefined) return kept
  const folder = join(tmpdir(), `playroom-tests-${process.getuid?.() ?? 0}`)
  try {
    ownFolder(folder)
    kept = folder
  } catch (cause) {
    if (!(cause instanceof NotOurs)) throw cause
    const own = mkdtempSync(`${folder}-`)
    process.once("exit", () => rmSync(own, { recursive: true, force: true }))
    kept = own
  }
  return kept
}
