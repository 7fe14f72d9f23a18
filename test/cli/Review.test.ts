/** `playroom review` where the sandbox does not take the payments; with it, `test/journeys/Review.test.ts`. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Redacted, Schema } from "effect"
import { existsSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ApiKeys } from "../../src/access/ApiKeys.ts"
import { AppConfig } from "../../src/config/AppConfig.ts"
import { withoutNext } from "../../src/cli/review/Submission.ts"
import { unjustified } from "../../src/cli/review/ToolReasons.ts"
import { listedTools } from "../../src/mcp/tools/ToolList.ts"
import type { CommandServices } from "../../src/cli/Cli.ts"
import { commandWorld, playroom } from "../support/CommandLine.ts"
import { ReviewAccount } from "../support/ReviewAccount.ts"
import { testSettings } from "../support/testSettings.ts"

/** Runs the command with the provider's keys. */
const withKeys = (livemode: boolean, ...args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const services = yield* Effect.context<CommandServices>()
    const provider = { kind: "stripe", secretKey: Redacted.make("sk_test_x"), livemode } as const
    return yield* playroom("review", ...args).pipe(
      Effect.provideContext(Context.add(services, AppConfig, testSettings({ provider })))
    )
  })

describe("the reasons for the tools' hints", () => {
  it("are written down for every tool, about the hints that it has", () => {
    assert.deepStrictEqual(unjustified(listedTools), [])
    const [first, ...rest] = listedTools
    if (first === undefined) return assert.fail()
    for (const hint of ["readOnlyHint", "openWorldHint", "destructiveHint"] as const) {
      const changed = { ...first, annotations: { ...first.annotations, [hint]: !first.annotations[hint] } }
      assert.deepStrictEqual(unjustified([changed, ...rest]), [first.name])
    }
    assert.deepStrictEqual(unjustified([{ ...first, name: "delete_everything" }]), ["delete_everything"])
  })

  it("and the descriptions without the next tool say the rest word for word", () => {
    for (const { description } of listedTools) {
      const [before = "", after = ""] = description.split(/ ?Next: [^.]*\./)
      assert.strictEqual(withoutNext(description), (before + after).trim())
      assert.notInclude(withoutNext(description), "Next")
    }
  })
})

layer(commandWorld)("a test account for reviewers", (it) => {
  it.effect("is refused where payments are live, and no key is made", () =>
    Effect.gen(function* () {
      const { failure, out } = yield* withKeys(true)
      assert.include(failure, "Payments are live here")
      assert.strictEqual(out, "")
      assert.deepStrictEqual(yield* ApiKeys.use((keys) => keys.list), [])
    })
  )

  it.effect("writes no files where examples are still to be paid by a person, and says so", () =>
    Effect.gen(function* () {
      const folder = join(tmpdir(), "review-of-nothing")
      const { failure, out } = yield* withKeys(false, "--archive", folder)
      assert.isUndefined(failure)
      assert.include(out, "No files were written")
      assert.isFalse(existsSync(folder))
    })
  )

  it.effect("with the provider's test keys says where a person pays once, and what then", () =>
    Effect.gen(function* () {
      const { failure, out } = yield* withKeys(false, "--json")
      assert.isUndefined(failure)
      const { bookings } = Schema.decodeUnknownSync(ReviewAccount)(out)
      const left = new Map(bookings.map((booking) => [booking.example, booking.left]))
      assert.match(left.get("paid") ?? "", /^pay with a test card: https?:\/\/\S+$/)
      assert.match(
        left.get("cancelled") ?? "",
        /^pay with a test card: https?:\/\/\S+, then: playroom booking cancel [0-9A-Z]{4}-[0-9A-Z]{4}$/
      )
      assert.isTrue(left.has("held"))
      assert.isUndefined(left.get("held"))
      const [key] = yield* ApiKeys.use((keys) => keys.list)
      assert.strictEqual(key?.label, "review")
      assert.notInclude(key?.scopes ?? [], "admin")
      assert.isNotNull(key?.expires_at)
    })
  )
})
