/**
 * HTML for people: a template tag that escapes texts, and the frame of every page. No external resources.
 */

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

const escape = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? "")

/** Escaped markup. Only this file can create it. */
class Markup {
  readonly #text: string
  constructor(text: string) {
    this.#text = text
  }
  toString(): string {
    return this.#text
  }
}
export type Html = Markup

/** A part of a template. Texts are escaped, markup is kept, `undefined` is left out, and list items get a line each. */
export type HtmlPart = string | number | Html | undefined | ReadonlyArray<HtmlPart>

const render = (part: HtmlPart): string => {
  if (part === undefined) return ""
  if (part instanceof Markup) return part.toString()
  return typeof part === "object" ? part.map(render).join("\n") : escape(String(part))
}

/**
 * Markup from a template: ``html`<a href="${address}">${label}</a>` ``. Texts are safe between tags and inside quoted
 * attributes. An unquoted attribute is a defect.
 */
export const html = (literals: TemplateStringsArray, ...parts: ReadonlyArray<HtmlPart>): Html => {
  const rendered = literals.map((literal, index) => {
    if (index < parts.length && literal.endsWith("=")) throw new Error(`An attribute without quotes: ${literal}`)
    return literal + render(parts[index])
  })
  return new Markup(rendered.join(""))
}

/** The parts, joined by a separator. */
export const joined = (parts: ReadonlyArray<HtmlPart>, separator: string | Html = ""): Html =>
  new Markup(parts.map(render).join(render(separator)))

/** A sentence with markup in place of its one value. */
export const sentence = (of: (value: string) => string, value: Html): Html => {
  // A private-use character, which does not occur in our texts.
  const placeholder = "\uE000"
  return joined(of(placeholder).split(placeholder), value)
}

/** A whole page. `style` is CSS; `language` is the BCP 47 tag of the title and the body; `script` is JavaScript. */
export const htmlPage = (title: string, style: string, body: Html, language = "en", script?: string): string =>
  html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${new Markup(style)}</style>
</head>
<body>
${body}
${script === undefined ? "" : html`<script>${new Markup(script)}</script>\n`}</body>
</html>
`.toString()

const characters: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(entities).map(([character, entity]) => [entity, character])
)

/**
 * Markup as plain text: a line for each block, an empty one around paragraphs and headings, and the address after the
 * text of a link to a page.
 */
export const textOf = (markup: Html): string =>
  markup
    .toString()
    .replace(/\s+/g, " ")
    .replace(/<a [^>]*href="(https?:[^"]*)"[^>]*>(.*?)<\/a>/g, (_, address: string, label: string) =>
      label.includes(address) ? address : `${label}: ${address}`
    )
    .replace(/<br> ?/g, "\n")
    .replace(/ ?<li[^>]*> ?/g, "\n- ")
    .replace(/ ?<\/dt> ?<dd[^>]*> ?/g, ": ")
    .replace(/ ?<\/?(?:p|h[1-6]|ul|dl|table|section|header|footer)(?: [^>]*)?> ?/g, "\n\n")
    .replace(/ ?<\/?(?:div|dt|dd|tr)(?: [^>]*)?> ?/g, "\n")
    .replace(/<[^>]*>/g, "")
    .replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => characters[entity] ?? "")
    .replace(/ *\n */g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim()
