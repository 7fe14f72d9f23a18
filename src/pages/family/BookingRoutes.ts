/** `/b/{token}`: the family's page of a booking, its calendar entry, and what can be done there. */
import { Effect, Layer, Option } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import type { SqlError } from "effect/sql"
import { AppConfig } from "../../config/AppConfig.ts"
import { BookingPages } from "../../payment/BookingPages.ts"
import { bodyLimits, readBody } from "../../api/Bodies.ts"
import { bookingPath } from "../../api/Api.ts"
import { linkRoute } from "../../api/LinkRoutes.ts"
import { linkProblemPage } from "../LinkProblems.ts"
import { accessName, accessStep } from "./AccessStep.ts"
import { messages } from "./BookingMessages.ts"
import { bookingPage } from "./BookingPage.ts"
import { type BookingStep, type OpenedBooking, stepAddress } from "./BookingStep.ts"
import { calendarEntry } from "./CalendarEntry.ts"
import { cancelName, cancelStep } from "./CancelStep.ts"
import { moveName, moveStep } from "./MoveStep.ts"
import { payName, payStep } from "./PayStep.ts"

const first = (value: string | ReadonlyArray<string> | undefined): string | undefined =>
  typeof value === "string" ? value : value?.[0]

/**
 * Whether a browser says that the form was sent by a page of another site. Our pages have no referrer, so browsers that only send `Origin`
 * say `null` of them. The token is what gives the right; this keeps a page that learnt it from having a person send it unawares.
 */
const isForeignForm = ({ headers }: HttpServerRequest.HttpServerRequest, baseUrl: string): boolean => {
  const { host, origin } = headers
  const site = headers["sec-fetch-site"]
  if (site !== undefined) return site !== "same-origin" && site !== "none"
  return (
    origin !== undefined && origin !== "null" && origin !== new URL(baseUrl).origin && URL.parse(origin)?.host !== host
  )
}

export const BookingRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const { baseUrl, provider } = yield* AppConfig
    const pages = yield* BookingPages
    // Chromium applies the policy to redirects after a form, too: paying leads to the provider's page, which may have a domain of the
    // operator's own. The sandbox is on this machine, at any port.
    const formsLeadTo = provider.kind === "sandbox" ? "'self' http://127.0.0.1:*" : "'self' https:"

    const shownPage = (
      opened: OpenedBooking,
      fault?: string
    ): Effect.Effect<HttpServerResponse.HttpServerResponse, SqlError.SqlError> =>
      Effect.map(
        Effect.forEach(steps.values(), ({ parts }) => parts?.(opened) ?? Effect.succeed({})),
        (parts) => bookingPage(opened, parts, formsLeadTo, fault)
      )

    /** What can be done on the page, by the name of its step. */
    const steps = new Map<string, BookingStep>([
      [payName, yield* payStep((opened, fault) => shownPage(opened, messages[opened.asked.language].faults[fault]))],
      [moveName, yield* moveStep],
      [cancelName, yield* cancelStep],
      [accessName, yield* accessStep]
    ])

    const read = linkRoute("GET", bookingPath, (asked) =>
      Effect.gen(function* () {
        const shown = yield* pages.show(asked.token)
        if (Option.isNone(shown)) return Option.none()
        const opened = { ...shown.value, asked }
        const show = steps.get(first(asked.query["step"]) ?? "")?.show
        return Option.some(yield* show === undefined ? shownPage(opened) : show(opened))
      })
    )

    const calendar = linkRoute("GET", `${bookingPath}.ics`, ({ language, token }) =>
      Effect.map(
        pages.calendar(token),
        Option.map((booking) => calendarEntry(booking, language))
      )
    )

    const act = linkRoute("POST", bookingPath, (asked) =>
      Effect.gen(function* () {
        if (isForeignForm(asked.request, baseUrl)) return Option.some(linkProblemPage("unreadable", asked.language))
        const form = new URLSearchParams(yield* readBody(asked.request, bodyLimits.form, ({ text }) => text))
        const shown = yield* pages.show(asked.token)
        if (Option.isNone(shown)) return Option.none()
        const step = steps.get(form.get("step") ?? "")
        const opened = { ...shown.value, asked }
        return Option.some(
          step === undefined
            ? HttpServerResponse.redirect(stepAddress(asked), { status: 303 })
            : yield* step.act(opened, form)
        )
      }).pipe(
        Effect.catchTag(["BodyTooLarge", "BodyUnreadable"], () =>
          Effect.succeedSome(linkProblemPage("unreadable", asked.language))
        )
      )
    )

    return Layer.mergeAll(read, calendar, act)
  })
)
