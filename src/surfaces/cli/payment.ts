/**
 * `playroom payment …`: records what was paid at the venue or went back there by hand, and finds payments that the
 * provider has but this database lacks, as after restoring a backup.
 */

import { Clock, Console, Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Bookings } from "../../domain/booking/Bookings.ts"
import { Operators } from "../../domain/catalogue/Operators.ts"
import { InstantText } from "../../domain/import/CatalogueSchema.ts"
import { giveBackByHand, NotOwedByHand } from "../../domain/payment/changes/Presses.ts"
import {
  undoneField,
  undoPayment,
  UndoRefused,
  payAtVenue,
  payByVoucher
} from "../../domain/payment/changes/VenuePayments.ts"
import { EventRecords, EventStatus } from "../../domain/payment/events/EventRecords.ts"
import { WebhookInbox } from "../../domain/payment/events/WebhookInbox.ts"
import {
  AccountComparison,
  type Difference,
  type DifferenceKind
} from "../../domain/payment/recovery/AccountComparison.ts"
import { makeUnknownPayments } from "../../domain/payment/recovery/UnknownPayments.ts"
import { RefundRecords } from "../../domain/payment/refunds/RefundRecords.ts"
import { OfflinePaymentMethod, wayInWords } from "../../domain/payment/sessions/PaymentSession.ts"
import { PaymentSessions } from "../../domain/payment/sessions/PaymentSessions.ts"
import {
  endedOf,
  inGroups,
  maxListed,
  readCode,
  type Voucher,
  voucherPath,
  Vouchers
} from "../../domain/payment/sessions/Vouchers.ts"
import { Settlement } from "../../domain/payment/settlement/Settlement.ts"
import { AppConfig } from "../../platform/config/AppConfig.ts"
import { attempt, type Outcome } from "../../platform/concurrency/Outcomes.ts"
import { PaymentSessionId, RefundId, VoucherId } from "../../platform/ids/Ids.ts"
import { display, money } from "../../platform/money/Money.ts"
import { describeCause } from "../../platform/telemetry/LogLines.ts"
import { counted } from "../../platform/text/Text.ts"
import { dayMs, type Instant, isLocalDate } from "../../platform/time/LocalTime.ts"
import {
  booking_id,
  switchFlag,
  bookingNamed,
  bookingMissing,
  by,
  doneBy,
  given,
  idNamed,
  operatorArgument
} from "./Arguments.ts"
import { failed, providerFailed } from "./Failure.ts"
import { json, plain, print, report, fields, instant, localTime, table } from "./Output.ts"
import { aboutBooking, actCommand, pressing } from "./actCommand.ts"

// `playroom webhook …`: the payment provider's events.

const event_id = Argument.String("event-id").pipe(Argument.withDescription("evt_…, as `webhook list` shows it"))
const missing = (event_id: string) => failed(`There is no event ${event_id}: see playroom webhook list.`)

const list = Command.make(
  "list",
  {
    status: Flag.Literals("status", EventStatus.literals).pipe(
      Flag.withDescription("Only events with this status"),
      Flag.optional
    ),
    limit: Flag.Int("limit").pipe(
      Flag.withDescription("How many, newest first"),
      Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 }))),
      Flag.withDefault(50)
    ),
    json
  },
  Effect.fn(function* ({ status, limit, json }) {
    const records = yield* EventRecords
    const events = yield* records.list({ limit, ...given("status", status) })
    yield* print(
      json,
      events,
      events.length === 0
        ? "No events."
        : table(
            ["RECEIVED", "EVENT", "TYPE", "ACCOUNT", "BOOKING", "STATUS", "TRIES", "OUTCOME"],
            events.map((event) => [
              instant(event.received_at),
              event.event_id,
              event.type,
              event.account ?? event.receiver,
              event.booking_id ?? "",
              event.status,
              String(event.attempts),
              event.outcome ?? ""
            ])
          )
    )
  })
).pipe(Command.withDescription("List the provider's events and what became of them"))

const show = Command.make(
  "show",
  { event_id, json },
  Effect.fn(function* ({ event_id, json }) {
    const found = yield* EventRecords.use((records) => records.show(event_id))
    if (Option.isNone(found)) return yield* missing(event_id)
    const event = found.value
    return yield* print(
      json,
      event,
      `${fields([
        ["event", event.event_id],
        ["type", event.type],
        ["receiver", event.receiver],
        ["account", event.account ?? undefined],
        ["payment", event.payment_session_id ?? undefined],
        ["booking", event.booking_id ?? undefined],
        ["api version", event.api_version ?? undefined],
        ["received", instant(event.received_at)],
        ["status", event.status],
        ["outcome", event.outcome ?? undefined],
        ["tries", event.attempts],
        ["applied", event.applied_at === null ? undefined : instant(event.applied_at)],
        ["next try", event.status === "received" ? instant(event.next_attempt_at) : undefined]
      ])}\n\n${event.payload}`
    )
  })
).pipe(Command.withDescription("Show one event with its body"))

