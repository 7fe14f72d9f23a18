/**
 * One tool call from name and raw arguments to the JSON that goes back: rate limits, key and scope, arguments, handler, error
 * table. Each call is a span and one audit line, which never holds arguments, results or secrets.
 */
import { Cause, Clock, Context, Effect, Exit, Layer, Metric, Option, type Schema, Tracer } from "effect"
import type { Tool } from "effect/ai"
import { requireScope } from "../access/ApiKeys.ts"
import { Authentication, type Credentials } from "../access/Authentication.ts"
import { RateLimits } from "../access/RateLimits.ts"
import { AskingKey } from "../booking/OwnHolds.ts"
import { argumentsDecoder } from "./Arguments.ts"
import { shortened } from "../catalogue/Views.ts"
import { fittingForm, fittingPage } from "./ResultSize.ts"
import {
  CallTimedOut,
  internalError,
  isPassing,
  renderFailure,
  type ToolError,
  type ToolFailure
} from "./ToolErrors.ts"
import { insteadOfUnknown } from "./ToolInputs.ts"
import { listedTools } from "./ToolList.ts"
import {
  CreateBooking,
  CreatePaymentSession,
  CurrentPrincipal,
  GetBooking,
  GetBookingOptions,
  GetPlayroom,
  isKeyed,
  type KeyedToolName,
  requiredScope,
  SearchPlayrooms,
  ToolHandlers,
  type ToolName
} from "./Tools.ts"

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

type Run<R = never> = (input: unknown) => Effect.Effect<string, ToolFailure, R>

interface Decodable<A, I> {
  readonly name: string
  readonly parametersSchema: Schema.Codec<A, I>
}

/** From raw arguments to the JSON of the result. */
const runnable = <A, I, E extends ToolFailure, R>(
  tool: Decodable<A, I>,
  run: (input: A) => Effect.Effect<string, E, R>
) => {
  const decode = argumentsDecoder(
    tool.parametersSchema,
    listedTools.find(({ name }) => name === tool.name)?.inputSchema ?? {},
    insteadOfUnknown[tool.name]
  )
  return (input: unknown) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.flatMap(Effect.fromResult(decode(input, now)), run))
}

const single = <A, I, S, E extends ToolFailure, R>(
  tool: Decodable<A, I>,
  handler: (input: A) => Effect.Effect<S, E, R>
) => runnable(tool, (input) => Effect.map(handler(input), (value) => JSON.stringify(value)))

const paged = <A extends { readonly limit?: number }, I, S, E extends ToolFailure, R>(
  tool: Decodable<A, I>,
  handler: (input: A) => Effect.Effect<S, E, R>,
  entries: (page: S) => number
) =>
  runnable(tool, (input) => fittingPage((limit) => handler(limit === undefined ? input : { ...input, limit }), entries))

const shorterPlayroom = shortened.map((shorten) => (found: Tool.Success<typeof GetPlayroom>) => ({
  playroom: shorten(found.playroom)
}))

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

const make = Effect.gen(function* () {
  const authentication = yield* Authentication
  const limits = yield* RateLimits
  const handlers = yield* ToolHandlers

  const open: Readonly<Record<Exclude<ToolName, KeyedToolName>, Run>> = {
    search_playrooms: paged(SearchPlayrooms, handlers.search_playrooms, ({ playrooms }) => playrooms.length),
    get_playroom: runnable(GetPlayroom, (input) =>
      Effect.map(handlers.get_playroom(input), (found) => fittingForm(found, shorterPlayroom))
    ),
    get_booking_options: paged(GetBookingOptions, handlers.get_booking_options, ({ options }) => options.length)
  }
  const keyed: Readonly<Record<KeyedToolName, Run<CurrentPrincipal>>> = {
    create_booking: single(CreateBooking, handlers.create_booking),
    get_booking: single(GetBooking, handlers.get_booking),
    create_payment_session: single(CreatePaymentSession, handlers.create_payment_session)
  }

  const withKey = Effect.fnUntraced(function* (call: ToolCall, name: KeyedToolName, audit: Audit) {
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
    yield* requireScope(principal, requiredScope[name])
    return yield* Effect.provideService(keyed[name](call.arguments), CurrentPrincipal, principal)
  })

  /** The key that came with a question which needs none; a bad one counts as none, so that it can't get in the way. */
  const askingKey = (call: ToolCall): Effect.Effect<string | undefined> =>
    authentication.authenticate(call.credentials, call.address).pipe(
      Effect.map(({ key_id, scopes }) => (scopes.has(requiredScope.get_booking) ? key_id : undefined)),
      Effect.orElseSucceed(() => undefined)
    )

  /** Public tools answer alike whatever the key is; only of its own holds is a good one told. */
  const run = (call: ToolCall, audit: Audit): Effect.Effect<string, ToolFailure> => {
    const { name } = call
    return isKeyed(name)
      ? withKey(call, name, audit)
      : Effect.andThen(
          limits.takeForAddress(call.address),
          call.credentials._tag === "None"
            ? open[name](call.arguments)
            : Effect.provideService(open[name](call.arguments), AskingKey, askingKey(call))
        )
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
  static readonly layer: Layer.Layer<ToolCalls, never, Authentication | RateLimits | ToolHandlers> = Layer.effect(
    ToolCalls,
    make
  )
}
