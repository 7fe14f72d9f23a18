/**
 * The waiting lists of starts that are booked out (table `waiting`). A family that waits is an entry: the option that it
 * would book, and whom to write to. When places come back (`look_at_waiting` in `sql/`), `Bookings.offer` holds them for
 * the first whose party fits, by the decision of any other booking, and a letter tells it. The entry is gone then: who
 * lets the hold lapse has left the list, and the next one gets the places. Until they have been offered, `make_booking`
 * refuses them to others.
 *
 * Turns are by network: of those who wait, the first of each comes before the second of any, and a network has three
 * entries of a start. So nobody delays others by more than one turn. An entry that does not fit holds up nobody behind.
 */
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type SqlError } from "effect/sql"
import { LinkTokens, waitingIn } from "../../platform/access/LinkTokens.ts"
import { columnsOf, decodeRows } from "../../platform/database/Rows.ts"
import { newId, OperatorId, PlayroomId, WaitingId } from "../../platform/ids/Ids.ts"
import { type Instant, InstantFromDate, minuteMs } from "../../platform/time/LocalTime.ts"
import type { VisitRequest } from "../availability/Decision.ts"
import { claimsFor } from "../availability/Availability.ts"

const Waiting = Schema.Struct({
  waiting_id: WaitingId,
  operator_id: OperatorId,
  playroom_id: PlayroomId,
  option_id: Schema.String,
  starts_at: InstantFromDate,
  contact_name: Schema.String,
  contact_email: Schema.String,
  child_ages: Schema.Array(Schema.Int),
  language: Schema.String,
  created_at: InstantFromDate
})
/** A family that waits. */
export type Waiting = typeof Waiting.Type

/** The visit that a family waits for, and the id of its option. */
export interface WaitedVisit {
  readonly option_id: string
  readonly visit: Omit<VisitRequest, "agreed">
}

/**
 * The most entries of one e-mail address, and of one start: of a network, so that it keeps the places from being sold
 * for three holds at most, and in all, so that each is looked at.
 */
export const waitingLimits = { email: 5, network: 3, start: 200 } as const

/** A start that nobody gave places back to is looked at all the same: an import may have made the room larger. */
const lookEveryMs = 10 * minuteMs
/** The most entries of an operator that its desk lists. */
const maxListed = 500

const rowsOf = decodeRows(Schema.Array(Waiting))
const columns = columnsOf(Waiting, "w")

/**
 * Takes an entry off the list, in the caller's transaction if there is one; whether it was on it. `operator_id`: only of
 * this operator.
 */
export const leaveList = Effect.fn("WaitingList.leave")(function* (waiting_id: string, operator_id?: string) {
  const sql = yield* SqlClient.SqlClient
  const left = yield* sql`delete from waiting where waiting_id = ${waiting_id}
    and operator_id = coalesce(${operator_id ?? null}::text, operator_id) returning 1`
  return left.length > 0
})

export class WaitingList extends Context.Service<
  WaitingList,
  {
    /**
     * Puts a family on the list, once for an option and an e-mail address. `sender`: the network address that it comes
     * from. `known`: it is on it already, which whoever knows the address may ask, but not change. `full`: there are as
     * many entries already as there may be.
     */
    readonly join: (
      visit: WaitedVisit,
      who: Pick<Waiting, "child_ages" | "contact_email" | "contact_name" | "language">,
      sender: string
    ) => Effect.Effect<WaitingId | "known" | "full", SqlError.SqlError>
    /** The token of an entry's page. */
    readonly token: (waiting_id: WaitingId) => Effect.Effect<string, SqlError.SqlError>
    /** The entry whose page the token opens; none if it is on the list no more. */
    readonly opened: (token: string) => Effect.Effect<Option.Option<Waiting>, SqlError.SqlError>
    /** See `leaveList`. */
    readonly leave: (waiting_id: string, operator_id?: string) => Effect.Effect<boolean, SqlError.SqlError>
    /** Those who wait at an operator, by start and by turn: the first `maxListed`. */
    readonly ofOperator: (operator_id: string, now: Instant) => Effect.Effect<ReadonlyArray<Waiting>, SqlError.SqlError>
    /** The next start that is to be looked at: those who wait for it, by turn. Empty: there is none. No other node has it. */
    readonly due: Effect.Effect<ReadonlyArray<Waiting>, SqlError.SqlError>
    /** All who wait for this start were looked at: places that came back before are anybody's now. */
    readonly looked: (of: Pick<Waiting, "playroom_id" | "starts_at">) => Effect.Effect<void, SqlError.SqlError>
  }
