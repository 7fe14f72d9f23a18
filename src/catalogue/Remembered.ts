/**
 * What was made of a playroom's row, kept beside the row. Most reads find the row as it was, and comparing it costs a fifth of
 * decoding it anew; the database is still asked every time, so that nothing is ever out of date.
 */
import { Effect } from "effect"

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** Whether two values as the driver gives them (JSON and dates) are the same. */
export const sameValue = (a: unknown, b: unknown): boolean => {
  if (a === b) return true
  if (!isRecord(a) || !isRecord(b)) return false
  if (a instanceof Date || b instanceof Date) {
    return a instanceof Date && b instanceof Date && a.getTime() === b.getTime()
  }
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false
    for (let i = 0; i < a.length; i++) if (!sameValue(a[i], b[i])) return false
    return true
  }
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  for (const key of keys) if (!Object.hasOwn(b, key) || !sameValue(a[key], b[key])) return false
  return true
}

/** A row as selected, with the playroom that it is about. */
export interface PlayroomRow {
  readonly playroom_id: string
}

/**
 * `make` by rows, remembered for the latest `most` playrooms. What it makes is handed out again and again: nobody may change it.
 */
export const remembered = <A, E>(make: (row: PlayroomRow) => Effect.Effect<A, E>, most = 500) => {
  const known = new Map<string, { readonly row: PlayroomRow; readonly made: A }>()
  return (row: PlayroomRow): Effect.Effect<A, E> => {
    const { playroom_id } = row
    const before = known.get(playroom_id)
    if (before !== undefined && sameValue(before.row, row)) return Effect.succeed(before.made)
    return Effect.map(make(row), (made) => {
      known.delete(playroom_id)
      for (const oldest of known.keys()) {
        if (known.size < most) break
        known.delete(oldest)
      }
      known.set(playroom_id, { row, made })
      return made
    })
  }
}
