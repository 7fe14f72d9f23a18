import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { ApiKeys } from "../../../../src/platform/access/ApiKeys.ts"
import { unguarded } from "../../../../src/platform/access/ApiKeys.ts"
import { Grants } from "../../../../src/domain/oauth/Grants.ts"
import type { BookingRow } from "../../../../src/domain/booking/Booking.ts"
import { distinctLanguages, ask, familyWorld, pageOf, press } from "../../../support/FamilyPages.ts"
import {
  actAndDeliver,
  bookingState,
  bookingWithSession,
  cancelBooking,
  confirmed,
  createBooking,
  expectedState,
  paidBooking,
  runProviderTasks,
  setClockBefore
} from "../../../support/PaymentWorld.ts"
import { packages } from "../../../support/paymentVenues.ts"
import { ScriptedGateway } from "../../../support/ScriptedGateway.ts"

const cancelPageOf = (booking: BookingRow) => Effect.map(pageOf(booking), (page) => `${page}?step=cancel`)

/** What the page says comes back. */
const answerOf = ({ text }: { readonly text: string }) => /<strong>(.*?)<\/strong>/.exec(text)?.[1]

layer(familyWorld())("cancelling on the family's page", (it) => {
  it.effect("is offered there, says exactly what comes back, and leads to the page that says it is done", () =>
    Effect.gen(function* () {
      const provider = yield* ScriptedGateway
      const { booking, session } = yield* paidBooking()
      yield* setClockBefore(booking, 30)
      const page = yield* pageOf(booking)
      const path = new URL(page).pathname
      assert.include((yield* ask(page)).text, `href="${path}?step=cancel"`)
      const seen = yield* ask(yield* cancelPageOf(booking))
      assert.strictEqual(seen.status, 200)
      assert.strictEqual(answerOf(seen), "£60.00 of the £120.00 that you paid.")
      assert.include(seen.text, booking.reference)
      assert.deepStrictEqual(yield* bookingState(booking), confirmed)

      const done = yield* press(page, seen, "cancel")
      assert.deepStrictEqual([done.status, done.headers.get("location")], [303, path])
      // Pressed twice, or by two people.
      assert.strictEqual((yield* press(page, seen, "cancel")).status, 303)
      // Opened again by the back button.
      const again = yield* ask(yield* cancelPageOf(booking))
      assert.deepStrictEqual([again.status, again.headers.get("location")], [303, path])
      const after = yield* ask(page)
      assert.include(after.text, "Your booking is cancelled")
      assert.notInclude(after.text, "step=cancel")
      yield* runProviderTasks
      assert.deepStrictEqual(provider.paidAndRefunded(session), { paid: 12_000, refunded: 6000 })
    })
  )

  it.effect("cancels nothing where something else would come back now, and says the new amount", () =>
    Effect.gen(function* () {
      const { booking } = yield* paidBooking()
      yield* setClockBefore(booking, 48)
      const page = yield* pageOf(booking)
      const seen = yield* ask(yield* cancelPageOf(booking))
      assert.strictEqual(answerOf(seen), "All that you paid: £120.00.")
      yield* TestClock.adjust("1 second")
      const refused = yield* press(page, seen, "cancel")
      assert.strictEqual(refused.status, 409)
      assert.include(refused.text, 'role="alert"')
      assert.strictEqual(answerOf(refused), "£60.00 of the £120.00 that you paid.")
      assert.deepStrictEqual(yield* bookingState(booking), confirmed)
      assert.strictEqual((yield* press(page, refused, "cancel")).status, 303)
      assert.strictEqual((yield* bookingState(booking)).status, "cancelled")
    })
  )

  it.effect("says as plainly that nothing comes back, and of what is on its way that all of it does", () =>
    Effect.gen(function* () {
      const { booking: late } = yield* paidBooking()
      yield* setClockBefore(late, 2)
      assert.strictEqual(answerOf(yield* ask(yield* cancelPageOf(late))), "None of the £120.00 that you paid.")

      const { booking: unpaid, session } = yield* bookingWithSession()
      yield* actAndDeliver(session, "pay_later")
      const seen = yield* ask(yield* cancelPageOf(unpaid))
      assert.strictEqual(answerOf(seen), "Nothing, as nothing was paid.")
      assert.include(seen.text, "If a payment of yours still arrives, it is refunded in full.")
      yield* press(yield* pageOf(unpaid), seen, "cancel")
      yield* actAndDeliver(session, "late_success")
      yield* runProviderTasks
      assert.deepStrictEqual(yield* bookingState(unpaid), expectedState("cancelled", "refunded", 12_000, 12_000))

      const { booking: deposited } = yield* paidBooking(packages.depositParty)
      assert.strictEqual(answerOf(yield* ask(yield* cancelPageOf(deposited))), "None of the £50.00 that you paid.")
    })
  )

  it.effect("names what went back before, what is under dispute, and that the provider could not be asked", () =>
    Effect.gen(function* () {
      const provider = yield* ScriptedGateway
      const { booking, session } = yield* paidBooking()
      provider.refundInDashboard(session, 5000)
      const seen = yield* ask(yield* cancelPageOf(booking))
      assert.strictEqual(answerOf(seen), "£70.00 of the £120.00 that you paid.")
      assert.include(seen.text, "£50.00 of what you paid went back before.")
      provider.openDispute(session, 7000)
      yield* TestClock.adjust("5 seconds")
      const disputed = yield* ask(yield* cancelPageOf(booking))
      assert.include(disputed.text, "£70.00 is sent only once your bank has decided about the disputed payment")
      assert.notInclude(disputed.text, "working days")
      provider.outage = "away"
      yield* TestClock.adjust("5 seconds")
      assert.include((yield* ask(yield* cancelPageOf(booking))).text, "We could not ask the payment provider")
      provider.outage = undefined
    })
  )

  it.effect("ends when the visit begins: then the page says whom to call", () =>
    Effect.gen(function* () {
      const { booking } = yield* paidBooking()
      yield* TestClock.setTime(booking.starts_at - 1)
      const seen = yield* ask(yield* cancelPageOf(booking))
      yield* TestClock.adjust("1 second")
      for (const one of [
        yield* ask(yield* cancelPageOf(booking)),
        yield* press(yield* pageOf(booking), seen, "cancel")
      ]) {
        assert.strictEqual(one.status, 409)
        assert.include(one.text, "Your visit has begun")
        assert.include(one.text, booking.terms.operator_name)
      }
      assert.deepStrictEqual(yield* bookingState(booking), confirmed)
    })
  )

  it.effect("leads back to the page where the hold has ended, or the operator has cancelled", () =>
    Effect.gen(function* () {
      const { booking: cancelled } = yield* paidBooking()
      const seen = yield* ask(yield* cancelPageOf(cancelled))
      yield* cancelBooking(cancelled)
      assert.strictEqual((yield* press(yield* pageOf(cancelled), seen, "cancel")).status, 303)
      const lapsed = yield* createBooking()
      const held = yield* ask(yield* cancelPageOf(lapsed))
      yield* TestClock.adjust("16 minutes")
      assert.strictEqual((yield* press(yield* pageOf(lapsed), held, "cancel")).status, 303)
      assert.strictEqual((yield* ask(yield* cancelPageOf(lapsed))).status, 303)
      assert.strictEqual((yield* bookingState(lapsed)).paid, 0)
    })
  )

  it.effect(
    "takes no form that another site's page sends, none that is incomplete, and none with another's token",
    () =>
      Effect.gen(function* () {
        const { booking } = yield* paidBooking()
        const { booking: other } = yield* paidBooking()
        const page = yield* pageOf(booking)
        const seen = yield* ask(yield* cancelPageOf(booking))
        for (const headers of [
          { "sec-fetch-site": "cross-site" },
          { "sec-fetch-site": "same-site" },
          { origin: "https://evil.example" },
          { origin: "http://localhost:3001" }
        ]) {
          assert.strictEqual((yield* press(page, seen, "cancel", headers)).status, 400, JSON.stringify(headers))
        }
        const bodies = ["step=cancel", "step=cancel&shown=x", "step=cancel&shown=00000000-00000000-0000000g"]
        for (const body of [...bodies, `step=cancel&shown=${"9".repeat(400)}`]) {
          assert.strictEqual((yield* ask(page, { method: "POST", body: new URLSearchParams(body) })).status, 400, body)
        }
        const end = page.slice(-20)
        const foreign = (yield* pageOf(other)).slice(0, -20) + end
        assert.strictEqual((yield* press(foreign, seen, "cancel")).status, 404)
        assert.deepStrictEqual(yield* bookingState(booking), confirmed)
        assert.deepStrictEqual(yield* bookingState(other), confirmed)
        for (const headers of [{ "sec-fetch-site": "same-origin" }, { origin: "null" }]) {
          assert.strictEqual((yield* press(page, seen, "cancel", headers)).status, 303)
        }
      })
  )

  it.effect("changes nothing by HEAD, by looking ahead, or by a step in the address of a form", () =>
    Effect.gen(function* () {
      const { booking } = yield* paidBooking()
      const address = yield* cancelPageOf(booking)
      yield* ask(address, { method: "HEAD" })
      yield* ask(address, { headers: { "sec-purpose": "prefetch" } })
      yield* ask(address, { method: "POST", body: new URLSearchParams() })
      assert.deepStrictEqual(yield* bookingState(booking), confirmed)
    })
  )

  it.effect("is there in every language, with money and dates in it, and is kept by nobody", () =>
    Effect.gen(function* () {
      const { booking } = yield* paidBooking()
      const address = yield* cancelPageOf(booking)
      const pages = yield* Effect.forEach(distinctLanguages, (language) =>
        ask(address, { headers: { "accept-language": language } })
      )
      assert.strictEqual(new Set(pages.map(answerOf)).size, distinctLanguages.length)
      for (const [i, { headers, text }] of pages.entries()) {
        assert.include(text, `<html lang="${distinctLanguages[i]}">`)
        assert.strictEqual(headers.get("vary"), "accept-language")
        assert.strictEqual(headers.get("cache-control"), "no-store")
        assert.strictEqual(headers.get("referrer-policy"), "no-referrer")
      }
    })
  )
})

