/** `playroom provider setup`: the webhook endpoints at the payment provider. */
import { Effect, Option, Redacted } from "effect"
import { Command, Flag } from "effect/cli"
import { doneOf } from "../../platform/concurrency/Outcomes.ts"
import { EventPayload } from "../../domain/payment/provider/PlatformGateway.ts"
import { Receiver } from "../../domain/payment/provider/Receivers.ts"
import {
  checkEndpoints,
  type EndpointFinding,
  type Problem,
  type ReceiverStatus,
  secretSettings,
  type SetupResult,
  type SetupStep,
  setUpEndpoints
} from "../../domain/payment/setup/ProviderSetup.ts"
import { switchFlag } from "./Arguments.ts"
import { providerFailed } from "./Failure.ts"
import { json, print, failIfOpen, report } from "./Output.ts"

const rotate = Flag.Literals("rotate", [...Receiver.literals, "both"]).pipe(
  Flag.withDescription(
    "Make another endpoint with a new secret: for a new one from time to time, or where one was lost"
  ),
  Flag.optional
)
const payload = Flag.Literals("payload", EventPayload.literals).pipe(
  Flag.withDescription(
    "Have endpoints for this kind of events, made beside the others where they are of another kind: thin events only name their object, which is then fetched; snapshot events hold it. Default: the present kind, snapshot at first"
  ),
  Flag.optional
)
const check = switchFlag("check", "Change nothing; exit 1 where something is wrong")

const what = (receiver: Receiver): string => (receiver === "platform" ? "your own account" : "connected accounts")

/** What is wrong, and the fix. */
const advice = ({ endpoint, problem, receiver }: EndpointFinding): string => {
  const id = endpoint?.id ?? "none"
  const setting = secretSettings[receiver]
  const sentences: Record<Problem, string> = {
    missing: `there is no endpoint that will do: playroom provider setup makes one`,
    events: `${id} listens to other events than are used: playroom provider setup puts that right`,
    disabled: `${id} is switched off: playroom provider setup switches it on`,
    secret: `${setting} does not hold the secret of ${id}: add it and restart; where it was lost, playroom provider setup --rotate ${receiver}`,
    pending: `${id} waits for its secret: add it to ${setting} after a comma and restart, then run playroom provider setup; where it was lost, playroom provider setup --rotate ${receiver}`,
    replaced: `${id} is not needed any more: playroom provider setup switches it off once ${setting} holds the secret of the one that counts`,
    duplicate: `${id} is at the same address and was not made by this command: where it is not needed, delete it in the provider's dashboard`
  }
  return sentences[problem]
}

/**
 * `made`: new endpoints. Their secrets have just been printed, so no settings have them yet. `failed`: the receivers
 * with a step that failed.
 */
const lines = (
  statuses: ReadonlyArray<ReceiverStatus>,
  made: SetupResult["made"] = [],
  failed: ReadonlySet<Receiver | undefined> = new Set()
): ReadonlyArray<string> =>
  statuses.flatMap(({ endpoint, findings, receiver, secret_set, url }) => [
    `${what(receiver)}: ${url}`,
    ...(endpoint === undefined
      ? []
      : [
          `  ${endpoint.id}, ${endpoint.payload === "thin" ? "thin events: " : ""}${endpoint.enabled_events.join(", ")}`
        ]),
    ...(endpoint !== undefined && secret_set === undefined
      ? [`  It was not made by this command, so whether ${secretSettings[receiver]} holds its secret can't be told.`]
      : []),
    ...findings
      .filter(({ endpoint }) => !made.some(({ id }) => id === endpoint?.id))
      .map((finding) => `  → ${advice(finding)}`),
    ...(findings.length === 0 && !failed.has(receiver) ? ["  All is well."] : [])
  ])

const secrets = (made: SetupResult["made"]): ReadonlyArray<string> =>
  made.length === 0
    ? []
    : [
        "Put these into the settings now: the provider tells each secret once. Behind a secret that is there already, put a comma and the new one.",
        "",
        ...made.map(({ receiver, secret }) => `${secretSettings[receiver]}=${Redacted.value(secret)}`),
        "",
        "Then restart the service, and run playroom provider setup --check. A secret that was lost is replaced by --rotate.",
        ""
      ]

const asJson = (statuses: ReadonlyArray<ReceiverStatus>, result?: SetupResult): object => ({
  endpoints: statuses.map(({ endpoint, findings, receiver, secret_set, url }) => ({
    receiver,
    url,
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(secret_set === undefined ? {} : { secret_set }),
    findings: findings.map((finding) => ({
      problem: finding.problem,
      ...(finding.endpoint === undefined ? {} : { id: finding.endpoint.id }),
      message: advice(finding)
    }))
  })),
  ...(result === undefined
    ? {}
    : {
        settings: Object.fromEntries(
          result.made.map(({ receiver, secret }) => [secretSettings[receiver], Redacted.value(secret)])
        ),
        made: result.made.map(({ id, receiver }) => ({ receiver, id }))
      })
})

/** A step in words. */
const stepText = ({ id = "", receiver, step }: SetupStep): string => {
  const texts: Record<SetupStep["step"], string> = {
    make: "make an endpoint",
    note: `keep the fingerprint of the secret of ${id}, without which --check can't tell whether the settings have it`,
    repair: `put ${id} right`,
    switch_off: `switch ${id} off, as another one has taken its place`,
    check: "look at the endpoints afterwards: playroom provider setup --check does"
  }
  return receiver === undefined ? texts[step] : `${what(receiver)}: ${texts[step]}`
}

const setup = Command.make(
  "setup",
  { check, rotate, payload, json },
  Effect.fn(function* ({ check, rotate, payload, json }) {
    if (check) {
      const statuses = yield* checkEndpoints.pipe(Effect.catchTags(providerFailed))
      yield* print(json, asJson(statuses), lines(statuses).join("\n"))
      const wrong = statuses.reduce((sum, { findings }) => sum + findings.length, 0)
      return yield* failIfOpen(wrong)
    }
    const again = Option.match(rotate, {
      onNone: (): ReadonlyArray<Receiver> => [],
      onSome: (which) => (which === "both" ? Receiver.literals : [which])
    })
    const result = yield* setUpEndpoints(again, Option.getOrUndefined(payload)).pipe(Effect.catchTags(providerFailed))
    const done = doneOf(result.outcomes).filter(({ item: { step } }) => step === "repair" || step === "switch_off")
    const failed = result.outcomes.filter(({ outcome }) => outcome !== "done").map(({ item: { receiver } }) => receiver)
    return yield* report(json, result.outcomes, {
      noun: "step",
      verb: "done",
      name: stepText,
      data: (step) => step,
      value: asJson(result.receivers, result),
      lines: [
        ...done.map(({ item: { id = "", step } }) =>
          step === "repair" ? `${id} was put right.` : `${id} was switched off: another one has taken its place.`
        ),
        ...secrets(result.made),
        ...lines(result.receivers, result.made, new Set(failed))
      ]
    })
  })
).pipe(
  Command.withDescription(
    "Make or repair the two webhook endpoints at the payment provider, and print their secrets for the settings"
  )
)

export const provider = Command.make("provider").pipe(
  Command.withDescription("Set up the payment provider"),
  Command.withSubcommands([setup])
)
