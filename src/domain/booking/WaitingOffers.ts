/** Offers places that came back to the families that wait for them (`WaitingList.ts`). Every node does so. */
import { Effect, Layer } from "effect"
import { attemptOrLog } from "../../platform/concurrency/Outcomes.ts"
import { AppConfig } from "../../platform/config/AppConfig.ts"
import { forkRecurring } from "../../platform/time/LocalTime.ts"
import { Bookings } from "./Bookings.ts"
import { type Waiting, WaitingList } from "./WaitingList.ts"

const failed = "Places could not be offered to a family that waits; tried again in ten minutes"

const optionOf = ({ child_ages, option_id }: Waiting): string => `${option_id} ${child_ages.join()}`

/** Offers places of one start to those who wait for it, by turn; returns how many got some. */
const offerInTurn = Effect.fn("WaitingOffers.offerInTurn")(function* (all: ReadonlyArray<Waiting>) {
  const bookings = yield* Bookings
  // Who waits for the same as another one in vain does so, too.
  const taken = new Set<string>()
  let held = 0
  for (const waiting of all) {
    if (taken.has(optionOf(waiting))) continue
    const about = { waiting_id: waiting.waiting_id }
    const became = yield* attemptOrLog(bookings.offer(waiting), { failed, about, otherwise: "not_now" as const })
    if (became === "taken") taken.add(optionOf(waiting))
    if (became === "held") held++
    yield* Effect.yieldNow
  }
  return held
})

/** Looks at all starts that are due; returns how many families got places. */
export const offerPlaces = Effect.gen(function* () {
  const waiting = yield* WaitingList
  let held = 0
  for (let all = yield* waiting.due; all[0] !== undefined; all = yield* waiting.due) {
    held += yield* offerInTurn(all)
    yield* waiting.looked(all[0])
  }
  return held
}).pipe(Effect.withSpan("WaitingOffers.offerPlaces"))

/** Looks every two seconds, so that whoever waits comes before whoever happens to ask just then. */
export const waitingWorker = Layer.effectDiscard(
  Effect.gen(function* () {
    const { letters } = yield* AppConfig
    if (letters.kind === "off") return
    yield* forkRecurring(offerPlaces, {
      every: "2 seconds",
      failed: "Waiting lists can't be looked at now; tried again in seconds"
    })
  })
)
