/**
 * What judges the rounds must itself see each thing that can go wrong: a judge that is content with everything proves
 * nothing.
 */
import { assert, describe, it } from "@effect/vitest"
import { type Evidence, judge, judgeMonths } from "../support/outsideProvider/Judge.ts"

type Refund = Evidence["record"]["refunds"][number]

const refund = (changes: Partial<Refund> = {}): Refund => ({
  id: "re_1",
  payment_intent: "pi_1",
  amount: 1000,
  by: "service",
  known: {},
  status: "succeeded",
  metadata: { refund_id: "refund_1" },
  ...changes
})
const row = {
  refund_id: "refund_1",
  booking_id: "booking_1",
  payment_session_id: "payment_1",
  status: "succeeded",
  failure: null,
  provider_refund_id: "re_1"
}

interface Case {
  readonly status?: string
  readonly payment_status?: string
  readonly placed?: boolean
  readonly refunds?: ReadonlyArray<Refund>
  readonly rows?: Evidence["database"]["refunds"]
  readonly disputes?: Evidence["record"]["disputes"]
  readonly cancelled?: { readonly least: number; readonly most: number }
  readonly findings?: Evidence["findings"]
  readonly changes?: Partial<Evidence["database"]>
  readonly unpaid?: boolean
  /** What the booking and its payment say of the money; by default what the provider's record says. */
  readonly books?: { readonly paid?: number; readonly refunded?: number }
  readonly session?: { readonly amount?: number; readonly refunded?: number }
  /** What the payer paid in a currency of their own, at the provider and here. */
  readonly presented?: { readonly amount: number; readonly currency: string }
  readonly told?: { readonly amount: number; readonly currency: string }
  /** A balance of 20.00 is paid too. */
  readonly balance?: boolean
  /** The account has withdrawn our access. */
  readonly withdrawn?: boolean
  /** Until when a subscription is paid here, and by an invoice at the provider; now is 100,000. */
  readonly subscription?: { readonly here: number; readonly invoice: number }
}

const customer = "cus_1"

/** A payment of 10.00, confirmed with its places where nothing else is said. */
const judged = (one: Case): string => {
  const status = one.status ?? "confirmed"
  const gone = (intent: string): number =>
    [...(one.refunds ?? []), ...(one.disputes ?? [])]
      .filter(({ payment_intent, status }) => payment_intent === intent && ["succeeded", "lost"].includes(status))
      .reduce((sum, { amount }) => sum + amount, 0)
  const payment = {
    id: "cs_1",
    account: "acct_1",
    amount: 1000,
    currency: "gbp",
    status: "complete",
    payment_status: one.unpaid === true ? "unpaid" : "paid",
    payment_intent: "pi_1",
    presented: one.presented ?? null,
    metadata: {}
  }
  const booking = {
    booking_id: "booking_1",
    status,
    payment_status: one.payment_status ?? (status === "confirmed" ? "paid" : "refunded"),
    due_now: 1000,
    total: 1000,
    paid: one.balance === true ? 3000 : 1000,
    refunded: gone("pi_1") + gone("pi_2"),
    ...one.books,
    placed: one.placed ?? status === "confirmed",
    time_zone: "Europe/London"
  }
  const session = {
    payment_session_id: "payment_1",
    provider_session_id: "cs_1",
    booking_id: "booking_1",
    status: "paid",
    operator_id: "operator_1",
    amount: 1000,
    refunded: gone("pi_1"),
    presented: one.told ?? null,
    ...one.session
  }
  const second = {
    payment_session_id: "payment_2",
    provider_session_id: balance.id,
    amount: 2000,
    refunded: gone("pi_2")
  }
  const paidInvoice = { id: "in_1", customer, period_end: one.subscription?.invoice ?? 0 }
  const operator = { operator_id: "operator_1", billing_customer_id: customer }
  return judge({
    record: {
      now: 100_000,
      skews: {},
      movements: [],
      sessions: one.balance === true ? [payment, { ...payment, ...balance }] : [payment],
      refunds: one.refunds ?? [],
      disputes: one.disputes ?? [],
      invoices: one.subscription === undefined ? [] : [paidInvoice],
      calls: 0,
      faults: {},
      turns: {},
      events: {}
    },
    database: {
      bookings: [booking],
      sessions: [session, { ...session, ...second }],
      operators: one.subscription === undefined ? [] : [{ ...operator, paid_through: new Date(one.subscription.here) }],
      refunds: one.rows ?? [],
      waiting: [],
      refused: [],
      sold_twice: [],
      ...one.changes
    },
    cancelled: new Map(one.cancelled === undefined ? [] : [["booking_1", one.cancelled]]),
    subscribed: new Map([[customer, 50_000]]),
    findings: one.findings ?? [],
    troubled: new Set(one.withdrawn === true ? ["acct_1"] : [])
  }).join("\n")
}

