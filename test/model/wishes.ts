/** One wish, one booking: asking again for what a booking is of, and what must hold of all that are alive. */
import { assert } from "@effect/vitest"
import * as fc from "fast-check"
import type { Booked, Ledger, Request } from "./Ledger.ts"
import type { Snapshot } from "./snapshot.ts"

/** How a call asks: as anybody, for one more of the same, or in another name. */
export type As = "plain" | "another" | "other_name"

/** The option and e-mail of a booking are asked for once more, under another idempotency key or none. */
export interface AskAgain {
  readonly do: "askAgain"
  readonly booking: number
  readonly idem: number | undefined
  readonly as: As
  readonly times: number
}

export const as = fc.constantFrom<As>("plain", "plain", "plain", "plain", "another", "other_name")

export const askAgain: fc.Arbitrary<AskAgain> = fc.record({
  do: fc.constant("askAgain" as const),
  booking: fc.nat({ max: 20 }),
  idem: fc.option(fc.nat({ max: 4 }), { nil: undefined, freq: 2 }),
  as,
  times: fc.constantFrom(1, 1, 2, 3)
})

/** The arguments of a call, but for its idempotency key. */
export const argsOf = ({ as, email, seen }: Request): string => `${seen.option.option_id} ${email} ${as}`

/** What a wish is known by. */
const wishOf = ({ as, email, key, seen }: Request): string =>
  `${key} ${seen.option.option_id} ${email} ${as === "other_name" ? as : ""}`

/** Whether a booking came back to life when its money came late: then it is one more of its wish. */
const cameBack = ({ history }: Snapshot, { booking_id }: Booked): boolean =>
  history.some(
    (line) => line.booking_id === booking_id && line.from_status === "expired" && line.to_status === "confirmed"
  )

/** Those of the live bookings that a call may be answered with. */
export const answersTo = (
  ledger: Ledger,
  request: Request,
  isAlive: (booked: Booked) => boolean
): ReadonlyArray<Booked> =>
  ledger.bookings.filter((booked) => {
    if (wishOf(booked.request) !== wishOf(request) || !isAlive(booked)) return false
    if (request.as !== "another") return true
    // A call that asks for one more gets the one that the same call made.
    const same = booked.request.as === "another" && booked.request.idempotency_key === request.idempotency_key
    return same && !cameBack(ledger.last, booked)
  })

/** No wish has two bookings that nobody asked for. */
export const oneForEachWish = (ledger: Ledger, snapshot: Snapshot): void => {
  const seen = new Set<string>()
  for (const booked of ledger.bookings) {
    const row = snapshot.bookings.find(({ booking_id }) => booking_id === booked.booking_id)
    const live = row?.status === "held" || row?.status === "confirmed"
    if (!live || cameBack(snapshot, booked) || booked.request.as === "another") continue
    const wish = wishOf(booked.request)
    assert.isFalse(seen.has(wish), `two bookings of one wish: ${wish}`)
    seen.add(wish)
  }
}
