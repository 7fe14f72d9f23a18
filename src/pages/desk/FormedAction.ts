/**
 * An action in three steps: a form, a page that says what will happen with the money, and the act. The act names the state
 * that the page showed (`booking/ShownState.ts`), so a second press, or a colleague's act in between, does nothing twice.
 */
import { Data, Effect, Schema } from "effect"
import type { HttpServerResponse } from "effect/http"
import type { SqlError } from "effect/sql"
import type { BookingNotFound, BookingRow } from "../../booking/Booking.ts"
import type { ChangeUnderWay } from "../../booking/BookingMutex.ts"
import { type ChangedSinceShown, ShownState } from "../../booking/ShownState.ts"
import { type DeskRight, mayDo } from "../../staff/Rights.ts"
import { type Language, messages } from "../../i18n/Languages.ts"
import { html, type Html } from "../../kernel/Html.ts"
import type { Instant } from "../../kernel/LocalTime.ts"
import { alertOf } from "../family/ChangeParts.ts"
import { whenOf } from "../family/Visit.ts"
import { linkProblemPage } from "../LinkProblems.ts"
import { nameOf } from "../operator/DayParts.ts"
import { actions, buttonLink, type Fact, facts, isolated } from "../Parts.ts"
import {
  type DeskAction,
  deskAddress,
  type DeskOpened,
  formField,
  hiddenFields,
  hiddenInputs,
  leadTo
} from "./DeskAction.ts"
import { deskPage } from "./DeskFrame.ts"
import { notAllowedPage } from "./NotAllowedPage.ts"

/** Nothing was done: why, in words for the person at the desk. */
export class NotDone extends Data.TaggedError("NotDone")<{ readonly why: string }> {
  override get message(): string {
    return this.why
  }
}

/** What was entered, or what is wrong with it. */
export type Entered<Wish> = { readonly wish: Wish } | { readonly wrong: string }

/** What an action would do. */
interface ToldOutcome {
  readonly facts: ReadonlyArray<Fact>
  readonly sentences?: ReadonlyArray<string>
}

/** What differs between actions. `Offer`: what is read for the form. */
interface FormedParts<Offer, Wish, Done extends { readonly shown: string }> {
  readonly name: string
  readonly right: DeskRight
  /** Whether there is anything to do. */
  readonly isOffered: (opened: DeskOpened, now: Instant) => boolean
  readonly title: (language: Language) => string
  /** The label of the button that does it. */
  readonly confirm: (language: Language) => string
  readonly offer: (opened: DeskOpened) => Effect.Effect<Offer, NotDone | SqlError.SqlError>
  /** What stands above the form, and is no part of it. */
  readonly above?: (opened: DeskOpened, offer: Offer, typed: URLSearchParams) => Html
  /** The form's fields, with what was typed; empty before that. */
  readonly fields: (opened: DeskOpened, offer: Offer, typed: URLSearchParams) => Html
  readonly entered: (opened: DeskOpened, offer: Offer, typed: URLSearchParams) => Entered<Wish>
  /** What else the role has to allow for this wish. */
  readonly needs?: (wish: Wish) => DeskRight | undefined
  /** Does it, or says what it would do. */
  readonly run: (
    opened: DeskOpened,
    wish: Wish,
    how: { readonly preview: boolean; readonly shown?: string }
  ) => Effect.Effect<Done, NotDone | BookingNotFound | ChangedSinceShown | ChangeUnderWay | SqlError.SqlError>
  readonly told: (opened: DeskOpened, offer: Offer, done: Done) => ToldOutcome
}

/** The longest text of a field. */
const maxField = 2000
const own = new Set([formField, "step", "shown"])
const isShown = Schema.is(ShownState)

/** What was typed, without the form's own fields. */
const typedIn = (form: URLSearchParams): URLSearchParams =>
  new URLSearchParams(
    Array.from(form, ([name, value]): [string, string] => [name, value.slice(0, maxField)]).filter(
      ([name]) => !own.has(name)
    )
  )

const bookingFacts = ({ booking, desk }: DeskOpened): ReadonlyArray<Fact> => {
  const { words } = messages[desk.language]
  const row = booking.shown.booking
  return [
    { term: words.visit, is: html`${isolated(nameOf(desk.language, row))}<br>${isolated(row.terms.playroom_name)}` },
    { term: words.when, is: whenOf(row, desk.language) },
    { term: words.reference, is: html`<span class="reference">${row.reference}</span>` }
  ]
}

