/** The parts that pages of bookings and of operators are made of. */
import { html, type Html, type HtmlPart, joined } from "../kernel/Html.ts"
import { standIn } from "./landing/Illustration.ts"

/** A picture of the venue, at an https address of its own. */
export interface Picture {
  readonly url: string
  readonly alt: string
}

/** A text that others wrote, in isolation: its direction ends with it. */
export const isolated = (text: string): Html => html`<bdi>${text}</bdi>`

/** Paragraphs that an operator or a family wrote. */
export const paragraphs = (text: string): ReadonlyArray<Html> =>
  text
    .split(/\n\s*\n/)
    .filter((part) => part.trim() !== "")
    .map((part) => html`<p dir="auto">${joined(part.trim().split("\n"), html`<br>`)}</p>`)

/**
 * The head of a page: the venue's picture (a drawing stands behind it, and is seen where there is no picture or it fails to load), a
 * short text, the heading and a sentence.
 */
export const hero = (of: {
  readonly picture?: Picture | undefined
  readonly above: string
  readonly title: string
  readonly lead: string
}): Html => {
  const { picture } = of
  // The text of a picture that fails would stand over the drawing, so the frame has it. The sign that browsers put in a picture's corner
  // then lies outside the frame, since the picture is larger.
  const frame = picture === undefined ? html` aria-hidden="true"` : html` role="img" aria-label="${picture.alt}"`
  const image = picture === undefined ? undefined : html`<img src="${picture.url}" alt="" referrerpolicy="no-referrer">`
  return html`<header class="hero">
<div class="picture"${frame}>${standIn}${image}</div>
<p class="above">${isolated(of.above)}</p>
<h1>${of.title}</h1>
${of.lead === "" ? "" : html`<p class="lead">${of.lead}</p>`}
</header>`
}

/** A term and what it is, among `facts`. */
export interface Fact {
  readonly term: string
  readonly is: HtmlPart
}

/** Terms and what they are, in a card. */
export const facts = (rows: ReadonlyArray<Fact>): Html =>
  html`<dl class="card facts">${rows.map(({ is, term }) => html`<div><dt>${term}</dt><dd>${is}</dd></div>`)}</dl>`

/** An e-mail address that opens the reader's mail program. What else an address may hold does not become part of the mail. */
export const emailLink = (email: string): Html =>
  html`<a class="url" href="mailto:${encodeURIComponent(email).replace("%40", "@")}">${email}</a>`

/** A heading and what it is of; nothing if there is nothing. */
export const section = (heading: string, content: ReadonlyArray<Html>): Html | undefined =>
  content.length === 0 ? undefined : html`<section><h2>${heading}</h2>\n${content}</section>`

/** Something that a person should not miss. */
export const notice = (content: Html): Html => html`<div class="notice">${content}</div>`

/** A link that looks like a button; `second` is for what is not the page's main purpose. */
export const buttonLink = (href: string, label: string, second = false): Html =>
  html`<a class="button${second ? " second" : ""}" href="${href}">${label}</a>`

/** A form with hidden fields and one button. It posts to the page's own address. */
export const buttonForm = (
  address: string,
  hidden: Readonly<Record<string, string>>,
  label: string,
  second = false
): Html => {
  const fields = Object.entries(hidden).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`
  )
  const button = html`<button${second ? html` class="second"` : ""}>${label}</button>`
  return html`<form method="post" action="${address}">${joined(fields)}${button}</form>`
}

/** Buttons beside each other, as far as there is room. */
export const actions = (...parts: ReadonlyArray<Html | undefined>): Html | undefined =>
  parts.every((part) => part === undefined) ? undefined : html`<div class="actions">${parts}</div>`

/** Many links of which one is to be taken, each with a remark. */
export const choices = (
  links: ReadonlyArray<{ readonly href: string; readonly label: string; readonly remark: string }>
): Html => {
  const items = links.map(({ href, label, remark }) => {
    const beside = remark === "" ? "" : html` <small>${remark}</small>`
    return html`<li><a class="button second" href="${href}">${label}${beside}</a></li>`
  })
  return html`<ul class="choices">${items}</ul>`
}

/** A table; the first cell of a row names it. */
export const dataTable = (
  caption: string,
  head: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<HtmlPart>>
): Html => {
  const heads = head.map((cell) => html`<th scope="col">${cell}</th>`)
  const body = rows.map(
    ([name, ...cells]) =>
      html`<tr><th scope="row">${name}</th>${joined(cells.map((cell) => html`<td>${cell}</td>`))}</tr>`
  )
  return html`<div class="wide"><table><caption>${caption}</caption><thead><tr>${joined(heads)}</tr></thead><tbody>
${body}
</tbody></table></div>`
}
