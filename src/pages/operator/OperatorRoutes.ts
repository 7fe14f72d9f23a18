/** `/o/{token}` and `/o/{token}.ics`: the days of an operator. Reading is all that can be done there. */
import { Effect, Layer, Option } from "effect"
import { HttpServerResponse } from "effect/http"
import { createHash } from "node:crypto"
import { AppConfig } from "../../config/AppConfig.ts"
import { linkPaths } from "../../access/LinkTokens.ts"
import { calendarMediaType } from "../../kernel/CalendarFile.ts"
import { type Language, languages } from "../../kernel/Language.ts"
import { OperatorDays } from "../../payment/OperatorDays.ts"
import { operatorCalendarPath, operatorPath } from "../../api/Api.ts"
import { type LinkRequest, linkRoute } from "../../api/LinkRoutes.ts"
import { operatorDayPage } from "./OperatorDayPage.ts"
import { operatorFeed } from "./OperatorFeed.ts"

const first = (value: string | ReadonlyArray<string> | undefined): string | undefined =>
  typeof value === "string" ? value : value?.[0]

/** The language of a feed is part of its address, since what fetches it for a calendar wants none. */
const feedLanguage = ({ language, query }: LinkRequest): Language =>
  languages.find((one) => one === first(query["language"])) ?? language

/** Whether `If-None-Match` names what the client would get (RFC 9110, 13.1.2). */
const hasAlready = (header: string | undefined, etag: string): boolean =>
  header !== undefined && header.split(",").some((one) => one.trim().replace(/^W\//, "") === etag)

export const OperatorRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const days = yield* OperatorDays
    const { baseUrl } = yield* AppConfig

    const day = linkRoute("GET", operatorPath, (asked) =>
      Effect.map(
        days.day(asked.token, { day: first(asked.query["day"]), cursor: first(asked.query["cursor"]) }),
        Option.map((shown) => {
          const feed = `${baseUrl}${linkPaths.operator}${asked.token}.ics?language=${asked.language}`
          return operatorDayPage(shown, asked.language, feed)
        })
      )
    )

    const feed = linkRoute("GET", operatorCalendarPath, (asked) =>
      Effect.gen(function* () {
        const calendar = yield* days.calendar(asked.token)
        if (Option.isNone(calendar)) return Option.none()
        const text = yield* operatorFeed(calendar.value, feedLanguage(asked))
        const etag = `"${createHash("sha256").update(text).digest("base64url")}"`
        const headers = { etag, vary: "accept-language", "cache-control": "private, no-cache" }
        return Option.some(
          hasAlready(asked.request.headers["if-none-match"], etag)
            ? HttpServerResponse.empty({ status: 304, headers })
            : HttpServerResponse.text(text, { contentType: calendarMediaType, headers })
        )
      })
    )

    return Layer.mergeAll(feed, day)
  })
)
