/**
 * `/b`: where a lost link is sent again. `/b/{token}`: the family's page of a booking, its calendar entry, and its steps. `/p/{token}`: its pay page.
 * `/i/{token}`: the invitation of its guests.
 */
import type { PageAnswer } from "../Layout.ts"
import { Effect, Option } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { askedLanguage, type Language, messages } from "../../i18n/Languages.ts"
import { BookingLinks } from "../../booking/BookingLinks.ts"
import { bucketOf } from "../../access/ClientAddress.ts"
import { RateLimits } from "../../access/RateLimits.ts"
import { AppConfig } from "../../config/AppConfig.ts"
import { type InvitedVisit, ShownBookings } from "./ShownBookings.ts"
import { HandledApi } from "../../api/Api.ts"
import { withForm } from "../Forms.ts"
import { linkProblemPage } from "../LinkProblems.ts"
import { accessName, accessStep } from "./AccessStep.ts"
import { bookingPage } from "./BookingPage.ts"
import {
  type BookingStep,
  type LinkRequest,
  type OpenedBooking,
  payAddress,
  stepAddress,
  type StepParts
} from "./BookingStep.ts"
import { calendarEntry } from "./CalendarEntry.ts"
import { cancelStep } from "./CancelStep.ts"
import { cancel } from "../../payment/changes/Cancellations.ts"
import { findBooking } from "./FindBooking.ts"
import { againField, remindersPage } from "./RemindersPage.ts"
import { receiptName, receiptStep } from "./ReceiptStep.ts"
import { partyName } from "./PartyForm.ts"
import { partyStep } from "./PartyStep.ts"
import { rescheduleName, rescheduleStep } from "./RescheduleStep.ts"
import { invitationEntry, invitationPage } from "./InvitationPage.ts"
import { inviteName, inviteStep } from "./InviteStep.ts"
import { payPage } from "./PayPage.ts"
import { payName, payStep } from "./PayStep.ts"
import { toBooking } from "./ShownForm.ts"

