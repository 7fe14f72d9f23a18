/**
 * The kinds of findings that need a person, with their codes, conditions and fixes. `playroom doctor` lists the
 * findings; the metrics count the kinds with `counted`. To add a kind, add an entry here and a row in
 * `docs/troubleshooting.md`.
 */

import { Effect, Clock } from "effect"
import { displacedBookings, displacedClosures, otherRules, shortLocal } from "../../domain/booking/WallClock.ts"
import { BookingList, whyAffected } from "../../domain/booking/BookingList.ts"
import { DueBookings, overdueBalances } from "../../domain/booking/DueBookings.ts"
import { deadLetters, LetterOutbox } from "../../domain/booking/LetterOutbox.ts"
import { isPaidBack } from "../../domain/booking/Standing.ts"
import { CalendarFeeds, failingFeeds, unreadSince } from "../../domain/calendars/CalendarFeeds.ts"
import { implausiblePaidAheadMs, lastSale, type Operator } from "../../domain/catalogue/Operator.ts"
import { Operators } from "../../domain/catalogue/Operators.ts"
import { ConnectKeys, keyLifeMs } from "../../domain/oauth/ConnectKeys.ts"
import { EventRecords, eventsIn } from "../../domain/payment/events/EventRecords.ts"
import { deliveriesRefused, type RefusedInARow, refusedInARow } from "../../domain/payment/events/RefusedDeliveries.ts"
import { clocksOff, type ProviderFailure, ProviderHealth } from "../../domain/payment/provider/ProviderHealth.ts"
import { deadTasks, ProviderTasks } from "../../domain/payment/provider/ProviderTasks.ts"
import { receiverPaths } from "../../domain/payment/provider/Receivers.ts"
import { Disputes, disputeState, type DisputeRow, type DisputeState } from "../../domain/payment/refunds/Disputes.ts"
import { failedRefunds, RefundRecords } from "../../domain/payment/refunds/RefundRecords.ts"
import { Refunds } from "../../domain/payment/refunds/Refunds.ts"
import { PaymentSessions } from "../../domain/payment/sessions/PaymentSessions.ts"
import { VoucherSales } from "../../domain/payment/settlement/VoucherSales.ts"
import { Reconciliation } from "../../domain/payment/workers/Reconciliation.ts"
import { doneOf, attempt, type Outcome } from "../../platform/concurrency/Outcomes.ts"
import { Migrations } from "../../platform/database/Migrations.ts"
import { type Examined, examineReplica, replicaProblems } from "../../platform/database/ReadReplica.ts"
import { display } from "../../platform/money/Money.ts"
import { endOfTender, endsUntil, insteadText, isOver } from "../../platform/money/Tender.ts"
import { describeCause } from "../../platform/telemetry/LogLines.ts"
import { counted } from "../../platform/text/Text.ts"
import { AppConfig } from "../../platform/config/AppConfig.ts"
import { type ZoneOtherwise, zonesOtherwise } from "../../platform/database/ServerZones.ts"
import {
  addDays,
  clockTimeOf,
  dayMs,
  hourMs,
  inUtc,
  localDateOf,
  minuteMs,
  type Instant,
  zoneNamed,
  shortDateTime,
  zoneReadAs,
  zoneRules,
  zoneWanted
} from "../../platform/time/LocalTime.ts"
import type { SqlClient, Statement } from "effect/sql"

// What a finding is, and what an entry of the list consists of.

/** So many rows of a kind are listed. */
const limit = 1000

/** A moment, as findings say it. */
const at = (instant: Instant): string => new Date(instant).toISOString()

/** One thing that needs a person. */
export interface Finding {
  /** A code of the troubleshooting table. */
  readonly what: string
  readonly id: string
  readonly detail: string
  /** What to do about it. */
  readonly fix: string
}

/** Rows that a gauge (`Gauges.ts`) counts, with the gauge's label. */
interface Counted {
  readonly gauge:
    | "webhook_events"
    | "refunds_unsettled"
    | "provider_tasks_dead"
    | "letters_dead"
    | "balances_overdue"
    | "calendars_failing"
    | "clocks_off"
    | "deliveries_refused"
  readonly status?: "rejected" | "dead" | "failed"
  /** A table and a condition. */
  readonly rows: (sql: SqlClient.SqlClient, now: Instant) => Statement.Fragment
}

/** An entry of the list. `of` describes a row; undefined if the row needs nobody. */
const kind = <const Code extends string, Row, E, R>(entry: {
  readonly codes: ReadonlyArray<Code>
  /** `operator_id`: only its rows are wanted. */
  readonly rows: (now: Instant, operator_id?: string) => Effect.Effect<ReadonlyArray<Row>, E, R>
  readonly of: (row: Row, now: Instant) => (Finding & { readonly what: NoInfer<Code> }) | undefined
  readonly counted?: Counted
}) => ({
  codes: entry.codes,
  counted: entry.counted,
  find: (now: Instant) =>
    attempt(
      entry.codes.join(", "),
      Effect.map(entry.rows(now), (rows): ReadonlyArray<Finding> =>
        rows.map((row) => entry.of(row, now)).filter((finding) => finding !== undefined)
      )
    )
})

