/**
 * Web addresses that other programs will read too. Programs read an irregular address in different ways: for a browser
 * `http://localhost:1\@evil.example/` is a page of localhost, for others a page of evil.example. So an address is accepted only where
 * all parsers agree.
 */

// What parsers drop, turn into a slash, or show as nothing: controls, invisible characters, halves of characters, spaces.
const irregular = /[\p{C}\p{Z}\\]/u
// The scheme, two slashes, a host in plain letters, digits, dots or brackets, a port: no name before an @, no escapes.
const plain = /^https?:\/\/[a-z0-9.:[\]_-]+(?:[/?#]|$)/i

/** The address; undefined unless `text` is `http(s)://host[:port]…` that every parser reads alike. */
export const webAddress = (text: string): URL | undefined =>
  plain.test(text) && !irregular.test(text) ? (URL.parse(text) ?? undefined) : undefined

/** Whether a host, as a URL or a listener names it, is this machine (RFC 6761, 6.3; RFC 5735). */
export const isLoopback = (host: string): boolean => {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, "$1")
  return /^(?:.+\.)?localhost\.?$/.test(name) || name === "::1" || /^127(?:\.\d{1,3}){3}$/.test(name)
}
