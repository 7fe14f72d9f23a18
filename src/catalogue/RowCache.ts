/**
 * A cache of decoded rows. The database is asked every time, so no value is out of date; but most rows have not changed, and comparing
 * a row's text with the cached one costs a fraction of decoding it again. Effect's `Cache` goes by key and time, and can't tell.
 */
import { Effect } from "effect"

/** A row as one text (JSON), with the playroom that it is about. */
export interface PlayroomText {
  readonly playroom_id: string
  readonly text: string
}

/** Calls `make` for a row's text, and caches the result for the latest `most` playrooms. Callers share it, so it must not be changed. */
export const cacheByPlayroom = <A, E>(make: (text: string) => Effect.Effect<A, E>, most = 500) => {
  const known = new Map<string, { readonly text: string; readonly made: A }>()
  return ({ playroom_id, text }: PlayroomText): Effect.Effect<A, E> => {
    const before = known.get(playroom_id)
    if (before?.text === text) return Effect.succeed(before.made)
    return Effect.map(make(text), (made) => {
      known.delete(playroom_id)
      for (const oldest of known.keys()) {
        if (known.size < most) break
        known.delete(oldest)
      }
      known.set(playroom_id, { text, made })
      return made
    })
  }
}
