/**
 * A family answers what its venue asks, until the visit begins. It costs nothing, changes no places, and no answer is
 * needed for the booking to stand. The history says that it was done, and keeps no answer.
 */
import { Effect, Result, Schema } from "effect"
import { digestOfValue, BookingId } from "../../../platform/ids/Ids.ts"
import { areDetailsOpen } from "../../booking/ChangePlan.ts"
import { type Answer, answeredBy, type Question } from "../../catalogue/Questions.ts"
import type { BookingChange } from "./BookingChanges.ts"

/** It is not answered any more: the visit has begun, or the booking has ended. */
export class NotAnswered extends Schema.TaggedError<NotAnswered>()("NotAnswered", { booking_id: BookingId }) {
  override get message(): string {
    return `Nothing of ${this.booking_id} is answered any more: its visit has begun, or it has ended.`
  }
}

interface Given {
  /** What was asked. */
  readonly questions: ReadonlyArray<Question>
  /** The answers by the slugs of their questions. */
  readonly given: Readonly<Record<string, string>>
}

interface Answered {
  readonly answers: ReadonlyArray<Answer>
}

/**
 * Stores a family's answers. A preview gives the code of the questions and of the answers as they are: who saw others
 * overwrites nothing, and answers nothing that it was not asked.
 */
export const answerQuestions: BookingChange<Given, Answered & { readonly before: string }, Answered, NotAnswered> = {
  span: "Questions.answer",
  right: "change_party",
  forFamilies: true,
  asks: false,
  closesPages: false,
  decide: ({ booking, now }, { given, questions }) =>
    areDetailsOpen(booking, now)
      ? Result.succeed({
          answers: answeredBy(booking.answers, questions, given),
          before: digestOfValue([questions, booking.answers], 4)
        })
      : Result.fail(new NotAnswered({ booking_id: booking.booking_id })),
  outcome: ({ before }) => ({ before }),
  answer: (_, { answers }) => ({ answers }),
  apply: Effect.fnUntraced(function* ({ booking }, { answers }, _, write) {
    if (digestOfValue(answers, 16) === digestOfValue(booking.answers, 16)) return { booking }
    const answered = yield* write.answer(booking, answers)
    return { booking: yield* write.change(answered, { note: true, event: "answered" }) }
  })
}
