/** A gift voucher is bought on its page, paid on the provider's, and shown to who comes back; as people press it. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { BookingOptions } from "../../../../src/domain/availability/BookingOptions.ts"
import { bookingLink } from "../../../../src/domain/booking/BookingLinks.ts"
import { Bookings } from "../../../../src/domain/booking/Bookings.ts"
import { LinkTokens } from "../../../../src/platform/access/LinkTokens.ts"
import { Vouchers } from "../../../../src/domain/payment/sessions/Vouchers.ts"
import { PaymentInquiry } from "../../../../src/domain/payment/settlement/PaymentInquiry.ts"
import { VoucherSales } from "../../../../src/domain/payment/settlement/VoucherSales.ts"
import { Staff } from "../../../../src/domain/people/staff/Staff.ts"
import { VoucherId } from "../../../../src/platform/ids/Ids.ts"
import { Audit } from "../../../../src/ops/audit/Audit.ts"
import { languages, messages } from "../../../../src/words/Languages.ts"
import { contact, importVenue, principal } from "../../../support/BookingWorld.ts"
import { deskBase, join, readable, request } from "../../../support/DeskClient.ts"
import { pageWorld } from "../../../support/FamilyPages.ts"
import { hall } from "../../../support/operatorVenues.ts"
import { otherVenue } from "../../../support/paymentVenues.ts"
import { actAtProvider, openSession } from "../../../support/PaymentWorld.ts"
import { ScriptedGateway } from "../../../support/ScriptedGateway.ts"

const { operator_id } = hall.operator
const { buying, desk, voucher } = messages.en
const world = Layer.effectDiscard(Effect.suspend(() => importVenue(hall, otherVenue))).pipe(
  Layer.provideMerge(Layer.provideMerge(Audit.layer, pageWorld({ baseUrl: deskBase })))
)

const offered = (offer: object | null) =>
  SqlClient.SqlClient.use(
    (sql) => sql`update operator set vouchers = ${offer === null ? null : JSON.stringify(offer)}::jsonb
      where operator_id = ${operator_id}`
  )
const offer = { currency: "GBP", min_amount: 1000, max_amount: 25_000, valid_months: 36 }
const address = `/gift/${operator_id}`
const hidden = (text: string, name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? ""

/** The page, filled in and sent. */
const send = Effect.fnUntraced(function* (
  fields: Readonly<Record<string, string>> = {},
  headers: Readonly<Record<string, string>> = {}
) {
  const page = yield* request(address, { headers })
  const form = { voucher: hidden(page.text, "voucher"), amount: "50", name: "Ana Lima", email: "ana@example.com" }
  return yield* request(address, { form: { ...form, ...fields }, headers })
})
const anew = SqlClient.SqlClient.use((sql) => sql`update voucher_sale set created_at = created_at - interval '2 hours'`)

