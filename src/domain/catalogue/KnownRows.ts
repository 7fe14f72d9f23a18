/**
 * What this process has made of playrooms' rows. Every call asks the database whether they are still of the same version, so no value
 * is stale, and reads and decodes only those that are not. A transaction that changes a row twice must not read it here in between: both
 * have its number. Effect's `Cache` can't do this: it expires by time, not by content.
 */
import { Effect } from "effect"

/** The version of what a row is made from: equal versions mean equal rows. */
export interface RowVersion {
  readonly playroom_id: string
  readonly version: string
}

/** A row as JSON text. */
export interface RowText extends RowVersion {
  readonly text: string
}

/** The latest `most` values that were set, by key. */
export const latestOf = <A>(most: number) => {
  const kept = new Map<string, A>()
  return {
    get: (key: string) => kept.get(key),
    set: (key: string, value: A) => {
      kept.delete(key)
      for (const oldest of kept.keys()) {
        if (kept.size < most) break
        kept.delete(oldest)
      }
      kept.set(key, value)
    }
  }
}

/** Keeps what `make` makes of rows, for the latest `most` playrooms. Callers share it, so they must not change it. */
export const keepRows = <A, E>(make: (text: string) => Effect.Effect<A, E>, most = 500) => {
  const kept = latestOf<{ readonly version: string; readonly made: A }>(most)

  /** What a row gives. */
  const from = ({ playroom_id, text, version }: RowText): Effect.Effect<A, E> => {
    const before = kept.get(playroom_id)
    if (before?.version === version) return Effect.succeed(before.made)
    return Effect.map(make(text), (made) => {
      kept.set(playroom_id, { version, made })
      return made
    })
  }

  /**
   * What the rows of playrooms give, by playroom id; those that have none are absent. `versionsOf` gets what was made of them
   * before, so that one statement can read more beside their versions.
   */
  const read = Effect.fnUntraced(function* <E2>(
    playroom_ids: ReadonlyArray<string>,
    versionsOf: (before: ReadonlyMap<string, A>) => Effect.Effect<ReadonlyArray<RowVersion>, E2>,
    rowsOf: (playroom_ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<RowText>, E2>
  ): Effect.fn.Return<ReadonlyMap<string, A>, E | E2> {
    const before = new Map(
      playroom_ids.flatMap((id) => {
        const one = kept.get(id)
        return one === undefined ? [] : [[id, one] as const]
      })
    )
    const known = new Map(Array.from(before, ([id, { made }]) => [id, made] as const))
    const unknown = playroom_ids.filter((id) => !before.has(id))
    const found = new Map<string, A>()
    const readRows = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
      if (ids.length > 0) for (const row of yield* rowsOf(ids)) found.set(row.playroom_id, yield* from(row))
    })
    const [versions] = yield* Effect.all(
      [known.size === 0 ? Effect.succeed([]) : versionsOf(known), readRows(unknown)],
      { concurrency: "unbounded" }
    )
    const now = new Map(versions.map(({ playroom_id, version }) => [playroom_id, version]))
    for (const [id, { made, version }] of before) if (now.get(id) === version) found.set(id, made)
    yield* readRows([...known.keys()].filter((id) => !found.has(id)))
    return found
  })

  return { from, read }
}
