/**
 * Connections that were accepted and wait until a process takes them. Each is an open file, so they are bounded by the
 * rule for those that are served (`ConnectionShares.ts`): a newcomer gets the place of whoever has the most.
 */
import { bucketOf, ipAddressOf, networks, siteOf } from "../access/ClientAddress.ts"
import { type Connection, ConnectionShares } from "./ConnectionShares.ts"

/** What the rule needs to know of a connection. Nothing of it has been read, so it is idle. */
interface Waiting<Handle> extends Pick<Connection, "exchanges" | "proxied" | "sender" | "surplus"> {
  readonly handle: Handle
}

export class WaitingConnections<Handle> {
  readonly #shares: ConnectionShares<Waiting<Handle>>
  /** In the order of arrival. */
  readonly #waiting = new Map<Handle, Waiting<Handle>>()
  readonly #isTrusted: ReturnType<typeof networks>

  /** `limit` and `now`: as of `ConnectionShares`. */
  constructor(limit: number, trustedProxies: ReadonlyArray<string>, now?: () => number) {
    this.#shares = new ConnectionShares(limit, now)
    this.#isTrusted = networks(trustedProxies)
  }

  get size(): number {
    return this.#waiting.size
  }

  /** Lets a connection from this address wait. Returns the one that must be closed for it, perhaps itself. */
  enter(handle: Handle, address: string): Handle | undefined {
    const parsed = ipAddressOf(address)
    const waiting: Waiting<Handle> = {
      handle,
      sender: { key: bucketOf(address), site: siteOf(address) },
      proxied: parsed._tag === "Some" && this.#isTrusted(parsed.value),
      exchanges: [],
      surplus: false
    }
    this.#waiting.set(handle, waiting)
    const ended = this.#shares.enter(waiting)?.handle
    if (ended !== undefined) this.#waiting.delete(ended)
    return ended
  }

  /** Takes the one that waits for longest. */
  take(): Handle | undefined {
    const [first] = this.#waiting.values()
    if (first === undefined) return undefined
    this.#waiting.delete(first.handle)
    this.#shares.leave(first)
    return first.handle
  }
}
