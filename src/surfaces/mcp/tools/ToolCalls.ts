/**
 * Answers a tool call: rate limits, key and scope, arguments, handler, JSON of the result or error. Each call has one
 * span and one audit line. The audit line never contains arguments, results or secrets.
 */
import { Cause, Clock, Context, Effect, Exit, Layer, Metric, Option, Tracer } from "effect"
import { type LookUpGuard, type Scope, requireScope } from "../../../platform/access/ApiKeys.ts"
import type { Caller } from "../../../platform/access/Authentication.ts"
import { RateLimits } from "../../../platform/access/RateLimits.ts"
import { HostLanguage } from "../../../domain/booking/BookingRequest.ts"
import { CallerKey, CodeGuard } from "../../../domain/availability/BookingOptions.ts"
import { CurrentPrincipal, type RunnableTool, ToolOutcome, CallTimedOut, type ToolFailure } from "./McpTool.ts"
import { internalError, renderFailure } from "./ToolErrors.ts"
import { isTemporary } from "../../../platform/errors/InvalidArguments.ts"
import { CurrentPlace, type PersonPlace } from "../../../domain/search/SearchQuery.ts"
import { type ToolName, tools } from "./ToolList.ts"

/** A call from the transport. */
export interface ToolCall {
  readonly name: ToolName
  /** As sent: a copy would lose keys like `__proto__`. */
  readonly arguments: unknown
  readonly caller: Caller
  /** The caller's span, if it sent one. The audit line has its trace id; our spans link to it (`requestTraces`). */
  readonly span?: Tracer.AnySpan | undefined
  /** Where the host says the person is. */
  readonly place?: PersonPlace | undefined
  /** The person's language as the host says it (BCP 47). */
  readonly locale?: string | undefined
}

type KeyedTool = Extract<RunnableTool, { readonly scope: Scope }>

/** With this scope, public tools name the key's own holds. */
const ownHoldsScope: Scope = "bookings:read"

/** Longer than two requests to the provider, and than the timeouts of locks and connections. */
const callTimeout = "20 seconds"

/** The fields of the audit line; set while the call runs. */
interface Audit {
  keyId: string | undefined
  outcome: string
  readonly traceId: string
}

/** The trace id of a call whose spans are not exported: the caller's, or a new one. */
const traceIdFor = (span: Tracer.AnySpan | undefined): string =>
  new Tracer.NativeSpan({
    name: "",
    parent: Option.fromUndefinedOr(span),
    annotations: Context.empty(),
    links: [],
    startTime: 0n,
    kind: "internal",
    sampled: false
  }).traceId

const calls = Metric.counter("mcp_tool_calls_total", { description: "Tool calls answered", incremental: true })
const counters = new Map<string, Metric.Counter<number>>()

const count = (tool: string, outcome: string, more = 1) => {
  const name = `${tool} ${outcome}`
  let counter = counters.get(name)
  if (counter === undefined) {
    counter = Metric.withAttributes(calls, { tool, outcome })
    counters.set(name, counter)
  }
  return Metric.update(counter, more)
}

