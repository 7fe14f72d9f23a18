/**
 * The provider's health, as the calls of all nodes found it: what fails, why, and since when, for `playroom doctor` and
 * the metrics. A failure is stored until a call succeeds again. So is how far our clock is off the provider's, by the
 * `Date` of its answers and the signatures of its events.
 */
import { Clock, Context, Effect, Layer, Metric, Schema } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { hostname } from "node:os"
import { monotonicMs } from "../../../platform/time/Elapsed.ts"
import { dayMs, hourMs, type Instant, InstantFromDate, minuteMs, secondMs } from "../../../platform/time/LocalTime.ts"
import { decodeRows } from "../../../platform/database/Rows.ts"
import { ownFaultKinds, type ProviderUnavailable, UnavailableKind } from "./PaymentGateway.ts"

/** A current failure of the provider. */
export const ProviderFailure = Schema.Struct({
  kind: UnavailableKind,
  operation: Schema.String,
  reason: Schema.String,
  since: InstantFromDate,
  last_at: InstantFromDate
})
export type ProviderFailure = typeof ProviderFailure.Type

/**
 * An answer of the provider: its `Date` header, when the call was sent and answered by our clock, and the latter in
 * `monotonicMs`.
 */
export interface DatedAnswer {
  readonly date: string | undefined
  readonly sent_at: Instant
  readonly received_at: Instant
  readonly received_monotonic: number
}

/** A machine of ours whose clock is off. `offset_ms`: what has to be added to its time to get the provider's. */
const ClockOffset = Schema.Struct({
  host: Schema.String,
  offset_ms: Schema.FiniteFromString,
  since: InstantFromDate,
  last_at: InstantFromDate
})
type ClockOffset = typeof ClockOffset.Type

/** A clock that is off by more than this needs a person: payment pages and signatures bear a few minutes. */
const maxClockOffsetMs = 30 * secondMs
/** Beyond this, a `Date` says nothing that a payment page's end could be counted from. */
const maxUsedOffsetMs = dayMs
/** A machine that has made no call for so long may be gone. */
const clockForgottenMs = dayMs

/** Machines whose clock is off, for a count. */
export const clocksOff = (sql: SqlClient.SqlClient, now: Instant): Statement.Fragment =>
  sql`clock_offset where last_at > ${new Date(now - clockForgottenMs)}`

/** By how much the provider's clock is ahead of ours: at least and at most. */
interface Ahead {
  readonly least: number
  readonly most: number
}

/**
 * What an answer says of the clocks: it was sent at `date`, which has whole seconds, after `sent_at` and before
 * `received_at`. Undefined: it says nothing. Pure.
 */
export const aheadOf = ({ date, received_at, sent_at }: Omit<DatedAnswer, "received_monotonic">): Ahead | undefined => {
  const at = Date.parse(date ?? "")
  if (Number.isNaN(at)) return undefined
  // If our clock was set back meanwhile, it does not tell when the call was sent.
  const most = received_at < sent_at ? Number.POSITIVE_INFINITY : at + secondMs - sent_at
  return { least: at - received_at, most }
}

/** The smallest difference between the clocks that explains what was seen. */
const offsetOf = ({ least, most }: Ahead): number => (least > 0 ? least : Math.min(most, 0))

/** A refusal that is our own fault is shown for so long after it was last met, even if other calls succeed. */
const ownFaultShownMs = hourMs
/** What creates payment pages: whether it succeeds decides whether a refusal that is our own fault is over. */
const creatingPages = "createSession"
const lasting = new Set<UnavailableKind>(ownFaultKinds)

/**
 * A continuing failure, and an answer after one, are stored once per `writeIntervalMs`. A failure is over if the
 * provider answered after it and no node saw it for `staleAfterMs`.
 */
const writeIntervalMs = 10_000
const staleAfterMs = minuteMs
/** How long a call to the provider may wait for this write. */
const writeTimeout = "1 second"

/** Kinds that say nothing about the provider: our own circuit breaker, and an earlier call of ours still under way. */
const ignoredKinds = new Set<UnavailableKind>(["paused", "under_way"])

const calls = Metric.counter("provider_calls_total", {
  description: "Calls to the payment provider, by what became of them",
  incremental: true
})

const count = (operation: string, outcome: string) =>
  Metric.update(Metric.withAttributes(calls, { operation, outcome }), 1)

