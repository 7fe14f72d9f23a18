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
import { makeSignIn, type PasskeyFault } from "../../../domain/people/staff/Passkeys.ts"
import { Staff } from "../../../domain/people/staff/Staff.ts"
import {
  formTokenOf,
  makeStaffSessions,
  sessionLimits,
  tokenDigest
} from "../../../domain/people/staff/StaffSessions.ts"
import { redirectAfterPost, type PageRequest, type PageRow } from "../frame/PageTable.ts"
import type { Messages } from "../../../words/en/Messages.ts"
import { actions, page, type PageAnswer } from "../frame/Layout.ts"
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
  readonly site: ReturnType<typeof deskSite>
}

/** Whose new passkey a form makes. `known`: the passkeys so far. */
interface NewPasskeyOf {
  readonly member: StaffMember
  readonly known: ReadonlyArray<string>
}

/** The field with what the browser answered. */
const passkeyField = "passkey"

/**
 * Fills the form's field with the passkey's answer, in the JSON of WebAuthn (level 3, 5.1.8). What can't be done is told
 * by the sentence of its reason. Browsers say by names what they know (level 3, 5.1.3 and 5.1.4), and keep to themselves
 * whether somebody pressed "cancel", waited too long, or has no passkey. Firefox says `InvalidStateError` where a key
 * has none, and takes keys without a PIN, which the server refuses. Some Androids say `NotSupportedError` where they
 * can't look for passkeys by themselves. Nothing may come between the press and the question: Safari forgets the press.
 */
const script = `
const form = document.querySelector("form[data-challenge]")
const { challenge, known, name, origin, site, user } = form.dataset
const tell = (why) => {
  for (const one of document.querySelectorAll("[data-failed]")) one.hidden = one.dataset.failed !== why
  for (const one of document.querySelectorAll("[data-refused]")) one.hidden = true
}
const cannot = () =>
  !isSecureContext ? "insecure" : location.origin !== origin ? "elsewhere" : navigator.credentials && self.PublicKeyCredential ? "" : "noBrowser"
const whyFailed = {
  NotAllowedError: user === undefined ? "notUsed" : "notMade",
  AbortError: user === undefined ? "notUsed" : "notMade",
  InvalidStateError: user === undefined ? "notHere" : "already",
  ConstraintError: "noPin",
  NotSupportedError: "unable",
  SecurityError: "elsewhere"
}
const bytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0))
const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")
const asked = { challenge: bytes(challenge), timeout: 300000 }
const passkey = (hints) =>
  user === undefined
    ? navigator.credentials.get({ publicKey: { ...asked, rpId: site, userVerification: "required", hints } })
    : navigator.credentials.create({
        publicKey: {
          ...asked,
          rp: { id: site, name: document.title },
          user: { id: new TextEncoder().encode(user), name, displayName: name },
          pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: "public-key", alg })),
          excludeCredentials: known.split(" ").filter(Boolean).map((id) => ({ type: "public-key", id: bytes(id) })),
          authenticatorSelection: { residentKey: "required", userVerification: "required" },
          attestation: "none",
          hints
        }
      })
if (cannot()) tell(cannot())
form.addEventListener("submit", async (event) => {
  event.preventDefault()
  tell(cannot())
  if (cannot()) return
  try {
    const { id, rawId, response, type } = await passkey(event.submitter?.value ? [event.submitter.value] : [])
    const parts = ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"]
    const answered = Object.fromEntries(parts.filter((part) => response[part]).map((part) => [part, text(response[part])]))
    form.elements.${passkeyField}.value = JSON.stringify({ id, rawId: text(rawId), type, response: answered })
  } catch (error) {
    return tell(whyFailed[error.name] ?? "device")
  }
  try {
    await fetch(location.href, { method: "HEAD", cache: "no-store" })
  } catch {
    return tell("offline")
  }
  form.submit()
})
`

/** Why a passkey failed in the browser, or was refused here. */
type Fault = keyof Messages["desk"]["passkeyFaults"]

/** What the browser alone knows. */
const signInFaults: ReadonlyArray<Fault> = [
  "insecure",
  "elsewhere",
  "noBrowser",
  "notUsed",
  "notHere",
  "noPin",
  "unable",
  "device",
  "offline"
]
const invitationFaults = signInFaults.flatMap((fault): ReadonlyArray<Fault> =>
  fault === "notUsed" ? ["notMade"] : fault === "notHere" ? ["already"] : [fault]
)

