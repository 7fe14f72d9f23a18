/** Playrooms whose stored time zone is none that a catalogue file may have: releases before took abbreviations. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { zoneDiffers } from "../../../src/ops/attention/ActionItems.ts"
import { zonesOtherwise } from "../../../src/platform/database/ServerZones.ts"
import { hourMs, offsetAt, secondMs } from "../../../src/platform/time/LocalTime.ts"
import { setClock } from "../../support/BookingWorld.ts"
import { commandWorld, parsed, playroom } from "../../support/CommandLine.ts"
import { now } from "../../support/PaymentWorld.ts"
import { venue } from "../../support/paymentVenues.ts"

const stored = Effect.fnUntraced(function* (zone: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`update playroom set time_zone = ${zone} where playroom_id = ${venue.playroom.playroom_id}`
})
const found = Effect.map(playroom("doctor", "--json"), ({ out }) => parsed(out))

layer(commandWorld)("a stored time zone", (it) => {
  it.effect("X16: that is an abbreviation is named by the doctor, with whose clock it is and the country's zones", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      assert.deepStrictEqual(yield* found, [])
      yield* stored("BST")
      const [finding, ...others] = [yield* found].flat()
      assert.deepStrictEqual(others, [])
      assert.deepInclude(finding, { what: "time zone is no place's", id: "BST" })
      assert.match(JSON.stringify(finding), /1 playroom in GB \([^)]+\) with the time zone BST, read as Asia\/Dhaka/)
      assert.include(JSON.stringify(finding), "an IANA time zone of GB: Europe/London. Abbreviations like BST mean")
      yield* stored("Europe/Nowhere")
      assert.include(JSON.stringify(yield* found), "Europe/Nowhere, which this release can't read")
    })
  )

  it.effect("D2: whose clock is another in the database is named, with both clocks and the release that runs", () =>
    Effect.gen(function* () {
      const at = Date.parse("2026-11-20T00:00:00Z")
      const zones = ["Asia/Kolkata", "Europe/London", "Europe/Nowhere", "Pacific/Apia"]
      assert.deepStrictEqual(yield* zonesOtherwise(zones, at), [])
      const changed = Date.parse("2027-01-10T00:00:00Z")
      const found = yield* zonesOtherwise(zones, at, (zone, instant) =>
        zone === "Europe/London" && instant >= changed ? hourMs : offsetAt(zone, instant)
      )
      assert.deepStrictEqual(
        found.map(({ from, here, there, time_zone }) => [time_zone, Math.abs(from - changed) <= secondMs, here, there]),
        [["Europe/London", true, hourMs, 0]]
      )
      for (const zone of found) {
        const told = zoneDiffers({ ...zone, used: [{ playrooms: 2, name: "Leeds Play" }] })
        assert.match(
          told.detail,
          /^2 playrooms \(Leeds Play, …\): on 2027-01-10 the clock is at UTC\+01:00 by tz 20\d\d[a-z], of Node v\S+, and at UTC\+00:00/
        )
      }
      yield* stored("Europe/London")
      assert.match((yield* playroom("doctor")).out, /All is well.* tz 20\d\d[a-z], of Node/)
    })
  )

  it.effect("X18: that is an older name of a place stays good", () =>
    Effect.gen(function* () {
      for (const zone of ["Europe/Kiev", "Asia/Calcutta", "US/Eastern", "Japan", "Europe/London"]) {
        yield* stored(zone)
        assert.deepStrictEqual(yield* found, [], zone)
      }
    })
  )
})
