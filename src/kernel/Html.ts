/** HTML for people: a tag that keeps text and markup apart, and the frame of every page. No scripts, nothing from elsewhere. */

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

const escape = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? "")

/** Markup whose texts are escaped. Only this file makes it. */
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

/** What `html` takes: text is escaped, markup stays as it is, `undefined` is nothing, and the entries of a list get a line each. */
export type HtmlPart = string | number | Html | undefined | ReadonlyArray<HtmlPart>

const write = (part: HtmlPart): string => {
  if (part === undefined) return ""
  if (part instanceof Markup) return part.toString()
  return typeof part === "object" ? part.map(write).join("\n") : escape(String(part))
}

/**
 * Markup from a template: ``html`<a href="${address}">${label}</a>` ``. Texts are safe between tags and inside quoted attributes; an
 * attribute without quotes is a defect.
 */
export const html = (literals: TemplateStringsArray, ...parts: ReadonlyArray<HtmlPart>): Html => {
  const written = literals.map((literal, index) => {
    if (index < parts.length && literal.endsWith("=")) throw new Error(`An attribute without quotes: ${literal}`)
    return literal + write(parts[index])
  })
  return new Markup(written.join(""))
}

/** The parts with a separator between them. */
export const joined = (parts: ReadonlyArray<HtmlPart>, separator: string | Html = ""): Html =>
  new Markup(parts.map(write).join(write(separator)))

/** A sentence with markup for the one value in it. */
export const sentence = (of: (value: string) => string, value: Html): Html => {
  // A character for private use, which no text has.
  const gap = "\uE000"
  return joined(of(gap).split(gap), value)
}

/** A whole page. `style` is CSS; `language` is of both texts. */
export const htmlPage = (title: string, style: string, body: Html, language = "en"): string =>
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
</body>
</html>
`.toString()
