/** `/r/{token}`: where who got a reminder by e-mail stops them, or has them again. It shows nothing of the booking. */
import type { HttpServerResponse } from "effect/http"
import { linkPaths } from "../../access/LinkTokens.ts"
import { type Language, messages } from "../../i18n/Languages.ts"
import { html } from "../../kernel/Html.ts"
import { page } from "../Layout.ts"
import { buttonForm } from "../Parts.ts"

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
