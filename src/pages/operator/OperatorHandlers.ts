/** `/o/{token}` and `/o/{token}.ics`: an operator's days, read-only. */
import { Effect, Option } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { createHash } from "node:crypto"
import { AppConfig } from "../../config/AppConfig.ts"
import { linkPaths } from "../../access/LinkTokens.ts"
import { calendarMediaType } from "../../kernel/CalendarFile.ts"
import { languages } from "../../i18n/Languages.ts"
import { OperatorDays } from "./OperatorDays.ts"
import { HandledApi } from "../../api/Api.ts"
import { linkProblemPage } from "../LinkProblems.ts"
import { operatorDayPage } from "./OperatorDayPage.ts"
import { operatorFeed } from "./OperatorFeed.ts"

/** Whether `If-None-Match` contains the entity tag (RFC 9110, 13.1.2). */
const matchesEtag = (header: string | undefined, etag: string): boolean =>
  header !== undefined && header.split(",").some((one) => one.trim().replace(/^W\//, "") === etag)

export const OperatorHandlers = HttpApiBuilder.group(
  HandledApi,
  "operators",
  Effect.fn(function* (handlers) {
    const days = yield* OperatorDays
    const { baseUrl } = yield* AppConfig

    return handlers
      .handleRaw("operatorDay", ({ headers, params: { token }, query: { cursor, day } }) => {
        const language = headers["accept-language"]
        return days.day(token, { day, cursor }).pipe(
          Effect.map(
            Option.match({
              onNone: () => linkProblemPage("dead", language),
              onSome: (shown) =>
                operatorDayPage(shown, language, `${baseUrl}${linkPaths.operator}${token}.ics?language=${language}`)
            })
          ),
          Effect.orDie
        )
      })
      .handleRaw("operatorCalendar", ({ headers, params, query, request }) => {
        const wanted = headers["accept-language"]
        // A feed's address contains its language, since calendar clients send none.
        const language = languages.find((one) => one === query.language) ?? wanted
        return Effect.gen(function* () {
          const calendar = yield* days.calendar(params.token)
          if (Option.isNone(calendar)) return linkProblemPage("dead", wanted)
          const text = yield* operatorFeed(calendar.value, language)
          const etag = `"${createHash("sha256").update(text).digest("base64url")}"`
          const answered = { etag, vary: "accept-language", "cache-control": "private, no-cache" }
          return matchesEtag(request.headers["if-none-match"], etag)
            ? HttpServerResponse.empty({ status: 304, headers: answered })
            : HttpServerResponse.text(text, { contentType: calendarMediaType, headers: answered })
        }).pipe(Effect.orDie)
      })
  })
)
