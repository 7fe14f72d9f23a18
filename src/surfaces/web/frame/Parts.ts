/** Building blocks of the pages for families and operators. */
import { html, type Html, type HtmlPart, joined } from "../../../platform/text/Html.ts"
import { dialled } from "../../../platform/text/Text.ts"
import { placeholderPicture } from "../landing/Illustration.ts"

/** A picture of the venue at an external https address. */
export interface Picture {
  readonly url: string
  readonly alt: string
}

/** A text from outside in a `<bdi>`, so that its direction ends with it. */
export const isolated = (text: string): Html => html`<bdi>${text}</bdi>`

/** Paragraphs that an operator or a family wrote. */
export const paragraphs = (text: string): ReadonlyArray<Html> =>
  text
    .split(/\n\s*\n/)
    .filter((part) => part.trim() !== "")
    .map((part) => html`<p dir="auto">${joined(part.trim().split("\n"), html`<br>`)}</p>`)

/**
 * A page's head: a picture, the heading, what stands below it, and a sentence. A drawing shows if there is no picture or
 * it fails to load.
 */
export const hero = (of: {
  readonly picture?: Picture | undefined
  readonly title: string
  readonly below: Html
  readonly lead: string
}): Html => {
  const { picture } = of
  // The frame has the alternative text: a failed image would show its own over the drawing. The image is larger than
  // the frame, which hides the browser's icon for a broken image.
  const frame = picture === undefined ? html` aria-hidden="true"` : html` role="img" aria-label="${picture.alt}"`
  const image = picture === undefined ? undefined : html`<img src="${picture.url}" alt="" referrerpolicy="no-referrer">`
  return html`<header class="hero">
<div class="picture"${frame}>${placeholderPicture}${image}</div>
<h1>${of.title}</h1>
${of.below}
${of.lead === "" ? "" : html`<p class="lead">${of.lead}</p>`}
</header>`
}

/** A row of `facts`. */
export interface Fact {
  readonly term: string
  readonly is: HtmlPart
}

/** A card with a list of terms and their values. */
export const facts = (rows: ReadonlyArray<Fact>): Html =>
  html`<dl class="card facts">${rows.map(({ is, term }) => html`<div><dt>${term}</dt><dd>${is}</dd></div>`)}</dl>`

/** A mailto link. Characters that could add headers to the mail are encoded. */
export const emailLink = (email: string): Html =>
  html`<a class="url" href="mailto:${encodeURIComponent(email).replace("%40", "@")}">${email}</a>`

/** A link that dials the number in a text; the text alone if it has none. */
export const phoneLink = (phone: string): Html => {
  const dials = dialled(phone)
  return dials === undefined ? isolated(phone) : html`<a class="url" href="tel:${dials}">${phone}</a>`
}

/** A section with a heading; undefined if it has no content. */
export const section = (heading: string, content: ReadonlyArray<Html>): Html | undefined =>
  content.length === 0 ? undefined : html`<section><h2>${heading}</h2>\n${content}</section>`

/** A highlighted notice. */
export const notice = (content: Html): Html => html`<div class="notice">${content}</div>`

/** A link that looks like a button. `second` marks a secondary one. */
export const buttonLink = (href: string, label: string, second = false): Html =>
  html`<a class="button${second ? " second" : ""}" href="${href}">${label}</a>`

/** Hidden fields of a form. */
export const hiddenInputs = (fields: Readonly<Record<string, string>>): ReadonlyArray<Html> =>
  Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)

/** A form with hidden fields and one button. It posts to the page's own address. */
export const buttonForm = (
  address: string,
  hidden: Readonly<Record<string, string>>,
  label: string,
  second = false
): Html => {
  const button = html`<button${second ? html` class="second"` : ""}>${label}</button>`
  return html`<form method="post" action="${address}">${joined(hiddenInputs(hidden))}${button}</form>`
}

/** A row of buttons that wraps. */
export const actions = (...parts: ReadonlyArray<Html | undefined>): Html | undefined =>
  parts.every((part) => part === undefined) ? undefined : html`<div class="actions">${parts}</div>`

/** Links in a row that wraps. */
export const links = (all: ReadonlyArray<Html>): Html =>
  html`<ul class="links noprint">${all.map((link) => html`<li>${link}</li>`)}</ul>`

/** A list of links to choose from, each with a remark. */
export const choices = (
  links: ReadonlyArray<{ readonly href: string; readonly label: string; readonly remark: string }>
): Html => {
  const items = links.map(({ href, label, remark }) => {
    const beside = remark === "" ? "" : html` <small>${remark}</small>`
    return html`<li><a class="button second" href="${href}">${label}${beside}</a></li>`
  })
  return html`<ul class="choices">${items}</ul>`
}

/** A table; the first cell of a row names it. Where there is no room, each cell gets a line that begins with its head. */
export const dataTable = (
  caption: string,
  head: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<HtmlPart>>
): Html => {
  const heads = head.map((cell) => html`<th scope="col">${cell}</th>`)
  const body = rows.map(
    ([name, ...cells]) =>
      html`<tr><th scope="row">${name}</th>${joined(cells.map((cell, index) => html`<td data-head="${cell === "" ? "" : (head[index + 1] ?? "")}">${cell}</td>`))}</tr>`
  )
  return html`<div class="wide"><table class="stacks"><caption>${caption}</caption><thead><tr>${joined(heads)}</tr></thead><tbody>
${body}
</tbody></table></div>`
}