const retry = Command.make(
  "retry",
  { event_id, json },
  Effect.fn(function* ({ event_id, json }) {
    const found = yield* WebhookInbox.use((inbox) => inbox.retry(event_id))
    if (!found) return yield* missing(event_id)
    return yield* print(json, { event_id, retrying: true }, `${event_id} will be applied again by a running node.`)
  })
).pipe(Command.withDescription("Let an event be applied again; doing so twice does no harm"))

export const webhook = Command.make("webhook").pipe(
  Command.withDescription("List, show and retry the payment provider's events"),
  Command.withSubcommands([list, show, retry])
)

const way = Flag.Literals("way", OfflinePaymentMethod.literals).pipe(
  Flag.withDescription("How: cash, card or transfer")
)

const record = actCommand(payAtVenue, aboutBooking)
const byVoucher = actCommand(payByVoucher, aboutBooking)

/** The booking of a payment. */
const bookingOf = Effect.fnUntraced(function* (id: string) {
  const found = yield* PaymentSessions.use((sessions) => sessions.find(PaymentSessionId.make(id)))
  if (Option.isSome(found)) return yield* Bookings.use((bookings) => bookings.get(found.value.booking_id))
  return yield* failed(new UndoRefused({ payment_session_id: id, reason: "not_recorded" }))
})

const undo = actCommand(undoPayment, {
  name: undoneField.name,
  param: Argument.String("payment").pipe(
    Argument.withDescription(undoneField.flag),
    Argument.withSchema(PaymentSessionId)
  ),
  find: (id) => Effect.catchTags(bookingOf(id), bookingMissing(id))
})

/** A person's word about a payment that is not what was asked for. */
const decide = Command.make(
  "decide",
  {
    payment_session_id: Argument.String("payment").pipe(
      Argument.withDescription("payment_…, as `doctor` and `booking show` print it"),
      Argument.withSchema(PaymentSessionId)
    ),
    take: switchFlag(
      "take",
      "The money is this booking's: what is missing is due as usual, and what is too much goes back"
    ),
    sendBack: switchFlag("send-back", "The money goes back to the payer, and the booking asks for its own again"),
    by,
    json
  },
  Effect.fn(function* ({ by, json, payment_session_id, sendBack, take }) {
    if (take === sendBack) return yield* failed("Say either --take or --send-back.")
    const { done_by } = yield* doneBy(by)
    const done = yield* Settlement.use((settlement) =>
      settlement.decide(payment_session_id, take ? "take" : "send_back", done_by)
    ).pipe(Effect.catchTags({ MisfitUndecided: failed }))
    const { amount, asked, booking, currency, text } = done
    return yield* print(
      json,
      { payment_session_id, decision: take ? "take" : "send_back", amount: money(amount, currency), booking, text },
      `${booking.reference}, ${display(amount, currency)} where ${display(asked, booking.currency)} was asked ` +
        `for: ${text}. The booking is ` +
        `${booking.status}.${take ? "" : " A running node sends the refund to the provider."}`
    )
  })
).pipe(
  Command.withDescription(
    "Decide about money that is not what was asked for, as the doctor names it. Taken, it is this booking's: what is missing is due, what is too much goes back. Sent back, the booking asks again, or ends; in another currency or mode nothing else is possible"
  )
)

/** A refund that a person has given back by hand. */
const returned = Command.make(
  "returned",
  {
    refund_id: Argument.String("refund").pipe(
      Argument.withDescription("refund_…, as `doctor` and `booking show` print it"),
      Argument.withSchema(RefundId)
    ),
    way,
    by,
    json
  },
  Effect.fn(function* ({ by, json, refund_id, way }) {
    const found = yield* RefundRecords.use((refunds) => refunds.find(refund_id))
    if (Option.isNone(found)) return yield* failed(new NotOwedByHand({ refund_id }))
    const { booking_id } = found.value
    const { amount } = yield* pressing(giveBackByHand, booking_id, { refund: refund_id, way }, by)
    return yield* print(
      json,
      { refund_id, booking_id, amount: amount.amount, currency: amount.currency, way },
      `${refund_id}: ${amount.display} was given back ${wayInWords[way]}, and so says the history of ${booking_id}.`
    )
  })
).pipe(
  Command.withDescription(
    "Record that you gave a refund back by hand: of a payment at the venue, or where the provider could not"
  )
)

