/** Tools, keys and a listener for tests of `/mcp`, with nothing of bookings or a database behind them. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Deferred, Effect, Layer, Logger, Option, Redacted, Result } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { SqlError } from "effect/sql"
import { createServer } from "node:http"
import { AppConfig, fromEnv, type Settings } from "../../src/platform/config/AppConfig.ts"
import {
  ApiKeyInvalid,
  ApiKeyMissing,
  ApiKeysDiffer,
  type Principal,
  type Scope
} from "../../src/platform/access/ApiKeys.ts"
import { Authentication } from "../../src/platform/access/Authentication.ts"
import { RateLimits } from "../../src/platform/access/RateLimits.ts"
import { BookingNotFound, type PaymentSessionView } from "../../src/domain/booking/Booking.ts"
import type { BookingView } from "../../src/domain/booking/BookingViews.ts"
import type { BookingOption } from "../../src/domain/availability/BookingOption.ts"
import type { BookingOptionPage } from "../../src/domain/availability/OptionPage.ts"
import { PlayroomNotFound, type PlayroomSummary } from "../../src/domain/catalogue/Playroom.ts"
import { AddOnId, BookingId, PackageId, PaymentSessionId, PlayroomId, Reference } from "../../src/platform/ids/Ids.ts"
import { money } from "../../src/platform/money/Money.ts"
import type { JsonObject } from "../../src/surfaces/mcp/transport/JsonRpc.ts"
import { ToolCalls } from "../../src/surfaces/mcp/tools/ToolCalls.ts"
import type { ToolName } from "../../src/surfaces/mcp/tools/ToolList.ts"
import { CurrentPrincipal } from "../../src/surfaces/mcp/tools/McpTool.ts"
import { createBooking } from "../../src/surfaces/mcp/tools/createBooking.ts"
import { createPaymentSession } from "../../src/surfaces/mcp/tools/createPaymentSession.ts"
import { getBooking } from "../../src/surfaces/mcp/tools/getBooking.ts"
import { getBookingOptions } from "../../src/surfaces/mcp/tools/getBookingOptions.ts"
import { getPlayroom } from "../../src/surfaces/mcp/tools/getPlayroom.ts"
import { searchPlayrooms } from "../../src/surfaces/mcp/tools/searchPlayrooms.ts"

const id = (prefix: string, digit: string) => `${prefix}_01h4${digit.repeat(22)}`

export const playroomId = PlayroomId.make(id("playroom", "0"))
/** Their handlers misbehave: a defect, a lost database, a statement that it refuses, and one that never answers. */
export const brokenPlayroomId = PlayroomId.make(id("playroom", "1"))
export const databaseAwayPlayroomId = PlayroomId.make(id("playroom", "2"))
export const wrongSqlPlayroomId = PlayroomId.make(id("playroom", "5"))
export const slowPlayroomId = PlayroomId.make(id("playroom", "3"))
export const missingPlayroomId = PlayroomId.make(id("playroom", "4"))
export const packageId = PackageId.make(id("package", "0"))
export const bookingId = BookingId.make(id("booking", "0"))

/** The keys that the stand-in knows. */
export const keys: Readonly<Record<string, Principal>> = {
  "all-scopes": { key_id: "key_all", scopes: new Set<Scope>(["bookings:read", "bookings:write", "payments:write"]) },
  "reads-only": { key_id: "key_reads", scopes: new Set<Scope>(["bookings:read"]) },
  other: { key_id: "key_other", scopes: new Set<Scope>(["bookings:read"]) }
}

export const summary: PlayroomSummary = {
  playroom_id: playroomId,
  name: "Den “Ünïcode” \u2028",
  summary: "Soft play for small ones.",
  operator_name: "Den Ltd",
  address: "1 High Street",
  city: "Leeds",
  country: "GB",
  latitude: 53.8,
  longitude: -1.55,
  time_zone: "Europe/London",
  max_children: 30,
  age_min: 1,
  age_max: 9,
  amenities: ["parking"],
  from_price: money(24_000, "GBP")
}

const price = {
  currency: "GBP",
  lines: [{ kind: "package" as const, label: "Party", quantity: 1, unit_amount: 24_000, amount: 24_000 }],
  total: 24_000,
  tax: { rate_percent: 20, amount: 4000, included: true },
  due_now: 24_000,
  display_total: "£240.00",
  display_due_now: "£240.00"
}

