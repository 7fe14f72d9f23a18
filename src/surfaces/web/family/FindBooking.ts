/** `/b`: who lost the link of a booking's page has it sent again. Without letters it says whom to ask. */
import { Effect, Option, Schema } from "effect"
import type { HttpServerResponse } from "effect/http"
import { findBookingPath } from "../../../platform/access/LinkTokens.ts"
import { EmailAddress } from "../../../platform/text/Contact.ts"
import { BookingLinks } from "../../../domain/booking/BookingLinks.ts"
import { AppConfig } from "../../../platform/config/AppConfig.ts"
import { type Language, messages } from "../../../words/Languages.ts"
import { html, type Html } from "../../../platform/text/Html.ts"
import { normalizeReference, TypedReference } from "../../../platform/ids/Ids.ts"
import { page, type PageAnswer, actions, buttonLink } from "../frame/Layout.ts"
import { linkProblemPage } from "../frame/LinkProblems.ts"

/** What was entered, as it was typed. */
interface Entered {
  readonly reference: string
  readonly email: string
}

/** The longest text of a field that is shown again. */
const maxText = 300
const enteredIn = (form: URLSearchParams): Entered => {
  const field = (name: string) => (form.get(name) ?? "").normalize("NFKC").trim().slice(0, maxText)
  return { reference: field("reference"), email: field("email") }
}

const readEntered = Schema.decodeOption(Schema.Struct({ reference: TypedReference, email: EmailAddress }))

const textPage = (
  title: string,
  body: Html,
  language: Language,
  more: { readonly status?: number; readonly headers?: Readonly<Record<string, string>> } = {}
) =>
  page(title, html`<h1>${title}</h1>\n${body}`, {
    language,
    formAction: "'self'",
    ...more,
    headers: { vary: "accept-language", ...more.headers }
  })

const formPage = (
  language: Language,
  entered?: Entered,
  fault?: { readonly text: string; readonly status: number; readonly retryAfter?: number }
): HttpServerResponse.HttpServerResponse => {
  const { findBooking: text, words } = messages[language]
  const described = fault === undefined ? "" : html` aria-describedby="fault"`
  return textPage(
    text.title,
    html`<p class="lead">${text.lead}</p>
${fault === undefined ? "" : html`<p id="fault" class="fault" role="alert">${fault.text}</p>`}
<form method="post" action="${findBookingPath}">
<div class="field"><label for="reference">${words.reference}</label>
<input id="reference" name="reference" required maxlength="40" autocomplete="off" autocapitalize="characters" spellcheck="false" placeholder="K7M2-9QXD" value="${entered?.reference ?? ""}"${described}></div>
<div class="field"><label for="email">${text.email}</label>
<input id="email" name="email" type="email" required maxlength="254" autocomplete="email" value="${entered?.email ?? ""}"${described}></div>
<button>${text.send}</button></form>`,
    language,
    fault === undefined
      ? {}
      : {
          status: fault.status,
          headers: fault.retryAfter === undefined ? {} : { "retry-after": String(fault.retryAfter) }
        }
  )
}

const sentPage = (language: Language) => {
  const { findBooking: text } = messages[language]
  return textPage(
    text.sentTitle,
    html`<p class="lead">${text.sentLead}</p>
<p>${text.sentMore}</p>
${actions(buttonLink(findBookingPath, text.again, true))}`,
    language
  )
}

const askPage = (supportUrl: string | undefined, language: Language) => {
  const { findBooking: text, publisher } = messages[language]
  return textPage(
    text.title,
    html`<p class="lead">${text.askLead}</p>
<p>${text.ask}</p>
${supportUrl === undefined ? undefined : actions(buttonLink(supportUrl, publisher.support, true))}`,
    language
  )
}

/** The page, and what a submitted form does. `sender`: the network address of who sends it. */
export const findBooking = Effect.gen(function* () {
  const { publisher } = yield* AppConfig
  const links = yield* BookingLinks

  const show = (language: Language) => (links.sendsLost ? formPage(language) : askPage(publisher.supportUrl, language))

  const act = (form: URLSearchParams, sender: string, language: Language): PageAnswer => {
    if (!links.sendsLost) return Effect.succeed(show(language))
    const { findBooking: text } = messages[language]
    const entered = enteredIn(form)
    const read = readEntered(entered)
    if (Option.isNone(read)) return Effect.succeed(formPage(language, entered, { text: text.wrong, status: 400 }))
    const { email, reference } = read.value
    return links.sendLost({ reference: normalizeReference(reference), email, sender }).pipe(
      Effect.map((taken) => (taken ? sentPage(language) : linkProblemPage("unavailable", language))),
      Effect.catchTag("TooManyLookups", ({ retry_after_seconds }) =>
        Effect.succeed(
          formPage(language, entered, { text: text.tooOften, status: 429, retryAfter: retry_after_seconds })
        )
      )
    )
  }

  return { show, act }
})
