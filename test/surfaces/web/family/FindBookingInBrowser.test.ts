/** The page that finds a booking, in a real browser and by keyboard alone. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { everyLanguage, inBrowser, judged, judgedIn, openBrowser } from "../../../support/Browser.ts"
import { start } from "../../../support/HttpSurface.ts"
import { bySmtp } from "../../../support/LetterWorld.ts"

const title = "is clean by axe in every language with letters and without, and is filled in by keyboard alone"

inBrowser("the page that finds a booking", title, (command) => {
  it.live(
    title,
    () =>
      Effect.gen(function* () {
        const browser = yield* openBrowser(command)
        const sends = yield* start({ settings: { letters: bySmtp() }, families: {} })
        const asks = yield* start({
          settings: { publisher: { supportUrl: "https://example.com/help" } },
          families: {}
        })
        for (const [i, view] of everyLanguage.entries())
          for (const url of i % 2 === 0 ? [`${sends.base}/b`, `${asks.base}/b`] : [`${sends.base}/b`])
            assert.deepStrictEqual(yield* browser.look(url, view, judgedIn(view)), [], `${url} ${view.language}`)
        /** Goes to the next field and writes there. */
        const type = (text: string) =>
          Effect.andThen(browser.key("Tab"), browser.find(`document.activeElement.value = ${JSON.stringify(text)}`))
        const said = (text: string) =>
          browser.find(`document.querySelector("h1")?.innerText === ${JSON.stringify(text)}`)
        yield* browser.look(`${sends.base}/b`, { width: 360, scheme: "light" }, "1")
        yield* type("k7m29qxd")
        yield* type("ana@example.com")
        yield* browser.key("Tab")
        yield* browser.key("Enter")
        assert.isTrue(yield* said("Check your inbox"))
        assert.deepStrictEqual(yield* browser.find(judged), [])
      }).pipe(Effect.scoped),
    120_000
  )
})
