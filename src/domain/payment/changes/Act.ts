/**
 * An act: what a person does with a booking, as one value. To a change (`BookingChanges.ts`) it adds its fields and its
 * words. The desk and the commands make their forms and answers of these: an act knows no HTML, no address and no
 * flag's type. A family is told more, in words of its own: its pages are written by hand over `BookingChanges.run`.
 */
import { Result } from "effect"
import type { BookingRow } from "../../booking/Booking.ts"
import { type Language, messages } from "../../../words/Languages.ts"
import { moneyIn } from "../../../words/Localized.ts"
import type { Messages } from "../../../words/en/Messages.ts"
import { isOnStep } from "../../../platform/money/Charge.ts"
import { amountText, exponentOf, type Money, parseAmount } from "../../../platform/money/Money.ts"
import type { DeskRight } from "../../people/staff/StaffMember.ts"
import { maxTypedCode } from "../sessions/Vouchers.ts"
import type { BookingChange, Told, Situation } from "./BookingChanges.ts"

/** What was typed into an input, by its name; empty if nothing was. */
export type Typed = (name: string) => string

/** What is wrong with what was typed into a field. Each surface has its words for it. */
export interface Fault {
  readonly of: "amount" | "amount_step" | "reason" | "choice"
  readonly field: string
}

/** What a reader is told in their language. */
export interface Words {
  readonly language: Language
  readonly m: Messages
  readonly money: (amount: Money) => string
}

/** The words of a language. */
export const wordsIn = (language: Language): Words => ({
  language,
  m: messages[language],
  money: ({ amount, currency }) => moneyIn(language, amount, currency)
})

/** One of several, with its words. */
interface Choice {
  readonly value: string
  readonly label: string
}

/** A field as a form asks for it. */
export interface FormField {
  readonly name: string
  readonly input:
    /** `first`: the amount that it has at first, in minor units. */
    | { readonly kind: "amount"; readonly first?: (as: Situation) => number }
    | { readonly kind: "reason"; readonly required: boolean }
    | { readonly kind: "code" }
    | {
        readonly kind: "choice"
        /** The values, where they are the same for every booking. */
        readonly values: ReadonlyArray<string>
        readonly choices: (words: Words, as: Situation) => ReadonlyArray<Choice>
        readonly first?: string
        /** The value to which an amount belongs, that is typed beside it. */
        readonly amountFor?: string
        readonly legend: (words: Words) => string
      }
  /** Whether this person is asked for it. Else it has the value of an empty form. */
  readonly asked?: (as: Situation, may: (right: DeskRight) => boolean) => boolean
  /** What a command says of its flag or argument. */
  readonly flag: string
}

/** A field with what is read of it. */
export interface Field<A> extends FormField {
  readonly read: (typed: Typed, booking: BookingRow) => Result.Result<A, Fault>
}

/** A line of what an act does: a term, and what that is. */
interface ToldFact {
  readonly term: string
  readonly is: string
  /** `main`: what the person looks for first. `gone`: what is struck out. */
  readonly look?: "main" | "gone"
}

/** A change of a booking with its form and its words. */
export interface Act<Wish, Decided, Done extends object, E> extends BookingChange<Wish, Decided, Done, E> {
  /** Its name in addresses and forms. */
  readonly step: string
  readonly right: DeskRight
  readonly fields: ReadonlyArray<FormField>
  /** What is wished, by what was typed into the fields. */
  readonly wish: (read: <A>(field: Field<A>) => Result.Result<A, Fault>) => Result.Result<Wish, Fault>
  readonly isOffered: (as: Situation) => boolean
  readonly words: (words: Words) => {
    readonly title: string
    readonly confirm: string
    /** Why it is not offered. */
    readonly over: string
  }
  /** What it does: at the desk before it is done, and by commands. */
  readonly told: (
    done: Done & Told,
    words: Words
  ) => { readonly facts: ReadonlyArray<ToldFact>; readonly sentences: ReadonlyArray<string> }
  /** Why it is not done, at the desk. Commands say the error's message, which tells more. */
  readonly refused: (error: E, words: Words) => string
  readonly command: {
    readonly name: string
    readonly description: string
    /** Why it is done only as a preview showed it, of what that is. */
    readonly needsShown?: (would: Done & Told) => string | undefined
  }
}

