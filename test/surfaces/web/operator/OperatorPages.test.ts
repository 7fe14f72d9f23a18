import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { convertIcsCalendar } from "ts-ics"
import { LinkTokens } from "../../../../src/platform/access/LinkTokens.ts"
import { erasePerson } from "../../../../src/domain/booking/BookingRecords.ts"
import { Operators } from "../../../../src/domain/catalogue/Operators.ts"
import { languages, messages } from "../../../../src/words/Languages.ts"
import { distinctLanguages, PageAddress, pageWorld } from "../../../support/FamilyPages.ts"
import { importVenue } from "../../../support/BookingWorld.ts"
import { cancelBooking, createBooking } from "../../../support/PaymentWorld.ts"
import { packages } from "../../../support/paymentVenues.ts"
import { testId } from "../../../support/venues.ts"
import { bookAt, hall, loft, payAt, sydney } from "../../../support/operatorVenues.ts"

const { operator } = hall
const saturday = "2026-12-05"

/** The address of the operator's page, on the test's own server. */
const address = Effect.gen(function* () {
  const { link_counter } = yield* Operators.use((operators) => operators.page(operator.operator_id))
  const links = yield* LinkTokens
  const link = yield* links.address({ page: "operator", operator_id: operator.operator_id, counter: link_counter })
  return `${yield* PageAddress}${new URL(link).pathname}`
})

const get = (url: string, headers: Record<string, string> = {}, method = "GET") =>
  Effect.promise(async () => {
    const response = await fetch(url, { headers, method })
    return { status: response.status, headers: response.headers, text: await response.text() }
  })

/** What a person reads. */
const textOf = (html: string): string =>
  html
    .replace(/<style>.*<\/style>/s, "")
    .replaceAll(/<[^>]+>/g, " ")
    .replaceAll("&amp;", "&")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&#39;", "'")
    .replaceAll(/\s+/g, " ")

