import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { boxesAround } from "../../../src/domain/search/SearchTiers.ts"
import { runs } from "../../support/runs.ts"

const rad = (degrees: number) => (degrees * Math.PI) / 180
const place = fc.record({
  latitude: fc.double({ min: -90, max: 90, noNaN: true }),
  longitude: fc.double({ min: -180, max: 180, noNaN: true })
})
const kilometres = (a: { latitude: number; longitude: number }, b: { latitude: number; longitude: number }) =>
  2 *
  6371.0088 *
  Math.asin(
    Math.min(
      1,
      Math.sqrt(
        Math.sin(rad(b.latitude - a.latitude) / 2) ** 2 +
          Math.cos(rad(a.latitude)) * Math.cos(rad(b.latitude)) * Math.sin(rad(b.longitude - a.longitude) / 2) ** 2
      )
    )
  )

describe("boxes around a place", () => {
  it("hold every point of the circle, at the poles and across the 180th meridian too", () => {
    fc.assert(
      fc.property(
        place,
        fc.double({ min: 0, max: 2 * Math.PI, noNaN: true }),
        fc.double({ min: 0.1, max: 500, noNaN: true }),
        (from, bearing, km) => {
          // A point at just that distance in that direction.
          const angle = km / 6371.0088
          const [lat, lon] = [rad(from.latitude), rad(from.longitude)]
          const latitude = Math.asin(
            Math.sin(lat) * Math.cos(angle) + Math.cos(lat) * Math.sin(angle) * Math.cos(bearing)
          )
          const longitude =
            lon +
            Math.atan2(
              Math.sin(bearing) * Math.sin(angle) * Math.cos(lat),
              Math.cos(angle) - Math.sin(lat) * Math.sin(latitude)
            )
          const point = {
            latitude: (latitude * 180) / Math.PI,
            longitude: (((((longitude * 180) / Math.PI + 540) % 360) + 360) % 360) - 180
          }
          fc.pre(kilometres(from, point) <= km)
          const inside = boxesAround(from, km).some(
            ({ west, south, east, north }) =>
              west <= point.longitude && point.longitude <= east && south <= point.latitude && point.latitude <= north
          )
          assert.isTrue(inside, JSON.stringify({ from, km, point, boxes: boxesAround(from, km) }))
        }
      ),
      { numRuns: runs(500) }
    )
  })

  it("are not much larger than the circle", () => {
    const [box] = boxesAround({ latitude: 51.5, longitude: -0.1 }, 25)
    assert.closeTo((box?.north ?? 0) - (box?.south ?? 0), 0.45, 0.01)
    assert.closeTo((box?.east ?? 0) - (box?.west ?? 0), 0.72, 0.01)
  })
})
