/**
 * A tool of `/mcp`: its definition (`Tool` of `effect/ai`: name, description, schemas, hints), argument descriptions,
 * handler, and required scope. Each tool is one file in `tools/`; `Tools.ts` lists them.
 *
 * A tool's description ends with `Next: …`, the tool to call afterwards. If its results have amounts, it names their
 * currency; if they have times, it says that they are local to `time_zone` or carry a UTC offset. A model reads all
 * tools before each call, so names, titles, descriptions and input schemas share a budget of characters: to add a tool,
 * shorten others.
 */

import { Clock, Context, Effect, Function, type Result, Schema, Data } from "effect"
import { Tool } from "effect/ai"
import type { SqlError } from "effect/sql"
import type { OptionInvalid, PriceChanged } from "../../../domain/availability/BookingOption.ts"
import type { SlotUnavailable } from "../../../domain/availability/OptionPage.ts"
import type {
  AlreadyBooked,
  BookingCancelled,
  BookingNotFound,
  HoldExpired,
  IdempotencyConflict,
  KeepsChanging,
  NothingDue,
  TooManyHolds,
  TooManyLookups
} from "../../../domain/booking/Booking.ts"
import type { VenueContact } from "../../../domain/catalogue/Operator.ts"
import type { OperatorUnavailable, PackageNotFound, PlayroomNotFound } from "../../../domain/catalogue/Playroom.ts"
import type { ProviderUnavailable } from "../../../domain/payment/provider/PaymentGateway.ts"
import type {
  Principal,
  Scope,
  ApiKeyInvalid,
  ApiKeyMissing,
  ApiKeyScope,
  ApiKeysDiffer,
  RateLimited
} from "../../../platform/access/ApiKeys.ts"
import type { InvalidArguments } from "../../../platform/errors/InvalidArguments.ts"
import { argumentsDecoder } from "../arguments/Arguments.ts"
import { type FieldDescriptions, type ObjectSchema, jsonSchemaOf, withDescriptions } from "../arguments/JsonSchema.ts"

/** The failures of tool calls, and about which of them a venue is asked. `ToolErrors.ts` has their messages. */

/** The call exceeded its timeout. It was interrupted, and uncommitted work was rolled back. */
export class CallTimedOut extends Schema.TaggedError<CallTimedOut>()("CallTimedOut", {}) {
  override get message(): string {
    return "The call took longer than it may."
  }
}

/** A failure that the person may take up with the venue of the call, which is reached there. */
export class VenueAsked extends Data.TaggedError("VenueAsked")<{
  readonly contact: VenueContact
  readonly failure: Exclude<ToolFailure, VenueAsked>
}> {
  override get message(): string {
    return this.failure.message
  }
}

/** All failures of a tool call. */
export type ToolFailure =
  | VenueAsked
  | ApiKeyMissing
  | ApiKeyInvalid
  | ApiKeysDiffer
  | ApiKeyScope
  | RateLimited
  | InvalidArguments
  | PlayroomNotFound
  | PackageNotFound
  | BookingNotFound
  | TooManyLookups
  | AlreadyBooked
  | OptionInvalid
  | PriceChanged
  | SlotUnavailable
  | HoldExpired
  | BookingCancelled
  | NothingDue
  | OperatorUnavailable
  | IdempotencyConflict
  | TooManyHolds
  | KeepsChanging
  | CallTimedOut
  | ProviderUnavailable
  | SqlError.SqlError

/** Finds the contact of the venue that raw arguments name; undefined if there is none. */
export type FindContact<Needs> = (input: unknown) => Effect.Effect<VenueContact | undefined, SqlError.SqlError, Needs>

/** Whether only the venue can help with a failure, or may know more. */
const isForVenue = (failure: ToolFailure): failure is VenueAsked["failure"] => {
  switch (failure._tag) {
    case "AlreadyBooked":
    case "BookingCancelled":
    case "HoldExpired":
    case "OperatorUnavailable":
    case "SlotUnavailable":
      return true
    case "InvalidArguments":
      return failure.asks_venue === true
    default:
      return false
  }
}

