/**
 * Reads of several searches at once. An empty search is explained by many similar searches that run at the same time:
 * what they read together goes to the database as one statement, and the same read is made once.
 */
import { Effect, Exit, Request, RequestResolver, Schema } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import { decodeRows } from "../kernel/Rows.ts"

class Read extends Request.TaggedClass("Read")<
  { readonly statement: Statement.Fragment },
  ReadonlyArray<unknown>,
  SqlError.SqlError
> {}

type Rows = Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>

const numbered = decodeRows(Schema.Array(Schema.Struct({ n: Schema.Int, rows: Schema.Array(Schema.Unknown) })))

/**
 * Runs statements that have the same columns. Those that are asked for at the same time are one statement, whose plan
 * `planned` may influence. The rows come as JSON.
 */
export const sharedReads = (sql: SqlClient.SqlClient, planned: (read: Rows) => Rows) => {
  const readAll = Effect.fnUntraced(function* (statements: ReadonlyArray<Statement.Fragment>) {
    const all = statements.map(
      (statement, n) => sql`select ${n}::int as n, (select coalesce(jsonb_agg(r), '[]') from (${statement}) r) as rows`
    )
    const found = yield* numbered(planned(sql`${sql.join(" union all ", false)(all)}`.unprepared))
    return new Map(found.map(({ n, rows }) => [n, rows]))
  })
  const resolver = RequestResolver.make<Read>(
    Effect.fnUntraced(function* (entries) {
      const distinct = new Map<string, Statement.Fragment>()
      const keys = entries.map(({ request: { statement } }) => {
        const key = JSON.stringify(sql`${statement}`.compile())
        distinct.set(key, statement)
        return key
      })
      const numbers = new Map([...distinct.keys()].map((key, n) => [key, n]))
      const exit = yield* Effect.exit(readAll([...distinct.values()]))
      for (const [i, entry] of entries.entries()) {
        entry.completeUnsafe(Exit.map(exit, (found) => found.get(numbers.get(keys[i] ?? "") ?? -1) ?? []))
      }
    })
  )
  return (statement: Statement.Fragment): Rows => Effect.request(new Read({ statement }), resolver)
}
