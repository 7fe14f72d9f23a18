/**
 * An owner goes from a starter file to its first bookings, and a family from its assistant to the party: by what the
 * README and the pages say.
 */
import { csvRows } from "../support/CommandLine.ts"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { convertIcsCalendar } from "ts-ics"
import { ask, press } from "../support/FamilyPages.ts"
import { connect, type McpClient } from "../support/McpClients.ts"
import { allApplied, databaseOf, startService, typedCommands } from "../support/Service.ts"

const world = Effect.gen(function* () {
  const service = yield* startService()
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "playroom-owner-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const database = yield* Layer.build(Layer.effect(SqlClient.SqlClient, databaseOf(service)))
  return {
    ...typedCommands(service),
    file: join(folder, "venue.yaml"),
    assistant: yield* connect("v2 auto", service.baseUrl, service.apiKey),
    sql: Context.get(database, SqlClient.SqlClient)
  }
})
class World extends Context.Service<World, Effect.Success<typeof world>>()("test/JourneyWorld") {}

const Booking = Schema.Struct({
  booking_id: Schema.String,
  reference: Schema.String,
  status: Schema.String,
  payment_status: Schema.String,
  start: Schema.String,
  page_url: Schema.String
})
const Held = Schema.Struct({ booking: Booking, next_step: Schema.String })
const Paying = Schema.Struct({ payment_session: Schema.Struct({ url: Schema.String }) })
const Found = Schema.Struct({ playrooms: Schema.Array(Schema.Struct({ playroom_id: Schema.String })) })
const Options = Schema.Struct({
  options: Schema.Array(Schema.Struct({ option_id: Schema.String, start: Schema.String }))
})

const call = <A>(client: McpClient, schema: Schema.Codec<A, unknown>, tool: string, args: Record<string, unknown>) =>
  Effect.map(client.call(tool, args), ({ content, isError, text }) => {
    assert.isFalse(isError, text)
    return Schema.decodeUnknownSync(schema)(content)
  })

const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

/**
 * The assistant holds a party in the owner's playroom, so early that its terms give everything: six to eight weeks
 * ahead.
 */
const hold = Effect.fnUntraced(function* (contact: Record<string, string>) {
  const { assistant } = yield* World
  const { playrooms } = yield* call(assistant, Found, "search_playrooms", { query: "Great Hall" })
  assert.lengthOf(playrooms, 1)
  const { options } = yield* call(assistant, Options, "get_booking_options", {
    playroom_id: playrooms[0]?.playroom_id,
    date: inDays(42),
    date_to: inDays(56),
    children: 8,
    adults: 2,
    mode: "exclusive",
    start_after: "15:45",
    limit: 100
  })
  const option_id = options.find(({ start }) => start.includes("T15:45"))?.option_id
  return yield* call(assistant, Held, "create_booking", { option_id, contact, notes: "Nut allergy" })
})

const read = (booking_id: string) =>
  Effect.flatMap(World, ({ assistant }) => call(assistant, Held, "get_booking", { booking_id }))

/** Reads the booking until its payment stands so: the provider's events and refunds are on their way. */
const settled = Effect.fnUntraced(function* (booking_id: string, payment_status: string) {
  let seen = ""
  for (let tries = 0; tries < 300; tries++) {
    const { booking } = yield* read(booking_id)
    seen = booking.payment_status
    if (seen === payment_status) {
      yield* allApplied((yield* World).sql)
      return booking
    }
    yield* Effect.sleep("100 millis")
  }
  return assert.fail(`the payment of ${booking_id} never was ${payment_status}, but ${seen}`)
})

/** Presses "pay" on the provider's page: the address where the payer lands. */
const payAt = (url: string | null) =>
  Effect.map(
    ask(url ?? "", { method: "POST", body: new URLSearchParams({ outcome: "pay" }) }),
    ({ headers }) => headers.get("location") ?? ""
  )

/** A part of a text, which must be there. */
const partOf = (text: string, pattern: RegExp): string => pattern.exec(text)?.[0] ?? assert.fail(`${pattern}: ${text}`)

