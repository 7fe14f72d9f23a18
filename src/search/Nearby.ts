/** Distances on the sphere, in SQL and as bounding boxes that the place index can use. */
import type { SqlClient } from "effect/sql"

/** Mean radius of the Earth, km (IUGG). */
const earthKm = 6371.0088
const degrees = (radians: number): number => (radians * 180) / Math.PI
const radians = (deg: number): number => (deg * Math.PI) / 180

interface Place {
  readonly latitude: number
  readonly longitude: number
}

interface Box {
  readonly west: number
  readonly south: number
  readonly east: number
  readonly north: number
}

/** Boxes of degrees that together hold every point within `km`: two where the circle crosses the 180th meridian. */
export const boxesAround = ({ latitude, longitude }: Place, km: number): ReadonlyArray<Box> => {
  const angle = km / earthKm
  // A little wider than the circle, so that rounding leaves no one out.
  const slack = 1e-6
  const south = latitude - degrees(angle) - slack
  const north = latitude + degrees(angle) + slack
  if (south <= -90 || north >= 90) return [{ west: -180, east: 180, south, north }]
  // The circle's widest meridians touch it north or south of its middle.
  const spread = degrees(Math.asin(Math.min(1, Math.sin(angle) / Math.cos(radians(latitude))))) + slack
  const west = longitude - spread
  const east = longitude + spread
  if (west < -180)
    return [
      { west: -180, east, south, north },
      { west: west + 360, east: 180, south, north }
    ]
  if (east > 180)
    return [
      { west, east: 180, south, north },
      { west: -180, east: east - 360, south, north }
    ]
  return [{ west, east, south, north }]
}

/** Kilometres from a place to playroom `p` (haversine). */
export const distanceTo = (sql: SqlClient.SqlClient, { latitude, longitude }: Place) => sql`
(2 * ${earthKm}::float8 * asin(least(1, sqrt(
  power(sin(radians(p.latitude - ${latitude}::float8) / 2), 2) +
  cos(radians(${latitude}::float8)) * cos(radians(p.latitude)) * power(sin(radians(p.longitude - ${longitude}::float8) / 2), 2)))))`

/** That playroom `p` lies in the boxes around a place; the index answers it. */
export const inBoxes = (sql: SqlClient.SqlClient, place: Place, km: number) =>
  sql.or(
    boxesAround(place, km).map(
      ({ west, south, east, north }) =>
        sql`point(p.longitude, p.latitude) <@ box(point(${west}::float8, ${south}::float8), point(${east}::float8, ${north}::float8))`
    )
  )
