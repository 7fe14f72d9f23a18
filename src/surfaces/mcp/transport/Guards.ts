/**
 * Which hosts and origins may reach `/mcp`. Prevents DNS rebinding and calls by foreign web pages. Requests without
 * `Origin` do not come from a browser and pass.
 */
import type { Settings } from "../../../platform/config/AppConfig.ts"
import { credentialHeaders } from "../../../platform/access/Authentication.ts"
import { mcpMethods } from "../../http/McpApi.ts"
import { isLoopback } from "../../../platform/text/Text.ts"

type HeadersIn = Readonly<Record<string, string | undefined>>

/** The guard's verdict on a request: response headers, or the reason of the refusal. */
type Verdict =
  | { readonly allowed: true; readonly headers: Readonly<Record<string, string>> }
  | { readonly allowed: false; readonly why: string }

const loopbackNames = new Set(["localhost", "127.0.0.1", "[::1]"])

// The headers that browser clients send. Other mcp-* headers are allowed if a preflight asks for them.
const requestHeaders = [
  "accept",
  "content-type",
  ...credentialHeaders.map((name) => name.toLowerCase()),
  "mcp-protocol-version",
  "mcp-method",
  "mcp-name",
  "mcp-session-id",
  "last-event-id",
  "traceparent",
  "tracestate"
]

const noHeaders: Readonly<Record<string, string>> = {}

/** The CORS headers for an allowed origin. */
const corsHeaders = (origin: string, exposed: string): Readonly<Record<string, string>> => ({
  "access-control-allow-origin": origin,
  "access-control-expose-headers": exposed,
  vary: "origin"
})

/** The headers of the response to a preflight (204). */
export const preflightHeaders = (asked: string | undefined): Readonly<Record<string, string>> => {
  const extra = (asked ?? "")
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => /^mcp-[a-z0-9-]{1,60}$/.test(name) && !requestHeaders.includes(name))
    .slice(0, 20)
  return {
    allow: mcpMethods,
    "access-control-allow-methods": mcpMethods,
    "access-control-allow-headers": [...requestHeaders, ...extra].join(", "),
    "access-control-max-age": "7200"
  }
}

/**
 * Makes the guard for these settings. `exposed` lists the response headers that pages may read. `allowedHosts` entries
 * without a port match any port. If the listener is on loopback, pages of any local port pass, since tools like the
 * Inspector run there.
 */
export const makeGuard = (
  settings: Pick<Settings, "allowedHosts" | "allowedOrigins" | "host">,
  exposed = "mcp-protocol-version, retry-after"
): ((headers: HeadersIn) => Verdict) => {
  const hosts = new Set(settings.allowedHosts.map((host) => host.toLowerCase()))
  const origins = new Set(settings.allowedOrigins)
  const local = isLoopback(settings.host)
  const knownHosts = new Map<string, boolean>()

  const hostAllowed = (host: string): boolean => {
    const known = knownHosts.get(host)
    if (known !== undefined) return known
    const url = URL.parse(`http://${host}`)
    const allowed = url !== null && url.pathname === "/" && (hosts.has(host.toLowerCase()) || hosts.has(url.hostname))
    if (knownHosts.size < 1000) knownHosts.set(host, allowed)
    return allowed
  }

  const originAllowed = (origin: string): boolean => {
    if (origins.has(origin)) return true
    const url = local ? URL.parse(origin) : null
    return url !== null && url.origin === origin && loopbackNames.has(url.hostname)
  }

  return (headers) => {
    const { host, origin } = headers
    if (host === undefined || !hostAllowed(host))
      return { allowed: false, why: "The Host header names no host of this service" }
    if (origin === undefined) return { allowed: true, headers: noHeaders }
    if (!originAllowed(origin)) return { allowed: false, why: "The Origin is not allowed" }
    return { allowed: true, headers: corsHeaders(origin, exposed) }
  }
}
