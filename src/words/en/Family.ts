/**
 * Messages for families about their bookings, in English. The compiler requires the same messages of every language.
 */
import { plural, standingMessage } from "../Message.ts"

export const family = {
  booking: {
    what: "What",
    where: "Where",
    who: "Who",
    bookedBy: "Booked by",
    notes: "Your wishes",
    quantity: "Number",
    amount: "Amount",
    /** Labels of price lines that don't come from the catalogue. */
    lines: {
      children: "Children",
      extraChildren: "Extra children",
      adults: "Adults",
      extraAdults: "Extra adults",
      billedAs: (n: string) => `${n} are charged`,
      tax: (percent: string) => `Tax (${percent})`,
      waived: "Not charged: too small",
      agreed: "As agreed before"
    },
    tax: (percent: string, amount: string, included: boolean) =>
      `${included ? "Includes" : "With"} ${percent} tax: ${amount}`,
    by: (when: string) => `by ${when}`,
    atVenue: "at the venue",
    terms: "If your plans change",
    rules: "House rules",
    questions: "Questions",
    payNote: "You pay on the payment provider’s page and come back here.",
    payBalance: (amount: string) => `Pay the rest: ${amount}`,
    calendar: "Add to calendar",
    calendarUpdate: "Update your calendar",
    disputed:
      "A payment of this booking is disputed at its bank. Until the bank has decided, nothing else is refunded.",
    unclear:
      "A payment of this booking could not be recorded as usual, and someone is looking into it. If something here looks wrong, ask the venue.",
    sentBack: (amount: string, arrived: boolean) =>
      `A payment of ${amount} was not what was asked for, so it ${arrived ? "went" : "goes"} back to you the way you paid.`,
    secret: "Whoever has this page’s address can see and change the booking: keep it to yourself.",
    /** Another change of the booking has not ended yet. */
    underWayTitle: "This booking is being changed",
    underWay: "Another change of this booking is under way, so nothing was done. Please look again in a minute.",
    /** Why no payment page could be opened. */
    faults: {
      changed: "There is nothing to pay here right now. This is how the booking stands.",
      stale: "Something has changed since you looked, so nothing was charged. This is how the booking stands now.",
      operator: "The venue can’t take payments online right now. Please ask the venue. Nothing was charged.",
      provider: "The payment page can’t be reached right now. Please try again in a minute. Nothing was charged."
    }
  },
  /** The page where a booking can be paid and nothing else. */
  payPage: {
    title: "Pay for your booking",
    /** Precedes the operator's name. */
    payee: "You pay",
    thenConfirmed: "Once it is paid, the booking is confirmed.",
    thenPaid: "Once it is paid, nothing is left to pay."
  },
  cancel: {
    title: "Cancel this booking?",
    /** One of these states the refund. */
    nothingPaid: "Nothing, as nothing was paid.",
    all: (refund: string) => `All that you paid: ${refund}.`,
    part: (refund: string, paid: string) => `${refund} of the ${paid} that you paid.`,
    none: (paid: string) => `None of the ${paid} that you paid.`,
    wentBackBefore: (amount: string) => `${amount} of what you paid went back before.`,
    nothingMore: "Nothing more comes back.",
    alreadyOnItsWay: (amount: string) => `${amount} is already on its way back to you.`,
    stillArrives: "If a payment of yours still arrives, it is refunded in full.",
    notAsked:
      "We could not ask the payment provider whether some of your money went back already. We ask before we send the refund, which is then less.",
    places: "Your places become free for others at once. This can’t be undone.",
    cancel: "Cancel the booking",
    keep: "Keep the booking",
    changed: "Nothing was cancelled: something has changed since you looked. This is how it stands now.",
    begunTitle: "Your visit has begun",
    begun: "It can’t be cancelled here any more."
  },
  move: {
    move: "Move to another time",
    chooseDay: "Choose another day",
    chooseTime: "Choose a time",
    now: (when: string) => `Your visit is on ${when}.`,
    rule: (until: string) =>
      `Until ${until} you may move it yourself to any of these times. If a time costs more or less, its price is shown.`,
    times: plural({ one: "# time", other: "# times" }),
    noneIn: (month: string) => `Nothing is free in ${month} for your party.`,
    noneOn: (day: string) => `Nothing is free on ${day} for your party.`,
    months: "Months",
    anotherDay: "Another day",
    title: "Move this booking?",
    from: "Until now",
    to: "From now on",
    stays: (total: string) => `It stays ${total}.`,
    waived: (amount: string) => `${amount} more is too little to be charged, so you don’t pay it.`,
    goodwill: (amount: string) => `${amount} was given back as goodwill. That stays, and is not counted here.`,
    instead: (total: string, before: string) => `${total} instead of ${before}.`,
    more: (amount: string) => `${amount} more than before.`,
    less: (amount: string) => `${amount} less than before.`,
    nothingBack: "Nothing: you have not paid more than the new price.",
    counted: (when: string) => `What comes back if you cancel is counted from ${when}: moving does not make it more.`,
    confirm: "Move the booking",
    anotherTime: "Another time",
    changed: "Nothing was moved: something has changed since you looked. This is how it stands now.",
    tooMany:
      "Nothing was moved: there are already as many free or unpaid bookings on that day as there may be. Choose another day, or ask the venue.",
    gone: "Nothing was moved: that time is no longer available. These are free.",
    sorryTitle: "It can’t be moved here now",
    notFree: "The terms of your booking give no free move now.",
    begun: "Your visit has begun.",
    payment: "A payment for this booking is open or on its way. Try again once it has arrived, or in half an hour.",
    refund: "Money is on its way back to you. Try again once it is there.",
    otherCurrency:
      "Prices here are in another currency than your booking’s now, so that it can’t be moved. You can cancel it and book anew.",
    notSold: "Other times can’t be booked now."
  },
  access: {
    saidName: (name: string) => `It calls itself “${name}”.`,
    unconfirmed: "Nobody has confirmed who that is.",
    bookedThrough: "Booked through",
    ended: "Its access has ended.",
    end: "End its access",
    title: (who: string) => `End the access of ${who}?`,
    lead: "It can then no longer see, make or pay any bookings for you. To use it again, connect it again.",
    joined: "Other assistants with access",
    since: (date: string) => `Since ${date}.`,
    mayChange: "It may see, change and pay this booking.",
    mayPay: "It may see and pay this booking.",
    remove: "Remove its access",
    removeTitle: (who: string) => `Remove the access of ${who}?`,
    removeLead: "It can then no longer see, change or pay this booking.",
    again:
      "Whoever has the address of this page can connect an assistant again. If somebody has it who should not, ask the venue for a new address.",
    another:
      "To continue with another assistant, connect it as a guest and paste the address of this page when you are asked.",
    stays: "Your bookings stay as they are, and so does this page."
  },
  terms: {
    nothingToPay: "Nothing is to be paid.",
    deposit: (amount: string, kept: boolean) => `Deposit: ${amount}${kept ? " (not refunded)" : ""}.`,
    wentBack: (amount: string) => `${amount} went back before.`,
    nothingBack: "Nothing that is paid is refunded.",
    nothingMoreBack: "Nothing more is refunded.",
    headcountBy: (when: string) =>
      `You can change the number of children yourself on this booking’s page until ${when}.`,
    growsBy: (when: string) =>
      `You can add to your party yourself on this booking’s page until ${when}, but it can’t become smaller.`,
    headcountFinal: "The number of children is final.",
    moveUntil: (when: string) => `Free to move to another time until ${when}.`,
    restAtVenue: "What is left to pay is paid at the venue.",
    releasedAt: (when: string) => `If the rest is not paid by ${when}, your places are released.`
  },
  standings: {
    to_pay: standingMessage(
      "Your places are held",
      ({ amount }) => `Pay ${amount} by then, and the booking is confirmed.`
    ),
    payment_failed: standingMessage(
      "The payment did not work",
      "Nothing was charged, and your places are still kept: you can try again."
    ),
    not_payable: standingMessage("Your places are held", ({ sent_back }) =>
      sent_back === ""
        ? "The venue can’t take payments here at the moment, so they can’t be paid for now. Please ask the venue before the time is over. Nothing was charged."
        : "The venue can’t take payments here at the moment, so they can’t be paid for now. Please ask the venue before the time is over."
    ),
    payment_processing: standingMessage(
      "Your payment is on its way",
      "Some ways of paying take days. Your places are kept until the money has arrived, and you need not do anything."
    ),
    payment_under_review: standingMessage(
      "We are checking your payment",
      ({ in_question }) =>
        `A payment of ${in_question} came that is not what was asked for, and someone is looking into it. Your places are kept meanwhile. Please don’t pay again.`
    ),
    arriving: standingMessage(
      "We are checking for your payment",
      "The time to pay is over, but a payment may have been made at the last moment. Look again in a minute."
    ),
    free: standingMessage("Your booking is confirmed", "There is nothing to pay. Have a lovely visit!"),
    paid: standingMessage("Your booking is confirmed", ({ comes_back, paid_back }) =>
      comes_back === "" && paid_back === ""
        ? "Everything is paid. Have a lovely visit!"
        : "Nothing more is to be paid. Have a lovely visit!"
    ),
    confirmed_paid_back: standingMessage("You were paid back", ({ comes_back, paid_back }) =>
      comes_back === ""
        ? `${paid_back} went back to you, and your booking has not been cancelled. Please ask the venue whether your visit takes place. You are not asked to pay again.`
        : `${comes_back} comes back to you, and your booking has not been cancelled. Please ask the venue whether your visit takes place. You are not asked to pay again.`
    ),
    balance_due: standingMessage("Your booking is confirmed", ({ amount, online, until }) =>
      online
        ? `${amount} is still to be paid, by ${until}.`
        : until === ""
          ? `${amount} is still to be paid: at the venue, when you come.`
          : `${amount} is still to be paid, by ${until}: at the venue, not on this page.`
    ),
    balance_overdue: standingMessage("Your booking is confirmed", ({ amount, online, until }) =>
      online
        ? `${amount} has been due since ${until}. Please pay it now.`
        : `${amount} has been due since ${until}. Please pay it at the venue.`
    ),
    balance_processing: standingMessage(
      "Your booking is confirmed",
      ({ amount }) => `Your payment of ${amount} is on its way, and you need not do anything.`
    ),
    confirmed_under_review: standingMessage(
      "Your booking is confirmed",
      ({ in_question }) =>
        `A payment of ${in_question} came that is not what was asked for, and someone is looking into it. Please don’t pay again.`
    ),
    over: standingMessage("Your visit is over", ({ amount }) =>
      amount === "" ? "Thank you for coming." : `Thank you for coming. ${amount} is still to be paid: ask the venue.`
    ),
    did_not_come: standingMessage("You did not come", ({ amount }) =>
      amount === ""
        ? "The venue says so. If that is not right, ask the venue."
        : `The venue says so. ${amount} is still to be paid. If that is not right, ask the venue.`
    ),
    released: standingMessage("Your places were released", ({ comes_back, in_question, paid, paid_back }) => {
      const lead = "The rest was not paid in time, so the places are free again, as the terms of the booking say."
      if (in_question !== "")
        return `${lead} A payment of ${in_question} came that is not what was asked for, and someone is looking into it.`
      if (comes_back !== "") return `${lead} ${comes_back} comes back to you.`
      if (paid_back !== "") return `${lead} ${paid_back} was paid back to you.`
      return paid === "" ? lead : `${lead} The ${paid} paid is not refunded.`
    }),
    expired: standingMessage("Your booking has ended", ({ sent_back }) =>
      sent_back === ""
        ? "It was not paid in time, and its places are free again. Nothing was charged."
        : "It was not paid in time, and its places are free again."
    ),
    expired_under_review: standingMessage(
      "Your booking has ended",
      ({ in_question }) =>
        `A payment of ${in_question} came that is not what was asked for, and someone is looking into it. It confirms the booking if its places are still free, or it goes back to you.`
    ),
    expired_processing: standingMessage(
      "Your booking has ended",
      "The payment came too late, and is still being processed. When it arrives, it confirms the booking if its places are free, and goes back to you if not."
    ),
    expired_going_back: standingMessage("Your booking has ended", ({ comes_back }) =>
      comes_back === ""
        ? "The payment came after its places had gone, and goes back to you."
        : `The payment came after its places had gone. ${comes_back} comes back to you.`
    ),
    expired_paid_back: standingMessage(
      "Your booking has ended",
      ({ paid_back }) => `The payment came after its places had gone. ${paid_back} was paid back to you.`
    ),
    cancelled: standingMessage("Your booking is cancelled", ({ sent_back }) =>
      sent_back === "" ? "Nothing was paid, and there is nothing to pay." : "There is nothing to pay."
    ),
    cancelled_kept: standingMessage(
      "Your booking is cancelled",
      ({ paid }) => `By the terms of the booking, the ${paid} paid is not refunded.`
    ),
    cancelled_under_review: standingMessage(
      "Your booking is cancelled",
      ({ in_question }) =>
        `A payment of ${in_question} came that is not what was asked for. Someone is looking into it, and it goes back to you.`
    ),
    cancelled_processing: standingMessage(
      "Your booking is cancelled",
      "A payment is still being processed. When it arrives, it goes back to you."
    ),
    cancelled_going_back: standingMessage("Your booking is cancelled", ({ comes_back }) =>
      comes_back === "" ? "Your money comes back to you." : `${comes_back} comes back to you.`
    ),
    cancelled_paid_back: standingMessage(
      "Your booking is cancelled",
      ({ paid_back }) => `${paid_back} was paid back to you.`
    )
  },
  afterPaying: {
    arrived: (amount: string) => `Your payment of ${amount} has arrived.`,
    waiting: {
      title: "We are waiting for your payment",
      lead: "The payment provider has not told us of a payment yet. That usually takes a few seconds."
    },
    looksByItself: "This page updates by itself.",
    onItsWay: (amount: string) => `The payment of ${amount} was started, and the money has not arrived yet.`,
    notPaid: "You have not paid. Nothing was charged.",
    failed: "The payment failed. Nothing was charged.",
    closed: "The payment page is closed, and nothing was charged.",
    late: "Ask your assistant to book again. If a payment still arrives, it confirms the booking if its places are free, and goes back to you if not.",
    notNeeded: (amount: string) =>
      `Your payment of ${amount} came after that had been paid, or after your booking had changed. It does not count, and your booking stays as it is.`,
    wentBack: "Your payment went back to you the way you paid.",
    underReview: (amount: string) =>
      `Your payment of ${amount} has come, and it is not what was asked for. Someone is looking into it, and your booking’s page shows what comes of it. Please don’t pay again.`,
    payAgain: "Go to the payment page",
    linkRenewed:
      "Your booking’s page has a new address since you opened the payment page. Ask your assistant or the venue for it.",
    linkGiven: "Your booking’s page opens with the link that you were given when you booked.",
    unavailable: {
      title: "We can’t look right now",
      lead: "Your payment is safe with the payment provider; we could not ask how it stands."
    },
    unknown: {
      title: "Back from the payment page",
      lead: "There is no booking at this address.",
      more: "Ask your assistant how your booking stands: it sees whether the payment has arrived."
    },
    closing: "You can close this page and go back to your assistant."
  }
}

export type Family = typeof family
