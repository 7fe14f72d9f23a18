/** `/b/{token}`: the family's page of a booking, its calendar entry, and its steps. */
import { Effect, Option } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { messages } from "../../i18n/Languages.ts"
import { AppConfig } from "../../config/AppConfig.ts"
import { ShownBookings } from "./ShownBookings.ts"
import { bodyLimits, readBody } from "../../api/Bodies.ts"
import { HandledApi } from "../../api/Api.ts"
import { linkProblemPage } from "../LinkProblems.ts"
import { accessName, accessStep } from "./AccessStep.ts"
import { bookingPage } from "./BookingPage.ts"
import { type Answer, type BookingStep, type LinkRequest, type OpenedBooking, stepAddress } from "./BookingStep.ts"
import { calendarEntry } from "./CalendarEntry.ts"
import { cancelName, cancelStep } from "./CancelStep.ts"
import { rescheduleName, rescheduleStep } from "./RescheduleStep.ts"
import { payName, payStep } from "./PayStep.ts"

/**
 * Whether a page of another site sent the form. Our pages have no referrer, so browsers that only send `Origin` send
 * `null` for them. The token grants the access; this check stops a site that learnt it from submitting the form
 * unnoticed.
 */
const isForeignForm = ({ headers }: HttpServerRequest.HttpServerRequest, baseUrl: string): boolean => {
  const { host, origin } = headers
  const site = headers["sec-fetch-site"]
  if (site !== undefined) return site !== "same-origin" && site !== "none"
  return (
    origin !== undefined && origin !== "null" && origin !== new URL(baseUrl).origin && URL.parse(origin)?.host !== host
  )
}

export const FamilyHandlers = HttpApiBuilder.group(
  HandledApi,
  "families",
  Effect.fn(function* (handlers) {
    const { baseUrl, provider } = yield* AppConfig
    const pages = yield* ShownBookings
    // Chromium applies the policy to redirects after a form, too. Paying leads to the provider's page, which may have
    // the operator's own domain. The sandbox is on this machine, at any port.
    const formsLeadTo = provider.kind === "sandbox" ? "'self' http://127.0.0.1:*" : "'self' https:"

    const shownPage = (opened: OpenedBooking, fault?: string): Answer =>
      Effect.map(
        Effect.forEach(steps.values(), ({ parts }) => parts?.(opened) ?? Effect.succeed({})),
        (parts) => bookingPage(opened, parts, formsLeadTo, fault)
      )

    /** The steps by name. */
    const steps = new Map<string, BookingStep>([
      [
        payName,
        yield* payStep((opened, fault) => shownPage(opened, messages[opened.asked.language].booking.faults[fault]))
      ],
      [rescheduleName, yield* rescheduleStep],
      [cancelName, yield* cancelStep],
      [accessName, yield* accessStep]
    ])

    /** Responds with the booking that the token opens, or with an error page. */
    const opening = (asked: LinkRequest, answer: (opened: OpenedBooking) => Answer) =>
      Effect.flatMap(
        pages.show(asked.token),
        Option.match({
          onNone: () => Effect.succeed(linkProblemPage("dead", asked.language)),
          onSome: (shown) => answer({ ...shown, asked })
        })
      )

    return handlers
      .handleRaw("bookingPage", ({ headers, params: { token }, query }) =>
        opening({ token, language: headers["accept-language"], query }, (opened) => {
          const show = steps.get(query.step ?? "")?.show
          return show === undefined ? shownPage(opened) : show(opened)
        }).pipe(Effect.orDie)
      )
      .handleRaw("bookingCalendar", ({ headers, params }) =>
        pages.calendar(params.token).pipe(
          Effect.map(
            Option.match({
              onNone: () => linkProblemPage("dead", headers["accept-language"]),
              onSome: (booking) => calendarEntry(booking, headers["accept-language"])
            })
          ),
          Effect.orDie
        )
      )
      .handleRaw("bookingStep", ({ headers, params: { token }, request }) => {
        const asked = { token, language: headers["accept-language"], query: {} }
        const unreadable = () => Effect.succeed(linkProblemPage("unreadable", asked.language))
        if (isForeignForm(request, baseUrl)) return unreadable()
        return readBody(request, bodyLimits.form, ({ text }) => text).pipe(
          Effect.flatMap((text) =>
            opening(asked, (opened) => {
              const form = new URLSearchParams(text)
              const step = steps.get(form.get("step") ?? "")
              return step === undefined
                ? Effect.succeed(HttpServerResponse.redirect(stepAddress(asked), { status: 303 }))
                : step.act(opened, form)
            })
          ),
          Effect.catchTags({ BodyTooLarge: unreadable, BodyUnreadable: unreadable }),
          Effect.orDie
        )
      })
  })
)
