/**
 * Everything that locks, at once and on two nodes of one database: bookings, several by one call, payments of one and
 * of several, late ones too, moves, parties, cancellations, payments at the venue that are taken and undone, amounts that go back, marks,
 * closures, other calendars, imports that give rooms and stock other sizes, holds that lapse, refunds. Nobody waits for
 * another in a circle, nothing breaks, and what is stored is sound.
 *
 *     LOCKS_SECONDS=240 LOCKS_SEED=1 TEST_DATABASE_URL=… npx vitest run test/domain/booking/LockStress
 *
 * goes on for so long, and tells who waited longest for whom; with LOCKS_NODES=1 on one node.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { Cause, Clock, type Context, Effect, Exit, Layer, Option, type Redacted, Stream } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, SqlError } from "effect/sql"
import * as fc from "fast-check"
import { Audit } from "../../../src/ops/audit/Audit.ts"
import { BookingOptions } from "../../../src/domain/availability/BookingOptions.ts"
import { BookingList } from "../../../src/domain/booking/BookingList.ts"
import { Bookings } from "../../../src/domain/booking/Bookings.ts"
import { Claims } from "../../../src/domain/booking/Claims.ts"
import { makeVenueClosures } from "../../../src/domain/booking/VenueClosures.ts"
import { CalendarFeeds } from "../../../src/domain/calendars/CalendarFeeds.ts"
import { boundedClient } from "../../../src/platform/database/Database.ts"
import { countTransactions } from "../../../src/platform/database/Transactions.ts"
import { AddOnId, BookingId, OperatorId, PackageId, PlayroomId, RefundId } from "../../../src/platform/ids/Ids.ts"
import { dayMs, hourMs, type Instant, localDateOf } from "../../../src/platform/time/LocalTime.ts"
import { isLockTimeout } from "../../../src/platform/errors/InvalidArguments.ts"
import { changeVisit, cancelAsOperator } from "../../support/Acts.ts"
import { BookingChanges, type How } from "../../../src/domain/payment/changes/BookingChanges.ts"
import { goodwill } from "../../../src/domain/payment/changes/RefundDecision.ts"
import { giveBackByHand, markAttendance } from "../../../src/domain/payment/changes/Presses.ts"
import { undoPayment, payAtVenue } from "../../../src/domain/payment/changes/VenuePayments.ts"
import { affectedBookings } from "../../../src/domain/payment/changes/AffectedBookings.ts"
import { Checkout } from "../../../src/domain/payment/checkout/Checkout.ts"
import { WebhookInbox } from "../../../src/domain/payment/events/WebhookInbox.ts"
import { paymentServices } from "../../../src/domain/payment/PaymentLayers.ts"
import { Reconciliation } from "../../../src/domain/payment/workers/Reconciliation.ts"
import { bookingServices, contact, principal } from "../../support/BookingWorld.ts"
import { catalogueJson, idOf, importJson, operatorJson, packageJson, playroomJson } from "../../support/catalogues.ts"
import { deliverEvent, runProviderTasks } from "../../support/PaymentWorld.ts"
import { sessionEvent } from "../../support/providerEvents.ts"
import { ScriptedGateway, scriptedGateway } from "../../support/ScriptedGateway.ts"
import { copiedDatabase, serverUrl } from "../../support/TestDatabase.ts"

const numberFrom = (name: string) => (process.env[name] ? Number(process.env[name]) : undefined)
const seconds = numberFrom("LOCKS_SECONDS")
const seed = numberFrom("LOCKS_SEED") ?? 1
const isOneNode = numberFrom("LOCKS_NODES") === 1
/** Of one round. */
const steps = 160
/** So much is under way at once, on both nodes together. */
const atOnce = 14

const operator_id = idOf("operator", 1)
const rooms = [1, 2, 3]
const machine = (n: number) => AddOnId.make(idOf("addon", n))
const castle = (n: number) => AddOnId.make(idOf("addon", 10 + n))

/**
 * Three rooms of one operator, each with machines of its own and castles that all share. Without a number there are
 * always enough.
 */
