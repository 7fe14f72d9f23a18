/**
 * Web addresses that other programs read, too. Programs parse an irregular address differently:
 * `http://localhost:1\@evil.example/` is on localhost for a browser, and on evil.example for others. So an address is
 * accepted only if all parsers agree.
 */

// Characters that parsers drop, turn into a slash or don't show: controls, invisible ones, lone surrogates, spaces.
const irregular = /[\p{C}\p{Z}\\]/u
// A scheme, a host in letters, digits, dots or brackets, a port. No user name before an @, no escapes.
const plain = /^https?:\/\/[a-z0-9.:[\]_-]+(?:[/?#]|$)/i

/** The URL; undefined unless `text` is `http(s)://host[:port]…` that every parser reads the same. */
export const webAddress = (text: string): URL | undefined =>
  plain.test(text) && !irregular.test(text) ? (URL.parse(text) ?? undefined) : undefined

/** Whether a host of a URL or a listener is this machine (RFC 6761, 6.3; RFC 5735). */
export const isLoopback = (host: string): boolean => {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, "$1")
  return /^(?:.+\.)?localhost\.?$/.test(name) || name === "::1" || /^127(?:\.\d{1,3}){3}$/.test(name)
}
