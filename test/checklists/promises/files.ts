/**
 * Files that a person names are read by the same rules, and cost what their size is worth. `Checklists.test.ts` checks
 * that each named test is there.
 */
import { type Case, checked } from "../Case.ts"

export const files: ReadonlyArray<Case> = [
  checked(
    "1. One reader for every file: what is not UTF-8 is refused, and never imported with broken names",
    "test/platform/text/Text.test.ts: are refused if they are not UTF-8, and the message says what to do",
    "test/platform/text/Text.test.ts: are refused as UTF-16, with a byte-order mark and without",
    "test/platform/text/Text.test.ts: are refused if they are no text, or if a character was lost before",
    "test/surfaces/cli/Commands.test.ts: reads every file by the same rules: UTF-8, no directory, and no more than its size"
  ),
  checked(
    "2. A million lines are refused within seconds for the true reason, whatever they hold",
    "test/domain/import/FileBounds.test.ts: of ${what} is refused for what is true of it, within ten seconds",
    "test/domain/import/FileBounds.test.ts: of rows is refused for their number",
    "test/domain/import/FileBounds.test.ts: has at most as many faults as are worth looking for",
    "test/domain/import/JsonText.test.ts: is told by its first bound, at the place, and is looked at no further",
    "test/domain/import/CatalogueText.test.ts: may repeat a part by an alias, at the length that a file may have"
  ),
  checked(
    "3. An import costs a playroom the same however many there are, and its texts are what they were",
    "test/domain/import/LargeImport.test.ts: finds the rows of a batch by their keys: none reads whole tables",
    "test/domain/search/SearchTexts.test.ts: are what plain functions make of them, for any text",
    "test/domain/import/LargeImport.test.ts: leaves no words that each search would have to read, and nor do prices that are derived again",
    "test/domain/search/SearchTexts.test.ts: stand in a playroom's row as they stood when they were generated, and again when it is changed",
    "test/domain/search/SearchTexts.test.ts: are learnt from several playrooms at once as from each alone"
  )
]
