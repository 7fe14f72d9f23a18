/** Deadlines that a person must meet: how long is left, and the moment with its zone; one end per hold on each page. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { LinkTokens } from "../../../../src/platform/access/LinkTokens.ts"
import { bookingLink } from "../../../../src/domain/booking/BookingLinks.ts"
import { languages, messages } from "../../../../src/words/Languages.ts"
import { durationIn, momentIn } from "../../../../src/words/Localized.ts"
import { dayMs, hourMs, minuteMs } from "../../../../src/platform/time/LocalTime.ts"
import { deadline } from "../../../../src/surfaces/web/frame/PageTable.ts"
import { ask, backFrom, FamilyPages, familyWorld, pageOf, type Seen } from "../../../support/FamilyPages.ts"
import { createBooking, openSession } from "../../../support/PaymentWorld.ts"
import { packages } from "../../../support/paymentVenues.ts"

const moment = Date.parse("2026-11-20T09:34:00Z")
const textOf = (markup: string) => markup.replaceAll(/<[^>]*>/g, "").trim()
const read = (leftMs: number, zone = "Asia/Tokyo", language: (typeof languages)[number] = "en") =>
  textOf(deadline({ moment, now: moment - leftMs, zone }, language).toString())

describe("a deadline", () => {
  it("says how long is left, never more than there is, and the moment with its zone, with the date unless it is today", () => {
    assert.strictEqual(read(14 * minuteMs + 59_000), "14 minutes left\nuntil 18:34 (Japan Standard Time)")
    assert.strictEqual(read(minuteMs), "1 minute left\nuntil 18:34 (Japan Standard Time)")
    assert.strictEqual(read(59_999), "Less than a minute left\nuntil 18:34 (Japan Standard Time)")
    assert.strictEqual(read(119 * minuteMs), "119 minutes left\nuntil 18:34 (Japan Standard Time)")
    assert.strictEqual(
      read(30 * hourMs, "Europe/London"),
      "30 hours left\nuntil Friday, 20 November 2026 at 09:34 (Greenwich Mean Time)"
    )
    assert.match(read(13 * dayMs + hourMs), /^13 days left\nuntil Friday, 20 November 2026 at 18:34 \(Japan/)
    // It is tomorrow there.
    assert.include(read(14 * minuteMs, "Pacific/Auckland"), "until 22:34 (New Zealand Daylight Time)")
    const midnight = Date.parse("2026-11-20T15:05:00Z")
    assert.include(
      textOf(deadline({ moment: midnight, now: midnight - 14 * minuteMs, zone: "Asia/Tokyo" }, "en").toString()),
      "until Saturday, 21 November 2026 at 00:05 (Japan Standard Time)"
    )
  })

  it("is said in each language, with the plural of its number", () => {
    for (const language of languages) {
      const text = messages[language].deadlines
      assert.isTrue(
        read(14 * minuteMs, "Europe/London", language).startsWith(text.left(durationIn(language, 14 * minuteMs)))
      )
      assert.notStrictEqual(durationIn(language, minuteMs), durationIn(language, 2 * minuteMs))
    }
  })

  it("has the offset in place of the zone's name if the clock shows that time twice", () => {
    const twice = Date.parse("2026-10-25T00:30:00Z")
    assert.strictEqual(momentIn("en", "Europe/London", twice), "Sunday, 25 October 2026 at 01:30 (GMT+1)")
  })
})

layer(familyWorld())("the end of a hold", (it) => {
  it.effect("is one and the same on the booking's page, the pay page and the page after paying", () =>
    Effect.gen(function* () {
      const base = yield* FamilyPages
      const held = yield* createBooking(packages.party)
      const page = yield* pageOf(held)
      const pay = base + new URL(yield* LinkTokens.use((links) => links.address(bookingLink("pay", held)))).pathname
      const endOf = <R>(seen: Effect.Effect<Seen, never, R>) =>
        Effect.map(seen, ({ text }) => {
          const said = /<p class="deadline">.*?<\/p>/s.exec(text)?.[0] ?? assert.fail(`no deadline in ${text}`)
          assert.notInclude(text, "local time,")
          return textOf(said)
        })
      const before = yield* endOf(ask(page))
      assert.strictEqual(yield* endOf(ask(pay)), before)
      // A payment page that is open has the last word on all three.
      const session = yield* openSession(held)
      const ends = yield* Effect.all([endOf(ask(page)), endOf(ask(pay)), endOf(backFrom(session, "cancel"))])
      assert.strictEqual(new Set(ends).size, 1, ends.join(" | "))
      assert.match(ends[0] ?? "", /^\d+ minutes left\nuntil \d\d:\d\d \(/)
    })
  )
})
