import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { connectionsWithin, filesOfDatabase, surplusConnections } from "../../../src/platform/files/OwnFolder.ts"

it.prop(
  "connections, those in surplus and the embedded database leave files for everything else, from 256 on",
  [Schema.Int.check(Schema.isBetween({ minimum: 256, maximum: 2_000_000 }))],
  ([files]) => {
    const connections = connectionsWithin(5000, files)
    assert.isAtLeast(connections, 100)
    assert.isAtMost(connections, 5000)
    const used = connections + surplusConnections(connections) + filesOfDatabase(files)
    assert.isAtMost(used, files - 60)
  }
)

it("there are as many connections as wanted if the system sets no limit, and a few in any case", () => {
  assert.strictEqual(connectionsWithin(5000, Number.POSITIVE_INFINITY), 5000)
  assert.strictEqual(connectionsWithin(5000, 20_000), 5000)
  assert.strictEqual(connectionsWithin(5000, 64), 8)
  assert.strictEqual(connectionsWithin(3, 64), 3)
})
