/**
 * `npm run screens`: looks at each page of families in Chromium, in every language, narrow and wide, light and dark, and
 * with text at 200 %; judges each by axe and for its width, and writes a sheet of all pictures. `SCREENS` is the folder
 * (`.data/screens`), `SCREENS_LANGUAGES` some of the languages (`de,pl`), `SCREENS_ONLY` a part of the pages' names.
 */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { languages } from "../../src/i18n/Languages.ts"
import { judged } from "../support/Accessibility.ts"
import { inBrowser, openBrowser, type View } from "../support/Browser.ts"
import { otherScreens, Screens, standingScreens } from "../support/screens.ts"
import { type Seen, sheetOf } from "./Sheet.ts"

const folder = resolve(process.env["SCREENS"] ?? ".data/screens")
const wanted = process.env["SCREENS_LANGUAGES"]?.split(",")
const only = process.env["SCREENS_ONLY"] ?? ""

const schemes = ["light", "dark"] as const
const views: ReadonlyArray<View> = [
  ...[320, 1280].flatMap((width) => schemes.map((scheme) => ({ width, scheme }))),
  { width: 320, scheme: "light", text: 2 }
]

const Faults = Schema.decodeUnknownSync(Schema.Array(Schema.String))

inBrowser("screens", "are looked at", (command) => {
  class Browser extends Context.Service<Browser, Effect.Success<ReturnType<typeof openBrowser>>>()("test/Screen") {}

  layer(Layer.effect(Browser, openBrowser(command)).pipe(Layer.provideMerge(Screens.layer)), {
    excludeTestServices: true,
    timeout: "5 minutes"
  })("screens", (it) => {
    it.effect(
      "are without a fault of axe and no wider than the screen",
      () =>
        Effect.gen(function* () {
          const base = yield* Screens
          const browser = yield* Browser
          mkdirSync(folder, { recursive: true })
          const seen: Array<Seen> = []
          for (const [screen, path] of [...standingScreens, ...otherScreens]) {
            if (!screen.includes(only)) continue
            for (const language of languages.filter((one) => wanted?.includes(one) ?? true))
              for (const view of views) {
                const told = `${language} ${view.width} ${view.scheme}${view.text === undefined ? "" : " 200 %"}`
                const faults = Faults(yield* browser.look(base + path, { ...view, language }, judged))
                const picture = `${screen} ${told}.png`.replaceAll(/[^a-z0-9.-]+/gi, "_")
                writeFileSync(join(folder, picture), yield* browser.picture)
                seen.push({ screen, view: told, picture, faults })
              }
            console.log(
              `${screen}: ${seen.filter((one) => one.screen === screen && one.faults.length > 0).length} faulty`
            )
          }
          const sheet = join(folder, "index.html")
          writeFileSync(sheet, sheetOf(seen))
          console.log(`${seen.length} pictures: ${sheet}`)
          assert.deepStrictEqual(
            seen.flatMap(({ faults, screen, view }) => faults.map((fault) => `${screen}, ${view}: ${fault}`)),
            []
          )
        }),
      { timeout: 3_600_000 }
    )
  })
})
