/**
 * While what the service stands on fails (the database refuses or a disk is full, the provider is away), each call
 * fails in the same way. The log tells it whole once, and then once a minute how many there were. Faults of the service
 * itself are told each time: their callers are given a trace id.
 */
import { Cause, Clock, Formatter, Logger, LogLevel, Predicate } from "effect"
import { SqlError } from "effect/sql"
import { isTemporary } from "../errors/InvalidArguments.ts"

type Entry = Logger.Options<unknown>

const intervalMs = 60_000
/** The most failures that are told apart at once; beyond them the oldest is told whole again. */
const maxKnown = 100

const member = (value: unknown, name: string): unknown => (Predicate.hasProperty(value, name) ? value[name] : undefined)

const outside = new Set<unknown>(["ProviderUnavailable", "CallTimedOut"])
/** Whether an error is a failure of what the service stands on. */
const isOutside = (error: object): boolean =>
  SqlError.isSqlError(error) ? isTemporary(error) : outside.has(member(error, "_tag"))

/** How what the service stands on has failed, as an error says, or one that caused it; undefined if it has not. */
const failureIn = (error: unknown, depth = 0): string | undefined => {
  if (typeof error !== "object" || error === null || depth > 4) return undefined
  const reason = member(error, "reason")
  if (!isOutside(error)) return failureIn(member(error, "cause"), depth + 1) ?? failureIn(reason, depth + 1)
  const names = ["_tag", "kind"].map((name) => member(error, name))
  const details = [...names, member(reason, "_tag"), member(member(reason, "cause"), "code")]
  return details.filter((detail) => typeof detail === "string").join(" ")
}

const partsOf = ({ message }: Entry): ReadonlyArray<unknown> => (Array.isArray(message) ? message : [message])

const failureOf = (entry: Entry): string | undefined => {
  const errors = entry.cause.reasons.flatMap((reason) =>
    Cause.isFailReason(reason) ? [reason.error] : Cause.isDieReason(reason) ? [reason.defect] : []
  )
  for (const error of [...errors, ...partsOf(entry)]) {
    const failure = failureIn(error)
    if (failure !== undefined) return failure
  }
  return undefined
}

/** What a line says beside the failure: its text, and the fields that name what it is about. */
const subjectOf = (entry: Entry): ReadonlyArray<unknown> =>
  partsOf(entry).filter((part) => part !== undefined && failureIn(part) === undefined)

interface Known {
  readonly failure: string
  readonly since: number
  /** The last line that was left out, and how many were. */
  readonly last: Entry
  readonly repeated: number
}

/** The same logger, which tells repeated failures of what the service stands on once a minute, with their number. */
export const withoutRepeats = (logger: Logger.Logger<unknown, void>): Logger.Logger<unknown, void> => {
  /** By what they say; the oldest first. */
  const known = new Map<string, Known>()

  const tellNumbers = (now: number): void => {
    for (const [key, { failure, last, repeated, since }] of known) {
      if (now - since < intervalMs) break
      known.delete(key)
      if (repeated === 0) continue
      known.set(key, { failure, since: now, last, repeated: 0 })
      logger.log({ ...last, message: [...subjectOf(last), { failure, repeated }], cause: Cause.empty })
    }
  }

  return Logger.make((entry) => {
    const now = Number(entry.fiber.getRef(Clock.Clock).monotonicTimeNanosUnsafe()) / 1e6
    tellNumbers(now)
    const failure = LogLevel.isGreaterThanOrEqualTo(entry.logLevel, "Warn") ? failureOf(entry) : undefined
    if (failure === undefined) return logger.log(entry)
    const key = Formatter.formatJson([entry.logLevel, failure, ...subjectOf(entry)])
    const before = known.get(key)
    if (before !== undefined) return void known.set(key, { ...before, last: entry, repeated: before.repeated + 1 })
    const [oldest] = known.keys()
    if (known.size >= maxKnown && oldest !== undefined) known.delete(oldest)
    known.set(key, { failure, since: now, last: entry, repeated: 0 })
    logger.log(entry)
  })
}
