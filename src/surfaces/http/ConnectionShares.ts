/**
 * Who may be connected. While there is room, anybody may have any number of connections. Without room a newcomer gets
 * the place of the sender that has the most: its oldest idle connection, or one whose request has not begun. A sender
 * that has many makes place for others at once. Its own newcomers, a proxy's, and all where nobody has many, replace
 * only what rests: otherwise those that come again because they were cut would cut the next. What is in work is never
 * cut.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { type LoopSlice, processSlice } from "../../platform/concurrency/LoopSlice.ts"
import { surplusConnections } from "../../platform/files/OwnFolder.ts"
import type { Place } from "./Admission.ts"

// How much work each sender may have under way at once. Requests beyond that wait in the sender's own queue, so that
// one sender's flood delays that sender and not the others.

/** Who sends: the address or /64 network, and the address or /48 network that it belongs to. */
export interface Sender {
  readonly key: string
  readonly site: string
  /** Whether it was told to wait and goes on: then its requests begin one by one, `lookEveryMs` apart. */
  readonly isOver: boolean
}

/** Limits of turns. Times are in milliseconds. */
interface TurnLimits {
  /** Requests of a site that may begin in one run of the event loop, one of each sender; `Infinity`: any of each. */
  readonly perRun: number
  /** Requests in work at once, for a sender beside others, and for a site. */
  readonly perSender: number
  readonly perSite: number
  /** Requests that may wait, for a sender and for a site. */
  readonly waitingPerSender: number
  readonly waitingPerSite: number
  /** A request that takes longer waits for something else than the processor: the next one may begin. */
  readonly longest: number
  /** A request that waited this long is refused. */
  readonly longestWait: number
}

export const turnLimits: TurnLimits = {
  perRun: 4,
  perSender: 4,
  perSite: 16,
  waitingPerSender: 256,
  waitingPerSite: 1024,
  longest: 100,
  longestWait: 5000
}

/**
 * Deliveries of events begin at once: those that are verified in one run of the event loop are stored by one statement.
 */
export const eventLimits: TurnLimits = { ...turnLimits, perRun: Infinity }

/** How often waiting requests are looked at, beside whenever a turn ends. */
const lookEveryMs = 25

/** A request's turn. `end` may be called at any time, and more than once. */
export interface Turn {
  readonly end: () => void
  /** Whether it still waits. */
  readonly waits: () => boolean
}

interface Entry {
  /**
   * Of one that waits. What a set held stays in its outgrown tables until a full collection: with its request, each
   * call would grow old there.
   */
  waits: { readonly start: () => void; readonly refuse: () => void } | undefined
  /** When it came, then when it began. */
  since: number
}

interface Lane {
  readonly key: string
  readonly site: Site
  isOver: boolean
  /** Both in the order of time. */
  readonly waiting: Set<Entry>
  readonly working: Set<Entry>
}

interface Site {
  readonly key: string
  readonly lanes: Map<string, Lane>
  /** Lanes with waiting requests, in the order in which they are served. */
  readonly queue: Set<Lane>
  /** Lanes of which one began in this run of the event loop. */
  readonly begun: Set<Lane>
  waiting: number
  working: number
  timer: NodeJS.Timeout | undefined
}

export class SenderQueues {
  readonly #limits: TurnLimits
  readonly #turn: LoopSlice
  /** Sites with requests: no more than there are connections. */
  readonly #sites = new Map<string, Site>()
  /** Sites with requests that began in this run of the event loop, or may begin in the next. */
  readonly #nextRun = new Set<Site>()

  constructor(limits: TurnLimits = turnLimits, turn: LoopSlice = processSlice) {
    this.#limits = limits
    this.#turn = turn
  }

  /** Sites that have requests at work or waiting. */
  get size(): number {
    return this.#sites.size
  }

  /** Calls `start` when it is the request's turn, perhaps at once, or `refuse` if too many of its sender wait. */
  take(sender: Sender, start: () => void, refuse: () => void): Turn {
    const site = this.#siteOf(sender.site)
    const lane = this.#laneOf(site, sender.key)
    lane.isOver = sender.isOver
    const entry: Entry = { waits: { start, refuse }, since: performance.now() }
    if (!lane.isOver && this.#isFree(lane)) this.#begin(lane, entry)
    else if (lane.waiting.size >= this.#limits.waitingPerSender || site.waiting >= this.#limits.waitingPerSite) refuse()
    else {
      lane.waiting.add(entry)
      site.waiting += 1
      site.queue.add(lane)
      this.#wake(site)
    }
    return { end: () => this.#end(lane, entry), waits: () => lane.waiting.has(entry) }
  }

  #siteOf(key: string): Site {
    let site = this.#sites.get(key)
    if (site === undefined) {
      site = { key, lanes: new Map(), queue: new Set(), begun: new Set(), waiting: 0, working: 0, timer: undefined }
      this.#sites.set(key, site)
    }
    return site
  }

  #laneOf(site: Site, key: string): Lane {
    let lane = site.lanes.get(key)
    if (lane === undefined) {
      lane = { key, site, isOver: false, waiting: new Set(), working: new Set() }
      site.lanes.set(key, lane)
    }
    return lane
  }

  #isFree(lane: Lane): boolean {
    const { begun, working } = lane.site
    const { perRun, perSender, perSite } = this.#limits
    const most = this.#isAlone(lane) ? perSite : perSender
    const mayBegin = (perRun === Infinity && !lane.isOver) || (!begun.has(lane) && begun.size < perRun)
    return mayBegin && lane.working.size < most && working < perSite
  }