/** An action of these parts. */
export const formedAction = <Offer, Wish, Done extends { readonly shown: string }>(
  parts: FormedParts<Offer, Wish, Done>
): DeskAction => {
  const { name, right } = parts
  const rowOf = ({ booking }: DeskOpened): BookingRow => booking.shown.booking

  const shownPage = (
    opened: DeskOpened,
    body: Html,
    alert: string | undefined
  ): HttpServerResponse.HttpServerResponse => {
    const { desk } = opened
    const title = parts.title(desk.language)
    return deskPage(desk, {
      title,
      status: alert === undefined ? 200 : 409,
      head: html`<h1>${title}</h1>
${alertOf(alert)}`,
      body
    })
  }

  const back = (opened: DeskOpened) =>
    buttonLink(deskAddress(rowOf(opened).booking_id), messages[opened.desk.language].words.leaveAsItIs, true)

  const formPage = (opened: DeskOpened, offer: Offer, typed: URLSearchParams, alert?: string) => {
    const { desk } = opened
    return shownPage(
      opened,
      html`${facts(bookingFacts(opened))}
${parts.above?.(opened, offer, typed)}
<form class="card" method="post" action="${deskAddress(rowOf(opened).booking_id)}">
${hiddenInputs(hiddenFields(desk, name))}
${parts.fields(opened, offer, typed)}
${actions(html`<button>${messages[desk.language].desk.goOn}</button>`, back(opened))}
</form>`,
      alert
    )
  }

  /** That it can't be done at all. */
  const sorryPage = (opened: DeskOpened, why: string) =>
    shownPage(
      opened,
      html`${facts(bookingFacts(opened))}
${actions(buttonLink(deskAddress(rowOf(opened).booking_id), messages[opened.desk.language].desk.toBooking, true))}`,
      why
    )

  const outcomePage = (opened: DeskOpened, offer: Offer, typed: URLSearchParams, done: Done, alert?: string) => {
    const { desk } = opened
    const { facts: rows, sentences = [] } = parts.told(opened, offer, done)
    const carried = Object.fromEntries(typed)
    return shownPage(
      opened,
      html`${facts([...bookingFacts(opened), ...rows])}
${sentences.map((sentence) => html`<p>${sentence}</p>`)}
<form method="post" action="${deskAddress(rowOf(opened).booking_id)}">
${hiddenInputs({ ...carried, ...hiddenFields(desk, name, { shown: done.shown }) })}
${actions(html`<button>${parts.confirm(desk.language)}</button>`, back(opened))}
</form>`,
      alert
    )
  }

  const act: DeskAction["act"] = (opened, form) => {
    const { desk } = opened
    const { booking: text, desk: words } = messages[desk.language]
    const typed = typedIn(form)
    const given = form.get("shown")
    return Effect.gen(function* () {
      if (given !== null && !isShown(given)) return linkProblemPage("unreadable", desk.language)
      const offer = yield* parts.offer(opened)
      const entered = parts.entered(opened, offer, typed)
      if ("wrong" in entered) return formPage(opened, offer, typed, entered.wrong)
      const { wish } = entered
      const needed = parts.needs?.(wish)
      if (needed !== undefined && !mayDo(desk.member.role, needed))
        return notAllowedPage(desk, rowOf(opened).booking_id)
      const preview = (alert?: string) =>
        Effect.map(parts.run(opened, wish, { preview: true }), (done) => outcomePage(opened, offer, typed, done, alert))
      const work =
        given === null
          ? preview()
          : parts.run(opened, wish, { preview: false, shown: given }).pipe(
              Effect.as(leadTo(deskAddress(rowOf(opened).booking_id))),
              Effect.catchTag("ChangedSinceShown", () => preview(words.changed))
            )
      return yield* work.pipe(
        Effect.catchTags({
          NotDone: ({ why }) => Effect.succeed(formPage(opened, offer, typed, why)),
          BookingNotFound: () => Effect.succeed(linkProblemPage("nothing", desk.language)),
          ChangedSinceShown: () => Effect.succeed(formPage(opened, offer, typed, words.changed)),
          ChangeUnderWay: () => Effect.succeed(formPage(opened, offer, typed, text.underWay))
        })
      )
    }).pipe(Effect.catchTag("NotDone", ({ why }) => Effect.succeed(sorryPage(opened, why))))
  }

  return {
    right,
    offer: (opened, now) =>
      parts.isOffered(opened, now)
        ? buttonLink(deskAddress(rowOf(opened).booking_id, name), parts.title(opened.desk.language), true)
        : undefined,
    show: (opened) =>
      parts.offer(opened).pipe(
        Effect.map((offer) => formPage(opened, offer, new URLSearchParams())),
        Effect.catchTag("NotDone", ({ why }) => Effect.succeed(sorryPage(opened, why)))
      ),
    act
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
