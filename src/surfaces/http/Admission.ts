/**
 * How much work may be under way at once, found out by the process itself. What is beyond is refused at the door, so
 * that what was let in is answered in time.
 *
 * Whether there is too much tells the time that a statement takes which does nothing: it waits wherever requests wait,
 * for the event loop, a connection and the database (the standing queue of CoDel, RFC 8289, by its delay). How much
 * there may be follows from Little's law: what was answered a second while there was a queue, times the time that an
 * answer may take. The way to the database is no queue: what the statement takes while little is under way counts for
 * nothing (the least round trip of Vegas and of gradient limits), and for answers comes on top. A gradient of answers'
 * own times would need the time without load, and here that is 2 ms for one call and 300 ms for another that waits for
 * the payment provider. CoDel would refuse what has waited; here that would hear of it too late.
 *
 * A burst is let in before there is a queue, so it has a bound of its own: what the event loop can answer in a time, by
 * what it answered in the time that it was not idle. That is known without a queue, and no more than what is true: the
 * database may be slower.
 *
 * Little is kept under way, because much of it makes each request dearer: what lives longer costs more garbage
 * collection, and each answer of the database finds more that waits for the event loop.
 */
import { Clock, Context, Effect, Exit } from "effect"
import type { IncomingMessage } from "node:http"
import { issuerPath, toolsPath } from "../../domain/oauth/OAuthExchange.ts"
import { receiverPaths } from "../../domain/payment/provider/Receivers.ts"
import { deskPaths } from "../../domain/people/staff/StaffMember.ts"
import { findBookingPath, linkPaths, waitPath } from "../../platform/access/LinkTokens.ts"
import { unending } from "../../platform/time/LocalTime.ts"
import { mcp } from "./McpApi.ts"

/** What is refused first: the lowest. */
export const ranks = { read: 0, option: 1, booking: 2, payment: 3, event: 4 } as const
export type Rank = (typeof ranks)[keyof typeof ranks]

/** Times are in milliseconds. */
export interface AdmissionLimits {
  /**
   * A statement that takes so much longer than the way to the database has waited: there is a queue. More than the
   * longest step of one request.
   */
  readonly target: number
  /** A queue that has stood for so long is more than a moment's: of a stall, or of what came at once. */
  readonly standing: number
  /**
   * What an answer may take on the average while there is a queue, beside the way to the database: in a burst, and
   * after something was refused.
   */
  readonly burstBudget: number
  readonly budget: number
  /** How often an answer goes that way. */
  readonly roundTrips: number
  /** So long after the last refusal more is let in again, and the next queue is a burst. */
  readonly calm: number
  /** By this share more may be under way for each rank above the lowest. */
  readonly perRank: number
  /** By this share, and by `least`, more may be under way for senders that have nothing under way. */
  readonly forNewcomers: number
  /** Requests that may be under way in any case. */
  readonly least: number
  /** Requests that may be under way while there is no queue: a burst, or waits for something else. */
  readonly burst: number
  /** Of so many senders: those of one wait for each other (`SenderQueues`), those of many are all begun. */
  readonly burstSenders: number
  /** If they are more than `leastSenders`, they may take the event loop so long, beside the way to the database. */
  readonly burstWork: number
  readonly leastSenders: number
  /**
   * A request that takes longer waits for something else, and no longer counts; while there is a queue, it may wait in
   * that.
   */
  readonly longest: number
  readonly longestInQueue: number
  /** How often what was answered is counted. */
  readonly interval: number
  /** After how many answers it is counted how much of the event loop they took. */
  readonly sample: number
}

export const admissionLimits: AdmissionLimits = {
  target: 30,
  standing: 60,
  burstBudget: 200,
  budget: 60,
  roundTrips: 3,
  calm: 1000,
  perRank: 0.1,
  forNewcomers: 0.25,
  least: 16,
  burst: 512,
  burstSenders: 320,
  burstWork: 500,
  leastSenders: 64,
  longest: 1000,
  longestInQueue: 5000,
  interval: 100,
  sample: 32
}

/** How much the latest count changes the rate, and by how much it rises where nothing waits. */
const weight = 0.3
const tried = 0.1

/** The way to the database is found shorter at once, and longer by so many milliseconds with each statement. */
const fartherMs = 1

