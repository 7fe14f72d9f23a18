/**
 * Elements, and the drawing of a playroom. Texts become text nodes only, so that markup in what operators wrote stays
 * text.
 */

type Child = string | Node | undefined

const filled = <E extends Element>(
  made: E,
  attributes: Readonly<Record<string, string>>,
  children: ReadonlyArray<Child>
): E => {
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  made.append(...children.flatMap((child) => (child === undefined || child === "" ? [] : [child])))
  return made
}

/** An HTML element. Children that are undefined or "" are left out. */
export const element = <Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string>> = {},
  ...children: ReadonlyArray<Child>
): HTMLElementTagNameMap[Tag] => filled(document.createElement(tag), attributes, children)

/** An SVG element. */
const drawing = <Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string | number>> = {},
  ...children: ReadonlyArray<Child>
): SVGElementTagNameMap[Tag] =>
  filled(
    document.createElementNS("http://www.w3.org/2000/svg", tag),
    Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, String(value)])),
    children
  )

/** A button with its action. */
export const button = (label: string, look: "primary" | "secondary", onClick: () => void): HTMLButtonElement => {
  const made = element("button", { type: "button", class: look }, label)
  made.addEventListener("click", onClick)
  return made
}

/**
 * Pseudo-random numbers from 0 to 1, seeded by a text (FNV-1a, then a linear congruential generator): each playroom
 * keeps its drawing.
 */
const numbersFrom = (text: string): (() => number) => {
  let state = 0x811c9dc5
  for (const character of text) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 0x01000193)
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Flags on a line from edge to edge. */
const bunting = () =>
  drawing(
    "g",
    {},
    drawing("path", { d: "M94 6Q158 28 222 6", class: "line" }),
    ...[102, 126, 150, 174, 198].map((x, i) =>
      drawing("path", { d: `M${x} ${8 + 8 * Math.sin((i * Math.PI) / 4)}h16l-8 14z`, class: `paint${i % 3}` })
    )
  )

/** The centre of the drawing is one of these. */
const toys = [
  // A tower with a slide.
  () =>
    drawing(
      "g",
      {},
      drawing("path", { d: "M166 62Q146 64 134 92T104 110", class: "slide" }),
      drawing("rect", { x: 160, y: 50, width: 38, height: 64, rx: 4, class: "paint0" }),
      drawing("path", { d: "M154 52L179 28L204 52z", class: "paint1" }),
      drawing("rect", { x: 172, y: 61, width: 14, height: 16, rx: 7, class: "hole" })
    ),
  // A castle.
  () =>
    drawing(
      "g",
      {},
      drawing("path", { d: "M118 114V56h12v8h12v-8h12v8h12v-8h12v8h12v-8h12v58z", class: "paint0" }),
      drawing("path", { d: "M104 114V64l12-18l12 18v50zM192 114V64l12-18l12 18v50z", class: "paint1" }),
      drawing("path", { d: "M148 114V94a12 12 0 0 1 24 0v20z", class: "hole" })
    ),
  // Arches to crawl through.
  () =>
    drawing(
      "g",
      {},
      drawing("path", { d: "M104 114V92a52 52 0 0 1 104 0v22z", class: "paint2" }),
      drawing("path", { d: "M120 114V94a36 36 0 0 1 72 0v20z", class: "paint0" }),
      drawing("path", { d: "M138 114V98a18 18 0 0 1 36 0v16z", class: "hole" })
    ),
  // Building blocks.
  () =>
    drawing(
      "g",
      {},
      drawing("rect", { x: 112, y: 78, width: 36, height: 36, rx: 5, class: "paint0" }),
      drawing("rect", { x: 152, y: 78, width: 36, height: 36, rx: 5, class: "paint1" }),
      drawing("rect", { x: 132, y: 38, width: 36, height: 36, rx: 5, class: "paint2" }),
      drawing("circle", { cx: 210, cy: 98, r: 16, class: "paint0" })
    )
]

/** The drawing for a playroom's name. It is decorative: the name is shown next to it. */
export const pictureOf = (name: string): SVGSVGElement => {
  const next = numbersFrom(name)
  const hue = Math.floor(next() * 360)
  const toy = toys[Math.floor(next() * toys.length)] ?? bunting
  const balls = Array.from({ length: 7 }, (_, i) =>
    drawing("circle", {
      cx: Math.round(100 + i * 18 + next() * 10),
      cy: Math.round(114 + next() * 8),
      r: Math.round(6 + next() * 4),
      class: `paint${Math.floor(next() * 3)}`
    })
  )
  return drawing(
    "svg",
    { viewBox: "98 2 120 120", "aria-hidden": "true", style: `--hue:${hue}` },
    drawing("rect", { width: 320, height: 124, class: "sky" }),
    drawing("circle", { cx: Math.round(112 + next() * 90), cy: 46, r: 15, class: "sun" }),
    drawing("path", { d: "M0 124V92Q70 62 150 88T320 80V124z", class: "hill" }),
    bunting(),
    toy(),
    drawing("path", { d: "M0 124V110Q160 100 320 112V124z", class: "grass" }),
    ...balls
  )
}
