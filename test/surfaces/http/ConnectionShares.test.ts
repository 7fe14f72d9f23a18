import { assert, describe, it } from "@effect/vitest"
import { IncomingMessage, ServerResponse } from "node:http"
import { Socket } from "node:net"
import { bucketOf, siteOf } from "../../../src/platform/access/ClientAddress.ts"
import { type Connection, ConnectionShares } from "../../../src/surfaces/http/ConnectionShares.ts"

const connectionOf = (address: string, proxied = false): Connection => ({
  socket: new Socket(),
  address,
  sender: { key: bucketOf(address), site: siteOf(address) },
  proxied,
  exchanges: [],
  requestsLeft: 1,
  surplus: false
})

/** Enters this many of an address; answers them with what went for them. */
const enter = (shares: ConnectionShares, address: (n: number) => string, count: number, proxied = false) => {
  const entered = Array.from({ length: count }, (_, n) => connectionOf(address(n), proxied))
  return { entered, ended: entered.flatMap((connection) => shares.enter(connection) ?? []) }
}

/** The same connections: compared one by one, as they hold sockets. */
const same = (found: ReadonlyArray<Connection | undefined>, expected: ReadonlyArray<Connection>) => {
  assert.lengthOf(found, expected.length)
  for (const [n, connection] of expected.entries()) assert.isTrue(found[n] === connection, `the connection ${n}`)
}

/** Its request is complete and in work. */
const work = (shares: ConnectionShares, connection: Connection) => {
  const request = new IncomingMessage(connection.socket)
  request.complete = true
  const response = new ServerResponse(request)
  const turn = { end: () => undefined, waits: () => false }
  connection.exchanges.push({
    request,
    response,
    readBefore: 0,
    begin: () => undefined,
    turn,
    place: undefined,
    unreadSince: undefined
  })
  shares.busy(connection)
}

/** Shares on a clock that only `pass` moves. */
const onClock = (limit: number) => {
  let now = 0
  const shares = new ConnectionShares(limit, () => now)
  return { shares, pass: (ms: number) => void (now += ms) }
}

describe("without room a newcomer's place", () => {
  it("is that of the oldest idle connection of whoever has the most, by /48 and by /64", () => {
    const { pass, shares } = onClock(1000)
    const neighbours = enter(shares, (n) => `2001:db8:1:${n.toString(16)}::1`, 150)
    const flood = enter(shares, () => "2001:db8:1:ffff::1", 850)
    const lone = connectionOf("192.0.2.1")
    same([shares.enter(lone)], flood.entered.slice(0, 1))
    // The same site goes on: its own makes place, not others'.
    pass(1000)
    same(enter(shares, () => "2001:db8:1:ffff::2", 2).ended, flood.entered.slice(1, 3))
    same([...neighbours.ended, ...flood.ended], [])
  })

  it("is not that of a connection in work; a sender that is all at work makes place for nobody else's cost", () => {
    const { pass, shares } = onClock(200)
    const honest = enter(shares, () => "192.0.2.1", 50)
    const flood = enter(shares, () => "192.0.2.2", 150)
    for (const connection of flood.entered.slice(1)) work(shares, connection)
    same([shares.enter(connectionOf("192.0.2.3"))], flood.entered.slice(0, 1))
    const more = connectionOf("192.0.2.2")
    assert.isUndefined(shares.enter(more))
    assert.isTrue(more.surplus)
    // A newcomer elsewhere takes the place of an idle one of the next.
    pass(1000)
    same([shares.enter(connectionOf("192.0.2.4"))], honest.entered.slice(0, 1))
  })

  it("is the oldest of all where 10,000 addresses have one each: a pool that is used stays", () => {
    const { pass, shares } = onClock(5000)
    const pool = enter(shares, () => "192.0.2.1", 30)
    const ended = new Set<Connection>()
    for (let n = 0; n < 10_000; n++) {
      const one = shares.enter(connectionOf(`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`))
      if (one !== undefined) ended.add(one)
      pass(1)
      if (n % 1000 !== 0) continue
      for (const connection of pool.entered) {
        shares.busy(connection)
        shares.idle(connection)
      }
    }
    assert.isFalse(pool.entered.some((connection) => ended.has(connection)))
    assert.strictEqual(shares.size, 5000)
  })

  it("is never a proxy's while others have many; a proxy's newcomer finds a place among all, at last its own", () => {
    const { pass, shares } = onClock(100)
    const proxy = enter(shares, () => "10.0.0.1", 60, true)
    const flood = enter(shares, () => "192.0.2.2", 40)
    pass(1000)
    same(enter(shares, () => "192.0.2.2", 5).ended, flood.entered.slice(0, 5))
    pass(1000)
    const later = enter(shares, () => "10.0.0.1", 45, true)
    same(later.ended.slice(0, 35), flood.entered.slice(5))
    assert.lengthOf(later.ended, 45)
    same(later.ended.slice(40), proxy.entered.slice(0, 5))
    same([shares.enter(connectionOf("192.0.2.3"))], proxy.entered.slice(5, 6))
  })

  it("is not one that was in use a moment ago, of a proxy, of its own sender, or where nobody has many", () => {
    for (const [address, proxied] of [
      [() => "10.0.0.1", true],
      [() => "192.0.2.1", false],
      [(n: number) => `192.0.2.${n}`, false]
    ] as const) {
      const { pass, shares } = onClock(100)
      const [first, second, ...others] = enter(shares, address, 100, proxied).entered
      pass(999)
      const newcomer = connectionOf(address(100), proxied)
      assert.isUndefined(shares.enter(newcomer))
      assert.isTrue(newcomer.surplus)
      for (const used of [first, ...others]) {
        if (used === undefined) continue
        shares.busy(used)
        shares.idle(used)
      }
      pass(1)
      same([shares.enter(connectionOf(address(101), proxied))], second === undefined ? [] : [second])
      const last = connectionOf(address(102), proxied)
      assert.isUndefined(shares.enter(last))
      assert.isTrue(last.surplus)
      assert.strictEqual(shares.size, 100)
    }
  })

  it("is counted once, whatever ends when; beyond all places some hear of it, and who comes on top goes", () => {
    const shares = new ConnectionShares(10)
    const { entered } = enter(shares, (n) => `192.0.2.${n}`, 10)
    for (const connection of entered) work(shares, connection)
    const surplus = enter(shares, () => "192.0.2.99", 14)
    same(surplus.ended, surplus.entered.slice(8))
    for (const connection of [...surplus.ended, ...entered, ...entered, ...surplus.entered]) shares.leave(connection)
    assert.strictEqual(shares.size, 0)
    same(enter(shares, () => "192.0.2.5", 10).ended, [])
  })
})
