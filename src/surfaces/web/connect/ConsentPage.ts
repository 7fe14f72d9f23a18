/** The pages of signing in at `/mcp/connect`: consent, and errors. */
import type { HttpServerResponse } from "effect/http"
import type { SignIn } from "../../../platform/config/Variables.ts"
import type { Consent } from "../../../domain/oauth/AuthorizationServer.ts"
import { html, type Html, joined, sentence } from "../../../platform/text/Html.ts"
import { type Language, messages } from "../../../words/Languages.ts"
import { isLoopback } from "../../../platform/text/Text.ts"
import { page, facts, isolated } from "../frame/Layout.ts"

/** Why a submitted form was not accepted. */
export type Fault = "keyMissing" | "keyWrong" | "keyAllowsNothing" | "linkWrong" | "tooManyTries" | "tooManyGuests"

const statuses: Readonly<Record<Fault, number>> = {
  keyMissing: 422,
  keyWrong: 422,
  keyAllowsNothing: 422,
  linkWrong: 422,
  tooManyTries: 429,
  tooManyGuests: 429
}

/**
 * The allowed form targets: this service, and the client's redirect address, as Chromium applies the policy to
 * redirects after a form, too. A policy can't name an IPv6 host, and an app's own address only by its scheme.
 */
const formAction = (redirect_uri: string): string => {
  const url = URL.parse(redirect_uri)
  if (url === null) return "'self'"
  const named = (url.protocol === "https:" || url.protocol === "http:") && !url.hostname.startsWith("[")
  return `'self' ${named ? url.origin : url.protocol}`
}

const formOf = (form_token: string, inner: Html): Html =>
  html`<form method="post"><input type="hidden" name="form_token" value="${form_token}">
${inner}
</form>`

/** The page to agree or refuse. `ways` are the ways to sign in from the settings. */
export const consentPage = (
  { client_name, form_token, host, redirect_uri, scopes, standing }: Consent,
  language: Language,
  ways: ReadonlyArray<SignIn>,
  fault?: Fault
): HttpServerResponse.HttpServerResponse => {
  const { signIn: text, words } = messages[language]
  const url = URL.parse(redirect_uri)
  const name = client_name === undefined ? undefined : isolated(client_name)
  const unproven = name === undefined ? text.unprovenNameless : sentence(text.unproven, name)
  const who = {
    proven: html`${name === undefined ? "" : html`${name}<br>`}<code>${host}</code><br><span class="soft">${text.proven}</span>`,
    said: html`<code>${host}</code><br><span class="soft">${unproven}</span>`,
    local: unproven
  }[standing]
  const onDevice = url !== null && (isLoopback(url.hostname) || !/^https?:$/.test(url.protocol))
  const back = onDevice ? html`${words.ownDevice}<br>` : ""
  const guest = html`<section class="card" aria-labelledby="guest"><h2 id="guest">${text.guestHeading}</h2>
<p>${text.guestNote}</p>
${formOf(
  form_token,
  html`<label for="link">${text.linkLabel}</label>
<input id="link" name="link" type="text" inputmode="url" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="500" aria-describedby="link-note${fault === undefined ? "" : " fault"}">
<p id="link-note" class="soft">${text.linkNote}</p>
<button name="decision" value="guest">${text.guestButton}</button>`
)}</section>`
  const key = html`<section class="card" aria-labelledby="key-heading"><h2 id="key-heading">${text.keyHeading}</h2>
<p id="key-note">${text.keyNote}</p>
${formOf(
  form_token,
  html`<label for="key">${text.keyLabel}</label>
<input id="key" name="key" type="password" autocomplete="off" autocapitalize="none" spellcheck="false" required maxlength="200" aria-describedby="key-note${fault === undefined ? "" : " fault"}">
<button name="decision" value="key">${text.keyButton}</button>`
)}</section>`
  const allowed = scopes.map((scope) => (scope === "admin" ? undefined : html`<li>${text.scopes[scope]}</li>`))
  const local = standing === "local"
  return page(
    local ? text.titleLocal : text.title(host),
    html`<h1>${local ? text.titleLocal : sentence(text.title, isolated(host))}</h1>
<p class="lead">${local ? text.leadLocal : sentence(text.lead, isolated(host))}</p>
${fault === undefined ? "" : html`<p role="alert" id="fault">${text[fault]}</p>\n`}${facts([
      { term: text.who, is: who },
      { term: text.mayDo, is: html`<ul>${joined(allowed)}</ul>` },
      { term: text.backTo, is: html`<span class="url">${back}<code>${url?.href}</code></span>` }
    ])}
<p>${text.notYou}</p>
${[ways.includes("guest") ? guest : "", ways.includes("key") ? key : ""]}
${formOf(form_token, html`<button class="second" name="decision" value="refusal">${text.refuse}</button>`)}`,
    {
      language,
      formAction: formAction(redirect_uri),
      status: fault === undefined ? 200 : statuses[fault],
      headers: { vary: "accept-language" }
    }
  )
}

/** Why signing in ended without a redirect. */
type Dead = "noCookie" | "decided" | "expired" | "unavailable" | "tooManyTries"

const titles = {
  noCookie: "noCookieTitle",
  decided: "decidedTitle",
  expired: "expiredTitle",
  unavailable: "errorTitle",
  tooManyTries: "errorTitle"
} as const
const deadStatuses: Readonly<Record<Dead, number>> = {
  noCookie: 400,
  decided: 200,
  expired: 400,
  unavailable: 503,
  tooManyTries: 429
}

export const deadEndPage = (dead: Dead, language: Language): HttpServerResponse.HttpServerResponse => {
  const text = messages[language].signIn
  const title = text[titles[dead]]
  const again = dead === "noCookie" || dead === "expired" ? html`\n<p>${text.startAgain}</p>` : ""
  return page(title, html`<h1>${title}</h1>\n<p class="lead">${text[dead]}</p>${again}`, {
    language,
    status: deadStatuses[dead],
    headers: { vary: "accept-language", ...(dead === "unavailable" ? { "retry-after": "5" } : {}) }
  })
}

/** A client's request that can't be answered by a redirect. `error` and `description` are the protocol's. */
export const errorPage = (
  { description, error, status }: { readonly error: string; readonly description: string; readonly status: number },
  language: Language
): HttpServerResponse.HttpServerResponse => {
  const text = messages[language].signIn
  return page(
    text.errorTitle,
    html`<h1>${text.errorTitle}</h1>
<p class="lead">${text.error}</p>
<p class="url"><code>${error}</code>${description === "" ? "" : html`: ${isolated(description)}`}</p>
<p>${text.startAgain}</p>`,
    { language, status, headers: { vary: "accept-language" } }
  )
}
