/**
 * What a venue asks each family before it comes, with a package: allergies, the name of the birthday child, sizes of
 * socks. It asks what the catalogue says today, also those who booked before. An answer keeps the question's words, so
 * that it can still be read after the venue asks something else. Pure.
 */
import { Schema } from "effect"

/** Answered in free words, or by one of its `options`. */
export const Question = Schema.Struct({
  slug: Schema.String,
  text: Schema.NonEmptyString,
  options: Schema.optionalKey(Schema.Array(Schema.NonEmptyString)),
  required: Schema.optionalKey(Schema.Boolean).annotateKey({
    meaning:
      "`true`: until it is answered, it is open, and your day says so; a booking stands all the same. Left out: `false`, families may leave it empty."
  }),
  guests: Schema.optionalKey(Schema.Boolean).annotateKey({
    meaning:
      "`true`: each guest is asked on the invitation, too. If it is required, nobody says there that they come without an answer: a waiver is signed with a name. Left out: `false`, the family alone."
  })
})
export type Question = typeof Question.Type

/** What a family answered; empty: it had nothing to say. */
const Answer = Schema.Struct({ slug: Schema.String, text: Schema.String, answer: Schema.String })
export type Answer = typeof Answer.Type

export const AnswerList = Schema.Array(Answer)

/** The answers of a booking, in the order in which they were asked; null: none yet. */
export const Answers = Schema.NullOr(AnswerList)
export type Answers = typeof Answers.Type

/** The most characters of an answer in free words. */
export const maxAnswer = 500

/** Questions without an answer yet. What is not required may have an empty one. */
export const openQuestions = (questions: ReadonlyArray<Question>, answers: Answers): ReadonlyArray<Question> =>
  questions.filter(({ slug }) => !(answers ?? []).some((one) => one.slug === slug))

/** The answers that say something. */
export const givenAnswers = (answers: Answers): ReadonlyArray<Answer> =>
  (answers ?? []).filter(({ answer }) => answer !== "")

/** The answer under a slug. A slug may be any word, `constructor` too. */
export const answerTo = (slug: string, given: Readonly<Record<string, string>>): string | undefined =>
  Object.hasOwn(given, slug) ? given[slug] : undefined

/**
 * The answers after a family gave some, by the slugs of their questions. Those to questions that are asked no longer
 * stay. Without words, an answer is taken back: a question that is required is open again.
 */
export const answeredBy = (
  answers: Answers,
  questions: ReadonlyArray<Question>,
  given: Readonly<Record<string, string>>
): ReadonlyArray<Answer> => {
  const asked = questions.filter(({ slug }) => answerTo(slug, given) !== undefined)
  const others = (answers ?? []).filter(({ slug }) => !asked.some((one) => one.slug === slug))
  return [
    ...asked.flatMap(({ required, slug, text }) => {
      const answer = answerTo(slug, given) ?? ""
      return required === true && answer === "" ? [] : [{ slug, text, answer }]
    }),
    ...others
  ]
}
