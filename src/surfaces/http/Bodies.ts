/** Reads request bodies up to a limit. */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { ByteSize, Effect, Schema } from "effect"
import { HttpIncomingMessage, type HttpServerRequest } from "effect/http"
import type { Readable } from "node:stream"

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
  form: 16 * KiB
} as const

class BodyTooLarge extends Schema.TaggedError<BodyTooLarge>()("BodyTooLarge", { limit: Schema.Int }) {
  override get message(): string {
    return `The body has more than ${this.limit} bytes.`
  }
}

class BodyUnreadable extends Schema.TaggedError<BodyUnreadable>()("BodyUnreadable", {}) {
  override readonly message = "The body broke off, or is not what its headers say."
}

/**
 * Reads Node's request itself. The framework's reader runs a fiber of its own for each body, and goes on only after the
 * stream has been closed.
 */
const bytesOf = (source: Readable, limit: number): Effect.Effect<Uint8Array, BodyTooLarge | BodyUnreadable> =>
  Effect.callback((resume) => {
    if (source.readableEnded || source.destroyed) return resume(Effect.fail(new BodyUnreadable()))
    const chunks: Array<Uint8Array> = []
    let length = 0
    const end = (read: Effect.Effect<Uint8Array, BodyTooLarge | BodyUnreadable>): void => {
      leave()
      resume(read)
    }
    const onData = (chunk: Uint8Array): void => {
      length += chunk.length
      chunks.push(chunk)
      if (length > limit) end(Effect.fail(new BodyTooLarge({ limit })))
    }
    const onEnd = (): void => {
      const [first = new Uint8Array()] = chunks
      end(Effect.succeed(chunks.length <= 1 ? first : Buffer.concat(chunks, length)))
    }
    const onFailure = (): void => end(Effect.fail(new BodyUnreadable()))
    const leave = (): void => {
      source.off("data", onData).off("end", onEnd).off("error", onFailure).off("close", onFailure)
    }
    source.on("data", onData).on("end", onEnd).on("error", onFailure).on("close", onFailure)
    return Effect.sync(() => {
      leave()
      source.destroy()
    })
  })

/** Reads a body of at most `limit` bytes, whatever `Content-Length` says. */
export const readBody = (
  request: HttpServerRequest.HttpServerRequest,
  limit: number
): Effect.Effect<Uint8Array, BodyTooLarge | BodyUnreadable> => {
  const { "content-length": declared = "0", expect } = request.headers
  if (Number(declared) > limit) return Effect.fail(new BodyTooLarge({ limit }))
  if (expect === undefined) return bytesOf(NodeHttpServerRequest.toIncomingMessage(request), limit)
  // The framework's reader tells the client to go on.
  return request.arrayBuffer.pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(limit)),
    Effect.mapBoth({
      onSuccess: (bytes) => new Uint8Array(bytes),
      onFailure: ({ reason }) =>
        reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge"
          ? new BodyTooLarge({ limit })
          : new BodyUnreadable()
    })
  )
}

const decoder = new TextDecoder()

/** The same as text. What is no UTF-8 is replaced, as browsers do. */
export const readText = (
  request: HttpServerRequest.HttpServerRequest,
  limit: number
): Effect.Effect<string, BodyTooLarge | BodyUnreadable> =>
  Effect.map(readBody(request, limit), (bytes) => decoder.decode(bytes))

/** The fields of a page's form, without NUL characters, which the database does not store. */
export const readForm = (
  request: HttpServerRequest.HttpServerRequest
): Effect.Effect<URLSearchParams, BodyTooLarge | BodyUnreadable> =>
  Effect.map(readText(request, bodyLimits.form), (text) => new URLSearchParams(text.replaceAll(/%00|\0/g, "")))
