/** Only what the venue sells is sold: case by case (B), and the tests that hold it. `Checklists.test.ts` checks that each named test is there. */
import { type Case, checked } from "../support/checklistCase.ts"

export const sales: ReadonlyArray<Case> = [
  checked(
    "B3. search finds the playroom whose only fitting visit ends at 24:00",
    "test/booking/PlayroomSearch.test.ts: finds the playroom whose only fitting visit ends at midnight"
  ),
  checked(
    "B10. a percentage with more than three decimals is refused at import, wherever a catalogue has one",
    "test/catalogue/CatalogueChecks.test.ts: with a tax rate of four decimals",
    "test/catalogue/CatalogueChecks.test.ts: with a price rule of four decimals",
    "test/catalogue/CatalogueChecks.test.ts: with a deposit of four decimals",
    "test/catalogue/CatalogueChecks.test.ts: with a refund of four decimals",
    "test/catalogue/CatalogueChecks.test.ts: with a fee of four decimals",
    "test/kernel/Money.test.ts: counts percentages of three decimals exactly, and tells the others"
  )
]
