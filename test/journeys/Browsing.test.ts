/** The pages for people as a browser shows them, narrow and wide, light and dark. */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import { everyLanguage, inBrowser, judgedIn, openBrowser, views } from "../support/Browser.ts"
import { book, planRush, sure, tool } from "../support/Rush.ts"
import { startService } from "../support/Service.ts"

const Session = Schema.Struct({ payment_session: Schema.Struct({ url: Schema.String }) })

/** What is wrong with the page that is open; it runs in the page. */
const faults = `(() => {
  const found = []
  const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth
  if (wide > 0) found.push("scrolls sideways by " + wide)
  // No name is broken in the middle of a word. Parts of a path are text nodes of their own.
  for (const code of document.querySelectorAll("dt code, th code")) {
    for (const part of code.childNodes) {
      const range = document.createRange()
      range.selectNodeContents(part)
      const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)))
      if (lines.size > 1) found.push("breaks " + part.textContent + " of " + code.textContent)
    }
  }
  const landmarks = new Set(["MAIN", "HEADER", "FOOTER", "NAV", "ASIDE"])
  for (const part of document.body.children) if (!landmarks.has(part.tagName)) found.push("outside a landmark: " + part.outerHTML.slice(0, 80))
  if (document.querySelectorAll("main").length !== 1) found.push("has not one main")
  if (document.querySelectorAll("h1").length !== 1) found.push("has not one h1")
  let level = 0
  for (const heading of document.querySelectorAll("h1,h2,h3,h4,h5,h6")) {
    const next = Number(heading.tagName[1])
    if (next > level + 1) found.push("leaps to " + heading.outerHTML.slice(0, 80))
    level = next
  }
  const ids = [...document.querySelectorAll("[id]")].map(({ id }) => id)
  for (const id of new Set(ids)) if (ids.filter((one) => one === id).length > 1) found.push("id twice: " + id)
  // WCAG 2.2, 1.4.3: text against what is behind it, 4.5 to 1, large text 3 to 1.
  const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number)
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((c) => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    return 0.2126 * x + 0.7152 * y + 0.0722 * z
  }
  const behind = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const colour = numbers(getComputedStyle(at).backgroundColor)
      if ((colour[3] ?? 1) > 0) return colour
    }
    return [255, 255, 255]
  }
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const seen = new Set()
  while (texts.nextNode()) {
    const { parentElement, textContent } = texts.currentNode
    if (textContent.trim() === "" || parentElement.getClientRects().length === 0) continue
    const style = getComputedStyle(parentElement)
    const [one, other] = [light(numbers(style.color)), light(behind(parentElement))].sort((a, b) => b - a)
    const size = parseFloat(style.fontSize)
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700)
    const ratio = (one + 0.05) / (other + 0.05)
    const key = style.color + behind(parentElement)
    if (ratio < (large ? 3 : 4.5) && !seen.has(key)) found.push("contrast " + ratio.toFixed(2) + ": " + textContent.trim().slice(0, 40))
    seen.add(key)
  }
  return found
})()`

/** What the script finds once everything that can be opened is open. */
const opened = (script: string) =>
  `(() => { for (const one of document.querySelectorAll("details")) one.open = true; return ${script} })()`

const title = "fit the screen, break no name, keep to landmarks, and can be read in both schemes"

inBrowser("the pages in a browser", title, (command) => {
  class World extends Context.Service<
    World,
    { readonly browser: Effect.Success<ReturnType<typeof openBrowser>>; readonly pages: ReadonlyArray<string> }
  >()("test/Browsing") {
    static readonly layer = Layer.effect(
      World,
      Effect.gen(function* () {
        const service = yield* startService({
          CONNECT: "key,guest",
          PRIVACY_URL: "https://example.com/privacy",
          TERMS_URL: "https://example.com/terms",
          SUPPORT_URL: "mailto:help@example.com"
        })
        const browser = yield* openBrowser(command)
        const { wishes } = yield* planRush(service, 0)
        const answer = yield* book(service, wishes[0] ?? assert.fail())
        const booking_id = "booking" in answer ? answer.booking.booking_id : assert.fail(answer.refused)
        const { url } = sure(yield* tool(service, Session, "create_payment_session", { booking_id })).payment_session
        const own = [
          "/",
          "/docs",
          "/checkout/return",
          "/checkout/return?outcome=success",
          "/checkout/return?outcome=cancel"
        ]
        return {
          browser,
          pages: [
            ...own.map((path) => service.baseUrl + path),
            url,
            `${service.sandboxUrl}/`,
            `${service.sandboxUrl}/pay/none`
          ]
        }
      })
    )
  }

  layer(World.layer, { excludeTestServices: true, timeout: "2 minutes" })("the pages in a browser", (it) => {
    it.effect(
      title,
      () =>
        Effect.gen(function* () {
          const { browser, pages } = yield* World
          for (const page of pages) {
            for (const view of views) {
              const found = yield* browser.look(page, view, opened(faults))
              assert.deepStrictEqual(found, [], `${page} ${JSON.stringify(view)}`)
            }
          }
        }),
      120_000
    )

    it.effect("have a start page that is clean by axe in every language, with everything on it opened", () =>
      Effect.gen(function* () {
        const { browser, pages } = yield* World
        const start = pages[0] ?? assert.fail()
        for (const view of everyLanguage)
          assert.deepStrictEqual(yield* browser.look(start, view, opened(judgedIn(view))), [], JSON.stringify(view))
        assert.strictEqual(
          yield* browser.look(start, { width: 360, scheme: "light", language: "ja" }, "document.documentElement.lang"),
          "ja"
        )
      })
    )
  })
})
