/**
 * Looks for stored rows that break an invariant. What belongs to bookings is looked at stretch by stretch, in the order
 * of their ids. A stretch that is sound gets a mark: a digest of the versions of all its rows (`xmin`). Whoever changes,
 * adds or deletes one of them, by whatever way, makes it another digest, and the stretch is looked at again. While it is
 * as it was, only its bookings that are not over are looked at. So an audit reads the past once, and later no more of it
 * than its versions.
 *
 * What is not seen of a stretch as it was: that a catalogue changed below bookings that are over; that of two bookings
 * that are over the earlier one was given the places of the later one, past the constraint; and bytes that a disk lost.
 * A full audit sees it.
 */
import { Clock, Effect, Schema } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { createHash } from "node:crypto"
import { attempt, doneOf, type Outcome } from "../../platform/concurrency/Outcomes.ts"
import { byKeys, decodeRows } from "../../platform/database/Rows.ts"
import { type Finding, unchecked } from "../attention/ActionItems.ts"
import {
  bookingInvariants,
  byItself,
  type Invariant,
  ofBooking,
  paymentInvariants,
  placeInvariants,
  refundInvariants
} from "./Invariants.ts"

/** In the order in which they are told. To add one, add it to its list, and a row in `docs/troubleshooting.md`. */
export const invariants: ReadonlyArray<Invariant> = [
  ...placeInvariants,
  ...bookingInvariants,
  ...paymentInvariants,
  ...refundInvariants
]

/** What was found in the stored rows, and how many bookings were looked at for it. */
export interface RowFaults {
  readonly found: ReadonlyArray<Finding>
  readonly checked: number
  /** Bookings that were not: they are over, and as they were when an audit found them sound. */
  readonly settled: number
}

/** Rows of a page, and bookings of a stretch: a statement of a page takes a few milliseconds. */
const usualPage = 200
/** Stretches whose digests one statement reads. */
const stretchesAtOnce = 50
/** Faults told of each kind. One cause may break thousands of rows. */
const maxTold = 20

/** The findings of one kind that are told. */
export const firstOf = (findings: ReadonlyArray<Finding>): ReadonlyArray<Finding> => {
  const [first] = findings
  if (first === undefined || findings.length <= maxTold) return findings
  const detail = `more than ${maxTold} rows: these are the first`
  return [...findings.slice(0, maxTold), { what: first.what, id: "-", detail, fix: "find their common cause" }]
}

/** What was done, and what could not be looked at. */
export const told = (outcomes: ReadonlyArray<Outcome<string, ReadonlyArray<Finding>>>): ReadonlyArray<Finding> => [
  ...doneOf(outcomes).flatMap(({ value }) => value),
  ...unchecked(outcomes)
]

const pageOf = decodeRows(
  Schema.Tuple([
    Schema.Struct({
      read: Schema.Int,
      last: Schema.NullOr(Schema.Array(Schema.String)),
      found: Schema.Array(Schema.Struct({ id: Schema.String, detail: Schema.String }))
    })
  ])
)

const Stretch = Schema.Struct({
  after: Schema.String,
  until: Schema.String,
  bookings: Schema.Int,
  /** Its bookings that are not over. */
  to_come: Schema.Array(Schema.String),
  marked: Schema.String,
  digest: Schema.String
})
type Stretch = typeof Stretch.Type
const stretchesOf = decodeRows(Schema.Array(Stretch))
const rulesOf = decodeRows(Schema.Tuple([Schema.Struct({ functions: Schema.String })]))

/** Whether a column names one of some bookings. */
type Within = (column: Statement.Fragment) => Statement.Fragment

/** How far an invariant was looked at. */
interface Look {
  readonly invariant: Invariant
  readonly findings: Array<Finding>
  failed: Outcome<string, ReadonlyArray<Finding>> | undefined
}

const isOfBooking = (table: Invariant["table"]): table is keyof typeof ofBooking => table in ofBooking

/**
 * All faults of the stored rows. An invariant that can't be looked at hides no other: it is a finding, too. `full`: what
 * is settled is looked at again.
 */