/** A notice of money of a booking. Amounts are minor units. */
interface MoneyNotice {
  readonly kind:
    | "paid_back"
    | "balance_overdue"
    | "unpaid_after_visit"
    | "refund_failed"
    | "refund_waits_for_money"
    | "refund_waits_for_dispute"
    | "refund_at_venue"
    | "disputed"
    | "dispute_lost"
    | "dispute_won"
  readonly booking_id: string
  readonly amount: number
  readonly currency: string
}

/** A notice of another calendar of a playroom. */
type CalendarNotice = { readonly calendar: string; readonly playroom_name: string } & (
  | { readonly kind: "calendar_not_read"; readonly since: Instant }
  | { readonly kind: "calendar_event_not_read" }
  | { readonly kind: "booking_when_calendar_is_busy"; readonly booking_id: string }
)

/** A notice that the operator's account at the provider takes no payments. */
interface AccountNotice {
  readonly kind: "account_closed"
  readonly since: Instant
}

/** What an operator is told on its own page of a finding that it can act on. */
export type OperatorNotice = MoneyNotice | CalendarNotice | AccountNotice

/** An entry that is for the operator, too: `notice` says of a row what its operator is told; undefined: nothing. */
const kindForOperator = <const Code extends string, Row extends { readonly operator_id: string }, E, R>(
  entry: Parameters<typeof kind<Code, Row, E, R>>[0] & {
    readonly notice: (row: Row, now: Instant) => OperatorNotice | undefined
  }
) => ({
  ...kind(entry),
  notices: (operator_id: string, now: Instant) =>
    Effect.map(entry.rows(now, operator_id), (rows): ReadonlyArray<OperatorNotice> =>
      rows.filter((row) => row.operator_id === operator_id).flatMap((row) => entry.notice(row, now) ?? [])
    )
})

/** The code of kinds of findings that could not be looked for. */
export const notChecked = "not checked"

/** What can't be looked at is a finding, too: the kinds that it hides, by the reason. */
export const unchecked = (outcomes: ReadonlyArray<Outcome<string>>): ReadonlyArray<Finding> => {
  const failed = outcomes.flatMap((one) =>
    one.outcome === "failed" ? [{ kinds: one.item, reason: describeCause(one.cause) }] : []
  )
  return [...Map.groupBy(failed, ({ reason }) => reason)].map(([detail, kinds]) => ({
    what: notChecked,
    id: kinds.map((one) => one.kinds).join(", "),
    detail,
    fix: "mend that, and run playroom doctor again: until then nobody knows whether there is any of these"
  }))
}

// What needs a person of operators' subscriptions.

const subscription = (operator: Operator, now: Instant) => {
  const { operator_id: id, name, paid_through } = operator
  const set = `playroom operator paid-through ${id} DATE --reason …`
  if (paid_through !== undefined && paid_through > now + implausiblePaidAheadMs) {
    return {
      what: "subscription paid beyond reason" as const,
      id,
      detail: `${name} is paid through ${at(paid_through)}`,
      fix: `look at its invoices in the provider's dashboard, then ${set}; whom you do not bill needs no billing_customer_id`
    }
  }
  const over = now > lastSale(operator)
  const paid = paid_through === undefined ? "has never paid" : `has paid through ${at(paid_through)}`
  return {
    what: over ? ("subscription lapsed" as const) : ("subscription about to lapse" as const),
    id,
    detail: `${name} ${paid}, and ${over ? "sells nothing" : `sells until ${at(lastSale(operator))}`}`,
    fix: `look at ${operator.billing_customer_id ?? "its invoices"} in the provider's dashboard; where it paid, ${set}; where it will not, playroom operator suspend ${id}`
  }
}

/** In the order in which they are reported. */
const subscriptionFindings = [
  kind({
    codes: ["subscription paid beyond reason", "subscription lapsed", "subscription about to lapse"],
    rows: (now) => Operators.use((operators) => operators.lapsing(now, limit)),
    of: subscription
  })
]

// What needs a person of currencies.

/** The doctor names a currency this many days before it ends. */
const currencyEndsWithinDays = 90

/** In the order in which they are reported. */
const currencyFindings = [
  kind({
    codes: ["currency ended", "currency about to end"],
    rows: (now) => {
      const ends = endsUntil(addDays(localDateOf("UTC", now), currencyEndsWithinDays))
      return Effect.map(
        Operators.use((operators) =>
          operators.inCurrencies(
            ends.map(({ currency }) => currency),
            limit
          )
        ),
        (rows) =>
          rows.flatMap((row) => {
            const end = endOfTender(row.currency)
            return end === undefined ? [] : [{ ...row, end }]
          })
      )
    },
    of: ({ currency, end, name, operator_id, playrooms }, now) => {
      const over = isOver(end, localDateOf("UTC", now))
      return {
        what: over ? "currency ended" : "currency about to end",
        id: operator_id,
        detail: `${counted(playrooms, "playroom")} of ${name} sell in ${currency}, which ${over ? "was" : "is"} tender until ${end.until}`,
        fix: `write ${insteadText(end)} in the catalogue file, with all amounts of these playrooms in it, and import that; what was booked in ${currency} stays so, and goes back in it`
      }
    }
  })
]

// What needs a person of time zones.

/** By which rules the clocks of this process go: `tz 2026c, of Node v24.21.0`. */
export const rulesInWords = (): string => `tz ${zoneRules().release}, of ${zoneRules().from}`

