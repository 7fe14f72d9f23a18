/** Stops calls to a provider that is down, and tries it again with one of them every second or two. */
import { Cause, Duration, Effect, Exit, Layer, Option, Schedule } from "effect"
import { CircuitBreaker } from "effect/persistence"
import { onSteadyClock } from "../../../platform/time/Elapsed.ts"
import { type GatewayError, ProviderUnavailable } from "./PaymentGateway.ts"
import { type Failure, noAnswer } from "./StripeErrors.ts"

/** The provider as a whole is down or not: there is one circuit. */
const key = "provider"

/** The circuit of this process, whose times no step of the machine's clock changes. */
const circuits = Layer.effect(
  CircuitBreaker.CircuitBreakerStore,
  CircuitBreaker.CircuitBreakerStore.use(({ admit, record, state }) =>
    Effect.succeed(
      CircuitBreaker.CircuitBreakerStore.of({
        admit: (name) => onSteadyClock(admit(name)),
        record: (outcome) => onSteadyClock(record(outcome)),
        state: (name) => onSteadyClock(state(name))
      })
    )
  )
).pipe(Layer.provide(CircuitBreaker.layerStoreMemory()))

/**
 * Makes what runs a call within a time. After five outages in a row calls fail at once, but for one every second or
 * two. If that succeeds, all go on. It gets `longestTryMs` at most, since all others wait for it.
 */
export const makeOutageBreaker = Effect.fnUntraced(
  function* (longestTryMs: number) {
    const breaker = yield* CircuitBreaker.make({
      tripPolicy: CircuitBreaker.consecutive(5),
      openDuration: Schedule.min([Schedule.exponential("1 second"), Schedule.spaced("2 seconds")])
    })
    return <A>(operation: string, timeoutMs: number, call: Effect.Effect<A, Failure>): Effect.Effect<A, GatewayError> =>
      Effect.flatMap(breaker.state(key), ({ _tag }) =>
        Effect.timeoutOrElse(call, {
          duration: Duration.millis(_tag === "HalfOpen" ? Math.min(timeoutMs, longestTryMs) : timeoutMs),
          orElse: () => Effect.fail(noAnswer(operation))
        })
      ).pipe(
        breaker.execute({
          key,
          classify: (exit: Exit.Exit<A, CircuitBreaker.CircuitBreakerError | Failure>) => {
            if (Exit.isSuccess(exit)) return CircuitBreaker.success
            // A defect is a fault of ours, whatever the provider does.
            const failure = Cause.findErrorOption(exit.cause)
            const outage = Option.isSome(failure) && "outage" in failure.value && failure.value.outage
            return outage ? CircuitBreaker.failure() : CircuitBreaker.ignored
          }
        }),
        Effect.mapError((failure): GatewayError => {
          if (!(failure instanceof CircuitBreaker.CircuitBreakerError)) return failure.error
          return new ProviderUnavailable({
            operation,
            kind: "paused",
            reason: "the provider failed several times in a row; waiting before the next try",
            retry_after_seconds:
              failure.reason._tag === "CircuitOpen"
                ? Math.max(1, Math.ceil(Duration.toSeconds(failure.reason.retryAfter)))
                : 1
          })
        })
      )
  },
  Effect.provide(Layer.fresh(circuits))
)