const make = Effect.fnUntraced(function* (runnable: ReadonlyArray<RunnableTool>) {
  const limits = yield* RateLimits
  const byName = new Map(runnable.map((tool) => [tool.name, tool]))
  // Start at 0, so that the first internal error is an increase.
  for (const { name } of runnable) yield* count(name, internalError("").code, 0)

  const withKey = Effect.fnUntraced(function* (call: ToolCall, tool: KeyedTool, audit: Audit) {
    // A call with a valid key counts against the key only, otherwise against the address.
    const { address, principal: lookedUp } = call.caller
    const principal = yield* Effect.tapErrorTag(lookedUp, ["ApiKeyMissing", "ApiKeyInvalid", "ApiKeysDiffer"], () =>
      limits.takeForAddress(address)
    )
    audit.keyId = principal.key_id
    yield* limits.takeForKey(principal.key_id)
    yield* requireScope(principal, tool.scope)
    return yield* tool
      .run(call.arguments)
      .pipe(Effect.provideService(CurrentPrincipal, principal), Effect.provideService(HostLanguage, call.locale))
  })

  /** The key of a call to a public tool. An invalid key counts as none, since the tool works without one. */
  const callerKey = ({ principal }: Caller): Effect.Effect<string | undefined> =>
    principal.pipe(
      Effect.map(({ key_id, scopes }) => (scopes.has(ownHoldsScope) ? key_id : undefined)),
      Effect.orElseSucceed(() => undefined)
    )

  /** A public call counts against the address, even with a key. With a sign-in it counts against the key. */
  const chargePublic = ({ address, principal, signedIn }: Caller) =>
    signedIn
      ? Effect.matchEffect(principal, {
          onSuccess: ({ key_id }) => limits.takeForKey(key_id),
          onFailure: () => limits.takeForAddress(address)
        })
      : limits.takeForAddress(address)

  /** Guesses count as calls do: each person who signed in has its own, whatever address they share. */
  const guardOf =
    ({ address, principal, signedIn }: Caller): LookUpGuard =>
    (lookUp) =>
      Effect.flatMap(
        signedIn
          ? principal.pipe(
              Effect.map(({ key_id }) => key_id),
              Effect.orElseSucceed(() => address)
            )
          : Effect.succeed(address),
        (sender) => limits.codeGuard(sender)(lookUp)
      )

  /** A public tool gives everyone the same result, except that it names a valid key's own holds. */
  const run = (call: ToolCall, audit: Audit): Effect.Effect<ToolOutcome, ToolFailure> => {
    const tool = byName.get(call.name)
    if (tool === undefined) return Effect.die(new Error(`No tool ${call.name} is served`))
    if (tool.scope !== undefined) return withKey(call, tool, audit)
    const answer = tool
      .run(call.arguments)
      .pipe(Effect.provideService(CurrentPlace, call.place), Effect.provideService(CodeGuard, guardOf(call.caller)))
    return Effect.andThen(
      chargePublic(call.caller),
      call.caller.named ? Effect.provideService(answer, CallerKey, callerKey(call.caller)) : answer
    )
  }

  const failed = (call: ToolCall, cause: Cause.Cause<ToolFailure>, audit: Audit) =>
    Effect.gen(function* () {
      const failure = Option.filter(
        Cause.hasDies(cause) ? Option.none() : Cause.findErrorOption(cause),
        (error) => error._tag !== "SqlError" || isTemporary(error)
      )
      const known = Option.isSome(failure)
      // The caller can't fix these, so they are logged with cause and trace id.
      if (
        !known ||
        failure.value._tag === "SqlError" ||
        failure.value._tag === "CallTimedOut" ||
        failure.value._tag === "ProviderUnavailable"
      ) {
        yield* Effect.annotateLogs(Effect.logError(`The tool ${call.name} failed`, cause), "trace_id", audit.traceId)
      }
      const error = known ? renderFailure(failure.value) : internalError(audit.traceId)
      audit.outcome = error.code
      return new ToolOutcome(true, { error })
    })

  const audited = (call: ToolCall, traceId: string): Effect.Effect<ToolOutcome> =>
    Effect.flatMap(Clock.monotonicTimeNanos, (started) => {
      const audit: Audit = { keyId: undefined, outcome: "ok", traceId }
      const answer = run(call, audit).pipe(
        Effect.timeoutOrElse({ duration: callTimeout, orElse: () => Effect.fail(new CallTimedOut()) }),
        Effect.catchCause((cause) => failed(call, cause, audit))
      )
      return Effect.onExit(answer, (exit) =>
        Effect.flatMap(Clock.monotonicTimeNanos, (ended) => {
          if (Exit.isFailure(exit)) audit.outcome = "interrupted"
          const line = Effect.annotateLogs(Effect.logInfo("tool call"), {
            tool: call.name,
            ...(audit.keyId === undefined ? {} : { key_id: audit.keyId }),
            outcome: audit.outcome,
            duration_ms: Number(ended - started) / 1e6,
            trace_id: traceId
          })
          return Effect.andThen(count(call.name, audit.outcome), line)
        })
      )
    })

  const call = (call: ToolCall): Effect.Effect<ToolOutcome> =>
    Effect.flatMap(Tracer.Tracer, (tracer) =>
      // Spans of the native tracer are not exported; only the audit line's trace id is needed.
      tracer === Tracer.nativeTracer
        ? audited(call, traceIdFor(call.span))
        : Effect.flatMap(Effect.orDie(Effect.currentSpan), ({ traceId }) =>
            audited(call, call.span?.traceId ?? traceId)
          ).pipe(
            Effect.withSpan(
              `mcp ${call.name}`,
              {
                attributes: {
                  "mcp.tool": call.name,
                  ...(call.span === undefined ? {} : { "caller.trace_id": call.span.traceId })
                },
                links: call.span === undefined ? [] : [{ span: call.span, attributes: {} }]
              },
              { captureStackTrace: false }
            )
          )
    )

  return ToolCalls.of({ call })
})

export class ToolCalls extends Context.Service<
  ToolCalls,
  {
    /** Answers one call. It never fails: failures become answers. Interrupting it interrupts the work. */
    readonly call: (call: ToolCall) => Effect.Effect<ToolOutcome>
  }
>()("playroom/mcp/tools/ToolCalls") {
  /** Only these tools; `R` are their services. */
  static readonly layerOf = <R>(
    runnable: Effect.Effect<ReadonlyArray<RunnableTool>, never, R>
  ): Layer.Layer<ToolCalls, never, RateLimits | R> => Layer.effect(ToolCalls, Effect.flatMap(runnable, make))

  /** All tools. Requires their services. */
  static readonly layer = ToolCalls.layerOf(Effect.all(tools.map((tool) => tool.runnable)))
}
