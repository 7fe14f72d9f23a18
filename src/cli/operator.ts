/** `playroom operator list|suspend|resume` */
import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import type { Operator } from "../catalogue/Operator.ts"
import { Operators } from "../catalogue/Operators.ts"
import { CommandFailed } from "./Failure.ts"
import { instant, json, print, table } from "./Output.ts"

const operator_id = Argument.String("operator-id").pipe(
  Argument.withDescription("operator_…, as `operator list` shows it")
)

/** For people: which operator there is not, and where to look. */
export const orMissing = (id: string) => ({
  OperatorNotFound: () =>
    Effect.fail(new CommandFailed({ message: `There is no operator ${id}: see playroom operator list.` }))
})

const rows = (operators: ReadonlyArray<Operator>) =>
  table(
    ["OPERATOR", "NAME", "CONNECTED ACCOUNT", "PAID THROUGH", "SUSPENDED"],
    operators.map((operator) => [
      operator.operator_id,
      operator.name,
      operator.connected_account_id ?? "-",
      operator.billing_customer_id === undefined
        ? "not billed"
        : operator.paid_through === undefined
          ? "never"
          : instant(operator.paid_through),
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
  { operator_id, json },
  Effect.fn(function* ({ operator_id, json }) {
    const operator = yield* Operators.use((service) => service.suspend(operator_id)).pipe(
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
  { operator_id, json },
  Effect.fn(function* ({ operator_id, json }) {
    const operator = yield* Operators.use((service) => service.resume(operator_id)).pipe(
      Effect.catchTags(orMissing(operator_id))
    )
    yield* print(json, operator, `${operator.name} is no longer suspended.`)
  })
).pipe(Command.withDescription("Put a suspended operator back on sale"))

export const operator = Command.make("operator").pipe(
  Command.withDescription("List, suspend and resume operators"),
  Command.withSubcommands([list, suspend, resume])
)
