/** `playroom calendar …`: other calendars of playrooms, and a look at one before it is named in the catalogue file. */
import { Clock, Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import {
  CalendarFeeds,
  type BusyBooking,
  type ListedFeed,
  unreadSince,
  tryCalendar
} from "../../domain/calendars/CalendarFeeds.ts"
import { addDays, dayMs, format, type Instant, localDateOf, TimeZone } from "../../platform/time/LocalTime.ts"
import { idNamed, operatorArgument, examples } from "./Arguments.ts"
import { failed } from "./Failure.ts"
import { instant, json, plain, print, table, localTime } from "./Output.ts"
import { counted } from "../../platform/text/Text.ts"

const maxListed = 1000
const maxConflicts = 1000

/** What became of the last looks at a calendar. */
const stateOf = (feed: ListedFeed, now: Instant): string => {
  if (feed.failing_since !== null) {
    const since = unreadSince(feed, now)
    return since === undefined
      ? `not read just now: ${feed.failure ?? ""}`
      : `not read since ${instant(since)}: ${feed.failure ?? ""}`
  }
  return feed.answered_at === null ? "not asked yet" : "read"
}

/** From when to when, by the zone's clock: the date of the end only if it is another. */
const span = (time_zone: string, start: Instant, end: Instant): string => {
  const sameDay = localDateOf(time_zone, start) === localDateOf(time_zone, end)
  return `${localTime(time_zone, start)} to ${sameDay ? localTime(time_zone, end).slice(11) : localTime(time_zone, end)}`
}

const notUnderstood = (unread: ListedFeed["unread"]): ReadonlyArray<string> =>
  unread.map(({ at, why }) => `  not understood: an event of ${plain(at)}: ${plain(why)}`)

const listText = (feeds: ReadonlyArray<ListedFeed>, bookings: ReadonlyArray<BusyBooking>, now: Instant): string => {
  const conflictsOf = ({ name, playroom_id }: ListedFeed) =>
    bookings.filter((it) => it.playroom_id === playroom_id && it.calendar === name)
  const rows = table(
    ["PLAYROOM", "CALENDAR", "LAST READ", "BUSY AHEAD", "CONFLICTS", "STATE"],
    feeds.map((feed) => [
      feed.playroom_name,
      feed.name,
      feed.answered_at === null ? "-" : instant(feed.answered_at),
      String(feed.busy_ahead),
      String(conflictsOf(feed).length),
      stateOf(feed, now)
    ])
  )
  const details = feeds.flatMap((feed) => {
    const lines = [
      ...notUnderstood(feed.unread),
      ...conflictsOf(feed).map(
        ({ busy_from, busy_to, ends_at, reference, starts_at, time_zone }) =>
          `  booking ${reference}, ${span(time_zone, starts_at, ends_at)}, while it is busy ${span(time_zone, busy_from, busy_to)}`
      )
    ]
    return lines.length === 0 ? [] : ["", `${plain(feed.name)} of ${plain(feed.playroom_name)}:`, ...lines]
  })
  return [rows, ...details].join("\n")
}

const list = Command.make(
  "list",
  { operator: operatorArgument.pipe(Argument.optional), json },
  Effect.fn(function* ({ json, operator: named }) {
    const now = yield* Clock.currentTimeMillis
    const operator_id = Option.isNone(named) ? undefined : yield* idNamed("operator", named.value)
    const feeds = yield* CalendarFeeds.use((all) => all.list(now, maxListed, operator_id))
    const bookings = yield* CalendarFeeds.use((all) => all.busyBookings(now, maxConflicts, operator_id))
    const time = (at: Instant | null) => (at === null ? {} : { at: new Date(at).toISOString() })
    const data = feeds.map(({ answered_at, failing_since, failure, ...feed }) => ({
      ...feed,
      last_read: time(answered_at).at,
      failing_since: time(failing_since).at,
      failure: failure ?? undefined,
      conflicts: bookings
        .filter((it) => it.playroom_id === feed.playroom_id && it.calendar === feed.name)
        .map(({ booking_id, busy_from, busy_to, reference, starts_at }) => ({
          booking_id,
          reference,
          starts_at: time(starts_at).at,
          busy_from: time(busy_from).at,
          busy_to: time(busy_to).at
        }))
    }))
    const none = "No playroom names another calendar: `calendars` in the catalogue file does (docs/venue.md)."
    yield* print(json, data, feeds.length === 0 ? none : listText(feeds, bookings, now))
  })
).pipe(
  Command.withDescription(
    "List other calendars of playrooms: when each was last read, how many busy times are ahead, bookings in their way, events not understood"
  )
)

const unreadable = ({ message }: { readonly message: string }) =>
  failed(`The calendar can't be read: ${plain(message)}.`)

const tryIt = Command.make(
  "try",
  {
    url: Argument.String("url").pipe(Argument.withDescription("The https:// address of an .ics file")),
    zone: Flag.String("zone").pipe(
      Flag.withDescription("The playroom's time zone, for whole days and times without one, like Europe/London"),
      Flag.withSchema(TimeZone),
      Flag.withDefault("UTC")
    ),
    weeks: Flag.Int("weeks").pipe(
      Flag.withDescription("How many weeks from now"),
      Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 104 }))),
      Flag.withDefault(4)
    ),
    json
  },
  Effect.fn(function* ({ json, url, weeks, zone }) {
    const now = yield* Clock.currentTimeMillis
    const found = yield* tryCalendar(url, { time_zone: zone, from: now, to: now + weeks * 7 * dayMs }).pipe(
      Effect.catchTags({ DocumentRefused: unreadable, CalendarUnreadable: unreadable })
    )
    const until = addDays(localDateOf(zone, now), weeks * 7)
    const lines = [
      `${counted(found.events, "event")}; busy until ${until}, by the clock of ${zone}:`,
      ...(found.busy.length === 0 ? ["  never"] : found.busy.map(({ end, start }) => `  ${span(zone, start, end)}`)),
      ...notUnderstood(found.unread)
    ]
    const busy = found.busy.map(({ end, start }) => ({ start: format(zone, start), end: format(zone, end) }))
    yield* print(json, { ...found, time_zone: zone, busy }, lines.join("\n"))
  })
).pipe(
  Command.withDescription(
    "Fetch a calendar, and print when it is busy in the next weeks, and what is not understood and why. It stores nothing, and knows no bookings"
  ),
  examples({
    "As a playroom in London reads it": "calendar try https://calendar.example.com/basic.ics --zone Europe/London"
  })
)

export const calendar = Command.make("calendar").pipe(
  Command.withDescription("Other calendars of playrooms (.ics), whose busy times are not sold here"),
  Command.withSubcommands([list, tryIt])
)
