/**
 * Linearizability of slots, as Jepsen's checkers decide it (Wing and Gong's search, with Lowe's memory of what was
 * tried): is there an order of the calls, each at one moment between its beginning and its end, in which slots of these
 * capacities answer what was answered? Slots between which a booking may have moved are judged together: at one moment
 * it leaves the one and has the other.
 */
import type { Book, Event, Move, See, Shown } from "./History.ts"

/** How much each slot holds. */
type Capacities = ReadonlyMap<string, number>
type Place = "live" | "lapsed" | "cancelled"
interface Standing {
  readonly place: Place
  readonly slot: string
  /** How much of the slot it takes. */
  readonly size: number
}
/** What became of each wish that was booked. */
type State = ReadonlyMap<string, Standing>

interface Operation {
  readonly began: number
  /** Infinity: it may also never happen. */
  readonly ended: number
  readonly told: string
  /** The state afterwards; none where a slot in this state would not have answered so. */
  readonly apply: (state: State) => State | undefined
}

/** So many steps of the search decide every slot of a run many times over. */
const mostSteps = 300_000

const fits = (capacities: Capacities, state: State, slot: string, size: number): boolean => {
  let sum = size
  for (const one of state.values()) if (one.place === "live" && one.slot === slot) sum += one.size
  return sum <= (capacities.get(slot) ?? 0)
}
const changed = (state: State, wish: string, change: Partial<Standing>): State | undefined => {
  const one = state.get(wish)
  return one === undefined ? undefined : new Map(state).set(wish, { ...one, ...change })
}
/** Whether a wish is where an answer says that it is. */
const stands = (state: State, wish: string, { slot, status }: Shown): boolean => {
  const one = state.get(wish)
  if (one?.slot !== slot) return false
  const live = status === "held" || status === "confirmed"
  return one.place === (live ? "live" : status === "cancelled" ? "cancelled" : "lapsed")
}

const bookOperation = (book: Book, capacities: Capacities): Operation | undefined => {
  const { answer, began, ended = Infinity, size, slot, wish } = book
  const made = (state: State): State | undefined => {
    if (state.has(wish)) return state
    return fits(capacities, state, slot, size) ? new Map(state).set(wish, { place: "live", slot, size }) : undefined
  }
  const timed = { began, ended }
  if (answer === undefined || ended === Infinity)
    return { began, ended: Infinity, told: `${wish} books ${slot}, without an answer`, apply: made }
  if ("booking_id" in answer) {
    const told = `${wish} books ${slot}, and is told ${answer.booking_id} ${answer.status} ${answer.slot}`
    const apply = (state: State) => {
      const next = made(state)
      return next !== undefined && stands(next, wish, answer) ? next : undefined
    }
    return { ...timed, told, apply }
  }
  // Any other refusal says nothing of the places.
  if (answer.refused !== "slot_unavailable") return undefined
  const full = (state: State) => (!state.has(wish) && !fits(capacities, state, slot, size) ? state : undefined)
  return { ...timed, told: `${wish} is told that the places of ${slot} are taken`, apply: full }
}

const seeOperation = ({ answer, began, ended }: See, wish: string): Operation | undefined => {
  if (answer === undefined || ended === undefined || !("booking_id" in answer)) return undefined
  const apply = (state: State) => (stands(state, wish, answer) ? state : undefined)
  return { began, ended, told: `${wish} sees ${answer.status} ${answer.slot}`, apply }
}

/** Without an answer it happens at any later time, or never; in neither case by halves. */
const moveOperation = (move: Move, wish: string, capacities: Capacities): Operation | undefined => {
  const { answer, began, ended = Infinity, size, slot } = move
  const there = (state: State): State | undefined => {
    const one = state.get(wish)
    if (one?.place !== "live") return undefined
    if (one.slot === slot) return state
    return fits(capacities, state, slot, size) ? changed(state, wish, { slot, size }) : undefined
  }
  if (answer === undefined || ended === Infinity)
    return { began, ended: Infinity, told: `${wish} moves to ${slot}, without an answer`, apply: there }
  if (answer === "moved") return { began, ended, told: `${wish} is moved to ${slot}`, apply: there }
  if (answer.refused !== "slot_unavailable") return undefined
  const full = (state: State) => {
    const elsewhere = state.get(wish)?.slot !== slot
    return elsewhere && !fits(capacities, state, slot, size) ? state : undefined
  }
  return { began, ended, told: `${wish} is told that it can't move to ${slot}: its places are taken`, apply: full }
}

/** When a hold may have lapsed at the earliest, on the clients' clock. */
const earliestLapse = (made: Book, events: ReadonlyArray<Event>): number => {
  const lapses = made.answer !== undefined && "booking_id" in made.answer ? made.answer.lapses : undefined
  // Nobody knows until when it is held.
  if (lapses === undefined) return made.began
  const stepped = events.flatMap((event) => (event.kind === "clock" ? [Math.max(event.at, lapses - event.ahead)] : []))
  return Math.max(made.began, Math.min(lapses, ...stepped))
}

/**
 * Of calls of the same kind without an answer the first can do whatever the others can: it stands for all, or there are
 * too many orders.
 */
const firstSilent = <A extends Book | Move>(calls: ReadonlyArray<A>, same: (call: A) => string): ReadonlySet<A> => {
  const first = new Map<string, A>()
  for (const one of calls)
    if (one.ended === undefined && one.began < (first.get(same(one))?.began ?? Infinity)) first.set(same(one), one)
  return new Set(first.values())
}

