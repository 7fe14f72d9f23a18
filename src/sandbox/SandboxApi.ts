/** The provider's HTTP API, as far as the service calls it. */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Clock, Effect } from "effect"
import type { SecureRandom } from "effect/crypto"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { SqlClient, SqlError } from "effect/sql"
import { SandboxFaults } from "./SandboxFaults.ts"
import { type Form, readForm, type Rules } from "./SandboxForm.ts"
import { type Answer, requestHash, withIdempotencyKey } from "./SandboxIdempotency.ts"
import { randomId } from "./SandboxIds.ts"
import { apiVersion, disputeObject, intentObject, refundObject, sessionObject } from "./SandboxObjects.ts"
import { SandboxDisputes } from "./SandboxDisputes.ts"
import { SandboxPayments } from "./SandboxPayments.ts"
import { mustTakePayments, SandboxPlatform } from "./SandboxPlatform.ts"
import { readNewRefund } from "./SandboxRefundRules.ts"
import { type RefundOfPayment, SandboxRefunds } from "./SandboxRefunds.ts"
import { missing, refusalBody, refuse, SandboxRefusal } from "./SandboxRefusal.ts"
import { readNewSession } from "./SandboxRules.ts"

interface ApiCall {
  readonly account: string
  readonly id: string
  readonly query: string
  readonly body: string
  readonly refundStatus: "succeeded" | "failed" | "pending"
  /** The account has too little money for a refund (a fault). */
  readonly balanceInsufficient: boolean
}
/** Does what a call asks for, inside a transaction where the call changes something; answers the object. */
export type ApiHandler = (call: ApiCall) => Effect.Effect<object, SandboxRefusal | SqlError.SqlError>

const authError = (text: string) => new SandboxRefusal({ status: 401, type: "invalid_request_error", text })

/** The account that a call is on: a connected one, or the platform's own. */
type AccountKind = "connected" | "platform"

/**
 * The connected account that the call is on behalf of; `platform` where it is the platform's own. Accounts whose id starts with
 * `acct_closed` have revoked their access.
 */
const accountOf = (
  request: HttpServerRequest.HttpServerRequest,
  kind: AccountKind
): Effect.Effect<string, SandboxRefusal> => {
  const authorization = request.headers["authorization"] ?? ""
  const [, key] = /^Bearer (\S+)$/.exec(authorization) ?? []
  if (key === undefined) return Effect.fail(authError("You did not provide an API key."))
  if (!/^sk_test_\w+$/.test(key)) {
    return Effect.fail(
      authError(`Invalid API Key provided: ${key.slice(0, 8)}****. The sandbox takes keys that start with sk_test_.`)
    )
  }
  const version = request.headers["stripe-version"]
  if (version !== undefined && version !== apiVersion) {
    return Effect.fail(refuse(`Invalid Stripe API version: ${version}. The sandbox speaks ${apiVersion}.`))
  }
  const account = request.headers["stripe-account"]
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
  if (!/^acct_\w{1,64}$/.test(account) || account.startsWith("acct_closed")) {
    return Effect.fail(
      new SandboxRefusal({
        status: 403,
        type: "invalid_request_error",
        code: "account_invalid",
        text: `The provided key 'sk_test_****' does not have access to account '${account}' (or that account does not exist). Application access may have been revoked.`
      })
    )
  }
  return Effect.succeed(account)
}

const refusalAnswer = (refusal: SandboxRefusal): Omit<Answer, "replayed"> => ({
  status: refusal.status,
  body: JSON.stringify(refusalBody(refusal), undefined, 2)
})
const okAnswer = (object: object): Omit<Answer, "replayed"> => ({
  status: 200,
  body: JSON.stringify(object, undefined, 2)
})

const response = (answer: Answer, headers: Record<string, string>): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(answer.body, {
    status: answer.status,
    contentType: "application/json",
    headers: { ...headers, ...(answer.replayed ? { "idempotent-replayed": "true" } : {}) }
  })

// Destroys the connection under the request: the client sees it closed, with no answer.
const closeConnection = (request: HttpServerRequest.HttpServerRequest) =>
  Effect.andThen(
    Effect.sync(() => NodeHttpServerRequest.toIncomingMessage(request).socket.destroy()),
    Effect.never
  )

