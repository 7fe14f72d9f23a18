/** In which language the provider's payment page is: that of our page, or that which the host names. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { languages } from "../../../../src/words/Languages.ts"
import { HostLanguage } from "../../../../src/domain/booking/BookingRequest.ts"
import { checkoutLocale } from "../../../../src/domain/payment/provider/PaymentGateway.ts"
import { PaymentSessions } from "../../../../src/domain/payment/sessions/PaymentSessions.ts"
import { ask, familyWorld, pageOf, press } from "../../../support/FamilyPages.ts"
import { createBooking, createSession, sessionRow } from "../../../support/PaymentWorld.ts"
import { packages } from "../../../support/paymentVenues.ts"

describe("the provider's language", () => {
  it("is the nearest that it has, British English but for Americans, and else the browser's", () => {
    for (const [tag, locale] of [
      ["en", "en-GB"],
      ["en-AU", "en-GB"],
      ["en-US", "en"],
      ["de-CH", "de"],
      ["fr-ca", "fr-CA"],
      ["pt-PT", "pt"],
      ["zh-Hant-TW", "zh"],
      ["uk", "auto"],
      ["", "auto"]
    ] as const)
      assert.strictEqual(checkoutLocale(tag), locale, tag)
    for (const language of languages) assert.notStrictEqual(checkoutLocale(language), "auto", language)
  })
})

layer(familyWorld())("the provider's payment page", (it) => {
  it.effect("is in the language of the page that led to it, in what is paid and in its terms, too", () =>
    Effect.gen(function* () {
      for (const [language, locale, said] of [
        ["en", "en-GB", "If cancelled, of the "],
        ["en-US", "en", "What comes back if you cancel"],
        ["de", "de", "Erstattung, wenn Sie stornieren"],
        ["pl", "pl", "Zwrot w razie anulowania"],
        ["ja", "ja", "キャンセル時の返金"]
      ] as const) {
        const booking = yield* createBooking(packages.party)
        const page = yield* pageOf(booking)
        const headers = { "accept-language": language }
        const pressed = yield* press(page, yield* ask(page, { headers }), "pay", headers)
        assert.strictEqual(pressed.status, 303)
        const [session] = yield* PaymentSessions.use((sessions) => sessions.ofBooking(booking.booking_id))
        const { description = "", locale: asked, terms = "" } = session?.request ?? {}
        assert.strictEqual(asked, locale)
        assert.include(terms, said)
        assert.isAtMost(terms.length, 1200)
        assert.notMatch(terms, /undefined|NaN|\[object|<|&/)
        assert.include(description, booking.terms.package_name)
        if (!language.startsWith("en"))
          assert.notMatch(`${terms} ${description}`, /\b(?:children|cancelled|until|paid)\b/)
      }
    })
  )

  it.effect("is in the language that the assistant's host names, and without one in the browser's", () =>
    Effect.gen(function* () {
      const requestFor = (locale: string | undefined) =>
        Effect.gen(function* () {
          const { booking_id } = yield* createBooking(packages.party)
          const { payment_session_id } = yield* createSession(booking_id)
          return (yield* sessionRow(payment_session_id)).request
        }).pipe(Effect.provideService(HostLanguage, locale))
      assert.strictEqual((yield* requestFor("es-MX"))?.locale, "es")
      assert.notProperty(yield* requestFor(undefined), "locale")
    })
  )
})