/** The finding of a zone in use whose clock is another by the database's server. */
export const zoneDiffers = ({
  from,
  here,
  there,
  time_zone,
  used
}: ZoneOtherwise & { readonly used: ReadonlyArray<{ readonly playrooms: number; readonly name: string }> }) => {
  const playrooms = used.reduce((sum, { playrooms }) => sum + playrooms, 0)
  const offset = (ms: number) => `UTC${ms < 0 ? "-" : "+"}${clockTimeOf(Math.abs(ms) / minuteMs)}`
  return {
    what: "time zone differs in the database",
    id: time_zone,
    detail: `${counted(playrooms, "playroom")} (${used[0]?.name ?? ""}${playrooms > 1 ? ", …" : ""}): on ${localDateOf("UTC", from)} the clock is at ${offset(here)} by ${rulesInWords()}, and at ${offset(there)} by the database's server`,
    fix: "see which is right (https://data.iana.org/time-zones/tzdb/NEWS). Nothing goes by the server's: where that is older, raise its tzdata and restart it; where ours is, do as docs/upgrading.md says of clocks"
  } as const
}

/** In the order in which they are reported. */
const zoneFindings = [
  kind({
    codes: ["time zone is no place's"],
    rows: () =>
      Effect.map(
        Operators.use((operators) => operators.zonesInUse),
        (zones) => zones.filter(({ time_zone }) => zoneNamed(time_zone) !== time_zone)
      ),
    of: ({ country, name, playrooms, time_zone }) => {
      const taken = zoneReadAs(time_zone)
      return {
        what: "time zone is no place's",
        id: time_zone,
        detail: `${counted(playrooms, "playroom")} in ${country} (${name}${playrooms > 1 ? ", …" : ""}) with the time zone ${time_zone}, ${taken === undefined ? "which this release can't read" : `read as ${taken}`}`,
        fix: `ask the venue which it is, and import the catalogue file with that. ${zoneWanted(time_zone, country)}. What is booked stays at its instants: playroom booking list shows them by the new clock; move what the family was told otherwise`
      }
    }
  }),
  kind({
    codes: ["time zone differs in the database"],
    rows: Effect.fnUntraced(function* (now: Instant) {
      // The embedded database comes with the release, and so do its rules.
      if ((yield* AppConfig).database.kind === "embedded") return []
      const used = Map.groupBy(yield* Operators.use((operators) => operators.zonesInUse), ({ time_zone }) => time_zone)
      return (yield* zonesOtherwise([...used.keys()], now)).map((zone) => ({
        ...zone,
        used: used.get(zone.time_zone) ?? []
      }))
    }),
    of: zoneDiffers
  }),
  kind({
    codes: ["nodes have other time zones"],
    rows: () => otherRules,
    of: (release) => ({
      what: "nodes have other time zones",
      id: release,
      detail: `the clocks of a running node go by tz ${release}, and this process's by ${rulesInWords()}: one start has two times`,
      fix: "give all nodes the newer rules, and restart them (docs/upgrading.md); a node that ended without notice is forgotten after three minutes"
    })
  }),
  kind({
    codes: ["visits beside their clock"],
    rows: (now) =>
      Effect.map(displacedBookings(now), (all) => [...Map.groupBy(all, ({ time_zone }) => time_zone).values()]),
    of: (visits) => {
      const [first] = visits
      return first === undefined
        ? undefined
        : {
            what: "visits beside their clock",
            id: first.time_zone,
            detail: `${counted(visits.length, "booking")} to come, the first ${first.reference} in ${first.playroom_name}: agreed for ${shortLocal(first.local_start)}, and shown at ${shortDateTime(first.time_zone, first.starts_at)} by ${rulesInWords()}`,
            fix: "playroom clocks says what becomes of each, and playroom clocks --apply gives them back their hour"
          }
    }
  }),
  kind({
    codes: ["closed times beside their clock"],
    rows: (now) =>
      Effect.map(displacedClosures(now), (all) => [...Map.groupBy(all, ({ time_zone }) => time_zone).values()]),
    of: (closures) => {
      const [first] = closures
      return first === undefined
        ? undefined
        : {
            what: "closed times beside their clock",
            id: first.time_zone,
            detail: `${counted(closures.length, "closed time")}, the first of ${first.playroom_name}: said for ${shortLocal(first.local_times.start)} to ${shortLocal(first.local_times.end)}, and shown at ${shortDateTime(first.time_zone, first.start)} to ${shortDateTime(first.time_zone, first.end)} by ${rulesInWords()}`,
            fix: "playroom clocks says what becomes of each, and playroom clocks --apply gives them back their hours"
          }
    }
  })
]

// What needs a person of letters to families.

/** A mail server that is away for a while is none. */
const lettersDelayedMs = hourMs

/** In the order in which they are reported. */
const letterFindings = [
  kind({
    codes: ["letter not sent"],
    rows: () => LetterOutbox.use((outbox) => outbox.dead),
    of: ({ attempts, booking_id, kind, letter_id, outcome, reference }) => ({
      what: "letter not sent",
      id: letter_id,
      detail: `${kind} of ${reference}, after ${counted(attempts, "attempt")}: ${outcome ?? "no reason given"}`,
      fix: `see the address by playroom booking show ${booking_id} and tell the family in another way, then playroom doctor --settle ${letter_id}; playroom doctor --revive ${letter_id} sends it again`
    }),
    counted: { gauge: "letters_dead", rows: deadLetters }
  }),
  kind({
    codes: ["letters delayed"],
    rows: (now) =>
      Effect.map(
        LetterOutbox.use((outbox) => outbox.delayed(now - lettersDelayedMs)),
        (found) => (found === undefined ? [] : [found])
      ),
    of: ({ letters, outcome, since }) => ({
      what: "letters delayed",
      id: "MAIL_URL",
      detail: `${counted(letters, "letter")} to families, the oldest since ${at(since)}; last: ${outcome ?? "no reason given"}`,
      fix: "see whether the mail server answers, and whether MAIL_URL and MAIL_FROM are what it takes; they are tried again for two days, and for a month if it refuses the sender"
    })
  })
]

