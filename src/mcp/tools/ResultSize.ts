/** Keeps results within the length that the hosts of assistants take. */
import { Effect } from "effect"

/** The most characters of a tool's result, its structured content and its text block together. */
export const largestResult = 50_000

/** Characters around the two copies of the JSON, rounded up. */
const envelopeLength = 300

/** Characters of a result with this JSON: once as it is, once quoted in the text block. */
export const resultLength = (json: string): number => json.length + JSON.stringify(json).length + envelopeLength

/** The JSON of a value that fits: the value as it is, or after as many of these functions as it takes; else after all of them. */
export const fittingForm = <A>(value: A, shorter: ReadonlyArray<(value: A) => A>): string => {
  let form = value
  let json = JSON.stringify(form)
  for (const shorten of shorter) {
    if (json.length < largestResult / 5 || resultLength(json) <= largestResult) return json
    form = shorten(form)
    json = JSON.stringify(form)
  }
  return json
}

/** The JSON of a page that fits. `ask` answers a page of at most so many entries (undefined: as many as the caller asked for). */
export const fittingPage = <S, E, R>(
  ask: (limit: number | undefined) => Effect.Effect<S, E, R>,
  entries: (page: S) => number
): Effect.Effect<string, E, R> => {
  const attempt = (limit: number | undefined): Effect.Effect<string, E, R> =>
    Effect.flatMap(ask(limit), (page) => {
      const json = JSON.stringify(page)
      // Quoting lengthens JSON by less than this factor, so most pages need not be measured.
      if (json.length < largestResult / 5) return Effect.succeed(json)
      const length = resultLength(json)
      const count = entries(page)
      if (length <= largestResult || count <= 1) return Effect.succeed(json)
      return attempt(Math.max(1, Math.min(count - 1, Math.floor((count * largestResult * 0.95) / length))))
    })
  return attempt(undefined)
}

type Handler<A, S, E, R> = (input: A) => Effect.Effect<S, E, R>

/** How a tool's answer becomes JSON text that fits. It may call the handler more than once for one call of the tool. */
export type Shorten<A, S> = <E, R>(handler: Handler<A, S, E, R>, input: A) => Effect.Effect<string, E, R>

/** For an answer that is always short enough. */
export const unshortened = <A, S, E, R>(handler: Handler<A, S, E, R>, input: A): Effect.Effect<string, E, R> =>
  Effect.map(handler(input), (value) => JSON.stringify(value))

/** For an answer about one thing: while it is too long, the next of these functions leaves something out. */
export const shortenView =
  <S>(shorter: ReadonlyArray<(value: S) => S>) =>
  <A, E, R>(handler: Handler<A, S, E, R>, input: A): Effect.Effect<string, E, R> =>
    Effect.map(handler(input), (value) => fittingForm(value, shorter))

/** For a page: while it is too long, it is asked for again with fewer entries; `next_cursor` leads to the rest. */
export const shortenPage =
  <S>(entries: (page: S) => number) =>
  <A extends { readonly limit?: number }, E, R>(handler: Handler<A, S, E, R>, input: A): Effect.Effect<string, E, R> =>
    fittingPage((limit) => handler(limit === undefined ? input : { ...input, limit }), entries)
