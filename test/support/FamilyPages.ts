/** The pages for families on a port of their own, over the payment world: its clock, its provider, its database. */

import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Context, Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import type { BookingRow } from "../../src/domain/booking/Booking.ts"
import { bookingLink } from "../../src/domain/booking/BookingLinks.ts"
import { Grants } from "../../src/domain/oauth/Grants.ts"
import type { PaymentSessionRow } from "../../src/domain/payment/sessions/PaymentSession.ts"
import { ApiKeys } from "../../src/platform/access/ApiKeys.ts"
import { LinkTokens } from "../../src/platform/access/LinkTokens.ts"
import { RateLimits } from "../../src/platform/access/RateLimits.ts"
import { AppConfig, type Settings } from "../../src/platform/config/AppConfig.ts"
import { Readiness } from "../../src/platform/database/Readiness.ts"
import { html } from "../../src/platform/text/Html.ts"
import { Draining } from "../../src/surfaces/http/Ending.ts"
import { listener } from "../../src/surfaces/http/Server.ts"
import { routes, serveRoutes } from "../../src/surfaces/web/Routes.ts"
import { languages } from "../../src/words/Languages.ts"
import { inRealTime, paymentWorld } from "./PaymentWorld.ts"
import { ShownBookings } from "../../src/surfaces/web/family/ShownBookings.ts"
import { ShownRooms } from "../../src/surfaces/web/landing/ShownRooms.ts"
import { PlayroomSearch } from "../../src/domain/search/PlayroomSearch.ts"
import { testSettings } from "./testSettings.ts"

/** Where the pages are served, without a slash at the end. */
export class FamilyPages extends Context.Service<FamilyPages, string>()("test/FamilyPages") {}

/** The playrooms of the world's catalogue. */
const shownRooms = ShownRooms.layer.pipe(Layer.provide(PlayroomSearch.layer))

const start = Effect.gen(function* () {
  const context = yield* Layer.build(
    serveRoutes(routes).pipe(
      // The listener looks at its connections every few seconds.
      Layer.provideMerge(listener({ host: "127.0.0.1", port: 0 }).pipe(inRealTime)),
      Layer.provide([Draining.layer, shownRooms, Layer.succeed(Readiness, { state: Effect.succeed("ready" as const) })])
    )
  )
  return yield* Effect.provideContext(HttpServer.addressFormattedWith(Effect.succeed), context)
})

export const familyWorld = (settings: Partial<Settings> = {}) =>
  Layer.effect(FamilyPages, start).pipe(
    Layer.provideMerge(Layer.mergeAll(Grants.layer, ApiKeys.layer, RateLimits.layer)),
    Layer.provideMerge(paymentWorld(settings)),
    Layer.provideMerge(NodeHttpServer.layerHttpServices)
  )

/** The address of a booking's page, as the family has it now. */
export const pageOf = Effect.fnUntraced(function* (booking: Pick<BookingRow, "booking_id" | "link_counter">) {
  const url = yield* LinkTokens.use((links) => links.address(bookingLink("booking", booking)))
  return (yield* FamilyPages) + new URL(url).pathname
})

export interface Seen {
  readonly status: number
  readonly text: string
  readonly headers: Headers
}

/** Asks for an address, and follows nothing. */
export const ask = (url: string, init: RequestInit = {}): Effect.Effect<Seen> =>
  Effect.promise(async () => {
    const response = await fetch(url, { redirect: "manual", ...init })
    return { status: response.status, text: await response.text(), headers: response.headers }
  })

/** What a payer of a page reads whom the provider leads back. */
export const backFrom = Effect.fnUntraced(function* (
  { request }: Pick<PaymentSessionRow, "request">,
  outcome: "success" | "cancel" = "success",
  headers: Record<string, string> = {}
) {
  const base = yield* FamilyPages
  const { pathname, search } = new URL((outcome === "success" ? request?.success_url : request?.cancel_url) ?? "")
  const url = base + pathname + search
  const answer = yield* ask(url, { headers })
  const location = answer.headers.get("location")
  return { url, location, ...(location === null ? answer : yield* ask(base + location, { headers })) }
})

/** The fields of the page's only form that has this step. */
export const fieldsOf = ({ text }: Pick<Seen, "text">, step: string): URLSearchParams => {
  const form = [...text.matchAll(/<form.*?<\/form>/gs)]
    .map(([one]) => one)
    .find((one) => one.includes(`value="${step}"`))
  if (form === undefined) throw new Error(`the page has no form for ${step}: ${text}`)
  const fields = new URLSearchParams()
  for (const [, name = "", value = ""] of form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)) {
    fields.append(name, value)
  }
  return fields
}

/** Presses the button of a step on a page that was seen, as often as one likes. */
export const press = (url: string, seen: Seen, step: string, headers: Record<string, string> = {}) =>
  ask(url, { method: "POST", body: fieldsOf(seen, step), headers })

/** The text as pages write it. */
export const escape = (text: string): string => html`${text}`.toString()

// The languages that share no sentences: without American English, which is English but for its spelling and dates.

export const distinctLanguages = languages.filter((language) => language !== "en-US")

// The pages for people over the payment services of `PaymentWorld.ts`: a service in this process, on a port of its own.

/** Where the service listens: `http://127.0.0.1:PORT`. */
export class PageAddress extends Context.Service<PageAddress, string>()("test/PageAddress") {}

/** Serves the pages at a port; at a free one, if none is given. */
const pageServer = (port = 0) =>
  Layer.effect(PageAddress, HttpServer.addressFormattedWith(Effect.succeed)).pipe(
    Layer.provideMerge(
      serveRoutes(routes).pipe(
        Layer.provideMerge(listener({ host: "127.0.0.1", port })),
        Layer.provide([
          Draining.layer,
          shownRooms,
          Layer.mock(Grants, { ofGuests: () => Effect.succeed([]) }),
          RateLimits.layerInMemory,
          Layer.succeed(Readiness, { state: Effect.succeed("ready" as const) }),
          NodeHttpServer.layerHttpServices
        ])
      )
    )
  )

/** Another node over the same database, until the scope ends: its address. */
export const anotherPageServer = (settings: Partial<Settings>) =>
  Effect.map(
    Layer.build(
      Layer.fresh(pageServer()).pipe(
        Layer.provide(Layer.fresh(ShownBookings.layer)),
        Layer.provide(Layer.succeed(AppConfig, testSettings(settings)))
      )
    ),
    (context) => Context.get(context, PageAddress)
  )

/** Everything, at `PaymentWorld.now`, with a server; at a free port, if none is given. */
export const pageWorld = (settings: Partial<Settings> = {}, port = 0) =>
  pageServer(port).pipe(Layer.provideMerge(paymentWorld(settings)))
