/** What the contracts of our pages have in common: media type, query, language, middleware, and how they are documented. */
import { Option, Schema, SchemaGetter } from "effect"
import { HttpApiMiddleware, HttpApiSchema, OpenApi } from "effect/http-api"
import { languages, preferredLanguage } from "../i18n/Languages.ts"

/** A page for people. */
export const page = (description: string) =>
  Schema.String.annotate({ description }).pipe(HttpApiSchema.asText({ contentType: "text/html; charset=utf-8" }))

/** An optional parameter of a page's query. */
export const query = (description: string) => Schema.optionalKey(Schema.String.annotate({ description }))

/** The page's language, from `Accept-Language`. */
const AcceptLanguage = Schema.optionalKey(
  Schema.String.annotate({ description: `${languages.map((one) => `\`${one}\``).join(", ")}; English for any other.` })
).pipe(
  Schema.decodeTo(Schema.Literals(languages), {
    decode: SchemaGetter.transformOptional((header) => Option.some(preferredLanguage(Option.getOrUndefined(header)))),
    encode: SchemaGetter.transform((language): string => language)
  })
)
/** The header of a page that is in the reader's language. */
export const languageHeader = { "accept-language": AcceptLanguage }

/** The page for an address over its limit. */
export const tooMany = HttpApiSchema.status(429)(
  page("Too many requests from this address: `Retry-After` says how long to wait.")
)
/** The page for a time without a database. */
export const unavailable = HttpApiSchema.status(503)(page("The page can't be made now."))

/** Uses the first value of a repeated query parameter, so that people's links are not refused for it. */
export class FirstQueryValues extends HttpApiMiddleware.Service<FirstQueryValues>()("playroom/api/FirstQueryValues") {}

/** Common to all pages that a token opens: the address's rate limit, a timeout, and an error page for people. */
export class LinkPages extends HttpApiMiddleware.Service<LinkPages>()("playroom/api/LinkPages", {
  error: [
    HttpApiSchema.status(404)(
      page(
        "There is nothing for whoever asks: a token is wrong, was renewed or has ended, or a booking is another operator's."
      )
    ),
    tooMany,
    unavailable
  ]
}) {}

/** The title and the text of an endpoint in `/openapi.json`. */
export const documentation = (summary: string, description: string) => OpenApi.annotations({ summary, description })
