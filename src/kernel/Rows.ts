/** Decoding what the database answers. */
import { Effect, Schema } from "effect"

/** Decodes the rows of a query by `schema`, a schema of the whole list. Rows of another shape are a defect. */
export const decodeRows = <A, I>(schema: Schema.Codec<A, I>) => {
  const decode = Schema.decodeUnknownEffect(schema)
  return <E>(rows: Effect.Effect<ReadonlyArray<unknown>, E>): Effect.Effect<A, E> =>
    Effect.flatMap(rows, (found) => Effect.orDie(decode(found)))
}
