/** Makes the card look as its host does: theme, colours, font, room. */
import { numberAt, textAt, valueAt } from "./values.js"

/** The colours of hosts that the card uses. */
const colours = [
  "--color-background-primary",
  "--color-background-secondary",
  "--color-background-inverse",
  "--color-text-primary",
  "--color-text-secondary",
  "--color-text-inverse",
  "--color-text-danger",
  "--color-border-primary",
  "--color-ring-primary"
]

/** What else the card takes from hosts. Fonts are used where they are installed: loading one would be a request. */
const others = ["--font-sans", "--border-radius-md", "--border-radius-lg"]

/** The most pixels that the card is high; what is longer can be scrolled. */
const mostHeight = 500

/**
 * @param {unknown} context the host's context, with all changes so far
 */
export const applyHostContext = (context) => {
  const { style } = document.documentElement
  const theme = textAt(context, "theme")
  style.colorScheme = theme === "light" || theme === "dark" ? theme : "light dark"
  // A host that names some of the colours only gets the card's own: a mixture might be unreadable.
  const isComplete = colours.every((name) => textAt(context, "styles", "variables", name) !== "")
  for (const name of [...(isComplete ? colours : []), ...others]) {
    const value = textAt(context, "styles", "variables", name)
    if (value !== "" && !/url\(/i.test(value)) style.setProperty(name, value)
  }
  const room = valueAt(context, "containerDimensions")
  const height = numberAt(room, "height") || numberAt(room, "maxHeight") || mostHeight
  style.setProperty("--most-height", `${Math.min(height, mostHeight)}px`)
  for (const side of ["top", "right", "bottom", "left"]) {
    style.setProperty(`--inset-${side}`, `${numberAt(context, "safeAreaInsets", side)}px`)
  }
}
