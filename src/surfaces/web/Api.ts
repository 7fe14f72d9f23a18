/**
 * The contract of the addresses that machines call: `/mcp`, the receivers of the payment provider, probes, documents
 * and feeds. `/openapi.json` and `/docs` derive from it, and the compiler checks the handlers against it
 * (`HttpApiBuilder.group`). Pages for people are rows of tables instead (`surfaces/web/frame/PageTable.ts`).
 */
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import packageJson from "../../../package.json" with { type: "json" }
import { linkPaths } from "../../platform/access/LinkTokens.ts"
import { calendarBounds } from "../../domain/booking/OperatorVisits.ts"
import { languages } from "../../words/Languages.ts"
import { calendarMediaType } from "../../platform/time/CalendarFile.ts"
import { assistants } from "../http/McpApi.ts"
import { NotFoundProblem, NotReadyProblem, RateLimitedProblem, retryAfter } from "../http/Problem.ts"
import { webhooks } from "../receivers/Webhooks.ts"

const documentation = (summary: string, description: string) => OpenApi.annotations({ summary, description })

const noStore = { "cache-control": Schema.Literal("no-store") }
const noCache = { "cache-control": Schema.Literal("no-cache") }
const Alive = Schema.Struct({ status: Schema.Literal("ok") }).annotate({ description: "The process answers." })
const Ready = Schema.Struct({
  status: Schema.Literal("ready"),
  time_zone_rules: Schema.String.annotate({ description: "Release of the tz database that its clocks go by." })
}).annotate({ description: "The database is reachable and migrated, and can be written to." })

/** The group of probes and documents. */
export const service = HttpApiGroup.make("service")
  .annotateMerge(OpenApi.annotations({ title: "Service", description: "Health and documents." }))
  .add(
    HttpApiEndpoint.get("healthz", "/healthz", { success: HttpApiSchema.WithHeaders(Alive, noStore) }).annotateMerge(
      documentation("Is the process alive?", "Answers without touching the database: for liveness probes.")
    ),
    HttpApiEndpoint.get("readyz", "/readyz", {
      success: HttpApiSchema.WithHeaders(Ready, noStore),
      error: retryAfter(NotReadyProblem)
    }).annotateMerge(
      documentation(
        "Can it serve?",
        "200 while the database is reachable, migrated and can be written to (tried every few seconds at most); 503 otherwise, and while the service is stopping: for load balancers."
      )
    ),
    HttpApiEndpoint.get("openapi", "/openapi.json", {
      success: HttpApiSchema.WithHeaders(
        Schema.Record(Schema.String, Schema.Unknown).annotate({ description: "This document." }),
        noCache
      ),
      error: retryAfter(RateLimitedProblem)
    }).annotateMerge(documentation("This document", "OpenAPI 3.1; as a page: `/docs`.")),
    HttpApiEndpoint.get("openaiAppsChallenge", "/.well-known/openai-apps-challenge", {
      success: HttpApiSchema.WithHeaders(
        Schema.String.annotate({ description: "The token of the settings." }).pipe(HttpApiSchema.asText()),
        noCache
      ),
      error: NotFoundProblem
    }).annotateMerge(
      documentation(
        "Whose domain this is",
        "Proves to OpenAI's directory of apps that this domain belongs to whoever lists it there. 404 where no token is set."
      )
    )
  )

const page = (description: string) =>
  Schema.String.annotate({ description }).pipe(HttpApiSchema.asText({ contentType: "text/html; charset=utf-8" }))

/** What a feed answers if it has nothing to give. Links of feeds are opened by people, too. */
const instead = [
  HttpApiSchema.status(404)(page("There is nothing: the token is wrong, was renewed or has ended.")),
  HttpApiSchema.status(429)(page("Too many requests from this address: `Retry-After` says how long to wait.")),
  HttpApiSchema.status(503)(page("The file can't be made now."))
]