// The findings about disputes, by their states.

const disputed = {
  what: "payment disputed" as const,
  notice: "disputed" as const,
  fix: () => "answer it in the provider's dashboard; the payer may have had a refund, or mean another booking"
}

/** The finding for each state of a dispute, and what to do before it is settled. */
const disputeFindings = {
  inquiry: disputed,
  open: disputed,
  appealed: disputed,
  lost: {
    what: "dispute lost" as const,
    notice: "dispute_lost" as const,
    fix: (booking_id: string) =>
      `the payer has the money back, twice if it was refunded as well: playroom booking show ${booking_id}, and decide about the visit, unless it was cancelled`
  },
  closed: {
    what: "dispute won after it was lost" as const,
    notice: "dispute_won" as const,
    fix: (booking_id: string) =>
      `the operator has the money again, and what a cancellation owes is sent by itself: playroom booking show ${booking_id}; if the visit was cancelled for the dispute, ask the family whether it wants to book again`
  }
} as const satisfies Record<
  DisputeState,
  { readonly what: string; readonly notice: string; readonly fix: (booking_id: string) => string }
>

/** What a person has to know of a dispute in its present state, and to do about it. */
export const disputeFinding = (dispute: DisputeRow) => {
  const { amount, booking_id, currency, dispute_id, due_by, reason, status } = dispute
  const { fix, what } = disputeFindings[disputeState(status)]
  const by = due_by === null || what !== "payment disputed" ? "" : `, to be answered by ${inUtc(due_by)}`
  return {
    what,
    id: dispute_id,
    detail: `${display(amount, currency)} of ${booking_id}: ${status} (${reason})${by}`,
    fix: `${fix(booking_id)}; then playroom doctor --settle ${dispute_id}`
  } satisfies Finding
}

// What needs a person of other calendars: what can't be read, and bookings at times that are busy there.

/** In the order in which they are reported. */
const calendarFindings = [
  kindForOperator({
    codes: ["calendar not read", "calendar event not read"],
    rows: (now, operator_id) =>
      Effect.map(
        CalendarFeeds.use((feeds) => feeds.reported(now, limit, operator_id)),
        (feeds) =>
          feeds.flatMap((feed) => {
            const since = unreadSince(feed, now)
            return [
              ...(since === undefined ? [] : [{ ...feed, since, at: "", why: feed.failure ?? "", told: true }]),
              // Its operator is told once of a calendar with such events.
              ...feed.unread.map((event, i) => ({ ...feed, since: undefined, ...event, told: i === 0 }))
            ]
          })
      ),
    notice: ({ name: calendar, playroom_name, since, told }) => {
      if (since !== undefined) return { kind: "calendar_not_read", calendar, playroom_name, since }
      return told ? { kind: "calendar_event_not_read", calendar, playroom_name } : undefined
    },
    of: (it) =>
      it.since === undefined
        ? {
            what: "calendar event not read",
            id: it.playroom_id,
            detail: `the calendar ${it.name} of ${it.playroom_name} has an event of ${it.at}, and ${it.why}`,
            fix: "close these times in the catalogue file (closures), or have the event written in another way"
          }
        : {
            what: "calendar not read",
            id: it.playroom_id,
            detail: `the calendar ${it.name} of ${it.playroom_name} has not been read since ${at(it.since)}: ${it.why}; what was read before still counts`,
            fix: "see whether its address in the catalogue file (calendars) still leads to an .ics file, and import the file with the new one; it is asked every five minutes"
          },
    counted: { gauge: "calendars_failing", rows: failingFeeds }
  }),
  kindForOperator({
    codes: ["booking when another calendar is busy"],
    rows: (now, operator_id) => CalendarFeeds.use((feeds) => feeds.busyBookings(now, limit, operator_id)),
    notice: ({ booking_id, calendar, playroom_name }) => ({
      kind: "booking_when_calendar_is_busy",
      booking_id,
      calendar,
      playroom_name
    }),
    of: (it) => ({
      what: "booking when another calendar is busy",
      id: it.booking_id,
      detail: `${it.reference} has ${it.playroom_name} at ${at(it.starts_at)}, and the calendar ${it.calendar} is busy from ${at(it.busy_from)} to ${at(it.busy_to)}`,
      fix: `ask the venue who comes: if it is the same party, its entry gets the reference ${it.reference} in its title; if not, playroom booking move or cancel ${it.booking_id}, or the other one goes`
    })
  })
]

/**
 * Refunds take five to ten business days (https://docs.stripe.com/refunds). After this long without a result, a person
 * must check.
 */
