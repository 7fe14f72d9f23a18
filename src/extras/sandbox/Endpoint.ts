/**
 * Handles every call of the provider's API: faults, account, idempotency key, and the response in the provider's shape.
 */

import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Clock, Effect, Schema } from "effect"
import type { SecureRandom } from "effect/crypto"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { SqlClient, type SqlError } from "effect/sql"
import { createHash } from "node:crypto"
import { decodeRows } from "../../platform/database/Rows.ts"
import { savepoint } from "../../platform/database/Transactions.ts"
import { dayMs } from "../../platform/time/LocalTime.ts"
import { type Events, SandboxedService } from "./Events.ts"
import { Faults } from "./Faults.ts"
import { type Refusal, refusalBody, refuse, type Form, missing, type Rules } from "./Form.ts"
import { apiVersion, newId } from "./Objects.ts"

/** The sandbox's services. */
export type State = SqlClient.SqlClient | SecureRandom.SecureRandom | Events | SandboxedService

interface ApiCall {
  readonly account: string
  readonly id: string
  readonly query: string
  readonly body: string
  readonly refundStatus: "succeeded" | "failed" | "pending"
  /** The account has too little money for a refund (a fault). */
  readonly balanceInsufficient: boolean
}
/** Executes a call and returns its object. A call that changes something runs in a transaction. */
export type ApiHandler = (call: ApiCall) => Effect.Effect<object, Refusal | SqlError.SqlError, State>

/** A response of the API; `body` is JSON. */
interface Answer {
  readonly status: number
  readonly body: string
  /** The answer to an earlier call under the same idempotency key. */
  readonly replayed?: boolean
}

const answerOf = (status: number, object: object): Answer => ({ status, body: JSON.stringify(object, undefined, 2) })
const refusalAnswer = (refusal: Refusal): Answer => answerOf(refusal.status, refusalBody(refusal))
const serverError = refusalAnswer(
  refuse("An unknown error occurred", { status: 500, type: "api_error", code: "api_error" })
)

const response = ({ body, replayed, status }: Answer, headers: Record<string, string>) =>
  HttpServerResponse.text(body, {
    status,
    contentType: "application/json",
    headers: { ...headers, ...(replayed === true ? { "idempotent-replayed": "true" } : {}) }
  })

/** The account that a call is on: a connected one, or the platform's own. */
type AccountKind = "connected" | "platform"

/**
 * The connected account of a call, or `platform` for the platform's own. Accounts whose id starts with `acct_closed`
 * have revoked their access.
 */
const accountOf = (
  { headers }: HttpServerRequest.HttpServerRequest,
  kind: AccountKind,
  closed: boolean
): Effect.Effect<string, Refusal> => {
  const [, key] = /^Bearer (\S+)$/.exec(headers["authorization"] ?? "") ?? []
  if (key === undefined) return Effect.fail(refuse("You did not provide an API key.", { status: 401 }))
  if (!/^sk_test_\w+$/.test(key)) {
    const text = `Invalid API Key provided: ${key.slice(0, 8)}****. The sandbox takes keys that start with sk_test_.`
    return Effect.fail(refuse(text, { status: 401 }))
  }
  const version = headers["stripe-version"]
  if (version !== undefined && version !== apiVersion) {
    return Effect.fail(refuse(`Invalid Stripe API version: ${version}. The sandbox speaks ${apiVersion}.`))
  }
  const account = headers["stripe-account"]
  if (kind === "platform") {
    return account === undefined
      ? Effect.succeed(kind)
      : Effect.fail(
          refuse("The sandbox takes this call on the platform's own account only: leave the Stripe-Account header out.")
        )
  }
  if (account === undefined) {
    return Effect.fail(
      refuse("The sandbox takes this call on connected accounts only: send the Stripe-Account header.")
    )
  }
  if (closed || !/^acct_\w{1,64}$/.test(account) || account.startsWith("acct_closed")) {
    return Effect.fail(
      refuse(
        `The provided key 'sk_test_****' does not have access to account '${account}' (or that account does not exist). Application access may have been revoked.`,
        { status: 403, code: "account_invalid" }
      )
    )
  }
  return Effect.succeed(account)
}

const keptAnswers = decodeRows(
  Schema.Array(Schema.Struct({ request_hash: Schema.String, status: Schema.Int, body: Schema.String }))
)

/** A hash of a call's parameters that does not depend on their order. */
const requestHash = (path: string, encoded: string): string =>
  createHash("sha256")
    .update(JSON.stringify([path, Array.from(new URLSearchParams(encoded)).sort(([a], [b]) => (a < b ? -1 : 1))]))
    .digest("hex")

/**
 * Idempotency keys as the provider keeps them (https://docs.stripe.com/api/idempotent_requests): per account, for 24
 * hours. The same parameters return the first response again, even an error; other parameters are refused. Refusals
 * before any work are not stored. A concurrent call with the same key waits for the first and returns its response.
 */
