/** Bookings that one call made together, on the family's page of one of them. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { BookingOptions } from "../../../../src/domain/availability/BookingOptions.ts"
import { Bookings } from "../../../../src/domain/booking/Bookings.ts"
import { Checkout } from "../../../../src/domain/payment/checkout/Checkout.ts"
import { dateTimeIn, moneyIn } from "../../../../src/words/Localized.ts"
import { messages } from "../../../../src/words/Languages.ts"
import type { PaymentSessionRow } from "../../../../src/domain/payment/sessions/PaymentSession.ts"
import { contact, principal, setClock } from "../../../support/BookingWorld.ts"
import {
  ask,
  backFrom,
  distinctLanguages,
  escape,
  familyWorld,
  FamilyPages,
  pageOf,
  press
} from "../../../support/FamilyPages.ts"
import {
  actAtProvider,
  bookingState,
  bookingWithSession,
  cancelBooking,
  now,
  payBooking
} from "../../../support/PaymentWorld.ts"
import { packages, venue } from "../../../support/paymentVenues.ts"

const optionOn = (date: string) =>
  Effect.map(
    BookingOptions.use((options) =>
      options.list({ ...venue.playroom, package_id: packages.party.package_id, date, children: 8 })
    ),
    ({ options: [first] }) => first?.option_id ?? assert.fail(`nothing on ${date}`)
  )

/** Three parties by one call. */
const threeTogether = Effect.gen(function* () {
  yield* setClock(now)
  const [option_id = "", ...more_option_ids] = yield* Effect.forEach(
    ["2027-02-06", "2027-02-13", "2027-02-20"],
    optionOn
  )
  const { made } = yield* Bookings.use((bookings) =>
    bookings.createOrder(principal(), { option_id, more_option_ids, contact: contact("together") })
  )
  const [one, two, three] = made.map(({ row }) => row)
  if (one === undefined || two === undefined || three === undefined) return assert.fail("three were asked for")
  return { one, two, three }
})

const newestSale = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [sale] = yield* sql<{
    request: PaymentSessionRow["request"]
    provider_session_id: string
    payment_session_id: string
    url: string
  }>`select request, provider_session_id, payment_session_id, url from voucher_sale order by created_at desc limit 1`
  return sale ?? assert.fail("no page")
})

layer(familyWorld({ paymentLink: "own" }))("with PAYMENT_LINK=own, the page that pays several bookings", (it) => {
  it.effect("is a pay page that lists them, in every language, with one button, until one of them is left", () =>
    Effect.gen(function* () {
      const { one, three, two } = yield* threeTogether
      const asking = Checkout.use((payments) => payments.createForOrder(principal(), { booking_id: one.booking_id }))
      const { amount, provider_url, url = "" } = yield* asking
      assert.match(url, /^http:\/\/localhost:3000\/p\/[\w-]{48}\?step=together$/)
      assert.strictEqual(amount.amount, one.due_now + two.due_now + three.due_now)
      const { pathname, search } = new URL(url)
      const alone = (yield* FamilyPages) + pathname
      const page = `${alone}${search}`
      for (const language of distinctLanguages) {
        const { page: text, payPage } = messages[language]
        const { status, text: seen } = yield* ask(page, { headers: { "accept-language": language } })
        assert.strictEqual(status, 200)
        assert.lengthOf([...seen.matchAll(/<form/g)], 1, language)
        for (const said of [payPage.title, text.payTogether(3, moneyIn(language, amount.amount, one.currency))])
          assert.include(seen, escape(said), language)
        for (const { starts_at, terms } of [two, three])
          assert.include(seen, escape(dateTimeIn(language, terms.time_zone, starts_at)))
        for (const secret of [two.reference, three.reference, one.contact_email, one.contact_name, "/b/"])
          assert.notInclude(seen, secret)
      }
      const pressed = yield* press(page, yield* ask(page), "together")
      assert.deepStrictEqual([pressed.status, pressed.headers.get("location")], [303, provider_url])
      // Its address without the step pays one, as that of any booking.
      const { text } = yield* ask(alone)
      assert.notInclude(text, escape(messages.en.words.together))
      assert.include(text, escape(messages.en.words.pay(moneyIn("en", one.due_now, one.currency))))
      yield* payBooking(one)
      yield* payBooking(two)
      const last = yield* ask(page)
      assert.include(last.text, escape(messages.en.words.pay(moneyIn("en", three.due_now, three.currency))))
      assert.notInclude(last.text, "<form")
    })
  )
})