const calendar = (description: string) =>
  Schema.String.annotate({ description }).pipe(HttpApiSchema.asText({ contentType: calendarMediaType }))

const token = (description: string) => ({ token: Schema.String.annotate({ description }) })

const language = {
  "accept-language": Schema.optionalKey(
    Schema.String.annotate({
      description: `${languages.map((one) => `\`${one}\``).join(", ")}; English for any other.`
    })
  )
}

/** The group of the families' calendar entries. */
export const families = HttpApiGroup.make("families")
  .annotateMerge(
    OpenApi.annotations({
      title: "For families",
      description:
        "Calendar entries of a booking, for whoever has the address. The token is a secret: it stands in no log, trace or metric."
    })
  )
  .add(
    HttpApiEndpoint.get("bookingCalendar", `${linkPaths.booking}:token.ics`, {
      params: token("From `page_url` of a booking: it opens this one booking."),
      headers: language,
      success: calendar("One event."),
      error: instead
    }).annotateMerge(
      documentation(
        "The booking's calendar entry",
        "RFC 5545, in the playroom's time zone. Asked for again after a change, it updates the same event: the booking's id is its UID. What is held is tentative; what was cancelled or has lapsed is cancelled."
      )
    ),
    HttpApiEndpoint.get("invitationCalendar", `${linkPaths.invitation}:token.ics`, {
      params: token("From the booking's own page: it shows when and where this one is."),
      headers: language,
      success: calendar("One event."),
      error: instead
    }).annotateMerge(
      documentation("The invitation's calendar entry", "RFC 5545, with the same that the invitation's page says.")
    )
  )

/** The group of the operators' feed. */
export const operators = HttpApiGroup.make("operators")
  .annotateMerge(
    OpenApi.annotations({
      title: "For operators",
      description:
        "The visits in an operator's playrooms, for whoever has the address. The token is a secret: it stands in no log, trace or metric."
    })
  )
  .add(
    HttpApiEndpoint.get("operatorCalendar", `${linkPaths.operator}:token.ics`, {
      params: token("From `playroom operator link`: it opens the days of this operator."),
      headers: language,
      query: {
        // A repeated parameter is no fault: people's links are taken as they are.
        language: Schema.optionalKey(
          Schema.Union([Schema.String, Schema.Array(Schema.String)]).annotate({
            description: `${languages.map((one) => `\`${one}\``).join(", ")}; by \`Accept-Language\` if it is absent.`
          })
        )
      },
      success: [
        calendar("The visits, as iCalendar (RFC 5545)."),
        HttpApiSchema.Empty(304).annotate({ description: "Nothing has changed since `If-None-Match`." })
      ],
      error: instead
    }).annotateMerge(
      documentation(
        "The operator's calendar",
        `To subscribe to: visits from ${calendarBounds.daysBack} days back to ${calendarBounds.daysAhead} days ahead, at most the first ${calendarBounds.visits.toLocaleString("en")} of them. What is held is tentative; what was cancelled stays in it as cancelled for ${calendarBounds.cancelledDays} days.`
      )
    )
  )

const playroom = HttpApi.make("playroom")

/** One group of the contract, to be mounted with its handlers: `HttpApiBuilder.layer`. */
export const ServiceApi = playroom.add(service)
export const FamiliesApi = playroom.add(families)
export const OperatorsApi = playroom.add(operators)

/** The whole contract. */
export const Api = playroom
  .add(assistants)
  .add(service)
  .add(families)
  .add(operators)
  .add(webhooks)
  .annotateMerge(
    OpenApi.annotations({
      title: "Playroom booking",
      version: packageJson.version,
      description:
        "The booking backend that AI assistants use to find a children's playroom, book it and have it paid. Assistants speak the Model Context Protocol at `POST /mcp`; the other addresses here are for the payment provider, for probes, and for calendars. What people open in a browser is not listed. Errors outside `/mcp` are RFC 9457 problem details with a stable `code`.",
      license: { name: "MIT" }
    })
  )
