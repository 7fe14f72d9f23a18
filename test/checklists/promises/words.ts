/** Words of a search mean something: what is needed is met, or said to be missing. Case by case, and the tests that hold each. */
import { type Case, checked } from "../Case.ts"

const found = "test/search/FoundWords.test.ts"
const needs = "test/search/Needs.test.ts"

export const words: ReadonlyArray<Case> = [
  checked(
    "C2. each result says which words it has and where, and which not; a need is never passed over",
    `${found}: are all told at each result: matched where they are, unmatched where they are not, needs first`,
    `${found}: nuts are one need in five languages, and found in house rules`,
    `${found}: a need that nothing at a place meets is said of each result, after what meets it elsewhere`,
    `${found}: a need that nobody meets is never passed over: results say so, and so does the page`,
    `${needs}: meets no need that any field denies, whatever the others say`,
    `${needs}: goes on with a list, and no further`,
    `${needs}: keeps every word, in what it asks for or in the rest`
  ),
  checked(
    "C2. a filler finds nothing by itself",
    `${found}: a filler finds nothing by itself, and what is not looked for is said`
  ),
  checked(
    "C14. words that work are among the known values, and those that don't are told",
    `${found}: words that work are among the known values, needs too, and each of them finds something`,
    `${found}: quiet sessions for a wheelchair are where they are, with the field; a quiet corner is none`,
    `${found}: who says the opposite is not matched, and the answer says where`
  ),
  checked(
    "the cost of words is bounded, and an upgrade forgets no need",
    `${found}: are bounded, whatever the query`,
    `${needs}: is read in a bounded time, whatever it is`,
    `${found}: are searched in rows of a node of the release before, once this one has looked at them`
  )
]
