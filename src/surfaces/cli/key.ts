/**
 * `playroom key …`: the API keys of assistants; `playroom grant …` and `playroom connect …`: who signed in, and with
 * what.
 */

import { Clock, Effect, Option, Redacted, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Operators } from "../../domain/catalogue/Operators.ts"
import { ConnectKeys } from "../../domain/oauth/ConnectKeys.ts"
import { Grants, type GrantRow } from "../../domain/oauth/Grants.ts"
import { Scope, type ApiKeyRow, ApiKeys } from "../../platform/access/ApiKeys.ts"
import { itemsIn } from "../../platform/text/Text.ts"
import type { Instant } from "../../platform/time/LocalTime.ts"
import { flagNamed, operatorMissing, venueFlag, examples } from "./Arguments.ts"
import { CommandFailed, failed } from "./Failure.ts"
import { fields, instant, json, print, table } from "./Output.ts"

/** When a grant was last used, for people. */
const lastUsed = ({ last_used_at }: Pick<GrantRow, "last_used_at">): string =>
  last_used_at === null ? "never" : instant(last_used_at)

const listGrants = Command.make(
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
).pipe(
  Command.withDescription(
    "List what people agreed to at /mcp/connect: which host acts as which key, and when it last did; ended ones for 90 days too"
  )
)

const revokeGrant = Command.make(
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
).pipe(Command.withDescription("End a grant at once and for good: its host has to ask anew"))

export const grant = Command.make("grant").pipe(
  Command.withDescription("List and end what people agreed to at /mcp/connect"),
  Command.withSubcommands([listGrants, revokeGrant])
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
).pipe(Command.withDescription("Make new keys for the authorization server; nobody has to sign in again"))

export const connect = Command.make("connect").pipe(
  Command.withDescription("Look after the authorization server of /mcp/connect"),
  Command.withSubcommands([rotateKeys])
)

const usual: ReadonlyArray<Scope> = ["bookings:read", "bookings:write", "payments:write"]

const scopes = Flag.String("scopes").pipe(
  Flag.withDescription(
    `Comma-separated: ${Scope.literals.join(", ")} (default: all but admin, which also sees every key's bookings)`
  ),
  Flag.withDefault(usual.join(","))
)

const decodeScopes = (text: string): Effect.Effect<ReadonlyArray<Scope>, CommandFailed> =>
  Schema.decodeUnknownEffect(Schema.NonEmptyArray(Scope))(itemsIn(text, ",")).pipe(
    Effect.mapError(() => new CommandFailed({ message: `--scopes must list some of ${Scope.literals.join(", ")}.` }))
  )

const create = Command.make(
  "create",
  {
    label: Argument.String("label").pipe(
      Argument.withDescription("Who or what the key is for"),
      Argument.withSchema(
        Schema.String.check(
          Schema.isTrimmed(),
          Schema.isMinLength(1, { message: "Expected a label" }),
          Schema.isMaxLength(200)
        )
      )
    ),
    scopes,
    operator: venueFlag("operator"),
    expires: Flag.Date("expires").pipe(
      Flag.withDescription("When it stops working (UTC), like 2027-01-31"),
      Flag.optional
    ),
    json
  },
  Effect.fn(function* ({ label, scopes, operator, expires, json }) {
    const allowed = yield* decodeScopes(scopes)
    if (Option.isSome(expires) && expires.value.getTime() <= (yield* Clock.currentTimeMillis)) {
      return yield* failed(`--expires must be in the future, and is ${instant(expires.value.getTime())}.`)
    }
    const named = yield* flagNamed("operator", operator)
    const bounds = {
      ...(Option.isSome(named)
        ? {
            operator_id: (yield* Operators.use((service) => service.get(named.value)).pipe(
              Effect.catchTags(operatorMissing(named.value))
            )).operator_id
          }
        : {}),
      ...(Option.isSome(expires) ? { expires_at: expires.value.getTime() } : {})
    }
    const keys = yield* ApiKeys
    const { key_id, secret } = yield* keys.create({ label, scopes: allowed, ...bounds })
    const shown = Redacted.value(secret)
    return yield* print(
      json,
      { key_id, secret: shown, label, scopes: allowed, ...bounds },
      `${fields([
        ["key", key_id],
        ["label", label],
        ["scopes", allowed.join(", ")],
        ["operator", bounds.operator_id],
        ["expires", bounds.expires_at === undefined ? undefined : instant(bounds.expires_at)],
        ["X-API-Key", shown]
      ])}\n\nKeep it now: it is not stored and can't be shown again.`
    )
  })
).pipe(
  Command.withDescription("Issue a key for X-API-Key, and show its secret once"),
  examples({ "A key that books and pays": 'key create "Concierge bot"' })
)

const validityText = ({ revoked_at, expires_at }: ApiKeyRow, now: Instant): string => {
  if (revoked_at !== null) return `revoked ${instant(revoked_at)}`
  if (expires_at === null) return "valid"
  return `${expires_at <= now ? "expired" : "until"} ${instant(expires_at)}`
}

const list = Command.make(
  "list",
  { json },
  Effect.fn(function* ({ json }) {
    const keys = yield* ApiKeys.use((service) => service.list)
    const grants = (yield* Grants.use((service) => service.list)).filter(({ revoked_at }) => revoked_at === null)
    const grantsOf = ({ key_id }: ApiKeyRow) => grants.filter((grant) => grant.key_id === key_id)
    const now = yield* Clock.currentTimeMillis
    yield* print(
      json,
      keys.map((key) => ({
        ...key,
        grants: grantsOf(key).map(({ grant_id, host, last_used_at }) => ({ grant_id, host, last_used_at }))
      })),
      keys.length === 0
        ? "No keys yet: playroom key create LABEL"
        : table(
            ["KEY", "LABEL", "SCOPES", "OPERATOR", "LAST USED", "STATE", "CONNECTED (LAST USED)"],
            keys.map((key) => [
              key.key_id,
              key.label,
              key.scopes.join(" "),
              key.operator_id ?? "all",
              key.last_used_at === null ? "never" : instant(key.last_used_at),
              validityText(key, now),
              grantsOf(key)
                .map((grant) => `${grant.host} (${lastUsed(grant)})`)
                .join(", ")
            ])
          )
    )
  })
).pipe(Command.withDescription("List all keys, revoked ones too, and which hosts act as them; never their secrets"))

const revoke = Command.make(
  "revoke",
  { key_id: Argument.String("key-id").pipe(Argument.withDescription("key_…, as `key list` shows it")), json },
  Effect.fn(function* ({ key_id, json }) {
    const found = yield* ApiKeys.use((service) => service.revoke(key_id))
    if (!found) return yield* failed(`There is no key ${key_id}: see playroom key list.`)
    return yield* print(json, { key_id, revoked: true }, `${key_id} is revoked. Every node refuses it within seconds.`)
  })
).pipe(Command.withDescription("End a key for good, and what acts as it"))

export const key = Command.make("key").pipe(
  Command.withDescription("Issue, list and revoke API keys"),
  Command.withSubcommands([create, list, revoke])
)
