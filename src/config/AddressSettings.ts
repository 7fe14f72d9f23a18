/**
 * Settings of addresses: where the service listens, which hosts and origins it accepts, and where payers may return to.
 */
import { bareOrigin, hostInUrl, isHostName, isNetwork, type Reader, readBaseUrl, readList } from "./AppConfigRules.ts"
import { isLoopback } from "../kernel/WebAddress.ts"

export interface Addresses {
  readonly port: number
  readonly host: string
  /** The public address, without a slash at the end. */
  readonly baseUrl: string
  /** Host names (with or without port) and origins that requests may use. */
  readonly allowedHosts: ReadonlyArray<string>
  readonly allowedOrigins: ReadonlyArray<string>
  /** Addresses of proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: ReadonlyArray<string>
  /** The settings that make the service reachable from other machines; empty if it is local. */
  readonly reachableBy: ReadonlyArray<"HOST" | "BASE_URL" | "ALLOWED_HOSTS">
}

export const port = { min: 1, max: 65_535 }

const ownOrigins = (listener: number): ReadonlyArray<string> =>
  ["localhost", "127.0.0.1", "[::1]"].map((name) => `http://${name}:${listener}`)

const isLocalHost = (entry: string): boolean => isLoopback(new URL(`http://${entry}/`).hostname)

export const readAddresses = (read: Reader, production: boolean): Addresses => {
  const listener = read.int("PORT", port) ?? 3000
  const host = read.text("HOST") ?? "127.0.0.1"
  if (!isHostName(hostInUrl(host)))
    read.fault(`HOST must be an address or a host name to listen on, and is ${JSON.stringify(host)}.`)
  if (production && read.text("BASE_URL") === undefined) {
    read.fault(
      "With NODE_ENV=production BASE_URL is needed, like https://book.example.com: payers are sent back there."
    )
  }
  const baseUrl = readBaseUrl(read, listener)
  const baseHost = baseUrl === "" ? undefined : new URL(baseUrl).hostname
  const wildcard = host === "0.0.0.0" || host === "::"
  const own = [...(wildcard ? [] : [hostInUrl(host)]), ...(baseHost === undefined ? [] : [baseHost])]
  const allowedHosts = readList(
    read,
    "ALLOWED_HOSTS",
    ["localhost", "127.0.0.1", "[::1]", ...own],
    (entry) => (isHostName(entry) ? entry.toLowerCase() : undefined),
    "host names"
  )
  const given = read.list("ALLOWED_HOSTS").filter(isHostName)
  return {
    port: listener,
    host,
    baseUrl,
    allowedHosts,
    allowedOrigins: readList(
      read,
      "ALLOWED_ORIGINS",
      [...(baseUrl === "" ? [] : [baseUrl]), ...ownOrigins(listener)],
      bareOrigin,
      "origins, like https://app.example.com"
    ),
    trustedProxies: readList(
      read,
      "TRUSTED_PROXIES",
      [],
      (entry) => (isNetwork(entry) ? entry : undefined),
      "IP addresses or networks, like 10.0.0.0/8"
    ),
    reachableBy: [
      ...(isLoopback(host) ? [] : ["HOST" as const]),
      ...(baseHost === undefined || isLoopback(baseHost) ? [] : ["BASE_URL" as const]),
      ...(given.every(isLocalHost) ? [] : ["ALLOWED_HOSTS" as const])
    ]
  }
}

/** Ways to sign in at `/mcp/connect`: with an API key, or as a guest without one. */
export type SignIn = "key" | "guest"

/**
 * When hosts are asked to sign in at `/mcp/connect`: at the first call that needs it, or at their first request. Some
 * hosts sign in only at their first request.
 */
export type SignInAsked = (typeof signInAsked)[number]
export const signInAsked = ["needed", "first"] as const

const isSignIn = (text: string): text is SignIn => text === "key" || text === "guest"

/**
 * `CONNECT`: the ways to sign in at `/mcp/connect`; if empty, there is no such address. Authorization servers need TLS
 * (RFC 8414, 3), except on this machine.
 */
export const readConnect = (read: Reader, baseUrl: string): ReadonlyArray<SignIn> => {
  const ways = readList(
    read,
    "CONNECT",
    [],
    (entry) => (isSignIn(entry.toLowerCase()) ? entry.toLowerCase() : undefined),
    "key, guest, or both"
  ).filter(isSignIn)
  if (ways.length > 0 && baseUrl !== "") {
    const { hostname, protocol } = new URL(baseUrl)
    if (protocol !== "https:" && !isLoopback(hostname))
      read.fault(`CONNECT needs an https BASE_URL, or one of this machine, and it is ${baseUrl}.`)
  }
  return ways
}

/**
 * Where payers may be sent back to: `BASE_URL` and `RETURN_URL_ORIGINS`. Loopback addresses are included only while the
 * service is local: elsewhere a payer would land on whatever listens on their own machine. Live payments return to
 * https addresses only, as the provider demands (https://docs.stripe.com/api/checkout/sessions/create).
 */
export const readReturnOrigins = (
  read: Reader,
  { baseUrl, port, reachableBy }: Addresses,
  mode: { readonly production: boolean; readonly livemode: boolean }
): ReadonlyArray<string> => {
  const local = !mode.production && !mode.livemode && reachableBy.length === 0
  const origins = readList(
    read,
    "RETURN_URL_ORIGINS",
    [...(baseUrl === "" ? [] : [baseUrl]), ...(local ? ownOrigins(port) : [])],
    bareOrigin,
    "origins, like https://app.example.com"
  )
  for (const origin of origins.filter((one) => one !== baseUrl)) {
    const { hostname, protocol } = new URL(origin)
    if (!local && isLoopback(hostname)) {
      read.fault(`RETURN_URL_ORIGINS holds ${origin}: payers are elsewhere, so list addresses that they can reach.`)
    } else if (mode.livemode && protocol !== "https:") {
      read.fault(`RETURN_URL_ORIGINS holds ${origin}: with a live key payers return to https addresses only.`)
    }
  }
  const missing = mode.production && read.text("BASE_URL") === undefined
  if (mode.livemode && baseUrl.startsWith("http:") && !missing) {
    read.fault(`STRIPE_SECRET_KEY is a live key, so BASE_URL must be an https address, and is ${baseUrl}.`)
  }
  return origins
}
