/** From what the database answers to what the schema says. */
import { Effect, Schema } from "effect"

/** Decodes the rows of a query. Rows of another shape than `schema`, which is of the whole list, are a defect. */
export const decoded = <A, I>(schema: Schema.Codec<A, I>) => {
  const decode = Schema.decodeUnknownEffect(schema)
  return <E>(rows: Effect.Effect<ReadonlyArray<unknown>, E>): Effect.Effect<A, E> =>
    Effect.flatMap(rows, (found) => Effect.orDie(decode(found)))
}
