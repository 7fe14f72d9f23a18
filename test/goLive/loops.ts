/** Assistants never loop: case by case (D), and the tests that hold it. `Checklists.test.ts` checks that each named test is there. */
import type { Case } from "../support/checklistCase.ts"

export const loops: ReadonlyArray<Case> = []
