import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { LinkTokens } from "../../../../src/platform/access/LinkTokens.ts"
import { TooManyLookups } from "../../../../src/domain/booking/Booking.ts"
import { bookingLink, BookingLinks, type LostLink } from "../../../../src/domain/booking/BookingLinks.ts"
import { arrivalBounds } from "../../../../src/surfaces/http/Connections.ts"
import { languages, messages } from "../../../../src/words/Languages.ts"
import { escape, ask, FamilyPages, familyWorld, pageOf } from "../../../support/FamilyPages.ts"
import { handle, start } from "../../../support/HttpSurface.ts"
import { rawConnection } from "../../../support/rawConnections.ts"
import { bySmtp, lettersOf } from "../../../support/LetterWorld.ts"
import { paidBooking } from "../../../support/PaymentWorld.ts"

const form = (reference: string, email: string, headers: Record<string, string> = {}): RequestInit => ({
  method: "POST",
  body: new URLSearchParams({ reference, email }),
  headers
})

const letters = bySmtp()

describe("the page that finds a booking", () => {
  it.live("asks for reference and address in every language, and takes the reference as people type it", () =>
    Effect.gen(function* () {
      const asked: Array<LostLink> = []
      const { call } = yield* start({
        settings: { letters },
        families: { sendLost: (request) => Effect.sync(() => asked.push(request) > 0) }
      })
      for (const language of languages) {
        const headers = { "accept-language": language }
        const { findBooking: text, words } = messages[language]
        const { response, text: shown } = yield* call("/b", { headers })
        assert.strictEqual(response.status, 200)
        assert.strictEqual(response.headers.get("vary"), "accept-language")
        for (const said of [text.title, text.lead, text.email, text.send, words.reference])
          assert.include(shown, escape(said), language)
        assert.notInclude(shown, "<script")
        const sent = yield* call("/b", form(" k7m2 9qxd", " ana@example.com ", headers))
        assert.strictEqual(sent.response.status, 200)
        assert.include(sent.text, escape(text.sentLead), language)
        assert.notInclude(sent.text, "ana@example.com")
      }
      for (const { email, reference } of asked)
        assert.deepStrictEqual([reference, email], ["K7M2-9QXD", "ana@example.com"])
      assert.lengthOf(asked, languages.length)
    }).pipe(Effect.scoped)
  )

  it.live("shows again what was typed, if it is no reference or no address, and asks for nothing then", () =>
    Effect.gen(function* () {
      const { call } = yield* start({ settings: { letters }, families: { sendLost: () => Effect.die("asked") } })
      for (const [reference, email] of [
        ["K7M2", "ana@example.com"],
        ["K7M2-9QXD", "ana"],
        ["K7M2-9QXD", ""],
        ['"><b>', "a@b.example"],
        ["x".repeat(5000), "y".repeat(5000)]
      ] as const) {
        const { response, text } = yield* call("/b", form(reference, email))
        assert.strictEqual(response.status, 400)
        assert.include(text, messages.en.findBooking.wrong)
        assert.include(text, `value="${escape(reference.slice(0, 300))}"`)
        assert.include(text, `value="${escape(email.slice(0, 300))}"`)
        assert.notInclude(text, "<b>")
      }
    }).pipe(Effect.scoped)
  )

  it.live("takes no form of another site, and none that is too long", () =>
    Effect.gen(function* () {
      const { call } = yield* start({ settings: { letters }, families: { sendLost: () => Effect.die("asked") } })
      for (const headers of [{ "sec-fetch-site": "cross-site" }, { origin: "https://evil.example" }])
        assert.strictEqual((yield* call("/b", form("K7M2-9QXD", "ana@example.com", headers))).response.status, 400)
      const tooLong = form("K7M2-9QXD", `${"a".repeat(100_000)}@example.com`)
      assert.strictEqual((yield* call("/b", tooLong)).response.status, 413)
    }).pipe(Effect.scoped)
  )

  it.live("S8: answers a form that does not come in time with 408, as /mcp does, and logs no error", () => {
    const lines: Array<unknown> = []
    const listening = Logger.make(({ message }) => void lines.push(message))
    return Effect.gen(function* () {
      const arrival = { ...arrivalBounds, headersTimeout: 100, requestTimeout: 100, connectionsCheckingInterval: 50 }
      const { base } = yield* start({ settings: { letters }, families: {}, arrival })
      for (const path of ["/b", handle]) {
        const head = `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n`
        assert.match(yield* (yield* rawConnection(base, `${head}reference=K7`)).ended, /^HTTP\/1\.1 408 /, path)
      }
      assert.deepStrictEqual(lines, [])
    }).pipe(Effect.scoped, Effect.provide(Logger.layer([listening])))
  })

  it.live("says when to try again after too many tries, and if too much is to be done", () =>
    Effect.gen(function* () {
      const tooMany = Effect.fail(new TooManyLookups({ retry_after_seconds: 1234 }))
      const one = yield* start({ settings: { letters }, families: { sendLost: () => tooMany } })
      const refused = yield* one.call("/b", form("K7M2-9QXD", "ana@example.com"))
      assert.strictEqual(refused.response.status, 429)
      assert.strictEqual(refused.response.headers.get("retry-after"), "1234")
      assert.include(refused.text, messages.en.findBooking.tooOften)
      const busy = yield* start({ settings: { letters }, families: { sendLost: () => Effect.succeed(false) } })
      assert.strictEqual((yield* busy.call("/b", form("K7M2-9QXD", "ana@example.com"))).response.status, 503)
    }).pipe(Effect.scoped)
  )

  it.live(
    "says whom to ask where no letters are sent, by form as well, and names the publisher's help if there is any",
    () =>
      Effect.gen(function* () {
        const supportUrl = "https://example.com/help"
        const helped = yield* start({
          settings: { publisher: { supportUrl } },
          families: { sendLost: () => Effect.die("asked") }
        })
        const alone = yield* start({ families: { sendLost: () => Effect.die("asked") } })
        for (const language of languages) {
          const { findBooking: text } = messages[language]
          const headers = { "accept-language": language }
          for (const init of [{ headers }, form("K7M2-9QXD", "ana@example.com", headers)]) {
            const shown = (yield* helped.call("/b", init)).text
            for (const said of [text.askLead, text.ask]) assert.include(shown, escape(said), language)
            assert.include(shown, `<a class="button second" href="${supportUrl}">`)
            assert.notInclude(shown, "<form")
            assert.notInclude((yield* alone.call("/b", init)).text, 'class="button')
          }
        }
      }).pipe(Effect.scoped)
  )
})

