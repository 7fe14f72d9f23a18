/**
 * How a call of the provider's client is made: its answer is judged before the client reads it, its error becomes the
 * gateway's, calls to a provider that is down are held back, and lists are read page by page.
 *
 * The client promises errors for what it can't read, but takes an answer's kind for granted: JSON that is no object
 * makes it throw where nobody can catch it, and an error without an `error` member passes as the object that was asked
 * for. So it reads objects only, and errors only with an `error` of the documented form
 * (https://docs.stripe.com/api/errors). `StripeMessages.ts` judges what is in them.
 */
import { Cause, Clock, Data, Duration, Effect, Exit, Layer, Option, Predicate, Schedule, Schema } from "effect"
import { CircuitBreaker } from "effect/persistence"
import { Stripe } from "stripe"
import { AsyncLocalStorage } from "node:async_hooks"
import { Readable } from "node:stream"
import type { DatedAnswer } from "./ProviderHealth.ts"
import {
  AccountUnavailable,
  type GatewayError,
  maxListed,
  ProviderKeyReused,
  ProviderRefused,
  ProviderUnavailable,
  type UnavailableKind
} from "./PaymentGateway.ts"
import { type ReadPage, readPage, readPageOfV2, redactAddresses } from "./StripeMessages.ts"
import { monotonicMsOf, onSteadyClock } from "../../../platform/time/Elapsed.ts"

/**
 * The longest answer that is read, in characters. A page of 100 objects, with what is expanded, takes about a tenth.
 */
const maxAnswerLength = 16 * 1024 * 1024

/** An answer that the provider's documentation does not know: it says nothing about the call. */
class UnreadableAnswer extends Data.TaggedError("UnreadableAnswer")<{ readonly status: number }> {
  override get message(): string {
    return `HTTP ${this.status}`
  }
}

/** The call's caller has gone: another try would be for nobody. */
class CallerGone extends Data.TaggedError("CallerGone") {
  override get message(): string {
    return "nobody waits for the answer"
  }
}

const member = (value: unknown, name: string): unknown => (Predicate.hasProperty(value, name) ? value[name] : undefined)

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** What the client and `failureOf` read of an error, if it is text. */
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
    if (answer === undefined) throw new UnreadableAnswer({ status })
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
    if (callers.getStore()?.aborted === true) throw new CallerGone()
    const sent_at = this.#clock.currentTimeMillisUnsafe()
    const response = await this.#client.makeRequest(...request)
    const { date } = response.getHeaders()
    const received_at = this.#clock.currentTimeMillisUnsafe()
    const received_monotonic = monotonicMsOf(this.#clock)
    this.#observe({ date: typeof date === "string" ? date : undefined, sent_at, received_at, received_monotonic })
    return new JudgedResponse(response)
  }
}

/**
 * The HTTP client of the provider's client. Its answers are judged; one that can't be read is an `UnreadableAnswer`.
 * `observe` is told when each answer was sent by the provider's clock.
 */
export const judgingHttpClient = (observe: (answer: DatedAnswer) => void): Effect.Effect<Stripe.HttpClient> =>
  Effect.map(Clock.Clock, (clock) => new JudgingClient(clock, observe))

// Errors of the provider's client as the gateway's.

/**
 * Codes and messages of https://docs.stripe.com/error-codes that say the connected account can't take payments: closed,
 * deauthorised, not activated, or lacking the capability.
 */
const accountCodes = new Set([
  "account_closed",
  "account_invalid",
  "account_restricted",
  "charge_not_allowed",
  "capability_not_enabled",
  "insufficient_capabilities_for_transfer",
  "not_allowed_on_standard_account",
  "payouts_not_allowed",
  "testmode_charges_only"
])
const accountMessage =
  /cannot currently make (live )?charges|account .*(has been|is) (closed|rejected|deactivated|restricted)|does not have access to account/i

/** Refusals of our own key: it has expired, lacks rights, or is of the other mode. */
const keyCodes = new Set([
  "api_key_expired",
  "platform_api_key_expired",
  "platform_account_required",
  "secret_key_required",
  "more_permissions_required",
  "more_permissions_required_for_application",
  "livemode_mismatch"
])
const keyMessage = /does not have the required permissions/i

