/** The pages on which a family changes its party, on a telephone in a real browser. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { languages } from "../../../../src/words/Languages.ts"
import { everyLanguage, inBrowser, judged, judgedIn, openBrowser } from "../../../support/Browser.ts"
import { importVenue } from "../../../support/BookingWorld.ts"
import { familyWorld, pageOf } from "../../../support/FamilyPages.ts"
import { confirmedOn, hall, movable, moveBooking, optionOn, rowOf } from "../../../support/moveWorld.ts"
import { refundsOf } from "../../../support/PaymentWorld.ts"

const title =
  "take a family to a larger party and its balance, to a smaller one and its refund, and show a stale form again"
const phone = { width: 360, scheme: "light" } as const

inBrowser("the pages for changing the party", title, (command) => {
  layer(familyWorld(), { timeout: "2 minutes" })("the pages for changing the party", (it) => {
    it.effect(
      title,
      () =>
        Effect.gen(function* () {
          yield* importVenue(hall)
          const browser = yield* openBrowser(command)
          const booking = yield* confirmedOn("2026-12-12", "10:00", movable.play)
          const page = yield* pageOf(booking)
          const form = `${page}?step=party`
          for (const view of everyLanguage)
            assert.deepStrictEqual(yield* browser.look(form, view, judgedIn(view)), [], view.language ?? languages[0])
          /** Types a number of children into the form, and sends it. What is seen then is clean. */
          const check = Effect.fnUntraced(function* (children: number) {
            yield* browser.look(form, phone, "1")
            yield* press(
              `document.querySelector("#children").value = "${children}"; return [...document.querySelectorAll("button")].find((one) => one.value === "check")`
            )
            assert.deepStrictEqual(yield* browser.find(judged), [])
            return yield* text
          })
          const text = Effect.map(browser.find("document.querySelector('main').innerText"), String)
          /** Presses the button that a script finds, and waits for the next page. */
          const press = Effect.fnUntraced(function* (script: string) {
            yield* browser.find(`(() => { const button = (() => { ${script} })(); button.focus(); })()`)
            yield* browser.key("Enter")
          })
          const confirm = press(`return document.querySelector("button[value=confirm]")`)

          assert.include(yield* check(10), "£15.00 more than before.")
          yield* confirm
          assert.include(yield* text, "Pay the rest: £15.00")
          assert.include(yield* text, "10 children")
          assert.include(yield* check(13), "Your package is for 1 to 12 children.")
          assert.include(yield* check(5), "£22.50\nThe money goes back to the card or account you paid with")
          // Another tab moves the booking meanwhile: the page is shown again, and nothing has changed.
          yield* moveBooking(booking, yield* optionOn("2026-12-12", "15:00", { pkg: movable.play, children: 10 }))
          yield* confirm
          assert.include(yield* text, "Nothing was changed: something else has changed since you looked.")
          assert.strictEqual((yield* rowOf(booking)).children, 10)
          assert.deepStrictEqual(yield* browser.find(judged), [])
          yield* confirm
          assert.include(yield* text, "5 children")
          assert.deepStrictEqual(yield* refundsOf(booking), [{ cause: "move", status: "requested", amount: 2250 }])
        }).pipe(Effect.scoped),
      120_000
    )
  })
})
