/** The welcome text of a listening service: its addresses, a new key (if any), and shell lines to paste. */
import { Clock, Console, Effect, Redacted } from "effect"
import { ApiKeys } from "../../platform/access/ApiKeys.ts"
import { toolsPath } from "../../domain/oauth/OAuthExchange.ts"
import { AppConfig } from "../../platform/config/AppConfig.ts"
import { addDays, localDateOf } from "../../platform/time/LocalTime.ts"
import { curl } from "../web/landing/Hosts.ts"

// Takes the first id of a kind from an answer. It occurs as JSON and as JSON in text.
const firstOf = (prefix: string): string => `grep -oE '${prefix}_[^"\\\\ ]{12,}' | head -1`

/** Shell lines that find a free start and hold it. Each can be pasted as it is, with any catalogue. */
export const journey = (baseUrl: string, key: string, now: number): ReadonlyArray<string> => {
  // Shell variables stand between quoted parts: '…'$ROOM'…'.
  const withVariable = (line: string, name: string) => line.replace(`@${name}@`, `'$${name}'`)
  const from = addDays(localDateOf("UTC", now), 14)
  return [
    `ROOM=$(${curl(baseUrl, "search_playrooms", { children: 4, date: from })} | ${firstOf("playroom")})`,
    `OPTION=$(${withVariable(curl(baseUrl, "get_booking_options", { playroom_id: "@ROOM@", date: from, date_to: addDays(from, 13), children: 4 }), "ROOM")} | ${firstOf("option")})`,
    withVariable(
      curl(
        baseUrl,
        "create_booking",
        { option_id: "@OPTION@", contact: { name: "Ada Example", email: "ada@example.com" } },
        key
      ),
      "OPTION"
    )
  ]
}

/** `key` is the development key; undefined if the service created none. */
const welcome = (options: {
  readonly baseUrl: string
  readonly key: string | undefined
  /** Whether sign-in is enabled. */
  readonly connect: boolean
  readonly sandbox: boolean
  /** Where letters to families are shown; undefined if they are sent, or not written. */
  readonly letters: string | undefined
  readonly now: number
}): string => {
  const { baseUrl, connect, key, letters, sandbox, now } = options
  const lines = [
    "",
    `  Playroom booking is listening.`,
    "",
    `  MCP endpoint   ${baseUrl}/mcp`,
    ...(connect ? [`  With sign-in   ${baseUrl}${toolsPath}`] : []),
    ...(key === undefined ? [] : [`  X-API-Key      ${key}   (development key of this data directory)`]),
    `  For people     ${baseUrl}/`,
    `  Payments       ${sandbox ? "sandbox: nothing is charged" : "Stripe"}`,
    ...(letters === undefined ? [] : [`  Letters        ${letters}`]),
    "",
    "  Search, without a key:",
    "",
    curl(baseUrl, "search_playrooms", {}),
    ""
  ]
  if (key === undefined) return lines.join("\n")
  return [...lines, "  Find a free start and hold it, with the key:", "", ...journey(baseUrl, key, now), ""].join("\n")
}

/** Announces that the service listens: the welcome, or one line if logs are for machines and there is no new key. */
export const announce: Effect.Effect<void, never, AppConfig | ApiKeys> = Effect.gen(function* () {
  const { baseUrl, connect, letters: sent, logFormat, provider, sandboxPort } = yield* AppConfig
  const { development } = yield* ApiKeys
  const sandbox = provider.kind === "sandbox"
  if (development === undefined && logFormat !== "pretty") {
    return yield* Effect.logInfo("Listening", { mcp: `${baseUrl}/mcp`, payments: provider.kind })
  }
  const now = yield* Clock.currentTimeMillis
  const key = development === undefined ? undefined : Redacted.value(development)
  const shown = sent.kind === "sandbox" && sandboxPort > 0
  const letters = shown ? `http://127.0.0.1:${sandboxPort}/letters` : undefined
  return yield* Console.log(welcome({ baseUrl, key, connect: connect.length > 0, letters, sandbox, now }))
})
