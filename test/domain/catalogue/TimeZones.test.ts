/** Playrooms whose stored time zone is none that a catalogue file may have: releases before took abbreviations. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
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

  it.effect("X18: that is an older name of a place stays good", () =>
    Effect.gen(function* () {
      for (const zone of ["Europe/Kiev", "Asia/Calcutta", "US/Eastern", "Japan", "Europe/London"]) {
        yield* stored(zone)
        assert.deepStrictEqual(yield* found, [], zone)
      }
    })
  )
})