const back_if_cancelled = { until: "2026-12-03T14:00:00+00:00", refund: 24_000, display: "£240.00" }
const terms = { text: "If cancelled: all back until 2 days before, then nothing." }

export const option: BookingOption = {
  option_id: "option_abc",
  package_id: packageId,
  package_name: "Party",
  mode: "exclusive",
  when: "Sat 5 Dec 2026, 14:00–16:00",
  start: "2026-12-05T14:00:00+00:00",
  end: "2026-12-05T16:00:00+00:00",
  children: 8,
  adults: 0,
  add_ons: [{ add_on_id: AddOnId.make(id("addon", "0")), quantity: 1 }],
  price,
  back_if_cancelled,
  terms
}

const { option_id, package_id, mode, when, start, end, add_ons } = option
const { currency, tax, ...untaxed } = price
const amounts = { ...untaxed, tax: { amount: tax.amount } }

export const optionPage: BookingOptionPage = {
  playroom_id: playroomId,
  time_zone: "Europe/London",
  currency,
  tax: { rate_percent: tax.rate_percent, included: tax.included },
  children: option.children,
  adults: option.adults,
  add_ons,
  packages: [{ package_id, name: "Party", mode: "exclusive", duration_minutes: 120, prices: [amounts], terms }],
  options: [{ option_id, package_id, mode, when, start, end, price: amounts, back_if_cancelled }]
}

export const session: PaymentSessionView = {
  payment_session_id: PaymentSessionId.make(id("payment", "0")),
  booking_id: bookingId,
  purpose: "due_now",
  status: "open",
  url: "https://pay.example/1",
  amount: money(24_000, "GBP"),
  expires_at: "2026-12-01T12:00:00+00:00",
  expires_in: "in 15 minutes"
}

export const booking: BookingView = {
  booking_id: bookingId,
  reference: Reference.make("K7M2-9QXD"),
  status: "held",
  payment_status: "unpaid",
  standing: "to_pay",
  playroom_id: playroomId,
  playroom_name: summary.name,
  address: summary.address,
  package_id: packageId,
  package_name: "Party",
  mode: "exclusive",
  when: option.when,
  start: option.start,
  end: option.end,
  time_zone: "Europe/London",
  children: 8,
  adults: 0,
  add_ons: [],
  contact: { name: "Ana", email: "ana@example.com" },
  price,
  paid: money(0, "GBP"),
  outstanding: money(24_000, "GBP"),
  due_now: money(24_000, "GBP"),
  refund_if_cancelled_now: money(0, "GBP"),
  operator: { name: "Den Ltd", email: "hello@den.example" },
  terms,
  hold_expires_at: "2026-12-01T12:00:00+00:00",
  hold_expires_in: "in 15 minutes",
  payment_session: session,
  page_url: "https://book.example.com/b/token",
  created_at: "2026-12-01T11:45:00+00:00"
}

/** Tells when a call that never answers began, and when it was interrupted. */
export interface Slow {
  readonly began: Deferred.Deferred<void>
  readonly interrupted: Deferred.Deferred<void>
}

export const makeSlow: Effect.Effect<Slow> = Effect.all({
  began: Deferred.make<void>(),
  interrupted: Deferred.make<void>()
})

const databaseAway = new SqlError.SqlError({
  reason: new SqlError.ConnectionError({ cause: new Error("secret-host:5432 refused") })
})

const wrongSql = new SqlError.SqlError({
  reason: new SqlError.SqlSyntaxError({ cause: Object.assign(new Error("secret column"), { code: "42703" }) })
})

/** Arguments of each tool that are fine, with an element in each list and an object in each field that holds one. */
export const goodArguments: Readonly<Record<ToolName, JsonObject>> = {
  search_playrooms: { near: { latitude: 1, longitude: 2 }, max_total: { amount: 1, currency: "GBP" } },
  get_playroom: { playroom_id: playroomId },
  get_booking_options: { playroom_id: playroomId, date: "2026-12-05", children: 8 },
  create_booking: { option_id: "option_a", contact: { name: "A", email: "a@b.example" } },
  get_booking: { booking_id: bookingId },
  create_payment_session: { booking_id: bookingId }
}

