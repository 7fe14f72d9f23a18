/**
 * `npm run screens`: looks at each page for people in Chromium, in every language, narrow and wide, light and dark, and
 * with text at 200 %; judges each by axe and for its width, and writes a sheet of all pictures. `SCREENS` is the folder
 * (`.data/screens`), `SCREENS_LANGUAGES` some of the languages (`de,pl`), `SCREENS_VIEWS` some of the views (`320
 * light,print`), `SCREENS_ONLY` a part of the pages' names. With `PICTURES=docs/pictures` it draws those of the README:
 * `PICTURES=docs/pictures SCREENS_LANGUAGES=en SCREENS_VIEWS='1280 light' SCREENS_ONLY='desk, a Saturday' npm run screens`.
 */
import { afterAll, assert, it, layer } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { languages } from "../../src/words/Languages.ts"
import { inBrowser, judged, openBrowser, type View } from "../support/Browser.ts"
import { connectWorld, Node } from "../support/ConnectWorld.ts"
import { letterScreens, livedScreens, livedWorld, type Screen, writtenScreens, writtenWorld } from "./pages.ts"
import { authorizeUrl, register } from "../support/Person.ts"
import { drawPictures } from "./pictures.ts"
import { html, type Html } from "../../src/platform/text/Html.ts"

// A sheet of pictures of pages, for a person to look through.

/** A page as it was seen. `faults`: what axe and the screen's width say of it. */
export interface Seen {
  readonly screen: string
  readonly view: string
  readonly picture: string
  readonly faults: ReadonlyArray<string>
}

const figure = ({ faults, picture, view }: Seen): Html =>
  html`<figure><a href="${picture}"><img src="${picture}" alt="${view}" loading="lazy"></a><figcaption>${view}${faults.map((fault) => html`<br><b>${fault}</b>`)}</figcaption></figure>`