/** Adds the venue's contact to such a failure of a call. Without the contact, the failure stays as it is. */
export const askingVenue =
  <Needs>(find: FindContact<Needs>, input: unknown) =>
  <A, R>(answer: Effect.Effect<A, ToolFailure, R>): Effect.Effect<A, ToolFailure, R | Needs> =>
    Effect.catchIf(answer, isForVenue, (failure) =>
      Effect.flatMap(
        Effect.catchTag(find(input), "SqlError", () => Effect.undefined),
        (contact) => Effect.fail(contact === undefined ? failure : new VenueAsked({ contact, failure }))
      )
    )

/** The answer to a call. It is written once, also if it is given again. */
export class ToolOutcome {
  readonly isError: boolean
  /** The structured result, or `{"error": …}`. */
  readonly json: string
  #members: Uint8Array | undefined

  constructor(isError: boolean, result: object) {
    this.isError = isError
    this.json = JSON.stringify(result)
  }

  /** The members of the protocol's result, which has the JSON as a text, too; UTF-8. */
  get members(): Uint8Array {
    this.#members ??= Buffer.from(
      `"content":[{"type":"text","text":${JSON.stringify(this.json)}}],${
        this.isError ? `"isError":true` : `"structuredContent":${this.json}`
      }`
    )
    return this.#members
  }
}

/** The authenticated caller of a tool that needs a key. */
export class CurrentPrincipal extends Context.Service<CurrentPrincipal, Principal>()(
  "playroom/mcp/tools/CurrentPrincipal"
) {}

/** All four hints of the protocol. */
const hints = (options: { readonly readOnly: boolean; readonly openWorld: boolean }) =>
  Context.empty().pipe(
    Context.add(Tool.Readonly, options.readOnly),
    Context.add(Tool.Destructive, false),
    Context.add(Tool.Idempotent, true),
    Context.add(Tool.OpenWorld, options.openWorld)
  )

/** The hints of a tool that changes nothing. */
export const readHints = hints({ readOnly: true, openWorld: false })
/** The hints of a tool that changes this service's data; a repeated call changes nothing more. */
export const writeHints = hints({ readOnly: false, openWorld: false })
/** The hints of a tool that also changes something at the payment provider; a repeated call changes nothing more. */
export const externalWriteHints = hints({ readOnly: false, openWorld: true })

/** The description of `idempotency_key` in each tool that takes one. */
export const idempotencyKeyDescription = "A retry with the same key never acts twice."

/** For a tool whose calls name a venue: what to do about a field that it does not have. */
export const beyondService =
  ". If the person asked for what has no field here (a discount code, an invoice, cash, a waiting list), tell them that this service can't do it and that the venue can be asked"

/**
 * A handler's result (`S`) is serialized without encoding, but `outputSchema` describes the encoded side (`SE`). So `S`
 * must extend `SE`.
 */
type Definition<Name extends string, A, I, S extends SE & object, SE, E extends ToolFailure, Needs> = Tool.Tool<
  Name,
  {
    readonly parameters: Schema.Codec<A, I>
    readonly success: Schema.Codec<S, SE>
    readonly failure: Schema.Schema<E>
    readonly failureMode: Tool.FailureMode
  },
  Needs
>

type Handler<A, S, E, Needs> = (input: A) => Effect.Effect<S, E, Needs>

/** Calls a tool: raw arguments in, the answer out. */
type Run<Needs> = (input: unknown) => Effect.Effect<ToolOutcome, ToolFailure, Needs>

const outcomeOf = (result: object) => new ToolOutcome(false, result)

/** A tool with its services provided. Without a `scope` it is public. */
export type RunnableTool =
  | { readonly name: string; readonly scope: undefined; readonly run: Run<never> }
  | { readonly name: string; readonly scope: Scope; readonly run: Run<CurrentPrincipal> }