export class ProviderHealth extends Context.Service<
  ProviderHealth,
  {
    /** The provider answered a call, even with a refusal (`refused`). Never fails, and seldom writes. */
    readonly recordAnswer: (operation: string, refused?: "refused") => Effect.Effect<void>
    /** The provider did not do a call. Never fails, and seldom writes. */
    readonly recordFailure: (error: ProviderUnavailable) => Effect.Effect<void>
    /** Current failures, oldest first. */
    readonly failures: Effect.Effect<ReadonlyArray<ProviderFailure>, SqlError.SqlError>
    /** Notes when an answer was sent, in memory. `recordAnswer` and `recordFailure` store what it says of our clock. */
    readonly observeDate: (answer: DatedAnswer) => void
    /**
     * Notes, in memory, that the provider made an event at `at` (seconds since 1970) by its clock. True: so our clock is
     * off.
     */
    readonly observeEvent: (at: number) => Effect.Effect<boolean>
    /** As `observeEvent` of a valid signature, and stores what it says of our clock. Never fails, and seldom writes. */
    readonly observeSigned: (at: number) => Effect.Effect<void>
    /** The time by the provider's clock, as far as it is known; else by ours. */
    readonly providerNow: Effect.Effect<Instant>
    /** Machines whose clock is off by more than `maxClockOffsetMs`, by name. */
    readonly clocks: Effect.Effect<ReadonlyArray<ClockOffset>, SqlError.SqlError>
  }
