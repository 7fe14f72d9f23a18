/** What is said of an operator that there is not. */
import { Effect } from "effect"
import { CommandFailed } from "./Failure.ts"

/** For `Effect.catchTags`: an unknown operator ends the command. */
export const orMissing = (id: string) => ({
  OperatorNotFound: () =>
    Effect.fail(new CommandFailed({ message: `There is no operator ${id}: see playroom operator list.` }))
})
