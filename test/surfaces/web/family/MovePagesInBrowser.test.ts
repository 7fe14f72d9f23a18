/** The pages for moving a booking, in a real browser and by keyboard alone. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { languages } from "../../../../src/words/Languages.ts"
import { everyLanguage, inBrowser, judged, judgedIn, openBrowser, views } from "../../../support/Browser.ts"
import { importVenue } from "../../../support/BookingWorld.ts"
import { familyWorld, pageOf } from "../../../support/FamilyPages.ts"
import { confirmedOn, hall, movable, moveBooking, optionOn, rowOf } from "../../../support/moveWorld.ts"
import { refundsOf } from "../../../support/PaymentWorld.ts"

/** Where pictures of all pages go, for a person to look at: the test needs none. */
const pictures = process.env["PAGE_PICTURES"]

const title = "are clean by axe in every view and language, and take a person by keyboard alone to another time"

inBrowser("the pages for moving a booking", title, (command) => {
  layer(familyWorld(), { timeout: "2 minutes" })("the pages for moving a booking", (it) => {
    it.effect(
      title,
      () =>
        Effect.gen(function* () {
          yield* importVenue(hall)
          const browser = yield* openBrowser(command)
          const option = yield* optionOn("2026-12-14", "15:00")
          const fixed = yield* confirmedOn("2026-12-10", "10:00", movable.fixedParty)
          const booking = yield* confirmedOn("2026-12-12")
          const page = yield* pageOf(booking)
          const all = {
            days: `${page}?step=move`,
            times: `${page}?step=move&date=2026-12-14`,
            none: `${page}?step=move&month=2026-11&date=2026-11-01`,
            confirm: `${page}?step=move&option=${option}`,
            gone: `${page}?step=move&option=option_AAAA`,
            sorry: `${yield* pageOf(fixed)}?step=move`
          }
          for (const [i, [name, url]] of Object.entries(all).entries()) {
            // The views take turns; the pages with the most on them are seen in all.
            const few = name === "times" || name === "none" || name === "gone" || name === "sorry"
            for (const [j, view] of views.entries()) {
              if (few && j !== i % views.length) continue
              const language = languages[(i + j) % languages.length] ?? "en"
              assert.deepStrictEqual(yield* browser.look(url, { ...view, language }, judged), [], `${name} ${language}`)
              if (pictures !== undefined)
                writeFileSync(
                  join(pictures, `move-${name}-${view.width}-${view.scheme}-${language}.png`),
                  yield* browser.picture
                )
            }
          }
          /** Presses Tab until what has the focus says this, and then Enter. */
          const enter = Effect.fnUntraced(function* (text: string) {
            const seen: Array<unknown> = []
            for (let i = 0; i < 40; i++) {
              yield* browser.key("Tab")
              seen.push(yield* browser.find(String.raw`document.activeElement.innerText.replace(/\s+/g, " ")`))
              if (seen.at(-1) !== text) continue
              assert.isTrue(yield* browser.find('document.activeElement.matches(":focus-visible")'))
              return yield* browser.key("Enter")
            }
            return assert.fail(`nothing says ${text}, but ${seen.join(" | ")}`)
          })
          yield* browser.look(page, { width: 360, scheme: "light" }, "1")
          for (const text of [
            "Move to another time",
            "January 2027",
            "December 2026",
            "Mon 14 Dec 3 times",
            "Another day",
            "Mon 14 Dec 3 times",
            "15:00–17:00 £200.00",
            "Move the booking"
          ]) {
            yield* enter(text)
          }
          assert.strictEqual((yield* rowOf(booking)).option_id, option)
        }).pipe(Effect.scoped),
      120_000
    )
  })
})

// The pages on which a family changes its party, on a telephone in a real browser.

const partyTitle =
  "take a family to a larger party and its balance, to a smaller one and its refund, and show a stale form again"
const phone = { width: 360, scheme: "light" } as const

inBrowser("the pages for changing the party", partyTitle, (command) => {
  layer(familyWorld(), { timeout: "2 minutes" })("the pages for changing the party", (it) => {
    it.effect(
      partyTitle,
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
