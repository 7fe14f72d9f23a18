/**
 * Families who book several dates by one call and pay them by one page, with a payment provider outside the process:
 * calls and events fail in all the ways of a network, clocks are wrong, processes are killed, one of the bookings is
 * paid by itself or cancelled meanwhile. At the end the provider's own record of each payment is compared with what its
 * bookings have kept. On a server (`TEST_DATABASE_URL`) the service has two nodes.
 *
 *     ROUNDS=12 ROUNDS_FAMILIES=30 ROUNDS_SEED=7 npx vitest run test/journeys/OutsideOrders.test.ts
 */
import { assert, it } from "@effect/vitest"
import { Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { decodeRows } from "../../src/platform/database/Rows.ts"
import { Booked, Options } from "../support/McpRequests.ts"
import { hasFailed, type ProviderRecord } from "../support/outsideProvider/ProviderRecord.ts"
import { killService, passTime, payPage, stepClocks, untilBusy } from "../support/outsideProvider/Round.ts"
import {
  byAnyNode,
  callTool,
  count,
  readDatabase,
  type RoundWorld,
  startRoundWorld
} from "../support/outsideProvider/RoundWorld.ts"

const numberFrom = (name: string, otherwise: number) => Number(process.env[name] || otherwise)
const rounds = numberFrom("ROUNDS", 1)
const seed = numberFrom("ROUNDS_SEED", 20_261_130)
const families = numberFrom("ROUNDS_FAMILIES", 5)
const verbose = process.env["ROUNDS_VERBOSE"] !== undefined

const Order = Schema.Struct({
  booking: Schema.Struct({
    booking_id: Schema.String,
    booked_together: Schema.optionalKey(Schema.Array(Schema.Struct({ booking_id: Schema.String })))
  })
})

const runFamily = Effect.fnUntraced(function* (everywhere: RoundWorld, name: string) {
  const world = byAnyNode(everywhere)
  const { chance, provider, service } = world
  const { now } = yield* provider.record
  const playroom_id = world.playrooms[chance.below(world.playrooms.length)]
  const chosen = new Map<string, string>()
  for (let tries = 0; tries < 12 && chosen.size < 3; tries++) {
    const date = new Date(now + (3 + chance.below(40)) * 86_400_000).toISOString().slice(0, 10)
    const asked = { playroom_id, date, children: 4 + chance.below(4), limit: 100 }
    const found = yield* callTool(service, Options, "get_booking_options", asked)
    const priced = Option.isNone(found) ? [] : found.value.options.filter(({ price }) => price.due_now > 0)
    const option = priced[chance.below(Math.max(1, priced.length))]
    if (option !== undefined) chosen.set(date, option.option_id)
  }
  const [option_id, ...more_option_ids] = chosen.values()
  if (option_id === undefined || more_option_ids.length === 0) return count(world, "no offer")
  const contact = { name: "Ana Lima", email: `${name}@example.com` }
  const asked = { option_id, more_option_ids, book_rest: true, contact, idempotency_key: name }
  const made = yield* callTool(service, Order, "create_booking", asked)
  if (Option.isNone(made)) return count(world, "not booked")
  const { booked_together = [], booking_id } = made.value.booking
  count(world, "bookings", 1 + booked_together.length)
  const other = booked_together[0]?.booking_id
  const cancels = (id: string) =>
    Effect.map(service.playroomProcess("booking", "cancel", id, "--refund", "full", "--reason", "round"), ({ code }) =>
      count(world, code === 0 ? "cancelled" : "not cancelled")
    )
  if (other !== undefined && chance.once(4)) yield* payPage(world, { booking_id: other }, "one alone")
  const page = payPage(world, { booking_id, purpose: "order" }, "order")
  if (other !== undefined && chance.once(4)) yield* Effect.all([page, cancels(other)], { concurrency: 2 })
  else yield* page
  yield* Effect.ignore(callTool(service, Booked, "get_booking", { booking_id }))
  if (chance.once(3)) yield* cancels(booking_id)
})

const Rows = {
  sales: decodeRows(
    Schema.Array(
      Schema.Struct({
        page: Schema.NullOr(Schema.String),
        status: Schema.String,
        flagged: Schema.NullOr(Schema.String),
        kept: Schema.Int,
        left: Schema.Int
      })
    )
  ),
  bookings: decodeRows(
    Schema.Array(
      Schema.Struct({
        booking_id: Schema.String,
        status: Schema.String,
        due_now: Schema.Int,
        kept: Schema.Int,
        placed: Schema.Boolean,
        pages: Schema.Array(Schema.NullOr(Schema.String)),
        together: Schema.Int
      })
    )
  )
}
/** What the service's database has of sales and bookings. `kept`: paid, and not gone back. */
const databaseRecord = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return {
    sales: yield* Rows.sales(sql`select s.provider_session_id as page, s.status, s.flagged,
        coalesce((select sum(p.amount - p.refunded) from payment_session p where p.voucher_id = s.voucher_id
          and p.status = 'paid'), 0)::int as kept,
        coalesce((select v.amount from voucher v where v.voucher_id = s.voucher_id), 0)
          - coalesce((select sum(p.amount - p.refunded) from payment_session p where p.voucher_id = s.voucher_id
            and p.status = 'paid'), 0)::int
          - coalesce((select sum(r.amount) from voucher_refund r where r.voucher_id = s.voucher_id
            and r.status in ('pending', 'succeeded')), 0)::int as left
      from voucher_sale s`),
    bookings: yield* Rows.bookings(sql`select b.booking_id, b.status, b.due_now, b.paid - b.refunded as kept,
        exists (select from occupancy o where o.booking_id = b.booking_id) as placed,
        array(select p.provider_session_id from payment_session p where p.booking_id = b.booking_id
          and p.provider_session_id is not null) as pages,
        coalesce((select sum(p.amount - p.refunded) from payment_session p where p.booking_id = b.booking_id
          and p.together), 0)::int as together
      from booking b`)
  }
})

