/** What needs a person of other calendars: what can't be read, and bookings at times that are busy there. */
import { Effect } from "effect"
import { CalendarFeeds, failingFeeds, unreadSince } from "../../domain/calendars/CalendarFeeds.ts"
import { at, kindForOperator, limit } from "./Finding.ts"

/** In the order in which they are reported. */
export const calendarFindings = [
  kindForOperator({
    codes: ["calendar not read", "calendar event not read"],
    rows: (now, operator_id) =>
      Effect.map(
        CalendarFeeds.use((feeds) => feeds.reported(now, limit, operator_id)),
        (feeds) =>
          feeds.flatMap((feed) => {
            const since = unreadSince(feed, now)
            return [
              ...(since === undefined ? [] : [{ ...feed, since, at: "", why: feed.failure ?? "", told: true }]),
              // Its operator is told once of a calendar with such events.
              ...feed.unread.map((event, i) => ({ ...feed, since: undefined, ...event, told: i === 0 }))
            ]
          })
      ),
    notice: ({ name: calendar, playroom_name, since, told }) => {
      if (since !== undefined) return { kind: "calendar_not_read", calendar, playroom_name, since }
      return told ? { kind: "calendar_event_not_read", calendar, playroom_name } : undefined
    },
    of: (it) =>
      it.since === undefined
        ? {
            what: "calendar event not read",
            id: it.playroom_id,
            detail: `the calendar ${it.name} of ${it.playroom_name} has an event of ${it.at}, and ${it.why}: what it may mean is closed here, as far as that is known`,
            fix: "close these times in the catalogue file (closures), or have the event written in another way"
          }
        : {
            what: "calendar not read",
            id: it.playroom_id,
            detail: `the calendar ${it.name} of ${it.playroom_name} has not been read since ${at(it.since)}: ${it.why}; what was read before still counts`,
            fix: "see whether its address in the catalogue file (calendars) still leads to an .ics file, and import the file with the new one; it is asked every five minutes"
          },
    counted: { gauge: "calendars_failing", rows: failingFeeds }
  }),
  kindForOperator({
    codes: ["booking when another calendar is busy"],
    rows: (now, operator_id) => CalendarFeeds.use((feeds) => feeds.busyBookings(now, limit, operator_id)),
    notice: ({ booking_id, calendar, playroom_name }) => ({
      kind: "booking_when_calendar_is_busy",
      booking_id,
      calendar,
      playroom_name
    }),
    of: (it) => ({
      what: "booking when another calendar is busy",
      id: it.booking_id,
      detail: `${it.reference} has ${it.playroom_name} at ${at(it.starts_at)}, and the calendar ${it.calendar} is busy from ${at(it.busy_from)} to ${at(it.busy_to)}`,
      fix: `ask the venue who comes: if it is the same party, its entry gets the reference ${it.reference} in its title; if not, playroom booking move or cancel ${it.booking_id}, or the other one goes`
    })
  })
]