/** Older backups are not useful, and each payment since then costs a request. */
const maxAgeMs = 90 * dayMs

const decodeInstant = Schema.decodeUnknownOption(InstantText)
const firstInstant = (text: string): Option.Option<Instant> =>
  isLocalDate(text) ? Option.some(Date.parse(`${text}T00:00:00Z`)) : decodeInstant(text)

const readSince = Effect.fnUntraced(function* (text: string) {
  const since = firstInstant(text)
  const now = yield* Clock.currentTimeMillis
  if (Option.isSome(since) && since.value <= now && since.value >= now - maxAgeMs) return since.value
  return yield* failed(
    `--since takes when the backup was made, or a little earlier, in the last ${maxAgeMs / dayMs} days: a date, ` +
      "like 2027-01-31, or an instant with its offset, like 2027-01-31T12:00:00+00:00; not " +
      `${JSON.stringify(text)}.`
  )
})

/** The given account, or those that operators have or had, sorted: a payment is on the account that it was made on. */
const accountsOf = Effect.fnUntraced(function* (account: Option.Option<string>) {
  if (Option.isSome(account)) return [account.value]
  const operators = yield* Operators
  const accounts = yield* Effect.forEach(yield* operators.list, operators.accounts)
  return [...new Set(accounts.flat())].toSorted()
})

/** Some of an account's payments could not be compared. The others were. */
class PaymentsFailed extends Schema.TaggedError<PaymentsFailed>()("PaymentsFailed", {
  payments: Schema.Array(Schema.Struct({ payment: Schema.String, why: Schema.String }))
}) {
  override get message(): string {
    const each = this.payments.map(({ payment, why }) => `${payment}: ${why}`).join("; ")
    return `${counted(this.payments.length, "payment")} could not be compared, the others were: ${each}`
  }
}

const headings: Readonly<Record<DifferenceKind, readonly [done: string, dry: string]>> = {
  settled: ["payment settled", "payment to settle"],
  assigned: ["payment given to its booking", "payment to give to its booking"],
  rebooked: ["booked again", "to book again"],
  page_closed: ["page closed", "page to close"],
  refunded: ["refund noted", "refund to note"],
  disputed: ["dispute noted", "dispute to note"],
  dispute_changed: ["dispute noted", "dispute to note"],
  unknown_payment: ["payment of an unknown booking", "payment of an unknown booking"],
  misfit: ["payment does not fit", "payment does not fit"]
}

const advice = ({
  account,
  booking_id,
  kind,
  needs_person,
  provider_session_id
}: Difference): ReadonlyArray<string> => {
  switch (kind) {
    case "assigned":
      return needs_person
        ? [
            `  → playroom booking show ${booking_id}, and move or change it as the family knows it; then ` +
              `playroom doctor --settle ${booking_id}`
          ]
        : []
    case "unknown_payment":
      return [
        `  → to give it back: playroom payment refund ${provider_session_id} --account ${account} --yes`,
        `  → or book it anew with an assistant, and do not pay: playroom payment assign ${provider_session_id} ` +
          `BOOKING --account ${account}`
      ]
    case "misfit":
      return [
        `  → playroom booking show ${booking_id}; where it was moved after the backup, playroom booking move it ` +
          `again, and run this again; to give it back: playroom payment refund ${provider_session_id} ` +
          `--account ${account} --yes`
      ]
    case "refunded":
      return [
        `  → playroom booking show ${booking_id}; where the family does not come, playroom booking cancel ` +
          `${booking_id}; where an amount was given back, nothing; then playroom doctor --settle ${booking_id}`
      ]
    default:
      return []
  }
}

const lines = (finding: Difference, apply: boolean): string =>
  [
    `${headings[finding.kind][apply ? 0 : 1]}  ${finding.provider_session_id}`,
    `  ${[
      `${display(finding.amount, finding.currency)} on ${finding.account}`,
      finding.paid_for ?? finding.reference ?? finding.booking_id,
      ...(finding.payer === undefined ? [] : [finding.payer])
    ]
      .map(plain)
      .join("; ")}`,
    `  ${plain(finding.text)}`,
    ...(finding.needs_person ? advice(finding) : [])
  ].join("\n")