/** A sentence for each thing that is wrong. It shares no code with the service. */
const judge = (
  { refunds, sessions }: ProviderRecord,
  { bookings, sales }: Effect.Success<typeof databaseRecord>
): ReadonlyArray<string> => {
  const wrong: Array<string> = []
  const keptOf = ({ amount, payment_intent, payment_status }: ProviderRecord["sessions"][number]): number =>
    payment_status === "paid" && payment_intent !== null
      ? amount -
        refunds
          .filter((one) => one.payment_intent === payment_intent && !hasFailed(one))
          .reduce((sum, one) => sum + one.amount, 0)
      : 0
  for (const session of sessions) {
    const kept = keptOf(session)
    if (kept < 0) wrong.push(`${session.id}: more went back than was paid`)
    const sale = sales.find(({ page }) => page === session.id)
    const alone = bookings.find(({ pages }) => pages.includes(session.id))
    if (sale === undefined && alone === undefined) {
      if (session.payment_status === "paid") wrong.push(`${session.id} is paid, and nothing here has it`)
      continue
    }
    if (sale === undefined) continue
    const about = `order ${session.id} (${sale.status})`
    if (sale.flagged !== null) wrong.push(`${about} needs a person: ${sale.flagged}`)
    if (kept !== sale.kept) wrong.push(`${about}: ${kept} is kept at the provider, its bookings have ${sale.kept}`)
    if (sale.left !== 0) wrong.push(`${about}: ${sale.left} is left`)
  }
  for (const { booking_id, due_now, kept, pages, placed, status, together } of bookings) {
    const alone = sessions.filter(({ id }) => pages.includes(id)).reduce((sum, one) => sum + keptOf(one), 0)
    const about = `${booking_id} (${status})`
    if (kept !== alone + together)
      wrong.push(`${about} has kept ${kept}, of its own pages ${alone}, of orders ${together}`)
    if (status === "confirmed" && kept < due_now) wrong.push(`${about} is confirmed with ${kept} of ${due_now}`)
    if (status !== "confirmed" && kept !== 0) wrong.push(`${about} keeps ${kept}`)
    if (status === "held") wrong.push(`${about} is held after all`)
    if (placed !== (status === "confirmed")) wrong.push(`${about}: its places`)
  }
  return wrong
}

/** The faults end, and time passes until nothing is wrong; answers what stays so. */
const settle = Effect.fnUntraced(function* (world: RoundWorld) {
  const { provider, service } = world
  yield* provider.control("faults", {})
  yield* stepClocks(world, false)
  return yield* passTime(world, () => Effect.zipWith(provider.record, readDatabase(service, databaseRecord), judge))
})

it.live(
  `accounts for every penny of orders through kills and a failing provider (rounds: ${rounds})`,
  () =>
    Effect.gen(function* () {
      const world = yield* startRoundWorld(seed)
      const { chance, nodes, provider } = world
      let wrong: ReadonlyArray<string> = []
      for (let round = 0; round < rounds && wrong.length === 0; round++) {
        yield* stepClocks(world)
        yield* provider.control("faults", { calls: 7, events: 5 })
        yield* Effect.all(
          [
            Effect.forEach(
              Array.from({ length: families }, (_, i) => `o${round}-${i}`),
              (name) => runFamily(world, name),
              { concurrency: "unbounded" }
            ),
            Effect.andThen(untilBusy(world), killService({ ...world, service: chance.one(nodes) })),
            Effect.andThen(Effect.andThen(untilBusy(world), untilBusy(world)), stepClocks(world))
          ],
          { concurrency: "unbounded" }
        )
        wrong = yield* settle(world)
        if (verbose) console.log(round, JSON.stringify(Object.fromEntries(world.counts)), wrong)
      }
      const told = JSON.stringify(Object.fromEntries(world.counts))
      assert.deepStrictEqual(wrong, [], told)
      assert.isAbove(world.counts.get("kills") ?? 0, 0)
      // In one round it may be that none of them was paid.
      const pages = ["order paid", "order paid later", "order not paid", "page closed"]
      assert.isAbove(
        pages.reduce((sum, what) => sum + (world.counts.get(what) ?? 0), 0),
        0,
        told
      )
    }).pipe(Effect.scoped),
  rounds * (90_000 + families * 6_000) + 60_000
)