layer(familyWorld())("the assistant that booked", (it) => {
  let guests = 0
  const guest = (changes: { readonly client_name?: string; readonly host?: string; readonly proven?: boolean } = {}) =>
    Grants.use((grants) =>
      grants.agree(
        {
          consent: `consent ${++guests}`,
          scopes: ["bookings:read", "bookings:write"],
          client_id: "https://chat.example/client.json",
          client_name: "Chatty <b>",
          host: "chat.example",
          proven: true,
          address: `203.0.113.${guests}`,
          key: undefined,
          ...changes
        },
        unguarded
      )
    )

  it.effect("is named on the page of a guest's booking; its access ends there, and the booking stays", () =>
    Effect.gen(function* () {
      const { grant_id, key_id } = yield* guest()
      const booking = yield* createBooking(packages.party, { key: key_id })
      const page = yield* pageOf(booking)
      const before = yield* ask(page)
      assert.include(before.text, "Booked through")
      assert.include(before.text, "<bdi>chat.example</bdi>")
      assert.include(before.text, "Chatty &lt;b&gt;")
      assert.notInclude(before.text, "Nobody has confirmed")
      const seen = yield* ask(`${page}?step=access`)
      assert.include(seen.text, "End the access of <bdi>chat.example</bdi>?")
      assert.isTrue(yield* Grants.use((grants) => grants.counts(grant_id)))
      assert.strictEqual((yield* press(page, seen, "access", { "sec-fetch-site": "cross-site" })).status, 400)
      assert.isTrue(yield* Grants.use((grants) => grants.counts(grant_id)))

      for (let i = 0; i < 2; i++) assert.strictEqual((yield* press(page, seen, "access")).status, 303)
      assert.isFalse(yield* Grants.use((grants) => grants.counts(grant_id)))
      const after = yield* ask(page)
      assert.include(after.text, "Its access has ended.")
      assert.notInclude(after.text, "step=access")
      assert.strictEqual((yield* ask(`${page}?step=access`)).status, 303)
      assert.deepInclude(yield* bookingState(booking), { status: "held", places: true })
    })
  )

  it.effect("is said to be unconfirmed, or on the person's own device, where it is", () =>
    Effect.gen(function* () {
      const textOf = Effect.fnUntraced(function* (changes: Parameters<typeof guest>[0]) {
        const { key_id } = yield* guest(changes)
        const booking = yield* createBooking(packages.party, { key: key_id })
        return (yield* ask(yield* pageOf(booking))).text
      })
      assert.include(yield* textOf({ host: "chat.example", proven: false }), "Nobody has confirmed who that is.")
      for (const host of ["localhost", "app chat.example"]) {
        const text = yield* textOf({ host, proven: false })
        assert.include(text, "a program on your own device")
        assert.notInclude(text, host)
      }
    })
  )

  it.effect("is not named, and can't be ended, where it has a key of its own", () =>
    Effect.gen(function* () {
      const keys = yield* ApiKeys
      const { key_id, secret } = yield* keys.create({ label: "operator", scopes: ["bookings:write", "bookings:read"] })
      const { grant_id } = yield* Grants.use((grants) =>
        grants.agree(
          {
            consent: "pasted",
            scopes: ["bookings:read"],
            client_id: "c",
            client_name: undefined,
            host: "chat.example",
            proven: true,
            address: "203.0.113.250",
            key: secret
          },
          unguarded
        )
      )
      const booking = yield* createBooking(packages.party, { key: key_id })
      const page = yield* pageOf(booking)
      assert.notInclude((yield* ask(page)).text, "Booked through")
      const sent = yield* ask(page, { method: "POST", body: new URLSearchParams({ step: "access" }) })
      assert.strictEqual(sent.status, 303)
      assert.isTrue(yield* Grants.use((grants) => grants.counts(grant_id)))
      assert.deepStrictEqual(yield* Grants.use((grants) => grants.ofGuests([key_id])), [])
    })
  )
})
