/** A party as callers describe it, and whether its children's ages suit the party and the playroom: pure. */
import type { Playroom } from "../catalogue/Playroom.ts"
import { boundedInt, boundedList } from "../kernel/Bounds.ts"
import type { ArgumentIssue } from "../kernel/InvalidArguments.ts"

/** How many children come. */
export const ChildCount = boundedInt(1, 10_000)
/** How many adults come with them. */
export const AdultCount = boundedInt(0, 10_000)
/** How old the children are, in years; some or all of them. */
export const ChildAges = boundedList(boundedInt(0, 17), 500)

/**
 * What is wrong with the ages given for so many children at a playroom: at most one issue for their number, and one for those that
 * the playroom is not for. Without ages there is no issue: they need not be given.
 */
export const ageIssues = (
  { age_max, age_min }: Pick<Playroom, "age_min" | "age_max">,
  children: number,
  child_ages: ReadonlyArray<number> = []
): ReadonlyArray<ArgumentIssue> => {
  if (child_ages.length === 0) return []
  const outside = [...new Set(child_ages.filter((age) => age < age_min || age_max < age))].sort((a, b) => a - b)
  return [
    ...(child_ages.length === children
      ? []
      : [
          {
            path: "child_ages",
            message: `Expected one age for each of the ${children} children of the option, not ${child_ages.length}: give as many, or leave child_ages out`
          }
        ]),
    ...(outside.length === 0
      ? []
      : [
          {
            path: "child_ages",
            message: `This playroom is for ages ${age_min} to ${age_max}, not for ${outside.join(", ")}: tell the person so; where the venue agreed, leave child_ages out`
          }
        ])
  ]
}
