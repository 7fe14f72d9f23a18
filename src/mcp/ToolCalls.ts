/**
 * One tool call from name and raw arguments to the JSON that goes back: rate limits, key and scope, arguments, handler, error
 * table. Each call is a span and one audit line, which never holds arguments, results or secrets.
 */
import { Cause, Clock, Context, Effect, Exit, Layer, Metric, Option, Tracer } from "effect"
import type { Scope } from "../access/ApiKey.ts"
import { requireScope } from "../access/ApiKeys.ts"
import { Authentication, type Credentials } from "../access/Authentication.ts"
import { RateLimits } from "../access/RateLimits.ts"
import { CallerKey } from "../booking/BookingOptions.ts"
import { CurrentPrincipal, type RunnableTool } from "./McpTool.ts"
import {
  CallTimedOut,
  internalError,
  isPassing,
  renderFailure,
  type ToolError,
  type ToolFailure
} from "./ToolErrors.ts"
import { type ToolName, tools } from "./Tools.ts"

/** One call as the transport hands it over. */
export interface ToolCall {
  readonly name: ToolName
  /** As sent, before anything copied it. */
  readonly arguments: unknown
  readonly credentials: Credentials
  /** The sender's address. */
  readonly address: string
  /** The caller's span, where it sent one. */
  readonly parent: Tracer.AnySpan | undefined
}

/** What a call came to: the JSON text of the structured result, or of `{"error": …}`. */
export interface ToolOutcome {
  readonly isError: boolean
  readonly json: string
}

type KeyedTool = Extract<RunnableTool, { readonly scope: Scope }>

/** The scope that a key needs to be told of its own bookings. */
const ownBookings: Scope = "bookings:read"

/** Longer than two calls of the provider, and any wait for a lock or a connection that still may end well. */
const longestCall = "20 seconds"

const errorJson = (error: ToolError): string => JSON.stringify({ error })

/** What the audit line tells; filled in on the way. */
interface Audit {
  keyId: string | undefined
  outcome: string
  readonly traceId: string
}

/** A trace id for calls that nobody exports the spans of: the caller's, or a new one. */
const traceIdFor = (parent: Tracer.AnySpan | undefined): string =>
  new Tracer.NativeSpan({
    name: "",
    parent: Option.fromUndefinedOr(parent),
    annotations: Context.empty(),
    links: [],
    startTime: 0n,
    kind: "internal",
    sampled: false
  }).traceId

const calls = Metric.counter("mcp_tool_calls_total", { description: "Tool calls answered", incremental: true })
const counters = new Map<string, Metric.Counter<number>>()

const count = (tool: ToolName, outcome: string) => {
  const name = `${tool} ${outcome}`
  let counter = counters.get(name)
  if (counter === undefined) {
    counter = Metric.withAttributes(calls, { tool, outcome })
    counters.set(name, counter)
  }
  return Metric.update(counter, 1)
}

const make = Effect.fnUntraced(function* (runnable: ReadonlyArray<RunnableTool>) {
  const authentication = yield* Authentication
  const limits = yield* RateLimits
  const byName = new Map(runnable.map((tool) => [tool.name, tool]))

  const withKey = Effect.fnUntraced(function* (call: ToolCall, tool: KeyedTool, audit: Audit) {
    // A valid key draws on its own bucket alone, whoever shares its address; a missing or wrong one on the address's.
    const principal = yield* authentication
      .authenticate(call.credentials, call.address)
      .pipe(
        Effect.tapErrorTag(["ApiKeyMissing", "ApiKeyInvalid", "ApiKeysDiffer"], () =>
          limits.takeForAddress(call.address)
        )
      )
    audit.keyId = principal.key_id
    yield* limits.takeForKey(principal.key_id)
    yield* requireScope(principal, tool.scope)
    return yield* Effect.provideService(tool.run(call.arguments), CurrentPrincipal, principal)
  })

  /** The key that came with a question which needs none; a bad one counts as none, so that it can't get in the way. */
  const callerKey = (call: ToolCall): Effect.Effect<string | undefined> =>
    authentication.authenticate(call.credentials, call.address).pipe(
      Effect.map(({ key_id, scopes }) => (scopes.has(ownBookings) ? key_id : undefined)),
      Effect.orElseSucceed(() => undefined)
    )

  /** Public tools answer alike whatever the key is; only of its own holds is a good one told. */
  const run = (call: ToolCall, audit: Audit): Effect.Effect<string, ToolFailure> => {
    const tool = byName.get(call.name)
    if (tool === undefined) return Effect.die(new Error(`No tool ${call.name} is served`))
    return tool.scope === undefined
      ? Effect.andThen(
          limits.takeForAddress(call.address),
          call.credentials._tag === "None"
            ? tool.run(call.arguments)
            : Effect.provideService(tool.run(call.arguments), CallerKey, callerKey(call))
        )
      : withKey(call, tool, audit)
  }

  const failed = (call: ToolCall, cause: Cause.Cause<ToolFailure>, audit: Audit) =>
    Effect.gen(function* () {
      if (Cause.hasInterruptsOnly(cause)) return yield* Effect.interrupt
      const failure = Option.filter(
        Cause.hasDies(cause) ? Option.none() : Cause.findErrorOption(cause),
        (error) => error._tag !== "SqlError" || isPassing(error)
      )
      const known = Option.isSome(failure)
      // What the caller can do nothing about is ours to see: with its cause, found by the trace id.
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
      return { isError: true, json: errorJson(error) }
    })

  const audited = (call: ToolCall, traceId: string): Effect.Effect<ToolOutcome> =>
    Effect.flatMap(Clock.currentTimeNanos, (started) => {
      const audit: Audit = { keyId: undefined, outcome: "ok", traceId }
      const answer = run(call, audit).pipe(
        Effect.timeoutOrElse({ duration: longestCall, orElse: () => Effect.fail(new CallTimedOut()) }),
        Effect.map((json): ToolOutcome => ({ isError: false, json })),
        Effect.catchCause((cause) => failed(call, cause, audit))
      )
      return Effect.onExit(answer, (exit) =>
        Effect.flatMap(Clock.currentTimeNanos, (ended) => {
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
      // The native tracer keeps its spans to itself, so all that is left of them is the id in the audit line.
      tracer === Tracer.nativeTracer
        ? audited(call, traceIdFor(call.parent))
        : Effect.flatMap(Effect.orDie(Effect.currentSpan), ({ traceId }) => audited(call, traceId)).pipe(
            Effect.withSpan(
              `mcp ${call.name}`,
              {
                attributes: { "mcp.tool": call.name },
                ...(call.parent === undefined ? {} : { parent: call.parent })
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
    /** Answers one call; never fails, since every failure is an answer too. Interrupting it interrupts the work. */
    readonly call: (call: ToolCall) => Effect.Effect<ToolOutcome>
  }
>()("playroom/mcp/ToolCalls") {
  /** These tools alone; `R` are the services that they call. */
  static readonly layerOf = <R>(
    runnable: Effect.Effect<ReadonlyArray<RunnableTool>, never, R>
  ): Layer.Layer<ToolCalls, never, Authentication | RateLimits | R> =>
    Layer.effect(ToolCalls, Effect.flatMap(runnable, make))

  /** All tools. Open: the services that they call. */
  static readonly layer = ToolCalls.layerOf(Effect.all(tools.map((tool) => tool.runnable)))
}