const errorAnswer = (
  status: number,
  type: "api_error" | "invalid_request_error",
  code: string,
  text: string
): Answer => ({
  ...refusalAnswer(new SandboxRefusal({ status, type, code, text })),
  replayed: false
})

/** A route of the API: faults, the account, the idempotency key, the handler, the answer in the provider's shape. */
export const endpoint = (handler: ApiHandler, kind: AccountKind = "connected") =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const url = new URL(request.originalUrl, "http://sandbox")
    const refunding = request.method === "POST" && url.pathname === "/v1/refunds"
    const fault = yield* (yield* SandboxFaults).nextApiFault(refunding)
    const requestId = yield* randomId("req_", 14)
    const key = request.headers["idempotency-key"]
    const headers: Record<string, string> = {
      "request-id": requestId,
      "stripe-version": apiVersion,
      ...(key === undefined ? {} : { "idempotency-key": key })
    }
    if (fault === "hang") return yield* Effect.never
    if (fault === "cut") return yield* closeConnection(request)
    if (fault === "error_500")
      return response(errorAnswer(500, "api_error", "api_error", "An unknown error occurred"), headers)
    if (fault === "rate_limit") {
      return response(errorAnswer(429, "invalid_request_error", "rate_limit", "Request rate limit exceeded"), {
        ...headers,
        "retry-after": "2"
      })
    }
    if (fault === "html_502") {
      return HttpServerResponse.text("<html><body><h1>502 Bad Gateway</h1></body></html>", {
        status: 502,
        contentType: "text/html"
      })
    }

    const body = yield* request.text
    const answer = yield* Effect.gen(function* () {
      const account = yield* accountOf(request, kind)
      const { id = "" } = yield* HttpRouter.params
      const refundStatus = fault === "refund_fails" ? "failed" : fault === "refund_pends" ? "pending" : "succeeded"
      const call: ApiCall = {
        account,
        id,
        query: url.search.slice(1),
        body,
        refundStatus,
        balanceInsufficient: fault === "balance_insufficient"
      }
      if (request.method !== "POST") return { ...okAnswer(yield* handler(call)), replayed: false }
      return yield* withIdempotencyKey(
        { account, key, hash: requestHash(url.pathname, body) },
        Effect.map(handler(call), okAnswer)
      )
    }).pipe(
      Effect.catchTag("SandboxRefusal", (refusal) => Effect.succeed({ ...refusalAnswer(refusal), replayed: false })),
      Effect.catchTag("SqlError", (error) =>
        Effect.as(
          Effect.logWarning("Sandbox: the database failed", error),
          errorAnswer(500, "api_error", "api_error", "An unknown error occurred")
        )
      )
    )
    if (fault === "cut_after") return yield* closeConnection(request)
    if (fault === "hang_after") return yield* Effect.never
    return response(answer, headers)
  })

const refundAnswer = ({ payment, refund }: RefundOfPayment): object => refundObject(refund, payment)

const listRules: Rules = {
  limit: { kind: "integer" },
  starting_after: { kind: "text" },
  "created[gte]": { kind: "integer" }
}

/** The page of a list, newest first, that its parameters ask for. */
const pageOf = <A>(
  form: Form,
  all: ReadonlyArray<A>,
  of: {
    readonly url: string
    readonly kind: string
    readonly id: (item: A) => string
    readonly show: (item: A) => object
  }
): Effect.Effect<object, SandboxRefusal> => {
  const after = form.text("starting_after")
  const start = after === undefined ? 0 : all.findIndex((item) => of.id(item) === after) + 1
  if (after !== undefined && start === 0) return Effect.fail(missing(of.kind, after))
  const limit = Math.min(100, Math.max(1, form.integer("limit") ?? 10))
  return Effect.succeed({
    object: "list",
    data: all.slice(start, start + limit).map(of.show),
    has_more: all.length > start + limit,
    url: of.url
  })
}

const sinceOf = (form: Form): Date => new Date((form.integer("created[gte]") ?? 0) * 1000)

