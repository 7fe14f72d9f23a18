/**
 * One of the two fake payment providers of the tests. This one is a process of its own that speaks the provider's HTTP API to the official
 * client: it outlives the service that is killed, people act on it without the service's knowledge, and its record says what was really
 * paid and refunded. The other, `ScriptedGateway.ts`, stands behind the port inside the test's process.
 *
 * This file starts it for a scope, and gives the settings with which a service connects to it.
 */
import { Effect, Schema } from "effect"
import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { shortLived } from "../nodeProcesses.ts"

const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

const Text = Schema.Record(Schema.String, Schema.String)
const Counts = Schema.Record(Schema.String, Schema.Int)
const ProviderRecord = Schema.Struct({
  now: Schema.Int,
  sessions: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      account: Schema.String,
      amount: Schema.Int,
      currency: Schema.String,
      status: Schema.String,
      payment_status: Schema.String,
      payment_intent: Schema.NullOr(Schema.String),
      intent_status: Schema.String,
      metadata: Text
    })
  ),
  refunds: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      payment_intent: Schema.String,
      amount: Schema.Int,
      by: Schema.String,
      known: Counts,
      status: Schema.String,
      metadata: Text
    })
  ),
  disputes: Schema.Array(
    Schema.Struct({ id: Schema.String, payment_intent: Schema.String, amount: Schema.Int, status: Schema.String })
  ),
  invoices: Schema.Array(Schema.Struct({ id: Schema.String, customer: Schema.String, period_end: Schema.Int })),
  calls: Schema.Int,
  replayed: Schema.Int,
  faults: Counts,
  events: Counts
})
/** What was really paid and refunded. */
export type ProviderRecord = typeof ProviderRecord.Type

export interface OutsideProvider {
  /** Settings with which a service connects to this provider as if it were the real one. */
  readonly env: Readonly<Record<string, string>>
  readonly secrets: { readonly platformSecret: string; readonly connectedSecret: string }
  /** Controls the provider: `what` is a name of `controls` in `main.ts`. Answers what that control answers. */
  readonly control: (what: string, how?: object) => Effect.Effect<unknown>
  readonly record: Effect.Effect<ProviderRecord>
}

/** Starts the provider; what it does by chance follows from `seed`. */
export const startProvider = Effect.fnUntraced(function* (seed: number) {
  const home = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "playroom-provider-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
  )
  yield* Effect.acquireRelease(
    Effect.callback<ReturnType<typeof spawn>>((resume) => {
      const child = spawn(process.execPath, [...shortLived, pathOf("./main.ts"), String(seed), home], {
        stdio: ["pipe", "pipe", "inherit"]
      })
      child.stdout.once("data", () => resume(Effect.succeed(child)))
      child.once("exit", (code) => resume(Effect.die(new Error(`the provider ended: ${code}`))))
    }),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  const url = `http://127.0.0.1:${readFileSync(join(home, "port"), "utf8")}`
  const say = (what: string, how: object = {}): Effect.Effect<unknown> =>
    Effect.promise(() =>
      fetch(`${url}/control/${what}`, { method: "POST", body: JSON.stringify(how) }).then((answer) => answer.json())
    )
  const secrets = { platformSecret: `whsec_platform_${seed}`, connectedSecret: `whsec_connected_${seed}` }
  const provider: OutsideProvider = {
    env: {
      PAYMENT_PROVIDER: "stripe",
      STRIPE_SECRET_KEY: "sk_test_outside",
      PAYMENT_WEBHOOK_SECRETS: secrets.platformSecret,
      PAYMENT_CONNECT_WEBHOOK_SECRETS: secrets.connectedSecret,
      NODE_OPTIONS: `--import=${pathOf("./preload.ts")}`,
      PROVIDER_HOME: home
    },
    secrets,
    control: say,
    record: say("record").pipe(Effect.flatMap(Schema.decodeUnknownEffect(ProviderRecord)), Effect.orDie)
  }
  return provider
})
