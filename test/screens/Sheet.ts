/** A sheet of pictures of pages, for a person to look through. */
import { html, type Html } from "../../src/platform/text/Html.ts"

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
