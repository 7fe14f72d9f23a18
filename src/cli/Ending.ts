/** With which exit code a process ends, and what it says where nothing else did. */
import { Cause, Exit } from "effect"

const cutOff = "It was cut off before its end: look at what was done before you repeat it."

/** `stopped`: a signal has told a service to stop, which is its good end. A command that a signal cuts off has not done its work. */
export const endingOf = <A, E>(
  exit: Exit.Exit<A, E>,
  stopped: boolean
): { readonly code: number; readonly says?: string } => {
  if (Exit.isSuccess(exit)) return { code: 0 }
  if (!Cause.hasInterruptsOnly(exit.cause)) return { code: 1 }
  return stopped ? { code: 0 } : { code: 1, says: cutOff }
}

/** Of a process whose work has not come to its end: no exit code of 0 is believed. */
export const unfinished = (code: number): { readonly code: number; readonly says?: string } =>
  code === 0 ? { code: 1, says: cutOff } : { code }
