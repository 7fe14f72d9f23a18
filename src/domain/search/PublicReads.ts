/**
 * The reads of the public tools if there is a replica: the same services as elsewhere, built a second time over the
 * replica, with their own caches. Only these tools can reach them, so nothing that decides a write, or shows a booking,
 * reads from a replica.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { BookingOptions, CallerKey } from "../availability/BookingOptions.ts"
import { Catalogue } from "../catalogue/Catalogue.ts"
import { ReadReplica } from "../../platform/database/ReadReplica.ts"
import { PlayroomSearch } from "./PlayroomSearch.ts"

const services = Layer.mergeAll(PlayroomSearch.layer, BookingOptions.layer, Catalogue.layer)

/** The three services, which read from the replica if they can. Open dependency: the same over the primary. */
export const publicReads: Layer.Layer<
  PlayroomSearch | Catalogue | BookingOptions,
  never,
  PlayroomSearch | Catalogue | BookingOptions | ReadReplica
> = Layer.effectContext(
  Effect.gen(function* () {
    const search = yield* PlayroomSearch
    const catalogue = yield* Catalogue
    const options = yield* BookingOptions
    const { client, read } = yield* ReadReplica
    const primary = Context.make(PlayroomSearch, search).pipe(
      Context.add(Catalogue, catalogue),
      Context.add(BookingOptions, options)
    )
    if (client === undefined) return primary
    const replica = yield* Layer.build(
      Layer.fresh(services.pipe(Layer.provide(Layer.succeed(SqlClient.SqlClient, client))))
    )
    const onReplica = {
      search: Context.get(replica, PlayroomSearch),
      catalogue: Context.get(replica, Catalogue),
      options: Context.get(replica, BookingOptions)
    }
    return primary.pipe(
      Context.add(
        PlayroomSearch,
        PlayroomSearch.of({ search: (query) => read(onReplica.search.search(query), search.search(query)) })
      ),
      Context.add(
        Catalogue,
        Catalogue.of({ ...catalogue, view: (id) => read(onReplica.catalogue.view(id), catalogue.view(id)) })
      ),
      Context.add(
        BookingOptions,
        BookingOptions.of({
          ...options,
          // A caller with a key sees its own latest bookings, on any node: with a key, free times come from the
          // primary.
          list: (query) =>
            Effect.flatMap(CallerKey, (key) =>
              key === undefined ? read(onReplica.options.list(query), options.list(query)) : options.list(query)
            )
        })
      )
    )
  })
)
