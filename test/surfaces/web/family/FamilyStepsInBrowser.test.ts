/**
 * Coming back from the payment page, cancelling, and ending an assistant's access, in a real browser and by keyboard
 * alone.
 */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { unguarded } from "../../../../src/platform/access/ApiKeys.ts"
import { Grants } from "../../../../src/domain/oauth/Grants.ts"
import { languages } from "../../../../src/words/Languages.ts"
import { BookingLinks } from "../../../../src/domain/booking/BookingLinks.ts"
import type { PaymentSessionRow } from "../../../../src/domain/payment/sessions/PaymentSession.ts"
import { inBrowser, judged, openBrowser, views } from "../../../support/Browser.ts"
import { importVenue } from "../../../support/BookingWorld.ts"
import { confirmedOn, hall, movable, moveBooking, optionOn, paidOnClosedPage } from "../../../support/moveWorld.ts"
import { backFrom, FamilyPages, familyWorld, pageOf } from "../../../support/FamilyPages.ts"
import {
  actAndDeliver,
  bookingState,
  bookingWithSession,
  cancelBooking,
  createBooking,
  openSession,
  paidBooking,
  payBooking,
  runProviderTasks,
  setClockBefore
} from "../../../support/PaymentWorld.ts"
import { packages } from "../../../support/paymentVenues.ts"
import { ScriptedGateway } from "../../../support/ScriptedGateway.ts"

/** Where pictures of all pages go, for a person to look at: the tests need none. */
const pictures = process.env["PAGE_PICTURES"]

const title = "are clean by axe, fit a phone, and can be read in both schemes and every language"

