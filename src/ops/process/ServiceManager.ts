/**
 * What systemd is told (`sd_notify(3)`): that this process is ready, and again and again that it does not hang. It says
 * where (`NOTIFY_SOCKET`), and how often (`WATCHDOG_USEC`). Node has no sockets of this kind, so systemd's own command
 * tells it.
 */
import { Config, Effect, Option } from "effect"
import { execFile } from "node:child_process"
import { forkRecurring } from "../../platform/time/LocalTime.ts"

const notify = (word: string): Effect.Effect<void> =>
  Effect.callback((resume) => {
    execFile("systemd-notify", [word], (error) =>
      resume(
        error === null
          ? Effect.void
          : Effect.logWarning("systemd was not told how this process is: systemd-notify failed", { word, error })
      )
    )
  })

const setting = (name: string) =>
  Config.option(Config.String(name)).pipe(Effect.orDie, Effect.map(Option.getOrUndefined))

/** Tells a service manager that asked for it that the service listens, and while the scope is open that it goes on. */
export const tellServiceManager = Effect.gen(function* () {
  if ((yield* setting("NOTIFY_SOCKET")) === undefined) return
  yield* notify("READY=1")
  const patience = Number(yield* setting("WATCHDOG_USEC"))
  // A process that works without a break, or is stopped, tells nothing: that is what the service manager looks for.
  if (patience > 0)
    yield* forkRecurring(notify("WATCHDOG=1"), {
      delay: `${patience / 3} micros`,
      every: `${patience / 3} micros`,
      failed: "systemd was not told that this process goes on"
    })
})
