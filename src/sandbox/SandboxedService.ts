/** What the sandbox has to know of the service that it is the payment provider of. */
import { Context, type Effect, type Redacted } from "effect"
import type { SqlError } from "effect/sql"

/** `platform`: events of the service's own account. `connected`: of its operators' accounts. */
export type Receiver = "platform" | "connected"

export class SandboxedService extends Context.Service<
  SandboxedService,
  {
    /** The port that the sandbox listens on; 0: any that is free. */
    readonly port: number
    /** Where events are delivered, and the secrets that the service accepts: the sandbox signs with the first. */
    readonly receivers: Readonly<
      Record<Receiver, { readonly url: string; readonly secrets: ReadonlyArray<Redacted.Redacted> }>
    >
    /** What the payer reads for a connected account on its payment page. */
    readonly accountName: (account: string) => Effect.Effect<string, SqlError.SqlError>
  }
>()("playroom/sandbox/SandboxedService") {}
