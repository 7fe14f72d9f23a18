/** The pages for moving a booking, in a real browser and by keyboard alone. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { languages } from "../../../../src/words/Languages.ts"
import { inBrowser, judged, openBrowser, views } from "../../../support/Browser.ts"
import { importVenue } from "../../../support/BookingWorld.ts"
import { familyWorld, pageOf } from "../../../support/FamilyPages.ts"
import { confirmedOn, hall, movable, optionOn, rowOf } from "../../../support/moveWorld.ts"

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
