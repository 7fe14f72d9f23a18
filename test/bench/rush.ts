/** A start that a thousand buyers want at once. */
import { Effect } from "effect"
import { Bookings } from "../../src/domain/booking/Bookings.ts"
import { quantile, timed } from "./support/Figures.ts"
import { buyer, hours, type PartyOption, playrooms } from "./support/Parties.ts"

const buyers = 1000

export const rushHead = ["database", "buyers", "winners", "the winner waited", "half of the losers", "the last loser"]

const once = Effect.fnUntraced(function* (option_id: string) {
  const bookings = yield* Bookings
  const taken = yield* Effect.forEach(
    Array.from({ length: buyers }, (_, i) => buyer(i)),
    ({ contact, principal }) =>
      timed(
        bookings.create(principal, { option_id, contact }).pipe(
          Effect.as("won"),
          Effect.catchTag("SlotUnavailable", () => Effect.succeed("lost"))
        )
      ),
    { concurrency: "unbounded" }
  )
  const waits = (outcome: string) => taken.flatMap(([ms, got]) => (got === outcome ? [ms] : []))
  return { won: waits("won"), lost: waits("lost") }
})

/** A row for `rushHead`; how long each waited, in milliseconds, over the rounds. */
export const rush = Effect.fnUntraced(function* (database: string, option: (n: number) => PartyOption, rounds: number) {
  const done: Array<Effect.Success<ReturnType<typeof once>>> = []
  // Days far from those that are booked elsewhere.
  const from = playrooms * hours.length * 200
  for (let round = 0; round < rounds; round++) done.push(yield* once(option(from + round).option_id))
  const each = (pick: (one: (typeof done)[number]) => number) => done.map(pick)
  return [
    database,
    String(buyers),
    each(({ won }) => won.length),
    each(({ won }) => won[0] ?? Number.NaN),
    each(({ lost }) => quantile(lost, 0.5)),
    each(({ lost }) => Math.max(...lost))
  ]
})
