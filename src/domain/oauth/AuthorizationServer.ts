/**
 * The authorization server of `/mcp/connect`: OAuth 2.1 by `oidc-provider`, with state, keys and grants in the
 * database, so that any node answers any request. `pages/connect` renders the consent page and reports the person's
 * decision.
 */
import { Data, Effect, type Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type SqlError } from "effect/sql"
import { AsyncLocalStorage } from "node:async_hooks"
import { createHmac, timingSafeEqual } from "node:crypto"
import { errors, type Provider } from "oidc-provider"
import { AppConfig } from "../../platform/config/AppConfig.ts"
import type { Scope } from "../../platform/access/ApiKeys.ts"
import { RateLimits } from "../../platform/access/RateLimits.ts"
import { PublicDocuments } from "../../platform/access/PublicDocuments.ts"
import { documentRequest, askedScopes, makeProvider, hostOf, shownHost, shownName } from "./OAuthConfiguration.ts"
import { languages } from "../../words/Languages.ts"
import { type ConnectKey, ConnectKeys } from "./ConnectKeys.ts"
import { Grants, shareUsedUp, takeShare } from "./Grants.ts"
import {
  issuerPath,
  paths,
  toolsPath,
  type ConnectAnswer,
  type ConnectRequest,
  exchange,
  KeptResponse,
  messageOf,
  namedScopes,
  withAllScopes,
  withGrantedScopes,
  withoutEmptySecret,
  withOwnResource
} from "./OAuthExchange.ts"
import { providerState } from "./OAuthState.ts"

/** A request for consent. The client's texts are bounded and hold no control or invisible characters. */
export interface Consent {
  readonly id: string
  /** The client's host: that of its document or of its redirect address. */
  readonly host: string
  /**
   * Whether `host` is proven (the client's document is published there), claimed, or absent for a program on the
   * person's device.
   */
  readonly standing: "proven" | "said" | "local"
  /** The client's name for itself. */
  readonly client_name: string | undefined
  /** Where the person is redirected to. */
  readonly redirect_uri: string
  readonly scopes: ReadonlyArray<Scope>
  /** Proves that a form came from this consent page. */
  readonly form_token: string
  /** Where a consent that was already decided continues; undefined if it was not. */
  readonly decided: string | undefined
}

/** The person's decision. */
export type Decision =
  | { readonly by: "key"; readonly key: Redacted.Redacted }
  /** `agreed`: what to do for the guest with this key before the host gets access. */
  | { readonly by: "guest"; readonly agreed?: (key_id: string) => Effect.Effect<void, SqlError.SqlError> }
  | { readonly by: "refusal" }

/**
 * There is no such consent for this browser: the request lacks its cookie, it was decided a while ago, half an hour has
 * passed, or the database does not answer.
 */
class NoConsent extends Data.TaggedError("NoConsent")<{
  readonly why: "no_cookie" | "decided" | "expired" | "unavailable"
}> {
  override get message(): string {
    return `There is no consent for this browser: ${this.why}`
  }
}
/** The form did not come from the consent page. */
class ForeignForm extends Data.TaggedError("ForeignForm") {
  override readonly message = "The form did not come from the consent's own page."
}

/**
 * After a decision the library clears the cookie that a second press needs. It is kept: it holds for this one consent,
 * and for half an hour at most.
 */
const keepingCookies =
  ({ target }: ConnectRequest) =>
  (answer: ConnectAnswer): ConnectAnswer =>
    target.startsWith(`${paths.authorization}/`)
      ? { ...answer, cookies: answer.cookies.filter((line) => !/; expires=Thu, 01 Jan 1970/i.test(line)) }
      : answer

const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

/** A database failure as a protocol error. */
const unavailable = (): Error =>
  Object.assign(new errors.TemporarilyUnavailable("the service can't answer for a moment"), {
    status: 503,
    statusCode: 503
  })