const refundPendingMs = 16 * dayMs
/** A refund that can't be sent for this long usually belongs to a disconnected account. */
const refundUnsentMs = 6 * hourMs
/** Events are applied within seconds. Longer waits are reported. */
const maxEventDelayMs = 15 * minuteMs
/** How long before their end the keys of `/mcp/connect` are reported. */
const keyWarningMs = 30 * dayMs

const keyFix =
  "give STRIPE_SECRET_KEY a key that the provider accepts (its dashboard, Developers, API keys), and restart the service"
const waitFix = "look at the provider's status page; calls are tried again by themselves"

/** The fix for each kind of provider failure. */
const providerFixes: Readonly<Record<ProviderFailure["kind"], string>> = {
  network: "see whether this machine reaches the provider: name service, network, proxy, firewall",
  timeout: "see whether this machine reaches the provider, and the provider's status page",
  failing: waitFix,
  rate_limited: "see in the provider's dashboard what else makes calls with this key",
  key_refused: keyFix,
  settings_refused: "see whether the provider takes BASE_URL as an address to return to",
  clock_refused:
    "set this machine's clock by a time server (timedatectl status); payment pages work again by themselves",
  request_refused: "no payment page can be made so: see in the log what the provider refused, and report it with that",
  under_way: waitFix,
  paused: waitFix
}

/** Why deliveries are refused. Only a valid signature shows that they are the provider's. */
const refusedBecause = ({ reason, seconds_ahead }: RefusedInARow): string => {
  switch (reason) {
    case "signature_stale":
      return `they are the provider's, and were signed ${counted(Math.abs(seconds_ahead ?? 0), "second")} ${(seconds_ahead ?? 0) > 0 ? "ahead of" : "before"} this machine's time`
    case "signature_invalid":
      return "no secret of this receiver made their signatures. Either somebody else posts there, which does no harm, or the secret is not the endpoint's"
    case "signature_missing":
      return "they had no signature. Either somebody else posts there, which does no harm, or a proxy removes the header Stripe-Signature"
    case "event_malformed":
      return "they are signed with the right secret, and are no events that this release can read"
  }
}
const refusedFixes: Readonly<Record<RefusedInARow["reason"], string>> = {
  signature_stale:
    "set this machine's clock by a time server (timedatectl status); the provider delivers again by itself",
  signature_invalid:
    "see in the provider's dashboard (Developers, Webhooks) whether its deliveries fail; if they do, playroom provider setup --check says which secret is missing",
  signature_missing:
    "see in the provider's dashboard (Developers, Webhooks) whether its deliveries fail; if they do, have the proxy pass all headers on",
  event_malformed: "see the delivery in the provider's dashboard (Developers, Webhooks), and report it"
}

const when = (time: number | null) => (time === null ? "once" : inUtc(time))

/** Why the replica is not read from; undefined if it is. */
export const replicaFinding = (found: Examined) => {
  if (found.is === "used") return undefined
  const { fix, is } = replicaProblems[found.is]
  const because = found.failure === undefined ? "" : ` (${describeCause(found.failure)})`
  const detail = `it ${is}${because}; public reads go to the primary`
  return { what: "replica not used", id: "DATABASE_REPLICA_URL", detail, fix } as const
}

