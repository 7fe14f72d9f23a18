/**
 * Loaded into the service's process: reads one of `largeCalendars` again and again, as the calendars' worker does, from
 * a request for `/N` to the next one. Answers with how often, and with the longest run of the event loop meanwhile.
 */
import { Effect, Fiber } from "effect"
import { createServer } from "node:http"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { busyTimes } from "../../../src/domain/calendars/BusyTimes.ts"
import { textIn } from "../../../src/domain/calendars/CalendarFeeds.ts"
import { readCalendar } from "../../../src/domain/calendars/CalendarText.ts"
import { dayMs } from "../../../src/platform/time/LocalTime.ts"
import { largeCalendars } from "../../support/largeCalendars.ts"

const histogram = monitorEventLoopDelay({ resolution: 1 })
histogram.enable()
const texts = largeCalendars.map(([, text]) => new TextEncoder().encode(text))
const from = Date.parse("2026-11-26T00:00:00Z")

let readings = 0
const reading = (bytes: Uint8Array) =>
  Effect.suspend(() => textIn(new Response(bytes))).pipe(
    Effect.flatMap(readCalendar),
    Effect.flatMap((calendar) =>
      busyTimes(calendar, () => false, { time_zone: "Europe/London", from, to: from + 365 * dayMs })
    ),
    Effect.ignore,
    Effect.andThen(Effect.sync(() => readings++)),
    // The next one is brought by a link of 400 Mbit/s.
    Effect.andThen(Effect.sleep("100 millis")),
    Effect.forever
  )

let running: Fiber.Fiber<never> | undefined
createServer((request, response) => {
  const longestMs = histogram.count === 0 ? 0 : histogram.max / 1e6
  if (running !== undefined) Effect.runFork(Fiber.interrupt(running))
  const bytes = texts[Number(request.url?.slice(1) || Number.NaN)]
  running = bytes && Effect.runFork(reading(bytes))
  response.end(JSON.stringify({ longestMs, readings }))
  histogram.reset()
  readings = 0
})
  .listen(Number(process.env["PROBE_PORT"]), "127.0.0.1")
  .unref()