/** A request that was let in. `end` may be called at any time, and more than once. */
export interface Place {
  readonly end: () => void
}

interface Entry {
  readonly sender: string
  readonly rank: Rank
  readonly since: number
}

/** How many are under way, in all and by sender. */
class Tally {
  size = 0
  readonly bySender = new Map<string, number>()

  of(sender: string): number {
    return this.bySender.get(sender) ?? 0
  }

  change(sender: string, by: 1 | -1): void {
    this.size += by
    const own = this.of(sender) + by
    if (own === 0) this.bySender.delete(sender)
    else this.bySender.set(sender, own)
  }
}

export class Admission {
  readonly #limits: AdmissionLimits
  readonly #now: () => number
  readonly #active: () => number
  /** In the order of time. */
  readonly #entries = new Set<Entry>()
  /** For each rank what counts for it: its own and what is above. What is below makes nobody wait at the door. */
  readonly #tallies: ReadonlyArray<Tally> = Object.values(ranks).map(() => new Tally())
  readonly #whenBusy = new Set<() => void>()
  /** When the statement that is out was sent, whether little was under way then, and how long the last one waited. */
  #sentAt: number | undefined
  #sentCalmly = false
  #delay = 0
  /** What a statement takes that waits for nothing; undefined until one was sent while little was under way. */
  #way: number | undefined
  /** When the first was sent of those that have all waited, and how long that was ago when the last came back. */
  #waitedSince: number | undefined
  #stood = 0
  /** Answers a second while there was a queue; undefined until there was one. */
  #rate: number | undefined
  #refusedAt = -Infinity
  /** Since when, and what has come back: requests, and statements. */
  #counted = { since: 0, answers: 0, statements: 0 }
  /** Answers a second of the event loop's own time; undefined until enough were counted. */
  #pace: number | undefined
  #paced: { active: number; answers: number }

  /** `now`: a clock that never steps back. `active`: how long the event loop was not idle, in milliseconds. */
  constructor(
    limits: AdmissionLimits = admissionLimits,
    now: () => number = () => performance.now(),
    active: () => number = () => performance.eventLoopUtilization().active
  ) {
    this.#limits = limits
    this.#now = now
    this.#active = active
    this.#paced = { active: active(), answers: 0 }
  }

  /** Requests under way. */
  get size(): number {
    return this.#entries.size
  }

  /** Whether so much is under way that the delay matters. */
  get isBusy(): boolean {
    return this.#entries.size >= this.#limits.least
  }

  /** Calls once when it is busy, perhaps at once. Returns what takes that back. */
  whenBusy(call: () => void): () => void {
    if (this.isBusy) call()
    else this.#whenBusy.add(call)
    return () => void this.#whenBusy.delete(call)
  }

  /** A statement that does nothing was sent. */
  sent(): void {
    this.#sentAt = this.#now()
    this.#sentCalmly = !this.isBusy
  }

