/** The times of day that a search or a question for options asks for. Pure. */

import type { ArgumentIssue } from "../kernel/InvalidArguments.ts"

/** Clock times between which a visit should lie: nothing lies between one and an earlier one. Both are counted on the start's date. */
export const clockIssues = ({
  start_after,
  end_before
}: {
  readonly start_after?: string | undefined
  readonly end_before?: string | undefined
}): ReadonlyArray<ArgumentIssue> =>
  start_after !== undefined && end_before !== undefined && start_after >= end_before
    ? [
        {
          path: "end_before",
          message: `Expected a time later than start_after, ${start_after}; leave it out for visits that end after midnight`
        }
      ]
    : []
