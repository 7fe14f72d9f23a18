/**
 * Pages for people are rows of tables: an address, and what answers who opens it and who sends its form. What holds for
 * all of them stands here: the limit of the sender's address, a timeout, error pages, and that a form comes from our
 * own pages.
 */
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { deskSite } from "../../../domain/people/staff/StaffMember.ts"
import { RateLimits } from "../../../platform/access/RateLimits.ts"
import { AppConfig } from "../../../platform/config/AppConfig.ts"
import { html, type Html } from "../../../platform/text/Html.ts"
import { hourMs, type Instant, localDateOf, minuteMs } from "../../../platform/time/LocalTime.ts"
import { type Language, preferredLanguage, messages } from "../../../words/Languages.ts"
import { clockIn, durationIn, momentIn } from "../../../words/Localized.ts"
import { readForm } from "../../http/Bodies.ts"
import type { PageAnswer } from "./Layout.ts"
import { linkProblemPage } from "./LinkProblems.ts"

// Reads the forms of our pages.

// A deadline that a person must meet: how long is left, and the moment with its zone. Only a browser knows the reader's
// own clock: `deadlineScript` adds it where it differs, and keeps the minutes true while the page stays open.

/** The text of a message with a gap, for the script. */
const gap = "{}"

/** `moment` at a venue in `zone`, as its deadline is read at `now`. */
export const deadline = (
  of: { readonly moment: Instant; readonly now: Instant; readonly zone: string },
  language: Language
): Html => {
  const { moment, now, zone } = of
  const text = messages[language].deadlines
  const leftMs = Math.max(0, moment - now)
  const left = leftMs < minuteMs ? text.lessThanAMinute : text.left(durationIn(language, leftMs))
  const today = localDateOf(zone, moment) === localDateOf(zone, now)
  const until = today ? text.untilToday(clockIn(language, zone, moment)) : text.until(momentIn(language, zone, moment))
  // Only minutes change while a page is open.
  const running =
    leftMs < 2 * hourMs
      ? html` data-left="${Math.floor(leftMs / 1000)}" data-text="${text.left(gap)}" data-less="${text.lessThanAMinute}" data-over="${text.over}"`
      : ""
  return html`<p class="deadline"><strong${running}>${left}</strong>
<time datetime="${new Date(moment).toISOString()}" data-zone="${zone}" data-locale="${messages[language].locale}" data-yours="${text.yours(gap)}">${until}</time></p>`
}

/** The page's script, if it has a `deadline`. */
export const deadlineScript = `
const opened = Date.now()
for (const one of document.querySelectorAll("[data-left]")) {
  const { left, less, over, text } = one.dataset
  const unit = new Intl.NumberFormat(document.documentElement.lang, { style: "unit", unit: "minute", unitDisplay: "long" })
  const tell = () => {
    const seconds = left - (Date.now() - opened) / 1000
    one.textContent = seconds <= 0 ? over : seconds < 60 ? less : text.replace("{}", unit.format(Math.floor(seconds / 60)))
  }
  setInterval(tell, 1000)
}
for (const one of document.querySelectorAll("time[data-zone]")) {
  const { locale, yours, zone } = one.dataset
  const moment = new Date(one.dateTime)
  const day = (of) => moment.toLocaleDateString(locale, { weekday: "short", ...of })
  const clock = (of) => moment.toLocaleTimeString(locale, { hour: "2-digit", minute: "2-digit", ...of })
  const there = { timeZone: zone }
  const otherDay = day() !== day(there)
  if (otherDay || clock() !== clock(there))
    one.after(" " + yours.replace("{}", otherDay ? day() + " " + clock() : clock()))
}
`

/**
 * Whether a page of another site sent the form. Our pages have no referrer, so browsers that only send `Origin` send
 * `null` for them. A token or a cookie grants the access; this check stops a site from submitting the form unnoticed.
 */
const isForeignForm = ({ headers }: HttpServerRequest.HttpServerRequest, baseUrl: string): boolean => {
  const { host, origin } = headers
  const site = headers["sec-fetch-site"]
  if (site !== undefined) return site !== "same-origin" && site !== "none"
  return (
    origin !== undefined && origin !== "null" && origin !== new URL(baseUrl).origin && URL.parse(origin)?.host !== host
  )
}

