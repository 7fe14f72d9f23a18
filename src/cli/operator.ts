/** `playroom operator list|show|suspend|resume|paid-through|onboard` */
import { Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { userInfo } from "node:os"
import { InstantText } from "../catalogue/file/CatalogueSchema.ts"
import type { ChangedBy, Operator } from "../catalogue/Operator.ts"
import { Operators } from "../catalogue/Operators.ts"
import { dayMs, type Instant, LocalDate } from "../kernel/LocalTime.ts"
import { CommandFailed } from "./Failure.ts"
import { operator_id, orMissing, paidThrough } from "./OperatorArgument.ts"
import { onboard, show } from "./operatorAccount.ts"
import { instant, json, print, table } from "./Output.ts"

const reason = Flag.String("reason").pipe(
  Flag.withDescription("Why, for the operator's history"),
  Flag.withSchema(Schema.String.check(Schema.isNonEmpty(), Schema.isMaxLength(500)))
)

/** The user who runs the command. */
const person = Effect.sync(() => {
  try {
    return `${userInfo().username} (command line)`
  } catch {
    // A user without a name, as in containers.
    return `user ${process.getuid?.() ?? "unknown"} (command line)`
  }
})
const changedBy = (reason: Option.Option<string>) =>
  Effect.map(person, (who): ChangedBy => (Option.isSome(reason) ? { who, reason: reason.value } : { who }))

const rows = (operators: ReadonlyArray<Operator>) =>
  table(
    ["OPERATOR", "NAME", "CONNECTED ACCOUNT", "PAID THROUGH", "SUSPENDED"],
    operators.map((operator) => [
      operator.operator_id,
      operator.name,
      operator.connected_account_id ?? "-",
      paidThrough(operator),
      operator.suspended_at === undefined ? "-" : instant(operator.suspended_at)
    ])
  )

const list = Command.make(
  "list",
  { json },
  Effect.fn(function* ({ json }) {
    const operators = yield* Operators.use((service) => service.list)
    yield* print(json, operators, operators.length === 0 ? "No operators yet: import a catalogue." : rows(operators))
  })
).pipe(Command.withDescription("List all operators"))

const suspend = Command.make(
  "suspend",
  { operator_id, reason: Flag.optional(reason), json },
  Effect.fn(function* ({ operator_id, reason, json }) {
    const why = yield* changedBy(reason)
    const operator = yield* Operators.use((service) => service.suspend(operator_id, why)).pipe(
      Effect.catchTags(orMissing(operator_id))
    )
    yield* print(
      json,
      operator,
      `${operator.name} is suspended: not listed, sells nothing. Existing bookings stay valid.`
    )
  })
).pipe(Command.withDescription("Take an operator off sale; existing bookings stay valid"))

const resume = Command.make(
  "resume",
  { operator_id, reason: Flag.optional(reason), json },
  Effect.fn(function* ({ operator_id, reason, json }) {
    const why = yield* changedBy(reason)
    const operator = yield* Operators.use((service) => service.resume(operator_id, why)).pipe(
      Effect.catchTags(orMissing(operator_id))
    )
    yield* print(json, operator, `${operator.name} is no longer suspended.`)
  })
).pipe(Command.withDescription("Put a suspended operator back on sale"))

const isDate = Schema.is(LocalDate)
const decodeInstant = Schema.decodeUnknownOption(InstantText)

/** A day counts to its last second, UTC. */
const lastInstant = (text: string): Option.Option<Instant> =>
  isDate(text) ? Option.some(Date.parse(`${text}T00:00:00Z`) + dayMs - 1000) : decodeInstant(text)

const setPaidThrough = Command.make(
  "paid-through",
  {
    operator_id,
    date: Argument.String("date").pipe(
      Argument.withDescription("A date, like 2027-01-31 (to its end, UTC), or an instant with its offset")
    ),
    reason,
    json
  },
  Effect.fn(function* ({ operator_id, date, reason, json }) {
    const until = lastInstant(date)
    if (Option.isNone(until)) {
      return yield* new CommandFailed({
        message: `${JSON.stringify(date)} is neither a date, like 2027-01-31, nor an instant, like 2027-01-31T12:00:00+00:00.`
      })
    }
    const why = yield* changedBy(Option.some(reason))
    const operator = yield* Operators.use((service) => service.setPaidThrough(operator_id, until.value, why)).pipe(
      Effect.catchTags(orMissing(operator_id))
    )
    const note =
      operator.billing_customer_id === undefined ? " It is not billed, so that this changes nothing for now." : ""
    return yield* print(json, operator, `${operator.name} is paid through ${instant(operator.paid_through)}.${note}`)
  })
).pipe(
  Command.withDescription(
    "Say until when an operator's subscription is paid: later or earlier than it is, with a reason"
  )
)

export const operator = Command.make("operator").pipe(
  Command.withDescription("List and show operators, take them off sale and back, and let them take payments"),
  Command.withSubcommands([list, show, suspend, resume, setPaidThrough, onboard])
)
