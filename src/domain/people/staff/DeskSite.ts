/** Where the desk is, as browsers and authenticators know it. */
import { isLoopback } from "../../../platform/text/WebAddress.ts"

/** The paths of the desk. The secret of an invitation, or the id of a booking, follows the path. */
export const deskPaths = {
  desk: "/desk",
  invitation: "/desk/invitation/",
  booking: "/desk/b/",
  owed: "/desk/owed",
  closed: "/desk/closed",
  closing: "/desk/closing",
  month: "/desk/month",
  monthFile: "/desk/month.csv",
  book: "/desk/book",
  people: "/desk/people",
  signIn: "/desk/sign-in",
  signOut: "/desk/sign-out"
} as const

/** The site that passkeys belong to: its origin, and its id for authenticators. */
export const deskSite = (baseUrl: string): { readonly origin: string; readonly id: string } => {
  const url = new URL(baseUrl)
  // A passkey can't belong to an IP address (WebAuthn, 5.1.2), and this machine has a name.
  if (isLoopback(url.hostname)) url.hostname = "localhost"
  return { origin: url.origin, id: url.hostname }
}
