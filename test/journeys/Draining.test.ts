import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Service, startService } from "../support/Service.ts"

const statusOf = ({ baseUrl }: Service, path: string) =>
  Effect.promise(() => fetch(baseUrl + path).then(({ status }) => status))

/** Asks the service to stop, and waits until a balancer can see it. */
const askToStop = Effect.fnUntraced(function* (service: Service) {
  process.kill(service.pid(), "SIGTERM")
  while ((yield* statusOf(service, "/readyz")) !== 503) yield* Effect.sleep("50 millis")
})

it.live("a service that is asked to stop serves on for DRAIN_SECONDS with /readyz 503, and ends well", () =>
  Effect.gen(function* () {
    const service = yield* startService({ DRAIN_SECONDS: "5" })
    yield* askToStop(service)
    assert.strictEqual(yield* statusOf(service, "/healthz"), 200)
    assert.strictEqual(yield* service.ended, 0)
    assert.include(service.output(), "serving on until balancers have noticed")
  }).pipe(Effect.scoped)
)

it.live("a second signal ends it at once, however long it would serve on", () =>
  Effect.gen(function* () {
    const service = yield* startService({ DRAIN_SECONDS: "300" })
    yield* askToStop(service)
    // What comes together with the first is the same signal, handed on by a parent.
    yield* Effect.sleep("300 millis")
    assert.strictEqual(yield* service.stop("SIGINT"), 1)
  }).pipe(Effect.scoped)
)
