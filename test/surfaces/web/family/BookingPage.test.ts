/**
 * The family's page: what it says in each state and language, made in the process from bookings that are written down
 * here.
 */
import { assert, describe, it } from "@effect/vitest"
import type { HttpServerResponse } from "effect/http"
import { bookingPage } from "../../../../src/surfaces/web/family/BookingPage.ts"
import { type StandingKind, standingOf } from "../../../../src/domain/booking/Standing.ts"
import { dayMs, hourMs } from "../../../../src/platform/time/LocalTime.ts"
import { dateTimeIn } from "../../../../src/words/Localized.ts"
import { escape } from "../../../support/FamilyPages.ts"
import { type Language, languages, messages } from "../../../../src/words/Languages.ts"
import type { ShownBooking } from "../../../../src/surfaces/web/family/ShownBookings.ts"
import { bookingRow, pictureUrl, playroom, shownBookings } from "../../../support/shownBookings.ts"

const html = (response: HttpServerResponse.HttpServerResponse): string => {
  if (response.body._tag !== "Uint8Array") throw new Error("a page with a body was expected")
  return new TextDecoder().decode(response.body.body)
}
const token = "t".repeat(48)
const responseOf = (shown: ShownBooking, language: Language, fault?: string) =>
  bookingPage({ ...shown, asked: { token, language, query: {} } }, [], "'self'", fault)
const pageOf = (shown: ShownBooking, language: Language = "en") => html(responseOf(shown, language))
const withRow = (state: StandingKind, changes: Parameters<typeof bookingRow>[0]): ShownBooking => ({
  ...shownBookings[state],
  booking: { ...shownBookings[state].booking, ...changes }
})
const stateOf = ({ booking, summary }: ShownBooking) => standingOf(booking, summary).kind
const states = Object.entries(shownBookings)

/**
 * What of our own English the other languages must not show; the package, the venue and its rules are the operator's.
 */
const english = /\b(?:your|paid|booking|until|refunded|child|children|adults|venue|price|tax|nothing)\b/i
const operators = [
  "Birthday party",
  "Rainbow cake",
  "Sunny Bounce",
  "Socks on, shoes off.",
  "A grown-up stays with children under four.",
  "Two children are allergic to nuts."
]

