/** What a caller sends costs little and never stops the service: case by case (A), and the tests that hold it. `Checklists.test.ts` checks that each named test is there. */
import type { Case } from "../support/checklistCase.ts"

export const cost: ReadonlyArray<Case> = []
