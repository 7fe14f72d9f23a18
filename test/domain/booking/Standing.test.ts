import { assert, describe, it } from "@effect/vitest"
import { Struct } from "effect"
import * as fc from "fast-check"
import type {
  BookingRow,
  BookingStatus,
  PaymentSessionView,
  PaymentStatus
} from "../../../src/domain/booking/Booking.ts"
import {
  type PaymentEvent,
  nextPaymentStatus,
  nextStatus,
  type StatusEvent
} from "../../../src/domain/booking/Lifecycle.ts"
import {
  nextActor,
  openPage,
  payBefore,
  type Standing,
  isOver,
  type StandingKind,
  standingOf
} from "../../../src/domain/booking/Standing.ts"
import { format } from "../../../src/platform/time/LocalTime.ts"
import { languages, messages } from "../../../src/words/Languages.ts"
import { bookingWithNextStep } from "../../../src/surfaces/mcp/tools/NextSteps.ts"
import { leadOf } from "../../../src/surfaces/web/family/BookingPage.ts"
import { bookingRow, paymentSummary, sessionOf, shownAt, shownBookings } from "../../support/shownBookings.ts"
import { runs } from "../../support/runs.ts"

const statusEvents: ReadonlyArray<StatusEvent> = ["due_paid", "paid_late_places_free", "hold_lapsed", "cancelled"]
const paymentEvents: ReadonlyArray<PaymentEvent> = [
  "payment_processing",
  "payment_failed",
  "session_closed",
  "deposit_paid",
  "all_paid",
  "more_due",
  "refund_requested",
  "refunded_in_part",
  "refunded_in_full",
  "all_kept",
  "deposit_kept"
]

type States = Pick<BookingRow, "status" | "payment_status">

const unpaid: ReadonlySet<PaymentStatus> = new Set(["unpaid", "processing", "failed"])

/** Whether two states can occur together: status and payment status have separate tables. */
const together = ({ payment_status, status }: States): boolean => {
  if (status === "held") return unpaid.has(payment_status)
  return status !== "confirmed" || !unpaid.has(payment_status)
}

/** Every reachable pair of states, from a hold and from a booking with nothing due now. */
const reachable = (): ReadonlyArray<States> => {
  const found = new Map<string, States>()
  const add = (one: States): void => {
    const key = `${one.status} ${one.payment_status}`
    if (found.has(key)) return
    found.set(key, one)
    const statuses = [one.status, ...statusEvents.flatMap((event) => nextStatus(one.status, event) ?? [])]
    const payments = [
      one.payment_status,
      ...paymentEvents.flatMap((event) => nextPaymentStatus(one.payment_status, event) ?? [])
    ]
    for (const status of statuses)
      for (const payment_status of payments) if (together({ status, payment_status })) add({ status, payment_status })
  }
  add({ status: "held", payment_status: "unpaid" })
  add({ status: "confirmed", payment_status: "not_required" })
  return [...found.values()]
}

const money = fc.constantFrom(
  { total: 0, due_now: 0 },
  { total: 20_000, due_now: 20_000 },
  { total: 20_000, due_now: 5000 }
)

/** The session as `sessionView` makes it: it ends with the hold. */
const shownSession = ({ purpose, status }: Pick<PaymentSessionView, "purpose" | "status">, live: boolean) => {
  const { session } = sessionOf(purpose, status, live)
  if (!live || status !== "open") return Struct.omit(session, ["url", "expires_at", "expires_in"])
  return { ...session, expires_at: format(bookingRow().terms.time_zone, shownAt + 500) }
}