// The standard also allows an HTTP date, but the provider sends seconds; other values are ignored. FiniteFromString alone
// reads an empty text as 0.
const RetryAfter = Schema.decodeUnknownOption(
  Schema.String.check(Schema.isStringFinite()).pipe(
    Schema.decodeTo(Schema.FiniteFromString.check(Schema.isBetween({ minimum: 0, maximum: 86_400 })))
  )
)
const Headers = Schema.decodeUnknownOption(Schema.Struct({ "retry-after": Schema.String }))
// https://docs.stripe.com/api/idempotent_requests: the provider stores server errors under the key, too, for a day.
const isReplayed = Schema.is(Schema.Struct({ "idempotent-replayed": Schema.Literal("true") }))

const retryAfter = (headers: unknown): number | undefined =>
  Headers(headers).pipe(
    Option.flatMap((found) => RetryAfter(found["retry-after"])),
    Option.map(Math.ceil),
    Option.getOrUndefined
  )

/** `outage`: the provider as a whole seems to be down; the circuit breaker counts it. */
export interface Failure {
  readonly error: GatewayError
  readonly outage: boolean
}

// A refused key or a rate limit is our own problem, not an outage.
const outages = new Set<UnavailableKind>(["network", "timeout", "failing"])

const unavailable = (operation: string, kind: UnavailableKind, reason: string, seconds?: number): Failure => ({
  error: new ProviderUnavailable({
    operation,
    kind,
    reason: redactAddresses(reason),
    ...(seconds === undefined ? {} : { retry_after_seconds: seconds })
  }),
  outage: outages.has(kind)
})

/** The answer does not match the provider's documentation. It counts as an outage. */
export const unreadableAnswer = (operation: string): Failure =>
  unavailable(operation, "failing", "the provider's answer could not be read")

/** The provider made something else than was asked, and keeps that answer under the call's idempotency key. */
export const contradiction = (operation: string, what: string): ProviderUnavailable =>
  new ProviderUnavailable({
    operation,
    reason: `the provider made something else than was asked: ${redactAddresses(what)}`,
    kept: true
  })

/** The call timed out. */
export const noAnswer = (operation: string): Failure => unavailable(operation, "timeout", "no answer in time")

const Detail = Schema.decodeUnknownOption(
  Schema.Struct({ message: Schema.String, code: Schema.optionalKey(Schema.String) })
)

/** Why the client got no answer. Its message is the same for all causes, so this reads the detail. */
const connectionFailure = (operation: string, thrown: Stripe.errors.StripeError, message: string): Failure => {
  const detail = Option.getOrUndefined(Detail(thrown.detail))
  if (detail?.code === "ETIMEDOUT" || /timeout|timed out/i.test(message)) {
    return unavailable(operation, "timeout", "no answer in time")
  }
  return unavailable(operation, "network", `the provider can't be reached: ${detail?.message ?? message}`)
}

/**
 * The gateway's error for a thrown one. Network failures, timeouts, 5xx, HTML, 429, 401 (our key was revoked or is
 * being rotated: the call works again with a correct key) and 409 (the same idempotency key is in use) are
 * `ProviderUnavailable`, as are codes that refuse our key. A reused key is `ProviderKeyReused`; other 403 and the codes
 * above are `AccountUnavailable`; every other 4xx is `ProviderRefused`. Only what the provider says in an `error` of
 * its own is refused (`readableAnswer`).
 */
