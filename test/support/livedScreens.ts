/** Pages of families, owners and staff that need a booking in the database: its steps, the owner's page, and the desk. */
import { BookingOptions } from "../../src/domain/availability/BookingOptions.ts"
import { Effect } from "effect"
import { unguarded } from "../../src/platform/access/ApiKeys.ts"
import { LinkTokens } from "../../src/platform/access/LinkTokens.ts"
import { bookingLink } from "../../src/domain/booking/BookingLinks.ts"
import { Grants } from "../../src/domain/oauth/Grants.ts"
import { deskPaths, type StaffMember } from "../../src/domain/people/staff/StaffMember.ts"
import { Staff } from "../../src/domain/people/staff/Staff.ts"
import { StaffSessions } from "../../src/domain/people/staff/StaffSessions.ts"
import { importVenue } from "./BookingWorld.ts"
import type { openBrowser } from "./Browser.ts"
import { FamilyPages, familyWorld, pageOf } from "./FamilyPages.ts"
import { from } from "./LetterWorld.ts"
import { confirmedOn, hall as moveHall, movable, optionOn } from "./moveWorld.ts"
import { bookAt, hall, loft, payAt } from "./operatorVenues.ts"
import { bookingWithSession, cancelBooking, createBooking, paidBooking } from "./PaymentWorld.ts"
import { packages } from "./paymentVenues.ts"
import { ScriptedGateway } from "./ScriptedGateway.ts"
import type { Screen } from "./screens.ts"

type Browser = Effect.Success<ReturnType<typeof openBrowser>>

/** Where these pages are served: over real services, a scripted provider, and the tests' clock. */
export const livedWorld = familyWorld({ letters: { kind: "sandbox", from } })

const stepsOfFamilies = Effect.gen(function* () {
  yield* importVenue(moveHall)
  const provider = yield* ScriptedGateway
  const held = yield* bookingWithSession()
  const paid = yield* paidBooking()
  const deposit = yield* paidBooking(packages.depositParty)
  const disputed = yield* paidBooking()
  provider.refundInDashboard(disputed.session, 5000)
  provider.openDispute(disputed.session, 7000)
  const cancelled = yield* paidBooking()
  yield* cancelBooking(cancelled.booking)
  const party = yield* confirmedOn("2026-12-12")
  const weekday = yield* confirmedOn("2026-12-15")
  const fixed = yield* confirmedOn("2026-12-10", "10:00", movable.fixedParty)
  const play = yield* confirmedOn("2026-12-12", "15:00", movable.play)
  const { key_id } = yield* Grants.use((grants) =>
    grants.agree(
      {
        consent: "consent",
        scopes: ["bookings:read", "bookings:write"],
        client_id: "https://chat.example/client.json",
        client_name: "An assistant",
        host: "chat.example",
        proven: false,
        address: "203.0.113.9",
        key: undefined
      },
      unguarded
    )
  )
  const byGuest = yield* createBooking(packages.party, { key: key_id })
  const page = yield* pageOf(party)
  const stepOf = (booking: Parameters<typeof pageOf>[0], step: string) =>
    Effect.map(pageOf(booking), (url) => `${url}?step=${step}`)
  const reminders = yield* LinkTokens.use((links) => links.address(bookingLink("reminders", party)))
  /** Fills in the form of the party, and presses its first button. */
  const check = (children: number) =>
    `document.querySelector("#children").value = "${children}"; [...document.querySelectorAll("button")].find((one) => one.value === "check").focus()`
  return [
    { name: "booking, confirmed", url: page },
    { name: "cancelling, nothing paid", url: yield* stepOf(held.booking, "cancel") },
    { name: "cancelling, all back", url: yield* stepOf(paid.booking, "cancel") },
    { name: "cancelling, deposit", url: yield* stepOf(deposit.booking, "cancel") },
    { name: "cancelling, disputed", url: yield* stepOf(disputed.booking, "cancel") },
    { name: "booking, going back", url: yield* pageOf(cancelled.booking) },
    { name: "moving, days", url: `${page}?step=move` },
    { name: "moving, times", url: `${page}?step=move&date=2026-12-14` },
    { name: "moving, none free", url: `${page}?step=move&month=2026-11&date=2026-11-01` },
    { name: "moving, cheaper", url: `${page}?step=move&option=${yield* optionOn("2026-12-14", "15:00")}` },
    { name: "moving, dearer", url: `${yield* pageOf(weekday)}?step=move&option=${yield* optionOn("2026-12-19")}` },
    { name: "moving, gone", url: `${page}?step=move&option=option_AAAA` },
    { name: "moving, not free", url: yield* stepOf(fixed, "move") },
    { name: "party", url: yield* stepOf(play, "party") },
    { name: "party, larger", url: yield* stepOf(play, "party"), press: check(10) },
    { name: "party, smaller", url: yield* stepOf(play, "party"), press: check(5) },
    { name: "party, too large", url: yield* stepOf(play, "party"), press: check(13) },
    { name: "party of a package", url: yield* stepOf(party, "party") },
    { name: "access of an assistant", url: yield* stepOf(byGuest, "access") },
    { name: "receipt, paid", url: yield* stepOf(paid.booking, "receipt"), printed: true },
    { name: "receipt, deposit", url: yield* stepOf(deposit.booking, "receipt"), printed: true },
    {
      name: "finding a booking, sent",
      url: `${yield* FamilyPages}/b`,
      press: `document.querySelector("#reference").value = "K7M2-9QXD"; document.querySelector("#email").value = "ana@example.com"; document.querySelector("main form button").focus()`
    },
    { name: "reminders", url: (yield* FamilyPages) + new URL(reminders).pathname }
  ] satisfies ReadonlyArray<Screen>
})