/** What a page says of the terms. */
const terms = /<section><h2>If your plans change.*?<\/section>/s

/** What a person reads. */
const textOf = (html: string): string =>
  html
    .replaceAll(/<(style|svg).*?<\/\1>/gs, "")
    .replaceAll(/<[^>]+>/g, " ")
    .replaceAll("&amp;", "&")
    .replaceAll(/\s+/g, " ")

/** A booking's entry in a calendar, as a calendar reads it. */
const entryIn = (url: string, booking_id: string) =>
  Effect.map(ask(url), ({ text }) => {
    const found = convertIcsCalendar(undefined, text).events?.filter(({ uid }) => uid === booking_id) ?? []
    assert.lengthOf(found, 1)
    const { sequence = 0, start, status } = found[0] ?? assert.fail(text)
    return { sequence, status, start: start.date.getTime() }
  })

/** What bookings, their places and their money are. When a payment was or will be asked about is bookkeeping. */
const whatIs = Effect.flatMap(
  World,
  ({ sql }) => sql`select jsonb_agg(line order by line::text) as lines from (
    select to_jsonb(b) from booking b
    union all select to_jsonb(h) from booking_history h
    union all select to_jsonb(o) from occupancy o
    union all select to_jsonb(r) from refund r
    union all select to_jsonb(s) - 'checked_at' - 'refund_check_at' from payment_session s) all_lines (line)`
)

/** Looks at an address in every way that must change nothing, and answers the page. */
const look = Effect.fnUntraced(function* (url: string, status = 200) {
  const before = yield* whatIs
  yield* ask(url, { method: "HEAD" })
  yield* ask(url, { headers: { "sec-purpose": "prefetch" } })
  const seen = yield* ask(url)
  assert.strictEqual(seen.status, status, url)
  assert.deepStrictEqual(yield* whatIs, before, url)
  return seen
})

/** The address of the first link whose label begins so. */
const linkOf = (page: string, { text }: { readonly text: string }, label: string): string => {
  const [, href = assert.fail(`no link "${label}": ${text}`)] =
    new RegExp(`<a [^>]*href="([^"]+)"[^>]*>${label}`).exec(text) ?? []
  return new URL(href.replaceAll("&amp;", "&"), page).href
}

