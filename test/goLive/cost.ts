/** What a caller sends costs little and never stops the service: case by case (A), and the tests that hold it. `Checklists.test.ts` checks that each named test is there. */
import { type Case, checked } from "../support/checklistCase.ts"

export const cost: ReadonlyArray<Case> = [
  checked(
    "A8. forged search cursors are invalid arguments, whatever they hold",
    "test/booking/PlayroomSearch.test.ts: refuses forged cursors whose digest is right, whatever they hold, in every ranking"
  )
]