/** The routes under `/v1`; `pageUrl` gives the address of a session's hosted page. */
export const apiRoutes = (pageUrl: (session_id: string) => string) =>
  HttpRouter.use((router) =>
    Effect.gen(function* () {
      const payments = yield* SandboxPayments
      const refunds = yield* SandboxRefunds
      const platform = yield* SandboxPlatform
      const disputes = yield* SandboxDisputes
      const services = yield* Effect.context<SandboxFaults | SecureRandom.SecureRandom | SqlClient.SqlClient>()
      const add = (method: "GET" | "POST", path: `/${string}`, handler: ApiHandler) =>
        router.add(method, path, endpoint(handler).pipe(Effect.provide(services)))

      yield* add("POST", "/v1/checkout/sessions", ({ account, body }) =>
        Effect.gen(function* () {
          yield* Effect.provideService(mustTakePayments(account), SandboxPlatform, platform)
          const session = yield* payments.createSession(
            account,
            yield* readNewSession(body, yield* Clock.currentTimeMillis)
          )
          return sessionObject(session, pageUrl(session.session_id))
        })
      )
      yield* add("GET", "/v1/checkout/sessions", ({ account, query }) =>
        Effect.gen(function* () {
          const form = yield* readForm(query, {
            ...listRules,
            "expand[#]": { kind: "text", oneOf: ["data.payment_intent"] }
          })
          return yield* pageOf(form, yield* payments.list(account, sinceOf(form)), {
            url: "/v1/checkout/sessions",
            kind: "checkout.session",
            id: ({ session_id }) => session_id,
            show: (row) => sessionObject(row, pageUrl(row.session_id), form.count("expand") > 0)
          })
        })
      )
      yield* add("GET", "/v1/checkout/sessions/:id", ({ account, id, query }) =>
        Effect.gen(function* () {
          const form = yield* readForm(query, { "expand[#]": { kind: "text", oneOf: ["payment_intent"] } })
          return sessionObject(yield* payments.session(account, id), pageUrl(id), form.count("expand") > 0)
        })
      )
      yield* add("POST", "/v1/checkout/sessions/:id/expire", ({ account, body, id }) =>
        Effect.gen(function* () {
          yield* readForm(body, {})
          return sessionObject(yield* payments.expireSession(account, id), pageUrl(id))
        })
      )
      yield* add("GET", "/v1/payment_intents/:id", ({ account, id, query }) =>
        Effect.gen(function* () {
          yield* readForm(query, {})
          return intentObject(yield* payments.sessionOfIntent(account, id, false), id)
        })
      )
      yield* add("POST", "/v1/refunds", ({ account, balanceInsufficient, body, refundStatus }) =>
        Effect.gen(function* () {
          if (balanceInsufficient) {
            return yield* refuse("Insufficient funds in your Stripe balance to refund this amount.", {
              code: "balance_insufficient"
            })
          }
          return refundAnswer(yield* refunds.create(account, yield* readNewRefund(body), refundStatus))
        })
      )
      yield* add("GET", "/v1/refunds/:id", ({ account, id, query }) =>
        Effect.gen(function* () {
          yield* readForm(query, {})
          return refundAnswer(yield* refunds.get(account, id))
        })
      )
      yield* add("GET", "/v1/refunds", ({ account, query }) =>
        Effect.gen(function* () {
          const form = yield* readForm(query, { ...listRules, payment_intent: { kind: "text" } })
          const intent = form.text("payment_intent")
          const all = yield* intent === undefined
            ? refunds.listSince(account, sinceOf(form))
            : refunds.list(account, intent)
          return yield* pageOf(form, all, {
            url: "/v1/refunds",
            kind: "refund",
            id: ({ refund }) => refund.refund_id,
            show: refundAnswer
          })
        })
      )
      yield* add("GET", "/v1/disputes", ({ account, query }) =>
        Effect.gen(function* () {
          const form = yield* readForm(query, {
            payment_intent: { kind: "text", required: true },
            limit: { kind: "integer" }
          })
          const all = yield* disputes.list(account, form.required("payment_intent"))
          const data = all.map(({ dispute, payment }) => disputeObject(dispute, payment))
          return { object: "list", data, has_more: false, url: "/v1/disputes" }
        })
      )
      yield* router.add("*", "/v1/*", (request) =>
        Effect.succeed(
          response(
            {
              ...refusalAnswer(
                new SandboxRefusal({
                  status: 404,
                  type: "invalid_request_error",
                  text: `Unrecognized request URL (${request.method}: ${request.url}). The sandbox knows the calls that the service makes, no others.`
                })
              ),
              replayed: false
            },
            {}
          )
        )
      )
    })
  )
