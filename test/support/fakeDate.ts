/** The date of this process, for code that goes by `Date` and not by `Clock`. */
import { Effect } from "effect"
import { vi } from "vitest"

/** Moves the date by some milliseconds, for the scope; timers go on as they are. */
export const later = (ms: number) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      vi.useFakeTimers({ toFake: ["Date"] })
      vi.setSystemTime(Date.now() + ms)
    }),
    () => Effect.sync(() => vi.useRealTimers())
  )
