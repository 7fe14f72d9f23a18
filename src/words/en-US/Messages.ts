/**
 * American English: the British messages, but for words that are spelled otherwise. `Intl` writes dates, clock times
 * and money by the locale. `test/words/Wording.test.ts` names British words that are left.
 */
import { en, type Messages } from "../en/Messages.ts"

const { cancel, card, desk, linkProblems, operator, page, standings, words } = en
const heading = "Your booking is canceled"

export const enUS: Messages = {
  ...en,
  locale: "en-US",
  words: { ...words, cancelled: "Canceled" },
  cancel: {
    ...cancel,
    changed: "Nothing was canceled: something has changed since you looked. This is how it stands now.",
    begun: "It can’t be canceled here any more."
  },
  desk: {
    ...desk,
    search: "Name, reference or phone",
    closed: {
      ...desk.closed,
      lead: "These are booked while you are closed, or have more places or extras than there are now. They take place unless they are moved or canceled.",
      done: {
        ...desk.closed.done,
        cancelled: { one: "# booking was canceled.", other: "# bookings were canceled." }
      },
      told: "Families whose confirmed booking is changed or canceled get an e-mail that says what changed."
    },
    events: { ...desk.events, cancelled: "Canceled" }
  },
  standings: {
    ...standings,
    confirmed_paid_back: {
      ...standings.confirmed_paid_back,
      lead: ({ comes_back, paid_back }) =>
        `${comes_back === "" ? `${paid_back} went` : `${comes_back} comes`} back to you, and your booking has not been canceled. Please ask the venue whether your visit takes place. You are not asked to pay again.`
    },
    cancelled: { ...standings.cancelled, heading },
    cancelled_kept: { ...standings.cancelled_kept, heading },
    cancelled_under_review: { ...standings.cancelled_under_review, heading },
    cancelled_processing: { ...standings.cancelled_processing, heading },
    cancelled_going_back: { ...standings.cancelled_going_back, heading },
    cancelled_paid_back: { ...standings.cancelled_paid_back, heading }
  },
  page: {
    ...page,
    eachAlone: "Each of these bookings is changed and canceled by itself.",
    byTerms: (when, amount) => `Canceled on ${when}. By the terms, ${amount} was to come back then.`,
    byTermsNothing: (when) => `Canceled on ${when}. By the terms, nothing was to come back then.`,
    earlier: "This is earlier than before, and so are the deadlines for canceling, for good."
  },
  linkProblems: {
    ...linkProblems,
    invitation: {
      ...linkProblems.invitation,
      lead: "The visit was canceled, or the link was replaced by a new one."
    }
  },
  operator: {
    ...operator,
    phone: "Phone",
    visitsBlocked: {
      one: "# visit is in closed time, or has more than there is now. It takes place unless it is moved or canceled.",
      other:
        "# visits are in closed time, or have more than there is now. They take place unless they are moved or canceled."
    },
    allGivenBack: "All was paid back, and the visit is not canceled: say whether it takes place",
    notices: {
      ...operator.notices,
      dispute_won: (amount, reference) =>
        `The dispute over ${amount} of booking ${reference} was won after all, and you have the money again: if the visit was canceled, ask the family whether it wants to book again.`
    }
  },
  card: {
    ...card,
    errors: {
      ...card.errors,
      booking_cancelled: "This booking is canceled, so it can't be paid. Look at other times."
    }
  }
}
