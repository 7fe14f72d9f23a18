/**
 * The card: an HTML page in which hosts with MCP Apps show options, bookings and payment pages
 * (https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx). It is a resource that
 * four tools name. The page is self-contained, since hosts block its network access.
 */
import { Struct } from "effect"
import { readFileSync } from "node:fs"
import { type Language, languages, messages } from "../../../words/Languages.ts"
import { unusualDecimals } from "../../../platform/money/Money.ts"
import { pageWords } from "../../../words/Message.ts"
import { cardScript } from "./Script.ts"

/** The sentences of a booking's terms, which are the family's page's, too. */
const termsIn = (language: Language) => {
  const { deposit, growsBy, headcountBy, moveUntil, nothingBack, nothingMoreBack, nothingToPay, releasedAt } =
    messages[language].terms
  return {
    nothingBack,
    nothingMoreBack,
    nothingToPay,
    deposit: deposit("{0}", false),
    depositKept: deposit("{0}", true),
    growsBy: growsBy("{0}"),
    headcountBy: headcountBy("{0}"),
    moveUntil: moveUntil("{0}"),
    releasedAt: releasedAt("{0}")
  }
}

type Text = string | object | ((one: string, other: string) => string)

/** Texts as data. Functions become templates with the placeholders `{0}` and `{1}`. */
const templates = (texts: Readonly<Record<string, Text>>) =>
  Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, typeof text === "function" ? text("{0}", "{1}") : text])
  )

const textsIn = (language: Language) => {
  const { card, locale, refundTable, words } = messages[language]
  return {
    ...templates({ locale, ...Struct.omit(words, pageWords), ...card }),
    refundTable: templates(refundTable),
    terms: termsIn(language)
  }
}

/** The data of `texts.js`. It has all languages, since only the browser knows the person's. */
const allTexts = (): string =>
  JSON.stringify(Object.fromEntries(languages.map((language) => [language, textsIn(language)]))).replaceAll(
    "<",
    "\\u003c"
  )

const makePage = (): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>Playroom booking</title>
<style>
${readFileSync(new URL("browser/card.css", import.meta.url), "utf8")}</style>
</head>
<body>
<main></main>
<p class="hidden" role="status"></p>
<script type="application/json" id="texts">${allTexts()}</script>
<script type="application/json" id="decimals">${JSON.stringify(unusualDecimals)}</script>
<script type="module">
${cardScript()}</script>
</body>
</html>
`

/** The card's entry in `resources/list`. */
export const cardResource = {
  uri: "ui://playroom/card",
  name: "playroom-card",
  title: "Playroom card",
  description: "Shows times to book, a booking or a payment page, and lets the person book and pay.",
  mimeType: "text/html;profile=mcp-app",
  _meta: { ui: { prefersBorder: true } }
}

/** `_meta` in `tools/list` of the tools whose results the card shows. */
export const cardOfTool = { ui: { resourceUri: cardResource.uri } }

let page: string | undefined

/** The result of `resources/read`. The page is built once. */
export const cardContents = () => {
  const { _meta, mimeType, uri } = cardResource
  return { uri, mimeType, text: (page ??= makePage()), _meta }
}
