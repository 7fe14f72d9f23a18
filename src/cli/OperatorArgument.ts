/** What the commands about one operator have in common. */
import { Effect } from "effect"
import { Argument } from "effect/cli"
import type { Operator } from "../catalogue/Operator.ts"
import { CommandFailed } from "./Failure.ts"
import { instant } from "./Output.ts"

export const operator_id = Argument.String("operator-id").pipe(
  Argument.withDescription("operator_…, as `operator list` shows it")
)

/** For `Effect.catchTags`: an unknown operator ends the command. */
export const orMissing = (id: string) => ({
  OperatorNotFound: () =>
    Effect.fail(new CommandFailed({ message: `There is no operator ${id}: see playroom operator list.` }))
})

/** Until when the operator's subscription is paid. */
export const paidThrough = ({ billing_customer_id, paid_through }: Operator): string =>
  billing_customer_id === undefined ? "not billed" : paid_through === undefined ? "never" : instant(paid_through)