const balance = { id: "cs_2", amount: 2000, payment_intent: "pi_2" }
const ofBalance = { payment_intent: "pi_2", metadata: { refund_id: "refund_2" } }
const rowOfBalance = { ...row, refund_id: "refund_2", payment_session_id: "payment_2", cause: "cancellation" }
const lapsing = { what: "subscription about to lapse", id: "operator_1", detail: "" }

const by = (cause: string) => [{ ...row, cause }]
const dispute = { id: "du_1", payment_intent: "pi_1", amount: 1000, status: "needs_response" }
const half = { least: 500, most: 500 }

describe("the judge of the rounds", () => {
  const fine: Readonly<Record<string, Case>> = {
    "a payment that is confirmed": {},
    "late money that went back": { status: "expired", refunds: [refund()], rows: by("late_payment") },
    "half back by the terms": {
      status: "cancelled",
      refunds: [refund({ amount: 500 })],
      rows: by("cancellation"),
      cancelled: half
    },
    "half back of a balance alone": {
      status: "cancelled",
      balance: true,
      refunds: [refund({ ...ofBalance, amount: 1500 })],
      rows: [rowOfBalance],
      cancelled: { least: 1500, most: 1500 }
    },
    "a balance that came late, beside terms that give nothing back": {
      status: "cancelled",
      balance: true,
      refunds: [refund({ ...ofBalance, amount: 2000 })],
      rows: [{ ...rowOfBalance, cause: "late_payment" }],
      cancelled: { least: 0, most: 0 }
    },
    "a payment in the payer's own currency": {
      presented: { amount: 1268, currency: "usd" },
      told: { amount: 1268, currency: "USD" }
    },
    "deliveries that were refused while a clock was wrong, the last ones": {
      findings: [{ what: "deliveries refused", id: "platform", detail: "" }],
      changes: { refused: [{ receiver: "platform", heard_since: false }] }
    },
    "a dispute that was lost": {
      disputes: [{ ...dispute, status: "lost" }],
      findings: [{ what: "dispute lost", id: "du_1", detail: "" }]
    },
    "a dispute that was won on appeal": { disputes: [{ ...dispute, status: "won" }] },
    "a refund that failed, which the doctor names": {
      status: "expired",
      refunds: [refund({ status: "failed" })],
      rows: [{ ...row, cause: "late_payment", status: "failed" }],
      findings: [{ what: "refund failed", id: "refund_1", detail: "" }]
    },
    "a refund that was sent again after it had failed": {
      status: "expired",
      refunds: [refund({ status: "failed" }), refund({ id: "re_2" })],
      rows: [{ ...row, cause: "late_payment", provider_refund_id: "re_2" }]
    },
    "a dashboard refund of a booking that stands, which failed and which a person had sent again": {
      payment_status: "refunded",
      refunds: [refund({ status: "failed", by: "dashboard", metadata: {} }), refund({ id: "re_2" })],
      rows: [{ ...row, cause: "dashboard", provider_refund_id: "re_2" }]
    },
    "the same beside a cancellation that gives nothing back": {
      status: "cancelled",
      payment_status: "partially_refunded",
      refunds: [
        refund({ status: "failed", by: "dashboard", metadata: {}, amount: 1 }),
        refund({ id: "re_2", amount: 1 })
      ],
      rows: [{ ...row, cause: "dashboard", provider_refund_id: "re_2" }],
      cancelled: { least: 0, most: 0 }
    },
    "a doctor who asks a person about a visit that stands and was paid back": {
      payment_status: "refunded",
      refunds: [refund({ by: "dashboard", metadata: {} })],
      findings: [{ what: "paid back while confirmed", id: "booking_1", detail: "" }]
    },
    "a subscription that is paid": { subscription: { here: 200_000, invoice: 200 } },
    "an invoice that is heard of when the subscription runs out": { subscription: { here: 150_000, invoice: 200 } },
    "a doctor who names a subscription that ran out": {
      subscription: { here: 70_000, invoice: 70 },
      findings: [lapsing]
    },
    "a refund that failed at an account that tells nothing": {
      status: "cancelled",
      refunds: [refund({ status: "failed" })],
      rows: by("cancellation"),
      books: { refunded: 500 },
      session: { refunded: 500 },
      cancelled: half,
      withdrawn: true
    },
    "half back by the operator's hand": {
      status: "cancelled",
      refunds: [refund({ amount: 500, by: "dashboard", metadata: {} })],
      cancelled: half
    },
    "an open dispute that the doctor names": {
      status: "cancelled",
      disputes: [dispute],
      cancelled: half,
      findings: [{ what: "dispute", id: "du_1", detail: "" }]
    }
  }
  for (const [name, one] of Object.entries(fine)) it(`lets ${name} pass`, () => assert.strictEqual(judged(one), ""))

  const faults: Readonly<Record<string, readonly [Case, RegExp]>> = {
    "money that is kept": [{ status: "expired" }, /the rest is kept/],
    "money that is kept of what the terms owe": [{ status: "cancelled", cancelled: half }, /500 was owed/],
    "a refund that failed, which nobody names": [
      {
        status: "expired",
        refunds: [refund({ status: "canceled" })],
        rows: [{ ...row, cause: "late_payment", status: "failed" }]
      },
      /1000 was owed, 0 is back/
    ],
    "money that is kept at an account that tells nothing": [
      {
        status: "cancelled",
        refunds: [refund({ amount: 400, status: "failed" })],
        rows: by("cancellation"),
        books: { refunded: 400 },
        session: { refunded: 400 },
        cancelled: half,
        withdrawn: true
      },
      /500 was owed, 0 is back/
    ],
    "a refund that failed and still counts here": [
      { refunds: [refund({ by: "dashboard", metadata: {}, status: "failed" })], session: { refunded: 1000 } },
      /went back 1000 in our books, and 0 at the provider/
    ],
    "a dispute that was won on appeal and still counts here": [
      { disputes: [{ ...dispute, status: "won" }], books: { refunded: 1000 } },
      /refunded is 1000 in our books, and 0 at the provider/
    ],
    "money of a dispute that was lost and won, and is kept": [
      { status: "cancelled", disputes: [{ ...dispute, status: "won" }], cancelled: half },
      /500 was owed, 0 is back/
    ],
    "a lost dispute beside a whole refund": [
      { status: "expired", disputes: [{ ...dispute, status: "lost" }], refunds: [refund()], rows: by("late_payment") },
      /more went back than was paid/
    ],
    "an amount that is not what was paid": [{ session: { amount: 1268 } }, /is paid 1268 in our books/],
    "a booking that says that more was paid": [{ books: { paid: 1268 } }, /paid is 1268 in our books, and 1000/],
    "a payer's currency that nobody here knows": [
      { presented: { amount: 1268, currency: "usd" } },
      /the payer paid in another currency/
    ],
    "a refund that is made twice": [
      {
        status: "expired",
        refunds: [refund({ amount: 400 }), refund({ id: "re_2", amount: 400 })],
        rows: by("late_payment")
      },
      /made 2 times/
    ],
    "more than is owed beside the operator's own refund": [
      {
        status: "cancelled",
        refunds: [
          refund({ amount: 300, by: "dashboard", metadata: {} }),
          refund({ id: "re_2", amount: 500, known: { pi_1: 300 } })
        ],
        rows: by("cancellation"),
        cancelled: half
      },
      /500 was sent where 300 had gone back and 500 was owed/
    ],
    "a refund of a booking that stands": [
      { refunds: [refund()], rows: by("cancellation") },
      /refunded though it stands/
    ],
    "more than is owed of two payments together": [
      {
        status: "cancelled",
        balance: true,
        refunds: [
          refund({ amount: 1000 }),
          refund({ id: "re_2", ...ofBalance, amount: 1000, known: { pi_1: 1000, pi_2: 0 } })
        ],
        rows: [...by("cancellation"), rowOfBalance],
        cancelled: { least: 1500, most: 1500 }
      },
      /1000 was sent where 1000 had gone back and 1500 was owed/
    ],
    "more than is owed by two refunds that did not see each other": [
      {
        status: "cancelled",
        balance: true,
        refunds: [refund({ amount: 1000 }), refund({ id: "re_2", ...ofBalance, amount: 1000 })],
        rows: [...by("cancellation"), rowOfBalance],
        cancelled: { least: 1500, most: 1500 }
      },
      /2000 was sent in all where 1500 was owed/
    ],
    "a balance that is kept": [
      {
        status: "cancelled",
        balance: true,
        refunds: [refund()],
        rows: by("cancellation"),
        cancelled: { least: 3000, most: 3000 }
      },
      /3000 was owed, 1000 is back/
    ],
    "a late balance that is kept": [
      {
        status: "cancelled",
        balance: true,
        rows: [{ ...rowOfBalance, cause: "late_payment", status: "failed" }],
        cancelled: { least: 0, most: 0 }
      },
      /2000 was owed, 0 is back/
    ],
    "a refund of a balance of a booking that stands": [
      { balance: true, refunds: [refund(ofBalance)], rows: [rowOfBalance] },
      /refunded though it stands/
    ],
    "more than a person said": [
      { status: "cancelled", refunds: [refund()], rows: by("cancellation"), cancelled: { least: 0, most: 0 } },
      /1000 was sent in all where 0 was owed/
    ],
    "an invoice that is lost": [{ subscription: { here: 50_000, invoice: 200 } }, /a payment is lost/],
    "a subscription that nobody paid": [{ subscription: { here: 300_000, invoice: 200 } }, /more than it paid/],
    "a doctor who names a subscription that is paid": [
      { subscription: { here: 200_000, invoice: 200 }, findings: [lapsing] },
      /names what needs nobody/
    ],
    "a refund that nobody here knows": [{ status: "expired", refunds: [refund()] }, /which we do not know/],
    "places that are not taken": [{ placed: false }, /confirmed without places/],
    "places that are kept": [
      { status: "cancelled", placed: true, cancelled: { least: 0, most: 0 } },
      /places are taken/
    ],
    "places that nobody paid": [{ unpaid: true }, /nobody paid/],
    "a payment that nobody here knows": [{ changes: { sessions: [] } }, /no session here has it/],
    "a hold that is paid": [{ status: "held", placed: true }, /paid, and only held/],
    "an event that waits": [
      { changes: { waiting: [{ event_id: "evt_1", status: "dead" }] } },
      /evt_1 is dead, and the doctor does not say so/
    ],
    "a place that is sold twice": [{ changes: { sold_twice: [{ resource_id: "playroom_1" }] } }, /sold twice/],
    "a refund that never ends": [
      {
        status: "expired",
        refunds: [refund({ status: "pending" })],
        rows: [{ ...row, cause: "late_payment", status: "pending" }]
      },
      /on its way for ever/
    ],
    "a doctor who names refused deliveries though others came since": [
      {
        findings: [{ what: "deliveries refused", id: "platform", detail: "" }],
        changes: { refused: [{ receiver: "platform", heard_since: true }] }
      },
      /names what needs nobody/
    ],
    "a doctor who names what needs nobody": [
      { findings: [{ what: "refund failed", id: "refund_9", detail: "" }] },
      /names what needs nobody/
    ]
  }
  for (const [name, [one, told]] of Object.entries(faults)) it(`sees ${name}`, () => assert.match(judged(one), told))
})