/** The authorization server, over the keys and grants that the database holds. */
export const makeAuthorizationServer = Effect.gen(function* () {
  const { allowedHosts, baseUrl, rateLimits } = yield* AppConfig
  const sql = yield* SqlClient.SqlClient
  const random = yield* SecureRandom.SecureRandom
  const keys = yield* ConnectKeys
  const grants = yield* Grants
  const documents = yield* PublicDocuments
  const limits = yield* RateLimits
  const run = Effect.runPromiseWith(yield* Effect.context<never>())
  const issuer = new URL(baseUrl + issuerPath)
  const resource = baseUrl + toolsPath
  const own = { resource, allowedHosts }

  /** The edge to the library's promises: database failures reach its caller as protocol errors. */
  const toPromise = <A>(effect: Effect.Effect<A, SqlError.SqlError | Error>): Promise<A> =>
    run(
      Effect.catchTag(effect, "SqlError", (error) =>
        Effect.andThen(
          Effect.logWarning("The authorization server's state can't be reached", error),
          Effect.fail(unavailable())
        )
      )
    )

  const state = providerState(
    sql,
    random,
    toPromise,
    () => new errors.InvalidGrant("it was used before, or at the same moment")
  )

  /** For whom the library fetches what a client names: its document, its keys. */
  const senders = new AsyncLocalStorage<string>()

  const build = (current: ReadonlyArray<ConnectKey>): Provider => {
    const provider = makeProvider({
      issuer: issuer.href,
      own,
      documentation: `${baseUrl}/docs`,
      languages,
      keys: current,
      state,
      fetch: (address, init) => {
        const asking = documentRequest(new Headers(init?.headers).get("accept") ?? "application/json")
        const sender = senders.getStore()
        return run(
          Effect.andThen(
            sender === undefined ? Effect.void : limits.takeForClientDocument(sender),
            documents.fetch(String(address), asking)
          )
        )
      },
      grantCounts: (grant_id) => toPromise(grants.counts(grant_id))
    })
    const log = (error: unknown): void => void run(Effect.logError("The authorization server failed", error))
    provider.on("server_error", (_context, error) => log(error))
    // The library is a Koa application, though its types do not say so. Without this it writes errors to the
    // console.
    Reflect.apply(provider.on, provider, ["error", log])
    return provider
  }

  // A rotation of the keys makes a new one.
  let built: { readonly of: string; readonly provider: Provider } | undefined
  const provider = Effect.map(keys.current, (current) => {
    const of = current.map(({ generation }) => generation).join()
    if (built?.of !== of) built = { of, provider: build(current) }
    return { provider: built.provider, keys: current }
  })

  const anotherResource: ConnectAnswer = {
    status: 400,
    headers: { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" },
    cookies: [],
    body: JSON.stringify({ error: "invalid_target", error_description: `the only resource here is ${resource}` })
  }

  /** Has the library answer a request, whose sender is who it fetches for. */
  const through = (library: Provider, request: ConnectRequest) =>
    Effect.promise(() => senders.run(request.address, () => exchange(library, issuer, request)))

  const token = Effect.fnUntraced(function* (library: Provider, request: ConnectRequest) {
    const body = withOwnResource(request.body, own)
    if (body === undefined) return anotherResource
    const form = new URLSearchParams(body)
    const named = namedScopes(body)
    // If the token or the code can't be read, the library says so itself.
    const known = yield* Effect.tryPromise<{ readonly scopes: ReadonlySet<string> } | undefined>(() =>
      form.get("grant_type") === "refresh_token"
        ? library.RefreshToken.find(form.get("refresh_token") ?? "")
        : library.AuthorizationCode.find(form.get("code") ?? "")
    ).pipe(Effect.orElseSucceed(() => undefined))
    const granted: ReadonlySet<string> = known?.scopes ?? new Set()
    const asked = named === undefined ? body : withGrantedScopes(body, granted)
    const answer = yield* through(library, { ...request, body: asked })
    return withAllScopes(answer, named?.scopes.filter((one) => granted.has(one)) ?? [...granted])
  })

  /** Registers a client, unless the share of its sender is used up. */
  const register = Effect.fnUntraced(function* (library: Provider, request: ConnectRequest) {
    const refused =
      rateLimits === undefined
        ? undefined
        : yield* Effect.provideService(takeShare("registration", request.address), SqlClient.SqlClient, sql)
    return refused === undefined ? yield* through(library, request) : shareUsedUp(refused)
  })

  const formToken = ({ cookie_secret }: ConnectKey, id: string): string =>
    createHmac("sha256", cookie_secret).update(`consent form ${id}`).digest("base64url")

  const isFormToken = (current: ReadonlyArray<ConnectKey>, id: string, token: string): boolean =>
    current.some((key) => {
      const [right, given] = [Buffer.from(formToken(key, id)), Buffer.from(token)]
      return right.length === given.length && timingSafeEqual(right, given)
    })

  /**
   * A call of the library outside its own addresses. Its refusals are returned as such; anything else is a defect.
   */
  const ask = <A>(call: () => Promise<A>): Effect.Effect<A, NoConsent> =>
    Effect.tryPromise({ try: call, catch: (error) => error }).pipe(
      Effect.catch((error) =>
        error instanceof errors.OIDCProviderError
          ? Effect.fail(new NoConsent({ why: error.statusCode >= 500 ? "unavailable" : "expired" }))
          : Effect.die(error)
      )
    )

  /** The consent that this request's path and cookie identify. */
  const consent = Effect.fn("AuthorizationServer.consent")(function* (id: string, request: ConnectRequest) {
    const { keys: current, provider: library } = yield* provider
    const message = messageOf(issuer, request)
    const { cookies } = library.createContext(message, new KeptResponse(message))
    if (cookies.get(library.cookieName("interaction")) === undefined) {
      return yield* new NoConsent({ why: "no_cookie" })
    }
    const interaction = yield* ask(() => library.interactionDetails(message, new KeptResponse(message))).pipe(
      Effect.catchIf(
        ({ why }) => why === "expired",
        (error) =>
          Effect.flatMap(state.isFinished(id), (finished) => (finished ? new NoConsent({ why: "decided" }) : error))
      )
    )
    // The cookie belongs to this address, unless somebody sends another on purpose.
    if (interaction.uid !== id) return yield* new NoConsent({ why: "no_cookie" })
    const { params, result, returnTo } = interaction
    const client_id = textOf(params.client_id)
    const client = yield* ask(() => library.Client.find(client_id))
    const [key] = current
    if (client === undefined || key === undefined) return yield* new NoConsent({ why: "expired" })
    const redirect_uri = textOf(params.redirect_uri)
    const proven = client_id.startsWith("https://")
    const host = hostOf(proven ? client_id : redirect_uri)
    const local = host === "localhost" || !redirect_uri.startsWith("https:")
    return {
      id,
      host: shownHost(host),
      standing: proven ? ("proven" as const) : local ? ("local" as const) : ("said" as const),
      client_name: shownName(client.clientName ?? ""),
      redirect_uri,
      scopes: askedScopes(params.scope),
      form_token: formToken(key, id),
      decided: result === undefined ? undefined : returnTo
    }
  })

  /** Stores a person's decision, once. Succeeds with the address to redirect the browser to. */
  const decide = Effect.fn("AuthorizationServer.decide")(function* (
    asked: Consent,
    decision: Decision,
    request: ConnectRequest,
    form_token: string
  ) {
    const { keys: current, provider: library } = yield* provider
    if (!isFormToken(current, asked.id, form_token)) return yield* new ForeignForm()
    if (asked.decided !== undefined) return asked.decided
    const message = messageOf(issuer, request)
    const finish = (result: Parameters<Provider["interactionResult"]>[2]) =>
      ask(() =>
        library.interactionResult(message, new KeptResponse(message), result, { mergeWithLastSubmission: false })
      )
    if (decision.by === "refusal") {
      return yield* finish({ error: "access_denied", error_description: "the person did not agree" })
    }
    const { params } = yield* ask(() => library.interactionDetails(message, new KeptResponse(message)))
    const client_id = textOf(params.client_id)
    const { grant_id, key_id, scopes } = yield* grants.agree(
      {
        consent: asked.id,
        scopes: asked.scopes,
        client_id,
        client_name: asked.client_name,
        host: asked.host,
        proven: asked.standing === "proven",
        address: request.address,
        key: decision.by === "key" ? decision.key : undefined
      },
      limits.guessGuard(request.address)
    )
    if (decision.by === "guest") yield* decision.agreed?.(key_id) ?? Effect.void
    const grant = Object.assign(new library.Grant({ accountId: key_id, clientId: client_id }), { jti: grant_id })
    grant.addResourceScope(resource, [...scopes])
    const others = textOf(params.scope)
      .split(" ")
      .filter((one) => one === "openid" || one === "offline_access")
    if (others.length > 0) grant.addOIDCScope(others)
    yield* ask(() => grant.save())
    yield* Effect.logInfo("A person agreed that a host acts for them", {
      grant_id,
      key_id,
      host: asked.host,
      sign_in: decision.by
    })
    return yield* finish({ login: { accountId: key_id, remember: false }, consent: { grantId: grant_id } })
  })

  return {
    issuer: issuer.href,
    /** Answers a request to one of the server's addresses. */
    respond: (request: ConnectRequest) =>
      Effect.flatMap(provider, ({ provider: library }) => {
        switch (request.target.split("?")[0]) {
          case paths.token:
            return token(library, withoutEmptySecret(request))
          case paths.revocation:
            // Some clients read any answer as JSON.
            return Effect.map(through(library, withoutEmptySecret(request)), (answer) =>
              answer.status === 200 && answer.body === ""
                ? { ...answer, headers: { ...answer.headers, "content-type": "application/json" }, body: "{}" }
                : answer
            )
          case paths.registration:
            return register(library, request)
          default:
            return Effect.map(through(library, request), keepingCookies(request))
        }
      }).pipe(Effect.withSpan("AuthorizationServer.respond")),
    /** Whether a person has decided on this consent, and was sent back to the client. */
    isFinished: state.isFinished,
    consent,
    decide
  }
})
