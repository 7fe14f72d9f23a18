/**
 * Linearizability of one slot, as Jepsen's checkers decide it (Wing and Gong's search, with Lowe's memory of what was tried): is there
 * an order of the calls, each somewhere between its beginning and its end, in which a slot of this capacity answers what was answered?
 */
import type { Book, Event, See } from "./History.ts"

type Place = "live" | "lapsed" | "cancelled"
/** What became of each wish that was booked, and how much of the slot it takes. */
type State = ReadonlyMap<string, { readonly place: Place; readonly size: number }>

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

const taken = (state: State): number => {
  let sum = 0
  for (const { place, size } of state.values()) if (place === "live") sum += size
  return sum
}
const moved = (state: State, wish: string, place: Place): State | undefined => {
  const one = state.get(wish)
  return one === undefined ? undefined : new Map(state).set(wish, { ...one, place })
}
/** Whether a wish is where a status says that it is. */
const stands = (state: State, wish: string, status: string): boolean => {
  const place = state.get(wish)?.place
  const live = status === "held" || status === "confirmed"
  return live ? place === "live" : place === (status === "cancelled" ? "cancelled" : "lapsed")
}

const bookOperation = (book: Book, capacity: number): Operation | undefined => {
  const { answer, began, ended = Infinity, size, wish } = book
  const made = (state: State): State | undefined => {
    if (state.has(wish)) return state
    return taken(state) + size > capacity ? undefined : new Map(state).set(wish, { place: "live", size })
  }
  const timed = { began, ended }
  if (answer === undefined || ended === Infinity)
    return { began, ended: Infinity, told: `${wish} books, without an answer`, apply: made }
  if ("booking_id" in answer) {
    const told = `${wish} books, and is told ${answer.booking_id} ${answer.status}`
    const apply = (state: State) => {
      const next = made(state)
      return next !== undefined && stands(next, wish, answer.status) ? next : undefined
    }
    return { ...timed, told, apply }
  }
  // Any other refusal says nothing of the places.
  if (answer.refused !== "slot_unavailable") return undefined
  const full = (state: State) => (!state.has(wish) && taken(state) + size > capacity ? state : undefined)
  return { ...timed, told: `${wish} is told that the places are taken`, apply: full }
}

const seeOperation = ({ answer, began, ended }: See, wish: string): ReadonlyArray<Operation> => {
  if (answer === undefined || ended === undefined || !("booking_id" in answer)) return []
  const { status } = answer
  const apply = (state: State) => (stands(state, wish, status) ? state : undefined)
  return [{ began, ended, told: `${wish} sees ${status}`, apply }]
}

/** When a hold may have lapsed at the earliest, on the clients' clock. */
const earliestLapse = (made: Book, events: ReadonlyArray<Event>): number => {
  const lapses = made.answer !== undefined && "booking_id" in made.answer ? made.answer.lapses : undefined
  // Nobody knows until when it is held.
  if (lapses === undefined) return made.began
  const stepped = events.flatMap((event) => (event.kind === "clock" ? [Math.max(event.at, lapses - event.ahead)] : []))
  return Math.max(made.began, Math.min(lapses, ...stepped))
}

const operationsOf = (slot: string, capacity: number, events: ReadonlyArray<Event>): ReadonlyArray<Operation> => {
  const books = events.filter((event) => event.kind === "book").filter((book) => book.slot === slot)
  const wishOf = new Map(
    books.flatMap(({ answer, wish }) =>
      answer !== undefined && "booking_id" in answer ? [[answer.booking_id, wish] as const] : []
    )
  )
  // Of the calls of one wish without an answer the first can do whatever the others can: one stands for all, or there are too many orders.
  const silent = new Map<string, Book>()
  for (const one of books)
    if (one.ended === undefined && one.began < (silent.get(one.wish)?.began ?? Infinity)) silent.set(one.wish, one)
  const asked = events.flatMap((event): ReadonlyArray<Operation> => {
    if (event.kind === "book") {
      const counts = event.slot === slot && (event.ended !== undefined || silent.get(event.wish) === event)
      const operation = counts ? bookOperation(event, capacity) : undefined
      return operation === undefined ? [] : [operation]
    }
    const wish = event.kind === "clock" ? undefined : wishOf.get(event.booking_id)
    if (wish === undefined || event.kind === "clock") return []
    if (event.kind === "see") return seeOperation(event, wish)
    const { began, ended = Infinity } = event
    return [{ began, ended, told: `${wish} is cancelled`, apply: (state) => moved(state, wish, "cancelled") }]
  })
  const byTime = [...Map.groupBy(books, ({ wish }) => wish)].flatMap(([wish, calls]): ReadonlyArray<Operation> => {
    const known = calls.filter(({ answer }) => answer !== undefined && "booking_id" in answer)
    const began = Math.min(...(known.length > 0 ? known : calls).map((made) => earliestLapse(made, events)))
    const lapse = (state: State) => (state.get(wish)?.place === "live" ? moved(state, wish, "lapsed") : undefined)
    const revive = (state: State) => {
      const one = state.get(wish)
      const free = one?.place === "lapsed" && taken(state) + one.size <= capacity
      return free ? moved(state, wish, "live") : undefined
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
    .map(([wish, { place }]) => `${wish}=${place}`)
    .sort()
    .join()

/** What is wrong with the answers about one slot; undefined: nothing; null: the search gave up. */
export const slotViolation = (
  slot: string,
  capacity: number,
  events: ReadonlyArray<Event>
): string | undefined | null => {
  const operations = operationsOf(slot, capacity, events)
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
  return `${slot} of ${capacity}: no order of these calls explains their answers\n${lines.join("\n")}`
}
