/** Asks other calendars of playrooms every few minutes. The nodes share them: each is asked by one node at a time. */
import { Clock, Effect, Layer, Schema } from "effect"
import { createHash } from "node:crypto"
import type { DocumentRefused } from "../../platform/access/PublicDocuments.ts"
import { BookingId } from "../../platform/ids/Ids.ts"
import { dayMs, type Instant, minuteMs, forkRecurring } from "../../platform/time/LocalTime.ts"
import { inTurns, type Steps } from "../../platform/concurrency/LoopSlice.ts"
import { busyTimes } from "./BusyTimes.ts"
import { CalendarFeeds, type DueFeed, type FeedAnswer, askHost, textIn } from "./CalendarFeeds.ts"
import { type CalendarText, type CalendarUnreadable, readCalendar, titleFolded } from "./CalendarText.ts"

const isBookingId = Schema.is(BookingId)

/** How often a calendar is asked. Until then no other node asks it, whatever became of this one. */
export const askEveryMs = 5 * minuteMs
const maxAtOnce = 4
/**
 * Calendars per turn, so many that all are asked before other nodes ask them, however slow their hosts are. Further
 * ones follow at once.
 */
const batch = 32

/** Characters that are digested in one step. */
const digestedPerStep = 65_536
/** Bookings that are looked up in one statement. */
const lookedUp = 1000

/** A digest of what matters. Many hosts write the time of the request into each event. */
const digestOf = function* (text: string): Steps<string> {
  const hash = createHash("sha256")
  let steps = 0
  for (let at = 0; at < text.length;) {
    if (++steps % 50 === 0) yield
    const found = text.startsWith("DTSTAMP", at) ? at : text.indexOf("\nDTSTAMP", at)
    const stamp = found === -1 ? text.length : found
    for (let from = at; from < stamp; from += digestedPerStep) {
      hash.update(text.slice(from, Math.min(stamp, from + digestedPerStep)))
      yield
    }
    const end = text.indexOf("\n", stamp + 1)
    at = end === -1 ? text.length : end
  }
  return hash.digest("hex")
}

/** What of a calendar names bookings of this operator: uids of events, and references in their texts. */
const ownOf = Effect.fnUntraced(function* (operator_id: string, { events }: CalendarText) {
  const feeds = yield* CalendarFeeds
  const ids = [...new Set(events.flatMap(({ uid }) => (isBookingId(uid) ? [uid] : [])))]
  const references = [...new Set(events.flatMap((event) => event.references))]
  const own = new Set<string>()
  for (let at = 0; at < Math.max(ids.length, references.length); at += lookedUp)
    for (const one of yield* feeds.ownBookings(
      operator_id,
      ids.slice(at, at + lookedUp),
      references.slice(at, at + lookedUp)
    ))
      own.add(one)
  return own
})

const answerOf = Effect.fnUntraced(function* (feed: DueFeed, now: Instant) {
  const to = now + (feed.max_advance_days + 2) * dayMs
  // The horizon moves on: once a day what recurs is read again, though the calendar is the same.
  const current = feed.read_until !== null && feed.read_until > to - dayMs
  const response = yield* askHost(feed.url, {
    ...(current && feed.etag !== null ? { "if-none-match": feed.etag } : {}),
    ...(current && feed.last_modified !== null ? { "if-modified-since": feed.last_modified } : {})
  })
  if (response.status === 304 && current) {
    const same: FeedAnswer = { kind: "unchanged" }
    return same
  }
  const text = yield* textIn(response)
  const digest = yield* inTurns(() => digestOf(text))
  if (current && digest === feed.digest) {
    const same: FeedAnswer = { kind: "unchanged" }
    return same
  }
  const calendar = yield* readCalendar(text)
  const own = yield* ownOf(feed.operator_id, calendar)
  const ignored = new Set(feed.ignore.map(titleFolded))
  const found = yield* busyTimes(
    calendar,
    ({ references, title, uid }) =>
      own.has(uid) || ignored.has(title) || references.some((reference) => own.has(reference)),
    { time_zone: feed.time_zone, from: now, to }
  )
  const read: FeedAnswer = {
    kind: "read",
    ...found,
    digest,
    etag: response.headers.get("etag") ?? undefined,
    last_modified: response.headers.get("last-modified") ?? undefined,
    read_until: to
  }
  return read
})

/** Asks a calendar and stores its answer. One that can't be read keeps what was read before. */
const ask = Effect.fn("CalendarWorker.ask")(function* (feed: DueFeed) {
  const now = yield* Clock.currentTimeMillis
  const failed = ({ message }: DocumentRefused | CalendarUnreadable) => {
    const answer: FeedAnswer = { kind: "failed", why: message }
    return Effect.succeed(answer)
  }
  const answer = yield* answerOf(feed, now).pipe(
    Effect.catchTags({ DocumentRefused: failed, CalendarUnreadable: failed })
  )
  yield* CalendarFeeds.use((feeds) => feeds.store(feed, answer, now))
})

/** Asks the calendars that are due. Succeeds with their number. */
export const askDueCalendars = Effect.gen(function* () {
  const feeds = yield* CalendarFeeds
  let done = 0
  for (;;) {
    const now = yield* Clock.currentTimeMillis
    const due = yield* feeds.takeDue(now, now + askEveryMs, batch)
    if (due.length === 0) return done
    yield* Effect.forEach(
      due,
      (feed) =>
        ask(feed).pipe(
          Effect.catchCause((cause) =>
            Effect.logWarning("A calendar was not read; it is asked again in five minutes", cause).pipe(
              Effect.annotateLogs({ playroom_id: feed.playroom_id, calendar: feed.name })
            )
          )
        ),
      { concurrency: maxAtOnce, discard: true }
    )
    done += due.length
  }
}).pipe(Effect.withSpan("askDueCalendars"))

/** Looks for due calendars every half minute, as long as the layer lives. */
export const calendarWorker = Layer.effectDiscard(
  forkRecurring(askDueCalendars, {
    every: "30 seconds",
    failed: "Other calendars could not be asked; tried again in half a minute"
  })
)
