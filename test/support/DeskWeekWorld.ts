/**
 * A venue with two rooms in a service of its own, on Monday, 19 July 2027: families book and pay there through their assistant, a clock can
 * be set, commands are typed, and the books can be read. Parties are on Saturdays, two hours, £50 of £200 when booking.
 */
import { assert } from "@effect/vitest"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { clockAhead, writeAhead } from "./clockAhead.ts"
import { ask } from "./FamilyPages.ts"
import { connect } from "./McpClients.ts"
import { allApplied, databaseOf, startService } from "./Service.ts"
import { twoRooms } from "./starterVenue.ts"
import { Booked, Options, Paying, Playrooms } from "./ToolAnswers.ts"
import { typedCommands } from "./TypedCommands.ts"

const monday = Date.parse("2027-07-19T09:00:00Z")

/** A part of a text, which must be there. */
const part = (text: string, pattern: RegExp): string => pattern.exec(text)?.[0] ?? assert.fail(`${pattern}: ${text}`)

/** What bookings, the provider and the audit say of the money; minor units. */
const Books = Schema.Struct({
  kept: Schema.FiniteFromString,
  by_link: Schema.FiniteFromString,
  back_by_link: Schema.FiniteFromString,
  at_venue: Schema.FiniteFromString,
  back_at_venue: Schema.FiniteFromString,
  provider_paid: Schema.FiniteFromString,
  provider_refunded: Schema.FiniteFromString
})

export const deskWeekWorld = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "playroom-week-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const clockFile = join(folder, "clock")
  let ahead = 0
  const turnTo = (instant: number) =>
    Effect.andThen(
      Effect.sync(() => writeAhead(clockFile, (ahead = instant - Date.now()))),
      // The service reads the file every 40 ms.
      Effect.sleep("200 millis")
    )
  yield* turnTo(monday)
  const service = yield* startService({
    NODE_OPTIONS: `--import=${fileURLToPath(new URL("./clockOffset.ts", import.meta.url))}`,
    CLOCK_OFFSET_FILE: clockFile
  })
  const typed = typedCommands(service)
  const onClock = Effect.provideService(
    Clock.Clock,
    clockAhead(() => ahead)
  )
  const playroom = (line: string) => onClock(typed.playroom(line))
  const database = yield* Layer.build(Layer.effect(SqlClient.SqlClient, databaseOf(service)))
  const sql = Context.get(database, SqlClient.SqlClient)
  const assistant = yield* connect("v2 auto", service.baseUrl, service.apiKey)

  const call = <A>(schema: Schema.Codec<A, unknown>, tool: string, args: Record<string, unknown>) =>
    Effect.map(assistant.call(tool, args), ({ content, isError, text }) => {
      assert.isFalse(isError, text)
      return Schema.decodeUnknownSync(schema)(content)
    })

  // The venue, as its owner makes it.
  const file = join(folder, "venue.yaml")
  yield* playroom(`playroom catalogue new ${file}`)
  writeFileSync(file, twoRooms(readFileSync(file, "utf8")))
  yield* playroom(`playroom catalogue import ${file}`)
  const onboard = "playroom operator onboard castle-play"
  yield* ask(part(yield* playroom(onboard), /http\S+/), { method: "POST" })
  assert.include(yield* playroom(onboard), "It is on sale now.")
  const roomNamed = (query: string) =>
    Effect.map(
      call(Playrooms, "search_playrooms", { query }),
      ({ playrooms }) => playrooms[0]?.playroom_id ?? assert.fail(`no ${query}`)
    )
  const hall = yield* roomNamed("My Playroom")
  const garden = yield* roomNamed("Garden Room")

  /** What an assistant finds on a day, in the hall unless another room is named. */
  const optionsOn = (date: string, mode: "exclusive" | "shared", playroom_id = hall) =>
    call(Options, "get_booking_options", { playroom_id, date, children: 8, mode, limit: 100 })
  const partyIn = (playroom_id: string) =>
    Effect.map(
      optionsOn("2027-07-31", "exclusive", playroom_id),
      ({ options }) => options[0]?.package_id ?? assert.fail("no party")
    )
  /** An assistant holds a party in the hall. */
  const hold = Effect.fnUntraced(function* (name: string, date: string, time: string) {
    const { options } = yield* optionsOn(date, "exclusive")
    const option = options.find(({ start }) => start.startsWith(`${date}T${time}`)) ?? assert.fail(`${date} ${time}`)
    const contact = { name, email: `${name.toLowerCase().replaceAll(" ", ".")}@example.com`, phone: "+44 20 7946 0123" }
    const { booking } = yield* call(Booked, "create_booking", { option_id: option.option_id, contact })
    const { payment_session } = yield* call(Paying, "create_payment_session", { booking_id: booking.booking_id })
    const { booking_id, page_url = assert.fail("no page"), reference } = booking
    return { booking_id, reference, page_url, pay_url: payment_session.url }
  })

  return {
    ...service,
    playroom,
    sql,
    hall,
    parties: { hall: yield* partyIn(hall), garden: yield* partyIn(garden) },
    folder,
    optionsOn,
    turnTo,
    hold,
    /** Waits until all money has moved that will move by itself. */
    settled: Effect.gen(function* () {
      yield* allApplied(sql)
      const under_way = sql`select 1 from refund where status in ('requested', 'pending') and waits_for is null`
      while ((yield* under_way).length > 0) yield* Effect.sleep("50 millis")
      yield* allApplied(sql)
    }),
    /** Where a booking stands. */
    standing: (booking_id: string) =>
      Effect.map(
        sql<{ readonly text: string }>`select concat_ws(' ', status, payment_status, attendance) as text from booking
          where booking_id = ${booking_id}`,
        ([row]) => row?.text ?? "nothing"
      ),
    /** What happened to a booking, of these. */
    events: (booking_id: string, ...events: ReadonlyArray<string>) =>
      Effect.map(
        sql<{ readonly event: string; readonly done_by: string | null }>`select event, done_by from booking_history
          where booking_id = ${booking_id} and ${sql.in("event", events)} order by seq`,
        (rows) => rows.map(({ done_by, event }) => (done_by === null ? event : `${event} by ${done_by}`))
      ),
    books: sql`select
        (select coalesce(sum(paid - refunded), 0) from booking)::text as kept,
        (select coalesce(sum(amount), 0) from payment_session where status = 'paid' and way = 'link')::text as by_link,
        (select coalesce(sum(amount), 0) from payment_session where status = 'paid' and way <> 'link')::text as at_venue,
        (select coalesce(sum(r.amount), 0) from refund r join payment_session s using (payment_session_id)
          where r.status = 'succeeded' and s.way = 'link')::text as back_by_link,
        (select coalesce(sum(r.amount), 0) from refund r join payment_session s using (payment_session_id)
          where r.status = 'succeeded' and s.way <> 'link')::text as back_at_venue,
        (select coalesce(sum(amount), 0) from sandbox.session where payment_status = 'paid')::text as provider_paid,
        (select coalesce(sum(amount), 0) from sandbox.refund where status = 'succeeded')::text as provider_refunded`.pipe(
      Effect.flatMap(Schema.decodeUnknownEffect(Schema.Tuple([Books]))),
      Effect.map(([books]) => books)
    )
  }
})
