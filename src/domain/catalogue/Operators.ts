/**
 * The `operator` table: sellers, suspensions, and subscriptions with their paid periods; and the history of all that.
 */
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { OperatorId } from "../../platform/ids/Ids.ts"
import { dayMs, hourMs, type Instant, InstantFromDate, minuteMs } from "../../platform/time/LocalTime.ts"
import { decodeRows } from "../../platform/database/Rows.ts"
import {
  type ChangedBy,
  type Operator,
  OperatorEvent,
  maxPaidAheadMs,
  implausiblePaidAheadMs,
  subscriptionGraceMs
} from "./Operator.ts"
import { operatorColumn, OperatorRow } from "./Catalogue.ts"
import { Question } from "./Questions.ts"

export class OperatorNotFound extends Schema.TaggedError<OperatorNotFound>()("OperatorNotFound", {
  operator_id: Schema.String
}) {
  override get message(): string {
    return `There is no operator ${this.operator_id}.`
  }
}

/** The operator takes payments on another account already. */
class OperatorConnected extends Schema.TaggedError<OperatorConnected>()("OperatorConnected", {
  operator_id: Schema.String,
  account: Schema.String
}) {
  override get message(): string {
    return `${this.operator_id} has the connected account ${this.account} already.`
  }
}

/** Nobody pays that far ahead, so it is a typing error. */
class PaidTooFarAhead extends Schema.TaggedError<PaidTooFarAhead>()("PaidTooFarAhead", {
  until: Schema.Int
}) {
  override get message(): string {
    return `A subscription can be paid up to five years ahead, and ${new Date(this.until).toISOString().slice(0, 10)} is further.`
  }
}

/** Invoices are checked from a day before the paid period ends: hourly until a day after the grace, then daily. */
const askBeforeMs = dayMs
const askOftenUntilMs = subscriptionGraceMs + dayMs
/** So often the provider is asked whether a closed account takes payments again. Its event is faster. */
const accountCheckMs = 5 * minuteMs
/** The doctor reports a subscription this long before the grace ends. */
const warnBeforeMs = 3 * dayMs
const bySystem: ChangedBy = { who: "service" }

type MaybeOperator = Effect.Effect<Option.Option<Operator>, SqlError.SqlError>

type Changed = Effect.Effect<Operator, OperatorNotFound | SqlError.SqlError>

const InCurrency = Schema.Struct({
  operator_id: OperatorId,
  name: Schema.String,
  currency: Schema.String,
  playrooms: Schema.Int
})

const ZoneInUse = Schema.Struct({
  time_zone: Schema.String,
  country: Schema.String,
  playrooms: Schema.Int,
  /** One of them. */
  name: Schema.String
})

const PlayroomCounts = Schema.Struct({
  all: Schema.Int,
  listed: Schema.Int,
  /** ISO 3166-1 alpha-2, in order. */
  countries: Schema.Array(Schema.String)
})
export type OperatorPlayrooms = typeof PlayroomCounts.Type

/**
 * The operator of a page, how often its link was renewed, and the time zone of most of its playrooms (null if it has
 * none).
 */
const OperatorPage = Schema.Struct({
  operator_id: OperatorId,
  name: Schema.String,
  link_counter: Schema.Int,
  time_zone: Schema.NullOr(Schema.String)
})
export type OperatorPage = typeof OperatorPage.Type

/** An operator whose invoices are to be checked. `since`: when a person last set `paid_through`. */
export interface SubscriptionCheck {
  readonly operator: Operator
  readonly since: Instant | undefined
}

/**
 * The writes of a change: the columns, and the event in the history. An event without `set` only records a fact. It may
 * be delivered again, so the caller must check that it is not stored yet.
 */
interface Change {
  readonly set?: Statement.Fragment
  readonly event: OperatorEvent["event"]
  readonly was?: string | undefined
  readonly became?: string
}

const isoText = (at: Instant | undefined) => (at === undefined ? undefined : new Date(at).toISOString())

/** Whose a booking is, and what its venue wants of the family. */
export interface OperatorOfBooking {
  readonly operator: Operator
  /** What families must bring or sign. */
  readonly bring?: string
  readonly questions: ReadonlyArray<Question>
}

const accountsOf = decodeRows(Schema.Array(Schema.Struct({ account: Schema.String })))

