/** What families read and do on pages and on the card; and the tests that hold it. */
import { type Case, checked } from "../Case.ts"

const whom = "test/surfaces/web/family/WhomToAsk.test.ts"
const card = "test/surfaces/mcp/card/CardViews.test.ts"

const deadline = "test/surfaces/web/frame/Deadline.test.ts"

const guests = "test/surfaces/web/family/Invitation.test.ts"
const standings = "test/surfaces/web/family/Standings.test.ts"
const ways = "test/surfaces/web/family/WaysBack.test.ts"
const wording = "test/words/Wording.test.ts"

export const families: ReadonlyArray<Case> = [
  checked(
    "26.2. Guests get an invitation that gives nothing away, calendars a reminder, and the family a receipt",
    `${guests}: says when and where in each language, and gives nothing away: no price, name, notes or reference`,
    `${guests}: is offered on the family's page of a confirmed visit alone, and its token opens no other page`,
    `${guests}: ends with the booking, with a renewed link and with the visit, and sends guests to whoever invited them`,
    `${guests}: reminds a day before by two readers, and not once it is cancelled`,
    `${guests}: opens in calendars on the web with its time and place, and with no token`,
    `${guests}: has the seller, the lines, the tax, each payment and refund with its day, and what is left`
  ),
  checked(
    "E6. Text at 200 % fits 320 pixels in each standing",
    "test/surfaces/web/family/FamilyPageInBrowser.test.ts: fits 320 pixels with text at 200 % in each standing, and what is wider is found"
  ),
  checked(
    "E5. Each standing leads somewhere: no dead button, what a cancelled booking cost, how to book again, what an earlier time costs",
    `${standings}: has no dead button to pay if the venue takes no payments, and says what stands`,
    `${standings}: says of a cancelled booking what was paid, went back and is kept, and by which terms, and how to book again`,
    "test/surfaces/web/family/BookingPage.test.ts: says that a visit was moved, from when, to a later time or an earlier one, and to update the calendar, in each language",
    `${standings}: says before a move to an earlier time what that costs in rights, with the money`,
    `${standings}: says what was paid and what is left until when, with the picture and the way to the calendar`,
    `${card}: opens a page for an overdue balance at its button`
  ),
  checked(
    "E8. When and where lead, paying the rest presses only when it is due soon, and cancelling offers to move while that is free",
    `${standings}: offers to pay the rest beside the money, and above it once it is due within a week`,
    `${standings}: offers to move instead of cancelling while that is free, and speaks of a late payment only if one can come`,
    "test/surfaces/web/landing/Landing.test.ts: has a way for families, for those who run a playroom and for developers, in each language",
    "test/surfaces/web/family/BookingPage.test.ts: says exactly the money: what is paid, what is due and when, what went back, and what a cancellation gives"
  ),
  checked(
    "E1. Every deadline of a person says how long is left and the moment with its zone, and a hold has one end on every page",
    `${deadline}: says how long is left, never more than there is, and the moment with its zone, with the date unless it is today`,
    `${deadline}: is said in each language, with the plural of its number`,
    `${deadline}: is one and the same on the booking's page, the pay page and the page after paying`,
    "test/surfaces/web/family/FamilyPageInBrowser.test.ts: says a hold's end on the reader's own clock, too, if that is another"
  ),
  checked(
    "E2. Who is sent to the venue reads how it is reached, by telephone if there is one, and nobody is told to call without a number",
    `${whom}: tell nobody to call: one line says whom to ask, and how if it is known`,
    `${whom}: is on each page that sends a family to the venue, in each language: \${what}`,
    `${whom}: is in the calendar entry, with what to bring, which the page says until the visit is over`,
    `${card}: says whom to ask and what to bring with a booking, and how only if it is known`,
    `${card}: says whom to ask where there are no times, or the tool says that the venue may know more`
  ),
  checked(
    "E3. Who lost the link gets it again, from every page whose link is dead, and nobody learns whether there is such a booking",
    "test/surfaces/web/family/FindBooking.test.ts: answers the same whether there is such a booking or not, and only one has a letter",
    "test/surfaces/web/family/FindBooking.test.ts: is one step from every page whose link is dead, and from the start page"
  ),
  checked(
    "E4. The card and the provider's page speak the person's language, in money and terms, too",
    `${card}: speaks the person's language, in money, dates and terms too: \${locale}`,
    "test/surfaces/web/family/PayerLanguage.test.ts: is in the language of the page that led to it, in what is paid and in its terms, too",
    "test/surfaces/web/family/PayerLanguage.test.ts: is the nearest that it has, British English but for Americans, and else the browser's"
  ),
  checked(
    "E6. Americans have their dates and clock, ages have commas where their language has them, and each page the publisher's links",
    "test/words/Localized.test.ts: say midnight as 00:00, in American English as 12:00 AM",
    `${wording}: lists ages as the language does, in English without a comma before the last`,
    "test/surfaces/web/EveryPage.test.ts: have the links to privacy, terms and support, the consent as well as a refusal"
  ),
  checked(
    "E7. Messages are written as a native would: one register, one word for one thing, no translated phrases",
    `${wording}: keeps to one register, one spelling, its language's punctuation, and no translated phrases`,
    `${wording}: has a form for each number of people, times, places and visits`
  ),
  checked(
    "26.1. Of what was paid by link and at the venue everybody says who gives back how much, and nothing is called gone before it is",
    `${ways}: goes back in two ways, say the preview of a change, its page, its letter and the assistant`,
    `${ways}: goes back in two ways, say the page that cancels, the letter, and the page after paying in every language`,
    `${ways}: is told apart by what went back and what is on its way, and the venue's part by itself`
  ),
  checked(
    "26.3. The letters of a booking come once, each at its time, and a mail server that is silent holds up none",
    "test/surfaces/letters/Journey.test.ts: are those that it needs, each at its time and once, from the hold to the day after the visit",
    "test/surfaces/letters/SlowServers.test.ts: are given up for now after a time, whenever it falls silent, and are taken when it is well again",
    "test/surfaces/letters/SlowServers.test.ts: hold up no others: what one server stalls for one letter, the next sender takes"
  )
]