layer(world)("buying a gift voucher", (it) => {
  it.effect("is offered where the venue sells them online, and nowhere else", () =>
    Effect.gen(function* () {
      yield* offered(null)
      for (const path of [address, "/gift/nobody", `/gift/${otherVenue.operator.operator_id}`]) {
        const page = yield* request(path)
        assert.strictEqual(page.status, 404)
        assert.include(readable(page.text), buying.none)
        assert.strictEqual((yield* request(path, { form: { amount: "50" } })).status, 404)
      }
      const room = `/rooms/${hall.playroom.playroom_id}`
      assert.notInclude((yield* request(room)).text, address)
      yield* offered(offer)
      assert.include((yield* request(room)).text, `href="${address}"`)
      const [pkg] = hall.packages
      if (pkg === undefined) return assert.fail("no package")
      const { package_id } = pkg
      const { playroom_id } = hall.playroom
      const { options } = yield* BookingOptions.use((all) =>
        all.list({ playroom_id, package_id, date: "2026-12-19", children: 8 })
      )
      const { row } = yield* Bookings.use((bookings) =>
        bookings.create(principal("key_a"), { option_id: options[0]?.option_id ?? "", contact: contact("gift") })
      )
      const provider = yield* ScriptedGateway
      for (const purpose of row.due_now === row.total ? (["due_now"] as const) : (["due_now", "balance"] as const)) {
        const session = yield* openSession(row, purpose)
        provider.act(session, "pay")
        yield* PaymentInquiry.use((inquiry) => inquiry.ask(session))
      }
      const page = yield* LinkTokens.use((links) => links.address(bookingLink("booking", row)))
      assert.include((yield* request(new URL(page).pathname)).text, `href="${address}"`)
      for (const language of languages) {
        const page = yield* request(address, { headers: { "accept-language": language } })
        assert.strictEqual(page.status, 200)
        const { buying: text } = messages[language]
        for (const said of [text.title, hall.operator.name, text.pay, text.how])
          assert.include(readable(page.text), said)
      }
    })
  )

  it.effect("says what is wrong with what was entered, and keeps it", () =>
    Effect.gen(function* () {
      yield* offered(offer)
      const provider = yield* ScriptedGateway
      const { size } = provider.sessions
      for (const [fields, said] of [
        [{ amount: "9.99" }, buying.wrongAmount("£10.00", "£250.00")],
        [{ amount: "250.01" }, buying.wrongAmount("£10.00", "£250.00")],
        [{ amount: "1e2" }, buying.wrongAmount("£10.00", "£250.00")],
        [{ name: " " }, messages.en.party.errors.name],
        [{ email: "ana" }, messages.en.party.errors.email],
        [{ greeting: "x".repeat(201) }, buying.greetingWrong]
      ] as const) {
        const page = yield* send({ greeting: "<b>For you</b>", ...fields })
        assert.strictEqual(page.status, 409)
        assert.include(readable(page.text), said)
        assert.notInclude(page.text, "<b>For you")
      }
      assert.strictEqual(provider.sessions.size, size)
    })
  )

  it.effect("leads to the provider's page once, and back to the voucher once it is paid", () =>
    Effect.gen(function* () {
      yield* offered(offer)
      const provider = yield* ScriptedGateway
      const page = yield* request(address)
      const form = {
        voucher: hidden(page.text, "voucher"),
        amount: "50.00",
        name: "Ana Lima",
        email: "ana@example.com",
        recipient: "Bo & Cy",
        greeting: "Happy <i>birthday</i>!"
      }
      const [one, other] = [yield* request(address, { form }), yield* request(address, { form })]
      const url = one.headers.get("location") ?? ""
      assert.deepStrictEqual([one.status, other.status, other.headers.get("location")], [303, 303, url])
      assert.match(url, /^https:\/\/pay\.example\//)
      const voucher_id = VoucherId.make(form.voucher)
      const sale = yield* VoucherSales.use((sales) => sales.find(voucher_id)).pipe(Effect.flatMap(Effect.fromOption))
      const back = new URL(sale.request.success_url).pathname
      const open = yield* request(back)
      assert.include(readable(open.text), buying.openTitle)
      assert.include(open.text, url)
      yield* actAtProvider(sale, "pay")
      yield* anew
      yield* SqlClient.SqlClient.use((sql) => sql`update voucher_sale set asked_at = null`)
      const done = yield* request(back)
      const code = done.headers.get("location") ?? ""
      assert.match(code, /^\/v\/[0-9A-Z-]{19}$/)
      const shown = readable((yield* request(code)).text)
      for (const said of ["£50.00", "Bo & Cy", "Ana Lima", "Happy birthday!", hall.operator.name])
        assert.include(shown, said)
      assert.strictEqual(
        provider.callsOf("createSession").filter(({ key }) => key === sale.payment_session_id).length,
        1
      )
      assert.strictEqual((yield* request("/bought/nothing")).status, 404)
      // The desk knows it, and undoes it.
      const { url: invitation } = yield* Staff.use((staff) =>
        staff.invite(operator_id, { name: "Mo", role: "manager" })
      )
      const { session: cookie } = yield* join(invitation)
      const list = yield* request("/desk/vouchers", { cookie })
      assert.include(readable(list.text), desk.voucher.online)
      const undone = yield* request("/desk/vouchers", {
        cookie,
        form: { form: hidden(list.text, "form"), step: "undo", voucher: voucher_id }
      })
      assert.strictEqual(undone.status, 303)
      yield* VoucherSales.use(({ runDue }) => runDue)
      assert.deepStrictEqual(provider.paidAndRefunded(sale), { paid: 5000, refunded: 5000 })
      assert.include(readable((yield* request(code)).text), voucher.refused.voided)
      assert.deepStrictEqual(yield* Audit.use(({ rows }) => rows), [])
    })
  )

  it.effect("says how a payment stands that is not made, or is not what was asked for", () =>
    Effect.gen(function* () {
      yield* offered(offer)
      yield* anew
      const provider = yield* ScriptedGateway
      const forget = SqlClient.SqlClient.use((sql) => sql`update voucher_sale set asked_at = null`)
      const begun = Effect.gen(function* () {
        const answer = yield* send()
        const id = (answer.headers.get("location") ?? "").split("/").at(-1) ?? ""
        const sales = yield* VoucherSales
        const account = hall.operator.connected_account_id ?? ""
        const sale = yield* Effect.flatMap(sales.named(account, { provider_session_id: id }), Effect.fromOption)
        return { sale, back: new URL(sale.request.success_url).pathname }
      })
      const stands = (back: string) =>
        Effect.andThen(
          forget,
          Effect.map(request(back), ({ text }) => readable(text))
        )
      const [closed, slow, foreign] = [yield* begun, yield* begun, yield* begun]
      provider.act(closed.sale, "expire")
      assert.include(yield* stands(closed.back), buying.overTitle)
      provider.act(slow.sale, "pay_later")
      assert.include(yield* stands(slow.back), buying.processingTitle)
      Object.assign(provider.sessionOf(foreign.sale), { currency: "USD" })
      provider.act(foreign.sale, "pay")
      assert.include(yield* stands(foreign.back), buying.checkedTitle)
      provider.outage = "away"
      assert.include(yield* stands((yield* Effect.succeed(slow)).back), buying.processingTitle)
      const refused = yield* send()
      assert.strictEqual(refused.status, 409)
      assert.include(readable(refused.text), buying.unavailable)
      provider.outage = undefined
    })
  )

  it.effect("has an end for a network that pays none of what it began", () =>
    Effect.gen(function* () {
      yield* offered(offer)
      yield* anew
      const answers = yield* Effect.forEach([1, 2, 3, 4, 5, 6], () => send())
      assert.deepStrictEqual(
        answers.map(({ status }) => status),
        [303, 303, 303, 303, 303, 409]
      )
      assert.include(readable(answers[5]?.text ?? ""), buying.tooMany)
      yield* anew
      assert.lengthOf(
        (yield* Vouchers.use((vouchers) => vouchers.latest(operator_id))).filter(({ left }) => left > 0),
        0
      )
    })
  )
})