/** A tool, as `tools/list` and `tools/call` need it. `R` are the services of its handler. */
interface McpTool<Name extends string, A, S extends object, E, Needs, R> {
  readonly name: Name
  /** The scope that a key needs; undefined if the tool is public. */
  readonly scope: Scope | undefined
  readonly title: string
  readonly description: string
  readonly annotations: Context.Context<never>
  readonly inputSchema: ObjectSchema
  readonly outputSchema: ObjectSchema
  /** Whether hosts may show its results in the card (`card/Card.ts`). */
  readonly showsCard: boolean
  /** Decodes raw arguments; `now` is the time of the call. */
  readonly decode: (input: unknown, now?: number) => Result.Result<A, InvalidArguments>
  /** Takes the handler's services from the context, once for all calls. */
  readonly runnable: Effect.Effect<RunnableTool, never, R>
  /** The same tool with another handler that needs no services. For tests. */
  readonly withHandler: (handler: Handler<A, S, E, Needs>) => McpTool<Name, A, S, E, Needs, never>
}

interface Options<A, S extends object, E, Needs, R, C> {
  /** A description for each field of the input. */
  readonly descriptions: FieldDescriptions<A>
  readonly handler: Effect.Effect<Handler<A, S, E, Needs>, never, R>
  /** Set it if the handler gives the same object again for a result that has not changed: it is written once. */
  readonly repeatsResults?: boolean
  /** Whether hosts may show its results in the card; otherwise they don't. */
  readonly showsCard?: boolean
  /** Added to the error about an unknown field: what to do instead. */
  readonly unknownFieldHint?: string
  /** Finds whom the person can ask when a call fails; not needed if a call names no venue. */
  readonly contact?: Effect.Effect<FindContact<Needs>, never, C>
}

const noContact = Effect.succeed(() => Effect.undefined)

const make = <Name extends string, A, I, S extends SE & object, SE, E extends ToolFailure, Needs, R, C>(
  definition: Definition<Name, A, I, S, SE, E, Needs>,
  scope: Scope | undefined,
  {
    handler,
    unknownFieldHint,
    descriptions,
    showsCard = false,
    repeatsResults = false,
    contact
  }: Options<A, S, E, Needs, R, C>,
  runnable: (run: Run<Needs>) => RunnableTool
): McpTool<Name, A, S, E, Needs, R | C> => {
  const inputSchema = withDescriptions(jsonSchemaOf(definition.parametersSchema, "input"), descriptions)
  const toOutcome = repeatsResults ? Function.memoize(outcomeOf) : outcomeOf
  const decode = argumentsDecoder(definition.parametersSchema, inputSchema, unknownFieldHint)
  const withHandlerFrom = <R, C>(
    handler: Effect.Effect<Handler<A, S, E, Needs>, never, R>,
    contact: Effect.Effect<FindContact<Needs>, never, C>
  ): McpTool<Name, A, S, E, Needs, R | C> => ({
    name: definition.name,
    scope,
    title: Context.getOrElse(definition.annotations, Tool.Title, () => definition.name),
    description: Tool.getDescription(definition) ?? "",
    annotations: definition.annotations,
    inputSchema,
    outputSchema: jsonSchemaOf(definition.successSchema, "output"),
    showsCard,
    decode,
    runnable: Effect.map(Effect.all([handler, contact]), ([handle, find]) =>
      runnable((input) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          Effect.flatMap(Effect.fromResult(decode(input, now)), (typed) => Effect.map(handle(typed), toOutcome)).pipe(
            askingVenue(find, input)
          )
        )
      )
    ),
    withHandler: (handler) => withHandlerFrom(Effect.succeed(handler), noContact)
  })
  return contact === undefined ? withHandlerFrom(handler, noContact) : withHandlerFrom(handler, contact)
}

/** A tool that anyone may call. */
export const publicTool = <Name extends string, A, I, S extends SE & object, SE, E extends ToolFailure, R, C = never>(
  definition: Definition<Name, A, I, S, SE, E, never>,
  options: Options<NoInfer<A>, NoInfer<S>, NoInfer<E>, never, R, C>
) => make(definition, undefined, options, (run) => ({ name: definition.name, scope: undefined, run }))

/** A tool that needs an API key with a scope. */
export const keyedTool = <Name extends string, A, I, S extends SE & object, SE, E extends ToolFailure, R, C = never>(
  definition: Definition<Name, A, I, S, SE, E, CurrentPrincipal>,
  scope: Scope,
  options: Options<NoInfer<A>, NoInfer<S>, NoInfer<E>, CurrentPrincipal, R, C>
) => make(definition, scope, options, (run) => ({ name: definition.name, scope, run }))