layer(familyWorld({ letters }))("the page that finds a booking", (it) => {
  it.effect("answers the same whether there is such a booking or not, and only one has a letter", () =>
    Effect.gen(function* () {
      const { booking } = yield* paidBooking()
      const url = `${yield* FamilyPages}/b`
      const right = yield* ask(url, form(booking.reference, booking.contact_email))
      const wrong = yield* ask(url, form(booking.reference, "stranger@example.com"))
      const none = yield* ask(url, form("K7M2-9QXD", booking.contact_email))
      for (const other of [wrong, none]) {
        assert.deepStrictEqual({ ...other, headers: kept(other.headers) }, { ...right, headers: kept(right.headers) })
      }
      // The letter is written after the answer.
      let written = yield* lettersOf(booking)
      for (; written.length < 2; written = yield* lettersOf(booking)) yield* Effect.yieldNow
      assert.deepStrictEqual(written, ["confirmed pending", "link pending"])
    })
  )

  it.effect("is one step from every page whose link is dead, and from the start page", () =>
    Effect.gen(function* () {
      const { booking } = yield* paidBooking()
      const base = yield* FamilyPages
      const links = yield* LinkTokens
      const renewed = yield* pageOf(booking)
      yield* BookingLinks.use((links) => links.renew(booking))
      const unknown = "A".repeat(48)
      const reminders = yield* links.make(bookingLink("reminders", booking))
      const dead = [
        renewed,
        `${renewed}.ics`,
        `${base}/r/${reminders}`,
        ...["b", "p", "r", "i"].flatMap((path) => [unknown, "short", "%;"].map((token) => `${base}/${path}/${token}`))
      ]
      for (const url of dead)
        for (const language of languages) {
          const { status, text } = yield* ask(url, { headers: { "accept-language": language } })
          assert.strictEqual(status, 404, url)
          assert.include(text, `<a href="/b">${escape(messages[language].findBooking.title)}</a>`, url)
        }
      for (const path of ["/", "/checkout/return"])
        assert.include((yield* ask(base + path)).text, `<a href="/b">${messages.en.findBooking.title}</a>`, path)
      assert.notInclude((yield* ask(yield* pageOf({ ...booking, link_counter: 1 }))).text, 'href="/b"')
    })
  )
})

/** The headers of an answer, without what changes from second to second. */
const kept = (headers: Headers) => [...headers].filter(([name]) => !["date", "x-trace-id"].includes(name))
