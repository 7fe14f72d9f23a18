/** A clock that is ahead of the machine's, for this process and, by `clockOffset.ts`, for others. */
import { Clock, Effect } from "effect"
import { renameSync, writeFileSync } from "node:fs"

/** Ahead by so many milliseconds; it sleeps in real time. */
export const clockAhead = (ahead: () => number): Clock.Clock => {
  const real = Clock.Clock.defaultValue()
  const now = (): number => Date.now() + ahead()
  const nanos = (): bigint => BigInt(now()) * 1_000_000n
  return {
    currentTimeMillisUnsafe: now,
    currentTimeMillis: Effect.sync(now),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: () => real.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: real.monotonicTimeNanos,
    sleep: (duration) => real.sleep(duration)
  }
}

/** Writes the file for `CLOCK_OFFSET_FILE`, beside and moved, so that nobody reads half a number. */
export const writeAhead = (file: string, ms: number): void => {
  writeFileSync(`${file}.new`, String(ms))
  renameSync(`${file}.new`, file)
}
