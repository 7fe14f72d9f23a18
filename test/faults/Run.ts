/** One run: a service as its script says, its faults one after the other, and what is judged at the end. */
import { Effect, Redacted, Schedule, Schema } from "effect"
import { auditCodes } from "../../src/ops/audit/Audit.ts"
import { Finding } from "../support/outsideProvider/Judge.ts"
import { connectRoundWorld, readDatabase, roundSettings, startProvider } from "../support/outsideProvider/RoundWorld.ts"
import { settleRound } from "../support/outsideProvider/Round.ts"
import { liveRows } from "../support/Rush.ts"
import { importDemo, type Service, startService } from "../support/Service.ts"
import { copiedDatabase } from "../support/TestDatabase.ts"
import { type Cluster, urlOf } from "./Cluster.ts"
import { faults, type Scene } from "./Faults.ts"
import { judgeHistory } from "./History.ts"
import { clientNow, emptyNotes, look, type Notes, type Saturday } from "./Calls.ts"
import { allPlayrooms, findPlaces, type Places } from "./Places.ts"
import { askForAll, runFamilies } from "./Saturday.ts"
import { type Script, slotsOfPhase } from "./Script.ts"

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
    ...(topology === "nodes" ? { DATABASE_REPLICA_URL: replica } : {})
  }
  // A busy machine may be too slow for it: what is tried begins later.
  const started = startService(env).pipe(
    Effect.catchDefect(Effect.fail),
    Effect.retry({ times: 5, schedule: Schedule.spaced("1 second") }),
    Effect.orDie
  )
  const service = yield* started
  yield* importDemo(service.playroom)
  const others: ReadonlyArray<Service> = topology === "nodes" ? [yield* started] : []
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
  readonly moved: number
  readonly unanswered: number
  readonly refused: Readonly<Record<string, number>>
}

const counted = ({ acknowledged, calls, moved, refused, unanswered }: Notes) => ({
  acknowledged,
  calls,
  moved,
  unanswered,
  refused: new Map(refused)
})
const since = (before: ReturnType<typeof counted>, now: Notes) => ({
  calls: now.calls - before.calls,
  acknowledged: now.acknowledged - before.acknowledged,
  moved: now.moved - before.moved,
  unanswered: now.unanswered - before.unanswered,
  refused: Object.fromEntries(
    [...now.refused].flatMap(([code, times]) => {
      const more = times - (before.refused.get(code) ?? 0)
      return more === 0 ? [] : [[code, more]]
    })
  )
})

/** Waits of 10 ms for the moment of a fault. Not in each phase somebody can move. */
const mostWaits = 1500

/** Plays a script; `tell` is told of each phase as it ends. Answers what is wrong. */
export const play = Effect.fnUntraced(function* (script: Script, cluster: Cluster, tell: (told: Told) => void) {
  const provider = yield* startProvider(script.seed * 1009 + script.run + 1)
  const nodes = yield* startNodes(script, cluster, provider.env)
  const world = yield* connectRoundWorld(script.seed + script.run, provider, [nodes[0]])
  const playrooms = yield* allPlayrooms(nodes[0])
  const notes = emptyNotes()
  const callers = { cut: false }
  const fault = { begun: false, over: false, movers: 0 }
  const saturday: Saturday = { world, nodes, playrooms, notes, callers, fault }
  const stepClock = (ms: number) =>
    Effect.gen(function* () {
      if (ms > 0) notes.events.push({ kind: "clock", at: clientNow(), ahead: ms })
      yield* provider.control("skew", { ms })
    })
  const all: Array<Places> = []
  for (const [i, phase] of script.phases.entries()) {
    const places = yield* findPlaces(saturday, i, script.seed * 7919 + script.run * 101 + i, slotsOfPhase)
    all.push(...places)
    if (places.length === 0) return yield* Effect.die(new Error("There is nothing to book"))
    const before = counted(notes)
    const scene: Scene = { world, cluster, nodes, lastsMs: phase.lastsMs, callers, stepClock }
    Object.assign(fault, { begun: false, over: false, movers: 0 })
    const comesNow = () => notes.calls - before.calls >= phase.after && !(phase.awaitsMove && fault.movers === 0)
    const happening = Effect.gen(function* () {
      for (let waits = 0; waits < mostWaits && !comesNow(); waits++) yield* Effect.sleep("10 millis")
      fault.begun = true
      return yield* Effect.ensuring(
        faults[phase.kind](scene),
        Effect.sync(() => (fault.over = true))
      )
    })
    const [done] = yield* Effect.all([happening, runFamilies(saturday, phase, places)], { concurrency: 2 })
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
  yield* askForAll(saturday, all)
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
