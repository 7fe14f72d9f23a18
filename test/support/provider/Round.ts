/** A round of trouble: families book and pay, operators cancel, the provider and the network fail, and the process is killed. */
import { Cause, Effect, Option, Schedule, Schema } from "effect"
import type { Chance } from "../../fuzz/Chance.ts"
import type { Service } from "../Service.ts"
import type { Cancelled } from "./Judge.ts"
import type { OutsideProvider } from "./OutsideProvider.ts"

export interface Town {
  readonly service: Service
  readonly provider: OutsideProvider
  readonly chance: Chance
  readonly playrooms: ReadonlyArray<string>
  readonly accounts: ReadonlyArray<string>
  readonly cancelled: Map<string, Cancelled>
  readonly counts: Map<string, number>
  /** Accounts that took our access away, or can't pay, for now. */
  readonly troubled: Set<string>
}

export const count = ({ counts }: Town, what: string, by = 1): void =>
  void counts.set(what, (counts.get(what) ?? 0) + by)

const Unknown = Schema.Record(Schema.String, Schema.Unknown)
const Reply = Schema.Struct({
  result: Schema.Struct({
    isError: Schema.optionalKey(Schema.Boolean),
    structuredContent: Schema.optionalKey(Unknown),
    content: Schema.Array(Schema.Struct({ text: Schema.String }))
  })
})
export const Playrooms = Schema.Struct({
  playrooms: Schema.Array(Schema.Struct({ playroom_id: Schema.String }))
})
const Options = Schema.Struct({
  options: Schema.Array(Schema.Struct({ option_id: Schema.String, price: Schema.Struct({ due_now: Schema.Int }) }))
})
const Booked = Schema.Struct({ booking: Schema.Struct({ booking_id: Schema.String }) })
const Paying = Schema.Struct({ payment_session: Schema.Struct({ url: Schema.String }) })

/** A tool call as an assistant makes it, made again while the process is dead or says that this helps; none: it gave up, or was refused. */
export const tool = <A>(
  service: Service,
  schema: Schema.Codec<A, unknown>,
  name: string,
  args: Record<string, unknown>
) =>
  Effect.tryPromise({
    try: async () => {
      const response = await fetch(`${service.baseUrl}/mcp`, {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json", "x-api-key": service.apiKey },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }),
        signal: AbortSignal.timeout(12_000)
      })
      const { result } = Schema.decodeUnknownSync(Reply)(await response.json())
      if (result.isError !== true) return Option.some(Schema.decodeUnknownSync(schema)(result.structuredContent))
      const text = result.content[0]?.text ?? ""
      if (text.includes('"retryable":true')) throw new Error(text)
      return Option.none<A>()
    },
    catch: (cause) => new Error(String(cause))
  }).pipe(
    Effect.retry(Schedule.spaced("300 millis")),
    Effect.timeout("60 seconds"),
    Effect.catch(() => Effect.succeedNone)
  )

const Terms = Schema.Struct({
  booking: Schema.Struct({
    paid: Schema.Int,
    starts_at: Schema.Union([Schema.String, Schema.Finite]),
    terms: Schema.Struct({
      non_refundable: Schema.Int,
      cancellation: Schema.Array(Schema.Struct({ hours_before: Schema.Int, refund_percent: Schema.Finite }))
    })
  })
})
const termsIn = Schema.decodeUnknownOption(Schema.fromJsonString(Terms))

/** What the terms give back at an instant, in all. */
const owedAt = ({ booking: { paid, starts_at, terms } }: typeof Terms.Type, at: number): number => {
  const hours = (new Date(starts_at).getTime() - at) / 3_600_000
  const percents = terms.cancellation.filter(({ hours_before }) => hours >= hours_before)
  const best = percents.sort((a, b) => b.hours_before - a.hours_before)[0]
  return (Math.max(0, paid - terms.non_refundable) * (best?.refund_percent ?? 0)) / 100
}

const wishes = ["terms", "terms", "terms", "full", "none"] as const

/** An operator cancels at the command line; sometimes it has given some back in the dashboard before, and sometimes it does so now. */
const cancel = Effect.fnUntraced(function* (town: Town, booking_id: string, session: string, amount: number) {
  const { chance, provider, service } = town
  const byHand = chance.once(3)
  if (byHand) {
    const back = yield* provider.say("refund", { session, amount: Math.ceil(amount / (1 + chance.below(4))) })
    if (back !== 0) count(town, "dashboard refunds")
  }
  if (chance.once(7) && (yield* provider.say("dispute", { session })) !== null) count(town, "disputes")
  const wish = chance.one(wishes)
  const from = (yield* provider.record).now
  const run = service.playroom(
    "booking",
    "cancel",
    booking_id,
    "--json",
    ...(wish === "terms" ? [] : ["--refund", wish, "--reason", "round"])
  )
  const meanwhile = chance.once(4)
    ? Effect.andThen(Effect.sleep(500 + chance.below(1500)), provider.say("refund", { session, amount: 1 }))
    : Effect.void
  const [done] = yield* Effect.all([run, meanwhile], { concurrency: 2 })
  if (done.code !== 0) return count(town, `cancellation refused: ${done.stderr.slice(0, 60).trim()}`)
  const till = (yield* provider.record).now
  const said = Option.getOrThrow(termsIn(done.stdout))
  count(town, "cancellations")
  // Nothing was known to be paid: what comes later goes back whole.
  if (said.booking.paid === 0) return
  const paid = said.booking.paid
  const both = [owedAt(said, from), owedAt(said, till)]
  const least = wish === "full" ? paid : wish === "none" ? 0 : Math.floor(Math.min(...both))
  const most = wish === "full" ? paid : wish === "none" ? 0 : Math.ceil(Math.max(...both))
  town.cancelled.set(booking_id, { least, most })
})

