/** How tests start processes of Node: like `npm start`, but at less cost for a process that ends soon. */
import { nodeOptions } from "../../src/process/NodeOptions.ts"

/**
 * WebAssembly is compiled, and not optimised: a process that ends after seconds never gets back what optimising the database costs.
 * With room for objects from the start, loading the modules needs no collections.
 */
export const shortLived: ReadonlyArray<string> = [
  ...nodeOptions,
  "--min-semi-space-size=16",
  "--initial-heap-size=256",
  "--liftoff-only"
]
