/**
 * Who may be connected. While there is room, anybody may have any number of connections. Without room a newcomer gets
 * the place of the sender that has the most: its oldest idle connection, or one whose request has not begun. A sender that
 * has many makes place for others at once. Its own newcomers, a proxy's, and all where nobody has many, replace only what
 * rests: otherwise those that come again because they were cut would cut the next. What is in work is never cut.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { surplusConnections } from "../../platform/files/OwnFolder.ts"
import type { Place } from "./Admission.ts"
import type { Sender, Turn } from "./SenderTurns.ts"

/** A request that is not answered yet. */
export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Bytes that the connection had received before this request. */
  readonly readBefore: number
  /** Handles the request. */
  readonly begin: () => void
  /** Set when it is the connection's first: earlier requests are answered. */
  turn: Turn | undefined
  /** Its place among what is under way, once it was let in. */
  place: Place | undefined
  /** When a check first found the answer complete but unread; as `findExcessive` tells the time. */
  unreadSince: number | undefined
}

/** An open connection. */
export interface Connection {
  readonly socket: Socket
  readonly address: string
  readonly sender: Pick<Sender, "key" | "site">
  /** Whether a trusted proxy opened it, so that it carries requests of many senders. */
  readonly proxied: boolean
  /** In the order of arrival: the first is in work. */
  readonly exchanges: Array<Exchange>
  /** How many it may still send. */
  requestsLeft: number
  /** Whether it came when there was no place: it is told so, and only probes are answered. */
  surplus: boolean
}

/** Senders with no more connections than this are treated alike: a browser or a host's pool has as many. */
const fewConnections = 32

/** A connection rests if nothing has begun or ended on it for so long. Before, a request may be on its way; milliseconds. */
const restMs = 1000

/** Whether ending it wastes no work: its first request is incomplete, waits for its turn, or is answered but not read. */
export const isExpendable = ({ exchanges: [first] }: Connection): boolean =>
  first === undefined || !first.request.complete || first.response.writableEnded || first.turn?.waits() === true

/** A connection with the time at which it became idle or busy, which is its place in each group that counts it. */
interface Since {
  readonly connection: Connection
  at: number
}

/** Connections in the order in which they became idle, or busy, and the groups that they are counted in. */
class Group {
  count = 0
  readonly idle = new Set<Since>()
  readonly busy = new Set<Since>()
  readonly parts = new Map<string, Group>()
  /** The parts with more than a few connections. */
  readonly heavy = new Set<Group>()

  part(key: string): Group {
    const known = this.parts.get(key)
    if (known !== undefined) return known
    const made = new Group()
    this.parts.set(key, made)
    return made
  }

  /** The oldest idle connection, or the one that is busy for longest and wastes no work; none that became so after `latest`. */
  expendable(latest: number): Connection | undefined {
    const [oldest] = this.idle
    if (oldest !== undefined && oldest.at <= latest) return oldest.connection
    for (const { at, connection } of this.busy) {
      if (at > latest) return undefined
      if (isExpendable(connection)) return connection
    }
    return undefined
  }

  /**
   * What a newcomer replaces: of the part that has the most, and of no part that has fewer than the newcomer's own; there,
   * and if no part has many, none that was in use after `latest`.
   */
  victim([own, ...inner]: ReadonlyArray<Group>, latest: number): Connection | undefined {
    const isHeavy = own !== undefined && this.heavy.has(own)
    const least = isHeavy ? own.count : 0
    const heaviest = [...this.heavy].filter(({ count }) => count >= least).sort((one, other) => other.count - one.count)
    for (const part of heaviest) {
      const found = part === own ? part.victim(inner, latest) : part.victim([], Number.POSITIVE_INFINITY)
      if (found !== undefined) return found
    }
    return isHeavy ? undefined : this.expendable(latest)
  }
}

/** Where a connection is counted. */
interface Counted {
  /** From the outermost. */
  readonly groups: readonly [Group, ...Array<Group>]
  readonly since: Since
}

