/** The HTTP side on a port of its own, over an inbox that only takes notes. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert } from "@effect/vitest"
import { Effect, Layer, type Option, Queue } from "effect"
import { HttpRouter, HttpServer, HttpServerResponse } from "effect/http"
import { SqlError } from "effect/sql"
import { AppConfig, type Settings } from "../../src/platform/config/AppConfig.ts"
import { VisitOffers } from "../../src/domain/payment/changes/VisitChanges.ts"
import { BookingChanges } from "../../src/domain/payment/changes/BookingChanges.ts"
import { RateLimits } from "../../src/platform/access/RateLimits.ts"
import { CurrentLoopSlice, type LoopSlice, processSlice } from "../../src/platform/concurrency/LoopSlice.ts"
import { type DatabaseState, Readiness } from "../../src/platform/database/Readiness.ts"
import type { AdmissionLimits } from "../../src/surfaces/http/Admission.ts"
import type { ConnectionBounds } from "../../src/surfaces/http/Connections.ts"
import { Draining } from "../../src/surfaces/http/Ending.ts"
import { IdleStatement } from "../../src/surfaces/http/Admission.ts"
import { listener } from "../../src/surfaces/http/Server.ts"
import { webhookRoutes } from "../../src/surfaces/receivers/Webhooks.ts"
import { familyRoutes } from "../../src/surfaces/web/family/FamilyRoutes.ts"
import { operatorRoutes } from "../../src/surfaces/web/operator/OperatorRoutes.ts"
import { serveRoutes, systemRoutes } from "../../src/surfaces/web/Routes.ts"
import { ShownBookings, type ShownBooking } from "../../src/surfaces/web/family/ShownBookings.ts"
import { ShownRooms } from "../../src/surfaces/web/landing/ShownRooms.ts"
import { Grants } from "../../src/domain/oauth/Grants.ts"
import { BookingLinks } from "../../src/domain/booking/BookingLinks.ts"
import { Bookings } from "../../src/domain/booking/Bookings.ts"
import { WaitingList } from "../../src/domain/booking/WaitingList.ts"
import { BookingRecords } from "../../src/domain/booking/BookingRecords.ts"
import { DueBookings } from "../../src/domain/booking/DueBookings.ts"
import { CalendarFeeds } from "../../src/domain/calendars/CalendarFeeds.ts"
import { Operators } from "../../src/domain/catalogue/Operators.ts"
import { PaymentSummaries } from "../../src/domain/payment/PaymentSummaries.ts"
import { Disputes } from "../../src/domain/payment/refunds/Disputes.ts"
import { RefundRecords } from "../../src/domain/payment/refunds/RefundRecords.ts"
import { Refunds } from "../../src/domain/payment/refunds/Refunds.ts"
import { LinkTokens } from "../../src/platform/access/LinkTokens.ts"
import { BookingOptions } from "../../src/domain/availability/BookingOptions.ts"
import { Catalogue } from "../../src/domain/catalogue/Catalogue.ts"
import { Checkout } from "../../src/domain/payment/checkout/Checkout.ts"
import { EventMalformed } from "../../src/domain/payment/events/EventBody.ts"
import { Vouchers } from "../../src/domain/payment/sessions/Vouchers.ts"
import { VoucherSales } from "../../src/domain/payment/settlement/VoucherSales.ts"
import { VoucherId } from "../../src/platform/ids/Ids.ts"
import { WebhookInbox } from "../../src/domain/payment/events/WebhookInbox.ts"
import { TestDatabase } from "./TestDatabase.ts"
import { testSettings } from "./testSettings.ts"
import { SignatureInvalid, SignatureMissing, SignatureStale } from "../../src/domain/payment/events/WebhookSignature.ts"

/** The database can't be reached. */
export const away = new SqlError.SqlError({
  reason: new SqlError.ConnectionError({ cause: new Error("ECONNREFUSED"), message: "away", operation: "execute" })
})

interface Delivery {
  readonly receiver: string
  readonly body: string
  readonly signatures: ReadonlyArray<string>
}

