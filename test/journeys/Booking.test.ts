import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Layer, Schedule, Schema } from "effect"
import { tools } from "../../src/surfaces/mcp/tools/ToolList.ts"
import { ask, press } from "../support/FamilyPages.ts"
import { type Answer, clientKinds, connect, type McpClient } from "../support/McpClients.ts"
import { type Service, startService } from "../support/Service.ts"

class Running extends Context.Service<Running, Service>()("test/Running") {
  static readonly layer = Layer.effect(Running, startService())
}

const Playrooms = Schema.Struct({
  playrooms: Schema.Array(Schema.Struct({ playroom_id: Schema.String, name: Schema.String }))
})
const Options = Schema.Struct({
  options: Schema.Array(
    Schema.Struct({
      option_id: Schema.String,
      start: Schema.String,
      price: Schema.Struct({ total: Schema.Int, due_now: Schema.Int })
    })
  )
})
const Booked = Schema.Struct({
  booking: Schema.Struct({
    booking_id: Schema.String,
    reference: Schema.String,
    status: Schema.String,
    payment_status: Schema.String,
    page_url: Schema.String,
    refund_if_cancelled_now: Schema.optionalKey(Schema.Struct({ amount: Schema.Int, display: Schema.String })),
    payment_session: Schema.optionalKey(Schema.Struct({ status: Schema.String }))
  }),
  history: Schema.optionalKey(
    Schema.Array(Schema.Struct({ event: Schema.String, detail: Schema.optionalKey(Schema.String) }))
  )
})
const Paying = Schema.Struct({
  payment_session: Schema.Struct({
    payment_session_id: Schema.String,
    url: Schema.String,
    amount: Schema.Struct({ amount: Schema.Int })
  }),
  next_step: Schema.String
})

const read = <A>(schema: Schema.Codec<A, unknown>, answer: Answer): A => {
  assert.isFalse(answer.isError, answer.text)
  assert.deepStrictEqual(JSON.parse(answer.text), answer.content)
  return Schema.decodeUnknownSync(schema)(answer.content)
}

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

let buyers = 0
/** Finds a start that costs something now, and holds it. */
const hold = Effect.fnUntraced(function* (client: McpClient) {
  const from = inDays(14)
  const { playrooms } = read(Playrooms, yield* client.call("search_playrooms", { children: 4, date: from }))
  for (const { playroom_id } of playrooms) {
    const range = { playroom_id, date: from, date_to: inDays(28), children: 4, limit: 100 }
    const { options } = read(Options, yield* client.call("get_booking_options", range))
    const paid = options.filter(({ price }) => price.due_now > 0)
    const option = paid[(buyers * 13) % Math.max(1, paid.length)]
    if (option === undefined) continue
    const contact = { name: "Ana Lima", email: `ana${++buyers}@example.com` }
    const { booking } = read(Booked, yield* client.call("create_booking", { option_id: option.option_id, contact }))
    assert.deepStrictEqual([booking.status, booking.payment_status], ["held", "unpaid"])
    return { booking, option, contact }
  }
  return assert.fail("no start that costs something")
})

const pay = (url: string, outcome: string) =>
  Effect.promise(() => fetch(url, { method: "POST", body: new URLSearchParams({ outcome }), redirect: "manual" }))

/** Asks until the booking is as it should be, by one of these payments: the provider's event is on its way. */
const until = Effect.fnUntraced(function* (
  client: McpClient,
  booking_id: string,
  status: string,
  ...payment_statuses: ReadonlyArray<string>
) {
  let seen = ""
  for (let tries = 0; tries < 200; tries++) {
    const found = read(Booked, yield* client.call("get_booking", { booking_id }))
    seen = `${found.booking.status} ${found.booking.payment_status}`
    if (payment_statuses.some((payment_status) => seen === `${status} ${payment_status}`)) return found
    yield* Effect.sleep("100 millis")
  }
  return assert.fail(`expected ${status} ${payment_statuses.join(" or ")}, saw ${seen}`)
})

const code = (answer: Answer) => {
  assert.isTrue(answer.isError, answer.text)
  assert.isString(answer.content["fix"])
  return answer.content["code"]
}

