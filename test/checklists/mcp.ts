/**
 * What a host may rely on at `/mcp`, case by case, and the tests that hold it. `Checklists.test.ts` checks that each is
 * there.
 */
import type { Case } from "./Case.ts"

const protocol = "test/surfaces/mcp/transport/Protocol.test.ts"
const calls = "test/surfaces/mcp/tools/ToolCalls.test.ts"
const list = "test/surfaces/mcp/tools/ToolList.test.ts"
const args = "test/surfaces/mcp/arguments/Arguments.test.ts"
const guards = "test/surfaces/mcp/transport/Guards.test.ts"
const card = "test/surfaces/mcp/card/Card.test.ts"
const endpoint = "test/journeys/Endpoint.test.ts"
const texts = "test/domain/catalogue/OperatorTexts.test.ts"

export const checklist: ReadonlyArray<Case> = [
  {
    case: "1. The official conformance suites, both eras",
    tests: [
      "test/journeys/Conformance.test.ts: the official conformance suites find no failure and no warning in anything that a server of tools can be held to",
      "test/journeys/Conformance.test.ts: every scenario of the suites is run at some version, or does not apply for a stated reason"
    ]
  },
  {
    case: "2. server/discover, resultType, ttlMs and cacheScope",
    tests: [
      `${protocol}: server/discover tells versions, tools, instructions and who answers; lists may be cached by anyone`
    ]
  },
  {
    case: "3. initialize agrees on a version",
    tests: [`${protocol}: initialize echoes known versions, offers a known one for others, and never the 2026 one`]
  },
  {
    case: "4. No session is needed, and a restart between two calls is invisible",
    tests: [
      `${protocol}: a bare tools/call works, a stray session id is ignored, and another node answers the next call`,
      `${endpoint}: answers the next call of either era after a restart as if nothing had happened`
    ]
  },
  {
    case: "5. The envelope and headers of the 2026 era",
    tests: [
      `${protocol}: the 2026 envelope is checked: missing parts, disagreeing headers, unknown versions and methods`
    ]
  },
  {
    case: "6. Other methods, notifications, and bodies that are no message",
    tests: [
      `${protocol}: GET and DELETE are answered 405 with Allow; notifications 202 and nothing`,
      `${protocol}: bodies that are no message are told so, in the order: type, size, JSON, envelope`,
      `${protocol}: a body over 128 KiB is refused with 413, declared or chunked, and one just under it is read`
    ]
  },
  {
    case: "7. JSON unless event streams alone are accepted",
    tests: [`${protocol}: the answer is JSON unless event streams alone are accepted`]
  },
  {
    case: "8. Unknown tools and foreign cursors",
    tests: [
      `${protocol}: an unknown tool is a protocol error under the request's own id`,
      "test/surfaces/mcp/tools/CopiedIds.test.ts: a cursor's: it is none of ours, whichever list it is of"
    ]
  },
  {
    case: "9. Capabilities: tools and resources, which never change",
    tests: [
      `${protocol}: server/discover tells versions, tools, instructions and who answers; lists may be cached by anyone`,
      `${protocol}: initialize echoes known versions, offers a known one for others, and never the 2026 one`,
      `${protocol}: a subscription ends at once, since the tools never change: nothing is kept open`,
      `${card}: is listed and read in both eras, and may be cached by anyone`,
      `${card}: is the only resource: others are not found, and no cursor fits`
    ]
  },
  {
    case: "10. The same tools in a stable order, the same bytes for everyone, with titles and true hints",
    tests: [
      `${list}: are exactly those that the interface promises, in its order`,
      `${list}: have a title and a description that names the next tool; of amounts the currency, of times the zone`,
      `${list}: say all four hints, truthfully`,
      `${protocol}: the list is the same bytes with a key, without one, and with a bad one`
    ]
  },
  {
    case: "11. Schemas that every host can read; unknown fields are refused by name",
    tests: [
      `${list}: have object roots without combinators, and nothing referred to elsewhere`,
      `${list}: describe every property, whose names are of small letters and underscores`,
      `${list}: refuse unknown fields in their input schemas, and never mention null`,
      `${args}: of typical mistakes are told all at once, each with what is accepted and where ids come from`
    ]
  },
  {
    case: "12. Structured content that fits its schema and equals the text; errors with code and fix",
    tests: [
      `${calls}: success carries structured content that fits the output schema, and a text of the same JSON`,
      `${calls}: a failure is isError with code and fix, and no structured content`
    ]
  },
  {
    case: "13. Bad arguments are named, with what is accepted, several at once",
    tests: [
      `${args}: of typical mistakes are told all at once, each with what is accepted and where ids come from`,
      `${args}: that are missing are told with what they mean`,
      `${args}: inside objects and lists are named by their whole path`
    ]
  },
  {
    case: "14. A defect is a generic error with a trace id",
    tests: [
      `${calls}: a defect is a generic error with the trace id under which its cause is logged`,
      `${calls}: a statement that the database refuses is a defect, and tells nothing of the database`,
      "test/surfaces/mcp/tools/ToolErrors.test.ts: is a fault of ours where the statement or its values are wrong"
    ]
  },
  {
    case: "15. Public tools need no key; missing, wrong and under-scoped keys are told apart; no OAuth",
    tests: [
      `${calls}: public tools work without a key and with a bad one; protected ones tell apart missing, wrong and under-scoped keys`,
      "test/surfaces/http/Surface.test.ts: answers unknown addresses with a JSON problem, and advertises no OAuth"
    ]
  },
  {
    case: "16. Another key's booking is none, in body and in time",
    tests: [
      `${calls}: another key's booking reads as one that does not exist, word for word`,
      "test/platform/access/ForeignBookings.test.ts: takes the same statement as one that does not exist, which gives as many rows: none"
    ]
  },
  {
    case: "17. Keys are kept as digests and never appear anywhere",
    tests: [
      "test/platform/access/ApiKeys.test.ts: an issued key works at once, knows its scopes, and its secret is stored nowhere",
      "test/platform/access/Authentication.test.ts: no key, an empty one, a wrong one and two that differ are told apart",
      `${endpoint}: never shows a key: not in an answer, not in its logs, not in the traces that it exports`
    ]
  },
  {
    case: "18. Foreign origins and hosts are refused; preflights of allowed pages are answered",
    tests: [
      `${guards}: requests that name a foreign host or come from a foreign page are refused with 403`,
      `${guards}: a preflight from an allowed page is answered 204 with the headers that clients send`,
      `${guards}: away from loopback, local pages are as foreign as any, and hosts are those of the settings`
    ]
  },
  {
    case: "19. Rate limits, capped subscriptions, and work that ends with its client",
    tests: [
      `${calls}: beyond the limit of its address, public tools too answer rate_limited, and other methods 429`,
      `${calls}: a key has a limit of its own, wherever it calls from`,
      `${protocol}: a subscription ends at once, since the tools never change: nothing is kept open`,
      `${calls}: a client that disconnects cancels its work, both ways through`
    ]
  },
  {
    case: "20. Nasty JSON is a clear error, never a crash, a stored row, or a 500",
    tests: [
      `${calls}: what can't be an argument is named, never stored and never a 500: NUL, half surrogates, __proto__, huge numbers`,
      `${args}: with NUL, half surrogates or __proto__ anywhere are refused by path, deep nesting as another type`,
      `${args}: of any JSON never crash the decoder, which tells at most 20 short issues and accepts no unknown field`,
      `${endpoint}: answers nasty JSON with a clear error, never with a 500, a crash, or a stored row`
    ]
  },
  {
    case: "21. Operators' texts stay data",
    tests: [
      `${texts}: lose markup, scripts and control tokens, and keep what people read`,
      `${texts}: lose control, bidirectional, zero-width and tag characters`,
      "test/surfaces/mcp/tools/ToolErrors.test.ts: a payment that the provider refuses is told apart from an operator that takes none, and neither is worth repeating"
    ]
  },
  {
    case: "22. One audit line per call; traceparent is honoured",
    tests: [
      `${calls}: each call writes one audit line with tool, key id, outcome, duration and trace id, and no secret or argument`,
      `${calls}: traceparent is honoured, from the header and from _meta, both ways through`
    ]
  },
  {
    case: "Clients that people use",
    tests: [
      "test/surfaces/mcp/transport/Clients.test.ts: lists the tools, calls a public one, calls a keyed one, and reads why one is refused",
      "test/journeys/Booking.test.ts: client finds a playroom, books it, has it paid, and sees it confirmed",
      "test/journeys/Inspector.test.ts: the Inspector's command line lists the tools, calls a public one and a keyed one, in both eras"
    ]
  }
]
