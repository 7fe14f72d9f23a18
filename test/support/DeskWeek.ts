/** Who is in the week at the desk, each with a browser of their own, and what they do again and again. */

import { assert } from "@effect/vitest"
import { Context, Effect, Clock, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { hourMs } from "../../src/platform/time/LocalTime.ts"
import { messages } from "../../src/words/Languages.ts"
import { moneyIn, shortDateIn, timesIn } from "../../src/words/Localized.ts"
import { judged, judgedByScreen } from "./Accessibility.ts"
import { openBrowser, type Tab, type View } from "./Browser.ts"
import { ask } from "./FamilyPages.ts"
import { connect } from "./McpClients.ts"
import { allApplied, databaseOf, startService } from "./Service.ts"
import { Booked, Options, Paying, Playrooms } from "./ToolAnswers.ts"
import { typedCommands } from "./TypedCommands.ts"
import { clockAhead, writeAhead } from "./clockAhead.ts"
import { twoRooms } from "./venues.ts"

// A venue with two rooms in a service of its own, on Monday, 19 July 2027: families book and pay there through their assistant, a clock can
// be set, commands are typed, and the books can be read. Parties are on Saturdays, two hours, £50 of £200 when booking.

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

// Somebody at a screen of one size, who goes by what they read. Each kind of page that they come to is judged, on a telephone and on a large screen.

/** A telephone's screen, and a large one. */
const widths = [360, 1280]

/** Gives the focus to the button or link with this label; answers what hinders that. */
const focusOn = (label: string, within: string) => `(() => {
  const read = (one) => one.innerText.replace(/\\s+/g, " ").trim()
  const all = [...document.querySelectorAll(${JSON.stringify(`:is(${within}) :is(a[href], button)`)})]
  const found = all.find((one) => read(one) === ${JSON.stringify(label)}) ?? all.find((one) => read(one).startsWith(${JSON.stringify(label)}))
  if (found === undefined) return "there are: " + all.map(read).join(" | ")
  found.focus()
  return document.activeElement === found ? "" : "it takes no focus"
})()`

/** Fills in a field by its name, or chooses what has this value or label; answers what hinders that. */
const enterIn = (name: string, value: string) => `(() => {
  const [name, value] = ${JSON.stringify([name, value])}
  const all = [...document.querySelectorAll("[name='" + name + "']:not([type=hidden])")]
  const chosen = all.find((one) => ["radio", "checkbox"].includes(one.type) && one.value === value)
  if (chosen !== undefined) return (chosen.checked = true), ""
  const fields = all.filter((one) => !["radio", "checkbox"].includes(one.type))
  const field = fields.find((one) => [...(one.options ?? [])].some((option) => option.value === value)) ?? fields[0]
  if (field === undefined) return "there is no such field"
  const named = [...(field.options ?? [])].find((one) => one.text === value)
  field.value = named?.value ?? value
  return field.value === (named?.value ?? value) ? "" : "it holds " + field.value
})()`

/** A person with a tab of their own. `kinds`: the kinds of pages that axe has judged; those who share it have each judged once. */
export const browserUser = (tab: Tab, view: View, kinds = new Set<string>()) => {
  const { find } = tab
  const text = Effect.map(find("document.body.innerText"), String)
  /** What the page alerts to; empty if to nothing. */
  const alert = Effect.map(
    find("[...document.querySelectorAll('[role=alert]:not([hidden])')].map((one) => one.innerText).join(' ')"),
    String
  )
  /** Judges the page, and answers what it says. */
  const seen = Effect.gen(function* () {
    const kind = `${String(yield* find("document.querySelector('h1')?.innerText ?? document.title"))} ${yield* alert}`
    if (!kinds.has(kind)) {
      kinds.add(kind)
      assert.deepStrictEqual(yield* find(judged), [], `${kind}, ${view.width} px wide`)
      for (const width of widths.filter((one) => one !== view.width)) {
        yield* tab.resize(width)
        assert.deepStrictEqual(yield* find(judgedByScreen), [], `${kind}, ${width} px wide`)
      }
      yield* tab.resize(view.width)
    }
    return yield* text
  })
  const aim = Effect.fnUntraced(function* (label: string, within = "body") {
    const hinders = String(yield* find(focusOn(label, within)))
    if (hinders !== "") assert.fail(`"${label}" can't be pressed: ${hinders}\n${yield* text}`)
    return Effect.andThen(tab.key("Enter"), seen)
  })
  return {
    text,
    alert,
    find,
    /** Opens an address, and answers what the page says. */
    open: (url: string) => Effect.andThen(tab.look(url, view, "null"), seen),
    /** Gets ready to press a button or link, found by its label; the answer presses it. */
    aim,
    /** Presses it, and answers what the next page says. `within`: only there. */
    press: (label: string, within?: string) => Effect.flatten(aim(label, within)),
    /** Enters these into the form's fields, by their names. */
    enter: (fields: Readonly<Record<string, string>>) =>
      Effect.forEach(
        Object.entries(fields),
        ([name, value]) =>
          Effect.map(find(enterIn(name, value)), (hinders) =>
            assert.strictEqual(hinders, "", `${name} does not take ${value}`)
          ),
        { discard: true }
      ),
    path: Effect.map(find("location.pathname"), String)
  }
}

export type BrowserUser = ReturnType<typeof browserUser>

const zone = "Europe/London"

export const pounds = (amount: number): string => moneyIn("en", amount * 100, "GBP")
/** How pages name a day of this summer. */
export const dayOf = (date: string): string => shortDateIn("en", zone, Date.parse(`${date}T12:00:00Z`))
/** How pages name the times of a party that begins then. */
export const timesAt = (date: string, time: string): string => {
  const start = Date.parse(`${date}T${time}:00+01:00`)
  return timesIn("en", zone, start, start + 2 * hourMs)
}

/** Mira manages, Joe is at the desk with a telephone, and the family has another one. */
export const deskWeek = (command: string) =>
  Effect.gen(function* () {
    const week = yield* deskWeekWorld
    const browser = yield* openBrowser(command)
    const kinds = new Set<string>()
    const person = (width: number) =>
      Effect.map(browser.another, (tab) => ({ tab, ...browserUser(tab, { width, scheme: "light" }, kinds) }))
    /** An address of the service, by the name to which passkeys belong. */
    const at = (path: string) => `${week.baseUrl.replace("127.0.0.1", "localhost")}${path}`
    return { ...week, at, mira: yield* person(1280), joe: yield* person(360), family: yield* person(360) }
  })

export class Week extends Context.Service<Week, Effect.Success<ReturnType<typeof deskWeek>>>()("test/DeskWeek") {}

/** Opens a booking's page at the desk, or one of its actions. */
export const bookingAt = (person: BrowserUser, { booking_id }: { readonly booking_id: string }, step?: string) =>
  Effect.flatMap(Week, ({ at }) => person.open(at(`/desk/b/${booking_id}${step === undefined ? "" : `?step=${step}`}`)))

/** Somebody who was invited makes a passkey. `told`: a text with its address. */
export const joinDesk = Effect.fnUntraced(function* (person: BrowserUser & { readonly tab: Tab }, told: string) {
  const invitation = /http\S+/.exec(told)?.[0] ?? ""
  yield* person.tab.passkeys
  yield* person.open(invitation)
  yield* person.press(messages.en.desk.makePasskey)
  assert.strictEqual(yield* person.path, "/desk")
})

/** A family's assistant books, and the family pays what is due. */
export const paidBooking = Effect.fnUntraced(function* (name: string, date: string, time: string) {
  const { hold, settled } = yield* Week
  const booking = yield* hold(name, date, time)
  yield* ask(booking.pay_url, { method: "POST", body: new URLSearchParams({ outcome: "pay" }) })
  yield* settled
  return booking
})

/** A visit on the day's list. */
export const visitOf = ({ reference }: { readonly reference: string }): string => `[id="${reference}"]`

/** Presses at one moment what each has got ready; answers what their pages say then. */
export const together = <R>(ready: ReadonlyArray<Effect.Effect<string, never, R>>) =>
  Effect.all(ready, { concurrency: "unbounded" })
