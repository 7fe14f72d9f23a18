/** Elements. Texts become text nodes only, so that markup in what operators wrote stays text. */

/** @typedef {string | Node | undefined} Child */

/**
 * @template {Element} E
 * @param {E} made
 * @param {Readonly<Record<string, string>>} attributes
 * @param {ReadonlyArray<Child>} children
 * @returns {E}
 */
const filled = (made, attributes, children) => {
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  made.append(...children.flatMap((child) => (child === undefined || child === "" ? [] : [child])))
  return made
}

/**
 * An HTML element. Children that are undefined or "" are left out.
 *
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Readonly<Record<string, string>>} attributes
 * @param {ReadonlyArray<Child>} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export const element = (tag, attributes = {}, ...children) => filled(document.createElement(tag), attributes, children)

/**
 * An SVG element.
 *
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Readonly<Record<string, string | number>>} attributes
 * @param {ReadonlyArray<Child>} children
 * @returns {SVGElementTagNameMap[Tag]}
 */
export const drawing = (tag, attributes = {}, ...children) =>
  filled(
    document.createElementNS("http://www.w3.org/2000/svg", tag),
    Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, String(value)])),
    children
  )

/**
 * A button with its action.
 *
 * @param {string} label
 * @param {"primary" | "secondary"} look
 * @param {() => void} onClick
 * @returns {HTMLButtonElement}
 */
export const button = (label, look, onClick) => {
  const made = element("button", { type: "button", class: look }, label)
  made.addEventListener("click", onClick)
  return made
}
