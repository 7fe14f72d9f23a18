/** One round: families book and pay, operators cancel, the provider and the network fail, and the process is killed. */
import { Effect, Option, Schedule } from "effect"
import { databaseRecord, settledByDashboard } from "./Judge.ts"
import { callTool, count, type PaidBooking, readDatabase, type RoundWorld, Unknown } from "./RoundWorld.ts"
import { Booked, Options, Paying } from "../ToolAnswers.ts"
import { operatorCancels } from "./OperatorCancels.ts"

/** Pays on a page, at once or with a delayed method; answers the provider's session where the money arrives. */
export const payPage = Effect.fnUntraced(function* (world: RoundWorld, args: Record<string, unknown>, what: string) {
  const { chance, provider, service } = world
  const paying = yield* callTool(service, Paying, "create_payment_session", args)
  if (Option.isNone(paying)) return count(world, `no page for ${what}`)
  const session = paying.value.payment_session.url.split("/").at(-1) ?? ""
  if (chance.once(8)) return count(world, `${what} not paid`)
  const later = chance.once(6)
  const outcome = !later ? "pay" : chance.once(3) ? "pay_later_fails" : "pay_later_succeeds"
  // The page may offer the payer's own currency; the operator gets the amount that was asked all the same.
  const presented = chance.once(3)
    ? { currency: chance.one(["usd", "jpy"]), amount: 100 + chance.below(90_000) }
    : undefined
  if ((yield* provider.control("pay", { session, outcome, presented })) !== true) return count(world, "page closed")
  count(world, `${what} ${later ? "paid later" : "paid"}`)
  // The sandbox's bank takes two seconds.
  if (later) yield* Effect.sleep(1800 + chance.below(600))
  return outcome === "pay_later_fails" ? undefined : session
})

/** Waits until the service knows that the booking is paid: by its event, or because the provider is asked. */
const confirmed = (world: RoundWorld, booking_id: string) =>
  callTool(world.service, Booked, "get_booking", { booking_id }).pipe(
    Effect.map((seen) => Option.isSome(seen) && seen.value.booking.status === "confirmed"),
    Effect.repeat({ until: (is) => is, times: 8, schedule: Schedule.spaced("1 second") })
  )

/** A family books, and pays or not; sometimes the balance too. A paid booking may be cancelled soon, or in a later round. */
const runFamily = Effect.fnUntraced(function* (world: RoundWorld, name: string) {
  const { chance, provider, service, uncancelled } = world
  const now = (yield* provider.record).now
  let option: (typeof Options.Type)["options"][number] | undefined
  // Not every day has something that costs money.
  for (let tries = 0; tries < 6 && option === undefined; tries++) {
    const date = new Date(now + (3 + chance.below(40)) * 86_400_000).toISOString().slice(0, 10)
    const playroom_id = world.playrooms[chance.below(world.playrooms.length)]
    const asked = { playroom_id, date, children: 4 + chance.below(4), limit: 100 }
    const found = yield* callTool(service, Options, "get_booking_options", asked)
    const priced = Option.isNone(found) ? [] : found.value.options.filter(({ price }) => price.due_now > 0)
    const split = priced.filter(({ price }) => (price.balance_due ?? 0) > 0)
    const liked = split.length > 0 && chance.once(2) ? split : priced
    option = liked[chance.below(Math.max(1, liked.length))]
  }
  if (option === undefined) return count(world, "no offer")
  const { balance_due = 0, due_now } = option.price
  const contact = { name: "Ana Lima", email: `${name}@example.com` }
  const held = yield* callTool(service, Booked, "create_booking", {
    option_id: option.option_id,
    contact,
    idempotency_key: name
  })
  if (Option.isNone(held)) return count(world, "not booked")
  count(world, "bookings")
  const { booking_id } = held.value.booking
  const first = yield* payPage(world, { booking_id, idempotency_key: name }, "booking")
  if (first === undefined) return
  const payments: [PaidBooking["payments"][0], ...Array<PaidBooking["payments"][0]>] = [
    { session: first, amount: due_now }
  ]
  if (balance_due > 0 && (yield* confirmed(world, booking_id))) {
    const args = { booking_id, purpose: "balance", idempotency_key: `${name}-balance` }
    const second = yield* payPage(world, args, "balance")
    if (second !== undefined) payments.push({ session: second, amount: balance_due })
  } else if (chance.once(3)) yield* Effect.ignore(callTool(service, Unknown, "get_booking", { booking_id }))
  const { sessions } = yield* provider.record
  const currency = sessions.find(({ id }) => id === first)?.currency.toUpperCase() ?? ""
  const paid = { booking_id, currency, payments }
  if (!chance.once(2)) return void uncancelled.push(paid)
  yield* Effect.sleep(chance.below(800))
  yield* operatorCancels(world, paid)
})

/**
 * Kills the process and starts another on its data. A command that runs in between has the embedded database for itself for a moment:
 * the start is repeated, as a supervisor does.
 */
export const killService = Effect.fnUntraced(function* (world: RoundWorld) {
  yield* world.service.stop("SIGKILL")
  count(world, "kills")
  yield* world.service.start.pipe(
    Effect.catchDefect(Effect.fail),
    Effect.retry({ times: 20, schedule: Schedule.spaced("1 second") }),
    Effect.orDie
  )
})

