/** The error pages of pages that a token opens. */
import type { HttpServerResponse } from "effect/http"
import { findBookingPath } from "../access/LinkTokens.ts"
import { html } from "../kernel/Html.ts"
import type { Messages } from "../i18n/en/Messages.ts"
import { type Language, messages } from "../i18n/Languages.ts"
import { page } from "./Layout.ts"
import { links } from "./Parts.ts"

/**
 * `nothing`: there is no such address. `dead`: the token is invalid; `invitation`: that of an invitation. `broken`: a fault of ours. `unavailable`: the page
 * can't be built now. `tooMany`: this network address is over its limit. `unreadable`: the form is incomplete or not
 * ours.
 */
type LinkProblem = keyof Messages["linkProblems"]

/** The pages from which a booking can be found again. */
const leadToBooking: ReadonlySet<LinkProblem> = new Set(["nothing", "dead", "invitation"])

const statuses: Readonly<Record<LinkProblem, number>> = {
  nothing: 404,
  dead: 404,
  invitation: 404,
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
  const { findBooking, linkProblems } = messages[language]
  const { lead, more, title } = linkProblems[problem]
  return page(
    title,
    html`<h1>${title}</h1>
<p class="lead">${lead}</p>
<p>${more}</p>
${
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
