/**
 * A promised change of the party can be carried out, and costs what was said: case by case, and the tests that hold
 * each.
 */
import { type Case, checked } from "../Case.ts"

const changes = "test/domain/payment/changes/PartyChanges.test.ts"
const races = "test/domain/payment/changes/PartyRaces.test.ts"
const pages = "test/surfaces/web/family/PartyPages.test.ts"
const price = "test/domain/catalogue/ChangedPrice.test.ts"

export const parties: ReadonlyArray<Case> = [
  checked(
    "F1. the number of an exclusive party changes at its own start: its own places and extras are no obstacle, those of others are",
    `${changes}: costs the difference: more joins the balance, less comes off it, and then goes back in full`,
    `${changes}: has its own places and extras beside those of others, no more`,
    `${changes}: keeps to the package's sizes and the add-ons' maximum, and says them`
  ),
  checked(
    "F1. until when it can change is told, and held",
    "test/surfaces/web/family/BookingPage.test.ts: says until when the party can change: the final headcount, or without one the start of the visit",
    `${changes}: is the family's until the final headcount, and then the operator's with a reason`,
    `${changes}: without a final headcount changes until the visit begins, whatever notice a new booking needs`
  ),
  checked(
    "F1. ages, extras, telephone and wishes change, too",
    `${changes}: change at no cost, also of a hold and after the headcount, until the visit begins`,
    `${changes}: fit the party: ages for each child, of the playroom's range; those that do not fit any more go`,
    `${pages}: goes from the form to a page that says exactly what changes, and then it is changed`
  ),
  checked(
    "F1. it costs the difference of today's prices, and nothing that was agreed is priced anew",
    `${price}: is what was agreed and the difference of today's prices, never below zero, and its lines sum to it`,
    `${price}: is the old one for the same party, and after a change and its reverse, also by way of a party that was free`,
    `${price}: is the same in one step as in several, and has one line at most for what was agreed before`,
    `${changes}: waives what is too little to be charged, but not many times over`
  ),
  checked(
    "F1. whatever happens at the same time, places and money are those of one party",
    `${races}: another part of the party changes on another node: both are made, and neither undoes the other`,
    `${races}: the form of another tab is sent on another node: one is done, as its page said`,
    `${races}: its wishes change on another node: they are kept, and who said a number last has that number`,
    `${races}: others buy the last places, or take them for their party: one has them`,
    `${races}: the last machines are wanted by two parties: one has them`,
    `${races}: it is cancelled: its places are free in the end, and all that was paid went back once`,
    `${races}: its balance is paid: the money counts, whether the event or the change is first`,
    `${races}: it moves: it has one visit with one party, and both changes where both were made`
  )
]