/** A booking in a reachable pair of states, with arbitrary payment facts. */
const facts = fc
  .record({
    states: fc.constantFrom(...reachable()),
    money,
    hold: fc.constantFrom(null, shownAt - 1, shownAt, shownAt + 1000),
    ends_at: fc.constantFrom(shownAt - 1, shownAt, shownAt + 1e8),
    paid: fc.constantFrom(0, 5000, 20_000),
    refunded: fc.constantFrom(0, 2000, 20_000),
    attendance: fc.constantFrom(null, "arrived" as const, "no_show" as const),
    kept_refunded: fc.constantFrom(null, 20_000),
    refund_on_its_way: fc.constantFrom(0, 3000),
    session: fc.option(
      fc.record({
        purpose: fc.constantFrom("due_now" as const, "balance" as const),
        status: fc.constantFrom("open" as const, "processing" as const, "paid" as const, "failed" as const)
      })
    ),
    live: fc.boolean(),
    last_attempt: fc.option(
      fc.record({ at: fc.constant(shownAt - 60_000), outcome: fc.constantFrom("declined" as const, "failed" as const) })
    ),
    balance_paid: fc.boolean(),
    balance_online: fc.boolean(),
    not_payable: fc.constantFrom(false, false, false, true),
    in_question: fc.constantFrom(undefined, undefined, undefined, "due_now" as const, "balance" as const),
    sent_back: fc.constantFrom(
      undefined,
      undefined,
      "going_back" as const,
      "blocked" as const,
      "went_back" as const,
      "failed" as const
    ),
    released: fc.constantFrom(false, false, false, true),
    at_venue: fc.constantFrom(false, false, true),
    due_at: fc.constantFrom("2026-11-20T08:59:59Z", "2026-12-04T14:00:00Z")
  })
  .map((made) => {
    const {
      at_venue,
      attendance,
      due_at,
      ends_at,
      hold,
      kept_refunded,
      last_attempt,
      live,
      money,
      paid,
      refunded,
      released
    } = made
    const { balance_online, balance_paid, in_question, not_payable, refund_on_its_way, sent_back, session, states } =
      made
    const rest = {
      balance_online,
      balance_paid,
      refund_on_its_way,
      ...(not_payable ? { hold_not_payable: true as const } : {}),
      ...(in_question === undefined ? {} : { under_review: { purpose: in_question, amount: 1999, currency: "GBP" } }),
      ...(sent_back === undefined ? {} : { sent_back: [{ amount: 1999, currency: "GBP", state: sent_back }] })
    }
    const { terms } = bookingRow()
    const { balance_due_at: _, ...price } = terms.price
    const later = money.total > money.due_now ? { balance_due_at: due_at } : {}
    const open = live && session?.status === "open" ? { payable_until: shownAt + 500 } : {}
    return {
      row: bookingRow({
        ...states,
        ...money,
        hold_expires_at: states.status === "held" ? hold : null,
        ends_at,
        paid,
        refunded: Math.min(refunded, paid),
        attendance,
        kept_refunded,
        terms: {
          ...terms,
          price: { ...price, ...later },
          ...(released ? { released_at: shownAt - 1 } : {}),
          ...(at_venue ? { balance_at_venue: true as const } : {})
        }
      }),
      summary: paymentSummary({
        ...rest,
        ...open,
        ...(last_attempt === null || session?.status === "processing" || session?.status === "paid"
          ? {}
          : { last_attempt }),
        ...(session === null ? {} : { session: shownSession(session, live) })
      })
    }
  })

const kindsOf: Readonly<Record<BookingStatus, RegExp>> = {
  held: /^(to_pay|payment_failed|not_payable|payment_processing|payment_under_review|arriving)$/,
  confirmed:
    /^(free|paid|balance_due|balance_overdue|balance_processing|confirmed_under_review|confirmed_paid_back|over|did_not_come)$/,
  expired: /^(expired|released)/,
  cancelled: /^cancelled/
}

/** A standing's fields are present, and match the booking. */
const check = (row: BookingRow, now: number, standing: Standing, tried: boolean): void => {
  assert.match(standing.kind, kindsOf[row.status])
  if (standing.kind === "to_pay" || standing.kind === "payment_failed") {
    assert.strictEqual(standing.amount, row.due_now)
    assert.isAbove(standing.until, now)
    assert.strictEqual(standing.kind === "payment_failed", row.payment_status === "failed" || tried)
  }
  if (standing.kind === "not_payable") assert.isAbove(standing.until, now)
  if (standing.kind === "arriving" && !standing.page_paid) assert.isAtMost(standing.until ?? 0, now)
  assert.strictEqual(standing.kind === "did_not_come", row.status === "confirmed" && row.attendance === "no_show")
  assert.strictEqual(
    standing.kind === "over",
    row.status === "confirmed" && row.ends_at <= now && row.attendance !== "no_show"
  )
  if ("balance" in standing && standing.balance !== undefined) {
    const { balance, kind } = standing
    assert.strictEqual(balance.amount, row.total - row.due_now)
    assert.isAbove(balance.amount, 0)
    assert.strictEqual(balance.at_venue, row.terms.balance_at_venue === true)
    const asked = nextActor(standing) !== "service"
    assert.strictEqual(balance.overdue, asked && !balance.at_venue && balance.due_at <= now)
    if (kind === "balance_due" || kind === "balance_overdue")
      assert.strictEqual(kind === "balance_overdue", balance.overdue)
    if (asked && !isOver(standing)) assert.strictEqual(kind === "balance_processing", balance.payment === "processing")
  }
  if (standing.kind === "confirmed_paid_back") return assert.notStrictEqual(standing.refund, "none")
  const back = /going_back$|paid_back$/.exec(standing.kind)?.[0]
  if (back !== undefined && standing.refund !== "none") assert.strictEqual(back, standing.refund)
  if (standing.refund === "none" && row.paid === 0) assert.isUndefined(back)
}

