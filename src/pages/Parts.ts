/** The parts that pages of bookings and of operators are made of. What is called `html` is escaped already; all else is text. */
import { escape } from "../kernel/Html.ts"
import { standIn } from "./landing/Illustration.ts"

/** A picture of the venue, at an https address of its own. */
export interface Picture {
  readonly url: string
  readonly alt: string
}

/**
 * The head of a page: the venue's picture (a drawing stands behind it, and is seen where there is no picture or it fails to load), a
 * short text, the heading and a sentence.
 */
export const hero = (of: {
  readonly picture?: Picture | undefined
  readonly above: string
  readonly title: string
  readonly lead: string
}): string => {
  const { picture } = of
  // The text of a picture that fails would stand over the drawing, so the frame has it. The sign that browsers put in a picture's corner
  // then lies outside the frame, since the picture is larger.
  const frame = picture === undefined ? ` aria-hidden="true"` : ` role="img" aria-label="${escape(picture.alt)}"`
  const image = picture === undefined ? "" : `<img src="${escape(picture.url)}" alt="" referrerpolicy="no-referrer">`
  return `<header class="hero">
<div class="picture"${frame}>${standIn}${image}</div>
<p class="above"><bdi>${escape(of.above)}</bdi></p>
<h1>${escape(of.title)}</h1>
${of.lead === "" ? "" : `<p class="lead">${escape(of.lead)}</p>`}
</header>`
}

/** Terms and what they are, in a card. */
export const facts = (rows: ReadonlyArray<{ readonly term: string; readonly html: string }>): string =>
  `<dl class="card facts">${rows.map(({ html, term }) => `<div><dt>${escape(term)}</dt><dd>${html}</dd></div>`).join("\n")}</dl>`

/** An e-mail address that opens the reader's mail program. What else an address may hold does not become part of the mail. */
export const emailLink = (email: string): string =>
  `<a class="url" href="mailto:${escape(encodeURIComponent(email).replace("%40", "@"))}">${escape(email)}</a>`

/** Something that a person should not miss. */
export const notice = (html: string): string => `<div class="notice">${html}</div>`

/** A link that looks like a button; `second` is for what is not the page's main purpose. */
export const buttonLink = (href: string, label: string, second = false): string =>
  `<a class="button${second ? " second" : ""}" href="${escape(href)}">${escape(label)}</a>`

/** A form with hidden fields and one button. It posts to the page's own address. */
export const buttonForm = (
  address: string,
  hidden: Readonly<Record<string, string>>,
  label: string,
  second = false
): string =>
  `<form method="post" action="${escape(address)}">${Object.entries(hidden)
    .map(([name, value]) => `<input type="hidden" name="${escape(name)}" value="${escape(value)}">`)
    .join("")}<button${second ? ` class="second"` : ""}>${escape(label)}</button></form>`

/** Buttons beside each other, as far as there is room. */
export const actions = (...parts: ReadonlyArray<string>): string =>
  parts.every((part) => part === "") ? "" : `<div class="actions">${parts.join("\n")}</div>`

/** Many links of which one is to be taken, each with a remark. */
export const choices = (
  links: ReadonlyArray<{ readonly href: string; readonly label: string; readonly remark: string }>
): string =>
  `<ul class="choices">${links
    .map(
      ({ href, label, remark }) =>
        `<li><a class="button second" href="${escape(href)}">${escape(label)}${remark === "" ? "" : ` <small>${escape(remark)}</small>`}</a></li>`
    )
    .join("\n")}</ul>`

/** A table; the first cell of a row names it. Cells are HTML. */
export const dataTable = (
  caption: string,
  head: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>
): string =>
  `<div class="wide"><table><caption>${escape(caption)}</caption><thead><tr>${head
    .map((cell) => `<th scope="col">${escape(cell)}</th>`)
    .join("")}</tr></thead><tbody>
${rows
  .map(
    ([name = "", ...cells]) =>
      `<tr><th scope="row">${name}</th>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`
  )
  .join("\n")}
</tbody></table></div>`
