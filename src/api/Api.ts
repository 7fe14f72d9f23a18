/**
 * The HTTP contract: every address with its methods, security, bodies and errors. `/openapi.json`, `/docs`, the `Allow`
 * headers and the metrics' routes derive from it, and the compiler checks the handlers against it
 * (`HttpApiBuilder.group`). Only `/mcp` (`McpApi.ts`) and the webhook receivers are mounted by themselves
 * (`mcp/transport/McpEndpoint.ts`, `WebhookHandlers.ts`): what an `HttpApi` handler does before and after, with a copy of
 * the whole context, would take a tenth of a tool call's processor time and a quarter of a delivery's.
 */
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import packageJson from "../../package.json" with { type: "json" }
import { calendarMediaType } from "../kernel/CalendarFile.ts"
import { languages, languagesInWords } from "../i18n/Languages.ts"
import { findBookingPath, linkPaths } from "../access/LinkTokens.ts"
import { calendarBounds, maxVisits } from "../booking/OperatorVisits.ts"
import { desk } from "./DeskApi.ts"
import { assistants } from "./McpApi.ts"
import {
  documentation,
  FirstQueryValues,
  languageHeader,
  LinkPages,
  page,
  query,
  tooMany,
  unavailable
} from "./PageContract.ts"
import { NotFoundProblem, NotReadyProblem, retryAfter } from "./Problem.ts"
import { webhooks } from "./WebhookApi.ts"

const noStore = { "cache-control": Schema.Literal("no-store") }
const Alive = Schema.Struct({ status: Schema.Literal("ok") }).annotate({ description: "The process answers." })
const Ready = Schema.Struct({ status: Schema.Literal("ready") }).annotate({
  description: "The database is reachable and migrated, and can be written to."
})

const system = HttpApiGroup.make("system")
  .annotateMerge(OpenApi.annotations({ title: "Service", description: "Health, documentation, and pages for people." }))
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
      success: Schema.Record(Schema.String, Schema.Unknown).annotate({ description: "This document." })
    }).annotateMerge(documentation("This document", "OpenAPI 3.1.")),
    HttpApiEndpoint.get("docs", "/docs", { success: page("The document as a page.") }).annotateMerge(
      documentation("This document as a page", "Works offline: one page, without scripts.")
    ),
    HttpApiEndpoint.get("landing", "/", {
      headers: languageHeader,
      query: {
        onboarding: query("`done` or `expired`: where the provider's onboarding pages lead operators back to.")
      },
      success: page("What this is, and how to connect an assistant.")
    })
      .middleware(FirstQueryValues)
      .annotateMerge(documentation("Start page", "For people: what this is, and how to connect an assistant.")),
    HttpApiEndpoint.get("openaiAppsChallenge", "/.well-known/openai-apps-challenge", {
      success: HttpApiSchema.WithHeaders(
        Schema.String.annotate({ description: "The token of the settings." }).pipe(HttpApiSchema.asText()),
        { "cache-control": Schema.Literal("no-cache") }
      ),
      error: NotFoundProblem
    }).annotateMerge(
      documentation(
        "Whose domain this is",
        "Proves to OpenAI's directory of apps that this domain belongs to whoever lists it there. 404 where no token is set."
      )
    ),
    HttpApiEndpoint.get("checkoutReturn", "/checkout/return", {
      headers: languageHeader,
      query: {
        token: query("Opens the booking."),
        payment: query("Opens the payment."),
        outcome: query("`success` or `cancel`: how the payment page was left."),
        look: query("How often the page has reloaded itself.")
      },
      success: page("How the payment stands, for whoever may not see the booking's page."),
      error: [tooMany, unavailable]
    })
      .middleware(FirstQueryValues)
      .annotateMerge(
        documentation(
          "Where the payer lands",
          "For people coming back from the payment page. The `token` and `payment` in the query, which this service puts there, open one booking and one payment of it: they lead on (303) to the page at which the payer began, which says how that payment stands. With `payment` alone, since the booking's link was renewed, it is said here. Without a valid token nothing is told of any booking."
        )
      )
  )

const token = {
  token: Schema.String.annotate({ description: "From `page_url` of a booking: it opens this one booking." })
}

/** Where the payer of a page came back from. */
const paidQuery = {
  paid: query("The payment from whose page the reader comes back; empty: the latest."),
  outcome: query("`success` or `cancel`: how that page was left."),
  look: query("How often this page has reloaded itself.")
}

const bookingPath = `${linkPaths.booking}:token` as const

const payToken = {
  token: Schema.String.annotate({ description: "From `url` of a payment session: it pays this one booking." })
}

