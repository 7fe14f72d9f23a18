/** The drawing for venues without a picture: bunting, balloons and a ball pit in the page's colours. */
import { html, type Html } from "../../../platform/text/Html.ts"

const flags = [0, 1, 2, 3, 4, 5, 6, 7].map((n) => {
  const x = 20 + n * 100
  const y = 26 + 26 * Math.sin((Math.PI * (n + 0.5)) / 8)
  return html`<path class="${["a", "b", "c"][n % 3]}" d="M${x} ${y.toFixed(0)}h56l-28 50z"/>`
})

const balls = Array.from({ length: 34 }, (_, n) => {
  const x = 12 + n * 24 + (n % 2) * 5
  const y = 284 - ((n * 37) % 5) * 9
  return html`<circle class="${["a", "b", "c", "d"][(n * 7) % 4]}" cx="${x}" cy="${y}" r="${22 + ((n * 13) % 3) * 3}"/>`
})

const balloon = (x: number, y: number, r: number, kind: string): Html =>
  html`<path class="line" d="M${x} ${y + r * 1.15}q-14 40 2 90"/><ellipse class="${kind}" cx="${x}" cy="${y}" rx="${r}" ry="${r * 1.15}"/><path class="${kind}" d="M${x - 7} ${y + r * 1.15 + 9}l7-12 7 12z"/>`

export const placeholderPicture = html`<svg viewBox="0 0 800 300" preserveAspectRatio="xMidYMax slice" aria-hidden="true" focusable="false"><path class="line" d="M0 20Q400 84 800 20"/>${flags}${balloon(210, 140, 34, "b")}${balloon(268, 166, 28, "a")}${balloon(590, 150, 36, "c")}${balls}</svg>`