export const rowFaults = Effect.fn("Audit.rows")(function* ({
  full = false,
  page: pageSize = usualPage
}: {
  readonly full?: boolean
  readonly page?: number
} = {}): Effect.fn.Return<RowFaults, never, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const looks = invariants.map((invariant): Look => ({ invariant, findings: [], failed: undefined }))

  /** Looks at a page: `rows` selects its primary keys. Answers how many it has, and the last one. */
  const lookAtPage = Effect.fnUntraced(function* (
    { findings, invariant: { faults, fix, what } }: Look,
    keys: Statement.Fragment,
    rows: Statement.Fragment
  ): Effect.fn.Return<{ readonly read: number; readonly last: ReadonlyArray<string> | null }, SqlError.SqlError> {
    const now = yield* Clock.currentTimeMillis
    const limit = maxTold + 1 - findings.length
    const [page] = yield* pageOf(sql`with page as materialized (${rows})
      select (select count(*)::int from page) as read,
        (select to_jsonb(array[${keys}]) from page order by (${keys}) desc limit 1) as last,
        (select coalesce(jsonb_agg(jsonb_build_object('id', id, 'detail', left(detail, 500))), '[]')
          from (select id, detail from (${faults(sql, now)}) faults limit ${limit}::int) told) as found`)
    findings.push(...page.found.map(({ detail, id }) => ({ what, id, detail, fix: fix(id) })))
    yield* Effect.yieldNow
    return page
  })

  /** Does a part of a look, unless there is nothing more to tell. Answers whether it was done and found nothing. */
  const goOn = Effect.fnUntraced(function* (look: Look, part: Effect.Effect<unknown, SqlError.SqlError>) {
    const before = look.findings.length
    if (look.failed !== undefined || before > maxTold) return false
    const outcome = yield* attempt(look.invariant.what, part)
    if (outcome.outcome !== "done") look.failed = outcome
    return outcome.outcome === "done" && look.findings.length === before
  })

  /** Walks a table in the order of its primary keys. */
  const walk = Effect.fnUntraced(function* (look: Look, table: keyof typeof byItself) {
    const { keys: names, where } = byItself[table]
    const keys = sql.literal(names.join(", "))
    let after: ReadonlyArray<string> | undefined
    do {
      const beyond: Statement.Fragment =
        after === undefined ? sql.literal("true") : sql`(${keys}) > (${sql.csv(after.map((key) => sql`${key}::text`))})`
      const { last, read } = yield* lookAtPage(
        look,
        keys,
        sql`select ${keys} from ${sql.literal(table)} where ${sql.literal(where)} and ${beyond} order by ${keys} limit ${pageSize}::int`
      )
      after = last === null || read < pageSize ? undefined : last
    } while (after !== undefined && look.findings.length <= maxTold)
  })

  /** Looks at some bookings, and at what belongs to them. Answers whether all is sound. */
  const lookAtBookings = Effect.fnUntraced(function* (within: Within) {
    let sound = true
    for (const look of looks) {
      const { table } = look.invariant
      if (!isOfBooking(table)) continue
      const keys = sql.literal(ofBooking[table].join(", "))
      const rows = sql`select ${keys} from ${sql.literal(table)} where ${within(sql.literal("booking_id"))}`
      sound = (yield* goOn(look, lookAtPage(look, keys, rows))) && sound
    }
    return sound
  })

  /** Marks stretches. Where nothing can be written, the next audit looks at them again. */
  const mark = (untils: ReadonlyArray<string>, digest: string) =>
    Effect.ignore(sql`insert into audit_mark (last_booking_id, digest)
      select distinct until, ${digest}::text from unnest(${untils}::text[]) until
      on conflict (last_booking_id) do update set digest = excluded.digest`)

  const walkBookings = Effect.gen(function* () {
    // A mark says that these invariants held, by these functions.
    const [{ functions }] =
      yield* rulesOf(sql`select coalesce(string_agg(name || definition, ' ' order by name), '') as functions
      from schema_part where name like 'function %'`)
    const rules = createHash("sha256")
    for (const { faults, table } of invariants)
      if (isOfBooking(table)) rules.update(JSON.stringify(sql`${faults(sql, 0)}`.compile()))
    const digestOfRules = rules.update(functions).digest("hex").slice(0, 12)

    /**
     * How many rows there are, and the sum of their transactions, modulo 2^32. The age of a transaction is the quickest
     * to read; counted from the first one's it stays as it is.
     */
    const versions = sql.literal(
      "count(*) || ':' || ((count(*) * age('3'::xid) - coalesce(sum(age(xmin)), 0)) & 4294967295)"
    )
    const inStretch = sql.literal("t.booking_id > after and t.booking_id <= until")
    const of = (table: string) => sql`(select ${versions} from ${sql.literal(table)} t where ${inStretch})`
    /**
     * Reads stretches; `parts` selects `after`, `until` and `marked`. A server guesses each of them to be a share of all
     * there is.
     */
    const read = Effect.fnUntraced(function* (parts: Statement.Fragment) {
      const now = new Date(yield* Clock.currentTimeMillis)
      const stretches =
        stretchesOf(sql`select after, until, marked, bookings, to_jsonb(coalesce(to_come, '{}')) as to_come,
          concat_ws(' ', ${digestOfRules}::text, versions, ${of("booking_history")}, ${of("occupancy")}, ${of("payment_session")},
            ${of("refund")}, ${of("dispute")}, ${of("tax_correction")}, ${of("webhook_event")}) as digest
        from (${parts}) parts cross join lateral (select count(*)::int as bookings, ${versions} as versions,
            array_agg(booking_id) filter (where status = 'held' or ends_at > ${now}::timestamptz) as to_come
          from booking t where ${inStretch}) b order by until`)
      return yield* sql.withTransaction(Effect.andThen(byKeys(sql), stretches))
    })

    const counts = { checked: 0, settled: 0 }
    const toCome: Array<{ readonly id: string; readonly until: string }> = []
    const lookAtThoseToCome = Effect.fnUntraced(function* (atLeast: number) {
      while (toCome.length >= atLeast) {
        const some = toCome.splice(0, pageSize)
        counts.checked += some.length
        const ids = some.map(({ id }) => id)
        if (yield* lookAtBookings((column) => sql`${column} = any(${ids}::text[])`)) continue
        yield* mark(
          some.map(({ until }) => until),
          ""
        )
      }
    })
    const lookAtStretch = Effect.fnUntraced(function* ({ after, bookings, digest, marked, to_come, until }: Stretch) {
      if (!full && marked === digest) {
        counts.settled += bookings - to_come.length
        toCome.push(...to_come.map((id) => ({ id, until })))
        return yield* lookAtThoseToCome(pageSize)
      }
      counts.checked += bookings
      const sound = yield* lookAtBookings((column) => sql`${column} > ${after} and ${column} <= ${until}`)
      return yield* mark([until], sound ? digest : "")
    })

    let after = ""
    for (let more = true; more;) {
      const stretches = yield* read(sql`select last_booking_id as until, digest as marked,
          lag(last_booking_id, 1, ${after}) over (order by last_booking_id) as after
        from (select * from audit_mark where last_booking_id > ${after} order by last_booking_id
          limit ${stretchesAtOnce}::int) marks`)
      for (const stretch of stretches) yield* lookAtStretch(stretch)
      after = stretches.at(-1)?.until ?? after
      more = stretches.length === stretchesAtOnce
    }
    for (let more = true; more;) {
      const stretches =
        yield* read(sql`select ${after}::text as after, coalesce(max(booking_id), '') as until, '' as marked
        from (select booking_id from booking where booking_id > ${after} order by booking_id limit ${pageSize}::int) next`)
      for (const stretch of stretches) {
        more = stretch.bookings === pageSize
        if (more) yield* lookAtStretch(stretch)
        // The last ones, which others will follow, have no mark.
        else counts.checked += stretch.bookings
        after = more ? stretch.until : after
      }
    }
    yield* lookAtBookings((column) => sql`${column} > ${after}`)
    yield* lookAtThoseToCome(1)
    return counts
  })

  for (const look of looks) {
    const { table } = look.invariant
    if (!isOfBooking(table)) yield* goOn(look, walk(look, table))
  }
  const bookings = yield* attempt("all that is of bookings", walkBookings)
  const [counts] = doneOf([bookings])
  return {
    found: [
      ...looks.flatMap(({ findings }) => firstOf(findings)),
      ...unchecked([...looks.flatMap(({ failed }) => failed ?? []), bookings])
    ],
    ...(counts?.value ?? { checked: 0, settled: 0 })
  }
})