describe("where a booking stands", () => {
  it("is one standing for every state that a booking reaches and whatever its payments say, with all that it needs", () => {
    const seen = new Set<StandingKind>()
    fc.assert(
      fc.property(facts, ({ row, summary }) => {
        const standing = standingOf(row, summary)
        seen.add(standing.kind)
        check(row, summary.now, standing, summary.last_attempt !== undefined)
        assert.include(["payer", "venue", "provider", "service", "nobody"], nextActor(standing))
      }),
      { numRuns: runs(4000, 3000) }
    )
    assert.sameMembers([...seen], Object.keys(shownBookings))
  })

  it("has words on each surface: for the assistant, on the family's page in each language, and after paying", () => {
    fc.assert(
      fc.property(facts, ({ row, summary }) => {
        const standing = standingOf(row, summary)
        const { next_step } = bookingWithNextStep(row, summary)
        assert.match(next_step, /^[A-Z].*\.$/)
        assert.notMatch(next_step, /undefined|NaN| {2}/)
        for (const language of languages) {
          const { heading, lead } = messages[language].standings[standing.kind]
          assert.isNotEmpty(heading)
          const amounts = {
            amount: "£1",
            until: "noon",
            paid: "£2",
            comes_back: "£3",
            paid_back: "£4",
            in_question: "£5",
            sent_back: "£6",
            online: true
          }
          assert.isNotEmpty(lead(amounts))
        }
      }),
      { numRuns: runs(250) }
    )
  })

  it("gives an address only where paying makes sense now, and one deadline for a hold, in each answer and on each page", () => {
    fc.assert(
      fc.property(facts, ({ row, summary }) => {
        const standing = standingOf(row, summary)
        const { booking, next_step } = bookingWithNextStep(row, summary)
        const { payment_session: session } = booking
        const pays = nextActor(standing) === "payer"
        const takes = openPage(standing)

        // An address and its end are given together, and only to who is to pay that now.
        assert.strictEqual(session?.url !== undefined, takes !== undefined && takes === session?.purpose)
        assert.strictEqual(session?.url !== undefined, session?.expires_in !== undefined)
        assert.strictEqual(session?.url !== undefined, session?.expires_at !== undefined)
        assert.strictEqual(
          /give the person (the|its) url/i.test(next_step),
          /url in payment_session/.test(next_step) || /create_payment_session.*its url/.test(next_step)
        )
        assert.strictEqual(/url in payment_session/.test(next_step), session?.url !== undefined)
        if (!pays) assert.notInclude(next_step, "create_payment_session")
        if (!pays && row.status !== "held") assert.notInclude(booking.balance?.how ?? "", "create_payment_session")
        if (!pays) assert.notProperty(booking, "last_attempt")
        else assert.strictEqual(booking.last_attempt?.outcome, summary.last_attempt?.outcome)
        assert.strictEqual(/last try to pay/.test(next_step), booking.last_attempt !== undefined)

        // A hold has one deadline, and only while somebody has to meet it.
        const until = payBefore(standing)
        const shown = until === undefined ? undefined : format(row.terms.time_zone, until)
        assert.strictEqual(booking.hold_expires_at, shown)
        assert.strictEqual(booking.hold_expires_in !== undefined, until !== undefined)
        if (row.status === "held") {
          const told = next_step.match(/\d{4}-\d{2}-\d{2}T[\d:+Z-]+/g) ?? []
          for (const one of told) assert.strictEqual(one, shown)
          if (session?.expires_at !== undefined) assert.strictEqual(session.expires_at, shown)
        }
        // Money in question wins over all but a balance that is due beside it: a booking that is paid says so, too.
        const review = summary.under_review
        const { lead } = leadOf({ booking: row, summary, unclear: false }, standing, "en")
        if (review !== undefined && (!("balance" in standing) || review.purpose === "balance")) {
          assert.strictEqual(nextActor(standing), "service")
          assert.include(next_step, "not what was asked for")
          assert.include(lead, "not what was asked for")
        }
        // What was paid and sent back was paid.
        if (summary.sent_back !== undefined && summary.last_attempt === undefined && row.payment_status !== "failed")
          for (const text of [next_step, lead]) assert.notMatch(text, /nothing was (paid|charged)/i)
        // What is under way is nobody's to pay.
        if (/processing|under_review/.test(standing.kind)) {
          assert.notMatch(next_step, /(?<!page_)url|create_payment_session|\(in \d/)
          assert.isUndefined(until)
        }
      }),
      { numRuns: runs(2000) }
    )
  })

  it("says who acts next", () => {
    const actors = Object.entries(shownBookings).map(([kind, { booking, summary }]) => [
      kind,
      nextActor(standingOf(booking, summary))
    ])
    assert.deepStrictEqual(Object.fromEntries(actors), {
      to_pay: "payer",
      payment_failed: "payer",
      not_payable: "venue",
      payment_processing: "provider",
      payment_under_review: "service",
      arriving: "provider",
      free: "nobody",
      paid: "nobody",
      balance_due: "payer",
      balance_overdue: "venue",
      balance_processing: "provider",
      confirmed_under_review: "service",
      confirmed_paid_back: "venue",
      over: "nobody",
      did_not_come: "venue",
      released: "nobody",
      expired: "nobody",
      expired_processing: "provider",
      expired_under_review: "service",
      expired_going_back: "provider",
      expired_paid_back: "nobody",
      cancelled: "nobody",
      cancelled_kept: "nobody",
      cancelled_processing: "provider",
      cancelled_under_review: "service",
      cancelled_going_back: "provider",
      cancelled_paid_back: "nobody"
    })
  })
})
