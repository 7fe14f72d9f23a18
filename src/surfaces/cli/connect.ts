/** `playroom connect rotate-keys` */
import { Effect } from "effect"
import { Command } from "effect/cli"
import { ConnectKeys } from "../../domain/oauth/ConnectKeys.ts"
import { json, print } from "./Output.ts"

const rotateKeys = Command.make(
  "rotate-keys",
  { json },
  Effect.fn(function* ({ json }) {
    yield* ConnectKeys.use((keys) => keys.rotate)
    yield* print(
      json,
      { rotated: true },
      "New keys are made. Every node signs with them within minutes, and accepts the old ones for a day more; nobody has to sign in again."
    )
  })
).pipe(Command.withDescription("Make new keys for the authorization server's cookies and ID tokens"))

export const connect = Command.make("connect").pipe(
  Command.withDescription("Look after the authorization server of /mcp/connect"),
  Command.withSubcommands([rotateKeys])
)
