/**
 * Messages around a visit: deadlines, calendars, the invitation and the receipt, in English. The compiler requires the
 * same messages of every language.
 */
export const visit = {
  deadlines: {
    left: (duration: string) => `${duration} left`,
    lessThanAMinute: "Less than a minute left",
    over: "The time is over: please load the page again.",
    until: (moment: string) => `until ${moment}`,
    /** The same with a clock time only. */
    untilToday: (time: string) => `until ${time}`,
    /** The same moment on the reader's own clock. */
    yours: (time: string) => `(your time ${time})`,
    local: "All times are the venue’s local time."
  },
  /** On the booking’s page. */
  page: {
    payTogether: (several: number, amount: string) => `Pay all ${several} at once: ${amount}`,
    eachAlone: "Each of these bookings is changed and cancelled by itself.",
    bookAgain: "Book again",
    bookAgainHow:
      "Ask your assistant for another time. If you have none, see which ones can book here, or ask the venue.",
    assistants: "Assistants that can book",
    suspended: "The venue takes no new bookings here at the moment. Your booking stands as it is.",
    moved: (from: string) =>
      `This visit was moved. Before, it was on ${from}. If it is in your calendar, update it there.`,
    /** Names of rooms. */
    otherRoom: (now: string, before: string) =>
      `This visit is in another room now: ${now}. Before, it was in ${before}. If it is in your calendar, update it there.`,
    payTo: (operator: string) => `You pay ${operator}, on the payment provider’s page, and come back here.`,
    kept: "Kept by the venue",
    byTerms: (when: string, amount: string) => `Cancelled on ${when}. By the terms, ${amount} was to come back then.`,
    byTermsNothing: (when: string) => `Cancelled on ${when}. By the terms, nothing was to come back then.`,
    map: "Map",
    directions: "Directions",
    moveInstead: (until: string) => `You can also move it to another time, until ${until}, and cancel nothing.`,
    earlier: "This is earlier than before, and so are the deadlines for cancelling, for good.",
    earlierMoney: (now: string, then: string) =>
      `If you cancel now, ${now} comes back. Once it is moved, ${then} comes back.`
  },
  /** The heads of its columns follow what is paid. */
  refundTable: {
    caption: "What comes back if you cancel",
    until: "Until",
    ofPaid: (sum: string) => `of the ${sum} paid`,
    ofDueNow: (sum: string) => `once the ${sum} due now is paid`,
    ofAll: (sum: string) => `once all ${sum} is paid`,
    nothing: "nothing",
    afterwards: "afterwards"
  },
  /** Calendars on the web; a file is for all others. */
  calendars: {
    google: "Google Calendar",
    outlook: "Outlook.com"
  },
  /** The page for guests, and how the family’s page offers it. */
  invitation: {
    share: "Invite your guests",
    shareLead:
      "Send your guests this link. They see where and when it is, and nothing else: no price, no names, no notes. They can say that they come, and change nothing.",
    shareOpen: "Look at the invitation",
    title: "You are invited",
    ask: "Questions? Please ask whoever invited you.",
    come: "We are coming",
    childName: "First name of the child",
    allergies: "What the child must not eat",
    allergiesHint: "Allergies, for example. Or leave it empty.",
    whoSees: "Whoever invited you sees this, and so does the venue. Other guests do not.",
    send: "We are coming",
    thanks: "Thank you: whoever invited you sees it now. If another child comes along, write that down, too.",
    full: "Nothing was saved: the list is full. Please tell whoever invited you.",
    begun: "Nothing was saved: the visit has begun.",
    wrong: "Nothing was saved. Please look at what is marked.",
    noName: "Please give a first name of at most 60 characters.",
    tooLong: "Please write at most 200 characters.",
    guests: "Guests who say they come",
    remove: "Take out"
  },
  /** A gift voucher, and paying with it. */
  voucher: {
    title: "Gift voucher",
    worth: "Worth",
    left: "Left of the voucher",
    until: "Valid until",
    noEnd: "It does not expire.",
    how: "Give the code when you pay at the venue, or type it on the page of your booking. What you do not spend stays on the voucher.",
    keep: "Whoever has the code can spend it: keep it like cash.",
    forWhom: "For",
    from: "From",
    use: "I have a voucher",
    lead: "It pays what is left of it, but no more than is still to be paid.",
    code: "Code of the voucher",
    codeHint: "16 letters and digits. Dashes and small letters do not matter.",
    look: "See what it pays",
    pays: "The voucher pays",
    pay: (amount: string) => `Pay ${amount} by voucher`,
    less: (due: string) =>
      `The voucher alone is not enough: ${due} more would be due at once. Please ask the venue, or pay what is due online and use the voucher for the rest.`,
    none: "Nobody has a voucher with this code. Please look whether each letter is right.",
    again: "Nothing was paid: something has changed since you looked. This is how it stands now.",
    refused: {
      slip: "The code was not typed exactly as it is printed. Please look at each letter.",
      unknown: "This venue has sold no voucher with this code.",
      voided: "The voucher is not valid: its sale was undone.",
      expired: "The voucher has expired.",
      used_up: "Nothing is left of the voucher.",
      other_currency: "The voucher is in another currency."
    }
  },
  buying: {
    title: "Buy a gift voucher",
    lead: "It pays for visits and parties at this venue, in one go or in parts.",
    amount: "Amount",
    bounds: (least: string, most: string) => `From ${least} to ${most}.`,
    valid: "Valid for",
    recipient: "For whom (left out: a line to write on)",
    greeting: "A line of greeting (may be left out)",
    pay: "Pay online",
    how: "You pay on the page of the payment provider. Then the voucher is shown, to print or to send on.",
    byLetter: "A link to it comes by e-mail, too.",
    none: "This venue sells no gift vouchers online now.",
    wrongAmount: (least: string, most: string) => `Please enter an amount from ${least} to ${most}.`,
    greetingWrong: "Please write one line of at most 200 characters.",
    tooMany: "Several vouchers were begun here and not paid. Please try again in an hour.",
    unavailable: "The payment page can not be made now. Please try again in a few minutes.",
    openTitle: "Not paid yet",
    open: "The payment page is still open.",
    goOn: "Go on to pay",
    processingTitle: "The payment is on its way",
    processing: "The voucher is there as soon as the payment has arrived. Please open this page again then.",
    checkedTitle: "The payment is being looked at",
    checked: "It is not what was asked for. The venue has been told, and will get in touch.",
    overTitle: "Nothing was paid",
    over: "The payment page is closed, so there is no voucher.",
    subject: "Your gift voucher",
    thanks: "Thank you. This is the page of the voucher, to print or to send on.",
    openVoucher: "Open the voucher",
    why: "You get this letter because this address was given when the voucher was bought."
  },
  receipt: {
    title: "Receipt",
    from: "From",
    taxNumber: "Tax number",
    forWhom: "For",
    bookedOn: "Booked on",
    payments: "Payments",
    date: "Date",
    payment: "Payment",
    /** Of a payment at the venue. */
    paidBy: {
      cash: "Payment in cash",
      card: "Payment by card at the venue",
      transfer: "Payment by transfer",
      voucher: "Payment by voucher"
    },
    refund: "Refund",
    refundOpen: "Refund, on its way",
    refundWaits: "Refund, not sent yet",
    /** The decision behind a refund. */
    causes: {
      late_payment: "Paid after the places had gone",
      cancellation: "By the cancellation",
      duplicate_payment: "Paid twice",
      dashboard: "Given back by the venue",
      dispute: "By the bank, after a dispute",
      move: "Paid beyond the price",
      goodwill: "Goodwill",
      misfit: "Not what was asked for"
    },
    nonePaid: "Nothing has been paid yet.",
    left: "Still to pay",
    printed: "To keep it, print this page or save it as a PDF.",
    notInvoice: "If you need an invoice, ask the venue."
  }
}

export type Visit = typeof visit
