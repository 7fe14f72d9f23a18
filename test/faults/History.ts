/**
 * What clients saw of a service: each call with the time before it was sent and the time after its answer came.
 * `violations` says what no service that keeps its promises could have answered. Pure.
 */
import { slotGroups, violationAmong } from "./Slots.ts"

interface Call {
  /** Milliseconds on the clients' own clock, which never steps. */
  readonly began: number
  /**
   * None: there was no answer, or one that leaves open whether anything was done. It may still take effect, at any
   * later time.
   */
  readonly ended: number | undefined
}

/** A booking as a tool showed it. `lapses`: until when it is held, on the service's clock. */
export interface Shown {
  readonly booking_id: string
  readonly status: string
  /** Where its visit is. */
  readonly slot: string
  readonly lapses?: number
}

/** A family asks for places of a slot. Calls of one wish have the same idempotency key. */
export interface Book extends Call {
  readonly kind: "book"
  readonly wish: string
  readonly slot: string
  readonly size: number
  readonly answer: Shown | { readonly refused: string } | undefined
}
/** A family looks at its booking. */
export interface See extends Call {
  readonly kind: "see"
  readonly booking_id: string
  readonly answer: Shown | { readonly refused: string } | undefined
}
/** An operator cancels it. */
export interface Cancel extends Call {
  readonly kind: "cancel"
  readonly booking_id: string
}
/**
 * A family moves it on its page, or an operator does. The answer is the same where an earlier call has moved it
 * already.
 */
export interface Move extends Call {
  readonly kind: "move"
  readonly booking_id: string
  /** To where, and how much it takes there. */
  readonly slot: string
  readonly size: number
  readonly answer: "moved" | { readonly refused: string } | undefined
}
/** From `at` on the service's clock may be so many milliseconds ahead of what it showed before. */
export interface ClockStep {
  readonly kind: "clock"
  readonly at: number
  readonly ahead: number
}
export type Event = Book | See | Cancel | Move | ClockStep

export interface History {
  /** How much each slot holds. A party that wants a playroom for itself has the size of all of it. */
  readonly slots: ReadonlyMap<string, number>
  /** In the order in which they ended. */
  readonly events: ReadonlyArray<Event>
}

/**
 * Where each status may lead, through any others. What is cancelled stays so; a late payment confirms what had expired.
 */
const leadsTo: Readonly<Record<string, ReadonlyArray<string>>> = {
  held: ["held", "confirmed", "expired", "cancelled"],
  confirmed: ["confirmed", "expired", "cancelled"],
  expired: ["expired", "confirmed", "cancelled"],
  cancelled: ["cancelled"]
}

const isShown = (answer: Book["answer"]): answer is Shown => answer !== undefined && "booking_id" in answer

/** All that showed a booking, whichever call it was. */
const sightings = (events: ReadonlyArray<Event>) =>
  events.flatMap((event) =>
    (event.kind === "book" || event.kind === "see") && isShown(event.answer) && event.ended !== undefined
      ? [{ began: event.began, ended: event.ended, ...event.answer }]
      : []
  )
type Sighting = ReturnType<typeof sightings>[number]

const byBooking = (seen: ReadonlyArray<Sighting>): ReadonlyMap<string, ReadonlyArray<Sighting>> =>
  Map.groupBy(seen, ({ booking_id }) => booking_id)

/** A booking that a client was told of is not unknown to a call that began later. */
const unseen = (events: ReadonlyArray<Event>, seen: ReadonlyMap<string, ReadonlyArray<Sighting>>) =>
  events.flatMap((event) => {
    if (event.kind !== "see" && event.kind !== "move") return []
    const { answer } = event
    if (answer === undefined || answer === "moved" || isShown(answer)) return []
    if (answer.refused !== "booking_not_found") return []
    const before = seen.get(event.booking_id)?.find(({ ended }) => ended < event.began)
    return before === undefined
      ? []
      : [`${event.booking_id} was acknowledged at ${before.ended}, and is unknown at ${event.began}`]
  })

/** Which of two calls that did not overlap came first is known: the later one shows no status from before. */
const statusesBack = (seen: ReadonlyMap<string, ReadonlyArray<Sighting>>) =>
  [...seen].flatMap(([booking_id, all]) =>
    all.flatMap((one) => {
      const back = all.find((other) => one.ended < other.began && !leadsTo[one.status]?.includes(other.status))
      return back === undefined
        ? []
        : [`${booking_id} was ${one.status} at ${one.ended}, and is ${back.status} at ${back.began}`]
    })
  )

/** One wish is one booking, and one booking is one wish's. */
const keysShared = (events: ReadonlyArray<Event>) => {
  const made = events.flatMap((event) =>
    event.kind === "book" && isShown(event.answer) ? [{ wish: event.wish, booking_id: event.answer.booking_id }] : []
  )
  const several = (what: string, of: "wish" | "booking_id", has: "wish" | "booking_id") =>
    [...Map.groupBy(made, (one) => one[of])].flatMap(([one, all]) => {
      const others = [...new Set(all.map((each) => each[has]))]
      return others.length > 1 ? [`${what} ${one} has several: ${others.join(", ")}`] : []
    })
  return [...several("the key", "wish", "booking_id"), ...several("the booking", "booking_id", "wish")]
}

export interface Verdict {
  readonly violations: ReadonlyArray<string>
  /** Slots about which the search ended before it knew. */
  readonly undecided: ReadonlyArray<string>
}

/** A sentence for each thing that a client saw and that must not be. */
export const judgeHistory = ({ events, slots }: History): Verdict => {
  const seen = byBooking(sightings(events))
  const judged = slotGroups(slots, events).map((group) => ({
    names: [...group.keys()],
    found: violationAmong(group, events)
  }))
  return {
    violations: [
      ...unseen(events, seen),
      ...statusesBack(seen),
      ...keysShared(events),
      ...judged.flatMap(({ found }) => (typeof found === "string" ? [found] : []))
    ],
    undecided: judged.flatMap(({ found, names }) => (found === null ? names : []))
  }
}
