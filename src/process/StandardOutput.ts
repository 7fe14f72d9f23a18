/** Output that cannot be written, because a disk is full or its reader has gone. By itself Node ends the process then, with a stack. */
import { codeOf } from "../kernel/ErrorCode.ts"

/**
 * Keeps the process alive. Returns what says why a command's output is not whole; nothing if its reader has gone (`| head`), which
 * has what it wanted.
 */
export const outliveLostOutput = (): (() => string | undefined) => {
  let lost: string | undefined
  process.stdout.on("error", (error) => {
    const code = codeOf(error) ?? error.message
    if (code !== "EPIPE") lost ??= `What it printed is not whole, since it could not be written (${code}).`
  })
  process.stderr.on("error", () => {})
  return () => lost
}
