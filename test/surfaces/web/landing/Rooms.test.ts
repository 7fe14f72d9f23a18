/** The pages that show playrooms to people without an assistant. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { Catalogue } from "../../../../src/domain/catalogue/Catalogue.ts"
import { Operators } from "../../../../src/domain/catalogue/Operators.ts"
import { PlayroomSearch } from "../../../../src/domain/search/PlayroomSearch.ts"
import { makeVenueClosures } from "../../../../src/domain/booking/VenueClosures.ts"
import { languages, messages } from "../../../../src/words/Languages.ts"
import { exactlyIn, hoursIn, moneyIn } from "../../../../src/words/Localized.ts"
import { importVenue } from "../../../support/BookingWorld.ts"
import { ask, escape, PageAddress, pageWorld } from "../../../support/FamilyPages.ts"
import { away, start } from "../../../support/HttpSurface.ts"
import { packageWith, softPlay, testId, venueWith } from "../../../support/venues.ts"

const at = (path: string, language = "en") =>
  Effect.flatMap(PageAddress, (base) => ask(base + path, { headers: { "accept-language": language } }))

const roomsIn = (text: string): ReadonlyArray<string> =>
  Array.from(text.matchAll(/<h[23]><a href="\/rooms\/([^"]+)"/g), ([, id = ""]) => id)

const hostile = `<b>&"'</b>\n<script>alert(1)</script>`

layer(pageWorld())("the pages of playrooms", (it) => {
  it.effect("show a playroom with the prices, terms, hours and closures that get_playroom tells", () =>
    Effect.gen(function* () {
      yield* importVenue(softPlay)
      const { playroom } = softPlay
      yield* Effect.flatMap(makeVenueClosures, (closures) =>
        closures.close(
          {
            operator_id: playroom.operator_id,
            playroom_id: playroom.playroom_id,
            times: { from: "2026-12-24", to: "2026-12-26" },
            reason: "Christmas"
          },
          { who: "Ana" }
        )
      )
      const { packages, ...view } = yield* Catalogue.use((catalogue) => catalogue.view(playroom.playroom_id))
      for (const language of languages) {
        const { headers, status, text } = yield* at(`/rooms/${playroom.playroom_id}`, language)
        assert.strictEqual(status, 200)
        assert.include(text, `<html lang="${language}">`)
        assert.strictEqual(headers.get("vary"), "accept-language")
        assert.strictEqual(headers.get("cache-control"), "no-store")
        for (const { name, price_from } of packages) {
          assert.include(text, escape(name))
          assert.include(text, escape(moneyIn(language, price_from.amount, price_from.currency)))
        }
        for (const said of [view.name, view.summary, view.address, view.operator_name, view.house_rules])
          assert.include(text, escape(said))
        const { rooms, terms } = messages[language]
        assert.include(text, escape(terms.deposit(moneyIn(language, 10_000, "GBP"), true)))
        assert.include(text, escape(rooms.until(exactlyIn(language, 30 * 24 * 60))))
        assert.include(text, escape(rooms.headcount(rooms.until(exactlyIn(language, 48 * 60)))))
        assert.include(text, escape(rooms.move(rooms.until(exactlyIn(language, 14 * 24 * 60)))))
        assert.include(text, escape(hoursIn(language, 9 * 60, 18 * 60)))
        assert.include(text, escape(rooms.request(view.name, view.city, view.playroom_id)))
        assert.include(text, `<code>http://localhost:3000/mcp</code>`)
      }
      const { text } = yield* at(`/rooms/${playroom.playroom_id}`)
      assert.include(text, "Monday – Sunday")
      assert.include(text, "Thursday, 24 December 2026 – Saturday, 26 December 2026")
      assert.include(text, "until 8 days before the visit: 50%")
      // £18 a child, of whom ten are charged at least.
      assert.include(text, "from £180.00 for 4–10 children")
    })
  )

  it.effect("say what is paid when booking, also if that is nothing", () =>
    Effect.gen(function* () {
      const room = (n: number, changes: Parameters<typeof packageWith>[0]) =>
        venueWith({ playroom_id: testId.playroom(n), name: `Terms ${n}` }, [
          packageWith({ ...changes, package_id: testId.package(n) })
        ])
      const deposit = { kind: "deposit", balance_due_hours_before: 24, refundable: true } as const
      yield* importVenue(
        room(30, {}),
        room(31, { payment: { ...deposit, deposit: { amount: 0 } } }),
        room(32, { payment: { ...deposit, deposit: { percent: 25 } }, cancellation: [] }),
        room(33, { payment: { ...deposit, deposit: { percent: 100 }, refundable: false } })
      )
      const text = (n: number) => Effect.map(at(`/rooms/${testId.playroom(n)}`), (seen) => seen.text)
      const { rooms, terms } = messages.en
      assert.include(yield* text(30), rooms.payAll)
      assert.include(yield* text(31), rooms.payLater)
      assert.notInclude(yield* text(31), rooms.payAll)
      assert.include(yield* text(32), "Deposit: 25%.")
      assert.include(yield* text(32), terms.nothingBack)
      assert.include(yield* text(33), "Deposit: 100% (not refunded).")
      assert.include(yield* text(33), terms.nothingBack)
    })
  )

  it.effect("list each playroom of a city once, page by page, and lead from city to city", () =>
    Effect.gen(function* () {
      const many = Array.from({ length: 57 }, (_, n) =>
        venueWith(
          { playroom_id: testId.playroom(100 + n), name: `Room ${n}`, city: "Leeds", address: `${n} Kirkgate` },
          [packageWith({ package_id: testId.package(100 + n) })]
        )
      )
      yield* importVenue(...many)
      const found: Array<string> = []
      let path: string | undefined = "/rooms?city=leeds"
      let pages = 0
      while (path !== undefined) {
        const { status, text }: { readonly status: number; readonly text: string } = yield* at(path)
        assert.strictEqual(status, 200)
        assert.include(text, "<h1>Playrooms: Leeds</h1>")
        found.push(...roomsIn(text))
        pages++
        path = /href="(\/rooms\?[^"]*cursor=[^"]*)"/.exec(text)?.[1]?.replaceAll("&amp;", "&")
      }
      assert.isAbove(pages, 2)
      assert.deepStrictEqual(
        found,
        many.map(({ playroom }) => playroom.playroom_id)
      )
      const { text } = yield* at("/rooms")
      for (const city of ["Leeds", "London"]) assert.include(text, `href="/rooms?city=${city}"`)
      assert.include(text, "from £7.50")
    })
  )

  it.effect("take a city that nobody has, and a cursor of another list, for what they are", () =>
    Effect.gen(function* () {
      yield* importVenue(softPlay)
      const none = yield* at(`/rooms?city=${encodeURIComponent('Atlantis"><b>')}`)
      assert.strictEqual(none.status, 200)
      assert.include(none.text, "No playroom is listed here for “Atlantis&quot;&gt;&lt;b&gt;”.")
      const [first, ...others] = roomsIn((yield* at("/rooms?city=London")).text)
      assert.isDefined(first)
      for (const cursor of ["nothing", "WyJ4Il0", "x".repeat(600)]) {
        const { status, text } = yield* at(`/rooms?city=London&cursor=${cursor}`)
        assert.strictEqual(status, 200)
        assert.deepStrictEqual(roomsIn(text), [first, ...others])
      }
      // What is no word is no city, as for the tools.
      assert.include((yield* at("/rooms?city=%25")).text, `<h1>${messages.en.rooms.title}</h1>`)
      assert.strictEqual((yield* at(`/rooms?city=${"x".repeat(5000)}`)).status, 200)
      assert.strictEqual((yield* at("/rooms?city=%00&cursor=%00")).status, 200)
    })
  )

  it.effect("do not show what is unlisted or of an operator that may not sell, and lead back in each language", () =>
    Effect.gen(function* () {
      const closed = {
        ...venueWith(
          { playroom_id: testId.playroom(40), operator_id: testId.operator(40), city: "Hull", name: "Closed House" },
          [packageWith({ package_id: testId.package(40) })]
        ),
        operator: { ...softPlay.operator, operator_id: testId.operator(40), connected_account_id: "acct_40" }
      }
      const gone = venueWith({ playroom_id: testId.playroom(41), city: "Hull", name: "Gone House" }, [
        packageWith({ package_id: testId.package(41) })
      ])
      yield* importVenue(closed, gone)
      const ids = [closed, gone].map(({ playroom }) => playroom.playroom_id)
      assert.sameMembers([...roomsIn((yield* at("/rooms?city=Hull")).text)], ids)
      yield* Operators.use((operators) => operators.suspend(testId.operator(40)))
      yield* SqlClient.SqlClient.use(
        (sql) => sql`update playroom set listed = false where playroom_id = ${ids[1] ?? ""}`
      )
      assert.lengthOf(roomsIn((yield* at("/rooms?city=Hull")).text), 0)
      // Read anew: the list of cities may be a minute old.
      assert.notInclude(
        yield* Effect.provide(
          PlayroomSearch.use(({ cities }) => cities),
          PlayroomSearch.layer
        ),
        "Hull"
      )
      for (const id of [...ids, testId.playroom(999), "nothing", "playroom_x", "x".repeat(2000)])
        for (const language of languages) {
          const { status, text } = yield* at(`/rooms/${id}`, language)
          const { missing, title } = messages[language].rooms
          assert.strictEqual(status, 404)
          assert.include(text, `<html lang="${language}">`)
          assert.include(text, `<h1>${escape(missing.title)}</h1>`)
          assert.include(text, `<a href="/rooms">${title}</a>`)
          assert.notInclude(text, "House</")
        }
    })
  )

  it.effect("show what venues write as text, and load photos from the hosts of photos alone", () =>
    Effect.gen(function* () {
      const { playroom_id } = venueWith({ playroom_id: testId.playroom(50) }).playroom
      yield* importVenue(
        venueWith(
          {
            playroom_id,
            city: "York",

            photos: [
              { url: "https://a.example/1.jpg?x=1&y=2", alt: "First <b>" },
              { url: "https://b.example:8443/2.jpg", alt: "Second <b>" },
              { url: "https://a.example/3.jpg", alt: "Third" }
            ]
          },
          [packageWith({ package_id: testId.package(50), name: "<u>Play</u>", description: "<u>All</u>" })]
        )
      )
      yield* SqlClient.SqlClient.use(
        (
          sql
        ) => sql`update playroom set name = ${'A <i>room</i> & "more"'}, description = ${hostile}, summary = ${hostile},
          details = jsonb_set(details, '{photos,9}', '{"url": "https://c.example;sandbox/4.jpg", "alt": "Fourth"}') where playroom_id = ${playroom_id}`
      )
      for (const path of [`/rooms/${playroom_id}`, "/rooms?city=York"]) {
        const { headers, text } = yield* at(path)
        assert.notMatch(text, /<(?:b|i|u|script)\b/)
        assert.include(text, "A &lt;i&gt;room&lt;/i&gt; &amp; &quot;more&quot;")
        const sources = /img-src ([^;]*);/.exec(headers.get("content-security-policy") ?? "")?.[1]
        assert.strictEqual(
          sources,
          path.includes("?")
            ? "'self' data: https://a.example"
            : "'self' data: https://a.example https://b.example:8443"
        )
        assert.notInclude(headers.get("content-security-policy") ?? "", "sandbox")
        for (const [image] of text.matchAll(/<img[^>]*>/g)) assert.include(image, 'referrerpolicy="no-referrer"')
      }
    })
  )

  it.effect("begin on the start page, which shows a few of them and all cities", () =>
    Effect.gen(function* () {
      yield* importVenue(softPlay)
      const { text } = yield* at("/", "de")
      assert.isAtMost(roomsIn(text).length, 6)
      assert.isAbove(roomsIn(text).length, 0)
      assert.include(text, `<h2 id="rooms">${messages.de.rooms.title}</h2>`)
      assert.include(text, '<a class="button second" href="/rooms">')
    })
  )
})

describe("the start page", () => {
  it.live("says what this is while playrooms can't be read, and the list says that it can't be shown", () =>
    Effect.gen(function* () {
      const fails = Effect.fail<SqlError.SqlError>(away)
      const { call } = yield* start({ rooms: { list: () => fails, room: () => fails } })
      const { response, text } = yield* call("/")
      assert.strictEqual(response.status, 200)
      assert.include(text, messages.en.landing.lead)
      assert.notInclude(text, 'id="rooms"')
      for (const path of ["/rooms", `/rooms/${testId.playroom(1)}`])
        assert.strictEqual((yield* call(path)).response.status, 503)
    }).pipe(Effect.scoped)
  )

  it.live("reads playrooms once for all who look meanwhile, also if they can't be read", () =>
    Effect.gen(function* () {
      for (const answer of [Effect.succeed({ rooms: [], next: undefined, cities: [] }), Effect.fail(away)]) {
        let reads = 0
        const { call } = yield* start({
          rooms: {
            list: () =>
              Effect.andThen(
                Effect.sync(() => reads++),
                Effect.delay(answer, "20 millis")
              )
          }
        })
        const seen = yield* Effect.all(
          languages.map((language) => call("/", { headers: { "accept-language": language } })),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual([...new Set(seen.map(({ response }) => response.status))], [200])
        yield* call("/")
        assert.strictEqual(reads, 1)
      }
    }).pipe(Effect.scoped)
  )
})

describe("lengths of time in a language", () => {
  it("are exact, in the largest unit that fits", () => {
    assert.deepStrictEqual(
      [5, 60, 90, 120, 150, 24 * 60, 36 * 60, 48 * 60, 50 * 60, 14 * 24 * 60].map((minutes) =>
        exactlyIn("en", minutes)
      ),
      [
        "5 minutes",
        "1 hour",
        "90 minutes",
        "2 hours",
        "150 minutes",
        "24 hours",
        "36 hours",
        "2 days",
        "50 hours",
        "14 days"
      ]
    )
  })
})
