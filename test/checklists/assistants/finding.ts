/**
 * What an assistant finds, and is told where it finds nothing: line by line, and the tests that hold it.
 * `Checklists.test.ts` checks that each named test is there.
 */
import { type Case, checked } from "../Case.ts"

export const finding: ReadonlyArray<Case> = [
  checked(
    "3. a search with a party or a mode tells the price of that party, and a lowest price tells whom it is for",
    "test/assistants/PriceForParty.test.ts: a search of a party tells what that party pays, by the child where it is by the child",
    "test/assistants/PriceForParty.test.ts: a page that is sorted by price goes by what the party pays",
    "test/assistants/PriceForParty.test.ts: a search with a date tells the price at its next start",
    "test/assistants/PriceForParty.test.ts: adults count in the price, in max_total, and where a package takes only so many",
    "test/assistants/PriceForParty.test.ts: no lowest price stands alone: it says whom it is for, and what each further child costs",
    "test/assistants/PriceForParty.test.ts: what a search tells is what the options then cost",
    "test/assistants/PriceForParty.test.ts: a usual page and a usual playroom are short"
  ),
  checked(
    "7. an empty search tells what excluded most, what would fit instead, and the known values",
    "test/assistants/EmptySearch.test.ts: a length that is not sold is named, with those that are",
    "test/assistants/EmptySearch.test.ts: another currency is named, with a price in the one that is taken",
    "test/assistants/EmptySearch.test.ts: swapped coordinates are noticed, and a wider circle is tried",
    "test/assistants/EmptySearch.test.ts: a city, country or amenity that nobody has is named, with what there is",
    "test/assistants/EmptySearch.test.ts: a day without a free start leads to one that has, also from beyond what can be booked",
    "test/assistants/EmptySearch.test.ts: where no filter alone is to blame, it tells the least that must be given up together",
    "test/assistants/EmptySearch.test.ts: so many are excluded as is said, or more",
    "test/assistants/EmptySearch.test.ts: what each playroom lacks is said, and the one that has the words is named with why it does not fit",
    "test/assistants/EmptySearch.test.ts: a budget is said in words, with the least that all else costs",
    "test/assistants/EmptySearch.test.ts: what goes with a filter is left out with it, and nothing is said that would be refused",
    "test/assistants/EmptySearch.test.ts: of words, those are kept that name a city",
    "test/domain/search/SearchAmongThousands.test.ts: answers in one look what no package could ever offer, with no page to follow, and says why with a bounded number of others"
  ),
  checked(
    "7. cities, amenities and words are found in the languages that people write",
    "test/assistants/Languages.test.ts: cities are found by their names in five languages, and with umlauts as two letters",
    "test/assistants/Languages.test.ts: a city that playrooms write in several ways is one city, by whichever of its names",
    "test/assistants/Languages.test.ts: some of the words are enough where no playroom has all: what is needed comes first, then its city",
    "test/assistants/Languages.test.ts: words around what is looked for exclude nothing, in five languages"
  ),
  checked(
    "9. accessibility and amenities are asked for and answered as structure, by whichever name they go",
    "test/assistants/Languages.test.ts: an amenity is found by whichever name it goes, as a filter and among words",
    "test/assistants/Languages.test.ts: what a playroom has or lacks for people with disabilities is told as structure",
    "test/domain/import/CatalogueChecks.test.ts: a feature twice, or had and lacked"
  ),
  checked(
    "10. ages that no playroom is for are said, and what was understood of the party is echoed",
    "test/assistants/EmptySearch.test.ts: ages outside those of every playroom are said, and a party that is too large"
  ),
  checked(
    "11. how many children a playroom takes is called that",
    "test/assistants/PriceForParty.test.ts: a playroom tells its most children by that name"
  )
]
