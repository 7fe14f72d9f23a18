/** Gift vouchers from their sale at the desk to the family's page, as people press it. */
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer, Option } from "effect"
import { bookingLink } from "../../../../src/domain/booking/BookingLinks.ts"
import { Bookings } from "../../../../src/domain/booking/Bookings.ts"
import { inGroups, Vouchers } from "../../../../src/domain/payment/sessions/Vouchers.ts"
import { Staff } from "../../../../src/domain/people/staff/Staff.ts"
import { Audit } from "../../../../src/ops/audit/Audit.ts"
import { LinkTokens } from "../../../../src/platform/access/LinkTokens.ts"
import { dayMs } from "../../../../src/platform/time/LocalTime.ts"
import { languages, messages } from "../../../../src/words/Languages.ts"
import { importVenue } from "../../../support/BookingWorld.ts"
import { deskBase, join, readable, request } from "../../../support/DeskClient.ts"
import { pageWorld } from "../../../support/FamilyPages.ts"
import { bookAt, hall, payAt } from "../../../support/operatorVenues.ts"
import { otherVenue } from "../../../support/paymentVenues.ts"

const { operator_id } = hall.operator
const { desk, receipt, voucher } = messages.en
const world = Layer.effectDiscard(Effect.suspend(() => importVenue(hall, otherVenue))).pipe(
  Layer.provideMerge(Layer.provideMerge(Audit.layer, pageWorld({ baseUrl: deskBase })))
)

