/** `/desk` and below: staff sign in, see the day, and act on bookings of their operator. */
import type { PageAnswer } from "../Layout.ts"
import { Clock, Effect, Option } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import type { SqlError } from "effect/sql"
import { RateLimits } from "../../access/RateLimits.ts"
import { HandledApi } from "../../api/Api.ts"
import { AppConfig } from "../../config/AppConfig.ts"
import type { Language } from "../../i18n/Languages.ts"
import { deskPaths, deskSite } from "../../staff/DeskSite.ts"
import { SignIn } from "../../staff/SignIn.ts"
import { Staff } from "../../staff/Staff.ts"
import { StaffSessions } from "../../staff/StaffSessions.ts"
import { formTokenOf } from "../../staff/Token.ts"
import { type DeskRight, mayDo } from "../../staff/Rights.ts"
import { withForm, leadTo } from "../Forms.ts"
import { linkProblemPage } from "../LinkProblems.ts"
import { OperatorDays } from "../operator/OperatorDays.ts"
import { cancel } from "../../payment/changes/Cancellations.ts"
import { goodwill } from "../../payment/changes/Goodwill.ts"
import { giveBackByHand, markAttendance } from "../../payment/changes/Presses.ts"
import { undoPayment } from "../../payment/changes/UndonePayments.ts"
import { payAtVenue } from "../../payment/changes/VenuePayments.ts"
import { deskAct } from "./ActForm.ts"
import { deskBookingPage } from "./DeskBookingPage.ts"
import { deskBookings } from "./DeskBookings.ts"
import { type ActionAnswer, type DeskAction, type DeskOpened, formField, type NotDone, seenIn } from "./DeskAction.ts"
import { deskDayPage, foundPage } from "./DeskDayPage.ts"
import { type DeskRequest, maxSearchLength } from "./DeskFrame.ts"
import { familyLinkAction, familyLinkName } from "./FamilyLinkAction.ts"
import { markAction } from "./MarkAction.ts"
import { closedBookings } from "./ClosedBookings.ts"
import { closing } from "./Closing.ts"
import { monthFigures } from "./MonthFigures.ts"
import { monthFile, monthPage } from "./MonthPage.ts"
import { owedPage } from "./OwedPage.ts"
import { owedBookings } from "./OwedBookings.ts"
import { moveAction, moveName } from "./ChangeActions.ts"
import { partyAction, partyActionName } from "./ChangeActions.ts"
import { returnedAction } from "./ReturnedAction.ts"
import { newBooking } from "./NewBooking.ts"
import { notAllowedPage } from "./NotAllowedPage.ts"
import { people } from "./People.ts"
import { invitationPage, passkeyField, signInPage } from "./PasskeyPages.ts"
import { sessionCookie } from "./SessionCookie.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

const toDesk = leadTo(deskPaths.desk)

