/** Nobody waits for another's request. `Checklists.test.ts` checks that each named test is there. */
import { type Case, checked } from "../Case.ts"

const rpc = "test/surfaces/mcp/transport/JsonRpc.test.ts"

export const waits: ReadonlyArray<Case> = [
  checked(
    "A6. statements that are sent together leave the event loop to others in between",
    "test/platform/database/BackendSessions.test.ts: lets the event loop go on between the statements that are sent together"
  ),
  checked(
    "A7. a batch is bounded as a whole, and nesting is decided before it is parsed",
    `${rpc}: the answer to a batch has a bound: what comes after it is sent back unserved, each under its id`,
    `${rpc}: a batch has a bound in time: what comes after it is sent back unserved, each under its id`,
    `${rpc}: a batch has a bound in work: what comes after it is sent back unserved, each under its id`,
    `${rpc}: others have turns between the messages of a batch, also if each is answered at once`,
    `${rpc}: a body that is nested too deeply is refused before it is parsed, whatever its strings hold`
  ),
  checked(
    "A7. words that nobody has cost a bounded number of looks for similar ones",
    "test/domain/search/FoundWords.test.ts: are read as known ones if they are among the first misspelt ones; the others are looked for as they are"
  ),
  checked(
    "G3. explaining an empty search costs a bounded number of searches, each of which looks at a bounded number of playrooms",
    "test/domain/search/SearchAmongThousands.test.ts: looks at a bounded number of playrooms for what none has, and at a bounded number of searches to say why"
  )
]