/** An inbox that notes what it is given; the body says what it answers. */
const inbox = (deliveries: Queue.Queue<Delivery>) =>
  Layer.mock(WebhookInbox, {
    receive: (receiver, payload, signatures) =>
      Effect.gen(function* () {
        const body = new TextDecoder().decode(payload)
        yield* Queue.offer(deliveries, { receiver, body, signatures })
        if (signatures.length === 0) return yield* new SignatureMissing()
        if (body === "wrong") return yield* new SignatureInvalid()
        if (body === "old") return yield* new SignatureStale({ seconds_ahead: -301 })
        if (body === "null") return yield* new EventMalformed({ reason: "null is no event" })
        if (body === "away") return yield* away
        return { duplicate: body === "again" }
      })
  })

const broken = HttpRouter.add("GET", "/broken", Effect.die(new Error("a secret path /etc/passwd")))
/** Takes a moment; notes when it begins. */
const slow = (begun: Queue.Queue<string>) =>
  HttpRouter.add(
    "GET",
    "/slow",
    Queue.offer(begun, "/slow").pipe(
      Effect.andThen(Effect.sleep("300 millis")),
      Effect.as(HttpServerResponse.text("done"))
    )
  )

const mcp = HttpRouter.add("*", "/mcp", HttpServerResponse.text("mcp"))
/** Never answers; notes when it begins and when it is interrupted. */
const waiting = (begun: Queue.Queue<string>, interrupted: Queue.Queue<string>) =>
  HttpRouter.add(
    "GET",
    "/waiting",
    Queue.offer(begun, "/waiting").pipe(
      Effect.andThen(Effect.never),
      Effect.onInterrupt(() => Queue.offer(interrupted, "interrupted"))
    )
  )
/** More than the system keeps of an answer that nobody reads. */
export const largeBytes = 16 * 1024 * 1024
const large = HttpRouter.add("GET", "/large", HttpServerResponse.uint8Array(new Uint8Array(largeBytes)))

/** What the services behind the pages of families answer; nothing is found by default. */
interface FamilyAnswers {
  readonly show?: (token: string) => Effect.Effect<Option.Option<ShownBooking>, SqlError.SqlError>
  readonly payerReturn?: ShownBookings["Service"]["payerReturn"]
  readonly invited?: ShownBookings["Service"]["invited"]
  readonly receipt?: ShownBookings["Service"]["receipt"]
  readonly sendLost?: BookingLinks["Service"]["sendLost"]
}

const familySurface = ({ invited, payerReturn, receipt, sendLost, show }: FamilyAnswers) =>
  familyRoutes.pipe(
    Layer.provide([
      Layer.mock(ShownBookings, {
        show: (_page, token) => show?.(token) ?? Effect.succeedNone,
        payerReturn: payerReturn ?? (() => Effect.succeedNone),
        invited: invited ?? (() => Effect.succeedNone),
        receipt: receipt ?? (() => Effect.succeed({ ledger: { lines: [], kept: 0 }, seller: { name: "Play" } }))
      }),
      Layer.unwrap(
        Effect.map(AppConfig, ({ letters }) =>
          Layer.mock(BookingLinks, {
            actsIn: () => Effect.void,
            guestsOf: () => Effect.succeed([]),
            invitation: () => Effect.succeed(`https://book.example.com/i/${"I".repeat(48)}`),
            sendsLost: letters.kind !== "off",
            sendLost: sendLost ?? (() => Effect.succeed(true))
          })
        )
      ),
      Layer.mock(Grants, { ofGuests: () => Effect.succeed([]) }),
      Layer.mock(BookingChanges, {}),
      Layer.mock(Operators, {}),
      Layer.mock(VoucherSales, {
        find: () => Effect.succeedNone,
        returned: () => Effect.succeedNone,
        newId: Effect.succeed(VoucherId.make("voucher_01k9zzzzzzzzzzzzzzzzzzzzzz"))
      }),
      Layer.mock(Vouchers, { byCode: () => Effect.succeedNone, sold: () => Effect.succeed(false) }),
      Layer.mock(Bookings, { waitedFor: () => Effect.succeed("none") }),
      Layer.mock(WaitingList, { opened: () => Effect.succeedNone }),
      Layer.mock(VisitOffers, {}),
      Layer.mock(BookingOptions, {}),
      Layer.mock(Catalogue, {}),
      Layer.mock(Checkout, {})
    ])
  )

