import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { fromEnv } from "../../../src/platform/config/AppConfig.ts"
import { addressesOf } from "../../../src/platform/config/Variables.ts"
import { choosePrimary, type ServerState } from "../../../src/platform/database/PrimaryAddress.ts"

describe("the addresses of DATABASE_URL", () => {
  it("are one for each server that it names, with the same user, database and settings", () => {
    const one = "postgres://playroom:p%2Cq@one:5432/playroom?sslmode=require"
    assert.deepStrictEqual(addressesOf(one), [one])
    assert.deepStrictEqual(addressesOf(one.replace("one:5432", "one:5432,[fd00::2]:6432,three")), [
      one,
      one.replace("one:5432", "[fd00::2]:6432"),
      one.replace("one:5432", "three")
    ])
    const comma = "postgres:///playroom?host=/run/a,b"
    assert.deepStrictEqual(addressesOf(comma), [comma])
  })

  it("are all checked; a replica to read from is one server", () => {
    const faults = (env: Record<string, string>) =>
      Result.match(fromEnv(env), { onSuccess: () => [], onFailure: (invalid) => invalid.faults }).join("\n")
    const url = "postgres://ana@one:5432,two:5432/playroom"
    assert.strictEqual(faults({ DATABASE_URL: url }), "")
    assert.include(faults({ DATABASE_URL: "postgres://one:5432,two:port/playroom" }), "DATABASE_URL must be")
    assert.include(
      faults({ DATABASE_URL: "postgres://ana@one/playroom", DATABASE_REPLICA_URL: url }),
      "DATABASE_REPLICA_URL must name one server"
    )
  })
})

describe("of several servers the primary", () => {
  const state = (timeline: number | undefined, system = "1"): ServerState => ({ timeline, system })
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<ServerState | undefined>, number | undefined]> = [
    ["is the one that takes writes", [state(undefined), state(1)], 1],
    ["is the one that answers", [undefined, state(2)], 1],
    ["is none where all are standbys or away", [state(undefined), undefined], undefined],
    ["is the one that was promoted later, where an old one came back", [state(1), state(2)], 1],
    ["stays the first of two that can't be told apart", [state(3), state(3)], 0],
    ["is never a server that is no copy of the others", [state(undefined), state(9, "2")], undefined]
  ]
  for (const [title, states, place] of cases) it(title, () => assert.strictEqual(choosePrimary(states, "1"), place))
})
