import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { LinkTokens } from "../../../../src/platform/access/LinkTokens.ts"
import { makeVenueClosures } from "../../../../src/domain/booking/VenueClosures.ts"
import { BookingList } from "../../../../src/domain/booking/BookingList.ts"
import { Operators } from "../../../../src/domain/catalogue/Operators.ts"
import { languages, messages } from "../../../../src/words/Languages.ts"
import { pluralIn } from "../../../../src/words/Localized.ts"
import { CatalogueFile } from "../../../../src/domain/import/CatalogueFile.ts"
import type { Venue } from "../../../../src/domain/catalogue/Playroom.ts"
import { importVenue } from "../../../support/BookingWorld.ts"
import { cancelBooking } from "../../../support/PaymentWorld.ts"
import { PageAddress, pageWorld } from "../../../support/FamilyPages.ts"
import { bookAt, hall, loft, sydney } from "../../../support/operatorVenues.ts"

const saturday = "2026-12-05"
const { operator } = hall

const pageOf = Effect.fnUntraced(function* (date: string, language = "en-GB") {
  const { link_counter } = yield* Operators.use((operators) => operators.page(operator.operator_id))
  const links = yield* LinkTokens
  const link = yield* links.address({ page: "operator", operator_id: operator.operator_id, counter: link_counter })
  const url = `${yield* PageAddress}${new URL(link).pathname}?day=${date}`
  return yield* Effect.promise(async () => {
    const response = await fetch(url, { headers: { "accept-language": language } })
    return (await response.text())
      .replace(/<style>.*<\/style>/s, "")
      .replaceAll(/<[^>]+>/g, " ")
      .replaceAll("&amp;", "&")
      .replaceAll("&#39;", "'")
      .replaceAll(/\s+/g, " ")
  })
})

const close = ({ add_ons, packages, playroom }: Venue, from: string, to: string) =>
  CatalogueFile.use((file) =>
    file.importFile(
      {
        version: 1,
        operators: [operator],
        playrooms: [{ ...playroom, packages, add_ons, closures: [{ from, to, reason: "Boiler" }] }]
      },
      { force: true }
    )
  )