layer(Layer.effect(World, world), { excludeTestServices: true })("from paid to party", (it) => {
  it.effect(
    "an owner brings a venue on line, sees its first booking, moves it, gives the money back and forgets the person",
    () =>
      Effect.gen(function* () {
        const { assistant, file, playroom, refused } = yield* World

        // The venue.
        assert.include(yield* playroom(`playroom catalogue new ${file}`), "playroom catalogue import")
        writeFileSync(
          file,
          readFileSync(file, "utf8")
            .replaceAll("my-business", "castle-play")
            .replace("My Play Business", "Castle Play")
            .replace("main-hall", "great-hall")
            .replace("My Playroom", "The Great Hall")
            .replace("base: 20000", "base: 22000")
        )
        assert.include(yield* playroom(`playroom catalogue check ${file}`), "is a valid catalogue")
        const plan = yield* playroom(`playroom catalogue import ${file} --dry-run`)
        assert.match(plan, /added +playroom +The Great Hall/)
        assert.match(plan, /The demo \(\d+ playrooms\) would be removed/)
        const done = yield* playroom(`playroom catalogue import ${file}`)
        assert.match(done, /The demo \(\d+ playrooms\) was removed\. `playroom catalogue demo` brings it back\./)
        const operator = partOf(done, /operator_\w+/)
        const onboard = `playroom operator onboard ${operator}`
        assert.include(done, `- Castle Play: ${onboard}`)
        assert.match(yield* playroom(`playroom operator show ${operator}`), /selling +no: .*playroom operator onboard/)
        const onboarding = partOf(yield* playroom(onboard), /http\S+/)
        yield* ask(onboarding, { method: "POST" })
        assert.include(yield* playroom(onboard), "It is on sale now.")
        // The file that was imported names no account, and takes none away.
        assert.notInclude(yield* playroom(`playroom catalogue import ${file}`), "Not on sale")
        assert.match(yield* playroom(`playroom operator show ${operator}`), /selling +yes/)

        // The first booking.
        const { booking } = yield* hold({ name: "Maya Okafor", email: "maya@example.com", phone: "+44 20 7946 0000" })
        const { booking_id, reference, start } = booking
        const { payment_session } = yield* call(assistant, Paying, "create_payment_session", { booking_id })
        yield* payAt(payment_session.url)
        yield* settled(booking_id, "deposit_paid")
        const [day = "", from = ""] = start.slice(0, 16).split("T")
        assert.match(
          yield* playroom(`playroom booking list --day ${day}`),
          new RegExp(`${day} ${from} +${reference} +confirmed +deposit_paid +The Great Hall`)
        )
        const [row, ...more] = csvRows(yield* playroom(`playroom booking list --day ${day} --csv`))
        assert.deepStrictEqual(more, [])
        assert.deepInclude(row, {
          reference,
          status: "confirmed",
          payment_status: "deposit_paid",
          starts_at: `${day} ${from}`,
          total: "220.00",
          paid: "50.00"
        })

        // Its days.
        const links = yield* playroom(`playroom operator link ${operator}`)
        const days = partOf(links, /http\S+/)
        const feed = partOf(links, /http\S+\.ics/)
        const shown = textOf((yield* look(`${days}?day=${day}`)).text)
        for (const part of ["Castle Play", `${from}–`, "Maya Okafor", "+44 20 7946 0000", "Nut allergy", "£170.00"]) {
          assert.include(shown, part)
        }
        const before = yield* entryIn(feed, booking_id)
        assert.deepInclude(before, { status: "CONFIRMED", start: Date.parse(start) })

        // Another time.
        const to = `${day}T13:00`
        const preview = yield* playroom(`playroom booking move ${reference} --to ${to} --preview`)
        assert.include(preview, `if it were moved now: ${day} ${from} → ${to.replace("T", " ")}. Nothing was changed.`)
        assert.strictEqual((yield* read(booking_id)).booking.start, start)
        assert.include(
          yield* playroom(`playroom booking move ${reference} --to ${to}`),
          `${reference} is moved: ${day} ${from} → ${to.replace("T", " ")}.`
        )
        const after = yield* entryIn(feed, booking_id)
        assert.isAbove(after.sequence, before.sequence)
        assert.strictEqual(after.start, Date.parse((yield* read(booking_id)).booking.start))
        assert.notStrictEqual(after.start, before.start)

        // The person, and the money.
        const exported = yield* playroom("playroom person export --email maya@example.com")
        for (const part of [booking_id, "Nut allergy", "+44 20 7946 0000"]) assert.include(exported, part)
        const erase = "playroom person erase --email maya@example.com"
        assert.include(yield* refused(erase), `${reference} is a visit to come`)
        assert.include(
          yield* playroom(`playroom booking cancel ${reference} --preview`),
          "Cancel the booking: this would be done. Nothing was changed.\nPaid: £50.00\nWhat comes back: £0.00\n"
        )
        const cancelled = yield* playroom(
          `playroom booking cancel ${reference} --refund full --reason "The boiler broke"`
        )
        assert.include(cancelled, `${reference} · Cancel the booking: done.`)
        assert.include(cancelled, "What comes back: £50.00\nWhat the terms say: £0.00\n")
        assert.strictEqual((yield* settled(booking_id, "refunded")).status, "cancelled")
        assert.strictEqual((yield* entryIn(feed, booking_id)).status, "CANCELLED")
        assert.include(yield* playroom(erase), `is erased from 1 booking (${reference})`)
        const left = yield* playroom(`playroom booking show ${reference}`)
        assert.include(left, "erased@erased.invalid")
        assert.notInclude(left, "Maya")
        assert.notInclude(textOf((yield* look(`${days}?day=${day}`)).text), "Maya")
        assert.include(yield* playroom("playroom doctor"), "All is well")
      }),
    { timeout: 120_000 }
  )

  // At the venue that the owner has brought on line.
  it.effect(
    "a family pays, moves and cancels on the page that its assistant handed over, and its calendar follows",
    () =>
      Effect.gen(function* () {
        const { playroom } = yield* World
        const { booking, next_step } = yield* hold({ name: "Ben Ode", email: "ben@example.com" })
        const { booking_id, page_url: page, reference } = booking
        const calendar = `${page}.ics`
        assert.include(next_step, "page_url")

        // Held.
        const held = yield* look(page)
        assert.include(held.text, "<h1>Your places are held</h1>")
        assert.include(held.text, reference)
        assert.strictEqual((yield* entryIn(calendar, booking_id)).status, "TENTATIVE")

        // The deposit, and the rest.
        const landing = yield* payAt((yield* press(page, held, "pay")).headers.get("location"))
        assert.match(landing, /\/checkout\/return\?outcome=success&token=/)
        yield* settled(booking_id, "deposit_paid")
        // It leads to the page from which it came, and says there that the payment has arrived.
        const back = yield* look(landing, 303)
        const returned = new URL(back.headers.get("location") ?? "", landing).href
        assert.strictEqual(returned.replace(/\?.*/, ""), page)
        assert.include(textOf((yield* look(returned)).text), "Your booking is confirmed")
        const deposited = yield* look(page)
        for (const said of ["Your booking is confirmed", "£170.00 is still to be paid, by"])
          assert.include(textOf(deposited.text), said)
        yield* payAt((yield* press(page, deposited, "pay")).headers.get("location"))
        yield* settled(booking_id, "paid")
        const paid = yield* look(page)
        assert.notInclude(paid.text, 'value="pay"')
        const first = yield* entryIn(calendar, booking_id)
        assert.deepInclude(first, { status: "CONFIRMED", start: Date.parse(booking.start) })

        // Another day: the last that its page offers.
        const choose = linkOf(page, paid, "Move to another time")
        const month = yield* look(choose)
        const offered = [...month.text.matchAll(/href="([^"]+date=[^"]+)"/g)].at(-1)?.[1]?.replaceAll("&amp;", "&")
        const day = new URL(offered ?? assert.fail(month.text), page).href
        const confirm = yield* look(linkOf(day, yield* look(day), "\\d\\d:\\d\\d–"))
        assert.include(textOf(confirm.text), "Price It stays £220.00.")
        assert.strictEqual((yield* press(page, confirm, "move")).headers.get("location"), new URL(page).pathname)
        const second = yield* entryIn(calendar, booking_id)
        assert.isAbove(second.sequence, first.sequence)
        assert.notStrictEqual(second.start, first.start)
        const moved = (yield* read(booking_id)).booking
        assert.strictEqual(second.start, Date.parse(moved.start))
        const after = yield* look(page)
        assert.include(after.text, `${moved.start.slice(11, 16)}–`)
        assert.strictEqual(partOf(after.text, terms), partOf(confirm.text, terms))

        // Cancelled, for what the page said.
        const ending = yield* look(`${page}?step=cancel`)
        assert.include(ending.text, "<strong>£170.00 of the £220.00 that you paid.</strong>")
        yield* press(page, ending, "cancel")
        assert.deepInclude(yield* settled(booking_id, "partially_refunded"), { status: "cancelled", page_url: page })
        const over = textOf((yield* look(page)).text)
        assert.include(over, "Your booking is cancelled")
        assert.include(over, "£170.00")
        const last = yield* entryIn(calendar, booking_id)
        assert.strictEqual(last.status, "CANCELLED")
        assert.isAbove(last.sequence, second.sequence)

        // A new address ends this one.
        const renewed = partOf(yield* playroom(`playroom booking link ${reference} --renew`), /http\S+/)
        for (const old of [page, calendar, `${page}?step=cancel`]) assert.strictEqual((yield* ask(old)).status, 404)
        assert.strictEqual((yield* press(page, ending, "cancel")).status, 404)
        assert.include(textOf((yield* look(renewed)).text), "Your booking is cancelled")
        assert.strictEqual((yield* read(booking_id)).booking.page_url, renewed)
      }),
    { timeout: 120_000 }
  )
})
