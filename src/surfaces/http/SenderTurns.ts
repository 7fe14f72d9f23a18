/**
 * How much work each sender may have under way at once. Requests beyond that wait in the sender's own queue, so that one
 * sender's flood delays that sender and not the others.
 */
import { type LoopTurn, processTurn } from "../../platform/concurrency/LoopTurn.ts"

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
   * Of one that waits. What a set held stays in its outgrown tables until a full collection: with its request, each call
   * would grow old there.
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

export class SenderTurns {
  readonly #limits: TurnLimits
  readonly #turn: LoopTurn
  /** Sites with requests: no more than there are connections. */
  readonly #sites = new Map<string, Site>()
  /** Sites with requests that began in this run of the event loop, or may begin in the next. */
  readonly #nextRun = new Set<Site>()

  constructor(limits: TurnLimits = turnLimits, turn: LoopTurn = processTurn) {
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

  /** Otherwise what waits would begin as soon as an answer is sent, one after the other, before anybody else is read. */
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
