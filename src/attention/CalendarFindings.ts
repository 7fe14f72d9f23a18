/** What needs a person of other calendars: what can't be read, and bookings at times that are busy there. */
import { Effect } from "effect"
import { CalendarFeeds, failingFeeds } from "../calendars/CalendarFeeds.ts"
import { hourMs } from "../kernel/LocalTime.ts"
import { at, kind, limit } from "./Finding.ts"

/** A calendar's host that is away for a while is none; each is asked every five minutes. */
const calendarFailingMs = hourMs

/** In the order in which they are reported. */
export const calendarFindings = [
  kind({
    codes: ["calendar not read", "calendar event not read"],
    rows: (now) =>
      Effect.map(
        CalendarFeeds.use((feeds) => feeds.reported(now - calendarFailingMs, limit)),
        (feeds) =>
          feeds.flatMap(({ failing_since, failure, unread, ...feed }) => [
            ...(failing_since === null || failing_since > now - calendarFailingMs
              ? []
              : [{ ...feed, failing_since, why: failure ?? "" }]),
            ...unread.map((event) => ({ ...feed, failing_since: undefined, ...event }))
          ])
      ),
    of: (it) =>
      it.failing_since === undefined
        ? {
            what: "calendar event not read",
            id: it.playroom_id,
            detail: `the calendar ${it.name} of ${it.playroom_name} has an event of ${it.at}, and ${it.why}: it may be busy at times that are sold here`,
            fix: "close these times in the catalogue file (closures), or have the event written in another way"
          }
        : {
            what: "calendar not read",
            id: it.playroom_id,
            detail: `the calendar ${it.name} of ${it.playroom_name} has not been read since ${at(it.answered_at ?? it.failing_since)}: ${it.why}; what was read before still counts`,
            fix: "see whether its address in the catalogue file (calendars) still leads to an .ics file, and import the file with the new one; it is asked every five minutes"
          },
    counted: { gauge: "calendars_failing", rows: (sql, now) => failingFeeds(sql, now - calendarFailingMs) }
  }),
  kind({
    codes: ["booking when another calendar is busy"],
    rows: (now) => CalendarFeeds.use((feeds) => feeds.busyBookings(now, limit)),
    of: (it) => ({
      what: "booking when another calendar is busy",
      id: it.booking_id,
      detail: `${it.reference} has ${it.playroom_name} at ${at(it.starts_at)}, and the calendar ${it.calendar} is busy from ${at(it.busy_from)} to ${at(it.busy_to)}`,
      fix: `ask the venue who comes: if it is the same party, its entry gets the reference ${it.reference} in its title; if not, playroom booking move or cancel ${it.booking_id}, or the other one goes`
    })
  })
]
