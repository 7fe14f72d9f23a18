/** Arguments and flags that name bookings, operators and playrooms. Ids and the catalogue file's slugs are accepted. */
import { Effect, Option, Record, type Schema, SchemaIssue } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { userInfo } from "node:os"
import type { ChangedSinceShown } from "../../domain/booking/VersionToken.ts"
import { idOfSlug, type SlugKind } from "../../domain/catalogue/Slugs.ts"
import type { InvalidArguments } from "../../platform/errors/InvalidArguments.ts"
import type { Actor } from "../../domain/payment/changes/BookingChanges.ts"
import { StaffName } from "../../domain/people/staff/StaffMember.ts"
import { failed } from "./Failure.ts"
import { Bookings } from "../../domain/booking/Bookings.ts"

export const booking_id = Argument.String("booking").pipe(
  Argument.withDescription("booking_… or the reference, like K7M2-9QXD")
)

/** The names of all switches. */
export const switches = new Set<string>()

/** A flag that is given or not. */
export const switchFlag = (name: string, description: string) => {
  switches.add(name)
  return Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))
}

/** What a command's help shows as examples, without the name of the program: by what each is for. */
export const examples = (commands: Readonly<Record<string, string>>) =>
  Command.withExamples(
    Object.entries(commands).map(([description, command]) => ({ command: `playroom ${command}`, description }))
  )

/** An optional flag as an optional field. */
export const given = <K extends string, A>(name: K, flag: Option.Option<A>): Partial<Record<K, A>> =>
  Option.match(flag, { onNone: () => ({}), onSome: (value) => Record.singleton(name, value) })

/** The state that a preview showed (`domain/booking/VersionToken.ts`). */
export const asShown = Flag.String("as-shown").pipe(
  Flag.withDescription("The code that --preview printed: do exactly what it said, or nothing"),
  Flag.optional
)

/** Who at the venue does it, for the booking's history. */
export const by = Flag.String("by").pipe(
  Flag.withDescription("Who does it, for the history; else the user of the command"),
  Flag.withSchema(StaffName),
  Flag.optional
)

/** The user who runs the command. */
export const commandUser = Effect.sync(() => {
  try {
    return `${userInfo().username} (command line)`
  } catch {
    // In containers, users may have no name.
    return `user ${process.getuid?.() ?? "unknown"} (command line)`
  }
})

/** Who does it: the name that was given with `--by`, or the user of the command. */
export const whoDoes = (by: Option.Option<string>): Effect.Effect<string> =>
  Option.match(
    Option.filter(by, (name) => name !== ""),
    { onNone: () => commandUser, onSome: Effect.succeed }
  )

/** The same as the services take it. What a booking's history names nobody for, the family did. */
export const doneBy = (by: Option.Option<string>): Effect.Effect<{ readonly done_by: string }> =>
  Effect.map(whoDoes(by), (done_by) => ({ done_by }))

/** The same for a change of a booking: a command may all. */
export const commandActor = (by: Option.Option<string>): Effect.Effect<Actor> =>
  Effect.map(whoDoes(by), (name) => ({ as: "operator", name }))

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

/** The options that a field of a request comes from. */
type OptionOf = Readonly<Record<string, string>>

/** The option at fault, and what it may be. `path`: names of fields, and positions in lists. */
const faultOf = (options: OptionOf, path: ReadonlyArray<string>, message: string): string => {
  const option = path.flatMap((field) => options[field] ?? [])[0]
  return `${option ?? path.filter((field) => field !== "").join(".")}: ${message}.`
}

/** What is wrong with the options of a command, whose fields a schema has refused. */
export const refusedOptions = (options: OptionOf, { issue }: Schema.SchemaError): string =>
  issuesOf(issue)
    .issues.map(({ message, path = [] }) =>
      faultOf(
        options,
        path.map((segment) => String(typeof segment === "object" ? segment.key : segment)),
        message
      )
    )
    .join(" ")

/** For `Effect.catchTags`: options that are wrong end the command, each by its name. */
export const wrongOptions = (options: OptionOf) => ({
  SchemaError: (error: Schema.SchemaError) => failed(refusedOptions(options, error)),
  InvalidArguments: ({ issues }: InvalidArguments) =>
    failed(issues.map(({ message, path }) => faultOf(options, path.split(/[.[\]]/), message)).join(" "))
})

/** The options of a party, and of who comes with it. */
export const partyOptions: OptionOf = {
  children: "--children",
  adults: "--adults",
  child_ages: "--ages",
  add_ons: "--add-on",
  contact_name: "--name",
  contact_email: "--email",
  contact_phone: "--phone",
  phone: "--phone",
  name: "--name",
  email: "--email",
  notes: "--notes"
}

/** The last line of a preview. */
export const doAsShown = ({ shown }: { readonly shown: string }): string =>
  `Without --preview and with --as-shown ${shown}, exactly this is done, or nothing.`

/** For `Effect.catchTags`: the booking is not as the preview showed it. */
export const changedSinceShown = ({ message }: ChangedSinceShown) =>
  failed(`${message} --preview says what it would do now.`)

/** For `Effect.catchTags`: an unknown booking ends the command. */
export const bookingMissing = (id: string) => ({
  BookingNotFound: () => failed(`There is no booking ${id}.`)
})

/** The booking of a command, by its id or reference. */
export const bookingNamed = (id: string) =>
  Bookings.use((bookings) => bookings.get(id)).pipe(Effect.catchTags(bookingMissing(id)))

/** The operator of a command. */
export const operatorArgument = Argument.String("operator").pipe(
  Argument.withDescription("Its slug in the catalogue file, or operator_…, as `operator list` shows it")
)

/** The filters `--operator` and `--playroom`. */
export const venueFlag = (kind: SlugKind) =>
  Flag.String(kind).pipe(
    Flag.withDescription(
      kind === "operator"
        ? "Only this operator's playrooms: its slug, or operator_…"
        : "Only this playroom: its slug, OPERATOR/PLAYROOM where several have it, or playroom_…"
    ),
    Flag.optional
  )

/** What a command says of a package that it takes. */
export const packageForms = "its slug, PLAYROOM/PACKAGE where several have it, or package_…"

/** Resolves an id or slug to the id. */
export const idNamed = (kind: SlugKind, text: string) =>
  idOfSlug(kind, text).pipe(Effect.catchTag("SlugUnclear", failed))

/** The same for an optional flag. */
export const flagNamed = (kind: SlugKind, flag: Option.Option<string>) =>
  Option.match(flag, { onNone: () => Effect.succeedNone, onSome: (text) => Effect.asSome(idNamed(kind, text)) })

/** What `--operator` and `--playroom` name, by their ids; a flag that was not given is absent. */
export const venueNamed = Effect.fnUntraced(function* (flags: {
  readonly operator: Option.Option<string>
  readonly playroom: Option.Option<string>
}) {
  return {
    ...given("operator_id", yield* flagNamed("operator", flags.operator)),
    ...given("playroom_id", yield* flagNamed("playroom", flags.playroom))
  }
})

/** For `Effect.catchTags`: an unknown operator ends the command. */
export const operatorMissing = (id: string) => ({
  OperatorNotFound: () => failed(`There is no operator ${id}: see playroom operator list.`)
})
