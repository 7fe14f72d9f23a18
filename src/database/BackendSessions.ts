/**
 * Many sessions on one embedded PostgreSQL backend. PGlite is a single backend with one transaction at a time. Each
 * session (a `Duplex` that speaks the wire protocol) uses it from its first message until the backend reports that no
 * transaction is open (`ReadyForQuery` with status `I`). The others wait.
 */
import type { PGlite } from "@electric-sql/pglite"
import { Duplex } from "node:stream"
import { type LoopTurn, processTurn } from "../kernel/LoopTurn.ts"

const sslRequest = 80_877_103
const gssRequest = 80_877_104
const cancelRequest = 80_877_102
const terminate = 0x58 // X
const query = 0x51 // Q
const sync = 0x53 // S
const readyForQuery = 0x5a // Z
const idle = 0x49 // I
const errorResponse = 0x45 // E

const rollback = Buffer.from([query, 0, 0, 0, 13, ...Buffer.from("ROLLBACK\0")])

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

/** Whether the backend has answered to the end, and can be asked again. */
const endsReady = (answer: Uint8Array): boolean => answer.length >= 6 && answer.at(-6) === readyForQuery

/** Whether the backend's answer ends outside any transaction. */
const endsIdle = (answer: Uint8Array): boolean => endsReady(answer) && answer.at(-1) === idle

/** PostgreSQL has given up, usually because a disk can't be written to. What was committed is there at its next start. */
export class DatabasePanic extends Error {
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

/** Why PostgreSQL has given up, if an answer says so. It must not be asked again then: it would never answer (PGlite 0.5.16). */
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
  inbound: Buffer = Buffer.alloc(0)
  started = false
  ended = false

  constructor(sessions: BackendSessions) {
    super({ allowHalfOpen: false })
    this.#sessions = sessions
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
        this.started = true
        return messages
      }
      // Terminate ends the client's session, not the backend.
      if (messages[0] === terminate) {
        this.push(null)
        this.ended = true
        return undefined
      }
      return messages
    }
    return undefined
  }
}

/** Gives the backend to one session at a time, and switches only between transactions. */
export class BackendSessions {
  readonly #backend: PGlite
  readonly #turn: LoopTurn
  readonly #waiting = new Set<Session>()
  readonly #onPanic: (panic: DatabasePanic) => void
  #owner: Session | undefined
  #running = false
  #panic: DatabasePanic | undefined

  constructor(backend: PGlite, turn: LoopTurn = processTurn, onPanic: (panic: DatabasePanic) => void = endProcess) {
    this.#backend = backend
    this.#turn = turn
    this.#onPanic = onPanic
  }

  /** A new session. */
  open(): Session {
    return new Session(this)
  }

  /** Bytes arrived for `session`, or it ended. */
  wake(session: Session): void {
    this.#waiting.add(session)
    if (!this.#running) void this.#run()
  }

  #next(): Session | undefined {
    if (this.#owner !== undefined) return this.#waiting.has(this.#owner) ? this.#owner : undefined
    return this.#waiting.values().next().value
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
    // A part is a view of the backend's memory: copy it at once.
    const onRawData = (part: Uint8Array) => void parts.push(Buffer.from(part))
    await this.#backend.execProtocolRawStream(messages, { syncToFs: false, onRawData })
    const [first] = parts
    const answer = first !== undefined && parts.length === 1 ? first : Buffer.concat(parts)
    const why = panicOf(answer)
    if (why === undefined) return answer
    this.#panic = new DatabasePanic(why)
    this.#onPanic(this.#panic)
    throw this.#panic
  }

  async #serve(session: Session): Promise<void> {
    for (let messages = session.nextMessages(); messages !== undefined; messages = session.nextMessages()) {
      this.#owner = session
      const answer = await this.#ask(messages)
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
  }
}
