/** Messages of the desk: signing in, the day, a booking. */
import { plural } from "../Message.ts"

export const desk = {
  desk: {
    title: "Desk",
    signInTitle: "Sign in to the desk",
    signInLead: "With the passkey on this device or on your phone.",
    signIn: "Sign in with a passkey",
    needsScript: "Passkeys need JavaScript, which is turned off in this browser.",
    otherDevice: "Use another device",
    passkeyFaults: {
      insecure: "This page came without encryption, and browsers use passkeys on encrypted pages only. Go on here:",
      elsewhere: "Passkeys work at the desk’s own address only, and this page is at another. Go on here:",
      noBrowser:
        "This browser has no passkeys. Windows inside other apps often have none: open this address in Safari, Chrome, Edge or Firefox.",
      notUsed:
        "No passkey was used: the window was closed, it took too long, or there is none for this desk here. Please try again; if your passkey is on a phone or a security key, press “Use another device”.",
      notMade:
        "No passkey was made: the window was closed, or it took too long. Please try again: this link still works.",
      notHere: "There is no passkey for this desk on that device or security key. Use the one on which you made it.",
      already: "You have a passkey on this device already, which still works. This link stays unused.",
      noPin:
        "That security key or device did not check who you are. Set a PIN, a fingerprint or a screen lock in its settings and try again, or use another device.",
      unable: "This browser or device can’t do this with passkeys. Bring it up to date, or use another device.",
      device: "The device or the browser reported a fault. Please try again, restart it, or use another device.",
      offline: "The service could not be reached. Please check the connection and try again.",
      late: "This page was open for too long, or was sent before. Please try again.",
      unknown:
        "This desk does not know that passkey. If it worked before, it was ended here: please ask a manager for a new link.",
      copied:
        "That passkey was refused: it was used less often than this desk counted, as if it had been copied. Please ask a manager to end it and to give you a new link.",
      unreadable:
        "What the browser sent is no answer of a passkey for this desk. Please try again, or use another browser."
    },
    inviteAgain: "If you have no passkey any more, ask a manager of your desk: a new link lets you in within minutes.",
    invitationTitle: (operator: string) => `The desk of ${operator}`,
    invitationLead: (name: string) =>
      `Hello ${name}. Make a passkey on this device: from then on, you sign in with it. This link works once.`,
    makePasskey: "Make a passkey",
    signedInAs: (name: string) => `Signed in as ${name}`,
    signOut: "Sign out",
    search: "Name, e-mail, reference or telephone",
    find: "Search",
    foundTitle: (words: string) => `Search: ${words}`,
    found: plural({ one: "# booking", other: "# bookings" }),
    nothingFound: "No booking matches.",
    moreFound: "There are more. Add a word, or use the reference.",
    searchedSince: (date: string) => `Bookings from ${date} on were searched.`,
    searchBefore: "Search earlier ones",
    dayToShow: "Day",
    showDay: "Show",
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
    notMarked: "This has been marked otherwise by now, or can’t be marked at this time. Nothing was changed.",
    managersTitle: "Only a manager can do this",
    managersOnly: "Please ask a manager of your venue. Nothing was changed.",
    toBooking: "Back to the booking",
    goOn: "Continue",
    moreBookings: "More bookings",
    toList: "Back to the list",
    changed: "Nothing was done: something has changed since you looked. This is how it stands now.",
    since: "Since you opened the page:",
    /** Of a change that nobody at the venue made. */
    byFamily: "by the family",
    amountIn: (currency: string) => `Amount in ${currency}`,
    amountWrong: (example: string) => `Please give an amount like ${example}.`,
    amountSteps: (step: string) => `The provider can move this currency only in steps of ${step}.`,
    reason: "Reason",
    reasonHint: "It stands in the booking’s history, which the family can read.",
    reasonNeeded: "Please give a reason: this is not what the terms say.",
    /** What the form of a party says otherwise to staff than to families. */
    partyErrors: {
      children: (least: number, most: number) => `The package is for ${least} to ${most} children.`,
      ageRange: (from: number, to: number) => `This playroom is for ages ${from} to ${to}.`
    },
    book: {
      code: "Code, if the family has one",
      noCode: "That code does not hold for this visit: correct it, or leave it out.",
      title: "New booking",
      choose: "Choose a room and what is booked.",
      nothing: "Nothing can be booked in your rooms now.",
      modes: { exclusive: "The whole room", shared: "Places in open play" },
      times: "Show free times",
      chooseDay: "Choose a day",
      noneIn: (month: string) => `Nothing is free in ${month} for this party.`,
      noneOn: (day: string) => `Nothing is free on ${day} for this party.`,
      another: "Book something else",
      who: "Who is it for?",
      emailHint:
        "What is confirmed, changed or still to be paid is written there, and with it the family finds the booking again. It may stay empty for what is paid here and now.",
      wrong: "Nothing was booked. Please look at what is marked.",
      check: "Book this?",
      confirm: "Book it",
      edit: "Change something",
      free: "Nothing is due now: the booking is confirmed at once.",
      how: "How is it paid?",
      which: "Please say how it is paid.",
      link: "Online, on the family’s page",
      held: (until: string) =>
        `If it is paid online, the places are held until ${until}, and longer while somebody is paying. If it is paid at the venue, the booking is confirmed at once.`,
      howMuch: "If at the venue: how much is paid now?",
      due: (amount: string) => `What is due now: ${amount}`,
      all: (amount: string) => `Everything: ${amount}`,
      tooMany: "Nothing was booked: there are too many unpaid bookings of this e-mail address, or made at this desk."
    },
    walkIn: {
      title: "Walk-in",
      /** The name in a booking of who gave none. */
      name: "Walk-in",
      lead: "How many children come? The price is shown before it is sold.",
      begun: "Has begun",
      none: "Nothing can be sold here and now.",
      sold: (what: string) => `Sold: ${what}.`
    },
    family: {
      title: "Link for the family",
      lead: "Read it out, or copy it. Whoever has it can pay, change and cancel the booking.",
      mailed: (email: string) => `When it was booked, it was also sent to ${email}.`,
      send: (email: string) => `Send it to ${email}`,
      sent: (email: string) => `It is on its way to ${email}.`
    },
    pay: {
      title: "Record a payment",
      way: "How was it paid?",
      whichWay: "Please say how it was paid.",
      confirm: "Record the payment",
      left: "Still to be paid after that",
      confirms: "This confirms the booking.",
      pages: "Pages on which the same could be paid online are closed.",
      nothing: "Nothing can be paid for this booking now.",
      more: (owed: string) => `No more than ${owed} is owed.`,
      less: (due: string) => `The places are only held: at least ${due} is due now.`,
      processing: "An online payment is being processed. Wait until it has arrived or failed."
    },
    voucher: {
      online: "Online",
      title: "Gift vouchers",
      pay: "Pay by voucher",
      rest: "How is the rest paid?",
      later: "Not now",
      less: (due: string) => `The places are only held, and ${due} more is due now: say how that is paid.`,
      sell: "Sell a voucher",
      lead: "What you take for a voucher you owe. It is revenue once a booking is paid with it.",
      until: "Last day on which it is valid",
      untilHint: "Leave it empty if it does not expire.",
      untilWrong: "Choose a day to come, no more than ten years ahead.",
      value: "Value",
      sold: "Sold",
      look: "Look up a voucher",
      show: "Show it",
      print: "Open it, to print it or copy its address",
      latest: "Sold last",
      none: "No voucher has been sold yet.",
      undo: "Undo the sale: it was a mistake",
      undone: "The sale was undone.",
      kept: "The sale can’t be undone: something was paid with the voucher, or it has expired."
    },
    undoPay: {
      title: "Undo a payment recorded by mistake",
      confirm: "Undo the payment",
      which: "Which payment was recorded by mistake?",
      nothing:
        "No payment taken at the venue can be undone here: money of this booking went back, the booking has ended, or the visit was long ago.",
      noRefund:
        "Nothing is given back: this says that the money was never paid for this booking. The booking stays confirmed.",
      books: "In the month’s figures the payment stays on its day, and is taken off today."
    },
    returned: {
      todo: (amount: string) => `${amount} is to be given back at the venue`,
      how: "How was it given back?",
      ways: { cash: "in cash", card: "on the card", transfer: "by transfer", voucher: "onto the voucher" },
      done: "It was given back"
    },
    /** For staff, of what the family's page says, too. */
    unclear:
      "A payment of this booking could not be recorded as usual. If something here looks wrong, ask whoever runs this service for you.",
    back: {
      title: "Give an amount back",
      confirm: "Give it back",
      nothing: "Nothing that was paid is left.",
      tooMuch: (left: string) => `No more than ${left} of what was paid is left.`,
      byHand: (amount: string) =>
        `${amount} of it was not paid online: give it back by hand. What was paid by voucher goes back onto it by itself.`,
      before: (amount: string) => `${amount} went back before, and is counted.`,
      disputed: (amount: string) => `${amount} is under dispute. No refund is sent before that is decided.`,
      blocked: (amount: string) =>
        `${amount} can’t be sent back before your account at the payment provider takes payments again. It is then sent by itself.`,
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
      same: "That is how it is booked already.",
      notConfirmed: "It is not confirmed yet: what is due has to be paid first.",
      begun: "The visit has begun.",
      payment: "An online payment for it is open or on its way. Try again once it has arrived, or in half an hour.",
      refund: "Money for it is on its way back. Try again once that is there.",
      reasonNeeded: "The terms give no such change any more: please give a reason.",
      closed: "The venue is closed at that time.",
      notSold: "That can’t be booked here as things are: cancel the booking and book anew.",
      taken: "That time is not available.",
      nearest: (starts: string) => `The nearest free times: ${starts}.`
    },
    move: {
      title: "Move the booking",
      confirm: "Move it",
      date: "New day",
      time: "New start",
      when: "Please give a day and a time.",
      room: "Room and package",
      none: "It can’t be moved into that room: please choose again.",
      without: (extras: string) => `Not sold there like that, and left behind: ${extras}.`
    },
    closing: {
      title: "Block a time",
      lead: "Nothing more can be booked then, from now on. What is booked already stays booked.",
      outOfOrder: "Out of order",
      all: "All playrooms",
      from: "First day",
      to: "Last day",
      toHint: "Empty: the same day.",
      starts: "From",
      ends: "Until",
      timesHint: "Leave both times empty for whole days.",
      managersDays: "Only managers close whole days: please give both times.",
      reasonHint: "In a few words. Families can read it.",
      wrong: "Nothing was blocked yet: please look at what is marked.",
      timesWrong:
        "Please give a day, and both times or none. The end has to come after the start, and at most two years later.",
      reasonWrong: "Please say in a few words why.",
      problems: {
        no_playroom: "There is no such playroom.",
        no_stock: "There is no such extra, or not so many of it.",
        too_many_playrooms: "That is too many playrooms at once: please choose one.",
        over: "That time is over.",
        no_time: "The clocks skip that time.",
        too_many: "Too many times are blocked in that playroom already: reopen some that are no longer needed."
      },
      checkTitle: "Block this time?",
      inside: plural({ one: "# booking is in this time.", other: "# bookings are in this time." }),
      nobody: "Nothing is booked then.",
      stays: "What is booked stays, and takes place unless you move or cancel it.",
      list: "The page “To decide on” lists these afterwards, to move or cancel them, one by one or all at once.",
      more: (n: number) => `And ${n} more.`,
      confirm: "Block it now",
      upcoming: "Closed from now on",
      furtherTimes: "More closed times",
      by: (name: string) => `by ${name}`,
      ofFile: "by the catalogue",
      reopen: "Reopen",
      reopenTitle: "Reopen this time?",
      reopenLead: "It can be booked again at once, unless something else closes it."
    },
    closed: {
      title: "To decide on",
      lead: "These are booked while you are closed, or have more places or extras than there are now. They take place unless they are moved or cancelled.",
      none: "There is nothing to decide: no booking is in closed time, or has more than there is.",
      who: "Name",
      because: "Why",
      only: (of: string, units: number) => `${of}: only ${units} now`,
      what: "What happens",
      cancel: "Cancel, everything goes back",
      keep: "Keep",
      write: "Keep, and write to them",
      writeAll: plural({ one: "Write to this family", other: "Write to these # families" }),
      words: "What you write to them",
      wordsHint: "They get it by e-mail, with the link of their booking, in the words that you write here.",
      noWords: "Please write what they are to be told.",
      notWritten: "can’t be written to: not confirmed, over, or without an e-mail address",
      giveBack: "Give the extra back, with its price",
      swapFor: "Swap for another extra",
      swapPays: "Swap, and the family pays the difference",
      costsMore: (amount: string) =>
        `That extra costs ${amount} more. Choose another, or that the family pays the difference.`,
      broken: (of: string, why: string) => `${of}, out of order: ${why}`,
      moveTo: "Move to",
      money: "Money",
      twice: "Others of these take that room, or an extra, at that time: choose another time.",
      told: "Families whose confirmed booking is changed or cancelled get an e-mail that says what changed.",
      notTold: "No e-mails are sent: tell the families yourself.",
      all: plural({ one: "Cancel this booking", other: "Cancel all # of these" }),
      planTitle: "Is this right?",
      nothingChosen: "Nothing was chosen, or there is nothing to decide on it any more.",
      cant: "can’t be done now",
      inAll: "Goes back in all",
      byHand:
        "What was paid at the venue goes back there by hand, and what was paid by voucher onto the voucher: each booking says so afterwards.",
      confirm: plural({ one: "Do this with # booking now", other: "Do this with # bookings now" }),
      changed: "Nothing was done: that is not what the page before showed.",
      doneTitle: "Done",
      nothingDone: "Nothing was done.",
      done: {
        cancelled: plural({ one: "# booking was cancelled.", other: "# bookings were cancelled." }),
        moved: plural({ one: "# booking was moved.", other: "# bookings were moved." }),
        givenBack: plural({
          one: "# booking got the price of its extra back.",
          other: "# bookings got the price of their extras back."
        }),
        swapped: plural({ one: "# booking got another extra.", other: "# bookings got other extras." }),
        written: plural({
          one: "# family was written to; its booking is kept.",
          other: "# families were written to; their bookings are kept."
        })
      },
      gone: plural({
        one: "On # other there was nothing to decide any more, and it was left alone.",
        other: "On # others there was nothing to decide any more, and they were left alone."
      }),
      left: "These have changed since the page before, or it could not be done. They were left as they are:",
      notAll: "Not all of them are done yet. Continue goes on with the others."
    },
    people: {
      title: "Who works here",
      lead: "Each of these people signs in at this desk.",
      name: "Name",
      you: "(you)",
      nameHint: "As the history of bookings is to name the person.",
      nameWrong: "Please give a name, of up to 80 letters.",
      role: "Role",
      roles: { desk: "Desk", manager: "Manager" },
      roleMeans: {
        desk: "The day’s work: visits, bookings, payments.",
        manager: "Also closing days, giving money back, the month’s figures, and who works here."
      },
      passkeys: "Passkeys",
      signedIn: "Last signed in",
      invitedUntil: "Invited until",
      change: "Change",
      invite: {
        title: "Invite somebody",
        confirm: "Invite",
        wrong: "Nobody was invited. Please look at what is marked.",
        taken: "Somebody of this name is in the list already. For another passkey, press “New invitation” there."
      },
      again: {
        title: "New invitation",
        lead: "With the new link the person makes a passkey and is in.",
        works:
          "The link works once: for 30 minutes if the person has been here before, otherwise for three days. An earlier link ends.",
        passkeys: {
          legend: "The passkeys so far",
          ends: {
            label: "End at once",
            means: "The device is lost, stolen or no longer the person’s. The person is signed out everywhere, too.",
            own: "The device is lost, stolen or no longer yours. You are signed out everywhere but here, too."
          },
          stays: { label: "Stay good", means: "The person only gets one more, on a new phone for instance." }
        },
        withdraw: "End the open invitation",
        confirm: "Make the invitation"
      },
      address: {
        title: (name: string) => `Invitation for ${name}`,
        lead: (name: string) =>
          `Pass this address on to ${name} and to nobody else: whoever opens it first makes a passkey and signs in as ${name}.`,
        once: "It works once, and is shown only now."
      },
      newRole: {
        link: "Change the role",
        title: (name: string) => `New role for ${name}`,
        lead: "It holds at once, also where the person is signed in. Passkeys and an open invitation stay.",
        confirm: "Change it",
        self: "You can’t change your own role: another manager has to do it."
      },
      remove: {
        link: "Remove",
        title: (name: string) => `Remove ${name}?`,
        lead: "The person is signed out everywhere at once, can’t sign in any more, and an open invitation ends.",
        stays: "The history goes on naming what this person did. To come back, somebody has to be invited anew.",
        confirm: "Remove now",
        self: "You can’t remove yourself: another manager has to do it."
      }
    },
    month: {
      title: "The month’s figures",
      month: "Month",
      show: "Show",
      before: "Month before",
      after: "Month after",
      nothing: "Nothing was paid and nothing went back then.",
      ofYear: { title: "The year’s figures", show: "The whole year", before: "Year before", after: "Year after" },
      tooMany: "These are too many lines for one file: choose a month, or ask whoever runs this service for it.",
      sums: {
        payment: "Paid online",
        refund: "Paid back online",
        dispute: "Disputes",
        fee: "Other fees",
        other: "Not of these bookings",
        platform_fee: "Fees of the platform",
        provider_fee: "Fees of the payment provider",
        net: "Net, online",
        payout: "Paid out to you",
        venue_payment: "Paid at the venue",
        venue_refund: "Given back at the venue",
        voucher_sold: "Vouchers sold (you owe them)",
        voucher_payment: "Paid by voucher",
        voucher_refund: "Given back onto vouchers",
        voucher_expired: "Vouchers expired unspent"
      },
      vouchersOwed: "Owed on vouchers at the end, or now",
      taxes: "By rate of tax",
      rate: "Rate",
      withTax: "With tax",
      tax: "Tax",
      withoutTax: "Without tax",
      codes: "Codes of bookings made then",
      code: "Code",
      uses: "Bookings",
      takenOff: "Taken off",
      own: "By the bookings here. The payment provider’s fees and payouts are not in it.",
      provider: "By the payment provider’s record, and what was paid at the venue by the bookings here.",
      download: "Download for a spreadsheet (Excel)",
      downloadCsv: "Download as CSV",
      compare: "With the provider’s fees and payouts",
      agrees: "Every amount agrees with the payment provider’s record.",
      differs: (lines: number) =>
        `Differs from the payment provider’s record in ${lines} places: ask whoever runs this service to compare.`,
      away: "The payment provider did not answer in time. These are the figures by the bookings here."
    },
    till: {
      title: "The till",
      drawer: "Should be in the drawer",
      drawerMeans: "Cash taken less cash given back on this day, beside the float.",
      byWay: "By way of payment",
      byPerson: "By who took it",
      way: "How",
      taken: "Taken",
      back: "Given back or undone",
      sum: "Together",
      who: "Who",
      none: (day: string) => `Nothing was taken or given back at the venue: ${day}.`
    },
    waits: {
      lead: plural({ one: "# family is waiting.", other: "# families are waiting." }),
      none: "Nobody is waiting.",
      since: "Waiting since",
      remove: "Take off"
    },
    owed: {
      title: "Who owes what",
      lead: plural({ one: "# booking has something still to pay.", other: "# bookings have something still to pay." }),
      none: "Nobody owes anything.",
      who: "Name",
      amount: "Still to pay",
      due: "Due",
      overdue: "overdue",
      atVenue: "at the venue",
      over: "the visit is over",
      processing: "a payment is on its way",
      sum: "In all",
      fromStart: "From the start of the list"
    },
    history: "History",
    /** What happened to a booking, by the history's name for it. */
    unusual: "Unusual, and only you can allow it:",
    exceptions: {
      ages: "An age that the playroom is not for",
      party_too_small: "Fewer children than the package is for",
      party_too_large: "More children or adults than the package is for",
      too_soon: "Later than you take bookings",
      too_far_ahead: "Earlier than you take bookings"
    },
    events: {
      exception: "Exception made",
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
      arrived_undone: "“Arrived” undone",
      no_show: "Did not come",
      no_show_undone: "“Did not come” undone",
      payment_in_question: "Payment in question",
      payment_taken: "Payment taken as it is",
      payment_sent_back: "Payment sent back",
      paid_at_venue: "Taken at the venue",
      paid_by_voucher: "Paid by voucher",
      payment_undone: "Payment undone",
      goodwill: "Amount given back",
      cancelled: "Cancelled",
      hold_expired: "Not paid in time",
      balance_lapsed: "Balance not paid in time",
      refunded: "Paid back",
      refund_failed: "Refund failed",
      disputed: "Payment disputed",
      answered: "Questions answered",
      link_sent: "Link sent",
      written_to: "Written to",
      link_renewed: "Link renewed",
      clock_followed: "Kept its hour",
      person_erased: "Name erased"
    }
  }
}

export type Desk = typeof desk
