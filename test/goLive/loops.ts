/** Assistants never loop: case by case (D), and the tests that hold it. `Checklists.test.ts` checks that each named test is there. */
import { type Case, checked } from "../support/checklistCase.ts"

export const loops: ReadonlyArray<Case> = [
  checked(
    "D3. null and empty texts of optional fields count as absent, and what can be left out says so",
    "test/mcp/Arguments.test.ts: that are null or empty count as absent, in every optional field of every tool",
    "test/mcp/Arguments.test.ts: that are null or empty where they are required are told to be required, with what is accepted",
    "test/mcp/Arguments.test.ts: that can be left out say so, by the name of the field that can"
  )
]
