/**
 * Pages for people are rows of tables: an address, and what answers who opens it and who sends its form. What holds for all
 * of them stands here: the limit of the sender's address, a timeout, error pages, and that a form comes from our own pages.
 */

import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { BookingLinks, LostLinks } from "../../../domain/booking/BookingLinks.ts"
import { BookingList } from "../../../domain/booking/BookingList.ts"
import { VenueClosures } from "../../../domain/booking/VenueClosures.ts"
import { Operators } from "../../../domain/catalogue/Operators.ts"
import { SignIn } from "../../../domain/people/staff/Passkeys.ts"
import { Staff } from "../../../domain/people/staff/Staff.ts"
import { deskSite } from "../../../domain/people/staff/StaffMember.ts"
import { StaffSessions } from "../../../domain/people/staff/StaffSessions.ts"
import { RateLimits } from "../../../platform/access/RateLimits.ts"
import { AppConfig } from "../../../platform/config/AppConfig.ts"
import { type Language, preferredLanguage } from "../../../words/Languages.ts"
import { ShownBookings } from "../family/ShownBookings.ts"
import { OperatorDays } from "../operator/OperatorDays.ts"
import { withForm } from "./Forms.ts"
import type { PageAnswer } from "./Layout.ts"
import { linkProblemPage } from "./LinkProblems.ts"

/** What the pages need that others do not: the views that several read, the links by which families reach theirs, and who is at the desk. */

export const pageViews = Layer.mergeAll(
  BookingLinks.layer,
  BookingList.layer,
  LostLinks.layer,
  OperatorDays.layer,
  Operators.layer,
  ShownBookings.layer,
  SignIn.layer,
  Staff.layer,
  StaffSessions.layer,
  VenueClosures.layer
)

/** A request for a page. */
export interface PageRequest {
  readonly request: HttpServerRequest.HttpServerRequest
  /** The reader's, by `Accept-Language`. */
  readonly language: Language
  /** What the address has at its parameter: a token, a secret or an id; empty if it has none. */
  readonly token: string
  /** The first value of each parameter; none of a form's address. */
  readonly query: Readonly<Record<string, string>>
}

/** A row: an address with at most one parameter, and its answers. */
export interface PageRow {
  readonly path: `/${string}`
  /** GET, which changes nothing, and HEAD. */
  readonly show?: (asked: PageRequest) => PageAnswer
  /** POST of a form that one of our pages sent; any other gets the page for unreadable ones. */
  readonly act?: (asked: PageRequest, form: URLSearchParams) => PageAnswer
}

/** Timeout of a page, which asks the database and (for at most two seconds) the payment provider. */
const timeout = "8 seconds"

/** Counts a page for the sender's address, and answers with an error page where it can't be made. */
export const pageGuard = Effect.map(
  RateLimits,
  (limits) => (request: HttpServerRequest.HttpServerRequest, route: string, answer: PageAnswer) =>
    Effect.matchEffect(limits.takeForPage(limits.addressOf(request)), {
      onFailure: ({ retry_after_seconds }) =>
        Effect.succeed(linkProblemPage("tooMany", languageOf(request), retry_after_seconds)),
      onSuccess: () =>
        Effect.catchCause(Effect.timeout(answer, timeout), (cause) =>
          Effect.as(
            Effect.logError("A page for people could not be made", { route }, cause),
            linkProblemPage("unavailable", languageOf(request))
          )
        )
    })
)

const languageOf = ({ headers }: HttpServerRequest.HttpServerRequest) => preferredLanguage(headers["accept-language"])

/** People's links are taken as they are: of a repeated parameter the first counts. */
const firstOfEach = (query: Readonly<Record<string, string | ReadonlyArray<string>>>) =>
  Object.fromEntries(
    Object.entries(query).map(([name, value]) => [name, typeof value === "string" ? value : (value[0] ?? "")])
  )

/** Adds the rows of a table to the router. */
export const pageRoutes = <E, R>(table: Effect.Effect<ReadonlyArray<PageRow>, E, R>) =>
  HttpRouter.addAll(
    Effect.gen(function* () {
      const guarded = yield* pageGuard
      const { origin } = deskSite((yield* AppConfig).baseUrl)
      const answering = (path: string, answer: (asked: PageRequest) => PageAnswer) =>
        Effect.gen(function* () {
          const request = yield* HttpServerRequest.HttpServerRequest
          const [token = ""] = Object.values(yield* HttpRouter.params)
          const query = firstOfEach(yield* HttpServerRequest.ParsedSearchParams)
          const asked = { request, language: languageOf(request), token, query }
          return yield* guarded(
            request,
            path,
            Effect.suspend(() => answer(asked))
          )
        })
      const rows = yield* table
      return rows.flatMap(({ act, path, show }): ReadonlyArray<HttpRouter.Route<never, never>> => [
        ...(show === undefined ? [] : [HttpRouter.route("GET", path, answering(path, show))]),
        ...(act === undefined
          ? []
          : [
              HttpRouter.route(
                "POST",
                path,
                answering(path, (asked) =>
                  withForm(asked.request, { baseUrl: origin, language: asked.language }, (form) =>
                    act({ ...asked, query: {} }, form)
                  )
                )
              )
            ])
      ])
    })
  )
