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
    /** Whether the family came. */
    marks: { arrived: "Arrived", no_show: "Did not come" },
    undo: (mark: string) => `Undo “${mark}”`,
    notMarked: "Another mark stands by now, or this can’t be marked at this time. Nothing was changed.",
    managersTitle: "Only a manager can do this",
    managersOnly: "Please ask a manager of your venue. Nothing was changed.",
    toBooking: "Back to the booking",
    goOn: "Continue",
    changed: "Nothing was done: something has changed since you looked. This is how it stands now.",
    amountIn: (currency: string) => `Amount in ${currency}`,
    amountWrong: (example: string) => `Please give an amount like ${example}.`,
    amountSteps: (step: string) => `The provider can move this currency only in steps of ${step}.`,
    reason: "Reason",
    reasonHint: "It stands in the booking’s history, which the family can read.",
    reasonNeeded: "Please give a reason: this is not what the terms say.",
    pay: {
      title: "Record a payment",
      way: "How was it paid?",
      whichWay: "Please say how it was paid.",
      confirm: "Record the payment",
      left: "Still to be paid after that",
      confirms: "With it, the booking is confirmed.",
      pages: "Pages on which the same could be paid online are closed.",
      nothing: "Nothing can be paid for this booking now.",
      more: (owed: string) => `No more than ${owed} is owed.`,
      less: (due: string) => `The places are only held: at least ${due} is due now.`,
      processing: "An online payment is being processed. Wait until it has arrived or failed."
    },
    returned: {
      todo: (amount: string) => `${amount} is to be given back at the venue`,
      how: "How was it given back?",
      ways: { cash: "in cash", card: "on the card", transfer: "by transfer" },
      done: "It was given back"
    },
    back: {
      title: "Give an amount back",
      confirm: "Give it back",
      nothing: "Nothing that was paid is left.",
      tooMuch: (left: string) => `No more than ${left} of what was paid is left.`,
      byHand: (amount: string) => `${amount} of it was paid at the venue: give it back by hand.`,
      before: (amount: string) => `${amount} went back before, and is counted.`,
      disputed: (amount: string) => `${amount} is under dispute. No refund is sent before that is decided.`,
      notAsked:
        "The payment provider could not be asked what went back before. It is asked before the refund is sent, which may then be less.",
      stays: "The booking itself stays as it is."
    },
    cancel: {
      title: "Cancel the booking",
      confirm: "Cancel it now",
      refund: "What goes back?",
      byTerms: "What the terms say",
      full: "All that is left of what was paid",
      none: "Nothing",
      part: "This amount:",
      ended: "This booking has ended already.",
      places: "The places are free for others at once. This can’t be undone."
    },
    change: {
      title: "Change the party",
      confirm: "Change the booking",
      same: "That is what it has already.",
      notConfirmed: "It is not confirmed yet: what is due has to be paid first.",
      begun: "The visit has begun.",
      payment: "An online payment for it is open or on its way. Try again once it has arrived, or in half an hour.",
      refund: "Money for it is on its way back. Try again once that is there.",
      reasonNeeded: "The terms give no such change any more: please give a reason.",
      closed: "The venue is closed at that time.",
      notSold: "That can’t be booked here as things are: cancel the booking and book anew.",
      taken: "That time can’t be had.",
      nearest: (starts: string) => `The nearest that can: ${starts}.`
    },
    move: {
      title: "Move the booking",
      confirm: "Move it",
      date: "New day",
      time: "New start",
      when: "Please give a day and a time."
    },
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
      arrived: "Arrived",
      arrived_undone: "Mark “arrived” taken back",
      no_show: "Did not come",
      no_show_undone: "Mark “did not come” taken back",
      paid_at_venue: "Taken at the venue",
      goodwill: "Amount given back",
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
