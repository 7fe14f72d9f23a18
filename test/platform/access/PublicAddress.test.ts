import { assert, describe, it } from "@effect/vitest"
import { isPublicAddress, isPublicHost } from "../../../src/platform/access/ClientAddress.ts"

describe("an address of the public internet", () => {
  it("is none of this machine, of private networks, or for special use, however it is spelled", () => {
    for (const address of [
      "0.0.0.0",
      "10.1.2.3",
      "100.64.0.1",
      "100.127.255.255",
      "127.0.0.1",
      "127.255.255.254",
      "169.254.169.254",
      "172.16.0.1",
      "172.31.255.255",
      "192.0.0.8",
      "192.0.2.1",
      "192.88.99.1",
      "192.168.1.1",
      "198.18.0.1",
      "198.51.100.7",
      "203.0.113.9",
      "224.0.0.1",
      "255.255.255.255",
      "::",
      "::1",
      "::ffff:10.0.0.1",
      "::ffff:7f00:1",
      "0:0:0:0:0:ffff:127.0.0.1",
      "::127.0.0.1",
      "64:ff9b::7f00:1",
      "64:ff9b:1::1",
      "100::1",
      "2001::1",
      "2001:db8::1",
      "2002:7f00:1::",
      "3fff::1",
      "5f00::1",
      "fc00::1",
      "fd12:3456::1",
      "fe80::1",
      "fe80::1%eth0",
      "fec0::1",
      "ff02::1"
    ])
      assert.isFalse(isPublicAddress(address), address)
  })

  it("is all else", () => {
    for (const address of [
      "1.1.1.1",
      "8.8.8.8",
      "100.63.255.255",
      "100.128.0.0",
      "172.32.0.1",
      "2606:4700::1111",
      "2a00::1"
    ])
      assert.isTrue(isPublicAddress(address), address)
  })

  it("is not what is no address", () => {
    for (const text of ["", "localhost", "0177.0.0.1", "1", "0x7f000001", "example.com", "1.1.1"])
      assert.isFalse(isPublicAddress(text), text)
  })

  it("S9: is no host of a calendar if it is this machine's or a local network's", () => {
    for (const host of ["127.0.0.1", "[::1]", "10.1.2.3", "169.254.169.254", "localhost", "a.localhost", "printer"])
      assert.isFalse(isPublicHost(host), host)
    for (const host of ["calendar.example.com", "8.8.8.8", "[2606:4700::1]", "xn--r8jz45g.jp"])
      assert.isTrue(isPublicHost(host), host)
  })
})
