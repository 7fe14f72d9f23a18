/**
 * An action at the desk in three steps: a form, a page that says what will happen, and the act. The act names the
 * state that the page showed (`domain/booking/VersionToken.ts`), so a second press, or a colleague's act in between,
 * does nothing twice. `deskAct` makes the three of an act's fields and words; `formedAction` is for what has a form of
 * its own.
 */
import { Effect, Result, Clock, Schema } from "effect"
import type { HttpServerResponse } from "effect/http"
import type { SqlError } from "effect/sql"
import type { BookingNotFound, BookingRow } from "../../../domain/booking/Booking.ts"
import type { ChangeUnderWay } from "../../../domain/booking/PlayroomSemaphore.ts"
import { type ChangedSinceShown, VersionToken } from "../../../domain/booking/VersionToken.ts"
import {
  type Act,
  amountInput,
  type Fault,
  type FormField,
  type Typed,
  wishOf,
  type Words,
  wordsIn,
  maxReason
} from "../../../domain/payment/changes/Act.ts"
import { BookingChanges, refusing, type NotAllowed } from "../../../domain/payment/changes/BookingChanges.ts"
import { mayDo, type DeskRight } from "../../../domain/people/staff/StaffMember.ts"
import { stepText } from "../../../platform/money/Charge.ts"
import { decimalText, exponentOf } from "../../../platform/money/Money.ts"
import { html, type Html } from "../../../platform/text/Html.ts"
import type { Instant } from "../../../platform/time/LocalTime.ts"
import { type Language, messages } from "../../../words/Languages.ts"
import { whenOf } from "../family/Visit.ts"
import { codeField } from "../family/VoucherPages.ts"
import { redirectAfterPost } from "../frame/PageTable.ts"
import { linkProblemPage } from "../frame/LinkProblems.ts"
import { isolated, actions, buttonLink, type Fact, facts, hiddenInputs } from "../frame/Layout.ts"
import { nameOf } from "../operator/OperatorDays.ts"
import { type DeskAction, type DeskOpened, NotDone, seenField, notDoneOf } from "./DeskBookingPage.ts"
import { staffActor, deskAddress, formField, hiddenFields, deskPage, notAllowedPage } from "./DeskFrame.ts"

/** What was entered, or what is wrong with it. */
type Entered<Wish> = { readonly wish: Wish } | { readonly wrong: string }

/** What an action would do. */
interface ToldOutcome {
  readonly facts: ReadonlyArray<Fact>
  readonly sentences?: ReadonlyArray<string>
}

type Refusals = NotDone | BookingNotFound | ChangedSinceShown | ChangeUnderWay | NotAllowed | SqlError.SqlError

/** What differs between actions. `Offer`: what is read for the form. */
interface FormedParts<Offer, Wish, Done extends { readonly shown: string }> {
  readonly name: string
  readonly right: DeskRight
  /** Whether there is anything to do. */
  readonly isOffered: (opened: DeskOpened, now: Instant) => boolean
  /** Of the button that leads to it, and with an offer of its form. */
  readonly title: (language: Language, offer?: Offer) => string
  /** The label of the button that does it. */
  readonly confirm: (language: Language) => string
  readonly offer: (opened: DeskOpened) => Effect.Effect<Offer, NotDone | SqlError.SqlError>
  /** What stands above the form, and is no part of it. */
  readonly above?: (opened: DeskOpened, offer: Offer, typed: URLSearchParams) => Html
  /** The form's fields, with what was typed; empty before that. */
  readonly fields: (opened: DeskOpened, offer: Offer, typed: URLSearchParams) => Html
  readonly entered: (opened: DeskOpened, offer: Offer, typed: URLSearchParams) => Entered<Wish>
  /** Does it, or says what it would do. */
  readonly run: (
    opened: DeskOpened,
    wish: Wish,
    how: { readonly preview: boolean; readonly shown?: string }
  ) => Effect.Effect<Done, Refusals>
  readonly told: (opened: DeskOpened, offer: Offer, done: Done) => ToldOutcome
}

/** The longest text of a field. */
const maxField = 2000
const own = new Set([formField, "step", "shown", seenField])
const isShown = Schema.is(VersionToken)

/** What was typed, without the form's own fields. */
const typedIn = (form: URLSearchParams): URLSearchParams =>
  new URLSearchParams(
    Array.from(form, ([name, value]): [string, string] => [name, value.slice(0, maxField)]).filter(
      ([name]) => !own.has(name)
    )
  )

const bookingFacts = ({ booking, desk }: DeskOpened): ReadonlyArray<Fact> => {
  const { words } = messages[desk.language]
  const row = booking.row
  return [
    { term: words.visit, is: html`${isolated(nameOf(desk.language, row))}<br>${isolated(row.terms.playroom_name)}` },
    { term: words.when, is: whenOf(row, desk.language) },
    { term: words.reference, is: html`<span class="reference">${row.reference}</span>` }
  ]
}