const invitationToken = {
  token: Schema.String.annotate({ description: "From the booking's own page: it shows when and where this one is." })
}

const invitationPath = `${linkPaths.invitation}:token` as const

const payPath = `${linkPaths.pay}:token` as const

const remindersPath = `${linkPaths.reminders}:token` as const

const remindersToken = {
  token: Schema.String.annotate({
    description: "From a reminder: it stops reminders to its address, and shows nothing."
  })
}

const families = HttpApiGroup.make("families")
  .annotateMerge(
    OpenApi.annotations({
      title: "For families",
      description:
        "A booking's own page, its calendar entry and its invitation, for whoever has the address. The token is a secret: it stands in no log, trace or metric."
    })
  )
  .add(
    HttpApiEndpoint.get("findBooking", findBookingPath, {
      headers: languageHeader,
      success: page("A form for the reference and the e-mail address; without letters (`MAIL_URL`), whom to ask.")
    }).annotateMerge(documentation("Finding a booking again", "For who lost the link of a booking's page.")),
    HttpApiEndpoint.post("sendLink", findBookingPath, {
      payload: Schema.Struct({
        reference: Schema.String.annotate({ description: "The booking's reference, as people type it." }),
        email: Schema.String.annotate({ description: "The booking's e-mail address." })
      }).pipe(HttpApiSchema.asFormUrlEncoded()),
      headers: languageHeader,
      success: page("That the link is on its way if there is such a booking: the same if there is none."),
      error: HttpApiSchema.status(400)(
        page("The form came incomplete, is too long, or was sent by another site; or a field can't be read.")
      )
    }).annotateMerge(
      documentation(
        "Having the link sent",
        "To the booking's e-mail address, if it once confirmed or paid something and the visit was at most 90 days ago. Ten tries an hour from one network address with one reference, right and wrong ones."
      )
    ),
    HttpApiEndpoint.get("bookingPage", bookingPath, {
      params: token,
      headers: languageHeader,
      query: {
        step: query("What to do next: `move`, `cancel`, `access` or `receipt`."),
        month: query("YYYY-MM: the days to which the booking can be moved."),
        date: query("YYYY-MM-DD: the times to which it can be moved."),
        option: query("The option to which it is to be moved."),
        grant: query("The assistant whose access is to end."),
        ...paidQuery
      },
      success: page("The booking as it stands.")
    }).annotateMerge(
      documentation(
        "The family's page",
        `What was booked, what is paid and what is due, in ${languagesInWords} by \`Accept-Language\`. Reading changes nothing.`
      )
    ),
    HttpApiEndpoint.get("bookingCalendar", `${bookingPath}.ics`, {
      params: token,
      headers: languageHeader,
      success: Schema.String.annotate({ description: "One event." }).pipe(
        HttpApiSchema.asText({ contentType: calendarMediaType })
      )
    }).annotateMerge(
      documentation(
        "The booking's calendar entry",
        "RFC 5545, in the playroom's time zone. Asked for again after a change, it updates the same event: the booking's id is its UID. What is held is tentative; what was cancelled or has lapsed is cancelled."
      )
    ),
    HttpApiEndpoint.post("bookingStep", bookingPath, {
      params: token,
      payload: Schema.Struct({
        step: Schema.String.annotate({ description: "What the form does." })
      }).pipe(HttpApiSchema.asFormUrlEncoded()),
      headers: languageHeader,
      success: page("What came of it."),
      error: HttpApiSchema.status(400)(page("The form came incomplete, is too long, or was sent by another site."))
    }).annotateMerge(
      documentation("What the family does on its page", "For the forms of that page, which differ by what can be done.")
    ),
    HttpApiEndpoint.get("payPage", payPath, {
      params: payToken,
      headers: languageHeader,
      query: paidQuery,
      success: page("What is to be paid to whom, for what and on which terms; else how the booking stands.")
    }).annotateMerge(
      documentation(
        "Where a booking is paid",
        "With `PAYMENT_LINK=own`, a payment session's `url`. Its one button leads on to the provider's page; nothing else can be done or read here. Reading opens no payment."
      )
    ),
    HttpApiEndpoint.post("payForm", payPath, {
      params: payToken,
      payload: Schema.Struct({
        shown: Schema.String.annotate({ description: "The state of the booking that the page showed." })
      }).pipe(HttpApiSchema.asFormUrlEncoded()),
      headers: languageHeader,
      success: page("Why nothing can be paid now; otherwise it redirects (303) to the provider's page."),
      error: HttpApiSchema.status(400)(page("The form came incomplete, is too long, or was sent by another site."))
    }).annotateMerge(documentation("The button of that page", "Opens the payment as the page showed it, or none.")),
    HttpApiEndpoint.get("invitation", invitationPath, {
      params: invitationToken,
      headers: languageHeader,
      success: page("When and where the visit is.")
    }).annotateMerge(
      documentation(
        "The invitation",
        "For the guests of a confirmed booking: time, place and what to bring; no price, no names, no notes, no reference, and nothing that changes anything. It ends with the booking, and when its link is renewed."
      )
    ),
    HttpApiEndpoint.get("invitationCalendar", `${invitationPath}.ics`, {
      params: invitationToken,
      headers: languageHeader,
      success: Schema.String.annotate({ description: "One event." }).pipe(
        HttpApiSchema.asText({ contentType: calendarMediaType })
      )
    }).annotateMerge(documentation("The invitation's calendar entry", "RFC 5545, with the same that the page says.")),
    HttpApiEndpoint.get("reminders", remindersPath, {
      params: remindersToken,
      headers: languageHeader,
      success: page("Whether reminders are sent, and a button to stop them or to have them again.")
    }).annotateMerge(documentation("Reminders by e-mail", "For who got one. Changes nothing.")),
    HttpApiEndpoint.post("stopReminders", remindersPath, {
      params: remindersToken,
      headers: languageHeader,
      success: page("The same page, as it is then."),
      error: HttpApiSchema.status(400)(page("The form came incomplete, or is too long."))
    }).annotateMerge(
      documentation(
        "Stopping reminders",
        "By the page's button, or by a mailbox's own (RFC 8058, `List-Unsubscribe=One-Click`). With `again=true` they are sent again."
      )
    )
  )
  .middleware(LinkPages)
  .middleware(FirstQueryValues)

