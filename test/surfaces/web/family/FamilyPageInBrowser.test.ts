/**
 * The family's page in Chromium, in every state: seen, judged by axe, used by keyboard, and loading nothing but the
 * picture.
 */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Option } from "effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { languages } from "../../../../src/words/Languages.ts"
import { inBrowser, judged, openBrowser, views } from "../../../support/Browser.ts"
import { start } from "../../../support/HttpSurface.ts"
import { pictureUrl, shownBookings } from "../../../support/shownBookings.ts"

/** Where pictures of all pages go, for a person to look at: the tests need none. */
const pictures = process.env["PAGE_PICTURES"]

const title = "is clean by axe, fits a phone, and loads nothing but the playroom's picture"

/**
 * What the page asked for: its own address, and what it names as a source of pictures. Chromium tells of what failed,
 * too.
 */
const loaded = `performance.getEntriesByType("resource").map(({ name }) => name)`

inBrowser("the family's page, in a browser", title, (command) => {
  class Browser extends Context.Service<Browser, Effect.Success<ReturnType<typeof openBrowser>>>()(
    "test/FamilyPageBrowser"
  ) {}
  const states = Object.entries(shownBookings)
  const shownBy = new Map<string, (typeof states)[number][1]>([
    ...states,
    ["unclear", { ...shownBookings.paid, unclear: true, summary: { ...shownBookings.paid.summary, disputed: true } }]
  ])
  /** Those whose pages differ by more than a sentence; all of them where pictures are wanted. */
  const differing =
    "to_pay payment_failed payment_processing arriving free balance_due balance_overdue over expired cancelled_going_back unclear nothing"
  const walked = pictures === undefined ? differing.split(" ") : [...shownBy.keys(), "nothing"]

  class Base extends Context.Service<Base, string>()("test/FamilyPageBase") {}
  const surface = Layer.effect(
    Base,
    Effect.map(
      start({ families: { show: (token) => Effect.succeed(Option.fromUndefinedOr(shownBy.get(token))) } }),
      ({ base }) => base
    )
  )

  // The browser is closed before the service, which would wait for its connections.
  layer(Layer.effect(Browser, openBrowser(command)).pipe(Layer.provideMerge(surface)), {
    excludeTestServices: true,
    timeout: "2 minutes"
  })("the family's page, in a browser", (it) => {
    it.effect(
      title,
      () =>
        Effect.gen(function* () {
          const base = yield* Base
          const browser = yield* Browser
          const script = `Promise.all([${judged}, ${loaded}])`
          let n = 0
          for (const state of walked) {
            // Each state once: the languages and the views take turns.
            const view = views[n % views.length] ?? views[0]
            const language = languages[n % languages.length] ?? "en"
            if (view === undefined) return
            const found = yield* browser.look(`${base}/b/${state}`, { ...view, language }, script)
            const [faults, requests] = Array.isArray(found) ? found : [found, []]
            assert.deepStrictEqual(faults, [], `${state} ${language} ${JSON.stringify(view)}`)
            assert.deepStrictEqual(requests, state === "nothing" ? [] : [pictureUrl], state)
            if (pictures !== undefined) {
              mkdirSync(pictures, { recursive: true })
              writeFileSync(
                join(pictures, `${state}-${view.width}-${view.scheme}-${language}.png`),
                yield* browser.picture
              )
            }
            n++
          }
        }),
      { timeout: 120_000 }
    )

    it.effect("fits 320 pixels with text at 200 % in each standing, and what is wider is found", () =>
      Effect.gen(function* () {
        const base = yield* Base
        const browser = yield* Browser
        const wide = `document.documentElement.scrollWidth - document.documentElement.clientWidth`
        const large = { width: 320, scheme: "light", text: 2, language: "de" } as const
        for (const state of shownBy.keys())
          assert.strictEqual(yield* browser.look(`${base}/b/${state}`, large, wide), 0, state)
        const planted = `document.querySelector("h1").style.width = "400px"; ${judged}`
        const found = yield* browser.look(`${base}/b/paid`, large, planted)
        assert.match(String(found), /wider than the screen: .*<h1/)
      })
    )

    it.effect("the pay page, too, is without a finding of axe and of layout, with and without its button", () =>
      Effect.gen(function* () {
        const base = yield* Base
        const browser = yield* Browser
        for (const [n, state] of ["to_pay", "balance_due", "paid", "expired"].entries()) {
          const view = views[n % views.length] ?? assert.fail()
          const language = languages[n % languages.length] ?? "en"
          const found = yield* browser.look(`${base}/p/${state}`, { ...view, language }, judged)
          assert.deepStrictEqual(found, [], `${state} ${language}`)
        }
      })
    )

    it.effect("says a hold's end on the reader's own clock, too, if that is another", () =>
      Effect.gen(function* () {
        const base = yield* Base
        const browser = yield* Browser
        const of = `document.querySelector(".deadline").innerText`
        const narrow = { width: 360, scheme: "light" } as const
        const read = (zone: string, language = "en") =>
          browser.look(`${base}/b/to_pay`, { ...narrow, language, zone }, of)
        const told = "15 minutes left\nuntil 09:15 (Greenwich Mean Time)"
        assert.strictEqual(yield* read("Europe/London"), told)
        assert.strictEqual(yield* read("Europe/Berlin"), `${told} (your time 10:15)`)
        assert.strictEqual(yield* read("Pacific/Auckland"), `${told} (your time 22:15)`)
        // The reader's day is another.
        assert.strictEqual(yield* read("Pacific/Honolulu"), `${told} (your time Thu 23:15)`)
        assert.include(yield* read("Asia/Tokyo", "ja"), "（お手元の時刻では18:15）")
      })
    )

    it.effect("is used by keyboard alone, each stop seen, the button to pay first", () =>
      Effect.gen(function* () {
        const base = yield* Base
        const browser = yield* Browser
        yield* browser.look(`${base}/b/to_pay`, { width: 360, scheme: "light" }, "0")
        const focused = `(() => {
            const one = document.activeElement
            const { outlineStyle, outlineWidth } = getComputedStyle(one)
            return [one.textContent, outlineStyle, outlineWidth].join("|")
          })()`
        const stops: Array<string> = []
        for (let i = 0; i < 8; i++) {
          yield* browser.key("Tab")
          stops.push(String(yield* browser.find(focused)))
        }
        assert.deepStrictEqual(stops, [
          "Pay £50.00|solid|3px",
          "Add to calendar|solid|3px",
          "Map|solid|3px",
          "Directions|solid|3px",
          "Correct name or address|solid|3px",
          "Change your wishes|solid|3px",
          "Cancel the booking|solid|3px",
          "hello@sunny.example|solid|3px"
        ])
      })
    )
  })
})