/** Why nothing was done, of a change of the booking. */
export const notDone =
  ({ booking: { row }, desk: request }: DeskOpened) =>
  <R>(
    run: Effect.Effect<HttpServerResponse.HttpServerResponse, Refusals, R>
  ): Effect.Effect<HttpServerResponse.HttpServerResponse, NotDone | SqlError.SqlError, R> => {
    const { booking, desk } = messages[request.language]
    return Effect.catchTags(run, {
      BookingNotFound: () => Effect.succeed(linkProblemPage("nothing", request.language)),
      NotAllowed: () => Effect.succeed(notAllowedPage(request, row.booking_id)),
      ChangedSinceShown: () => Effect.fail(new NotDone({ why: desk.changed, changed: true })),
      ChangeUnderWay: () => Effect.fail(new NotDone({ why: booking.underWay }))
    })
  }

/** An action of these parts. */
export const formedAction = <Offer, Wish, Done extends { readonly shown: string }>(
  parts: FormedParts<Offer, Wish, Done>
): DeskAction => {
  const { name, right } = parts
  const rowOf = ({ booking }: DeskOpened): BookingRow => booking.row

  const shownPage = (
    opened: DeskOpened,
    offer: Offer,
    body: Html,
    alert: string | undefined
  ): HttpServerResponse.HttpServerResponse => {
    const { desk } = opened
    const title = parts.title(desk.language, offer)
    return deskPage(desk, {
      title,
      status: alert === undefined ? 200 : 409,
      head: html`<h1>${title}</h1>
${alert === undefined ? "" : notDoneOf(opened, alert)}`,
      body
    })
  }

  /** What a form carries. What happened meanwhile is told with an alert, and only there: then all has been seen. */
  const carriedBy = ({ booking: { history }, desk, seen = history.length }: DeskOpened, alert: string | undefined) =>
    hiddenFields(desk, name, { [seenField]: String(alert === undefined ? seen : history.length) })

  const back = (opened: DeskOpened) =>
    buttonLink(deskAddress(rowOf(opened).booking_id), messages[opened.desk.language].words.leaveAsItIs, true)

  const formPage = (opened: DeskOpened, offer: Offer, typed: URLSearchParams, alert?: string) => {
    const { desk } = opened
    return shownPage(
      opened,
      offer,
      html`${facts(bookingFacts(opened))}
${parts.above?.(opened, offer, typed)}
<form class="card" method="post" action="${deskAddress(rowOf(opened).booking_id)}">
${hiddenInputs(carriedBy(opened, alert))}
${parts.fields(opened, offer, typed)}
${actions(html`<button>${messages[desk.language].desk.goOn}</button>`, back(opened))}
</form>`,
      alert
    )
  }

  const outcomePage = (opened: DeskOpened, offer: Offer, typed: URLSearchParams, done: Done, alert?: string) => {
    const { desk } = opened
    const { facts: rows, sentences = [] } = parts.told(opened, offer, done)
    return shownPage(
      opened,
      offer,
      html`${facts([...bookingFacts(opened), ...rows])}
${sentences.map((sentence) => html`<p>${sentence}</p>`)}
<form method="post" action="${deskAddress(rowOf(opened).booking_id)}">
${hiddenInputs({ ...Object.fromEntries(typed), ...carriedBy(opened, alert), shown: done.shown })}
${actions(html`<button>${parts.confirm(desk.language)}</button>`, back(opened))}
</form>`,
      alert
    )
  }

  /** What it would do. */
  const previewed = (opened: DeskOpened, offer: Offer, wish: Wish, typed: URLSearchParams, alert?: string) =>
    Effect.map(parts.run(opened, wish, { preview: true }), (done) => outcomePage(opened, offer, typed, done, alert))

  const act: DeskAction["act"] = Effect.fnUntraced(function* (opened, form) {
    const { desk } = opened
    const typed = typedIn(form)
    const given = form.get("shown")
    if (given !== null && !isShown(given)) return linkProblemPage("unreadable", desk.language)
    const offer = yield* parts.offer(opened)
    const entered = parts.entered(opened, offer, typed)
    if ("wrong" in entered) return formPage(opened, offer, typed, entered.wrong)
    const { wish } = entered
    return yield* notDone(opened)(
      given === null
        ? previewed(opened, offer, wish, typed)
        : Effect.as(
            parts.run(opened, wish, { preview: false, shown: given }),
            redirectAfterPost(deskAddress(rowOf(opened).booking_id))
          )
    )
  })

  const again: DeskAction["again"] = Effect.fnUntraced(function* (opened, form, not) {
    if (!parts.isOffered(opened, yield* Clock.currentTimeMillis)) return yield* not
    const typed = typedIn(form)
    const offer = yield* parts.offer(opened)
    const asForm = ({ why }: NotDone) => formPage(opened, offer, typed, why)
    const entered = parts.entered(opened, offer, typed)
    if (not.changed === undefined || "wrong" in entered) return asForm(not)
    return yield* previewed(opened, offer, entered.wish, typed, not.why).pipe(
      notDone(opened),
      Effect.catchTag("NotDone", (why) => Effect.succeed(asForm(why)))
    )
  })

  return {
    right,
    offer: (opened, now) =>
      parts.isOffered(opened, now)
        ? buttonLink(deskAddress(rowOf(opened).booking_id, name), parts.title(opened.desk.language), true)
        : undefined,
    show: (opened) => Effect.map(parts.offer(opened), (offer) => formPage(opened, offer, new URLSearchParams())),
    act,
    again
  }
}

