/** An act at the desk: its form, the page that says what will happen, and the act, made of its fields and words. */
import { Effect, Result } from "effect"
import { html, type Html } from "../../../platform/text/Html.ts"
import { decimalText, exponentOf } from "../../../platform/money/Money.ts"
import { stepText } from "../../../platform/money/Charge.ts"
import {
  type Act,
  amountInput,
  type Fault,
  type FormField,
  type Typed,
  wishOf,
  type Words,
  wordsIn
} from "../../../domain/payment/changes/Act.ts"
import { BookingChanges, refusing } from "../../../domain/payment/changes/BookingChanges.ts"
import { mayDo } from "../../../domain/people/staff/StaffMember.ts"
import { amountField, reasonField } from "./AmountField.ts"
import { isolated } from "../frame/Parts.ts"
import { type DeskAction, type DeskOpened, NotDone, staffActor } from "./DeskAction.ts"
import { choice, formedAction } from "./FormedAction.ts"

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
