/**
 * The product's sandbox as a process of its own, which the service takes for the real provider: it outlives the service that is killed,
 * people act on it without the service's knowledge, and its record says what was really paid and refunded.
 *
 * This file starts it for a scope, and gives the settings with which a service connects to it.
 */
import { Effect, Schema } from "effect"
import { spawn } from "node:child_process"
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { inject } from "vitest"
import { clusterFolder } from "../../../src/platform/database/DataDirectory.ts"
import { shortLived } from "../nodeProcesses.ts"
import { ProviderRecord } from "./ProviderRecord.ts"

const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

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
  cpSync(inject("embeddedTemplate"), join(home, "data", clusterFolder), { recursive: true })
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
  const url = `http://127.0.0.1:${readFileSync(join(home, "controls"), "utf8")}`
  const say = (what: string, how: object = {}): Effect.Effect<unknown> =>
    Effect.promise(() =>
      fetch(`${url}/${what}`, { method: "POST", body: JSON.stringify(how) }).then((answer) => answer.json())
    )
  const secrets = { platformSecret: `whsec_platform_${seed}`, connectedSecret: `whsec_connected_${seed}` }
  const provider: OutsideProvider = {
    env: {
      PAYMENT_PROVIDER: "stripe",
      STRIPE_SECRET_KEY: "sk_test_outside",
      PAYMENT_WEBHOOK_SECRETS: secrets.platformSecret,
      PAYMENT_CONNECT_WEBHOOK_SECRETS: secrets.connectedSecret,
      NODE_OPTIONS: `--import=${pathOf("./preload.ts")}`,
      PROVIDER_HOME: home,
      CLOCK_OFFSET_FILE: join(home, "clock")
    },
    secrets,
    control: say,
    record: say("record").pipe(Effect.flatMap(Schema.decodeUnknownEffect(ProviderRecord)), Effect.orDie)
  }
  return provider
})
