/** How tests start processes of Node: like `npm start`, but at less cost for a process that ends soon. */
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ownFolder } from "../../src/kernel/OwnFolder.ts"
import { compileCache } from "../../src/process/Bundle.ts"
import { nodeOptions } from "../../src/process/NodeOptions.ts"

/**
 * WebAssembly is compiled, and not optimised: a process that ends after seconds never gets back what optimising the database costs.
 * With room for objects from the start, loading the modules needs no collections.
 */
export const shortLived: ReadonlyArray<string> = [...nodeOptions, "--initial-heap-size=256", "--liftoff-only"]

/**
 * `NODE_COMPILE_CACHE` of these processes. The service would keep what it compiled anyway: named, the cache has its first file, too, and
 * a process whose environment lacks the suite's TMPDIR finds what the others compiled.
 */
export const compiled = compileCache()

/** Where suites keep what later ones of this user read or run. */
export const keptFolder = (): string => {
  const folder = join(tmpdir(), `playroom-tests-${process.getuid?.() ?? 0}`)
  ownFolder(folder)
  return folder
}
