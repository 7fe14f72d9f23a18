/** Messages of letters to families, and of the pages that belong to them, in English. */

export const letters = {
  letters: {
    changed: {
      heading: "Your booking has changed",
      lead: "This is how it stands now."
    },
    before: "Before",
    now: "Now",
    balanceDue: {
      heading: "A payment is due soon",
      lead: ({
        amount,
        online,
        until
      }: {
        readonly amount: string
        readonly online: boolean
        readonly until: string
      }) =>
        online
          ? `${amount} is still to be paid, by ${until}. You can pay on your booking’s page.`
          : `${amount} is still to be paid, by ${until}: at the venue.`
    },
    visit: { heading: "Your visit is coming up", lead: (when: string) => `We look forward to seeing you: ${when}.` },
    refundFailed: {
      heading: "A refund did not reach you",
      lead: (amount: string) =>
        `${amount} could not be paid back to you: your bank or card did not take it. It is still yours. Please ask the venue how you get it.`
    },
    sentBack: "A payment goes back to you",
    link: {
      heading: "The link of your booking",
      lead: "Somebody, most likely you, asked for the link of this booking’s page.",
      unasked: "If it was not you, you need not do anything: the link was sent to this address only."
    },
    booked: { heading: "Your booking", lead: "The venue has booked this for you." },
    readdressed: {
      heading: "The e-mail address of a booking was corrected",
      lead: "Letters about this booking go to another address from now on. Links that were sent to you before no longer open anything.",
      unasked: "Is the booking yours, and you did not want this? Then please tell the venue."
    },
    fromVenue: { heading: "A message from the venue", lead: "The venue writes to you about your booking:" },
    placesBack: {
      heading: "Places have come back",
      lead: "You are on the waiting list: these places are held for you now."
    },
    placesLapse:
      "You no longer want them? You need not do anything: they then go to the next family, and you are off the list.",
    openPage: "Open your booking’s page",
    entry: "The attached calendar entry has the place and the time.",
    newEntry: "The attached calendar entry replaces the one that you have.",
    entryRemoved:
      "The attached calendar entry removes the one that you have. If your calendar still shows it afterwards, please delete it there.",
    why: (reference: string) => `You get this letter because this address was given for booking ${reference}.`,
    secret: "Whoever has the link in this letter can see and change the booking: keep it to yourself.",
    stop: "Stop reminders"
  },
  waiting: {
    title: "Waiting list",
    lead: "These places are taken. Do you want them if they come back?",
    how: (time: string) =>
      `Places that come back are held for one family after the other, for ${time} each. A letter tells it, with the link to pay. Whoever does not pay in time has left the list.`,
    join: "Join the waiting list",
    full: "There is no room on this list for you now: it is full, or this e-mail address is waiting for five visits already.",
    freeTitle: "There are places",
    free: "You need not wait: these places can be booked now.",
    noneTitle: "There is no waiting list",
    none: "Nobody can wait for this visit: it is too near, or no longer sold like this, or the venue has no waiting list.",
    onTitle: "You are on the waiting list",
    on: (email: string) => `If the places come back, a letter goes to ${email}.`,
    leave: "Leave the list",
    offTitle: "You are not on the waiting list",
    off: "You have left it, or places were held for you: then a letter has their link."
  },
  reminders: {
    title: "Stop reminders?",
    lead: "You then get no more reminders of payments and visits at this address. Letters about changes and refunds still come.",
    stop: "Stop reminders",
    stoppedTitle: "Reminders are stopped",
    stoppedLead: "No more reminders are sent to this address.",
    resume: "Send reminders again"
  },
  findBooking: {
    title: "Find your booking",
    lead: "Enter the reference and the e-mail address of your booking. Its link is then sent to that address.",
    email: "E-mail address",
    send: "Send the link",
    wrong: "Enter a reference like K7M2-9QXD, and an e-mail address.",
    tooOften: "From your network this reference was tried too often. Please wait an hour, then try again.",
    sentTitle: "Check your inbox",
    sentLead:
      "If there is such a booking, its link is on its way to the e-mail address of the booking. That takes a few minutes at most.",
    sentMore: "Nothing has come? Check the reference, the address and your spam folder.",
    again: "Try again",
    askLead: "This service sends no e-mail.",
    ask: "Ask the venue for the link of your booking: it needs the reference and your name. Or ask the assistant with which you booked."
  }
}

export type Letters = typeof letters
