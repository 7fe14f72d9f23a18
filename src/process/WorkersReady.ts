/** Which workers answer the supervisor, and whether the service is ready by what they said last. */

/** What the supervisor knows of a worker. */
export interface WorkerSaid {
  readonly listens: boolean
  /** It ends, and takes no new connections. */
  readonly dismissed: boolean
  /** The supervisor's beats since it was last heard. */
  readonly unanswered: number
  /** Its latest answer, if it gave one: why it was not ready. */
  readonly said: { readonly hindrance: string | undefined } | undefined
}

/** The beats of a worker that has said nothing until it counts as silent: there is one a second. */
export const silentBeats = 10

/**
 * Whether a worker says nothing: it hangs, is stopped, or works without a break. Beats are counted, and not time: if the
 * whole machine was paused, or the supervisor had no processor, it has not listened either.
 */
export const isSilent = ({ unanswered }: Pick<WorkerSaid, "unanswered">): boolean => unanswered >= silentBeats

/** Why the service is not ready; undefined if at least one worker is. */
export const hindranceOfAll = (workers: Iterable<WorkerSaid>): string | undefined => {
  const serving = [...workers].filter(({ dismissed, listens }) => listens && !dismissed)
  if (serving.length === 0) return "No worker serves: they are starting, or the service is stopping."
  const current = serving.flatMap((one) => (one.said !== undefined && !isSilent(one) ? [one.said] : []))
  if (current.some(({ hindrance }) => hindrance === undefined)) return undefined
  return current[0]?.hindrance ?? "No worker answers."
}
