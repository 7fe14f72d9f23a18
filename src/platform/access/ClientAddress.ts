/**
 * The sender of a request as one canonical address, whatever the spelling in the socket, a proxy's header or a setting;
 * and what a port on this machine alone answers: requests that name this machine.
 */
import { Effect, Option, Result } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { IpNetwork, NetAddress } from "effect/net"
import { isLoopback } from "../text/Text.ts"

// With or without the port that some gateways add: `192.0.2.1:443`, `[2001:db8::1]`, `[2001:db8::1]:443`.
const bracketed = /^\[([0-9a-f:.]+(?:%[^\]]*)?)\](?::\d{1,5})?$/i
const withPort = /^([\d.]+):\d{1,5}$/
const zone = /(?<=:.*)%.*$/s

/** Longest accepted spelling: an IPv6 address with a zone and a port is shorter. */
const maxLength = 100

/** What was parsed last: the steps of a request ask for the same addresses, and a sender or proxy comes again. */
const parsed = new Map<string, Option.Option<NetAddress.IpAddress>>()
const maxParsed = 1024

/**
 * Parses an address with or without a port or a zone, which are dropped. IPv4 mapped into IPv6 becomes IPv4. None if it
 * is no address (nor is IPv4 with leading zeros: some read them as octal).
 */
export const ipAddressOf = (text: string): Option.Option<NetAddress.IpAddress> => {
  if (text.length > maxLength) return Option.none()
  const known = parsed.get(text)
  if (known !== undefined) return known
  const address = parse(text)
  if (parsed.size >= maxParsed) parsed.clear()
  parsed.set(text, address)
  return address
}

const parse = (text: string): Option.Option<NetAddress.IpAddress> => {
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

/** Limit of `X-Forwarded-For` entries that are read, from the last: no service is behind more proxies. */
const maxProxies = 16

/**
 * The sender of a request: the socket's address or, if that is a trusted proxy, the last untrusted address in
 * `X-Forwarded-For` (its lines joined with commas). The sender itself can write earlier entries, so they are ignored.
 * An invalid entry ends the search: then the sender is the proxy that wrote it or let it pass.
 */
export const clientAddress = (
  socket: string | undefined,
  forwardedFor: string | undefined,
  trusted: (address: NetAddress.IpAddress) => boolean
): string => {
  let address = ipAddressOf(socket ?? "")
  let end = forwardedFor?.length ?? 0
  for (let hop = 0; hop < maxProxies && end > 0 && Option.exists(address, trusted); hop++) {
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

/** The sender of a request, as `clientAddress` finds it behind these proxies (addresses and networks). */
export const senders = (trustedProxies: ReadonlyArray<string>) => {
  const trusted = networks(trustedProxies)
  return ({ headers, remoteAddress }: Pick<HttpServerRequest.HttpServerRequest, "headers" | "remoteAddress">): string =>
    clientAddress(Option.getOrUndefined(remoteAddress), headers["x-forwarded-for"], trusted)
}

/** NAT64 (RFC 6052): the last 32 bits identify one IPv4 host. */
const nat64Network = IpNetwork.fromStringUnsafe("64:ff9b::/96")

/** The network of an IPv6 address with this many leading segments; other addresses are their own. */
const networkAt = (sender: string, segments: number): string =>
  Option.match(ipAddressOf(sender), {
    onNone: () => sender,
    onSome: (address) => {
      if (NetAddress.isIpv4Address(address) || IpNetwork.contains(nat64Network, address))
        return NetAddress.formatIp(address)
      const kept = NetAddress.ipv6ToSegments(address).slice(0, segments)
      return `${kept.map((segment) => segment.toString(16)).join(":")}::/${16 * segments}`
    }
  })

/**
 * The rate limit bucket: one for each IPv4 address and for each /64 network of IPv6, as a host can use all addresses of
 * its /64.
 */
export const bucketOf = (sender: string): string => networkAt(sender, 4)

/** The IPv4 address, or the /48 network of IPv6: the most that one customer is commonly given. */
export const siteOf = (sender: string): string => networkAt(sender, 3)

// Which network addresses belong to the public internet: what a stranger may have this service ask.

/** IPv4, and the unicast addresses of the internet (https://www.iana.org/assignments/ipv6-address-space). */
const internet = ["0.0.0.0/0", "2000::/3"].map(IpNetwork.fromStringUnsafe)

/**
 * Networks among them that are not globally reachable (https://www.iana.org/assignments/iana-ipv4-special-registry,
 * https://www.iana.org/assignments/iana-ipv6-special-registry), multicast, and those that hold an IPv4 address that a
 * gateway would go on to.
 */
const special = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.31.196.0/24",
  "192.52.193.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "192.175.48.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
  "2001::/23",
  "2001:db8::/32",
  "2002::/16",
  "2620:4f:8000::/48",
  "3fff::/20"
].map(IpNetwork.fromStringUnsafe)

/** Whether an address, in whatever spelling, is one of the public internet. What is no address is not. */
export const isPublicAddress = (text: string): boolean =>
  Option.exists(ipAddressOf(text), (address) => {
    const holds = IpNetwork.contains(address)
    return internet.some(holds) && !special.some(holds)
  })

/** Whether a host of a URL may be on the public internet. A name is looked up when it is asked. */
export const isPublicHost = (host: string): boolean => {
  const address = host.replace(/^\[(.*)\]$/, "$1")
  return Option.isSome(ipAddressOf(address)) ? isPublicAddress(address) : host.includes(".") && !isLoopback(host)
}

/**
 * Refuses requests whose Host is another name than this machine's (421): the page of any site may lead a name of its
 * own to 127.0.0.1, and would read what the port answers.
 */
export const loopbackHosts = HttpRouter.middleware(
  (answer) =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers: { host = "" } }) =>
      isLoopback(URL.parse(`http://${host}`)?.hostname ?? "")
        ? answer
        : Effect.succeed(
            HttpServerResponse.text("This port is for this machine: ask for it as 127.0.0.1 or localhost.\n", {
              status: 421
            })
          )
    ),
  { global: true }
)
