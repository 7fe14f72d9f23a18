/**
 * The six tools as assistants see them: names, titles, descriptions, hints, and what goes in and out. One definition gives
 * types, validation and JSON Schema.
 */
import { Context, type Effect, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { SqlError } from "effect/sql"
import {
  BookingCancelled,
  BookingNotFound,
  BookingView,
  HistoryEntry,
  HoldExpired,
  IdempotencyConflict,
  KeepsChanging,
  NothingDue,
  OtherBooking,
  PaymentSessionView,
  TooManyHolds
} from "../booking/Booking.ts"
import { OptionInvalid, PriceChanged, SlotUnavailable } from "../booking/BookingOption.ts"
import { BookingOptionPage } from "../booking/OptionPage.ts"
import {
  InvalidArguments,
  OperatorUnavailable,
  PackageNotFound,
  PlayroomNotFound,
  PlayroomSummary,
  PlayroomView
} from "../catalogue/Playroom.ts"
import { emptySearchFields } from "../search/EmptySearch.ts"
import type { Principal, Scope } from "../access/ApiKey.ts"
import { ProviderUnavailable } from "../payment/provider/PaymentGateway.ts"
import {
  CreateBookingInput,
  CreatePaymentSessionInput,
  GetBookingInput,
  GetPlayroomInput,
  OptionsInput,
  SearchInput
} from "./ToolInputs.ts"

/** Who calls: there for the booking and payment tools only. */
export class CurrentPrincipal extends Context.Service<CurrentPrincipal, Principal>()("playroom/mcp/CurrentPrincipal") {}

const nextCursor = Schema.optionalKey(Schema.String.annotate({ description: "Next page." }))
const nextStep = Schema.String.annotate({ description: "What to do next." })

/** All four hints are always said; `readOnly` ones are idempotent. */
const hints = (options: { readonly readOnly: boolean; readonly openWorld: boolean }) =>
  Context.empty().pipe(
    Context.add(Tool.Readonly, options.readOnly),
    Context.add(Tool.Destructive, false),
    Context.add(Tool.Idempotent, true),
    Context.add(Tool.OpenWorld, options.openWorld)
  )

const reads = hints({ readOnly: true, openWorld: false })

export const SearchPlayrooms = Tool.make("search_playrooms", {
  description:
    "Find children's playrooms and party halls by place, words, date and party. Start here; {} lists all. Returns playrooms with playroom_id and prices in their own currency; dates and times are local to time_zone. Next: get_playroom for details, or get_booking_options for times and prices. A page with few playrooms, or none, may have next_cursor: more may follow.",
  parameters: SearchInput,
  success: Schema.Struct({
    playrooms: Schema.Array(PlayroomSummary).annotate({ description: "Playrooms that fit." }),
    party: Schema.optionalKey(Schema.String.annotate({ description: "As understood." })),
    ...emptySearchFields,
    next_cursor: nextCursor
  }),
  failure: Schema.Union([InvalidArguments, SqlError.SqlError])
})
  .annotate(Tool.Title, "Search playrooms")
  .annotateMerge(reads)

export const GetPlayroom = Tool.make("get_playroom", {
  description:
    "One playroom in full: packages (package_id), add-ons (add_on_id), opening hours, rules, cancellation terms. Prices are in the playroom's currency (minor units, and display), times local to its time_zone. Next: get_booking_options for bookable times and exact prices.",
  parameters: GetPlayroomInput,
  success: Schema.Struct({ playroom: PlayroomView.annotate({ description: "The playroom." }) }),
  failure: Schema.Union([PlayroomNotFound, SqlError.SqlError])
})
  .annotate(Tool.Title, "Get playroom")
  .annotateMerge(reads)

export const GetBookingOptions = Tool.make("get_booking_options", {
  description:
    "Bookable times of a playroom for a party, each with option_id and exact total; packages has what they share: prices in full, terms. Amounts are minor units of currency (display_total is for people); times carry the playroom's UTC offset. When empty, none_because and next_available_date say why and when. Next: create_booking with the chosen option_id.",
  parameters: OptionsInput,
  success: BookingOptionPage,
  failure: Schema.Union([PlayroomNotFound, PackageNotFound, InvalidArguments, OperatorUnavailable, SqlError.SqlError])
})
  .annotate(Tool.Title, "Get booking options")
  .annotateMerge(reads)

export const CreateBooking = Tool.make("create_booking", {
  description:
    "Book the option that the person chose, once they agreed to its price and terms. Needs an API key. Returns the booking: held for free until hold_expires_at, when it lapses by itself if unpaid; with nothing due now confirmed at once. Amounts are minor units of price.currency; times carry the playroom's UTC offset. Asked again for the same option, e-mail and name, it is the same booking (already_existed). Next: create_payment_session if held.",
  parameters: CreateBookingInput,
  success: Schema.Struct({
    booking: BookingView.annotate({ description: "The booking." }),
    already_existed: Schema.Boolean.annotate({ description: "Made by an earlier call." }),
    other_bookings: Schema.optionalKey(
      Schema.Array(OtherBooking).annotate({ description: "More of this e-mail, alive." })
    ),
    next_step: nextStep
  }),
  failure: Schema.Union([
    OptionInvalid,
    PriceChanged,
    SlotUnavailable,
    OperatorUnavailable,
    IdempotencyConflict,
    TooManyHolds,
    KeepsChanging,
    InvalidArguments,
    SqlError.SqlError
  ]),
  dependencies: [CurrentPrincipal]
})
  .annotate(Tool.Title, "Create booking")
  .annotateMerge(hints({ readOnly: false, openWorld: false }))

export const GetBooking = Tool.make("get_booking", {
  description:
    "A booking made with this API key, by booking_id or reference: status, what is paid, due, refundable, who can change it, history. Needs an API key. Amounts are minor units of price.currency; times carry the playroom's UTC offset. Shows whether a payment arrived. Next: create_payment_session while held and unpaid.",
  parameters: GetBookingInput,
  success: Schema.Struct({
    booking: BookingView.annotate({ description: "The booking." }),
    next_step: nextStep,
    history: Schema.Array(HistoryEntry).annotate({ description: "What happened, oldest first." })
  }),
  failure: Schema.Union([BookingNotFound, InvalidArguments, SqlError.SqlError]),
  dependencies: [CurrentPrincipal]
})
  .annotate(Tool.Title, "Get booking")
  .annotateMerge(reads)

export const CreatePaymentSession = Tool.make("create_payment_session", {
  description:
    "Open a hosted payment page for a held booking, or for its balance. Needs an API key. Returns url (give it to the person, who pays there; never ask for card data), amount in the booking's currency and expires_at with the playroom's UTC offset; the hold lasts until then. Asking again returns the open session. Next: get_booking to see the payment arrive.",
  parameters: CreatePaymentSessionInput,
  success: Schema.Struct({
    payment_session: PaymentSessionView.annotate({ description: "The payment session." }),
    next_step: nextStep
  }),
  failure: Schema.Union([
    BookingNotFound,
    HoldExpired,
    BookingCancelled,
    NothingDue,
    OperatorUnavailable,
    IdempotencyConflict,
    InvalidArguments,
    ProviderUnavailable,
    SqlError.SqlError
  ]),
  dependencies: [CurrentPrincipal]
})
  .annotate(Tool.Title, "Create payment session")
  .annotateMerge(hints({ readOnly: false, openWorld: true }))

/** The tools, in the order in which they are listed. */
export const PlayroomTools = Toolkit.make(
  SearchPlayrooms,
  GetPlayroom,
  GetBookingOptions,
  CreateBooking,
  GetBooking,
  CreatePaymentSession
)

type Tools = typeof PlayroomTools.tools
export type ToolName = keyof Tools

/** Whether a name is one of the tools'. */
export const isToolName = (name: unknown): name is ToolName =>
  typeof name === "string" && Object.hasOwn(PlayroomTools.tools, name)

/**
 * What stands behind the tools. Called directly: `Toolkit.handle` starts a queue, a fiber and a stream for every call, and
 * tells faulty arguments in one text instead of one by one.
 */
export class ToolHandlers extends Context.Service<
  ToolHandlers,
  {
    readonly [Name in ToolName]: (
      input: Tool.Parameters<Tools[Name]>
    ) => Effect.Effect<Tool.Success<Tools[Name]>, Tool.Failure<Tools[Name]>, Tool.Requirements<Tools[Name]>>
  }
>()("playroom/mcp/ToolHandlers") {}

/** The booking and payment tools, and the scope that each needs; the other tools are public. */
export const requiredScope = {
  create_booking: "bookings:write",
  get_booking: "bookings:read",
  create_payment_session: "payments:write"
} as const satisfies Readonly<Partial<Record<ToolName, Scope>>>
export type KeyedToolName = keyof typeof requiredScope

/** Whether a tool needs a key. */
export const isKeyed = (name: ToolName): name is KeyedToolName => Object.hasOwn(requiredScope, name)
