/** Repeated requests: the same caller requests its booking again. One request has one live booking. */
import { assert } from "@effect/vitest"
import * as fc from "fast-check"
import type { Booked, Ledger, Request } from "./Ledger.ts"
import type { Snapshot } from "./snapshot.ts"

/** How a call differs: not at all, by `another`, or by another name. */
export type RequestVariant = "plain" | "another" | "other_name"

/** Books a booking's option and e-mail again, with another idempotency key or none. */
export interface AskAgain {
  readonly do: "askAgain"
  readonly booking: number
  readonly idem: number | undefined
  readonly as: RequestVariant
  readonly times: number
}

export const as = fc.constantFrom<RequestVariant>("plain", "plain", "plain", "plain", "another", "other_name")

export const askAgain: fc.Arbitrary<AskAgain> = fc.record({
  do: fc.constant("askAgain" as const),
  booking: fc.nat({ max: 20 }),
  idem: fc.option(fc.nat({ max: 4 }), { nil: undefined, freq: 2 }),
  as,
  times: fc.constantFrom(1, 1, 2, 3)
})

/** The arguments of a call, but for its idempotency key. */
export const argsOf = ({ as, email, seen }: Request): string => `${seen.option.option_id} ${email} ${as}`

/** The identity of a request. */
const identityOf = ({ as, email, key, seen }: Request): string =>
  `${key} ${seen.option.option_id} ${email} ${as === "other_name" ? as : ""}`

/** Whether a late payment confirmed an expired booking. The same request may then have a newer booking, too. */
const wasRevived = ({ history }: Snapshot, { booking_id }: Booked): boolean =>
  history.some(
    (line) => line.booking_id === booking_id && line.from_status === "expired" && line.to_status === "confirmed"
  )

/** The live bookings that a call may return. */
export const answersTo = (
  ledger: Ledger,
  request: Request,
  isAlive: (booked: Booked) => boolean
): ReadonlyArray<Booked> =>
  ledger.bookings.filter((booked) => {
    if (identityOf(booked.request) !== identityOf(request) || !isAlive(booked)) return false
    if (request.as !== "another") return true
    // A call for another one gets the booking that the same call made before.
    const same = booked.request.as === "another" && booked.request.idempotency_key === request.idempotency_key
    return same && !wasRevived(ledger.last, booked)
  })

/** No request has two live bookings, unless another one was asked for. */
export const oneBookingPerRequest = (ledger: Ledger, snapshot: Snapshot): void => {
  const seen = new Set<string>()
  for (const booked of ledger.bookings) {
    const row = snapshot.bookings.find(({ booking_id }) => booking_id === booked.booking_id)
    const live = row?.status === "held" || row?.status === "confirmed"
    // After a move, the same person may have another booking there.
    const beside = wasRevived(snapshot, booked) || booked.moved !== undefined
    if (!live || beside || booked.request.as === "another") continue
    const identity = identityOf(booked.request)
    assert.isFalse(seen.has(identity), `two bookings of one request: ${identity}`)
    seen.add(identity)
  }
}
