/** Who sends a request, as one canonical address, however the socket, a proxy or a setting spelled it. */
import { Option, Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"

// With or without the port that some gateways add: `192.0.2.1:443`, `[2001:db8::1]`, `[2001:db8::1]:443`.
const bracketed = /^\[([0-9a-f:.]+(?:%[^\]]*)?)\](?::\d{1,5})?$/i
const withPort = /^([\d.]+):\d{1,5}$/
const zone = /(?<=:.*)%.*$/s

/** The longest spelling that is looked at: an IPv6 address with a zone and a port takes less. */
const longest = 100

/**
 * The address that `text` spells, with or without a port or a zone, neither of which counts. IPv4 mapped into IPv6 is
 * IPv4. None if it is no address (leading zeros in IPv4 are none: some read them as octal).
 */
export const ipAddressOf = (text: string): Option.Option<NetAddress.IpAddress> => {
  if (text.length > longest) return Option.none()
  const bare = bracketed.exec(text)?.[1] ?? withPort.exec(text)?.[1] ?? text
  return Option.map(Result.getSuccess(NetAddress.ipFromString(bare.replace(zone, ""))), (address) =>
    NetAddress.toCanonical(address)
  )
}

/** Networks are compared in IPv6: `10.0.0.0/8` is `::ffff:10.0.0.0/104`. */
const asIpv6 = (address: NetAddress.IpAddress): NetAddress.Ipv6Address =>
  NetAddress.isIpv4Address(address) ? NetAddress.toIpv4Mapped(address) : address

const networkOf = (entry: string): Option.Option<IpNetwork.Ipv6Network> => {
  const [text = "", bits] = entry.split("/")
  const prefix = bits === undefined ? 128 : Number(bits) + (text.includes(":") ? 0 : 96)
  return Option.flatMap(ipAddressOf(text), (address) =>
    Result.getSuccess(IpNetwork.fromAddress(asIpv6(address), prefix))
  )
}

/** Whether an address is one of the given addresses and networks (`10.0.0.0/8`). */
export const networks = (list: ReadonlyArray<string>): ((address: NetAddress.IpAddress) => boolean) => {
  const known = list.flatMap((entry) => Option.toArray(networkOf(entry)))
  return (address) => known.some(IpNetwork.contains(asIpv6(address)))
}

/** Most entries of `X-Forwarded-For` that are read, from the last: no service stands behind more proxies. */
const mostProxies = 16

/**
 * Who sends a request: the socket's own address, or, behind proxies that are trusted, the last address in
 * `X-Forwarded-For` (its lines joined with commas) that is not one of theirs. Earlier entries are what the sender wrote
 * itself, and count for nothing. An entry that is no address ends the search: the proxy that wrote it, or let it pass,
 * is the sender then.
 */
export const clientAddress = (
  socket: string | undefined,
  forwardedFor: string | undefined,
  trusted: (address: NetAddress.IpAddress) => boolean
): string => {
  let address = ipAddressOf(socket ?? "")
  let end = forwardedFor?.length ?? 0
  for (let hop = 0; hop < mostProxies && end > 0 && Option.exists(address, trusted); hop++) {
    const comma = forwardedFor?.lastIndexOf(",", end - 1) ?? -1
    const entry = forwardedFor?.slice(comma + 1, end).trim() ?? ""
    end = comma
    // Lists may have empty entries (RFC 9110, 5.6.1).
    if (entry === "") continue
    const claim = ipAddressOf(entry)
    if (Option.isNone(claim)) break
    address = claim
  }
  return Option.match(address, { onNone: () => "unknown", onSome: NetAddress.formatIp })
}

/** RFC 6052: IPv4 behind a translator, one host in the last 32 bits. */
const translated = IpNetwork.fromStringUnsafe("64:ff9b::/96")

/** One bucket an IPv4 address, one a /64 network of IPv6: every host has a whole one to choose addresses from. */
export const bucketOf = (sender: string): string =>
  Option.match(ipAddressOf(sender), {
    onNone: () => sender,
    onSome: (address) => {
      if (NetAddress.isIpv4Address(address) || IpNetwork.contains(translated, address))
        return NetAddress.formatIp(address)
      const segments = NetAddress.ipv6ToSegments(address).slice(0, 4)
      return `${segments.map((segment) => segment.toString(16)).join(":")}::/64`
    }
  })
