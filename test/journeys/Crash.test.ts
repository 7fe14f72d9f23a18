import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Option, Schedule, Schema } from "effect"
import demo from "../../src/domain/import/demo.json" with { type: "json" }
import { chanceFrom } from "../fuzz/Chance.ts"
import { callTool } from "../support/outsideProvider/RoundWorld.ts"
import { runs } from "../support/runs.ts"
import { type Service, startService } from "../support/Service.ts"
import { Options, Paying, Playrooms } from "../support/McpRequests.ts"

class Running extends Context.Service<Running, Service>()("test/RunningWhereItIsKilled") {
  static readonly layer = Layer.effect(Running, startService())
}

const kills = runs(3, 2)
const buyers = 4
const bookingsEach = 4

const Booked = Schema.Struct({
  booking: Schema.Struct({ booking_id: Schema.String, status: Schema.String, payment_status: Schema.String })
})
const accounts = demo.operators.map(({ connected_account_id }) => connected_account_id)
const AtProvider = Schema.Struct({
  payment_status: Schema.String,
  amount_total: Schema.Int,
  payment_intent: Schema.NullOr(Schema.String)
})
const Refunds = Schema.Struct({ data: Schema.Array(Schema.Struct({ amount: Schema.Int, status: Schema.String })) })

/** Tried until there is an answer: the process may be dead just now. What is asked is safe to ask twice. */
const persist = <A>(request: () => Promise<A>) =>
  Effect.tryPromise({ try: request, catch: (cause) => new Error(String(cause)) }).pipe(
    Effect.timeout("5 seconds"),
    Effect.retry(Schedule.spaced("50 millis")),
    Effect.timeout("60 seconds"),
    Effect.orDie
  )

/** A call that is not refused. */
const tool = <A>(service: Service, schema: Schema.Codec<A, unknown>, name: string, args: Record<string, unknown>) =>
  // A busy machine starts the service three times in so long.
  Effect.map(callTool(service, schema, name, args, "3 minutes"), (answer) =>
    Option.getOrElse(answer, () => assert.fail(`${name} was refused: ${JSON.stringify(args)}`))
  )

interface Deal {
  readonly booking_id: string
  readonly url: string
}

const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

/** Options that cost something now, each on another day or in another room: none takes the places of another. */
const starts = Effect.fnUntraced(function* (service: Service) {
  const found: Array<string> = []
  const { playrooms } = yield* tool(service, Playrooms, "search_playrooms", { children: 4, date: day(14) })
  for (let ahead = 14; ahead < 35; ahead++) {
    for (const { playroom_id } of playrooms.slice(0, 4)) {
      if (found.length === buyers * bookingsEach) return found
      const asked = { playroom_id, date: day(ahead), children: 4 }
      const { options } = yield* tool(service, Options, "get_booking_options", asked)
      found.push(...options.flatMap(({ option_id, price }) => (price.due_now > 0 ? [option_id] : [])).slice(0, 1))
    }
  }
  return assert.fail(`only ${found.length} starts that cost something`)
})

/** One buyer's bookings, one after the other, each paid on its page. */
const buy = Effect.fnUntraced(function* (service: Service, buyer: number, options: ReadonlyArray<string>) {
  const deals: Array<Deal> = []
  for (const [i, option_id] of options.entries()) {
    const who = `crash-${buyer}-${i}`
    const contact = { name: "Ana Lima", email: `${who}@example.com` }
    const held = yield* tool(service, Booked, "create_booking", { option_id, contact, idempotency_key: who })
    const { booking_id } = held.booking
    const paying = yield* tool(service, Paying, "create_payment_session", { booking_id, idempotency_key: who })
    const { url } = paying.payment_session
    yield* persist(() =>
      fetch(url, { method: "POST", body: new URLSearchParams({ outcome: "pay" }), redirect: "manual" })
    )
    deals.push({ booking_id, url })
  }
  return deals
})

const disturb = (service: Service) =>
  persist(() =>
    fetch(`${service.sandboxUrl}/sandbox/faults`, {
      method: "POST",
      body: new URLSearchParams({ duplicate: "3", reorder: "2", delay: "2", delay_seconds: "1" })
    })
  )

