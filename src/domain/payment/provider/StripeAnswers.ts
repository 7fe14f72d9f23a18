/**
 * Judges the provider's answers before its client reads them. The client promises errors for what it can't read, but
 * takes an answer's kind for granted: JSON that is no object makes it throw where nobody can catch it, and an error
 * without an `error` member passes as the object that was asked for. So it reads objects only, and errors only with an
 * `error` of the documented form (https://docs.stripe.com/api/errors). `StripeMessages.ts` judges what is in them.
 */
import { Clock, Effect, Predicate } from "effect"
import { AsyncLocalStorage } from "node:async_hooks"
import { Readable } from "node:stream"
import { Stripe } from "stripe"
import type { DatedAnswer } from "./ProviderHealth.ts"

/**
 * The longest answer that is read, in characters. A page of 100 objects, with what is expanded, takes about a tenth.
 */
const maxAnswerLength = 16 * 1024 * 1024

/** An answer that the provider's documentation does not know: it says nothing about the call. */
export class UnreadableAnswer extends Error {
  override readonly name = "UnreadableAnswer"
}

/** The call's caller has gone: another try would be for nobody. */
class CallerGone extends Error {
  override readonly name = "CallerGone"
}

const member = (value: unknown, name: string): unknown => (Predicate.hasProperty(value, name) ? value[name] : undefined)

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** What the client and `StripeErrors.ts` read of an error, if it is text. */
const errorTexts = ["type", "code", "message", "param"] as const

/** An answer's own error, in texts alone; undefined if it has none that says anything. */
const ownError = (answer: unknown): object | undefined => {
  const error = isObject(answer) ? member(answer, "error") : undefined
  if (!isObject(error)) return undefined
  const texts = errorTexts.flatMap((name) => {
    const text = member(error, name)
    return typeof text === "string" ? [[name, text] as const] : []
  })
  return texts.length === 0 ? undefined : Object.fromEntries(texts)
}

/** Whether the status alone tells why a call failed: our key, a call still under way, our rate, or a failing server. */
const tellsByStatus = (status: number): boolean => status === 401 || status === 409 || status === 429 || status >= 500

/**
 * What the client may read of an answer; undefined if it can't be read. `json`: undefined if the body is no JSON. A
 * refusal (400, 402, 403, 404 …) is the provider's only with an `error` of its own: proxies refuse, too.
 */
export const readableAnswer = (status: number, json: unknown): object | undefined => {
  if (status >= 400) {
    const error = ownError(json)
    if (error !== undefined) return { error }
    return tellsByStatus(status) ? { error: { type: "api_error", message: `HTTP ${status}` } } : undefined
  }
  const made = status === 200 || status === 201
  return made && isObject(json) && (member(json, "error") ?? null) === null ? json : undefined
}

/** Whose call is being sent: its signal is aborted when they no longer wait. */
const callers = new AsyncLocalStorage<AbortSignal>()

/** Sends a call whose tries end when the signal is aborted. */
export const forCaller = <A>(signal: AbortSignal, send: () => Promise<A>): Promise<A> => callers.run(signal, send)

class JudgedResponse extends Stripe.HttpClientResponse {
  readonly #response: Stripe.HttpClientResponse

  constructor(response: Stripe.HttpClientResponse) {
    super(response.getStatusCode(), response.getHeaders())
    this.#response = response
  }

  override getRawResponse(): unknown {
    return this.#response.getRawResponse()
  }

  /** The client retries without reading the body: the connection is not used again. */
  dispose(): void {
    const body = this.getRawResponse()
    if (body instanceof Readable) body.destroy()
  }

  override async toJSON(): Promise<object> {
    const status = this.getStatusCode()
    const answer = readableAnswer(status, await this.#read())
    if (answer === undefined) throw new UnreadableAnswer(`HTTP ${status}`)
    return answer
  }

  /** The body; undefined if it is no JSON, or longer than any answer. Rejects if it did not arrive. */
  async #read(): Promise<unknown> {
    const body = this.getRawResponse()
    const caller = callers.getStore()
    const leave = () => this.dispose()
    let length = 0
    if (body instanceof Readable) {
      body.on("data", (part: string | Buffer) => {
        length += part.length
        if (length > maxAnswerLength) leave()
      })
    }
    caller?.addEventListener("abort", leave, { once: true })
    try {
      const json: unknown = await this.#response.toJSON()
      return json
    } catch (thrown) {
      if (thrown instanceof SyntaxError || length > maxAnswerLength) return undefined
      throw thrown
    } finally {
      caller?.removeEventListener("abort", leave)
    }
  }
}

class JudgingClient extends Stripe.HttpClient {
  readonly #client = Stripe.createNodeHttpClient()
  readonly #clock: Clock.Clock
  readonly #observe: (answer: DatedAnswer) => void

  constructor(clock: Clock.Clock, observe: (answer: DatedAnswer) => void) {
    super()
    this.#clock = clock
    this.#observe = observe
  }

  override getClientName(): string {
    return this.#client.getClientName()
  }

  override async makeRequest(
    ...request: Parameters<Stripe.HttpClient["makeRequest"]>
  ): Promise<Stripe.HttpClientResponse> {
    if (callers.getStore()?.aborted === true) throw new CallerGone("nobody waits for the answer")
    const sent_at = this.#clock.currentTimeMillisUnsafe()
    const response = await this.#client.makeRequest(...request)
    const { date } = response.getHeaders()
    const received_at = this.#clock.currentTimeMillisUnsafe()
    this.#observe({ date: typeof date === "string" ? date : undefined, sent_at, received_at })
    return new JudgedResponse(response)
  }
}

/**
 * The HTTP client of the provider's client. Its answers are judged; one that can't be read is an `UnreadableAnswer`.
 * `observe` is told when each answer was sent by the provider's clock.
 */
export const judgingHttpClient = (observe: (answer: DatedAnswer) => void): Effect.Effect<Stripe.HttpClient> =>
  Effect.map(Clock.Clock, (clock) => new JudgingClient(clock, observe))
