/** Error bodies outside `/mcp`: RFC 9457 problem details with a stable `code`, each code with one status and one title. */
import { Schema } from "effect"
import { HttpServerResponse, ProblemDetails } from "effect/http"
import { HttpApiSchema } from "effect/http-api"
import { bodyLimits } from "./Bodies.ts"

/** Every code that a body outside `/mcp` can carry. `about` is for the documentation page. */
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
    about: "The request broke off, or is not HTTP as this service understands it."
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
    about: `Bodies are limited to ${bodyLimits.event / 1024 / 1024} MiB.`
  },
  internal_error: {
    status: 500,
    title: "Something went wrong on our side",
    about: "Logged with the trace_id in the body."
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

/** The body of the problems with one of these codes, as the OpenAPI document shows it. The status is the first code's. */
export const problemSchema = <const Codes extends readonly [ProblemCode, ...Array<ProblemCode>]>(...codes: Codes) =>
  Schema.Struct({
    type: Schema.String.annotate({ description: "Where the code is explained, relative to this service." }),
    title: Schema.String.annotate({
      description: "What is wrong, for people; the same for every problem with this code."
    }),
    status: Schema.Literal(problems[codes[0]].status),
    code: Schema.Literals(codes).annotate({ description: "Stable, for programs." }),
    detail: Schema.optionalKey(Schema.String).annotate({ description: "What is wrong this time." })
  })
    .pipe(HttpApiSchema.asJson({ contentType: ProblemDetails.contentType }))
    .annotate({
      httpApiStatus: problems[codes[0]].status,
      description: codes.map((code) => `\`${code}\`: ${problems[code].title}.`).join(" ")
    })

/** The response for a problem. `extra` members are added to the body. */
export const problem = (
  code: ProblemCode,
  options?: {
    readonly detail?: string
    readonly headers?: Readonly<Record<string, string>>
    readonly extra?: Readonly<Record<string, string>>
  }
): HttpServerResponse.HttpServerResponse => {
  const { status, title } = problems[code]
  const { detail, extra, headers } = options ?? {}
  const response = ProblemDetails.toResponse({
    type: `/docs#${code}`,
    title,
    status,
    code,
    ...(detail === undefined ? {} : { detail }),
    ...extra
  })
  return HttpServerResponse.setHeaders(response, { "cache-control": "no-store", ...headers })
}