const killAndStart = Effect.fnUntraced(function* (service: Service) {
  yield* service.stop("SIGKILL")
  yield* service.start
  yield* disturb(service)
})

/** What the provider has of a page: what was paid, and what went back, in its minor units. */
const booksOf = Effect.fnUntraced(function* (service: Service, url: string) {
  const ask = (path: string, account: string) =>
    persist(() =>
      fetch(`${service.sandboxUrl}${path}`, {
        headers: { authorization: "Bearer sk_test_books", "stripe-account": account }
      }).then(async (response) => ({ found: response.ok, body: (await response.json()) as unknown }))
    )
  const id = url.split("/").at(-1) ?? ""
  for (const account of accounts) {
    const session = yield* ask(`/v1/checkout/sessions/${id}`, account)
    if (!session.found) continue
    const { amount_total, payment_intent, payment_status } = Schema.decodeUnknownSync(AtProvider)(session.body)
    if (payment_status !== "paid") return { paid: 0, refunds: [] }
    const list = yield* ask(`/v1/refunds?payment_intent=${payment_intent ?? ""}&limit=100`, account)
    return {
      paid: amount_total,
      refunds: Schema.decodeUnknownSync(Refunds)(list.body).data.map(({ amount }) => amount)
    }
  }
  return assert.fail(`no account knows ${id}`)
})

layer(Running.layer, { excludeTestServices: true })("a service that is killed again and again", (it) => {
  it.effect(
    "ends with everything that was paid confirmed or refunded, once",
    () =>
      Effect.gen(function* () {
        const service = yield* Running
        const chance = chanceFrom(20_261_121)
        yield* disturb(service)
        const found = yield* starts(service)
        const wishes = Array.from({ length: buyers }, (_, buyer) =>
          found.filter((_, i) => i % buyers === buyer).slice(0, bookingsEach)
        )
        const killing = Effect.gen(function* () {
          for (let kill = 0; kill < kills; kill++) {
            yield* Effect.sleep(100 + chance.below(900))
            yield* killAndStart(service)
          }
        })
        const [bought] = yield* Effect.all(
          [
            Effect.forEach(wishes, (options, buyer) => buy(service, buyer, options), { concurrency: "unbounded" }),
            killing
          ],
          { concurrency: 2 }
        )
        const deals = bought.flat()
        assert.strictEqual(deals.length, buyers * bookingsEach)

        // Some are cancelled, and the process dies while their money is on its way back.
        const cancelled = deals.slice(0, 2)
        for (const { booking_id } of cancelled) {
          const done = yield* service.playroomProcess("booking", "cancel", booking_id)
          assert.strictEqual(done.code, 0, done.stderr)
        }
        yield* Effect.sleep(chance.below(200))
        yield* killAndStart(service)

        const unsettled = new Set(deals)
        let seen = ""
        for (let tries = 0; tries < 600 && unsettled.size > 0; tries++) {
          for (const deal of unsettled) {
            const { booking } = yield* tool(service, Booked, "get_booking", { booking_id: deal.booking_id })
            const confirmed = booking.status === "confirmed"
            const settled = cancelled.includes(deal)
              ? booking.status === "cancelled" && booking.payment_status !== "refund_pending"
              : confirmed && (booking.payment_status === "paid" || booking.payment_status === "deposit_paid")
            seen = `${booking.status} ${booking.payment_status}`
            if (!settled) continue
            const { paid, refunds } = yield* booksOf(service, deal.url)
            seen = `${booking.status} ${booking.payment_status}, paid ${paid}, refunds ${refunds.join()}`
            assert.isAtMost(refunds.length, 1, seen)
            assert.isAbove(paid, 0, "the page said that it was paid")
            // What is refunded here is refunded there.
            const agreed = (booking.payment_status === "refunded") === (refunds[0] === paid)
            if (agreed && !(confirmed && refunds.length > 0)) unsettled.delete(deal)
          }
          yield* Effect.sleep("100 millis")
        }
        assert.strictEqual(unsettled.size, 0, seen)
        const sick = yield* service.playroom("doctor")
        assert.strictEqual(sick.code, 0, sick.stdout + sick.stderr)
      }),
    300_000
  )
})
