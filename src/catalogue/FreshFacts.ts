/** Keeps what search knows of playrooms true as the calendar goes on. Every node runs it; each playroom is done by one of them. */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { decoded } from "../kernel/Rows.ts"
import { SearchFacts, writeFacts } from "./SearchFacts.ts"
import { VenueRow, venueColumns, venueOf } from "./VenueRows.ts"

/** Playrooms a transaction, so that none holds the database for long. */
const batch = 50

export class FreshFacts extends Context.Service<
  FreshFacts,
  {
    /** Derives anew what is due, of all playrooms, listed or not; answers of how many. */
    readonly refresh: Effect.Effect<number, SqlError.SqlError>
  }
>()("playroom/catalogue/FreshFacts") {
  static readonly layer = Layer.effect(
    FreshFacts,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const facts = yield* SearchFacts
      const venueRows = decoded(Schema.Array(VenueRow))

      const some = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const rows = yield* venueRows(sql`
          select ${venueColumns(sql)} from (
            select * from playroom where derived_until <= ${new Date(now)} order by derived_until limit ${batch} for update skip locked
          ) p join operator o using (operator_id)`)
        yield* writeFacts(sql)(
          rows.map(venueOf).map((sold) => ({ playroom: sold.playroom, facts: facts.of(sold, now) }))
        )
        return rows.length
      }).pipe(sql.withTransaction)

      const refresh = Effect.gen(function* () {
        let done = 0
        for (let last = batch; last === batch; done += last) last = yield* some
        return done
      }).pipe(Effect.withSpan("FreshFacts.refresh"))

      return FreshFacts.of({ refresh })
    })
  )

  /** At the start and every minute, for as long as the layer lives. */
  static readonly worker = Layer.effectDiscard(
    Effect.gen(function* () {
      const { refresh } = yield* FreshFacts
      yield* refresh.pipe(
        Effect.catchCause((cause) => Effect.logWarning("Prices and visits for search were not derived anew", cause)),
        Effect.andThen(Effect.sleep("1 minute")),
        Effect.forever,
        Effect.forkScoped
      )
    })
  )
}
