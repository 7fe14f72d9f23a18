/**
 * Words of a search mean something: what is needed is met, or said to be missing; and answers are short. Case by case,
 * and the tests that hold each.
 */
import { type Case, checked } from "../Case.ts"

const found = "test/domain/search/FoundWords.test.ts"
const needs = "test/domain/search/Needs.test.ts"
const lengths = "test/assistants/AnswerLengths.test.ts"
const wishes = "test/domain/search/WishesInWords.test.ts"

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
    "C2. what a playroom sells is found: packages by what they say, add-ons by their names",
    `${found}: packages and add-ons are found by their names, packages by what they say, too`,
    `${found}: follow what is on sale: a package that is renamed or taken off sale, a quiet session among packages`
  ),
  checked(
    "C2. a misspelt need is that need, or is said to be missing",
    `${found}: a misspelt need is the need in five languages: told as it is read, and never found in another sense`,
    `${needs}: a word of another meaning is no misspelt need`,
    `${needs}: a misspelt word is looked up in a bounded time`
  ),
  checked(
    "what a search has arguments for is no word of its query, and that is said",
    `${found}: days, ages, numbers and prices are no words: the rest of a wish is looked for, and that is said`
  ),
  checked(
    "C2. a wish as parents say it in five languages finds what venues call otherwise",
    `${wishes}: finds the same in five languages, with nothing unmatched`,
    `${wishes}: for a rainy day is for any playroom: each is indoors`,
    `${wishes}: to be at home, or in a whole room, finds playrooms by the rest of it; the answer says so`,
    `${wishes}: finds a text without spaces between words by its names in any language`
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
    "C16. an answer is short to read: a page, a booking, a refusal with other times; what is left out can be asked for",
    `${lengths}: are pages of at most 4,000 characters, or 12,000 if the caller names a limit, and all of them hold the same`,
    `${lengths}: are at most 4,000 characters of a booking, a payment page, a refusal with other times, and a playroom but for those with the most to tell`,
    "test/platform/text/ResponseBudget.test.ts: is the longest that is short enough, with one entry at least, and all pages hold each entry once, in order",
    "test/domain/availability/OptionPage.test.ts: pages fit into a result, one after the other, and hold each option once",
    "test/surfaces/mcp/card/CardViews.test.ts: asks for more times where a page has another one, and shows those that come after it"
  ),
  checked(
    "the cost of words is bounded, and an upgrade forgets no need",
    `${found}: are bounded, whatever the query`,
    `${needs}: is read in a bounded time, whatever it is`,
    `${found}: are searched in rows of a node of the release before, once this one has looked at them`
  )
]
