/**
 * Many sessions on one embedded PostgreSQL backend. PGlite is a single backend with one transaction at a time. Each
 * session (a `Duplex` that speaks the wire protocol) uses it from its first message until the backend reports that no
 * transaction is open (`ReadyForQuery` with status `I`). The others wait.
 *
 * A guest (a command of ours, `psql` or `pg_dump` on the socket) may change what PostgreSQL keeps for a session. Before
 * another session has its turn, all of that is taken back; the guest's settings are its own again in its next turn. The
 * rest lasts for a turn, so for a transaction at least: temporary tables, prepared statements, `LISTEN`, cursors,
 * advisory locks, a role.
 */
import type { PGlite } from "@electric-sql/pglite"
import { Duplex } from "node:stream"
import { inspect } from "node:util"
import { type LoopSlice, processSlice } from "../concurrency/LoopSlice.ts"

const sslRequest = 80_877_103
const gssRequest = 80_877_104
const cancelRequest = 80_877_102
const terminate = 0x58 // X
const query = 0x51 // Q
const sync = 0x53 // S
const readyForQuery = 0x5a // Z
const idle = 0x49 // I
const errorResponse = 0x45 // E
const dataRow = 0x44 // D
const copyFail = 0x66 // f
const parse = 0x50 // P
const close = 0x43 // C
const ofStatement = 0x53 // S
/** A client's part of a COPY: its data, their end, and that there are none. */
const copying: ReadonlySet<number | undefined> = new Set([0x64, 0x63, copyFail])

const message = (type: number, text: string): Buffer => {
  const bytes = Buffer.from(`-----${text}\0`)
  bytes[0] = type
  bytes.writeInt32BE(bytes.length - 1, 1)
  return bytes
}
const simple = (sql: string): Buffer => message(query, sql)

const rollback = simple("ROLLBACK")
/**
 * Goes along with each of a guest's statements: the embedded backend takes no data of a client (PGlite 0.5.16).
 * PostgreSQL passes over it where it copies nothing
 * (https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-COPY).
 */
const noCopy = message(
  copyFail,
  "the embedded database takes no COPY from a client; use INSERT (pg_dump --inserts writes such)"
)

const syncNow = Buffer.from([sync, 0, 0, 0, 4])
/** The names of the prepared statements, one a line; null where there are none. */
const preparedNames = simple("select pg_catalog.string_agg(name, e'\\n') from pg_catalog.pg_prepared_statements")
/** What sets the settings of this session again, as statements; null where it has none. */
const settingsAgain = simple(
  `select pg_catalog.string_agg(pg_catalog.format('select pg_catalog.set_config(%L, %L, false)', name, setting), ';')
  from pg_catalog.pg_settings where source = 'session'`
)
/**
 * What `DISCARD ALL` does (https://www.postgresql.org/docs/current/sql-discard.html), but for prepared statements.
 * PGlite 0.5.16 has no default of the user.
 */
const discard = [
  "SET SESSION AUTHORIZATION postgres",
  "SET ROLE NONE",
  "RESET ALL",
  "CLOSE ALL",
  "UNLISTEN *",
  "SELECT pg_catalog.pg_advisory_unlock_all()",
  "DISCARD TEMP",
  "DISCARD SEQUENCES"
].map(simple)
const closeStatement = (name: string): Buffer => message(close, `S${name}`)

/** The first field of the first row of an answer; undefined if it is null, or there is none. */
const firstField = (answer: Buffer): string | undefined => {
  for (let at = 0; at + 5 <= answer.length; at += 1 + answer.readInt32BE(at + 1)) {
    if (answer[at] !== dataRow) continue
    const length = answer.readInt32BE(at + 7)
    return length < 0 ? undefined : answer.toString("utf8", at + 11, at + 11 + length)
  }
  return undefined
}

/**
 * The length of the complete protocol messages at the start of `bytes`, up to the first that the backend answers with
 * `ReadyForQuery`. A client sends many statements at once; one at a time, others can be served between them.
 */