layer(Running.layer, { excludeTestServices: true })((it) => {
  describe("an assistant", () => {
    for (const kind of clientKinds) {
      it.effect(`with the ${kind} client finds a playroom, books it, has it paid, and sees it confirmed`, () =>
        Effect.gen(function* () {
          const service = yield* Running
          const client = yield* connect(kind, service.baseUrl, service.apiKey)
          assert.deepStrictEqual(
            yield* client.tools,
            tools.map(({ name }) => name)
          )
          const { booking, option } = yield* hold(client)
          const asked = yield* client.call("create_payment_session", { booking_id: booking.booking_id })
          const { payment_session } = read(Paying, asked)
          assert.strictEqual(payment_session.amount.amount, option.price.due_now)
          const again = read(Paying, yield* client.call("create_payment_session", { booking_id: booking.booking_id }))
          assert.strictEqual(again.payment_session.payment_session_id, payment_session.payment_session_id)
          const page = yield* Effect.promise(() => fetch(payment_session.url).then((response) => response.text()))
          assert.include(page, 'value="pay"')
          assert.include(page, `${option.start.slice(0, 4)}, ${option.start.slice(11, 16)}`)
          const paid = yield* pay(payment_session.url, "pay")
          assert.strictEqual(paid.status, 303)
          const landing = yield* Effect.promise(() =>
            fetch(paid.headers.get("location") ?? "").then((response) => response.text())
          )
          assert.include(landing, booking.reference)
          const whole = option.price.due_now === option.price.total
          const { history } = yield* until(client, booking.booking_id, "confirmed", whole ? "paid" : "deposit_paid")
          assert.isAtLeast(history?.length ?? 0, 3)
        }).pipe(Effect.scoped)
      )
    }

    it.effect("sees a delayed payment go through processing, and a failed one leave the hold to a second try", () =>
      Effect.gen(function* () {
        const service = yield* Running
        const client = yield* connect("v2 auto", service.baseUrl, service.apiKey)
        const { booking } = yield* hold(client)
        const session = () =>
          Effect.map(
            client.call("create_payment_session", { booking_id: booking.booking_id }),
            (answer) => read(Paying, answer).payment_session
          )
        const first = yield* session()
        yield* pay(first.url, "pay_later_fails")
        yield* until(client, booking.booking_id, "held", "failed")
        const second = yield* session()
        assert.notStrictEqual(second.payment_session_id, first.payment_session_id)
        yield* pay(second.url, "pay_later_succeeds")
        const { booking: done } = yield* until(client, booking.booking_id, "confirmed", "paid", "deposit_paid")
        assert.strictEqual(
          code(yield* client.call("create_payment_session", { booking_id: done.booking_id })),
          "nothing_due"
        )
      }).pipe(Effect.scoped)
    )

    it.effect("hands over a page on which the family pays, comes back to, and cancels for exactly what it says", () =>
      Effect.gen(function* () {
        const service = yield* Running
        const client = yield* connect("v2 auto", service.baseUrl, service.apiKey)
        const { booking } = yield* hold(client)
        const { page_url } = booking
        const paying = yield* press(page_url, yield* ask(page_url), "pay")
        assert.strictEqual(paying.status, 303)
        const paid = yield* pay(paying.headers.get("location") ?? "", "pay")
        const landing = paid.headers.get("location") ?? ""
        const returned = new URL((yield* ask(landing)).headers.get("location") ?? "", landing).href
        assert.strictEqual(returned.replace(/\?.*/, ""), page_url)
        // The page says that the payment arrives until its event has come.
        const landed = yield* Effect.repeat(ask(returned), {
          until: ({ text }) => text.includes("Your booking is confirmed"),
          schedule: Schedule.spaced("200 millis"),
          times: 100
        })
        assert.include(landed.text, "Your booking is confirmed")
        assert.include((yield* ask(page_url)).text, booking.reference)
        const reading = Effect.map(client.call("get_booking", { booking_id: booking.booking_id }), (answer) =>
          read(Booked, answer)
        )
        const refund = (yield* reading).booking.refund_if_cancelled_now
        const some = refund !== undefined && refund.amount > 0
        const seen = yield* ask(`${page_url}?step=cancel`)
        assert.include(seen.text, some ? refund.display : "None of the")
        assert.strictEqual((yield* press(page_url, seen, "cancel")).status, 303)
        assert.include((yield* ask(page_url)).text, "Your booking is cancelled")
        const { booking: after, history } = yield* reading
        assert.strictEqual(after.status, "cancelled")
        const line = history?.find(({ event }) => event === "cancelled")
        const back = some ? `${refund.display} will be refunded` : "nothing is refunded"
        assert.strictEqual(line?.detail, `by the family, on its page; ${back}`)
      }).pipe(Effect.scoped)
    )
  })
})
