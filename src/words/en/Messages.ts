/** All messages for people, in English. The compiler requires the same messages of every language. */
import { plural } from "../Message.ts"
import { desk } from "./Desk.ts"
import { family } from "./Family.ts"
import { letters } from "./Letters.ts"
import { party } from "./Party.ts"
import { rooms } from "./Rooms.ts"
import { visit } from "./Visit.ts"

export const en = {
  /** BCP 47 tag for dates and numbers. British, like the tools' output. */
  locale: "en-GB",
  words: {
    reference: "Reference",
    visit: "Visit",
    when: "When",
    price: "Price",
    total: "Total",
    paid: "Paid",
    dueNow: "To pay now",
    balance: "To pay later",
    refunded: "Paid back",
    refunding: "On its way back",
    comesBack: "What comes back",
    presented: (theirs: string, ours: string) => `You paid ${theirs} (${ours}).`,
    /** Bookings that were made by one wish. */
    together: "Booked together",
    confirmed: "Confirmed",
    cancelled: "Cancelled",
    email: "E-mail",
    children: plural({ one: "# child", other: "# children" }),
    adults: plural({ one: "# adult", other: "# adults" }),
    ages: (ages: string) => `aged ${ages}`,
    pay: (amount: string) => `Pay ${amount}`,
    lookAgain: "Look again",
    toBooking: "Back to your booking",
    leaveAsItIs: "Leave it as it is",
    ownDevice: "a program on your own device",
    /** A sentence, and the one after it. */
    followedBy: (one: string, next: string) => `${one} ${next}`,
    /** How money goes back: to the payer's bank; by the venue, where it was paid; some of it by each. */
    backByBank: "The money goes back to the card or account you paid with, usually within 5 to 10 working days.",
    backByVenue: "It goes back the way it was paid: the venue gives it back itself, or it is on your voucher again.",
    backByBoth: (bank: string, venue: string) =>
      `${bank} goes back to the card or account you paid with, usually within 5 to 10 working days. The other ${venue} goes back the way that was paid: the venue gives it back itself, or it is on your voucher again.`,
    backAfterDispute: (amount: string) =>
      `${amount} is sent only once your bank has decided about the disputed payment, less what your bank gives back itself.`,
    backOnceOpen: (amount: string) =>
      `${amount} can’t be sent yet, because the venue’s account at the payment provider is closed at the moment. It goes back to you once the account is open again. The venue knows.`,
    comma: ", ",
    /** A clock time with the word that follows it, if the language has one. */
    clock: (time: string) => time,
    bring: "Please bring",
    /** Precedes the name of the operator and how it is reached; the second, if it is reached at the venue only. */
    askVenue: "Ask the venue:",
    askAtVenue: "Ask at the venue:"
  },
  landing: {
    lead: "Your AI assistant finds a children’s playroom here, books it, and hands you a link to pay.",
    how: "It sees which playrooms suit your group, when they are free and exactly what each time costs. A time that you choose is held for you while you pay.",
    payment: "You pay on the payment provider’s own page. Your assistant never sees your card.",
    book: "Book a visit",
    venuesHeading: "You run a playroom",
    venues:
      "Families book your rooms with the assistants that they use already, pay into your own account, and change or cancel by your terms. You see who comes when on a page of your own. Whoever runs this service lists you.",
    askHeading: "What you can ask",
    asks: [
      "“Find a playroom nearby for eight children on Saturday afternoon.”",
      "“What does it cost, and what do we get back if we cancel?”",
      "“Book the two o’clock one for us.”"
    ],
    connectHeading: "Connect your assistant",
    signInHeading: "Assistants in which you sign in",
    signIn:
      "In your assistant’s settings, add a connector (some call it an app or an MCP server) with this address. Then a page of ours asks whether you agree.",
    signInWays: {
      guest: "You need no account and no key.",
      key: "There you paste your API key.",
      both: "You need no account: go on as a guest, or paste an API key."
    },
    localOnly:
      "This address is this computer’s own, and assistants on the web can’t reach it: they need a public https address, as a server or a tunnel has.",
    noSignIn:
      "People can’t sign in to this service, so assistants that can’t send a key can search here, but not book.",
    headerHeading: "Assistants and programs that send your key",
    header:
      "Give them this address, and your key in the header `X-API-Key`. Put the key in place of `YOUR_KEY` in what you copy.",
    keyless:
      "Without a key they can search and see what is free. Booking and paying need one: whoever runs this service gives it to you.",
    inFile: (file: string) => `In \`${file}\`:`,
    inShell: "In a terminal:",
    bearerHeading: "Programs that send one token",
    bearer: "The address is the same, and the key is the bearer token:",
    knownHeading: "What works, and how we know",
    known:
      "“Tried”: this service’s own tests do it. “By hand”: we have connected that version ourselves. “By its documentation”: the maker says that it can, and we have not tried it.",
    host: "Assistant",
    sends: "Connects with",
    evidence: "How we know",
    ways: { header: "a key in a header", bearer: "a key as its token", sign_in: "signing in" },
    tried: "tried",
    byHand: (version: string) => `by hand, with ${version}`,
    documented: "by its documentation",
    more: "For developers",
    documentation: "Documentation",
    openapi: "OpenAPI document",
    health: "Health",
    onboarding: {
      done: "Thank you. Whoever runs this service sees whether the payment provider still needs something, and lets you know.",
      expired: "This link was used before, or has ended. Ask whoever runs this service for a new one."
    }
  },
  signIn: {
    title: (host: string) => `Connect ${host}?`,
    lead: (host: string) => `${host} wants to find and book playrooms for you, and to get links with which you pay.`,
    /** For a program on the person's own device, which has no host. */
    titleLocal: "Connect a program on your device?",
    leadLocal:
      "A program on your device wants to find and book playrooms for you, and to get links with which you pay.",
    who: "Who asks",
    proven: "This address is confirmed.",
    unproven: (name: string) => `It calls itself “${name}”. Nobody has checked this name.`,
    unprovenNameless: "Nobody has checked who this is.",
    backTo: "You are sent back to",
    mayDo: "What it may do",
    scopes: {
      "bookings:read": "See the bookings made through this connection, and earlier ones that you open to it",
      "bookings:write": "Hold and book places in playrooms",
      "payments:write": "Make links on which you pay. It can’t pay by itself."
    },
    notYou: "If you did not start this yourself just now, refuse.",
    keyHeading: "With an API key",
    keyLabel: "API key",
    keyNote: "It acts as this key until the key ends or you end the connection.",
    keyButton: "Connect with this key",
    guestHeading: "As a guest",
    guestNote:
      "You need no account. It sees the bookings that it makes for you, and earlier ones if it is told their reference and e-mail address.",
    linkLabel: "Link of a booking’s page (optional)",
    linkNote:
      "Booked before? With the link of your booking’s page, the assistant can continue with that booking as if it had made it.",
    guestButton: "Connect as a guest",
    refuse: "Refuse",
    keyMissing: "Paste an API key.",
    keyWrong: "This API key is wrong, or has ended.",
    keyAllowsNothing: "This API key allows nothing of what is asked for.",
    linkWrong:
      "This link opens no booking, or does so no more. Copy it from the page of your booking, or leave the field empty.",
    tooManyTries: "Too many tries from your internet connection. Wait a minute, then try again.",
    tooManyGuests:
      "Many guests have connected over your internet connection within the last hour, and it has had its share. Try again in an hour, or use another connection, such as mobile data instead of Wi-Fi.",
    noCookieTitle: "Your browser did not keep our cookie",
    noCookie:
      "This page needs one cookie, to know that it is you who answers. Allow cookies for this site, or open the link in your usual browser.",
    decidedTitle: "You have already answered",
    decided: "Go back to your assistant: it continues there. If it is not connected, connect it again from there.",
    expiredTitle: "This page has expired",
    expired: "It was open for too long.",
    errorTitle: "This can’t be connected",
    error: "What the program asked for can’t be done. Whoever made it finds the reason here:",
    unavailable: "The service can’t answer for a moment. Try again soon.",
    startAgain: "Go back to your assistant and connect again."
  },
  publisher: {
    privacy: "Privacy",
    terms: "Terms",
    support: "Help"
  },
  linkProblems: {
    nothing: {
      title: "There is no such page",
      lead: "The address is wrong, or the page is gone.",
      more: "Check the address for missing characters, or begin at the start page:"
    },
    broken: {
      title: "Something went wrong",
      lead: "The error is on our side and has been recorded.",
      more: "Please try again in a moment."
    },
    dead: {
      title: "This link no longer works",
      lead: "It is incomplete, was replaced by a new one, or is too old.",
      more: "Check that the whole address was copied. If it was, ask your assistant or the venue for the current link."
    },
    invitation: {
      title: "This invitation is no longer valid",
      lead: "The visit was cancelled, or the link was replaced by a new one.",
      more: "Please ask whoever invited you."
    },
    deskInvitation: {
      title: "This link to the desk has ended",
      lead: "It was used, replaced or withdrawn, it is too old, or whoever made it is no longer a manager there.",
      more: "If you have made your passkey, sign in with it. Otherwise ask a manager of the desk for a new link."
    },
    unavailable: {
      title: "We can’t show this page right now",
      lead: "Nothing is lost.",
      more: "Please load the page again in a moment: it then says how things stand."
    },
    tooMany: {
      title: "Too many requests",
      lead: "Many pages were asked for from your network within a minute.",
      more: "Please wait a minute, then load the page again."
    },
    unreadable: {
      title: "This form could not be read",
      lead: "It arrived incomplete, and nothing has changed.",
      more: "Go back, load the page again, and send the form once more."
    }
  },
  operator: {
    visits: plural({ one: "# visit", other: "# visits" }),
    noVisits: "No visits on this day.",
    unsureToo: (held: number) => `${held} of them not sure yet`,
    days: "Days",
    today: "Today",
    weekBefore: "Week before",
    weekAfter: "Week after",
    nextVisit: (date: string) => `Next visit: ${date}`,
    misunderstood: "The address asked for a day, or a place in its list, that there is not. You see this one instead.",
    prepare: "To prepare",
    closed: "Closed",
    /** Why a visit can't take place as things stand. */
    alsoBooked: (reference: string) => `The same family has another booking then: ${reference}`,
    blocked: { closed: "In closed time", overbooked: "More than there is" },
    blockedToo: (visits: number) => `${visits} of them to decide on`,
    visitsBlocked: plural({
      one: "# visit is in closed time, or has more than there is now. It takes place unless it is moved or cancelled.",
      other:
        "# visits are in closed time, or have more than there is now. They take place unless they are moved or cancelled."
    }),
    /** Beside a time that another calendar of the playroom keeps closed. */
    otherCalendar: (calendar: string) => `busy in the calendar “${calendar}”`,
    allDay: "all day",
    unsure: "Not sure yet",
    keptUntil: (time: string) => `Not paid yet: kept until ${time}.`,
    inQuestion: "A payment came that is not what was asked for. It is being looked into: take no money for it.",
    onItsWay: "The payment is on its way.",
    extras: "Extras",
    notes: "Notes",
    toPay: (amount: string) => `Still to be paid: ${amount}`,
    toDo: "To be looked at",
    /** What the operator can act on, by the kind of notice. */
    notices: {
      paid_back: (amount: string, reference: string) =>
        `All ${amount} of booking ${reference} went back, and the visit keeps its places: say whether it takes place.`,
      balance_overdue: (amount: string, reference: string) =>
        `${amount} of booking ${reference} are overdue: remind the family, or take the money at the venue.`,
      unpaid_after_visit: (amount: string, reference: string) =>
        `The visit of booking ${reference} is over, and ${amount} of it are not paid: record the payment if you have it, or ask the family for it.`,
      refund_failed: (amount: string, reference: string) =>
        `The refund of ${amount} for booking ${reference} failed: agree with the family how it gets the money.`,
      refund_waits_for_money: (amount: string, reference: string) =>
        `The refund of ${amount} for booking ${reference} waits for money: add some to your balance at the payment provider.`,
      refund_waits_for_dispute: (amount: string, reference: string) =>
        `The refund of ${amount} for booking ${reference} waits for a dispute: answer it in the payment provider’s dashboard.`,
      refund_at_venue: (amount: string, reference: string) =>
        `Give ${amount} back by hand: it was paid at the venue for booking ${reference}, and the refund is decided.`,
      disputed: (amount: string, reference: string) =>
        `The payer of booking ${reference} disputes ${amount}: answer in the payment provider’s dashboard.`,
      dispute_lost: (amount: string, reference: string) =>
        `The dispute over ${amount} of booking ${reference} was lost, and the payer has the money back: if the visit still stands, decide whether it takes place. If you had refunded it as well, the payer has it twice.`,
      dispute_won: (amount: string, reference: string) =>
        `The dispute over ${amount} of booking ${reference} was won after all, and you have the money again: if the visit was cancelled, ask the family whether it wants to book again.`
    },
    accountClosed: (since: string) =>
      `Your account at the payment provider has taken no payments since ${since}: no new bookings can be made. Sign in there and answer what it asks for; you are on sale again as soon as it takes payments.`,
    calendarNotices: {
      notRead: (calendar: string, playroom: string, since: string) =>
        `The calendar “${calendar}” of ${playroom} has not been read since ${since}: what was entered there later is not closed here. Check its address.`,
      eventNotRead: (calendar: string, playroom: string) =>
        `The calendar “${calendar}” of ${playroom} has an entry that is not fully understood: check that its times are closed here.`,
      booking: (reference: string, playroom: string, calendar: string) =>
        `Booking ${reference} has ${playroom} at a time when the calendar “${calendar}” is busy: if both are the same party, put the reference into that entry’s title; otherwise move one of them.`
    },
    allGivenBack: "All was paid back, and the visit is not cancelled: say whether it takes place",
    overdue: (amount: string, since: string) => `Still to be paid: ${amount}, overdue since ${since}`,
    givenBack: "Paid, and money was given back",
    nothingToPay: "Nothing to pay",
    more: "More visits of this day",
    fromStart: "From the start of the day",
    calendar: "In your calendar",
    calendarLead: "Your calendar can follow these visits. Where the button does nothing, subscribe to this address:",
    subscribe: "Subscribe",
    secret:
      "Whoever has the address of this page or of the calendar sees your visitors’ names. Keep both to your team.",
    calendarName: (operator: string) => `Visits: ${operator}`,
    phone: "Telephone",
    /** Replaces the name of a person whose personal data was erased. */
    erased: "Name erased"
  },
  card: {
    title: "Playroom booking",
    waiting: "Waiting for the answer…",
    working: "One moment…",
    stopped: "The request was stopped.",
    chooseTime: "Choose a time",
    timesLeft: "Times",
    noTimes: "No free times",
    nextDay: (day: string) => `The next free day is ${day}.`,
    placesLeft: plural({ one: "# place left", other: "# places left" }),
    dueNowOf: (amount: string) => `${amount} due now`,
    noRefund: "If you cancel, nothing of what is due now comes back.",
    refundUntil: (amount: string, moment: string) => `Cancel by ${moment} and ${amount} comes back.`,
    bookThis: "Book this time",
    moreTimes: "More times",
    otherTimes: "Other times",
    details: "Who is booking?",
    name: "Name",
    nameMissing: "Enter a name.",
    emailWrong: "Enter an e-mail address, like ana@example.com.",
    freeHold: "The places are then held for you. Without payment the booking lapses, and costs nothing.",
    book: "Book",
    back: "Back",
    refresh: "Refresh",
    balanceBy: (amount: string, day: string) => `${amount} by ${day}`,
    balanceAtVenue: (amount: string) => `${amount} at the venue`,
    allPaidBack: "Paid back: ask the venue",
    held: "Held for you",
    expired: "Not held any more",
    processing: "Payment on its way",
    payment: "Payment",
    timeLeft: "Time left to pay",
    payOpened: "The payment page is open. Come back when you have paid.",
    bookingPage: "Your booking’s page",
    pageOpened: "Your booking’s page is open. What you change there shows here when you come back.",
    openYourself: "The page could not be opened from here. Open this address:",
    unchanged: "Nothing has changed yet.",
    notPassedOn: "Your assistant did not pass this on. Try again, or ask it in the chat.",
    rateLimited: (n: string) => `Too many requests. Try again in ${n} s.`,
    near: "Similar times:",
    /** Why a time can't be booked or there are none, by the code in `none_because` or an error's `details.reason`. */
    reasons: {
      closed: "The playroom is closed then.",
      not_sold_on_these_days: "The playroom sells nothing like this on these days.",
      fully_booked: "All places are taken then.",
      add_ons_taken: "The extras are taken elsewhere or out of order then. The room is free without them.",
      too_soon: "That is too soon: the playroom wants to know earlier.",
      too_far_ahead: "That is further ahead than the playroom takes bookings.",
      party_too_large: "The party is larger than this playroom takes.",
      party_too_small: "The party is smaller than this playroom takes.",
      in_the_past: "That day has passed.",
      outside_your_times: "There is nothing free at these times of day."
    },
    /** The error and its remedy, by the code of the tool's error. */
    errors: {
      api_key_missing: "This connection can show times, but not book. Whoever set it up has to add an API key.",
      api_key_invalid: "The API key of this connection is not valid. Whoever set it up has to give it another one.",
      api_key_scope: "The API key of this connection may not do this. Whoever set it up has to give it one that may.",
      invalid_arguments: "An entry was not accepted. Check it, then try again.",
      playroom_not_found: "This playroom is not on offer any more. Ask your assistant for another one.",
      package_not_found: "This package is not on offer any more. Look at other times.",
      booking_not_found: "This connection can't see that booking. Ask the venue.",
      option_invalid: "This time is not on offer any more. Look at other times.",
      price_changed: "The price, the time or the terms have changed, so nothing was booked. This is the offer now:",
      slot_unavailable: "Nothing was booked. Look at other times.",
      hold_expired: "The time to pay has run out. Look at other times.",
      booking_cancelled: "This booking is cancelled, so it can't be paid. Look at other times.",
      nothing_due: "There is nothing to pay at present. Refresh to see the booking as it is.",
      operator_unavailable:
        "This playroom can't take bookings or payments at present. Ask your assistant for another one.",
      idempotency_conflict: "That was asked before with other details. Ask your assistant to try again.",
      already_booked:
        "You have booked this already, in another chat. Nothing more was booked. Give the assistant the reference in your confirmation and your e-mail address, or open the link of your booking.",
      too_many_holds:
        "Nothing was booked: too many bookings are unpaid at present. If one of them is yours, pay it or cancel it. Otherwise try again in a few minutes, or choose another day.",
      payment_provider_unavailable:
        "The payment page can't be opened at present. Nothing was charged. Try again in a few minutes.",
      service_unavailable: "The booking service does not answer at present. Try again in a minute.",
      internal_error: "Something went wrong in the booking service. Try again, or ask your assistant."
    }
  },
  ...desk,
  ...family,
  ...letters,
  ...party,
  ...rooms,
  ...visit
}

export type Messages = typeof en