const completeLength = (bytes: Buffer, started: boolean): number => {
  let at = 0
  if (!started) return bytes.length >= 4 && bytes.length >= bytes.readInt32BE(0) ? bytes.readInt32BE(0) : 0
  while (at + 5 <= bytes.length) {
    const type = bytes[at]
    const next = at + 1 + bytes.readInt32BE(at + 1)
    if (next > bytes.length) break
    at = next
    if (type === sync || type === query) break
  }
  return at
}

/**
 * The same messages, without a client's part of a COPY, and with `noCopy` where the backend would ask for that: after a
 * query, and before what ends other statements.
 */
const withoutCopy = (messages: Buffer): Buffer => {
  const parts: Array<Buffer> = []
  for (let at = 0, next = 0; at < messages.length; at = next) {
    next = at + 1 + messages.readInt32BE(at + 1)
    const type = messages[at]
    if (copying.has(type)) continue
    const one = messages.subarray(at, next)
    parts.push(...(type === query ? [one, noCopy] : type === sync ? [noCopy, one] : [one]))
  }
  return Buffer.concat(parts)
}

/** Whether the backend has answered to the end, and can be asked again. */
const endsReady = (answer: Uint8Array): boolean => answer.length >= 6 && answer.at(-6) === readyForQuery

/** Whether the backend's answer ends outside any transaction. */
const endsIdle = (answer: Uint8Array): boolean => endsReady(answer) && answer.at(-1) === idle

/**
 * PostgreSQL has given up, usually because a disk can't be written to. What was committed is there at its next start.
 */
class DatabasePanic extends Error {
  constructor(why: string) {
    super(
      `The embedded database has given up, and this process with it: ${why}. Start again once the disk is well: all that was answered is kept.`
    )
  }
}

/** The fields of an error (https://www.postgresql.org/docs/current/protocol-error-fields.html), by their letters. */
const fieldsOf = (error: Buffer): ReadonlyMap<string, string> =>
  new Map(
    error
      .toString("utf8")
      .split("\0")
      .map((field) => [field.slice(0, 1), field.slice(1)])
  )

/**
 * Why PostgreSQL has given up, if an answer says so. It must not be asked again then: it would never answer (PGlite
 * 0.5.16).
 */
const panicOf = (answer: Buffer): string | undefined => {
  if (endsReady(answer)) return undefined
  for (let at = 0; at + 5 <= answer.length; at += 1 + answer.readInt32BE(at + 1)) {
    if (answer[at] !== errorResponse) continue
    const fields = fieldsOf(answer.subarray(at + 5, at + 1 + answer.readInt32BE(at + 1)))
    if (fields.get("V") === "PANIC") return fields.get("M") ?? ""
  }
  return undefined
}

/** Nothing can be done in a process whose database has given up. */
const endProcess = ({ message }: DatabasePanic): void => {
  console.error(`playroom: ${message}`)
  process.exit(1)
}

/** One client's session: its writes go to the backend, its reads are the backend's answers. */
class Session extends Duplex {
  readonly #sessions: BackendSessions
  readonly guest: boolean
  /** Statements that make the settings of a guest again in its next turn. */
  settings: string | undefined
  /** What has prepared this process's statements, by their names. */
  readonly prepared = new Map<string, Buffer>()
  inbound: Buffer = Buffer.alloc(0)
  started = false
  ended = false

  constructor(sessions: BackendSessions, guest: boolean) {
    super({ allowHalfOpen: false })
    this.#sessions = sessions
    this.guest = guest
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.inbound = this.inbound.length === 0 ? chunk : Buffer.concat([this.inbound, chunk])
    this.#sessions.wake(this)
    done()
  }

  override _final(done: () => void): void {
    this.#finish()
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#finish()
    done(error)
  }

