import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import { NetAddress } from "effect/net"
import * as fc from "fast-check"
import { bucketOf, clientAddress, ipAddressOf, networks } from "../../../src/platform/access/ClientAddress.ts"

const canonicalAddress = (text: string): string | undefined =>
  Option.getOrUndefined(Option.map(ipAddressOf(text), NetAddress.formatIp))

describe("addresses", () => {
  const trusted = networks(["10.0.0.0/8", "::1", "192.0.2.7"])

  it("are the socket's, whatever X-Forwarded-For claims, unless the socket is a trusted proxy's", () => {
    assert.strictEqual(clientAddress("203.0.113.9", "1.2.3.4", trusted), "203.0.113.9")
    assert.strictEqual(clientAddress("10.1.2.3", "1.2.3.4", trusted), "1.2.3.4")
    assert.strictEqual(clientAddress("::ffff:10.1.2.3", "1.2.3.4", trusted), "1.2.3.4")
    assert.strictEqual(clientAddress("10.1.2.3", "6.6.6.6, 1.2.3.4, 192.0.2.7", trusted), "1.2.3.4")
    assert.strictEqual(clientAddress("10.1.2.3", "nonsense", trusted), "10.1.2.3")
    assert.strictEqual(clientAddress("10.1.2.3", undefined, trusted), "10.1.2.3")
    assert.strictEqual(clientAddress(undefined, "1.2.3.4", trusted), "unknown")
  })

  it("of IPv6 count by their /64 network", () => {
    assert.strictEqual(bucketOf("203.0.113.9"), "203.0.113.9")
    assert.strictEqual(bucketOf("2001:db8:1:2:3:4:5:6"), bucketOf("2001:0db8:0001:0002::1"))
    assert.notStrictEqual(bucketOf("2001:db8:1:2::1"), bucketOf("2001:db8:1:3::1"))
    assert.strictEqual(bucketOf("fe80::1%eth0"), "fe80:0:0:0::/64")
    assert.strictEqual(bucketOf("::1"), "0:0:0:0::/64")
  })

  it("are one address however a proxy or a socket spells them: with a port, in brackets, mapped, long, in upper case, with a zone", () => {
    const spellings: Readonly<Record<string, ReadonlyArray<string>>> = {
      "9.9.9.2": [
        "9.9.9.2",
        "9.9.9.2:5678",
        "::ffff:9.9.9.2",
        "::FFFF:909:902",
        "0:0:0:0:0:ffff:0909:0902",
        "[::ffff:9.9.9.2]:443",
        "[::ffff:909:902]"
      ],
      "2001:db8::1": [
        "2001:db8::1",
        "2001:DB8::1",
        "2001:0db8:0000:0000:0000:0000:0000:0001",
        "[2001:db8::1]",
        "[2001:db8::1]:443",
        "2001:db8::1%eth0",
        "[2001:db8::1%25eth0]:443"
      ],
      "203.0.113.7": ["203.0.113.7:0", "203.0.113.7:65535"]
    }
    for (const [address, ways] of Object.entries(spellings)) {
      for (const way of ways) {
        assert.strictEqual(canonicalAddress(way), address, way)
        assert.strictEqual(clientAddress("10.1.2.3", way, trusted), address, way)
        assert.strictEqual(bucketOf(way), bucketOf(address), way)
      }
    }
  })

  it("that are none are not believed: the proxy is the sender then", () => {
    const junk = [
      "unknown",
      "_hidden",
      "for=1.2.3.4",
      'for="[2001:db8::1]:443"',
      "1.2.3.4;proto=https",
      "01.2.3.4",
      "1.2.3",
      "1.2.3.4:",
      "1.2.3.4:123456",
      "1.2.3.4%eth0",
      "[1.2.3.4",
      "2001:db8::1]:443",
      "0x7f000001",
      "2130706433",
      "localhost",
      `${"0".repeat(5000)}::1`,
      "::1%" + "a".repeat(5000)
    ]
    for (const entry of junk) {
      assert.isUndefined(canonicalAddress(entry), entry)
      assert.strictEqual(clientAddress("10.1.2.3", `6.6.6.6, ${entry}`, trusted), "10.1.2.3", entry)
    }
  })

  it("are found behind proxies that are trusted in any spelling, over several lines and past empty entries", () => {
    const spelled = networks(["::ffff:10.0.0.0/104", "::FFFF:192.0.2.7", "2001:0DB8:1::/48", "fe80::1%eth0"])
    for (const proxy of ["10.9.9.9", "192.0.2.7", "2001:db8:1::9", "fe80::1%eth1"]) {
      assert.strictEqual(clientAddress(proxy, "6.6.6.6, 1.2.3.4", spelled), "1.2.3.4", proxy)
    }
    // HTTP joins several lines of a header with commas.
    assert.strictEqual(clientAddress("10.1.2.3", "6.6.6.6, 1.2.3.4:99, , 10.4.4.4:80,", trusted), "1.2.3.4")
  })

  it("are looked for past sixteen proxies at most, however long the header is", () => {
    const proxies = (n: number) => `1.2.3.4${",10.0.0.1".repeat(n)}`
    assert.strictEqual(clientAddress("10.1.2.3", proxies(15), trusted), "1.2.3.4")
    assert.strictEqual(clientAddress("10.1.2.3", proxies(100_000), trusted), "10.0.0.1")
    assert.strictEqual(clientAddress("10.1.2.3", ",".repeat(100_000), trusted), "10.1.2.3")
  })

  it("keep their value when read again, and a network of IPv6 its bucket", () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
        const address = canonicalAddress(text)
        assert.isDefined(address)
        assert.strictEqual(canonicalAddress(address ?? ""), address)
        assert.strictEqual(canonicalAddress((address ?? "").toUpperCase()), address)
        assert.strictEqual(bucketOf(address ?? ""), bucketOf(text))
      })
    )
  })

  it("of IPv4 hosts behind a translator to IPv6 have a bucket each", () => {
    assert.notStrictEqual(bucketOf("64:ff9b::9.9.9.2"), bucketOf("64:ff9b::9.9.9.3"))
  })
})