/** After a form, so that a reload sends nothing again. */
export const redirectAfterPost = (address: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.redirect(address, { status: 303, headers: { "cache-control": "no-store" } })

/** Answers a form that one of our pages sent; any other gets the page for unreadable ones. */
const withForm = <E, R>(
  request: HttpServerRequest.HttpServerRequest,
  { baseUrl, language }: { readonly baseUrl: string; readonly language: Language },
  answer: (form: URLSearchParams) => Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
): Effect.Effect<HttpServerResponse.HttpServerResponse, E, R> => {
  const unreadable = (status = 400) =>
    Effect.succeed(HttpServerResponse.setStatus(linkProblemPage("unreadable", language), status))
  if (isForeignForm(request, baseUrl)) return unreadable()
  return Effect.matchEffect(readForm(request), {
    onFailure: ({ _tag }) => unreadable(_tag === "BodyTooLarge" ? 413 : 400),
    onSuccess: answer
  })
}

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

/**
 * A page within its time: it asks the database and, for at most two seconds, the payment provider. A form that is still
 * on its way has the time of every request (`arrivalBounds`).
 */
const inTime = (answer: PageAnswer): PageAnswer =>
  Effect.catchTag(Effect.timeout(answer, "8 seconds"), "TimeoutError", (late) => Effect.die(late))

/** Counts a page for the sender's address, and answers with an error page where it can't be made. */
const guard = Effect.map(
  RateLimits,
  (limits) => (request: HttpServerRequest.HttpServerRequest, route: string, answer: PageAnswer) =>
    Effect.matchEffect(limits.takeForPage(limits.addressOf(request)), {
      onFailure: ({ retry_after_seconds }) =>
        Effect.succeed(linkProblemPage("tooMany", languageOf(request), retry_after_seconds)),
      onSuccess: () =>
        Effect.catchCause(answer, (cause) =>
          Effect.as(
            Effect.logError("A page for people could not be made", { route }, cause),
            linkProblemPage("unavailable", languageOf(request))
          )
        )
    })
)

/** The same of a page that is shown, within its time. */
export const pageGuard = Effect.map(
  guard,
  (guarded) => (request: HttpServerRequest.HttpServerRequest, route: string, answer: PageAnswer) =>
    guarded(request, route, inTime(answer))
)

const languageOf = ({ headers }: HttpServerRequest.HttpServerRequest) => preferredLanguage(headers["accept-language"])

/** Without NUL characters, which the database does not store. */
const readable = (text = ""): string => text.replaceAll("\0", "")

/** A token without what a sentence put behind its link: a full stop, a bracket. */
const tokenIn = (text: string): string => text.replace(/^([\w-]{48})[^\w-].*$/s, "$1")

/** People's links are taken as they are: of a repeated parameter the first counts. */
const firstOfEach = (query: Readonly<Record<string, string | ReadonlyArray<string>>>) =>
  Object.fromEntries(
    Object.entries(query).map(([name, value]) => [name, readable(typeof value === "string" ? value : value[0])])
  )

/** Adds the rows of a table to the router. */
export const pageRoutes = <E, R>(table: Effect.Effect<ReadonlyArray<PageRow>, E, R>) =>
  HttpRouter.addAll(
    Effect.gen(function* () {
      const guarded = yield* guard
      const { origin } = deskSite((yield* AppConfig).baseUrl)
      const answering = (path: string, answer: (asked: PageRequest) => PageAnswer) =>
        Effect.gen(function* () {
          const request = yield* HttpServerRequest.HttpServerRequest
          const [token = ""] = Object.values(yield* HttpRouter.params)
          const query = firstOfEach(yield* HttpServerRequest.ParsedSearchParams)
          const asked = { request, language: languageOf(request), token: tokenIn(readable(token)), query }
          return yield* guarded(
            request,
            path,
            Effect.suspend(() => answer(asked))
          )
        })
      const rows = yield* table
      return rows.flatMap(({ act, path, show }): ReadonlyArray<HttpRouter.Route<never, never>> => [
        ...(show === undefined
          ? []
          : [
              HttpRouter.route(
                "GET",
                path,
                answering(path, (asked) => inTime(show(asked)))
              )
            ]),
        ...(act === undefined
          ? []
          : [
              HttpRouter.route(
                "POST",
                path,
                answering(path, (asked) =>
                  withForm(asked.request, { baseUrl: origin, language: asked.language }, (form) =>
                    inTime(act({ ...asked, query: {} }, form))
                  )
                )
              )
            ])
      ])
    })
  )
