/** How much of a request's body is read, and how. */
import { ByteSize, Effect, Schema } from "effect"
import { HttpIncomingMessage, type HttpServerError, type HttpServerRequest } from "effect/http"

const KiB = 1024

/**
 * The largest bodies, in bytes: an event of the payment provider, a message to `/mcp`, an OAuth request, a client's
 * registration (most of which is kept), and a form of a page.
 */
export const bodyLimits = {
  event: 1024 * KiB,
  mcp: 128 * KiB,
  oauth: 16 * KiB,
  registration: 8 * KiB,
  form: 8 * KiB
} as const

export class BodyTooLarge extends Schema.TaggedError<BodyTooLarge>()("BodyTooLarge", { limit: Schema.Int }) {
  override get message(): string {
    return `The body has more than ${this.limit} bytes.`
  }
}

export class BodyUnreadable extends Schema.TaggedError<BodyUnreadable>()("BodyUnreadable", {}) {
  override get message(): string {
    return "The body broke off, or is not what its headers say."
  }
}

/** Reads a body of at most `limit` bytes, whatever `Content-Length` says. `read` is one of the request's own. */
export const readBody = <A>(
  request: HttpServerRequest.HttpServerRequest,
  limit: number,
  read: (request: HttpServerRequest.HttpServerRequest) => Effect.Effect<A, HttpServerError.HttpServerError>
): Effect.Effect<A, BodyTooLarge | BodyUnreadable> => {
  const declared = request.headers["content-length"]
  if (Number(declared ?? 0) > limit) return Effect.fail(new BodyTooLarge({ limit }))
  // Node reads no more than was declared, so only a body of undeclared length has to be watched.
  const bounded =
    declared === undefined
      ? Effect.provideService(read(request), HttpIncomingMessage.MaxBodySize, ByteSize.bytes(limit))
      : read(request)
  return Effect.mapError(bounded, ({ reason }) =>
    reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge"
      ? new BodyTooLarge({ limit })
      : new BodyUnreadable()
  )
}