const catalogue = ({
  capacity,
  castles,
  counted,
  machines
}: Record<"capacity" | "castles", number> & {
  readonly counted: boolean
  readonly machines: number | undefined
}) =>
  catalogueJson(
    rooms.map((n) => {
      const extra = { unit: "per_item" as const, unit_amount: 500, max_quantity: 2 }
      return playroomJson(n, {
        capacity,
        calendars: [{ name: "Phone", url: `https://calendar.example.test/${n}.ics` }],
        packages: [
          packageJson(n, { max_children: 6 }),
          packageJson(10 + n, {
            mode: "exclusive",
            duration_minutes: 120,
            setup_minutes: 15,
            cleanup_minutes: 15,
            max_children: 6
          }),
          packageJson(20 + n, {
            max_children: 6,
            pricing: { base: 0, included_children: 0, extra_child: 0, adult: 0, rules: [] }
          })
        ],
        add_ons: [
          {
            ...extra,
            add_on_id: machine(n),
            name: "Bubble machine",
            ...(machines === undefined ? {} : { stock: machines })
          },
          { ...extra, add_on_id: castle(n), name: "Castle", ...(counted ? { uses: "castles" } : {}) }
        ]
      })
    }),
    [operatorJson(1, { stock: [{ slug: "castles", units: castles }] })]
  )
const largest = catalogue({ capacity: 200, castles: 200, counted: true, machines: 200 })

const kinds = [
  "book",
  "book",
  "book",
  "book",
  "order",
  "order",
  "pay",
  "pay",
  "pay",
  "late",
  "late",
  "payAll",
  "payAll",
  "payAll",
  "payAll",
  "lateAll",
  "lateAll",
  "lateAll",
  "lateAll",
  "move",
  "move",
  "party",
  "cancel",
  "close",
  "reopen",
  "calendar",
  "sizes",
  "lapse",
  "closed",
  "take",
  "unpay",
  "back",
  "byHand",
  "mark",
  "tasks",
  "reconcile"
] as const
const n = fc.nat({ max: 1_000_000 })
const stepsOf = (round: number) =>
  fc.sample(fc.record({ kind: fc.constantFrom(...kinds), node: fc.nat({ max: 1 }), a: n, b: n, c: n }), {
    seed: seed * 1000 + round,
    numRuns: steps
  })
type Step = ReturnType<typeof stepsOf>[number]

/** What the steps know of each other. */
class Seen {
  readonly bookings: Array<string> = []
  readonly closures: Array<string> = []
  readonly counts = new Map<string, number>()
  count(what: string) {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1)
  }
}

const byAnn: How = {
  preview: false,
  who: { as: "staff", name: "Ann", operator_id: OperatorId.make(operator_id), role: "manager" }
}

const nth = <A>(all: ReadonlyArray<A>, i: number): A | undefined => all[i % all.length]
/** One of the two days on which everything happens. */
const dayOf = (now: Instant, i: number) => localDateOf("Europe/London", now + (10 + (i % 2)) * dayMs)

const optionAt = Effect.fnUntraced(function* ({ a, b, c }: Step) {
  const room = nth(rooms, a) ?? 1
  const { options } = yield* BookingOptions.use((service) =>
    service.list({
      playroom_id: PlayroomId.make(idOf("playroom", room)),
      package_id: PackageId.make(idOf("package", room + 10 * (b % 3))),
      date: dayOf(Date.now(), b),
      children: 1 + (c % 5),
      add_ons: [machine(room), castle(room)].flatMap((add_on_id, i) => {
        const quantity = (c >> i) % 3
        return quantity === 0 ? [] : [{ add_on_id, quantity }]
      }),
      limit: 100
    })
  )
  return nth(options, c)?.option_id
})

