/** The provider's failures, as people at the command line read them. */
import { Effect } from "effect"
import type { GatewayError } from "../payment/provider/PaymentGateway.ts"
import { CommandFailed } from "./Failure.ts"

/** Why the provider did not answer as hoped, in a clause. */
export const providerSaid = (error: GatewayError): string => {
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

const failed = (error: GatewayError) =>
  Effect.fail(new CommandFailed({ message: `The provider did not do it: ${providerSaid(error)}` }))

/** For `Effect.catchTags`: what the provider failed at ends the command. */
export const providerFailed = {
  ProviderUnavailable: failed,
  ProviderRefused: failed,
  ProviderKeyReused: failed,
  AccountUnavailable: failed
}
