/** What commands are about: bookings, and operators and playrooms by their ids or by the slugs that the catalogue file gives them. */
import { Effect, Option } from "effect"
import { Argument, Flag } from "effect/cli"
import { Catalogue, type SlugKind } from "../catalogue/Catalogue.ts"
import { CommandFailed } from "./Failure.ts"

export const booking_id = Argument.String("booking").pipe(
  Argument.withDescription("booking_… or the reference, like K7M2-9QXD")
)

/** For `Effect.catchTags`: there is no such booking. */
export const bookingMissing = (id: string) => ({
  BookingNotFound: () => Effect.fail(new CommandFailed({ message: `There is no booking ${id}.` }))
})

/** The operator that a command is about. */
export const operatorArgument = Argument.String("operator").pipe(
  Argument.withDescription("Its slug in the catalogue file, or operator_…, as `operator list` shows it")
)

/** `--operator`, `--playroom`: only what is that one's. */
export const venueFlag = (kind: SlugKind) =>
  Flag.String(kind).pipe(
    Flag.withDescription(
      kind === "operator"
        ? "Only this operator's playrooms: its slug, or operator_…"
        : "Only this playroom: its slug, OPERATOR/PLAYROOM where several have it, or playroom_…"
    ),
    Flag.optional
  )

/** The id of an operator or a playroom that is named by it or by its slug. */
export const idNamed = (kind: SlugKind, text: string) =>
  Catalogue.use((catalogue) => catalogue.idOf(kind, text)).pipe(
    Effect.catchTag("SlugUnclear", ({ message }) => Effect.fail(new CommandFailed({ message })))
  )

/** The same for a flag. */
export const flagNamed = (kind: SlugKind, flag: Option.Option<string>) =>
  Option.match(flag, { onNone: () => Effect.succeedNone, onSome: (text) => Effect.asSome(idNamed(kind, text)) })

/** For `Effect.catchTags`: an unknown operator ends the command. */
export const operatorMissing = (id: string) => ({
  OperatorNotFound: () =>
    Effect.fail(new CommandFailed({ message: `There is no operator ${id}: see playroom operator list.` }))
})
