/** The exit code of a process, and a message where nothing has been printed yet. */
import { Cause, Exit } from "effect"

const cutOff = "It was cut off before its end: look at what was done before you repeat it."

/** `stopped`: a signal told the service to stop, which is a success. A command that a signal interrupts has not done its work. */
export const exitCodeOf = <A, E>(
  exit: Exit.Exit<A, E>,
  stopped: boolean
): { readonly code: number; readonly says?: string } => {
  if (Exit.isSuccess(exit)) return { code: 0 }
  if (!Cause.hasInterruptsOnly(exit.cause)) return { code: 1 }
  return stopped ? { code: 0 } : { code: 1, says: cutOff }
}

/** For a process whose work has not ended: its exit code is never 0. */
export const unfinishedExitCode = (code: number): { readonly code: number; readonly says?: string } =>
  code === 0 ? { code: 1, says: cutOff } : { code }
