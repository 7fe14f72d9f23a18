/**
 * Error bodies outside `/mcp`, and there of what names no request: RFC 9457 problem details with a stable `code`. Each
 * code has one status and one title.
 */
import { Schema } from "effect"
import type { HttpServerResponse } from "effect/http"
import { HttpApiError, HttpApiSchema } from "effect/http-api"
import type { IncomingMessage } from "node:http"
import { bodyLimits } from "./Bodies.ts"

/** All problem codes. `about` is the text on the documentation page. */
export const problems = {
  signature_missing: {
    status: 400,
    title: "The signature header is missing",
    about: "The event came without Payment-Signature or Stripe-Signature."
  },
  signature_invalid: {
    status: 400,
    title: "The signature does not match",
    about:
      "No secret of this receiver made this signature for these bytes. Events of connected accounts have a receiver, and a secret, of their own."
  },
  signature_stale: {
    status: 400,
    title: "The signature is too old, or from the future",
    about: "The signed time lies more than five minutes away from the service's clock."
  },
  event_malformed: {
    status: 400,
    title: "The body is not an event",
    about: "The signature is right, but the body is not a JSON event of the provider."
  },
  bad_request: {
    status: 400,
    title: "The request can't be read",
    about:
      "The request broke off, is not HTTP as this service understands it, or its body is no message of the protocol."
  },
  sign_in_needed: {
    status: 401,
    title: "Sign in first, or again",
    about: "The header WWW-Authenticate says where, and what for."
  },
  not_allowed: {
    status: 403,
    title: "This is not allowed",
    about:
      "The Host is none of this service, the Origin may not call it, or the access token lacks a scope, which the header WWW-Authenticate names."
  },
  not_found: { status: 404, title: "There is nothing here", about: "The documentation lists every address." },
  method_not_allowed: {
    status: 405,
    title: "The method is not allowed here",
    about: "The Allow header names the methods that are."
  },
  payload_too_large: {
    status: 413,
    title: "The body is too large",
    about: `Bodies are limited to ${bodyLimits.event / 1024 / 1024} MiB, and to ${bodyLimits.mcp / 1024} KiB where assistants call.`
  },
  content_type_unsupported: {
    status: 415,
    title: "The body is not JSON",
    about: "Send it with the header Content-Type: application/json."
  },
  encoding_unsupported: {
    status: 415,
    title: "The body is compressed",
    about: "Bodies are taken as they are: send it again without Content-Encoding."
  },
  rate_limited: {
    status: 429,
    title: "Too many requests of this address",
    about: "Others are served as before: send it again after Retry-After seconds, with fewer requests at once."
  },
  internal_error: {
    status: 500,
    title: "Something went wrong on our side",
    about: "Logged with the trace of the header X-Trace-Id."
  },
  not_ready: {
    status: 503,
    title: "The service is not ready",
    about: "The database is away, not migrated yet or can't be written to, or the service is stopping."
  },
  service_unavailable: {
    status: 503,
    title: "The service is unavailable for a moment",
    about: "Nothing was stored: send the same request again after Retry-After seconds."
  }
} as const

export type ProblemCode = keyof typeof problems

/** Identifies a problem by a link to its description. */
const problemType = (code: ProblemCode): string => `/docs#${code}`

/** The arguments of `HttpApiError.Problem` for a code. `type` and `code` identify the problem. */
const problemArguments = <const Code extends ProblemCode>(code: Code) =>
  [
    { type: problemType(code), status: problems[code].status, title: problems[code].title },
    {
      code: Schema.tag(code).annotate({ description: "Stable, for programs." }),
      detail: Schema.optionalKey(Schema.String).annotate({ description: "What is wrong this time." })
    },
    { description: `\`${code}\`: ${problems[code].title}.` }
  ] as const

/** A problem document as JSON; `detail` says what is wrong this time. */
export const problemJson = (code: ProblemCode, detail: string): string => {
  const { status, title } = problems[code]
  return JSON.stringify({ type: problemType(code), status, title, code, detail })
}

/** The media type of problem documents. */
export const problemMediaType = "application/problem+json"