>()("playroom/booking/WaitingList") {
  static readonly layer = Layer.effect(
    WaitingList,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const links = yield* LinkTokens
      const random = yield* SecureRandom.SecureRandom
      const all = sql.literal(columns)
      const inTurn = sql.literal("w.turn, w.created_at, w.waiting_id")

      const join = Effect.fn("WaitingList.join")(function* (
        { option_id, visit: { party, pkg, start, venue } }: WaitedVisit,
        { child_ages, contact_email, contact_name, language }: Parameters<WaitingList["Service"]["join"]>[1],
        sender: string
      ) {
        const { operator_id, playroom_id } = venue.playroom
        const waiting_id = yield* Effect.provideService(newId.waiting, SecureRandom.SecureRandom, random)
        const now = new Date(yield* Clock.currentTimeMillis)
        const starts_at = new Date(start)
        const claims = claimsFor(venue, pkg, party, start)
        const from = new Date(Math.min(...claims.map((claim) => claim.start)))
        const until = new Date(Math.max(...claims.map((claim) => claim.end)))
        const { email, network, start: most } = waitingLimits
        const same = sql`w.option_id = ${option_id} and folded(w.contact_email) = folded(${contact_email}::text)`
        const ofStart = sql`w.playroom_id = ${playroom_id} and w.starts_at = ${starts_at}`
        // Counts of one start are one after the other. An address that joins several starts at once may have a few more.
        yield* sql`select pg_advisory_xact_lock(hashtextextended('waiting ' || ${playroom_id} || ${start}::text, 0))`
        yield* sql`insert into waiting (waiting_id, operator_id, playroom_id, option_id, starts_at, claimed,
            contact_name, contact_email, child_ages, language, sender, turn, created_at, look_at)
          select ${waiting_id}, ${operator_id}, ${playroom_id}, ${option_id}, ${starts_at}::timestamptz,
            tstzrange(${from}::timestamptz, ${until}::timestamptz), ${contact_name}, ${contact_email},
            ${child_ages}::int[], ${language}, ${sender}, here.last + 1, ${now}::timestamptz, ${now}::timestamptz
          from (select count(*) as had, coalesce(max(w.turn), 0) as last from waiting w
            where ${ofStart} and network_of(w.sender) = network_of(${sender}::text)) here
          where not exists (select from waiting w where ${ofStart} and ${same})
            and (select count(*) from waiting w where folded(w.contact_email) = folded(${contact_email}::text)) < ${email}::int
            and here.had < ${network}::int
            and (select count(*) from waiting w where ${ofStart}) < ${most}::int`
        const [found] = yield* rowsOf(sql`select ${all} from waiting w where ${ofStart} and ${same}`)
        return found === undefined ? "full" : found.waiting_id === waiting_id ? waiting_id : "known"
      }, sql.withTransaction)

      const opened = Effect.fn("WaitingList.opened")(function* (token: string) {
        const named = waitingIn(token)
        if (Option.isNone(named)) return Option.none<Waiting>()
        const [found] = yield* rowsOf(sql`select ${all} from waiting w where w.waiting_id = ${named.value}`)
        const right = yield* links.opens(token, { page: "waiting", waiting_id: named.value, counter: 0 })
        return right ? Option.fromUndefinedOr(found) : Option.none()
      })

      /** A start is taken as a whole, by one node. */
      const taking = Effect.fnUntraced(function* (now: Instant) {
        yield* sql`select pg_advisory_xact_lock(hashtextextended('waiting lists', 0))`
        return yield* rowsOf(sql`with first as (
            select playroom_id, starts_at from waiting where look_at <= ${new Date(now)} order by look_at limit 1),
          taken as (update waiting w set look_at = ${new Date(now + lookEveryMs)} from (
              select o.waiting_id from waiting o join first using (playroom_id, starts_at) order by o.waiting_id
              for update of o) locked
            where w.waiting_id = locked.waiting_id returning ${all}, w.turn)
          select ${all} from taken w order by ${inTurn} limit ${waitingLimits.start}::int`)
      }, sql.withTransaction)
      const due = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const any = yield* sql`select 1 from waiting where look_at <= ${new Date(now)} limit 1`
        if (any.length === 0) return []
        return yield* taking(now)
      }).pipe(Effect.withSpan("WaitingList.due"))

      return WaitingList.of({
        join,
        token: (waiting_id) => links.make({ page: "waiting", waiting_id, counter: 0 }),
        opened,
        leave: (waiting_id, operator_id) =>
          Effect.provideService(leaveList(waiting_id, operator_id), SqlClient.SqlClient, sql),
        ofOperator: (operator_id, now) =>
          rowsOf(sql`select ${all} from waiting w where w.operator_id = ${operator_id} and w.starts_at > ${new Date(now)}
            order by w.starts_at, w.playroom_id, ${inTurn} limit ${maxListed}::int`),
        due,
        // Where more places have come back meanwhile, it is due again.
        looked: ({ playroom_id, starts_at }) =>
          Effect.asVoid(sql`update waiting w set came_back_at = null from (
              select waiting_id from waiting where playroom_id = ${playroom_id} and starts_at = ${new Date(starts_at)}
                and came_back_at is not null order by waiting_id for update) locked
            where w.waiting_id = locked.waiting_id and w.look_at > '-infinity'`)
      })
    })
  ).pipe(Layer.provide(LinkTokens.layer))
}

/** Takes all off the lists whose start has passed; returns how many. */
export const forgetWaiting = Effect.fn("forgetWaiting")(function* (now: Instant, limit: number) {
  const sql = yield* SqlClient.SqlClient
  const gone = yield* sql`delete from waiting where waiting_id in (
    select waiting_id from waiting where starts_at < ${new Date(now)} limit ${limit}::int) returning 1 as gone`
  return gone.length
})

const rowOf = decodeRows(Schema.Array(Schema.Struct({ waiting: Schema.Record(Schema.String, Schema.Json) })))

/** A person's entries, as stored. */
export const waitingOfPerson = Effect.fn("waitingOfPerson")(function* (email: string) {
  const sql = yield* SqlClient.SqlClient
  const found = yield* rowOf(sql`select to_jsonb(w) as waiting from waiting w
    where folded(contact_email) = folded(${email}::text) order by waiting_id`)
  return found.map(({ waiting }) => waiting)
})

/** Takes a person off all lists, by e-mail address. */
export const forgetWaitingPerson = Effect.fn("forgetWaitingPerson")(function* (email: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from waiting where folded(contact_email) = folded(${email}::text)`
})
