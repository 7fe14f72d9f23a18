/** Repeated requests: the same caller requests its booking again. One request has one live booking. */
import { assert } from "@effect/vitest"
import * as fc from "fast-check"
import { contact } from "../support/BookingWorld.ts"
import type { Booked, Contact, Ledger, Request } from "./Ledger.ts"
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
export const argsOf = ({ as, email, seen }: Request): string =>
  `${seen.option.option_id} ${email} ${as} ${seen.visit.ages}`

/** Whom a request is for. */
export const contactOf = ({ as, email }: Request): Contact => ({
  ...contact(email),
  ...(as === "other_name" ? { name: "Ben Lima" } : {})
})

/** The identity of a request for a contact. */
const identityOf = ({ key, seen }: Request, { email, name }: Contact): string =>
  `${key} ${seen.option.option_id} ${email} ${name}`

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
    const wanted = identityOf(request, contactOf(request))
    // Also by a contact that was corrected since.
    const isIts = booked.contacts.some((one) => identityOf(booked.request, one) === wanted)
    if (!isIts || !isAlive(booked)) return false
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
    // After a move, or a correction of the contact, the same person may have another booking there.
    const beside = wasRevived(snapshot, booked) || booked.moved !== undefined || booked.contacts.length > 1
    if (!live || beside || booked.request.as === "another") continue
    const identity = identityOf(booked.request, contactOf(booked.request))
    assert.isFalse(seen.has(identity), `two bookings of one request: ${identity}`)
    seen.add(identity)
  }
}