export const failureOf = (operation: string, account: string, thrown: unknown): Failure => {
  if (!(thrown instanceof Stripe.errors.StripeError)) {
    return unavailable(operation, "failing", thrown instanceof Error ? thrown.message : "unknown failure")
  }
  const status = thrown.statusCode
  const message = thrown.message.split("\n")[0] ?? ""
  // The client's own error for an answer that `readableAnswer` did not let it read.
  if (thrown instanceof Stripe.errors.StripeAPIError && status === undefined) return unreadableAnswer(operation)
  if (thrown instanceof Stripe.errors.StripeConnectionError || status === undefined) {
    return connectionFailure(operation, thrown, message)
  }
  if (thrown instanceof Stripe.errors.StripeIdempotencyError) {
    return { error: new ProviderKeyReused({ operation }), outage: false }
  }
  // Errors of `/v2/` have other classes (https://docs.stripe.com/api-v2-overview): the status tells it of both.
  if (status === 429 || thrown instanceof Stripe.errors.StripeRateLimitError) {
    return unavailable(operation, "rate_limited", "the provider limits our rate", retryAfter(thrown.headers) ?? 1)
  }
  if (status === 401) return unavailable(operation, "key_refused", "the provider does not accept our API key")
  if (status === 409)
    return unavailable(operation, "under_way", "the same call is still under way", retryAfter(thrown.headers) ?? 1)
  if (status >= 500) {
    const reason = `the provider answered ${status}`
    // A replayed answer says nothing about the provider's present state.
    if (isReplayed(thrown.headers)) {
      return { error: new ProviderUnavailable({ operation, kind: "failing", reason, kept: true }), outage: false }
    }
    return unavailable(operation, "failing", reason, retryAfter(thrown.headers))
  }
  const code = redactAddresses(thrown.code ?? thrown.rawType ?? "unknown", 100)
  // Errors reach logs and lists, and the provider repeats refused input, even a payer's e-mail address.
  const words = redactAddresses(message)
  if (keyCodes.has(code) || keyMessage.test(message))
    return unavailable(operation, "key_refused", "the provider does not accept our API key")
  if (status === 403 || accountCodes.has(code) || accountMessage.test(message)) {
    return { error: new AccountUnavailable({ account, reason: words }), outage: false }
  }
  const parameter = thrown.param === undefined ? undefined : redactAddresses(thrown.param, 100)
  return {
    error: new ProviderRefused({ operation, code, message: words, ...(parameter === undefined ? {} : { parameter }) }),
    outage: false
  }
}

// Stops calls to a provider that is down, and tries it again with one of them every second or two.

/** The provider as a whole is down or not: there is one circuit. */
const key = "provider"

/** The circuit of this process, whose times no step of the machine's clock changes. */
const circuits = Layer.effect(
  CircuitBreaker.CircuitBreakerStore,
  CircuitBreaker.CircuitBreakerStore.use(({ admit, record, state }) =>
    Effect.succeed(
      CircuitBreaker.CircuitBreakerStore.of({
        admit: (name) => onSteadyClock(admit(name)),
        record: (outcome) => onSteadyClock(record(outcome)),
        state: (name) => onSteadyClock(state(name))
      })
    )
  )
).pipe(Layer.provide(CircuitBreaker.layerStoreMemory()))

/**
 * Makes what runs a call within a time. After five outages in a row calls fail at once, but for one every second or
 * two. If that succeeds, all go on. It gets `longestTryMs` at most, since all others wait for it.
 */
export const makeOutageBreaker = Effect.fnUntraced(
  function* (longestTryMs: number) {
    const breaker = yield* CircuitBreaker.make({
      tripPolicy: CircuitBreaker.consecutive(5),
      openDuration: Schedule.min([Schedule.exponential("1 second"), Schedule.spaced("2 seconds")])
    })
    return <A>(operation: string, timeoutMs: number, call: Effect.Effect<A, Failure>): Effect.Effect<A, GatewayError> =>
      Effect.flatMap(breaker.state(key), ({ _tag }) =>
        Effect.timeoutOrElse(call, {
          duration: Duration.millis(_tag === "HalfOpen" ? Math.min(timeoutMs, longestTryMs) : timeoutMs),
          orElse: () => Effect.fail(noAnswer(operation))
        })
      ).pipe(
        breaker.execute({
          key,
          classify: (exit: Exit.Exit<A, CircuitBreaker.CircuitBreakerError | Failure>) => {
            if (Exit.isSuccess(exit)) return CircuitBreaker.success
            // A defect is a fault of ours, whatever the provider does.
            const failure = Cause.findErrorOption(exit.cause)
            const outage = Option.isSome(failure) && "outage" in failure.value && failure.value.outage
            return outage ? CircuitBreaker.failure() : CircuitBreaker.ignored
          }
        }),
        Effect.mapError((failure): GatewayError => {
          if (!(failure instanceof CircuitBreaker.CircuitBreakerError)) return failure.error
          return new ProviderUnavailable({
            operation,
            kind: "paused",
            reason: "the provider failed several times in a row; waiting before the next try",
            retry_after_seconds:
              failure.reason._tag === "CircuitOpen"
                ? Math.max(1, Math.ceil(Duration.toSeconds(failure.reason.retryAfter)))
                : 1
          })
        })
      )
  },
  Effect.provide(Layer.fresh(circuits))
)

