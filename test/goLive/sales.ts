/** Only what the venue sells is sold: case by case (B), and the tests that hold it. `Checklists.test.ts` checks that each named test is there. */
import type { Case } from "../support/checklistCase.ts"

export const sales: ReadonlyArray<Case> = []