const operationsOf = (capacities: Capacities, events: ReadonlyArray<Event>): ReadonlyArray<Operation> => {
  const books = events.filter((event) => event.kind === "book").filter(({ slot }) => capacities.has(slot))
  const wishOf = wishesOf(books)
  const silent = new Set<Event>([
    ...firstSilent(books, ({ wish }) => wish),
    ...firstSilent(
      events.filter((event) => event.kind === "move"),
      ({ booking_id, slot }) => `${booking_id} ${slot}`
    )
  ])
  const operationOf = (event: Event): Operation | undefined => {
    if (event.kind === "clock") return undefined
    if (event.kind === "book") return capacities.has(event.slot) ? bookOperation(event, capacities) : undefined
    const wish = wishOf.get(event.booking_id)
    if (wish === undefined) return undefined
    if (event.kind === "see") return seeOperation(event, wish)
    if (event.kind === "move") return moveOperation(event, wish, capacities)
    const { began, ended = Infinity } = event
    return {
      began,
      ended,
      told: `${wish} is cancelled`,
      apply: (state) => changed(state, wish, { place: "cancelled" })
    }
  }
  const asked = events.flatMap((event): ReadonlyArray<Operation> => {
    const repeated = (event.kind === "book" || event.kind === "move") && event.ended === undefined && !silent.has(event)
    const operation = repeated ? undefined : operationOf(event)
    return operation === undefined ? [] : [operation]
  })
  const byTime = [...Map.groupBy(books, ({ wish }) => wish)].flatMap(([wish, calls]): ReadonlyArray<Operation> => {
    const known = calls.filter(({ answer }) => answer !== undefined && "booking_id" in answer)
    const began = Math.min(...(known.length > 0 ? known : calls).map((made) => earliestLapse(made, events)))
    const lapse = (state: State) =>
      state.get(wish)?.place === "live" ? changed(state, wish, { place: "lapsed" }) : undefined
    const revive = (state: State) => {
      const one = state.get(wish)
      const free = one?.place === "lapsed" && fits(capacities, state, one.slot, one.size)
      return free ? changed(state, wish, { place: "live" }) : undefined
    }
    return [
      { began, ended: Infinity, told: `${wish} lapses`, apply: lapse },
      { began, ended: Infinity, told: `${wish} is paid late`, apply: revive }
    ]
  })
  return [...asked, ...byTime].sort((a, b) => a.ended - b.ended)
}

const keyOf = (state: State): string =>
  [...state]
    .map(([wish, { place, slot }]) => `${wish}=${place} ${slot}`)
    .sort()
    .join()

/** The wish of each booking that was told. */
const wishesOf = (books: ReadonlyArray<Book>): ReadonlyMap<string, string> =>
  new Map(
    books.flatMap(({ answer, wish }) =>
      answer !== undefined && "booking_id" in answer ? [[answer.booking_id, wish] as const] : []
    )
  )

/** The slots, those together between which a booking may have moved. */
export const slotGroups = (slots: Capacities, events: ReadonlyArray<Event>): ReadonlyArray<Capacities> => {
  const books = events.filter((event) => event.kind === "book")
  const bookedAt = new Map(books.map(({ slot, wish }) => [wish, slot]))
  const wishOf = wishesOf(books)
  const groups = new Map([...slots.keys()].map((slot) => [slot, new Set([slot])]))
  for (const event of events) {
    if (event.kind !== "move") continue
    const one = groups.get(bookedAt.get(wishOf.get(event.booking_id) ?? "") ?? "")
    const other = groups.get(event.slot)
    if (one === undefined || other === undefined || one === other) continue
    for (const slot of other) groups.set(slot, one.add(slot))
  }
  return [...new Set(groups.values())].map((group) => new Map([...slots].filter(([slot]) => group.has(slot))))
}

/** What is wrong with the answers about some slots; undefined: nothing; null: the search gave up. */
export const violationAmong = (capacities: Capacities, events: ReadonlyArray<Event>): string | undefined | null => {
  const operations = operationsOf(capacities, events)
  const tried = new Set<string>()
  const done = new Set<Operation>()
  let furthest: ReadonlyArray<Operation> = []
  let steps = 0
  const search = (state: State): boolean => {
    // Sorted by their ends: the first that is left has to come before all that began after it.
    const next = operations.find((one) => one.ended !== Infinity && !done.has(one))
    if (next === undefined) return true
    if (done.size > furthest.length) furthest = [...done]
    for (const one of operations) {
      if (one.began > next.ended || done.has(one) || ++steps > mostSteps) continue
      const after = one.apply(state)
      // What may also never happen is of use only where it changes something.
      if (after === undefined || (after === state && one.ended === Infinity)) continue
      done.add(one)
      const key = `${operations.map((each) => (done.has(each) ? 1 : 0)).join("")} ${keyOf(after)}`
      if (!tried.has(key)) {
        tried.add(key)
        if (search(after)) return true
      }
      done.delete(one)
    }
    return false
  }
  if (search(new Map())) return undefined
  if (steps > mostSteps) return null
  const lines = operations
    .filter(({ ended }) => ended !== Infinity)
    .sort((a, b) => a.began - b.began)
    .map(
      (one) => `  ${Math.round(one.began)}–${Math.round(one.ended)} ${furthest.includes(one) ? " " : "✗"} ${one.told}`
    )
  const slots = [...capacities].map(([slot, capacity]) => `${slot} of ${capacity}`).join(", ")
  return `${slots}: no order of these calls explains their answers\n${lines.join("\n")}`
}