/** An owner's page and the desk on a Saturday with visits, after the browser was let in. */
const daysOfOperators = Effect.fnUntraced(function* (browser: Browser) {
  const saturday = "2026-12-05"
  const base = yield* FamilyPages
  yield* importVenue(hall, loft)
  const booked = yield* bookAt(hall, saturday, "12:30", "trusted", {
    name: "Rosalind Featherstonehaugh",
    notes: "Nut allergy!\nWe bring a cake of our own.",
    phone: "+44 20 7946 0123",
    child_ages: [5, 6, 5, 5, 4, 6, 5, 5],
    bubbles: 2,
    cake: true
  })
  yield* payAt(yield* bookAt(hall, saturday, "10:00", "deposit"))
  yield* bookAt(loft, saturday, "10:00", "paid")
  const paid = yield* bookAt(loft, saturday, "12:30", "paid", { name: "Sam Door" })
  yield* payAt(paid)
  const { operator_id } = hall.operator
  const owner = yield* LinkTokens.use((links) => links.address({ page: "operator", operator_id, counter: 0 }))
  const day = base + new URL(owner).pathname
  const { member } = yield* Staff.use((staff) => staff.invite(operator_id, { name: "Ana", role: "desk" }))
  const guest = yield* Staff.use((staff) => staff.invite(operator_id, { name: "Ben", role: "desk" }))
  const manager = yield* Staff.use((staff) => staff.invite(operator_id, { name: "Maria Wilhelmine", role: "manager" }))
  const sessionOf = Effect.fnUntraced(function* ({ staff_id }: StaffMember) {
    const value = yield* StaffSessions.use((sessions) => sessions.begin(staff_id))
    return browser.command("Network.setCookie", { name: "desk", value, url: base, httpOnly: true })
  })
  const signedIn = yield* sessionOf(member)
  const asManager = yield* sessionOf(manager.member)
  const signedOut = browser.command("Network.clearBrowserCookies", {})
  const desk = base + deskPaths.desk
  const book = base + deskPaths.book
  const sold = hall.packages[1]?.package_id
  const play = `${book}?package=${sold ?? ""}&children=8&adults=2`
  const { options } = yield* BookingOptions.use((service) =>
    service.list({
      playroom_id: hall.playroom.playroom_id,
      ...(sold === undefined ? {} : { package_id: sold }),
      date: saturday,
      date_to: "2026-12-20",
      children: 8,
      adults: 2
    })
  )
  const who = `${book}?option=${options[0]?.option_id ?? ""}`
  const check = `document.querySelector("#name").value = "Ida Green"; document.querySelector("#email").value = "ida@example.com"; document.querySelector("[value=check]").focus()`
  return [
    { name: "desk, what to book", url: book, before: signedIn },
    { name: "desk, free days", url: play, before: signedIn },
    { name: "desk, free times", url: `${play}&date=2026-12-12`, before: signedIn },
    { name: "desk, for whom", url: who, before: signedIn },
    { name: "desk, for nobody", url: who, before: signedIn, press: `document.querySelector("[value=check]").focus()` },
    { name: "desk, book this", url: who, before: signedIn, press: check },
    {
      name: "desk, link for the family",
      url: `${base}${deskPaths.booking}${booked.booking_id}?step=link`,
      before: signedIn
    },
    { name: "owner, a Saturday", url: `${day}?day=${saturday}`, printed: true },
    { name: "owner, a day without visits", url: `${day}?day=2026-12-04` },
    { name: "desk, invitation", url: base + new URL(guest.url).pathname },
    { name: "desk, signing in", url: desk, before: signedOut },
    { name: "desk, a Saturday", url: `${desk}?day=${saturday}`, before: signedIn, printed: true },
    { name: "desk, a day without visits", url: `${desk}?day=2026-12-04`, before: signedIn },
    { name: "desk, found", url: `${desk}?find=rosalind`, before: signedIn },
    { name: "desk, nothing found", url: `${desk}?find=nobody`, before: signedIn },
    { name: "desk, booking", url: `${base}${deskPaths.booking}${booked.booking_id}`, before: signedIn },
    { name: "desk, who owes what", url: base + deskPaths.owed, before: asManager },
    { name: "desk, to decide on", url: base + deskPaths.closed, before: asManager },
    { name: "desk, block a time", url: base + deskPaths.closing, before: asManager },
    { name: "desk, month", url: `${base}${deskPaths.month}?month=2026-12`, before: asManager },
    { name: "desk, people", url: base + deskPaths.people, before: asManager },
    ...["pay", "party", "move", "cancel"].map((step) => ({
      name: `desk, ${step}`,
      url: `${base}${deskPaths.booking}${booked.booking_id}?step=${step}`,
      before: asManager
    })),
    { name: "desk, give back", url: `${base}${deskPaths.booking}${paid.booking_id}?step=back`, before: asManager }
  ] satisfies ReadonlyArray<Screen>
})

/** The pages, once what they show has happened. */
export const livedScreens = Effect.fnUntraced(function* (browser: Browser) {
  const families = yield* stepsOfFamilies
  return [...families, ...(yield* daysOfOperators(browser))]
})