const perform = Effect.fnUntraced(function* (seen: Seen, step: Step) {
  const sql = yield* SqlClient.SqlClient
  const provider = yield* ScriptedGateway
  const { a, b, c, kind } = step
  const now = yield* Clock.currentTimeMillis
  const booking = nth(seen.bookings.slice(-60), a)
  const pays = Effect.fnUntraced(function* (provider_id: string) {
    yield* deliverEvent("connected", sessionEvent("checkout.session.completed", provider.act(provider_id, "pay")))
    yield* WebhookInbox.use((inbox) => inbox.applyDue())
  })
  const pageOf = Effect.fnUntraced(function* (booking_id: string) {
    yield* Checkout.use((checkout) => checkout.createSession(principal(), { booking_id: BookingId.make(booking_id) }))
    const [row] = yield* sql<{
      readonly provider_session_id: string | null
    }>`select provider_session_id from payment_session
      where booking_id = ${booking_id} order by created_at desc limit 1`
    return row?.provider_session_id ?? undefined
  })
  const lapse = (booking_id: string) =>
    sql`update booking set hold_expires_at = ${new Date(now - 1)} where booking_id = ${booking_id} and status = 'held'`
  const booksSeveral = Effect.gen(function* () {
    // Rooms and days from this side or from that.
    const wishes = [0, 1, 2, 3].map((i) => ({ ...step, a: a + i, b: b + i, c: c + i * 7 }))
    const found = yield* Effect.forEach(c % 2 === 0 ? wishes : wishes.toReversed(), optionAt)
    const [option_id, ...more_option_ids] = new Set(found.flatMap((one) => one ?? []))
    if (option_id === undefined) return []
    const { made } = yield* Bookings.use((bookings) =>
      bookings.createOrder(principal(), {
        option_id,
        more_option_ids,
        contact: contact(`p${c % 50}`),
        another: true,
        idempotency_key: `${now} ${a} ${b} ${c}`,
        book_rest: c % 3 === 0
      })
    )
    const ids = made.map(({ row }) => row.booking_id)
    seen.bookings.push(...ids)
    return ids
  })
  switch (kind) {
    case "book": {
      const option_id = yield* optionAt(step)
      if (option_id === undefined) return
      const { row } = yield* Bookings.use((bookings) =>
        bookings.create(principal(), { option_id, contact: contact(`p${c % 50}`), another: true })
      )
      seen.bookings.push(row.booking_id)
      return
    }
    case "order":
      yield* booksSeveral
      return
    case "pay": {
      const page = booking === undefined ? undefined : yield* pageOf(booking)
      if (page !== undefined) yield* pays(page)
      return
    }
    case "late": {
      if (booking === undefined) return
      const page = yield* pageOf(booking)
      if (page === undefined) return
      // We think that the page is closed, and it is not.
      yield* sql`update payment_session set status = 'expired' where booking_id = ${booking} and status = 'open'`
      yield* lapse(booking)
      yield* Claims.use((claims) => claims.releaseLapsed([booking]))
      yield* pays(page)
      return
    }
    case "payAll":
    case "lateAll": {
      const [one] = yield* booksSeveral
      if (one === undefined) return
      const { payment_session_id } = yield* Checkout.use((checkout) =>
        checkout.createForOrder(principal(), { booking_id: one })
      )
      const [page] = yield* sql<{ readonly id: string | null; readonly parts: ReadonlyArray<string> }>`
        select provider_session_id as id, array(select p->>'booking_id' from jsonb_array_elements(parts) p) as parts
        from voucher_sale where payment_session_id = ${payment_session_id}`
      // All but one were paid or cancelled meanwhile, and that has a page of its own.
      if (page?.id == null) return
      if (kind === "lateAll") {
        // Some are released, and some have lapsed alone.
        yield* Effect.forEach(page.parts, lapse, { discard: true })
        yield* Claims.use((claims) => claims.releaseLapsed(page.parts.slice(b % 2)))
      }
      yield* pays(page.id)
      seen.count("orders: paid")
      return
    }
    case "move": {
      const option_id = yield* optionAt({ ...step, a: b })
      if (option_id === undefined || booking === undefined) return
      yield* changeVisit(booking, { by: "operator", option_id, preview: false, reason: "Asked" })
      return
    }
    case "party": {
      if (booking === undefined) return
      const party = { children: 1 + (b % 6), adults: 0 }
      yield* changeVisit(booking, { by: "operator", party, preview: false, reason: "Asked" })
      return
    }
    case "cancel":
      if (booking !== undefined)
        yield* cancelAsOperator(booking, { preview: false, refund: b % 2 === 0 ? "terms" : "full" })
      return
    case "close": {
      const from = dayOf(now, b)
      const hour = 9 + (c % 7)
      const at = (hours: number) => `${String(hours).padStart(2, "0")}:00`
      const closed = yield* Effect.flatMap(makeVenueClosures, (closures) =>
        closures.close(
          {
            operator_id,
            ...(a % 3 === 0 ? {} : { playroom_id: idOf("playroom", nth(rooms, a) ?? 1) }),
            times: { from, to: from, starts: at(hour), ends: at(hour + 1) },
            reason: "A pipe broke"
          },
          { who: "Ann" }
        )
      )
      seen.closures.push(...closed.made)
      return
    }
    case "reopen": {
      const closure_id = nth(seen.closures, a)
      if (closure_id !== undefined)
        yield* Effect.flatMap(makeVenueClosures, (closures) => closures.lift({ closure_id }, "Bo"))
      return
    }
    case "calendar": {
      const feeds = yield* CalendarFeeds
      // Due again at once.
      const due = yield* feeds.takeDue(now + hourMs, now, 2)
      const busy = (i: number) => {
        const start = Date.parse(`${dayOf(now, b + i)}T${String(9 + (c % 7)).padStart(2, "0")}:00Z`)
        return { start, end: start + hourMs }
      }
      yield* Effect.forEach(due, (feed, i) =>
        feeds.store(
          feed,
          {
            kind: "read",
            busy: a % 3 === 0 ? [] : [busy(i)],
            unread: [],
            digest: String(a).padStart(8, "0"),
            etag: undefined,
            last_modified: undefined,
            read_until: now + 300 * dayMs
          },
          now
        )
      )
      return
    }
    case "sizes":
      yield* importJson(
        catalogue({
          capacity: 6 + (a % 12),
          castles: 2 + (b % 4),
          counted: b % 3 > 0,
          machines: c % 5 === 0 ? undefined : 1 + (c % 5)
        }),
        { force: true }
      )
      return
    case "lapse":
      for (const one of seen.bookings.slice(-60).filter((_, i) => i % 5 === b % 5)) yield* lapse(one)
      return
    case "closed": {
      const list = yield* BookingList
      const through = yield* list.committedThrough
      const { of, resolve } = yield* affectedBookings
      const who = { as: "operator", name: "Ann" } as const
      yield* resolve(Stream.take(of({ operator_id }), 3), () => ({ action: "cancel" }), { through, who }).pipe(
        Stream.runForEach((one) => (one.outcome === "failed" ? Effect.failCause(one.cause) : Effect.void))
      )
      return
    }
    case "take": {
      if (booking === undefined) return
      const [row] = yield* sql<{ readonly owed: number }>`
        select greatest(total - paid, 1) as owed from booking where booking_id = ${booking}`
      const wish = { amount: row?.owed ?? 1, way: "cash" } as const
      yield* BookingChanges.use(({ run }) => run(payAtVenue, booking, wish, byAnn))
      return
    }
    case "unpay": {
      const [row] = yield* sql<{ readonly booking_id: string; readonly payment: string }>`
        select booking_id, payment_session_id as payment from payment_session where way <> 'link' and status = 'paid'
        order by created_at desc offset ${b % 3} limit 1`
      if (row === undefined) return
      const { booking_id, payment } = row
      yield* BookingChanges.use(({ run }) => run(undoPayment, booking_id, { payment }, byAnn))
      return
    }
    case "back":
      if (booking !== undefined)
        yield* BookingChanges.use(({ run }) => run(goodwill, booking, { amount: 1 + (b % 500), reason: "Late" }, byAnn))
      return
    case "byHand": {
      const [row] = yield* sql<{ readonly booking_id: string; readonly refund: string }>`
        select booking_id, refund_id as refund from refund where waits_for = 'venue' order by created_at limit 1`
      if (row === undefined) return
      const wish = { refund: RefundId.make(row.refund), way: "cash" } as const
      yield* BookingChanges.use(({ run }) => run(giveBackByHand, row.booking_id, wish, byAnn))
      return
    }
    case "mark":
      if (booking !== undefined) {
        const wish = { mark: "arrived", undo: b % 2 === 0 } as const
        yield* BookingChanges.use(({ run }) => run(markAttendance, booking, wish, byAnn))
      }
      return
    case "tasks":
      yield* runProviderTasks
      return
    case "reconcile":
      yield* Reconciliation.use(({ runOnce }) => runOnce)
      return
  }
})