  #finish(): void {
    if (this.ended) return
    this.ended = true
    this.#sessions.wake(this)
  }

  /**
   * Takes the complete messages that have arrived. Answers the messages before start-up that are not for the backend.
   */
  nextMessages(): Buffer | undefined {
    while (!this.ended) {
      const length = completeLength(this.inbound, this.started)
      if (length === 0) return undefined
      const messages = this.inbound.subarray(0, length)
      this.inbound = this.inbound.subarray(length)
      if (!this.started) {
        const code = messages.readInt32BE(4)
        if (code === sslRequest || code === gssRequest) {
          this.push(Buffer.from("N"))
          continue
        }
        if (code === cancelRequest) {
          this.push(null)
          this.ended = true
          return undefined
        }
        return messages
      }
      // Terminate ends the client's session, not the backend.
      if (messages[0] === terminate) {
        this.push(null)
        this.ended = true
        return undefined
      }
      if (this.guest) {
        const others = withoutCopy(messages)
        if (others.length === 0) continue
        return others
      }
      return messages
    }
    return undefined
  }

  /** Keeps what prepares statements with names. */
  note(messages: Buffer): void {
    if (this.guest) return
    for (let at = 0, next = 0; at < messages.length; at = next) {
      next = at + 1 + messages.readInt32BE(at + 1)
      const from =
        messages[at] === parse ? at + 5 : messages[at] === close && messages[at + 5] === ofStatement ? at + 6 : next
      if (from === next || messages[from] === 0) continue
      const name = messages.toString("latin1", from, messages.indexOf(0, from))
      if (messages[at] === parse) this.prepared.set(name, Buffer.from(messages.subarray(at, next)))
      else this.prepared.delete(name)
    }
  }
}

/** So many turns of this process go before a guest that waits: an import takes hundreds, and callers need several. */
const turnsBeforeGuest = 20

/** Gives the backend to one session at a time, and switches only between transactions. */
export class BackendSessions {
  readonly #backend: PGlite
  readonly #turn: LoopSlice
  readonly #waiting = new Set<Session>()
  readonly #onPanic: (panic: DatabasePanic) => void
  #owner: Session | undefined
  /** The guest whose session the backend is in. */
  #guest: Session | undefined
  /** The sessions of this process. */
  readonly #ours = new Set<Session>()
  #turnsBeforeGuest = turnsBeforeGuest
  #running = false
  #panic: DatabasePanic | undefined

  constructor(backend: PGlite, turn: LoopSlice = processSlice, onPanic: (panic: DatabasePanic) => void = endProcess) {
    this.#backend = backend
    this.#turn = turn
    this.#onPanic = onPanic
  }

  /**
   * A new session of this process, which changes nothing for the session: no settings beyond a transaction, for
   * example.
   */
  open(): Session {
    const session = new Session(this, false)
    this.#ours.add(session)
    return session
  }

  /** A new session of another process. */
  openForGuest(): Session {
    return new Session(this, true)
  }

