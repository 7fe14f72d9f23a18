/**
 * Where staff sign in and out, and where an invitation makes a passkey. A script asks the browser for the passkey; all
 * else works without one.
 */
import { Duration, Effect, Option } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { RateLimits } from "../../../platform/access/RateLimits.ts"
import { AppConfig } from "../../../platform/config/AppConfig.ts"
import { type Language, messages } from "../../../words/Languages.ts"
import { html, type Html } from "../../../platform/text/Html.ts"
import { deskPaths, deskSite, type StaffMember } from "../../../domain/people/staff/StaffMember.ts"
import { makeSignIn } from "../../../domain/people/staff/Passkeys.ts"
import { Staff } from "../../../domain/people/staff/Staff.ts"
import { formTokenOf, makeStaffSessions, sessionLimits } from "../../../domain/people/staff/StaffSessions.ts"
import { redirectAfterPost, type PageRequest, type PageRow } from "../frame/PageTable.ts"
import { page, type PageAnswer } from "../frame/Layout.ts"
import { linkProblemPage } from "../frame/LinkProblems.ts"
import type { DeskRequest } from "./DeskFrame.ts"

/** By the service's public address. Over http, which only this machine has, browsers keep no `__Host-` cookie. */
const sessionCookie = (baseUrl: string) => {
  const secure = baseUrl.startsWith("https:")
  const name = secure ? "__Host-desk" : "desk"
  const options = { httpOnly: true, path: "/", sameSite: "strict", secure } as const
  const maxAge = Duration.millis(sessionLimits.longestMs)
  return {
    read: ({ cookies }: HttpServerRequest.HttpServerRequest): string | undefined => cookies[name],
    set: (response: HttpServerResponse.HttpServerResponse, token: string) =>
      HttpServerResponse.setCookieUnsafe(response, name, token, { ...options, maxAge }),
    end: (response: HttpServerResponse.HttpServerResponse) =>
      HttpServerResponse.expireCookieUnsafe(response, name, options)
  }
}

/** What a browser needs for a passkey. */
interface Ceremony {
  readonly challenge: string
  /** The site that the passkey belongs to. */
  readonly site: string
}

/** The field with what the browser answered. */
const passkeyField = "passkey"

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
const signInPage = (ceremony: Ceremony, language: Language, refused = false): HttpServerResponse.HttpServerResponse => {
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
const invitationPage = (
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

const toDesk = redirectAfterPost(deskPaths.desk)

/** Who is signed in, and the pages by which they come and go. */
export const signingIn = Effect.gen(function* () {
  const { baseUrl } = yield* AppConfig
  const limits = yield* RateLimits
  const signIn = yield* makeSignIn
  const sessions = yield* makeStaffSessions
  const staff = yield* Staff
  const cookie = sessionCookie(baseUrl)
  const site = deskSite(baseUrl)

  const signInAgain = (language: Language, refused = false) =>
    Effect.map(signIn.challenge(), (challenge) => signInPage({ challenge, site: site.id }, language, refused))

  const invited = (secret: string, language: Language, refused = false) =>
    Effect.flatMap(
      staff.invited(secret),
      Option.match({
        onNone: () => Effect.succeed(linkProblemPage("dead", language)),
        onSome: (member) =>
          Effect.map(signIn.challenge(secret), (challenge) =>
            invitationPage({ ceremony: { challenge, site: site.id }, member, secret }, language, refused)
          )
      })
    )

  /** Answers who is signed in; anybody else sees where to sign in. */
  const atDesk = ({ language, request }: PageRequest, answer: (desk: DeskRequest) => PageAnswer): PageAnswer => {
    const token = cookie.read(request)
    return Effect.flatMap(
      token === undefined ? Effect.succeedNone : sessions.of(token),
      Option.match({
        onNone: () => signInAgain(language),
        onSome: (member) => answer({ member, language, form: formTokenOf(token ?? "") })
      })
    )
  }

  /** Answers a form in which a passkey proves who somebody is. The address has as many tries as calls. */
  const proving = ({ language, request }: PageRequest, answer: PageAnswer): PageAnswer =>
    Effect.matchEffect(limits.takeForAddress(limits.addressOf(request)), {
      onFailure: ({ retry_after_seconds }) => Effect.succeed(linkProblemPage("tooMany", language, retry_after_seconds)),
      onSuccess: () => answer
    })

  const rows: ReadonlyArray<PageRow> = [
    {
      path: `${deskPaths.invitation}:secret`,
      show: ({ language, token }) => invited(token, language),
      act: (asked, form) => {
        const { language, token } = asked
        const joined = signIn.join(token, form.get(passkeyField) ?? "").pipe(
          Effect.map((session) => cookie.set(toDesk, session)),
          Effect.catchTags({
            InvitationEnded: () => Effect.succeed(linkProblemPage("dead", language)),
            PasskeyRefused: () => invited(token, language, true)
          })
        )
        return proving(asked, joined)
      }
    },
    {
      path: deskPaths.signIn,
      act: (asked, form) => {
        const signedIn = signIn.signIn(form.get(passkeyField) ?? "").pipe(
          Effect.map((session) => cookie.set(toDesk, session)),
          Effect.catchTag("PasskeyRefused", () => signInAgain(asked.language, true))
        )
        return proving(asked, signedIn)
      }
    },
    {
      path: deskPaths.signOut,
      act: ({ request }) => {
        const token = cookie.read(request)
        return Effect.as(token === undefined ? Effect.void : sessions.end(token), cookie.end(toDesk))
      }
    }
  ]

  return { atDesk, rows }
})
