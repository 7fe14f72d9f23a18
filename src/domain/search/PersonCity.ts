/**
 * The city that a host says its person is in. Nothing is searched by it: a person may be looking for another place, and
 * hosts guess it from network addresses. A search for no place names it, so that the assistant can ask.
 */
import { Context, Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { decodeRows } from "../../platform/database/Rows.ts"
import type { CityNames } from "./KnownValues.ts"
import type { SearchQuery } from "./SearchQuery.ts"

/** A city as a host names it. `country` is ISO 3166-1 alpha-2: without it, too many cities have one name. */
export const PersonPlace = Schema.Struct({
  city: Schema.Trim.check(Schema.isMinLength(1), Schema.isMaxLength(100)),
  country: Schema.String.check(Schema.isPattern(/^[A-Za-z]{2}$/))
})
export type PersonPlace = typeof PersonPlace.Type

/** The place of the person for whom a search runs; undefined if the host says none. It is used for this answer only. */
export const CurrentPlace = Context.Reference<PersonPlace | undefined>("playroom/search/CurrentPlace", {
  defaultValue: () => undefined
})

const rows = decodeRows(Schema.Array(Schema.Struct({ city: Schema.String, country: Schema.String })))

/** Makes the sentence about the person's city for a search without a place, if a playroom of the catalogue is there. */
export const makePlaceHint = (sql: SqlClient.SqlClient, cities: CityNames) =>
  Effect.fn("PersonCity.hint")(function* ({ city, country, cursor, near, query }: SearchQuery) {
    const place = yield* CurrentPlace
    if (place === undefined || (city ?? country ?? near ?? cursor) !== undefined) return undefined
    const keys = yield* cities.keys(place.city)
    if (keys.length === 0) return undefined
    if (query !== undefined && (yield* cities.namedIn(query)).length > 0) return undefined
    // The catalogue's own spelling: the host's text is not repeated.
    const [found] = yield* rows(
      sql`select city, country from playroom p where p.listed and p.city_key = any(${keys}::text[]) and p.country = ${place.country.toUpperCase()}::text limit 1`
    )
    return found === undefined
      ? undefined
      : `No place was asked for, so these are from everywhere. The person's app places them in ${found.city} (${found.country}), which may be wrong: ask where they want to go, then search with city or near.`
  })
