/** Whom families ask, and how: on each page that sends them to the venue, with and without a telephone. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import ICAL from "ical.js"
import { LinkTokens } from "../../../../src/platform/access/LinkTokens.ts"
import { bookingLink } from "../../../../src/domain/booking/BookingLinks.ts"
import { languages, messages } from "../../../../src/words/Languages.ts"
import { escape, ask, backFrom, FamilyPages, familyWorld, pageOf } from "../../../support/FamilyPages.ts"
import type { PaymentSessionRow } from "../../../../src/domain/payment/sessions/PaymentSession.ts"
import { createBooking, paidBooking, openSession, setClockBefore } from "../../../support/PaymentWorld.ts"
import { packages, venue } from "../../../support/paymentVenues.ts"

const phone = "+44 (0)20 7946 0018 <b>"
const dials = "tel:+442079460018"
const email = "hello@play.example"
const bring = "Grip socks & a signed waiver."

const reached = Effect.fnUntraced(function* (by: { readonly phone?: string; readonly email?: string }) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`update operator set phone = ${by.phone ?? null}, support_email = ${by.email ?? null}`
  yield* sql`update playroom set details = details || ${JSON.stringify({ bring })}::jsonb`
})

/** Tells somebody to call, in any of the languages. */
const toldToCall =
  /\b(?:please call|call (?:us|them|the venue)|by (?:tele)?phone|rufen sie|anrufen|telefonisch|appele[rz]|téléphone[rz]|llame|llámenos|telefonee)\b|zadzwo[nń]|telefonicznie|お?電話(?:ください|して|で)/iu

/** Every text of a language, those with gaps as their source. */
const textsIn = (value: unknown): ReadonlyArray<string> =>
  typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [String(value)]

describe("the texts for people", () => {
  it("tell nobody to call: one line says whom to ask, and how if it is known", () => {
    for (const text of [
      "Please call Play Ltd.",
      "Bitte rufen Sie an.",
      "Veuillez appeler Play.",
      "Llame a Play.",
      "Zadzwoń do Play.",
      "お電話ください"
    ])
      assert.match(text, toldToCall)
    for (const language of languages)
      for (const text of textsIn(messages[language])) assert.notMatch(text, toldToCall, language)
  })
})

layer(familyWorld())("whom to ask", (it) => {
  const ways = [
    { what: "telephone and e-mail", by: { phone, email } },
    { what: "e-mail alone", by: { email } },
    { what: "telephone alone", by: { phone } },
    { what: "neither", by: {} }
  ] as const

  /** The pages that send a family to the venue, each with the hours before the visit at which it does. */
  const pages = Effect.fnUntraced(function* () {
    const base = yield* FamilyPages
    const { booking, session } = yield* paidBooking()
    const page = yield* pageOf(booking)
    const held = yield* createBooking(packages.party)
    const open = yield* openSession(held)
    const paying = yield* LinkTokens.use((links) => links.address(bookingLink("pay", held)))
    const back = (session: PaymentSessionRow) =>
      Effect.map(backFrom(session), ({ location }) => base + (location ?? assert.fail("not led on")))
    return {
      booking,
      page,
      seen: [
        { of: booking, hours: 30, url: page },
        { of: held, hours: 30, url: base + new URL(paying).pathname },
        { of: held, hours: 30, url: yield* back(open) },
        { of: booking, hours: 30, url: yield* back(session) },
        // No free move that late.
        { of: booking, hours: 1, url: `${page}?step=move` },
        // It has begun.
        { of: booking, hours: -0.5, url: `${page}?step=cancel` },
        { of: booking, hours: -0.5, url: `${page}?step=move` },
        { of: booking, hours: -0.5, url: page },
        // It is over.
        { of: booking, hours: -30, url: page }
      ]
    }
  })

  for (const { by, what } of ways) {
    it.effect(`is on each page that sends a family to the venue, in each language: ${what}`, () =>
      Effect.gen(function* () {
        yield* reached(by)
        const { seen } = yield* pages()
        for (const { hours, of, url } of seen) {
          yield* setClockBefore(of, hours)
          for (const language of languages) {
            const { text } = yield* ask(url, { headers: { "accept-language": language } })
            const { askAtVenue, askVenue } = messages[language].words
            const place = `${url} ${hours} ${language}`
            const known = "phone" in by || "email" in by
            assert.include(text, `<p>${escape(known ? askVenue : askAtVenue)} <bdi>${venue.operator.name}</bdi>`, place)
            const count = (part: string) => text.split(part).length - 1
            assert.strictEqual(count(`href="${dials}"`), "phone" in by ? 1 : 0, place)
            assert.strictEqual(count(escape(phone)), "phone" in by ? 1 : 0, place)
            assert.strictEqual(count(`href="mailto:${email}"`), "email" in by ? 1 : 0, place)
            assert.notMatch(text, toldToCall, place)
            assert.notInclude(text, "<b>", place)
          }
        }
      })
    )
  }

  it.effect("is in the calendar entry, with what to bring, which the page says until the visit is over", () =>
    Effect.gen(function* () {
      yield* reached({ phone, email })
      const { booking, page } = yield* pages()
      for (const language of languages) {
        const headers = { "accept-language": language }
        const { words } = messages[language]
        const { text } = yield* ask(`${page}.ics`, { headers })
        const event = new ICAL.Component(ICAL.parse(text)).getFirstSubcomponent("vevent") ?? assert.fail(text)
        const lines = new ICAL.Event(event).description.split("\n")
        assert.include(lines, `${words.bring}: ${bring}`)
        assert.include(lines, `${words.askVenue} ${[venue.operator.name, phone, email].join(", ")}`)
        yield* setClockBefore(booking, 30)
        const told = `<dt>${escape(words.bring)}</dt><dd><bdi>${escape(bring)}</bdi></dd>`
        assert.include((yield* ask(page, { headers })).text, told)
        yield* setClockBefore(booking, -30)
        assert.notInclude((yield* ask(page, { headers })).text, told)
      }
    })
  )
})