describe("the family's page", () => {
  it("knows each state from the booking and its payments", () => {
    for (const [state, shown] of states) assert.strictEqual(stateOf(shown), state)
    // A payment that is booked this moment, and one of which nothing is written down yet.
    const { session } = shownBookings.arriving.summary
    assert.isDefined(session)
    const paidNow = { ...shownBookings.to_pay.summary, session: { ...session, status: "paid" as const } }
    assert.strictEqual(stateOf({ ...shownBookings.to_pay, summary: paidNow }), "arriving")
    assert.strictEqual(stateOf(withRow("expired", { paid: 5000 })), "expired_going_back")
  })

  it("says the state in its heading in each language, and nothing in another language", () => {
    for (const [state, shown] of states) {
      for (const language of languages) {
        const page = pageOf(shown, language)
        assert.include(page, `<html lang="${language}">`)
        const heading = Object.entries(messages[language].standings).find(([name]) => name === state)?.[1].heading ?? ""
        assert.include(page, `<h1>${escape(heading)}</h1>`)
        assert.notMatch(page, /undefined|NaN|Invalid|\[object/, `${state} ${language}`)
        if (language.startsWith("en")) continue
        const own = operators.reduce((text, written) => text.replaceAll(escape(written), ""), page)
        const said = own.replaceAll(/<style>.*?<\/style>|<[^>]*>/gs, " ")
        assert.notMatch(said, english, `${state} ${language}`)
      }
    }
  })

  it("says exactly the money: what is paid, what is due and when, what went back, and what a cancellation gives", () => {
    const due = pageOf(shownBookings.balance_due)
    const row = (until: string, ofPaid: string, ofAll: string) =>
      `<tr><th scope="row">${until === "afterwards" ? "" : '<span class="narrow">Until </span>'}${until}</th><td data-head="of the £50.00 paid">${ofPaid}</td><td data-head="once all £200.00 is paid">${ofAll}</td></tr>`
    for (const text of [
      "£150.00 is still to be paid, by Friday, 4 December 2026 at 14:00 (Greenwich Mean Time).",
      "14 days left",
      "All times are the venue’s local time.",
      "<dt>Paid</dt><dd><strong>£50.00</strong>",
      "<dt>To pay later</dt><dd><strong>£150.00</strong>",
      "Deposit: £50.00 (not refunded).",
      '<th scope="col">Until</th><th scope="col">of the £50.00 paid</th><th scope="col">once all £200.00 is paid</th>',
      row("Saturday, 21 November 2026 at 14:00", "nothing", '<span class="amount">£150.00</span>'),
      row("Wednesday, 2 December 2026 at 14:00", "nothing", '<span class="amount">£75.00</span>'),
      row("afterwards", "nothing", "nothing"),
      "Free to move to another time until Saturday, 28 November 2026 at 14:00."
    ])
      assert.include(due, text)
    assert.include(pageOf(shownBookings.balance_overdue), "Please pay it at the venue.")
    const de = pageOf(shownBookings.cancelled_going_back, "de")
    assert.include(
      de,
      "150,00\u00a0£ werden Ihnen erstattet. Das Geld wird über Ihr ursprüngliches Zahlungsmittel erstattet"
    )
    assert.include(de, "<dt>Bezahlt</dt><dd><strong>200,00\u00a0£</strong>")
    // What is over has no terms any more.
    assert.notInclude(de, messages.de.booking.terms)
    for (const state of ["to_pay", "payment_failed", "expired", "cancelled"] as const)
      assert.notInclude(pageOf(shownBookings[state]), "<dt>Paid</dt>", state)
  })

  it("never says that everything is paid beside what was paid back, and sends the family to the venue if all was", () => {
    const part = { ...shownBookings.paid, booking: { ...shownBookings.paid.booking, refunded: 14_000 } }
    const paid = {
      amount: "",
      until: "",
      paid: "",
      comes_back: "",
      paid_back: "",
      in_question: "",
      sent_back: "",
      online: true
    }
    for (const language of languages) {
      const { confirmed_paid_back, paid: all } = messages[language].standings
      assert.include(pageOf(shownBookings.paid, language), escape(all.lead(paid)))
      assert.notInclude(pageOf(part, language), escape(all.lead(paid)))
      assert.include(pageOf(part, language), escape(all.lead({ ...paid, paid_back: "£140.00" })))
      assert.include(pageOf(shownBookings.confirmed_paid_back, language), escape(confirmed_paid_back.heading))
    }
    assert.include(pageOf(part), "Nothing more is to be paid.")
    const whole = pageOf(shownBookings.confirmed_paid_back)
    assert.include(whole, "£200.00 went back to you, and your booking has not been cancelled.")
    assert.include(whole, "ask the venue whether your visit takes place")
  })

  it("tells carefully of a payment under dispute, and of one that could not be booked", () => {
    for (const language of languages) {
      const both = {
        ...shownBookings.paid,
        summary: { ...shownBookings.paid.summary, disputed: true as const },
        unclear: true
      }
      assert.include(pageOf(both, language), escape(messages[language].booking.disputed))
      assert.include(pageOf(both, language), escape(messages[language].booking.unclear))
      assert.notInclude(pageOf(shownBookings.paid, language), 'class="notice"')
    }
  })

  it("says that a visit was moved, from when, to a later time or an earlier one, and to update the calendar, in each language", () => {
    const { terms } = shownBookings.paid.booking
    const { starts_at } = shownBookings.paid.booking
    const movedFrom = (moved_from: number) => withRow("paid", { terms: { ...terms, moved_from } })
    for (const from of [starts_at - 7 * dayMs, starts_at + 7 * dayMs])
      for (const language of languages)
        assert.include(
          pageOf(movedFrom(from), language),
          escape(messages[language].page.moved(dateTimeIn(language, terms.time_zone, from)))
        )
    for (const shown of [shownBookings.paid, movedFrom(starts_at)]) assert.notInclude(pageOf(shown), "was moved")
    const fromRoom = (moved_from_room: string) => withRow("paid", { terms: { ...terms, moved_from_room } })
    for (const language of languages)
      assert.include(
        pageOf(fromRoom("Red Room"), language),
        escape(messages[language].page.otherRoom(terms.playroom_name, "Red Room"))
      )
    assert.notInclude(pageOf(fromRoom(terms.playroom_name)), "in another room now")
  })

  it("says until when the party can change: the final headcount, or without one the start of the visit", () => {
    const { starts_at, terms } = shownBookings.paid.booking
    const { final_headcount_hours_before: hours = 0, ...least } = terms
    assert.isAbove(hours, 0)
    for (const [agreed, until] of [
      [terms, starts_at - hours * hourMs],
      [least, starts_at]
    ] as const)
      for (const language of languages)
        assert.include(
          pageOf(withRow("paid", { terms: agreed }), language),
          escape(messages[language].terms.headcountBy(dateTimeIn(language, terms.time_zone, until)))
        )
  })

  it("loads nothing but the playroom's https picture, and has the drawing where there is none", () => {
    const { headers } = responseOf(shownBookings.paid, "en")
    assert.include(headers["content-security-policy"] ?? "", "img-src 'self' data: https://127.0.0.1:44321;")
    assert.include(pageOf(shownBookings.paid), `<img src="${pictureUrl}" alt="" referrerpolicy="no-referrer">`)
    const { paid } = shownBookings
    for (const shown of [
      { ...paid, playroom: { ...playroom, photos: [] } },
      { ...paid, playroom: { ...playroom, photos: [{ url: "http://plain.example/1.jpg", alt: "x" }] } },
      { ...paid, playroom: { ...playroom, photos: [{ url: "javascript:alert(1)", alt: "x" }] } }
    ]) {
      const page = pageOf(shown)
      assert.include(page, "<svg")
      assert.notMatch(page, /<img|<script|src=/)
      const policy = responseOf(shown, "en").headers["content-security-policy"] ?? ""
      assert.include(policy, "img-src 'self' data:;")
    }
  })

  it("says the lines of a price in the visitor's language, but what the operator named as it is named", () => {
    const { terms } = shownBookings.paid.booking
    const line = { quantity: 1, unit_amount: 100, amount: 100 }
    const lines = [
      { ...line, kind: "children", label: "Children (billed as 12)", billed_children: 12 },
      { ...line, kind: "extra_adults", label: "Extra adults" },
      { ...line, kind: "add_on", label: "Adults" },
      { ...line, kind: "rule", label: "Tax (5 %)" },
      { ...line, kind: "tax", label: "Tax (20 %)" }
    ] as const
    const page = pageOf(withRow("paid", { terms: { ...terms, price: { ...terms.price, lines } } }), "de")
    const told = [...page.matchAll(/<th scope="row"><bdi>(.*?)<\/bdi>/g)].map(([, label]) => label)
    const said = ["Kinder (berechnet werden 12)", "Weitere Erwachsene", "Adults", "Tax (5 %)", "Steuer (20\u00a0%)"]
    assert.deepStrictEqual(told, said)
  })

  it("D4: says the tax of each line and sums by rate where there are several", () => {
    const { terms } = shownBookings.paid.booking
    const line = { quantity: 1, unit_amount: 100, amount: 100 }
    const price = {
      ...terms.price,
      lines: [
        { ...line, kind: "package", label: "Party", tax_percent: 21 },
        { ...line, kind: "add_on", label: "Food", tax_percent: 10 },
        { ...line, kind: "tax", label: "Tax (10 %)", tax_percent: 10 }
      ],
      tax: {
        ...terms.price.tax,
        rates: [
          { rate_percent: 21, gross: 12_100, tax: 2100 },
          { rate_percent: 10, gross: 7900, tax: 718 }
        ]
      }
    } as const
    const page = pageOf(withRow("paid", { terms: { ...terms, price } }), "en")
    const told = [...page.matchAll(/<th scope="row">(.*?)<\/th>/g)].map(([, cell = ""]) =>
      cell.replaceAll(/<[^>]*>/g, "")
    )
    assert.includeMembers(told, ["Party 21%", "Food 10%", "Tax (10%)", "21%", "10%"])
    for (const amount of ["£121.00", "£21.00", "£100.00", "£79.00", "£7.18", "£71.82"]) assert.include(page, amount)
    assert.notInclude(page, "Includes 20% tax")
  })

  it("shows what operators and families wrote as text", () => {
    const evil = `<script>alert("1")</script>"'><img src=x onerror=y>&amp;`
    const shown: ShownBooking = {
      ...shownBookings.paid,
      booking: bookingRow({
        ...shownBookings.paid.booking,
        contact_name: evil,
        notes: evil,
        terms: {
          ...shownBookings.paid.booking.terms,
          playroom_name: evil,
          package_name: evil,
          address: evil,
          price: {
            ...shownBookings.paid.booking.terms.price,
            lines: [{ kind: "package", label: evil, quantity: 1, unit_amount: 1, amount: 1 }]
          }
        }
      }),
      summary: { ...shownBookings.paid.summary, operator: { name: evil, email: `"><script>@example.com` } },
      playroom: {
        ...playroom,
        house_rules: evil,
        photos: [{ url: `https://pictures.example/"><script>1</script>`, alt: evil }]
      }
    }
    const page = pageOf(shown)
    assert.notMatch(page, /<script|onerror=y>|<img src=x/)
    assert.strictEqual(page.split(escape(evil)).length - 1, 10)
  })

  it("keeps to its size with the longest texts, and with terms that say the least", () => {
    const long = "Wörter & Zeichen ".repeat(60)
    const { final_headcount_hours_before: _final, free_reschedule_hours_before: _free, ...least } = bookingRow().terms
    const shown = withRow("paid", {
      notes: "n\n\n".repeat(250),
      terms: {
        ...least,
        playroom_name: long.slice(0, 200),
        package_name: long.slice(0, 200),
        address: long.slice(0, 300)
      }
    })
    assert.isBelow(pageOf(shown).length, 40_000)
    assert.include(pageOf(shown), "Deposit: £50.00 (not refunded).")
  })
})
