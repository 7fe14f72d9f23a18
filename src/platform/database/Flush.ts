/** Flushes files to the disk, so that they are there after a power cut. */
import { Effect } from "effect"
import { readdirSync } from "node:fs"
import { open } from "node:fs/promises"
import { join } from "node:path"
import { codeOf } from "../errors/ErrorCode.ts"

/** Flushes a file, or a folder's entries; nothing if it is gone. Fails with what the system says. */
export const flush = (path: string): Effect.Effect<void, unknown> =>
  Effect.tryPromise({
    try: () => open(path, "r").then((file) => file.sync().finally(() => file.close())),
    catch: (cause) => cause
  }).pipe(
    Effect.catchIf(
      (cause) => codeOf(cause) === "ENOENT",
      () => Effect.void
    )
  )

/** Flushes a folder with all that is in it. */
export const flushFolder = Effect.fnUntraced(function* (folder: string) {
  const entries = yield* Effect.try({
    try: () => readdirSync(folder, { recursive: true, withFileTypes: true }),
    catch: (cause) => cause
  })
  const paths = entries.filter((entry) => entry.isFile() || entry.isDirectory())
  yield* Effect.forEach([...paths.map(({ name, parentPath }) => join(parentPath, name)), folder], flush, {
    discard: true
  })
})
