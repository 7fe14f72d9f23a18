/** Signals from terminals and service managers. */

const stopSignals = ["SIGTERM", "SIGINT"] as const

/**
 * A terminal or service manager signals the whole process group, and npm forwards the signal: signals this close count
 * once.
 */
const sameWithinMs = 250

/** Calls `first` at the first signal to stop, and `again` at the second. */
export const onStopSignals = (first: () => void, again: () => void): void => {
  let askedAt: number | undefined
  for (const signal of stopSignals) {
    process.on(signal, () => {
      const now = performance.now()
      if (askedAt === undefined) {
        askedAt = now
        first()
      } else if (now - askedAt > sameWithinMs) again()
    })
  }
}

const atTerminal = (): boolean => [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY)

/**
 * Ignores SIGHUP until `onHangUp` takes over, while the service is loading. Otherwise a reload would end the process,
 * and a service manager would take that for a clean exit.
 */
export const outliveHangUp = (): void => {
  if (!atTerminal()) process.on("SIGHUP", () => {})
}

/** Calls `reload` at SIGHUP. From a terminal, SIGHUP means that the terminal is gone: the service stops. */
export const onHangUp = (reload: () => void): void => {
  const terminal = atTerminal()
  process.on("SIGHUP", () => {
    if (terminal) process.kill(process.pid, "SIGTERM")
    else reload()
  })
}

/** For a worker: its supervisor gets the same signals and sends messages. */
export const ignoreSignals = (): void => {
  for (const signal of [...stopSignals, "SIGHUP"]) process.on(signal, () => {})
}
