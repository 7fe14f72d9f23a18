/** What goes wrong in a run, and who does what meanwhile: a seed's script, the same each time. */
import { type Chance, chanceFrom } from "../fuzz/Chance.ts"

/** What the service is: one process, or two nodes that read from a replica, too. */
export const topologies = ["nodes", "alone"] as const
export type Topology = (typeof topologies)[number]

export const faultKinds = [
  "service_killed",
  "node_paused",
  "other_node_killed",
  "replica_stopped",
  "database_restarted",
  "database_stopped",
  "database_killed",
  "database_paused",
  "database_connections_cut",
  "database_out_of_connections",
  "database_full",
  "database_locked",
  "callers_cut",
  "provider_slow",
  "provider_cut",
  "provider_lying",
  "clock_ahead",
  "clock_back"
] as const
export type FaultKind = (typeof faultKinds)[number]

/** What has no meaning where there is one process. */
const needNodes: ReadonlySet<FaultKind> = new Set(["node_paused", "other_node_killed", "replica_stopped"])

/** A family, and what it does once it has its places. */
export interface Family {
  /** Its e-mail address and its idempotency keys begin so. */
  readonly name: string
  /** Of the places of the phase: 0 is what most want. */
  readonly slot: number
  /** It books the other day of these places, to which families move. */
  readonly otherDay: boolean
  /** It comes once the fault has begun. */
  readonly late: boolean
  readonly pays: boolean
  /** An operator cancels its visit, at the same time as it moves. */
  readonly cancelled: boolean
  /**
   * Its paid visit is moved to the other day: by the family on its page where the terms allow that, or by an operator's
   * command.
   */
  readonly moves: "no" | "there" | "there and back"
  readonly byCommand: boolean
  readonly seed: number
}

/** A fault, and the families whose visits are booked while it lasts. */
export interface Phase {
  readonly kind: FaultKind
  /** It begins after so many answers. */
  readonly after: number
  /** It waits until a family has paid and is about to move. */
  readonly awaitsMove: boolean
  readonly lastsMs: number
  readonly families: ReadonlyArray<Family>
}

export interface Script {
  readonly seed: number
  readonly run: number
  readonly topology: Topology
  readonly phases: ReadonlyArray<Phase>
}

const shuffled = <A>(chance: Chance, list: ReadonlyArray<A>): ReadonlyArray<A> => {
  const left = [...list]
  return list.flatMap(() => left.splice(chance.below(left.length), 1))
}

/** Slots of a phase. */
export const slotsOfPhase = 4
/** The families by the places that they want, and those that want what others move to. */
const wanted = [0, 0, 0, 0, 0, 1, 1, 2, 2, 3]
const wantedOtherDay = [0, 1, 2]

const phaseOf = (chance: Chance, name: string, kind: FaultKind): Phase => {
  const family = (i: number, slot: number, otherDay: boolean): Family => {
    const cancelled = slot === slotsOfPhase - 1
    const moves = otherDay || chance.once(5) ? "no" : chance.once(3) ? "there and back" : "there"
    return {
      name: `${name}-${i}`,
      slot,
      otherDay,
      late: i % 2 === 1,
      pays: moves !== "no" || !chance.once(4),
      cancelled,
      moves,
      byCommand: chance.once(4),
      seed: 1 + chance.below(2 ** 30)
    }
  }
  const families = [
    ...wanted.map((slot, i) => family(i, slot, false)),
    ...wantedOtherDay.map((slot, i) => family(wanted.length + i, slot, true))
  ]
  const times = { after: 1 + chance.below(8), awaitsMove: !chance.once(3), lastsMs: 1200 + chance.below(2800) }
  return { kind, ...times, families }
}

/** The script of a run. Faults are dealt from packs of all of them, so that a few runs have each. */
export const scriptOf = (seed: number, run: number, faults: number): Script => {
  const packs = chanceFrom(seed)
  const dealt: Array<FaultKind> = []
  while (dealt.length < (run + 1) * faults) dealt.push(...shuffled(packs, faultKinds))
  const kinds = dealt.slice(run * faults, (run + 1) * faults)
  const topology = kinds.some((kind) => needNodes.has(kind))
    ? "nodes"
    : (topologies[run % topologies.length] ?? "nodes")
  const chance = chanceFrom(seed * 7919 + run)
  const phases = kinds.map((kind, i) => phaseOf(chance, `s${seed}-r${run}-f${i}`, kind))
  return { seed, run, topology, phases }
}