/** What is wrong, and where it goes on: at the desk's own address, or by signing in. */
const faultText = (fault: Fault, { site }: Ceremony, action: string, language: Language): Html => {
  const { passkeyFaults, signIn } = messages[language].desk
  const own = `${site.origin}${action === deskPaths.signIn ? deskPaths.desk : action}`
  return html`${passkeyFaults[fault]}${
    fault === "elsewhere" || fault === "insecure"
      ? html` <a class="url" href="${own}">${own}</a>`
      : fault === "already"
        ? html` <a href="${deskPaths.desk}">${signIn}</a>`
        : ""
  }`
}

/** A page whose form asks for a passkey. `refused`: why the one before was not accepted. */
const passkeyPage = (
  ceremony: Ceremony,
  {
    action,
    label,
    language,
    lead,
    more,
    of,
    refused,
    title
  }: {
    readonly action: string
    readonly label: string
    readonly language: Language
    readonly lead: string
    readonly more?: Html
    readonly of?: NewPasskeyOf
    readonly refused: PasskeyFault | undefined
    readonly title: string
  }
): HttpServerResponse.HttpServerResponse => {
  const text = messages[language].desk
  const { challenge, site } = ceremony
  const who =
    of === undefined
      ? ""
      : html` data-user="${of.member.staff_id}" data-name="${of.member.name}" data-known="${of.known.join(" ")}"`
  const told = (fault: Fault) => faultText(fault, ceremony, action, language)
  return page(
    title,
    html`<h1>${title}</h1>
${refused === undefined ? "" : html`<p role="alert" data-refused="">${told(refused)}</p>`}
<p class="lead">${lead}</p>
<noscript><p role="alert">${text.needsScript}</p></noscript>
${(of === undefined ? signInFaults : invitationFaults).map(
  (fault) => html`<p role="alert" data-failed="${fault}" hidden>${told(fault)}</p>\n`
)}
<form method="post" action="${action}" data-challenge="${challenge}" data-site="${site.id}" data-origin="${site.origin}"${who}>
<input type="hidden" name="${passkeyField}" value="">
${actions(html`<button>${label}</button>`, html`<button class="second" name="hint" value="hybrid">${text.otherDevice}</button>`)}
</form>${more ?? ""}`,
    {
      language,
      status: refused === undefined ? 200 : 403,
      formAction: "'self'",
      headers: { vary: "accept-language, cookie" },
      script,
      asksUs: true
    }
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

  const signInAgain = (language: Language, refused?: PasskeyFault) =>
    Effect.map(signIn.challenge(), (challenge) => {
      const text = messages[language].desk
      return passkeyPage(
        { challenge, site },
        {
          action: deskPaths.signIn,
          label: text.signIn,
          language,
          lead: text.signInLead,
          more: html`\n<p class="soft">${text.inviteAgain}</p>`,
          refused,
          title: text.signInTitle
        }
      )
    })

  /** The page of an open invitation. */
  const invited = Effect.fnUntraced(function* (secret: string, language: Language, refused?: PasskeyFault) {
    const found = yield* staff.invited(secret)
    if (Option.isNone(found)) return linkProblemPage("deskInvitation", language)
    const member = found.value
    const text = messages[language].desk
    const [challenge, known] = yield* Effect.all([signIn.challenge(secret), signIn.known(member.staff_id)])
    return passkeyPage(
      { challenge, site },
      {
        action: `${deskPaths.invitation}${secret}`,
        label: text.makePasskey,
        language,
        lead: text.invitationLead(member.name),
        of: { member, known },
        refused,
        title: text.invitationTitle(member.operator_name)
      }
    )
  })

  /** Answers who is signed in; anybody else sees where to sign in. */
  const atDesk = ({ language, request }: PageRequest, answer: (desk: DeskRequest) => PageAnswer): PageAnswer => {
    const token = cookie.read(request)
    return Effect.flatMap(
      token === undefined ? Effect.succeedNone : sessions.of(token),
      Option.match({
        onNone: () => signInAgain(language),
        onSome: (member) =>
          answer({ member, language, form: formTokenOf(token ?? ""), session: tokenDigest(token ?? "") })
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
            InvitationEnded: () => Effect.succeed(linkProblemPage("deskInvitation", language)),
            PasskeyRefused: ({ why }) => invited(token, language, why)
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
          Effect.catchTag("PasskeyRefused", ({ why }) => signInAgain(asked.language, why))
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
