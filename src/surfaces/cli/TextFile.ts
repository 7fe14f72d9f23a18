/** Reads the files that are named on the command line. */
import { createReadStream } from "node:fs"
import * as NodeStream from "@effect/platform-node/NodeStream"
import { Effect, Stream } from "effect"
import { textOfBytes } from "../../platform/text/TextBytes.ts"
import { CommandFailed, failed } from "./Failure.ts"
import { codeOf } from "../../platform/errors/ErrorCode.ts"

/** A failure that continues the file's name. */
export const aboutFile =
  (path: string) =>
  ({ message }: { readonly message: string }) =>
    new CommandFailed({ message: `${path} ${message}` })

/** What prevents the reading of a file, from the system's error. */
const unreadable =
  (path: string) =>
  (cause: unknown): CommandFailed => {
    const code = codeOf(cause)
    if (code === "ENOENT" || code === "ENOTDIR") return new CommandFailed({ message: `There is no file ${path}.` })
    const why =
      code === "EISDIR"
        ? "is a directory; name a file in it."
        : code === "EACCES"
          ? "can't be read by this user."
          : `can't be read (${String(code)}).`
    return new CommandFailed({ message: `${path} ${why}` })
  }

/**
 * Reads a text file of at most `maxBytes`: UTF-8, with or without a byte-order mark. A pipe is read to its end, so
 * `/dev/stdin` is standard input.
 */
export const readTextFile = Effect.fnUntraced(function* (path: string, maxBytes: number) {
  const chunks: Array<Uint8Array> = []
  let length = 0
  // A pipe has no size before it is read, so that what was read is counted.
  yield* NodeStream.fromReadable<Uint8Array, CommandFailed>({
    evaluate: () => createReadStream(path, { end: maxBytes }),
    onError: unreadable(path)
  }).pipe(
    Stream.runForEach((chunk) =>
      Effect.sync(() => {
        chunks.push(chunk)
        length += chunk.length
      })
    )
  )
  if (length > maxBytes) return yield* failed(`${path} is too large: a file may have ${maxBytes / 1e6} MB.`)
  return yield* Effect.fromResult(textOfBytes(Buffer.concat(chunks, length))).pipe(
    Effect.mapError((message) => aboutFile(path)({ message }))
  )
})
