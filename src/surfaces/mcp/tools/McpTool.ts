/**
 * A tool of `/mcp`: its definition (`Tool` of `effect/ai`: name, description, schemas, hints), argument descriptions,
 * handler, and required scope. Each tool is one file in `tools/`; `ToolList.ts` lists them.
 *
 * A tool's description ends with `Next: …`, the tool to call afterwards. If its results have amounts, it names their
 * currency; if they have times, it says that they are local to `time_zone` or carry a UTC offset. A model reads all
 * tools before each call, so names, titles, descriptions and input schemas share a budget of characters: to add a tool,
 * shorten others.
 */
import { Clock, Context, Effect, Function, type Result, Schema, Data, Option, Predicate } from "effect"
import { Tool } from "effect/ai"
import type { SqlError } from "effect/sql"
import type { OptionInvalid, PriceChanged } from "../../../domain/availability/BookingOption.ts"
import { unpack } from "../../../domain/availability/OptionId.ts"
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
import { Bookings } from "../../../domain/booking/Bookings.ts"
import { type VenueContact, contactOf } from "../../../domain/catalogue/Operator.ts"
import { Operators } from "../../../domain/catalogue/Operators.ts"
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
import {
  argumentsDecoder,
  type FieldDescriptions,
  type ObjectSchema,
  jsonSchemaOf,
  withDescriptions
} from "../arguments/Arguments.ts"

// The failures of tool calls, and about which of them a venue is asked. `ToolErrors.ts` has their messages.

/** The call exceeded its timeout. It was interrupted, and uncommitted work was rolled back. */
export class CallTimedOut extends Schema.TaggedError<CallTimedOut>()("CallTimedOut", {}) {
  override readonly message = "The call took longer than it may."
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
type FindContact<Needs> = (input: unknown) => Effect.Effect<VenueContact | undefined, SqlError.SqlError, Needs>

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
const askingVenue =
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
export const idempotencyKeyDescription = "A retry with it never acts twice."

/** For a tool whose calls name a venue: what to do about a field that it does not have. */
export const beyondService =
  ". A discount code goes into get_booking_options as code, and is in the price if the answer says so. A gift voucher pays on the booking's page_url. A waiting list is joined at the link in waiting_list, which get_booking_options gives where all is taken, and create_booking in details where it refuses a start that is. If the person asked for what else has no field (an invoice, cash), tell them that this service can't do it and that the venue can be asked"

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

// Finds whom a person can ask about a failed call, by the playroom, option or booking that its arguments name.

/** Longer than any id, and without characters that no id has. */
const anyId = /^[\w.~-]{1,100}$/

/** An id among raw arguments; empty if there is none. */
const argument = (input: unknown, name: string): string => {
  const value = Predicate.hasProperty(input, name) ? input[name] : undefined
  return typeof value === "string" && anyId.test(value.slice(0, 110).trim()) ? value.trim() : ""
}

const contactOfListed = (by: (input: unknown) => Parameters<Operators["Service"]["ofListed"]>[0] | undefined) =>
  Effect.map(Operators, (operators): FindContact<never> => (input) => {
    const named = by(input)
    return named === undefined
      ? Effect.undefined
      : Effect.map(operators.ofListed(named), (found) => Option.getOrUndefined(Option.map(found, contactOf)))
  })

/** By `playroom_id`. */
export const contactAtPlayroom = contactOfListed((input) => ({ playroom_id: argument(input, "playroom_id") }))

/** By `option_id`. */
export const contactAtOption = contactOfListed((input) => {
  const option = unpack(argument(input, "option_id"))
  return option && { package_id: option.package_id }
})

/** By `booking_id`, of a booking that the caller sees. */
export const contactAtBooking = Effect.gen(function* () {
  const bookings = yield* Bookings
  const operators = yield* Operators
  const find: FindContact<CurrentPrincipal> = Effect.fnUntraced(
    function* (input) {
      const { row } = yield* bookings.find(yield* CurrentPrincipal, argument(input, "booking_id"))
      return contactOf(yield* operators.get(row.operator_id))
    },
    Effect.catchTag(["BookingNotFound", "OperatorNotFound"], () => Effect.undefined)
  )
  return find
})