/** A family books and pays, or not. */
const family = Effect.fnUntraced(function* (town: Town, name: string) {
  const { chance, provider, service } = town
  const now = (yield* provider.record).now
  let option: (typeof Options.Type)["options"][number] | undefined
  // Not every day has something that costs money.
  for (let tries = 0; tries < 6 && option === undefined; tries++) {
    const date = new Date(now + (3 + chance.below(40)) * 86_400_000).toISOString().slice(0, 10)
    const playroom_id = town.playrooms[chance.below(town.playrooms.length)]
    const asked = { playroom_id, date, children: 4 + chance.below(4) }
    const found = yield* tool(service, Options, "get_booking_options", asked)
    const priced = Option.isNone(found) ? [] : found.value.options.filter(({ price }) => price.due_now > 0)
    option = priced[chance.below(Math.max(1, priced.length))]
  }
  if (option === undefined) return count(town, "no offer")
  const contact = { name: "Ana Lima", email: `${name}@example.com` }
  const held = yield* tool(service, Booked, "create_booking", {
    option_id: option.option_id,
    contact,
    idempotency_key: name
  })
  if (Option.isNone(held)) return count(town, "not booked")
  count(town, "bookings")
  const { booking_id } = held.value.booking
  const paying = yield* tool(service, Paying, "create_payment_session", { booking_id, idempotency_key: name })
  if (Option.isNone(paying)) return count(town, "no page")
  const session = paying.value.payment_session.url.split("/").at(-1) ?? ""
  if (chance.once(8)) return count(town, "not paid")
  const later = chance.once(6)
  if ((yield* provider.say("pay", { session, as: later ? "later" : "now" })) !== true) return count(town, "page closed")
  count(town, later ? "paid later" : "paid")
  if (later) {
    const as = chance.once(3) ? "failed" : "succeeded"
    yield* Effect.sleep(chance.below(600))
    yield* provider.say("decidePayment", { session, as })
    if (as === "failed") return
  }
  if (chance.once(3)) yield* Effect.ignore(tool(service, Unknown, "get_booking", { booking_id }))
  if (!chance.once(2)) return
  yield* Effect.sleep(chance.below(800))
  yield* cancel(town, booking_id, session, option.price.due_now)
})

/** The process dies, and another begins on its data. */
export const kill = Effect.fnUntraced(function* (town: Town) {
  yield* town.service.stop("SIGKILL")
  count(town, "kills")
  // A command that found no service may have the embedded database for a moment: whoever keeps the service running starts it again.
  yield* town.service.start.pipe(
    Effect.catchCause((cause) =>
      Cause.pretty(cause).includes("Another process uses the embedded database")
        ? Effect.fail("taken" as const)
        : Effect.failCause(cause)
    ),
    Effect.tapError(() => Effect.sync(() => count(town, "starts refused"))),
    Effect.retry({ times: 20, schedule: Schedule.spaced("500 millis") }),
    Effect.orDie
  )
})

/** Waits for a moment in the middle of things: so many calls and events later, however fast the machine is. */
const untilBusy = Effect.fnUntraced(function* ({ chance, provider }: Town) {
  const busyness = Effect.map(provider.record, ({ calls, events }) => calls + (events["delivered"] ?? 0))
  const enough = (yield* busyness) + chance.below(25)
  for (let tries = 0; tries < 600 && (yield* busyness) < enough; tries++) yield* Effect.sleep("25 millis")
  yield* Effect.sleep(chance.below(60))
})

/** What befalls operators' accounts, and is put right later. */
const trouble = Effect.fnUntraced(function* ({ accounts, chance, provider, troubled }: Town) {
  if (chance.once(3)) {
    const account = accounts[chance.below(accounts.length)] ?? ""
    troubled.add(account)
    yield* chance.once(2)
      ? provider.say("access", { account, now: false })
      : provider.say("poor", { account, now: true })
  }
  yield* provider.say("slowRefunds", { now: chance.once(4) })
})

export const round = Effect.fnUntraced(function* (town: Town, number: number, families: number) {
  const { chance, provider } = town
  yield* provider.say("faults", { calls: 7, events: 5 })
  const killing = Effect.andThen(untilBusy(town), kill(town))
  yield* Effect.all(
    [
      Effect.forEach(
        Array.from({ length: families }, (_, i) => `r${number}-${i}`),
        (name) => family(town, name),
        { concurrency: "unbounded" }
      ),
      killing,
      Effect.andThen(Effect.sleep(chance.below(1500)), trouble(town))
    ],
    { concurrency: 3 }
  )
  if (chance.once(2)) {
    yield* Effect.sleep(chance.below(300))
    yield* kill(town)
  }
})