const operatorPath = `${linkPaths.operator}:token` as const

const operatorToken = {
  token: Schema.String.annotate({ description: "From `playroom operator link`: it opens the days of this operator." })
}

const operatorDays = HttpApiGroup.make("operators")
  .annotateMerge(
    OpenApi.annotations({
      title: "For operators",
      description:
        "The visits in an operator's playrooms, for whoever has the address. The token is a secret: it stands in no log, trace or metric."
    })
  )
  .add(
    HttpApiEndpoint.get("operatorCalendar", `${operatorPath}.ics`, {
      params: operatorToken,
      headers: languageHeader,
      query: {
        language: query(`${languages.map((one) => `\`${one}\``).join(", ")}; by \`Accept-Language\` if it is absent.`)
      },
      success: [
        Schema.String.annotate({ description: "The visits, as iCalendar (RFC 5545)." }).pipe(
          HttpApiSchema.asText({ contentType: "text/calendar" })
        ),
        HttpApiSchema.Empty(304).annotate({ description: "Nothing has changed since `If-None-Match`." })
      ]
    }).annotateMerge(
      documentation(
        "The operator's calendar",
        `To subscribe to: visits from ${calendarBounds.daysBack} days back to ${calendarBounds.daysAhead} days ahead, at most the first ${calendarBounds.visits.toLocaleString("en")} of them. What is held is tentative; what was cancelled stays in it as cancelled for ${calendarBounds.cancelledDays} days.`
      )
    ),
    HttpApiEndpoint.get("operatorDay", operatorPath, {
      params: operatorToken,
      headers: languageHeader,
      query: {
        day: query("YYYY-MM-DD; today by default."),
        cursor: query("From the link to more visits of the day.")
      },
      success: page("Who comes when on a day, to read and to print.")
    }).annotateMerge(
      documentation(
        "The operator's day",
        `Who comes when, with how many children, extras, notes, and what is still to be paid; at most ${maxVisits} visits on one page. In ${languagesInWords} by \`Accept-Language\`. Nothing can be changed here.`
      )
    )
  )
  .middleware(LinkPages)
  .middleware(FirstQueryValues)

/** The part of the contract that `HttpApiBuilder` handlers implement. */
export const HandledApi = HttpApi.make("playroom").add(system, families, operatorDays, desk)

/** The whole contract. */
export const Api = HttpApi.make("playroom")
  .add(assistants)
  .addHttpApi(HandledApi)
  .add(webhooks)
  .annotateMerge(
    OpenApi.annotations({
      title: "Playroom booking",
      version: packageJson.version,
      description:
        "The booking backend that AI assistants use to find a children's playroom, book it and have it paid. Assistants speak the Model Context Protocol at `POST /mcp`; everything else here is for the payment provider, for probes and for people. Errors outside `/mcp` are RFC 9457 problem details with a stable `code`.",
      license: { name: "MIT" }
    })
  )
