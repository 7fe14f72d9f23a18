/** What a failed command prints (one or a few lines, what to do, no stack), and the exit code of a process. */
import { Cause, Effect, Exit, Schema } from "effect"
import type { GatewayError } from "../../domain/payment/provider/PaymentGateway.ts"

/** A command failed. The message is for the user. */
export class CommandFailed extends Schema.TaggedError<CommandFailed>()("CommandFailed", { message: Schema.String }) {}

/** The command fails with a text, or with what an error says. */
export const failed = (why: string | { readonly message: string }) =>
  Effect.fail(new CommandFailed({ message: typeof why === "string" ? why : why.message }))

/** Why a call to the payment provider failed, as a clause for people. */
export const providerFailure = (error: GatewayError): string => {
  switch (error._tag) {
    case "ProviderUnavailable":
    case "AccountUnavailable":
      return error.reason
    case "ProviderRefused":
      return error.message
    case "ProviderKeyReused":
      return "the same wish was sent with other words within a day"
  }
}

const failAsCommand = (error: GatewayError) => failed(`The provider did not do it: ${providerFailure(error)}`)

/** For `Effect.catchTags`: a provider failure ends the command. */
export const providerFailed = {
  ProviderUnavailable: failAsCommand,
  ProviderRefused: failAsCommand,
  ProviderKeyReused: failAsCommand,
  AccountUnavailable: failAsCommand
}

const cutOff = "It was cut off before its end: look at what was done before you repeat it."

/** `stopped`: a signal stopped the service, so it succeeded. An interrupted command has failed. */
export const exitCodeOf = <A, E>(
  exit: Exit.Exit<A, E>,
  stopped: boolean
): { readonly code: number; readonly says?: string } => {
  if (Exit.isSuccess(exit)) return { code: 0 }
  if (!Cause.hasInterruptsOnly(exit.cause)) return { code: 1 }
  return stopped ? { code: 0 } : { code: 1, says: cutOff }
}

/** For a process that exits before its work is done: its exit code is never 0. */
export const unfinishedExitCode = (code: number): { readonly code: number; readonly says?: string } =>
  code === 0 ? { code: 1, says: cutOff } : { code }
