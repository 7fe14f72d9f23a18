/**
 * Keeps results within what hosts read. One thing that is too long is told with less about it. A page of many long entries is asked for again with fewer: `limit` is the most that may
 * come, and `next_cursor` leads to the rest.
 */
import { Effect } from "effect"

/** Most characters of a tool's result, its structured content and its text block together. */
export const largestResult = 50_000

/** What stands around the two copies of the JSON. */
const envelopeLength = 300

/** Characters of a result with this JSON: once as it is, once quoted in the text block. */
export const resultLength = (json: string): number => json.length + JSON.stringify(json).length + envelopeLength

/** The JSON of a value that fits: as it is, or the first of its ever shorter forms that does; else the shortest. */
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
      // Quoting lengthens JSON by far less than this allows for, so most pages need not be measured.
      if (json.length < largestResult / 5) return Effect.succeed(json)
      const length = resultLength(json)
      const count = entries(page)
      if (length <= largestResult || count <= 1) return Effect.succeed(json)
      return attempt(Math.max(1, Math.min(count - 1, Math.floor((count * largestResult * 0.95) / length))))
    })
  return attempt(undefined)
}