/** In the order in which they are reported. */
export const actionItems = [
  kind({
    codes: ["database"],
    rows: () =>
      Effect.map(
        Migrations.use((migrations) => migrations.ready),
        (ready) => (ready ? [] : ["-"])
      ),
    of: (id) => ({ what: "database", id, detail: "not migrated", fix: "start the service once" })
  }),
  kind({
    codes: ["replica not used"],
    rows: () => Effect.map(examineReplica, (found) => (found === undefined ? [] : [found])),
    of: replicaFinding
  }),
  kind({
    codes: ["keys near their end"],
    rows: () =>
      Effect.map(
        ConnectKeys.use((keys) => keys.newest),
        (since) => (since === undefined ? [] : [since])
      ),
    of: (since, now) =>
      now < since + keyLifeMs - keyWarningMs
        ? undefined
        : {
            what: "keys near their end",
            id: "connect",
            detail: `the authorization server has used the same keys since ${at(since)}, and should until ${at(since + keyLifeMs)} at most`,
            fix: "playroom connect rotate-keys"
          }
  }),
  kind({
    codes: ["payment provider"],
    rows: () => ProviderHealth.use((health) => health.failures),
    of: (failure) => ({
      what: "payment provider",
      id: failure.kind,
      detail: `since ${inUtc(failure.since)}, last at ${inUtc(failure.last_at)}: ${failure.reason}`,
      fix: providerFixes[failure.kind]
    })
  }),
  kind({
    codes: ["clock is wrong"],
    rows: () => ProviderHealth.use((health) => health.clocks),
    of: ({ host, last_at, offset_ms, since }) => ({
      what: "clock is wrong",
      id: host,
      detail: `the clock of ${host} is ${counted(Math.round(Math.abs(offset_ms) / 1000), "second")} ${offset_ms > 0 ? "behind" : "ahead of"} the payment provider's, since ${inUtc(since)}, last at ${inUtc(last_at)} (by that clock): holds and payment pages end at wrong times, and from five minutes on no event is taken`,
      fix: "set the clock of that machine by a time server (timedatectl status); this goes with the next call to the provider"
    }),
    counted: { gauge: "clocks_off", rows: clocksOff }
  }),
  kind({
    codes: ["deliveries refused"],
    rows: () => deliveriesRefused,
    of: (row) => ({
      what: "deliveries refused",
      id: row.receiver,
      detail: `${counted(row.count, "delivery", "deliveries")} in a row at ${receiverPaths[row.receiver]} since ${inUtc(row.since)}, last at ${inUtc(row.last_at)}, and none taken since: ${refusedBecause(row)}`,
      fix: refusedFixes[row.reason]
    }),
    counted: { gauge: "deliveries_refused", rows: refusedInARow }
  }),
  kind({
    codes: ["event given up"],
    rows: () => EventRecords.use((events) => events.list({ status: "dead", limit })),
    of: (event) => ({
      what: "event given up",
      id: event.event_id,
      detail: `${event.type}: ${event.outcome ?? "no outcome"}`,
      fix: `playroom webhook retry ${event.event_id}`
    }),
    counted: { gauge: "webhook_events", status: "dead", rows: (sql) => eventsIn(sql, "dead") }
  }),
  kind({
    codes: ["voucher sold online"],
    rows: () => VoucherSales.use((sales) => sales.troubles),
    of: ({ operator_id, voucher_id, why }) => ({
      what: "voucher sold online",
      id: voucher_id,
      detail: `of ${operator_id}: ${why}`,
      fix: `playroom voucher show ${voucher_id}, and the provider's dashboard; playroom voucher undo ${voucher_id} sends what is left of its payment back, once more if that failed; then playroom doctor --settle ${voucher_id}`
    })
  }),
  kind({
    codes: ["payment of an unknown booking", "event rejected"],
    rows: () => EventRecords.use((events) => events.list({ status: "rejected", limit })),
    of: (event) => {
      const unknown = event.booking_id !== null && event.payment_session_id === null
      return {
        what: unknown ? "payment of an unknown booking" : "event rejected",
        id: event.event_id,
        detail: `${event.type}: ${event.outcome ?? "no outcome"}${unknown ? ` (${event.booking_id}, account ${event.account ?? "-"})` : ""}`,
        fix: unknown
          ? `as after a restored backup: playroom payment reconcile --since ${at(event.received_at - dayMs)}; where it is none of yours, playroom doctor --settle ${event.event_id}`
          : `playroom webhook show ${event.event_id}, compare with the provider's dashboard, then playroom doctor --settle ${event.event_id}`
      }
    },
    counted: { gauge: "webhook_events", status: "rejected", rows: (sql) => eventsIn(sql, "rejected") }
  }),
  kind({
    codes: ["event not applied yet"],
    rows: (now) =>
      EventRecords.use((events) => events.list({ status: "received", before: now - maxEventDelayMs, limit })),
    of: (event) => ({
      what: "event not applied yet",
      id: event.event_id,
      detail: `${event.type}, received ${new Date(event.received_at).toISOString()}, ${counted(event.attempts, "try", "tries")}: ${event.outcome ?? "no node has come to it"}`,
      fix:
        event.attempts === 0
          ? "see whether a node is running, and what it logs"
          : `it is tried again until it can be applied; see playroom webhook show ${event.event_id}`
    })
  }),
  kind({
    codes: ["bookings that can't take place"],
    rows: () =>
      Effect.map(
        BookingList.use((list) => list.affected({ limit })),
        (all) => [...Map.groupBy(all, ({ operator_id }) => operator_id).entries()]
      ),
    of: ([operator_id, bookings]) => {
      const [first] = bookings
      return first === undefined
        ? undefined
        : {
            what: "bookings that can't take place",
            id: operator_id,
            detail: `${counted(bookings.length, "booking")} to come, the first ${first.reference} in ${first.playroom_name}, ${shortDateTime(first.time_zone, first.starts_at)}: ${whyAffected(first)}`,
            fix: `playroom booking closed --operator ${operator_id} lists them and decides; the venue does by its desk, too. What it keeps is named until the time is open again (playroom closure lift) or the visit is over`
          }
    }
  }),
  kind({
    codes: ["booking not accounted for"],
    rows: () => DueBookings.use((bookings) => bookings.flagged(limit)),
    of: (booking) => ({
      what: "booking not accounted for",
      id: booking.booking_id,
      detail: `${booking.reference}: ${booking.flagged}`,
      fix: `playroom booking show ${booking.booking_id}, put it right with the family and the operator, then playroom doctor --settle ${booking.booking_id}`
    })
  }),
  kindForOperator({
    codes: ["paid back while confirmed"],
    rows: (now, operator_id) => DueBookings.use((bookings) => bookings.paidBack(now, limit, operator_id)),
    notice: (booking) =>
      isPaidBack(booking, 0)
        ? {
            kind: "paid_back",
            booking_id: booking.booking_id,
            amount: booking.paid,
            currency: booking.currency
          }
        : undefined,
    of: (booking) =>
      isPaidBack(booking, 0)
        ? {
            what: "paid back while confirmed",
            id: booking.booking_id,
            detail: `${booking.reference}: all ${display(booking.paid, booking.currency)} that was paid went back, and the visit of ${at(booking.starts_at)} keeps its places`,
            fix: `ask the operator: if the visit does not take place, playroom booking cancel ${booking.booking_id} --refund none --reason …; if it does, playroom doctor --settle ${booking.booking_id}`
          }
        : undefined
  }),
  kind({
    codes: ["payment is not what was asked for", "payment not accounted for"],
    rows: () => PaymentSessions.use((sessions) => sessions.flagged),
    of: (session) => ({
      what: session.misfit === null ? "payment not accounted for" : "payment is not what was asked for",
      id: session.payment_session_id,
      detail:
        session.misfit === null
          ? `${session.flagged ?? ""} (${display(session.amount, session.currency)}, ${session.booking_id})`
          : `${display(session.misfit.amount, session.misfit.currency)} ${session.misfit.paid ? "was paid" : "is on its way"} since ${at(session.misfit.at)}, ${display(session.amount, session.currency)} was asked for (${session.booking_id}): ${session.flagged ?? ""}. Its places are kept, and nobody is asked to pay, until somebody decides`,
      fix:
        session.misfit !== null
          ? `look at ${session.provider_session_id ?? "the session"} in the provider's dashboard of ${session.account}, and ask the operator; then playroom payment decide ${session.payment_session_id} --take, if the money is this booking's, or --send-back`
          : `look at ${session.provider_session_id ?? "the session"} in the provider's dashboard of ${session.account}, then playroom doctor --settle ${session.payment_session_id}`
    })
  }),
  kind({
    codes: ["payment page without an answer"],
    rows: (now) => PaymentSessions.use((sessions) => sessions.unanswered(now)),
    of: (session) => ({
      what: "payment page without an answer",
      id: session.payment_session_id,
      detail: `it closed at ${new Date(session.expires_at).toISOString()}, and the provider did not say for ${session.account} whether it was paid (${display(session.amount, session.currency)}, ${session.booking_id})`,
      fix: `see whether the operator's account is still connected, and look at ${session.provider_session_id ?? "the session"} there; where nothing was paid, playroom doctor --settle ${session.payment_session_id}`
    })
  }),
  kind({
    codes: ["payment page not made", "payment without a result"],
    rows: () => Reconciliation.use((reconciliation) => reconciliation.stuck),
    of: ({ ends_at, session, since }) => ({
      what: session.status === "creating" ? "payment page not made" : "payment without a result",
      id: session.payment_session_id,
      detail: `${session.status} since ${at(since)}${session.unresponsive_since === null ? "" : `, and since ${at(session.unresponsive_since)} the provider does not answer for ${session.account}`} (${display(session.amount, session.currency)}, ${session.booking_id})${ends_at === undefined ? "" : `; its places are released at ${at(ends_at)}`}`,
      fix:
        session.status === "creating"
          ? `see whether a node is running, and what it logs; playroom doctor --settle ${session.payment_session_id} gives the page up`
          : `look at ${session.provider_session_id ?? "the session"} in the provider's dashboard, and whether ${session.account} is still connected; where nothing was paid, playroom doctor --settle ${session.payment_session_id} releases what it keeps`
    })
  }),
  kind({
    codes: ["refund without a result"],
    rows: (now) => RefundRecords.use((refunds) => refunds.pendingSince(now - refundPendingMs)),
    of: (refund) => ({
      what: "refund without a result",
      id: refund.refund_id,
      detail: `${refund.status} since ${at(refund.created_at)}: ${display(refund.amount, refund.currency)} of ${refund.booking_id}`,
      fix: `look at ${refund.provider_refund_id ?? "the payment"} in the provider's dashboard of ${refund.request.account}; where the payer has the money, playroom doctor --settle ${refund.refund_id}`
    })
  }),
  kind({
    codes: ["refund not sent yet"],
    rows: (now) => RefundRecords.use((refunds) => refunds.unsentSince(now - refundUnsentMs)),
    of: (refund) => ({
      what: "refund not sent yet",
      id: refund.refund_id,
      detail: `decided at ${at(refund.created_at)}: ${display(refund.amount, refund.currency)} of ${refund.booking_id}`,
      fix: `see whether ${refund.request.account} is still connected, and what the log says; it is tried again until it can be sent${refund.sent_at === null ? `. Where you paid it back in another way, playroom doctor --settle ${refund.refund_id}` : ""}`
    })
  }),
  kindForOperator({
    codes: ["refund failed"],
    rows: (_, operator_id) => Refunds.use((refunds) => refunds.failed(operator_id)),
    notice: ({ amount, booking_id, currency }) =>
      amount === 0 ? undefined : { kind: "refund_failed", booking_id, amount, currency },
    of: (refund) => ({
      what: "refund failed",
      id: refund.refund_id,
      detail: `${display(refund.amount, refund.currency)} of ${refund.booking_id}: ${refund.failure ?? "no reason given"}`,
      fix: `playroom doctor --revive ${refund.refund_id} sends it again; --settle ${refund.refund_id} where you paid it back in another way`
    }),
    counted: { gauge: "refunds_unsettled", status: "failed", rows: failedRefunds }
  }),
  ...subscriptionFindings,
  ...currencyFindings,
  kindForOperator({
    codes: ["account takes no payments"],
    rows: (_, operator_id) =>
      Effect.map(
        Operators.use((operators) => operators.closedAccounts(limit, operator_id)),
        (found) =>
          found.flatMap(({ account_closed, ...it }) =>
            account_closed === undefined ? [] : [{ ...it, ...account_closed }]
          )
      ),
    notice: ({ since }) => ({ kind: "account_closed", since }),
    of: ({ connected_account_id: account = "", name, operator_id, since, why }) => ({
      what: "account takes no payments",
      id: operator_id,
      detail: `${account} of ${name}, since ${at(since)}: ${why}; it sells nothing until the account takes payments`,
      fix: `playroom operator show ${operator_id} says what the provider asks for, and ${name} answers it there, or connects the account anew; the provider is asked every five minutes, and the operator is on sale again by itself`
    })
  }),
  kindForOperator({
    codes: ["refund waits for money", "refund waits for a dispute"],
    rows: () => RefundRecords.use((refunds) => refunds.waiting),
    notice: ({ amount, booking_id, currency, waits_for }) => ({
      kind: waits_for === "balance" ? "refund_waits_for_money" : "refund_waits_for_dispute",
      booking_id,
      amount,
      currency
    }),
    of: (refund) => ({
      what: refund.waits_for === "balance" ? "refund waits for money" : "refund waits for a dispute",
      id: refund.refund_id,
      detail: `${display(refund.amount, refund.currency)} of ${refund.booking_id}, since ${when(refund.waits_since)}; tried again at ${when(refund.retry_at)}`,
      fix:
        refund.waits_for === "balance"
          ? `add money to the balance of ${refund.request.account} at the provider; playroom doctor --revive ${refund.refund_id} tries it at once; --settle ${refund.refund_id} where you paid it back in another way`
          : `answer the dispute in the provider's dashboard of ${refund.request.account}; the refund goes out, or is settled, when it is decided`
    })
  }),
  kindForOperator({
    codes: ["refund to give back by hand"],
    rows: () => RefundRecords.use((refunds) => refunds.atVenue),
    notice: ({ amount, booking_id, currency }) => ({ kind: "refund_at_venue", booking_id, amount, currency }),
    of: (refund) => ({
      what: "refund to give back by hand",
      id: refund.refund_id,
      detail: `${display(refund.amount, refund.currency)} of ${refund.booking_id}, which was paid at the venue, since ${when(refund.waits_since)}`,
      fix: `give it back, then playroom payment returned ${refund.refund_id} --way cash (or card, or transfer)`
    })
  }),
  kindForOperator({
    codes: ["dispute lost", "dispute won after it was lost", "payment disputed"],
    rows: () => Disputes.use((disputes) => disputes.unseen),
    notice: ({ amount, booking_id, currency, status }) => ({
      kind: disputeFindings[disputeState(status)].notice,
      booking_id,
      amount,
      currency
    }),
    of: disputeFinding
  }),
  kindForOperator({
    codes: ["balance overdue"],
    rows: (now, operator_id) => DueBookings.use((bookings) => bookings.unpaidBalances(now, now, limit, operator_id)),
    notice: ({ booking_id, currency, due_now, total }) => ({
      kind: "balance_overdue",
      booking_id,
      amount: total - due_now,
      currency
    }),
    of: ({ booking_id, currency, due_now, reference, starts_at, terms, total }) => ({
      what: "balance overdue",
      id: booking_id,
      detail: `${reference}: ${display(total - due_now, currency)} has been due since ${at(Date.parse(terms.price.balance_due_at ?? ""))}; the visit is at ${at(starts_at)}`,
      fix: `remind the family: playroom booking link ${booking_id} gives the page on which it can pay; or take the money at the venue (playroom payment record ${booking_id}), or playroom booking cancel ${booking_id}`
    }),
    counted: { gauge: "balances_overdue", rows: overdueBalances }
  }),
  kindForOperator({
    codes: ["unpaid after the visit"],
    rows: (now, operator_id) => DueBookings.use((bookings) => bookings.unpaidAfterVisit(now, limit, operator_id)),
    notice: ({ booking_id, currency, due_now, total }) => ({
      kind: "unpaid_after_visit",
      booking_id,
      amount: total - due_now,
      currency
    }),
    of: ({ booking_id, currency, due_now, ends_at, reference, total }) => ({
      what: "unpaid after the visit",
      id: booking_id,
      detail: `${reference}: ${display(total - due_now, currency)} is still to be paid; the visit ended at ${at(ends_at)}`,
      fix: `ask the venue: if it took the money, playroom payment record ${booking_id}; if nobody will pay it, playroom doctor --settle ${booking_id}`
    })
  }),
  kind({
    codes: ["provider call given up"],
    rows: () => ProviderTasks.use((tasks) => tasks.dead),
    of: (task) => ({
      what: "provider call given up",
      id: task.id,
      detail: `after ${counted(task.attempts, "attempt")}: ${task.last_failure ?? "no reason given"}`,
      fix: `playroom doctor --revive ${task.id}`
    }),
    counted: { gauge: "provider_tasks_dead", rows: deadTasks }
  }),
  ...zoneFindings,
  ...calendarFindings,
  ...letterFindings
]

// Looks for what needs a person now.

/** What an operator is told now of its own bookings. */
export const noticesOf = Effect.fn("noticesOf")(function* (operator_id: string) {
  const now = yield* Clock.currentTimeMillis
  const told = actionItems.flatMap((entry) => ("notices" in entry ? [entry.notices(operator_id, now)] : []))
  return (yield* Effect.all(told)).flat()
})

/** All that needs a person now. A kind that can't be looked for hides no other. */
export const findings = Effect.gen(function* () {
  const now = yield* Clock.currentTimeMillis
  const outcomes = yield* Effect.all(actionItems.map(({ find }) => find(now)))
  return [...doneOf(outcomes).flatMap(({ value }) => value), ...unchecked(outcomes)]
})
