/** What is wrong with a page for people, as axe (https://github.com/dequelabs/axe-core) and a phone see it. */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { languages } from "../../src/words/Languages.ts"
import type { View } from "./Browser.ts"

/** Narrow and wide, light and dark. */
export const views: ReadonlyArray<View> = [360, 1280].flatMap((width) =>
  (["light", "dark"] as const).map((scheme) => ({ width, scheme }))
)

/** Each language on a phone, where long words don't fit, and both schemes wide: languages differ by words, schemes by colours. */
export const everyLanguage: ReadonlyArray<View> = [
  ...languages.map((language, i) => ({
    width: 360,
    scheme: i % 2 === 0 ? ("light" as const) : ("dark" as const),
    language
  })),
  ...views.filter(({ width }) => width > 360)
]

/** Axe without comments and long names: each page that is judged reads all of it anew. */
export const axeSource = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8")

/** Runs in the page: whether it is wider than the screen, and what is too small for a finger. */
export const judgedByScreen = `(() => {
  const wide = document.documentElement.scrollWidth > document.documentElement.clientWidth
  return [
    ...(wide
      ? [
          "wider than the screen: " +
            [...document.querySelectorAll("body *")]
              .filter((one) => one.closest(".picture") === null && one.getBoundingClientRect().right > document.documentElement.clientWidth)
              .map((one) => one.outerHTML.slice(0, 80))
              .join(" | ")
        ]
      : []),
    ...[...document.querySelectorAll("button, select, input:not([type=hidden])")]
      .filter((one) => one.getBoundingClientRect().height < 44)
      .map((one) => "too small to press: " + one.outerHTML.slice(0, 80))
  ]
})()`

/** The same, and what axe finds. */
export const judged = `(async () => {
  ${axeSource}
  const { violations } = await axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"], resultTypes: ["violations"] })
  return [
    ...violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html.slice(0, 120)).join(" | ")),
    ...${judgedByScreen}
  ]
})()`

/** For a page that is seen in each language: what axe finds in one, it finds in all, and words differ by the room that they need. */
export const judgedIn = ({ language = "en" }: View): string => (language === "en" ? judged : judgedByScreen)