>()("playroom/payment/provider/ProviderHealth") {
  static readonly layer = Layer.effect(
    ProviderHealth,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rows = decodeRows(Schema.Array(ProviderFailure))
      /** When this process wrote each kind, and when it last stored an answer; `monotonicMs`. */
      const writtenAt = new Map<UnavailableKind, number>()
      let answeredAt = Number.NEGATIVE_INFINITY
      let madeAt = Number.NEGATIVE_INFINITY
      const offsets = decodeRows(Schema.Array(ClockOffset))
      const host = hostname()
      let ahead: Ahead = { least: Number.NEGATIVE_INFINITY, most: Number.POSITIVE_INFINITY }
      /** Our clock less the monotonic one when `ahead` was found; undefined before. */
      let dateThen: number | undefined
      /** What this process last stored of the clock, and when (`monotonicMs`). */
      let clock = { off: false, at: Number.NEGATIVE_INFINITY }

      const bestEffort = (write: Effect.Effect<unknown, SqlError.SqlError>) =>
        write.pipe(
          Effect.timeout(writeTimeout),
          Effect.catch((error) => Effect.logDebug("The state of the payment provider was not written down", error)),
          Effect.asVoid
        )

      const storeClock = Effect.gen(function* () {
        if (ahead.least === Number.NEGATIVE_INFINITY && ahead.most === Number.POSITIVE_INFINITY) return
        const offset = Math.round(offsetOf(ahead))
        const off = Math.abs(offset) > maxClockOffsetMs
        const now = yield* monotonicMs
        if (clock.off === off && now - clock.at < (off ? writeIntervalMs : minuteMs)) return
        if (off && !clock.off)
          yield* Effect.logError("This machine's clock is not the payment provider's", {
            seconds_ahead: -offset / 1000
          })
        clock = { off, at: now }
        const at = new Date(yield* Clock.currentTimeMillis)
        yield* bestEffort(
          off
            ? sql`insert into clock_offset (host, offset_ms, since, last_at) values (${host}, ${offset}::bigint, ${at}, ${at})
                on conflict (host) do update set offset_ms = excluded.offset_ms, last_at = excluded.last_at`
            : sql`delete from clock_offset where host = ${host}`
        )
      })

      const recordFailure = Effect.fnUntraced(function* ({ kind, operation, reason }: ProviderUnavailable) {
        yield* count(operation, kind)
        yield* storeClock
        const now = yield* monotonicMs
        if (ignoredKinds.has(kind) || now - (writtenAt.get(kind) ?? Number.NEGATIVE_INFINITY) < writeIntervalMs) return
        writtenAt.set(kind, now)
        // No payment works until a person corrects the key.
        if (kind === "key_refused")
          yield* Effect.logError("The payment provider does not accept our API key", { operation })
        const at = new Date(yield* Clock.currentTimeMillis)
        yield* bestEffort(sql`insert into provider_failure (kind, operation, reason, since, last_at)
          values (${kind}, ${operation}, ${reason.slice(0, 500)}, ${at}, ${at})
          on conflict (kind) do update set operation = excluded.operation, reason = excluded.reason, last_at = excluded.last_at`)
      })

      /** Another page could be made, so what we send is not refused as a whole. */
      const ownFaultOver = (now: Instant) =>
        bestEffort(sql`with over as (delete from provider_failure
          where kind = any(${ownFaultKinds}::text[]) and last_at < ${new Date(now - ownFaultShownMs)})
          update provider_failure set answered_at = ${new Date(now)}
          where kind = any(${ownFaultKinds}::text[]) and last_at >= ${new Date(now - ownFaultShownMs)}`)

      const recordAnswer = Effect.fnUntraced(function* (operation: string, refused?: "refused") {
        yield* count(operation, "answered")
        yield* storeClock
        const now = yield* monotonicMs
        const date = yield* Clock.currentTimeMillis
        if (operation === creatingPages && refused === undefined && now - madeAt >= writeIntervalMs) {
          madeAt = now
          yield* ownFaultOver(date)
        }
        const mine = [...writtenAt.keys()].filter((kind) => !lasting.has(kind))
        if (mine.length === 0 && now - answeredAt < writeIntervalMs) return
        for (const kind of mine) writtenAt.delete(kind)
        answeredAt = now
        // One that lies ahead was written before the machine's clock stepped back.
        yield* bestEffort(sql`with over as (delete from provider_failure
          where (last_at < ${new Date(date - staleAfterMs)} or last_at > ${new Date(date + staleAfterMs)} or kind = any(${mine}::text[]))
            and kind <> all(${ownFaultKinds}::text[]))
          update provider_failure set answered_at = ${new Date(date)}
          where last_at between ${new Date(date - staleAfterMs)} and ${new Date(date)}
            and kind <> all(${[...mine, ...ownFaultKinds]}::text[])`)
      })

      const providerNow = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const offset = offsetOf(ahead)
        if (dateThen === undefined || Math.abs(offset) > maxUsedOffsetMs) return now
        // Our clock may have been set back since; the monotonic one stands still while the machine sleeps.
        return Math.max(now, Math.round(dateThen + (yield* monotonicMs))) + offset
      })

      const observeEvent = Effect.fnUntraced(function* (at: number) {
        const now = yield* Clock.currentTimeMillis
        // An event may have been under way for long, but none is of the future.
        const least = at * 1000 - now
        if (at * 1000 > (yield* providerNow)) {
          ahead = { least, most: Number.POSITIVE_INFINITY }
          dateThen = now - (yield* monotonicMs)
        }
        return least > maxClockOffsetMs
      })

      return ProviderHealth.of({
        recordAnswer,
        recordFailure,
        failures: Effect.flatMap(Clock.currentTimeMillis, (now) =>
          rows(sql`select kind, operation, reason, since, last_at from provider_failure
            where answered_at is null or answered_at < last_at
              or last_at > (case when kind = any(${ownFaultKinds}::text[]) then ${new Date(now - ownFaultShownMs)}::timestamptz
                else ${new Date(now - staleAfterMs)}::timestamptz end) order by since, kind`)
        ),
        observeDate: (answer) => {
          const found = aheadOf(answer)
          if (found === undefined) return
          ahead = found
          dateThen = answer.received_at - answer.received_monotonic
        },
        observeEvent,
        observeSigned: (at) => Effect.flatMap(observeEvent(at), (off) => (off ? storeClock : Effect.void)),
        providerNow,
        clocks: Effect.flatMap(Clock.currentTimeMillis, (now) =>
          offsets(
            sql`select host, offset_ms::text as offset_ms, since, last_at from ${clocksOff(sql, now)} order by host`
          )
        )
      })
    })
  )

  /** Stores nothing and reports no failures: for commands without a database. */
  static readonly layerWithoutDatabase = Layer.succeed(
    ProviderHealth,
    ProviderHealth.of({
      recordAnswer: () => Effect.void,
      recordFailure: () => Effect.void,
      failures: Effect.succeed([]),
      observeDate: () => undefined,
      observeEvent: () => Effect.succeed(false),
      observeSigned: () => Effect.void,
      providerNow: Clock.currentTimeMillis,
      clocks: Effect.succeed([])
    })
  )
}
