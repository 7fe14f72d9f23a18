/** Keeps results within the length that hosts accept. */
import { Effect } from "effect"

/** In characters: structured content and text block together. */
export const maxResultLength = 50_000

/** Characters around the two JSON copies, rounded up. */
const envelopeLength = 300

/** The length of a result with this JSON: once plain, once quoted in the text block. */
export const resultLength = (json: string): number => json.length + JSON.stringify(json).length + envelopeLength

/** Serializes a value. While it is too long, applies the next of the `shorter` functions. */
export const fittingForm = <A>(value: A, shorter: ReadonlyArray<(value: A) => A>): string => {
  let form = value
  let json = JSON.stringify(form)
  for (const shorten of shorter) {
    if (json.length < maxResultLength / 5 || resultLength(json) <= maxResultLength) return json
    form = shorten(form)
    json = JSON.stringify(form)
  }
  return json
}

/** Serializes a page that fits. `ask` returns a page with at most `limit` entries (undefined: the caller's limit). */
export const fittingPage = <S, E, R>(
  ask: (limit: number | undefined) => Effect.Effect<S, E, R>,
  entries: (page: S) => number
): Effect.Effect<string, E, R> => {
  const attempt = (limit: number | undefined): Effect.Effect<string, E, R> =>
    Effect.flatMap(ask(limit), (page) => {
      const json = JSON.stringify(page)
      // Quoting can't make short JSON too long, so most pages are not measured.
      if (json.length < maxResultLength / 5) return Effect.succeed(json)
      const length = resultLength(json)
      const count = entries(page)
      if (length <= maxResultLength || count <= 1) return Effect.succeed(json)
      return attempt(Math.max(1, Math.min(count - 1, Math.floor((count * maxResultLength * 0.95) / length))))
    })
  return attempt(undefined)
}

type Handler<A, S, E, R> = (input: A) => Effect.Effect<S, E, R>

/** Calls the handler and returns its result as JSON that fits. May call the handler more than once. */
export type Shorten<A, S> = <E, R>(handler: Handler<A, S, E, R>, input: A) => Effect.Effect<string, E, R>

/** For results that are always short enough. */
export const unshortened = <A, S, E, R>(handler: Handler<A, S, E, R>, input: A): Effect.Effect<string, E, R> =>
  Effect.map(handler(input), (value) => JSON.stringify(value))

/** For a single item: while it is too long, the next of these functions removes something. */
export const shortenView =
  <S>(shorter: ReadonlyArray<(value: S) => S>) =>
  <A, E, R>(handler: Handler<A, S, E, R>, input: A): Effect.Effect<string, E, R> =>
    Effect.map(handler(input), (value) => fittingForm(value, shorter))

/** For a page: while it is too long, requests it again with fewer entries; `next_cursor` leads to the rest. */
export const shortenPage =
  <S>(entries: (page: S) => number) =>
  <A extends { readonly limit?: number }, E, R>(handler: Handler<A, S, E, R>, input: A): Effect.Effect<string, E, R> =>
    fittingPage((limit) => handler(limit === undefined ? input : { ...input, limit }), entries)
