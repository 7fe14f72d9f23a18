import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { BookingRow } from "../../../../src/domain/booking/Booking.ts"
import { Operators } from "../../../../src/domain/catalogue/Operators.ts"
import { distinctLanguages, ask, familyWorld, pageOf, press } from "../../../support/FamilyPages.ts"
import { importVenue } from "../../../support/BookingWorld.ts"
import { blue, bookedInRed, moveTo, packageOf, red } from "../../../support/roomWorld.ts"
import { bookOption, confirmedOn, hall, movable, moveBooking, optionOn, rowOf } from "../../../support/moveWorld.ts"
import {
  actAndDeliver,
  deleteBookings,
  openSession,
  refundsOf,
  runProviderTasks,
  setClockBefore
} from "../../../support/PaymentWorld.ts"

const movePageOf = (booking: BookingRow, more = "") => Effect.map(pageOf(booking), (page) => `${page}?step=move${more}`)

/** The addresses of a page's links, as they are written. */
const linksOf = ({ text }: { readonly text: string }) =>
  [...text.matchAll(/<a [^>]*href="([^"]+)"[^>]*>([^<]*)/g)].map(([, href = "", label = ""]) => ({
    href: href.replaceAll("&amp;", "&"),
    label
  }))

/** Follows the link of this label. */
const follow = (page: string, seen: { readonly text: string }, label: string) => {
  const link = linksOf(seen).find((one) => one.label === label)
  return ask(new URL(link?.href ?? assert.fail(`no link ${label}: ${seen.text}`), page).href)
}

/** A confirmed booking, and the page of a free time to which it may move. */
const confirming = Effect.fnUntraced(function* (date: string, option: string) {
  const booking = yield* confirmedOn(date)
  const page = yield* pageOf(booking)
  return { booking, page, seen: yield* ask(yield* movePageOf(booking, `&option=${option}`)) }
})

/** What a page says of the terms. */
const termsOf = ({ text }: { readonly text: string }): string =>
  /<section><h2>If your plans change<.*?<\/section>/s.exec(text)?.[0] ?? assert.fail(`no terms: ${text}`)

const begin = Effect.andThen(importVenue(hall), deleteBookings)