  /** Bytes arrived for `session`, or it ended. */
  wake(session: Session): void {
    this.#waiting.add(session)
    if (!this.#running) void this.#run()
  }

  /** A guest's turn comes when no session of this process waits, or after enough turns of theirs. */
  #next(): Session | undefined {
    if (this.#owner !== undefined) return this.#waiting.has(this.#owner) ? this.#owner : undefined
    const waiting = [...this.#waiting]
    const guest = waiting.find((session) => session.guest)
    const ours = waiting.find((session) => !session.guest)
    if (guest !== undefined && (ours === undefined || this.#turnsBeforeGuest-- <= 0)) {
      this.#turnsBeforeGuest = turnsBeforeGuest
      return guest
    }
    return ours
  }

  async #run(): Promise<void> {
    this.#running = true
    for (let session = this.#next(); session !== undefined; session = this.#next()) {
      this.#waiting.delete(session)
      try {
        await this.#serve(session)
      } catch (error) {
        if (this.#owner === session) this.#owner = undefined
        session.destroy(error instanceof Error ? error : new Error(String(error)))
      }
    }
    // Nothing is awaited since the last check of the waiting sessions, so no wake-up is lost.
    this.#running = false
  }

  /**
   * Lets the event loop go on if statements have taken its turn. The backend answers in microtasks, so a queue of
   * statements would keep everybody else waiting until its end.
   */
  async #yield(): Promise<void> {
    if (this.#turn.isOver()) await new Promise<void>((go) => this.#turn.next(go))
  }

  /**
   * The backend's answer to messages, as one buffer. `execProtocolRaw` would also parse every answer and keep the
   * result for as long as the database is open (PGlite 0.5.16).
   */
  async #ask(messages: Buffer): Promise<Buffer> {
    if (this.#panic !== undefined) throw this.#panic
    const parts: Array<Buffer> = []
    const giveUp = (why: string): DatabasePanic => {
      if (this.#panic !== undefined) return this.#panic
      this.#panic = new DatabasePanic(why)
      this.#onPanic(this.#panic)
      return this.#panic
    }
    // A part is a view of the backend's memory: copy it at once. After some panics the backend goes round for ever, so
    // this is the last that is heard of it (PGlite 0.5.16: a rollback after a full disk).
    const onRawData = (view: Uint8Array) => {
      const part = Buffer.from(view)
      parts.push(part)
      const why = part.includes("VPANIC") ? panicOf(Buffer.concat(parts)) : undefined
      if (why !== undefined) throw giveUp(why)
    }
    let ended: string | undefined
    try {
      await this.#backend.execProtocolRawStream(messages, { syncToFs: false, onRawData })
    } catch (cause) {
      if (this.#panic !== undefined) throw this.#panic
      // PGlite throws by itself only where it was closed.
      if (this.#backend.closed) throw cause
      ended = `PostgreSQL's program has ended (${inspect(cause, { breakLength: Infinity, depth: 0 })})`
    }
    const [first] = parts
    const answer = first !== undefined && parts.length === 1 ? first : Buffer.concat(parts)
    const why = ended ?? panicOf(answer)
    if (why === undefined) return answer
    throw giveUp(why)
  }

  /** Takes back what the last guest has left in the backend's session, and lets `next` have its own again. */
  async #enter(next: Session | undefined): Promise<void> {
    const left = this.#guest
    if (left === next) return
    if (left !== undefined) {
      left.settings = left.ended ? undefined : firstField(await this.#ask(settingsAgain))
      for (const statement of discard) await this.#ask(statement)
      await this.#prepareAgain()
      this.#guest = undefined
    }
    if (next === undefined) return
    this.#guest = next
    if (next.settings !== undefined) await this.#ask(simple(next.settings))
  }

  /**
   * The prepared statements are this process's again, and no others: the driver counts on its own, and names are taken
   * once.
   */
  async #prepareAgain(): Promise<void> {
    const there = new Set(firstField(await this.#ask(preparedNames))?.split("\n"))
    const ours = new Map([...this.#ours].flatMap(({ prepared }) => [...prepared]))
    const others = [...there].filter((name) => !ours.has(name)).map(closeStatement)
    const gone = [...ours].flatMap(([name, prepares]) => (there.has(name) ? [] : [prepares]))
    if (others.length + gone.length > 0) await this.#ask(Buffer.concat([...others, ...gone, syncNow]))
  }

  async #serve(session: Session): Promise<void> {
    for (let messages = session.nextMessages(); messages !== undefined; messages = session.nextMessages()) {
      if (this.#owner !== session) await this.#enter(session.guest ? session : undefined)
      this.#owner = session
      const answer = await this.#ask(messages)
      if (session.started) session.note(messages)
      session.started = true
      await this.#yield()
      if (!session.ended && answer.length > 0) session.push(answer)
      if (endsIdle(answer)) {
        this.#owner = undefined
        // Other sessions are waiting, so this one queues again.
        if (this.#waiting.size > 0 && session.inbound.length > 0) {
          this.#waiting.add(session)
          return
        }
      }
    }
    if (session.ended && this.#owner === session) {
      await this.#ask(rollback)
      this.#owner = undefined
    }
    if (!session.ended) return
    if (this.#guest === session) await this.#enter(undefined)
    if (this.#ours.delete(session) && session.prepared.size > 0)
      await this.#ask(Buffer.concat([...[...session.prepared.keys()].map(closeStatement), syncNow]))
  }
}
