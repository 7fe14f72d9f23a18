/** Which network addresses belong to the public internet: what a stranger may have this service ask. */
import { Option } from "effect"
import { IpNetwork } from "effect/net"
import { ipAddressOf } from "./ClientAddress.ts"

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