  /** It came back. One that failed may not have got as far as the database. */
  returned(failed = false): void {
    if (this.#sentAt === undefined) return
    const now = this.#now()
    if (!failed) this.#goesBy(now - this.#sentAt)
    const due = this.#sentAt + this.#wayMs
    this.#delay = Math.max(0, now - due)
    this.#waitedSince = this.#delay > this.#limits.target ? (this.#waitedSince ?? due) : undefined
    this.#stood = now - (this.#waitedSince ?? now)
    this.#sentAt = undefined
    this.#counted.statements += 1
  }

  /** A queue makes no way longer, and what takes long once may have met with a stall. */
  #goesBy(took: number): void {
    if (this.#way === undefined) this.#way = this.#sentCalmly ? took : undefined
    else this.#way = Math.min(took, this.#sentCalmly && !this.isBusy ? this.#way + fartherMs : this.#way)
  }

  /** Lets a request of this sender in; undefined if there is too much under way for its rank. */
  enter(sender: string, rank: Rank): Place | undefined {
    const now = this.#now()
    this.#forgetLong(now)
    this.#count(now)
    const isOverloaded = this.#isStanding(now) || this.#wasRefused(now)
    if (!this.#isFree(sender, rank, now, isOverloaded)) {
      if (isOverloaded) this.#refusedAt = now
      return undefined
    }
    const entry: Entry = { sender, rank, since: now }
    this.#entries.add(entry)
    this.#tally(entry, 1)
    if (this.isBusy) this.#wake()
    return {
      end: () => {
        if (!this.#leave(entry)) return
        this.#counted.answers += 1
        this.#countPace()
      }
    }
  }

  #isFree(sender: string, rank: Rank, now: number, isOverloaded: boolean): boolean {
    const { burst, forNewcomers, least, perRank } = this.#limits
    const more = 1 + rank * perRank
    const most = Math.max(least, isOverloaded ? this.#limitAt(now) : burst) * more
    const tally = this.#tallies[rank] ?? new Tally()
    const own = tally.of(sender)
    // Beside other senders, not beside the requests of one of them.
    if (own === 0)
      return (
        tally.bySender.size < (isOverloaded ? most + Math.max(least, most * forNewcomers) : this.#sendersInBurst * more)
      )
    // What others have beyond their shares keeps nobody out.
    return own < most / tally.bySender.size
  }

  get #sendersInBurst(): number {
    const { burstSenders, burstWork, leastSenders, roundTrips } = this.#limits
    if (this.#pace === undefined) return burstSenders
    const answered = (this.#pace * (burstWork + roundTrips * this.#wayMs)) / 1000
    return Math.min(burstSenders, Math.max(leastSenders, answered))
  }

  #countPace(): void {
    this.#paced.answers += 1
    const { active, answers } = this.#paced
    if (answers < this.#limits.sample) return
    const now = this.#active()
    const seen = (1000 * answers) / Math.max(1, now - active)
    this.#pace = this.#pace === undefined ? seen : this.#pace + weight * (seen - this.#pace)
    this.#paced = { active: now, answers: 0 }
  }

  get #wayMs(): number {
    return this.#way ?? 0
  }

  /** When the statement that is out should come back; undefined if none is. */
  get #due(): number | undefined {
    return this.#sentAt === undefined ? undefined : this.#sentAt + this.#wayMs
  }

  /** The statement that is out says more than the last one as soon as it waits longer. */
  #isQueueing(now: number): boolean {
    return Math.max(this.#delay, now - (this.#due ?? now)) > this.#limits.target
  }

  /** A moment's queue passes by itself, and what is answered meanwhile tells nothing of the rate. */
  #isStanding(now: number): boolean {
    const due = this.#due
    const stood = due === undefined ? this.#stood : now - (this.#waitedSince ?? due)
    return this.#isQueueing(now) && stood >= this.#limits.standing
  }

  /** Then the limit holds without a queue, too: it is what keeps the queue away. */
  #wasRefused(now: number): boolean {
    return now - this.#refusedAt < this.#limits.calm
  }

