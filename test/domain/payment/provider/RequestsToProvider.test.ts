import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { BookingOptions } from "../../../../src/domain/availability/BookingOptions.ts"
import { Bookings } from "../../../../src/domain/booking/Bookings.ts"
import { cancelAsOperator } from "../../../support/Acts.ts"
import { paymentServices } from "../../../../src/domain/payment/PaymentLayers.ts"
import { Faults } from "../../../../src/extras/sandbox/Faults.ts"
import { bookingServices, contact, importVenue, principal, setClock } from "../../../support/BookingWorld.ts"
import { gatewayOverWire, RecordedWire } from "../../../support/CommandLine.ts"
import { bookingState, now, openSession, reconcileAfter, runProviderTasks } from "../../../support/PaymentWorld.ts"
import { providerId } from "../../../support/ScriptedGateway.ts"
import { packages, venue } from "../../../support/paymentVenues.ts"
import { answerFaults, formFaults, formTree, providerSchemaPresent } from "../../../support/providerSchema.ts"
import { callSandbox, Receiver, SandboxWorld } from "../../../support/SandboxWorld.ts"
import { testId, venueWith } from "../../../support/venues.ts"

/** One venue a currency: two decimals, none, and three. Operators take a fee of 5 % or of nothing. */
const venues = ["GBP", "JPY", "KWD"].map((currency, i) => {
  const made = venueWith({ playroom_id: testId.playroom(70 + i), operator_id: testId.operator(70 + i), currency }, [
    { ...packages.party, package_id: testId.package(700 + i) },
    { ...packages.refundableParty, package_id: testId.package(710 + i) }
  ])
  const operator = {
    ...venue.operator,
    operator_id: testId.operator(70 + i),
    name: `„Kinder & Co.“ №${i}`,
    connected_account_id: `acct_wire${i}`,
    application_fee_percent: i === 2 ? 0 : 5
  }
  return { ...made, operator }
})

const world = Layer.unwrap(
  Effect.as(
    setClock(now),
    Layer.effectDiscard(Effect.suspend(() => importVenue(...venues))).pipe(
      Layer.provideMerge(paymentServices),
      Layer.provideMerge(gatewayOverWire),
      Layer.provideMerge(bookingServices()),
      Layer.provideMerge(SandboxWorld.layer)
    )
  )
)

const hold = Effect.fnUntraced(function* (where: (typeof venues)[number], pkg: number, date: string) {
  const { playroom_id } = where.playroom
  const package_id = where.packages[pkg]?.package_id ?? assert.fail()
  const { options } = yield* BookingOptions.use((all) => all.list({ playroom_id, package_id, date, children: 8 }))
  const option_id = options[0]?.option_id ?? assert.fail(`no option on ${date}`)
  const { row } = yield* Bookings.use((bookings) =>
    bookings.create(principal(), { option_id, contact: contact(), idempotency_key: `${playroom_id} ${date}` })
  )
  return row
})

const choose = (session: { readonly provider_session_id: string | null }, outcome: string) =>
  callSandbox("POST", `/pay/${providerId(session)}`, { form: { outcome } })

/** What a POST's form, and each answer, are called in the provider's schema. */
const forms = [
  [/^\/v1\/checkout\/sessions$/, "Checkout.Sessions.Checkout.SessionCreateParams"],
  [/^\/v1\/checkout\/sessions\/[^/]+\/expire$/, "Checkout.Sessions.Checkout.SessionExpireParams"],
  [/^\/v1\/refunds$/, "Refunds.RefundCreateParams"]
] as const
const nameOf = (path: string) => forms.find(([pattern]) => pattern.test(path))?.[1] ?? ""

layer(world)("whatever the services send to the provider", (it) => {
  if (!providerSchemaPresent) console.log("SKIPPED: no provider schema beside the repository")
  it.effect.skipIf(!providerSchemaPresent)(
    "is valid by its schema, names account and key, and is the same bytes when it is sent again",
    () =>
      Effect.gen(function* () {
        yield* setClock(now)
        const { seen } = yield* RecordedWire
        const faults = yield* Faults
        const receiver = yield* Receiver
        receiver.answer({ status: 200, body: { received: true } })
        for (const where of venues) {
          // A deposit and its balance, and a cancellation that gives both back.
          const party = yield* hold(where, 1, "2026-12-10")
          yield* faults.set({ api: { fault: "cut_after", times: 1 } })
          const deposit = yield* openSession(party)
          yield* choose(deposit, "pay")
          yield* reconcileAfter("40 minutes")
          assert.strictEqual((yield* bookingState(party)).payment_status, "deposit_paid")
          yield* choose(yield* openSession(party, "balance"), "pay")
          yield* reconcileAfter("40 minutes")
          assert.strictEqual((yield* bookingState(party)).payment_status, "paid")
          yield* cancelAsOperator(party.booking_id, { preview: false })
          yield* faults.set({ api: { fault: "error_500", times: 1 } })
          yield* runProviderTasks
          assert.strictEqual((yield* bookingState(party)).payment_status, "refunded")
          // A page that nobody pays on.
          const idle = yield* hold(where, 0, "2026-12-11")
          yield* openSession(idle)
          yield* reconcileAfter("38 minutes")
          assert.strictEqual((yield* bookingState(idle)).status, "expired")
          yield* reconcileAfter("7 hours")
        }

        const posts = seen.filter(({ method }) => method === "POST")
        const byName = Map.groupBy(posts, ({ path }) => nameOf(path))
        assert.sameMembers(
          [...byName.keys()],
          forms.map(([, name]) => name)
        )
        for (const { body, headers, path } of posts) {
          assert.deepStrictEqual(formFaults(nameOf(path), formTree(body)), { faults: [] }, `${path} ${body}`)
          assert.isString(headers["idempotency-key"])
        }
        for (const { headers } of seen) assert.match(String(headers["stripe-account"]), /^acct_wire\d$/)
        const byKey = Map.groupBy(posts, ({ headers }) => `${headers["stripe-account"]} ${headers["idempotency-key"]}`)
        for (const [key, calls] of byKey) assert.strictEqual(new Set(calls.map(({ body }) => body)).size, 1, key)
        assert.isTrue([...byKey.values()].some((calls) => calls.length > 1))
        // A venue's three sessions, two refunds, and two pages that were to be closed: one had been paid on.
        assert.strictEqual([...byKey.keys()].length, venues.length * (3 + 2 + 2))
        // What was answered has the provider's shape, too (which the schema tells for unexpanded objects only).
        for (const { answer, path, status } of seen) {
          if (status !== 200 || !/^\/v1\/(checkout\/sessions|refunds)(\/[^?]*)?$/.test(path)) continue
          const name = path.includes("refunds") ? "Refunds.Refund" : "Checkout.Sessions.Session"
          assert.deepStrictEqual(answerFaults(name, JSON.parse(answer)), { faults: [] }, path)
        }
        console.log(`${posts.length} requests were checked against the provider's schema`)
      }),
    120_000
  )
})
