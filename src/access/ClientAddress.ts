/** Who sends a request, as one canonical address, however the socket, a proxy or a setting spelled it. */
import { BlockList, isIP } from "node:net"

// With or without the port that some gateways add: `192.0.2.1:443`, `[2001:db8::1]`, `[2001:db8::1]:443`.
const bracketed = /^\[([0-9a-f:.]+(?:%[^\]]*)?)\](?::\d{1,5})?$/i
const withPort = /^([\d.]+):\d{1,5}$/
// RFC 4291, 2.5.5.2: the last 32 bits are an IPv4 address. A URL's host is written in this form only.
const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/

/** The longest spelling that is looked at: an IPv6 address with a zone and a port takes less. */
const longest = 100

/**
 * One spelling for an address: IPv4 in dots, also where it was mapped into IPv6 in either notation; IPv6 compressed, in lower case,
 * without its zone. A port is left out. Undefined where `text` is no address (leading zeros in IPv4 are none: some read them as
 * octal).
 */
export const canonicalAddress = (text: string): string | undefined => {
  if (isIP(text) === 4) return text
  if (text.length > longest) return undefined
  const bare = bracketed.exec(text)?.[1] ?? withPort.exec(text)?.[1] ?? text
  const [address = ""] = bare.split("%")
  const family = isIP(address)
  if (family !== 6) return family === 4 && bare === address ? address : undefined
  const host = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [, high, low] = mapped.exec(host) ?? []
  if (high === undefined || low === undefined) return host
  const [a, b] = [Number.parseInt(high, 16), Number.parseInt(low, 16)]
  return `${a >> 8}.${a & 255}.${b >> 8}.${b & 255}`
}

const familyOf = (address: string): "ipv4" | "ipv6" => (isIP(address) === 6 ? "ipv6" : "ipv4")
const mappedBits = 96

/** Whether a canonical address is one of the given addresses and networks (`10.0.0.0/8`). */
export const networks = (list: ReadonlyArray<string>): ((address: string) => boolean) => {
  if (list.length === 0) return () => false
  const block = new BlockList()
  for (const entry of list) {
    const [text = "", bits] = entry.split("/")
    const address = canonicalAddress(text) ?? text
    const family = familyOf(address)
    // `::ffff:10.0.0.0/104` is 10.0.0.0/8.
    const prefix = Number(bits) - (family === "ipv4" && text.includes(":") ? mappedBits : 0)
    if (bits === undefined) block.addAddress(address, family)
    else if (prefix >= 0) block.addSubnet(address, prefix, family)
  }
  return (address) => isIP(address) !== 0 && block.check(address, familyOf(address))
}

/** Most entries of `X-Forwarded-For` that are read, from the last: no service stands behind more proxies. */
const mostProxies = 16

/**
 * Who sends a request: the socket's own address, or, behind proxies that are trusted, the last address in `X-Forwarded-For` (its
 * lines joined with commas) that is not one of theirs. Earlier entries are what the sender wrote itself, and count for nothing. An
 * entry that is no address ends the search: the proxy that wrote it, or let it pass, is the sender then.
 */
export const clientAddress = (
  socket: string | undefined,
  forwardedFor: string | undefined,
  trusted: (address: string) => boolean
): string => {
  let address = canonicalAddress(socket ?? "") ?? "unknown"
  let end = forwardedFor?.length ?? 0
  for (let hop = 0; hop < mostProxies && end > 0 && trusted(address); hop++) {
    const comma = forwardedFor?.lastIndexOf(",", end - 1) ?? -1
    const entry = forwardedFor?.slice(comma + 1, end).trim() ?? ""
    end = comma
    // Lists may have empty entries (RFC 9110, 5.6.1).
    if (entry === "") continue
    const claim = canonicalAddress(entry)
    if (claim === undefined) break
    address = claim
  }
  return address
}

/** RFC 6052: IPv4 behind a translator, one host in the last 32 bits. */
const translated = "64:ff9b::"

/**
 * One bucket an IPv4 address, one a /64 network of IPv6, since every host has a whole one to choose addresses from.
 */
export const bucketOf = (sender: string): string => {
  const address = canonicalAddress(sender) ?? sender
  if (isIP(address) !== 6 || address.startsWith(translated)) return address
  const [head = "", tail = ""] = address.split("::")
  const groups = head === "" ? [] : head.split(":")
  const after = tail === "" ? [] : tail.split(":")
  const zeros = Array.from({ length: Math.max(0, 8 - groups.length - after.length) }, () => "0")
  return `${[...groups, ...zeros, ...after].slice(0, 4).join(":")}::/64`
}
