/**
 * `/o/{token}` and `/o/{token}.ics`: an operator's days, read-only: for phones and for printing, and to subscribe to.
 */
import { noEmail } from "../../../platform/text/Contact.ts"
import { Effect, Layer, Option } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { createHash } from "node:crypto"
import { isErased } from "../../../domain/booking/BookingRecords.ts"
import type { CalendarVisit } from "../../../domain/booking/OperatorVisits.ts"
import { givenAnswers } from "../../../domain/catalogue/Questions.ts"
import { linkPaths } from "../../../platform/access/LinkTokens.ts"
import { AppConfig } from "../../../platform/config/AppConfig.ts"
import { html, type Html } from "../../../platform/text/Html.ts"
import { calendarMediaType, type CalendarEvent, longCalendarFile } from "../../../platform/time/CalendarFile.ts"
import { type Language, languages, messages, preferredLanguage } from "../../../words/Languages.ts"
import { partyIn } from "../../../words/Localized.ts"
import { OperatorsApi } from "../Api.ts"
import { copyable, page, buttonLink } from "../frame/Layout.ts"
import { linkProblemPage } from "../frame/LinkProblems.ts"
import { pageGuard, pageRoutes, type PageRow } from "../frame/PageTable.ts"
import { dateText, dayParts, type OperatorDay, makeOperatorDays, type OperatorCalendar } from "./OperatorDays.ts"

// `/o/{token}.ics`: an operator's visits for calendar subscriptions.

const statuses = { held: "tentative", confirmed: "confirmed", cancelled: "cancelled", expired: "cancelled" } as const

/** The status is in the text: many calendars show tentative and cancelled events like any other. */
const summaryOf = (language: Language, visit: CalendarVisit): string => {
  const { operator: text, words } = messages[language]
  const { contact_name, package_name, status } = visit
  const name = isErased(visit) ? text.erased : contact_name
  return `${status === "confirmed" ? "" : `${status === "held" ? text.unsure : words.cancelled}: `}${name}, ${package_name}`
}

const descriptionOf = (language: Language, visit: CalendarVisit): string => {
  const { operator: text, words } = messages[language]
  const extras = visit.extras.map(({ name, quantity }) => `${quantity} × ${name}`).join(", ")
  return [
    partyIn(language, visit),
    ...(extras === "" ? [] : [`${text.extras}: ${extras}`]),
    ...(visit.notes === null ? [] : [`${text.notes}: ${visit.notes}`]),
    ...givenAnswers(visit.answers).map(({ answer, text }) => `${text} ${answer}`),
    ...(visit.contact_phone === null ? [] : [`${text.phone}: ${visit.contact_phone}`]),
    ...(isErased(visit) || visit.contact_email === noEmail ? [] : [`${words.email}: ${visit.contact_email}`]),
    `${words.reference}: ${visit.reference}`
  ].join("\n")
}

const eventOf = (language: Language, visit: CalendarVisit): CalendarEvent => ({
  uid: visit.booking_id,
  sequence: visit.changes,
  changed_at: visit.updated_at,
  status: statuses[visit.status],
  start: visit.starts_at,
  end: visit.ends_at,
  time_zone: visit.time_zone,
  summary: summaryOf(language, visit),
  description: descriptionOf(language, visit),
  location: `${visit.playroom_name}, ${visit.address}`
})

/** Refresh interval for calendar clients. */
const refreshMinutes = 60

const operatorFeed = ({ operator, visits }: OperatorCalendar, language: Language) => {
  const text = messages[language].operator
  return longCalendarFile({
    name: text.calendarName(operator.name),
    refresh_minutes: refreshMinutes,
    language,
    time_zone: operator.time_zone ?? "UTC",
    events: visits.map((visit) => eventOf(language, visit))
  })
}

/** The feed's address in the page's language, since calendar clients send none. */
const calendarPart = (language: Language, feed: string): Html => {
  const text = messages[language].operator
  return html`<section class="noprint">
<h2>${text.calendar}</h2>
<p>${text.calendarLead}</p>
${copyable(feed)}
<div class="actions">${buttonLink(feed.replace(/^https?:/, "webcal:"), text.subscribe, true)}</div>
<p class="soft">${text.secret}</p>
</section>`
}

/** The page. `feed` is the address of the operator's calendar. */
const operatorDayPage = (day: OperatorDay, language: Language, feed: string): HttpServerResponse.HttpServerResponse => {
  const { body, head } = dayParts(day, { language, zone: day.time_zone })
  return page(
    `${dateText(language, day.date)}: ${day.operator.name}`,
    html`${head}
${body}
${calendarPart(language, feed)}`,
    { language, broad: true, headers: { vary: "accept-language" } }
  )
}

const pages = Effect.gen(function* () {
  const days = yield* makeOperatorDays
  const { baseUrl } = yield* AppConfig
  return [
    {
      path: `${linkPaths.operator}:token`,
      show: ({ language, query: { cursor, day }, token }) =>
        Effect.map(
          days.day(token, { day, cursor }),
          Option.match({
            onNone: () => linkProblemPage("dead", language),
            onSome: (shown) =>
              operatorDayPage(shown, language, `${baseUrl}${linkPaths.operator}${token}.ics?language=${language}`)
          })
        )
    }
  ] satisfies ReadonlyArray<PageRow>
})

/** Whether `If-None-Match` contains the entity tag (RFC 9110, 13.1.2). */
const matchesEtag = (header: string | undefined, etag: string): boolean =>
  header !== undefined && header.split(",").some((one) => one.trim().replace(/^W\//, "") === etag)

const feed = HttpApiBuilder.group(
  OperatorsApi,
  "operators",
  Effect.fn(function* (handlers) {
    const days = yield* makeOperatorDays
    const guarded = yield* pageGuard
    return handlers.handleRaw("operatorCalendar", ({ endpoint, headers, params, query, request }) => {
      const wanted = preferredLanguage(headers["accept-language"])
      // A feed's address contains its language, since calendar clients send none.
      const [asked] = [query.language].flat()
      const language = languages.find((one) => one === asked) ?? wanted
      const answer = Effect.gen(function* () {
        const calendar = yield* days.calendar(params.token)
        if (Option.isNone(calendar)) return linkProblemPage("dead", wanted)
        const text = yield* operatorFeed(calendar.value, language)
        const etag = `"${createHash("sha256").update(text).digest("base64url")}"`
        const answered = { etag, vary: "accept-language", "cache-control": "private, no-cache" }
        return matchesEtag(request.headers["if-none-match"], etag)
          ? HttpServerResponse.empty({ status: 304, headers: answered })
          : HttpServerResponse.text(text, { contentType: calendarMediaType, headers: answered })
      })
      return guarded(request, endpoint.path, answer)
    })
  })
)

/** The operator's days, and the feed of them. */
export const operatorRoutes = Layer.merge(
  pageRoutes(pages),
  HttpApiBuilder.layer(OperatorsApi).pipe(Layer.provide(feed))
)