let people = 0
const hidden = (text: string, name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? ""

const atDesk = (role: "desk" | "manager" = "desk", at: string = operator_id) =>
  Effect.gen(function* () {
    const { member, url } = yield* Staff.use((staff) => staff.invite(at, { name: `Vera ${++people}`, role }))
    const { session: cookie } = yield* join(url)
    const page = yield* request("/desk/vouchers", { cookie })
    const own = { form: hidden(page.text, "form") }
    const send = (form: Readonly<Record<string, string>>) =>
      request("/desk/vouchers", { cookie, form: { ...own, ...form } })
    const sell = (more: Readonly<Record<string, string>> = {}) => {
      const one = { step: "sell", voucher: hidden(page.text, "voucher"), currency: "GBP", amount: "40.00", way: "cash" }
      return send({ ...one, until: "", ...more })
    }
    return { member, cookie, page, send, sell }
  })
const codeIn = (text: string) => /href="\/v\/([0-9A-Z-]{19})"/.exec(text)?.[1] ?? assert.fail("no code")

layer(world)("gift vouchers", (it) => {
  it.effect("are sold once by a button that is pressed twice, and shown with their page to print", () =>
    Effect.gen(function* () {
      const { cookie, member, sell } = yield* atDesk()
      const [one, other] = yield* Effect.all([sell(), sell()], { concurrency: 2 })
      const address = one.headers.get("location") ?? ""
      assert.deepStrictEqual([one.status, other.status, other.headers.get("location")], [303, 303, address])
      assert.lengthOf(yield* Vouchers.use((vouchers) => vouchers.latest(operator_id)), 1)
      const shown = yield* request(address, { cookie })
      for (const said of ["£40.00", receipt.paidBy.cash, member.name, voucher.noEnd])
        assert.include(readable(shown.text), said)
      assert.notInclude(readable(shown.text), desk.voucher.undo, "a manager's")
      const code = codeIn(shown.text)
      for (const language of languages) {
        const { text, title } = { ...messages[language].voucher, text: messages[language].voucher }
        const page = yield* request(`/v/${code.toLowerCase().replaceAll("-", "")}`, {
          headers: { "accept-language": language }
        })
        assert.strictEqual(page.status, 200)
        for (const said of [title, code, hall.operator.name, text.how]) assert.include(readable(page.text), said)
      }
      const till = yield* request("/desk/till", { cookie })
      assert.include(readable(till.text), `${receipt.paidBy.cash} £40.00 £0.00 £40.00`)
      const slip = yield* request(`/v/${code.slice(0, -1)}${code.endsWith("A") ? "B" : "A"}`)
      assert.strictEqual(slip.status, 404)
      assert.include(readable(slip.text), voucher.none)
    })
  )

  it.effect("are not sold for what is no amount, way, currency or day; and another operator's are not there", () =>
    Effect.gen(function* () {
      const { send, sell, cookie } = yield* atDesk()
      const many = yield* Vouchers.use((vouchers) => vouchers.latest(operator_id))
      for (const wrong of [
        { amount: "0" },
        { amount: "-5" },
        { amount: "1e5" },
        { amount: "99999999999" },
        { way: "voucher" },
        { currency: "EUR" },
        { until: "2020-01-01" },
        { until: "2999-01-01" },
        { until: "tomorrow" }
      ]) {
        const answer = yield* sell(wrong)
        assert.strictEqual(answer.status, 409, JSON.stringify(wrong))
      }
      assert.deepStrictEqual(yield* Vouchers.use((vouchers) => vouchers.latest(operator_id)), many)
      const stranger = yield* atDesk("manager", otherVenue.operator.operator_id)
      const [mine] = many
      if (mine === undefined) return assert.fail("none was sold")
      const seen = yield* request(`/desk/vouchers?id=${mine.voucher_id}`, { cookie: stranger.cookie })
      assert.strictEqual(seen.status, (yield* request("/desk/vouchers?id=voucher_x", { cookie })).status)
      assert.include(readable(seen.text), messages.en.linkProblems.nothing.title)
      const undone = yield* stranger.send({ step: "undo", voucher: mine.voucher_id })
      assert.strictEqual(undone.status, 303)
      const code = yield* Vouchers.use((vouchers) => vouchers.code(mine.voucher_id))
      const looked = yield* stranger.send({ step: "look", code })
      assert.include(readable(looked.text), voucher.refused.unknown)
      const found = yield* send({ step: "look", code: inGroups(code).toLowerCase() })
      assert.strictEqual(found.headers.get("location"), `/desk/vouchers?id=${mine.voucher_id}`)
      const still = yield* Vouchers.use((vouchers) => vouchers.find(mine.voucher_id))
      assert.isNull(Option.getOrThrow(still).voided_at)
      assert.strictEqual((yield* send({ step: "undo", voucher: mine.voucher_id })).status, 403)
      const manager = yield* atDesk("manager")
      yield* manager.send({ step: "undo", voucher: mine.voucher_id })
      const gone = yield* request(`/desk/vouchers?id=${mine.voucher_id}`, { cookie: manager.cookie })
      assert.include(readable(gone.text), voucher.refused.voided)
      assert.include(readable((yield* request(`/v/${code}`)).text), voucher.refused.voided)
    })
  )

  it.effect("are typed on the family's page, which says first what they pay, and pay once", () =>
    Effect.gen(function* () {
      const { cookie, sell } = yield* atDesk()
      const booking = yield* bookAt(hall, "2027-02-06", "10:00", "deposit", { name: "Gina" })
      yield* payAt(booking)
      const until = new Date((yield* Clock.currentTimeMillis) + 30 * dayMs).toISOString().slice(0, 10)
      const sold = yield* sell({ until })
      const code = codeIn((yield* request(sold.headers.get("location") ?? "", { cookie })).text)
      const row = yield* Bookings.use((bookings) => bookings.get(booking.booking_id))
      const token = yield* LinkTokens.use((links) => links.make(bookingLink("booking", row)))
      const path = `/b/${token}`
      assert.include(readable((yield* request(path)).text), voucher.use)
      const form = yield* request(`${path}?step=voucher`)
      assert.include(readable(form.text), voucher.lead)
      for (const [typed, said] of [
        ["", voucher.refused.slip],
        [`${code.slice(0, -1)}${code.endsWith("7") ? "8" : "7"}`, voucher.refused.slip],
        ["'; drop table voucher; --", voucher.refused.slip],
        ["\0".repeat(50), voucher.refused.slip]
      ] as const) {
        const refused = yield* request(path, { form: { step: "voucher", code: typed } })
        assert.strictEqual(refused.status, 409)
        assert.include(readable(refused.text), said)
      }
      const preview = yield* request(path, { form: { step: "voucher", code } })
      assert.strictEqual(preview.status, 200)
      assert.include(readable(preview.text), voucher.pay("£40.00"))
      const act = { step: "voucher", code, shown: hidden(preview.text, "shown") }
      const [one, other] = yield* Effect.all([request(path, { form: act }), request(path, { form: act })], {
        concurrency: 2
      })
      assert.sameMembers([one.status, other.status], [303, 409])
      const paid = yield* Bookings.use((bookings) => bookings.get(booking.booking_id))
      assert.strictEqual(paid.paid, row.paid + 4000)
      const seen = yield* request(`/desk/b/${booking.booking_id}`, { cookie })
      assert.include(readable(seen.text), `${desk.events.paid_by_voucher} · ${desk.byFamily}`)
      const receiptPage = yield* request(`${path}?step=receipt`)
      assert.include(readable(receiptPage.text), receipt.paidBy.voucher)
      assert.include(readable((yield* request(`/v/${code}`)).text), `${voucher.left} £0.00`)
      const till = yield* request("/desk/till", { cookie })
      assert.include(readable(till.text), receipt.paidBy.voucher)
      assert.deepStrictEqual(yield* Audit.use(({ rows }) => rows), [])
    })
  )

  it.effect("are taken at the desk, where the rest is paid with them", () =>
    Effect.gen(function* () {
      const { cookie, sell } = yield* atDesk()
      const booking = yield* bookAt(hall, "2027-02-13", "10:00", "deposit", { name: "Gus" })
      const sold = yield* sell()
      const code = codeIn((yield* request(sold.headers.get("location") ?? "", { cookie })).text)
      const path = `/desk/b/${booking.booking_id}`
      const page = yield* request(`${path}?step=voucher`, { cookie })
      const send = (more: Readonly<Record<string, string>>) =>
        request(path, { cookie, form: { form: hidden(page.text, "form"), step: "voucher", code, ...more } })
      const less = yield* send({ rest: "later" })
      assert.include(readable(less.text), desk.voucher.less("£10.00"))
      const preview = yield* send({ rest: "card" })
      assert.include(readable(preview.text), `${receipt.paidBy.card} £10.00`)
      const done = yield* send({ rest: "card", shown: hidden(preview.text, "shown") })
      assert.strictEqual(done.status, 303)
      const paid = yield* Bookings.use((bookings) => bookings.get(booking.booking_id))
      assert.deepInclude(paid, { status: "confirmed", paid: 5000 })
      assert.deepStrictEqual(yield* Audit.use(({ rows }) => rows), [])
    })
  )
})
