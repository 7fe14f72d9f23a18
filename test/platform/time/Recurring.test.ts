import { assert, it } from "@effect/vitest"
import { Cause, Effect, Logger, Ref } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { TestClock } from "effect/testing"
import { lastSaid } from "../../../src/surfaces/http/Management.ts"
import { forkRecurring, unending } from "../../../src/platform/time/LocalTime.ts"
import { root } from "../../../src/ops/process/Bundle.ts"

/** Keeps what is logged. */
const logged = () => {
  const lines: Array<string> = []
  const keep = Logger.make(({ cause, message }) => {
    lines.push(
      `${String(message)} ${cause.reasons.map((reason) => (Cause.isDieReason(reason) ? "died" : "failed")).join()}`
    )
  })
  return { lines, layer: Logger.layer([keep]) }
}

for (const [kind, fails] of [
  ["a defect", Effect.die(new Error("a bug"))],
  ["a failure", Effect.fail("no")]
] as const)
  it.effect(`work without an end goes on after ${kind}, and says so once a minute`, () => {
    const { layer, lines } = logged()
    return Effect.gen(function* () {
      let runs = 0
      const work = Effect.suspend(() => (++runs % 2 === 1 ? fails : Effect.sleep("1 second")))
      yield* Effect.forkScoped(unending(work, "The work was not done"))
      yield* Effect.yieldNow
      assert.deepStrictEqual(lines, [`The work was not done ${kind === "a defect" ? "died" : "failed"}`])
      yield* TestClock.adjust("20 seconds")
      assert.isAtLeast(runs, 20)
      assert.strictEqual(lines.length, 1)
    }).pipe(Effect.scoped, Effect.provide(layer))
  })

it.effect("work without an end ends with its scope, also where it fails again and again", () =>
  Effect.gen(function* () {
    let runs = 0
    yield* Effect.scoped(
      Effect.gen(function* () {
        yield* Effect.forkScoped(
          unending(
            Effect.suspend(() => Effect.die(`bug ${++runs}`)),
            "The work was not done"
          )
        )
        yield* TestClock.adjust("5 seconds")
      })
    )
    const before = runs
    yield* TestClock.adjust("1 minute")
    assert.strictEqual(runs, before)
  })
)

it.effect("what probes are told is read again after a defect, and is not what it was before that", () =>
  Effect.gen(function* () {
    const now = yield* Ref.make<Effect.Effect<string>>(Effect.succeed("ready"))
    const said = yield* lastSaid(Effect.flatten(Ref.get(now)), "starting")
    yield* TestClock.adjust("1 second")
    assert.strictEqual(yield* said, "ready")
    yield* Ref.set(now, Effect.die("a row of another shape"))
    yield* TestClock.adjust("3 seconds")
    assert.strictEqual(yield* said, "starting")
    yield* Ref.set(now, Effect.succeed("ready"))
    yield* TestClock.adjust("3 seconds")
    assert.strictEqual(yield* said, "ready")
  }).pipe(Effect.scoped)
)

it.effect("recurring work goes on after a defect", () =>
  Effect.gen(function* () {
    let runs = 0
    const work = Effect.suspend(() => (runs++ === 0 ? Effect.die("a bug") : Effect.void))
    yield* forkRecurring(work, { every: "1 second", failed: "The work was not done" })
    yield* TestClock.adjust("10 seconds")
    assert.isAtLeast(runs, 5)
  }).pipe(Effect.scoped)
)

/** Their bodies catch each cause, or end. */
const watchThemselves = new Set([
  "src/platform/time/LocalTime.ts",
  "src/platform/database/Maintenance.ts",
  "src/platform/database/ReadReplica.ts",
  "src/surfaces/letters/LetterDelivery.ts",
  "src/domain/payment/events/WebhookInbox.ts",
  "src/domain/payment/workers/ProviderTaskWorker.ts",
  "src/extras/sandbox/Sandbox.ts"
])

it("work repeats without an end only by what goes on after a defect", () => {
  const found = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => join("src", path))
    .filter((path) => /Effect\.(?:forever\b|repeat\()/.test(readFileSync(join(root, path), "utf8")))
  assert.deepStrictEqual(found.toSorted(), [...watchThemselves].toSorted())
})