  /** Whether nobody else has requests: then a sender may use what a site may. */
  #isAlone({ site }: Lane): boolean {
    return this.#sites.size === 1 && site.lanes.size === 1
  }

  #begin(lane: Lane, entry: Entry): void {
    entry.since = performance.now()
    const { waits } = entry
    entry.waits = undefined
    lane.working.add(entry)
    lane.site.working += 1
    lane.site.begun.add(lane)
    this.#inNextRun(lane.site)
    waits?.start()
  }

  /**
   * Otherwise what waits would begin as soon as an answer is sent, one after the other, before anybody else is read.
   */
  #inNextRun(site: Site): void {
    if (this.#nextRun.size === 0) this.#turn.next(() => this.#run())
    this.#nextRun.add(site)
  }

  #run(): void {
    const sites = [...this.#nextRun]
    this.#nextRun.clear()
    for (const site of sites) {
      const begun = [...site.begun]
      site.begun.clear()
      this.#serve(site, false)
      for (const lane of begun) this.#forget(lane)
    }
  }

  /** Takes a request out of its queue, with what that leaves empty. */
  #leaveQueue(lane: Lane, entry: Entry): boolean {
    if (!lane.waiting.delete(entry)) return false
    lane.site.waiting -= 1
    if (lane.waiting.size === 0) lane.site.queue.delete(lane)
    return true
  }

  #leaveWork(lane: Lane, entry: Entry): boolean {
    if (!lane.working.delete(entry)) return false
    lane.site.working -= 1
    return true
  }

  #end(lane: Lane, entry: Entry): void {
    if (!this.#leaveWork(lane, entry)) this.#leaveQueue(lane, entry)
    else if (lane.site.waiting > 0) this.#inNextRun(lane.site)
    this.#forget(lane)
  }

  #forget(lane: Lane): void {
    const { key, site, waiting, working } = lane
    if (waiting.size > 0 || working.size > 0 || site.begun.has(lane)) return
    site.lanes.delete(key)
    if (site.lanes.size > 0) return
    clearTimeout(site.timer)
    if (this.#sites.get(site.key) === site) this.#sites.delete(site.key)
  }

  /** Begins what may begin: the senders of a site take turns. */
  #serve(site: Site, alsoOver: boolean): void {
    for (const lane of site.queue) {
      if (site.working >= this.#limits.perSite) return
      const [entry] = lane.waiting
      if (entry === undefined || !this.#isFree(lane) || (lane.isOver && !alsoOver)) continue
      this.#leaveQueue(lane, entry)
      // Served: to the end of the queue, where it is seen again.
      if (site.queue.delete(lane)) site.queue.add(lane)
      this.#begin(lane, entry)
    }
  }

  #wake(site: Site): void {
    site.timer ??= setTimeout(() => {
      site.timer = undefined
      this.#look(site)
      if (site.waiting > 0) this.#wake(site)
    }, lookEveryMs).unref()
  }

  /** Lets the next begin where a request takes long, and refuses what has waited too long. */
  #look(site: Site): void {
    const now = performance.now()
    for (const lane of site.lanes.values()) {
      for (const entry of lane.working) {
        if (now - entry.since < this.#limits.longest) break
        this.#leaveWork(lane, entry)
      }
      for (const entry of lane.waiting) {
        if (now - entry.since < this.#limits.longestWait) break
        this.#leaveQueue(lane, entry)
        entry.waits?.refuse()
      }
    }
    this.#serve(site, true)
    for (const lane of site.lanes.values()) this.#forget(lane)
  }
}

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

/**
 * A connection rests if nothing has begun or ended on it for so long. Before, a request may be on its way;
 * milliseconds.
 */
const restMs = 1000

/**
 * Whether ending it wastes no work: its first request is incomplete, waits for its turn, or is answered but not read.
 */
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

  /**
   * The oldest idle connection, or the one that is busy for longest and wastes no work; none that became so after
   * `latest`.
   */
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
   * What a newcomer replaces: of the part that has the most, and of no part that has fewer than the newcomer's own;
   * there, and if no part has many, none that was in use after `latest`.
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
