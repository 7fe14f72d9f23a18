/** One run: a service as its script says, its faults one after the other, and what is judged at the end. */
import { Effect, Redacted, Schema } from "effect"
import { auditCodes } from "../../src/attention/audit/Audit.ts"
import { Finding } from "../support/outsideProvider/Judge.ts"
import { startProvider } from "../support/outsideProvider/OutsideProvider.ts"
import { settleRound } from "../support/outsideProvider/RoundEnd.ts"
import { connectRoundWorld, readDatabase, roundSettings } from "../support/outsideProvider/RoundWorld.ts"
import { liveRows } from "../support/Rush.ts"
import { importDemo, type Service, startService } from "../support/Service.ts"
import { copiedDatabase } from "../support/TestDatabase.ts"
import { type Cluster, urlOf } from "./Cluster.ts"
import { faults, type Scene } from "./Faults.ts"
import { judgeHistory } from "./History.ts"
import { clientNow, emptyNotes, findSlots, look, type Notes, runFamilies, type Saturday } from "./Saturday.ts"
import { otherSlots, type Script } from "./Script.ts"

const startNodes = Effect.fnUntraced(function* (
  { topology }: Script,
  cluster: Cluster,
  settings: Readonly<Record<string, string>>
) {
  const address = Redacted.value(yield* copiedDatabase(urlOf(cluster, "primary")))
  const replica = urlOf(cluster, "replica", new URL(address).pathname.slice(1))
  const env = {
    ...settings,
    ...roundSettings,
    DATABASE_URL: address,
    ...(topology === "alone" ? {} : { WORKERS: "2" }),
    ...(topology === "nodes" ? { DATABASE_REPLICA_URL: replica } : {})
  }
  const service = yield* startService(env)
  yield* importDemo(service.playroom)
  const others: ReadonlyArray<Service> = topology === "nodes" ? [yield* startService(env)] : []
  return [service, ...others] as const
})

const Findings = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Array(Finding)))

/** What the audit of all stored data, the schema and the provider's books says. */
const audit = Effect.fnUntraced(function* (service: Service) {
  const { stderr, stdout } = yield* service.playroomProcess("doctor", "--audit", "--json")
  const found = yield* Effect.mapError(
    Findings(stdout),
    () => new Error(`The audit did not answer: ${stderr}${stdout}`)
  )
  return found
    .filter(({ what }) => auditCodes.includes(what))
    .map(({ detail, id, what }) => `the audit: ${what} ${id}: ${detail}`)
})

/** Two live bookings of one family: a call that was repeated has made another. */
const twice = Effect.map(liveRows, (rows) =>
  [...Map.groupBy(rows, ({ contact_email }) => contact_email)].flatMap(([email, all]) =>
    all.length > 1 ? [`${email} has ${all.map(({ booking_id }) => booking_id).join(", ")}`] : []
  )
)

/** What was done in a phase, and what of it was counted. */
interface Told {
  readonly fault: string
  readonly done: string
  readonly calls: number
  readonly acknowledged: number
  readonly unanswered: number
  readonly refused: Readonly<Record<string, number>>
}

const counted = ({ acknowledged, calls, refused, unanswered }: Notes) => ({
  acknowledged,
  calls,
  unanswered,
  refused: new Map(refused)
})
const since = (before: ReturnType<typeof counted>, now: Notes) => ({
  calls: now.calls - before.calls,
  acknowledged: now.acknowledged - before.acknowledged,
  unanswered: now.unanswered - before.unanswered,
  refused: Object.fromEntries(
    [...now.refused].flatMap(([code, times]) => {
      const more = times - (before.refused.get(code) ?? 0)
      return more === 0 ? [] : [[code, more]]
    })
  )
})

/** Plays a script; `tell` is told of each phase as it ends. Answers what is wrong. */
export const play = Effect.fnUntraced(function* (script: Script, cluster: Cluster, tell: (told: Told) => void) {
  const provider = yield* startProvider(script.seed * 1009 + script.run + 1)
  const nodes = yield* startNodes(script, cluster, provider.env)
  const world = yield* connectRoundWorld(script.seed + script.run, provider, nodes[0])
  const notes = emptyNotes()
  const callers = { cut: false }
  const fault = { begun: false, over: false }
  const saturday: Saturday = { world, nodes, notes, callers, fault }
  const stepClock = (ms: number) =>
    Effect.gen(function* () {
      if (ms > 0) notes.events.push({ kind: "clock", at: clientNow(), ahead: ms })
      yield* provider.control("skew", { ms })
    })
  for (const [i, phase] of script.phases.entries()) {
    const slots = yield* findSlots(saturday, i, script.seed + i, otherSlots + 1)
    if (slots.length === 0) return yield* Effect.die(new Error("There is nothing to book"))
    const before = counted(notes)
    const scene: Scene = { world, cluster, nodes, lastsMs: phase.lastsMs, callers, stepClock }
    Object.assign(fault, { begun: false, over: false })
    const happening = Effect.gen(function* () {
      for (let waits = 0; waits < 3000 && notes.calls - before.calls < phase.after; waits++)
        yield* Effect.sleep("10 millis")
      fault.begun = true
      return yield* Effect.ensuring(
        faults[phase.kind](scene),
        Effect.sync(() => (fault.over = true))
      )
    })
    const [done] = yield* Effect.all([happening, runFamilies(saturday, phase, slots)], { concurrency: 2 })
    tell({ fault: phase.kind, done, ...since(before, notes) })
  }
  const settling = clientNow()
  const wrong = yield* settleRound(world, true)
  const record = yield* provider.record
  const ahead = record.now - clientNow()
  notes.events.push({ kind: "clock", at: settling, ahead: ahead + 1000 })
  const acknowledged = new Set(
    notes.events.flatMap((event) =>
      event.kind === "book" && event.answer !== undefined && "booking_id" in event.answer
        ? [event.answer.booking_id]
        : []
    )
  )
  const unanswered: Array<string> = []
  for (const booking_id of acknowledged)
    for (const node of nodes)
      if ((yield* look(saturday, booking_id, node)) === undefined)
        unanswered.push(`${booking_id}: no answer, though everything works again`)
  const { undecided, violations } = judgeHistory(notes)
  return {
    violations: [
      ...violations,
      ...wrong,
      ...unanswered,
      ...(yield* audit(nodes[0])),
      ...(yield* readDatabase(nodes[0], twice))
    ],
    undecided,
    counts: Object.fromEntries(world.counts),
    provider: { calls: record.calls, ...record.faults, ...record.events },
    log: nodes.map(({ output }) => output())
  }
})