/** The sheet: a row for each page, with a picture for each view. */
export const sheetOf = (all: ReadonlyArray<Seen>): string => {
  const rows = Array.from(
    Map.groupBy(all, ({ screen }) => screen),
    ([screen, seen]) => html`<section><h2>${screen}</h2><div>${seen.map(figure)}</div></section>`
  )
  const faulty = all.filter(({ faults }) => faults.length > 0)
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Screens</title><style>
body{font:14px system-ui,sans-serif;margin:1rem;background:#888;color:#000}
section>div{display:flex;gap:.75rem;overflow-x:auto;align-items:start}
figure{margin:0;flex:none}
img{width:200px;height:auto;background:#fff}
b{color:#900;display:block;max-width:200px;overflow-wrap:anywhere}
</style></head><body>
<h1>${all.length} screens, ${faulty.length} with faults</h1>
<ul>${faulty.map(({ faults, picture, screen, view }) => html`<li><a href="${picture}">${screen}, ${view}</a>: ${faults.join("; ")}</li>`)}</ul>
${rows}
</body></html>
`.toString()
}

const folder = resolve(process.env["SCREENS"] ?? ".data/screens")
const wanted = process.env["SCREENS_LANGUAGES"]?.split(",")
const wantedViews = process.env["SCREENS_VIEWS"]?.split(",")
const only = process.env["SCREENS_ONLY"] ?? ""
const pictures = process.env["PICTURES"]
/** The screen that the README shows. */
const shownDesk = "desk, a Saturday en 1280 light"

const schemes = ["light", "dark"] as const
/** A sheet of A4 at 96 dots an inch. */
const paper: View = { width: 794, scheme: "light", media: "print" }
const views: ReadonlyArray<View> = [
  ...[320, 1280].flatMap((width) => schemes.map((scheme) => ({ width, scheme }))),
  { width: 320, scheme: "light", text: 2 },
  paper
]

const told = ({ media, scheme, text, width }: View) =>
  media ?? `${width} ${scheme}${text === undefined ? "" : " 200 %"}`

const Faults = Schema.decodeUnknownSync(Schema.Array(Schema.String))

/** Where people agree that an assistant acts for them, and what they see if it can't be asked. */
const connectScreens = Effect.gen(function* () {
  const base = yield* Node
  const client_id = yield* register(base, { client_name: "Example Assistant" })
  return [
    { name: "agreeing to an assistant", url: authorizeUrl(base, client_id).url },
    { name: "agreeing, unknown assistant", url: authorizeUrl(base, "nobody").url },
    { name: "agreeing, no such page", url: `${base}/connect/consent/nothing` }
  ] satisfies ReadonlyArray<Screen>
})

inBrowser("screens", "are looked at", (command) => {
  class Browser extends Context.Service<Browser, Effect.Success<ReturnType<typeof openBrowser>>>()("test/Screen") {}
  const browserFor = Layer.effect(Browser, openBrowser(command))
  const title = "are without a fault of axe and no wider than the screen"
  const timeout = 3_600_000
  const seen: Array<Seen> = []

  const lookAt = Effect.fnUntraced(function* (screens: ReadonlyArray<Screen>) {
    const browser = yield* Browser
    mkdirSync(folder, { recursive: true })
    const found: Array<Seen> = []
    for (const screen of screens) {
      if (!screen.name.includes(only)) continue
      for (const language of languages.filter((one) => wanted?.includes(one) ?? true))
        for (const view of views) {
          if (view === paper && screen.printed !== true) continue
          if (wantedViews?.includes(told(view)) === false) continue
          yield* screen.before ?? Effect.void
          // What isn't printed has no size, and paper has no buttons to press.
          const judge = view === paper ? "[]" : judged
          const { press } = screen
          const url = typeof screen.url === "string" ? screen.url : screen.url(language)
          const first = yield* browser.look(url, { ...view, language }, press ?? judge)
          if (press !== undefined) yield* browser.key("Enter")
          const faults = Faults(press === undefined ? first : yield* browser.find(judge))
          const named = `${language} ${told(view)}`
          const picture = `${screen.name} ${named}.png`.replaceAll(/[^a-z0-9.-]+/gi, "_")
          const drawn = yield* browser.picture
          writeFileSync(join(folder, picture), drawn)
          if (pictures !== undefined && `${screen.name} ${named}` === shownDesk)
            writeFileSync(join(pictures, "desk.png"), drawn)
          found.push({ screen: screen.name, view: named, picture, faults })
        }
      const faulty = found.filter((one) => one.screen === screen.name && one.faults.length > 0)
      console.log(`${screen.name}: ${faulty.length} faulty`)
    }
    seen.push(...found)
    assert.deepStrictEqual(
      found.flatMap(({ faults, screen, view }) => faults.map((fault) => `${screen}, ${view}: ${fault}`)),
      []
    )
  })

  layer(browserFor.pipe(Layer.provideMerge(writtenWorld)), { excludeTestServices: true, timeout: "5 minutes" })(
    "screens of bookings that are written down",
    (it) =>
      it.effect(title, () => Effect.flatMap(writtenScreens, (pages) => lookAt([...pages, ...letterScreens])), timeout)
  )
  layer(browserFor.pipe(Layer.provideMerge(livedWorld)), { timeout: "5 minutes" })(
    "screens of bookings in a database",
    (it) => it.effect(title, () => Browser.pipe(Effect.flatMap(livedScreens), Effect.flatMap(lookAt)), timeout)
  )
  layer(browserFor.pipe(Layer.provideMerge(connectWorld())), { excludeTestServices: true, timeout: "5 minutes" })(
    "screens of signing in",
    (it) => it.effect(title, () => Effect.flatMap(connectScreens, lookAt), timeout)
  )

  it.live.runIf(pictures !== undefined)(
    "pictures of the README are drawn",
    () => Effect.scoped(drawPictures(command, pictures ?? "")),
    timeout
  )

  afterAll(() => {
    const sheet = join(folder, "index.html")
    writeFileSync(sheet, sheetOf(seen))
    console.log(`${seen.length} pictures: ${sheet}`)
  })
})
