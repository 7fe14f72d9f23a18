/** Every standing leads somewhere: what stands, what it costs, and what a family can do next. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { LinkTokens } from "../../../../src/platform/access/LinkTokens.ts"
import { bookingLink } from "../../../../src/domain/booking/BookingLinks.ts"
import { languages, messages } from "../../../../src/words/Languages.ts"
import { importVenue } from "../../../support/BookingWorld.ts"
import { escape, ask, backFrom, FamilyPages, familyWorld, pageOf } from "../../../support/FamilyPages.ts"
import { confirmedOn, hall, optionOn } from "../../../support/moveWorld.ts"
import {
  cancelBooking,
  createBooking,
  deleteBookings,
  openSession,
  paidBooking,
  setClockBefore
} from "../../../support/PaymentWorld.ts"
import { packages } from "../../../support/paymentVenues.ts"

const suspended = (yes: boolean) =>
  SqlClient.SqlClient.use((sql) => sql`update operator set suspended_at = ${yes ? new Date(0) : null}`)

layer(familyWorld())("a booking's page", (it) => {
  it.effect("has no dead button to pay if the venue takes no payments, and says what stands", () =>
    Effect.gen(function* () {
      const base = yield* FamilyPages
      const held = yield* createBooking(packages.party)
      const { booking } = yield* paidBooking(packages.depositParty)
      const page = yield* pageOf(held)
      const pay = base + new URL(yield* LinkTokens.use((links) => links.address(bookingLink("pay", held)))).pathname
      assert.include((yield* ask(page)).text, "Pay £120.00</button>")
      yield* suspended(true)
      for (const url of [page, pay]) {
        const { text } = yield* ask(url)
        assert.notInclude(text, "<button", url)
        assert.include(
          text,
          messages.en.standings.not_payable.lead({
            amount: "",
            until: "",
            paid: "",
            comes_back: "",
            paid_back: "",
            in_question: "",
            sent_back: "",
            online: false
          })
        )
        assert.include(text, 'class="deadline"')
      }
      for (const language of languages) {
        const { text } = yield* ask(yield* pageOf(booking), { headers: { "accept-language": language } })
        assert.include(text, escape(messages[language].page.suspended))
        assert.notInclude(text, 'value="pay"')
      }
      yield* suspended(false)
      assert.notInclude((yield* ask(yield* pageOf(booking))).text, messages.en.page.suspended)
    })
  )

  it.effect(
    "says of a cancelled booking what was paid, went back and is kept, and by which terms, and how to book again",
    () =>
      Effect.gen(function* () {
        const { booking } = yield* paidBooking()
        yield* setClockBefore(booking, 30)
        yield* cancelBooking(booking)
        const { text } = yield* ask(yield* pageOf(booking))
        assert.include(text, "<dt>Paid</dt><dd><strong>£120.00</strong>")
        assert.include(text, "<dt>On its way back</dt><dd><strong>£60.00</strong>")
        assert.match(
          text,
          /<dt>Kept by the venue<\/dt><dd><strong>£60\.00<\/strong><br><span class="soft">Cancelled on .*? By the terms, £60\.00 was to come back then\./
        )
        // Not the old price.
        assert.notInclude(text, "<caption>Price</caption>")
        assert.include(text, messages.en.page.bookAgain)
        assert.include(text, '<a class="button" href="/">Assistants that can book</a>')
      })
  )

  it.effect("offers to pay the rest beside the money, and above it once it is due within a week", () =>
    Effect.gen(function* () {
      const { booking } = yield* paidBooking(packages.depositParty)
      const page = yield* pageOf(booking)
      const quiet = /<div class="quiet">.*?Pay the rest/s
      yield* setClockBefore(booking, 24 * 9)
      assert.match((yield* ask(page)).text, quiet)
      yield* setClockBefore(booking, 24 * 5)
      const soon = (yield* ask(page)).text
      assert.notMatch(soon, quiet)
      assert.isBelow(soon.indexOf("Pay the rest"), soon.indexOf("<dl"))
    })
  )

  it.effect(
    "offers to move instead of cancelling while that is free, and speaks of a late payment only if one can come",
    () =>
      Effect.gen(function* () {
        yield* Effect.andThen(importVenue(hall), deleteBookings)
        const booking = yield* confirmedOn("2026-12-12")
        const page = yield* pageOf(booking)
        const cancel = yield* ask(`${page}?step=cancel`)
        assert.include(cancel.text, `href="${new URL(page).pathname}?step=move"`)
        assert.include(cancel.text, "You can also move it to another time, until Saturday, 5 December 2026 at 10:00")
        assert.notInclude(cancel.text, "If a payment of yours still arrives")
        yield* setClockBefore(booking, 30)
        assert.notInclude((yield* ask(`${page}?step=cancel`)).text, "step=move")
        const held = yield* createBooking(packages.party)
        const heldPage = `${yield* pageOf(held)}?step=cancel`
        assert.notInclude((yield* ask(heldPage)).text, "If a payment of yours still arrives")
        yield* openSession(held)
        assert.include((yield* ask(heldPage)).text, "If a payment of yours still arrives")
      })
  )

  it.effect("says before a move to an earlier time what that costs in rights, with the money", () =>
    Effect.gen(function* () {
      yield* Effect.andThen(importVenue(hall), deleteBookings)
      const booking = yield* confirmedOn("2026-12-19")
      const page = yield* pageOf(booking)
      const earlier = yield* ask(`${page}?step=move&option=${yield* optionOn("2026-12-08")}`)
      assert.include(earlier.text, messages.en.page.earlier)
      const later = yield* ask(`${page}?step=move&option=${yield* optionOn("2026-12-22")}`)
      assert.notInclude(later.text, messages.en.page.earlier)
      // Its share is smaller at that distance.
      yield* setClockBefore({ starts_at: Date.parse("2026-12-08T10:00:00Z") }, 24 * 4)
      const { text } = yield* ask(`${page}?step=move&option=${yield* optionOn("2026-12-08")}`)
      assert.match(text, /If you cancel now, £\d+\.\d\d comes back\. Once it is moved, £\d+\.\d\d comes back\./)
    })
  )
})

layer(familyWorld())("the page after paying", (it) => {
  it.effect("says what was paid and what is left until when, with the picture and the way to the calendar", () =>
    Effect.gen(function* () {
      const { booking, session } = yield* paidBooking(packages.depositParty)
      const { location, text } = yield* backFrom(session)
      assert.include(location, new URL(yield* pageOf(booking)).pathname)
      assert.include(text, messages.en.afterPaying.arrived("£50.00"))
      assert.match(
        text,
        /<dt>To pay later<\/dt><dd><strong>£150\.00<\/strong><br><span class="soft">by \w+, .*? \(.*? Time\)/
      )
      assert.include(text, `${new URL(yield* pageOf(booking)).pathname}.ics`)
      assert.include(text, 'class="picture"')
    })
  )
})
