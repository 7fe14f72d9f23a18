/**
 * Playrooms that fit a search by the catalogue's rows, in rank order and page by page. A ranking has tiers, one after
 * the other. Each tier is in an order that an index or a small set gives. A page continues from its position, and stops
 * when it is full or has read the maximum number of rows of a call. The order by price has reads of its own
 * (`PriceRows.ts`).
 */
import { Effect, Option, Schema } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import { PlayroomId } from "../../platform/ids/Ids.ts"
import { decodeRows } from "../../platform/database/Rows.ts"
import { amongIds, CandidateRow, type Narrowing, orUndefined, type Tier, type Tiers } from "./SearchTiers.ts"

/**
 * The position of a row in its ranking: the tier (plus the number of tiers if nothing before it fitted), then the
 * tier's sort key. JSON, for a cursor.
 */
export type Position = readonly [tier: number, ...key: ReadonlyArray<string | number>]

interface Candidate {
  readonly row: CandidateRow
  readonly position: Position
}

/** A slice of the ranking: its candidates and its end. `end` is undefined if the ranking ends with it. */
interface Slice {
  readonly candidates: ReadonlyArray<Candidate>
  readonly end: Position | undefined
}

const candidateRows = decodeRows(Schema.Array(CandidateRow))

type Fragment = Statement.Fragment

type Key = ReadonlyArray<string | number>

/**
 * What is read of a tier: conditions beside its own, the most candidates, and the most rows, of which other tiers had
 * some.
 */
type Found = readonly [
  tier: Tier,
  among: ReadonlyArray<Fragment>,
  from: ReadonlyArray<Fragment>,
  limit: number,
  maxRows: number,
  before?: number
]

interface Order {
  /**
   * The condition for rows after a key; undefined for a key that no row can have. Callers send keys back and can forge
   * them.
   */
  readonly after: (key: Key) => Fragment | undefined
  readonly key: (row: CandidateRow) => Key
}

/** `then` of a key that a row could have; otherwise undefined. */
const whereKey = <A>(key: Schema.Codec<A, Key>, then: (key: A) => Fragment) => {
  const decode = Schema.decodeUnknownOption(key)
  return (unchecked: Key): Fragment | undefined => Option.getOrUndefined(Option.map(decode(unchecked), then))
}

const Kilometres = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 21_000 }))

/** The candidates of a search that is not sorted by price. */
export const candidatesOf = (
  sql: SqlClient.SqlClient,
  { columns, narrowedFor, order, placed, planned, sells, shown, tiers, visits, visitsOf }: Tiers
) => {
  const orders: Record<"best_match" | "distance", Order> = {
    best_match: {
      after: whereKey(Schema.Tuple([PlayroomId]), ([id]) => sql`p.playroom_id > ${id}`),
      key: ({ playroom_id }) => [playroom_id]
    },
    distance: {
      after: whereKey(
        Schema.Tuple([Kilometres, PlayroomId]),
        ([km, id]) => sql`(d.km, p.playroom_id) > (${km}::float8, ${id})`
      ),
      key: ({ distance_km, playroom_id }) => [distance_km ?? 0, playroom_id]
    }
  }
  const { after, key } = orders[order === "distance" ? "distance" : "best_match"]
  const lastLevel = Math.max(...tiers.map(({ level }) => level))
  const visited = visits.length === 0 ? [] : [sql`(select true from ${visitsOf(visits)} limit 1)`]

  /**
   * Reads the rows of a tier in its order that are left of `maxRows`, and up to `limit` of those that fit. The rows
   * that are left are a value, so that the text is the same for any number of them, and its plan is kept. `offset 0`:
   * what fits is decided once, not again for the result.
   */
  const foundIn = (...[tier, among, from, limit, maxRows, before = 0]: Found) => sql`(
  select * from (
    select s.*, coalesce(${sql.and([...tier.fits, sells, ...visited])}, false) as fits
    from (select * from ${placed(tier, [...among, ...from], sql`, d.km`, columns, maxRows)} limit ${maxRows - before}::int) s
    offset 0
  ) f where f.fits or f.place = ${maxRows - before}::int limit ${limit}::int) t`
  const statement = (...found: Found) => sql`
select ${shown}, t.km as distance_km, t.place, t.fits
from ${foundIn(...found)} join playroom p on p.playroom_id = t.playroom_id join operator o on o.operator_id = p.operator_id
order by t.place`

  /**
   * The ranking after a position (undefined: from the start) for up to `limit` candidates, reading at most `maxRows`
   * rows. `narrowing`: first ask indexes for the only playrooms that can fit, because the rows before had few.
   * Undefined for a position that is not of this ranking.
   */
  const next = Effect.fnUntraced(function* (
    position: Position | undefined,
    limit: number,
    maxRows: number,
    narrowing: Narrowing
  ): Effect.fn.Return<Slice | undefined, SqlError.SqlError> {
    const [place, ...afterKey] = position ?? [tiers.length]
    const at = place % tiers.length
    const start = tiers[at]
    const from = position === undefined ? [] : orUndefined([after(afterKey)])
    if (start === undefined || place < 0 || place >= 2 * tiers.length || from.includes(undefined)) return undefined
    const first = from.filter((fragment) => fragment !== undefined)
    const candidates: Array<Candidate> = []
    const nothingBefore = () => place >= tiers.length && candidates.length === 0
    let rowsRead = 0
    for (let level = start.level; level <= lastLevel; level++) {
      if (level > start.level && !nothingBefore()) break
      for (const [i, tier] of tiers.entries()) {
        if (i < at || tier.level !== level) continue
        const before = rowsRead
        const among = yield* narrowedFor(tier, narrowing)
        if (among?.size === 0) continue
        const asked = statement(
          tier,
          amongIds(sql, among),
          i === at ? first : [],
          limit - candidates.length,
          maxRows,
          before
        )
        const found = yield* candidateRows(planned(asked))
        for (const row of found) {
          const here: Position = [!row.fits && nothingBefore() ? i + tiers.length : i, ...key(row)]
          if (row.fits) candidates.push({ row, position: here })
          rowsRead = before + row.place
          if (candidates.length === limit || rowsRead === maxRows) return { candidates, end: here }
        }
      }
    }
    return { candidates, end: undefined }
  })

  /** The statements of first pages, one per tier. Tests check their plans. */
  const statements = (limit: number, maxRows: number) => tiers.map((tier) => statement(tier, [], [], limit, maxRows))

  return { next, statements }
}
