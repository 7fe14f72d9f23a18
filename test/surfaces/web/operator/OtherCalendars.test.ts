/** What the owner's page and the desk say of other calendars. */
import { assert, layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { html } from "../../../../src/platform/text/Html.ts"
import { hourMs } from "../../../../src/platform/time/LocalTime.ts"
import { LinkTokens } from "../../../../src/platform/access/LinkTokens.ts"
import { noticesOf } from "../../../../src/ops/attention/ActionItems.ts"
import { Operators } from "../../../../src/domain/catalogue/Operators.ts"
import { languages, messages } from "../../../../src/words/Languages.ts"
import { dayParts, makeOperatorDays } from "../../../../src/surfaces/web/operator/OperatorDays.ts"
import { importVenue } from "../../../support/BookingWorld.ts"
import { bookAt, hall, loft, payAt, sydney } from "../../../support/operatorVenues.ts"
import { PageAddress, pageWorld } from "../../../support/FamilyPages.ts"

const { operator_id } = hall.operator

const pageOf = Effect.fnUntraced(function* (day: string, language = "en") {
  const { link_counter } = yield* Operators.use((operators) => operators.page(operator_id))
  const link = yield* LinkTokens.use((links) => links.address({ page: "operator", operator_id, counter: link_counter }))
  const address = `${yield* PageAddress}${new URL(link).pathname}?day=${day}`
  return yield* Effect.promise(() =>
    fetch(address, { headers: { "accept-language": language } }).then((response) => response.text())
  )
})

const addFeed = Effect.fnUntraced(function* (playroom_id: string, name: string, from: string, to: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into calendar_feed (operator_id, playroom_id, name, url, ask_at, answered_at)
    select operator_id, playroom_id, ${name}, 'https://calendar.example.test/' || ${name}, now(), now() from playroom where playroom_id = ${playroom_id}`
  yield* sql`insert into calendar_busy (feed_id, operator_id, playroom_id, during)
    select feed_id, operator_id, playroom_id, tstzrange(${from}::timestamptz, ${to}::timestamptz) from calendar_feed where name = ${name}`
  yield* sql`select keep_calendar_places(${playroom_id}, '-infinity')`
})

layer(pageWorld())("of other calendars, an operator's day says", (it) => {
  it.effect("when they keep which room closed, with their names, to the operator alone and in each language", () =>
    Effect.gen(function* () {
      yield* importVenue(hall, loft, sydney)
      yield* addFeed(hall.playroom.playroom_id, "Phone <1>", "2026-12-05T11:00Z", "2026-12-05T13:00Z")
      yield* addFeed(loft.playroom.playroom_id, "Attic club", "2026-12-04T00:00Z", "2026-12-08T00:00Z")
      for (const language of languages) {
        const page = yield* pageOf("2026-12-05", language)
        const { allDay, closed, otherCalendar } = messages[language].operator
        assert.include(page, `${html`${otherCalendar("Phone <1>")}`.toString()}`)
        assert.include(page, otherCalendar("Attic club"))
        assert.include(page, allDay)
        assert.include(page, closed)
      }
      assert.include(yield* pageOf("2026-12-05"), "11:00")
      assert.notInclude(yield* pageOf("2026-12-09"), "Attic club")
      // The desk has the same parts of the same day.
      const day = yield* Effect.flatMap(makeOperatorDays, (days) => days.dayOf(operator_id, { day: "2026-12-05" }))
      assert.deepStrictEqual(
        day.busy.map(({ calendar }) => calendar),
        ["Attic club", "Phone <1>"]
      )
      const { body } = dayParts(day, { language: "en", zone: day.time_zone })
      assert.include(body.toString(), messages.en.operator.otherCalendar("Attic club"))
      const others = yield* Effect.flatMap(makeOperatorDays, (days) =>
        days.dayOf(sydney.operator.operator_id, { day: "2026-12-05" })
      )
      if (sydney.operator.operator_id !== operator_id) assert.deepStrictEqual(others.busy, [])
    })
  )

  it.effect("what of them needs a person: not read for an hour, not understood, a booking at a busy time", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from calendar_feed`
      yield* sql`delete from occupancy where other_calendar`
      const booking = yield* bookAt(hall, "2026-12-05", "10:00", "paid", { name: "Ben Ode" })
      yield* payAt(booking)
      yield* addFeed(hall.playroom.playroom_id, "Phone", "2026-12-05T10:30Z", "2026-12-05T13:00Z")
      const told = Effect.map(noticesOf(operator_id), (all) => all.map(({ kind }) => kind))
      assert.deepStrictEqual(yield* told, ["booking_when_calendar_is_busy"])
      // A host that is away for a while is none.
      yield* sql`update calendar_feed set failing_since = ${new Date("2026-11-20T08:59:00Z")}, failure = 'x', answered_at = ${new Date("2026-11-20T08:00:00Z")}`
      assert.deepStrictEqual(yield* told, ["booking_when_calendar_is_busy"])
      // The page goes by the clock of its request, not by that of the service's start.
      const clock = yield* Clock.Clock
      const later = () => clock.currentTimeMillisUnsafe() + hourMs
      const { notices } = yield* Effect.flatMap(makeOperatorDays, (days) => days.dayOf(operator_id, {})).pipe(
        Effect.provideService(Clock.Clock, {
          currentTimeMillisUnsafe: later,
          currentTimeMillis: Effect.sync(later),
          currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
          currentTimeNanos: clock.currentTimeNanos,
          monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
          monotonicTimeNanos: clock.monotonicTimeNanos,
          sleep: (duration) => clock.sleep(duration)
        })
      )
      assert.include(
        notices.map(({ kind }) => kind),
        "calendar_not_read"
      )
      yield* sql`update calendar_feed set failing_since = ${new Date("2026-11-20T07:59:00Z")},
        unread = '[{"at": "2026-12-01T10:00:00", "why": "a"}, {"at": "2026-12-02T10:00:00", "why": "b"}]'`
      assert.deepStrictEqual(yield* told, [
        "calendar_not_read",
        "calendar_event_not_read",
        "booking_when_calendar_is_busy"
      ])
      for (const language of languages) {
        const page = yield* pageOf("2026-12-20", language)
        const { calendarNotices } = messages[language].operator
        const { name } = hall.playroom
        assert.include(page, calendarNotices.eventNotRead("Phone", name))
        assert.include(page, calendarNotices.booking(booking.reference, name, "Phone"))
        assert.include(page, calendarNotices.notRead("Phone", name, "⋯").split("⋯")[0] ?? "")
      }
      assert.deepStrictEqual(yield* noticesOf("operator_of_others"), [])
    })
  )
})
