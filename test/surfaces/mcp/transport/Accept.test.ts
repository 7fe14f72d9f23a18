import { assert, it } from "@effect/vitest"
import { wantsEvents } from "../../../../src/surfaces/mcp/transport/McpEndpoint.ts"

it("an answer is an event stream only for a client that accepts these and no JSON, whatever the spelling", () => {
  for (const accept of [
    "text/event-stream",
    "TEXT/Event-Stream",
    "text/event-stream;q=0.5",
    "text/event-stream ; Q=1.000",
    "text/html, text/event-stream"
  ])
    assert.isTrue(wantsEvents(accept), accept)
  for (const accept of [
    undefined,
    "",
    "*/*",
    "application/json",
    "APPLICATION/JSON, text/event-stream",
    "application/json, text/event-stream",
    "application/json;q=0.2, text/event-stream",
    "text/event-stream;q=0.5, application/json;q=0.6",
    "*/*;q=0.1, text/event-stream",
    "text/event-stream, */*",
    "text/event-stream, application/*",
    "text/*",
    "text/event-stream-x",
    "application/x;profile=text/event-stream",
    "text/html",
    "text/event-stream/x, a, ;, /,,",
    '"text/event-stream'
  ])
    assert.isFalse(wantsEvents(accept), accept)
})

it("no header is taken longer to read than it is long", () => {
  for (const accept of [`"${"\\".repeat(16_000)}`, `${'"a'.repeat(8000)}`, ",;".repeat(8000), " ".repeat(16_000)])
    assert.isFalse(wantsEvents(accept))
})
