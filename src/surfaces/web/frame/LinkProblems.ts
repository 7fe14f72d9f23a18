/** The pages for people who meet an error, and who gets a page instead of a problem document. */
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { OperatorContact } from "../../../domain/booking/BookingViews.ts"
import { deskPaths } from "../../../domain/people/staff/StaffMember.ts"
import { findBookingPath, linkPaths } from "../../../platform/access/LinkTokens.ts"
import type { Settings } from "../../../platform/config/AppConfig.ts"
import { html, type Html } from "../../../platform/text/Html.ts"
import { type Language, messages, preferredLanguage } from "../../../words/Languages.ts"
import type { Messages } from "../../../words/en/Messages.ts"
import type { ErrorPages } from "../../http/ResponseRules.ts"
import { page, withFooter, links, emailLink, isolated, phoneLink } from "./Layout.ts"

// Whom a family asks, and how. It is told to call only if there is a number.

/** Whom to ask; each way to reach the venue on a line of its own. */
export const askVenue = ({ email, name, phone }: OperatorContact, language: Language): Html => {
  const { askAtVenue, askVenue } = messages[language].words
  const ways = [...(phone === undefined ? [] : [phoneLink(phone)]), ...(email === undefined ? [] : [emailLink(email)])]
  return html`<p>${ways.length === 0 ? askAtVenue : askVenue} ${isolated(name)}${ways.map((way) => html`<br>${way}`)}</p>`
}

/** The same as text. */
export const askVenueText = ({ email, name, phone }: OperatorContact, language: Language): string => {
  const { askAtVenue, askVenue } = messages[language].words
  const ways = [phone, email].filter((way) => way !== undefined)
  return `${ways.length === 0 ? askAtVenue : askVenue} ${[name, ...ways].join(", ")}`
}

/**
 * `nothing`: there is no such address. `dead`: the token is invalid; `invitation`: that of a family's invitation;
 * `deskInvitation`: that of one to the desk. `broken`: a fault of ours. `unavailable`: the page can't be built now. `tooMany`: this network address is over its limit.
 * `unreadable`: the form is incomplete or not ours.
 */
type LinkProblem = keyof Messages["linkProblems"]

/** The pages from which a booking can be found again. */
const leadToBooking: ReadonlySet<LinkProblem> = new Set(["nothing", "dead", "invitation"])

const statuses: Readonly<Record<LinkProblem, number>> = {
  nothing: 404,
  dead: 404,
  invitation: 404,
  deskInvitation: 404,
  broken: 500,
  unavailable: 503,
  tooMany: 429,
  unreadable: 400
}

/** The error page. `retryAfter` is in seconds. */
export const linkProblemPage = (
  problem: LinkProblem,
  language: Language,
  retryAfter = 5
): HttpServerResponse.HttpServerResponse => {
  const { desk, findBooking, linkProblems } = messages[language]
  const { lead, more, title } = linkProblems[problem]
  return page(
    title,
    html`<h1>${title}</h1>
<p class="lead">${lead}</p>
<p>${more}</p>
${problem === "deskInvitation" ? links([html`<a href="${deskPaths.desk}">${desk.signInTitle}</a>`]) : undefined}${
      leadToBooking.has(problem)
        ? links([
            ...(problem === "nothing" ? [html`<a href="/">Playroom booking</a>`] : []),
            html`<a href="${findBookingPath}">${findBooking.title}</a>`
          ])
        : undefined
    }`,
    {
      language,
      status: statuses[problem],
      headers: {
        vary: problem === "nothing" || problem === "broken" ? "accept, accept-language" : "accept-language",
        ...(problem !== "unavailable" && problem !== "tooMany" ? {} : { "retry-after": String(retryAfter) })
      }
    }
  )
}

/** Media types that programs ask for. Browsers name `text/html` and none of these when they open an address. */
const forPrograms = /application\/(problem\+)?json|text\/event-stream/i
const maxAcceptLength = 500

/** Whether who accepts this is a person: a browser that opens an address. */
const isPerson = (accepted = ""): boolean => {
  const accept = accepted.slice(0, maxAcceptLength)
  return /text\/html/i.test(accept) && !forPrograms.test(accept)
}

type Request = HttpServerRequest.HttpServerRequest

const isForPerson = ({ headers }: Request): boolean => isPerson(headers["accept"])

const languageOf = ({ headers }: Request) => preferredLanguage(headers["accept-language"])

/** The pages for people who meet an error. */
export const errorPages = ({ publisher }: Pick<Settings, "publisher">): ErrorPages => {
  const complete = withFooter(publisher)
  // Whoever is refused costs little: each page is made once.
  const refusals = new Map<string, HttpServerResponse.HttpServerResponse>()
  return {
    // A link for people that was copied badly is explained to programs, too: chats open it for a preview.
    missing: (request) =>
      Object.values(linkPaths).some((path) => request.url.startsWith(path))
        ? linkProblemPage(request.url.startsWith(linkPaths.invitation) ? "invitation" : "dead", languageOf(request))
        : isForPerson(request)
          ? linkProblemPage("nothing", languageOf(request))
          : undefined,
    broken: (request) => (isForPerson(request) ? linkProblemPage("broken", languageOf(request)) : undefined),
    refused: ({ accept, languages, retryAfter, status }) => {
      if (!isPerson(accept)) return undefined
      const language = preferredLanguage(languages)
      const key = `${status} ${language}`
      const problem = status === 429 ? "tooMany" : "unavailable"
      const page = refusals.get(key) ?? complete(linkProblemPage(problem, language, retryAfter))
      refusals.set(key, page)
      return page
    },
    complete
  }
}