const reconcile = Command.make(
  "reconcile",
  {
    since: Flag.String("since").pipe(
      Flag.withDescription("When the backup was made, or a little earlier: a date or an instant with its offset")
    ),
    apply: switchFlag("apply", "Do it; without this, nothing is changed, and what would be done is printed"),
    account: Flag.String("account").pipe(
      Flag.withDescription("Only this account at the provider, acct_…; by default those that operators have or had"),
      Flag.optional
    ),
    json
  },
  Effect.fn(function* ({ account, apply, json, since }) {
    const from = yield* readSince(since)
    const comparison = yield* AccountComparison
    const accounts = yield* accountsOf(account)
    const findings: Array<Difference> = []
    const compare = Effect.fnUntraced(function* (one: string) {
      const { differences, failed: away } = yield* comparison.compare(one, { since: from, apply })
      findings.push(...differences)
      // Print results as they come: many accounts take minutes.
      if (!json) for (const finding of differences) yield* Console.log(`${lines(finding, apply)}\n`)
      const payments = away.flatMap((payment) =>
        payment.outcome === "failed" ? [{ payment: payment.item, why: describeCause(payment.cause) }] : []
      )
      if (payments.length > 0) return yield* new PaymentsFailed({ payments })
      return undefined
    })
    const outcomes: ReadonlyArray<Outcome<string>> = yield* Effect.forEach(accounts, (one) =>
      attempt(one, compare(one))
    )
    const people = findings.filter(({ needs_person }) => needs_person).length
    const rest = findings.length - people
    const complete = outcomes.every(({ outcome }) => outcome === "done")
    const found =
      findings.length > 0
        ? `${rest} ${apply ? "done" : "to do"}, ${people} for a ` +
          `person.${apply || rest === 0 ? "" : " Nothing was changed: --apply does it."}`
        : complete
          ? "nothing is missing."
          : "nothing was found missing in what was compared."
    return yield* report(json, outcomes, {
      noun: "account",
      verb: "compared",
      name: (account) => account,
      data: (account) => ({ account }),
      value: { since: new Date(from).toISOString(), applied: apply, findings },
      lines: [],
      rest: ` since ${new Date(from).toISOString()}: ${found}${complete ? "" : " Run this again."}`,
      open: people
    })
  })
).pipe(
  Command.withDescription(
    "After a backup was restored: compare the provider's payments and refunds since then, and its disputes, with " +
      "the database"
  )
)

const provider_session_id = Argument.String("session").pipe(
  Argument.withDescription("The provider's id of the payment page, cs_…, as `payment reconcile` shows it")
)
const account = Flag.String("account").pipe(Flag.withDescription("The operator's account at the provider, acct_…"))

const refund = Command.make(
  "refund",
  {
    provider_session_id,
    account,
    yes: switchFlag("yes", "Do it; without this, what would be paid back is printed"),
    json
  },
  Effect.fn(function* ({ account, json, provider_session_id, yes }) {
    const { amount, found, refund } = yield* Effect.flatMap(makeUnknownPayments, (payments) =>
      payments.refund(account, provider_session_id, { preview: !yes })
    ).pipe(Effect.catchTags(providerFailed))
    const what = `${display(amount, found.session.currency)} of ${account} to ${plain(found.payer_email ?? found.payer_name ?? "the payer")}`
    yield* print(
      json,
      { provider_session_id, account, amount, currency: found.session.currency, refund: refund ?? null },
      refund === undefined
        ? `It would pay back ${what}. Nothing was done: --yes does it.`
        : `Paid back ${what}: ${refund.id}, ${refund.status}.`
    )
  })
).pipe(Command.withDescription("Pay back a payment of a booking that is not in the database"))

const assign = Command.make(
  "assign",
  { provider_session_id, booking_id, account, json },
  Effect.fn(function* ({ account, booking_id, json, provider_session_id }) {
    const booking = yield* bookingNamed(booking_id)
    const given = yield* Effect.flatMap(makeUnknownPayments, (payments) =>
      payments.give(account, provider_session_id, booking.booking_id)
    ).pipe(Effect.catchTags(providerFailed))
    if (!given.done) return yield* failed(`Nothing was changed: ${given.why}.`)
    return yield* print(
      json,
      { provider_session_id, booking_id: booking.booking_id, outcome: given.text },
      `${provider_session_id} is a payment of ${booking.reference}: ${given.text}.`
    )
  })
).pipe(Command.withDescription("Give a payment of a booking that is not in the database to another booking"))

// `playroom voucher …`: gift vouchers, for who has no desk.

const isVoucherId = Schema.is(VoucherId)
const voucherNamed = Argument.String("voucher").pipe(
  Argument.withDescription("voucher_…, as `voucher list` shows it, or its code")
)

