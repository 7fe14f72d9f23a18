/** The command of an act: its argument and flags, `--preview` and `--as-shown`, made of its fields and words. */
import { Effect, Option, Record, Result } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { BookingRow } from "../../domain/booking/Booking.ts"
import {
  type Act,
  amountInput,
  type Fault,
  type FormField,
  type Typed,
  wishOf,
  wordsIn
} from "../../domain/payment/changes/Act.ts"
import {
  type BookingChange,
  BookingChanges,
  type How,
  refusing,
  type Told
} from "../../domain/payment/changes/BookingChanges.ts"
import { amountWrong, json, print } from "./Output.ts"
import {
  asShown,
  booking_id,
  bookingMissing,
  bookingNamed,
  by,
  changedSinceShown,
  commandActor,
  doAsShown,
  given,
  switchFlag
} from "./Arguments.ts"
import { CommandFailed, failed } from "./Failure.ts"

/** How a command asks for a field: what is wanted of every use is an argument or a flag that must stand. */
const paramOf = ({ flag, input, name }: FormField) => {
  switch (input.kind) {
    case "amount":
    case "code":
      return Argument.String(name).pipe(Argument.withDescription(flag))
    case "reason": {
      const reason = Flag.String(name).pipe(Flag.withDescription(flag))
      return input.required ? reason : Flag.withDefault(reason, "")
    }
    case "choice":
      return input.amountFor === undefined
        ? Flag.Literals(name, input.values).pipe(Flag.withDescription(flag))
        : Flag.String(name).pipe(Flag.withDescription(flag), Flag.withDefault(input.first ?? ""))
  }
}

/** What was typed, as a form would have it: the word of a choice, or an amount in its place. */
const typedIn = (fields: ReadonlyArray<FormField>, typed: Readonly<Record<string, string>>): Typed => {
  const amounts = fields.flatMap(({ input, name }): ReadonlyArray<readonly [string, string]> => {
    const text = typed[name] ?? ""
    if (input.kind !== "choice" || input.amountFor === undefined || input.values.includes(text)) return []
    return [
      [name, input.amountFor],
      [amountInput, text]
    ]
  })
  const inputs = new Map([...Object.entries(typed), ...amounts])
  return (name) => inputs.get(name) ?? ""
}

/** What is wrong with a flag or argument. */
const wrong = (fault: Fault, fields: ReadonlyArray<FormField>, typed: Typed, booking: BookingRow) => {
  if (fault.of === "reason") return failed("So that the booking's history says why, give the --reason.")
  const input = fields.find(({ name }) => name === fault.field)?.input
  const takes =
    input?.kind === "choice"
      ? `--${fault.field} takes ${input.values.join(", ")}, or`
      : `${fault.field.toUpperCase()} takes`
  return failed(amountWrong(typed(amountInput), booking, takes))
}

/** What staff are told at the desk, in English. */
const linesOf = <Done extends object>(
  { told, words }: Pick<Act<never, never, Done, never>, "told" | "words">,
  done: Done & Told,
  preview: boolean
): ReadonlyArray<string> => {
  const english = wordsIn("en")
  const { facts, sentences } = told(done, english)
  const what = `${done.booking.reference} · ${words(english).title}`
  return [
    preview
      ? `${what}: this would be done. Nothing was changed.`
      : `${what}: done. A running node does what is to be done at the provider.`,
    ...facts.map(({ is, look, term }) => `${term}: ${is}${look === "gone" ? " (taken off)" : ""}`),
    ...sentences
  ]
}

/** What a command names: the booking, or a field by which its booking is found. */
interface About<E, R> {
  readonly name: string
  readonly param: Argument.Argument<string>
  readonly find: (text: string) => Effect.Effect<BookingRow, E, R>
}

export const aboutBooking = { name: "booking", param: booking_id, find: bookingNamed }

/** Runs a change as a command, which says why it was not done. */
const running = Effect.fnUntraced(function* <
  Wish,
  Decided,
  Done extends object,
  E extends { readonly message: string }
>(
  change: BookingChange<Wish, Decided, Done, E>,
  booking_id: string,
  wish: Wish,
  by: Option.Option<string>,
  how: Pick<How, "preview" | "shown">
) {
  const { run } = yield* BookingChanges
  const who = yield* commandActor(by)
  const inWords = refusing(change, ({ message }) => new CommandFailed({ message }))
  return yield* run(inWords, booking_id, wish, { ...how, who }).pipe(
    Effect.catchTags({
      ...bookingMissing(booking_id),
      ChangedSinceShown: changedSinceShown,
      ChangeUnderWay: failed,
      NotAllowed: failed
    })
  )
})

/** Makes a change of which nothing is shown before. */
export const pressing = <Wish, Decided, Done extends object, E extends { readonly message: string }>(
  change: BookingChange<Wish, Decided, Done, E>,
  booking_id: string,
  wish: Wish,
  by: Option.Option<string>
) => running(change, booking_id, wish, by, { preview: false })

/** `more`: what else a preview prints. */
export const actCommand = <
  Wish,
  Decided,
  Done extends object,
  E extends { readonly message: string },
  E2,
  R2,
  E3 = never,
  R3 = never
>(
  act: Act<Wish, Decided, Done, E>,
  about: About<E2, R2>,
  more: (done: Done & Told) => Effect.Effect<ReadonlyArray<string>, E3, R3> = () => Effect.succeed([])
) =>
  Command.make(
    act.command.name,
    {
      named: about.param,
      typed: Record.fromEntries(
        act.fields.flatMap((field) => (field.name === about.name ? [] : [[field.name, paramOf(field)] as const]))
      ),
      by,
      preview: switchFlag("preview", "Say what it would do, and change nothing"),
      asShown,
      json
    },
    Effect.fn(function* ({ asShown, by, json, named, preview, typed: texts }) {
      const { needsShown } = act.command
      const booking = yield* about.find(named)
      const typed = typedIn(act.fields, { ...texts, [about.name]: named })
      const wish = yield* Result.match(wishOf(act, typed, booking), {
        onFailure: (fault) => wrong(fault, act.fields, typed, booking),
        onSuccess: Effect.succeed
      })
      const doing = (how: Pick<How, "preview" | "shown">) => running(act, booking.booking_id, wish, by, how)
      if (!preview && needsShown !== undefined && Option.isNone(asShown)) {
        const why = needsShown(yield* doing({ preview: true }))
        if (why !== undefined) return yield* failed(why)
      }
      const done = yield* doing({ preview, ...given("shown", asShown) })
      const lines = [...linesOf(act, done, preview), ...(preview ? [...(yield* more(done)), doAsShown(done)] : [])]
      return yield* print(json, { preview, ...done }, lines.join("\n"))
    })
  ).pipe(Command.withDescription(act.command.description))
