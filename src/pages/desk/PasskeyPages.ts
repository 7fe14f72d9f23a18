/** Where staff sign in, and where an invitation makes a passkey. A script asks the browser for the passkey; all else works without one. */
import type { HttpServerResponse } from "effect/http"
import { html, type Html } from "../../kernel/Html.ts"
import { type Language, messages } from "../../i18n/Languages.ts"
import { deskPaths } from "../../staff/DeskSite.ts"
import type { StaffMember } from "../../staff/StaffMember.ts"
import { page } from "../Layout.ts"

/** What a browser needs for a passkey. */
interface Ceremony {
  readonly challenge: string
  /** The site that the passkey belongs to. */
  readonly site: string
}

/** The field with what the browser answered. */
export const passkeyField = "passkey"

/** Fills the form's field with the passkey's answer, in the JSON of WebAuthn (level 3, 5.1.8). */
const script = `
const form = document.querySelector("form[data-challenge]")
const failed = document.querySelector("[data-failed]")
const { challenge, name, site, user } = form.dataset
const bytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0))
const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")
const asked = { challenge: bytes(challenge), timeout: 300000 }
const passkey = () =>
  user === undefined
    ? navigator.credentials.get({ publicKey: { ...asked, rpId: site, userVerification: "required" } })
    : navigator.credentials.create({
        publicKey: {
          ...asked,
          rp: { id: site, name: document.title },
          user: { id: new TextEncoder().encode(user), name, displayName: name },
          pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: "public-key", alg })),
          authenticatorSelection: { residentKey: "required", userVerification: "required" },
          attestation: "none"
        }
      })
form.addEventListener("submit", async (event) => {
  event.preventDefault()
  failed.hidden = true
  try {
    const { id, rawId, response, type } = await passkey()
    const parts = ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"]
    const answered = Object.fromEntries(parts.filter((part) => response[part]).map((part) => [part, text(response[part])]))
    form.elements.${passkeyField}.value = JSON.stringify({ id, rawId: text(rawId), type, response: answered })
    form.submit()
  } catch {
    failed.hidden = false
  }
})
`

/** The form, and what stands there instead of it or beside it. `user`: whose new passkey this makes. */
const passkeyForm = (
  action: string,
  label: string,
  { challenge, site }: Ceremony,
  language: Language,
  user?: StaffMember
): Html => {
  const text = messages[language].desk
  const who = user === undefined ? "" : html` data-user="${user.staff_id}" data-name="${user.name}"`
  return html`<noscript><p role="alert">${text.needsScript}</p></noscript>
<p role="alert" data-failed="" hidden>${text.noPasskey}</p>
<form method="post" action="${action}" data-challenge="${challenge}" data-site="${site}"${who}>
<input type="hidden" name="${passkeyField}" value="">
<button>${label}</button>
</form>`
}

const shown = (
  title: string,
  body: Html,
  language: Language,
  refused: boolean
): HttpServerResponse.HttpServerResponse => {
  const text = messages[language].desk
  return page(
    title,
    html`<h1>${title}</h1>
${refused ? html`<p role="alert">${text.refused}</p>` : ""}
${body}`,
    {
      language,
      status: refused ? 403 : 200,
      formAction: "'self'",
      headers: { vary: "accept-language, cookie" },
      script
    }
  )
}

/** `refused`: a passkey was not accepted. */
export const signInPage = (
  ceremony: Ceremony,
  language: Language,
  refused = false
): HttpServerResponse.HttpServerResponse => {
  const text = messages[language].desk
  return shown(
    text.signInTitle,
    html`<p class="lead">${text.signInLead}</p>
${passkeyForm(deskPaths.signIn, text.signIn, ceremony, language)}
<p class="soft">${text.inviteAgain}</p>`,
    language,
    refused
  )
}

/** The page of an open invitation. */
export const invitationPage = (
  { ceremony, member, secret }: { readonly ceremony: Ceremony; readonly member: StaffMember; readonly secret: string },
  language: Language,
  refused = false
): HttpServerResponse.HttpServerResponse => {
  const text = messages[language].desk
  return shown(
    text.invitationTitle(member.operator_name),
    html`<p class="lead">${text.invitationLead(member.name)}</p>
${passkeyForm(`${deskPaths.invitation}${secret}`, text.makePasskey, ceremony, language, member)}`,
    language,
    refused
  )
}