const withIdempotencyKey = Effect.fnUntraced(function* <R>(
  call: { readonly account: string; readonly key: string; readonly hash: string },
  act: Effect.Effect<Answer, Refusal | SqlError.SqlError, R>
) {
  const sql = yield* SqlClient.SqlClient
  const { account, hash, key } = call
  if (key.length > 255)
    return yield* refuse("Idempotency keys are at most 255 characters.", { type: "idempotency_error" })
  const now = yield* Clock.currentTimeMillis
  const ofThis = sql`where account = ${account} and idempotency_key = ${key}`
  const run = Effect.gen(function* () {
    yield* sql`delete from sandbox.idempotency where created_at <= ${new Date(now - dayMs)}`
    // A second call waits here until the first has committed. If the first fails, the second executes.
    const inserted = yield* sql`insert into sandbox.idempotency (account, idempotency_key, request_hash, created_at)
      values (${account}, ${key}, ${hash}, ${new Date(now)}) on conflict do nothing returning idempotency_key`
    if (inserted.length === 0) {
      const [kept] = yield* keptAnswers(sql`select request_hash, status, body from sandbox.idempotency ${ofThis}`)
      if (kept === undefined) return yield* Effect.die("an idempotency key that is taken has no row")
      if (kept.request_hash !== hash) {
        return yield* refuse(
          `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`,
          { type: "idempotency_error" }
        )
      }
      return { status: kept.status, body: kept.body, replayed: true }
    }
    // Roll a refused call back, and store the refusal.
    const answer = yield* Effect.catchTag(savepoint(sql)(act), "Refusal", (refusal) =>
      refusal.invalid === true ? Effect.fail(refusal) : Effect.succeed(refusalAnswer(refusal))
    )
    yield* sql`update sandbox.idempotency set status = ${answer.status}, body = ${answer.body} ${ofThis}`
    return answer
  })
  return yield* sql.withTransaction(run)
})

// The client sees a closed connection, and no response.
const closeConnection = (request: HttpServerRequest.HttpServerRequest) =>
  Effect.andThen(
    Effect.sync(() => NodeHttpServerRequest.toIncomingMessage(request).socket.destroy()),
    Effect.never
  )

/** A route of the API. */
export const endpoint = (handler: ApiHandler, kind: AccountKind = "connected") =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const { pathname: path, search } = new URL(request.originalUrl, "http://sandbox")
    const query = search.slice(1)
    const body = yield* request.text
    const { method } = request
    const named = request.headers["stripe-account"] ?? ""
    const fault = yield* (yield* Faults).nextApiFault({ method, path, query, body, account: named })
    const key = request.headers["idempotency-key"]
    const headers: Record<string, string> = {
      "request-id": yield* newId("req_", 14),
      "stripe-version": apiVersion,
      ...(key === undefined ? {} : { "idempotency-key": key })
    }
    const saved = fault === "error_500_saved" || fault === "error_500_saved_after"
    if (fault === "hang") return yield* Effect.never
    if (fault === "cut") return yield* closeConnection(request)
    if (fault === "error_500" || (saved && (method !== "POST" || key === undefined)))
      return response(serverError, headers)
    if (fault === "rate_limit") {
      const refusal = refuse("Request rate limit exceeded", { status: 429, code: "rate_limit" })
      return response(refusalAnswer(refusal), { ...headers, "retry-after": "2" })
    }
    if (fault === "html_502") {
      return HttpServerResponse.text("<html><body><h1>502 Bad Gateway</h1></body></html>", {
        status: 502,
        contentType: "text/html"
      })
    }

    const answer = yield* Effect.gen(function* () {
      const account = yield* accountOf(request, kind, fault === "account_closed")
      const { id = "" } = yield* HttpRouter.params
      const call: ApiCall = {
        account,
        id,
        query,
        body,
        refundStatus: fault === "refund_fails" ? "failed" : fault === "refund_pends" ? "pending" : "succeeded",
        balanceInsufficient: fault === "balance_insufficient"
      }
      const act = Effect.map(handler(call), (object) => answerOf(200, object))
      if (method !== "POST") return yield* act
      if (key === undefined) return yield* SqlClient.SqlClient.use((sql) => sql.withTransaction(act))
      return yield* withIdempotencyKey(
        { account, key, hash: requestHash(path, body) },
        fault === "error_500_saved" ? Effect.succeed(serverError) : saved ? Effect.as(act, serverError) : act
      )
    }).pipe(
      Effect.catchTag("Refusal", (refusal) => Effect.succeed(refusalAnswer(refusal))),
      Effect.catchTag("SqlError", (error) =>
        Effect.as(Effect.logWarning("Sandbox: the database failed", error), serverError)
      )
    )
    if (fault === "cut_after") return yield* closeConnection(request)
    if (fault === "hang_after") return yield* Effect.never
    return response(answer, headers)
  })

/** The response of unknown routes. */
export const unknownEndpoint = ({ method, url }: HttpServerRequest.HttpServerRequest) => {
  const text = `Unrecognized request URL (${method}: ${url}). The sandbox knows the calls that the service makes, no others.`
  return Effect.succeed(response(refusalAnswer(refuse(text, { status: 404 })), {}))
}

// The provider's lists: their parameters, and their pages (https://docs.stripe.com/api/pagination).

export const pageRules: Rules = { limit: { kind: "integer" }, starting_after: { kind: "text" } }
export const listRules: Rules = { ...pageRules, "created[gte]": { kind: "integer" } }

/** The page of a list, newest first, that its parameters ask for. */
export const pageOf = Effect.fnUntraced(function* <A, Shown extends object>(
  form: Form,
  all: ReadonlyArray<A>,
  of: {
    readonly url: string
    readonly kind: string
    readonly id: (item: A) => string
    readonly show: (item: A) => Shown
  }
) {
  const { longestPage } = yield* SandboxedService
  const after = form.text("starting_after")
  const start = after === undefined ? 0 : all.findIndex((item) => of.id(item) === after) + 1
  if (after !== undefined && start === 0) return yield* missing(of.kind, after)
  const limit = Math.min(longestPage, Math.max(1, form.integer("limit") ?? 10))
  const data = all.slice(start, start + limit).map(of.show)
  return { object: "list", data, has_more: all.length > start + limit, url: of.url }
})

/** Which items a list is to begin with. */
export const sinceOf = (form: Form): Date => new Date((form.integer("created[gte]") ?? 0) * 1000)
