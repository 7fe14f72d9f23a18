/**
 * The family answers what its venue asks, on a page of its own, and may change that until the visit begins. What is
 * typed is never lost: with a fault, or when somebody else was faster, the form comes again with it.
 */
import { Effect, Schema } from "effect"
import type { HttpServerResponse } from "effect/http"
import type { BookingRow } from "../../../domain/booking/Booking.ts"
import { areDetailsOpen } from "../../../domain/booking/ChangePlan.ts"
import {
  type Answers,
  answerTo,
  givenAnswers,
  maxAnswer,
  openQuestions,
  type Question
} from "../../../domain/catalogue/Questions.ts"
import { answerQuestions } from "../../../domain/payment/changes/AnsweredQuestions.ts"
import { BookingChanges } from "../../../domain/payment/changes/BookingChanges.ts"
import { boundedText } from "../../../platform/errors/InvalidArguments.ts"
import { digestOfValue } from "../../../platform/ids/Ids.ts"
import { html, type Html } from "../../../platform/text/Html.ts"
import { withoutInvisible } from "../../../platform/text/Text.ts"
import { messages, type Language } from "../../../words/Languages.ts"
import { pluralIn } from "../../../words/Localized.ts"
import { actions, buttonLink, hiddenInputs, isolated, notice, page, paragraphs } from "../frame/Layout.ts"
import { askVenue, linkProblemPage } from "../frame/LinkProblems.ts"
import { alertOf, type BookingStep, type OpenedBooking, shownIn, stepAddress, toBooking } from "./BookingStep.ts"
import { labelled, type PartyFormErrors } from "./PartyStep.ts"

/** The step's name in addresses and forms. */
export const questionsName = "questions"

/** The answers that say something, each below its question. */
export const answersPart = (answers: Answers): ReadonlyArray<Html> =>
  givenAnswers(answers).map(
    ({ answer, text }) => html`<p class="soft">${isolated(text)}</p>
${paragraphs(answer)}`
  )

/** What was typed, by the slugs of the questions. */
export type Typed = Readonly<Record<string, string>>

export const nameOf = ({ slug }: Question): string => `answer_${slug}`

/** What is stored, for a form that nobody has filled in. */
const storedIn = (answers: Answers): Typed =>
  Object.fromEntries((answers ?? []).map(({ answer, slug }) => [slug, answer]))

/** The longest text that is read of a field. Longer ones are cut, and refused as too long. */
const maxText = 2000

/** Control characters but tabs and line ends. */
const unwritten = /[^\P{Cc}\t\n]/gu

export const typedIn = (form: URLSearchParams, questions: ReadonlyArray<Question>): Typed =>
  Object.fromEntries(
    questions.flatMap((question) => {
      const typed = form.get(nameOf(question))
      if (typed === null) return []
      const text = typed.normalize("NFC").slice(0, maxText).replaceAll(/\r\n?/g, "\n").replaceAll(unwritten, "").trim()
      // What nobody sees is no answer.
      return [[question.slug, withoutInvisible(text).trim() === "" ? "" : text]]
    })
  )

const isAnswer = Schema.is(boundedText(maxAnswer))

/** The answers to choose from. One that was given stays among them, though the venue offers it no longer. */
const optionsOf = ({ options, slug }: Question, stored: Typed): ReadonlyArray<string> | undefined => {
  const given = answerTo(slug, stored) ?? ""
  return options === undefined || given === "" || options.includes(given) ? options : [...options, given]
}

export const faultsOf = (
  questions: ReadonlyArray<Question>,
  typed: Typed,
  stored: Typed,
  language: Language
): PartyFormErrors => {
  const text = messages[language].venueAsks
  return Object.fromEntries(
    questions.flatMap((question) => {
      const answer = answerTo(question.slug, typed) ?? ""
      const options = optionsOf(question, stored)
      if (answer !== "" && options?.includes(answer) === false) return [[nameOf(question), text.notOffered]]
      return isAnswer(answer) ? [] : [[nameOf(question), text.tooLong]]
    })
  )
}

/** A question's field, as `labelled` takes it. */
export const field = (question: Question, typed: Typed, stored: Typed, language: Language) => (described: Html) => {
  const name = nameOf(question)
  const answer = answerTo(question.slug, typed) ?? ""
  const options = optionsOf(question, stored)
  if (options === undefined)
    return html`<textarea id="${name}" name="${name}" rows="2" maxlength="${maxAnswer}"${described}>
${answer}</textarea>`
  return html`<select id="${name}" name="${name}"${described}><option value="">${messages[language].venueAsks.choose}</option>
${options.map((option) => html`<option value="${option}"${option === answer ? html` selected` : ""}>${option}</option>`)}</select>`
}