const limits = { maxHoldsPerKey: 100_000, maxHoldsPerEmail: 100_000 }
/** A node: services and connections of its own, as in production. The provider is the same for all. */
const node = (address: Redacted.Redacted, provider: Context.Context<Layer.Success<typeof scriptedGateway>>) =>
  Layer.merge(paymentServices, Audit.layer).pipe(
    Layer.provideMerge(Layer.succeedContext(provider)),
    Layer.provideMerge(bookingServices(limits)),
    Layer.provideMerge(
      PgClient.layerFrom(Effect.map(boundedClient(address), (client) => countTransactions(client, 10)))
    )
  )

/** What callers are told to try again: a lock, or several for one statement, took too long. */
const waitedTooLong = (error: unknown): boolean =>
  isLockTimeout(error) || (SqlError.isSqlError(error) && error.reason._tag === "StatementTimeoutError")

interface Wait {
  readonly waits: string
  readonly for: string
  readonly ms: number
}
/** Who waits for whom at this moment. That imports wait for each other is no news. */
const waiting = (sql: SqlClient.SqlClient) => sql<Wait>`
  select regexp_replace(left(w.query, 200), '\\s+', ' ', 'g') as waits,
    b.state || ' since ' || round(extract(epoch from clock_timestamp() - b.xact_start) * 1000) || ' ms, waiting for '
      || coalesce(b.wait_event, 'nothing') || ': ' || regexp_replace(left(b.query, 200), '\\s+', ' ', 'g') as for,
    (extract(epoch from clock_timestamp() - w.query_start) * 1000)::int as ms
  from pg_stat_activity w cross join lateral unnest(pg_blocking_pids(w.pid)) as p join pg_stat_activity b on b.pid = p
  where w.datname = current_database() and w.wait_event_type = 'Lock' and w.wait_event <> 'advisory'`