/** A labelled field. */
export const field = (name: string, label: string, input: Html, hint?: string): Html =>
  html`<div class="field"><label for="${name}">${label}</label>
${hint === undefined ? "" : html`<p id="${name}-hint" class="soft">${hint}</p>`}
${input}</div>`

/** A choice of one. */
export const choice = (
  name: string,
  legend: string,
  all: ReadonlyArray<{ readonly value: string; readonly label: Html | string }>,
  chosen: string | undefined
): Html =>
  html`<fieldset><legend>${legend}</legend>
${all.map(
  ({ label, value }) =>
    html`<div class="field"><label class="check"><input type="radio" name="${name}" value="${value}" required${value === chosen ? html` checked` : ""}> ${label}</label></div>`
)}</fieldset>`

/** The field of an amount in the booking's currency. */
const amountField = (currency: string, value: string, language: Language, required = true): Html =>
  field(
    "amount",
    messages[language].desk.amountIn(currency),
    html`<input id="amount" name="amount" type="text" inputmode="decimal" autocomplete="off" maxlength="20"${required ? html` required` : ""} value="${value}">`
  )

/** The field of a reason, which the history keeps. */
export const reasonField = (value: string, language: Language, required: boolean): Html => {
  const { desk } = messages[language]
  return field(
    "reason",
    desk.reason,
    html`<input id="reason" name="reason" type="text" autocomplete="off" maxlength="${maxReason}" aria-describedby="reason-hint"${required ? html` required` : ""} value="${value}">`,
    desk.reasonHint
  )
}

const typedOf =
  (form: URLSearchParams): Typed =>
  (name) =>
    form.get(name) ?? ""

const faultText = (fault: Fault, currency: string, { m: { desk } }: Words): string =>
  ({
    amount: desk.amountWrong((45).toFixed(exponentOf(currency))),
    amount_step: desk.amountSteps(stepText(currency)),
    reason: desk.reasonNeeded,
    choice: desk.pay.whichWay
  })[fault.of]

const inputOf = (
  { asked, input, name }: FormField,
  { booking: { as }, desk: { language, member } }: DeskOpened,
  typed: URLSearchParams
): Html | undefined => {
  const { currency } = as.booking
  const words = wordsIn(language)
  if (asked !== undefined && !asked(as, (right) => mayDo(member.role, right))) return undefined
  switch (input.kind) {
    case "amount": {
      const first = input.first === undefined ? "" : decimalText(input.first(as), currency)
      return amountField(currency, typed.get(name) ?? first, language)
    }
    case "code":
      return codeField(typed.get(name) ?? "", language)
    case "reason":
      return reasonField(typed.get(name) ?? "", language, input.required)
    case "choice": {
      const labelled = input.choices(words, as).map(({ label, value }) => ({ value, label: isolated(label) }))
      const chosen = typed.get(name) ?? input.first ?? (labelled.length === 1 ? labelled[0]?.value : undefined)
      return html`${choice(name, input.legend(words), labelled, chosen)}
${input.amountFor === undefined ? undefined : amountField(currency, typed.get(amountInput) ?? "", language, false)}`
    }
  }
}

/** What staff do by an act. */
export const deskAct = <Wish, Decided, Done extends object, E>(
  act: Act<Wish, Decided, Done, E>
): Effect.Effect<DeskAction, never, BookingChanges> =>
  Effect.map(BookingChanges, ({ run }) => {
    const textOf = ({ desk }: DeskOpened) => act.words(wordsIn(desk.language))
    return formedAction({
      name: act.step,
      right: act.right,
      isOffered: ({ booking: { as } }) => act.isOffered(as),
      title: (language) => act.words(wordsIn(language)).title,
      confirm: (language) => act.words(wordsIn(language)).confirm,
      offer: (opened) =>
        act.isOffered(opened.booking.as) ? Effect.void : Effect.fail(new NotDone({ why: textOf(opened).over })),
      fields: (opened, _, typed) => html`${act.fields.map((field) => inputOf(field, opened, typed))}`,
      entered: ({ booking: { row }, desk }, _, typed) =>
        Result.match(wishOf(act, typedOf(typed), row), {
          onSuccess: (wish) => ({ wish }),
          onFailure: (fault) => ({ wrong: faultText(fault, row.currency, wordsIn(desk.language)) })
        }),
      run: ({ booking: { row }, desk: { language, member } }, wish, how) =>
        run(
          refusing(act, (error) => new NotDone({ why: act.refused(error, wordsIn(language)) })),
          row.booking_id,
          wish,
          { ...how, who: staffActor(member) }
        ),
      told: ({ desk: { language } }, _, done) => {
        const { facts, sentences } = act.told(done, wordsIn(language))
        return {
          facts: facts.map(({ is, look, term }) => ({
            term,
            is: look === "main" ? html`<strong>${is}</strong>` : look === "gone" ? html`<s>${is}</s>` : is
          })),
          sentences
        }
      }
    })
  })