export const DeskHandlers = HttpApiBuilder.group(
  HandledApi,
  "desk",
  Effect.fn(function* (handlers) {
    const { baseUrl } = yield* AppConfig
    const limits = yield* RateLimits
    const signIn = yield* SignIn
    const staff = yield* Staff
    const sessions = yield* StaffSessions
    const days = yield* OperatorDays
    const readBooking = yield* deskBookings
    const owed = yield* owedBookings
    const figures = yield* monthFigures
    const cookie = sessionCookie(baseUrl)
    const site = deskSite(baseUrl)

    const signInAgain = (language: Language, refused = false) =>
      Effect.map(signIn.challenge(), (challenge) => signInPage({ challenge, site: site.id }, language, refused))

    /** Answers who is signed in; anybody else sees where to sign in. */
    const atDesk = (
      request: Request,
      language: Language,
      answer: (request: DeskRequest) => Effect.Effect<Response, SqlError.SqlError>
    ): Effect.Effect<Response> => {
      const token = cookie.read(request)
      return (token === undefined ? Effect.succeedNone : sessions.of(token)).pipe(
        Effect.flatMap(
          Option.match({
            onNone: () => signInAgain(language),
            onSome: (member) => answer({ member, language, form: formTokenOf(token ?? "") })
          })
        ),
        Effect.orDie
      )
    }

    /** Answers a form in which a passkey proves who somebody is. The address has as many tries as calls. */
    const proving = (
      request: Request,
      language: Language,
      answer: (passkey: string) => Effect.Effect<Response, SqlError.SqlError>
    ): Effect.Effect<Response> =>
      withForm(request, { baseUrl: site.origin, language }, (form) =>
        limits.takeForAddress(limits.addressOf(request)).pipe(
          Effect.andThen(answer(form.get(passkeyField) ?? "")),
          Effect.catchTag("RateLimited", ({ retry_after_seconds }) =>
            Effect.succeed(linkProblemPage("tooMany", language, retry_after_seconds))
          )
        )
      ).pipe(Effect.orDie)

    /** What staff do with a booking, by name. */
    const actions = new Map<string, DeskAction>([
      [markAttendance.step, yield* markAction],
      [familyLinkName, yield* familyLinkAction],
      [giveBackByHand.step, yield* returnedAction],
      [payAtVenue.step, yield* deskAct(payAtVenue)],
      [undoPayment.step, yield* deskAct(undoPayment)],
      [partyActionName, yield* partyAction],
      [moveName, yield* moveAction],
      [goodwill.step, yield* deskAct(goodwill)],
      [cancel.step, yield* deskAct(cancel)]
    ])

    /** Answers with a booking of this operator; any other is not there. */
    const opening = (desk: DeskRequest, booking_id: string, answer: (opened: DeskOpened) => PageAnswer): PageAnswer =>
      Effect.flatMap(
        readBooking(desk.member.operator_id, booking_id),
        Option.match({
          onNone: () => Effect.succeed(linkProblemPage("nothing", desk.language)),
          onSome: (booking) => answer({ desk, booking })
        })
      )

    const shownBooking = (opened: DeskOpened, why?: string): PageAnswer =>
      Effect.gen(function* () {
        const view = yield* opened.booking.view
        const now = yield* Clock.currentTimeMillis
        const offers = Array.from(actions.values()).flatMap(({ offer, right }) => {
          const offered = mayDo(opened.desk.member.role, right) ? offer(opened, now) : undefined
          return offered === undefined ? [] : [offered]
        })
        return deskBookingPage(opened, view, offers, why)
      })

    /** An answer; if nothing was done, the booking's page says why. */
    const orBooking = (opened: DeskOpened, answer: ActionAnswer): PageAnswer =>
      Effect.catchTag(answer, "NotDone", ({ why }) => shownBooking(opened, why))

    /**
     * Does an action. If nothing was done, somebody may have been faster: the booking is read again, for its form if that can still work,
     * else for its page, and what has happened since the page is told.
     */
    const done =
      ({ act, again = (_, __, not) => Effect.fail(not) }: DeskAction, form: URLSearchParams) =>
      (opened: DeskOpened): PageAnswer =>
        Effect.catchTag(act({ ...opened, ...seenIn(form) }, form), "NotDone", (not: NotDone) =>
          opening(opened.desk, opened.booking.row.booking_id, (now) => {
            const fresh = { ...now, ...seenIn(form) }
            return orBooking(fresh, again(fresh, form, not))
          })
        )

    /** Takes an action by name, if it is one and the person may. */
    const acting = (
      desk: DeskRequest,
      booking_id: string,
      name: string,
      take: (action: DeskAction) => (opened: DeskOpened) => PageAnswer
    ): PageAnswer => {
      const action = actions.get(name)
      if (action === undefined) return Effect.succeed(linkProblemPage("nothing", desk.language))
      return opening(desk, booking_id, (opened) =>
        mayDo(desk.member.role, action.right) ? take(action)(opened) : Effect.succeed(notAllowedPage(desk, booking_id))
      )
    }

    const { act: book, show: showNewBooking } = yield* newBooking
    const { act: close, show: showClosing } = yield* closing
    const { act: actOnClosed, show: showClosed } = yield* closedBookings
    const { act: actOnPeople, show: showPeople } = yield* people
    /** Answers whose role allows it. */
    const allowed = (desk: DeskRequest, right: DeskRight, answer: PageAnswer): PageAnswer =>
      mayDo(desk.member.role, right) ? answer : Effect.succeed(notAllowedPage(desk))

    /** Answers a form of this session. */
    const withDeskForm = (
      request: Request,
      language: Language,
      answer: (desk: DeskRequest, form: URLSearchParams) => PageAnswer
    ): Effect.Effect<Response> =>
      withForm(request, { baseUrl: site.origin, language }, (form) =>
        atDesk(request, language, (desk) =>
          form.get(formField) === desk.form
            ? answer(desk, form)
            : Effect.succeed(linkProblemPage("unreadable", language))
        )
      )

    const invited = (secret: string, language: Language, refused = false) =>
      Effect.flatMap(
        staff.invited(secret),
        Option.match({
          onNone: () => Effect.succeed(linkProblemPage("dead", language)),
          onSome: (member) =>
            Effect.map(signIn.challenge(secret), (challenge) =>
              invitationPage({ ceremony: { challenge, site: site.id }, member, secret }, language, refused)
            )
        })
      )

    return handlers
      .handleRaw("desk", ({ headers, query: { cursor, day, find }, request }) =>
        atDesk(request, headers["accept-language"], (desk) => {
          const { operator_id } = desk.member
          const words = find?.replaceAll("\0", "").trim().slice(0, maxSearchLength) ?? ""
          return words === ""
            ? Effect.map(days.dayOf(operator_id, { day, cursor }), (shown) => deskDayPage(desk, shown))
            : Effect.map(days.search(operator_id, words), (found) => foundPage(desk, words, found))
        })
      )
      .handleRaw("deskOwed", ({ headers, query: { cursor }, request }) =>
        atDesk(request, headers["accept-language"], (desk) =>
          Effect.map(owed(desk.member.operator_id, cursor), (found) => owedPage(desk, found))
        )
      )
      .handleRaw("deskClosed", ({ headers, query: { cursor }, request }) =>
        atDesk(request, headers["accept-language"], (desk) => showClosed(desk, cursor))
      )
      .handleRaw("deskCloses", ({ headers, request }) => withDeskForm(request, headers["accept-language"], actOnClosed))
      .handleRaw("deskClosing", ({ headers, query, request }) =>
        atDesk(request, headers["accept-language"], (desk) => showClosing(desk, query))
      )
      .handleRaw("deskClose", ({ headers, request }) => withDeskForm(request, headers["accept-language"], close))
      .handleRaw("deskMonth", ({ headers, query: { month, provider }, request }) =>
        atDesk(request, headers["accept-language"], (desk) =>
          allowed(
            desk,
            "see_accounts",
            Effect.map(figures.read(desk.member.operator_id, { month, provider: provider === "yes" }), (found) =>
              monthPage(desk, found)
            )
          )
        )
      )
      .handleRaw("deskMonthFile", ({ headers, query: { month, provider }, request }) =>
        atDesk(request, headers["accept-language"], (desk) =>
          allowed(
            desk,
            "see_accounts",
            Effect.map(figures.file(desk.member.operator_id, { month, provider: provider === "yes" }), (found) =>
              found.away ? monthPage(desk, found) : monthFile(found)
            )
          )
        )
      )
      .handleRaw("deskPeople", ({ headers, query, request }) =>
        atDesk(request, headers["accept-language"], (desk) => allowed(desk, "manage_staff", showPeople(desk, query)))
      )
      .handleRaw("deskPeopleAct", ({ headers, request }) =>
        withDeskForm(request, headers["accept-language"], (desk, form) =>
          allowed(desk, "manage_staff", actOnPeople(desk, form))
        )
      )
      .handleRaw("deskBooking", ({ headers, params: { booking }, query: { step, ...asked }, request }) =>
        atDesk(request, headers["accept-language"], (desk) =>
          step === undefined
            ? opening(desk, booking, shownBooking)
            : acting(
                desk,
                booking,
                step,
                ({ show = shownBooking }) =>
                  (opened) =>
                    orBooking(opened, show({ ...opened, asked }))
              )
        )
      )
      .handleRaw("deskNewBooking", ({ headers, query, request }) =>
        atDesk(request, headers["accept-language"], (desk) => allowed(desk, "book", showNewBooking(desk, query)))
      )
      .handleRaw("deskBook", ({ headers, request }) =>
        withDeskForm(request, headers["accept-language"], (desk, form) => allowed(desk, "book", book(desk, form)))
      )
      .handleRaw("deskAction", ({ headers, params: { booking }, request }) =>
        withDeskForm(request, headers["accept-language"], (desk, form) =>
          acting(desk, booking, form.get("step") ?? "", (action) => done(action, form))
        )
      )
      .handleRaw("deskInvitation", ({ headers, params: { secret } }) =>
        Effect.orDie(invited(secret, headers["accept-language"]))
      )
      .handleRaw("acceptInvitation", ({ headers, params: { secret }, request }) => {
        const language = headers["accept-language"]
        return proving(request, language, (passkey) =>
          signIn.join(secret, passkey).pipe(
            Effect.map((token) => cookie.set(toDesk, token)),
            Effect.catchTags({
              InvitationEnded: () => Effect.succeed(linkProblemPage("dead", language)),
              PasskeyRefused: () => invited(secret, language, true)
            })
          )
        )
      })
      .handleRaw("deskSignIn", ({ headers, request }) => {
        const language = headers["accept-language"]
        return proving(request, language, (passkey) =>
          signIn.signIn(passkey).pipe(
            Effect.map((token) => cookie.set(toDesk, token)),
            Effect.catchTag("PasskeyRefused", () => signInAgain(language, true))
          )
        )
      })
      .handleRaw("deskSignOut", ({ headers, request }) =>
        withForm(request, { baseUrl: site.origin, language: headers["accept-language"] }, () => {
          const token = cookie.read(request)
          return Effect.as(token === undefined ? Effect.void : sessions.end(token), cookie.end(toDesk))
        }).pipe(Effect.orDie)
      )
  })
)