export class ConnectionShares {
  readonly #limit: number
  /** Its parts are sites, and theirs are senders. */
  readonly #senders = new Group()
  /** Connections of trusted proxies. They go last. */
  readonly #proxies = new Group()
  readonly #surplus = new Set<Connection>()
  readonly #counted = new Map<Connection, Counted>()
  readonly #now: () => number

  /** `limit`: connections at once. `now`: a clock that never steps back, in milliseconds. */
  constructor(limit: number, now: () => number = () => performance.now()) {
    this.#limit = limit
    this.#now = now
  }

  get size(): number {
    return this.#senders.count + this.#proxies.count
  }

  /** Takes in a new connection. Returns the one that must be ended for it, perhaps itself. */
  enter(connection: Connection): Connection | undefined {
    const now = this.#now()
    const victim = this.size < this.#limit ? undefined : this.#victimFor(connection, now - restMs)
    if (victim === undefined && this.size >= this.#limit) return this.#enterSurplus(connection)
    if (victim !== undefined) this.leave(victim)
    const groups = this.#groupsOf(connection)
    const since: Since = { connection, at: now }
    this.#counted.set(connection, { groups, since })
    for (const group of groups) {
      group.idle.add(since)
      group.count += 1
    }
    const [all, site, sender] = groups
    if (site !== undefined && site.count > fewConnections) all.heavy.add(site)
    if (sender !== undefined && sender.count > fewConnections) site?.heavy.add(sender)
    return victim
  }

  /** It has a request to be answered. */
  busy(connection: Connection): void {
    this.#change(connection, "idle", "busy")
  }

  /** All its requests are answered. */
  idle(connection: Connection): void {
    this.#change(connection, "busy", "idle")
  }

  #change(connection: Connection, from: "idle" | "busy", to: "idle" | "busy"): void {
    const counted = this.#counted.get(connection)
    if (counted === undefined) return
    for (const group of counted.groups) {
      if (!group[from].delete(counted.since)) return
      group[to].add(counted.since)
    }
    counted.since.at = this.#now()
  }

  /** It has ended. */
  leave(connection: Connection): void {
    this.#surplus.delete(connection)
    const counted = this.#counted.get(connection)
    if (counted === undefined) return
    this.#counted.delete(connection)
    for (const group of counted.groups) {
      group.count -= 1
      group.idle.delete(counted.since)
      group.busy.delete(counted.since)
    }
    const [all, site, sender] = counted.groups
    if (site === undefined || sender === undefined) return
    if (site.count <= fewConnections) all.heavy.delete(site)
    if (sender.count <= fewConnections) site.heavy.delete(sender)
    if (sender.count === 0) site.parts.delete(connection.sender.key)
    if (site.count === 0) all.parts.delete(connection.sender.site)
  }

  #enterSurplus(connection: Connection): Connection | undefined {
    connection.surplus = true
    if (this.#surplus.size >= surplusConnections(this.#limit)) return connection
    this.#surplus.add(connection)
    return undefined
  }

  /** The groups that count a connection, from the outermost. */
  #groupsOf({ proxied, sender }: Connection): readonly [Group, ...Array<Group>] {
    if (proxied) return [this.#proxies]
    const site = this.#senders.part(sender.site)
    return [this.#senders, site, site.part(sender.key)]
  }

  #victimFor({ proxied, sender }: Connection, latest: number): Connection | undefined {
    const site = proxied ? undefined : this.#senders.parts.get(sender.site)
    const own = [site, site?.parts.get(sender.key)].filter((group) => group !== undefined)
    const victim = this.#senders.victim(own, latest)
    // Those that come themselves make no place at the cost of the proxies' clients while they have some to spare.
    const isSpared =
      !proxied &&
      ((site !== undefined && this.#senders.heavy.has(site)) ||
        this.#senders.expendable(Number.POSITIVE_INFINITY) !== undefined)
    return victim ?? (isSpared ? undefined : this.#proxies.expendable(latest))
  }
}
