/** Applies the host's look: theme, colours, font, size. */
import { numberAt, textAt, valueAt } from "./values.js"

/** Host colours that the card uses. */
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

/** Other host variables. Fonts must be installed, since the card loads nothing. */
const others = ["--font-sans", "--border-radius-md", "--border-radius-lg"]

/** In pixels. Longer content scrolls. */
const cardHeight = 500

/**
 * @param {unknown} context the host's context, with all changes so far
 */
export const applyHostContext = (context) => {
  const { style } = document.documentElement
  const theme = textAt(context, "theme")
  style.colorScheme = theme === "light" || theme === "dark" ? theme : "light dark"
  // If a host sets only some colours, keep the card's own: a mixture might be unreadable.
  const isComplete = colours.every((name) => textAt(context, "styles", "variables", name) !== "")
  for (const name of [...(isComplete ? colours : []), ...others]) {
    const value = textAt(context, "styles", "variables", name)
    if (value !== "" && !/url\(/i.test(value)) style.setProperty(name, value)
  }
  const room = valueAt(context, "containerDimensions")
  const height = numberAt(room, "height") || numberAt(room, "maxHeight") || cardHeight
  style.setProperty("--most-height", `${Math.min(height, cardHeight)}px`)
  for (const side of ["top", "right", "bottom", "left"]) {
    style.setProperty(`--inset-${side}`, `${numberAt(context, "safeAreaInsets", side)}px`)
  }
}