layer(familyWorld())("moving a booking on the family's page", (it) => {
  it.effect("says that a difference too little to be charged is not paid, in every language", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* confirmedOn("2026-12-10")
      const page = yield* movePageOf(booking, `&option=${yield* optionOn("2026-12-22")}`)
      const confirm = yield* ask(page)
      assert.include(confirm.text, "It stays £200.00.")
      assert.include(confirm.text, "£0.20 more is too little to be charged, so you don’t pay it.")
      const times = yield* ask(yield* movePageOf(booking, "&date=2026-12-22"))
      assert.include(times.text, "10:00–12:00")
      assert.notInclude(times.text, "£200.20")
      yield* press(yield* pageOf(booking), confirm, "move")
      const prices = yield* ask(yield* pageOf(booking))
      assert.include(prices.text, "Not charged: too small")
      const german = yield* ask(yield* pageOf(booking), { headers: { "accept-language": "de" } })
      assert.include(german.text, "Nicht berechnet (Kleinbetrag)")
    })
  )

  it.effect("goes from a day to a time to a page that says exactly what changes, and then it is moved", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* confirmedOn("2026-12-12")
      const page = yield* pageOf(booking)
      const path = new URL(page).pathname
      const days = yield* follow(page, yield* ask(page), "Move to another time")
      assert.include(days.text, "Your visit is on Saturday, 12 December 2026 at 10:00.")
      assert.include(
        days.text,
        "Until Saturday, 5 December 2026 at 10:00 (Greenwich Mean Time) you may move it yourself"
      )
      // On its own day its own start is not offered.
      assert.include(days.text, "Sat 12 Dec <small>2 times</small>")
      const january = yield* follow(page, days, "January 2027")
      assert.include(january.text, "Fri 1 Jan <small>3 times</small>")
      const december = yield* follow(page, january, "December 2026")
      const times = yield* follow(page, december, "Mon 14 Dec ")
      const confirm = yield* follow(page, times, "15:00–17:00 ")
      for (const text of [
        "Saturday, 12 December 2026, 10:00–12:00",
        "<strong>Monday, 14 December 2026, 15:00–17:00</strong>",
        "£200.00 instead of £240.00.",
        "<dt>What comes back</dt><dd><strong>£40.00</strong>",
        "counted from Saturday, 12 December 2026: moving does not make it more"
      ]) {
        assert.include(confirm.text, text)
      }
      assert.notInclude(confirm.text, "To pay later")
      assert.deepStrictEqual(yield* rowOf(booking), booking)
      const done = yield* press(page, confirm, "move")
      assert.deepStrictEqual([done.status, done.headers.get("location")], [303, path])
      assert.strictEqual(new Date((yield* rowOf(booking)).starts_at).toISOString(), "2026-12-14T15:00:00.000Z")
      assert.deepStrictEqual(yield* refundsOf(booking), [{ cause: "move", status: "requested", amount: 4000 }])
      // Pressed twice: nothing more happens. While money goes back, it moves nowhere else, and its page says so.
      assert.strictEqual((yield* press(page, confirm, "move")).headers.get("location"), path)
      assert.lengthOf(yield* refundsOf(booking), 1)
      assert.include((yield* ask(yield* movePageOf(booking))).text, "Money is on its way back to you.")
      // What goes back has not gone back before it has.
      assert.strictEqual(termsOf(yield* ask(page)), termsOf(confirm))
      yield* runProviderTasks
      assert.strictEqual((yield* press(page, confirm, "move")).headers.get("location"), path)
      assert.include(termsOf(yield* ask(page)), "£40.00 went back before.")
    })
  )

  it.effect("E3: offers times that each say day, time and price by themselves", () =>
    Effect.gen(function* () {
      yield* begin
      const { text } = yield* ask(yield* movePageOf(yield* confirmedOn("2026-12-12"), "&date=2026-12-14"))
      assert.include(text, 'aria-label="Monday, 14 December 2026, 15:00–17:00 £200.00">15:00–17:00 ')
    })
  )

  it.effect("offers dearer times with their price, says the difference first, and leaves it to be paid", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* confirmedOn("2026-12-10")
      const page = yield* pageOf(booking)
      const times = yield* ask(yield* movePageOf(booking, "&date=2026-12-12"))
      assert.include(times.text, "10:00–12:00 <small>£240.00</small>")
      const confirm = yield* follow(page, times, "10:00–12:00 ")
      assert.include(confirm.text, "£240.00 instead of £200.00.<br><strong>£40.00 more than before.</strong>")
      assert.include(confirm.text, "<dt>To pay later</dt><dd><strong>£40.00</strong>")
      assert.deepStrictEqual(yield* rowOf(booking), booking)
      assert.strictEqual((yield* press(page, confirm, "move")).status, 303)
      const after = yield* rowOf(booking)
      assert.deepStrictEqual([after.total, after.due_now, after.payment_status], [24_000, 20_000, "deposit_paid"])
      assert.include((yield* ask(page)).text, "Pay the rest: £40.00")
    })
  )

  it.effect("says where nothing is free", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* confirmedOn("2026-12-10")
      for (const time of ["10:00", "15:00"]) yield* bookOption(yield* optionOn("2026-12-12", time))
      const saturday = yield* ask(yield* movePageOf(booking, "&date=2026-12-12"))
      assert.include(saturday.text, "Nothing is free on Saturday, 12 December 2026 for your party.")
    })
  )

  it.effect(
    "says that other times can't be booked now, not that nothing is free, while the operator is suspended",
    () =>
      Effect.gen(function* () {
        yield* begin
        const booking = yield* confirmedOn("2026-12-10")
        const operators = yield* Operators
        yield* operators.suspend(booking.operator_id)
        for (const more of ["", "&month=2027-01", "&date=2026-12-14"]) {
          const { status, text } = yield* ask(yield* movePageOf(booking, more))
          assert.strictEqual(status, 409)
          assert.include(text, "Other times can’t be booked now.")
          assert.include(text, "Ask at the venue: <bdi>Play Ltd</bdi>")
          assert.notInclude(text, "Nothing is free")
        }
        yield* operators.resume(booking.operator_id)
        assert.include((yield* ask(yield* movePageOf(booking))).text, "Fri 11 Dec <small>3 times</small>")
      })
  )

  it.effect("says that the prices are in another currency by now, and offers no other time or party", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* confirmedOn("2026-12-10")
      const option = yield* optionOn("2026-12-14")
      const page = yield* pageOf(booking)
      const seen = yield* ask(yield* movePageOf(booking, `&option=${option}`))
      yield* importVenue({ ...hall, playroom: { ...hall.playroom, currency: "EUR" } })
      const why = "another currency than your booking’s"
      for (const more of ["", "&month=2027-01", "&date=2026-12-14", `&option=${option}`]) {
        const { status, text } = yield* ask(yield* movePageOf(booking, more))
        assert.deepStrictEqual([status, text.includes(why)], [409, true], `${more}: ${text}`)
      }
      assert.include((yield* press(page, seen, "move")).text, why)
      const party = yield* ask(`${page}?step=party`)
      assert.include(party.text, "the party can’t be changed here")
      assert.notInclude(party.text, 'name="children"')
      assert.deepStrictEqual(yield* rowOf(booking), booking)
    })
  )

  it.effect("moves nothing where the time is taken meanwhile, and shows what is free", () =>
    Effect.gen(function* () {
      yield* begin
      const option = yield* optionOn("2026-12-14")
      const { booking, page, seen } = yield* confirming("2026-12-10", option)
      yield* bookOption(option)
      const refused = yield* press(page, seen, "move")
      assert.strictEqual(refused.status, 409)
      assert.include(refused.text, "that time is no longer available")
      assert.include(refused.text, "Mon 14 Dec <small>1 time<")
      assert.deepStrictEqual(yield* rowOf(booking), booking)
    })
  )

  it.effect("is not offered where the terms give no free move (any more), and the page says whom to ask", () =>
    Effect.gen(function* () {
      yield* begin
      const fixed = yield* confirmedOn("2026-12-10", "10:00", movable.fixedParty)
      assert.notInclude((yield* ask(yield* pageOf(fixed))).text, "step=move")
      const refused = yield* ask(yield* movePageOf(fixed))
      assert.strictEqual(refused.status, 409)
      assert.include(refused.text, "Ask at the venue: <bdi>Play Ltd</bdi>")
      const option = yield* optionOn("2026-12-14")
      const { booking, page, seen } = yield* confirming("2026-12-11", option)
      yield* setClockBefore(booking, 7 * 24 - 1)
      assert.notInclude((yield* ask(page)).text, "step=move")
      assert.include((yield* press(page, seen, "move")).text, "give no free move now")
      assert.deepStrictEqual(yield* rowOf(booking), booking)
    })
  )

  it.effect("waits while a payment is on its way, and takes no other party, page or nonsense", () =>
    Effect.gen(function* () {
      yield* begin
      const { depositParty: pkg } = movable
      const booking = yield* confirmedOn("2026-12-10", "10:00", pkg)
      const page = yield* pageOf(booking)
      const option = yield* optionOn("2026-12-14", "10:00", { pkg })
      const seen = yield* ask(yield* movePageOf(booking, `&option=${option}`))
      // Due by the new visit, given back by the earlier one.
      assert.include(seen.text, "<dt>To pay later</dt><dd><strong>£150.00</strong>")
      assert.include(seen.text, "by Sunday, 13 December 2026 at 10:00")
      assert.notInclude(seen.text, "<dt>What comes back")
      assert.match(
        termsOf(seen),
        /<th scope="row"><span class="narrow">Until <\/span>Wednesday, 9 December 2026 at 10:00<\/th>.*<span class="amount">£75\.00<\/span><\/td><\/tr>/
      )
      yield* actAndDeliver(yield* openSession(booking, "balance"), "pay_later")
      assert.include((yield* ask(yield* movePageOf(booking))).text, "A payment for this booking is open or on its way.")
      assert.include((yield* press(page, seen, "move")).text, "A payment for this booking is open or on its way.")
      const other = yield* confirmedOn("2026-12-11")
      for (const wrong of [
        `&option=${option}`,
        `&option=${yield* optionOn("2026-12-14", "10:00", { children: 9 })}`,
        "&option=option_AAAA",
        `&option=${"x".repeat(5000)}`
      ]) {
        const refused = yield* ask(yield* movePageOf(other, wrong))
        assert.strictEqual(refused.status, 409, wrong.slice(0, 40))
        assert.include(refused.text, "Choose another day")
      }
      for (const odd of ["&date=2026-13-45", "&month=9999-99", "&month=1900-01", "&date[]=x", "&month=%00"]) {
        assert.strictEqual((yield* ask(yield* movePageOf(other, odd))).status, 200, odd)
      }
      const body = new URLSearchParams({ step: "move", option, shown: "1e99" })
      assert.strictEqual((yield* ask(yield* pageOf(other), { method: "POST", body })).status, 400)
      assert.deepStrictEqual(yield* rowOf(other), other)
    })
  )

  it.effect("is in each language with its own words", () =>
    Effect.gen(function* () {
      yield* begin
      const option = yield* optionOn("2026-12-14")
      const booking = yield* confirmedOn("2026-12-12")
      const titles = new Set<string>()
      for (const language of distinctLanguages) {
        for (const more of ["", "&date=2026-12-14", `&option=${option}`]) {
          const { status, text } = yield* ask(yield* movePageOf(booking, more), {
            headers: { "accept-language": language }
          })
          assert.strictEqual(status, 200)
          assert.include(text, `<html lang="${language}"`)
          titles.add(/<title>(.*?)<\/title>/.exec(text)?.[1] ?? "")
        }
      }
      assert.strictEqual(titles.size, distinctLanguages.length * 3)
      // A move by the operator meanwhile: the page that was seen does not hold any more.
      const page = yield* pageOf(booking)
      const seen = yield* ask(yield* movePageOf(booking, `&option=${option}`))
      yield* moveBooking(booking, yield* optionOn("2026-12-15"))
      yield* runProviderTasks
      assert.strictEqual((yield* press(page, seen, "move")).status, 409)
    })
  )

  it.effect("are of the room where the booking is by now, and its page says where it was before", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      yield* importVenue(red, blue)
      const booking = yield* bookedInRed("2026-12-10")
      const page = yield* pageOf(booking)
      const before = yield* ask(page)
      yield* moveTo(booking, blue)
      const after = yield* ask(page)
      assert.notInclude(before.text, "Blue Room")
      for (const said of [
        "Blue Room",
        "2 High Street",
        "This visit is in another room now: Blue Room. Before, it was in Red Room."
      ])
        assert.include(after.text, said)
      const entry = yield* ask(`${page}.ics`)
      assert.include(entry.text, "LOCATION:Blue Room\\, 2 High Street")
      // A form of before changes nothing; its own moves are in the blue room.
      const seen = yield* ask(yield* movePageOf(booking, "&date=2026-12-11"))
      assert.include(seen.text, "10:00")
      yield* bookOption(
        yield* optionOn("2026-12-11", "10:00", { pkg: packageOf(blue), playroom_id: blue.playroom.playroom_id })
      )
      assert.notInclude((yield* ask(yield* movePageOf(booking, "&date=2026-12-11"))).text, "10:00–12:00")
      const receipt = yield* ask(`${page}?step=receipt`)
      assert.include(receipt.text, "2 High Street")
    })
  )
})
