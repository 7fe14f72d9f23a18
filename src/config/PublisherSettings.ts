/** Settings of the publisher: addresses for people, and the domain verification of an app directory. */
import type { Reader, Variable } from "./AppConfigRules.ts"
import { webAddress } from "../kernel/WebAddress.ts"

/** Web addresses of the privacy policy, the terms and support; support may also be a `mailto:` address. */
export interface Publisher {
  readonly privacyUrl?: string
  readonly termsUrl?: string
  readonly supportUrl?: string
}

const mailAddress = /^mailto:[^\s@<>"']+@[^\s@<>"']+$/i

export const readPublisher = (read: Reader): Publisher => {
  const address = (name: Variable, mail: boolean): string | undefined => {
    const text = read.text(name)
    if (text === undefined || webAddress(text) !== undefined || (mail && mailAddress.test(text))) return text
    read.fault(
      `${name} must be an address like https://example.com/help${mail ? " or mailto:help@example.com" : ""}, and is ${JSON.stringify(text)}.`
    )
    return undefined
  }
  const privacyUrl = address("PRIVACY_URL", false)
  const termsUrl = address("TERMS_URL", false)
  const supportUrl = address("SUPPORT_URL", true)
  return {
    ...(privacyUrl === undefined ? {} : { privacyUrl }),
    ...(termsUrl === undefined ? {} : { termsUrl }),
    ...(supportUrl === undefined ? {} : { supportUrl })
  }
}

// The portal's tokens are shorter: a longer text was pasted by mistake.
const challenge = /^[\x21-\x7e]{1,500}$/

/**
 * `OPENAI_APPS_CHALLENGE`: the domain verification token from OpenAI's portal
 * (https://developers.openai.com/apps-sdk/deploy/submission).
 */
export const readChallenge = (read: Reader): string | undefined => {
  const text = read.text("OPENAI_APPS_CHALLENGE")
  if (text === undefined || challenge.test(text)) return text
  read.fault("OPENAI_APPS_CHALLENGE must be the token as OpenAI's portal shows it: visible characters without spaces.")
  return undefined
}