// Lists, page by page (https://docs.stripe.com/api/pagination).

/** The provider's maximum page size. */
const pageSize = 100

/** Sends a call and reads its answer. */
type StripeCall = <A>(
  operation: string,
  account: string,
  send: () => Promise<unknown>,
  read: (answer: unknown) => Option.Option<A>
) => Effect.Effect<A, GatewayError>

type ListPage = (page: { readonly limit: number; readonly starting_after?: string }) => Promise<unknown>

/** Asks for the page that begins at `at`; for the first page if that is undefined. */
type AskPage<A> = (at: string | undefined) => Effect.Effect<ReadPage<A>, GatewayError>

/**
 * Reads all pages, one call each; in the provider's order. Fails with `ProviderRefused` if there are more than
 * `maxListed` objects, and with `ProviderUnavailable` if a page leads back to one that was read.
 */
const readAll = Effect.fnUntraced(function* <A>(operation: string, about: string, ask: AskPage<A>) {
  const found: Array<A> = []
  const seen = new Set<string>()
  let at: string | undefined
  do {
    const { items, next } = yield* ask(at)
    found.push(...items)
    if (next !== undefined && seen.has(next)) return yield* unreadableAnswer(operation).error
    if (next !== undefined && found.length >= maxListed) {
      return yield* new ProviderRefused({
        operation,
        code: "too_many",
        message: `${about} has more than ${maxListed}: ask for a shorter time.`
      })
    }
    if (next !== undefined) seen.add(next)
    at = next
  } while (at !== undefined)
  return found
})

/**
 * Reads a page of a list, or all of it. Nothing else reads lists: the client's own paging takes their form for granted.
 */
export const stripeLists = (call: StripeCall) => {
  /** Asks for a page. Retries after a rate limit. */
  const askPage = <A>(
    operation: string,
    account: string,
    send: () => Promise<unknown>,
    read: (answer: unknown) => Option.Option<ReadPage<A>>
  ) =>
    call(operation, account, send, read).pipe(
      Effect.retry({
        times: 5,
        while: (error) => error._tag === "ProviderUnavailable" && error.kind === "rate_limited",
        schedule: Schedule.spaced("2 seconds")
      })
    )

  /** Reads one page: the first, or the one after an id. */
  const listPage = <A>(
    operation: string,
    account: string,
    read: (item: unknown) => Option.Option<A>,
    list: ListPage,
    after: string | undefined
  ) =>
    askPage(
      operation,
      account,
      () => list(after === undefined ? { limit: pageSize } : { limit: pageSize, starting_after: after }),
      readPage(read)
    )

  /** Reads all pages; oldest first. */
  const listAll = <A>(
    operation: string,
    account: string,
    read: (item: unknown) => Option.Option<A>,
    list: ListPage
  ): Effect.Effect<ReadonlyArray<A>, GatewayError> =>
    readAll(operation, account === "" ? "The platform's account" : `Account ${account}`, (after) =>
      listPage(operation, account, read, list, after)
    ).pipe(Effect.map((newestFirst) => newestFirst.toReversed()))

  /** Reads all pages of a list of `/v2/` at `path`, on the platform's own account. */
  const listAllOfV2 = <A>(
    operation: string,
    path: string,
    read: (item: unknown) => Option.Option<A>,
    first: (page: { readonly limit: number }) => Promise<unknown>,
    next: (address: string) => Promise<unknown>
  ): Effect.Effect<ReadonlyArray<A>, GatewayError> =>
    readAll(operation, "The platform's account", (address) =>
      askPage(
        operation,
        "",
        () => (address === undefined ? first({ limit: pageSize }) : next(address)),
        readPageOfV2(path, read)
      )
    )

  return { listPage, listAll, listAllOfV2 }
}

export type Lists = ReturnType<typeof stripeLists>