layer(familyWorld())("who comes back from the page that pays several bookings", (it) => {
  it.effect("is not asked to pay while nobody knows what became of it, and then reads that it arrived", () =>
    Effect.gen(function* () {
      const { one, three, two } = yield* threeTogether
      const page = yield* pageOf(one)
      const led = yield* press(page, yield* ask(page), "together")
      assert.strictEqual(led.status, 303)
      const sale = yield* newestSale
      // Somebody reads the page just now, and the payer pays in the moment after.
      yield* ask(page)
      yield* actAtProvider(sale, "pay")
      const back = yield* backFrom(sale)
      const { afterPaying } = messages.en
      assert.include(back.location, `paid=${sale.payment_session_id}`)
      assert.include(back.text, escape(afterPaying.waiting.title))
      assert.notInclude(back.text, messages.en.words.pay(""))
      assert.notInclude(back.text, escape(messages.en.page.payTogether(3, "")))
      assert.match(back.headers.get("refresh") ?? "", /url=/)
      yield* TestClock.adjust("6 seconds")
      const sum = moneyIn("en", one.due_now + two.due_now + three.due_now, one.currency)
      const again = yield* ask((yield* FamilyPages) + (back.location ?? ""))
      assert.include(again.text, escape(afterPaying.arrived(sum)))
      assert.strictEqual((yield* bookingState(three)).status, "confirmed")
      // Another booking's page says nothing of it.
      const { booking: other } = yield* bookingWithSession()
      const elsewhere = yield* ask(`${yield* pageOf(other)}?paid=${sale.payment_session_id}&outcome=success`)
      assert.notInclude(elsewhere.text, sum)
    })
  )
})

layer(familyWorld())("bookings that were made together", (it) => {
  it.effect("are listed with a link to pay each that is unpaid, in every language, and nothing else of them", () =>
    Effect.gen(function* () {
      const { one, three, two } = yield* threeTogether
      yield* payBooking(two)
      const page = yield* pageOf(one)
      const payLinks = (text: string) => [...text.matchAll(/<a href="([^"]*\/p\/[\w-]+)">([^<]*)<\/a>/g)]
      for (const language of distinctLanguages) {
        const { page: text, words } = messages[language]
        const { text: seen } = yield* ask(page, { headers: { "accept-language": language } })
        assert.include(seen, escape(words.together), language)
        assert.include(seen, escape(text.eachAlone))
        assert.include(seen, escape(text.payTogether(2, moneyIn(language, one.due_now + three.due_now, one.currency))))
        for (const { starts_at, terms } of [two, three])
          assert.include(seen, escape(dateTimeIn(language, terms.time_zone, starts_at)))
        assert.deepStrictEqual(
          payLinks(seen).map(([, , label]) => label),
          [escape(words.pay(moneyIn(language, three.due_now, three.currency)))]
        )
        for (const { booking_id, reference } of [two, three]) {
          assert.notInclude(seen, reference)
          assert.notInclude(seen, booking_id)
        }
      }
      const [[, address = ""] = []] = payLinks((yield* ask(page)).text)
      const paying = yield* ask((yield* FamilyPages) + new URL(address).pathname)
      assert.strictEqual(paying.status, 200)
      assert.include(paying.text, three.reference)
      assert.notInclude(paying.text, escape(messages.en.words.together))
      const led = yield* ask(page, {
        method: "POST",
        headers: { "accept-language": "de" },
        body: new URLSearchParams({ step: "together" })
      })
      assert.strictEqual(led.status, 303)
      const sale = yield* newestSale
      assert.strictEqual(led.headers.get("location"), sale.url)
      for (const { starts_at, terms } of [one, three])
        assert.include(sale.request?.description, dateTimeIn("de", terms.time_zone, starts_at))
      yield* actAtProvider(sale, "pay")
      // The provider is asked by whoever comes back, before its event comes.
      const back = yield* backFrom(sale)
      assert.strictEqual(back.status, 200)
      assert.include(back.text, one.reference)
      assert.isEmpty(payLinks((yield* ask(page)).text))
      assert.strictEqual((yield* bookingState(three)).status, "confirmed")
      yield* cancelBooking(three)
      const after = yield* ask(page)
      assert.isEmpty(payLinks(after.text))
      assert.include(after.text, escape(dateTimeIn("en", two.terms.time_zone, two.starts_at)))
      assert.notInclude(after.text, escape(dateTimeIn("en", three.terms.time_zone, three.starts_at)))
    })
  )
})
