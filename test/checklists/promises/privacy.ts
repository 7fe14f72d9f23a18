/** One family never sees another: behind a key that serves many, and among guests; and the tests that hold it. */
import { type Case, checked } from "../Case.ts"

const shared = "test/platform/access/SharedKeys.test.ts"
const parents = "test/platform/access/SecondParents.test.ts"
const guests = "test/domain/booking/OtherGuests.test.ts"
const steps = "test/surfaces/web/family/FamilySteps.test.ts"
const payPage = "test/surfaces/web/family/PayPage.test.ts"

export const privacy: ReadonlyArray<Case> = [
  checked(
    "A1. Behind a key that serves many families a reference opens nothing without its e-mail address, which is tried ten times an hour",
    `${shared}: opens a booking by id, and by reference only with its e-mail address, however both are typed`,
    `${shared}: is told of a wrong e-mail address what it is told of a reference that does not exist, word for word`,
    `${shared}: tries ten e-mail addresses of a reference in an hour, also at once; its other references stay open`,
    `${shared}: finds by reference on another node what was tried on the first: the tries are one count`,
    `${shared}: with the admin scope needs no e-mail address, and one that is given must be right`,
    "test/platform/access/ForeignBookings.test.ts: takes the same statements by reference, as one's own with another e-mail address does"
  ),
  checked(
    "A1. Tries at a reference or a wish are counted for a guest, its /64 and its /48",
    `${guests}: has ten tries of a /64 and thirty of its /48, at a reference as at a wish, however many of its /64s ask`
  ),
  checked(
    "A1. Two chats behind one key that invent the same e-mail address are told neither name nor time of the other's booking, and of its playroom only that it is the same that day, a bounded number of times",
    `${shared}: tells two families that invent one e-mail address no more of each other than that there is a booking`,
    `${parents}: is told nothing of where it is, if it is at another playroom or on another day`,
    `${parents}: no longer tells it to anybody behind the key after ten misses about an e-mail address within an hour`
  ),
  checked(
    "A1. No other answer tells a family's reference, id or page to another behind the same key, nor of another key's holds",
    "test/surfaces/mcp/tools/OwnHolds.test.ts: are told to it as a bare fact with the options of their dates, and to nobody else, while they are alive",
    `${shared}: is told nothing that opens a booking by who knows its option, e-mail address or both`,
    `${shared}: counts holds of an e-mail address for itself: what another key holds is neither told nor in the way`
  ),
  checked(
    "A link to the pay page, passed on to somebody else, opens paying and nothing else, also on the way back",
    `${payPage}: passed on to somebody else leads neither forth nor back to the family's page, and tells no e-mail address`,
    `${payPage}: reads nothing and changes nothing of the person: no name, e-mail, notes or ages, no way to the family's page`
  ),
  checked(
    "B2. A guest who signs in again finds the booking by reference and e-mail address, reads and pays it, and can't change it",
    `${guests}: finds the booking by reference and e-mail address, reads and pays it, and never gets its page`,
    "test/surfaces/web/family/AfterPaying.test.ts: is not led to the family's page where a guest who may only read and pay has found the booking",
    `${guests}: does not find what an API key booked, nor a booking whose person was erased`,
    `${guests}: is told how to reach a booking, and not of an API key that it hasn't`,
    `${guests}: tries ten times an hour: as one guest in all, and as all guests of a network about one reference`,
    `${guests}: and joined the booking by its page's link has the rights of the guest who made it`,
    `${guests}: leaves nothing when the key is removed, and another guest's finding goes with the person`
  ),
  checked(
    "B2. The family's page tells which assistants reach its booking, and ends the access of each",
    "test/surfaces/web/family/JoinedAssistants.test.ts: that joined by the page's link, or found it, is listed since when and with what it may; its access to this booking ends there",
    `${steps}: is named on the page of a guest's booking; its access ends there, and the booking stays`
  ),
  checked(
    "B2. The same wish of another guest makes no second booking, and tells nothing of the first but that there is one",
    `${guests}: never books the same wish twice: \${what}; and learns only that there is a booking`,
    `${guests}: makes one booking where ten guests ask for one wish at once: \${what}`,
    `${guests}: whose wish's hold has lapsed books it anew`,
    `${guests}: is not told of a wish to which one has guessed ten times in an hour; no booking comes of it`
  )
]