inBrowser("the steps of a family, in a browser", title, (command) => {
  class Browser extends Context.Service<Browser, Effect.Success<ReturnType<typeof openBrowser>>>()(
    "test/FamilyBrowser"
  ) {}

  const returnOf = Effect.fnUntraced(function* (session: PaymentSessionRow, outcome: "success" | "cancel") {
    const { location, url } = yield* backFrom(session, outcome)
    // Reloading by itself would take the page away while it is judged.
    return location === null ? `${url}&look=9` : `${yield* FamilyPages}${location}&look=9`
  })

  /** Coming back from a payment page for a balance that a move has changed, or after the booking's link was renewed. */
  const outdated = Effect.gen(function* () {
    yield* importVenue(hall)
    const { depositParty: pkg } = movable
    const moved = yield* confirmedOn("2026-12-10", "10:00", pkg)
    const { arrives, page } = yield* paidOnClosedPage(moved)
    yield* moveBooking(moved, yield* optionOn("2026-12-12", "10:00", { pkg }))
    yield* arrives
    const cheaper = yield* confirmedOn("2026-12-17", "10:00", pkg)
    const nothingDue = yield* openSession(cheaper, "balance")
    yield* moveBooking(cheaper, yield* optionOn("2026-12-08", "10:00", { pkg }))
    const dearer = yield* confirmedOn("2026-12-18", "10:00", pkg)
    const before = yield* payBooking(dearer, "balance")
    yield* moveBooking(dearer, yield* optionOn("2026-12-19", "10:00", { pkg }))
    const rest = yield* openSession(dearer, "balance")
    const renewed = yield* confirmedOn("2026-12-16", "10:00", pkg)
    const unpaid = yield* openSession(renewed, "balance")
    yield* BookingLinks.use((links) => links.renew(renewed))
    return {
      "return-not-needed": yield* returnOf(page, "success"),
      "return-nothing-due": yield* returnOf(nothingDue, "success"),
      "return-changed-since": yield* returnOf(before, "success"),
      "return-rest": yield* returnOf(rest, "cancel"),
      "return-renewed": yield* returnOf(unpaid, "cancel"),
      "return-renewed-waiting": yield* returnOf(unpaid, "success")
    }
  })

  /** A page of every kind, by a name. */
  const pages = Effect.gen(function* () {
    const provider = yield* ScriptedGateway
    const all: Record<string, string> = {}
    const { booking, session } = yield* bookingWithSession()
    all["return-waiting"] = yield* returnOf(session, "success")
    all["return-not-paid"] = yield* returnOf(session, "cancel")
    all["cancel-nothing-paid"] = `${yield* pageOf(booking)}?step=cancel`
    const processing = yield* bookingWithSession()
    yield* actAndDeliver(processing.session, "pay_later")
    all["return-on-its-way"] = yield* returnOf(processing.session, "success")
    const failed = yield* bookingWithSession()
    yield* actAndDeliver(failed.session, "pay_later")
    yield* actAndDeliver(failed.session, "late_failure")
    all["return-failed"] = yield* returnOf(failed.session, "success")
    const paid = yield* paidBooking()
    all["return-confirmed"] = yield* returnOf(paid.session, "success")
    all["cancel-all-back"] = `${yield* pageOf(paid.booking)}?step=cancel`
    const disputed = yield* paidBooking()
    provider.refundInDashboard(disputed.session, 5000)
    provider.openDispute(disputed.session, 7000)
    all["cancel-disputed"] = `${yield* pageOf(disputed.booking)}?step=cancel`
    const deposit = yield* paidBooking(packages.depositParty)
    all["cancel-deposit"] = `${yield* pageOf(deposit.booking)}?step=cancel`
    const balance = yield* openSession(deposit.booking, "balance")
    all["return-balance"] = yield* returnOf(balance, "cancel")
    const cancelled = yield* paidBooking()
    yield* cancelBooking(cancelled.booking)
    all["return-going-back"] = yield* returnOf(cancelled.session, "success")
    all["return-unknown"] = `${yield* FamilyPages}/checkout/return?outcome=success&token=x`
    const { key_id } = yield* Grants.use((grants) =>
      grants.agree(
        {
          consent: "consent",
          scopes: ["bookings:read", "bookings:write"],
          client_id: "https://chat.example/client.json",
          client_name: "An assistant with a rather long name",
          host: "a-rather-long-name-of-a-host-that-people-talk-to.chat.example",
          proven: false,
          address: "203.0.113.9",
          key: undefined
        },
        unguarded
      )
    )
    const booked = yield* createBooking(packages.party, { key: key_id })
    all["access"] = `${yield* pageOf(booked)}?step=access`
    return { ...all, ...(yield* outdated) }
  })

  const look = Effect.fnUntraced(function* (name: string, url: string, view: (typeof views)[number]) {
    const browser = yield* Browser
    assert.deepStrictEqual(yield* browser.look(url, view, judged), [], `${name} ${JSON.stringify(view)}`)
    if (pictures !== undefined) {
      const file = `${name}-${view.width}-${view.scheme}-${view.language ?? "en"}.png`
      writeFileSync(join(pictures, file), yield* browser.picture)
    }
  })

  layer(Layer.provideMerge(Layer.effect(Browser, openBrowser(command)), familyWorld()), {
    timeout: "2 minutes"
  })("the steps of a family, in a browser", (it) => {
    it.effect(
      title,
      () =>
        Effect.gen(function* () {
          const all = Object.entries(yield* pages)
          for (const [i, [name, url]] of all.entries()) {
            if (pictures !== undefined) for (const view of views) yield* look(name, url, view)
            // The languages and the views take turns, as their numbers have no common divisor.
            const view = views[i % views.length] ?? assert.fail("no view")
            yield* look(name, url, { ...view, language: languages[i % languages.length] ?? "en" })
          }
          const longest = all.find(([name]) => name === "cancel-disputed")?.[1] ?? assert.fail("no such page")
          for (const view of views) yield* look("cancel-disputed", longest, { ...view, language: "de" })
        }),
      120_000
    )

    it.effect("take a person by keyboard alone from the payment page to the booking, and to its cancellation", () =>
      Effect.gen(function* () {
        const browser = yield* Browser
        const { booking, session } = yield* paidBooking()
        yield* setClockBefore(booking, 30)
        /** Presses Tab until what has the focus says this, and then Enter. */
        const enter = Effect.fnUntraced(function* (text: string) {
          const seen: Array<unknown> = []
          for (let i = 0; i < 20; i++) {
            yield* browser.key("Tab")
            seen.push(yield* browser.find("document.activeElement.innerText"))
            if (seen.at(-1) !== text) continue
            assert.isTrue(yield* browser.find('document.activeElement.matches(":focus-visible")'))
            return yield* browser.key("Enter")
          }
          return assert.fail(`nothing says ${text}, but ${seen.join(" | ")}`)
        })
        const heading = browser.find('document.querySelector("h1").innerText')
        yield* browser.look(yield* returnOf(session, "success"), { width: 360, scheme: "dark" }, "1")
        assert.strictEqual(yield* heading, "Your booking is confirmed")
        yield* enter("Cancel the booking")
        assert.strictEqual(yield* heading, "Cancel this booking?")
        yield* enter("Keep the booking")
        assert.strictEqual((yield* bookingState(booking)).status, "confirmed")
        yield* enter("Cancel the booking")
        yield* enter("Cancel the booking")
        assert.strictEqual((yield* bookingState(booking)).status, "cancelled")
        assert.match(String(yield* heading), /cancelled/)
        yield* runProviderTasks
        assert.strictEqual((yield* bookingState(booking)).refunded, 6000)
      })
    )
  })
})
