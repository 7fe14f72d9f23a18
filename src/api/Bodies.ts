/** Reads request bodies up to a limit. */
import { ByteSize, Effect, Schema } from "effect"
import { HttpIncomingMessage, type HttpServerError, type HttpServerRequest } from "effect/http"

const KiB = 1024

/**
 * Limits of bodies in bytes: an event of the payment provider, a message to `/mcp`, an OAuth request, a client
 * registration (most of it is stored), and a form of a page.
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

/** Reads a body of at most `limit` bytes, whatever `Content-Length` says. `read` selects the request's reader. */
export const readBody = <A>(
  request: HttpServerRequest.HttpServerRequest,
  limit: number,
  read: (request: HttpServerRequest.HttpServerRequest) => Effect.Effect<A, HttpServerError.HttpServerError>
): Effect.Effect<A, BodyTooLarge | BodyUnreadable> => {
  const declared = request.headers["content-length"]
  if (Number(declared ?? 0) > limit) return Effect.fail(new BodyTooLarge({ limit }))
  // Node reads no more than the declared length, so only a body without one needs a limit here.
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
