import { assert, layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { LinkTokens } from "../../../src/platform/access/LinkTokens.ts"
import { bookingLink, BookingLinks } from "../../../src/domain/booking/BookingLinks.ts"
import type { BookingRow } from "../../../src/domain/booking/Booking.ts"
import { BookingRecords } from "../../../src/domain/booking/BookingRecords.ts"
import { Grants } from "../../../src/domain/oauth/Grants.ts"
import { connectWorld, Node, startNode, untilNoticed } from "../../support/ConnectWorld.ts"
import { later } from "../../support/ManualClock.ts"
import { graceMs } from "../../../src/domain/oauth/OAuthState.ts"
import { createBooking } from "../../support/PaymentWorld.ts"
import {
  authorizeUrl,
  callTool,
  codeOf,
  ownKey,
  Person,
  redeem,
  redirectUri,
  refresh,
  register,
  type Seen
} from "../../support/Person.ts"

type Linked = Pick<BookingRow, "booking_id" | "link_counter">

const linkOf = (booking: Linked) => LinkTokens.use(({ address }) => address(bookingLink("booking", booking)))
const wrong = "This link opens no booking"

const renewLink = Effect.fnUntraced(
  function* ({ booking_id }: { readonly booking_id: string }) {
    const found = yield* BookingRecords.use((records) => records.byId(booking_id))
    yield* BookingLinks.use((links) => Effect.flatMap(Effect.fromOption(found), links.renew))
  },
  (renewed) => Effect.provide(renewed, BookingLinks.layer)
)

layer(connectWorld(), { excludeTestServices: true })("a guest who signs in again", (it) => {
  const keyOf = Effect.fnUntraced(function* (client_id: string) {
    const found = (yield* Grants.use(({ list }) => list)).find((grant) => grant.client_id === client_id)
    return found?.key_id ?? assert.fail("no grant")
  })

  /** A consent page, opened by a person of their own. */
  const asked = Effect.gen(function* () {
    const base = yield* Node
    // As if the guests before had come from elsewhere: an address has few an hour.
    yield* SqlClient.SqlClient.use((sql) => sql`update connect_grant set address = grant_id`)
    const client_id = yield* register(base)
    const asking = authorizeUrl(base, client_id)
    const person = new Person()
    return { base, client_id, asking, person, page: yield* person.open(asking.url) }
  })

  /** A booking of a guest, who is gone. */
  const booked = Effect.gen(function* () {
    const { client_id, page, person } = yield* asked
    yield* person.press(page, "guest")
    const { booking_id } = yield* createBooking(undefined, { key: yield* keyOf(client_id) })
    const [row] = yield* SqlClient.SqlClient.use(
      (sql) => sql<Linked>`select booking_id, link_counter from booking where booking_id = ${booking_id}`
    )
    return row ?? assert.fail("no booking")
  })

  const joined = (booking_id: string) =>
    SqlClient.SqlClient.use(
      (sql) => sql<{ key_id: string; may_change: boolean }>`select key_id, may_change from booking_guest
        where booking_id = ${booking_id} order by key_id`
    )

  const isRefused = (seen: Seen, link: string) => {
    assert.strictEqual(seen.status, 422, `${link} ${seen.url}`)
    assert.include(seen.text, wrong)
    assert.include(seen.text, "form_token")
    if (link.length > 20) assert.notInclude(seen.text, link)
  }

  it.effect("with the link of a booking's page reaches that booking with all rights, on every node", () =>
    Effect.gen(function* () {
      const booking = yield* booked
      const link = yield* linkOf(booking)
      for (const pasted of [link, `<${link}?step=cancel>`, ` ${new URL(link).pathname.slice(3)}\n`]) {
        const { asking, base, client_id, page, person } = yield* asked
        const other = yield* startNode({ further: true })
        const back = yield* person.press(page, "guest", { link: pasted })
        assert.isTrue(back.url.startsWith(redirectUri), back.text)
        assert.deepInclude(yield* joined(booking.booking_id), { key_id: yield* keyOf(client_id), may_change: true })
        const { body } = yield* redeem(base, client_id, codeOf(back), asking)
        const token = String(body.access_token)
        for (const node of [base, other]) {
          const found = yield* callTool(node, token, "get_booking", { booking_id: booking.booking_id })
          assert.nestedPropertyVal(found.body, "result.structuredContent.booking.booking_id", booking.booking_id)
          assert.nestedPropertyVal(found.body, "result.structuredContent.booking.page_url", link)
        }
      }
    }).pipe(Effect.scoped)
  )

  it.effect("whose sign-in ended by a refresh token used too late reaches the booking by reference and e-mail", () =>
    Effect.gen(function* () {
      const first = yield* asked
      const code = codeOf(yield* first.person.press(first.page, "guest"))
      const { body } = yield* redeem(first.base, first.client_id, code, first.asking)
      const booking = yield* createBooking(undefined, { key: yield* keyOf(first.client_id) })
      yield* refresh(first.base, first.client_id, String(body.refresh_token))
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* later(graceMs + 1000)
          const late = yield* refresh(first.base, first.client_id, String(body.refresh_token))
          assert.strictEqual(late.body.error, "invalid_grant")
        })
      )
      yield* untilNoticed
      assert.strictEqual((yield* callTool(first.base, String(body.access_token), "get_booking", {})).status, 401)
      const second = yield* asked
      const again = codeOf(yield* second.person.press(second.page, "guest"))
      const tokens = yield* redeem(second.base, second.client_id, again, second.asking)
      const found = yield* callTool(second.base, String(tokens.body.access_token), "get_booking", {
        reference: booking.reference,
        contact_email: booking.contact_email
      })
      assert.nestedPropertyVal(found.body, "result.structuredContent.booking.booking_id", booking.booking_id)
    })
  )

  it.effect("that pastes nothing, or signs in with a key, reaches no booking of others by it", () =>
    Effect.gen(function* () {
      const booking = yield* booked
      const link = yield* linkOf(booking)
      const guest = yield* asked
      yield* guest.person.press(guest.page, "guest", { link: "  " })
      const key = yield* asked
      yield* key.person.press(key.page, "key", { key: ownKey, link })
      const refusal = yield* asked
      yield* refusal.person.press(refusal.page, "refusal", { link })
      assert.deepStrictEqual(yield* joined(booking.booking_id), [])
      // The first answer counts, and what was pasted with it.
      yield* guest.person.press(guest.page, "guest", { link })
      assert.deepStrictEqual(yield* joined(booking.booking_id), [])
    })
  )

  it.effect("with a link that opens nothing is told so, connects nothing, and may try again", () =>
    Effect.gen(function* () {
      const booking = yield* booked
      const link = yield* linkOf(booking)
      const pay = yield* LinkTokens.use(({ address }) => address(bookingLink("pay", booking)))
      const { client_id, page, person } = yield* asked
      const before = (yield* Grants.use(({ list }) => list)).length
      for (const other of [
        "nothing",
        "https://book.example.com/",
        pay,
        pay.replace("/p/", "/b/"),
        `${link}A`,
        link.slice(0, -1),
        link.toUpperCase(),
        "x".repeat(5000),
        "\u0000"
      ])
        isRefused(yield* person.press(page, "guest", { link: other }), other)
      yield* renewLink(booking)
      isRefused(yield* person.press(page, "guest", { link }), link)
      assert.strictEqual((yield* Grants.use(({ list }) => list)).length, before)
      assert.deepStrictEqual(yield* joined(booking.booking_id), [])
      const renewed = yield* linkOf({ ...booking, link_counter: 1 })
      assert.notStrictEqual(codeOf(yield* person.press(page, "guest", { link: renewed })), "")
      assert.deepStrictEqual(yield* joined(booking.booking_id), [{ key_id: yield* keyOf(client_id), may_change: true }])
    })
  )

  it.effect("is not let in by a link with any of its characters changed", () =>
    Effect.gen(function* () {
      const link = yield* linkOf(yield* booked)
      const links = yield* BookingLinks
      const start = link.length - 48
      for (let at = start; at < link.length; at++) {
        const changed = `${link.slice(0, at)}${link[at] === "A" ? "B" : "A"}${link.slice(at + 1)}`
        assert.strictEqual((yield* links.pasted(changed))._tag, "None", `character ${at - start}`)
      }
      assert.strictEqual((yield* links.pasted(link))._tag, "Some")
    }).pipe(Effect.provide(BookingLinks.layer))
  )

  it.effect("loses a booking that came by a link once that link is renewed", () =>
    Effect.gen(function* () {
      const booking = yield* booked
      const { page, person } = yield* asked
      yield* person.press(page, "guest", { link: yield* linkOf(booking) })
      assert.strictEqual((yield* joined(booking.booking_id)).length, 1)
      const sql = yield* SqlClient.SqlClient
      const found = yield* asked
      yield* found.person.press(found.page, "guest")
      const now = new Date(yield* Clock.currentTimeMillis)
      // Who found it by reference and e-mail goes on to.
      yield* sql`insert into booking_guest (key_id, booking_id, may_change, created_at)
        values (${yield* keyOf(found.client_id)}, ${booking.booking_id}, false, ${now})`
      yield* renewLink(booking)
      assert.deepStrictEqual(yield* joined(booking.booking_id), [
        { key_id: yield* keyOf(found.client_id), may_change: false }
      ])
    })
  )
})

layer(connectWorld({ rateLimits: { perAddress: 12, perKey: 600 } }), { excludeTestServices: true })(
  "an address",
  (it) => {
    it.effect("may try as many links on the consent page as elsewhere", () =>
      Effect.gen(function* () {
        const base = yield* Node
        const person = new Person()
        const page = yield* person.open(authorizeUrl(base, yield* register(base)).url)
        const attempt = Effect.map(person.press(page, "guest", { link: "A".repeat(48) }), ({ status }) => status)
        assert.strictEqual(yield* attempt, 422)
        // The limit recovers meanwhile.
        assert.strictEqual(yield* Effect.repeat(attempt, { until: (status) => status === 429, times: 300 }), 429)
      })
    )
  }
)
