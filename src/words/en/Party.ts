/**
 * Messages of the page on which a family changes its party, in English. The compiler requires the same messages of
 * every language.
 */
import { plural } from "../Message.ts"

export const party = {
  party: {
    change: "Change your party",
    changeDetails: "Change your wishes",
    lead: (until: string) =>
      `You can change all of this yourself until ${until}. Before anything is changed, you see what it costs or gives back.`,
    detailsOnly:
      "Name, e-mail address, phone number, ages and wishes can be changed until your visit begins. They cost nothing.",
    correct: "Correct name or address",
    contactOnly: "If your name, your e-mail address or your phone number is wrong, correct it here.",
    headcountFinal: (when: string) =>
      `The numbers have been final since ${when}. For another number, please ask the venue.`,
    growsOnly: "Your party can grow, but not become smaller. If fewer of you come, please ask the venue.",
    notSold:
      "What you booked is no longer sold in the same way, so the party can’t be changed here. Please ask the venue.",
    ages: "Ages of the children",
    agesHint: "One for each child, like 4, 5, 5. Or leave it empty.",
    agesPriced: "One for each child, like 4, 5, 5. The price goes by them: without them, it is the highest.",
    extras: "Extras",
    perChild: (price: string) => `${price} for each child`,
    each: (price: string) => `${price} each`,
    name: "Name",
    emailHint:
      "If you correct it, letters and a new link go to the new address, and the links that were sent before end.",
    phone: "Phone number",
    check: "See what this changes",
    title: "Change this booking?",
    none: "none",
    before: (value: string) => `Until now: ${value}`,
    costsNothing: "This costs nothing.",
    confirm: "Change the booking",
    edit: "Go back and edit",
    changed: "Nothing was changed: something else has changed since you looked. This is how it stands now.",
    same: "You have not changed anything yet.",
    tooMany:
      "Nothing was changed: on that day there are already as many free or unpaid bookings as there may be. Please ask the venue.",
    errors: {
      lead: "Nothing was changed. Please look at what is marked.",
      number: "Please give a whole number.",
      children: (least: number, most: number) => `Your package is for ${least} to ${most} children.`,
      adults: (most: number) => `At most ${most} adults may come.`,
      ages: (n: number) => `Please give ${n} ages, one for each child, or none.`,
      ageRange: (from: number, to: number) =>
        `This playroom is for ages ${from} to ${to}. Only the venue can make an exception.`,
      room: (left: number) => `At this time there is room for ${left} children at most.`,
      extra: (most: number) => `At most ${most} of it are available at this time.`,
      name: "Please give a name.",
      email: "Please give an e-mail address, like ana@example.com.",
      phone: "Please give a phone number, like +44 20 7946 0000.",
      notes: "Please write at most 1,000 characters.",
      closed: "The venue is closed at this time, so nothing was changed. Please ask the venue."
    }
  },
  /** What the venue asks before a visit, on the family’s page, and the answers on the venue’s own. */
  venueAsks: {
    title: "The venue asks",
    lead: "Your answers go to the venue. You can change them until your visit begins.",
    open: plural({
      one: "The venue has # question for you before your visit.",
      other: "The venue has # questions for you before your visit."
    }),
    answer: "Answer",
    change: "Change your answers",
    needed: "The venue needs this answer.",
    choose: "Please choose",
    save: "Save your answers",
    again: "Nothing was saved: something has changed since you looked. Please look at your answers once more.",
    /** Beside another answer that is typed. */
    stored: (answer: string) => `Saved by now: ${answer}`,
    tooLong: "Please write at most 500 characters.",
    notOffered: "Please choose one of the answers.",
    answers: "Answers",
    unanswered: "Not answered yet"
  }
}

export type Party = typeof party