/** The tools with handlers that answer the same each time. */
const standIns = (slow: Slow) =>
  ({
    search_playrooms: searchPlayrooms.withHandler(() => Effect.succeed({ playrooms: [summary], next_cursor: "more" })),
    get_playroom: getPlayroom.withHandler(({ playroom_id }) => {
      if (playroom_id === brokenPlayroomId) return Effect.die(new TypeError("secret inside"))
      if (playroom_id === databaseAwayPlayroomId) return Effect.fail(databaseAway)
      if (playroom_id === wrongSqlPlayroomId) return Effect.fail(wrongSql)
      if (playroom_id === missingPlayroomId) return Effect.fail(new PlayroomNotFound({ playroom_id }))
      if (playroom_id === slowPlayroomId) {
        return Deferred.succeed(slow.began, undefined).pipe(
          Effect.andThen(Effect.never),
          Effect.onInterrupt(() => Deferred.succeed(slow.interrupted, undefined))
        )
      }
      return Effect.succeed({
        playroom: {
          ...summary,
          description: "Two floors.",
          photos: [{ url: "https://example.com/1.jpg", alt: "Slide" }],
          house_rules: "Socks.",
          accessibility: "Step-free.",
          opening_hours: [{ weekday: "monday" as const, opens: "09:00", closes: "24:00" }],
          upcoming_closures: [],
          packages: [],
          add_ons: [],
          lead_time_minutes: 60,
          max_advance_days: 180
        }
      })
    }),
    get_booking_options: getBookingOptions.withHandler(() => Effect.succeed(optionPage)),
    create_booking: createBooking.withHandler(({ contact }) =>
      Effect.succeed({ booking: { ...booking, contact }, already_existed: false, next_step: "Pay." })
    ),
    get_booking: getBooking.withHandler((input) =>
      Effect.flatMap(CurrentPrincipal, ({ key_id }) =>
        key_id === "key_all" && (input.booking_id ?? bookingId) === bookingId
          ? Effect.succeed({ booking, next_step: "Pay.", history: [{ at: booking.created_at, event: "created" }] })
          : Effect.fail(new BookingNotFound())
      )
    ),
    create_payment_session: createPaymentSession.withHandler(() =>
      Effect.succeed({
        payment_session: session,
        page_url: "https://book.example.com/b/token",
        next_step: "Open the url."
      })
    )
  }) satisfies { readonly [Name in ToolName]: { readonly name: Name } }

const standInAuthentication = Authentication.of({
  authenticate: (credentials) => {
    if (credentials._tag === "DifferingApiKeys") return Effect.fail(new ApiKeysDiffer())
    if (credentials._tag === "None") return Effect.fail(new ApiKeyMissing())
    const key = Redacted.value(credentials._tag === "ApiKey" ? credentials.key : credentials.token)
    const principal = Object.hasOwn(keys, key) ? keys[key] : undefined
    return principal === undefined ? Effect.fail(new ApiKeyInvalid()) : Effect.succeed(principal)
  }
})

/** Settings of an empty environment, with changes. */
export const settingsWith = (changes: Partial<Settings> = {}): Settings => ({
  ...Result.getOrThrow(fromEnv({})),
  rateLimits: undefined,
  ...changes
})

/** `ToolCalls` over the stand-ins, with `AppConfig` and `RateLimits` beside it. */
export const standInCalls = (slow: Slow, changes: Partial<Settings> = {}) =>
  ToolCalls.layerOf(Effect.all(Object.values(standIns(slow)).map((tool) => tool.runnable))).pipe(
    Layer.provideMerge(Layer.succeed(Authentication, standInAuthentication)),
    Layer.provideMerge(RateLimits.layerInMemory),
    Layer.provideMerge(Layer.succeed(AppConfig, settingsWith(changes)))
  )

/** Listens on a free port with these routes; gives the address of `/mcp`. Logs go to the given loggers only. */
export const listen = <E, R>(
  routes: Layer.Layer<never, E, R>,
  loggers: ReadonlyArray<Logger.Logger<unknown, unknown>> = []
) =>
  Effect.gen(function* () {
    const context = yield* Layer.build(
      HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true }).pipe(
        Layer.provideMerge(
          NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1", gracefulShutdownTimeout: "1 second" })
        ),
        Layer.provide(Logger.layer(loggers))
      )
    )
    const { address } = yield* Effect.provide(HttpServer.HttpServer, context)
    const port = "port" in address ? address.port : 0
    return `http://localhost:${port}/mcp`
  })

export const present = <A>(value: A | undefined | null): A => Option.getOrThrow(Option.fromNullishOr(value))
