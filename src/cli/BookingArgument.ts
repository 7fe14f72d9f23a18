/** The booking that a command is about. */
import { Effect } from "effect"
import { Argument } from "effect/cli"
import { CommandFailed } from "./Failure.ts"

export const booking_id = Argument.String("booking").pipe(
  Argument.withDescription("booking_… or the reference, like K7M2-9QXD")
)

/** For `Effect.catchTags`: there is no such booking. */
export const orMissing = (id: string) => ({
  BookingNotFound: () => Effect.fail(new CommandFailed({ message: `There is no booking ${id}.` }))
})