describe("the judge of months", () => {
  // Half an hour before November ends in Los Angeles it is December in London.
  const at = Date.UTC(2026, 11, 1, 7, 30)
  const movement = {
    id: "txn_1",
    account: "acct_1",
    session: "cs_1",
    kind: "payment" as const,
    at,
    amount: 1000,
    fee: 35,
    application_fee: 50
  }
  const line = {
    at,
    kind: "payment",
    way: "link",
    amount: 1000,
    application_fee: 50,
    booking_id: "booking_1",
    provider_id: "pi_1",
    balance: { transaction_id: "txn_1", provider_fee: 35, net: 915 }
  }
  const session = {
    id: "cs_1",
    account: "acct_1",
    amount: 1000,
    currency: "usd",
    status: "complete",
    payment_status: "paid",
    payment_intent: "pi_1",
    presented: null,
    metadata: {}
  }
  const said = (
    change: Partial<typeof line>,
    months: { readonly compared?: string; readonly own?: string; readonly said?: string } = {}
  ): string => {
    const told = { ...line, ...change }
    const lists = ["2026-11", "2026-12"].map((month) => ({
      month,
      compared: (months.compared ?? "2026-11") === month ? [told] : [],
      own: (months.own ?? "2026-11") === month ? [told] : [],
      said: months.said ?? ""
    }))
    return judgeMonths({
      record: {
        now: at,
        skews: {},
        sessions: [session],
        refunds: [],
        disputes: [],
        invoices: [],
        movements: [movement],
        calls: 0,
        faults: {},
        turns: {},
        events: {}
      },
      database: {
        bookings: [
          {
            booking_id: "booking_1",
            status: "confirmed",
            payment_status: "paid",
            due_now: 1000,
            total: 1000,
            paid: 1000,
            refunded: 0,
            placed: true,
            time_zone: "America/Los_Angeles"
          }
        ],
        sessions: [
          {
            payment_session_id: "payment_1",
            provider_session_id: "cs_1",
            booking_id: "booking_1",
            status: "paid",
            operator_id: "operator_1",
            amount: 1000,
            refunded: 0,
            presented: null
          }
        ],
        refunds: [],
        waiting: [],
        operators: [],
        refused: [],
        sold_twice: []
      },
      months: lists,
      troubled: new Set()
    }).join("\n")
  }

  it("lets a month pass that is the venue's, and money that the service learns of in the next", () => {
    assert.strictEqual(said({}), "")
    assert.strictEqual(said({}, { own: "2026-12" }), "")
  })

  const faults = {
    "a month by another clock": [said({}, { compared: "2026-12" }), /booking_1 in 2026-1[12], payment/],
    "a cent": [said({ amount: 999 }), /1000/],
    "the platform's fee": [said({ application_fee: 49 }), /booking_1 in 2026-11/],
    "the provider's fee": [said({ balance: { ...line.balance, provider_fee: 34 } }), /booking_1 in 2026-11/],
    "what is left": [said({ balance: { ...line.balance, net: 916 } }), /booking_1 in 2026-11/],
    "a line that is missing": [said({}, { compared: "never" }), /booking_1 in 2026-11/],
    "our own line that is missing": [said({}, { own: "never" }), /booking_1, in: in all/],
    "money that came before it was paid": [said({ at: at - 60_000 }), /60000 ms earlier/],
    "a difference that the command names": [said({}, { said: "Differs: pi_1" }), /Differs: pi_1/]
  } as const
  for (const [name, [told, expected]] of Object.entries(faults)) it(`sees ${name}`, () => assert.match(told, expected))
})
