/**
 * Assistants never loop: case by case (D), and the tests that hold it. `Checklists.test.ts` checks that each named test
 * is there.
 */
import { type Case, checked } from "../Case.ts"

export const loops: ReadonlyArray<Case> = [
  checked(
    "D1. a booking that is over is booked anew with a new idempotency key, and every error says so",
    "test/surfaces/mcp/tools/ToolErrors.test.ts: a booking that is over is booked anew with a new idempotency key: the old one stands for the old booking",
    "test/domain/booking/Bookings.test.ts: shows a lapsed hold as expired, in a look-up and to a repeated call"
  ),
  checked(
    "D2. another operator's option ends a bound key's attempt, with a reason of its own",
    "test/domain/availability/Decision.test.ts: of another operator than the key's own is refused for good, and is no option that comes back",
    "test/surfaces/mcp/tools/ToolErrors.test.ts: another operator's option ends the search: its fix leads to no call that would offer it again"
  ),
  checked(
    "D3. null and empty texts of optional fields count as absent, and what can be left out says so",
    "test/surfaces/mcp/arguments/Arguments.test.ts: that are null or empty count as absent, in every optional field of every tool",
    "test/surfaces/mcp/arguments/Arguments.test.ts: that are null or empty where they are required are told to be required, with what is accepted",
    "test/surfaces/mcp/arguments/Arguments.test.ts: that can be left out say so, by the name of the field that can"
  ),
  checked(
    "D3. search takes blank texts for absent ones, and says why a date or an end is refused",
    "test/domain/search/PlayroomSearch.test.ts: takes blank texts for absent ones, so that none of them hides what is there",
    "test/domain/search/PlayroomSearch.test.ts: says why a date is refused: past wherever a playroom can be, or further ahead than any can be booked",
    "test/domain/search/PlayroomSearch.test.ts: refuses filters that contradict each other, by path"
  ),
  checked(
    "D4. every list in every schema says what its elements are, every object its fields, every field its type and meaning",
    "test/surfaces/mcp/tools/ToolList.test.ts: spell out what is inside every list and object, once: what comes again names the tool that told it, or says that it is above",
    "test/surfaces/mcp/tools/ToolList.test.ts: describe every property, whose names are of small letters and underscores"
  ),
  checked(
    "D5. whoever follows fix and next_step word by word comes from every code to a booking, or to an honest end, in six calls",
    "test/surfaces/mcp/tools/Loops.test.ts: comes from ${code} (${what}) to a booking or an honest end in six calls: ${caller}",
    "test/surfaces/mcp/tools/Loops.test.ts: is tried from every code that there is"
  )
]