/** The pages of operators, of whom none is known. */
export const operatorSurface = operatorRoutes.pipe(
  Layer.provide([
    Layer.mock(BookingRecords, {}),
    Layer.mock(CalendarFeeds, {}),
    Layer.mock(Catalogue, {}),
    Layer.mock(Disputes, {}),
    Layer.mock(DueBookings, {}),
    Layer.mock(LinkTokens, {}),
    Layer.mock(Operators, {}),
    Layer.mock(PaymentSummaries, {}),
    Layer.mock(RefundRecords, {}),
    Layer.mock(Refunds, {}),
    TestDatabase.layer
  ])
)

/** What playrooms are shown; none by default. */
type RoomAnswers = Partial<ShownRooms["Service"]>

const noRooms = { rooms: [], next: undefined, cities: [] }

/** Listens until the scope closes; `call` asks it. */
export const start = Effect.fnUntraced(function* (options?: {
  readonly bounds?: ConnectionBounds
  readonly database?: DatabaseState
  /** The pages of families, if they are served. */
  readonly families?: FamilyAnswers
  readonly settings?: Partial<Settings>
  readonly rooms?: RoomAnswers
  /** Served beside the others. */
  readonly more?: typeof operatorSurface | Layer.Layer<never, never, HttpRouter.HttpRouter>
  readonly turn?: LoopSlice
  readonly port?: number
  readonly arrival?: Parameters<typeof listener>[0]["arrival"]
  readonly admits?: AdmissionLimits
  /** Waits where requests wait. */
  readonly idleStatement?: Effect.Effect<void>
}) {
  const deliveries = yield* Queue.unbounded<Delivery>()
  const begun = yield* Queue.unbounded<string>()
  const interrupted = yield* Queue.unbounded<string>()
  const context = yield* Layer.build(
    serveRoutes(
      Layer.mergeAll(
        systemRoutes,
        webhookRoutes,
        options?.families === undefined ? Layer.empty : familySurface(options.families),
        options?.more ?? Layer.empty,
        broken,
        slow(begun),
        mcp,
        large,
        waiting(begun, interrupted)
      )
    ).pipe(
      Layer.provideMerge(
        listener({
          host: "127.0.0.1",
          port: options?.port ?? 0,
          ...(options?.bounds === undefined ? {} : { bounds: options.bounds }),
          ...(options?.arrival === undefined ? {} : { arrival: options.arrival }),
          ...(options?.admits === undefined ? {} : { admits: options.admits })
        })
      ),
      Layer.provideMerge(Draining.layer),
      Layer.provide([
        inbox(deliveries),
        RateLimits.layerInMemory,
        Layer.mock(ShownRooms, {
          list: () => Effect.succeed(noRooms),
          room: () => Effect.succeed(undefined),
          ...options?.rooms
        }),
        Layer.succeed(Readiness, { state: Effect.succeed(options?.database ?? "ready") }),
        NodeHttpServer.layerHttpServices
      ]),
      Layer.provide(
        Layer.succeed(AppConfig, testSettings({ baseUrl: "https://book.example.com", ...options?.settings }))
      ),
      Layer.provide(Layer.succeed(CurrentLoopSlice, options?.turn ?? processSlice)),
      Layer.provide(Layer.succeed(IdleStatement, options?.idleStatement ?? Effect.void))
    )
  )
  const { base, draining } = yield* Effect.gen(function* () {
    return { base: yield* HttpServer.addressFormattedWith(Effect.succeed), draining: yield* Draining }
  }).pipe(Effect.provideContext(context))
  const call = (path: string, init?: RequestInit) =>
    Effect.promise(() => fetch(base + path, init).then(async (response) => ({ response, text: await response.text() })))
  return { base, call, deliveries, begun, interrupted, draining }
})

/** The body of an answer that must be a problem document. */
export const problemOf = ({ response, text }: { readonly response: Response; readonly text: string }) => {
  assert.strictEqual(response.headers.get("content-type"), "application/problem+json")
  const body: unknown = JSON.parse(text)
  assert.containsAllKeys(body, ["type", "title", "status", "code"])
  assert.propertyVal(body, "status", response.status)
  return body
}

/** What posts a body to a receiver, signed as the inbox takes it. */
export const post = (
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = { "payment-signature": "t=1,v1=a" }
): RequestInit => ({
  method: "POST",
  body,
  headers
})

export const handle = "/api/PaymentWebhook/Handle"
