/** Data of the pages that show playrooms to anyone: the reads of the public tools. */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { Catalogue, type ShownVenue } from "../../../domain/catalogue/Catalogue.ts"
import { sells } from "../../../domain/catalogue/Operator.ts"
import type { PlayroomSummary } from "../../../domain/catalogue/Playroom.ts"
import { PlayroomSearch } from "../../../domain/search/PlayroomSearch.ts"
import { Cursor, PlayroomId } from "../../../platform/ids/Ids.ts"

/** Of which city, and from where on. What is empty or can't be is not asked. */
interface RoomsAsked {
  readonly city: string
  readonly cursor: string
  /** At most so many; a page may have fewer, and more behind it. */
  readonly limit: number
}

/** A page of playrooms. */
export interface RoomList {
  readonly rooms: ReadonlyArray<PlayroomSummary>
  readonly next: string | undefined
  /** The first cities by name. */
  readonly cities: ReadonlyArray<string>
}

/** As much of a city's name as a search takes. */
const maxCity = 100
const isCursor = Schema.is(Cursor)
const isPlayroomId = Schema.is(PlayroomId)

export class ShownRooms extends Context.Service<
  ShownRooms,
  {
    /** Listed playrooms of operators that may sell, in the order of `search_playrooms`. */
    readonly list: (asked: RoomsAsked) => Effect.Effect<RoomList, SqlError.SqlError>
    /** One of them; undefined if there is no such one. */
    readonly room: (playroom_id: string) => Effect.Effect<ShownVenue | undefined, SqlError.SqlError>
  }
>()("playroom/web/landing/ShownRooms") {
  static readonly layer = Layer.effect(
    ShownRooms,
    Effect.gen(function* () {
      const catalogue = yield* Catalogue
      const { cities, search } = yield* PlayroomSearch

      const list = Effect.fn("ShownRooms.list")(function* ({ city, cursor, limit }: RoomsAsked) {
        const query = { city: city.slice(0, maxCity).toWellFormed(), limit }
        const found = yield* search(isCursor(cursor) ? { ...query, cursor } : query).pipe(
          // The cursor is of another list.
          Effect.catchTag("InvalidArguments", () => search(query)),
          Effect.catchTag("InvalidArguments", Effect.die)
        )
        return { rooms: found.playrooms, next: found.next_cursor, cities: yield* cities } satisfies RoomList
      })

      const room = Effect.fn("ShownRooms.room")(function* (playroom_id: string) {
        if (!isPlayroomId(playroom_id)) return undefined
        const found = yield* catalogue
          .shown(playroom_id)
          .pipe(Effect.catchTag("PlayroomNotFound", () => Effect.succeed(undefined)))
        return found !== undefined && sells(found.venue.operator, yield* Clock.currentTimeMillis) ? found : undefined
      })

      return ShownRooms.of({ list, room })
    })
  )
}