/** Reads what was typed into an act's fields. */
export const wishOf = <Wish>(
  { wish }: { readonly wish: Act<Wish, never, never, never>["wish"] },
  typed: Typed,
  booking: BookingRow
): Result.Result<Wish, Fault> => wish((field) => field.read(typed, booking))

/** `45.001` may be a slip or thousands: pages write decimals, if the currency has any, so it is asked for anew. */
const isUnclear = (text: string, currency: string): boolean =>
  [1, 2].includes(exponentOf(currency)) && /^\D*\d+[.,]\d{3}\D*$/.test(text.normalize("NFKC"))

/** An amount above 0 that was typed into a field, as our pages write amounts or by itself, in minor units. */
export const amountOf = (
  field: string,
  text: string,
  { currency }: Pick<BookingRow, "currency">
): Result.Result<number, Fault> => {
  const amount = Result.match(amountText(text, currency), {
    onSuccess: (plain) => (isUnclear(text, currency) ? undefined : parseAmount(plain, currency)),
    onFailure: () => undefined
  })
  if (amount === undefined || amount <= 0) return Result.fail({ of: "amount", field })
  return isOnStep(amount, currency) ? Result.succeed(amount) : Result.fail({ of: "amount_step", field })
}

/** The name of the input of an amount, whichever field it belongs to. */
export const amountInput = "amount"

/** An amount. */
export const amountField = (flag: string, first?: (as: Situation) => number): Field<number> => ({
  name: amountInput,
  read: (typed, booking) => amountOf(amountInput, typed(amountInput), booking),
  input: { kind: "amount", ...(first === undefined ? {} : { first }) },
  flag
})

/** The most characters of a reason that are kept. */
export const maxReason = 300

/** The reason on one line; empty if none was given. */
export const reasonIn = (text: string): string =>
  text
    .normalize("NFC")
    .replaceAll(/[\p{Cc}\p{Cf}]+/gu, " ")
    .trim()
    .slice(0, maxReason)

/** For who gives no reason where one is needed. */
export const reasonMissing: Fault = { of: "reason", field: "reason" }

/** The code of a voucher, as it was typed. */
export const codeField = (flag: string): Field<string> => ({
  name: "code",
  read: (typed) => Result.succeed(typed("code").slice(0, maxTypedCode)),
  input: { kind: "code" },
  flag
})

/** Why it is done. */
export const reasonField = (required: boolean): Field<string> => ({
  name: "reason",
  read: (typed) => {
    const reason = reasonIn(typed("reason"))
    return required && reason === "" ? Result.fail(reasonMissing) : Result.succeed(reason)
  },
  input: { kind: "reason", required },
  flag: "Kept in the booking's history"
})

/** One of several that are the same for every booking. */
export const choiceField = <A extends string>(
  name: string,
  values: ReadonlyArray<A>,
  legend: (words: Words) => string,
  label: (words: Words, value: A) => string,
  flag: string
): Field<A> => ({
  name,
  read: (typed) => {
    const value = values.find((one) => one === typed(name))
    return value === undefined ? Result.fail({ of: "choice", field: name }) : Result.succeed(value)
  },
  input: {
    kind: "choice",
    values,
    choices: (words) => values.map((value) => ({ value, label: label(words, value) })),
    legend
  },
  flag
})

/** One of several that the booking has. Whether it still is one of these, the decision says. */
export const foundField = (
  name: string,
  choices: (words: Words, as: Situation) => ReadonlyArray<Choice>,
  legend: (words: Words) => string,
  flag: string
): Field<string> => ({
  name,
  read: (typed) => (typed(name) === "" ? Result.fail({ of: "choice", field: name }) : Result.succeed(typed(name))),
  input: { kind: "choice", values: [], choices, legend },
  flag
})
