/** The page of an operator's day in a real browser: seen, judged by axe, printed, and used by keyboard. */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { LinkTokens } from "../../src/platform/access/LinkTokens.ts"
import { everyLanguage, inBrowser, judged, judgedIn, openBrowser } from "../support/Browser.ts"
import { importVenue } from "../support/BookingWorld.ts"
import { bookAt, hall, loft, payAt, sydney } from "../support/operatorVenues.ts"
import { PageAddress, pageWorld } from "../support/FamilyPages.ts"

const title = "is clean by axe, fits a phone, asks nothing of elsewhere, can be printed, and is used by keyboard"

/** What is to be seen of the page's parts, and in which colours. */
const printed = `({
  navigation: [...document.querySelectorAll("nav, .actions")].some((one) => one.getClientRects().length > 0),
  paper: getComputedStyle(document.body).backgroundColor,
  ink: getComputedStyle(document.querySelector("h1")).color,
  visits: [...document.querySelectorAll(".visit")].filter((one) => one.getClientRects().length > 0).length,
  dueInk: getComputedStyle(document.querySelector(".visit .due")).color
})`

const focused = `({
  text: document.activeElement.textContent,
  outline: getComputedStyle(document.activeElement).outlineStyle
})`

inBrowser("an operator's page, in a browser", title, (command) => {
  class Browser extends Context.Service<Browser, Effect.Success<ReturnType<typeof openBrowser>>>()(
    "test/OperatorBrowser"
  ) {}

  layer(Layer.provideMerge(Layer.effect(Browser, openBrowser(command)), pageWorld()), { timeout: "2 minutes" })(
    "an operator's page, in a browser",
    (it) => {
      it.effect(
        title,
        () =>
          Effect.gen(function* () {
            const saturday = "2026-12-05"
            yield* importVenue(hall, loft, sydney)
            yield* bookAt(hall, saturday, "12:30", "trusted", {
              name: `${"Wolfeschlegelsteinhausenbergerdorff".repeat(3)} <b>`,
              notes: `Nut allergy!\n${"x".repeat(300)}`,
              phone: "+44 20 7946 0123",
              bubbles: 2,
              cake: true
            })
            yield* payAt(yield* bookAt(hall, saturday, "10:00", "deposit"))
            yield* bookAt(loft, saturday, "10:00", "paid")
            yield* bookAt(sydney, saturday, "10:00", "trusted")
            const links = yield* LinkTokens
            const { operator_id } = hall.operator
            const link = yield* links.address({ page: "operator", operator_id, counter: 0 })
            const base = `${yield* PageAddress}${new URL(link).pathname}`
            const url = `${base}?day=${saturday}`
            const browser = yield* Browser
            for (const view of everyLanguage) {
              assert.deepStrictEqual(yield* browser.look(url, view, judgedIn(view)), [], JSON.stringify(view))
            }
            const narrow = { width: 360, scheme: "light" } as const
            assert.deepStrictEqual(yield* browser.look(`${base}?day=nonsense`, narrow, judged), [])
            const asked = yield* browser.look(
              url,
              narrow,
              "performance.getEntriesByType('resource').map(({ name }) => name)"
            )
            assert.deepStrictEqual(asked, [])
            assert.deepStrictEqual(yield* browser.look(url, { width: 800, scheme: "dark", media: "print" }, printed), {
              navigation: false,
              paper: "rgb(255, 255, 255)",
              ink: "rgb(0, 0, 0)",
              visits: 4,
              dueInk: "rgb(0, 0, 0)"
            })
            yield* browser.look(url, narrow, "null")
            // The week before stands first.
            for (let day = 0; day < 5; day++) yield* browser.key("Tab")
            assert.deepStrictEqual(yield* browser.find(focused), {
              text: "Thu 3–, No visits on this day.",
              outline: "solid"
            })
            yield* browser.key("Enter")
            assert.strictEqual(yield* browser.find("location.href"), `${base}?day=2026-12-03`)
          }),
        120_000
      )
    }
  )
})