export class SignatureMissingProblem extends HttpApiError.Problem<SignatureMissingProblem>()(
  "SignatureMissingProblem",
  ...problemArguments("signature_missing")
) {}
export class SignatureInvalidProblem extends HttpApiError.Problem<SignatureInvalidProblem>()(
  "SignatureInvalidProblem",
  ...problemArguments("signature_invalid")
) {}
export class SignatureStaleProblem extends HttpApiError.Problem<SignatureStaleProblem>()(
  "SignatureStaleProblem",
  ...problemArguments("signature_stale")
) {}
export class EventMalformedProblem extends HttpApiError.Problem<EventMalformedProblem>()(
  "EventMalformedProblem",
  ...problemArguments("event_malformed")
) {}
export class BadRequestProblem extends HttpApiError.Problem<BadRequestProblem>()(
  "BadRequestProblem",
  ...problemArguments("bad_request")
) {}
export class NotFoundProblem extends HttpApiError.Problem<NotFoundProblem>()(
  "NotFoundProblem",
  ...problemArguments("not_found")
) {}
export class MethodNotAllowedProblem extends HttpApiError.Problem<MethodNotAllowedProblem>()(
  "MethodNotAllowedProblem",
  ...problemArguments("method_not_allowed")
) {}
export class PayloadTooLargeProblem extends HttpApiError.Problem<PayloadTooLargeProblem>()(
  "PayloadTooLargeProblem",
  ...problemArguments("payload_too_large")
) {}
export class NotAllowedProblem extends HttpApiError.Problem<NotAllowedProblem>()(
  "NotAllowedProblem",
  ...problemArguments("not_allowed")
) {}
export class ContentTypeUnsupportedProblem extends HttpApiError.Problem<ContentTypeUnsupportedProblem>()(
  "ContentTypeUnsupportedProblem",
  ...problemArguments("content_type_unsupported")
) {}
export class RateLimitedProblem extends HttpApiError.Problem<RateLimitedProblem>()(
  "RateLimitedProblem",
  ...problemArguments("rate_limited")
) {}
export class NotReadyProblem extends HttpApiError.Problem<NotReadyProblem>()(
  "NotReadyProblem",
  ...problemArguments("not_ready")
) {}
export class ServiceUnavailableProblem extends HttpApiError.Problem<ServiceUnavailableProblem>()(
  "ServiceUnavailableProblem",
  ...problemArguments("service_unavailable")
) {}
export class EncodingUnsupportedProblem extends HttpApiError.Problem<EncodingUnsupportedProblem>()(
  "EncodingUnsupportedProblem",
  ...problemArguments("encoding_unsupported")
) {}
export class InternalErrorProblem extends HttpApiError.Problem<InternalErrorProblem>()(
  "InternalErrorProblem",
  ...problemArguments("internal_error")
) {}

/** A temporary problem with the seconds to wait before a retry. */
export const retryAfter = <S extends Schema.Top>(schema: S) =>
  HttpApiSchema.WithHeaders(schema, { "retry-after": Schema.Int })

// What is answered to a request that was refused before work began: a page for people, otherwise a document with a
// code.

export type Refusal = "share" | "crowded" | "overload"

/** Who was refused, by the headers `Accept` and `Accept-Language`, and with what. */
interface Refused {
  readonly accept: string | undefined
  readonly languages: string | undefined
  readonly status: number
  readonly retryAfter: number
}

/** The page for a person; undefined for a program. */
export type RefusalPages = (refused: Refused) => HttpServerResponse.HttpServerResponse | undefined

const retry_after_seconds = 2

const refusalHeaders = {
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "retry-after": String(retry_after_seconds),
  "x-content-type-options": "nosniff"
}

const refusals: Readonly<Record<Refusal, { readonly code: ProblemCode; readonly detail: string }>> = {
  share: {
    code: "rate_limited",
    detail: `Too many requests of this address are waiting. Others are served: try again in ${retry_after_seconds} seconds, with fewer at once.`
  },
  crowded: {
    code: "service_unavailable",
    detail: `All connections are in use. Try again in ${retry_after_seconds} seconds.`
  },
  overload: {
    code: "service_unavailable",
    detail: `There is more to do than can be done in time, and nothing of this was done. Try again in ${retry_after_seconds} seconds.`
  }
}

interface RefusalAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | number>>
  readonly body: string | Uint8Array
}

const answerOf = (
  why: Refusal,
  contentType: string,
  body: string | Uint8Array,
  more: Readonly<Record<string, string>> = {}
): RefusalAnswer => ({
  status: problems[refusals[why].code].status,
  headers: { ...more, ...refusalHeaders, "content-length": Buffer.byteLength(body), "content-type": contentType },
  body
})

/**
 * What programs hear; made once, as thousands hear it in a second. Hosts of `/mcp` hear it, too: the body is not read,
 * so the id of a request is not known, and an error that names none is waited for in vain
 * (`surfaces/mcp/transport/JsonRpc.ts`).
 */
const forPrograms = (why: Refusal): RefusalAnswer => {
  const { code, detail } = refusals[why]
  return answerOf(why, problemMediaType, problemJson(code, detail))
}

const programs = { share: forPrograms("share"), crowded: forPrograms("crowded"), overload: forPrograms("overload") }

/** The answer; no fiber runs for it. */
export const refusalOf = (
  why: Refusal,
  { headers: { accept, "accept-language": languages }, url = "" }: Pick<IncomingMessage, "headers" | "url">,
  pages: RefusalPages
): RefusalAnswer => {
  const problem = programs[why]
  if (url.startsWith("/mcp")) return problem
  const page = pages({ accept, languages, status: problem.status, retryAfter: retry_after_seconds })
  return page?.body._tag === "Uint8Array" ? answerOf(why, page.body.contentType, page.body.body, page.headers) : problem
}
