/** The assistants that reach a booking beside the one that booked, on the family's page. */
import { assert, layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { unguarded } from "../../../../src/platform/access/ApiKeys.ts"
import { letReach, BookingLinks } from "../../../../src/domain/booking/BookingLinks.ts"
import { Bookings } from "../../../../src/domain/booking/Bookings.ts"
import { languages, messages } from "../../../../src/words/Languages.ts"
import { dateIn } from "../../../../src/words/Localized.ts"
import { Grants } from "../../../../src/domain/oauth/Grants.ts"
import { principal, setClock } from "../../../support/BookingWorld.ts"
import { escape, ask, familyWorld, pageOf, press } from "../../../support/FamilyPages.ts"
import { createBooking, now } from "../../../support/PaymentWorld.ts"
import { packages } from "../../../support/paymentVenues.ts"

let guests = 0
const guest = (host: string, proven = true) =>
  Grants.use((grants) =>
    grants.agree(
      {
        consent: `consent ${++guests}`,
        scopes: ["bookings:read", "bookings:write"],
        client_id: `https://${host}/client.json`,
        client_name: undefined,
        host,
        proven,
        address: `203.0.113.${guests}`,
        key: undefined
      },
      unguarded
    )
  )

layer(familyWorld())("an assistant", (it) => {
  it.effect(
    "that joined by the page's link, or found it, is listed since when and with what it may; its access to this booking ends there",
    () =>
      Effect.gen(function* () {
        yield* setClock(now)
        const links = yield* BookingLinks
        const maker = yield* guest("chat.example")
        const aunt = yield* guest("aunt.example")
        const reader = yield* guest("reader.example", false)
        const gone = yield* guest("gone.example")
        const booking = yield* createBooking(packages.party, { key: maker.key_id })
        const ofAunt = yield* createBooking(packages.party, { key: aunt.key_id })
        const page = yield* pageOf(booking)
        assert.notInclude((yield* ask(page)).text, messages.en.access.joined)
        for (const { key_id } of [aunt, gone]) yield* links.join(booking.booking_id, key_id)
        const sql = yield* SqlClient.SqlClient
        const reach = { key_id: reader.key_id, booking_id: booking.booking_id, may_change: false }
        yield* Effect.provideService(letReach(reach, yield* Clock.currentTimeMillis), SqlClient.SqlClient, sql)
        yield* Grants.use((grants) => grants.revoke(gone.grant_id))

        for (const language of languages) {
          const { text } = yield* ask(page, { headers: { "accept-language": language } })
          const words = messages[language].access
          const since = words.since(dateIn(language, "Europe/London", yield* Clock.currentTimeMillis))
          for (const said of [words.joined, `${since} ${words.mayChange}`, `${since} ${words.mayPay}`, words.remove])
            assert.include(text, escape(said), language)
          for (const host of ["chat.example", "aunt.example", "reader.example"])
            assert.include(text, `<bdi>${host}</bdi>`)
          assert.notInclude(text, "gone.example")
        }
        const stepOf = ({ grant_id }: { readonly grant_id: string }) => `${page}?step=access&grant=${grant_id}`
        const reaches = ({ key_id }: { readonly key_id: string }, { booking_id }: { readonly booking_id: string }) =>
          Bookings.use(({ find }) =>
            find({ ...principal(key_id), guest: { address: "203.0.113.1", host: "" } }, booking_id)
          ).pipe(Effect.isSuccess)
        for (const one of [aunt, reader]) {
          assert.isTrue(yield* reaches(one, booking))
          const seen = yield* ask(stepOf(one))
          assert.include(seen.text, messages.en.access.again)
          assert.isTrue(yield* reaches(one, booking))
          for (let i = 0; i < 2; i++) assert.strictEqual((yield* press(page, seen, "access")).status, 303)
          assert.isFalse(yield* reaches(one, booking))
          assert.strictEqual((yield* ask(stepOf(one))).status, 303)
        }
        // Only this booking: the aunt's own stays hers, and neither she nor the one who booked is signed out.
        assert.isTrue(yield* reaches(aunt, ofAunt))
        for (const { grant_id } of [aunt, reader, maker])
          assert.isTrue(yield* Grants.use((grants) => grants.counts(grant_id)))
        assert.notInclude((yield* ask(page)).text, messages.en.access.joined)
        // Nobody's access ends by an id from elsewhere, nor the maker's by the form of a joined one.
        const forged = new URLSearchParams({ step: "access", grant: maker.grant_id })
        assert.strictEqual((yield* ask(page, { method: "POST", body: forged })).status, 303)
        assert.isTrue(yield* Grants.use((grants) => grants.counts(maker.grant_id)))
      })
  )
})