/** The voucher with this id or code. */
const findVoucher = Effect.fnUntraced(function* (named: string) {
  const vouchers = yield* Vouchers
  const code = readCode(named)
  const found = isVoucherId(named)
    ? yield* vouchers.find(named)
    : Option.isSome(code)
      ? yield* vouchers.byCode(code.value)
      : Option.none<Voucher>()
  return Option.isSome(found)
    ? found.value
    : yield* failed(`There is no voucher ${plain(named)}: see playroom voucher list.`)
})

const stateOf = (voucher: Voucher, now: Instant): string => {
  const { amount, left } = voucher
  const ended = endedOf(voucher, now)
  if (ended !== undefined) return ended === "voided" ? "undone" : ended
  return left === amount ? "unspent" : left === 0 ? "used up" : "spent in part"
}

const lastDay = ({ expires_at, time_zone }: Voucher): string =>
  expires_at === null ? "" : localTime(time_zone, expires_at - 1).slice(0, 10)

const listVouchers = Command.make(
  "list",
  { operator: operatorArgument, json },
  Effect.fn(function* ({ json, operator }) {
    const operator_id = yield* idNamed("operator", operator)
    const all = yield* Vouchers.use((vouchers) => vouchers.latest(operator_id))
    const now = yield* Clock.currentTimeMillis
    yield* print(
      json,
      all.map((one) => ({ ...one, state: stateOf(one, now) })),
      all.length === 0
        ? "No vouchers."
        : table(
            ["SOLD", "VOUCHER", "WORTH", "LEFT", "WAY", "UNTIL", "STATE"],
            all.map((one) => [
              localTime(one.time_zone, one.sold_at),
              one.voucher_id,
              display(one.amount, one.currency),
              display(one.left, one.currency),
              one.way,
              lastDay(one),
              stateOf(one, now)
            ])
          )
    )
  })
).pipe(Command.withDescription(`List an operator's gift vouchers, the latest ${maxListed}, with what is left of each`))

const showVoucher = Command.make(
  "show",
  { voucher: voucherNamed, json },
  Effect.fn(function* ({ json, voucher }) {
    const found = yield* findVoucher(voucher)
    const { baseUrl } = yield* AppConfig
    const code = inGroups(yield* Vouchers.use((vouchers) => vouchers.code(found.voucher_id)))
    const state = stateOf(found, yield* Clock.currentTimeMillis)
    const page_url = `${baseUrl}${voucherPath}${code}`
    return yield* print(
      json,
      { ...found, state, code, page_url },
      fields([
        ["voucher", found.voucher_id],
        ["code", code],
        ["page", page_url],
        ["worth", display(found.amount, found.currency)],
        ["left", display(found.left, found.currency)],
        ["state", state],
        ["valid until", found.expires_at === null ? undefined : lastDay(found)],
        [
          "sold",
          `${localTime(found.time_zone, found.sold_at)}, ${found.way === "link" ? "online" : wayInWords[found.way]}`
        ],
        ["by", found.sold_by ?? undefined],
        ["undone", found.voided_at === null ? undefined : localTime(found.time_zone, found.voided_at)],
        ["undone by", found.voided_by ?? undefined]
      ])
    )
  })
).pipe(Command.withDescription("Show a gift voucher, its code and the page to print; the code is like cash"))

const undoVoucher = Command.make(
  "undo",
  { voucher: voucherNamed, by, json },
  Effect.fn(function* ({ by, json, voucher }) {
    const { voucher_id } = yield* findVoucher(voucher)
    const { done_by } = yield* doneBy(by)
    const undone = yield* Vouchers.use((vouchers) => vouchers.undo(voucher_id, undefined, done_by)).pipe(
      Effect.catchTags({ VoucherKept: failed })
    )
    return yield* print(
      json,
      Option.getOrNull(undone),
      `${voucher_id} pays nothing any more. ${
        Option.getOrNull(undone)?.way === "link"
          ? "What was paid for it goes back: a running node sends that to the provider."
          : "Give back what was paid for it, in the way in which it was paid."
      }`
    )
  })
).pipe(
  Command.withDescription("Undo the sale of a gift voucher of which nothing was spent; doing so twice does no harm")
)

export const voucher = Command.make("voucher").pipe(
  Command.withDescription("List and show gift vouchers, and undo a sale"),
  Command.withSubcommands([listVouchers, showVoucher, undoVoucher])
)

export const payment = Command.make("payment").pipe(
  Command.withDescription(
    "Record payments at the venue, compare payments with the provider's, and deal with those that the database lacks"
  ),
  Command.withSubcommands([record, byVoucher, undo, returned, decide, reconcile, assign, refund])
)
