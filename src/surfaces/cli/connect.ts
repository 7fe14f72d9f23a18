/** `playroom connect rotate-keys` */

import { Effect } from "effect"
import { Command, Argument } from "effect/cli"
import { ConnectKeys } from "../../domain/oauth/ConnectKeys.ts"
import { type GrantRow, Grants } from "../../domain/oauth/Grants.ts"
import { failed } from "./Failure.ts"
import { json, print, instant, table } from "./Output.ts"

/** `playroom grant list|revoke` */

/** When a grant was last used, for people. */
export const lastUsed = ({ last_used_at }: Pick<GrantRow, "last_used_at">): string =>
  last_used_at === null ? "never" : instant(last_used_at)

const list = Command.make(
  "list",
  { json },
  Effect.fn(function* ({ json }) {
    const grants = yield* Grants.use((service) => service.list)
    yield* print(
      json,
      grants,
      grants.length === 0
        ? "Nobody has signed in at /mcp/connect yet."
        : table(
            ["GRANT", "HOST", "NAME", "KEY", "AS", "SCOPES", "LAST USED", "STATE"],
            grants.map((grant) => [
              grant.grant_id,
              grant.proven ? grant.host : `${grant.host} (unconfirmed)`,
              grant.client_name ?? "-",
              grant.key_id,
              grant.sign_in,
              grant.scopes.join(" "),
              lastUsed(grant),
              grant.revoked_at === null ? `since ${instant(grant.created_at)}` : `ended ${instant(grant.revoked_at)}`
            ])
          )
    )
  })
).pipe(Command.withDescription("List what people agreed to at /mcp/connect, ended ones for 90 days too"))

const revoke = Command.make(
  "revoke",
  {
    grant_id: Argument.String("grant-id").pipe(Argument.withDescription("grant_…, as `grant list` shows it")),
    json
  },
  Effect.fn(function* ({ grant_id, json }) {
    const found = yield* Grants.use((service) => service.revoke(grant_id))
    if (!found) return yield* failed(`There is no grant ${grant_id}: see playroom grant list.`)
    return yield* print(
      json,
      { grant_id, revoked: true },
      `${grant_id} has ended, and its tokens with it. Every node refuses them within seconds.`
    )
  })
).pipe(Command.withDescription("End a grant for good: its host has to ask anew"))

export const grant = Command.make("grant").pipe(
  Command.withDescription("List and end what people agreed to at /mcp/connect"),
  Command.withSubcommands([list, revoke])
)

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
