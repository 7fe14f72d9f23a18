import { assert, it } from "@effect/vitest"
import { wantsEvents } from "../../../src/mcp/transport/Accept.ts"

it("an answer is an event stream only where the client weighs streams higher than JSON, whatever the spelling", () => {
  for (const accept of [
    "text/event-stream",
    "TEXT/Event-Stream",
    "text/event-stream;q=0.5",
    "text/event-stream ; Q=1.000",
    "text/*",
    "text/event-stream, application/json;q=0",
    "application/json;q=0.2, text/event-stream",
    "*/*;q=0.1, text/event-stream",
    'text/event-stream;note="a, application/json"',
    "text/html, text/event-stream",
    "application/json;q=0, */*"
  ]) {
    assert.isTrue(wantsEvents(accept), accept)
    assert.isTrue(wantsEvents(accept), `${accept}, again`)
  }
  for (const accept of [
    undefined,
    "",
    "*/*",
    "application/json",
    "APPLICATION/JSON, text/event-stream",
    "application/json, text/event-stream",
    "text/event-stream;q=0",
    "text/event-stream;q=0.000, application/json",
    "text/event-stream;Q=0",
    "text/event-stream;q=0.5, application/json;q=0.6",
    "text/event-stream;q=0, */*",
    "text/event-stream, */*",
    "text/event-stream, application/*",
    "text/event-stream-x",
    "application/x;profile=text/event-stream",
    "text/html",
    "text/event-stream/x, a, ;, /,,",
    '"text/event-stream'
  ]) {
    assert.isFalse(wantsEvents(accept), accept)
  }
})

it("no header is taken longer to read than it is long", () => {
  // The longest header that Node takes: a pattern that goes back and forth would not end.
  for (const accept of [`"${"\\".repeat(16_000)}`, `${'"a'.repeat(8000)}`, ",;".repeat(8000), " ".repeat(16_000)]) {
    assert.isFalse(wantsEvents(accept))
  }
})
