/**
 * What a venue asks each family before it comes, with a package: allergies, the name of the birthday child, sizes of
 * socks. It asks what the catalogue says today, also those who booked before. An answer keeps the question's words, so
 * that it can still be read after the venue asks something else. Pure.
 */
import { Schema } from "effect"
import type { ArgumentIssue } from "../../platform/errors/InvalidArguments.ts"
import { withoutInvisible } from "../../platform/text/Text.ts"

/** Answered in free words, or by one of its `options`. */
export const Question = Schema.Struct({
  slug: Schema.String,
  text: Schema.NonEmptyString,
  options: Schema.optionalKey(Schema.Array(Schema.NonEmptyString)),
  required: Schema.optionalKey(Schema.Boolean).annotateKey({
    meaning:
      "`true`: until it is answered, it is open, and your day says so; a booking stands all the same. Left out: `false`, families may leave it empty."
  }),
  before: Schema.optionalKey(Schema.Boolean).annotateKey({
    meaning:
      "`true`: asked before it is booked, by assistants and at your desk. If it is required, too, an assistant books nothing without an answer; your desk does. Left out: `false`, on the page of the booking."
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

/** What is asked before a package is booked. */
export const askedBefore = ({ questions = [] }: AskedFor): ReadonlyArray<Question> =>
  questions.filter(({ before }) => before === true)

/** A package, or what it asks. */
interface AskedFor {
  readonly questions?: ReadonlyArray<Question>
}

/** A question as an assistant is told it: the slug, the words, what can be answered, and whether it need not be. */
export const questionText = ({ options, required, slug, text }: Question): string =>
  `${slug}: ${text}${options === undefined ? "" : ` (${options.join(" / ")})`}${required === true ? "" : " (optional)"}`

/**
 * The question that a line `slug: answer` answers, with the answer. The question's own words stand for its slug, unless
 * they are the slug of another.
 */
const readLine = <Asked extends Pick<Question, "slug" | "text"> & Pick<Partial<Question>, "options">>(
  questions: ReadonlyArray<Asked>,
  line: string
) => {
  const heads = [
    ...questions.map((question) => ({ question, head: question.slug })),
    ...questions.map((question) => ({ question, head: question.text }))
  ]
  for (const { head, question } of heads)
    for (let colon = line.indexOf(":"); colon >= 0; colon = line.indexOf(":", colon + 1)) {
      if (line.slice(0, colon).trim().toLowerCase() !== head.toLowerCase()) continue
      const answer = line.slice(colon + 1).trim()
      const typed = withoutInvisible(answer).trim() === "" ? "" : answer
      const same = question.options?.find((option) => option.toLowerCase() === typed.toLowerCase())
      return { question, answer: same ?? typed }
    }
  return undefined
}

/** The answers in lines `slug: answer`, of which the last to a question counts; null: none. */
export const answersIn = ({ questions = [] }: AskedFor, lines: ReadonlyArray<string> = []): Answers => {
  const given = lines.flatMap((line) => readLine(questions, line) ?? [])
  if (given.length === 0) return null
  return answeredBy(null, questions, Object.fromEntries(given.map(({ answer, question }) => [question.slug, answer])))
}

/** Whether each line says what is answered already. */
export const saysSame = (answers: Answers, lines: ReadonlyArray<string> = []): boolean =>
  lines.every((line) => {
    const read = readLine(answers ?? [], line)
    return read !== undefined && read.answer.toLowerCase() === read.question.answer.toLowerCase()
  })

/** Lines that answer nothing that these packages ask. */
export const unaskedIssues = (
  packages: ReadonlyArray<AskedFor>,
  lines: ReadonlyArray<string> = []
): ReadonlyArray<ArgumentIssue> => {
  const questions = packages.flatMap((pkg) => pkg.questions ?? [])
  const slugs = [...new Set(questions.map(({ slug }) => slug))].join(", ")
  const message =
    slugs === ""
      ? "Nothing is asked here: leave answers out, and put into notes what the operator should know"
      : `Expected "slug: answer", with one of these slugs: ${slugs}`
  return lines.flatMap((line, i) =>
    readLine(questions, line) === undefined ? [{ path: `answers[${i}]`, message }] : []
  )
}

/** Answers in lines that are none of the options, or too long; and, if `needed`, what is not answered. */
export const answerIssues = (
  pkg: AskedFor,
  needed: boolean,
  lines: ReadonlyArray<string> = []
): ReadonlyArray<ArgumentIssue> => {
  const wrong = lines.flatMap((line, i): ReadonlyArray<ArgumentIssue> => {
    const read = readLine(pkg.questions ?? [], line)
    if (read === undefined || read.answer === "") return []
    const { options } = read.question
    const message =
      options?.includes(read.answer) === false
        ? `Expected an answer to choose from, as asks of get_booking_options has them for ${read.question.slug}`
        : `Expected an answer of at most ${maxAnswer} characters`
    return options?.includes(read.answer) === false || Array.from(read.answer).length > maxAnswer
      ? [{ path: `answers[${i}]`, message }]
      : []
  })
  const open = openQuestions(askedBefore(pkg), answersIn(pkg, lines)).filter(({ required }) => required === true)
  return !needed || open.length === 0
    ? wrong
    : [
        ...wrong,
        {
          path: "answers",
          message: `Expected "slug: answer" for each of ${open.map(({ slug }) => slug).join(", ")}: ask the person what asks of get_booking_options has`
        }
      ]
}
