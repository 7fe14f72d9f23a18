/**
 * What ends a process: a signal, or something thrown that nobody catches. What would end it and does not: output that
 * cannot be written. How long its end may take.
 */
import { Cause, Deferred, Effect, Exit, Context, Layer, Ref } from "effect"
import { codeOf } from "../../platform/errors/InvalidArguments.ts"
import { finishSeconds, keepAliveSeconds } from "./Connections.ts"

// Who has the address of the service: the stages of a stop, what balancers and clients are told, and who takes over.

/**
 * `leaving`: `/readyz` answers 503, so that load balancers stop sending requests. `handing over`: other processes take
 * new connections, so the address stays ready. In both stages answers tell clients to close their connections.
 */
type Stage = "serving" | "handing over" | "leaving"

export class Draining extends Context.Service<
  Draining,
  {
    readonly stage: Effect.Effect<Stage>
    readonly enter: (stage: Exclude<Stage, "serving">) => Effect.Effect<void>
  }
>()("playroom/api/Draining") {
  static readonly layer = Layer.effect(
    Draining,
    Effect.map(Ref.make<Stage>("serving"), (ref) =>
      Draining.of({ stage: Ref.get(ref), enter: (stage) => Ref.set(ref, stage) })
    )
  )
}

/**
 * Why this process does not take requests now; undefined if it does. `database`: why its database does not let it.
 */
export const hindranceWith = <R>(database: Effect.Effect<string | undefined, never, R>) =>
  Effect.flatMap(
    Draining.use(({ stage }) => stage),
    (stage) => (stage === "leaving" ? Effect.succeed("The service is stopping.") : database)
  )

/** Whether other processes serve this address when this one stops. By default none do. */
export const Succession = Context.Reference<{
  /** Evaluated when the process stops. */
  readonly handsOver: Effect.Effect<boolean>
  /** Completes when the others stop, too, which ends the handover. */
  readonly cutShort: Effect.Effect<void>
}>("playroom/api/Succession", {
  defaultValue: () => ({ handsOver: Effect.succeed(false), cutShort: Effect.never })
})

// Sockets that whoever started this process listens on for it: systemd's socket activation (`sd_listen_fds(3)`). They
// outlive the process, and several processes may have the same: what nobody has accepted yet waits in the system's
// queue.

/** The first number that systemd gives to an open file. */
const firstInherited = 3

/** The numbers of the sockets that these variables give to the process with this id. */
export const inheritedSockets = (
  { LISTEN_FDS, LISTEN_PID }: Readonly<Record<string, string | undefined>>,
  pid: number
): ReadonlyArray<number> =>
  LISTEN_PID === String(pid) ? Array.from({ length: Number(LISTEN_FDS) }, (_, n) => firstInherited + n) : []

/** The socket to listen on. Default: none, and the process opens its own. */
export const CurrentInheritedSocket = Context.Reference<number | undefined>("playroom/kernel/InheritedSocket", {
  defaultValue: () => undefined
})

// Signals

const stopSignals = ["SIGTERM", "SIGINT"] as const

/**
 * A terminal or service manager signals the whole process group, and npm forwards the signal: signals this close count
 * once; milliseconds.
 */
const sameWithinMs = 250