/** The longest wait of each statement. */
const longest = (waits: ReadonlyArray<Wait>): ReadonlyArray<Wait> =>
  [...Map.groupBy(waits, (one) => one.waits).values()]
    .flatMap((all) => all.toSorted((a, b) => b.ms - a.ms).slice(0, 1))
    .toSorted((a, b) => b.ms - a.ms)

const stress = Effect.fnUntraced(function* (url: string) {
  const address = yield* copiedDatabase(url)
  const provider = yield* Layer.build(scriptedGateway)
  const nodes = [yield* Layer.build(node(address, provider)), yield* Layer.build(node(address, provider))] as const
  const seen = new Seen()
  const watching = yield* PgClient.make({ url: address, maxConnections: 1 })
  const on = (i: number) => (isOneNode || i === 0 ? nodes[0] : nodes[1])
  yield* Effect.provide(importJson(largest), on(0))
  const waits: Array<Wait> = []
  yield* Effect.forkScoped(
    Effect.forever(
      Effect.andThen(
        Effect.tap(waiting(watching), (found) => Effect.sync(() => waits.push(...found.filter(({ ms }) => ms > 500)))),
        Effect.sleep("100 millis")
      )
    )
  )
  const unexpected: Array<string> = []
  const one = (step: Step) =>
    Effect.exit(Effect.provide(perform(seen, step), on(step.node))).pipe(
      Effect.map((exit) => {
        if (Exit.isSuccess(exit)) return seen.count(`${step.kind}: done`)
        const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
        if (waitedTooLong(error)) return seen.count(`${step.kind}: waited too long for a lock`)
        if (error === undefined || SqlError.isSqlError(error)) {
          unexpected.push(`${step.kind}: ${Cause.pretty(exit.cause)}`)
          return undefined
        }
        return seen.count(`${step.kind}: ${error._tag}`)
      })
    )
  const until = Date.now() + (seconds ?? 0) * 1000
  let rounds = 0
  do {
    rounds += 1
    yield* Effect.forEach(stepsOf(rounds), one, { concurrency: atOnce, discard: true })
  } while (Date.now() < until)
  const [row] = yield* watching<{ readonly deadlocks: number }>`
    select deadlocks::int from pg_stat_database where datname = current_database()`
  if (seconds !== undefined) {
    console.log(`${rounds * steps} steps, ${row?.deadlocks} deadlocks`, seen.counts)
    console.log(longest(waits))
  }
  assert.deepStrictEqual(unexpected, [])
  assert.strictEqual(row?.deadlocks, 0, "the server ended who waited in a circle")
  // With enough for everybody again, nothing is out of order.
  yield* Effect.provide(importJson(largest), on(1))
  // What depends on others' luck may be refused each time.
  for (const kind of [
    "book",
    "pay",
    "payAll",
    "lateAll",
    "take",
    "move",
    "close",
    "calendar",
    "sizes",
    "tasks",
    "reconcile"
  ])
    assert.isAbove(seen.counts.get(`${kind}: done`) ?? 0, 0, `nothing of "${kind}" was done`)
  // In one round it may be that all find their places taken.
  if (rounds > 5) assert.isAbove(seen.counts.get("orders: paid") ?? 0, 0, "no order was paid")
  const found = yield* Effect.provide(
    Audit.use(({ books, rows }) => Effect.all([rows, books])),
    on(0)
  )
  assert.deepStrictEqual(found.flat(), [])
})

if (serverUrl === undefined)
  it.skip("locks, everything at once (needs TEST_DATABASE_URL: the embedded database has one session, so nothing waits)", () => {})
else
  it.live(
    "locks are taken in one order by everything at once on two nodes: no deadlock, no defect, and sound rows",
    () => stress(serverUrl ?? "").pipe(Effect.scoped, Effect.provide(Reactivity.layer)),
    ((seconds ?? 0) + 120) * 1000
  )
