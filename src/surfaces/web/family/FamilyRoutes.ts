/**
 * `/checkout/return`: where payers land. `/b`: where a lost link is sent again. `/b/{token}`: the family's page of a
 * booking, its calendar entry, and its steps. `/p/{token}`: its pay page. `/i/{token}`: the invitation of its guests.
 * `/wait/{option}`, `/w/{token}`: waiting lists. `/v/{code}`, `/gift/{operator}`, `/bought/{token}`: gift vouchers.
 */

import { Effect, Layer, Option } from "effect"
import type { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { BookingLinks } from "../../../domain/booking/BookingLinks.ts"
import { cancel } from "../../../domain/payment/changes/Cancellations.ts"
import { payByVoucher } from "../../../domain/payment/changes/VenuePayments.ts"
import type { RateLimited } from "../../../platform/access/ApiKeys.ts"
import { bucketOf } from "../../../platform/access/ClientAddress.ts"
import { findBookingPath, linkPaths, togetherName, waitPath } from "../../../platform/access/LinkTokens.ts"
import { RateLimits } from "../../../platform/access/RateLimits.ts"
import { AppConfig } from "../../../platform/config/AppConfig.ts"
import { html } from "../../../platform/text/Html.ts"
import { askedLanguage, type Language, messages, preferredLanguage } from "../../../words/Languages.ts"
import { FamiliesApi } from "../Api.ts"
import { type PageAnswer, page, buttonForm } from "../frame/Layout.ts"
import { linkProblemPage } from "../frame/LinkProblems.ts"
import { pageGuard, type PageRequest, pageRoutes, type PageRow } from "../frame/PageTable.ts"
import { accessName, accessStep } from "./AccessStep.ts"
import { buyingRows, voucherRow, voucherStep } from "./VoucherPages.ts"
import { bookingPage, payerReturned, type PaymentLookup, payPage } from "./BookingPage.ts"
import {
  type BookingStep,
  type LinkRequest,
  type OpenedBooking,
  payAddress,
  stepAddress,
  toBooking,
  receiptName,
  receiptStep
} from "./BookingStep.ts"
import { calendarEntry } from "./Visit.ts"
import { cancelStep } from "./CancelStep.ts"
import { findBooking } from "./FindBooking.ts"
import { invitationEntry, invitationPages, inviteName, inviteStep } from "./InvitationPage.ts"
import { partyName, partyStep } from "./PartyStep.ts"
import { type PayFault, payName, payStep, togetherStep } from "./PayStep.ts"
import { questionsName, questionsStep } from "./QuestionsStep.ts"
import { rescheduleName, rescheduleStep } from "./RescheduleStep.ts"
import { waitingPages, waitingStep } from "./WaitingPage.ts"
import { type InvitedVisit, type ReturnTokens, ShownBookings } from "./ShownBookings.ts"

// `/r/{token}`: where who got a reminder by e-mail stops them, or has them again. It shows nothing of the booking.

/** The field by which the page asks for reminders again. */
const againField = "again"

const remindersPage = (token: string, stopped: boolean, language: Language): HttpServerResponse.HttpServerResponse => {
  const { reminders: text } = messages[language]
  const title = stopped ? text.stoppedTitle : text.title
  return page(
    title,
    html`<h1>${title}</h1>
<p class="lead">${stopped ? text.stoppedLead : text.lead}</p>
${buttonForm(`${linkPaths.reminders}${token}`, stopped ? { [againField]: "true" } : {}, stopped ? text.resume : text.stop, stopped)}`,
    { language, formAction: "'self'", headers: { vary: "accept-language" } }
  )
}

/** Timeout of what is read for a payer. */
const payerTimeout = "6 seconds"

/** Responds to a guest with the visit that the token opens. */
const forGuest = (
  language: Language,
  answer: (visit: InvitedVisit, language: Language) => HttpServerResponse.HttpServerResponse
) =>
  Option.match<HttpServerResponse.HttpServerResponse, InvitedVisit, HttpServerResponse.HttpServerResponse>({
    onNone: () => linkProblemPage("invitation", language),
    onSome: (visit) => answer(visit, language)
  })

const table = Effect.gen(function* () {
  const { provider } = yield* AppConfig
  const pages = yield* ShownBookings
  const links = yield* BookingLinks
  const limits = yield* RateLimits
  const finding = yield* findBooking
  const invited = yield* invitationPages
  const waiting = yield* waitingPages
  // Chromium applies the policy to redirects after a form, too. Paying leads to the provider's page, which may have
  // the operator's own domain. The sandbox is on this machine, at any port.
  const formsLeadTo = provider.kind === "sandbox" ? "'self' http://127.0.0.1:*" : "'self' https:"

  const shownPage = (opened: OpenedBooking, fault?: string): PageAnswer =>
    Effect.map(
      Effect.forEach(steps.values(), ({ parts }) => parts?.(opened) ?? Effect.succeed({})),
      (parts) => bookingPage(opened, parts, formsLeadTo, fault)
    )

  /** The page of a booking, or the pay page, with what hindered a payment. */
  const withFault =
    (shown: (opened: OpenedBooking, fault?: string) => PageAnswer) =>
    (opened: OpenedBooking, fault: PayFault): PageAnswer =>
      shown(opened, messages[opened.asked.language].booking.faults[fault])

  /** The steps by name. */
  const steps = new Map<string, BookingStep>([
    [payName, yield* payStep(stepAddress, withFault(shownPage))],
    [togetherName, yield* togetherStep(stepAddress, withFault(shownPage))],
    [payByVoucher.step, yield* voucherStep],
    [partyName, yield* partyStep],
    [questionsName, yield* questionsStep],
    [rescheduleName, yield* rescheduleStep],
    [cancel.step, yield* cancelStep],
    [accessName, yield* accessStep],
    [receiptName, receiptStep(pages)],
    [inviteName, yield* inviteStep],
    ["wait", yield* waitingStep]
  ])

  const shownPayPage = (opened: OpenedBooking, fault?: string): PageAnswer =>
    Effect.gen(function* () {
      const all = opened.asked.query.step === togetherName ? yield* payingTogether.parts(opened) : {}
      const several = all.main !== undefined
      const parts = several ? all : { ...all, ...(yield* paying.parts(opened)) }
      return payPage(opened, { ...parts, several }, formsLeadTo, fault)
    })
  const paying = yield* payStep(payAddress, withFault(shownPayPage))
  const payingTogether = yield* togetherStep(payAddress, withFault(shownPayPage), true)

  /** Responds with the booking that the token opens, or with an error page. */
  const opening = (page: "booking" | "pay", asked: LinkRequest, answer: (opened: OpenedBooking) => PageAnswer) =>
    Effect.flatMap(
      pages.show(page, asked.token, {
        paid: asked.query.paid,
        together: page === "booking" || asked.query.step === togetherName
      }),
      Option.match({
        onNone: () => Effect.succeed(linkProblemPage("dead", asked.language)),
        onSome: (shown) => answer({ ...shown, asked })
      })
    )

  /** Answers a guest, or with an error page. */
  const inviting = (token: string, language: Language, answer: (visit: InvitedVisit) => PageAnswer) =>
    Effect.flatMap(
      pages.invited(token),
      Option.match({ onNone: () => Effect.succeed(linkProblemPage("invitation", language)), onSome: answer })
    )

  /** Answers the person who got a reminder. `stop`: whether reminders to the address stop or start again. */
  const reminding = (token: string, language: Language, stop?: boolean) =>
    Effect.map(
      links.reminding(token, stop),
      Option.match({
        onNone: () => linkProblemPage("dead", language),
        onSome: (stopped) => remindersPage(token, stopped, language)
      })
    )

  /** Responds to a form of a booking's page. */
  const submitted = (
    page: "booking" | "pay",
    asked: PageRequest,
    act: (opened: OpenedBooking) => PageAnswer
  ): PageAnswer =>
    opening(page, asked, (opened) =>
      Effect.andThen(
        links.actsIn(page, opened.booking.booking_id, askedLanguage(asked.request.headers["accept-language"])),
        act(opened)
      )
    )

  /** The lookup of a payer, who waits for the database and (for at most two seconds) the provider. */
  const payerOf = (tokens: ReturnTokens, request: PageRequest["request"]): Effect.Effect<PaymentLookup, RateLimited> =>
    tokens.booking === "" && tokens.payment === ""
      ? Effect.succeed("unknown")
      : Effect.andThen(
          limits.takeForAddress(limits.addressOf(request)),
          pages.payerReturn(tokens).pipe(
            Effect.timeout(payerTimeout),
            Effect.map(Option.getOrElse(() => "unknown" as const)),
            Effect.catch((error) =>
              Effect.as(
                Effect.logWarning("A payer could not be told how the payment stands", error),
                "unavailable" as const
              )
            )
          )
        )

  return [
    yield* voucherRow,
    ...(yield* buyingRows(formsLeadTo)),
    {
      path: "/checkout/return",
      show: ({ language, query: { payment = "", token = "", ...query }, request }) => {
        const tokens = { booking: token, payment }
        return Effect.match(payerOf(tokens, request), {
          onSuccess: (found) => payerReturned(found, tokens, query, language),
          onFailure: ({ retry_after_seconds }) => linkProblemPage("tooMany", language, retry_after_seconds)
        })
      }
    },
    {
      path: findBookingPath,
      show: ({ language }) => Effect.succeed(finding.show(language)),
      act: ({ language, request }, form) => finding.act(form, bucketOf(limits.addressOf(request)), language)
    },
    {
      path: `${linkPaths.booking}:token`,
      show: (asked) =>
        opening("booking", asked, (opened) => {
          const show = steps.get(asked.query["step"] ?? "")?.show
          return show === undefined ? shownPage(opened) : show(opened)
        }),
      act: (asked, form) =>
        submitted("booking", asked, (opened) => {
          const step = steps.get(form.get("step") ?? "")
          return step?.act === undefined ? toBooking(opened) : step.act(opened, form)
        })
    },
    {
      path: `${linkPaths.pay}:token`,
      show: (asked) => opening("pay", asked, shownPayPage),
      act: (asked, form) =>
        submitted("pay", asked, (opened) =>
          (form.get("step") === togetherName ? payingTogether : paying).act(opened, form)
        )
    },
    {
      path: `${linkPaths.invitation}:token`,
      show: ({ language, query, token }) =>
        inviting(token, language, (visit) =>
          invited.show(token, visit, query[invited.saidQuery] !== undefined, language)
        ),
      act: ({ language, token }, form) =>
        inviting(token, language, (visit) => invited.act(token, visit, form, language))
    },
    {
      path: `${waitPath}:option`,
      show: ({ language, query, token }) => waiting.ask(token, query["ages"], language),
      act: ({ language, request, token }, form) =>
        waiting.join(token, form, bucketOf(limits.addressOf(request)), language)
    },
    {
      path: `${linkPaths.waiting}:token`,
      show: ({ language, token }) => waiting.show(token, language),
      act: ({ language, token }) => waiting.leave(token, language)
    },
    {
      path: `${linkPaths.reminders}:token`,
      show: ({ language, token }) => reminding(token, language),
      // A mailbox's own button sends no origin.
      act: ({ language, token }, form) => reminding(token, language, !form.has(againField))
    }
  ] satisfies ReadonlyArray<PageRow>
})

const entries = HttpApiBuilder.group(
  FamiliesApi,
  "families",
  Effect.fn(function* (handlers) {
    const pages = yield* ShownBookings
    const guarded = yield* pageGuard
    return handlers
      .handleRaw("bookingCalendar", ({ endpoint, headers, params: { token }, request }) => {
        const language = preferredLanguage(headers["accept-language"])
        const answer = Effect.map(
          pages.calendar(token),
          Option.match({
            onNone: () => linkProblemPage("dead", language),
            onSome: (booking) => calendarEntry(booking, language)
          })
        )
        return guarded(request, endpoint.path, answer)
      })
      .handleRaw("invitationCalendar", ({ endpoint, headers, params: { token }, request }) => {
        const language = preferredLanguage(headers["accept-language"])
        return guarded(request, endpoint.path, Effect.map(pages.invited(token), forGuest(language, invitationEntry)))
      })
  })
)

/** The pages of families and guests, and their calendar entries. */
export const familyRoutes = Layer.merge(
  pageRoutes(table),
  HttpApiBuilder.layer(FamiliesApi).pipe(Layer.provide(entries))
)