const scene = Effect.gen(function* () {
  yield* importVenue(hall, loft, sydney)
  const trusted = yield* bookAt(hall, saturday, "12:30", "trusted", {
    name: "Zoë <script>",
    notes: "Nut allergy!\nTwo lines & a <b>",
    phone: "+44 (0)20 7946 0123",
    child_ages: [5, 6, 5, 5, 4, 6, 5, 5],
    bubbles: 2,
    cake: true
  })
  const deposit = yield* bookAt(hall, saturday, "10:00", "deposit", { name: "Ben Ode" })
  yield* payAt(deposit)
  const held = yield* bookAt(loft, saturday, "10:00", "paid", { name: "Held One", bubbles: 1 })
  const cancelled = yield* bookAt(loft, saturday, "15:00", "trusted", { name: "Cara Gone" })
  yield* cancelBooking(cancelled)
  const neverSure = yield* bookAt(loft, saturday, "12:30", "paid", { name: "Never Sure" })
  yield* cancelBooking(neverSure)
  const far = yield* bookAt(sydney, saturday, "10:00", "trusted", { name: "Dan Under" })
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into closure (closure_id, operator_id, playroom_id, during, reason, created_at) values ('closure_01h40000000000000000000001',
    ${operator.operator_id}, ${loft.playroom.playroom_id}, tstzrange('2026-12-05T16:00Z', '2026-12-05T18:00Z'), 'Boiler', now())`
  return { trusted, deposit, held, cancelled, neverSure, far }
})

layer(pageWorld())("an operator's page", (it) => {
  it.effect("shows a day by time: who comes, with whom, what to prepare, and what is still to be paid", () =>
    Effect.gen(function* () {
      const { deposit, far, trusted } = yield* scene
      const { headers, status, text } = yield* get(`${yield* address}?day=${saturday}`)
      assert.strictEqual(status, 200)
      const seen = textOf(text)
      assert.include(seen, "Bounce & Co Saturday, 5 December 2026")
      assert.include(seen, "4 visits, 32 children (1 of them not sure yet)")
      const inOrder = [
        "Closed: Attic & Loft , 16:00–18:00 Boiler",
        "Visits",
        "10:00–12:00 (",
        "Australia/Sydney) Dan Under",
        "Sydney Side · Party",
        far.reference,
        "10:00–12:00 Ben Ode",
        "Great Hall · Party",
        "8 children, 2 adults",
        "Still to be paid: £150.00",
        deposit.reference,
        "10:00–12:00 Held One",
        "Not sure yet · Attic & Loft",
        "Not paid yet: kept until Friday, 20 November 2026 at 09:15",
        "12:30–14:30 Zoë <script>",
        "8 children (aged 5, 6, 5, 5, 4, 6, 5 and 5), 2 adults",
        "2 × Bubble machine, 8 × Cake",
        "Nut allergy!",
        "Still to be paid: £254.00",
        "+44 (0)20 7946 0123",
        trusted.contact_email,
        trusted.reference,
        "Cancelled: 15:00–17:00 Cara Gone",
        "Children by the hour 10:00 24 11:00 24 12:00 8 13:00 8 14:00 8",
        "To prepare",
        // Two families have it, one after another.
        "2 × Bubble machine 10:00–12:00 (1), 12:30–14:30 (2)",
        "8 × Cake",
        "Still to be paid that day £604.00"
      ]
      let at = 0
      for (const part of inOrder) {
        const next = seen.indexOf(part, at)
        assert.isAtLeast(next, at, `${part} in its place in ${seen.slice(at)}`)
        at = next
      }
      assert.notInclude(seen, "Never Sure")
      assert.notInclude(text, "<script>")
      assert.notInclude(text, "<form")
      assert.include(text, 'href="tel:+442079460123"')
      assert.strictEqual(headers.get("cache-control"), "no-store")
      assert.strictEqual(headers.get("referrer-policy"), "no-referrer")
      assert.match(headers.get("content-security-policy") ?? "", /default-src 'none'/)
      assert.include(text, '<meta name="robots" content="noindex">')
    })
  )

  it.effect("is in the visitor's language, with nothing of another one", () =>
    Effect.gen(function* () {
      const url = `${yield* address}?day=${saturday}`
      for (const language of languages) {
        const { headers, text } = yield* get(url, { "accept-language": language })
        assert.include(text, `<html lang="${language}">`)
        assert.strictEqual(headers.get("vary"), "accept-language")
        const seen = textOf(text)
        const { operator, words } = messages[language]
        const { calendar, extras, notes, prepare, unsure } = operator
        for (const said of [prepare, unsure, words.cancelled, extras, notes, calendar]) {
          assert.include(seen, said, `${language} ${said}`)
        }
        for (const other of distinctLanguages.filter((one) => !language.startsWith(one))) {
          assert.notInclude(seen, messages[other].operator.calendarLead)
        }
      }
    })
  )

  it.effect("has today by default, a day by its date, and says where a date or a place in the list is none", () =>
    Effect.gen(function* () {
      const url = yield* address
      const empty = (yield* get(url)).text
      assert.include(textOf(empty), "Friday, 20 November 2026 No visits on this day.")
      assert.include(textOf(empty), "Next visit: Saturday, 5 December 2026")
      assert.include(empty, `href="?day=${saturday}"`)
      assert.notInclude((yield* get(`${url}?day=${saturday}`)).text, "Next visit")
      const before = textOf((yield* get(`${url}?day=2026-12-06`)).text)
      assert.include(before, "No visits on this day.")
      assert.notInclude(before, "Next visit")
      // The week has its numbers, whichever of its days is shown.
      assert.match(before, /Sat 5 4 , 4 visits, 32 children/)
      for (const query of ["day=2026-02-30", "day=", "day=x&day=y", "day=9999-01-01", `day=${saturday}&cursor=zz`]) {
        const { status, text } = yield* get(`${url}?${query}`)
        assert.strictEqual(status, 200)
        assert.include(textOf(text), messages.en.operator.misunderstood, query)
      }
      for (const far of ["1900-01-01", "2999-12-31"]) assert.strictEqual((yield* get(`${url}?day=${far}`)).status, 200)
    })
  )

  it.effect("says that the balance is paid once it is, also where money went back before", () =>
    Effect.gen(function* () {
      const date = "2026-12-07"
      const one = yield* bookAt(hall, date, "10:00", "deposit", { name: "Both Paid" })
      yield* payAt(one)
      const url = `${yield* address}?day=${date}`
      const moneyOf = Effect.map(
        get(url),
        ({ text }) => /Both Paid .*? 2 adults (.*?) \S+@example/.exec(textOf(text))?.[1]
      )
      assert.strictEqual(yield* moneyOf, "Still to be paid: £150.00")
      const sql = yield* SqlClient.SqlClient
      const set = (status: string) =>
        sql`update booking set payment_status = ${status} where booking_id = ${one.booking_id}`
      yield* set("partially_refunded")
      assert.strictEqual(yield* moneyOf, "Still to be paid: £150.00")
      yield* set("deposit_paid")
      yield* payAt(one, "balance")
      assert.strictEqual(yield* moneyOf, "Paid")
      yield* set("partially_refunded")
      assert.strictEqual(yield* moneyOf, "Paid, and money was given back")
    })
  )

  it.effect("shows no visit of a hold that has lapsed, nor of another operator", () =>
    Effect.gen(function* () {
      const date = "2026-12-08"
      yield* bookAt(hall, date, "10:00", "paid", { name: "Too Late" })
      yield* createBooking(packages.trustedParty, { date })
      const url = `${yield* address}?day=${date}`
      assert.include(textOf((yield* get(url)).text), "Too Late")
      yield* TestClock.adjust("16 minutes")
      const later = textOf((yield* get(url)).text)
      assert.notInclude(later, "Too Late")
      assert.notInclude(later, "Clapham")
    })
  )

  it.effect("shows a day of very many visits page by page, each visit once", () =>
    Effect.gen(function* () {
      const date = "2026-12-09"
      const row = yield* bookAt(hall, date, "10:00", "trusted", { name: "Copied", bubbles: 1 })
      const sql = yield* SqlClient.SqlClient
      // Of the same time and playroom, so that only the booking's id tells one from the next.
      yield* sql`insert into booking select (jsonb_populate_record(b, jsonb_build_object(
          'booking_id', 'booking_01h4' || lpad(n::text, 22, '0'), 'reference', '0000-' || lpad(n::text, 4, '0'),
          'retry_key', null, 'contact_name', 'Copy ' || n))).*
        from booking b, generate_series(1, 230) n where b.booking_id = ${row.booking_id}`
      const url = yield* address
      let next: string | undefined = `?day=${date}`
      const seen: Array<string> = []
      const sizes: Array<number> = []
      while (next !== undefined) {
        const { text }: { readonly text: string } = yield* get(url + next)
        const found = [...text.matchAll(/class="code">([^<]+)</g)].map(([, reference = ""]) => reference)
        sizes.push(found.length)
        seen.push(...found)
        assert.include(textOf(text), "231 visits, 1848 children")
        assert.include(textOf(text), "231 × Bubble machine")
        next = /href="([^"]+cursor[^"]+)">More/.exec(text)?.[1]?.replaceAll("&amp;", "&")
      }
      assert.deepStrictEqual(sizes, [100, 100, 31])
      assert.strictEqual(new Set(seen).size, 231)
    })
  )

  it.effect("has the visits of a local day of each zone, those of the hours around midnight too", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const copies = (date: string, zone: string) =>
        Effect.map(get(zone + `?day=${date}`), ({ text }) =>
          [...textOf(text).matchAll(/(Edge \S+) (?:Great|Sydney)/g)].map(([, name = ""]) => name)
        )
      const edges = [
        [sydney, "a", "2027-01-10T13:00:00Z"],
        [sydney, "b", "2027-01-11T12:59:00Z"],
        [sydney, "c", "2027-01-11T13:00:00Z"],
        [hall, "d", "2027-01-10T23:59:00Z"],
        [hall, "e", "2027-01-11T00:00:00Z"],
        [hall, "f", "2027-01-11T23:59:00Z"]
      ] as const
      for (const [index, [{ playroom }, name, at]] of edges.entries()) {
        yield* sql`insert into booking select (jsonb_populate_record(b, jsonb_build_object(
            'booking_id', ${`booking_01h40000000000000000000${900 + index}`}::text, 'reference', ${`0000-9${index}00`}::text, 'retry_key', null,
            'contact_name', ${`Edge ${name}`}::text, 'starts_at', ${at}::text, 'ends_at', ${at.replace("2027", "2028")}::text))).*
          from booking b where playroom_id = ${playroom.playroom_id} and contact_name in ('Dan Under', 'Ben Ode')`
      }
      const url = yield* address
      assert.deepStrictEqual(yield* copies("2027-01-10", url), ["Edge d"])
      assert.deepStrictEqual(yield* copies("2027-01-11", url), ["Edge a", "Edge e", "Edge b", "Edge f"])
      assert.deepStrictEqual(yield* copies("2027-01-12", url), ["Edge c"])
    })
  )

  it.effect("opens for a suspended operator too, and for nobody who has another token", () =>
    Effect.gen(function* () {
      const operators = yield* Operators
      const links = yield* LinkTokens
      const url = yield* address
      yield* operators.suspend(operator.operator_id)
      assert.strictEqual((yield* get(url)).status, 200)
      yield* operators.resume(operator.operator_id)
      const base = yield* PageAddress
      const { operator_id } = operator
      const token = url.slice(-48)
      const booking = yield* createBooking(packages.trustedParty, { date: "2026-12-10" })
      const wrong = [
        token.slice(0, -1) + (token.endsWith("A") ? "B" : "A"),
        token.toUpperCase(),
        `${token}A`,
        "x".repeat(48),
        "x".repeat(90),
        yield* links.make({ page: "operator", operator_id: testId.operator(99), counter: 0 }),
        yield* links.make({ page: "operator", operator_id, counter: 1 }),
        yield* links.make({ page: "booking", booking_id: booking.booking_id, counter: 0 })
      ]
      const pages = yield* Effect.forEach(wrong, (one) => get(`${base}/o/${one}`))
      assert.strictEqual(new Set(pages.map(({ status, text }) => `${status} ${text}`)).size, 1)
      for (const one of ["", encodeURIComponent("../".repeat(9)), `${token}/more`, "%00", "%zz"])
        assert.isAtMost((yield* get(`${base}/o/${one}`)).status, 404, one)
      for (const one of wrong) {
        for (const end of ["", ".ics"])
          assert.strictEqual((yield* get(`${base}/o/${one}${end}`)).status, 404, one + end)
      }
      yield* operators.renewLink(operator_id)
      for (const end of ["", ".ics"]) assert.strictEqual((yield* get(url + end)).status, 404)
      const renewed = yield* address
      assert.notStrictEqual(renewed, url)
      for (const end of ["", ".ics"]) assert.strictEqual((yield* get(renewed + end)).status, 200)
    })
  )

  it.effect("only reads: HEAD answers as GET without a body, and nothing else is taken", () =>
    Effect.gen(function* () {
      const url = yield* address
      const sql = yield* SqlClient.SqlClient
      const rows = sql`select (select md5(string_agg(b::text, '' order by booking_id)) from booking b) as bookings,
        (select count(*)::int from booking_history) as history, (select md5(string_agg(o::text, '')) from operator o) as operators`
      const before = yield* rows
      const head = yield* get(`${url}?day=${saturday}`, { purpose: "prefetch", "sec-purpose": "prefetch" }, "HEAD")
      assert.deepStrictEqual([head.status, head.text], [200, ""])
      for (const method of ["POST", "PUT", "DELETE", "PATCH"]) {
        const { headers, status, text } = yield* get(url, {}, method)
        assert.deepStrictEqual([status, headers.get("allow")], [405, "GET, HEAD"], method)
        assert.notInclude(text, url.slice(-48))
      }
      assert.deepStrictEqual(yield* rows, before)
    })
  )

  it.effect("has a calendar to follow: what is held is tentative, what was cancelled is taken out again", () =>
    Effect.gen(function* () {
      const url = `${yield* address}.ics`
      const { headers, status, text } = yield* get(url, { "accept-language": "de" })
      assert.strictEqual(status, 200)
      assert.strictEqual(headers.get("content-type"), "text/calendar; charset=utf-8")
      const { events = [] } = convertIcsCalendar(undefined, text)
      const named = (name: string) => events.find(({ summary }) => summary.includes(name))
      const zoe = named("Zoë")
      assert.strictEqual(zoe?.summary, "Zoë <script>, Party")
      assert.strictEqual(zoe?.status, "CONFIRMED")
      assert.strictEqual(zoe?.start.date.toISOString(), "2026-12-05T12:30:00.000Z")
      assert.include(zoe?.location, "Great Hall")
      for (const part of [
        "8 Kinder (Alter: 5",
        "Extras: 2 × Bubble machine",
        "Nut allergy!\nTwo lines",
        "+44 (0)20 7946 0123"
      ])
        assert.include(zoe?.description, part)
      assert.strictEqual(named("Dan Under")?.start.date.toISOString(), "2026-12-04T23:00:00.000Z")
      const cara = named("Cara Gone")
      assert.deepStrictEqual(
        [cara?.status, cara?.summary, cara?.sequence],
        ["CANCELLED", "Storniert: Cara Gone, Party", 2]
      )
      assert.isUndefined(named("Never Sure"))
      assert.isUndefined(named("Too Late"))
      assert.include((yield* get(`${url}?language=fr`)).text, "Annulé: Cara Gone")
      assert.isAbove(text.indexOf("BEGIN:VTIMEZONE"), 0)

      const again = yield* get(url, { "accept-language": "de", "if-none-match": `"x", W/${headers.get("etag")}` })
      assert.deepStrictEqual([again.status, again.text], [304, ""])
      const sql = yield* SqlClient.SqlClient
      yield* sql`update booking set updated_at = updated_at - interval '31 days' where contact_name = 'Cara Gone'`
      const later = yield* get(url, { "accept-language": "de", "if-none-match": headers.get("etag") ?? "" })
      assert.strictEqual(later.status, 200)
      assert.notInclude(later.text, "Cara Gone")
      assert.include(later.text, "Zoë")
    })
  )

  it.effect("says that a person was erased, with no way to reach anybody", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { booking_id } = yield* bookAt(hall, "2026-12-12", "10:00", "trusted", { name: "Forget Me" })
      yield* sql`update booking set starts_at = starts_at - interval '40 days', ends_at = ends_at - interval '40 days' where booking_id = ${booking_id}`
      yield* sql.withTransaction(erasePerson(booking_id, Date.parse("2026-11-20T09:00:00Z")))
      const url = yield* address
      const { text } = yield* get(`${url}?day=2026-11-02`)
      assert.match(textOf(text), /10:00–12:00 Name erased Great Hall/)
      assert.notInclude(text, "mailto:")
      const feed = (yield* get(`${url}.ics`)).text.replaceAll("\r\n ", "")
      assert.include(feed, "SUMMARY:Name erased\\, Party")
      assert.notInclude(feed, "erased.invalid")
    })
  )

  it.effect("has the visits to come in its calendar, however many are over", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into booking select c.* from booking b, generate_series(1, 2000) n, jsonb_populate_record(b, jsonb_build_object(
          'booking_id', 'booking_01h5' || lpad(n::text, 22, '0'), 'reference', lpad(n::text, 4, '0') || '-8888', 'retry_key', null,
          'another', null, 'starts_at', '2026-11-10T10:00:00Z', 'ends_at', '2026-11-10T12:00:00Z', 'contact_name', 'Long Over')) c
        where b.booking_id = (select max(booking_id) from booking where contact_name = 'Zoë <script>')`
      const { text } = yield* get(`${yield* address}.ics`)
      assert.include(text, "Zoë")
      assert.include(text, "Long Over")
      assert.strictEqual(text.split("BEGIN:VEVENT").length - 1, 2000)
      yield* sql`delete from booking where contact_name = 'Long Over'`
    })
  )

  it.effect("is there for an operator without playrooms, too", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const operator_id = testId.operator(98)
      yield* sql`insert into operator (operator_id, name, created_at, updated_at) values (${operator_id}, 'Newcomer', now(), now())`
      const link = yield* LinkTokens.use((links) => links.address({ page: "operator", operator_id, counter: 0 }))
      const url = `${yield* PageAddress}${new URL(link).pathname}`
      assert.include(textOf((yield* get(url)).text), "Newcomer Friday, 20 November 2026 No visits on this day.")
      const { text } = yield* get(`${url}.ics`)
      assert.deepStrictEqual(convertIcsCalendar(undefined, text).events ?? [], [])
      // A calendar has to have something in it.
      assert.include(text, "BEGIN:VTIMEZONE")
    })
  )
})
