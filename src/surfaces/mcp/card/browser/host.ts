/**
 * The card's side of MCP Apps: JSON-RPC 2.0 messages to and from the host's window, and the host's look.
 * https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx
 */
import { numberAt, objectOf, textAt, valueAt } from "./answers.ts"

/** In milliseconds. Hosts may ask the person before they forward a call. */
const requestTimeoutMs = 120_000

type Host = {
  readonly request: (method: string, params: object) => Promise<unknown>
  readonly notify: (method: string, params: object) => void
}

/**
 * Connects to the host. `listeners` receive its notifications by method. A request fails if the host refuses it or
 * does not answer.
 */
export const connectHost = (listeners: Readonly<Record<string, (params: unknown) => void>>): Host => {
  const host = window.parent
  const waiting: Map<number, { readonly resolve: (result: unknown) => void; readonly reject: (error: Error) => void }> =
    new Map()
  let lastId = 0

  // The card does not know the host's origin, and its own is opaque. Nothing secret is sent.
  const post = (message: object) => host.postMessage({ jsonrpc: "2.0", ...message }, "*")

  const answer = (message: unknown) => {
    const { id, method } = objectOf(message)
    const known = method === "ping" || method === "ui/resource-teardown"
    post(known ? { id, result: {} } : { id, error: { code: -32_601, message: "Method not found" } })
  }

  window.addEventListener("message", ({ data, source }) => {
    const message = objectOf(data)
    if (source !== host || message["jsonrpc"] !== "2.0") return
    const { id, method } = message
    if (typeof method === "string") {
      if (id === undefined) listeners[method]?.(message["params"])
      else answer(message)
      return
    }
    const call = typeof id === "number" ? waiting.get(id) : undefined
    if ("error" in message) call?.reject(new Error(textAt(message, "error", "message")))
    else call?.resolve(message["result"])
  })

  return {
    notify: (method, params) => post({ method, params }),
    request: async (method, params) => {
      const id = ++lastId
      let timer: ReturnType<typeof setTimeout> | undefined
      try {
        return await new Promise((resolve, reject) => {
          waiting.set(id, { resolve, reject })
          timer = setTimeout(() => reject(new Error("No answer")), requestTimeoutMs)
          post({ id, method, params })
        })
      } finally {
        clearTimeout(timer)
        waiting.delete(id)
      }
    }
  }
}

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

/** Applies theme, colours, font and size of the host's context, which holds all changes so far. */
export const applyHostContext = (context: unknown) => {
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
