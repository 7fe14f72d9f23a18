/**
 * What was made of a playroom's row, kept beside the row's text. Most reads find the text as it was, and comparing it costs a
 * fraction of reading it anew; the database is still asked every time, so that nothing is ever out of date.
 */
import { Effect } from "effect"

/** A row as one text (JSON), with the playroom that it is about. */
export interface PlayroomText {
  readonly playroom_id: string
  readonly text: string
}

/**
 * `make` by texts, remembered for the latest `most` playrooms. What it makes is handed out again and again: nobody may change it.
 */
export const remembered = <A, E>(make: (text: string) => Effect.Effect<A, E>, most = 500) => {
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
