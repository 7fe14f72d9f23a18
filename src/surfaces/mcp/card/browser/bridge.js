/**
 * The card's side of MCP Apps: JSON-RPC 2.0 messages to and from the host's window.
 * https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx
 */
import { objectOf, textAt } from "./values.js"

/** In milliseconds. Hosts may ask the person before they forward a call. */
const requestTimeoutMs = 120_000

/**
 * @typedef {{
 *   readonly request: (method: string, params: object) => Promise<unknown>
 *   readonly notify: (method: string, params: object) => void
 * }} Host
 */

/**
 * Connects to the host. `listeners` receive its notifications by method. A request fails if the host refuses it or does
 * not answer.
 *
 * @param {Readonly<Record<string, (params: unknown) => void>>} listeners
 * @returns {Host}
 */
export const connectHost = (listeners) => {
  const host = window.parent
  /** @type {Map<number, { readonly resolve: (result: unknown) => void, readonly reject: (error: Error) => void }>} */
  const waiting = new Map()
  let lastId = 0

  /** @param {object} message */
  // The card does not know the host's origin, and its own is opaque. Nothing secret is sent.
  const post = (message) => host.postMessage({ jsonrpc: "2.0", ...message }, "*")

  /** @param {unknown} message */
  const answer = (message) => {
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
      /** @type {ReturnType<typeof setTimeout> | undefined} */
      let timer
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