layer(pageWorld())("an operator's page of a closed day", (it) => {
  it.effect("warns of the visits that are booked then, and marks each, until they are moved or cancelled", () =>
    Effect.gen(function* () {
      yield* importVenue(hall, loft, sydney)
      const inside = yield* bookAt(hall, saturday, "15:00", "trusted", { name: "Sam Door" })
      const too = yield* bookAt(sydney, saturday, "10:00", "trusted", { name: "Dan Under" })
      yield* bookAt(loft, saturday, "10:00", "trusted", { name: "Ben Free" })
      yield* bookAt(hall, "2026-12-06", "10:00", "trusted", { name: "Next Day" })
      const open = yield* pageOf(saturday)
      assert.notInclude(open, "n closed time")

      yield* close(hall, saturday, saturday)
      yield* close(sydney, saturday, saturday)
      const seen = yield* pageOf(saturday)
      assert.include(seen, "3 visits, 24 children (2 of them to decide on)")
      assert.include(seen, "Closed: Great Hall , all day Boiler")
      assert.include(
        seen,
        "2 visits are in closed time, or have more than there is now. They take place unless they are moved or cancelled."
      )
      assert.include(seen, "Sam Door In closed time · Great Hall")
      assert.include(seen, "Dan Under In closed time · Sydney Side")
      assert.include(seen, "Ben Free Attic & Loft")
      // The week says on which day; the next day is open.
      assert.match(seen, /Sat 5 3!/)
      const next = yield* pageOf("2026-12-06")
      assert.include(next, "Next Day Great Hall")
      assert.notInclude(next, "in closed time, or have more")

      for (const language of languages) {
        const text = messages[language].operator
        const other = yield* pageOf(saturday, language)
        for (const said of [text.blocked.closed, text.blockedToo(2), pluralIn(language, 2, text.visitsBlocked)])
          assert.include(other.replaceAll("\u00a0", " "), said.replaceAll("\u00a0", " "), language)
      }

      yield* cancelBooking(too)
      assert.include(yield* pageOf(saturday), "1 visit is in closed time, or has more than there is now.")
      yield* cancelBooking(inside)
      const after = yield* pageOf(saturday)
      assert.include(after, "Closed: Great Hall , all day")
      assert.notInclude(after, "in closed time, or ha")
    })
  )

  it.effect("warns of visits with more than there is of a stock that is smaller now, until they are gone", () =>
    Effect.gen(function* () {
      const sunday = "2026-12-13"
      yield* importVenue(hall)
      const much = yield* bookAt(hall, sunday, "10:00", "trusted", { name: "Bea Bubbles", bubbles: 3 })
      yield* bookAt(hall, sunday, "15:00", "trusted", { name: "Cal Few", bubbles: 1 })
      const { add_ons, packages, playroom } = hall
      const fewer = add_ons.map((one) => (one.stock === undefined ? one : { ...one, stock: 2, max_quantity: 2 }))
      yield* CatalogueFile.use((file) =>
        file.importFile(
          { version: 1, operators: [operator], playrooms: [{ ...playroom, packages, add_ons: fewer }] },
          { force: true }
        )
      )
      const seen = yield* pageOf(sunday)
      for (const words of [
        "2 visits, 16 children (1 of them to decide on)",
        "1 visit is in closed time, or has more than there is now.",
        "Bea Bubbles More than there is · Great Hall",
        "Cal Few Great Hall"
      ])
        assert.include(seen, words)
      const [listed] = yield* BookingList.use((list) => list.affected({ operator_id: operator.operator_id, limit: 10 }))
      const bubbles = fewer.find(({ stock }) => stock === 2)?.add_on_id
      const lacking = { lacking: [{ add_on_id: bubbles, quantity: 3 }], rest: [] }
      assert.deepStrictEqual(
        [listed?.booking_id, listed?.closed_because, listed?.overbooked],
        [much.booking_id, null, { of: "Bubble machine", units: 2, add_ons: lacking }]
      )
      yield* cancelBooking(much)
      assert.notInclude(yield* pageOf(sunday), "More than there is")
    })
  )

  it.effect("says what is out of order that day, with its time and why", () =>
    Effect.gen(function* () {
      yield* importVenue(hall)
      const monday = "2026-12-14"
      const stock = hall.add_ons.find((one) => one.stock !== undefined) ?? assert.fail("no stock")
      yield* Effect.flatMap(makeVenueClosures, (closures) =>
        closures.close(
          {
            operator_id: operator.operator_id,
            add_on_id: stock.add_on_id,
            units: 2,
            times: { from: monday, to: monday, starts: "12:00", ends: "15:30" },
            reason: "Burst seam"
          },
          { who: "Maria" }
        )
      )
      assert.match(yield* pageOf(monday), /Out of order: 2 × Bubble machine , 12:00–15:30 Burst seam/)
      assert.notInclude(yield* pageOf("2026-12-15"), "Burst seam")
    })
  )

  it.effect("says that there are more closed times than it shows", () =>
    Effect.gen(function* () {
      const day = "2026-12-19"
      const closed = (times: number) =>
        CatalogueFile.use((file) =>
          file.importFile(
            {
              version: 1,
              operators: [operator],
              playrooms: [
                {
                  ...loft.playroom,
                  packages: loft.packages,
                  add_ons: loft.add_ons,
                  closures: Array.from({ length: times }, (_, i) => {
                    const at = (minute: number) =>
                      new Date(Date.parse(`${day}T10:00:00Z`) + minute * 60_000)
                        .toISOString()
                        .replace(".000Z", "+00:00")
                    return { from: at(2 * i), to: at(2 * i + 1), reason: `No. ${i}` }
                  })
                }
              ]
            },
            { force: true }
          )
        )
      const more = messages.en.desk.closing.furtherTimes
      yield* closed(100)
      const all = yield* pageOf(day)
      assert.include(all, "No. 99")
      assert.notInclude(all, more)
      yield* closed(101)
      const first = yield* pageOf(day)
      assert.notInclude(first, "No. 100")
      assert.include(first, more)
    })
  )
})