  /**
   * Nothing was answered although statements came back: what is under way waits for something else, a lock for example.
   */
  get #onlyStatements(): boolean {
    return this.#counted.answers === 0 && this.#counted.statements > 0
  }

  #limitAt(now: number): number {
    const { budget, burst, burstBudget, roundTrips } = this.#limits
    const { answers, since } = this.#counted
    if (this.#rate === undefined && this.#onlyStatements) return burst
    const rate = this.#rate ?? (1000 * answers) / Math.max(1, now - since)
    return (rate * ((this.#wasRefused(now) ? budget : burstBudget) + roundTrips * this.#wayMs)) / 1000
  }

  /**
   * Counts what was answered. Without a queue there may have been no more to answer: then the rate only rises, and it
   * is tried whether more can be answered if nothing waits although something was refused.
   */
  #count(now: number): void {
    const { answers, since } = this.#counted
    if (!this.isBusy) {
      this.#delay = 0
      this.#waitedSince = undefined
      this.#stood = 0
      this.#counted = { since: now, answers: 0, statements: 0 }
      return
    }
    if (now - since < this.#limits.interval || this.#onlyStatements) return
    const seen = (1000 * answers) / (now - since)
    if (this.#isStanding(now)) this.#rate = this.#rate === undefined ? seen : this.#rate + weight * (seen - this.#rate)
    else if (this.#rate !== undefined) {
      const isIdle = this.#wasRefused(now) && this.#delay < this.#limits.target / 3
      this.#rate = Math.max(this.#rate * (isIdle ? 1 + tried : 1), seen)
    }
    this.#counted = { since: now, answers: 0, statements: 0 }
  }

  #forgetLong(now: number): void {
    const longest = this.#isQueueing(now) ? this.#limits.longestInQueue : this.#limits.longest
    for (const entry of this.#entries) {
      if (now - entry.since < longest) return
      this.#leave(entry)
    }
  }

  #leave(entry: Entry): boolean {
    if (!this.#entries.delete(entry)) return false
    this.#tally(entry, -1)
    return true
  }

  #tally({ rank, sender }: Entry, by: 1 | -1): void {
    for (const tally of this.#tallies.slice(0, rank + 1)) tally.change(sender, by)
  }

  #wake(): void {
    const waiting = [...this.#whenBusy]
    this.#whenBusy.clear()
    for (const call of waiting) call()
  }
}

/** A statement that does nothing, on the way that requests take. By default there is none. */
export const IdleStatement = Context.Reference<Effect.Effect<unknown, unknown>>("playroom/api/IdleStatement", {
  defaultValue: () => Effect.void
})

/** The pause after each statement: short beside what it finds out, long beside what it costs. */
const pause = "10 millis"

/** How often it is sent while little is under way, to know the way to the database. */
const calmPause = "1 second"

/** Sends the statement again and again, often while much is under way. Never ends. */
export const watchQueue = Effect.fnUntraced(function* (admission: Admission) {
  const statement = yield* IdleStatement
  const busy = Effect.callback<void>((resume) => {
    const leave = admission.whenBusy(() => resume(Effect.void))
    return Effect.sync(leave)
  })
  const measured = Effect.gen(function* () {
    admission.sent()
    const done = (exit: Exit.Exit<unknown, unknown>) => Effect.sync(() => admission.returned(Exit.isFailure(exit)))
    yield* Effect.ignoreCause(Effect.onExit(statement, done))
    yield* Effect.sleep(pause)
    yield* Effect.raceFirst(busy, Effect.sleep(calmPause))
  })
  // Requests wait by the real clock, whatever clock a test provides.
  return yield* Effect.provideService(
    unending(measured, "The wait for the database was not measured"),
    Clock.Clock,
    Clock.Clock.defaultValue()
  )
})

// Which requests are refused first when there is too much to do, by the address and the tool that is called: hosts name
// it in the header `Mcp-Name` (MCP 2026-07-28).

/** The rank of each tool. Calls whose host does not name it rank in the middle. */
export const toolRanks: ReadonlyMap<string, Rank> = new Map<string, Rank>([
  ["search_playrooms", ranks.read],
  ["get_playroom", ranks.read],
  ["get_booking_options", ranks.option],
  ["create_booking", ranks.booking],
  ["get_booking", ranks.booking],
  ["create_payment_session", ranks.payment]
])

/** By the beginning of the address. What is not named here ranks as a read. */
const pathRanks: ReadonlyArray<readonly [string, Rank]> = [
  [receiverPaths.platform, ranks.event],
  [receiverPaths.connected, ranks.event],
  ["/checkout/", ranks.payment],
  [linkPaths.pay, ranks.payment],
  // Also what lies below it: the booking's own page.
  [findBookingPath, ranks.booking],
  [linkPaths.invitation, ranks.booking],
  [linkPaths.reminders, ranks.booking],
  [waitPath, ranks.booking],
  [linkPaths.waiting, ranks.booking],
  [linkPaths.operator, ranks.booking],
  [deskPaths.desk, ranks.booking],
  [`${issuerPath}/`, ranks.booking]
]

/** The addresses at which tools are called. */
const toolPaths: ReadonlySet<string> = new Set([mcp.path, toolsPath])

/** The rank of a request. */
export const rankOf = ({ headers, method, url = "" }: Pick<IncomingMessage, "headers" | "method" | "url">): Rank => {
  if (method === "POST" && toolPaths.has(url.split("?", 1)[0] ?? "")) {
    const name = headers["mcp-name"]
    return (typeof name === "string" ? toolRanks.get(name) : undefined) ?? ranks.option
  }
  return pathRanks.find(([beginning]) => url.startsWith(beginning))?.[1] ?? ranks.read
}
