import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { LinkTokens } from "../../../../src/platform/access/LinkTokens.ts"
import { bookingLink } from "../../../../src/domain/booking/BookingLinks.ts"
import { languages, messages } from "../../../../src/words/Languages.ts"
import { escape, ask, FamilyPages, familyWorld } from "../../../support/FamilyPages.ts"
import { createBooking } from "../../../support/PaymentWorld.ts"

/** A mailbox's own button (RFC 8058). */
const oneClick = { method: "POST", body: new URLSearchParams({ "List-Unsubscribe": "One-Click" }) }

layer(familyWorld())("the page that stops reminders", (it) => {
  it.effect("stops them by its button or a mailbox's, has them again, and shows nothing of the booking", () =>
    Effect.gen(function* () {
      const booking = yield* createBooking()
      const links = yield* LinkTokens
      const path = new URL(yield* links.address(bookingLink("reminders", booking))).pathname
      const url = (yield* FamilyPages) + path
      for (const language of languages) {
        const { status, text } = yield* ask(url, { headers: { "accept-language": language } })
        assert.strictEqual(status, 200)
        assert.include(text, `<h1>${escape(messages[language].reminders.title)}</h1>`)
        for (const secret of [booking.reference, booking.contact_email, booking.contact_name, "/b/"])
          assert.notInclude(text, secret)
      }
      const { reminders } = messages.en
      assert.include((yield* ask(url, oneClick)).text, reminders.stoppedTitle)
      assert.include((yield* ask(url)).text, reminders.stoppedTitle)
      const again = yield* ask(url, { method: "POST", body: new URLSearchParams({ again: "true" }) })
      assert.include(again.text, reminders.title)
      assert.include((yield* ask(url)).text, reminders.title)
    })
  )

  it.effect("is no way to the booking, and no other link of the booking opens it", () =>
    Effect.gen(function* () {
      const booking = yield* createBooking()
      const links = yield* LinkTokens
      const base = yield* FamilyPages
      const token = yield* links.make(bookingLink("reminders", booking))
      for (const path of ["/b/", "/p/", "/i/"]) assert.strictEqual((yield* ask(base + path + token)).status, 404)
      const family = yield* links.make(bookingLink("booking", booking))
      for (const init of [{}, oneClick]) assert.strictEqual((yield* ask(`${base}/r/${family}`, init)).status, 404)
      const tooLong = { method: "POST", body: "x".repeat(1_000_000) }
      assert.strictEqual((yield* ask(`${base}/r/${token}`, tooLong)).status, 413)
    })
  )
})
