/** Messages of the desk: signing in, the day, a booking. */
import { plural } from "../Message.ts"

export const desk = {
  desk: {
    title: "Desk",
    signInTitle: "Sign in to the desk",
    signInLead: "With the passkey on this device or on your phone.",
    signIn: "Sign in with a passkey",
    needsScript: "Passkeys need JavaScript, which is turned off in this browser.",
    noPasskey: "No passkey was used. Please try again.",
    refused: "That passkey was not accepted, or this page was open for too long. Please try again.",
    inviteAgain: "If you have no passkey here any more, ask for a new invitation.",
    invitationTitle: (operator: string) => `The desk of ${operator}`,
    invitationLead: (name: string) =>
      `Hello ${name}. Make a passkey on this device: from then on, you sign in with it. This link works once.`,
    makePasskey: "Make a passkey",
    signedInAs: (name: string) => `Signed in as ${name}`,
    signOut: "Sign out",
    search: "Name, reference or telephone",
    find: "Search",
    foundTitle: (words: string) => `Search: ${words}`,
    found: plural({ one: "# booking", other: "# bookings" }),
    nothingFound: "No booking matches.",
    moreFound: "There are more. Add a word, or use the reference.",
    toDay: "Back to the day",
    now: (time: string) => `Now: ${time}`,
    byHour: "Children by the hour",
    visits: "Visits",
    toCollect: "Still to be paid that day",
    room: "Room",
    contact: "Contact",
    history: "History",
    /** What happened to a booking, by the history's name for it. */
    events: {
      held: "Held",
      confirmed: "Confirmed",
      paid: "Paid",
      balance_paid: "Balance paid",
      payment_failed: "Payment failed",
      paid_late: "Paid late",
      changed: "Party changed",
      moved: "Moved",
      kept: "Takes place",
      cancelled: "Cancelled",
      hold_expired: "Not paid in time",
      balance_lapsed: "Balance not paid in time",
      refunded: "Paid back",
      refund_failed: "Refund failed",
      disputed: "Payment disputed",
      person_erased: "Name erased"
    }
  }
}

export type Desk = typeof desk