export class Operators extends Context.Service<
  Operators,
  {
    readonly get: (operator_id: string) => Effect.Effect<Operator, OperatorNotFound | SqlError.SqlError>
    /** The operator of a booking, and what its families must bring and are asked today. */
    readonly ofBooking: (booking: {
      readonly playroom_id: string
      readonly package_id: string
    }) => Effect.Effect<OperatorOfBooking, SqlError.SqlError>
    /** The operator of a listed playroom, by its id or by a package's. */
    readonly ofListed: (by: { readonly playroom_id: string } | { readonly package_id: string }) => MaybeOperator
    /** All operators, by name. */
    readonly list: Effect.Effect<ReadonlyArray<Operator>, SqlError.SqlError>
    readonly byBillingCustomer: (billing_customer_id: string) => MaybeOperator
    readonly byConnectedAccount: (connected_account_id: string) => MaybeOperator
    /** Whether an operator has or had this account at the provider: its payments are there still. */
    readonly isKnownAccount: (account: string) => Effect.Effect<boolean, SqlError.SqlError>
    /** The accounts that an operator has or had, the present one first. */
    readonly accounts: (
      operator: Pick<Operator, "operator_id" | "connected_account_id">
    ) => Effect.Effect<ReadonlyArray<string>, SqlError.SqlError>
    /** Sets `paid_through` to `until` if that is later: it never goes back. True if it changed. */
    readonly extendPaidThrough: (
      operator_id: OperatorId,
      until: Instant,
      because?: ChangedBy
    ) => Effect.Effect<boolean, SqlError.SqlError>
    /** A person sets `paid_through` to `until`, earlier or later than it was, but at most five years ahead. */
    readonly setPaidThrough: (
      operator_id: string,
      until: Instant,
      because: ChangedBy
    ) => Effect.Effect<Operator, OperatorNotFound | PaidTooFarAhead | SqlError.SqlError>
    /** Stops listing and sales. Existing bookings stay valid. Idempotent. */
    readonly suspend: (operator_id: string, because?: ChangedBy) => Changed
    readonly resume: (operator_id: string, because?: ChangedBy) => Changed
    /** Sets the account that it takes payments on from now on. */
    readonly connect: (
      operator_id: string,
      account: string,
      because: ChangedBy
    ) => Effect.Effect<Operator, OperatorNotFound | OperatorConnected | SqlError.SqlError>
    /**
     * The provider says that this account takes no payments, and why: its operator is off sale. True if that is new.
     */
    readonly closeAccount: (account: string, why: string) => Effect.Effect<boolean, SqlError.SqlError>
    /** The provider says that this account takes payments. True if that is new. */
    readonly openAccount: (account: string) => Effect.Effect<boolean, SqlError.SqlError>
    /** Leases up to `limit` closed accounts that the provider was not asked about lately. Each goes to one node. */
    readonly leaseAccountChecks: (limit: number) => Effect.Effect<ReadonlyArray<string>, SqlError.SqlError>
    /**
     * Operators, not suspended, whose account takes no payments, the oldest first; with `operator_id`, only that one.
     */
    readonly closedAccounts: (
      limit: number,
      operator_id?: string
    ) => Effect.Effect<ReadonlyArray<Operator>, SqlError.SqlError>
    /** Operators, not suspended, with listed playrooms in any of these currencies, and how many. */
    readonly inCurrencies: (
      currencies: ReadonlyArray<string>,
      limit: number
    ) => Effect.Effect<ReadonlyArray<typeof InCurrency.Type>, SqlError.SqlError>
    /** The time zones of listed playrooms, by country. */
    readonly zonesInUse: Effect.Effect<ReadonlyArray<typeof ZoneInUse.Type>, SqlError.SqlError>
    /** The latest `limit` events, oldest first. */
    readonly history: (
      operator_id: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<OperatorEvent>, SqlError.SqlError>
    /** The number of its playrooms, how many are listed, and their countries. */
    readonly playrooms: (operator_id: string) => Effect.Effect<OperatorPlayrooms, SqlError.SqlError>
    readonly page: (operator_id: string) => Effect.Effect<OperatorPage, OperatorNotFound | SqlError.SqlError>
    /** Ends the link to the operator's page. The next link differs. */
    readonly renewLink: (operator_id: string) => Effect.Effect<void, OperatorNotFound | SqlError.SqlError>
    /**
     * Leases up to `limit` subscription checks: of billed operators whose paid period is about to end, or has ended,
     * and whose invoices were not checked lately. Each check goes to one node.
     */
    readonly leaseSubscriptionChecks: (
      limit: number
    ) => Effect.Effect<ReadonlyArray<SubscriptionCheck>, SqlError.SqlError>
    /**
     * Billed operators, not suspended, whose subscription needs a person's attention: ended, about to end, or paid too
     * far ahead.
     */
    readonly lapsing: (now: Instant, limit: number) => Effect.Effect<ReadonlyArray<Operator>, SqlError.SqlError>
  }
>()("playroom/catalogue/Operators") {
  static readonly layer = Layer.effect(
    Operators,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const operatorRows = decodeRows(Schema.Array(OperatorRow))
      const columns = sql.literal(operatorColumn)
      const rows = (query: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>) =>
        Effect.map(operatorRows(query), (found) => found.map(({ operator }) => operator))
      const first = (query: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>): MaybeOperator =>
        Effect.map(rows(query), (found) => Option.fromNullishOr(found[0]))
      const orMissing = <A>(operator_id: string, found: Effect.Effect<Option.Option<A>, SqlError.SqlError>) =>
        Effect.flatMap(found, (one) => Effect.fromOption(one, () => new OperatorNotFound({ operator_id })))

      const events = decodeRows(Schema.Array(OperatorEvent))
      const counts = decodeRows(Schema.Array(PlayroomCounts))
      const currencyRows = decodeRows(Schema.Array(InCurrency))
      const zoneRows = decodeRows(Schema.Array(ZoneInUse))
      const pages = decodeRows(Schema.Array(OperatorPage))
      const ofBookings = decodeRows(
        Schema.Tuple([
          Schema.Struct({
            ...OperatorRow.fields,
            bring: Schema.NullOr(Schema.String),
            questions: Schema.NullOr(Schema.Array(Question))
          })
        ])
      )
      const toAsk = decodeRows(
        Schema.Array(Schema.Struct({ ...OperatorRow.fields, since: Schema.NullOr(InstantFromDate) }))
      )
      const paidThrough = (was: Instant | undefined, until: Instant) =>
        ({ event: "paid_through", was: isoText(was), became: new Date(until).toISOString() }) as const

      /**
       * Changes an operator, if there is one, and records who did it and why. Changes nothing if `decide` returns
       * undefined.
       */
      const changeIfThere = Effect.fnUntraced(function* (
        operator_id: string,
        { reason = null, who }: { readonly who: string; readonly reason?: string | null },
        decide: (before: Operator, now: Instant) => Change | undefined
      ) {
        const now = yield* Clock.currentTimeMillis
        const at = new Date(now)
        const found = yield* first(
          sql`select ${columns} from operator o where operator_id = ${operator_id} for no key update`
        )
        if (Option.isNone(found)) return Option.none<{ readonly operator: Operator; readonly changed: boolean }>()
        const before = found.value
        const decided = decide(before, now)
        if (decided === undefined) return Option.some({ operator: before, changed: false })
        const { became = null, event, set, was = null } = decided
        const after =
          set === undefined
            ? found
            : yield* first(
                sql`update operator o set ${set}, updated_at = ${at} where operator_id = ${operator_id} returning ${columns}`
              )
        yield* sql`insert into operator_history (operator_id, at, event, who, reason, was, became)
          values (${operator_id}, ${at}, ${event}, ${who}, ${reason}, ${was}, ${became})`
        return Option.map(after, (operator) => ({ operator, changed: true }))
      }, sql.withTransaction)
      const change = (...of: Parameters<typeof changeIfThere>) => orMissing(of[0], changeIfThere(...of))

      return Operators.of({
        get: Effect.fn("Operators.get")((operator_id: string) =>
          orMissing(operator_id, first(sql`select ${columns} from operator o where operator_id = ${operator_id}`))
        ),
        ofBooking: Effect.fn("Operators.ofBooking")(function* ({ package_id, playroom_id }) {
          const [{ bring, operator, questions }] =
            yield* ofBookings(sql`select ${columns}, p.details ->> 'bring' as bring,
              (select k.terms -> 'questions' from package k where k.package_id = ${package_id}) as questions
            from playroom p join operator o on o.operator_id = p.operator_id where p.playroom_id = ${playroom_id}`)
          return { operator, ...(bring === null ? {} : { bring }), questions: questions ?? [] }
        }),
        ofListed: Effect.fn("Operators.ofListed")(
          (by: { readonly playroom_id: string } | { readonly package_id: string }) =>
            first(sql`select ${columns} from playroom p join operator o on o.operator_id = p.operator_id
              where p.listed and p.playroom_id = ${
                "playroom_id" in by
                  ? sql`${by.playroom_id}`
                  : sql`(select playroom_id from package where package_id = ${by.package_id})`
              }`)
        ),
        list: Effect.suspend(() => rows(sql`select ${columns} from operator o order by name, operator_id`)),
        byBillingCustomer: Effect.fn("Operators.byBillingCustomer")((id: string) =>
          first(sql`select ${columns} from operator o where billing_customer_id = ${id}`)
        ),
        byConnectedAccount: Effect.fn("Operators.byConnectedAccount")((id: string) =>
          first(sql`select ${columns} from operator o where connected_account_id = ${id}`)
        ),
        isKnownAccount: Effect.fn("Operators.isKnownAccount")(function* (account: string) {
          const found = yield* sql`select 1 from operator_account where account = ${account} limit 1`
          return found.length > 0
        }),
        accounts: Effect.fn("Operators.accounts")(function* ({ connected_account_id, operator_id }) {
          const known = yield* accountsOf(sql`select account from operator_account where operator_id = ${operator_id}
            order by account`)
          const former = known.map(({ account }) => account).filter((account) => account !== connected_account_id)
          return connected_account_id === undefined ? former : [connected_account_id, ...former]
        }),
        extendPaidThrough: Effect.fn("Operators.extendPaidThrough")(function* (
          operator_id: OperatorId,
          until: Instant,
          because = bySystem
        ) {
          const moved = yield* changeIfThere(operator_id, because, ({ paid_through }) =>
            paid_through !== undefined && paid_through >= until
              ? undefined
              : { ...paidThrough(paid_through, until), set: sql`paid_through = ${new Date(until)}::timestamptz` }
          )
          return Option.exists(moved, ({ changed }) => changed)
        }),
        setPaidThrough: Effect.fn("Operators.setPaidThrough")(function* (
          operator_id: string,
          until: Instant,
          because: ChangedBy
        ) {
          if (until > (yield* Clock.currentTimeMillis) + maxPaidAheadMs) return yield* new PaidTooFarAhead({ until })
          const { operator } = yield* change(operator_id, because, ({ paid_through }, now) => ({
            ...paidThrough(paid_through, until),
            set: sql`paid_through = ${new Date(until)}::timestamptz, paid_through_set_at = ${new Date(now)}::timestamptz`
          }))
          return operator
        }),
        suspend: Effect.fn("Operators.suspend")(function* (operator_id: string, because = bySystem) {
          const { operator } = yield* change(operator_id, because, ({ suspended_at }, now) =>
            suspended_at === undefined
              ? { event: "suspended", set: sql`suspended_at = ${new Date(now)}::timestamptz` }
              : undefined
          )
          return operator
        }),
        resume: Effect.fn("Operators.resume")(function* (operator_id: string, because = bySystem) {
          const { operator } = yield* change(operator_id, because, ({ suspended_at }) =>
            suspended_at === undefined ? undefined : { event: "resumed", set: sql`suspended_at = null` }
          )
          return operator
        }),
        connect: Effect.fn("Operators.connect")(function* (operator_id: string, account: string, because: ChangedBy) {
          const { operator } = yield* change(operator_id, because, ({ connected_account_id }) =>
            connected_account_id === undefined
              ? { event: "connected", became: account, set: sql`connected_account_id = ${account}` }
              : undefined
          )
          const { connected_account_id = account } = operator
          if (connected_account_id !== account)
            return yield* new OperatorConnected({ operator_id, account: connected_account_id })
          return operator
        }),
        closeAccount: Effect.fn("Operators.closeAccount")(function* (account: string, why: string) {
          const at = new Date(yield* Clock.currentTimeMillis)
          const found = yield* sql`update operator set closed_account = ${account}, account_closed_at = ${at},
              account_closed_because = ${why}, account_asked_at = ${at}, updated_at = ${at}
            where connected_account_id = ${account} and closed_account is distinct from ${account} returning name`
          if (found.length > 0)
            yield* Effect.logWarning("An operator's account takes no payments: it is off sale", { account, why })
          return found.length > 0
        }),
        openAccount: Effect.fn("Operators.openAccount")(function* (account: string) {
          const at = new Date(yield* Clock.currentTimeMillis)
          const found = yield* sql`update operator set closed_account = null, account_closed_at = null,
              account_closed_because = null, account_opened_at = ${at}, updated_at = ${at}
            where connected_account_id = ${account} and closed_account = ${account} returning name`
          if (found.length > 0) yield* Effect.logInfo("An operator's account takes payments again", { account })
          return found.length > 0
        }),
        leaseAccountChecks: Effect.fn("Operators.leaseAccountChecks")(function* (limit: number) {
          const now = yield* Clock.currentTimeMillis
          const due = yield* accountsOf(sql`with due as (
              select operator_id from operator where closed_account = connected_account_id
                and (account_asked_at is null or account_asked_at <= ${new Date(now - accountCheckMs)}::timestamptz)
              order by account_asked_at nulls first limit ${limit}::int for no key update skip locked)
            update operator o set account_asked_at = ${new Date(now)}::timestamptz from due
            where o.operator_id = due.operator_id returning o.connected_account_id as account`)
          return due.map(({ account }) => account)
        }),
        closedAccounts: Effect.fn("Operators.closedAccounts")((limit: number, operator_id?: string) =>
          rows(sql`select ${columns} from operator o
            where closed_account = connected_account_id and suspended_at is null
              and (${operator_id ?? null}::text is null or operator_id = ${operator_id ?? null}::text)
            order by account_closed_at, operator_id limit ${limit}::int`)
        ),
        inCurrencies: Effect.fn("Operators.inCurrencies")((currencies: ReadonlyArray<string>, limit: number) =>
          currencyRows(sql`select operator_id, o.name, p.currency, count(*)::int as playrooms
            from playroom p join operator o using (operator_id)
            where p.currency = any(${currencies}::text[]) and p.listed and o.suspended_at is null
            group by operator_id, o.name, p.currency order by operator_id, p.currency limit ${limit}::int`)
        ),
        zonesInUse: zoneRows(sql`select time_zone, country, count(*)::int as playrooms, min(name) as name
          from playroom where listed group by time_zone, country order by time_zone collate "C", country`),
        history: Effect.fn("Operators.history")((operator_id: string, limit: number) =>
          events(sql`select at, event, playroom_id, who, reason, was, became from (
            select * from operator_history where operator_id = ${operator_id} order by seq desc limit ${limit}::int) h order by seq`)
        ),
        playrooms: Effect.fn("Operators.playrooms")(function* (operator_id: string) {
          const [found] = yield* counts(sql`select count(*)::int as all, count(*) filter (where listed)::int as listed,
            coalesce(array_agg(distinct country order by country), '{}') as countries
            from playroom where operator_id = ${operator_id}`)
          return found ?? { all: 0, listed: 0, countries: [] }
        }),
        page: Effect.fn("Operators.page")(function* (operator_id: string) {
          const [found] = yield* pages(sql`
            select operator_id, name, coalesce(link_counter, 0) as link_counter, (
              select time_zone from playroom p where p.operator_id = o.operator_id
              group by time_zone order by count(*) desc, time_zone limit 1) as time_zone
            from operator o where operator_id = ${operator_id}`)
          return found ?? (yield* new OperatorNotFound({ operator_id }))
        }),
        renewLink: Effect.fn("Operators.renewLink")(function* (operator_id: string) {
          const renewed = yield* sql`update operator set link_counter = coalesce(link_counter, 0) + 1
            where operator_id = ${operator_id} returning operator_id`
          if (renewed.length === 0) return yield* new OperatorNotFound({ operator_id })
        }),
        leaseSubscriptionChecks: Effect.fn("Operators.leaseSubscriptionChecks")(function* (limit: number) {
          const now = yield* Clock.currentTimeMillis
          const ends = sql`coalesce(paid_through, created_at)`
          const found = yield* toAsk(sql`
            with due as (
              select operator_id from operator
              where billing_customer_id is not null and ${ends} <= ${new Date(now + askBeforeMs)}::timestamptz
                and (subscription_checked_at is null or subscription_checked_at <=
                  case when ${ends} > ${new Date(now - askOftenUntilMs)}::timestamptz
                    then ${new Date(now - hourMs)}::timestamptz else ${new Date(now - dayMs)}::timestamptz end)
              order by subscription_checked_at nulls first limit ${limit}::int for no key update skip locked
            )
            update operator o set subscription_checked_at = ${new Date(now)}::timestamptz from due
            where o.operator_id = due.operator_id returning ${columns}, o.paid_through_set_at as since`)
          return found.map(({ operator, since }) => ({ operator, since: since ?? undefined }))
        }),
        lapsing: Effect.fn("Operators.lapsing")((now: Instant, limit: number) =>
          rows(sql`select ${columns} from operator o where billing_customer_id is not null and suspended_at is null and (
              paid_through <= ${new Date(now - subscriptionGraceMs + warnBeforeMs)}::timestamptz
              or paid_through > ${new Date(now + implausiblePaidAheadMs)}::timestamptz
              or (paid_through is null and created_at <= ${new Date(now - subscriptionGraceMs)}::timestamptz))
            order by paid_through nulls first, operator_id limit ${limit}::int`)
        )
      })
    })
  )
}