export const FamilyHandlers = HttpApiBuilder.group(
  HandledApi,
  "families",
  Effect.fn(function* (handlers) {
    const { baseUrl, provider } = yield* AppConfig
    const pages = yield* ShownBookings
    const links = yield* BookingLinks
    const limits = yield* RateLimits
    const finding = yield* findBooking
    // Chromium applies the policy to redirects after a form, too. Paying leads to the provider's page, which may have
    // the operator's own domain. The sandbox is on this machine, at any port.
    const formsLeadTo = provider.kind === "sandbox" ? "'self' http://127.0.0.1:*" : "'self' https:"

    const shownPage = (opened: OpenedBooking, fault?: string): PageAnswer =>
      Effect.map(
        Effect.forEach(steps.values(), ({ parts }) => parts?.(opened) ?? Effect.succeed({})),
        (parts) => bookingPage(opened, parts, formsLeadTo, fault)
      )

    /** The steps by name. */
    const steps = new Map<string, BookingStep>([
      [
        payName,
        yield* payStep(stepAddress, (opened, fault) =>
          shownPage(opened, messages[opened.asked.language].booking.faults[fault])
        )
      ],
      [partyName, yield* partyStep],
      [rescheduleName, yield* rescheduleStep],
      [cancel.step, yield* cancelStep],
      [accessName, yield* accessStep],
      [receiptName, receiptStep(pages)],
      [inviteName, yield* inviteStep]
    ])

    const shownPayPage = (opened: OpenedBooking, fault?: string): PageAnswer =>
      Effect.map(paying.parts?.(opened) ?? Effect.succeed<StepParts>({}), ({ main }) =>
        payPage(opened, main, formsLeadTo, fault)
      )
    const paying = yield* payStep(payAddress, (opened, fault) =>
      shownPayPage(opened, messages[opened.asked.language].booking.faults[fault])
    )

    /** Responds with the booking that the token opens, or with an error page. */
    const opening = (page: "booking" | "pay", asked: LinkRequest, answer: (opened: OpenedBooking) => PageAnswer) =>
      Effect.flatMap(
        pages.show(page, asked.token, asked.query.paid),
        Option.match({
          onNone: () => Effect.succeed(linkProblemPage("dead", asked.language)),
          onSome: (shown) => answer({ ...shown, asked })
        })
      )

    /** Responds to a guest with the visit that the token opens. */
    const invited = (
      token: string,
      language: Language,
      answer: (visit: InvitedVisit, language: Language) => HttpServerResponse.HttpServerResponse
    ) =>
      Effect.map(
        pages.invited(token),
        Option.match({
          onNone: () => linkProblemPage("invitation", language),
          onSome: (visit) => answer(visit, language)
        })
      )

    /** Responds to who got a reminder. `stop`: that there are no more, or again some. */
    const reminding = (token: string, language: Language, stop?: boolean) =>
      Effect.map(
        links.reminding(token, stop),
        Option.match({
          onNone: () => linkProblemPage("dead", language),
          onSome: (stopped) => remindersPage(token, stopped, language)
        })
      )

    /** Responds to a form of our own pages, or of none: a mailbox's button sends no origin. */
    const formOf = (
      request: HttpServerRequest.HttpServerRequest,
      language: Language,
      act: (form: URLSearchParams) => PageAnswer
    ) => Effect.orDie(withForm(request, { baseUrl, language }, act))

    /** Responds to a form of a booking's page. */
    const submitted = (
      page: "booking" | "pay",
      asked: LinkRequest,
      request: HttpServerRequest.HttpServerRequest,
      act: (opened: OpenedBooking, form: URLSearchParams) => PageAnswer
    ) =>
      formOf(request, asked.language, (form) =>
        opening(page, asked, (opened) => {
          const language = askedLanguage(request.headers["accept-language"])
          return Effect.andThen(links.actsIn(page, opened.booking.booking_id, language), act(opened, form))
        })
      )

    return handlers
      .handleRaw("findBooking", ({ headers }) => Effect.succeed(finding.show(headers["accept-language"])))
      .handleRaw("sendLink", ({ headers, request }) =>
        formOf(request, headers["accept-language"], (form) =>
          finding.act(form, bucketOf(limits.addressOf(request)), headers["accept-language"])
        )
      )
      .handleRaw("bookingPage", ({ headers, params: { token }, query }) =>
        opening("booking", { token, language: headers["accept-language"], query }, (opened) => {
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
      .handleRaw("bookingStep", ({ headers, params: { token }, request }) =>
        submitted("booking", { token, language: headers["accept-language"], query: {} }, request, (opened, form) => {
          const step = steps.get(form.get("step") ?? "")
          return step?.act === undefined ? toBooking(opened) : step.act(opened, form)
        })
      )
      .handleRaw("payPage", ({ headers, params: { token }, query }) =>
        opening("pay", { token, language: headers["accept-language"], query }, shownPayPage).pipe(Effect.orDie)
      )
      .handleRaw("payForm", ({ headers, params: { token }, request }) =>
        submitted("pay", { token, language: headers["accept-language"], query: {} }, request, paying.act)
      )
      .handleRaw("invitation", ({ headers, params: { token } }) =>
        invited(token, headers["accept-language"], invitationPage(token)).pipe(Effect.orDie)
      )
      .handleRaw("reminders", ({ headers, params: { token } }) =>
        reminding(token, headers["accept-language"]).pipe(Effect.orDie)
      )
      .handleRaw("stopReminders", ({ headers, params: { token }, request }) =>
        formOf(request, headers["accept-language"], (form) =>
          reminding(token, headers["accept-language"], !form.has(againField))
        )
      )
      .handleRaw("invitationCalendar", ({ headers, params: { token } }) =>
        invited(token, headers["accept-language"], invitationEntry).pipe(Effect.orDie)
      )
  })
)