/** The form. `alert`: why nothing was saved; then it says what is stored, where that differs. */
const formPage = (
  { asked, summary }: OpenedBooking,
  { answers }: BookingRow,
  shown: string,
  typed: Typed,
  { alert, faults = {} }: { readonly alert?: string; readonly faults?: PartyFormErrors } = {}
): HttpServerResponse.HttpServerResponse => {
  const { language } = asked
  const { questions = [] } = summary
  const { party, venueAsks: text, words } = messages[language]
  const stored = storedIn(answers)
  const hintOf = ({ required, slug }: Question): string | undefined => {
    const now = answerTo(slug, stored) ?? ""
    const other = alert !== undefined && (answerTo(slug, typed) ?? "") !== now ? now : ""
    const hints = [...(required === true ? [text.needed] : []), ...(other === "" ? [] : [text.stored(other)])]
    return hints.length === 0 ? undefined : hints.join(" ")
  }
  const alerted = Object.keys(faults).length > 0 ? party.errors.lead : alert
  return page(
    text.title,
    html`<h1>${text.title}</h1>
${alertOf(alerted)}<p class="lead">${text.lead}</p>
<form class="card" method="post" action="${stepAddress(asked)}" novalidate>
${hiddenInputs({ step: questionsName, shown })}
${questions.map((question) =>
  labelled(
    nameOf(question),
    isolated(question.text),
    faults,
    field(question, typed, stored, language),
    hintOf(question)
  )
)}
${actions(html`<button>${text.save}</button>`, buttonLink(stepAddress(asked), words.leaveAsItIs, true))}
</form>
${askVenue(summary.operator, language)}`,
    {
      language,
      formAction: "'self'",
      status: alerted === undefined ? 200 : 409,
      headers: { vary: "accept-language" }
    }
  )
}

const isAsking = ({ booking, summary }: OpenedBooking): boolean =>
  (summary.questions ?? []).length > 0 && areDetailsOpen(booking, summary.now)

/** How many questions the page says are open: of a confirmed booking whose visit is ahead. */
export const openCount = ({ booking, summary }: Pick<OpenedBooking, "booking" | "summary">): number =>
  booking.status === "confirmed" && areDetailsOpen(booking, summary.now)
    ? openQuestions(summary.questions ?? [], booking.answers).length
    : 0

const parts: BookingStep["parts"] = (opened) => {
  const { asked, booking } = opened
  const text = messages[asked.language].venueAsks
  const answers = answersPart(booking.answers)
  const asking = isAsking(opened)
  if (answers.length === 0 && !asking) return Effect.succeed({})
  const address = stepAddress(asked, questionsName)
  const count = openCount(opened)
  const link = asking
    ? html`<p class="noprint"><a href="${address}">${answers.length === 0 || count > 0 ? text.answer : text.change}</a></p>`
    : undefined
  return Effect.succeed({
    facts: [{ term: text.title, is: html`${answers}${link}` }],
    ...(count === 0
      ? {}
      : {
          notice: notice(html`<p>${pluralIn(asked.language, count, text.open)}</p>
<p class="noprint"><a href="${address}">${text.answer}</a></p>`)
        })
  })
}

export const questionsStep = Effect.gen(function* () {
  const { run } = yield* BookingChanges
  const who = { as: "family" } as const

  /** The form on the booking as it is by now. */
  const again = (opened: OpenedBooking, typed?: Typed, more?: Parameters<typeof formPage>[4]) =>
    run(
      answerQuestions,
      opened.booking.booking_id,
      { questions: opened.summary.questions ?? [], given: {} },
      { preview: true, who }
    ).pipe(
      Effect.map(({ booking, shown }) => formPage(opened, booking, shown, typed ?? storedIn(booking.answers), more)),
      Effect.catchIf(
        (error) => error._tag !== "SqlError",
        () => toBooking(opened)
      )
    )

  const show: BookingStep["show"] = (opened) => (isAsking(opened) ? again(opened) : toBooking(opened))

  /** Somebody else has changed the booking since: it may have these answers by now. */
  const outrun = Effect.fnUntraced(function* (opened: OpenedBooking, given: Typed) {
    const { booking_id } = opened.booking
    const { questions = [] } = opened.summary
    const { answers, booking } = yield* run(answerQuestions, booking_id, { questions, given }, { preview: true, who })
    return digestOfValue(booking.answers, 16) === digestOfValue(answers, 16)
      ? yield* toBooking(opened)
      : yield* again(opened, given, { alert: messages[opened.asked.language].venueAsks.again })
  })

  const act: BookingStep["act"] = (opened, form) =>
    shownIn(form).pipe(
      Effect.flatMap(({ shown }) => {
        if (!isAsking(opened)) return toBooking(opened)
        const { language } = opened.asked
        const { booking, summary } = opened
        const { questions = [] } = summary
        const given = typedIn(form, questions)
        const faults = faultsOf(questions, given, storedIn(booking.answers), language)
        if (Object.keys(faults).length > 0) return again(opened, given, { faults })
        return run(answerQuestions, booking.booking_id, { questions, given }, { preview: false, shown, who }).pipe(
          Effect.andThen(toBooking(opened)),
          Effect.catchTags({
            ChangedSinceShown: () => outrun(opened, given),
            ChangeUnderWay: () => again(opened, given, { alert: messages[language].booking.underWay })
          }),
          Effect.catchIf(
            (error) => error._tag !== "SqlError",
            () => toBooking(opened)
          )
        )
      }),
      Effect.catchTag("SchemaError", () => Effect.succeed(linkProblemPage("unreadable", opened.asked.language)))
    )

  return { parts, show, act } satisfies BookingStep
})
