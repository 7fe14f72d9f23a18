/** `/r/{token}`: where who got a reminder by e-mail stops them, or has them again. It shows nothing of the booking. */
import type { HttpServerResponse } from "effect/http"
import { linkPaths } from "../../../platform/access/LinkTokens.ts"
import { type Language, messages } from "../../../words/Languages.ts"
import { html } from "../../../platform/text/Html.ts"
import { page } from "../frame/Layout.ts"
import { buttonForm } from "../frame/Parts.ts"

/** The field by which the page asks for reminders again. */
export const againField = "again"

export const remindersPage = (
  token: string,
  stopped: boolean,
  language: Language
): HttpServerResponse.HttpServerResponse => {
  const { reminders: text } = messages[language]
  const title = stopped ? text.stoppedTitle : text.title
  return page(
    title,
    html`<h1>${title}</h1>
<p class="lead">${stopped ? text.stoppedLead : text.lead}</p>
${buttonForm(`${linkPaths.reminders}${token}`, stopped ? { [againField]: "true" } : {}, stopped ? text.resume : text.stop, stopped)}`,
    { language, formAction: "'self'", headers: { vary: "accept-language" } }
  )
}
