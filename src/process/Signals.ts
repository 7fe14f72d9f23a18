/** The signals that a service gets from terminals and service managers. */

/** Which signals tell the service to stop. */
const stopSignals = ["SIGTERM", "SIGINT"] as const

/** A terminal or a service manager signals the whole process group, and npm signals its child again: that counts as one signal. */
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
 * For the time before `onHangUp`, while the service is loaded: a reload would end the process, and a service manager takes that for a
 * wanted end.
 */
export const outliveHangUp = (): void => {
  if (!atTerminal()) process.on("SIGHUP", () => {})
}

/** Calls `reload` at SIGHUP. From a terminal it means that the terminal is gone: that is a signal to stop. */
export const onHangUp = (reload: () => void): void => {
  const terminal = atTerminal()
  process.on("SIGHUP", () => {
    if (terminal) process.kill(process.pid, "SIGTERM")
    else reload()
  })
}

/** For a worker: its supervisor gets the same signals, and says by message what is to be done. */
export const ignoreSignals = (): void => {
  for (const signal of [...stopSignals, "SIGHUP"]) process.on(signal, () => {})
}