/** Waits for a moment in the middle of things: so many calls and events later, however fast the machine is. */
const untilBusy = Effect.fnUntraced(function* ({ chance, provider }: RoundWorld) {
  const busyness = Effect.map(provider.control("busyness"), Number)
  const enough = (yield* busyness) + chance.below(25)
  for (let tries = 0; tries < 600 && (yield* busyness) < enough; tries++) yield* Effect.sleep("25 millis")
  yield* Effect.sleep(chance.below(60))
})

/** Some accounts withdraw our access or have an empty balance; `settleRound` puts that right. */
const troubleAccounts = Effect.fnUntraced(function* ({ accounts, chance, provider, troubled }: RoundWorld) {
  if (chance.once(3)) {
    const account = accounts[chance.below(accounts.length)] ?? ""
    troubled.add(account)
    yield* chance.once(2)
      ? provider.control("access", { account, now: false })
      : provider.control("poor", { account, now: true })
  }
  yield* provider.control("slowRefunds", { now: chance.once(4) })
})

const dayMs = 86_400_000

/** Subscriptions that run out are paid for some days more; once in a while one is not. */
const paySubscriptions = Effect.fnUntraced(function* (world: RoundWorld) {
  const { chance, provider, subscribed } = world
  const { invoices, now } = yield* provider.record
  for (const [customer, first] of subscribed) {
    const ends = invoices.filter((one) => one.customer === customer).map(({ period_end }) => period_end * 1000)
    if (Math.max(first, ...ends) > now + dayMs || chance.once(6)) continue
    yield* provider.control("invoice", { customer, end: Math.floor((now + (4 + chance.below(8)) * dayMs) / 1000) })
    count(world, "invoices")
  }
})

/** The platform's endpoints go from snapshot events over to thin ones in the middle of the round. */
const switchEndpoints = Effect.fnUntraced(function* ({ chance, provider }: RoundWorld) {
  yield* provider.control("endpoints", { kinds: chance.one([["snapshot"], ["snapshot", "thin"], ["thin"]]) })
  yield* Effect.sleep(chance.below(2500))
  yield* provider.control("endpoints", { kinds: chance.one([["thin"], ["thin"], ["snapshot", "thin"]]) })
})

/** A payer disputes a booking that stands, and the operator may lose; disputes lost in earlier rounds are appealed. */
const moveDisputes = Effect.fnUntraced(function* (world: RoundWorld, before: ReadonlyArray<PaidBooking>) {
  const { chance, provider } = world
  if (chance.once(2)) yield* provider.control("appealDisputes")
  const one = before[chance.below(before.length + 2)]
  if (one !== undefined) {
    const { session } = chance.one(one.payments)
    if ((yield* provider.control("dispute", { session })) !== null) count(world, "disputes")
  }
  if (!chance.once(2)) return
  yield* Effect.sleep(chance.below(1500))
  yield* provider.control("decideDisputes")
})

/** Refunds of earlier rounds that failed. */
const failedRefunds = ({ service }: RoundWorld) =>
  Effect.map(readDatabase(service, databaseRecord), ({ refunds }) =>
    refunds.filter(({ failure, status }) => status === "failed" && failure !== settledByDashboard)
  )

/** An operator sends one of the refunds that failed again. */
const sendAgain = Effect.fnUntraced(function* (
  world: RoundWorld,
  failed: ReadonlyArray<{ readonly refund_id: string }>
) {
  const { chance, service } = world
  const one = failed[chance.below(failed.length + 1)]
  if (one === undefined) return
  const { code } = yield* service.playroomProcess("doctor", "--revive", one.refund_id)
  count(world, code === 0 ? "refunds sent again" : "refunds not sent again")
})

/** Of the paid bookings of earlier rounds, one is cancelled, and another is refunded in part in the dashboard. */
const cancelEarlierBooking = Effect.fnUntraced(function* (world: RoundWorld, before: ReadonlyArray<PaidBooking>) {
  const { chance, provider, uncancelled } = world
  const [one, other] = [before[chance.below(before.length + 1)], before[chance.below(before.length + 1)]]
  if (other !== undefined && chance.once(2)) {
    const { amount, session } = chance.one(other.payments)
    const back = yield* provider.control("refund", { session, amount: 1 + chance.below(amount) })
    if (back !== 0) count(world, "dashboard refunds")
  }
  if (one === undefined) return
  uncancelled.splice(uncancelled.indexOf(one), 1)
  yield* operatorCancels(world, one)
})

/** Runs one round with so many families at the same time; `number` makes their names unique. */
export const runRound = Effect.fnUntraced(function* (world: RoundWorld, number: number, families: number) {
  const { chance, provider } = world
  yield* provider.control("faults", { calls: 7, events: 5 })
  const failed = number === 0 ? [] : yield* failedRefunds(world)
  const killing = Effect.andThen(untilBusy(world), killService(world))
  yield* Effect.all(
    [
      Effect.forEach(
        Array.from({ length: families }, (_, i) => `r${number}-${i}`),
        (name) => runFamily(world, name),
        { concurrency: "unbounded" }
      ),
      killing,
      Effect.andThen(Effect.sleep(chance.below(1500)), troubleAccounts(world)),
      Effect.andThen(Effect.sleep(chance.below(1500)), paySubscriptions(world)),
      cancelEarlierBooking(world, [...world.uncancelled]),
      switchEndpoints(world),
      Effect.andThen(Effect.sleep(chance.below(1500)), moveDisputes(world, [...world.uncancelled])),
      sendAgain(world, failed)
    ],
    { concurrency: "unbounded" }
  )
  if (chance.once(2)) {
    yield* Effect.sleep(chance.below(300))
    yield* killService(world)
  }
})