/** Calls `first` at the first signal to stop, and `again` at the second. */
const onStopSignals = (first: () => void, again: () => void): void => {
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

/**
 * Calls `handOver` at SIGHUP. From a terminal, SIGHUP means that the terminal is gone: the service stops. Elsewhere it
 * is ignored if nobody takes over: a session that ends sends it, too.
 */
const onHangUp = (handOver: (() => void) | undefined): void => {
  const atTerminal = [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY)
  process.on("SIGHUP", () => {
    if (atTerminal) process.kill(process.pid, "SIGTERM")
    else handOver?.()
  })
}

// Times

/**
 * Seconds for the end of a service after its drain: requests in flight, and the services below them. Then it exits,
 * whatever runs.
 */
const endSeconds = finishSeconds + 10

/** Seconds for a service that hands over: clients first end the connections that they keep. */
const handOverSeconds = keepAliveSeconds + finishSeconds + endSeconds

// What is thrown

/** How many more are told while the process ends: one that returns with each turn must not fill the log. */
const maxFurther = 20

/**
 * Calls `onThrown` with what is thrown where nobody catches it: in a callback of a library, or as a rejection that
 * nobody handles. Without it Node would end the process on the spot.
 */
const onUncaught = (onThrown: (cause: Cause.Cause<never>, count: number) => void): void => {
  let count = 0
  // Node raises unhandled rejections here, too (https://nodejs.org/api/cli.html#--unhandled-rejectionsmode).
  process.on("uncaughtException", (thrown: unknown) => onThrown(Cause.die(thrown), ++count))
}

/**
 * Keeps the process alive when its output cannot be written: a disk is full, or its reader has gone. Returns what says
 * why a command's output is not whole; nothing if its reader has gone (`| head`), which has what it wanted.
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

// The end

/** How a process ends. */
interface Ending {
  /** Whether a stop was asked for, or something was thrown: the end may not take for ever. */
  readonly begun: () => boolean
  /** Says that the main effect has ended, after which an error ends the process at once. */
  readonly finish: () => void
  /** Takes the seconds that a service serves on after it was asked to stop. Default: 0. */
  readonly drainsFor: (seconds: number) => void
  /** Dies of what was thrown, once something was: what this process knows may be wrong then. */
  readonly thrown: Effect.Effect<never>
  /** Has it told by the loggers of this effect, at once and with its stack. Without it only `thrown` tells. */
  readonly tellByLog: Effect.Effect<void>
  /** Runs a service until it is asked to hand over. */
  readonly untilHandedOver: <A, E, R>(service: Effect.Effect<A, E, R>) => Effect.Effect<A | void, E, R>
}

/**
 * Watches for this process's end. `handsOver`: whether another process takes over at SIGHUP, as with a socket of
 * systemd's.
 */
export const watchEnding = ({ handsOver }: { readonly handsOver: boolean }): Ending => {
  let begun = false
  let finished = false
  let drainSeconds = 0
  const endWithin = (seconds: number): void => {
    begun = true
    setTimeout(() => process.exit(1), seconds * 1000).unref()
  }

  const stopping = Deferred.makeUnsafe<void>()
  const handingOver = Deferred.makeUnsafe<void>()
  onStopSignals(
    () => {
      endWithin(drainSeconds + endSeconds)
      Deferred.doneUnsafe(stopping, Exit.void)
    },
    () => process.exit(1)
  )
  onHangUp(
    handsOver
      ? () => {
          endWithin(handOverSeconds)
          Deferred.doneUnsafe(handingOver, Exit.void)
        }
      : undefined
  )

  const first = Deferred.makeUnsafe<never>()
  let tell: ((cause: Cause.Cause<never>) => void) | undefined
  onUncaught((cause, count) => {
    if (count <= 1 + maxFurther) tell?.(cause)
    if (count > 1) return
    Deferred.doneUnsafe(first, Exit.failCause(cause))
    if (finished) process.exit(1)
    endWithin(drainSeconds + endSeconds)
  })

  return {
    begun: () => begun,
    finish: () => {
      finished = true
    },
    drainsFor: (seconds) => {
      drainSeconds = seconds
    },
    thrown: Deferred.await(first),
    tellByLog: Effect.map(Effect.context<never>(), (context) => {
      tell = (cause) =>
        Effect.runSyncWith(context)(
          Effect.logError("Something was thrown that nobody caught: this process finishes what runs, and ends", cause)
        )
    }),
    untilHandedOver: (service) =>
      Effect.provideService(Effect.raceFirst(service, Deferred.await(handingOver)), Succession, {
        handsOver: Effect.sync(() => Deferred.isDoneUnsafe(handingOver) && !Deferred.isDoneUnsafe(stopping)),
        cutShort: Deferred.await(stopping)
      })
  }
}
