/**
 * The card: one page of HTML in which hosts that have MCP Apps show options, bookings and payment pages
 * (https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx). It is a resource that four tools name.
 * All of it is in the page: hosts give such pages no way to the network, and the card asks for none. Its sources are in `browser/`;
 * `tsc` checks them by their comments.
 */
import { readFileSync } from "node:fs"
import { type Language, languages, messages } from "../../i18n/Languages.ts"

/** The scripts, each after those that it imports. */
const scripts = [
  "values.js",
  "bridge.js",
  "answers.js",
  "times.js",
  "elements.js",
  "picture.js",
  "texts.js",
  "views.js",
  "hostContext.js",
  "page.js",
  "card.js"
]

const read = (name: string): string => readFileSync(new URL(`browser/${name}`, import.meta.url), "utf8")

/** One script of all. No name is in two of them, so that imports and exports can go; comments go too. */
const scriptOf = (sources: ReadonlyArray<string>): string =>
  sources
    .join("\n")
    .replaceAll(/^ *\/\*\*(?:(?!\*\/)[^])*\*\/\n/gm, "")
    .replaceAll(/^ *\/\/.*\n/gm, "")
    .replaceAll(/^import [^"]*"[^"]*"\n/gm, "")
    .replaceAll(/^export /gm, "")
    .replaceAll(/\n{2,}/g, "\n")

/** The texts of a language as data. A sentence that tells values has gaps for them: `{0}`, then `{1}`. */
const textsIn = (language: Language) => {
  const { card, words } = messages[language]
  return Object.fromEntries(
    Object.entries({ ...words, ...card }).map(([name, text]) => [
      name,
      typeof text === "function" ? text("{0}", "{1}") : text
    ])
  )
}

/** What `texts.js` reads: all languages, as the person's is known in the browser only. */
const allTexts = (): string =>
  JSON.stringify(Object.fromEntries(languages.map((language) => [language, textsIn(language)]))).replaceAll(
    "<",
    "\\u003c"
  )

/** The whole page. */
const makePage = (): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>Playroom booking</title>
<style>
${read("card.css")}</style>
</head>
<body>
<main></main>
<p class="hidden" role="status"></p>
<script type="application/json" id="texts">${allTexts()}</script>
<script type="module">
${scriptOf(scripts.map(read))}</script>
</body>
</html>
`

/** How `resources/list` names the card. */
export const cardResource = {
  uri: "ui://playroom/card",
  name: "playroom-card",
  title: "Playroom card",
  description: "Shows times to book, a booking or a payment page, and lets the person book and pay.",
  mimeType: "text/html;profile=mcp-app",
  _meta: { ui: { prefersBorder: true } }
}

/** What the tools that it shows name it by (`_meta` in `tools/list`). */
export const cardOfTool = { ui: { resourceUri: cardResource.uri } }

let page: string | undefined

/** What `resources/read` answers: the page, which is read from its sources once. */
export const cardContents = () => {
  const { _meta, mimeType, uri } = cardResource
  return { uri, mimeType, text: (page ??= makePage()), _meta }
}
