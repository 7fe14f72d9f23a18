/** Renders the card: picture, headings, notice, the view's body and actions. */
import { element } from "./elements.js"
import { pictureOf } from "./picture.js"

/**
 * A notice above the view. `copy` is text for the person to copy.
 *
 * @typedef {{
 *   readonly text: string
 *   readonly isFault: boolean
 *   readonly copy?: string
 * }} Notice
 */

/** @param {Notice} notice */
const noticeBox = ({ copy, isFault, text }) =>
  element(
    "div",
    { class: isFault ? "notice wrong" : "notice" },
    element("p", {}, text),
    copy === undefined ? undefined : element("code", {}, copy)
  )

/** Identifies an element across renders. @param {Element} of */
const keyOf = (of) => of.id || of.getAttribute("value") || of.textContent

/**
 * Replaces the content of `main`. Keeps the focus if its element still exists.
 *
 * @param {HTMLElement} main
 * @param {{
 *   readonly playroomName: string
 *   readonly notice: Notice | undefined
 *   readonly view: import("./views.js").View
 * }} content
 *   `playroomName` is "" if unknown
 * @param {boolean} movesFocus whether the view gets the focus
 */
export const writePage = (main, { notice, playroomName, view }, movesFocus) => {
  const before = document.activeElement
  const focused = before !== null && main.contains(before) ? keyOf(before) : undefined
  const { actions, focus, heading } = view
  const title = element("h1", { tabindex: "-1" }, playroomName || heading)
  const body = element("div", { class: "body" }, notice === undefined ? undefined : noticeBox(notice), ...view.body)
  main.replaceChildren(
    ...(playroomName === "" ? [] : [pictureOf(playroomName)]),
    element("header", {}, title, playroomName === "" ? undefined : element("p", { class: "state" }, heading)),
    body,
    ...(actions.length === 0 ? [] : [element("div", { class: "actions" }, ...actions)])
  )
  // Scrollable content must be reachable by keyboard.
  if (body.scrollHeight > body.clientHeight) {
    body.setAttribute("tabindex", "0")
    body.setAttribute("role", "group")
    body.setAttribute("aria-label", heading)
  }
  if (movesFocus) return (focus ?? title).focus()
  if (focused === undefined) return
  const same = [...main.querySelectorAll("button, input")].find((one) => keyOf(one) === focused)
  if (same instanceof HTMLElement) same.focus()
  else title.focus()
}
